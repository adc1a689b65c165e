"""The weightings of the default: shares of the energy, and what counts among the values."""

import numpy as np
import pytest
from hypothesis import given

from tables import latent_classes, small_tables
from untie import count_table
from untie._learn.attributes import NO_RELEVANCE
from untie._learn.couplings import resolve_couplings
from untie._learn.kernels import resolve_kernels, resolve_normalization
from untie._learn.solvers import ALTERNATIVES, Problem
from untie._learn.spaces import build_spaces, identity_spaces, side_by_side
from untie._learn.spectrum import roots

SHARES = {"relevance": 0.01, "values": 0.1, "kernels": 1.0}


def problem(table):
    counts = count_table(table).counts
    kernels = build_spaces(
        counts,
        resolve_couplings(("intra", "inter")),
        resolve_kernels("paper"),
        resolve_normalization("diagonal"),
    )
    return Problem(side_by_side(identity_spaces(counts), kernels), counts, 3)


def parts(given):
    """For each attribute, omega[space, column] of the values and of the kernels."""

    def cut(vector):
        for size, own in zip(given.counts.sizes, given.spaces.split(vector), strict=True):
            yield own.reshape(-1, size)[:1], own.reshape(-1, size)[1:]

    return cut


@pytest.mark.parametrize("name", ALTERNATIVES)
def test_shares_of_the_energy(name):
    given = problem(latent_classes(300, 3, 6, 4, seed=1)[0])
    omega, energy = ALTERNATIVES[name](given), given.energies
    values = sum(own.sum() for own, _ in parts(given)(omega * energy))
    assert 1 - values / energy.sum() == pytest.approx(SHARES[name])
    assert omega @ energy == pytest.approx(energy.sum())


@given(table=small_tables(min_rows=2))
def test_weights_within_a_part(table):
    given = problem(table)
    counts, votes = given.counts, given.attributes.votes
    rarity = 1 / np.sqrt(np.maximum(counts.frequencies / counts.n, 0.5 / counts.n))
    of_columns = votes * np.sqrt(given.attributes.relevance + NO_RELEVANCE)
    wanted = {
        "relevance": rarity * np.repeat(of_columns, counts.sizes),
        "values": np.repeat(votes, counts.sizes),
    }
    for name, weights in wanted.items():
        cut = list(parts(given)(ALTERNATIVES[name](given)))
        own = np.concatenate([values.ravel() for values, _ in cut])
        if own.any():  # a table in which nothing varies has no energy to share out
            np.testing.assert_allclose(own / own.sum(), weights / weights.sum(), rtol=1e-9)
        for vote, (_, kernels) in zip(votes, cut, strict=True):
            np.testing.assert_allclose(kernels, kernels.flat[0], rtol=1e-9)
            first = cut[0][1].flat[0] / votes[0]
            assert kernels.flat[0] == pytest.approx(vote * first)


def test_kernels_that_tell_nothing_leave_all_to_the_values():
    given = problem([[a, b] for a in "xy" for b in "uvw"])
    for name in ("relevance", "values"):
        cut = list(parts(given)(ALTERNATIVES[name](given)))
        assert all(own.all() and not kernels.any() for own, kernels in cut)
    assert not ALTERNATIVES["kernels"](given).any()


def test_the_default_says_which_values_are_alike():
    # "mild" goes with the same things as "low", "high" does not; one-hot would not see it.
    rows = [["low", "a", "x"], ["mild", "a", "x"], ["high", "b", "y"]] * 20 + [["low", "b", "y"]]
    given = problem(rows)
    vectors = roots(given.spaces, ALTERNATIVES["values"](given))[0].array
    high, low, mild = vectors @ vectors.T
    assert low[2] > low[0]
    assert np.isclose(mild[1], low[2])
    assert high[0] > high[2]
