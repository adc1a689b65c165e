"""A cell of the clustering experiments: a table, a method, its clusters and how good they are.

Vectors are clustered by k-means and distances by k-modes (random rows as first modes, most frequent
values as modes), each from several starts, of which the cheapest counts. The classes give the
number of clusters and the scores, nothing else. The seed is that of the encoder and of the starts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from untie.cluster import KModes, LatentClasses
from untie_paper.datasets import load
from untie_paper.evaluation import category_utility, clustering_scores, conditional_entropy
from untie_paper.fitted import quietly_fitted
from untie_paper.methods import DEEP, DISTANCES, ENCODERS, limit_steps
from untie_paper.run.experiment import Cell
from untie_paper.weighted_k_means import k_means

LATENT = "Latent classes"
"""The one method that is neither vectors nor a distance: each row's most probable class."""


class Clustering(NamedTuple):
    """The cluster of each row, and what the method made as small as it could."""

    labels: NDArray[Any]
    cost: float


def cluster(dataset: str, method: str, seed: int, n_restarts: int, max_steps: int = 0) -> Cell:
    """Cluster a data set by a method; scores are times 100.

    Parameters
    ----------
    dataset : str
        A name of `untie_paper.datasets`.
    method : str
        A key of `ENCODERS` or `DISTANCES`.
    seed : int
        For the encoder and the starts of the clusters.
    n_restarts : int
        Number of starts.
    max_steps : int, default=0
        Batches that a deep encoder may learn from; 0 is no limit.

    Examples
    --------
    >>> cell = cluster("zoo", "Hamming", seed=0, n_restarts=2)
    >>> sorted(cell)
    ['accuracy', 'ari', 'category_utility', 'conditional_entropy', 'cost', 'f_score', 'nmi']
    """
    X, y = load(dataset)
    found = partition(X, y.nunique(), method, seed, n_restarts, max_steps)
    return judge(X, y, found)


def partition(
    X: Any, k: int, method: str, seed: int, n_restarts: int, max_steps: int = 0
) -> Clustering:
    """Return the clusters that a method finds in a table, and their cost."""
    if method in DISTANCES:
        modes = KModes(
            k, distance=DISTANCES[method](), init="random", n_init=n_restarts, random_state=seed
        ).fit(X)
        return Clustering(modes.labels_, float(modes.cost_))
    if method == LATENT:
        classes = LatentClasses(k, n_init=n_restarts, random_state=seed).fit(X)
        return Clustering(classes.predict(X), -float(classes.log_likelihood_))
    encoder = ENCODERS[method](k, seed)
    if method in DEEP and max_steps:
        limit_steps(encoder, len(X), max_steps)
    return Clustering(*k_means(quietly_fitted(encoder, X).transform(X), k, seed, n_restarts))


def judge(X: Any, y: Any, found: Clustering) -> Cell:
    """Return the scores of a partition, with and without the classes, and its cost."""
    scores = clustering_scores(y, found.labels)
    measures = {name: 100 * scores[name] for name in ("f_score", "accuracy", "nmi", "ari")}
    return {
        **measures,
        "category_utility": category_utility(X, found.labels),
        "conditional_entropy": conditional_entropy(X, found.labels),
        "cost": found.cost,
    }
