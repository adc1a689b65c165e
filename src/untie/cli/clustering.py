"""The rows of a file -> clusters, and what makes them; for ``untie cluster``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._engines.arrow import ArrowSource
from untie._engines.writing import check_types, write_source
from untie._inputs import as_fitted
from untie._table.column_codes import is_missing
from untie._table.frames import columns_of
from untie._table.intervals import phrase
from untie._table.rows import read_weights
from untie._table.vocabulary import number_repeats
from untie._util.messages import need
from untie.cli.learning import column, tell_columns
from untie.cli.options import Format, LearningOptions
from untie.cli.showing import chosen_format, print_table, say, show, tell_families, waiting
from untie.clusterer import TableClusterer
from untie.explain import Verdict, cluster_profile, verdict
from untie.model_file import save_model

N_TYPICAL = 4
"""At most this many values are named for each cluster."""


@dataclass(frozen=True)
class Results:
    """Where the results go.

    Parameters
    ----------
    output, save : path or None
        Files for the rows with their clusters, and for the model.
    format_ : Format or None
        How to print the rows, if there is no file for them.
    """

    output: Path | None
    save: Path | None
    format_: Format | None

    def keep(self, clusterer: TableClusterer, quiet: bool) -> None:
        """Save the model, if it is wanted."""
        if self.save is not None:
            save_model(clusterer, self.save)
            say(f"The clusters are in {self.save}; untie assign puts new rows into them.", quiet)


def cluster_now(
    rows: Any, clusterer: TableClusterer, options: LearningOptions, results: Results
) -> None:
    """Group rows that are all in memory, and show or write them."""
    with waiting("clustering", options.quiet):
        labels = clusterer.fit(rows, sample_weight=options.weight).labels_
    fitted = as_fitted(clusterer)
    tell_columns(fitted.preparer, options)
    results.keep(clusterer, options.quiet)
    frame, weights = fitted.rows(rows, options.weight)
    given = {"sample_weight": None if weights is None else read_weights(weights, len(labels))}
    with waiting("judging the clusters", options.quiet):
        said = verdict(fitted.clusters, frame, **given, random_state=clusterer.random_state)
    say(str(said), options.quiet)
    tell_families(fitted.encoder, options.quiet)
    if options.label is not None:
        _tell_agreement(options.label, column(rows, options.label), labels, options.quiet)
    how = chosen_format(results.format_)
    if results.output is not None or how != Format.table:
        labelled = rows.append_column(_new_name(rows.column_names), [labels])
        show(labelled, how, results.output, is_safe=options.safe_csv)
    if how == Format.table:
        with waiting("describing the clusters", options.quiet):
            profile = cluster_profile(fitted.clusters, frame, labels=labels, **given)
            summary = _summary(columns_of(profile), labels, given["sample_weight"], said)
        print_table(summary, said.headline)


def _tell_agreement(label: str, answers: list[Any], labels: NDArray[Any], quiet: bool) -> None:
    # Here, as they take a while that untie --help need not.
    from sklearn.metrics import adjusted_rand_score

    from untie._learn.selection.choose_k import clustering_f_score

    known = np.array([not is_missing(answer) for answer in answers])
    truth = np.array([str(answer) for answer in answers], dtype=object)[known]
    f_score = clustering_f_score(truth, labels[known])
    ari = adjusted_rand_score(truth.astype(str), labels[known])
    say(f"With {label}: F {f_score:.3f}, adjusted Rand index {ari:.3f}.", quiet)


def _new_name(names: Sequence[str]) -> str:
    return number_repeats([*names, "cluster"])[-1]


def _summary(
    profile: dict[str, list[Any]], labels: NDArray[Any], weights: Any, said: Verdict
) -> dict[str, list[Any]]:
    """Return a line for each cluster: its size and the values that are typical of it."""
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


def cluster_lazily(
    rows: ArrowSource, clusterer: TableClusterer, options: LearningOptions, results: Results
) -> None:
    """Group rows that are never all in memory, and write them."""
    assert results.output is not None
    check_types(rows.schema, results.output)
    with waiting("clustering", options.quiet):
        clusterer.fit(rows, sample_weight=options.weight)
    fitted = as_fitted(clusterer)
    tell_columns(fitted.preparer, options)
    results.keep(clusterer, options.quiet)
    given = {"sample_weight": options.weight, "random_state": clusterer.random_state}
    with waiting("judging the clusters", options.quiet):
        said = verdict(clusterer, rows, **given)
    say(str(said), options.quiet)
    tell_families(fitted.encoder, options.quiet)
    with waiting("writing the rows", options.quiet):
        write_source(_with_clusters(clusterer, rows), results.output, options.safe_csv)


def _with_clusters(clusterer: TableClusterer, source: ArrowSource) -> ArrowSource:
    """Return the rows as they were read, with their cluster as a last column."""
    pa = need("pyarrow")
    schema = source.schema.append(pa.field(_new_name(source.columns), pa.int32()))

    def read(columns: Sequence[str]) -> Iterator[Any]:
        for batch in source.batches():
            labels = clusterer.predict(pa.Table.from_batches([batch]))
            arrays = [*batch.columns, pa.array(labels, pa.int32())]
            yield pa.RecordBatch.from_arrays(arrays, names=schema.names).select(list(columns))

    return ArrowSource(schema, read, source.origin, source.n_rows)
