"""``untie fit``: learn from a table and keep the model in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from untie.cli.choices import Purpose, Purposes, Solvers
from untie.cli.early import check_output
from untie.cli.guard import UserError
from untie.cli.options import Clusters, File, LearningOptions, Seed, sharing

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
    from sklearn.pipeline import make_pipeline

    from untie._learn.solvers import ROW_SOLVERS
    from untie.cli.learning import new_encoder
    from untie.cli.showing import say, tell_families
    from untie.cli.spinner import waiting
    from untie.cli.table import open_table
    from untie.model_file import save_model

    table = open_table(file, options, in_memory_now=solver in ROW_SOLVERS)
    is_for_clusters = purpose != Purpose.neighbors
    number = k or ("auto" if is_for_clusters else None)
    encoder = new_encoder(number, options, table, seed, solver, purpose, components)
    with waiting("learning", options.quiet):
        encoder.fit(table.data, sample_weight=table.weight)
    save_model(make_pipeline(table.preparer, encoder), output)
    rows = encoder.counts_.n_rows
    sizes = encoder.vocabulary_.sizes
    aim = f"{encoder.n_clusters_} clusters" if is_for_clusters else "neighbours"
    columns = "1 column" if len(sizes) == 1 else f"{len(sizes)} columns"
    say(
        f"Learned from {rows:,} rows, {columns} with {sum(sizes):,} values, for {aim}: {output}",
        options.quiet,
    )
    if encoder.k_choice_ is not None:
        say(encoder.k_choice_.verdict, options.quiet)
    tell_families(encoder, options.quiet)
