"""``untie report``: a page about a table, to show to others."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from untie._util.extras import need
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

The page is one file that works without a network: what was done to the columns, a map of the \
rows, groups and what makes them, unusual rows, and the code that makes it again."""


@sharing(LearningOptions)
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
            help="The HTML file to write.",
            rich_help_panel=RESULT,
            show_default="FILE-report.html",
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(
            help="What the page calls the table.", rich_help_panel=RESULT, show_default="FILE"
        ),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Learn, choose the number of groups, find and explain them, and write a page about it all."""
    page = output or _page_for(file)
    if page.suffix == ".gz":
        raise UserError(
            f"{str(page)!r} is no name for a page, which is not compressed; end it .html."
        )
    check_output(page, (".html", ".htm"))
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
    made.save(page)
    say(made.summary, options.quiet)
    say(f"The report is in {page}; open it in a browser.", options.quiet)


def _page_for(file: str | None) -> Path:
    if file is None or file == "-" or "*" in file:
        return Path("report.html")
    return Path(f"{_stem(file)}-report.html")


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
