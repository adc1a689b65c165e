"""The yardstick of retrieval against its definition, row by row; and what must not change it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes, small_tables
from untie import count_table
from untie._count.row_sample import in_canonical_order
from untie._learn.columns.attributes import Attributes
from untie._learn.selection import objectives
from untie._learn.selection.objectives import N_NEAREST, PRIOR, Asked, _nearest, neighbor_gains
from untie._learn.spaces.value_tables import Dense


def slow_gain(codes, vectors, shares, votes, related):
    """Return the gain of single rows: every one asks, and none stands for several.

    Parameters
    ----------
    codes : list of tuples
        The rows, equal ones repeated.
    vectors : list of lists of vectors
        One vector per value of each attribute, and one for an unknown value.
    shares : list of lists of numbers
        The share of each value.
    """
    total = 0.0
    for hidden, usual in enumerate(shares):
        seen = [column for column in range(len(shares)) if not related[hidden][column]]
        entropy = -sum(share * np.log(share) for share in usual if share > 0)
        for place, row in enumerate(codes):
            if row[hidden] == len(usual) or not entropy:
                continue
            equally_near = {}
            for other in codes[:place] + codes[place + 1 :]:
                far = sum(
                    np.square(vectors[column][row[column]] - vectors[column][other[column]]).sum()
                    for column in seen
                )
                equally_near.setdefault(round(far, 7), []).append(other[hidden])
            left, agree, known = float(N_NEAREST), 0.0, 0.0
            for far in sorted(equally_near):
                cells = equally_near[far]
                taken = min(left, len(cells))
                agree += taken * cells.count(row[hidden]) / len(cells)
                known += taken * sum(cell < len(usual) for cell in cells) / len(cells)
                left -= taken
            share = (agree + PRIOR * usual[row[hidden]]) / (known + PRIOR)
            total += votes[hidden] * np.log(share / usual[row[hidden]]) / entropy
    return total / len(codes)


def drawn_vectors(sizes, seed):
    """Return vectors with many ties, as whole numbers have them."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 3, (size, 2)).astype(float) for size in sizes]


def gain_of(counted, vectors, related=None):
    attributes = Attributes(counted.counts)
    if related is not None:
        attributes.__dict__["related"] = np.asarray(related)
    sample = in_canonical_order(counted.sample)
    return neighbor_gains({"": [Dense(part) for part in vectors]}, sample, attributes)[""]


@given(table=small_tables(max_rows=25, min_rows=2), seed=st.integers(0, 99), data=st.data())
def test_the_gain_is_that_of_single_rows(table, seed, data):
    n_rows = len(table)
    times = data.draw(st.lists(st.integers(1, 5), min_size=n_rows, max_size=n_rows))
    unknown = data.draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows))
    counted = count_table(table.loc[table.index.repeat(times)])
    counts, sample = counted.counts, in_canonical_order(counted.sample)
    sample.codes[np.array(unknown)[: len(sample.codes)], 0] = counts.sizes[0]
    vectors = drawn_vectors(counts.sizes, seed)
    attributes = Attributes(counts)
    found = neighbor_gains({"": [Dense(part) for part in vectors]}, sample, attributes)[""]
    shares = [counts.frequencies[counts.span(a)] / counts.n for a in range(len(counts.sizes))]
    expected = slow_gain(
        [tuple(row) for row in np.repeat(sample.codes, sample.weights.astype(int), axis=0)],
        [np.vstack([part, own @ part]) for part, own in zip(vectors, shares, strict=True)],
        [list(own) for own in shares],
        attributes.votes,
        attributes.related,
    )
    assert found == pytest.approx(expected, abs=1e-6)


@given(table=small_tables(min_rows=2), data=st.data())
def test_weights_are_repetitions(table, data):
    times = data.draw(st.lists(st.integers(1, 30), min_size=len(table), max_size=len(table)))
    repeated = count_table(table.loc[table.index.repeat(times)])
    weighted = count_table(table, sample_weight=times)
    vectors = drawn_vectors(repeated.counts.sizes, len(table))
    assert gain_of(weighted, vectors) == gain_of(repeated, vectors)


def test_weights_may_have_any_sum():
    table, _ = latent_classes(200, 3, 5, 4, seed=1)
    vectors = drawn_vectors(count_table(table).counts.sizes, 0)
    plain = gain_of(count_table(table), vectors)
    scaled = gain_of(count_table(table, sample_weight=np.full(200, 0.001)), vectors)
    assert scaled == pytest.approx(plain, abs=1e-8)


def test_rows_of_huge_weight_take_no_places_from_others():
    weights = np.array([1e18, 3.0, 5.0, 100.0])
    cells, shares = np.zeros((4, 1), dtype=np.int64), [np.ones(1)]
    asked = Asked(cells, weights, shares, np.ones(1), np.eye(1, dtype=bool))
    ranks = np.array([[0, 1, 2, 3], [9, 0, 1, 2], [9, 1, 0, 2], [9, 1, 1, 0]], dtype=np.int32)
    near = _nearest(ranks, slice(0, 4), asked)
    found = np.zeros((4, 4))
    found[near.asking, near.others] = near.weights
    expected = [[20, 0, 0, 0], [0, 2, 5, 13], [0, 3, 4, 13], [0, 0, 0, 20]]
    np.testing.assert_array_equal(found, expected)


def test_a_copy_tells_nothing_of_its_column():
    rng = np.random.default_rng(0)
    one = rng.integers(0, 3, 300)
    table = pd.DataFrame({"a": one, "copy": one, "b": rng.integers(0, 3, 300)}).astype(str)
    vectors = [np.eye(3)] * 3
    assert gain_of(count_table(table), vectors) < 0
    assert gain_of(count_table(table), vectors, np.eye(3, dtype=bool)) > 0.74


def test_vectors_that_follow_the_classes_gain_more():
    table, _ = latent_classes(400, 3, 6, 6, seed=2)
    noise = np.random.default_rng(1).integers(0, 40, (400, 3)).astype(str)
    table[["n0", "n1", "n2"]] = noise
    counted = count_table(table)
    sizes = counted.counts.sizes
    right = [np.eye(size) * (size < 10) for size in sizes]
    wrong = [np.eye(size) * (size > 10) for size in sizes]
    assert gain_of(counted, right) > gain_of(counted, wrong) + 0.1


def test_vectors_of_nothing_but_rounding_tell_no_rows_apart():
    table, _ = latent_classes(100, 3, 4, 3, seed=0)
    counted = count_table(table)
    flat = [np.ones((size, 1)) for size in counted.counts.sizes]
    rng = np.random.default_rng(0)
    rounded = [part + 1e-12 * rng.normal(size=part.shape) for part in flat]
    assert gain_of(counted, rounded) == gain_of(counted, flat)


def test_some_rows_ask_where_there_are_many_columns(monkeypatch):
    table, _ = latent_classes(300, 3, 8, 4, seed=5)
    counted = count_table(table)
    vectors = [np.eye(size) for size in counted.counts.sizes]
    whole = gain_of(counted, vectors)
    monkeypatch.setattr(objectives, "WORK", 1e5)
    some = gain_of(counted, vectors)
    assert some != whole
    assert some == pytest.approx(whole, rel=0.5)


def test_blocks_change_nothing(monkeypatch):
    table, _ = latent_classes(150, 3, 5, 4, seed=6)
    counted = count_table(table)
    vectors = drawn_vectors(counted.counts.sizes, 1)
    whole = gain_of(counted, vectors)
    monkeypatch.setattr(objectives, "BLOCK_NUMBERS", 1)
    assert gain_of(counted, vectors) == whole
