"""``untie fit``: learn from a table and keep the model in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from untie.cli.options import (
    Clusters,
    File,
    LearningOptions,
    Purpose,
    Purposes,
    Seed,
    Solvers,
    new_encoder,
    sharing,
)
from untie.cli.streams import UserError, check_output

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie fit mushroom.csv --output mushroom.untie[/cyan]

[cyan]untie fit 'sales/*.parquet' --drop price -o sales.untie[/cyan]  files that need not fit in \
memory

[cyan]untie fit people.csv --purpose neighbors -o people.untie[/cyan]  to find similar rows with

The model keeps how columns were binned; [cyan]untie transform[/cyan] does the same to new rows."""


@sharing(LearningOptions, without=["safe_csv"])
def run(
    options: LearningOptions,
    file: File = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="MODEL", help="Where to keep the model; needed."),
    ] = None,
    k: Clusters = None,
    components: Annotated[
        int | None,
        typer.Option(min=1, help="Numbers per row that transform gives.", show_default="all"),
    ] = None,
    solver: Solvers = None,
    purpose: Purposes = None,
    seed: Seed = 0,
) -> None:
    """Learn from a table and keep the model in a file."""
    if output is None:
        raise UserError("Say where to keep the model: --output model.untie")
    check_output(output, None)
    from untie._engines.registry import open_table
    from untie._inputs import as_fitted
    from untie.cli.learning import fit, needs_rows, read_if, tell_columns
    from untie.cli.showing import say, tell_families, waiting
    from untie.model_file import save_model

    rows = read_if(needs_rows(options, solver), file, options)
    is_for_clusters = purpose != Purpose.neighbors
    model = new_encoder(
        options,
        open_table(rows).columns,
        k or ("auto" if is_for_clusters else None),
        components=components,
        solver=solver,
        purpose=purpose,
        seed=seed,
    )
    with waiting("learning", options.quiet):
        fit(model, rows, options.weight)
    save_model(model, output)
    fitted = as_fitted(model)
    tell_columns(fitted.preparer, options)
    encoder = fitted.encoder
    sizes = encoder.vocabulary_.sizes
    aim = f"{encoder.n_clusters_} clusters" if is_for_clusters else "neighbours"
    columns = "1 column" if len(sizes) == 1 else f"{len(sizes)} columns"
    say(
        f"Learned from {encoder.counts_.n_rows:,} rows, {columns} with {sum(sizes):,} values, for "
        f"{aim}: {output}",
        options.quiet,
    )
    if encoder.k_choice_ is not None:
        say(encoder.k_choice_.verdict, options.quiet)
    tell_families(encoder, options.quiet)
