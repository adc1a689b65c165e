"""Coordinates on axes, against the definition of multiple correspondence analysis."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from untie._learn.clustering.points import of_axes, of_vectors


def slow_coordinates(cells, sizes, weights, votes, n_axes):
    """Follow the definition: the longest axes of the standardized indicators, row by row."""
    columns = []
    for column, size, vote in zip(cells.T, sizes, votes, strict=True):
        known = column < size
        for value in range(size):
            share = weights[column == value].sum() / weights[known].sum()
            if share > 0:
                deviation = np.where(known, (column == value) - share, 0.0)
                columns.append(np.sqrt(vote) * deviation / np.sqrt(share))
    rows = np.stack(columns, axis=1)
    roots = np.sqrt(weights / weights.sum())[:, None]
    _, _, axes = np.linalg.svd(roots * rows, full_matrices=False)
    return rows @ axes[:n_axes].T


@pytest.mark.parametrize("sizes", [(3, 4, 2, 5), (30, 40, 25, 2)], ids=["long", "wide"])
@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_coordinates_are_those_of_the_definition(sizes, n_clusters):
    rng = np.random.default_rng(0)
    cells = np.stack([rng.integers(0, size + 1, 60) for size in sizes], axis=1)
    weights, votes = rng.integers(1, 5, 60).astype(float), np.array([1.0, 0.5, 0.5, 1.0])
    points = of_axes(cells, sizes, votes, 5)(np.arange(60), weights)(n_clusters)
    expected = slow_coordinates(cells, sizes, weights, votes, n_clusters - 1)
    np.testing.assert_allclose(pdist(points), pdist(expected), atol=1e-9)


def test_only_the_rows_that_are_asked_for_matter():
    rng = np.random.default_rng(0)
    cells, some = rng.integers(0, 3, (50, 4)), np.arange(0, 50, 2)
    found = of_axes(cells, (3,) * 4, np.ones(4), 3)(some, np.ones(25))(3)
    alone = of_axes(cells[some], (3,) * 4, np.ones(4), 3)(np.arange(25), np.ones(25))(3)
    np.testing.assert_array_equal(found, alone)


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    cells, weights = rng.integers(0, 3, (30, 4)), rng.integers(1, 4, 30)
    weighted = of_axes(cells, (3,) * 4, np.ones(4), 3)(np.arange(30), weights.astype(float))(3)
    again = np.repeat(np.arange(30), weights)
    repeated = of_axes(cells[again], (3,) * 4, np.ones(4), 3)
    repeated = repeated(np.arange(len(again)), np.ones(len(again)))(3)
    np.testing.assert_allclose(pdist(weighted[again]), pdist(repeated), atol=1e-9)


def test_rows_that_are_alike_are_one_point():
    cells = np.zeros((10, 3), dtype=np.int64)
    for size in (1, 20):
        points = of_axes(cells, (size,) * 3, np.ones(3), 4)(np.arange(10), np.ones(10))(2)
        np.testing.assert_allclose(points, np.zeros((10, 1)), atol=1e-12)


def test_vectors_are_the_rows_own():
    vectors = np.arange(6.0).reshape(3, 2)
    assert of_vectors(vectors)(np.array([2, 0]), np.ones(2))(7).tolist() == [[4, 5], [0, 1]]
