"""Exact neighbors of 1,000 rows among the rows of Parquet files, and what else could be done.

Beside `untie.explain.neighbors` over `untie.scan`: a matrix product in single precision of as many
rows and queries, block by block, with vectors that are in memory already; the same with the nearest
kept; and approximate indices (usearch) of short vectors: how long they take to build and to ask,
and how many of the exact neighbors they find. Competitors take turns, the best round counts; what
takes more than 15 seconds is timed once. ``--rows 1e6`` is a short run; ``--no-index`` leaves the
indices out, which take minutes to build for 10^7 rows.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import untie
from _parquet_tables import write_table
from _timing import best_times, peak_memory, print_table, print_verdict
from scale import SIZES
from untie import TableEncoder
from untie.explain import neighbors

N_QUERIES = 1000
N = 10
"""Neighbors of each."""

BLOCK_ROWS, BLOCKS = 2**13, 12
"""The product has this many rows at a time, and takes turns among this many blocks of them."""

COMPONENTS = (16, 64)
"""Dimensions of the vectors in an index."""

CANDIDATES = (10, 100)
"""How many rows the index is asked for; the nearest of them by the exact distance are kept."""

MOST_TIMES = 2.0
"""The search may take at most this many times as long as the product."""

FloatArray = NDArray[np.float32]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10**7)
    parser.add_argument("--no-index", action="store_true", help="leave the index out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_table(folder, options.rows, SIZES)
        prepare(folder)
        compare(folder, options.rows)
        if not options.no_index:
            approximate(folder)


def prepare(folder: Path) -> None:
    """Leave a model and the queries beside the files."""
    source = untie.scan(folder / "0*.parquet")
    TableEncoder(preparer=None).fit(source).save(folder / "model.untie")
    rows = pq.read_table(folder / "00000.parquet")
    rng = np.random.default_rng(0)
    cells = {}
    for column in rows.column_names:  # each cell from another row, so that few are in the table
        places = rng.integers(0, len(rows), N_QUERIES)
        cells[column] = rows[column].take(pa.array(places))
    pq.write_table(pa.table(cells), folder / "queries.parquet")


def compare(folder: Path, n_rows: int) -> None:
    """Print the times of the search and of the product."""
    vectors, queries = some_vectors(folder)
    work = {
        "product": partial(multiply, vectors, queries, n_rows, False),
        "product, nearest kept": partial(multiply, vectors, queries, n_rows, True),
        "neighbors": partial(search, folder),
    }
    times = best_times(work, repeats=2, patience=15.0)
    peak, _ = peak_memory(warm, search, folder)
    read = best_times({"read": partial(read_rows, folder)}, repeats=2)["read"]
    own, plain, kept = times["neighbors"], times["product"], times["product, nearest kept"]
    header = ["rows", "dimensions", "product (s)", "product, nearest kept (s)", "neighbors (s)"]
    header += ["/ product", "/ nearest kept", "of it reading and coding (s)", "peak (MiB)"]
    cells = [f"{n_rows:,}", vectors.shape[1], plain, kept, own, own / plain, own / kept]
    print_table(header, [[*cells, read, peak / 2**20]])
    print_verdict(f"{n_rows:,} rows: neighbors / product", own / plain, MOST_TIMES)
    print()


def some_vectors(folder: Path) -> tuple[FloatArray, FloatArray]:
    """Return vectors of some blocks of rows, and those of the queries, in single precision.

    With one more dimension, which makes the product larger for nearer rows.
    """
    encoder = untie.load_model(folder / "model.untie")
    rows = pq.read_table(folder / "00000.parquet").slice(0, BLOCKS * BLOCK_ROWS)
    queries = pq.read_table(folder / "queries.parquet")
    vectors, others = (np.asarray(encoder.transform(table)) for table in (rows, queries))
    vectors = np.column_stack([vectors, -0.5 * np.square(vectors).sum(axis=1)])
    others = np.column_stack([others, np.ones(len(others))])
    return vectors.astype(np.float32), others.astype(np.float32)


def multiply(vectors: FloatArray, queries: FloatArray, n_rows: int, keep: bool) -> None:
    """Multiply blocks of rows with the queries, again and again; keep the nearest, if asked to."""
    products = np.empty((len(queries), BLOCK_ROWS), dtype=np.float32)
    best = np.full((len(queries), N), -np.inf, dtype=np.float32)
    places = np.zeros((len(queries), N), dtype=np.int64)
    for start in range(0, n_rows, BLOCK_ROWS):
        place = start % (len(vectors) - BLOCK_ROWS + 1)
        np.matmul(queries, vectors[place : place + BLOCK_ROWS].T, out=products)
        if keep:  # few queries have a row in the block that is nearer than their last
            some = np.flatnonzero(products.max(axis=1) > best.min(axis=1))
            found = np.argpartition(products[some], -N, axis=1)[:, -N:]
            values = np.hstack([best[some], np.take_along_axis(products[some], found, axis=1)])
            chosen = np.argpartition(values, -N, axis=1)[:, -N:]
            best[some] = np.take_along_axis(values, chosen, axis=1)
            both = np.hstack([places[some], start + found])
            places[some] = np.take_along_axis(both, chosen, axis=1)


def search(folder: Path) -> Any:
    """Return the exact neighbors of the queries."""
    encoder = untie.load_model(folder / "model.untie")
    queries = pq.read_table(folder / "queries.parquet")
    return neighbors(encoder, untie.scan(folder / "0*.parquet"), queries, n=N)


def read_rows(folder: Path) -> None:
    """Read and code all rows, as the search does."""
    encoder = untie.load_model(folder / "model.untie")
    for piece in untie.scan(folder / "0*.parquet").pieces():
        encoder._codes(piece)


def warm(folder: Path) -> Path:
    """Load the libraries."""
    rows = pq.read_table(folder / "queries.parquet")
    neighbors(untie.load_model(folder / "model.untie"), rows, 0)
    return folder


def approximate(folder: Path) -> None:
    """Print the times of indices, and how many of the exact neighbors they find."""
    exact = np.asarray(search(folder)["distance"]).reshape(N_QUERIES, N)
    queries = pq.read_table(folder / "queries.parquet")
    lines = []
    for n_components in COMPONENTS:
        source = untie.scan(folder / "0*.parquet")
        encoder = TableEncoder(n_components=n_components, preparer=None).fit(source)
        start = time.perf_counter()
        index = build_index(encoder, source)
        built = time.perf_counter() - start
        asked = np.asarray(encoder.transform(queries)).astype(np.float32)
        for n in CANDIDATES:
            start = time.perf_counter()
            keys = np.asarray(index.search(asked, n).keys)
            seconds = time.perf_counter() - start
            size = index.memory_usage / 2**20
            lines.append([n_components, n, built, size, seconds, recall(folder, keys, exact)])
    header = ["dimensions", "candidates", "built (s)", "index (MiB)", "asked (s)", f"recall@{N}"]
    print_table(header, lines)


def build_index(encoder: TableEncoder, source: Any) -> Any:
    """Return an index of the rows' vectors; a row's key is its position."""
    from usearch.index import Index

    index = Index(ndim=encoder.n_components, metric="l2sq", dtype="f32")
    start = 0
    for batch in encoder.transform(source):
        vectors = np.stack(batch.columns, axis=1).astype(np.float32)
        index.add(np.arange(start, start + len(vectors), dtype=np.uint64), vectors)
        start += len(vectors)
    return index


def recall(folder: Path, keys: NDArray[Any], exact: NDArray[np.float64]) -> float:
    """Return how many of the neighbors are among the rows with these keys.

    A row that is as near as the last of the exact neighbors is as good: which of equally near rows
    comes first says nothing.

    Parameters
    ----------
    folder : path
        With the files.
    keys : integer array of shape (N_QUERIES, n_candidates)
        Positions of rows.
    exact : array of shape (N_QUERIES, N)
        Distances of the exact neighbors.
    """
    encoder = untie.load_model(folder / "model.untie")
    queries = np.asarray(encoder.transform(pq.read_table(folder / "queries.parquet")))
    paths = sorted(folder.glob("0*.parquet"))
    rows = pq.read_table(paths, read_dictionary=pq.read_schema(paths[0]).names)
    found = 0
    for query, own, distances in zip(queries, keys, exact, strict=True):
        vectors = np.asarray(encoder.transform(rows.take(pa.array(own))))
        near = np.linalg.norm(vectors - query, axis=1) <= distances[-1] * (1 + 1e-9) + 1e-12
        found += min(N, int(near.sum()))
    return found / exact.size


if __name__ == "__main__":
    main()
