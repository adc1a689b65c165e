"""Even weights: every column has the energy of its vote, and its order most of that."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie import TableEncoder, count_table
from untie._learn.spaces.couplings import resolve_couplings
from untie._learn.spaces.kernel_spaces import build_spaces, identity_spaces
from untie._learn.spaces.kernels import resolve_kernels, resolve_normalization
from untie._learn.spaces.order_space import order_spaces
from untie._learn.weights.weightings import ALTERNATIVES, OF_MIXED, OF_ORDER, Problem
from untie._table.orders import ORDER


def problem(columns, orders, weights=None):
    table = pd.DataFrame(columns).astype(object)
    counted = count_table(table, sample_weight=weights)
    found = tuple(
        None if order is None else np.array([order.get(value, -1) for value in values])
        for order, values in zip(orders, counted.vocabulary.values, strict=True)
    )
    counts = counted.counts
    spaces = identity_spaces(counts).beside(order_spaces(counts, found))
    return Problem(spaces, counts, 2, None, found), table, counted.vocabulary.values


def slow_energies(given, table, values, weights=None):
    """Return the centered energy of each column's values and order under the weights, from rows.

    Returns
    -------
    list of (energy of the values, energy of the order)
    """
    omega = given.spaces.split(OF_MIXED["even"](given))
    weights = np.ones(len(table)) if weights is None else weights
    result = []
    for own, known, name, order in zip(omega, values, table, given.orders, strict=True):
        codes = [known.index(None if pd.isna(cell) else cell) for cell in table[name]]
        one_hot = np.eye(len(known))[codes]
        parts = [one_hot]
        if order is not None:
            frequencies = weights @ one_hot
            below = [frequencies[(order < place) & (order >= 0)].sum() for place in order]
            same = [frequencies[order == place].sum() for place in order]
            total = frequencies[order >= 0].sum()
            rank = (
                (np.array(below) + np.array(same) / 2) / total
                if total
                else np.full(len(order), 0.5)
            )
            rank[order < 0] = 0.5
            parts.append(np.stack([rank, 1 - rank], axis=1)[codes])
        start, energies = 0, []
        for part in parts:
            centered = part - weights @ part / weights.sum()
            scaled = own[start : start + part.shape[1]] * (weights @ np.square(centered))
            energies.append(float(scaled.sum()))
            start += part.shape[1]
        result.append((energies[0], energies[1] if len(energies) > 1 else 0.0))
    return result


AGES = {"up to 5": 0, "6 to 9": 1, "over 9": 2}
CELLS = st.sampled_from([*AGES, None])


@given(
    st.lists(st.tuples(CELLS, st.sampled_from("uvw"), CELLS), min_size=2, max_size=20),
    st.sampled_from([None, 0.1, 1 / 3, 1e12]),
)
def test_every_column_has_the_energy_of_its_vote(rows, scale):
    columns = dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True))
    rng = np.random.default_rng(len(rows))
    weights = None if scale is None else scale * (rng.random(len(rows)) + 0.01)
    given, table, values = problem(columns, (AGES, None, AGES), weights)
    found = slow_energies(given, table, values, weights)
    votes = np.where([len(v) > 1 for v in values], given.attributes.votes, 0)
    if not votes.any():
        return
    totals = np.array([sum(pair) for pair in found])
    np.testing.assert_allclose(totals / totals.sum(), votes / votes.sum(), atol=1e-9)
    assert totals.sum() == pytest.approx(given.energies.sum(), rel=1e-6)
    for (_, of_order), total, known, order in zip(found, totals, values, given.orders, strict=True):
        n_places = len({AGES[value] for value in known if value in AGES})
        has_order = order is not None and n_places > 1
        assert of_order == pytest.approx(OF_ORDER * total if has_order else 0, rel=1e-6, abs=1e-9)


def test_copies_have_one_vote_together():
    rng = np.random.default_rng(0)
    ages, letters = rng.choice(list(AGES), 200), rng.choice(list("uvw"), 200)
    columns = {"a": ages, "b": letters, "copy": ages}
    given, table, values = problem(columns, (AGES, None, AGES))
    a, b, copy = (sum(pair) for pair in slow_energies(given, table, values))
    assert a == pytest.approx(copy)
    assert a + copy == pytest.approx(b)


def test_an_order_of_one_place_leaves_all_to_the_values():
    """Of a column with one value in the order and missing cells, the values tell all there is."""
    weights = np.array([0.1, 0.7, 0.3, 0.9, 0.2, 0.6])  # sums that have rounding
    columns = {"a": ["up to 5", None] * 3, "b": list("uvwuvw")}
    given, table, values = problem(columns, (AGES, None), weights)
    (own, of_order), (other, _) = slow_energies(given, table, values, weights)
    assert of_order == pytest.approx(0, abs=1e-12)
    assert own == pytest.approx(other)
    assert np.isfinite(given.energies).all()
    assert OF_MIXED["even"](given).max() < 100  # no rounding is blown up


@pytest.mark.parametrize("name", ALTERNATIVES)
def test_the_other_weightings_leave_most_of_a_column_to_its_order(name):
    rng = np.random.default_rng(0)
    letters = rng.choice(list("uvw"), 200)
    ages = np.where(rng.random(200) < 0.5, np.array(list(AGES))[rng.integers(0, 3, 200)], "over 9")
    columns = {"a": ages, "b": letters, "c": np.where(rng.random(200) < 0.6, letters, "w")}
    given, _, _ = problem(columns, (AGES, None, None))
    kernels = build_spaces(
        given.counts,
        resolve_couplings(("intra", "inter")),
        resolve_kernels("paper"),
        resolve_normalization("diagonal"),
    )
    given = replace(given, spaces=given.spaces.beside(kernels))
    bare = replace(given, spaces=identity_spaces(given.counts).beside(kernels))
    energies = given.energies * ALTERNATIVES[name](given)
    found = [part.sum() for part in given.spaces.split(energies)]
    without = [part.sum() for part in bare.spaces.split(bare.energies * ALTERNATIVES[name](bare))]
    # Orders take nothing from other columns: all have their shares of the energy.
    np.testing.assert_allclose(found / np.sum(found), without / np.sum(without), atol=1e-9)
    of_order = energies[given.spaces.are(ORDER)].sum()
    assert of_order == pytest.approx(OF_ORDER * found[0])


def test_the_default_takes_them_where_there_is_an_order():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.choice(list(AGES), 60), "b": rng.choice(list("uvw"), 60)})
    encoder = TableEncoder(2, preparer=None).fit(table)
    assert encoder.gains_ == {}
    assert encoder._model.labels[1][0] == "order"
    given, _, _ = problem(table, (AGES, None))
    np.testing.assert_allclose(encoder.omega_, OF_MIXED["even"](given))
    assert len(TableEncoder(2, ordered=False, preparer=None).fit(table).gains_) > 1
