"""Distances attribute by attribute, against vectors of whole rows; dense and sparse tables."""

import numpy as np
import pytest
from scipy import sparse

from untie._learn.spaces import value_space
from untie._learn.spaces.value_space import ValueSpace, add_up, count_members, likeness


@pytest.fixture(params=["dense", "sparse"])
def case(request):
    rng = np.random.default_rng(0)
    tables = [rng.random((size + 1, size)) for size in (3, 5, 2)]
    codes = [rng.integers(0, len(table), 40).astype(np.uint8) for table in tables]
    rows = np.hstack([table[column] for table, column in zip(tables, codes, strict=True)])
    given = [sparse.csr_array(t) for t in tables] if request.param == "sparse" else tables
    return ValueSpace(given), codes, rows


@pytest.mark.parametrize("block", [3, value_space.BLOCK_NUMBERS])
def test_distances_to_rows(case, block, monkeypatch):
    monkeypatch.setattr(value_space, "BLOCK_NUMBERS", block)
    space, codes, rows = case
    chosen = [5, 17, 5]
    tables = space.distances_to_rows([column[chosen] for column in codes])
    found = np.vstack([part for _, part in add_up(tables, codes)])
    expected = np.square(rows[:, None] - rows[chosen]).sum(axis=2)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (found[chosen, [0, 1, 2]] == 0).all()


def test_distances_to_means(case):
    space, codes, rows = case
    members = np.arange(40) % 3
    weights = np.random.default_rng(1).random(40)
    counts = count_members(codes, space.n_codes, members, 3, weights)
    means = np.stack(
        [np.average(rows[members == c], axis=0, weights=weights[members == c]) for c in range(3)]
    )
    centers = space.centers(counts)
    np.testing.assert_allclose(np.hstack(centers), means)
    tables = space.distances_to_points(centers)
    found = np.vstack([part for _, part in add_up(tables, codes)])
    np.testing.assert_allclose(found, np.square(rows[:, None] - means).sum(axis=2), atol=1e-12)


def test_likeness_is_the_cosine_or_of_an_order_the_distance():
    vectors = np.random.default_rng(0).normal(size=(7, 4))
    vectors[3] = 0.0
    apart = np.square(vectors[:, None] - vectors).sum(axis=2)
    np.testing.assert_allclose(likeness(vectors, has_order=True), 1 - apart / apart.max())
    found = likeness(vectors, has_order=False)
    for a in range(7):
        for b in range(7):
            lengths = np.linalg.norm(vectors[a]) * np.linalg.norm(vectors[b])
            cosine = vectors[a] @ vectors[b] / lengths if lengths else 0.0
            assert found[a, b] == pytest.approx(cosine)
    assert (likeness(np.ones((2, 3)), has_order=True) == 1).all()
