import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import small_tables
from untie._count import packed_rows as module
from untie._count.packed_rows import PackedRows, distinct_rows, on_a_grid

WIDTHS = [3, 2, 40, 5, 1]


@pytest.fixture
def codes():
    rng = np.random.default_rng(0)
    return [rng.integers(0, min(width, 3), 60).astype(np.uint8) for width in WIDTHS]


@pytest.mark.parametrize("largest", [2**62, 7])
def test_distinct_rows(codes, largest, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_KEY", largest)
    weights = np.arange(60) + 1.0
    distinct = distinct_rows(codes, WIDTHS, weights)
    table = [tuple(row) for row in np.stack(codes, axis=1).tolist()]
    assert list(zip(*[c.tolist() for c in distinct.codes], strict=True)) == sorted(set(table))
    for number, row in enumerate(sorted(set(table))):
        where = [i for i, other in enumerate(table) if other == row]
        assert distinct.weights[number] == weights[where].sum()
        assert distinct.first[number] == where[0]
        assert (distinct.positions[where] == number).all()
    assert distinct_rows(codes, WIDTHS, None).weights.sum() == 60


@given(small_tables(), st.data())
def test_distinct_rows_as_defined(table, data):
    codes = [np.unique(table[name], return_inverse=True)[1] for name in table]
    widths = [int(column.max()) + 1 for column in codes]
    n_rows = len(table)
    weights = data.draw(st.lists(st.integers(1, 5), min_size=n_rows, max_size=n_rows))
    found = distinct_rows(codes, widths, np.array(weights, float))
    expected = {}
    for row, weight in zip(zip(*codes, strict=True), weights, strict=True):
        expected[row] = expected.get(row, 0) + weight
    assert list(zip(*found.codes, strict=True)) == sorted(expected)
    assert found.weights.tolist() == [expected[row] for row in sorted(expected)]


def test_distinct_rows_without_weights():
    codes = [np.array([1, 1, 0]), np.array([2, 2, 3])]
    found = distinct_rows(codes, [2, 4], None)
    assert np.stack(found.codes, axis=1).tolist() == [[0, 3], [1, 2]]
    assert found.weights.tolist() == [1, 2]


@pytest.mark.parametrize("cells", [1, 16, 4096])
def test_nearest_modes_and_counts(codes, cells, monkeypatch):
    monkeypatch.setattr(module, "JOINT_CELLS", cells)
    monkeypatch.setattr(module, "BLOCK_NUMBERS", 1)
    rng = np.random.default_rng(1)
    tables = on_a_grid([rng.random((width, width)) for width in WIDTHS])
    modes = np.stack([rng.integers(0, width, 4) for width in WIDTHS], axis=1)
    packed = PackedRows(codes, WIDTHS)
    expected = np.array(
        [
            [sum(t[c[i], v] for t, c, v in zip(tables, codes, mode, strict=True)) for mode in modes]
            for i in range(60)
        ]
    )
    # The grid makes sums exact, so their order does not matter.
    np.testing.assert_array_equal(packed.distances(tables, modes), expected)
    labels, distances = packed.nearest(tables, modes)
    np.testing.assert_array_equal(labels, expected.argmin(axis=1))
    np.testing.assert_array_equal(distances, expected.min(axis=1))
    weights = np.arange(60) + 1.0
    for counts, column, width in zip(packed.count(labels, 4, weights), codes, WIDTHS, strict=True):
        slow = np.zeros((4, width))
        for label, code, weight in zip(labels, column, weights, strict=True):
            slow[label, code] += weight
        np.testing.assert_array_equal(counts, slow)


def test_many_rows_need_several_blocks():
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, 3, 1000).astype(np.uint8) for _ in range(4)]
    modes = rng.integers(0, 3, (300, 4))
    tables = [1 - np.eye(3)] * 4
    expected = sum(column[:, None] != mode for column, mode in zip(codes, modes.T, strict=True))
    packed = PackedRows(codes, [3] * 4)
    np.testing.assert_array_equal(packed.distances(tables, modes), expected)
    np.testing.assert_array_equal(packed.nearest(tables, modes)[0], expected.argmin(axis=1))


def test_grid():
    tables = [np.array([[0, 1 / 3], [0.1 + 0.2, 0.3]]), np.array([[0, 5.0]])]
    first, second = on_a_grid(tables)
    np.testing.assert_allclose(first, tables[0], atol=1e-11)
    assert first[1, 0] == first[1, 1]  # 0.30000000000000004 and 0.3
    assert second.tolist() == [[0, 5]]
    zero = [np.zeros((2, 2))]
    assert not on_a_grid(zero)[0].any()
