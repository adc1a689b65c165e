"""Classes and clusters -> the objects they share, and the best matching of one to the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie_paper.arrays import FloatArray
from untie_paper.evaluation._labels import Labels

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Contingency:
    """Objects that a class and a cluster share: one entry for each pair that shares any."""

    classes: Integers
    clusters: Integers
    shared: Integers
    class_sizes: Integers
    cluster_sizes: Integers

    @property
    def n(self) -> int:
        """Number of objects."""
        return int(self.class_sizes.sum())

    @property
    def f_scores(self) -> FloatArray:
        """F1 of each pair of a class and a cluster."""
        sizes = self.class_sizes[self.classes] + self.cluster_sizes[self.clusters]
        return 2.0 * self.shared / sizes


def contingency(classes: Labels, clusters: Labels) -> Contingency:
    """Count the objects that each class and each cluster share."""
    n_clusters = int(clusters.max()) + 1
    pairs, shared = np.unique(classes.astype(np.int64) * n_clusters + clusters, return_counts=True)
    return Contingency(
        pairs // n_clusters, pairs % n_clusters, shared, np.bincount(classes), np.bincount(clusters)
    )


def best_matching(table: Contingency) -> tuple[float, float]:
    """Return the accuracy and the macro F of the best one-to-one matching.

    The matching is found on the sparse table, so that many labels need little memory.
    """
    n_classes, n_clusters = len(table.class_sizes), len(table.cluster_sizes)
    # The F of all matches together is worth less than one object, so it decides only between
    # matchings with equally many objects.
    worth = table.shared + table.f_scores / (2 * min(n_classes, n_clusters) + 2)
    # Each class may also stay without a cluster: it has a worthless one of its own. The 1 that
    # is added everywhere changes nothing but tells worthless pairs from absent ones.
    alone = np.arange(n_classes)
    places = np.append(table.classes, alone), np.append(table.clusters, n_clusters + alone)
    pairs = sparse.csr_array(
        (
            np.append(worth, np.zeros(n_classes)) + 1.0,
            # The matching of scipy 1.13 takes no wider indices.
            tuple(place.astype(np.int32) for place in places),
        ),
        shape=(n_classes, n_clusters + n_classes),
    )
    classes, clusters = sparse.csgraph.min_weight_full_bipartite_matching(pairs, maximize=True)
    wanted = classes[clusters < n_clusters] * n_clusters + clusters[clusters < n_clusters]
    is_matched = np.isin(table.classes * n_clusters + table.clusters, wanted)
    n_right = int(table.shared[is_matched].sum())
    return n_right / table.n, math.fsum(table.f_scores[is_matched]) / n_classes
