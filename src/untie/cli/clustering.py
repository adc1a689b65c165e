"""The rows of a file -> clusters, and what makes them; for ``untie cluster``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

from untie._encoder_base import EncoderBase
from untie._engines.arrow import ArrowSource
from untie._engines.writing import check_types, write_source
from untie._table.frames import columns_of
from untie._table.plain_values import is_missing
from untie._table.runs import phrase
from untie._table.vocabulary import number_repeats
from untie._util.extras import installing, need
from untie.cli.choices import Purpose, Solver
from untie.cli.guard import UserError
from untie.cli.learning import new_encoder
from untie.cli.options import Format, LearningOptions
from untie.cli.reading import is_lazy
from untie.cli.showing import chosen_format, print_table, say, show, tell_families
from untie.cli.spinner import waiting
from untie.cli.table import PreparedTable, open_table
from untie.clusterer import TableClusterer
from untie.explain import Verdict, cluster_profile, verdict
from untie.model_file import save_model

N_TYPICAL = 4
"""At most this many values are named for each cluster."""


@dataclass(frozen=True)
class Plan:
    """How clusters are made, and where they go.

    Parameters
    ----------
    k : int or None
        Number of clusters; chosen if None.
    seed : int
        Of everything that is random.
    solver, purpose : str or None
        Of the encoder.
    output, save : path or None
        Files for the rows with their clusters, and for the model.
    """

    k: int | None
    seed: int
    solver: Solver | None
    purpose: Purpose | None
    output: Path | None
    save: Path | None

    def clusterer(self, options: LearningOptions, table: PreparedTable) -> TableClusterer:
        """Return what finds the clusters, not fitted yet."""
        k = self.k or "auto"
        encoder = new_encoder(k, options, table, self.seed, self.solver, self.purpose)
        return TableClusterer(k, encoder=encoder, preparer=None, random_state=self.seed)

    def keep(self, clusterer: TableClusterer, table: PreparedTable, quiet: bool) -> None:
        """Save the model, if it is wanted."""
        if self.save is not None:
            save_model(make_pipeline(table.preparer, clusterer), self.save)
            say(f"The clusters are in {self.save}; untie assign puts new rows into them.", quiet)


def cluster_now(
    plan: Plan, file: str | None, options: LearningOptions, format_: Format | None
) -> None:
    """Group rows that are all in memory, and show or write them."""
    table = open_table(file, options, in_memory_now=True)
    clusterer = plan.clusterer(options, table)
    frame, weights = table.frame(), table.weights()
    with waiting("clustering", options.quiet):
        labels = clusterer.fit(frame, sample_weight=weights).labels_
    plan.keep(clusterer, table, options.quiet)
    with waiting("judging the clusters", options.quiet):
        said = verdict(clusterer, frame, sample_weight=weights, random_state=plan.seed)
    _tell(said, clusterer.encoder_, table, labels, options.quiet)
    how = chosen_format(format_)
    if plan.output is not None or how != Format.table:
        show(_labelled(table.source, labels), how, plan.output)
    if how == Format.table:
        with waiting("describing the clusters", options.quiet):
            summary = _summary(frame, labels, weights, said)
        print_table(summary, said.headline)


def _tell(
    said: Verdict, encoder: EncoderBase, table: PreparedTable, labels: NDArray[Any], quiet: bool
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


def _labelled(source: Any, labels: NDArray[Any]) -> Any:
    """Return the rows as they were read, their types too, with their cluster as a last column."""
    if hasattr(source, "append_column"):  # a pyarrow Table
        return source.append_column(_new_name(source.column_names), [labels])
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


def cluster_lazily(plan: Plan, file: str | None, options: LearningOptions) -> None:
    """Group rows that are never all in memory, and write them."""
    assert plan.output is not None
    table = open_table(file, options, in_memory_now=False)
    if not is_lazy(table.source):
        raise UserError(f"--lazy needs DuckDB: {installing('files')}.")
    check_types(table.source.schema, plan.output)
    clusterer = plan.clusterer(options, table)
    with waiting("clustering", options.quiet):
        clusterer.fit(table.data, sample_weight=table.weight)
    plan.keep(clusterer, table, options.quiet)
    given = {"sample_weight": table.weight, "random_state": clusterer.random_state}
    with waiting("judging the clusters", options.quiet):
        said = verdict(clusterer, table.data, **given)
    say(str(said), options.quiet)
    tell_families(clusterer.encoder_, options.quiet)
    with waiting("writing the rows", options.quiet):
        write_source(_with_clusters(clusterer, table), plan.output)


def _with_clusters(clusterer: TableClusterer, table: PreparedTable) -> ArrowSource:
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
