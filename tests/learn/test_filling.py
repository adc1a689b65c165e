"""Predictors of blank cells against explicit loops, and the weights that blend them."""

from dataclasses import replace

import numpy as np
import pytest

from tables import latent_classes
from untie import TableClusterer
from untie._inputs import known_space
from untie._learn.filling import (
    N_FOLDS,
    NEAREST,
    SHARPNESS,
    KnownRows,
    _best_blend,
    blank_probabilities,
    blend_weights,
)

PRIOR, OF_PAIR = 10.0, 2.0


@pytest.fixture(scope="module")
def known():
    """Return coded rows with blank cells, and their clusters."""
    table, classes = latent_classes(80, 3, 4, 3, seed=0, purity=0.8)
    clusterer = TableClusterer(3, preparer=None).fit(table)
    encoder = clusterer.encoder_
    codes = np.stack(encoder._codes(table), axis=1).astype(np.int64)
    sizes = encoder.vocabulary_.sizes
    codes[np.random.default_rng(0).random(codes.shape) < 0.15] = 3
    assert sizes == (3, 3, 3, 3)
    votes = np.array([1.0, 0.5, 2.0, 1.0])
    targets = tuple(np.arange(size + 1) for size in sizes)
    return KnownRows(codes, sizes, classes, votes, targets, known_space(encoder))


def share(rows, column, value):
    cells = [row[column] for row in rows if row[column] < 3]
    return cells.count(value) / len(cells) if cells else 0.0


def of_each(rows, column, other, value, cell):
    """Return how many rows have a value, of those that know both, and how many have both."""
    both = [row for row in rows if row[column] == value and row[other] < 3]
    return len(both), sum(row[other] == cell for row in both)


def test_the_predictors_are_those_of_explicit_loops(known):
    rows, asked = known.codes.tolist(), known.codes[:20]
    distances = known.distances(asked)
    for column in range(4):
        found = known.predictions(asked, column, distances)
        assert found.shape == (2 + len(NEAREST) + len(SHARPNESS), 20, 3)
        np.testing.assert_allclose(found.sum(axis=2), 1)
        usual = [share(rows, column, value) for value in range(3)]
        np.testing.assert_allclose(found[0], np.tile(usual, (20, 1)))
        np.testing.assert_allclose(found[1], [by_clusters(known, row, column) for row in asked])
        slow = [evidence(known, row, column) for row in asked]
        np.testing.assert_allclose(known.evidence(asked, column), slow, atol=1e-12)
        for by, one in zip(SHARPNESS, found[-len(SHARPNESS) :], strict=True):
            expected = np.array(usual) * np.exp(by * np.array(slow))
            np.testing.assert_allclose(one, expected / expected.sum(axis=1, keepdims=True))
        for n, one in zip(NEAREST, found[2:], strict=False):
            expected = [by_nearest(known, row, column, n) for row in asked]
            np.testing.assert_allclose(one, expected)


def test_values_that_exclude_a_cell_are_hardly_possible(known):
    pairs = [(value, cell) for value in range(3) for cell in range(3)] * 20
    codes = np.array([[*pair, 0, 0] for pair in pairs if pair != (1, 2)])
    rows, asked = replace(known, codes=codes), np.array([[3, 2, 0, 0], [3, 1, 0, 0], [3, 3, 3, 3]])
    found = rows.possible(asked, 0)
    expected = 40 * 40 / 160  # of the rows with 1 and of those with 2
    np.testing.assert_allclose(found, [[1, 0.5 / expected, 1], [1, 1, 1], [1, 1, 1]])
    assert (replace(known, codes=codes[:40]).possible(asked, 0) == 1).all()  # too few to tell


