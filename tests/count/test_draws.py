"""How many independent draws weights stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie import TableEncoder, count_table, load_model
from untie._count.counts import common_unit, number_of_draws
from untie._count.row_sample import RowSample


def sample_of(weights):
    """Return distinct rows, none of which follows from one column or is one of few possible."""
    place = np.arange(len(weights))
    codes = np.stack([place // 2, (place + 1) // 2, place // 3], axis=1)
    return RowSample(np.arange(len(weights), dtype=np.uint64), codes, np.asarray(weights, float))


@given(
    st.lists(st.integers(1, 2_000), min_size=2, max_size=60),
    st.sampled_from([1.0, 3.0, 0.1, 1 / 3, 1e-9, 7e20, 1e-300]),
)
def test_the_unit_of_numbers_of_rows_in_any_unit(numbers, factor):
    expected = np.gcd.reduce(numbers) * factor
    assert common_unit(np.array(numbers) * factor) == pytest.approx(expected, rel=1e-9)


def test_the_unit_survives_sums_of_fractions():
    sums = np.bincount(np.repeat([0, 1, 2], [7, 1_000, 33]), np.full(1_040, 0.1))
    assert common_unit(sums) == pytest.approx(0.1)


@pytest.mark.parametrize("seed", range(5))
def test_fractions_have_no_unit(seed):
    assert common_unit(np.random.default_rng(seed).gamma(2, 0.5, 8)) is None


@pytest.mark.parametrize(
    ("weights", "n_rows", "n_draws"),
    [
        (np.ones(10), 10, 10),
        (np.full(10, 0.01), 10, 10),
        (np.full(10, 1e6), 10, 10),
        (np.full(10, 2.0), 20, 10),
        (np.arange(1, 11), 10, 55),  # whole weights are rows written out
        ((np.arange(10) // 3 + 1) * 2.5, 10, 22),  # counts in another unit: some rows occur once
        (np.sqrt(np.arange(1, 11)), 10, 10),
        (np.sqrt(np.arange(1, 11)), 400, 400),
        (np.full(4, 20.0), 4, 80),  # too few rows to have a unit
    ],
)
def test_the_number_of_draws(weights, n_rows, n_draws):
    found = number_of_draws(sample_of(weights), float(np.sum(weights)), n_rows)
    assert found == pytest.approx(n_draws)


@pytest.mark.parametrize("times", [1, 5])
def test_a_planned_table_is_not_one_that_was_repeated(times):
    every = np.indices((3, 3, 3)).reshape(3, -1).T
    cells = count_table(np.repeat(every, times, axis=0))
    assert number_of_draws(cells.sample, cells.counts.n, cells.counts.n_rows) == 27 * times
    ranges = count_table(np.repeat(np.arange(20)[:, None] // [1, 2], times, axis=0))
    assert number_of_draws(ranges.sample, 20.0 * times, 20 * times) == 20 * times


def test_a_model_knows_its_draws_and_so_does_its_file(tmp_path):
    rows = np.random.default_rng(0).integers(0, 3, (40, 3)).astype(str)
    for weights in (None, np.full(40, 0.01), np.full(40, 50)):
        encoder = TableEncoder(2, min_frequency=0.1, preparer=None).fit(rows, sample_weight=weights)
        assert encoder.counts_.n_draws == 40
        encoder.save(tmp_path / "model")
        assert load_model(tmp_path / "model").counts_.n_draws == 40
    grown = TableEncoder(2, preparer=None).partial_fit(rows, sample_weight=np.full(40, 2.0))
    assert grown.counts_.n_draws == 40
    grown.partial_fit(rows[:10], sample_weight=np.full(10, 3.0))
    assert grown.counts_.n_draws == 110


def test_chunks_that_were_added_have_draws_of_their_own():
    one, other = (count_table([["a"], ["b"]] * 5) for _ in range(2))
    counts = one.counts.with_draws(one.sample) + other.counts
    assert counts.draws is None
    assert counts.n_draws == 20
