"""Trees of values: against their definition, and what plays no part in them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

from tables import latent_classes, small_tables
from untie import count_table
from untie._learn.spaces import value_tree
from untie._learn.spaces.value_tree import branches_of, co_occurrence, occurrence, tree_spaces


def similarities(branches):
    return (branches.members * branches.lengths[:, None]).T @ branches.members


@pytest.mark.parametrize("seed", range(3))
def test_the_definition(seed):
    """Two values are as alike as the levels at which they are together: log(k / (k - 1)) each."""
    profiles = np.random.default_rng(seed).random((12, 5))
    groups = {number: [number] for number in range(12)}
    expected = np.eye(12) * np.log(12 / 11)
    for number, (left, right, *_) in enumerate(linkage(profiles, "ward")[:-1], start=12):
        groups[number] = groups.pop(int(left)) + groups.pop(int(right))
        for members in groups.values():
            expected[np.ix_(members, members)] += np.log(len(groups) / (len(groups) - 1))
    np.testing.assert_allclose(similarities(branches_of(profiles)), expected, atol=1e-12)


def test_equal_values_are_one():
    profiles = np.array([[0.0, 1.0], [0.0, 1.0], [3.0, 0.0]])
    found = similarities(branches_of(profiles))
    np.testing.assert_allclose(found, np.log(2) * np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]]))


@pytest.mark.parametrize("n_values", [0, 1])
def test_a_single_value_has_no_branches(n_values):
    found = branches_of(np.zeros((n_values, n_values))).scaled()
    assert found.members.shape == (0, n_values)
    assert len(found.lengths) == 0


def distances(table):
    """Return the distances of values by their names."""
    counted = count_table(table)
    spaces = tree_spaces(counted.counts)
    found = {}
    for column, values, part in zip(
        counted.vocabulary.columns, counted.vocabulary.values, spaces.columns, strict=True
    ):
        vectors = part.array
        for one, own in zip(values, vectors, strict=True):
            for other, theirs in zip(values, vectors, strict=True):
                found[column, one, other] = float(((own - theirs) ** 2).sum())
    return found


@given(table=small_tables(), data=st.data())
def test_names_and_orders_play_no_part(table, data):
    new_name = {
        column: dict(zip(values, data.draw(st.permutations(values)), strict=True))
        for column, values in ((c, sorted(table[c].unique())) for c in table)
    }
    renamed = pd.DataFrame({c: table[c].map(new_name[c]) for c in table})
    order = data.draw(st.permutations(list(table)))
    shuffled = renamed[order].sample(frac=1, random_state=0)
    expected = {
        (c, new_name[c][one], new_name[c][other]): distance
        for (c, one, other), distance in distances(table).items()
    }
    assert distances(shuffled) == pytest.approx(expected, abs=1e-9)


def test_the_spaces_are_the_branches_of_each_column():
    table, _ = latent_classes(80, 3, 4, 3, seed=0)
    counts = count_table(table).counts
    spaces = tree_spaces(counts)
    for number, profiles in enumerate((co_occurrence(counts), occurrence(counts))):
        expected = similarities(branches_of(profiles))
        expected /= expected.diagonal().mean()
        for attribute, columns in enumerate(spaces.columns):
            span, widths = counts.span(attribute), spaces.widths[attribute]
            start = sum(widths[:number])
            own = columns.array[:, start : start + widths[number]]
            assert widths[number] <= 2 * counts.sizes[attribute] - 2
            found, whole = own @ own.T, expected[span, span]
            # Branches with all values of a column on them are left out; distances stay.
            np.testing.assert_allclose(_apart(found), _apart(whole), atol=1e-9)


def _apart(products):
    squares = products.diagonal()
    return squares[:, None] + squares - 2 * products


def test_the_rarest_values_are_alike_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(value_tree, "MOST_LEAVES", 4)
    table = pd.DataFrame({"a": list("wwwwwxxxxyz"), "b": list("ppppqqqqqqq")})
    wide, other = tree_spaces(count_table(table).counts).columns
    w, x, y, z = wide.array
    assert not y.any()
    assert not z.any()
    assert np.linalg.norm(w - x) > 0
    assert np.linalg.norm(other.array[0] - other.array[1]) > 0


def test_a_column_of_very_many_values_has_no_part():
    table = pd.DataFrame({"id": [f"i{n}" for n in range(600)], "b": ["p", "q", "q"] * 200})
    spaces = tree_spaces(count_table(table).counts)
    assert spaces.widths[0] == (0, 0)
    assert spaces.columns[0].shape == (600, 0)
    assert min(spaces.widths[1]) > 0


def test_values_that_never_occur_have_no_place():
    table = pd.DataFrame(
        {"a": pd.Categorical(["p", "q"] * 5, ["p", "q", "r"]), "b": ["x", "y"] * 5}
    )
    first = tree_spaces(count_table(table).counts).columns[0].array
    bare = tree_spaces(count_table(table.astype(str)).counts).columns[0].array
    np.testing.assert_allclose(_apart(first[:2] @ first[:2].T), _apart(bare @ bare.T))


def test_values_whose_profiles_differ_by_rounding_are_one_from_the_start():
    """Renamed values change the last bits; a number between two digits went either way."""
    between = 0.1234567890125
    exact = branches_of(np.array([[between, 1.0], [between, 1.0], [5.0, 1.0], [9.0, 1.0]]))
    other = branches_of(
        np.array(
            [[between * (1 - 1e-15), 1.0], [between * (1 + 1e-15), 1.0], [5.0, 1.0], [9.0, 1.0]]
        )
    )
    np.testing.assert_array_equal(other.members, exact.members)
    np.testing.assert_allclose(other.lengths, exact.lengths)
