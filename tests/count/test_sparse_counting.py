import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie._count import counting, memory
from untie._count.counting import count_pairs
from untie._count.counts import Counts, count


@st.composite
def coded_tables(draw):
    sizes = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=4)))
    n_rows = draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 100)))
    codes = [rng.integers(0, size + 1, n_rows).astype(np.uint8) for size in sizes]
    weights = rng.random(n_rows) + 0.1 if draw(st.booleans()) else None
    return codes, sizes, weights


@pytest.mark.parametrize("cells_per_row", [0, 2], ids=["sorted", "histogram"])
@given(table=coded_tables())
def test_they_are_the_dense_counts(cells_per_row, table):
    codes, sizes, weights = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "CELLS_PER_ROW", cells_per_row)
        patch.setattr(counting, "HISTOGRAM_CELLS", 2**22 if cells_per_row else 0)
        found = counting.count_sparse(codes, sizes, weights)
    expected = count_pairs(codes, sizes, weights)
    np.testing.assert_allclose(found.toarray(), expected)
    assert found.has_sorted_indices
    entries = found.tocoo()
    apart = entries.row != entries.col
    assert (entries.data[apart] > 0).all()  # a pair that never occurs takes no place


def test_a_million_cells_are_sorted_and_not_formed():
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, 50_000, 1000).astype(np.uint32) for _ in range(2)]
    weights = rng.random(1000)
    for given_weights in (None, weights):
        found = counting.count_sparse(codes, (50_000, 50_000), given_weights)
        expected = {}
        for place, pair in enumerate(zip(*codes, strict=True)):
            expected[pair] = expected.get(pair, 0) + (
                1 if given_weights is None else weights[place]
            )
        assert found.nnz <= 100_000 + 2 * len(expected)
        for (first, second), total in list(expected.items())[:200]:
            assert found[first, 50_000 + second] == pytest.approx(total)
            assert found[50_000 + second, first] == pytest.approx(total)


def test_counts_have_one_form_for_one_table(monkeypatch):
    codes = [np.array([0, 1, 2]), np.array([0, 0, 1])]
    dense = count(codes, (3, 2))
    monkeypatch.setattr(memory, "DENSE_VALUES", 4)
    monkeypatch.setattr(memory, "FULL_VALUES", 4)
    found = count(codes, (3, 2))
    assert found.is_sparse
    assert not dense.is_sparse
    np.testing.assert_array_equal(found.dense(), dense.matrix)
    np.testing.assert_array_equal(found.frequencies, dense.frequencies)
    np.testing.assert_array_equal(found.block(0, 1), dense.block(0, 1))
    assert Counts((3, 2), dense.matrix, 3.0, 3).is_sparse
    fewer = found.relabel([np.array([0, 1, 1]), np.array([0, 1])], (2, 2))
    assert not fewer.is_sparse
    np.testing.assert_array_equal(fewer.block(0, 1), [[1, 0], [1, 1]])
    total = found + found
    assert total.is_sparse
    np.testing.assert_array_equal(total.dense(), 2 * dense.matrix)


def test_a_dense_form_that_is_too_large_is_refused():
    codes = [np.arange(40_000), np.zeros(40_000, dtype=int)]
    counts = count(codes, (40_000, 1))
    with pytest.raises(ValueError, match=r"pairs as a dense array would take 11\.9 GiB"):
        counts.dense()
    assert counts.block(0, 1).shape == (40_000, 1)
