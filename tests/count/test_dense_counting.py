import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import slow_counts
from untie._count import counting
from untie._count.counting import (
    STRATEGIES,
    count_pairs,
    expected_work,
    fastest_strategy,
    sparse_one_hot,
)
from untie._util.types import smallest_unsigned

EVERY_STRATEGY = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES)


def random_codes(n_rows, sizes, seed=0, unknown=False):
    """Return codes as the pipe makes them: unsigned, of the smallest type."""
    rng = np.random.default_rng(seed)
    return [
        rng.integers(0, size + unknown, n_rows).astype(smallest_unsigned(size)) for size in sizes
    ]


@st.composite
def coded_tables(draw):
    """Draw sizes and codes, some of them unknown."""
    sizes = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=5)))
    n_rows = draw(st.integers(0, 12))
    codes = [
        np.array(
            draw(st.lists(st.integers(0, size), min_size=n_rows, max_size=n_rows)), dtype=np.uint8
        )
        for size in sizes
    ]
    return sizes, codes


def check(strategy, codes, sizes, weights=None, exact=True):
    found = strategy(codes, sizes, weights)
    expected = slow_counts(codes, sizes, weights)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=0 if exact else 1e-12, atol=0)


@EVERY_STRATEGY
@given(table=coded_tables())
def test_any_table(strategy, table):
    sizes, codes = table
    check(strategy, codes, sizes)


@EVERY_STRATEGY
@given(table=coded_tables(), seed=st.integers(0, 99))
def test_any_table_with_weights(strategy, table, seed):
    sizes, codes = table
    rng = np.random.default_rng(seed)
    check(strategy, codes, sizes, rng.integers(0, 9, len(codes[0])).astype(float))
    check(strategy, codes, sizes, rng.random(len(codes[0])), exact=False)


SHAPES = {
    "one row": (1, (2, 3)),
    "no rows": (0, (2, 3)),
    "one value": (20, (1,)),
    "one value among others": (20, (1, 4, 1)),
    "one attribute": (50, (7,)),
    "one-byte limit": (60, (255, 256, 257)),
    "many values": (60, (300, 2, 3)),
    "many values twice": (60, (300, 400)),
    "two-byte joint codes": (80, (16, 16, 17, 3)),
    "packs full to the brim": (80, (2,) * 8 + (4,) * 4),
    "many attributes": (30, (2,) * 25),
}


@EVERY_STRATEGY
@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(strategy, shape, unknown):
    n_rows, sizes = SHAPES[shape]
    codes = random_codes(n_rows, sizes, unknown=unknown)
    check(strategy, codes, sizes)
    check(strategy, codes, sizes, np.arange(n_rows, dtype=float))


@EVERY_STRATEGY
def test_the_last_value_of_every_attribute(strategy):
    sizes = (256, 255, 3)
    codes = [np.full(5, size - 1, dtype=smallest_unsigned(size)) for size in sizes]
    check(strategy, codes, sizes)


@EVERY_STRATEGY
@pytest.mark.parametrize("dtype", [np.int64, np.uint16, np.int8])
def test_codes_of_any_integer_type(strategy, dtype):
    codes = [column.astype(dtype) for column in random_codes(30, (3, 4, 2), unknown=True)]
    check(strategy, codes, (3, 4, 2))


@EVERY_STRATEGY
@pytest.mark.parametrize("n_rows", [255, 256, 257, 700])
def test_several_blocks_of_rows(strategy, n_rows, monkeypatch):
    # The smallest block is of 256 rows.
    monkeypatch.setattr(counting, "BLOCK_CELLS", 1)
    sizes = (3, 2, 4)
    codes = random_codes(n_rows, sizes, unknown=True)
    assert len(list(counting._blocks(n_rows, 3))) == -(-n_rows // 256)
    check(strategy, codes, sizes)
    check(strategy, codes, sizes, np.arange(n_rows) % 5.0)


def test_blocks_cover_each_row_once(monkeypatch):
    monkeypatch.setattr(counting, "BLOCK_CELLS", 3000)
    rows = np.concatenate([np.arange(1000)[block] for block in counting._blocks(1000, 10)])
    np.testing.assert_array_equal(rows, np.arange(1000))


@EVERY_STRATEGY
def test_counts_are_symmetric_to_the_last_bit(strategy):
    codes = random_codes(500, (5, 6, 7, 8))
    weights = np.random.default_rng(1).random(500)
    found = strategy(codes, (5, 6, 7, 8), weights)
    np.testing.assert_array_equal(found, found.T)


@EVERY_STRATEGY
def test_large_counts_are_exact(strategy):
    # Above 2**24 single precision would lose ones.
    weights = np.array([2.0**24, 1.0, 1.0])
    found = strategy([np.zeros(3, dtype=np.uint8)], (1,), weights)
    assert found.tolist() == [[2.0**24 + 2]]


@given(table=coded_tables())
def test_count_pairs(table):
    sizes, codes = table
    check(count_pairs, codes, sizes)


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_cheapest_strategy_is_taken(name, monkeypatch):
    free = {other: [float(other != name)] * len(costs) for other, costs in counting.COSTS.items()}
    monkeypatch.setattr(counting, "COSTS", free)
    assert fastest_strategy(100, (3, 3)) == name
    calls = []
    monkeypatch.setitem(STRATEGIES, name, lambda *arguments: calls.append(arguments))
    codes = random_codes(100, (3, 3))
    count_pairs(codes, (3, 3), None)
    assert calls == [(codes, (3, 3), None)]


def test_every_strategy_has_a_cost():
    assert set(counting.COSTS) == set(STRATEGIES) == set(expected_work(10, (2, 3)))


@given(table=coded_tables())
def test_sparse_one_hot(table):
    sizes, codes = table
    found = sparse_one_hot(codes, sizes)
    columns = [
        np.eye(size + 1)[column][:, :size] for column, size in zip(codes, sizes, strict=True)
    ]
    np.testing.assert_array_equal(found.toarray(), np.concatenate(columns, axis=1))


def test_a_histogram_of_many_values_needs_no_square_of_them_per_pack():
    # A pack of one attribute had a matrix of (values)^2 numbers, multiplied for each block.
    sizes = (2000, 2)
    codes = random_codes(10, sizes)
    tracemalloc.start()
    try:
        counting.by_histogram(codes, sizes, None)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2.5 * 8 * sum(sizes) ** 2  # the result, and a block of it that is added
