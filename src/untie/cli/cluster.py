"""``untie cluster``: groups of similar rows, what makes them, and each row's group."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from untie.cli.options import (
    Clusters,
    File,
    LearningOptions,
    Output,
    OutputFormat,
    Purposes,
    Seed,
    Solvers,
    new_clusterer,
    sharing,
)
from untie.cli.streams import UserError, check_output

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie cluster mushroom.csv --label class[/cyan]  the groups, and what makes them

[cyan]untie cluster mushroom.csv --k 5 --output grouped.csv[/cyan]  every row with its group

[cyan]untie cluster mushroom.csv --save mushroom.untie[/cyan]  keep the clusters for new rows, \
which [cyan]untie assign[/cyan] or --model puts into them

[cyan]untie cluster 'logs/*.parquet' --lazy -o grouped.parquet[/cyan]  more rows than memory holds

In a pipe, or with --format csv, the rows come out with their cluster as a last column."""


@sharing(LearningOptions)
def run(
    options: LearningOptions,
    file: File = None,
    k: Clusters = None,
    output: Output = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="Keep the clusters in a file, for untie assign.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="Clusters that --save or Python kept, instead of new ones: as untie assign.",
            show_default=False,
        ),
    ] = None,
    lazy: Annotated[
        bool,
        typer.Option("--lazy", help="Read the rows piece by piece, several times; needs --output."),
    ] = False,
    format_: OutputFormat = None,
    solver: Solvers = None,
    purpose: Purposes = None,
    seed: Seed = 0,
) -> None:
    """Group similar rows and show what makes each group.

    The largest cluster is 0. Of each, the values are named that are far more frequent in it than
    elsewhere, with their share in it and elsewhere; of numbers, a range. What is said first is
    whether there are groups at all, and which columns they rest on.
    """
    check_output(output)
    check_output(save, None)
    if lazy and output is None:
        raise UserError("--lazy needs --output FILE, where the rows and their clusters go.")
    if model is not None:
        if k is not None or lazy or save is not None:
            raise UserError("--k, --lazy and --save are for new clusters; the model has its own.")
        from untie.cli.assigning import assign_rows, refuse_learning

        refuse_learning(options, solver, purpose)
        assign_rows(model, file, options, output, format_)
        return
    from untie.cli.clustering import Results, cluster_lazily, cluster_now
    from untie.cli.reading import in_memory, open_rows
    from untie.cli.showing import waiting

    rows = open_rows(file, options)
    clusterer = new_clusterer(options, rows.columns, k, solver, purpose, seed)
    results = Results(output, save, format_)
    if lazy:
        cluster_lazily(rows, clusterer, options, results)
        return
    with waiting("reading", options.quiet):
        table = in_memory(rows)
    cluster_now(table, clusterer, options, results)