def by_clusters(known, asked, hidden):
    """Return the shares of a column's values in the clusters, by the other cells of a row."""
    rows, k = known.codes.tolist(), 3
    of = [[r for r, m in zip(rows, known.members, strict=True) if m == c] for c in range(k)]
    belongs = []
    for cluster in range(k):
        likelihood = len(of[cluster]) / len(rows)
        for column, cell in enumerate(asked):
            if column == hidden or cell == 3:
                continue
            inside = [row[column] for row in of[cluster] if row[column] < 3]
            n = inside.count(cell) + PRIOR * share(rows, column, cell)
            likelihood *= (n / (len(inside) + PRIOR)) ** known.votes[column]
        belongs.append(likelihood)
    result = np.zeros(3)
    for cluster in range(k):
        inside = [row[hidden] for row in of[cluster] if row[hidden] < 3]
        for value in range(3):
            n = inside.count(value) + share(rows, hidden, value)
            result[value] += belongs[cluster] / sum(belongs) * n / (len(inside) + 1)
    return result


def evidence(known, asked, hidden):
    """Return what the other cells of a row say for each value of a column, in nats."""
    rows, result = known.codes.tolist(), np.zeros(3)
    for column, cell in enumerate(asked):
        if column == hidden or cell == 3:
            continue
        there = [row for row in rows if row[hidden] < 3 and row[column] < 3]
        usual = share(there, column, cell)
        for value in range(3):
            n, both = of_each(there, hidden, column, value, cell)
            if usual:
                within = (both + OF_PAIR * usual) / (n + OF_PAIR)
                result[value] += known.votes[column] * np.log(within / usual)
    return result


def by_nearest(known, asked, hidden, n):
    """Return the shares of a column's values among the rows nearest by the other columns."""
    tables = known.space.distances_to_rows([np.array([cell]) for cell in asked])
    near = []
    for row in known.codes:
        if row[hidden] < 3:
            far = sum(tables[c][row[c], 0] for c in range(4) if c != hidden)
            near.append((round(float(far), 6), int(row[hidden])))
    limit = sorted(near)[n - 1][0]
    cells = [value for far, value in near if far <= limit]
    usual = [share(known.codes.tolist(), hidden, value) for value in range(3)]
    return [(cells.count(value) + usual[value]) / (len(cells) + 1) for value in range(3)]


def test_what_is_in_a_cell_does_not_predict_it(known):
    asked = known.codes[:10].copy()
    other = asked.copy()
    other[:, 1] = (asked[:, 1] + 1) % 4
    first, second = (known.predictions(rows, 1, known.distances(rows)) for rows in (asked, other))
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_the_weights_make_the_cells_likeliest():
    rng = np.random.default_rng(0)
    told = rng.random((7, 500)) ** 2
    told[3] += 0.3
    before = np.array([1.0, 0, 0, 2.0, 0, 0, 0])
    found = _best_blend(told, before)
    assert found.sum() == pytest.approx(1)

    def worth(weights):
        alone = before[before > 0] @ np.log(weights[before > 0])
        return np.log(weights @ told).sum() + alone

    for other in rng.dirichlet(np.ones(7), 200):
        for part in (0.01, 0.3):
            assert worth((1 - part) * found + part * other) <= worth(found) + 1e-2
    assert _best_blend(np.empty((7, 0)), np.eye(7)[0]).tolist() == [1, 0, 0, 0, 0, 0, 0]


def test_only_blank_cells_are_predicted_and_a_column_without_others_by_its_shares(known):
    weights = blend_weights(known, [0, 2], np.random.RandomState(0))
    found = list(blank_probabilities(known, known.codes, [0, 2], weights))
    assert [attribute for attribute, _, _ in found] == [0, 2]
    for attribute, places, probabilities in found:
        assert places.tolist() == np.flatnonzero(known.codes[:, attribute] == 3).tolist()
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_the_values_of_all_columns_are_compared_once_for_each_block_of_rows(known, monkeypatch):
    calls = []
    compare = type(known.space).distances_to_rows

    def counting(space, codes):
        calls.append(len(codes))
        return compare(space, codes)

    monkeypatch.setattr(type(known.space), "distances_to_rows", counting)
    weights = blend_weights(known, range(4), np.random.RandomState(0))
    list(blank_probabilities(known, known.codes, range(4), weights))
    assert len(calls) == N_FOLDS + 1
