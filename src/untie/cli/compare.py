"""``untie compare``: several methods on the user's table."""

from __future__ import annotations

from typing import Any

from untie.cli.options import (
    Clusters,
    File,
    Format,
    Output,
    OutputFormat,
    Seed,
    TableOptions,
    new_preparer,
    sharing,
)
from untie.cli.streams import check_output

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie compare mushroom.csv --drop class --k 2[/cyan]

[cyan]untie compare mushroom.csv --label class[/cyan]  as many clusters as there are classes, with \
F and ARI

gain: nats per row (1 nat is 1.44 bits) by which the clusters describe the table better than \
none; silhouette: of the share of columns in which rows differ; stability: agreement with the \
clusters of resampled rows (adjusted Rand index). Higher scores are better, in every column."""


@sharing(TableOptions, without=["safe_csv"])
def run(
    options: TableOptions,
    file: File = None,
    k: Clusters = None,
    output: Output = None,
    format_: OutputFormat = None,
    seed: Seed = 0,
) -> None:
    """Cluster a table with several methods and score the clusters."""
    check_output(output)
    from untie._table.frames import columns_of
    from untie._table.rows import read_weights
    from untie.cli.learning import column, tell_columns
    from untie.cli.reading import read_rows
    from untie.cli.showing import bar, chosen_format, rounded, say, show
    from untie.comparison.methods import compare as compare_methods
    from untie.preparer import binned_numbers

    rows = read_rows(file, options)
    preparer = new_preparer(options, rows.column_names)
    frame = preparer.fit_transform(rows, sample_weight=options.weight)
    tell_columns(preparer, options)
    weights = options.weight and read_weights(column(rows, options.weight), len(rows))
    answers = None if options.label is None else column(rows, options.label)
    k = k or _number(frame, weights, answers, seed, options.quiet)
    result = compare_methods(
        frame,
        k,
        y=answers,
        sample_weight=weights,
        numbers=binned_numbers(preparer, rows),
        random_state=seed,
        watch=lambda names: bar(names, options.quiet),
    )
    for reason in result.skipped:
        say(f"Left out: {reason}", options.quiet)
    title = f"{k} clusters of {result.n_rows:,} rows; higher scores are better"
    if output is not None or chosen_format(format_) != Format.table:
        say(title, options.quiet)
    show(rounded(columns_of(result.table())), format_, output, title)


def _number(frame: Any, weights: Any, answers: list[Any] | None, seed: int, quiet: bool) -> int:
    """Return the number of classes, or choose one."""
    if answers is not None:
        return max(2, len({answer for answer in answers if answer is not None}))
    from untie.cli.showing import waiting
    from untie.encoder import TableEncoder
    from untie.k_choice import choose_k

    with waiting("choosing the number of clusters", quiet):
        encoder = TableEncoder(preparer=None, random_state=seed).fit(frame, sample_weight=weights)
        return choose_k(encoder, frame, sample_weight=weights, random_state=seed).k
