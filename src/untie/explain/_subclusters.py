"""Whether clusters divide into smaller ones that are as certain as they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import numpy as np

from untie._inputs import as_fitted
from untie._learn.selection.choose_k import TooFewRowsError
from untie._learn.selection.k_choice import UNUSUAL, WEAK, KChoice, is_few
from untie._table.frames import columns_of, make_frame, rows_at
from untie._util.types import AnyArray, Codes, IntArray
from untie.clusterer import TableClusterer
from untie.explain._cluster_profile import names_of, read_profile
from untie.explain._cluster_stability import cluster_stability
from untie.k_choice import choose_k
from untie.preparer import merged_values

KS = range(2, 7)
"""Numbers of smaller clusters that are tried."""

N_SPLITS = 8
"""Splits of a cluster's rows for them."""

LEAST_ROWS = 100
"""Clusters with fewer rows are not divided."""

COLUMNS = ("cluster", "subcluster", "name", "share", "stability", "verdict")


@dataclass(frozen=True, eq=False, repr=False)
class Subclusters:
    """Smaller clusters within clusters.

    Parameters
    ----------
    labels : array of shape (n_rows,)
        The smallest cluster that each row is in, as text: "0a", "0b", ... in cluster 0 if it
        divides, else "0".
    choices : mapping from clusters to KChoice
        The evidence for each cluster that was asked about, those that do not divide included. A
        cluster divides if the evidence is for it and one of the smaller ones, or more, comes back
        when its rows are resampled.
    table : frame
        One row per smaller cluster: cluster, subcluster, its name among those of the cluster, share
        (of all rows), and stability and verdict, as `cluster_stability` has them within the
        cluster; a few rows are said to be unusual ones rather than a group.
    model : TableClusterer or Pipeline
        The clusters that were divided.
    smaller : mapping from clusters to TableClusterer
        The clusterers of those that divide, of rows in the codes of the model's encoder.

    See Also
    --------
    subclusters : Makes it.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> from untie.datasets import load
    >>> from untie.explain import subclusters
    >>> X, y = load("mammographic")
    >>> found = subclusters(TableClusterer(2).fit(X), X)
    >>> sorted(found.choices)
    [0, 1]
    """

    labels: AnyArray
    choices: Mapping[Any, KChoice]
    table: Any
    model: Any
    smaller: Mapping[Any, TableClusterer]

    def __repr__(self) -> str:
        return f"Subclusters of {len(self.labels)} rows:\n{self.table}"

    def predict(self, X: Any) -> AnyArray:
        """Return the smallest cluster of new rows in memory, as `labels` has those of the rows.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.
        """
        fitted = as_fitted(self.model)
        rows, clusterer = fitted.rows(X)[0], fitted.clusters
        names = range(clusterer.n_clusters_)
        return _labels(fitted.encoder._codes(rows), clusterer.predict(rows), names, self.smaller)


def subclusters(
    model: Any, data: Any, *, sample_weight: Any = None, random_state: Any = 0
) -> Subclusters:
    """Divide each cluster further, where that is as certain as the clusters are.

    Of the numbers of clusters that are stable, `TableClusterer` takes the smallest that predicts
    nearly as much as the best. What is finer is inside: the rows of each cluster are asked, as all
    rows are by :func:`untie.choose_k`, whether 2 to 6 clusters of theirs are stable and predict
    hidden cells of several columns. If `cluster_stability` calls all of these weak (doubtful, or
    dissolving), the cluster is not divided. The vectors stay those of the whole table.

    Parameters
    ----------
    model : TableClusterer or Pipeline
        Fitted; a pipeline ends in a TableClusterer.
    data : table of shape (n_rows, n_columns)
        The rows that were passed to `fit`, in memory.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at.
    random_state : int, RandomState or None, default=0
        Seed of all that is drawn; None is 0.

    Returns
    -------
    Subclusters
        `labels`, which other questions take as theirs, and a `table` of the smaller clusters.
        Clusters with fewer than 100 rows are not divided.

    See Also
    --------
    cluster_profile : What makes each of them, with ``labels=found.labels``.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> from untie.datasets import load
    >>> from untie.explain import subclusters
    >>> X, y = load("zoo")
    >>> found = subclusters(TableClusterer().fit(X), X)
    >>> len(found.table)
    0
    """
    preparer = as_fitted(model).preparer
    merged = {} if preparer is None else merged_values(preparer)
    return subclusters_of(model, data, merged, sample_weight, random_state)


def subclusters_of(
    model: Any, data: Any, merged: Mapping[str, str], sample_weight: Any, random_state: Any
) -> Subclusters:
    """Return the same, if it is known which values of some columns stand for merged ones."""
    fitted = as_fitted(model, data)
    encoder, _ = fitted.encoder, fitted.clusters  # which refuses what makes none
    clustered = fitted.clustered(data, None, sample_weight)
    partition, weights = clustered.partition, clustered.weights
    codes = encoder._codes(clustered.rows)
    smaller: dict[Any, TableClusterer] = {}
    choices: dict[Any, KChoice] = {}
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for number, cluster in enumerate(partition.names):
        members = np.flatnonzero((partition.members == number) & (weights > 0))
        if len(members) < LEAST_ROWS:
            continue
        rows, own = rows_at(clustered.rows, members), weights[members]
        given = {"sample_weight": own, "random_state": random_state}
        try:
            choice = choices[cluster] = choose_k(encoder, rows, KS, n_splits=N_SPLITS, **given)
        except TooFewRowsError:
            continue
        if not choice.found_clusters:
            continue
        divided = TableClusterer(choice.k, preparer=None, random_state=random_state)
        coded = [column[members] for column in codes]
        divided._fit_codes(encoder, coded, own, choice)
        found = columns_of(cluster_stability(divided, rows, **given))
        if all(word in WEAK for word in found["verdict"]):
            continue
        smaller[cluster] = divided
        names = _names(cluster, divided)
        profile = read_profile(encoder, rows, labels=names[divided.labels_], sample_weight=own)
        said = names_of(profile, merged)
        shares = np.asarray(found["share"]) * (own.sum() / weights.sum())
        told = [said[name] for name in names]
        places = [cluster] * len(names), names.tolist()
        few = [is_few(share * own.sum(), own.sum()) for share in found["share"]]
        words = [
            UNUSUAL if small else word for small, word in zip(few, found["verdict"], strict=True)
        ]
        lines = (*places, told, shares, found["stability"], words)
        for cells, more in zip(columns.values(), lines, strict=True):
            cells += list(more)
    labels = _labels(codes, partition.members, partition.names, smaller)
    table = make_frame(encoder._library, columns)
    return Subclusters(labels, choices, table, model, smaller)


def _names(cluster: Any, divided: TableClusterer) -> AnyArray:
    letters = ascii_lowercase[: divided.n_clusters_]
    return np.array([f"{cluster}{letter}" for letter in letters], dtype=object)


def _labels(
    codes: Codes,
    members: IntArray,
    names: Sequence[Any],
    smaller: Mapping[Any, TableClusterer],
) -> AnyArray:
    """Return the smallest cluster of coded rows whose clusters are known."""
    labels = np.array([str(name) for name in names], dtype=object)[members]
    for number, cluster in enumerate(names):
        own = np.flatnonzero(members == number)
        if cluster in smaller and len(own):
            found = smaller[cluster]._label([column[own] for column in codes])
            labels[own] = _names(cluster, smaller[cluster])[found]
    return labels
