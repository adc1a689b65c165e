"""``untie drift``: what has changed from one table to another."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from untie.cli.early import check_output
from untie.cli.guard import UserError
from untie.cli.options import ColumnOptions, File, Model, Output, OutputFormat, sharing

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie drift january.csv july.csv[/cyan]  what has changed since January

[cyan]untie drift january.csv july.csv --fail-on any -q[/cyan]  for pipelines: the exit code is 1 \
if anything has, 0 if nothing has, 2 if something is wrong with the files or options

[cyan]untie drift july.csv --model january.untie[/cyan]  beside the rows that a model has learned \
from

[cyan]untie drift january.csv july.csv --all --output changes.csv[/cyan]  every value and pair of \
columns, drifted or not

A column or a pair of columns has drifted if the change is no accident (p below --alpha, corrected \
for the number of tests) and not small (at least --min-effect of the rows have moved: would have to \
be different to be as before). A new or a lost value counts if it is no accident, however few rows \
have it."""


class FailOn(StrEnum):
    """Which changes end a command with the exit code 1."""

    any = "any"
    columns = "columns"
    values = "values"
    couplings = "couplings"


@sharing(ColumnOptions)
def run(
    options: ColumnOptions,
    file: File = None,
    new: Annotated[
        str | None,
        typer.Argument(
            metavar="NEW",
            help="The table to compare with FILE, of any of its kinds.",
            show_default=False,
        ),
    ] = None,
    model: Model = None,
    fail_on: Annotated[
        list[FailOn] | None,
        typer.Option(
            "--fail-on",
            help="Exit with 1 if this has drifted: the frequencies of a column (columns), new or "
            "lost values (values), how columns depend on each other (couplings), or any of these. "
            "Repeatable.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="Largest p-value of a change; smaller, fewer false alarms."
        ),
    ] = 0.01,
    min_effect: Annotated[
        float, typer.Option(min=0, max=1, help="Smallest share of rows that must have moved.")
    ] = 0.05,
    all_: Annotated[
        bool,
        typer.Option("--all", help="Every column, value and pair, and not those that drifted."),
    ] = False,
    output: Output = None,
    format_: OutputFormat = None,
) -> None:
    """Tell what has changed from one table to another.

    New and lost values, columns whose frequencies have shifted, and pairs of columns that depend on
    each other otherwise than before. Numbers are binned by the ranges of the first table.
    """
    check_output(output)
    if options.sql is not None:
        raise UserError("untie drift takes two files; --sql is for one table. Write the other out.")
    if file == "-" and new == "-":
        raise UserError("Only one of the two tables can be standard input.")
    if model is None and (file is None or new is None):
        raise UserError("Name two files, the usual one first: untie drift january.csv july.csv")
    if model is not None and (file is None or new is not None):
        raise UserError(
            "With --model, name the new file alone: untie drift july.csv --model m.untie"
        )
    from untie.cli.drifting import changes, compare_tables, compare_with_model
    from untie.cli.showing import say, show

    if model is None:
        assert file is not None
        assert new is not None
        found = compare_tables(file, new, options, alpha, min_effect)
    else:
        assert file is not None
        found = compare_with_model(model, file, options, alpha, min_effect)
    say(found.verdict, options.quiet)
    show(changes(found, all_), format_, output, "What has changed" if not all_ else "Both tables")
    if _has_failed(
        fail_on or [],
        found.drifted_columns,
        found.drifted_couplings,
        (*found.appeared, *found.disappeared),
    ):
        raise typer.Exit(1)


def _has_failed(
    kinds: list[FailOn],
    columns: tuple[object, ...],
    couplings: tuple[object, ...],
    values: tuple[object, ...],
) -> bool:
    """Tell whether something of the kinds that the user named has drifted."""
    drifted = {FailOn.columns: columns, FailOn.couplings: couplings, FailOn.values: values}
    drifted[FailOn.any] = (*columns, *couplings, *values)
    return any(drifted[kind] for kind in kinds)
