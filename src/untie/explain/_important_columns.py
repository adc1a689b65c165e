"""Which columns carry the clusters: those whose cells the cluster of a row predicts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState

from untie._count.counts import are_whole
from untie._inputs import ClusteredRows, FittedTable, as_fitted
from untie._learn.fitting import Fitted
from untie._learn.selection.choose_k import (
    Gains,
    JudgedRows,
    fit_half,
    halves,
    hidden_gains,
    sum_of_gains,
)
from untie._learn.selection.k_choice import LONGEST, NAMED, is_above
from untie._table import frames
from untie._util.arrays import ROUNDING
from untie._util.checks import draws_of
from untie._util.messages import counted, listed
from untie._util.types import FloatArray, IntArray
from untie.explain._cluster_stability import DrawnRows, draw_rows

N_SPLITS = 6
"""The rows are split into halves this many times."""

LEAST_EXPLAINED = 0.01
"""Clusters that explain less of a column's entropy than this do not rest on it, however sure that
little is."""

DECIMALS = 9
"""Gains, and errors, that agree in this many decimals are equal."""


def important_columns(
    model: Any,
    data: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> Any:
    """Return how well clusters predict each column, and which columns carry them.

    Each cell is predicted from the cluster of its row. The cluster is found without the column: it
    is the one in which the other cells of the row are likeliest. The shares of values in the
    clusters are counted in one half of the rows, and the cells of the other half are predicted; the
    gain is how much better they are predicted than by the shares of values in all rows. A column
    that has nothing to do with the others has no gain, even if its values helped to make the
    clusters.

    A column is hidden alone. While it is, a copy of it, or a column that it follows from, stays and
    finds the cluster: both carry the clusters, although either would do. In this it differs from
    the columns that :func:`untie.explain.verdict` says clusters rest on, which are hidden
    together with their copies. A column that alone divides some rows, and of which no other
    column predicts anything, does not carry clusters.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory; of a large table, 2,000 of its rows are drawn.
    labels : array of shape (n_rows,) or str, optional
        The cluster of each row, or the column that has it; by default the clusters of the model.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at.
    random_state : int, RandomState or None, default=0
        Seed of the splits into halves; None is 0.

    Returns
    -------
    frame
        One row per column, the highest gain first: column; gain, in nats per row (1 nat is 1.44
        bits), about 0 or below for columns that the clusters do not predict; error, its standard
        error; explained, the gain as a share of the column's entropy; carries, whether the gain is
        above two standard errors and explains at least 1% of the entropy; and share, the
        column's part in the gains of all that carry. Columns with an order are predicted in about
        five ranges. A missing cell is a value. Supplementary columns (`column_weights` of 0) are
        left out.

    See Also
    --------
    verdict : Whether there are clusters, and what they rest on.
    cluster_profile : What makes each cluster.
    weight_shares : How much each column counts in distances.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> from untie.datasets import load
    >>> from untie.explain import important_columns
    >>> X, y = load("zoo")
    >>> found = important_columns(TableClusterer().fit(X), X)
    >>> found[["column", "explained", "carries"]].iloc[[0, 1, -1]].round(2)
          column  explained  carries
    0       legs       0.40     True
    1    toothed       0.53     True
    15  domestic       0.02    False
    """
    fitted = as_fitted(model, data)
    clustered, rng = fitted.clustered(data, labels, sample_weight), draws_of(random_state)
    return frames.make_frame(fitted.encoder._library, _columns(fitted, clustered, rng))


def _columns(fitted: FittedTable, clustered: ClusteredRows, rng: RandomState) -> dict[str, Any]:
    """Return the columns of the answer."""
    encoder = fitted.encoder
    drawn = draw_rows(fitted, clustered, rng)
    judged, members = _judged(encoder._model, drawn)
    told = np.flatnonzero(judged.votes > 0)
    found = _held_out(judged, members, rng)
    votes, total = judged.votes[told], float(judged.weights.sum())
    gain = np.round(found.of_attributes[told] / (votes * total), DECIMALS) + 0.0  # no -0.0
    error = np.sqrt(np.maximum(found.squares[told], 0.0)) / (votes * total)
    error = np.round(error, DECIMALS)
    entropy = _entropies(judged)[told]
    explained = np.divide(
        np.maximum(gain, 0.0), entropy, out=np.zeros_like(gain), where=entropy > ROUNDING
    )
    carries = is_above(gain, error) & (explained >= LEAST_EXPLAINED)
    kept = np.where(carries, gain, 0.0)
    order = np.argsort(-gain, kind="stable")
    return {
        "column": [encoder.vocabulary_.columns[place] for place in told[order].tolist()],
        "gain": gain[order],
        "error": error[order],
        "explained": explained[order],
        "carries": carries[order],
        "share": (kept / (kept.sum() or 1.0))[order],
    }


def _judged(model: Fitted, drawn: DrawnRows) -> tuple[JudgedRows, IntArray]:
    """Return distinct rows of a cluster as `choose_k` judges them, and their clusters."""
    members = _renumbered(drawn)
    n_clusters = int(members.max()) + 1
    _, first, kind = np.unique(
        drawn.places * n_clusters + members, return_index=True, return_inverse=True
    )
    sums = np.bincount(kind, drawn.weights).astype(float)
    weights = sums * (drawn.n_draws / sums.sum())
    rounded = np.rint(weights)
    weights = np.where(np.isclose(weights, rounded, rtol=ROUNDING), rounded, weights)
    # Weights that are no numbers of rows say nothing of how many rows were drawn.
    draws = weights if are_whole(weights) else np.bincount(kind).astype(float)
    view, votes = model.coarse, model.attributes.votes
    cells = view.cells(drawn.codes[first])
    alone = np.eye(len(votes), dtype=bool)
    judged = JudgedRows(None, cells, cells, view.counts.sizes, weights, draws, votes, alone)
    return judged, members[first]


def _renumbered(drawn: DrawnRows) -> IntArray:
    """Return the rows' clusters with numbers that their names do not decide: the largest is 0."""
    _, first, members = np.unique(drawn.members, return_index=True, return_inverse=True)
    sizes = np.round(np.bincount(members, drawn.weights) / drawn.weights.sum(), DECIMALS)
    numbers = np.empty(len(first), dtype=np.intp)
    numbers[np.lexsort((drawn.places[first], -sizes))] = np.arange(len(first))
    return numbers[members]


