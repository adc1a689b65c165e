"""The names of values and columns, the order of columns and that of rows decide nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tables import small_tables
from untie import UNTIE, Preparer, UNTIEClusterer, choose_k
from untie._count.canonical import canonical_order
from untie.datasets import bundled_names, load

SAMPLED = 2_000
"""Of a table with more distinct rows than this, which rows are sampled depends on names."""


def disguise(table, rng):
    """Return the table with other names and in another order, and where its rows stood."""
    names = {name: f"column {number}" for name, number in zip(table, rng.permutation(99))}
    renamed = {}
    for column in rng.permutation(list(table)):
        values = table[column].astype(object)
        kinds = values.dropna().unique()
        words = [f"{chr(97 + place % 26)}{place}" for place in rng.permutation(len(kinds))]
        renamed[names[column]] = values.map(dict(zip(kinds, words)))
    rows = rng.permutation(len(table))
    return pd.DataFrame(renamed).iloc[rows].reset_index(drop=True), rows


def is_rigid(table):
    """Tell whether rows differ by how they stand among each other: no exchange maps the table."""
    cells = table.astype(object).where(table.notna(), "missing").drop_duplicates()
    times = table.astype(object).where(table.notna(), "missing").value_counts()
    rows = {row: times[row] for row in cells.itertuples(index=False, name=None)}
    for _ in range(4):
        values = {}
        for row, colour in rows.items():
            for place, value in enumerate(row):
                values.setdefault((place, value), []).append(colour)
        named = {key: hash(tuple(sorted(colours))) for key, colours in values.items()}
        rows = {
            row: hash((colour, tuple(sorted(named[place, v] for place, v in enumerate(row)))))
            for row, colour in rows.items()
        }
    return len(set(rows.values())) == len(rows)


def assert_same_partition(first, second):
    """Compare labels; numbers of equally large clusters too, as rows decide them."""
    np.testing.assert_array_equal(first, second)


def assert_same_fit(first, second, table, other, rows, rigid):
    """Compare clusterers of a table and of the same in disguise."""
    assert first.n_clusters_ == second.n_clusters_
    assert_same_encoder(first.encoder_, second.encoder_, table, other, rows)
    scale = max(1.0, first.inertia_)
    assert first.inertia_ == pytest.approx(second.inertia_, abs=1e-9 * scale)
    if rigid:
        np.testing.assert_array_equal(first.labels_[rows], second.labels_)
    sizes, others = np.bincount(first.labels_), np.bincount(second.labels_)
    np.testing.assert_array_equal(np.sort(sizes), np.sort(others))


def assert_same_encoder(first, second, table, other, rows):
    assert list(first.gains_) == list(second.gains_)
    np.testing.assert_allclose(
        list(first.gains_.values()), list(second.gains_.values()), rtol=0, atol=1e-8
    )
    S, T = first.similarity(table)[np.ix_(rows, rows)], second.similarity(other)
    np.testing.assert_allclose(T, S, rtol=0, atol=1e-9 * max(1.0, np.abs(S).max()))


def small_sets():
    return [name for name in bundled_names() if len(load(name)[0].drop_duplicates()) <= SAMPLED]


@pytest.mark.parametrize("name", small_sets())
@pytest.mark.parametrize("n_clusters", [4, "auto"])
def test_a_data_set_in_disguise_has_the_same_clusters(name, n_clusters):
    table, _ = load(name)
    first = UNTIEClusterer(n_clusters, random_state=0).fit(table)
    for seed in range(2):
        other, rows = disguise(table, np.random.default_rng(seed))
        second = UNTIEClusterer(n_clusters, random_state=0).fit(other)
        assert_same_fit(first, second, table, other, rows, is_rigid(table))


@pytest.mark.parametrize("name", small_sets())
def test_a_data_set_in_disguise_has_the_same_vectors(name):
    table, _ = load(name)
    other, rows = disguise(table, np.random.default_rng(1))
    first, second = UNTIE().fit(table), UNTIE().fit(other)
    assert first.n_clusters_ == second.n_clusters_
    assert_same_encoder(first, second, table, other, rows)
    np.testing.assert_allclose(
        choose_k(first, table).score, choose_k(second, other).score, atol=1e-8
    )
