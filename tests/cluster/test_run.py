import numpy as np
import pytest

from kmodes_cases import TOY, make_problem
from untie.cluster._run import fill_empty, one_row_a_cluster, run


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
