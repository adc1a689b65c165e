"""The gain of a description against its definition, and what it prefers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes, small_tables
from untie._learn.selection.cluster_gain import description_gain


def slow_gain(rows, labels, votes):
    """Follow the definition: one cell after another, each predicted from those before it.

    Before any, a value is as likely as in the whole column, with the weight of ten cells.
    """

    def log_evidence(values, column):
        seen, total = {}, 0.0
        for number, value in enumerate(values):
            share = column.count(value) / len(column)
            total += math.log((seen.get(value, 0) + 10 * share) / (number + 10))
            seen[value] = seen.get(value, 0) + 1
        return total

    gain = 0.0
    for attribute, vote in enumerate(votes):
        column = [row[attribute] for row in rows]
        parts = sum(
            log_evidence([v for v, label in zip(column, labels, strict=True) if label == c], column)
            for c in set(labels)
        )
        gain += vote * (parts - log_evidence(column, column))
    shares = [labels.count(c) / len(labels) for c in set(labels)]
    return gain / len(rows) + sum(share * math.log(share) for share in shares)


def coded(table):
    codes = np.stack([table[c].astype("category").cat.codes for c in table], axis=1).astype(int)
    return codes, (codes.max(axis=0) + 1).tolist()


@given(table=small_tables(), data=st.data())
def test_the_definition(table, data):
    n_rows = len(table)
    labels = data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    codes, sizes = coded(table)
    votes = np.linspace(0.5, 1.0, codes.shape[1])
    found = description_gain(codes, sizes, np.ones(n_rows), np.array(labels), votes)
    expected = slow_gain(table.to_numpy().tolist(), labels, votes)
    assert found == pytest.approx(expected, abs=1e-9)


@given(table=small_tables(), data=st.data())
def test_weights_equal_repetition(table, data):
    n_rows = len(table)
    draw = st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)
    labels, times = np.array(data.draw(draw)), np.array(data.draw(draw)) + 1
    codes, sizes = coded(table)
    votes = np.ones(codes.shape[1])
    weighted = description_gain(codes, sizes, times.astype(float), labels, votes)
    repeated = description_gain(
        np.repeat(codes, times, axis=0),
        sizes,
        np.ones(times.sum()),
        np.repeat(labels, times),
        votes,
    )
    assert weighted == pytest.approx(repeated)


def test_the_classes_describe_better_than_chance():
    table, classes = latent_classes(200, 3, 6, 4, seed=0)
    codes, sizes = coded(table)
    rng = np.random.default_rng(0)
    args = codes, sizes, np.ones(200)
    right = description_gain(*args, classes, np.ones(6))
    assert right > 1.6
    assert description_gain(*args, rng.permutation(classes), np.ones(6)) < 0
    assert description_gain(*args, np.zeros(200, int), np.ones(6)) == pytest.approx(0.0)


def test_unknown_cells_do_not_count():
    codes = np.array([[0, 0], [1, 1], [2, 0]])  # the last row's first value is unknown
    labels, weights = np.array([0, 1, 0]), np.ones(3)
    found = description_gain(codes, (2, 2), weights, labels, np.array([1.0, 0.0]))
    known = description_gain(codes[:2], (2, 2), weights[:2], labels[:2], np.array([1.0, 0.0]))
    entropy = -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3))
    assert found + entropy == pytest.approx((known + math.log(2)) * 2 / 3)


def test_values_that_are_merely_declared_cost_nothing():
    table, classes = latent_classes(100, 2, 4, 3, seed=1)
    codes, sizes = coded(table)
    args = np.ones(100), classes, np.ones(4)
    plain = description_gain(codes, sizes, *args)
    declared = description_gain(codes, [size + 50 for size in sizes], *args)
    assert declared == pytest.approx(plain)
