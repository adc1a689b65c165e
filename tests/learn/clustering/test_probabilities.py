"""Probabilities of clusters against their definition, row by row."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes
from untie import TableClusterer
from untie._count.row_sample import RowSample
from untie._learn.clustering.lloyd import cheapest, pack, ties_apart
from untie._learn.clustering.probabilities import (
    SHARPEST,
    cluster_probabilities,
    find_sharpness,
)


def slow_probabilities(codes, costs, sharpness):
    """Follow the definition: exp(-sharpness * cost), divided by the sum over the clusters."""
    result = []
    for row in zip(*codes, strict=True):
        weights = [
            math.exp(-sharpness * sum(t[code, c] for t, code in zip(costs, row, strict=True)))
            for c in range(costs[0].shape[1])
        ]
        result.append([weight / sum(weights) for weight in weights])
    return np.reshape(result, (-1, costs[0].shape[1]))


@st.composite
def priced_rows(draw):
    """Draw rows and costs; whole numbers, so that there are ties."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    n_rows, n_columns = draw(st.integers(0, 30)), draw(st.integers(1, 5))
    n_codes = [draw(st.integers(1, 5)) for _ in range(n_columns)]
    codes = [rng.integers(0, size, n_rows) for size in n_codes]
    costs = ties_apart([rng.integers(0, 4, (size, 3)).astype(float) for size in n_codes])
    return codes, costs


@given(priced_rows(), st.sampled_from([0.1, 1.0, 7.0]))
def test_probabilities_follow_the_definition(case, sharpness):
    codes, costs = case
    packed = pack(codes, costs)
    found = cluster_probabilities(packed, costs, sharpness)
    np.testing.assert_allclose(found, slow_probabilities(codes, costs, sharpness), atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_array_equal(found.argmax(axis=1), cheapest(packed, costs))


def test_costs_of_any_size_have_probabilities():
    costs = [np.array([[1e6, 1e6 + 1, 2e6], [-1e300, 1e300, 0.0]])]
    found = cluster_probabilities(pack([np.array([0, 1])], costs), costs)
    expected = 1 / (1 + math.exp(-1))
    np.testing.assert_allclose(found, [[expected, 1 - expected, 0.0], [1.0, 0.0, 0.0]])


def case_of(seed):
    """Return a sample of rows, with weights, and distances and likelihoods in three clusters."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (40, 3))
    sample = RowSample(np.arange(40, dtype=np.uint64), codes, rng.integers(1, 4, 40).astype(float))
    distances = [rng.random((4, 3)) for _ in range(3)]
    likelihoods = [2.5 * table + rng.normal(0, 0.2, table.shape) for table in distances]
    return sample, distances, likelihoods


@pytest.mark.parametrize("seed", range(4))
def test_no_other_sharpness_has_a_lower_cross_entropy(seed):
    sample, distances, likelihoods = case_of(seed)
    codes = list(sample.codes.T)
    target = slow_probabilities(codes, likelihoods, 1.0)

    def cross_entropy(sharpness):
        found = slow_probabilities(codes, distances, sharpness)
        return -sum(
            weight * float(own @ np.log(probabilities))
            for weight, own, probabilities in zip(sample.weights, target, found, strict=True)
        )

    best = find_sharpness(distances, likelihoods, sample)
    assert 1.0 < best < 5.0
    assert cross_entropy(best) < min(cross_entropy(0.99 * best), cross_entropy(1.01 * best))


def test_sharpness_turns_with_the_unit_of_distances():
    sample, distances, likelihoods = case_of(0)
    once = find_sharpness(distances, likelihoods, sample)
    half = find_sharpness([table / 2 for table in distances], likelihoods, sample)
    assert half == pytest.approx(2 * once, rel=1e-9)
    thrice = RowSample(sample.numbers, sample.codes, 3 * sample.weights)
    assert find_sharpness(distances, likelihoods, thrice) == pytest.approx(once, rel=1e-9)


def test_sharpness_has_limits():
    sample, distances, likelihoods = case_of(0)
    apart = find_sharpness(distances, [1e6 * table for table in distances], sample)
    upside_down = find_sharpness(distances, [-table for table in distances], sample)
    assert 0 < upside_down < 1e-3 * SHARPEST < apart < math.inf
    assert find_sharpness([np.ones((4, 3))] * 3, likelihoods, sample) == 1.0


@pytest.mark.parametrize("moves", [0, 20])
def test_probabilities_are_calibrated(monkeypatch, moves):
    monkeypatch.setattr("untie.clusterer.MOST_REASSIGNMENTS", moves)
    if moves == 0:
        monkeypatch.setattr("untie.clusterer.find_by_em", lambda *_: None)
    table, classes = latent_classes(3000, 3, 8, 4, 0, 0.5)
    clusterer = TableClusterer(3, preparer=None).fit(table[:1500])
    new, truth = table[1500:], classes[1500:]
    probabilities = clusterer.predict_proba(new)
    classes_of = [np.bincount(classes[:1500][clusterer.labels_ == c]).argmax() for c in range(3)]
    assert sorted(classes_of) == [0, 1, 2]
    labels = probabilities.argmax(axis=1)
    is_right = np.array(classes_of)[labels] == truth
    best = probabilities.max(axis=1)
    for low, high in ((0.4, 0.7), (0.7, 0.9), (0.9, 1.0)):
        some = (best >= low) & (best <= high)
        assert best[some].mean() == pytest.approx(is_right[some].mean(), abs=0.09)
    assert best.mean() == pytest.approx(is_right.mean(), abs=0.03)
