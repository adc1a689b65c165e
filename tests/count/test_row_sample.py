"""The sample of rows is the same however the table comes."""

import tracemalloc
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import combinations, product
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes, small_tables
from untie import TableEncoder, count_table
from untie._count import row_sample
from untie._count.counts import CountedTable
from untie._count.row_sample import sample_rows
from untie._table.rows import learn_vocabulary
from untie._table.table import read_table


def sampled(table, weights=None):
    """Return the sampled rows as text, with their weights."""
    counted = count_table(table, sample_weight=weights)
    values = counted.vocabulary.values
    rows = [
        tuple(values[attribute][code] for attribute, code in enumerate(row))
        for row in counted.sample.codes
    ]
    return dict(zip(rows, counted.sample.weights.tolist(), strict=True))


@given(table=small_tables())
def test_a_small_table_is_its_own_sample(table):
    assert sampled(table) == Counter(table.itertuples(index=False, name=None))


@given(table=small_tables(min_rows=2), data=st.data())
@pytest.mark.parametrize("size", [3, 2000])
def test_neither_order_nor_chunks_matter(table, data, size):
    cut = data.draw(st.integers(1, len(table) - 1))
    with (
        mock.patch.object(row_sample, "SAMPLE_ROWS", size),
        mock.patch.object(row_sample, "BLOCK_ROWS", data.draw(st.integers(1, 5))),
    ):
        whole = count_table(table)
        parts = count_table(table[cut:]) + count_table(table[:cut])
    for name in ("numbers", "codes", "weights"):
        np.testing.assert_array_equal(getattr(parts.sample, name), getattr(whole.sample, name))


@given(table=small_tables(), data=st.data())
def test_weights_equal_repetition(table, data):
    n_rows = len(table)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows).filter(any))
    assert sampled(table, weights) == sampled(table.loc[table.index.repeat(weights)])


def test_rows_are_drawn_without_regard_to_their_values():
    codes = np.arange(40_000) % 200, np.arange(40_000) // 200
    table = np.stack(codes, axis=1)
    sample = count_table(table).sample
    assert len(sample.weights) == row_sample.SAMPLE_ROWS
    for column in sample.codes.T:
        # 2,000 of 40,000 rows: a value of 200 rows is expected 10 times.
        assert np.bincount(column, minlength=200).max() < 30
        assert abs(column.mean() - 99.5) < 5


def test_values_that_are_equal_have_one_number():
    kinds = [[1], [1.0], [True], [Decimal(1)], [Fraction(1)]]
    numbers = set()
    for (value,) in kinds:
        table = read_table([[value, "x"]])
        vocabulary, encoded = learn_vocabulary(table, None, None)
        numbers.add(int(sample_rows(encoded.codes, vocabulary, None).numbers[0]))
    assert len(numbers) == 1


class Color(str, Enum):  # noqa: UP042  # written as "Color.RED", which a StrEnum is not
    RED = "red"


NOON = datetime(2020, 1, 1, 12, tzinfo=UTC)
FIRST = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))  # before the first moment of UTC


@pytest.mark.parametrize(
    ("value", "peer"),
    [
        ((1, "a"), (1.0, "a")),
        ((1, ("b", True)), (1, ("b", 1))),
        (frozenset([1, "a"]), frozenset(["a", 1.0])),
        (pd.Interval(0, 1), pd.Interval(0.0, 1.0)),
        (NOON, NOON.astimezone(timezone(timedelta(hours=5)))),
        (FIRST, FIRST),
        ("red", Color.RED),
        (Decimal("1e5000"), Decimal("10e4999")),
    ],
)
def test_equal_values_of_two_chunks_are_one(value, peer):
    chunks = count_table([[value, "x"]]), count_table([[peer, "x"]])
    merged = chunks[0] + chunks[1]
    assert merged.vocabulary.sizes == (1, 1)
    assert merged.sample.weights.tolist() == [2.0]


def test_a_set_has_the_same_number_in_every_order():
    # Integers that differ by multiples of eight stand in the order in which they came.
    order = [8 * i for i in range(4)]
    sets = [frozenset(order), frozenset(order[::-1])]
    assert repr(sets[0]) != repr(sets[1])
    numbers = [count_table([[one, "x"]]).sample.numbers[0] for one in sets]
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize(
    "values",
    [
        [1, "1", None, "None", "missing", 0.1, Decimal("0.1"), -1, -2],
        [float("inf"), float("-inf"), 2**70, -(2**70), 1e300],
        [date(2020, 1, 1), datetime(2020, 1, 1), "2020-01-01"],
        [("a", 1), ("a", "1"), b"a", "a"],
        [("a', 'text b",), ("a", "b"), ("b", "a"), frozenset("ab"), ()],
        [pd.Interval(0, 1), pd.Interval(0, 1, closed="left"), (0, 1)],
        [NOON, NOON.replace(tzinfo=None), NOON.replace(microsecond=1)],
        [10**5000, 10**5000 + 1, -(10**5000), Decimal("1e-5000")],
    ],
)
def test_values_that_differ_have_different_numbers(values):
    table = [[value, "x"] for value in values]
    assert len(count_table(table).sample.numbers) == len(values)


