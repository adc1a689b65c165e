"""``untie neighbors``: the rows most like a row, or like some values, and why."""

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
    Purpose,
    Purposes,
    Seed,
    Solvers,
    sharing,
)
from untie.cli.streams import UserError, check_file, check_output

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie neighbors mushroom.csv --row 17[/cyan]

[cyan]untie neighbors melons.csv --where color=green --where size=big[/cyan]

[cyan]untie neighbors orders.csv --row 17 --distinct --keep order_id[/cyan]  with a key, without \
copies

[cyan]untie neighbors mushroom.csv --row 17 --why --format csv[/cyan]  what each column \
contributes

[cyan]untie neighbors orders.parquet --model orders.untie --like new.csv --output alike.csv[/cyan]

Rows are counted from 0: the first line below the names is row 0."""


@sharing(LearningOptions)
def run(
    options: LearningOptions,
    file: File = None,
    row: Annotated[
        int | None, typer.Option(min=0, help="A row's number, from 0.", show_default=False)
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="A value to look for; may be repeated.", show_default=False
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A file; look for rows like each of its.", show_default=False
        ),
    ] = None,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="Number of neighbours.")] = 10,
    why: Annotated[
        bool, typer.Option("--why", help="One line for each column and what it contributes.")
    ] = False,
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Of equal rows show the first, and none like ROW.")
    ] = False,
    keep: Kept = None,
    model: Model = None,
    output: Output = None,
    format_: OutputFormat = None,
    solver: Solvers = None,
    purpose: Purposes = None,
    seed: Seed = 0,
) -> None:
    """Find the rows most like a row, or like some values, and say why.

    The nearest come first, by the distance of vectors that are learned to find similar rows. It is
    not squared; the distances of columns that --why tells are squared, and add up to its square. A
    similarity is a sum over the columns, and the columns named are those that contribute most; it
    need not fall with the rank, as rare values make a row similar to more. With --where, the
    columns that it names count alone. All rows are compared, and read piece by piece.
    """
    if (row is not None) + bool(where) + (like is not None) != 1:
        raise UserError(
            "Say what to look for: --row 17, --where color=green or --like new.csv; one of them."
        )
    if like is not None and why:
        raise UserError("--why is for --row and --where, not for all rows of a file (--like).")
    check_file(like)
    check_output(output)
    from untie._inputs import as_fitted
    from untie.cli.learning import learned
    from untie.cli.nearest import Looking
    from untie.cli.showing import show

    if solver is None and model is None:
        purpose = purpose or Purpose.neighbors
    rows, encoder = learned(file, options, model, seed, solver, purpose, in_memory_now=False)
    fitted, is_new = as_fitted(encoder), model is not None
    looking = Looking(fitted, rows, n, distinct, keep, options, is_new)
    if like is not None:
        result, title = looking.like_rows_of(like), f"Rows most like those of {like}"
    else:
        result = looking.like_one(row, where, why)
        title = f"Rows most like {'row ' + str(row) if row is not None else ', '.join(where or [])}"
    show(result, format_, output, title, options.safe_csv)
