"""Columns that carry clusters: against explicit loops, on planted tables, in any order."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import RandomState

from tables import latent_classes
from test_names import disguise
from untie import TableClusterer, TableEncoder
from untie._count.row_sample import canonical_order
from untie._learn.selection.choose_k import halves
from untie.explain import carriers_said, important_columns
from untie.explain._important_columns import N_SPLITS

PRIOR = 10.0


def planted(n_rows=400, n_noise=8, seed=0):
    """Return rows of three classes, whose columns "noise" have nothing to do with these."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, n_rows)
    holds = rng.random((n_rows, 5)) < 0.75
    codes = np.where(holds, classes[:, None], rng.integers(0, 4, (n_rows, 5)))
    table = pd.DataFrame(codes, columns=[f"c{place}" for place in range(5)]).astype(str)
    for place in range(n_noise):
        table[f"noise{place}"] = rng.integers(0, 2 + place % 4, n_rows).astype(str)
    return table, classes


def bare(table):
    return TableEncoder(3, preparer=None).fit(table)


def log_share(rows, column, value, shares, total):
    """Return the log of a value's share in rows and `PRIOR` rows of the whole table together."""
    n = sum(weight for row, weight in rows if row[column] == value)
    n_known = sum(weight for _, weight in rows)
    return np.log((n + PRIOR * shares[column].get(value, 0) / total) / (n_known + PRIOR))


def likeliest(row, hidden, members, shares, votes):
    """Return the cluster in which the cells of a row are likeliest, one column being hidden."""
    total = sum(weight for rows in members.values() for _, weight in rows)
    best = None
    for cluster, rows in sorted(members.items()):
        size = sum(weight for _, weight in rows)
        n_voting = sum(vote > 0 for vote in votes)
        # Each column that counts has a part of the cluster's share.
        score = np.log(size / total) * (n_voting - 1) / n_voting
        for column, vote in enumerate(votes):
            if column != hidden and shares[column].get(row[column], 0) > 0:
                score += vote * log_share(rows, column, row[column], shares, total)
        if best is None or score > best[0] + 1e-9:
            best = score, cluster
    return best[1]


def slow_gains(rows, weights, labels, votes, rng):
    """Return the gain and its standard error of each column, from the definition."""
    gains, squares = np.zeros((2, len(votes)))
    for first, second in [halves(weights, rng) for _ in range(N_SPLITS)]:
        for train, test in ((first, second), (second, first)):
            trained, tested = np.flatnonzero(train), np.flatnonzero(test)
            total = train.sum()
            members, shares = {}, [{} for _ in votes]
            for one in trained:
                members.setdefault(labels[one], []).append((rows[one], train[one]))
                for column, value in enumerate(rows[one]):
                    shares[column][value] = shares[column].get(value, 0) + train[one]
            for column in range(len(votes)):
                joined = {}
                for one in trained:
                    cluster = likeliest(rows[one], column, members, shares, votes)
                    joined.setdefault(cluster, []).append((rows[one], train[one]))
                for one in tested:
                    value = rows[one][column]
                    if not shares[column].get(value):
                        continue
                    cluster = likeliest(rows[one], column, members, shares, votes)
                    inside = log_share(joined.get(cluster, []), column, value, shares, total)
                    gain = inside - np.log(shares[column][value] / total)
                    gains[column] += test[one] * gain
                    squares[column] += test[one] * gain**2
    n = N_SPLITS * weights.sum()
    return gains / n, np.sqrt(squares / N_SPLITS) / weights.sum()


