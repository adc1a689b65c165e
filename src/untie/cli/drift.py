"""``untie drift``: what has changed from one table to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from untie.cli.options import ColumnOptions, FailOn, File, Output, OutputFormat, sharing
from untie.cli.streams import UserError, check_output

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie drift january.csv july.csv[/cyan]  what has changed since January

[cyan]untie drift january.csv july.csv --fail-on any -q[/cyan]  for pipelines: the exit code is 1 \
if anything has, 0 if nothing has, 2 if something is wrong with the files or options

[cyan]untie drift july.csv --model january.untie[/cyan]  beside the rows that a model has learned \
from

[cyan]untie drift january.csv july.csv --all --output changes.csv[/cyan]  every value and pair of \
columns, drifted or not

moved: the share of the rows that would have to be different for all to be as before. A column or \
a pair of columns has drifted if the change is no accident (p below --alpha, corrected for the \
number of tests) and not small (at least --min-effect has moved). A new or a lost value counts if \
it is no accident, however few rows have it. Of couplings, before and after are how far one column \
tells the other, from 0 to 1."""


@sharing(ColumnOptions, without=["sql"])
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
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="A model that untie fit or Python saved; FILE is then the table to compare with "
            "the one that it has learned from.",
            show_default=False,
        ),
    ] = None,
    fail_on: Annotated[
        list[FailOn] | None,
        typer.Option(
            "--fail-on",
            metavar="KIND",
            help="Exit with 1 if this has drifted: columns (the frequencies of one), values (new "
            "or lost ones), couplings (how columns depend on each other), or any of these. "
            "Repeatable.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[
        float, typer.Option(min=0, max=1, help="Largest p-value of a change; less is stricter.")
    ] = 0.01,
    min_effect: Annotated[
        float, typer.Option(min=0, max=1, help="Smallest share of rows that must have moved.")
    ] = 0.05,
    everything: Annotated[
        bool, typer.Option("--all", help="Every column, value and pair, drifted or not.")
    ] = False,
    output: Output = None,
    format_: OutputFormat = None,
) -> None:
    """Tell what has changed from one table to another.

    New and lost values, columns whose frequencies have shifted, and pairs of columns that depend on
    each other otherwise than before. Numbers are binned by the ranges of the first table.
    """
    check_output(output)
    if file in ("-", "/dev/stdin") and new in ("-", "/dev/stdin"):
        raise UserError("Only one of the two tables can be standard input.")
    if model is None and (file is None or new is None):
        raise UserError("Name two files, the usual one first: untie drift january.csv july.csv")
    if model is not None and (file is None or new is not None):
        raise UserError("With --model, name one file: untie drift july.csv --model january.untie")
    from untie.cli.drifting import compare_tables, compare_with_model, has_failed, show_changes
    from untie.cli.showing import say

    assert file is not None
    if model is not None:
        found = compare_with_model(model, file, options, alpha, min_effect)
    else:
        assert new is not None
        found = compare_tables(file, new, options, alpha, min_effect)
    say(found.verdict, options.quiet)
    show_changes(found, everything, format_, output, options.safe_csv)
    if has_failed(found, fail_on or []):
        raise typer.Exit(1)
