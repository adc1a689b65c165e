import numpy as np
import pytest

from untie import TableEncoder, baselines
from untie._count import pairwise
from untie._count.pairwise import sum_pairwise

WIDTHS = (3, 2, 9, 4, 70, 1)


def draw(n_rows, seed):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, width, n_rows).astype(np.uint8) for width in WIDTHS]


def draw_tables(symmetric=True):
    rng = np.random.default_rng(7)
    tables = [rng.random((width, width)) for width in WIDTHS]
    return [table + table.T for table in tables] if symmetric else tables


def slow(tables, left, right):
    result = np.zeros((len(left[0]), len(right[0])))
    for i in range(len(left[0])):
        for j in range(len(right[0])):
            result[i, j] = sum(
                table[a[i], b[j]] for table, a, b in zip(tables, left, right, strict=True)
            )
    return result


@pytest.mark.parametrize(("n_left", "n_right"), [(30, 11), (11, 30), (1, 1), (0, 5), (5, 0)])
@pytest.mark.parametrize("symmetric", [True, False])
def test_as_defined(n_left, n_right, symmetric):
    tables, left, right = draw_tables(symmetric), draw(n_left, 0), draw(n_right, 1)
    result = sum_pairwise(tables, left, right)
    assert result.shape == (n_left, n_right)
    np.testing.assert_allclose(result, slow(tables, left, right), rtol=1e-13)


@pytest.mark.parametrize("symmetric", [True, False])
def test_within_one_table(symmetric):
    tables, left = draw_tables(symmetric), draw(40, 0)
    result = sum_pairwise(tables, left)
    np.testing.assert_allclose(result, slow(tables, left, left), rtol=1e-13)
    np.testing.assert_array_equal(result, sum_pairwise(tables, left, left))
    assert np.array_equal(result, result.T) == symmetric


def test_same_bits_whatever_the_blocks(monkeypatch):
    tables, left, right = draw_tables(), draw(50, 0), draw(23, 1)
    whole, within = sum_pairwise(tables, left, right), sum_pairwise(tables, left)
    monkeypatch.setattr(pairwise, "BLOCK_ROWS", 7)
    monkeypatch.setattr(pairwise, "BLOCK_COLUMNS", 3)
    np.testing.assert_array_equal(sum_pairwise(tables, left, right), whole)
    np.testing.assert_array_equal(sum_pairwise(tables, left), within)
    some = [column[5:9] for column in left]
    np.testing.assert_array_equal(sum_pairwise(tables, some, right), whole[5:9])
    np.testing.assert_array_equal(sum_pairwise(tables, right, some), whole[5:9].T)


def test_pairs_that_fill_memory_are_refused_before_it_is_taken():
    rows = np.array([["a", "x"], ["b", "y"], ["a", "y"]] * 40_000, dtype=object)
    few = rows[:3]
    message = "All pairs of 120,000 and 120,000 rows would take 107.3 GiB .limit 4.. Pass fewer"
    encoder = TableEncoder(2, preparer=None).fit(rows)
    distances = [baselines.Hamming().fit(few), baselines.DILCA().fit(few), baselines.COS().fit(few)]
    asked = [encoder.similarity, distances[-1].similarity, *(d.pairwise for d in distances)]
    for ask in asked:
        for pair in ([rows], [rows, rows]):
            with pytest.raises(ValueError, match=message):
                ask(*pair)
        assert ask(few, rows[:100]).shape == (3, 100)
