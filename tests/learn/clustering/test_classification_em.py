"""Moves of rows against one cell after another, and what they are good for."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes, small_tables
from untie import TableEncoder
from untie._count.packed_rows import PackedRows
from untie._count.row_sample import RowSample
from untie._learn.clustering.classification_em import (
    CountedCells,
    cells_of,
    find_by_em,
    reassign_rows,
)
from untie._learn.clustering.lloyd import Pass, cheapest, pack, walk_rows
from untie._learn.selection.cluster_gain import description_gain, likelihood_costs
from untie._learn.spaces.value_space import count_members

UNKNOWN = "?"


def slow_cost(rows, labels, cluster, row, votes):
    """Follow the definition: how unlikely a row is in a cluster, cell by cell.

    A value's share in the cluster is that among its known cells and ten cells like the column's.
    """
    own = [r for r, label in zip(rows, labels, strict=True) if label == cluster]
    cost = -math.log(len(own) / len(rows))
    for place, vote in enumerate(votes):
        column = [r[place] for r in rows if r[place] != UNKNOWN]
        if row[place] == UNKNOWN or row[place] not in column:
            continue
        inside = [r[place] for r in own if r[place] != UNKNOWN]
        like_all = 10 * column.count(row[place]) / len(column)
        share = (inside.count(row[place]) + like_all) / (len(inside) + 10)
        cost -= vote * math.log(share)
    return cost


@st.composite
def partitions(draw):
    """Draw rows with unknown cells, three clusters of them, none empty, and votes."""
    n_rows, n_columns = draw(st.integers(3, 12)), draw(st.integers(1, 4))
    cells = st.sampled_from(["a", "b", "c", UNKNOWN])
    row = st.lists(cells, min_size=n_columns, max_size=n_columns)
    rows = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    others = st.lists(st.integers(0, 2), min_size=n_rows - 3, max_size=n_rows - 3)
    labels = [0, 1, 2, *draw(others)]
    votes = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=n_columns, max_size=n_columns))
    return rows, labels, np.array(votes)


def coded(rows):
    """Return codes of a, b and c, and one that never occurs; the last is the unknown one."""
    return [
        np.array(["abcd?".index(cell) for cell in column]) for column in zip(*rows, strict=True)
    ]


@given(partitions())
def test_costs_follow_the_definition(case):
    rows, labels, votes = case
    codes = coded(rows)
    found = Pass(count_members(codes, [5] * len(codes), np.array(labels), 3))
    costs = CountedCells(votes).costs(found)
    total = sum(table[column] for table, column in zip(costs, codes, strict=True))
    expected = [[slow_cost(rows, labels, c, row, votes) for c in range(3)] for row in rows]
    np.testing.assert_allclose(total, expected, atol=1e-9)
    new = costs[0][3:] + sum(table[3:] for table in costs[1:])  # all cells are new or unknown
    shares = -np.log(np.bincount(labels) / len(labels))
    np.testing.assert_allclose(new, [shares] * 2, atol=1e-9)


@given(partitions())
def test_the_gain_is_that_of_the_rows(case):
    rows, labels, votes = case
    codes = coded(rows)
    found = Pass(count_members(codes, [5] * len(codes), np.array(labels), 3))
    sizes, weights = [4] * len(codes), np.ones(len(rows))
    expected = description_gain(np.stack(codes, axis=1), sizes, weights, np.array(labels), votes)
    assert CountedCells(votes).gain(found) == pytest.approx(expected, abs=1e-9)


@given(partitions(), st.integers(0, 2**16))
def test_coarser_values_are_as_if_they_had_been_merged_before(case, seed):
    rows, labels, votes = case
    codes = coded(rows)
    rng = np.random.default_rng(seed)
    merged = tuple(np.append(rng.permutation([0, 0, 1, 2]), 3) for _ in codes)
    fine = Pass(count_members(codes, [5] * len(codes), np.array(labels), 3))
    coarse = [target[column] for target, column in zip(merged, codes, strict=True)]
    plain = Pass(count_members(coarse, [4] * len(codes), np.array(labels), 3))
    viewed = CountedCells(votes, merged)
    assert viewed.gain(fine) == pytest.approx(CountedCells(votes).gain(plain), abs=1e-9)
    expected = CountedCells(votes).costs(plain)
    for table, other, target in zip(viewed.costs(fine), expected, merged, strict=True):
        np.testing.assert_allclose(table, other[target], atol=1e-12)


@given(partitions())
def test_weights_are_numbers_of_rows_and_their_scale_is_given(case):
    rows, labels, votes = case
    codes = coded(rows)
    once = Pass(count_members(codes, [5] * len(codes), np.array(labels), 3))
    thrice = Pass([3 * joint for joint in once.counts])
    scaled = CountedCells(votes, scale=3.0)
    assert scaled.gain(once) == pytest.approx(CountedCells(votes).gain(thrice), abs=1e-9)
    for one, other in zip(scaled.costs(once), CountedCells(votes).costs(thrice), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_passive_column_costs_nothing():
    assert not likelihood_costs(np.array([[5.0, 0.0], [0.0, 5.0]]), 0.0).any()
    assert not likelihood_costs(np.zeros((2, 3)), 1.0).any()


def start(codes, n_codes, labels, n_clusters):
    return Pass(count_members(codes, n_codes, labels, n_clusters))


@given(table=small_tables(min_rows=4, max_rows=25, max_columns=5), data=st.data())
def test_moves_never_lower_the_gain_nor_empty_a_cluster(table, data):
    n_rows = len(table)
    codes = [table[name].astype("category").cat.codes.to_numpy() for name in table]
    n_codes = [int(column.max()) + 2 for column in codes]
    others = st.lists(st.integers(0, 2), min_size=n_rows - 3, max_size=n_rows - 3)
    labels = np.array([0, 1, 2, *data.draw(others)])
    cells = CountedCells(np.linspace(0.5, 1.0, len(codes)))
    first = start(codes, n_codes, labels, 3)
    packed = PackedRows(codes, n_codes)
    costs, found, n_passes = reassign_rows(first, cells, partial(walk_rows, packed, None), 20)
    assert found.sizes.all()
    assert 1 <= n_passes <= 20
    if costs is None:
        assert found is first
        return
    # What is kept is the partition of the costs, and it is better than the first.
    assert walk_rows(packed, None, costs).is_like(found)
    rows, sizes = np.stack(codes, axis=1), [size - 1 for size in n_codes]
    args = rows, sizes, np.ones(n_rows)
    after = description_gain(*args, cheapest(packed, costs), cells.votes)
    assert after > description_gain(*args, labels, cells.votes)
    assert after == pytest.approx(cells.gain(found), abs=1e-9)


def moved(n_clusters, labels, max_passes=20):
    """Return what moves make of a partition of two kinds of rows, 50 each."""
    codes = [np.repeat([0, 1], 50)] * 3
    passes = []

    def walk(costs):
        passes.append(costs)
        return walk_rows(pack(codes, costs), None, costs)

    first = start(codes, [3] * 3, labels, n_clusters)
    return *reassign_rows(first, CountedCells(np.ones(3)), walk, max_passes), len(passes)


def test_moves_end():
    right = np.repeat([0, 1], 50)
    costs, found, n_passes, walked = moved(2, right)
    assert costs is None
    assert (n_passes, walked) == (1, 1)
    wrong = right.copy()
    wrong[:20] = 1
    costs, found, n_passes, walked = moved(2, wrong)
    assert found.sizes.tolist() == [50, 50]
    assert (n_passes, walked) == (2, 2)  # the second finds nothing to move
    assert moved(2, wrong, max_passes=1)[2:] == (1, 1)


def test_where_nothing_can_move():
    assert moved(1, np.zeros(100, int))[::2] == (None, 0)
    assert moved(3, np.repeat([0, 2], 50))[::2] == (None, 0)  # one is empty already
    costs, _, _, walked = moved(3, np.repeat([0, 1, 2], [50, 25, 25]))
    assert costs is None  # one would be empty
    assert walked == 1


def test_votes_and_ranges_are_those_of_the_model():
    rng = np.random.default_rng(0)
    table, classes = latent_classes(300, 3, 4, 3, seed=0)
    table = table.assign(age=20 * classes + rng.integers(0, 20, 300), tone=rng.permutation(classes))
    encoder = TableEncoder(
        3, ordered=["age"], column_weights={"tone": 0, "c0": 2}, preparer=None
    ).fit(table)
    cells = cells_of(encoder._model)
    assert cells.votes[list(table).index("tone")] == 0
    assert cells.votes[0] == pytest.approx(2 * cells.votes[1])
    assert cells.targets[4].max() == 5  # five groups, and unknown values
    assert cells.scale == 1.0
    weighted = TableEncoder(3, preparer=None).fit(table, sample_weight=np.full(300, 1 / 300))
    assert cells_of(weighted._model).scale == pytest.approx(300)


def slow_logs(codes, parts, weights, votes):
    """The logarithm of how likely each row is in each cluster, row by row and cell by cell."""
    n_rows, k = parts.shape
    total = weights.sum()
    logs = np.tile(np.log(weights @ parts / total), (n_rows, 1))
    for vote, column in zip(votes, codes, strict=True):
        for c in range(k):
            own = weights * parts[:, c]
            for row in range(n_rows):
                same = column == column[row]
                like_all = 10 * weights[same].sum() / total
                logs[row, c] += vote * math.log((own[same].sum() + like_all) / (own.sum() + 10))
    return logs


def slow_em(codes, labels, weights, votes):
    """The cluster of each row where EM settles."""
    k = int(labels.max()) + 1
    parts = np.full((len(labels), k), 0.1 / k)
    parts[np.arange(len(labels)), labels] += 0.9
    reached = -math.inf
    while True:
        chances = np.exp(slow_logs(codes, parts, weights, votes))
        sums = chances.sum(axis=1)
        parts = chances / sums[:, None]
        before, reached = reached, weights @ np.log(sums) / weights.sum()
        if reached - before < 1e-6:
            return slow_logs(codes, parts, weights, votes).argmax(axis=1)


@pytest.mark.parametrize("seed", range(6))
def test_em_follows_the_definition(seed):
    rng = np.random.default_rng(seed)
    table, classes = latent_classes(60, 3, 5, 3, seed=seed, purity=0.7)
    codes = [column.astype("category").cat.codes.to_numpy() for _, column in table.items()]
    weights, votes = rng.integers(1, 4, 60).astype(float), rng.choice([0.5, 1.0], 5)
    labels = np.where(rng.random(60) < 0.4, rng.integers(0, 3, 60), classes)
    sizes = [int(column.max()) + 2 for column in codes]
    begun = Pass(count_members(codes, sizes, labels, 3, weights))
    sample = RowSample(np.arange(60, dtype=np.uint64), np.stack(codes, axis=1), weights)
    cells = CountedCells(votes)
    expected = slow_em(codes, labels, weights, votes)
    gain = cells.gain(Pass(count_members(codes, sizes, expected, 3, weights)))
    walk = partial(walk_rows, pack(codes, cells.costs(begun)), weights)
    other = max(cells.gain(reassign_rows(begun, cells, walk, 20)[1]), 0.0)
    found = find_by_em(begun, sample, cells)
    assert (found is not None) == (len(set(expected)) == 3 and gain > 1.01 * other)
    if found is not None:
        assert cells.gain(found) == pytest.approx(gain)


def test_em_improves_clusters_of_mixed_tables():
    """Classification EM ends at once from clusters of a few wrong rows each."""
    found = 0
    for seed in range(10):
        table, classes = latent_classes(400, 3, 6, 4, seed=seed, purity=0.5)
        codes = [column.astype("category").cat.codes.to_numpy() for _, column in table.items()]
        rng = np.random.default_rng(seed)
        labels = np.where(rng.random(400) < 0.5, rng.integers(0, 3, 400), classes)
        begun = Pass(count_members(codes, [5] * 6, labels, 3))
        sample = RowSample(np.arange(400, dtype=np.uint64), np.stack(codes, axis=1), np.ones(400))
        found += find_by_em(begun, sample, CountedCells(np.ones(6))) is not None
    assert found > 0


def test_em_leaves_clusters_of_noise_alone():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (6, 300))
    begun = Pass(count_members(list(codes), [5] * 6, rng.integers(0, 3, 300), 3))
    sample = RowSample(np.arange(300, dtype=np.uint64), codes.T, np.ones(300))
    assert find_by_em(begun, sample, CountedCells(np.ones(6))) is None
