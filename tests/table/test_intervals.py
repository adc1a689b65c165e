"""Runs of neighboring values: the best one against trying all, and what they are called."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from untie._prepare.deciding import range_labels
from untie._table.intervals import ALL, best_run, equal_runs, run_name
from untie._table.orders import find_orders
from untie._table.vocabulary import Vocabulary

NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.floats(-1, 1).map(lambda x: round(x, 6)))
ROWS = st.integers(1, 12).flatmap(lambda n: arrays(float, n, elements=NUMBERS))


def slow_best_run(numbers):
    """Sum up every run; the shortest of the best, and the first of these."""
    runs = [(a, b) for a in range(len(numbers)) for b in range(a + 1, len(numbers) + 1)]
    return min(runs, key=lambda run: (-round(sum(numbers[slice(*run)]), 9), run[1] - run[0], run))


@given(ROWS)
def test_the_best_run_is_that_of_all_runs(numbers):
    assert best_run(numbers) == slow_best_run(numbers.tolist())


@given(ROWS)
def test_from_the_other_end_the_sum_is_the_same(numbers):
    start, stop = best_run(numbers)
    back_start, back_stop = best_run(numbers[::-1])
    assert numbers[start:stop].sum() == pytest.approx(numbers[::-1][back_start:back_stop].sum())
    assert stop - start == back_stop - back_start


@given(st.lists(st.floats(0.01, 5), min_size=1, max_size=30), st.integers(1, 12))
def test_equal_runs_are_all_places_in_turn(weights, n):
    runs = equal_runs(np.array(weights), n)
    assert [place for run in runs for place in range(*run)] == list(range(len(weights)))
    assert 1 <= len(runs) <= n
    # No run has more than its part and half of the places at its ends.
    part = sum(weights) / n
    for start, stop in runs:
        ends = weights[start] / 2 + weights[stop - 1] / 2
        assert sum(weights[start:stop]) <= part + ends + 1e-6 * sum(weights)


def test_equal_runs_of_equal_places_have_as_many_each():
    assert equal_runs(np.ones(35), 7) == [(place, place + 5) for place in range(0, 35, 5)]
    assert equal_runs(np.ones(3), 7) == [(0, 1), (1, 2), (2, 3)]


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=9, unique=True), st.data())
def test_a_number_is_in_a_run_if_the_name_says_so(edges, data):
    """The name of a run is read again, and asked which numbers are in it."""
    edges = np.array(sorted(edges), dtype=float)
    names = range_labels(edges, "number", whole=True)
    start = data.draw(st.integers(0, len(names) - 1))
    stop = data.draw(st.integers(start + 1, len(names)))
    if (start, stop) == (0, len(names)):
        assert run_name(names, start, stop) == ALL
        return
    name = run_name(names, start, stop)
    for number in range(-55, 56):
        place = int(np.searchsorted(edges, number))
        assert is_in(number, name) == (start <= place < stop), (number, name)


def is_in(number, name):
    ends = [int(text) for text in re.findall(r"-?\d+", name)]
    if name.startswith("up to"):
        return number <= ends[0]
    if name.startswith("over"):
        return number > ends[0]
    return ends[0] <= number <= ends[-1]


@pytest.mark.parametrize(
    ("names", "start", "stop", "expected"),
    [
        (["until 2010-05", "2010-06 to 2011-01", "after 2011-01"], 0, 2, "until 2011-01"),
        (["until 2010-05", "2010-06 to 2011-01", "after 2011-01"], 1, 3, "after 2010-05"),
        (["up to -3", "-3 to 4.5", "4.5 to 9", "over 9"], 1, 3, "-3 to 9"),
        (["<18", "18-25", "26-40", "41+"], 0, 2, "<26"),
        (["<18", "18-25", "26-40", "41+"], 2, 4, "26+"),
        (["under 18", "18 to 25", "over 25"], 0, 2, "up to 25"),
        (["under 18", "18 to 25", "over 25"], 1, 3, "18 or more"),
        (["under 1,000", "1,000 to 5,000", "at least 5,000"], 0, 2, "under 5,000"),
        (["0-9", "10-19", "20-29"], 0, 2, "0 to 19"),
        (["low", "middle", "high"], 1, 3, "middle to high"),
        (["low", "middle", "high"], 0, 1, "low"),
    ],
)
def test_names(names, start, stop, expected):
    assert run_name(names, start, stop) == expected


def test_the_names_of_pandas_intervals_keep_their_brackets():
    cut = pd.cut(pd.Series(np.arange(40.0)), [-1, 9, 19, 40])
    names = [str(interval) for interval in cut.cat.categories]
    assert run_name(names, 0, 2) == "(-1, 19]"
    (positions,) = find_orders(Vocabulary(("x",), (tuple(sorted(set(cut))),)))
    assert positions.tolist() == [0, 1, 2]
