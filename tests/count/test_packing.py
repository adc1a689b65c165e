import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie._count.packed_rows import Packs, add_up, pack_attributes

WIDTHS = (2, 3, 4, 100, 1, 5)


@pytest.fixture
def codes():
    rng = np.random.default_rng(0)
    return [rng.integers(0, width, 50).astype(np.uint8) for width in WIDTHS]


@pytest.mark.parametrize("limit", [1, 6, 24, 400, 10**6])
def test_sums_are_those_of_single_look_ups(codes, limit):
    rng = np.random.default_rng(1)
    tables = [rng.integers(0, 100, (width, 3)).astype(float) for width in WIDTHS]
    packs = Packs(WIDTHS, limit)
    rows = slice(10, 40)
    work = np.empty((2, 35, 3))
    result = add_up(packs.add_tables(tables), list(packs.join_codes(codes)), rows, work)
    expected = sum(table[column[rows]] for table, column in zip(tables, codes, strict=True))
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("limit", [1, 6, 24, 400, 10**6])
def test_counts_are_split_into_those_of_attributes(codes, limit):
    packs = Packs(WIDTHS, limit)
    joint = [
        np.bincount(column, minlength=cells)[None]
        for column, cells in zip(packs.join_codes(codes), packs.n_cells, strict=True)
    ]
    for counts, column, width in zip(packs.split_counts(joint), codes, WIDTHS, strict=True):
        np.testing.assert_array_equal(counts[0], np.bincount(column, minlength=width))


@pytest.mark.parametrize("limit", [1, 6, 24, 400])
def test_vectors_side_by_side_are_those_of_single_look_ups(codes, limit):
    rng = np.random.default_rng(2)
    tables = [rng.random((width, 1 + width % 3)) for width in WIDTHS]
    packs = Packs(WIDTHS, limit)
    joint = zip(packs.stack_tables(tables), packs.join_codes(codes), strict=True)
    expected = [table[column] for table, column in zip(tables, codes, strict=True)]
    np.testing.assert_array_equal(np.hstack([t[c] for t, c in joint]), np.hstack(expected))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=9), st.integers(1, 100))
def test_packs_hold_every_attribute_once_and_stay_small(widths, limit):
    packs = pack_attributes(widths, limit)
    assert [attribute for pack in packs for attribute in pack] == list(range(len(widths)))
    for pack in packs:
        assert len(pack) == 1 or np.prod([widths[a] for a in pack]) <= limit
