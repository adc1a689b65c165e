"""Whether there are groups of similar rows, how sure that is, and what they rest on."""

from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np

from untie._encoder_base import EncoderBase
from untie._engines.registry import open_table
from untie._inputs import as_fitted, learned_order
from untie._learn.clustering.points import AXES, VECTORS
from untie._learn.columns.attributes import TableCounts, followers
from untie._learn.selection.choose_k import N_SPLITS, TooFewRowsError, adjusted_rand
from untie._learn.selection.k_choice import STABLE, KChoice, Verdict, WithoutValues
from untie._prepare.rules import is_no_answer
from untie._table.column_codes import factorize
from untie._table.rows import read_weights
from untie._table.table import read_table
from untie._util.types import BoolArray, FloatArray, IntArray
from untie.clusterer import TableClusterer
from untie.explain._cluster_stability import stability_and_gaps
from untie.k_choice import choose_by

LEAST_COMMON, N_RELATED = 0.05, 3
"""Where there are no groups, the pairs of columns are named that have most in common (symmetric
uncertainty), if that is at least `LEAST_COMMON`; at most `N_RELATED` of them."""


def verdict(model: Any, data: Any, *, sample_weight: Any = None, random_state: Any = 0) -> Verdict:
    """Tell whether the clusters of a table are really there, and how sure that is.

    The evidence is that of :func:`untie.choose_k`, for the number that was chosen or asked for; and
    those of `cluster_stability`, for each cluster, and `cluster_gaps`, for each pair of neighbors.

    Parameters
    ----------
    model : TableClusterer or Pipeline
        Fitted; a pipeline ends in a TableClusterer.
    data : table of shape (n_rows, n_columns)
        The rows that were passed to `fit`. Of a lazy table, only the number of clusters is judged
        and not each of them; it is read once more if the number was asked for, else not at all.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at; lazy
        tables take a name only.
    random_state : int, RandomState or None, default=0
        Seed of all that is drawn; None is 0.

    Returns
    -------
    Verdict
        `headline` is one sentence, `sentences` are a few more, and ``str()`` is all of them;
        `found`, `rests_on`, `repeats`, `without_values`, `weak` and `few` are what they say.

    See Also
    --------
    cluster_stability : How well each cluster comes back.
    cluster_gaps : Whether there are gaps between clusters.
    cluster_profile : What makes each cluster.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> from untie.datasets import load
    >>> from untie.explain import verdict
    >>> X, y = load("zoo")
    >>> said = verdict(TableClusterer(3).fit(X), X)
    >>> said.found, said.weak
    (True, ())
    >>> said.headline
    '3 stable groups of similar rows, as asked for, resting on ... of 16 columns'
    """
    fitted = as_fitted(model, data)
    clusterer, encoder = fitted.clusters, fitted.encoder
    rows, weights = fitted.counted(data, sample_weight)
    stability = gaps = None
    if clusterer.n_clusters_ > 1 and not open_table(rows).is_lazy:
        stability, gaps = stability_and_gaps(clusterer, rows, weights, random_state)
    names = encoder.vocabulary_.columns
    has_order = [learned_order(encoder, place) is not None for place in range(len(names))]
    choice, is_on_axes = _evidence(clusterer, encoder, rows, weights, random_state)
    if choice is not None and choice.library != encoder._library:
        choice = replace(choice, library=encoder._library)
    return Verdict(
        clusterer.n_clusters_,
        clusterer.n_clusters != "auto",
        choice,
        stability,
        gaps,
        tuple(compress(names, has_order)),
        tuple(compress(names, encoder._model.unlearned)),
        encoder._model.counts.n_draws,
        *_between_columns(encoder),
        is_on_axes,
        _without_values(clusterer, encoder, rows, weights),
    )


def _without_values(
    clusterer: TableClusterer, encoder: EncoderBase, rows: Any, weights: Any
) -> tuple[WithoutValues, ...]:
    """Return which clusters are nearly the rows in which columns have no value; none if lazy."""
    k = clusterer.n_clusters_
    if k == 1 or open_table(rows).is_lazy:
        return ()
    table = read_table(rows)
    # Without the warning of `predict`.
    labels = np.asarray(clusterer._label(encoder._codes(rows)), dtype=np.intp)
    counted = np.ones(table.n_rows) if weights is None else read_weights(weights, table.n_rows)
    counts = np.flatnonzero(counted)
    labels, counted = labels[counts], counted[counts] / counted[counts].mean()
    cells = dict(zip(table.names, table.columns, strict=True))
    found: dict[tuple[int, ...], list[tuple[float, str]]] = {}
    for name in encoder.vocabulary_.columns:
        own, values = factorize(cells[name], name)
        lacks = np.array([*map(is_no_answer, values)], dtype=bool)[own[counts]]
        clusters = _mostly(labels, lacks, counted, k)
        if 0 < len(clusters) < k:
            is_in = np.isin(labels, clusters).astype(np.intp)
            agreement = adjusted_rand(is_in, lacks.astype(np.intp), counted)
            if agreement >= STABLE:
                found.setdefault(clusters, []).append((-agreement, name))
    ordered = sorted(found.items(), key=lambda item: min(item[1]))
    return tuple(
        WithoutValues(clusters, tuple(name for _, name in sorted(columns)))
        for clusters, columns in ordered
    )


def _mostly(labels: IntArray, lacks: BoolArray, weights: FloatArray, k: int) -> tuple[int, ...]:
    """Return the clusters in which most rows lack a value."""
    lacking = np.bincount(labels, weights * lacks, minlength=k)
    sizes = np.bincount(labels, weights, minlength=k)
    return tuple(np.flatnonzero(2.0 * lacking > sizes).tolist())


def _between_columns(
    encoder: EncoderBase,
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str, float], ...]]:
    """Return what follows from what, and the other pairs that have most in common."""
    attributes, names = encoder._model.attributes, encoder.vocabulary_.columns
    table = TableCounts.of(encoder.counts_, encoder.vocabulary_.missing)
    pairs = followers(attributes, table)
    follows = {(names[one], names[other]) for one, other in pairs}
    is_told = attributes.related.copy()
    for member in (member for family in attributes.families for member in family):
        one, other = member.attribute, member.source
        if other is not None and not {(one, other), (other, one)} & set(pairs):
            is_told[one, other] = is_told[other, one] = False
    is_other = ~(encoder._model.passive[:, None] | encoder._model.passive | is_told)
    shares = np.triu(np.where(is_other, np.round(attributes.uncertainty, 9), 0.0), 1)
    shown = np.argwhere(shares >= LEAST_COMMON).tolist()
    shown = sorted(shown, key=lambda pair: -shares[*pair])[:N_RELATED]
    related = tuple((names[one], names[other], float(shares[one, other])) for one, other in shown)
    return tuple(sorted(follows)), related


def _evidence(
    clusterer: TableClusterer, encoder: EncoderBase, rows: Any, weights: Any, random_state: Any
) -> tuple[KChoice | None, bool]:
    """Return how good the number of clusters is, if there are rows enough to tell.

    And for a number that was asked for, of which there are no stable clusters: whether there are as
    many on axes.
    """
    if clusterer.k_choice_ is not None or clusterer.n_clusters_ == 1:
        return clusterer.k_choice_, False
    given = (encoder, rows, weights, [clusterer.n_clusters_], N_SPLITS, random_state)
    try:
        choice = choose_by([VECTORS], *given)
    except TooFewRowsError:
        return None, False
    if choice.found_clusters or AXES not in encoder._recipe().methods:
        return choice, False
    return choice, choose_by([AXES], *given).found_clusters
