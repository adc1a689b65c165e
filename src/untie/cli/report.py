"""``untie report``: a page about a table, to show to others."""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from untie._util.extras import need
from untie.cli.choices import Purposes, Solvers
from untie.cli.early import check_output
from untie.cli.guard import UserError
from untie.cli.options import (
    RESULT,
    Clusters,
    File,
    LearningOptions,
    Seed,
    SourceOptions,
    sharing,
    split_names,
)

if TYPE_CHECKING:
    from untie.report.recipe import Recipe, Wish

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
    from untie.cli.reading import names_of
    from untie.cli.showing import say
    from untie.cli.spinner import bar
    from untie.cli.table import column_weights, open_table, ordered_columns, reading_settings
    from untie.report.making import report_prepared
    from untie.report.recipe import Wish

    table = open_table(file, options, in_memory_now=True)
    frame, weights = table.frame(), table.weights()
    known = names_of(table.source)
    wish = Wish(
        n_clusters=k or "auto",
        columns=split_names(options.columns, known) if options.columns else None,
        drop=tuple(split_names(options.drop, known)),
        label=options.label,
        sample_weight=options.weight,
        bins=options.bins,
        max_categories=options.max_categories,
        title=title or _title_for(file),
        random_state=seed,
        column_weights=column_weights(options, table),
        ordered=ordered_columns(options, table),
        categorical=tuple(split_names(options.categorical, known)),
        **reading_settings(options),
        solver=Wish.solver if solver is None else solver.value,
        purpose=Wish.purpose if purpose is None else purpose.value,
    )
    made = report_prepared(
        frame,
        table.preparer,
        wish,
        answers=None if table.label is None else table.column(table.label),
        weights=weights,
        recipe=_recipe(wish, file, options),
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


def _recipe(wish: Wish, file: str | None, options: LearningOptions) -> Recipe:
    """Return the code that makes the page again."""
    from untie.cli.code_text import reading_code
    from untie.cli.reading import STDIN
    from untie.report.recipe import recipe_of

    given: list[str] = []
    for field in fields(SourceOptions):
        value = getattr(options, field.name)
        if field.name != "quiet" and value != field.default:
            for text in value if isinstance(value, list) else [value]:
                given += [f"--{field.name}", text]
    path = None if file == STDIN else file
    return recipe_of(wish, path, given, reading_code(file, options))
