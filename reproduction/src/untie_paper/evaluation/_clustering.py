"""How well clusters agree with known classes.

Every score is computed from the contingency table of the classes and the clusters, kept
sparse: memory grows with the number of objects, not with its square.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn import metrics

from untie_paper.evaluation._labels import Labels, read_label_pair
from untie_paper.evaluation._matching import Contingency, Integers, best_matching, contingency


def clustering_f_score(y_true: Any, labels: Any) -> float:
    """Return the macro F1 after matching each cluster to at most one class.

    The matching is one to one and maximises the number of objects whose cluster is matched to
    their class; among matchings that are equal in this, the one with the highest F counts, so
    that the score depends neither on names nor on their order. A class without a cluster has
    F1 = 0; the objects of a cluster without a class are wrong.

    Parameters
    ----------
    y_true : array-like of shape (n_objects,)
        The class of each object, of any type.
    labels : array-like of shape (n_objects,)
        The cluster of each object, of any type.

    Returns
    -------
    float
        The mean F1 of the classes, in [0, 1].

    See Also
    --------
    clustering_scores : All scores at once, for little more time.

    Examples
    --------
    >>> clustering_f_score(["low", "low", "low", "low", "high", "high"], [0, 0, 0, 1, 0, 1])
    0.625
    """
    table = contingency(*read_label_pair(y_true, labels))
    return best_matching(table)[1]


def clustering_accuracy(y_true: Any, labels: Any) -> float:
    """Return the largest share of objects that a one-to-one matching gets right.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_objects,)
        The class and the cluster of each object.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 1, 0])
    0.75
    """
    table = contingency(*read_label_pair(y_true, labels))
    return best_matching(table)[0]


def purity(y_true: Any, labels: Any) -> float:
    """Return the share of objects that are of the largest class of their cluster.

    Clusters of one object each have purity 1: compare equal numbers of clusters.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_objects,)
        The class and the cluster of each object.

    Returns
    -------
    float
        In (0, 1].

    Examples
    --------
    >>> purity(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    table = contingency(*read_label_pair(y_true, labels))
    return _purity(table)


def best_match_f_score(y_true: Any, labels: Any) -> float:
    """Return the mean over classes, weighted by size, of the F1 of the best cluster for each.

    One cluster may be the best for several classes.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_objects,)
        The class and the cluster of each object.

    Returns
    -------
    float
        In (0, 1].

    Examples
    --------
    >>> round(best_match_f_score(["a", "a", "b", "b"], [0, 0, 0, 1]), 4)
    0.7333
    """
    table = contingency(*read_label_pair(y_true, labels))
    return _best_match(table)


def pairwise_f_score(y_true: Any, labels: Any) -> float:
    """Return the F1 of "the two are in one cluster" as a guess of "the two are of one class".

    Over all pairs of objects. Where neither a class nor a cluster has two objects, the two agree
    and the score is 1.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_objects,)
        The class and the cluster of each object.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> pairwise_f_score(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.4
    """
    table = contingency(*read_label_pair(y_true, labels))
    return _pairwise(table)[2]


def normalized_mutual_information(y_true: Any, labels: Any) -> float:
    """Return the mutual information divided by the mean of the two entropies.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_objects,)
        The class and the cluster of each object.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> normalized_mutual_information(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    """
    return _nmi(*read_label_pair(y_true, labels))


def adjusted_rand_index(y_true: Any, labels: Any) -> float:
    """Return the Rand index, adjusted so that random clusters have 0 on average.

    It is the one score here that may be negative.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_objects,)
        The class and the cluster of each object.

    Returns
    -------
    float
        From -0.5 to 1.

    Examples
    --------
    >>> adjusted_rand_index(["a", "a", "b", "b"], [0, 1, 0, 1])
    -0.5
    """
    return float(metrics.adjusted_rand_score(*read_label_pair(y_true, labels)))


def clustering_scores(y_true: Any, labels: Any) -> dict[str, float]:
    """Return all scores of a clustering by name.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_objects,)
        The class and the cluster of each object.

    Returns
    -------
    dict
        ``f_score``, ``accuracy``, ``pairwise_f_score``, ``pairwise_precision``,
        ``pairwise_recall``, ``best_match_f_score``, ``purity``, ``nmi``, ``ari`` and ``rand``.

    Examples
    --------
    >>> scores = clustering_scores(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> scores["accuracy"], scores["rand"], scores["ari"]
    (0.75, 0.5, 0.0)
    """
    classes, clusters = read_label_pair(y_true, labels)
    table = contingency(classes, clusters)
    accuracy, f_score = best_matching(table)
    precision, recall, pairwise = _pairwise(table)
    return {
        "f_score": f_score,
        "accuracy": accuracy,
        "pairwise_f_score": pairwise,
        "pairwise_precision": precision,
        "pairwise_recall": recall,
        "best_match_f_score": _best_match(table),
        "purity": _purity(table),
        "nmi": _nmi(classes, clusters),
        "ari": float(metrics.adjusted_rand_score(classes, clusters)),
        "rand": float(metrics.rand_score(classes, clusters)),
    }


def _purity(table: Contingency) -> float:
    largest = np.zeros_like(table.cluster_sizes)
    np.maximum.at(largest, table.clusters, table.shared)
    return int(largest.sum()) / table.n


def _best_match(table: Contingency) -> float:
    best = np.zeros(len(table.class_sizes))
    np.maximum.at(best, table.classes, table.f_scores)
    return math.fsum(best * table.class_sizes) / table.n


def _pairwise(table: Contingency) -> tuple[float, float, float]:
    """Return precision, recall and F1 over pairs of objects; all 1 if no two are together."""
    together = _n_pairs(table.shared)
    in_clusters, in_classes = _n_pairs(table.cluster_sizes), _n_pairs(table.class_sizes)
    if not in_clusters + in_classes:
        return 1.0, 1.0, 1.0
    precision = together / in_clusters if in_clusters else 0.0
    recall = together / in_classes if in_classes else 0.0
    return precision, recall, 2 * together / (in_clusters + in_classes)


def _n_pairs(sizes: Integers) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _nmi(classes: Labels, clusters: Labels) -> float:
    score = metrics.normalized_mutual_info_score(classes, clusters, average_method="arithmetic")
    return min(1.0, max(0.0, float(score)))
