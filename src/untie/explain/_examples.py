"""Rows that are typical of a cluster, and rows between two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from untie._count.packed_rows import Distinct, distinct_rows
from untie._inputs import FittedTable, Partition, as_fitted, named_rows
from untie._learn.spaces.value_space import add_up, count_members
from untie._table import frames
from untie._util.checks import check_integer
from untie._util.types import FloatArray, IntArray
from untie.clusterer import TableClusterer


def prototypes(
    model: Any, data: Any, *, n: int = 3, labels: Any = None, sample_weight: Any = None
) -> Any:
    """Return the rows nearest to the mean of their cluster; equal rows are listed once.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory.
    n : int, default=3
        Number of rows per cluster.
    labels : array of shape (n_rows,) or str, optional
        The cluster of each row, or the column that has it; by default the clusters of the model.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at.

    Returns
    -------
    frame
        cluster, rank (from 1), position (of the first of equal rows), name (of that row, if rows
        have names: see `Preparer`), distance (to the mean of the cluster's vectors), weight (of the
        rows of the cluster that are equal to it; their number, without weights).

    See Also
    --------
    border_cases : The rows between two clusters.
    cluster_profile : The values that make a cluster.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import prototypes
    >>> drinks = [["red", "wine"], ["white", "wine"], ["brown", "beer"], ["red", "wine"]]
    >>> encoder = TableEncoder(n_clusters=2).fit(drinks)
    >>> kinds = ["wines", "wines", "beers", "wines"]
    >>> prototypes(encoder, drinks, n=1, labels=kinds).round(2)
      cluster  rank  position  distance  weight
    0   beers     1         2      0.00     1.0
    1   wines     1         0      0.74     2.0
    """
    n = check_integer("n", n)
    fitted = as_fitted(model, data)
    return _typical(_placed(fitted, data, labels, sample_weight), n)


def border_cases(
    model: Any, data: Any, *, n: int = 3, labels: Any = None, sample_weight: Any = None
) -> Any:
    """Return the rows of each cluster that nearly belong to another one; equal rows once.

    For the clusters of a TableClusterer, these are the rows with the lowest probability of their
    cluster (see `TableClusterer.predict_proba`); for other labels, those whose distance to another
    cluster's mean is closest to that to their own.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory.
    n : int, default=3
        Number of rows per cluster.
    labels : array of shape (n_rows,) or str, optional
        The cluster of each row, or the column that has it; by default the clusters of the model.
        There must be at least two.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at.

    Returns
    -------
    frame
        cluster, rank (from 1), position (of the first of equal rows), name (of that row, if rows
        have names), other (the other cluster: the most probable one, or that with the nearest
        mean), margin: (b - a) / max(a, b) with the distances a to the mean of its own cluster and b
        to the other's. 1 is well inside, 0 in the middle of the two; below 0 the row is nearer to
        the other. For the clusters of a TableClusterer also probability and other_probability: of
        the two clusters.

    See Also
    --------
    prototypes : The rows that are typical of a cluster.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import border_cases
    >>> rows = [["a", "a", "a"]] * 9 + [["b", "b", "b"]] * 9 + [["a", "b", "b"]]
    >>> encoder = TableEncoder(n_clusters=2).fit(rows)
    >>> found = border_cases(encoder, rows, n=1, labels=[0] * 9 + [1] * 10)
    >>> found[["cluster", "position", "other"]]
       cluster  position  other
    0        0         0      1
    1        1        18      0
    """
    n = check_integer("n", n)
    fitted = as_fitted(model, data)
    placed = _placed(fitted, data, labels, sample_weight)
    if len(placed.clusters) < 2:
        name = placed.clusters.names[0]
        raise ValueError(f"A border needs two clusters; all labels are {name!r}.")
    return _between(placed, n)


def examples(
    model: Any,
    data: Any,
    *,
    n: int = 3,
    labels: Any = None,
    sample_weight: Any = None,
    clusterer: TableClusterer | None = None,
) -> tuple[Any, Any]:
    """Return what `prototypes` and `border_cases` do, from one reading of the rows.

    Of a single cluster there are no border cases, but None. The labels may be known to be those of
    a `clusterer`, which then has their probabilities.
    """
    fitted = as_fitted(model, data)
    placed = _placed(fitted, data, labels, sample_weight, clusterer)
    borders = _between(placed, n) if len(placed.clusters) > 1 else None
    return _typical(placed, n), borders


@dataclass(frozen=True, eq=False)
class _Placed:
    """Distinct rows of clusters, and how far they are from the clusters' means.

    Parameters
    ----------
    clusters : Partition
        The clusters.
    kinds : Distinct
        The distinct rows of each cluster.
    members : integer array of shape (n_kinds,)
        The number of their cluster.
    distances : array of shape (n_kinds, n_clusters)
        Squared.
    probabilities : array of shape (n_kinds, n_clusters) or None
        How probable the clusters are, where they are those of a TableClusterer.
    names_at : callable
        Returns the names of the rows at some positions; None if they have none.
    library : str
        What frames for the user are made with.
    """

    clusters: Partition
    kinds: Distinct
    members: IntArray
    distances: FloatArray
    probabilities: FloatArray | None
    names_at: Callable[[IntArray], list[str] | None]
    library: str


def _typical(placed: _Placed, n: int) -> Any:
    kinds, members = placed.kinds, placed.members
    own = placed.distances[np.arange(len(members)), members]
    own[kinds.weights == 0] = np.inf
    chosen = _best_of_each(members, [own], kinds.first, n)
    more = {"distance": np.sqrt(own[chosen]), "weight": kinds.weights[chosen]}
    return _frame(placed, chosen, more)


def _between(placed: _Placed, n: int) -> Any:
    kinds, members, found = placed.kinds, placed.members, placed.probabilities
    to_all = np.sqrt(placed.distances)
    every = np.arange(len(members))
    near = -to_all if found is None else found.copy()
    near[every, members] = -np.inf
    other = near.argmax(axis=1)
    own, far = to_all[every, members], to_all[every, other]
    farther = np.maximum(own, far)
    margin = np.divide(far - own, farther, out=np.zeros_like(own), where=farther > 0)
    margin[kinds.weights == 0] = np.inf
    scores = [margin] if found is None else [found[every, members], margin]
    chosen = _best_of_each(members, scores, kinds.first, n)
    others = [placed.clusters.names[member] for member in other[chosen]]
    columns = {"other": others, "margin": margin[chosen]}
    if found is not None:
        columns["probability"] = found[chosen, members[chosen]]
        columns["other_probability"] = found[chosen, other[chosen]]
    return _frame(placed, chosen, columns)


def _frame(placed: _Placed, chosen: IntArray, more: dict[str, Any]) -> Any:
    """Return a frame of some rows, cluster by cluster, and what more there is to say of them."""
    members = placed.members[chosen]
    columns = {
        "cluster": [placed.clusters.names[member] for member in members],
        "rank": _ranks(members),
        **named_rows(positions := placed.kinds.first[chosen], placed.names_at(positions)),
    }
    return frames.make_frame(placed.library, columns | more)


def _placed(
    fitted: FittedTable,
    data: Any,
    labels: Any,
    sample_weight: Any,
    clusterer: TableClusterer | None = None,
) -> _Placed:
    clusterer = fitted.clusterer if labels is None else clusterer
    clustered = fitted.clustered(data, labels, sample_weight)
    encoder, clusters, weights = fitted.encoder, clustered.partition, clustered.weights
    codes = encoder._codes(clustered.rows)
    if not clustered.sizes.all():
        name = clusters.names[int(np.argmin(clustered.sizes))]
        raise ValueError(f"Every row of cluster {name!r} has the weight 0; it has no mean.")
    space = encoder._model.space
    counts = count_members(codes, space.n_codes, clusters.members, len(clusters), weights)
    tables = space.distances_to_points(space.centers(counts))
    distances = np.empty((len(codes[0]), len(clusters)))
    for rows, block in add_up(tables, codes):
        distances[rows] = block
    widths = [*space.n_codes, len(clusters)]
    kinds = distinct_rows([*codes, clusters.members], widths, weights)
    own, first = clusters.members[kinds.first], distances[kinds.first]
    names_at = partial(fitted.names_at, data)
    found = None
    if clusterer is not None:
        numbers = np.array(clusters.names, dtype=np.intp)  # clusters without rows have no border
        found = clusterer._probabilities(kinds.codes[:-1])[:, numbers]
    return _Placed(clusters, kinds, own, first, found, names_at, encoder._library)


def _best_of_each(
    members: IntArray, scores: Sequence[FloatArray], positions: IntArray, n: int
) -> IntArray:
    """Return, cluster by cluster, the entries of the lowest scores, of which the first decides.

    Those with an infinite last score are left out.
    """
    # Sums in another order differ in their last digits; such rows are equally good.
    rounded = [np.round(score, 9) for score in reversed(scores)]
    order = np.lexsort((positions, *rounded, members))
    order = order[np.isfinite(scores[-1][order])]
    return order[_ranks(members[order]) <= n]


def _ranks(members: IntArray) -> IntArray:
    """Return the entries' numbers in their cluster, from 1; clusters stand one after another."""
    starts = np.flatnonzero(np.diff(members, prepend=-1))
    lengths = np.diff(np.append(starts, len(members)))
    return np.arange(1, len(members) + 1) - np.repeat(starts, lengths)
