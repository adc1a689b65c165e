"""The weightings of the default: shares of the energy, and what counts among the values."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from tables import latent_classes, small_tables
from untie import count_table
from untie._learn.columns.attributes import NO_RELEVANCE
from untie._learn.linalg.spectrum import roots
from untie._learn.spaces.kernel_spaces import VALUES, identity_spaces
from untie._learn.spaces.value_tables import Dense
from untie._learn.spaces.value_tree import tree_spaces
from untie._learn.weights.weightings import (
    ALTERNATIVES,
    Problem,
    by_discount,
    shared,
)

SHARES = {"couplings": 0.7, "relevance": 0.0}


def problem(table):
    counts = count_table(table).counts
    return Problem(identity_spaces(counts).beside(tree_spaces(counts)), counts, 3)


def parts(given):
    """For each attribute, what a vector has for the values and for the branches."""

    def cut(vector):
        is_value = given.spaces.split(given.spaces.are(VALUES))
        for own, values in zip(given.spaces.split(vector), is_value, strict=True):
            yield own[values], own[~values]

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
        "couplings": np.repeat(votes, counts.sizes),
    }
    for name, weights in wanted.items():
        cut = list(parts(given)(ALTERNATIVES[name](given)))
        own = np.concatenate([values for values, _ in cut])
        if own.any():  # a table in which nothing varies has no energy to share out
            np.testing.assert_allclose(own / own.sum(), weights / weights.sum(), rtol=1e-9)
        branches = np.concatenate([branches for _, branches in cut])
        of_branches = np.repeat(votes, [len(branches) for _, branches in cut])
        if branches.any():
            share = branches / branches.sum()
            np.testing.assert_allclose(share, of_branches / of_branches.sum(), rtol=1e-9)


def test_couplings_that_tell_nothing_leave_all_to_the_values():
    counts = count_table([[a, b] for a in "xy" for b in "uvw"]).counts
    spaces = tree_spaces(counts)
    mute = replace(
        spaces,
        blocks=tuple(replace(b, table=Dense(np.ones(b.table.shape))) for b in spaces.blocks),
    )
    given = Problem(identity_spaces(counts).beside(mute), counts, 2)
    for weighting in (*ALTERNATIVES.values(), shared(by_discount, 1.0)):
        cut = list(parts(given)(weighting(given)))
        assert all(own.all() and not branches.any() for own, branches in cut)


def test_the_default_says_which_values_are_alike():
    # "mild" goes with the same things as "low", "high" does not; one-hot would not see it.
    rows = [["low", "a", "x"], ["mild", "a", "x"], ["high", "b", "y"]] * 20 + [["low", "b", "y"]]
    given = problem(rows)
    vectors = roots(given.spaces, ALTERNATIVES["couplings"](given))[0].array
    high, low, mild = vectors @ vectors.T
    assert low[2] > low[0]
    assert np.isclose(mild[1], low[2])
    assert high[0] > high[2]
