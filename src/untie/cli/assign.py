"""``untie assign``: new rows to the clusters of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from untie.cli.options import File, Output, OutputFormat, SourceOptions, sharing
from untie.cli.streams import check_output

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie cluster people.csv --save people.untie[/cyan]  first, the clusters

[cyan]untie assign people.untie new.csv[/cyan]  how many rows go where, and which are like none

[cyan]untie assign people.untie new.csv --output assigned.csv[/cyan]  every row with its cluster

distance: of the row to the mean of its cluster, not squared; unknown: how many of its values the \
model does not know; note: what makes it unlike any cluster, or these values."""


@sharing(SourceOptions)
def run(
    options: SourceOptions,
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="What untie cluster --save or Python kept."),
    ],
    file: File = None,
    output: Output = None,
    format_: OutputFormat = None,
) -> None:
    """Put new rows into the clusters of a model.

    A row goes where its values are likeliest. It is unlike any cluster if it is farther from the
    mean of each than 99 % of the rows that the cluster was made of, where a value that the model
    does not know is as far as the farthest that it knows.

    In a pipe, with --output or with --format csv, the rows come out with four more columns:
    cluster, distance, unknown and note.
    """
    check_output(output)
    from untie.cli.assigning import assign_rows

    assign_rows(model, file, options, output, format_)
