"""The page about a table, for ``untie report``."""

import shlex
from glob import glob
from pathlib import Path
from typing import Any

from sklearn.base import clone

from untie._engines.files import is_stream
from untie._engines.registry import open_table
from untie.cli.options import LearningOptions, given_options
from untie.cli.reading import new_clusterer, open_rows, read_all, scan_arguments, tell_columns
from untie.cli.showing import bar, say, waiting
from untie.report.code import UNKNOWN, PageCode
from untie.report.making import report_fitted


def write_report(
    file: str | None, options: LearningOptions, k: int | None, page: Path, title: str | None
) -> None:
    """Find clusters of the rows of a file, and write the page about them."""
    source = open_rows(file, options)
    clusterer = new_clusterer(options, source.columns, k)
    rows = read_all(source, options.quiet)
    with waiting("clustering", options.quiet):
        prepared = clusterer._fit_rows(open_table(rows), options.weight)
    tell_columns(clusterer.preparer_, options)
    code = PageCode(
        clone(clusterer),
        options.label,
        options.weight,
        title=title or ("the table" if file in (None, "-") else Path(str(file)).name),
        reading=_reading(file, options),
        command=_command(file, options, {"--k": k, "--title": title}),
    )
    made = report_fitted(
        clusterer,
        rows,
        code,
        label=options.label,
        sample_weight=options.weight,
        prepared=prepared,
        watch=lambda names: bar(names, options.quiet),
    )
    replaced = ", in place of a file of that name" if page.is_file() else ""
    made.save(page)
    say(made.summary, options.quiet)
    opened = "; open it in a browser" if page.suffix.lower() in (".html", ".htm") else ""
    say(f"The report is in {page}{replaced}{opened}.", options.quiet)


def _reading(file: str | None, options: LearningOptions) -> str:
    """Return Python that reads the rows; what comes from a pipe can't be read again."""
    if file is not None and (file == "-" or any(map(is_stream, [file, *glob(file)]))):
        return UNKNOWN
    arguments = scan_arguments(file, options)
    first = [] if file is None else [repr(arguments.pop("source"))]
    named = [f"{name}={value!r}" for name, value in arguments.items()]
    return f"import untie\n\ndata = untie.scan({', '.join([*first, *named])}).collect()"


def _command(file: str | None, options: LearningOptions, own: dict[str, Any]) -> str:
    """Return the line that makes the page again."""
    given = [[option, str(value)] for option, value in own.items() if value]
    given += [words for name, words in given_options(options).items() if name != "quiet"]
    source = [] if file is None else ["data.csv" if file == "-" else file]
    return shlex.join(["untie", "report", *source, *(word for words in given for word in words)])
