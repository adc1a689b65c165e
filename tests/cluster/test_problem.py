import numpy as np
import pytest

from kmodes_cases import make_problem
from untie.baselines import COS, DILCA, Ahmad, Hamming, Rough
from untie.cluster._problem import medians

COLORS = ["white", "yellow", "green", "black"]


@pytest.mark.parametrize(
    ("distance", "sums", "chosen"),
    [
        (Hamming(), [2, 2, 2, 3], 0),
        (Ahmad(), [3 / 2, 5 / 4, 5 / 4, 2], 1),
        (COS(), [9 / 4, 13 / 8, 13 / 8, 13 / 4], 1),
        (Rough(), [2, 5 / 2, 5 / 2, 3], 0),
        (DILCA(), [0.788675, 0.696923, 0.908248, 1.196923], 1),
    ],
    ids=lambda entry: type(entry).__name__,
)
def test_oracle_sums(melons, distance, sums, chosen):
    table = distance.fit(melons).value_distance("Color").loc[COLORS, COLORS].to_numpy()
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
