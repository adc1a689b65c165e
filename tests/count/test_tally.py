import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import slow_counts
from tables import small_tables
from untie import UNTIE, TableEncoder, count_table
from untie._count import tally as tally_module
from untie._count.tally import CountOptions, tally_counted, tally_table
from untie._table.table import read_table
from untie._table.vocabulary import INFREQUENT

ROWS = [["a", "x"], ["b", "x"], ["a", None], ["c", "y"], ["a", "x"]]


@given(small_tables())
def test_counts_are_those_of_the_rows(table):
    counted = tally_table(read_table(table))
    values = [sorted(set(table[name])) for name in table]
    codes = [
        np.array([own.index(cell) for cell in table[name]])
        for name, own in zip(table, values, strict=True)
    ]
    sizes = tuple(len(own) for own in values)
    assert counted.grouping.raw.values == tuple(tuple(own) for own in values)
    np.testing.assert_array_equal(counted.counts.matrix, slow_counts(codes, sizes))
    np.testing.assert_array_equal(counted.rows.codes, codes)
    assert counted.rows.complete
    assert counted.rows.weights is None
    assert counted.unknown == [[] for _ in values]


@given(small_tables(), st.data())
def test_whole_weights_are_repetitions_exactly(table, data):
    n_rows = len(table)
    weights = data.draw(st.lists(st.integers(0, 4), min_size=n_rows, max_size=n_rows))
    weights[0] += 1
    by_weight = count_table(table, sample_weight=weights)
    by_rows = count_table(table.loc[np.repeat(np.arange(n_rows), weights)])
    assert by_weight.vocabulary == by_rows.vocabulary
    assert by_weight.counts.n == by_rows.counts.n
    np.testing.assert_array_equal(by_weight.counts.matrix, by_rows.counts.matrix)


def test_a_row_of_weight_zero_is_as_if_absent():
    counted = tally_table(read_table(ROWS), CountOptions([1, 1, 0, 0, 2.5]))
    assert counted.grouping.raw.values == (("a", "b"), ("x",))
    assert counted.counts.n == 4.5
    assert counted.counts.n_rows == 3
    assert not counted.rows.complete
    assert counted.rows.weights.tolist() == [1, 1, 2.5]
    assert [column.tolist() for column in counted.rows.codes] == [[0, 1, 0], [0, 0, 0]]


def test_rare_values_are_taken_together_before_counting():
    counted = tally_table(read_table(ROWS), CountOptions(min_frequency=2))
    assert counted.grouping.vocabulary.values == (("a", INFREQUENT), ("x", INFREQUENT))
    assert counted.counts.sizes == (2, 2)
    assert counted.counts.block(0, 1).tolist() == [[2, 1], [1, 1]]
    assert [column.tolist() for column in counted.rows.codes] == [[0, 1, 0, 1, 0], [0, 0, 1, 1, 0]]


@pytest.mark.parametrize("kept_values", [0, 100])
def test_all_values_are_counted_one_by_one_unless_there_are_too_many(kept_values, monkeypatch):
    monkeypatch.setattr(tally_module, "KEPT_VALUES", kept_values)
    counted = tally_table(read_table(ROWS), CountOptions(min_frequency=2))
    ungrouped = tally_table(read_table(ROWS))
    assert counted.counts.block(0, 1).tolist() == [[2, 1], [1, 1]]
    assert ungrouped.ungrouped.vocabulary == ungrouped.grouping.vocabulary
    if kept_values:
        assert counted.ungrouped.vocabulary == ungrouped.grouping.raw
        np.testing.assert_array_equal(
            counted.ungrouped.counts.matrix, ungrouped.ungrouped.counts.matrix
        )
    else:
        assert counted.ungrouped is None


@given(small_tables(), st.sampled_from([None, 2, 0.3]), st.sampled_from([None, 2, 3]))
def test_grouping_a_counted_table_is_grouping_its_rows(table, min_frequency, max_categories):
    options = CountOptions(min_frequency=min_frequency, max_categories=max_categories)
    of_rows = tally_table(read_table(table), options)
    of_counts = tally_counted(count_table(table), options)
    assert of_counts.grouping.vocabulary == of_rows.grouping.vocabulary
    np.testing.assert_array_equal(of_counts.counts.matrix, of_rows.counts.matrix)
    assert of_counts.rows is None


def test_values_outside_the_given_categories_are_not_counted_but_their_rows_are():
    counted = tally_table(read_table(ROWS), CountOptions(categories=[["b", "a"], ["x", "z"]]))
    assert counted.unknown[0] == ["c"]
    assert set(counted.unknown[1]) == {None, "y"}
    assert not counted.rows.complete
    assert counted.counts.n == 5
    assert counted.counts.frequencies.tolist() == [1, 3, 3, 0]
    assert counted.counts.block(0, 1).tolist() == [[1, 0], [2, 0]]


def test_shares_are_of_all_rows_even_where_values_are_unknown():
    # 1 of 5 rows has "b": not less than a share of 0.2, though one of 4 known cells.
    options = CountOptions(categories=[["b", "a"], ["x", "y"]], min_frequency=0.2)
    counted = tally_table(read_table(ROWS), options)
    assert counted.grouping.infrequent_values() == [[], []]


def test_unknown_values_of_the_fit_are_transformed_like_later_ones():
    encoder = UNTIE(
        2,
        solver="uniform",
        categories=[["a", "b"], ["x", "y"]],
        min_frequency=2,
        handle_unknown="infrequent_if_exist",
    )
    rows = [row for row in ROWS if row[1] is not None]
    np.testing.assert_array_equal(encoder.fit_transform(rows), encoder.transform(rows))


def test_too_many_values_name_the_column():
    table = read_table(pd.DataFrame({"id": np.arange(600_000), "kind": 0}))
    assert tally_table(table).counts.sizes == (600_000, 1)
    # Kernel spaces are what takes the memory.
    with pytest.raises(ValueError, match=r"Column 'id' alone has 600,000.*max_categories"):
        tally_table(table, CountOptions(n_spaces=28))
    options = CountOptions(max_categories=3, n_spaces=28)
    assert tally_table(table, options).counts.sizes == (3, 1)


def test_chunks_are_learned_from_like_the_whole():
    counted = count_table(ROWS[:2]) + count_table(ROWS[2:])
    from_counts = TableEncoder(2, preparer=None).fit_counts(counted)
    whole = TableEncoder(2, preparer=None).fit(ROWS)
    np.testing.assert_array_equal(from_counts.counts_.matrix, whole.counts_.matrix)
    np.testing.assert_allclose(from_counts.omega_, whole.omega_, rtol=1e-12)


def test_bad_weights_and_categories_are_refused():
    with pytest.raises(ValueError, match="Every sample weight is zero"):
        count_table(ROWS, sample_weight=np.zeros(5))
    with pytest.raises(ValueError, match="has 1 lists but the table has 2 columns"):
        count_table(ROWS, categories=[["a"]])
