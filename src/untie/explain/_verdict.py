"""Whether there are groups of similar rows, how sure that is, and what they rest on."""

from itertools import compress
from typing import Any

from untie._engines.registry import open_table
from untie._inputs import as_fitted, learned_order
from untie._learn.selection.choose_k import TooFewRowsError
from untie._learn.selection.k_choice import KChoice, Verdict
from untie.clusterer import TableClusterer
from untie.encoder import TableEncoder
from untie.explain._cluster_stability import cluster_stability
from untie.k_choice import choose_k


def verdict(model: Any, data: Any, *, sample_weight: Any = None, random_state: Any = 0) -> Verdict:
    """Tell whether the clusters of a table are really there, and how sure that is.

    The evidence is that of :func:`untie.choose_k`, for the number that was chosen or asked for; and
    that of `cluster_stability`, for each cluster.

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
        `found`, `rests_on`, `repeats` and `weak` are what they say.

    See Also
    --------
    cluster_stability : How well each cluster comes back.
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
    fitted = as_fitted(model)
    clusterer, encoder = fitted.clusters, fitted.encoder
    rows, weights = fitted.counted(data, sample_weight)
    given = {"sample_weight": weights, "random_state": random_state}
    stability = None
    if clusterer.n_clusters_ > 1 and not open_table(rows).is_lazy:
        stability = cluster_stability(clusterer, rows, **given)
    names = encoder.vocabulary_.columns
    has_order = [learned_order(encoder, place) is not None for place in range(len(names))]
    return Verdict(
        clusterer.n_clusters_,
        clusterer.n_clusters != "auto",
        _evidence(clusterer, encoder, rows, given),
        stability,
        tuple(compress(names, has_order)),
        tuple(compress(names, encoder._model.unlearned)),
        encoder._model.counts.n_draws,
    )


def _evidence(
    clusterer: TableClusterer, encoder: TableEncoder, rows: Any, given: dict[str, Any]
) -> KChoice | None:
    """Return how good the number of clusters is, if there are rows enough to tell."""
    if clusterer.k_choice_ is not None or clusterer.n_clusters_ == 1:
        return clusterer.k_choice_
    try:
        return choose_k(encoder, rows, [clusterer.n_clusters_], **given)
    except TooFewRowsError:
        return None
