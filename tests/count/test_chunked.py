from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config

from tables import small_tables
from untie._count import chunked as parts_module
from untie._count import memory, row_sample
from untie._count.chunked import (
    CountTask,
    PartialCount,
    PiecePlace,
    count_gathered,
    gather,
    shared_vocabulary,
)
from untie._count.counts import CountedTable
from untie._count.tally import CountOptions, tally_table
from untie._table.rows import encode_apart
from untie._table.table import read_table
from untie._table.vocabulary import Vocabulary
from untie._util.types import smallest_unsigned


@pytest.fixture(params=[1, 2**25], ids=["counted at once", "gathered"], autouse=True)
def gathered(request, monkeypatch):
    monkeypatch.setattr(parts_module, "GATHERED_BYTES", request.param)


def cut(table, bounds):
    """Yield chunks that end at the given rows."""
    for start, stop in zip([0, *bounds], [*bounds, len(table)], strict=True):
        yield table.iloc[start:stop]


def count_chunks(task, chunks):
    """Count chunks one after another, as files are."""
    return count_gathered(task, (task.code(chunk, "") for chunk in chunks))


def add_parts(task, chunks):
    """Count chunks one by one and add them up, as clusters do."""
    first, *others = [task(chunk, PiecePlace(number)) for number, chunk in enumerate(chunks)]
    return sum(others, start=first)


WAYS = {"one after another": count_chunks, "added up": add_parts}


by_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def expected_counts(table, sample_weight=None, categories="auto"):
    options = CountOptions(sample_weight, categories, with_sample=True)
    return tally_table(read_table(table), options).ungrouped


def assert_equal(found, expected):
    assert found.vocabulary == expected.vocabulary
    np.testing.assert_array_equal(found.counts.matrix, expected.counts.matrix)
    assert (found.counts.n, found.counts.n_rows) == (expected.counts.n, expected.counts.n_rows)
    for part in ("numbers", "codes", "weights"):
        np.testing.assert_array_equal(
            getattr(found.sample, part), getattr(expected.sample, part), part
        )


@by_every_way
@given(data=st.data(), table=small_tables())
def test_any_chunks_give_the_counts_of_the_table(way, data, table):
    bounds = sorted(data.draw(st.lists(st.integers(0, len(table)), max_size=4)))
    weights = data.draw(
        st.none() | st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table))
    )
    columns, weight = tuple(table.columns), None
    if weights is not None:
        weights[0] += not any(weights)
        table, weight = table.assign(how_often=weights), "how_often"
    part = way(CountTask(columns, weight, with_sample=True), cut(table, bounds))
    assert part.n_rows == len(table)
    assert_equal(part.counted, expected_counts(table[list(columns)], weights))


@by_every_way
def test_categories_keep_their_order_and_unknown_values_are_named(way):
    table = pd.DataFrame({"A": ["x", "y", "x", "z"], "B": ["u", "v", "w", "w"]})
    categories = [("z", "x"), ("w", "v", "u", "none")]
    task = CountTask(("A", "B"), categories=categories, with_sample=True)
    part = way(task, cut(table, [1, 3]))
    assert [list(values) for values in part.unknown] == [["y"], []]
    assert_equal(part.counted, expected_counts(table, None, categories))


@by_every_way
@pytest.mark.parametrize("bounds", [[], [2], [1, 2, 3]])
def test_values_are_counted_where_pairs_are_too_many(way, bounds):
    table = pd.DataFrame({"A": list("yxxz"), "B": list("vuuu")})
    task = CountTask(("A", "B"), with_sample=True, most_values=3)
    counted = way(task, cut(table, bounds)).counted
    expected = expected_counts(table)
    assert not counted.counts.has_pairs
    assert counted.vocabulary == expected.vocabulary
    np.testing.assert_array_equal(counted.counts.frequencies, expected.counts.frequencies)
    np.testing.assert_array_equal(counted.sample.codes, expected.sample.codes)
    assert (counted.counts.n, counted.counts.n_rows) == (4, 4)


