"""``untie outliers``: the rows with the most surprising combinations of values."""

from __future__ import annotations

from typing import Annotated

import typer

from untie._table.frames import columns_of
from untie.cli.learning import Model, learned
from untie.cli.options import File, Kept, LearningOptions, Output, OutputFormat, Seed, sharing
from untie.cli.showing import check_output, show
from untie.cli.spinner import waiting
from untie.explain import outliers as most_unusual

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie outliers orders.csv[/cyan]

[cyan]untie outliers orders.csv -n 100 --output check.csv[/cyan]

[cyan]untie outliers today.csv --model orders.untie[/cyan]  unusual beside the rows of the model

score: how surprising the row's pairs of values are, in nats; share: of all rows that are at \
least as surprising. Rows are counted from 0."""


@sharing(LearningOptions)
def run(
    options: LearningOptions,
    file: File = None,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="Number of rows.")] = 20,
    keep: Kept = None,
    model: Model = None,
    output: Output = None,
    format_: OutputFormat = None,
    seed: Seed = 0,
) -> None:
    """Find the rows with the most surprising combinations of values, and say which they are."""
    check_output(output)
    table, encoder = learned(file, options, model, None, seed)
    with waiting("looking for unusual rows", options.quiet):
        found = columns_of(most_unusual(encoder, table.frame(), n))
    rows = found.pop("position")
    result = {"row": rows, **table.cells(keep, rows), **found}
    show(result, format_, output, "The most unusual rows")
