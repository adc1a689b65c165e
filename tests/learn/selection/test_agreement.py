"""Adjusted Rand index and silhouette of weighted rows, against scikit-learn's of repeated ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, silhouette_score

from untie._learn.selection.choose_k import adjusted_rand, distances_of, silhouette


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 4)), min_size=2))
def test_adjusted_rand_of_weighted_rows(rows):
    first, second, weights = (np.array(part) for part in zip(*rows, strict=True))
    expected = adjusted_rand_score(np.repeat(first, weights), np.repeat(second, weights))
    found = adjusted_rand(first, second, weights.astype(float))
    assert found == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 10**6))
def test_silhouette_of_weighted_rows(seed):
    rng = np.random.RandomState(seed)
    rows = rng.random_sample((12, 3))
    weights = rng.randint(1, 4, 12).astype(float)
    labels = np.append([0, 1, 2], rng.randint(0, 3, 9))
    expected = silhouette_score(
        np.repeat(rows, weights.astype(int), axis=0), np.repeat(labels, weights.astype(int))
    )
    found = silhouette(distances_of(rows), weights, labels)
    assert found == pytest.approx(expected, abs=1e-6)


def test_distances_of_rows():
    rows = np.random.default_rng(0).normal(size=(6, 3))
    expected = [[np.linalg.norm(one - other) for other in rows] for one in rows]
    np.testing.assert_allclose(distances_of(rows), expected, atol=1e-12)
