"""Parts of k-modes: modes of clusters, runs and starts, on small problems made from codes."""

import numpy as np
import pytest

from distances import ahmad, cos, rough
from untie._count.packed_rows import distinct_rows
from untie.cluster import KModes
from untie.cluster._kmodes import (
    STARTS,
    ModesProblem,
    cao,
    fill_empty,
    huang,
    medians,
    one_row_a_cluster,
    random,
    run,
)

TOY = [[0, 1, 1, 0, 1, 0], [0, 1, 1, 2, 2, 3], [0, 0, 1, 2, 1, 2]]
"""The paper's toy table, with values in the order in which they first occur."""


def make_problem(columns, sizes, n_clusters, weights=None, tables=None, median=False):
    """Return a problem with Hamming's distances unless others are given."""
    codes = [np.array(column) for column in columns]
    rows = distinct_rows(codes, [size + 1 for size in sizes], weights)
    if tables is None:
        tables = [np.vstack([1 - np.eye(size), np.full(size, 1 - 1 / size)]) for size in sizes]
    frequencies = [
        np.bincount(column, weights, minlength=size + 1)[:size].astype(float)
        for column, size in zip(codes, sizes, strict=True)
    ]
    return ModesProblem(rows, tables, frequencies, n_clusters, median)


COLORS = ["white", "yellow", "green", "black"]


@pytest.mark.parametrize(
    ("distance", "sums", "chosen"),
    [
        (None, [2, 2, 2, 3], 0),
        (ahmad, [3 / 2, 5 / 4, 5 / 4, 2], 1),
        (cos, [9 / 4, 13 / 8, 13 / 8, 13 / 4], 1),
        (rough, [2, 5 / 2, 5 / 2, 3], 0),
    ],
)
def test_oracle_sums(melons, distance, sums, chosen):
    kmodes = KModes(2, distance=distance).fit(melons)
    order = [kmodes.vocabulary_.values[1].index(color) for color in COLORS]
    table = kmodes.distances_[1][np.ix_(order, order)]
    counts = np.array([[1, 1, 1, 0, 0]])  # A1, A2, A4; the last is for unknown values
    np.testing.assert_allclose(counts[:, :4] @ table, [sums], atol=5e-7)
    rounded = np.vstack([np.round(table, 9), np.zeros(4)])
    assert medians(counts, rounded, np.ones(4, bool)).tolist() == [chosen]


