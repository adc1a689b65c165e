"""The bootstrap test of the number of classes against its definition."""

import math

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from tables import latent_classes
from untie.cluster import LatentClasses, bootstrap_test
from untie.cluster._bootstrap_test import Design, design_of, simulate
from untie.cluster._class_model import ClassModel, make_sample

QUICK = {"n_init": 3, "tol": 1e-4}


@pytest.fixture(scope="module")
def hidden():
    return latent_classes(300, 2, 8, 3, seed=0)[0]


@pytest.fixture(scope="module")
def one_too_few(hidden):
    return bootstrap_test(LatentClasses(1, **QUICK).fit(hidden), hidden, n_boot=19)


def test_one_class_is_refused_and_two_are_not(hidden, one_too_few):
    assert (one_too_few.n_classes, one_too_few.p_value) == (1, 0.05)
    found = bootstrap_test(LatentClasses(2, **QUICK).fit(hidden), hidden, n_boot=19)
    assert (found.n_classes, found.p_value > 0.1) == (2, True)
    assert len(found.null_statistics) == 19


def test_the_statistic_is_twice_the_gain(hidden, one_too_few):
    one, two = (LatentClasses(k, **QUICK).fit(hidden).log_likelihood_ for k in (1, 2))
    assert one_too_few.statistic == pytest.approx(2 * (two - one), rel=1e-4)


def test_the_p_value_counts_what_is_as_large(hidden):
    found = bootstrap_test(LatentClasses(2, **QUICK).fit(hidden), hidden, n_boot=7, random_state=3)
    n_as_large = sum(one >= found.statistic for one in found.null_statistics)
    assert found.p_value == (1 + n_as_large) / 8


def test_whole_weights_are_numbers_of_rows(hidden):
    table = hidden.head(60)
    weights = np.arange(60) % 4
    repeated = table.loc[table.index.repeat(weights)].sample(frac=1, random_state=0)
    first, second = (
        bootstrap_test(
            LatentClasses(1, **QUICK).fit(X, sample_weight=w), X, sample_weight=w, n_boot=3
        )
        for X, w in ((table, weights), (repeated, None))
    )
    assert first.statistic == pytest.approx(second.statistic, abs=1e-8)
    np.testing.assert_allclose(first.null_statistics, second.null_statistics, atol=1e-8)


def test_other_weights_stay_with_their_rows():
    codes = [np.array([0, 1, 2], np.uint8), np.array([2, 0, 1], np.uint8)]  # 2 is unknown
    design = design_of(codes, (2, 2), np.array([1.5, 2.0, 0.5]))
    assert sorted(zip(design.weights, design.known.tolist(), strict=True)) == [
        (0.5, [False, True]),
        (1.5, [True, False]),
        (2.0, [True, True]),
    ]


def test_order_changes_nothing(hidden):
    table = hidden.head(80).astype(object)
    table.iloc[::7, 1] = None
    weights = np.linspace(0.5, 2.0, 80)
    model = LatentClasses(1, missing="neutral", **QUICK)
    order = np.random.default_rng(0).permutation(80)
    first, second = (
        bootstrap_test(model.fit(X, sample_weight=w), X, sample_weight=w, n_boot=3)
        for X, w in ((table, weights), (table.iloc[order], weights[order]))
    )
    np.testing.assert_allclose(first.null_statistics, second.null_statistics, atol=1e-6)
    assert first.p_value == second.p_value


def test_simulated_rows_follow_the_model():
    """Every pair of values is as frequent as the mixture says, missing cells stay missing."""
    n, shares = 40_000, np.array([0.7, 0.3])
    profiles = [
        np.array([[0.9, 0.2], [0.1, 0.8], [0.0, 0.0]]),  # the last value never occurs
        np.array([[0.5, 0.0], [0.5, 1.0]]),
    ]
    with np.errstate(divide="ignore"):
        logs = np.log(np.vstack(profiles))
    logs[2] = 0.0
    known = np.ones((n, 2), dtype=bool)
    known[:100, 1] = False
    seen = make_sample([np.array([0, 1]), np.array([0, 1])], (3, 2), None)
    model = ClassModel(np.log(shares), logs)
    first, second = simulate(Design(known, None), model, seen, np.random.RandomState(0))
    assert (second[:100] == 2).all()
    assert (second[100:] < 2).all()
    for a in range(3):
        for b in range(2):
            expected = sum(shares[c] * profiles[0][a, c] * profiles[1][b, c] for c in range(2))
            share = np.mean((first == a)[100:] & (second == b)[100:])
            assert share == pytest.approx(expected, abs=4 * math.sqrt(0.25 / n))


@pytest.mark.parametrize(
    ("rows", "parameters", "message"),
    [
        ([["a"], ["b"]], {"n_boot": 0}, "n_boot must be a positive integer"),
        ([["a"], ["a"]], {}, "1 distinct rows, which 1 classes explain already"),
        ([["a"], ["b"]], {"sample_weight": [1e9, 1.0]}, "Divide survey weights by their mean"),
    ],
)
def test_what_cannot_be_tested_is_refused(rows, parameters, message):
    model = LatentClasses(1).fit(rows)
    with pytest.raises(ValueError, match=message):
        bootstrap_test(model, rows, **parameters)


def test_the_columns_are_those_of_the_model(hidden):
    model = LatentClasses(1, **QUICK).fit(hidden)
    with pytest.raises(ValueError, match="Pass rows with the columns"):
        bootstrap_test(model, hidden.iloc[:, 1:], n_boot=1)


def test_the_model_must_be_fitted(hidden):
    with pytest.raises(NotFittedError):
        bootstrap_test(LatentClasses(2), hidden)