def test_gains_are_those_of_explicit_loops():
    table, classes = latent_classes(60, 3, 4, 3, seed=2, purity=0.7)
    encoder = bare(table)
    found = important_columns(encoder, table, labels=classes).set_index("column")
    codes = np.stack(encoder._codes(table), axis=1)
    kinds, first, counts = np.unique(
        np.column_stack([codes, classes]), axis=0, return_index=True, return_counts=True
    )
    distinct, which = np.unique(codes[first], axis=0, return_inverse=True)
    sums = np.bincount(which.ravel(), counts).astype(float)
    places = np.argsort(canonical_order(distinct, sums))[which.ravel()]
    ranks = np.argsort(np.argsort(-np.bincount(classes), kind="stable"))
    order = np.lexsort((ranks[kinds[:, -1]], places))
    votes = encoder._model.attributes.votes
    labels = ranks[kinds[order, -1]]
    weights = counts[order].astype(float)
    gain, error = slow_gains(kinds[order, :-1].tolist(), weights, labels, votes, RandomState(0))
    found = found.loc[list(table.columns)]
    np.testing.assert_allclose(found.gain, gain, atol=1e-8)
    np.testing.assert_allclose(found.error, error, atol=1e-8)
    shares = [table[name].value_counts(normalize=True) for name in table.columns]
    entropy = np.array([-(share * np.log(share)).sum() for share in shares])
    np.testing.assert_allclose(found.explained, np.maximum(gain, 0) / entropy, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_planted_columns_carry_and_no_others(seed):
    table, _ = planted(seed=seed)
    found = important_columns(TableClusterer(3, preparer=None).fit(table), table)
    assert set(found.column[found.carries]) == {f"c{place}" for place in range(5)}
    assert found.column.tolist()[:5] == found.column[found.carries].tolist()
    assert found.share.sum() == pytest.approx(1)
    assert not found.share[~found.carries].any()


def test_clusters_of_noise_or_of_one_column_are_carried_by_none():
    table, _ = planted(n_noise=12)
    noise = table.filter(like="noise")
    found = important_columns(TableClusterer(4, preparer=None).fit(noise), noise)
    assert not found.carries.any()
    assert found.share.sum() == 0
    # The column makes the clusters, but none of the others predicts it.
    found = important_columns(bare(noise), noise, labels="noise2")
    assert not found.carries.any()
    assert "noise2" in set(found.column)
    one = important_columns(bare(noise), noise, labels=np.zeros(len(noise)))
    assert one.gain.abs().max() == one.error.max() == 0
    assert not np.signbit(one.gain).any()
    assert not one.carries.any()


def test_a_copy_carries_as_well_and_a_supplementary_column_is_left_out():
    table, classes = planted(n_noise=1)
    table["copy"] = table["c0"]
    encoder = TableEncoder(3, preparer=None, column_weights={"c1": 0, "c2": 2}).fit(table)
    found = important_columns(encoder, table, labels=classes).set_index("column")
    assert found.carries[["c0", "copy"]].all()
    assert found.gain["copy"] == pytest.approx(found.gain["c0"])
    assert "c1" not in found.index
    assert found.explained.between(0, 1).all()


@given(seed=st.integers(0, 1000))
def test_orders_and_names_decide_nothing(seed):
    table, classes = latent_classes(50, 3, 4, 3, seed=seed % 5, purity=0.7)
    rng = np.random.default_rng(seed)
    other, rows = disguise(table, rng)
    names = rng.permutation(3)
    first = important_columns(bare(table), table, labels=classes)
    second = important_columns(bare(other), other, labels=names[classes][rows])
    for name in ("gain", "error", "explained", "share"):
        np.testing.assert_allclose(np.sort(second[name]), np.sort(first[name]), atol=1e-8)


@given(seed=st.integers(0, 1000))
def test_weights_are_repetitions(seed):
    table, classes = latent_classes(50, 3, 4, 3, seed=seed % 5, purity=0.7)
    times = np.random.default_rng(seed).integers(1, 4, len(table))
    times[0] = 1
    rows = np.repeat(np.arange(len(table)), times)
    repeated = table.iloc[rows].reset_index(drop=True)
    encoder = bare(repeated)
    expected = important_columns(encoder, repeated, labels=classes[rows])
    weighted = important_columns(encoder, table, labels=classes, sample_weight=times)
    pd.testing.assert_frame_equal(weighted, expected)


def test_a_constant_weight_changes_nothing():
    table, classes = latent_classes(120, 3, 4, 3, seed=1, purity=0.7)
    encoder = bare(table)
    expected = important_columns(encoder, table, labels=classes)
    weights = np.full(len(table), 0.01)
    found = important_columns(encoder, table, labels=classes, sample_weight=weights)
    pd.testing.assert_frame_equal(found, expected)
    with pytest.raises(ValueError, match="Every sample weight is zero"):
        important_columns(encoder, table, labels=classes, sample_weight=0 * weights)


def test_long_names_and_many_columns_are_cut():
    names = ["n" * 60, *"abcdef"]
    found = {"column": names, "share": [1 / 7] * 7, "carries": [True] * 7}
    said = carriers_said(found)
    assert said.startswith("7 of 7 columns carry the clusters. Half of what the clusters predict")
    assert "n" * 41 not in said
    assert "is in 4 of them" in said
