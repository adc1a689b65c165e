import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from untie._count.growing import GatheredRows, GrowingTable, GrowingVocabulary, raw_rows

from tables import small_tables
from untie._count import growing as growing_module
from untie._count.tally import tally
from untie._table.sample_weights import positive_weights
from untie._table.table import read_table
from untie._util.types import smallest_unsigned


@pytest.fixture(params=[1, 2**25], ids=["counted at once", "gathered"], autouse=True)
def gathered(request, monkeypatch):
    monkeypatch.setattr(growing_module, "GATHERED_BYTES", request.param)


def grow(table, bounds, weights=None, **options):
    """Take in a table in chunks that end at the given rows."""
    result = GrowingTable(table.columns, **options)
    for start, stop in zip([0, *bounds], [*bounds, len(table)], strict=True):
        chunk = read_table(table.iloc[start:stop], min_rows=0)
        if weights is None:
            result.add(chunk)
        else:
            result.add(chunk, *positive_weights(np.array(weights[start:stop], dtype=float)))
    result.finish()
    return result


def assert_equal(found, expected):
    assert found.vocabulary == expected.vocabulary
    np.testing.assert_array_equal(found.counts.matrix, expected.counts.matrix)
    assert (found.counts.n, found.counts.n_rows) == (expected.counts.n, expected.counts.n_rows)
    for part in ("numbers", "codes", "weights"):
        np.testing.assert_array_equal(
            getattr(found.sample, part), getattr(expected.sample, part), part
        )


@given(data=st.data(), table=small_tables())
def test_any_chunks_give_the_counts_of_the_table(data, table):
    bounds = sorted(data.draw(st.lists(st.integers(0, len(table)), max_size=4)))
    weights = data.draw(
        st.none() | st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table))
    )
    if weights is not None and not any(weights):
        weights[0] = 1
    expected = tally(read_table(table), weights, "auto", with_sample=True).ungrouped
    assert_equal(grow(table, bounds, weights, with_sample=True).counted(), expected)


def test_categories_keep_their_order_and_unknown_values_are_named():
    table = pd.DataFrame({"A": ["x", "y", "x", "z"], "B": ["u", "v", "w", "w"]})
    categories = [("z", "x"), ("w", "v", "u", "none")]
    result = grow(table, [1, 3], categories=categories, with_sample=True)
    assert [list(values) for values in result.unknown] == [["y"], []]
    expected = tally(read_table(table), None, categories, with_sample=True).ungrouped
    assert_equal(result.counted(), expected)


def test_values_are_counted_where_pairs_are_too_many():
    table = pd.DataFrame({"A": list("yxxz"), "B": list("vuuu")})
    result = grow(table, [2], with_sample=True, max_values=3)
    assert not result.has_pairs
    vocabulary, frequencies, sample = result.frequencies()
    expected = tally(read_table(table), None, "auto", with_sample=True).ungrouped
    assert vocabulary == expected.vocabulary
    np.testing.assert_array_equal(np.concatenate(frequencies), expected.counts.frequencies)
    np.testing.assert_array_equal(sample.codes, expected.sample.codes)
    assert result.n == 4


def test_codes_stay_while_values_are_added():
    vocabulary = GrowingVocabulary(["A"])
    gathered = GatheredRows()
    for cells in ("ba", "0ab"):
        rows = raw_rows(read_table(pd.DataFrame({"A": list(cells)})))
        targets, unknown = vocabulary.learn(rows)
        gathered.add(rows.codes, None, targets)
        assert unknown == [[]]
    (codes,), _ = gathered.take()
    values = vocabulary.so_far().values[0]
    assert [values[code] for code in codes] == ["b", "a", "0", "a", "b"]
    assert vocabulary.in_order().values == (("0", "a", "b"),)
    assert codes.dtype == smallest_unsigned(3)
    assert gathered.take() is None


def test_categories_without_cells_are_no_values():
    cells = pd.Categorical(["x", "x"], categories=["unused", "x"])
    result = grow(pd.DataFrame({"A": cells, "B": ["u", "v"]}), [1])
    assert result.counted().vocabulary.values == (("x",), ("u", "v"))