def test_a_cell_counts_by_its_column():
    assert len(count_table([["a", "b"], ["b", "a"]]).sample.numbers) == 2


@given(table=small_tables(min_rows=2), random=st.randoms(use_true_random=False))
@pytest.mark.parametrize("size", [3, 2000])
def test_the_order_of_columns_does_not_matter(table, random, size):
    columns = random.sample(list(table), table.shape[1])
    with mock.patch.object(row_sample, "SAMPLE_ROWS", size):
        found, expected = sampled(table[columns]), sampled(table)
    places = [columns.index(name) for name in table]
    assert {tuple(row[p] for p in places): times for row, times in found.items()} == expected


@pytest.mark.parametrize("first", ["frame", "array"])
@pytest.mark.filterwarnings("ignore:X .*feature names:UserWarning")
def test_chunks_with_and_without_names_are_sampled_alike(first, monkeypatch):
    monkeypatch.setattr(row_sample, "SAMPLE_ROWS", 40)
    frame, _ = latent_classes(400, 3, 6, 4, seed=0, purity=0.5)
    assert len(frame.drop_duplicates()) > 200
    chunks = [frame[:150], frame[150:].to_numpy()]
    whole = TableEncoder(3, preparer=None).fit(frame)
    if first == "array":
        chunks, whole = chunks[::-1], TableEncoder(3, preparer=None).fit(frame.to_numpy())
    grown = TableEncoder(3, preparer=None).partial_fit(chunks[0]).partial_fit(chunks[1])
    assert grown.gains_ == whole.gains_


def test_without_one_sample_there_is_none():
    first, second = count_table([["a", "x"]]), count_table([["b", "x"]])
    assert (first + CountedTable(second.vocabulary, second.counts)).sample is None


def test_unknown_values_stay_unknown():
    counted = count_table([["a", "x"], ["b", "y"]], categories=[["a"], ["x", "y"]])
    other = count_table([["a", "z"]], categories=[["a"], ["z"]])
    sample = (counted + other).sample
    unknown = [row for row in sample.codes.tolist() if row[0] == 1]
    assert len(sample.codes) == 3
    assert len(unknown) == 1


def test_only_samples_add_up():
    with pytest.raises(TypeError):
        count_table([["a", "x"]]).sample + 1


def test_the_rows_of_a_block_are_not_copied_whole():
    table = read_table(np.zeros((4000, 300), dtype=int) + np.arange(4000)[:, None] % 2)
    vocabulary, encoded = learn_vocabulary(table, None, None)
    tracemalloc.start()
    sample_rows(encoded.codes, vocabulary, None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * sum(column.nbytes for column in encoded.codes)  # as 8-byte codes: 8 times


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (count_table([["a"], ["b"]]).sample, "its rows have 1 columns, the counts 2"),
        (count_table([["d", "x"]] + [[a, "y"] for a in "abc"]).sample, "beyond the values"),
        (count_table([["a", "x"]] * 9 + [["b", "y"]]).sample, "more weight"),
    ],
)
def test_rows_of_another_table_are_refused(sample, reason):
    counted = count_table([["a", "x"], ["b", "y"], ["a", "y"]])
    counted.sample.check(counted.counts.sizes, counted.counts.frequencies)
    with pytest.raises(ValueError, match=reason):
        sample.check(counted.counts.sizes, counted.counts.frequencies)
    with pytest.raises(ValueError, match="not of the table that was counted"):
        TableEncoder(2, preparer=None).fit_counts(replace(counted, sample=sample))


def test_only_a_sample_is_taken_for_one():
    counted = count_table([["a", "x"], ["b", "y"]])
    with pytest.raises(TypeError, match="what count_table gives, got list"):
        TableEncoder(2, preparer=None).fit_counts(replace(counted, sample=[["a", "x"]]))


@pytest.mark.parametrize("names", ["ab", "xy", "01", "no", "uv", "pq"])
def test_columns_of_sampled_rows_do_not_depend_on_each_other(names):
    """Every pair of columns of a full table is as independent in a sample as chance has it."""
    table = list(product(names, repeat=12))
    codes = count_table(pd.DataFrame(table)).sample.codes
    found = []
    for one, other in combinations(codes.T, 2):
        joint = np.bincount(2 * one + other, minlength=4).reshape(2, 2)
        expected = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / len(codes)
        found.append((np.square(joint - expected) / expected).sum())
    of_chance = 1 - len(codes) / len(table)  # drawn without putting back
    assert 0.6 < np.mean(found) / of_chance < 1.4
