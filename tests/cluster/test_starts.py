import numpy as np
import pytest

from kmodes_cases import TOY
from kmodes_cases import make_problem as make
from untie.cluster._starts import STARTS, cao, huang, random


def objects(problem, modes):
    """Return the numbers of the table's rows that modes are."""
    firsts = {
        tuple(int(column[i]) for column in problem.rows.codes): int(first)
        for i, first in enumerate(problem.rows.first)
    }
    return [firsts[tuple(mode)] for mode in modes.tolist()]


@pytest.mark.parametrize(("n_clusters", "expected"), [(2, [1, 3]), (3, [1, 3, 4])])
def test_cao_oracle(n_clusters, expected):
    problem = make(TOY, (2, 4, 3), n_clusters)
    assert objects(problem, cao(problem, None)) == expected


def test_oracle_densities():
    frequencies = make(TOY, (2, 4, 3), 2).frequencies
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
    problem = make(columns, (3,) * 4, 5)
    rows = [tuple(row) for row in columns.T.tolist()]
    expected = [rows.index(rows[i]) for i in slow_cao(rows, 5)]
    assert objects(problem, cao(problem, None)) == expected


@pytest.mark.parametrize("start", [huang, random])
def test_modes_are_distinct_rows(start):
    rng = np.random.default_rng(3)
    problem = make(rng.integers(0, 3, (4, 30)), (3,) * 4, 8)
    for seed in range(20):
        chosen = objects(problem, start(problem, np.random.RandomState(seed)))
        assert len(set(chosen)) == 8


def test_random_draws_by_weight():
    problem = make([[0, 1, 2]], (3,), 1, np.array([8.0, 1.0, 1.0]))
    rng = np.random.RandomState(0)
    drawn = [int(random(problem, rng)[0, 0]) for _ in range(500)]
    assert 350 < drawn.count(0) < 450
    drawn = [int(huang(problem, rng)[0, 0]) for _ in range(500)]
    assert 350 < drawn.count(0) < 450


def test_huang_takes_the_nearest_unused_rows():
    # Every attribute is nearly constant: all drawn modes are (0, 0), so the nearest rows follow.
    weights = np.array([1e12, 1.0, 1.0])
    problem = make([[0, 0, 1], [0, 1, 1]], (2, 2), 3, weights)
    assert objects(problem, huang(problem, np.random.RandomState(0))) == [0, 1, 2]


@pytest.mark.parametrize("name", STARTS)
def test_unknown_cells_become_typical_values(name):
    problem = make([[2, 2, 2, 0], [0, 1, 2, 3]], (2, 4), 4)  # 2 is unknown in the first column
    modes = STARTS[name](problem, np.random.RandomState(0))
    assert (modes[:, 0] == 0).all()
    never = make([[2, 2, 2], [0, 1, 1]], (2, 2), 2)
    assert (STARTS[name](never, np.random.RandomState(0))[:, 0] < 2).all()
