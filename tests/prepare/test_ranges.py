"""Ranges of numbers: nothing but the order counts, and rounding of borders moves no number."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from untie import Preparer, TableEncoder, explain
from untie._prepare.deciding import BINS, Options, quantile_edges, range_labels, round_edges

NUMBERS = st.lists(st.integers(-300, 300), min_size=2, max_size=40, unique=True)
ODD = st.sampled_from([3, 5, 7, 35])


def ranges_of(numbers, weights, bins):
    """Return the range of each number."""
    return np.searchsorted(quantile_edges(numbers, weights, bins), numbers)


def slow_ranges(numbers, weights, bins):
    """The definition over rows written out, for whole weights: the range of the mean rank."""
    rows = np.repeat(numbers, weights)
    found = []
    for number in numbers:
        place = bins * (rankdata(rows)[rows == number][0] - 0.5) / len(rows)
        is_on_border = abs(place - round(place)) < 1e-9
        found.append(round(place) - (2 * place <= bins + 1e-9) if is_on_border else int(place))
    found = np.clip(found, 0, bins - 1)
    return np.unique(found, return_inverse=True)[1]


@given(NUMBERS, ODD, st.data())
def test_a_range_is_that_of_the_mean_rank(numbers, bins, data):
    sizes = st.lists(st.integers(1, 9), min_size=len(numbers), max_size=len(numbers))
    weights = np.array(data.draw(sizes))
    numbers = np.array(numbers, dtype=float)
    found = ranges_of(numbers, weights.astype(float), bins)
    np.testing.assert_array_equal(found, slow_ranges(numbers, weights, bins))
    np.testing.assert_array_equal(ranges_of(numbers, weights * 0.1, bins), found)


@given(NUMBERS, ODD, st.sampled_from([0.1, 1.0, 1 / 3]), st.integers(0, 99))
def test_changes_that_keep_or_turn_the_order_change_no_range(numbers, bins, scale, seed):
    numbers = np.array(numbers, dtype=float)
    weights = scale * np.random.default_rng(seed).integers(1, 5, len(numbers))
    expected = ranges_of(numbers, weights, bins)
    for changed in (np.exp(numbers / 50), numbers**3, 7 * numbers - 3, rankdata(numbers)):
        np.testing.assert_array_equal(ranges_of(changed, weights, bins), expected)
    for turned in (-numbers, np.exp(-numbers / 50), 1 / (numbers + 1000)):
        found = ranges_of(turned, weights, bins)
        np.testing.assert_array_equal(found.max() - found, expected)


@pytest.mark.parametrize("bins", [2, 3, 4, 5, 35])
@pytest.mark.parametrize("heavy", [0, 1, -1])
def test_a_number_that_outweighs_all_others(heavy, bins):
    numbers, weights = np.arange(4.0), np.ones(4)
    weights[heavy] = 1e15
    edges = quantile_edges(numbers, weights, bins)
    assert 1 <= len(edges) < bins
    assert set(edges) <= set(numbers[:-1])


@given(st.lists(st.floats(1e-12, 1e12), min_size=2, max_size=30), st.integers(2, 12))
def test_there_are_no_more_ranges_than_asked_for(weights, bins):
    edges = quantile_edges(np.arange(float(len(weights))), np.array(weights), bins)
    assert 1 <= len(edges) < bins
    assert (np.diff(edges) > 0).all()


@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=40, unique=True
    ),
    st.integers(2, 12),
)
def test_rounding_moves_no_number_to_another_range(numbers, bins):
    numbers = np.unique(np.array(numbers, dtype=float))  # -0.0 is 0.0
    if len(numbers) < 2:
        return
    edges = quantile_edges(numbers, np.ones(len(numbers)), bins)
    rounded = round_edges(edges, numbers)
    assert (np.diff(rounded) > 0).all()
    np.testing.assert_array_equal(
        np.searchsorted(rounded, numbers), np.searchsorted(edges, numbers)
    )


def test_borders_have_as_few_digits_as_they_can():
    numbers = np.array([0.123456, 0.187654, 12.3456, 12.3457, 98765.4, 1e9])
    assert round_edges(numbers[:-1], numbers).tolist() == [0.15, 0.2, 12.3456, 20, 1e5]
    years = np.array([1987.0, 1994.0, 2003.0])
    assert round_edges(years[:-1], years).tolist() == [1990, 2000]
    ages = np.array([39.0, 41.0, 43.0, 46.0, 47.0])
    assert round_edges(ages[:-1], ages).tolist() == [40, 41, 45, 46]
    losses = np.array([-2489.0, -2467.0, -3.0, 8.0])
    assert round_edges(losses[:-1], losses).tolist() == [-2480, -2000, 0]
    whole = np.array([3.0, 12_345.0, 12_346.0, 54_321.0])
    assert round_edges(whole[:-1], whole).tolist() == [3, 12_345, 20_000]


@given(st.lists(st.integers(-(10**18), 10**18), min_size=2, max_size=30, unique=True))
def test_borders_of_whole_numbers_are_whole(numbers):
    numbers = np.unique(np.array(numbers, dtype=float))
    if len(numbers) > 1:
        rounded = round_edges(numbers[:-1], numbers)
        np.testing.assert_array_equal(rounded, np.round(rounded))


@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=25, max_size=60, unique=True),
    st.sampled_from([1, 7, 1000]),
    st.sampled_from(["exp", "cubes", "negated"]),
)
def test_the_preparer_keeps_rows_together_through_changes(numbers, divisor, change):
    x = np.array(numbers) / divisor
    changed = {"exp": np.exp(x / 10**6), "cubes": x**3, "negated": -x}[change]
    if len(np.unique(changed)) < len(x):  # floats that grew together
        return
    frame = pd.DataFrame({"x": x, "y": changed})
    result = Preparer(columns=["x", "y"]).fit_transform(frame)
    assert result.groupby("x", observed=True).y.nunique().max() == 1
    assert result.groupby("y", observed=True).x.nunique().max() == 1


@pytest.mark.parametrize(
    ("n_rows", "expected"), [(25, 5), (40, 5), (47, 5), (56, 7), (160, 19), (280, 35), (900, 35)]
)
def test_there_are_as_many_ranges_as_rows_can_fill(n_rows, expected):
    frame = pd.DataFrame({"x": np.random.default_rng(0).random(n_rows)})
    assert len(Preparer().fit(frame).ranges("x")) == expected
    assert expected <= Options().bins == BINS == 35


@pytest.mark.parametrize(("bins", "expected"), [(2, 2), (4, 4), (10, 10), (19, 19), (30, 19)])
def test_fewer_ranges_may_be_asked_for(bins, expected):
    frame = pd.DataFrame({"x": np.random.default_rng(0).random(160)})
    assert len(Preparer(bins=bins).fit(frame).ranges("x")) == expected


def test_rows_that_count_often_are_many_and_a_common_factor_says_nothing():
    frame = pd.DataFrame({"x": np.random.default_rng(0).random(100)})

    def count(weights):
        return len(Preparer().fit(frame, sample_weight=weights).ranges("x"))

    assert count(None) == count(np.full(100, 0.01)) == count(np.full(100, 2.0)) == 11
    twice = pd.concat([frame, frame])
    assert len(Preparer().fit(twice).ranges("x")) == 11
    often = np.tile([1, 3], 50)
    repeated = frame.loc[np.repeat(np.arange(100), often)]
    assert count(often) == count(often * 0.1) == len(Preparer().fit(repeated).ranges("x")) == 25


def test_a_balanced_panel_has_ranges_for_all_of_its_rows():
    frame = pd.DataFrame({"year": np.repeat(np.arange(1960, 2000), 10)})
    frame["x"] = np.random.default_rng(0).random(400)
    assert len(Preparer().fit(frame).ranges("year")) > 30


@pytest.mark.parametrize(
    ("cells", "lowest"),
    [
        ([0] * 50 + list(range(1, 151)), "0"),
        ([0.0] * 50 + [n / 8 for n in range(1, 151)], "0"),
        ([0] * 9 + list(range(1, 150)) + [-4], "up to 0"),
        ([1] * 50 + list(range(2, 152)), "up to 1"),  # new rows may have 0
        (list(range(200)), "up to 7"),
    ],
)
def test_the_lowest_range_of_what_is_never_negative_may_be_0(cells, lowest):
    frame = pd.DataFrame({"x": cells})
    preparer = Preparer(columns=["x"]).fit(frame)
    assert preparer.ranges("x")[0] == lowest
    assert preparer.category("x", min(cells)) == lowest
    assert preparer.transform(frame)["x"].cat.ordered
    # What is beyond goes to the outer range, and is found all the same.
    assert preparer.category("x", -99) == lowest
    assert preparer.outside(pd.DataFrame({"x": [-99]})).value.tolist() == ["-99"]


def test_0_by_itself_has_a_place_in_the_order_beside_texts():
    rng = np.random.default_rng(0)
    cells = [0] * 60 + list(range(1, 136)) + ["many"] * 5
    frame = pd.DataFrame({"x": cells, "y": rng.choice(list("abc"), 200)}).astype(object)
    encoder = TableEncoder(2, random_state=0).fit(frame)
    assert encoder.preparer_.ranges("x")[0] == "0"
    assert {"0", "many"} <= set(encoder.vocabulary_.values[0])
    bare = TableEncoder(2, preparer=None).fit(encoder.preparer_.transform(frame))
    with pytest.raises(ValueError, match="learned from ranges such as"):
        explain.why_similar(bare, {"x": 17, "y": "a"}, {"x": "0", "y": "a"})


def test_names_of_ranges():
    assert range_labels(np.array([5.0]), "number", True) == ["up to 5", "over 5"]
    assert range_labels(np.array([5.0, 6.0]), "number", True) == ["up to 5", "6", "over 6"]
    assert range_labels(np.array([2000.0, 2004.0]), "year", True) == [
        "until 2000",
        "2001 to 2004",
        "after 2004",
    ]
