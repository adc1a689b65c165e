"""``untie cluster``: groups of similar rows, what makes them, and each row's group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from untie._engines.arrow import ArrowSource
from untie._engines.writing import write_source
from untie._table.column_codes import is_missing
from untie._table.frames import columns_of
from untie._table.runs import phrase
from untie._table.vocabulary import number_repeats
from untie._util.extras import need
from untie.cli.guard import UserError
from untie.cli.options import (
    Clusters,
    File,
    Format,
    LearningOptions,
    Output,
    OutputFormat,
    Seed,
    sharing,
)
from untie.cli.reading import is_lazy
from untie.cli.showing import check_output, chosen_format, print_table, say, show, tell_families
from untie.cli.spinner import waiting
from untie.cli.table import PreparedTable, column_weights, open_table, ordered_columns
from untie.clusterer import UNTIEClusterer
from untie.encoder import UNTIE
from untie.explain import Verdict, cluster_profile, verdict

EXAMPLES = """[bold]Examples[/bold]

[cyan]untie cluster mushroom.csv --label class[/cyan]  the groups, and what makes them

[cyan]untie cluster mushroom.csv --k 5 --output grouped.csv[/cyan]  every row with its group

[cyan]untie cluster 'logs/*.parquet' --lazy -o grouped.parquet[/cyan]  more rows than memory holds

In a pipe, or with --format csv, the rows come out with their cluster as a last column."""

N_TYPICAL = 4
"""At most this many values are named for each cluster."""


@sharing(LearningOptions)
def run(
    options: LearningOptions,
    file: File = None,
    k: Clusters = None,
    output: Output = None,
    lazy: Annotated[
        bool,
        typer.Option("--lazy", help="Read the rows piece by piece, several times; needs --output."),
    ] = False,
    format_: OutputFormat = None,
    seed: Seed = 0,
) -> None:
    """Group similar rows and show what makes each group.

    The largest cluster is 0. Of each, the values are named that are far more frequent in it than
    elsewhere, with their share in it and elsewhere; of numbers, a range. What is said first is
    whether there are groups at all, and which columns they rest on.
    """
    check_output(output)
    if lazy:
        _cluster_lazily(k, seed, file, options, output)
        return
    table = open_table(file, options, in_memory_now=True)
    clusterer = _new_clusterer(k, seed, options, table)
    frame, weights = table.frame(), table.weights()
    with waiting("clustering", options.quiet):
        labels = clusterer.fit(frame, sample_weight=weights).labels_
    with waiting("judging the clusters", options.quiet):
        said = verdict(clusterer, frame, sample_weight=weights, random_state=seed)
    _tell(said, clusterer.encoder_, table, labels, options.quiet)
    how = chosen_format(format_)
    if output is not None or how != Format.table:
        show(_labelled(table.source, labels), how, output)
    if how == Format.table:
        with waiting("describing the clusters", options.quiet):
            summary = _summary(frame, labels, weights, said)
        print_table(summary, said.headline)


def _new_clusterer(
    k: int | None, seed: int, options: LearningOptions, table: PreparedTable
) -> UNTIEClusterer:
    weights = column_weights(options, table)
    ordered = ordered_columns(options, table)
    encoder = UNTIE(k or "auto", column_weights=weights, ordered=ordered, random_state=seed)
    return UNTIEClusterer(k or "auto", encoder=encoder, random_state=seed)


def _tell(
    said: Verdict, encoder: UNTIE, table: PreparedTable, labels: NDArray[Any], quiet: bool
) -> None:
    say(str(said), quiet)
    tell_families(encoder, quiet)
    if table.label is not None:
        # Here, as they take a while that untie --help need not.
        from sklearn.metrics import adjusted_rand_score

        from untie.evaluation import clustering_f_score

        answers = table.column(table.label)
        known = np.array([not is_missing(answer) for answer in answers])
        truth = np.array([str(answer) for answer in answers], dtype=object)[known]
        f_score = clustering_f_score(truth, labels[known])
        ari = adjusted_rand_score(truth.astype(str), labels[known])
        say(f"With {table.label}: F {f_score:.3f}, adjusted Rand index {ari:.3f}.", quiet)


def _labelled(source: Any, labels: NDArray[Any]) -> dict[str, Sequence[Any]]:
    columns = columns_of(source)
    return {**columns, _new_name(list(columns)): labels.tolist()}


def _new_name(names: Sequence[str]) -> str:
    return number_repeats([*names, "cluster"])[-1]


def _summary(frame: Any, labels: NDArray[Any], weights: Any, said: Verdict) -> dict[str, list[Any]]:
    """Return a line for each cluster: its size and the values that are typical of it."""
    profile = columns_of(cluster_profile(frame, labels, weights))
    sizes = np.bincount(labels, weights)
    typical: dict[int, list[str]] = {number: [] for number in range(len(sizes))}
    for number, attribute, value, share, elsewhere in zip(
        profile["cluster"],
        profile["column"],
        profile["value"],
        profile["share"],
        profile["share_elsewhere"],
        strict=True,
    ):
        if len(typical[number]) < N_TYPICAL and share > elsewhere:
            said_of = phrase(attribute, value, "=")
            typical[number].append(f"{said_of} ({share:.0%}, elsewhere {elsewhere:.0%})")
    return {
        "cluster": list(typical),
        "rows" if weights is None else "weight": sizes.tolist(),
        "share": [f"{size / sizes.sum():.0%}" for size in sizes],
        "stability": [said.said_of(number) for number in typical],
        "typical values": [", ".join(entries) for entries in typical.values()],
    }


def _cluster_lazily(
    k: int | None, seed: int, file: str | None, options: LearningOptions, output: Any
) -> None:
    """Group rows that are never all in memory, and write them."""
    if output is None:
        raise UserError("--lazy needs --output FILE, where the rows and their clusters go.")
    table = open_table(file, options, in_memory_now=False)
    if not is_lazy(table.source):
        raise UserError("--lazy needs DuckDB: pip install 'untie[files]'.")
    clusterer = _new_clusterer(k, seed, options, table)
    clusterer.fit(table.data, sample_weight=table.weight)
    given = {"sample_weight": table.weight, "random_state": clusterer.random_state}
    say(str(verdict(clusterer, table.data, **given)), options.quiet)
    tell_families(clusterer.encoder_, options.quiet)
    write_source(_with_clusters(clusterer, table), output)


def _with_clusters(clusterer: UNTIEClusterer, table: PreparedTable) -> ArrowSource:
    """Return the rows as they were read, with their cluster as a last column."""
    pa = need("pyarrow")
    source = table.source
    schema = source.schema.append(pa.field(_new_name(source.columns), pa.int32()))

    def read(columns: Sequence[str]) -> Iterator[Any]:
        for batch in source.batches():
            rows = pa.Table.from_batches([batch])
            labels = clusterer.predict(table.prepared(rows))
            arrays = [*batch.columns, pa.array(labels, pa.int32())]
            yield pa.RecordBatch.from_arrays(arrays, names=schema.names).select(list(columns))

    return ArrowSource(schema, read, source.origin, source.n_rows)
