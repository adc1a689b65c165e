"""The yardstick of retrieval against its definition, row by row; and what must not change it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes, small_tables
from untie import count_table
from untie._count.canonical import in_canonical_order
from untie._learn import neighbor_gain
from untie._learn.attributes import Attributes
from untie._learn.dense import Dense
from untie._learn.neighbor_gain import N_NEAREST, PRIOR, neighbor_gains


def slow_gain(codes, vectors, votes, related):
    """Return the gain of single rows: every one asks, and none stands for several.

    Parameters
    ----------
    codes : list of tuples
        The rows, equal ones repeated.
    vectors : list of lists of vectors
        One vector per value of each attribute.
    """
    n_columns = len(vectors)

    def distance(one, other, column):
        return sum(
            (a - b) ** 2
            for a, b in zip(vectors[column][one[column]], vectors[column][other[column]], strict=True)
        )

    total = 0.0
    for hidden in range(n_columns):
        seen = [column for column in range(n_columns) if not related[hidden][column]]
        values = [row[hidden] for row in codes]
        usual = {value: values.count(value) / len(codes) for value in set(values)}
        entropy = -sum(share * np.log(share) for share in usual.values())
        for place, row in enumerate(codes):
            others = [other for number, other in enumerate(codes) if number != place]
            by_distance = {}
            for other in others:
                far = round(sum(distance(row, other, column) for column in seen), 7)
                by_distance.setdefault(far, []).append(other[hidden])
            left, agree = float(N_NEAREST), 0.0
            for far in sorted(by_distance):
                equally_near = by_distance[far]
                taken = min(left, len(equally_near))
                agree += taken * equally_near.count(row[hidden]) / len(equally_near)
                left -= taken
            share = (agree + PRIOR * usual[row[hidden]]) / (N_NEAREST - left + PRIOR)
            if entropy > 0:
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


@given(table=small_tables(max_rows=40, min_rows=2), seed=st.integers(0, 99), data=st.data())
def test_the_gain_is_that_of_single_rows(table, seed, data):
    times = data.draw(st.lists(st.integers(1, 9), min_size=len(table), max_size=len(table)))
    table = table.loc[table.index.repeat(times)]
    counted = count_table(table)
    vectors = drawn_vectors(counted.counts.sizes, seed)
    codes = [
        tuple(values.index(cell) for values, cell in zip(counted.vocabulary.values, row, strict=True))
        for row in table.itertuples(index=False)
    ]
    attributes = Attributes(counted.counts)
    expected = slow_gain(codes, vectors, attributes.votes, attributes.related)
    assert gain_of(counted, vectors) == pytest.approx(expected, abs=1e-6)


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


def test_a_copy_tells_nothing_of_its_column():
    rng = np.random.default_rng(0)
    one = rng.integers(0, 3, 300)
    table = pd.DataFrame({"a": one, "copy": one, "b": rng.integers(0, 3, 300)}).astype(str)
    vectors = [np.eye(3)] * 3
    assert gain_of(count_table(table), vectors) < 0
    assert gain_of(count_table(table), vectors, np.eye(3, dtype=bool)) > 0.5


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


def test_an_unknown_cell_is_not_foretold_and_stands_at_the_mean():
    table, _ = latent_classes(120, 2, 4, 3, seed=3)
    counted = count_table(table)
    sample = in_canonical_order(counted.sample)
    codes = sample.codes.copy()
    codes[::3, 0] = counted.counts.sizes[0]
    vectors = {"": [Dense(np.eye(size)) for size in counted.counts.sizes]}
    attributes = Attributes(counted.counts)
    found = neighbor_gains(vectors, replace(sample, codes=codes), attributes)[""]
    assert np.isfinite(found)
    assert found < neighbor_gains(vectors, sample, attributes)[""]


def test_some_rows_ask_where_there_are_many_columns(monkeypatch):
    table, _ = latent_classes(300, 3, 8, 4, seed=5)
    counted = count_table(table)
    vectors = [np.eye(size) for size in counted.counts.sizes]
    whole = gain_of(counted, vectors)
    monkeypatch.setattr(neighbor_gain, "WORK", 1e5)
    some = gain_of(counted, vectors)
    assert some != whole
    assert some == pytest.approx(whole, rel=0.5)


def test_blocks_change_nothing(monkeypatch):
    table, _ = latent_classes(150, 3, 5, 4, seed=6)
    counted = count_table(table)
    vectors = drawn_vectors(counted.counts.sizes, 1)
    whole = gain_of(counted, vectors)
    monkeypatch.setattr(neighbor_gain, "BLOCK_NUMBERS", 1)
    assert gain_of(counted, vectors) == whole
