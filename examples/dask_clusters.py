"""Clusters and neighbors of a Dask frame, one partition in memory at a time.

Needs ``pip install 'untie-learn[dask]'``. Scikit-learn's MiniBatchKMeans learns from one partition
after the other; labels and the nearest rows are then found by the workers.
"""

from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans, MiniBatchKMeans

from untie import TableEncoder
from untie.datasets import load


def cluster(
    vectors: dd.DataFrame, n_clusters: int, n_epochs: int = 3, sample: float = 0.1
) -> dd.Series:
    """Return the cluster of each row, lazily.

    K-means starts from the clusters of a sample: a partition may have rows of one kind alone.
    """
    some = vectors.sample(frac=sample, random_state=0).compute().to_numpy()
    starts = KMeans(n_clusters, n_init=10, random_state=0).fit(some).cluster_centers_
    model = MiniBatchKMeans(n_clusters, init=starts, n_init=1).partial_fit(some)
    for _ in range(n_epochs):
        for part in vectors.partitions:
            rows = part.compute().to_numpy()
            if len(rows):
                model.partial_fit(rows)
    return vectors.map_partitions(_labels, model, meta=("cluster", "int32"))


def neighbors(vectors: dd.DataFrame, row: Any, n_neighbors: int = 3) -> pd.Series:
    """Return the rows nearest to a vector, by their index, with their distances.

    Each partition sends its own nearest; the nearest of these are the nearest of all.
    """
    nearest = vectors.map_partitions(
        _nearest, np.asarray(row), n_neighbors, meta=("distance", "f8")
    )
    return nearest.compute().nsmallest(n_neighbors)


def _labels(part: pd.DataFrame, model: MiniBatchKMeans) -> pd.Series:
    labels = model.predict(part.to_numpy()) if len(part) else np.empty(0, dtype="int32")
    return pd.Series(labels, index=part.index, name="cluster", dtype="int32")


def _nearest(part: pd.DataFrame, row: Any, n_neighbors: int) -> pd.Series:
    distances = np.linalg.norm(part.to_numpy() - row, axis=1)
    return pd.Series(distances, index=part.index, name="distance").nsmallest(n_neighbors)


def main() -> None:
    """Group mushrooms and print which of them are edible, and find those most like the first."""
    mushrooms, label = load("mushroom")
    frame = dd.from_pandas(mushrooms, npartitions=4)
    vectors = TableEncoder(n_clusters=2, n_components=8).fit_transform(frame).persist()
    clusters = cluster(vectors, n_clusters=2).compute()
    print(pd.crosstab(clusters, label.to_numpy()).to_string(), "\n")
    first = vectors.head(1).to_numpy()[0]
    print(mushrooms.assign(distance=neighbors(vectors, first)).dropna().iloc[:, [0, 1, 2, -1]])


if __name__ == "__main__":
    main()
