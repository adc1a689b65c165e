"""What every value distance has in common, checked for each in the list."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distance_oracle as slow
from estimator_checks import assert_all_checks_pass
from tables import small_tables
from untie_paper.baselines import DISTANCES, Hamming

ORACLES = {
    "Hamming": slow.hamming,
    "Ahmad": slow.ahmad,
    "DILCA": slow.dilca,
    "COS": slow.cos_distance,
    "Rough": slow.rough,
}
names = st.sampled_from(sorted(DISTANCES))


def fit(name, table, **arguments):
    return DISTANCES[name]().fit(table, **arguments)


def assert_same(first, second, **tolerance):
    for a, b in zip(first.distances_, second.distances_, strict=True):
        np.testing.assert_allclose(a, b, **(tolerance or {"rtol": 0}))


def test_every_distance_has_an_oracle():
    assert ORACLES.keys() == DISTANCES.keys()


@pytest.mark.parametrize("name", DISTANCES)
@given(table=small_tables(max_rows=8, max_columns=3, max_values=3), data=st.data())
def test_as_defined(name, table, data):
    rows = [tuple(row) for row in table.to_numpy()]
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    distance = fit(name, table, sample_weight=weights)
    oracle = ORACLES[name]
    for column, label in enumerate(table.columns):
        found = distance.value_distance(label)
        for x in found.index:
            for y in found.columns:
                expected = float(oracle(rows, column, x, y, weights))
                assert found.loc[x, y] ** 2 == pytest.approx(expected**2, abs=1e-12)
    pairs = distance.pairwise(table)
    for i, first in enumerate(rows):
        by_columns = [float(oracle(rows, c, x, rows[0][c], weights)) for c, x in enumerate(first)]
        assert pairs[i, 0] == pytest.approx(sum(by_columns), abs=1e-7)


def test_hamming_oracle(melons):
    pairs = slow.read_pairs(
        "A1-A2 2, A1-A3 3, A1-A4 2, A1-A5 3, A1-A6 2, A2-A3 1, A2-A4 3, A2-A5 2, A2-A6 3, "
        "A3-A4 3, A3-A5 1, A3-A6 3, A4-A5 2, A4-A6 1, A5-A6 3"
    )
    distances = Hamming().fit(melons).pairwise(melons)
    assert {pair: distances[pair] for pair in pairs} == pairs


@given(names, small_tables(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(name, table, random):
    order = random.sample(range(len(table)), len(table))
    assert_same(fit(name, table), fit(name, table.iloc[order]))


@given(names, small_tables(), st.randoms(use_true_random=False))
def test_order_of_columns_does_not_matter(name, table, random):
    if name == "DILCA":  # which of two equally related attributes comes first decides
        return
    order = random.sample(list(table.columns), len(table.columns))
    first, second = fit(name, table), fit(name, table[order])
    for column in order:
        pd.testing.assert_frame_equal(first.value_distance(column), second.value_distance(column))


@given(names, small_tables())
def test_names_of_values_do_not_matter(name, table):
    first, second = fit(name, table), fit(name, table.map(lambda v: "z" + v[::-1]))
    for column in table.columns:
        before = first.value_distance(column)
        after = second.value_distance(column)
        renamed = ["z" + value[::-1] for value in before.index]
        np.testing.assert_allclose(after.loc[renamed, renamed], before, rtol=1e-12, atol=1e-15)


@given(names, small_tables())
def test_weights_repeat_rows(name, table):
    weights = np.arange(len(table)) % 3 + 1
    assert_same(
        fit(name, table, sample_weight=weights),
        fit(name, table.loc[table.index.repeat(weights)]),
    )


@given(names, small_tables())
def test_symmetric_and_not_negative(name, table):
    for distances in fit(name, table).distances_:
        np.testing.assert_array_equal(distances, distances.T)
        assert (distances >= 0).all()
        assert name == "Rough" or not distances.diagonal().any()


@pytest.mark.parametrize("name", DISTANCES)
def test_constant_column_and_single_row(name):
    constant = fit(name, [["a", "k"], ["b", "k"], ["b", "k"]])
    assert constant.distances_[1].shape == (1, 1)
    assert np.isfinite(constant.pairwise([["a", "k"], ["?", "?"]])).all()
    assert fit(name, [["a", "b"]]).pairwise([["a", "b"]]).tolist() == [[0.0]]


@pytest.mark.parametrize("name", DISTANCES)
def test_missing_is_a_value(name, melons):
    with_missing = melons.astype(object).where(melons != "white", None)
    found = fit(name, with_missing).value_distance("Color")
    assert list(found.index) == ["black", "green", "yellow", "missing"]
    expected = fit(name, melons).value_distance("Color")
    order = ["black", "green", "yellow", "white"]
    np.testing.assert_allclose(found, expected.loc[order, order], rtol=1e-14)


@pytest.mark.parametrize("name", DISTANCES)
def test_an_unknown_value_is_as_far_as_the_rows_are_on_average(name, melons):
    distance = fit(name, melons)
    unknown = pd.DataFrame([["?", "?", "?"]], columns=melons.columns)
    mean = distance.pairwise(melons).mean(axis=0)
    np.testing.assert_allclose(distance.pairwise(unknown, melons)[0], mean, rtol=1e-12)
    np.testing.assert_allclose(distance.pairwise(unknown)[0, 0], mean.mean(), rtol=1e-12)


@pytest.mark.parametrize("name", DISTANCES)
def test_a_column_of_many_values(name):
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, 1500, 4000), rng.integers(0, 3, 4000)], axis=1)
    distance = fit(name, codes)
    assert distance.distances_[0].shape == (distance.counts_.sizes[0],) * 2
    assert np.isfinite(distance.pairwise(codes[:50], codes[:3])).all()


def test_a_failed_fit_changes_nothing(melons):
    distance = fit("DILCA", melons)
    distance.context = "?"
    with pytest.raises(ValueError, match="context"):
        distance.fit(melons[["Color"]])
    distance.context = "RR"
    assert distance.pairwise(melons).shape == (6, 6)


@pytest.mark.parametrize("name", DISTANCES)
def test_every_check_passes(name):
    assert_all_checks_pass(DISTANCES[name](), more_than=40)
