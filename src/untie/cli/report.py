"""``untie report``: a page about a table, to show to others."""

from __future__ import annotations

import shlex
from enum import StrEnum
from glob import glob
from pathlib import Path
from typing import Annotated, Any

import typer

from untie._util.messages import need
from untie.cli.options import (
    RESULT,
    Clusters,
    File,
    LearningOptions,
    Purposes,
    Seed,
    Solvers,
    given_options,
    new_clusterer,
    sharing,
)
from untie.cli.streams import UserError, check_output

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie report mushroom.csv[/cyan]  writes mushroom-report.html

[cyan]untie report people.csv --label left --k 4 --output people.html[/cyan]

[cyan]untie report --sql "SELECT * FROM 'sales/*.parquet' WHERE year = 2025" -o sales.html[/cyan]

[cyan]untie report people.csv --format md[/cyan]  writes people-report.md, for a ticket

The page is one file that works without a network: a map of the rows, groups and what makes \
them, unusual rows, values that are alike, and the code that makes it again."""


class PageFormat(StrEnum):
    """How the page is written."""

    html = "html"
    md = "md"
    json = "json"


ENDINGS = {
    PageFormat.html: (".html", ".htm"),
    PageFormat.md: (".md", ".markdown"),
    PageFormat.json: (".json",),
}


@sharing(LearningOptions, without=["safe_csv"])
def run(
    options: LearningOptions,
    file: File = None,
    k: Clusters = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PAGE",
            help="The file to write; its ending (.html, .md, .json) says how.",
            rich_help_panel=RESULT,
            show_default="FILE-report.html",
        ),
    ] = None,
    form: Annotated[
        PageFormat | None,
        typer.Option(
            "--format",
            help="A page for a browser, or all that is on it as Markdown or JSON.",
            rich_help_panel=RESULT,
            show_default="by the ending of PAGE, else html",
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(
            help="What the page calls the table.", rich_help_panel=RESULT, show_default="FILE"
        ),
    ] = None,
    solver: Solvers = None,
    purpose: Purposes = None,
    seed: Seed = 0,
) -> None:
    """Learn, choose the number of groups, find and explain them, and write a page about it all."""
    page = output or _page_for(file, form or PageFormat.html)
    endings = ENDINGS[form] if form else tuple(end for some in ENDINGS.values() for end in some)
    if page.suffix == ".gz":
        raise UserError(
            f"{str(page)!r} is no name for a page, which is not compressed; end it {endings[0]}."
        )
    check_output(page, endings)
    need("jinja2", "report", "Reports")  # before the work
    from sklearn.base import clone

    from untie._engines.registry import open_table
    from untie.cli.learning import tell_columns
    from untie.cli.reading import in_memory, open_rows
    from untie.cli.showing import bar, say, waiting
    from untie.report.code import PageCode
    from untie.report.making import report_fitted

    source = open_rows(file, options)
    clusterer = new_clusterer(options, source.columns, k, solver, purpose, seed)
    with waiting("reading", options.quiet):
        rows = in_memory(source)
    with waiting("clustering", options.quiet):
        prepared = clusterer._fit_rows(open_table(rows), options.weight)
    tell_columns(clusterer.preparer_, options)
    own = {"--k": k, "--solver": solver, "--purpose": purpose, "--seed": seed, "--title": title}
    code = PageCode(
        clone(clusterer),
        options.label,
        options.weight,
        title=title or _title_for(file),
        reading=_reading(file, options),
        command=_command(file, options, own),
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
    opened = "; open it in a browser" if page.suffix.lower() in ENDINGS[PageFormat.html] else ""
    say(f"The report is in {page}{replaced}{opened}.", options.quiet)


def _page_for(file: str | None, form: PageFormat) -> Path:
    if file is None or file == "-" or "*" in file:
        return Path(f"report.{form}")
    return Path(f"{_stem(file)}-report.{form}")


def _title_for(file: str | None) -> str:
    return "the table" if file in (None, "-") else Path(str(file)).name


def _stem(file: str) -> str:
    """Return a file's name without its endings."""
    return Path(file).name.removesuffix(".gz").rsplit(".", 1)[0] or "table"


def _reading(file: str | None, options: LearningOptions) -> str:
    """Return Python that reads the rows; what comes from a pipe can't be read again."""
    from untie._engines.files import is_stream
    from untie.cli.reading import scan_arguments
    from untie.report.code import UNKNOWN

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
