"""The Python that reads a table as the command did, for the page of ``untie report``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from untie._engines.duck import DELIMITERS
from untie._engines.endings import KINDS, suffix_of
from untie._engines.gathering import find_files, gather, is_stream
from untie._engines.remote import scheme_of
from untie._engines.zipped import is_zip, split_member
from untie.cli.options import SourceOptions, missing_texts
from untie.cli.reading import STDIN, UTF8
from untie.cli.text_layout import sniff


def reading_code(source: str | None, options: SourceOptions) -> str | None:
    """Return code that makes `data`, or None if the rows came from a pipe or standard input.

    Parameters
    ----------
    source : str or None
        The file or pattern.
    options : SourceOptions
        How it was read.
    """
    missing = missing_texts(options) or []
    if options.sql is not None:
        return _scanned({"sql": options.sql}, missing)
    if source is None or source == STDIN or is_stream(source):
        return None
    if _is_gathered(source):
        return _gathered(source, options, missing)
    paths = find_files(source)
    if any(map(is_stream, paths)):
        return None
    kind = sniff(paths[0], repr(paths[0]), options.delimiter, options.encoding)
    if kind.name != "csv":
        return _scanned({"": source}, missing)
    usual_given: dict[str, Any] = {"sep": kind.delimiter, "encoding": options.encoding}
    usual = {"sep": ",", "encoding": UTF8}
    settings = [f"{name}={text!r}" for name, text in usual_given.items() if text != usual[name]]
    # Without the words that pandas takes for missing ("NA", "None"), which untie does not.
    settings += ["dtype=str", "keep_default_na=False", f"na_values={['', *missing]!r}"]
    rest = ", ".join(settings)
    if paths == [source]:
        return f"import pandas as pd\n\ndata = pd.read_csv({source!r}, {rest})"
    return (
        "from glob import glob\n\nimport pandas as pd\n\n"
        f"paths = sorted(glob({source!r}, recursive=True))\n"
        f"pieces = [pd.read_csv(path, {rest}) for path in paths]\n"
        "data = pd.concat(pieces, ignore_index=True)"
    )


def _is_gathered(source: str) -> bool:
    """Tell whether a source is more than a file or a pattern: `untie.scan` reads it."""
    if scheme_of(source) is not None or os.path.isdir(source):
        return True
    return is_zip(source) if os.path.isfile(source) else split_member(source) is not None


def _gathered(source: str, options: SourceOptions, missing: Sequence[str]) -> str | None:
    """Return code for what `untie.scan` reads, None where it could not read it as the command."""
    is_told = options.delimiter is None and options.encoding == UTF8
    kind = KINDS.get(suffix_of(source), "csv")
    if scheme_of(source) is None:  # what is far away is not fetched again
        gathered = gather(source, options.sheet)
        first = gathered.paths[0]
        found = sniff(first, repr(source), options.delimiter, options.encoding)
        kind = found.name
        usual = DELIMITERS.get(KINDS.get(suffix_of(first), ""))
        is_told = is_told and (kind != "csv" or found.delimiter == usual)
    if not is_told:
        return None
    given = {"": source, **({"sheet": options.sheet} if options.sheet else {})}
    return _scanned(given | ({"types": "text"} if kind in DELIMITERS else {}), missing)


def _scanned(given: dict[str, str], missing: Sequence[str]) -> str:
    """Return code that reads files with types of their own, or a query."""
    arguments = ", ".join(f"{key}={text!r}" if key else repr(text) for key, text in given.items())
    code = f"import untie\n\ndata = untie.scan({arguments}).collect()"
    if missing:
        code = (
            f"import pandas as pd\n{code}.to_pandas(types_mapper=pd.ArrowDtype)\n"
            f"data = data.mask(data.astype(object).isin({list(missing)!r}))"
        )
    return code