def _held_out(judged: JudgedRows, members: IntArray, rng: RandomState) -> Gains:
    """Return what the clusters of one half of the rows tell of the other, the mean over splits."""
    whole_rows = judged.draws is not judged.weights
    splits = [halves(judged.weights, rng, whole_rows) for _ in range(N_SPLITS)]
    found = []
    for train, test in (pair for split in splits for pair in (split, split[::-1])):
        drawn = np.flatnonzero(train > 0)
        fit = fit_half(judged, train, drawn, members[drawn])
        found.append(hidden_gains(judged, fit, test, refit=True))
    return sum_of_gains(found, N_SPLITS)


def _entropies(judged: JudgedRows) -> FloatArray:
    """Return the entropy of each attribute's known cells times their share of the rows, in nats."""
    result = []
    for cells, size in zip(judged.cells.T, judged.sizes, strict=True):
        counts = np.bincount(cells, judged.weights, minlength=size + 1)[:size]
        counts = counts[counts > 0] / judged.weights.sum()
        result.append(-float(counts @ np.log(counts / (counts.sum() or 1.0))))
    return np.array(result)


def carriers_said(found: Mapping[str, Sequence[Any]]) -> str:
    """Return which columns carry clusters, in a sentence or two.

    Parameters
    ----------
    found : mapping from names to cells
        The columns of `important_columns`.

    Examples
    --------
    >>> found = {"column": list("abcdef"), "share": [0.3, 0.2, 0.2, 0.2, 0.1, 0.0]}
    >>> carriers_said({**found, "carries": [1, 1, 1, 1, 1, 0]})
    '5 of 6 columns carry the clusters. Half of what the clusters predict is in 2 of them: a and b.'
    >>> carriers_said({**found, "carries": [1, 1, 0, 0, 0, 0]})
    '2 of 6 columns carry the clusters: a and b.'
    >>> carriers_said({**found, "carries": [0] * 6})
    'No column carries the clusters: none is predicted by them while it is hidden.'
    """
    lines = zip(found["column"], found["share"], found["carries"], strict=True)
    named = [(str(name), share) for name, share, carries in lines if carries]
    if not named:
        return "No column carries the clusters: none is predicted by them while it is hidden."
    columns = counted(len(found["column"]), "column")
    verb = "carries" if len(named) == 1 else "carry"
    said = f"{len(named)} of {columns} {verb} the clusters"
    if len(named) <= NAMED:
        return f"{said}: {_some([name for name, _ in named])}."
    shares = np.cumsum([share for _, share in named])
    n_half = int(np.searchsorted(shares, 0.5 - ROUNDING)) + 1
    half = _some([name for name, _ in named[:n_half]])
    return f"{said}. Half of what the clusters predict is in {n_half} of them: {half}."


def _some(names: Sequence[str]) -> str:
    """Return the first of some names, cut where they are long, and how many more there are."""
    more = len(names) - NAMED
    shown = names[:NAMED] if more > 1 else names
    cut = [
        name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
        for name in shown
    ]
    return listed([*cut, f"{more} more"] if more > 1 else cut)
