import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import slow_counts
from tables import small_tables
from untie import count_table
from untie._count.counts import count, count_values

CODES = [np.array([0, 1, 1, 2, 0, 2]), np.array([0, 0, 1, 1, 1, 2])]
SIZES = (3, 2)  # the last code of the second attribute is unknown


def assert_same(one, other):
    assert one.sizes == other.sizes
    assert one.n == other.n
    assert one.n_rows == other.n_rows
    np.testing.assert_array_equal(one.matrix, other.matrix)


def part(codes, rows):
    return [column[rows] for column in codes]


def test_counts_and_their_parts():
    counts = count(CODES, SIZES)
    np.testing.assert_array_equal(counts.matrix, slow_counts(CODES, SIZES))
    assert counts.n == 6
    assert counts.n_rows == 6
    assert counts.frequencies.tolist() == [2, 2, 2, 2, 3]
    assert counts.offsets.tolist() == [0, 3, 5]
    assert counts.span(1) == slice(3, 5)
    assert counts.block(0, 1).tolist() == [[1, 1], [1, 1], [0, 1]]
    np.testing.assert_array_equal(counts.block(1, 0), counts.block(0, 1).T)


def test_weights_are_sums():
    weights = np.array([0.5, 2, 0, 1, 1, 3])
    counts = count(CODES, SIZES, weights)
    np.testing.assert_allclose(counts.matrix, slow_counts(CODES, SIZES, weights), rtol=1e-15)
    assert counts.n == 7.5
    assert isinstance(counts.n, float)


@given(st.lists(st.integers(0, 5), min_size=6, max_size=6))
def test_whole_weights_are_repetitions(weights):
    by_weight = count(CODES, SIZES, np.array(weights, dtype=float))
    by_rows = count(part(CODES, np.repeat(np.arange(6), weights)), SIZES)
    np.testing.assert_array_equal(by_weight.matrix, by_rows.matrix)
    assert by_weight.n == by_rows.n


@given(st.integers(0, 6), st.integers(0, 6))
def test_chunks_add_up_exactly(first, second):
    start, stop = sorted((first, second))
    chunks = [slice(0, start), slice(start, stop), slice(stop, 6)]
    a, b, c = (count(part(CODES, chunk), SIZES) for chunk in chunks)
    whole = count(CODES, SIZES)
    assert_same((a + b) + c, whole)
    assert_same(c + (b + a), whole)


def test_adding_leaves_the_parts_alone():
    one, other = count(part(CODES, slice(3)), SIZES), count(part(CODES, slice(3, 6)), SIZES)
    before = one.matrix.copy()
    _ = one + other
    np.testing.assert_array_equal(one.matrix, before)


def test_counts_of_other_sizes_do_not_add():
    with pytest.raises(ValueError, match=r"different vocabularies: \(3, 2\) and \(3, 3\)"):
        count(CODES, SIZES) + count(CODES, (3, 3))
    for counted in (count(CODES, SIZES), count_table([["a"]])):
        with pytest.raises(TypeError, match="unsupported operand"):
            counted + 1


def test_relabel_moves_and_merges_values():
    targets = [np.array([3, 0, 3]), np.array([1, 0])]
    relabeled = count(CODES, SIZES).relabel(targets, (4, 2))
    # Unknown cells stay unknown: one past the last of the new codes.
    new_codes = [np.append(t, s)[c] for t, s, c in zip(targets, (4, 2), CODES, strict=True)]
    assert_same(relabeled, count(new_codes, (4, 2)))


@given(small_tables(max_rows=14), st.data())
def test_tables_with_other_vocabularies_add_up(table, data):
    cut = data.draw(st.integers(1, max(1, len(table) - 1)))
    chunks = [chunk for chunk in (table.iloc[:cut], table.iloc[cut:]) if len(chunk)]
    total = count_table(chunks[-1])
    for chunk in chunks[:-1]:
        total = total + count_table(chunk)
    whole = count_table(table)
    assert total.vocabulary == whole.vocabulary
    assert_same(total.counts, whole.counts)


def test_values_seen_by_one_chunk_alone():
    one = count_table([["a", 1], ["b", None]])
    other = count_table([["c", "1"], ["a", None]])
    total = one + other
    assert total.vocabulary.values == (("a", "b", "c"), (1, "1", None))
    assert total.counts.block(0, 1).tolist() == [[1, 0, 1], [0, 0, 1], [0, 1, 0]]


def test_tables_with_other_columns_do_not_add():
    # The same values, so that only the names tell that these are other attributes.
    one = count_table(pd.DataFrame({"A": ["x"], "B": ["x"]}))
    other = count_table(pd.DataFrame({"B": ["x"], "A": ["x"]}))
    with pytest.raises(ValueError, match=r"columns differ: \('A', 'B'\) and \('B', 'A'\)"):
        one + other


def test_given_categories_keep_their_order_when_added():
    chunks = [count_table([[value]], categories=[["b", "a"]]) for value in "aab"]
    total = chunks[0] + chunks[1] + chunks[2]
    assert total.vocabulary.values == (("b", "a"),)
    assert total.counts.frequencies.tolist() == [1, 2]


def test_values_without_their_pairs():
    singles, pairs = count_values(CODES, SIZES), count(CODES, SIZES)
    assert pairs.has_pairs
    assert not singles.has_pairs
    assert_same(singles, pairs.without_pairs())
    assert singles.frequencies.tolist() == pairs.frequencies.tolist() == [2, 2, 2, 2, 3]
    targets = [np.array([3, 0, 3]), np.array([1, 0])]
    assert_same(singles.relabel(targets, (4, 2)), pairs.relabel(targets, (4, 2)).without_pairs())
    assert_same(singles + singles, (pairs + pairs).without_pairs())


@given(small_tables(max_rows=14), st.data())
def test_tables_of_many_values_add_up_without_pairs(table, data):
    cut = data.draw(st.integers(1, max(1, len(table) - 1)))
    chunks = [chunk for chunk in (table.iloc[:cut], table.iloc[cut:]) if len(chunk)]
    whole = count_table(table)
    n_values = sum(whole.vocabulary.sizes)
    for most_values in (n_values - 1, n_values):
        total = count_table(chunks[0])
        for chunk in chunks[1:]:
            total = total.plus(count_table(chunk), most_values)
        if len(chunks) > 1:
            expected = whole.without_pairs() if most_values < n_values else whole
            assert_same(total.counts, expected.counts)
            assert total.vocabulary == whole.vocabulary
            np.testing.assert_array_equal(total.sample.codes, whole.sample.codes)