def test_of_equal_medians_the_more_frequent_then_the_first():
    table = np.array([[0.0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    counts = np.array([[1, 2, 2, 9], [0, 0, 0, 1]])
    assert medians(counts, table, np.ones(3, bool)).tolist() == [1, 0]


def test_a_median_occurs():
    table = np.array([[0.0, 1, 3], [1, 0, 1], [3, 1, 0], [2, 0, 2]])
    counts = np.array([[1, 0, 1, 0]])
    assert medians(counts, table, np.array([True, True, True])).tolist() == [1]
    assert medians(counts, table, np.array([True, False, True])).tolist() == [0]
    assert medians(counts, table, np.zeros(3, bool)).tolist() == [0]


def test_unknown_cells_pull_medians_but_are_not_frequent():
    table = np.array([[0.0, 1], [1, 0], [0, 5]])
    columns = [[0, 1, 1, 2, 2], [0, 1, 2, 3, 4]]
    tables = [table, np.vstack([1 - np.eye(5), np.ones(5)])]
    labels = np.zeros(5, int)
    frequent = make_problem(columns, (2, 5), 1, tables=tables).update(labels)
    median = make_problem(columns, (2, 5), 1, tables=tables, median=True).update(labels)
    assert (frequent[0, 0], median[0, 0]) == (1, 0)


def test_a_cluster_without_known_cells_has_the_typical_value():
    problem = make_problem([[2, 2, 1, 1, 0], [0, 1, 2, 3, 4]], (2, 5), 2)
    labels = np.array([1, 1, 1, 0, 0])  # rows are sorted by their codes
    order = problem.rows.codes[0]
    labels = (order == 2).astype(int)
    assert problem.update(labels)[:, 0].tolist() == [1, 1]


def test_weighted_modes():
    problem = make_problem([[0, 1, 1], [0, 1, 2]], (2, 3), 1, weights=np.array([5.0, 1, 1]))
    assert problem.update(np.zeros(3, int)).tolist() == [[0, 0]]
    assert problem.cost(np.zeros(3, int), np.array([[0, 0]])) == 4


def turning():
    """Return a problem whose most frequent values are poor modes: two states in turns."""
    rng = np.random.default_rng(2296)
    columns = rng.integers(0, 3, (2, 12))
    tables = []
    for _ in range(2):
        table = rng.integers(0, 9, (3, 3)).astype(float)
        table += table.T
        tables.append(table)
    for table in tables:
        np.fill_diagonal(table, 0)
    tables = [np.vstack([table, np.ones(3)]) for table in tables]
    return make_problem(columns, (3, 3), 2, tables=tables)


def test_a_cycle_ends_with_its_cheapest_state():
    problem = turning()
    modes = problem.modes_at(np.array([0, len(problem.rows) - 1]))
    found = run(problem, modes, 100, np.random.RandomState(0))
    costs = []
    for _ in range(7):
        labels, cost = problem.nearest(modes)
        costs.append(cost)
        modes = problem.update(labels)
    assert costs == [68, 43, 36, 43, 36, 43, 36]
    assert found.settled
    assert found.n_iter == 3
    assert found.cost == 36
    assert problem.nearest(found.modes)[1] == 36


def test_the_limit_ends_a_run():
    problem = turning()
    modes = problem.modes_at(np.array([0, len(problem.rows) - 1]))
    found = run(problem, modes, 1, np.random.RandomState(0))
    assert not found.settled
    assert (found.n_iter, found.cost) == (1, 68)
    np.testing.assert_array_equal(found.modes, modes)
    np.testing.assert_array_equal(found.labels, problem.nearest(modes)[0])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("median", [True, False])
def test_settled_means_that_nothing_moves(seed, median):
    rng = np.random.default_rng(seed)
    problem = make_problem(rng.integers(0, 3, (5, 40)), (3,) * 5, 4, median=median)
    found = run(problem, problem.modes_at(np.arange(4)), 100, np.random.RandomState(0))
    assert found.settled
    np.testing.assert_array_equal(problem.update(found.labels), found.modes)
    labels, cost = problem.nearest(found.modes)
    np.testing.assert_array_equal(labels, found.labels)
    assert cost == found.cost


@pytest.mark.parametrize("seed", range(20))
def test_medians_never_raise_the_cost(seed):
    rng = np.random.default_rng(seed)
    tables = [rng.random((4, 3)) for _ in range(5)]
    columns = rng.integers(0, 3, (5, 40))
    problem = make_problem(columns, (3,) * 5, 4, tables=tables, median=True)
    modes, costs = problem.modes_at(np.arange(4)), []
    for _ in range(10):
        labels, cost = problem.nearest(modes)
        costs.append(cost)
        if len(np.unique(labels)) < 4:
            return  # a row is moved, which may cost
        modes = problem.update(labels)
    assert (np.diff(costs) <= 1e-9).all()


def test_empty_clusters_get_rows_of_the_largest():
    problem = make_problem([[0, 1, 2, 3, 4, 5]], (6,), 4, weights=np.array([9.0, 1, 1, 1, 1, 1]))
    labels = np.array([0, 1, 1, 1, 1, 1])  # the heaviest cluster has one row alone
    filled = fill_empty(problem, labels, np.random.RandomState(0))
    assert np.bincount(filled, minlength=4).tolist() == [1, 3, 1, 1]
    full = np.array([0, 1, 2, 3, 3, 3])
    assert fill_empty(problem, full, np.random.RandomState(0)) is full


def test_every_row_may_be_moved():
    problem = make_problem([[0, 1, 2]], (3,), 2)
    rng = np.random.RandomState(0)
    moved = {int(fill_empty(problem, np.zeros(3, int), rng).argmax()) for _ in range(50)}
    assert moved == {0, 1, 2}


def test_rows_that_no_distance_tells_apart_settle():
    tables = [np.zeros((3, 2))] * 3
    problem = make_problem([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]], (2,) * 3, 2, tables=tables)
    found = run(problem, problem.modes_at(np.array([0, 1])), 100, np.random.RandomState(0))
    assert found.settled
    assert sorted(np.bincount(found.labels)) == [1, 3]


def test_one_row_a_cluster():
    problem = make_problem(TOY, (2, 4, 3), 8)
    found = one_row_a_cluster(problem)
    assert found.labels[problem.rows.positions].tolist() == [0, 1, 2, 3, 4, 5]
    assert found.modes.T.tolist() == [column + column[:2] for column in TOY]
    assert found.cost == 0


def objects(problem, modes):
    """Return the numbers of the table's rows that modes are."""
    firsts = {
        tuple(int(column[i]) for column in problem.rows.codes): int(first)
        for i, first in enumerate(problem.rows.first)
    }
    return [firsts[tuple(mode)] for mode in modes.tolist()]


@pytest.mark.parametrize(("n_clusters", "expected"), [(2, [1, 3]), (3, [1, 3, 4])])
def test_cao_oracle(n_clusters, expected):
    problem = make_problem(TOY, (2, 4, 3), n_clusters)
    assert objects(problem, cao(problem, None)) == expected


def test_oracle_densities():
    frequencies = make_problem(TOY, (2, 4, 3), 2).frequencies
    columns = zip(frequencies, map(np.array, TOY), strict=True)
    densities = sum(f[column] for f, column in columns) / 6 / 3
    np.testing.assert_allclose(densities, [1 / 3, *[7 / 18] * 4, 1 / 3])


def slow_cao(rows, n_clusters):
    """Return the numbers of the chosen rows, from the definition."""
    n, m = len(rows), len(rows[0])
    density = [
        sum(sum(other[j] == row[j] for other in rows) for j in range(m)) / (n * m) for row in rows
    ]
    chosen = [max(range(n), key=lambda i: density[i])]
    while len(chosen) < n_clusters:

        def worst(i):
            return min(
                density[i] * sum(a != b for a, b in zip(rows[i], rows[c], strict=True))
                for c in chosen
            )

        chosen.append(max(range(n), key=lambda i: round(worst(i), 12)))
    return chosen


@pytest.mark.parametrize("seed", range(10))
def test_cao_as_defined(seed):
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 3, (4, 20))
    problem = make_problem(columns, (3,) * 4, 5)
    rows = [tuple(row) for row in columns.T.tolist()]
    expected = [rows.index(rows[i]) for i in slow_cao(rows, 5)]
    assert objects(problem, cao(problem, None)) == expected


@pytest.mark.parametrize("start", [huang, random])
def test_modes_are_distinct_rows(start):
    rng = np.random.default_rng(3)
    problem = make_problem(rng.integers(0, 3, (4, 30)), (3,) * 4, 8)
    for seed in range(20):
        chosen = objects(problem, start(problem, np.random.RandomState(seed)))
        assert len(set(chosen)) == 8


def test_random_draws_by_weight():
    problem = make_problem([[0, 1, 2]], (3,), 1, np.array([8.0, 1.0, 1.0]))
    rng = np.random.RandomState(0)
    drawn = [int(random(problem, rng)[0, 0]) for _ in range(500)]
    assert 350 < drawn.count(0) < 450
    drawn = [int(huang(problem, rng)[0, 0]) for _ in range(500)]
    assert 350 < drawn.count(0) < 450


def test_huang_takes_the_nearest_unused_rows():
    # Every attribute is nearly constant: all drawn modes are (0, 0), so the nearest rows follow.
    weights = np.array([1e12, 1.0, 1.0])
    problem = make_problem([[0, 0, 1], [0, 1, 1]], (2, 2), 3, weights)
    assert objects(problem, huang(problem, np.random.RandomState(0))) == [0, 1, 2]


@pytest.mark.parametrize("name", STARTS)
def test_unknown_cells_become_typical_values(name):
    problem = make_problem(
        [[2, 2, 2, 0], [0, 1, 2, 3]], (2, 4), 4
    )  # 2 is unknown in the first column
    modes = STARTS[name](problem, np.random.RandomState(0))
    assert (modes[:, 0] == 0).all()
    never = make_problem([[2, 2, 2], [0, 1, 1]], (2, 2), 2)
    assert (STARTS[name](never, np.random.RandomState(0))[:, 0] < 2).all()
