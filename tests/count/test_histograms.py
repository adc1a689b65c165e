import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import slow_counts
from untie._count import counting
from untie._count.counting import (
    Pack,
    PairCounter,
    add_block,
    count_one,
    count_two,
    fill_packs,
    mirror,
)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=9), st.integers(1, 100))
def test_packs_hold_every_attribute_once_and_stay_small(widths, limit):
    packs = fill_packs(widths, limit)
    assert sorted(attribute for pack in packs for attribute in pack) == list(range(len(widths)))
    for pack in packs:
        assert len(pack) == 1 or np.prod([widths[a] for a in pack]) <= limit


def test_narrow_attributes_fill_the_packs_of_wide_ones():
    # Neighbors alone would make eight packs of these.
    assert len(fill_packs([100, 2, 100, 2, 100, 2, 100, 2], 200)) == 4


def test_as_few_packs_as_there_is_room_for():
    assert fill_packs([2] * 16, 256) == [list(range(8)), list(range(8, 16))]


@st.composite
def two_packs(draw):
    """Draw sizes, codes with unknown ones, and which attributes are in the left pack."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=2, max_size=5))
    n_rows = draw(st.integers(1, 12))
    codes = [
        np.array(draw(st.lists(st.integers(0, s), min_size=n_rows, max_size=n_rows)), np.uint8)
        for s in sizes
    ]
    order = draw(st.permutations(range(len(sizes))))
    return sizes, codes, order, draw(st.integers(1, len(sizes) - 1))


def as_matrix(blocks, sizes):
    matrix = np.zeros((sum(sizes), sum(sizes)))
    for block in blocks:
        add_block(matrix, block)
    return mirror(matrix)


@given(table=two_packs(), weighted=st.booleans())
def test_two_packs_have_all_pairs(table, weighted):
    sizes, codes, order, cut = table
    widths = [size + 1 for size in sizes]
    left, right = (Pack(members, sizes, widths) for members in (order[:cut], order[cut:]))
    rows = slice(0, len(codes[0]))
    joint = left.joint_code(codes, rows), right.joint_code(codes, rows)
    weights = np.arange(1.0, len(codes[0]) + 1) if weighted else None
    expected = slow_counts(codes, sizes, weights)
    found = count_two(left, right, joint, weights, [left, right])
    np.testing.assert_array_equal(as_matrix(found, sizes), expected)
    if not weighted:
        counter = PairCounter(len(codes[0]) + 1)
        for _ in "12":  # the second time in the same memory
            found = count_two(left, right, joint, None, [left, right], counter)
            np.testing.assert_array_equal(as_matrix(found, sizes), expected)
    # What is not a pack's own is between the two.
    apart = as_matrix(count_two(left, right, joint, weights, []), sizes)
    own = [*count_one(left, joint[0], weights), *count_one(right, joint[1], weights)]
    np.testing.assert_array_equal(apart + as_matrix(own, sizes), expected)


@pytest.mark.parametrize("widths", [(255,), (16, 16), (257,), (300, 300)])
def test_joint_codes_of_every_width(widths):
    codes = [np.array([0, width - 1]).astype(np.uint16) for width in widths]
    pack = Pack(range(len(widths)), widths, widths)
    assert pack.joint_code(codes, slice(0, 2)).tolist() == [0, np.prod(widths) - 1]


@pytest.mark.parametrize("size", [0, 1, 4, 5, 12])
def test_mirrored_tile_by_tile(size, monkeypatch):
    monkeypatch.setattr(counting, "TILE", 5)
    upper = np.triu(np.random.default_rng(size).random((size, size)))
    expected = upper + np.triu(upper, 1).T
    np.testing.assert_array_equal(mirror(upper.copy()), expected)
