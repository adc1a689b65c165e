"""A learned network's rows depend on themselves alone; none of this needs PyTorch."""

import numpy as np
import pytest

from untie_paper.baselines._deep import network as module
from untie_paper.baselines._deep.features import Features
from untie_paper.baselines._deep.network import Network

SIZES = (3, 5, 2, 40)


@pytest.fixture
def network():
    rng = np.random.default_rng(0)
    shares = np.concatenate([rng.dirichlet(np.ones(size)) for size in SIZES])
    left, right = np.array([0, 1, 2, 4, 4]), np.array([4, 5, 20, 9, 30])
    features = Features(SIZES, shares, left, right)
    n_dimensions = features.embedding_mask.shape[1]
    return Network(
        features,
        rng.normal(size=(50, n_dimensions)) * features.embedding_mask,
        ((rng.normal(size=(n_dimensions, 64)), rng.normal(size=64)),),
        rng.normal(size=(64, 8))[:, :3],  # not contiguous, as parts of a larger array are
        rng.normal(size=(55, 8))[:, :3],
        rng.normal(size=3),
        bounded=True,
    )


@pytest.fixture
def codes():
    rng = np.random.default_rng(1)
    return [rng.integers(0, size + 1, 500) for size in SIZES]  # some unknown


def take(codes, rows):
    return [column[rows] for column in codes]


@pytest.mark.parametrize("method", ["outputs", "hidden"])
def test_a_row_alone_is_the_row_among_others_to_the_last_bit(network, codes, method):
    rows_of = getattr(network, method)
    together = rows_of(codes)
    for row in range(0, 500, 7):
        np.testing.assert_array_equal(rows_of(take(codes, [row])), together[[row]])
    order = np.random.default_rng(2).permutation(500)
    np.testing.assert_array_equal(rows_of(take(codes, order)), together[order])


@pytest.mark.parametrize("method", ["outputs", "hidden"])
def test_blocks_of_rows_do_not_matter(network, codes, method, monkeypatch):
    together = getattr(network, method)(codes)
    monkeypatch.setattr(module, "BLOCK_ROWS", 13)
    np.testing.assert_array_equal(getattr(network, method)(codes), together)


def test_no_rows(network, codes):
    assert network.outputs(take(codes, slice(0))).shape == (0, 3)
    assert network.hidden(take(codes, slice(0))).shape == (0, 64)
