from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from external_data import external_file
from untie_paper.datasets import load, make_led24, make_synthetic

# The lit segments of each digit: a top, b upper right, c lower right, d bottom, e lower left,
# f upper left, g middle, as data sheets name them. The columns are in the order a f b g e c d.
SHEET = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg"]
CLEAN = {str(d): ["1" if s in lit else "0" for s in "afbgecd"] for d, lit in enumerate(SHEET)}


def test_digits_without_noise():
    X, y = make_led24(1000, noise=0)
    assert X.shape == (1000, 24)
    for bits, digit in zip(X.iloc[:, :7].to_numpy().tolist(), y, strict=True):
        assert bits == CLEAN[digit]


def test_noise_inverts_that_share_of_segments():
    X, y = make_led24(20_000, noise=0.1, random_state=1)
    clean = np.array([CLEAN[digit] for digit in y])
    wrong = (X.to_numpy()[:, :7] != clean).mean(axis=0)
    assert wrong == pytest.approx(0.1, abs=0.01)
    everything, digits = make_led24(200, noise=1)
    assert (everything.to_numpy()[:, :7] != np.array([CLEAN[d] for d in digits])).all()


def test_irrelevant_bits_say_nothing():
    X, y = make_led24(20_000, random_state=2)
    ones = (X.iloc[:, 7:] == "1").groupby(y).mean()
    assert ones.shape == (10, 17)
    assert ones.to_numpy() == pytest.approx(0.5, abs=0.06)
    assert y.value_counts(normalize=True).to_numpy() == pytest.approx(0.1, abs=0.01)


def test_like_the_table_of_the_paper():
    external_file("led24")
    X, y = load("led24")
    drawn, digits = make_led24()
    assert list(drawn.columns) == list(X.columns)
    assert drawn.shape == X.shape
    assert set(digits) == set(y)
    wrong = (X.to_numpy()[:, :7] != np.array([CLEAN[digit] for digit in y])).mean()
    assert round(wrong, 4) == 0.1028


def test_paper_defaults():
    X, y = make_synthetic()
    assert X.shape == (1000, 10)
    assert (X.nunique() == 3).all()
    assert sorted(y.value_counts()) == [500, 500]


@given(
    n_rows=st.integers(1, 60),
    n_attributes=st.integers(1, 6),
    n_values=st.integers(1, 60),
    n_classes=st.integers(1, 60),
    coupling=st.floats(0, 1),
    seed=st.integers(0, 100),
)
def test_dials_are_exact(n_rows, n_attributes, n_values, n_classes, coupling, seed):
    n_rows = max(n_rows, n_values, n_classes)
    X, y = make_synthetic(
        n_rows, n_attributes, n_values, n_classes=n_classes, coupling=coupling, random_state=seed
    )
    assert X.shape == (n_rows, n_attributes)
    assert (X.nunique() == n_values).all()
    sizes = Counter(y)
    assert len(sizes) == n_classes
    assert max(sizes.values()) - min(sizes.values()) <= 1


def test_coupling_ties_attributes_to_classes():
    def typical_share(coupling):
        X, y = make_synthetic(5000, 6, 4, n_classes=3, coupling=coupling, random_state=3)
        shares = [pd.crosstab(X[name], y, normalize="columns").max() for name in X]
        return np.mean(shares)

    # The most frequent value of a class has the share c + (1 - c) / 4.
    assert typical_share(1) == pytest.approx(1, abs=0.01)
    assert typical_share(0.5) == pytest.approx(0.625, abs=0.02)
    assert typical_share(0) == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("make", [make_led24, make_synthetic])
def test_seeds(make):
    X, y = make(50, random_state=5)
    again, labels = make(50, random_state=5)
    assert X.equals(again)
    assert y.equals(labels)
    assert not X.equals(make(50, random_state=6)[0])
    assert X.equals(make(50, random_state=np.random.RandomState(5))[0])
    assert all(type(cell) is str for cell in [*X.to_numpy().ravel(), *y])


@pytest.mark.parametrize(
    ("make", "arguments", "error"),
    [
        (make_led24, {"n_rows": 0}, "n_rows must be a positive integer, got 0"),
        (make_led24, {"n_rows": 2.5}, "n_rows must be"),
        (make_led24, {"noise": 1.5}, "noise must be a number from 0 to 1, got 1.5"),
        (make_led24, {"noise": float("nan")}, "noise must be a number from 0 to 1, got nan"),
        (make_synthetic, {"coupling": float("nan")}, "coupling must be a number from 0 to 1"),
        (
            make_synthetic,
            {"n_rows": 5, "n_values": 6},
            "n_rows must be an integer of at least 6, got 5",
        ),
        (
            make_synthetic,
            {"n_rows": 5, "n_classes": 6},
            "n_rows must be an integer of at least 6, got 5",
        ),
        (make_synthetic, {"n_attributes": 0}, "n_attributes must be a positive integer, got 0"),
        (make_synthetic, {"coupling": -0.1}, "coupling must be a number from 0 to 1, got -0.1"),
    ],
)
def test_bad_arguments(make, arguments, error):
    with pytest.raises(ValueError, match=error):
        make(**arguments)