@by_every_way
def test_pairs_are_counted_where_they_are_not_too_many(way):
    table = pd.DataFrame({"A": list("yxxz"), "B": list("vuuu")})
    part = way(CountTask(("A", "B"), with_sample=True, most_values=5), cut(table, [1, 3]))
    assert_equal(part.counted, expected_counts(table))


@by_every_way
def test_a_second_pass_merges_rare_values(way):
    table = pd.DataFrame({"A": list("yxxzw"), "B": list("vuuuv")})
    options = CountOptions(min_frequency=2)
    expected = tally_table(read_table(table), options)
    part = way(CountTask(("A", "B"), grouping=expected.grouping), cut(table, [1, 3]))
    assert part.counted.vocabulary == expected.grouping.vocabulary
    np.testing.assert_array_equal(part.counted.counts.matrix, expected.counts.matrix)


def test_pieces_are_gathered_in_the_codes_of_a_vocabulary():
    pieces = [
        encode_apart(read_table(pd.DataFrame({"A": list(cells)}))) for cells in ("ba", "0ab", "?")
    ]
    rows = gather(pieces, Vocabulary(("A",), (("0", "a", "b"),)))
    assert rows.codes[0].tolist() == [2, 1, 0, 1, 2, 3]
    assert rows.codes[0].dtype == smallest_unsigned(3)
    assert rows.weights is None


@by_every_way
def test_categories_without_cells_are_no_values(way):
    cells = pd.Categorical(["x", "x"], categories=["unused", "x"])
    table = pd.DataFrame({"A": cells, "B": ["u", "v"]})
    part = way(CountTask(("A", "B")), cut(table, [1]))
    assert part.counted.vocabulary.values == (("x",), ("u", "v"))


@by_every_way
def test_no_rows_are_no_counts(way):
    table = pd.DataFrame({"A": ["x", "y"], "w": [0, 0]})
    part = way(CountTask(("A",), "w"), cut(table, [1, 1]))
    assert part.counted is None
    assert part.n_rows == 2
    found = way(CountTask(("A",)), cut(table[["A"]], [0, 0]))
    assert isinstance(found, PartialCount)
    assert isinstance(found.counted, CountedTable)


def test_too_many_values_name_the_column():
    task = CountTask(("id", "kind"))
    chunks = [pd.DataFrame({"id": range(start, start + 400), "kind": 0}) for start in (0, 400)]
    with mock.patch.object(memory, "MEMORY_LIMIT", 8 * 3 * 600**2):
        part = count_chunks(task, chunks[:1])
        with pytest.raises(ValueError, match="Column 'id' alone has 800"):
            part + task(chunks[1], PiecePlace(1))


def pieces_of(*texts):
    return [encode_apart(read_table(pd.DataFrame({"A": list(cells)}))) for cells in texts]


def test_pieces_with_the_same_values_in_the_same_order_share_them():
    vocabulary = shared_vocabulary(pieces_of("baab", "bbab"), ("A",))
    assert vocabulary == Vocabulary(("A",), (("b", "a"),))
    assert shared_vocabulary(pieces_of("baab", "abab"), ("A",)) is None
    assert shared_vocabulary(pieces_of("ba", "b"), ("A",)) is None  # too few rows to pay


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("most_values", [None, 4])
def test_groups_are_counted_at_once(n_jobs, most_values, monkeypatch):
    monkeypatch.setattr(parts_module, "GATHERED_BYTES", 100)
    monkeypatch.setattr(parts_module, "PARALLEL_VALUES", 9)  # the last groups have more
    monkeypatch.setattr(row_sample, "SAMPLE_ROWS", 12)
    rng = np.random.default_rng(0)
    sizes = np.repeat([2, 4, 6], 300)
    table = pd.DataFrame({name: rng.integers(0, sizes).astype(str) for name in "AB"})
    task = CountTask(("A", "B"), with_sample=True, most_values=most_values)
    with parallel_config(n_jobs=n_jobs):
        part = count_chunks(task, cut(table, range(50, 900, 50)))
    expected = expected_counts(table)
    if most_values is not None:
        expected = expected.without_pairs()
    assert part.n_rows == 900
    assert_equal(part.counted, expected)
