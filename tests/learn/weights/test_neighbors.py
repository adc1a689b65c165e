"""The weightings for retrieval: shares of the energy, and what columns count."""

import numpy as np
import pytest
from hypothesis import given

from tables import latent_classes, small_tables
from untie import count_table
from untie._learn.columns.attributes import NO_RELEVANCE
from untie._learn.spaces.couplings import resolve_couplings
from untie._learn.spaces.kernel_spaces import VALUES, build_spaces, identity_spaces
from untie._learn.spaces.kernels import resolve_kernels, resolve_normalization
from untie._learn.weights.weightings import OF_NEIGHBORS, Problem

SHARES = {"halves": 0.5, "values": 0.1, "kernels": 0.99}


def problem(table):
    counts = count_table(table).counts
    kernels = build_spaces(
        counts,
        resolve_couplings(("intra", "inter")),
        resolve_kernels("paper"),
        resolve_normalization("diagonal"),
    )
    return Problem(identity_spaces(counts).beside(kernels), counts, 1)


@pytest.mark.parametrize("name", OF_NEIGHBORS)
def test_shares_of_the_energy(name):
    given = problem(latent_classes(300, 3, 6, 4, seed=1)[0])
    energy = OF_NEIGHBORS[name](given) * given.energies
    own = energy[given.spaces.are(VALUES)].sum()
    assert energy.sum() == pytest.approx(given.energies.sum())
    assert 1 - own / energy.sum() == pytest.approx(SHARES[name])


@given(table=small_tables(min_rows=2))
def test_all_that_a_column_has_counts_alike(table):
    given = problem(table)
    attributes, is_value = given.attributes, given.spaces.are(VALUES)
    of_columns = attributes.votes * np.sqrt(attributes.relevance + NO_RELEVANCE)
    widths = [columns.shape[1] for columns in given.spaces.columns]
    expected = np.repeat(of_columns, widths)
    for weigh in OF_NEIGHBORS.values():
        omega = weigh(given)
        for part in (is_value, ~is_value):
            if omega[part].any():  # kernels that tell nothing have no weight
                share = omega[part] / omega[part].sum()
                np.testing.assert_allclose(share, expected[part] / expected[part].sum(), rtol=1e-9)


def test_kernels_that_tell_nothing_leave_all_to_the_values():
    given = problem([[a, b] for a in "xy" for b in "uvw"])
    is_value = given.spaces.are(VALUES)
    for weigh in OF_NEIGHBORS.values():
        omega = weigh(given)
        assert omega[is_value].all()
        assert not omega[~is_value].any()
