"""``untie values``: which values of a column are alike, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from untie.cli.options import (
    File,
    LearningOptions,
    Model,
    Output,
    OutputFormat,
    Purposes,
    Seed,
    Solvers,
    sharing,
)
from untie.cli.streams import UserError, check_output

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie values mushroom.csv[/cyan]  the most alike, in all columns

[cyan]untie values mushroom.csv --column odor[/cyan]

[cyan]untie values mushroom.csv --column odor --why a,l[/cyan]  what the two share

alikeness: from -1 to 1, how far the rows that have one value are like those that have the other \
in all other columns; at_least: less two standard errors; the pairs are in its order. Go by \
at_least. Values of few rows, as most typos, can hardly be judged by what they occur with; for \
them it is mostly near 0 or below: nothing is known. similarity: of the learned vectors, in \
which rare values may be near each other for being rare, whatever they mean."""


@sharing(LearningOptions)
def run(
    options: LearningOptions,
    file: File = None,
    column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The column to look at.", show_default="all"),
    ] = None,
    why: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE,VALUE", help="Two values of --column to explain.", show_default=False
        ),
    ] = None,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="Number of lines.")] = 20,
    model: Model = None,
    output: Output = None,
    format_: OutputFormat = None,
    solver: Solvers = None,
    purpose: Purposes = None,
    seed: Seed = 0,
) -> None:
    """Find values that occur in the same company, such as two names of one thing, and say why."""
    check_output(output)
    if why is not None and column is None:
        raise UserError("--why needs the column: --column odor --why a,l")
    from untie._inputs import as_fitted, labels_in_order
    from untie._table.frames import columns_of
    from untie.cli.learning import check_learned, learned
    from untie.cli.showing import rounded, show
    from untie.explain import alike_values, why_alike

    _, encoder = learned(file, options, model, seed, solver, purpose)
    fitted = as_fitted(encoder)
    if column is not None:
        check_learned(fitted, column)
    if why is None:
        found = columns_of(alike_values(encoder, column, n=n))
        counts = fitted.encoder.counts_
        if counts.n == counts.n_rows:  # nothing has a weight but its rows
            for name, weight in (("rows", "weight"), ("other_rows", "other_weight")):
                found[name] = [round(one) for one in found.pop(weight)]
        show(rounded(found), format_, output, "Values in the same company", options.safe_csv)
        return
    assert column is not None
    place = fitted.encoder.vocabulary_.index_of(column)
    labels = labels_in_order(fitted.encoder, place)
    first, second = _two(why, labels, column)
    found = columns_of(why_alike(encoder, column, first, second, n=n))
    found = {
        {"share": f"beside {first}", "other_share": f"beside {second}"}.get(name, name): cells
        for name, cells in found.items()
    }
    title = f"What {first} and {second} share, and what tells them apart"
    show(rounded(found), format_, output, title, options.safe_csv)


def _two(text: str, labels: list[str], column: str) -> tuple[str, str]:
    """Return two values that a comma stands between; they may hold commas themselves."""
    for place, mark in enumerate(text):
        first, second = text[:place].strip(), text[place + 1 :].strip()
        if mark == "," and first in labels and second in labels:
            return first, second
    some = ", ".join(labels[:10]) + (", ..." if len(labels) > 10 else "")
    raise UserError(f"--why takes two values of {column!r}, got {text!r}; there are {some}.")
