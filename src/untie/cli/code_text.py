"""The Python that reads a table as the command did, for the page of ``untie report``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from untie._engines.scanning import find_files
from untie.cli.options import SourceOptions, split_names
from untie.cli.reading import STDIN, UTF8
from untie.cli.text_layout import sniff


def reading_code(source: str | None, options: SourceOptions) -> str | None:
    """Return code that makes `data`, or None if the rows came from standard input.

    Parameters
    ----------
    source : str or None
        The file or pattern.
    options : SourceOptions
        How it was read.
    """
    missing = split_names(options.missing, [])
    if options.sql is not None:
        return _scanned({"sql": options.sql}, missing)
    if source is None or source == STDIN:
        return None
    paths = find_files(source)
    kind = sniff(paths[0], repr(paths[0]), options.delimiter, options.encoding)
    if kind.name != "csv":
        return _scanned({"": source}, missing)
    given: dict[str, Any] = {"sep": kind.delimiter, "encoding": options.encoding}
    usual = {"sep": ",", "encoding": UTF8}
    settings = [f"{name}={text!r}" for name, text in given.items() if text != usual[name]]
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
