"""``untie outliers``: the rows with the most surprising combinations of values."""

from __future__ import annotations

from typing import Annotated

import typer

from untie.cli.options import (
    File,
    Kept,
    LearningOptions,
    Model,
    Output,
    OutputFormat,
    Seed,
    sharing,
)
from untie.cli.streams import check_output

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie outliers orders.csv[/cyan]

[cyan]untie outliers orders.csv -n 100 --output check.csv[/cyan]

[cyan]untie outliers today.csv --model orders.untie[/cyan]  unusual beside the rows of the model

score: how surprising the row's pairs of values are, in nats, and values that a model has never \
seen, or numbers outside those that it has; share: of all rows that are at least as surprising, \
those of the model's table with --model. Rows are counted from 0."""


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
    from untie._inputs import as_fitted
    from untie._table.frames import columns_of
    from untie.cli.learning import cells_at, learned
    from untie.cli.showing import rounded, show, waiting
    from untie.cli.streaming import tell_unknown
    from untie.explain import outliers as most_unusual

    rows, encoder = learned(file, options, model, seed)
    if model is not None:
        tell_unknown(as_fitted(encoder), rows, options.quiet, ", which counts as unusual")
    share_of = "data" if model is None else "model"
    with waiting("looking for unusual rows", options.quiet):
        found = columns_of(most_unusual(encoder, rows, n=n, share_of=share_of))
    places = found.pop("position")
    result = {"row": places, **cells_at(rows, keep, places), **rounded(found)}
    show(result, format_, output, "The most unusual rows", options.safe_csv)
