"""``untie compare``: UNTIE beside other methods on the user's table."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from untie._table.frames import columns_of
from untie.cli.options import (
    Clusters,
    File,
    Format,
    Output,
    OutputFormat,
    Seed,
    TableOptions,
    sharing,
)
from untie.cli.showing import check_output, chosen_format, say, show
from untie.cli.spinner import waiting
from untie.cli.table import PreparedTable, open_table
from untie.encoder import UNTIE
from untie.k_choice import choose_k

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie compare mushroom.csv --drop class --k 2[/cyan]

[cyan]untie compare mushroom.csv --label class[/cyan]  as many clusters as there are classes, with \
F and ARI

gain: nats per row by which the clusters describe the table better than none; silhouette: of the \
share of columns in which rows differ; stability: agreement with the clusters of resampled rows. \
More is better in all columns."""


@sharing(TableOptions)
def run(
    options: TableOptions,
    file: File = None,
    k: Clusters = None,
    output: Output = None,
    format_: OutputFormat = None,
    seed: Seed = 0,
) -> None:
    """Cluster a table with UNTIE, one-hot, MCA, k-modes and CDE, and score the clusters."""
    from untie.comparison.methods import (
        compare as compare_methods,  # all methods: untie --help need not wait
    )

    check_output(output)
    table = open_table(file, options, in_memory_now=True)
    frame, weights = table.frame(), table.weights()
    answers = None if table.label is None else table.column(table.label)
    k = k or _number(table, answers, seed, options.quiet)
    result = compare_methods(
        frame,
        k,
        y=answers,
        sample_weight=weights,
        random_state=seed,
        watch=lambda names: bar(names, options.quiet),
    )
    for reason in result.skipped:
        say(f"Left out: {reason}", options.quiet)
    title = f"{k} clusters of {result.n_rows:,} rows; more is better"
    if output is not None or chosen_format(format_) != Format.table:
        say(title, options.quiet)
    show(columns_of(result.table()), format_, output, title)


def _number(table: PreparedTable, answers: list[object] | None, seed: int, quiet: bool) -> int:
    """Return the number of classes, or choose one."""
    if answers is not None:
        return max(2, len({answer for answer in answers if answer is not None}))
    with waiting("choosing the number of clusters", quiet):
        frame, weights = table.frame(), table.weights()
        encoder = UNTIE(random_state=seed).fit(frame, sample_weight=weights)
        return choose_k(encoder, frame, sample_weight=weights, random_state=seed).k


def bar(names: Iterable[str], quiet: bool) -> Iterator[str]:
    """Give names one after another, and show on the terminal how many are done."""
    names = list(names)
    if quiet or not sys.stderr.isatty():
        yield from names
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(names))
        for name in names:
            progress.update(task, description=name)
            yield name
            progress.advance(task)
