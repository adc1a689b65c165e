"""Ward's method against its definition, scipy's and every order of the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import linkage

from untie._learn.spaces import value_tree
from untie._learn.spaces.value_tree import ward_merges


def partitions(merges, names):
    """Return the sets of rows after each step."""
    groups = {number: frozenset([name]) for number, name in enumerate(names)}
    steps = []
    for n_groups, merged in merges:
        for numbers in merged:
            groups[numbers[0]] = frozenset().union(*(groups[number] for number in numbers))
            for number in numbers[1:]:
                del groups[number]
        assert len(groups) == n_groups
        steps.append(set(groups.values()))
    return steps


@pytest.mark.parametrize("n_rows", [2, 3, 10, 60])
@pytest.mark.parametrize("seed", range(3))
def test_without_ties_it_is_as_scipys(n_rows, seed):
    rows = np.random.default_rng(seed).random((n_rows, 4))
    pairs = linkage(rows, "ward")[:, :2].astype(int)
    groups = {number: frozenset([number]) for number in range(n_rows)}
    expected = []
    for number, (left, right) in enumerate(pairs, start=n_rows):
        groups[number] = groups.pop(left) | groups.pop(right)
        expected.append(set(groups.values()))
    assert partitions(ward_merges(rows, np.ones(n_rows)), range(n_rows)) == expected


def spread(rows):
    return ((rows - rows.mean(axis=0)) ** 2).sum()


@given(
    rows=arrays(float, st.tuples(st.integers(2, 7), st.just(2)), elements=st.integers(0, 5)),
    data=st.data(),
)
def test_the_definition(rows, data):
    """Each step merges the groups whose spread grows least; sizes are repetitions."""
    rows = np.unique(rows, axis=0)
    count = st.integers(1, 3)
    times = np.array(data.draw(st.lists(count, min_size=len(rows), max_size=len(rows))))
    before = {frozenset([number]) for number in range(len(rows))}
    for after in partitions(ward_merges(rows, times.astype(float)), range(len(rows))):
        parts = {
            group: np.repeat(rows[list(group)], times[list(group)], axis=0) for group in before
        }
        costs = {
            frozenset([one, other]): spread(np.vstack([parts[one], parts[other]]))
            - spread(parts[one])
            - spread(parts[other])
            for one in before
            for other in before
            if one != other
        }
        lowest = min(costs.values())
        near = [pair for pair, cost in costs.items() if cost <= lowest + 1e-9]
        for group in after - before:
            inside = [part for part in before if part <= group]
            reached, todo = set(), inside[:1]
            while todo:  # the groups inside are connected by pairs that are nearest
                part = todo.pop()
                reached.add(part)
                todo += [o for pair in near if part in pair for o in pair if o not in reached]
            assert reached == set(inside)
        assert all(any(set(pair) <= set(_inside(g, before)) for g in after) for pair in near)
        before = after


def _inside(group, parts):
    return [part for part in parts if part <= group]


@given(
    rows=arrays(float, st.tuples(st.integers(1, 9), st.just(3)), elements=st.integers(0, 2)),
    data=st.data(),
)
def test_the_order_of_rows_plays_no_part(rows, data):
    rows = np.unique(rows, axis=0)
    order = np.array(data.draw(st.permutations(range(len(rows)))))
    sizes = np.ones(len(rows))
    one = partitions(ward_merges(rows, sizes), range(len(rows)))
    other = partitions(ward_merges(rows[order], sizes), order.tolist())
    assert one == other


def test_one_row_has_nothing_to_merge():
    assert list(ward_merges(np.zeros((1, 3)), np.ones(1))) == []


@pytest.mark.parametrize("seed", range(20))
def test_lines_that_are_dropped_change_nothing(seed, monkeypatch):
    """With ties, with costs that are equal to some and not to others, and without."""
    draws = np.random.default_rng(seed)
    rows = draws.random((150, 3)) if seed % 2 else draws.integers(0, 12, (150, 2)).astype(float)
    rows = np.unique(rows, axis=0) * (1.0 + 3e-10 * draws.random((1, 1)) * (seed % 3))
    rows *= 1.0 + 5e-10 * draws.random(rows.shape) * (seed % 4)
    sizes = draws.integers(1, 3, len(rows)).astype(float)
    monkeypatch.setattr(value_tree, "FEWER", 0.0)
    expected = list(ward_merges(rows, sizes))
    monkeypatch.setattr(value_tree, "FEWER", 0.99)
    assert list(ward_merges(rows, sizes)) == expected


@pytest.mark.parametrize("n_near", [0, 2, 40])
def test_squared_distances_have_their_digits(n_near):
    """Of rows that are near each other and far from the others, too; and of most rows so."""
    draws = np.random.default_rng(n_near)
    rows = draws.random((60, 30)) + 100.0 * draws.random(30)
    rows[:n_near] = rows[0] + 1e-7 * draws.random((n_near, 30))
    found = value_tree.precise_distances(rows)
    expected = np.array([[((one - other) ** 2).sum() for other in rows] for one in rows])
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    np.testing.assert_array_equal(found, found.T)
