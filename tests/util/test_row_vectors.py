"""Rows that are looked up do what rows in one array do."""

import numpy as np
import pytest

from untie._util.k_means import LookedUpRows, WholeRows, best_labels


def looked_up(seed, n_rows=40, sizes=(3, 7, 1), widths=(2, 9, 4)):
    draws = np.random.default_rng(seed)
    tables = [draws.normal(size=shape) for shape in zip(sizes, widths, strict=True)]
    return LookedUpRows(tables, [draws.integers(0, size, n_rows) for size in sizes])


def slow_array(rows):
    return np.array(
        [
            np.concatenate(
                [table[code] for table, code in zip(rows.tables, codes, strict=True)]
            ).tolist()
            for codes in zip(*rows.codes, strict=True)
        ]
    )


@pytest.mark.parametrize("seed", range(3))
def test_they_are_the_same_as_in_one_array(seed):
    rows = looked_up(seed)
    array = slow_array(rows)
    draws = np.random.default_rng(seed)
    weights, members = draws.random(40), draws.random((5, 40))
    sides = draws.normal(size=(6, array.shape[1] + 1))
    numbers = draws.integers(0, 40, (2, 3))
    centered = array - np.average(array, axis=0, weights=weights)
    for found in (rows.less_mean(weights), WholeRows.of(array, weights)):
        assert found.shape == array.shape
        np.testing.assert_allclose(found.some(numbers), centered[numbers], atol=1e-12)
        np.testing.assert_allclose(found.squares(), (centered**2).sum(axis=1))
        expected = sides[:, :-1] @ centered.T + sides[:, -1:]
        np.testing.assert_allclose(found.products(sides), expected, atol=1e-12)
        sums = found.sums(members)
        np.testing.assert_allclose(sums[:, :-1], members @ centered, atol=1e-12)
        np.testing.assert_allclose(sums[:, -1], members.sum(axis=1))


@pytest.mark.parametrize("seed", range(5))
def test_k_means_finds_the_same_clusters(seed):
    """With equal rows and many ties: few codes, and vectors of whole numbers."""
    rows = looked_up(seed, n_rows=200, sizes=(3, 2, 4), widths=(2, 2, 3))
    rows = LookedUpRows([np.rint(table) for table in rows.tables], rows.codes)
    weights = np.random.default_rng(seed).integers(1, 4, 200).astype(float)
    given = (weights, 3, 7)
    found = best_labels(rows, *given, np.random.RandomState(seed))
    expected = best_labels(slow_array(rows), *given, np.random.RandomState(seed))
    np.testing.assert_array_equal(found, expected)
