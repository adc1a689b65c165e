"""One-hot blocks, conjunctions and distinct rows against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import small_tables
from untie import count_table
from untie_paper.baselines._deep.features import make_features


def features_and_codes(table, max_cross=2000, sample_weight=None, categories="auto"):
    counted = count_table(table, sample_weight, categories)
    return make_features(counted.counts, max_cross), counted.codes(table)


def slow_row(blocks, crosses):
    """Return a row's features from its blocks: all values, then the products of pairs."""
    flat = [number for block in blocks for number in block]
    return flat + [flat[a] * flat[b] for a, b in crosses]


def all_crosses(sizes):
    of = [attribute for attribute, size in enumerate(sizes) for _ in range(size)]
    places = range(len(of))
    return [(a, b) for a in places for b in places if of[a] < of[b]]


def test_melons_have_9_values_and_26_crosses(melons):
    features, codes = features_and_codes(melons)
    assert features.n_values == 9
    assert len(features.left) == 26
    assert features.n_columns == 35
    assert features.rows(codes).shape == (6, 35)


def test_first_melon_has_3_active_crosses(melons):
    categories = [
        ["clear", "blurry"],
        ["white", "yellow", "green", "black"],
        ["straight", "curled", "slightly curled"],
    ]
    features, codes = features_and_codes(melons, categories=categories)
    first = features.rows(codes).toarray()[0]
    assert first[:9].tolist() == [1, 0, 1, 0, 0, 0, 1, 0, 0]
    assert first[9:].sum() == 3
    active = np.flatnonzero(first[9:])
    pairs = {(int(features.left[a]), int(features.right[a])) for a in active}
    assert pairs == {(0, 2), (0, 6), (2, 6)}


def test_embeddings_of_melons_have_1_2_2_dimensions(melons):
    features, _ = features_and_codes(melons)  # two textures, four colours, three roots
    mask = features.embedding_mask
    assert mask.shape == (9, 5)
    assert mask.any(axis=0).all()
    assert [int(mask[start].sum()) for start in features.offsets[:-1]] == [1, 2, 2]


def test_embeddings_have_at_most_8_dimensions():
    features, _ = features_and_codes([[str(i)] for i in range(40)])
    assert features.embedding_mask.shape == (40, 8)


@given(small_tables())
def test_rows_as_defined(table):
    features, codes = features_and_codes(table)
    expected = [
        slow_row(
            [
                [float(code == value) for value in range(size)]
                for code, size in zip(row, features.sizes, strict=True)
            ],
            all_crosses(features.sizes),
        )
        for row in zip(*codes, strict=True)
    ]
    np.testing.assert_array_equal(features.rows(codes).toarray(), expected)


@given(small_tables(), st.data())
def test_an_unknown_value_is_the_mixture_of_its_column(table, data):
    features, codes = features_and_codes(table)
    unknown = data.draw(st.lists(st.booleans(), min_size=len(codes), max_size=len(codes)))
    codes = [
        np.full_like(column, size) if is_unknown else column
        for column, size, is_unknown in zip(codes, features.sizes, unknown, strict=True)
    ]
    expected = []
    for row in zip(*codes, strict=True):
        blocks = []
        for column, (code, size) in enumerate(zip(row, features.sizes, strict=True)):
            shares = table.iloc[:, column].value_counts(normalize=True).sort_index().tolist()
            block = [float(code == value) for value in range(size)]
            blocks.append(shares if code == size else block)
        expected.append(slow_row(blocks, all_crosses(features.sizes)))
    np.testing.assert_allclose(features.rows(codes).toarray(), expected, rtol=1e-15)


def test_an_unknown_value_leaves_the_other_rows_alone_to_the_last_bit(melons):
    features, codes = features_and_codes(melons)
    alone = features.rows([column[:1] for column in codes])
    mixed = [column.copy() for column in codes]
    mixed[1][3] = features.sizes[1]
    together = features.rows(mixed)[[0]]
    np.testing.assert_array_equal(alone.indices, together.indices)
    np.testing.assert_array_equal(alone.data, together.data)


def test_a_column_of_unknown_values_alone_has_equal_shares():
    features, _ = features_and_codes([["a"], ["b"]], categories=[["x", "y"]])
    assert features.shares.tolist() == [0.5, 0.5]


def test_the_most_frequent_conjunctions_are_kept():
    table = [["a", "x"]] * 3 + [["b", "y"]] * 2 + [["a", "y"]]
    features, _ = features_and_codes(table, max_cross=2)
    pairs = list(zip(features.left.tolist(), features.right.tolist(), strict=True))
    assert pairs == [(0, 2), (1, 3)]


def test_weights_decide_what_is_frequent():
    table = [["a", "x"]] * 3 + [["b", "y"]] * 2 + [["a", "y"]]
    features, _ = features_and_codes(table, 1, sample_weight=[1, 1, 1, 1, 1, 9])
    assert (features.left.tolist(), features.right.tolist()) == ([0], [3])


def test_beyond_the_limit_conjunctions_that_never_occur_are_dropped():
    table = [["a", "x"], ["b", "y"]]
    features, _ = features_and_codes(table, max_cross=3)  # of 4, of which 2 occur
    assert len(features.left) == 2
    features, _ = features_and_codes(table, max_cross=4)
    assert len(features.left) == 4


@given(small_tables(), st.integers(0, 12))
def test_the_limit_holds_and_keeps_the_most_frequent(table, max_cross):
    features, _ = features_and_codes(table, max_cross)
    rows = table.to_numpy().tolist()
    values = [(c, v) for c in range(table.shape[1]) for v in sorted(set(table.iloc[:, c]))]

    def frequency(a, b):
        (j, x), (k, y) = values[a], values[b]
        return sum(row[j] == x and row[k] == y for row in rows)

    every = all_crosses(features.sizes)
    kept = list(zip(features.left.tolist(), features.right.tolist(), strict=True))
    if len(every) <= max_cross:
        assert kept == every
        return
    occurring = [pair for pair in every if frequency(*pair)]
    assert len(kept) == min(max_cross, len(occurring))
    assert kept == sorted(kept)
    dropped = [frequency(*pair) for pair in occurring if pair not in kept]
    assert all(frequency(*pair) >= max(dropped, default=0) for pair in kept)


def test_one_column_has_no_conjunctions():
    features, codes = features_and_codes([["a"], ["b"]])
    assert features.rows(codes).toarray().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("max_cross", [0, 2000])
def test_features_of_no_rows(melons, max_cross):
    features, codes = features_and_codes(melons, max_cross)
    assert features.rows([column[:0] for column in codes]).shape == (0, features.n_columns)
