"""Clusters and neighbors of files that are larger than memory.

Needs ``pip install 'untie-learn[files]'``, and ``pip install usearch`` for approximate neighbors.
The rows are never in memory together: they are counted, transformed and labeled piece by piece.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import untie
from untie import TableClusterer, TableEncoder
from untie.datasets import load
from untie.explain import neighbors


def write_labels(clusterer: TableClusterer, source: Any, path: Path) -> None:
    """Write the cluster of each row, in the order of the rows."""
    with clusterer.predict(source) as labels, pq.ParquetWriter(path, labels.schema) as writer:
        for batch in labels:
            writer.write_batch(batch)


def build_index(encoder: TableEncoder, source: Any) -> Any:
    """Return an index of approximate neighbors; a row's key is its number.

    Vectors of few components, in single precision: 64 bytes per row for 16 of them. Distances are
    those of the components, the best that this few dimensions can have.
    """
    from usearch.index import Index

    index = Index(ndim=encoder.n_components, metric="l2sq", dtype="f32")
    start = 0
    for vectors in batches(encoder, source):
        index.add(np.arange(start, start + len(vectors), dtype=np.uint64), vectors)
        start += len(vectors)
    return index


def batches(encoder: TableEncoder, source: Any) -> Iterator[np.ndarray]:
    """Return the rows' vectors, some at a time."""
    for batch in encoder.transform(source):
        yield np.stack(batch.columns, axis=1).astype(np.float32)


def main(folder: Path = Path("large_files_out")) -> None:
    """Group mushrooms that lie in two files, and find those most like the first."""
    folder.mkdir(exist_ok=True)
    mushrooms, label = load("mushroom")
    for number, rows in enumerate((mushrooms[:3000], mushrooms[3000:])):
        pq.write_table(
            pa.Table.from_pandas(rows, preserve_index=False), folder / f"{number}.parquet"
        )
    source = untie.scan(folder / "?.parquet")

    clusterer = TableClusterer(n_clusters=2, random_state=0).fit(source)
    write_labels(clusterer, source, folder / "labels.parquet")
    clusters = pq.read_table(folder / "labels.parquet")["cluster"].to_numpy()
    for cluster in np.unique(clusters):
        shares = label[clusters == cluster].value_counts(normalize=True).round(2).to_dict()
        print(f"cluster {cluster}: {np.count_nonzero(clusters == cluster)} rows, {shares}")

    exact = neighbors(TableEncoder().fit(source), source, 0, n=5)
    print("most like row 0:", exact["position"].to_pylist())

    encoder = TableEncoder(n_components=16).fit(source)
    try:
        index = build_index(encoder, source)
    except ImportError:
        print("Approximate neighbors need usearch: pip install usearch")
        return
    found = index.search(encoder.transform(mushrooms[:1])[0].astype(np.float32), 5)
    print("most like row 0, by the index:", found.keys.tolist())


if __name__ == "__main__":
    main()
