import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq

import untie
from example_files import example
from untie import UNTIE, TableClusterer, TableEncoder


def two_kinds(n_rows):
    """Return rows of two kinds, which agree in two columns of three, one kind after the other."""
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1], n_rows // 2)
    columns = {name: [f"{name}{k}" for k in kind] for name in "AB"}
    return pd.DataFrame({**columns, "C": rng.choice(list("xyz"), n_rows)}), kind


def test_clusters_and_neighbors_of_a_dask_frame():
    recipe = example("dask_clusters")
    table, kind = two_kinds(200)
    parts = [table[:70], table[:0], table[70:150], table[150:]]
    frame = dd.from_delayed([dask.delayed(part) for part in parts], meta=table[:0])
    encoder = UNTIE(2, solver="uniform").fit(frame)  # to the default, A and B are one column
    vectors = encoder.transform(frame)
    found = recipe.cluster(vectors, 2).compute()
    assert found.index.equals(table.index)
    assert found.tolist() in (kind.tolist(), (1 - kind).tolist())
    rows = encoder.transform(table)
    row = (rows[0] + 2 * rows[120]) / 3
    nearest = recipe.neighbors(vectors, row, 5)
    distances = np.sqrt(((rows - row) ** 2).sum(axis=1))
    np.testing.assert_allclose(nearest, np.sort(distances)[:5], atol=1e-12)
    np.testing.assert_allclose(nearest, distances[nearest.index], atol=1e-12)


def test_clusters_and_neighbors_of_files(tmp_path):
    recipe = example("large_files")
    table, kind = two_kinds(200)
    for number, rows in enumerate((table[:70], table[70:])):
        rows.to_parquet(tmp_path / f"{number}.parquet")
    source = untie.scan(tmp_path / "?.parquet")
    encoder = UNTIE(solver="uniform")  # to the default, A and B are one column
    clusterer = TableClusterer(2, encoder=encoder, random_state=0, preparer=None).fit(source)
    recipe.write_labels(clusterer, source, tmp_path / "labels.parquet")
    found = pq.read_table(tmp_path / "labels.parquet")["cluster"].to_pylist()
    assert found in (kind.tolist(), (1 - kind).tolist())
    encoder = TableEncoder(2, n_components=3, preparer=None).fit(source)
    rows = encoder.transform(table)
    nearest = recipe.build_index(encoder, source).search(rows[120].astype("f4"), 10)
    distances = np.square(rows - rows[120]).sum(axis=1)
    np.testing.assert_allclose(nearest.distances, np.sort(distances)[:10], atol=1e-4)
    np.testing.assert_allclose(distances[nearest.keys], nearest.distances, atol=1e-4)
