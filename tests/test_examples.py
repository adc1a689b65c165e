import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd

from example_files import example
from untie import UNTIE


def two_kinds(n_rows):
    """Return rows of two kinds, which agree in two columns of three, one kind after the other."""
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1], n_rows // 2)
    columns = {name: [f"{name}{k}" for k in kind] for name in "AB"}
    return pd.DataFrame({**columns, "C": rng.choice(list("xyz"), n_rows)}), kind


def test_clusters_and_neighbours_of_a_dask_frame():
    recipe = example("dask_clusters")
    table, kind = two_kinds(200)
    parts = [table[:70], table[:0], table[70:150], table[150:]]
    frame = dd.from_delayed([dask.delayed(part) for part in parts], meta=table[:0])
    encoder = UNTIE(2).fit(frame)
    vectors = encoder.transform(frame)
    found = recipe.cluster(vectors, 2).compute()
    assert found.index.equals(table.index)
    assert found.tolist() in (kind.tolist(), (1 - kind).tolist())
    rows = encoder.transform(table)
    row = (rows[0] + 2 * rows[120]) / 3
    nearest = recipe.neighbours(vectors, row, 5)
    distances = np.sqrt(((rows - row) ** 2).sum(axis=1))
    np.testing.assert_allclose(nearest, np.sort(distances)[:5], atol=1e-12)
    np.testing.assert_allclose(nearest, distances[nearest.index], atol=1e-12)
