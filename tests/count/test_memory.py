"""Memory is known before it is spent."""

import re
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from untie import UNTIE, CountedTable, TableEncoder, Vocabulary
from untie._count import memory
from untie._count.counts import Counts, count
from untie._count.memory import DENSE_VALUES, MEMORY_LIMIT, bytes_of_counts, check_memory
from untie._learn.memory import LARGE, bytes_of_spaces, check_vectors


def test_few_values_take_the_square():
    assert bytes_of_counts((10, 10)) == 8 * 3 * 20**2
    assert bytes_of_spaces((10, 10), n_spaces=2) == 8 * 2 * 2 * 200
    assert bytes_of_counts((DENSE_VALUES,)) == 8 * 3 * DENSE_VALUES**2


def test_many_values_take_the_pairs_that_can_occur():
    assert bytes_of_counts((10**4, 3)) == 3 * 12 * (10**4 + 3 + 2 * 3 * 10**4)
    assert bytes_of_counts((10**4, 3), n_rows=100) == 3 * 12 * (10**4 + 3 + 2 * 100)
    # numpy's integers must not overflow on the way
    assert bytes_of_counts((np.int32(10**6), np.int32(10**6))) == 3 * 12 * (2 * 10**6 + 2 * 10**12)


def test_spaces_of_large_attributes_grow_with_their_values_not_with_the_square():
    small, large = (bytes_of_spaces((size,), n_spaces=28) for size in (20_000, 40_000))
    assert 1.8 * small < large < 2 * small
    assert bytes_of_spaces((LARGE,), n_spaces=28) == 8 * 2 * 28 * LARGE**2


def test_landmarks_samples_and_searches_take_memory():
    """Against what each of them holds, counted by hand."""
    needed = bytes_of_spaces((10_000, 10), n_spaces=28)
    landmarks = 8 * 4 * 10_000 * 256
    axes = 8 * 28 * 32 * 10_000
    sampled = 8 * 2 * 2_000 * (2_000 + 10)
    searched = 8 * 12 * 10_010 * 64
    small = 8 * 2 * 28 * 100
    assert needed == landmarks + axes + sampled + searched + small
    assert bytes_of_counts((10_000, 10), n_rows=10**5) == 3 * 12 * (10_010 + 2 * 10**5)


def test_so_many_components_are_refused():
    check_vectors((100_000, 10), 200)
    with pytest.raises(ValueError, match=r"search for n_components=512 would take 5\.7 GiB"):
        check_vectors((100_000, 10), 512)


@pytest.mark.parametrize(
    "sizes", [(100,) * 100, (1000,) * 10, (100_000, *[10] * 9)], ids=["100x100", "10x1000", "10^5"]
)
def test_what_must_be_possible_is_allowed(sizes):
    more = bytes_of_spaces(sizes, 29)
    assert bytes_of_counts(sizes, 10**6) + more < MEMORY_LIMIT
    check_memory(sizes, None, more, 10**6)


REFUSED = r"1,000,003 distinct values.*{column} alone has 1,000,000\. Set max_categories"


def test_a_million_values_are_refused_by_name():
    with pytest.raises(ValueError, match=REFUSED.format(column="'id'")):
        check_memory((3, 10**6), ("sex", "id"), bytes_of_spaces((3, 10**6), n_spaces=28))


def test_a_table_with_too_many_columns_is_told_how_many_to_keep():
    sizes = (3,) * 5_000
    with pytest.raises(
        ValueError, match=r"5,000 columns.*Learn from at most 4,\d\d\d of"
    ) as refusal:
        check_memory(sizes, n_rows=500)
    affordable = int(re.search(r"at most ([\d,]+)", str(refusal.value))[1].replace(",", ""))
    check_memory((3,) * affordable, n_rows=500)


def test_too_many_pairs_are_refused_before_memory_is_spent():
    codes = [np.arange(10**5, dtype=np.uint32)] * 40
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"4,000,000 distinct values.*number 0 alone has 100,"):
            count(codes, (10**5,) * 40)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10**6


def test_a_fit_on_very_many_values_is_refused_and_grouping_helps():
    table = pd.DataFrame({"id": np.arange(4 * 10**5), "sex": np.arange(4 * 10**5) % 3})
    with pytest.raises(ValueError, match=r"400,003 distinct values.*'id' alone has 400,000\. Set"):
        UNTIE(solver="uniform").fit(table)
    encoder = TableEncoder(2, preparer=None, max_categories=4).fit(table)
    assert encoder.counts_.sizes == (4, 3)


def test_a_sum_of_chunks_that_grows_too_large_names_its_column():
    def chunk(start):
        ids = tuple(range(start, start + 8_000))
        vocabulary = Vocabulary(("id", "town"), (ids, ids))
        # As if there were so many rows: the pairs that they can have are too many.
        counts = Counts(vocabulary.sizes, sparse.csr_array((16_000, 16_000)), 1e8, 10**8)
        return CountedTable(vocabulary, counts)

    with pytest.raises(ValueError, match=r"Column 'id' alone has 16,000"):
        chunk(0) + chunk(8_000)


def test_where_most_pairs_can_occur_their_counts_are_dense():
    """1,400 columns of 3 values are counted as 1,300 are, and not two columns at a time."""
    assert memory.are_dense([3] * 1_400, 10_000)
    assert memory.are_dense([100] * 100, 20_000)
    assert not memory.are_dense([100] * 100, 2_000)
    assert not memory.are_dense([1_000] * 10, 100_000)
    assert not memory.are_dense([2] * 10_000, 100_000)


def test_the_number_of_pairs_that_can_occur():
    sizes = [3, 5, 3, 700, 2]
    by_hand = sum(sizes) + sum(
        min(sizes[i] * sizes[j], 900) for i in range(5) for j in range(5) if i != j
    )
    assert memory._n_pairs(sizes, 900) == by_hand
