"""The nearest rows of coded queries, against all distances summed and sorted one by one."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie._learn import nearest
from untie._learn.nearest import Search, queries_at_once
from untie._learn.spaces.value_space import ValueSpace


def slow_nearest(vectors, rows, query, n, chosen, distinct):
    """Return (position, squared distance) of the nearest rows to one, by plain loops."""
    found, seen = [], set()
    for position, row in enumerate(rows):
        if distinct and tuple(row) in seen:
            continue
        seen.add(tuple(row))
        distance = 0.0
        for place in chosen:
            one, other = vectors[place][row[place]], vectors[place][query[place]]
            distance += sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
        found.append((round(distance, 6), position))
    return [(position, distance) for distance, position in sorted(found)[:n]]


@st.composite
def searches(draw):
    """Draw vectors of whole numbers, so that many distances are equal, rows, queries, pieces."""
    widths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    cell = st.integers(-2, 2)
    vectors = [[[float(draw(cell)) for _ in range(2)] for _ in range(width)] for width in widths]
    row = st.tuples(*(st.integers(0, width - 1) for width in widths))
    rows = draw(st.lists(row, min_size=0, max_size=40))
    queries = draw(st.lists(row, min_size=1, max_size=5))
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    chosen = draw(st.sets(st.integers(0, len(widths) - 1), min_size=1))
    return vectors, rows, queries, cuts, sorted(chosen)


def columns(rows, n_columns):
    return list(np.array(rows, dtype=np.intp).reshape(-1, n_columns).T)


def search_pieces(search, rows, cuts, n_columns):
    """Add up what is found in each piece, as engines do."""
    edges = [0, *cuts, len(rows)]
    found = None
    for start, stop in pairwise(edges):
        part = search(columns(rows[start:stop], n_columns))
        found = part if found is None else found + part
    return found


@given(
    searches(),
    st.integers(1, 12),
    st.booleans(),
    st.sampled_from([(7, 2, 3, 5), (2**19, 1024, 2**16, 2048), (1, 1, 1, 1)]),
    st.sampled_from([1, 2]),
)
def test_of_any_rows_pieces_blocks_and_threads(drawn, n, distinct, sizes, threads):
    vectors, rows, queries, cuts, chosen = drawn
    with pytest.MonkeyPatch.context() as patch:
        names = ("BLOCK_NUMBERS", "QUERIES", "CHUNK_ROWS", "JOINT_CELLS")
        for name, size in zip(names, sizes, strict=True):
            patch.setattr(nearest, name, size)
        patch.setattr("untie._util.threads.n_threads", lambda: threads)
        space = ValueSpace([np.array(table) for table in vectors])
        search = Search(space, columns(queries, len(vectors)), n, chosen, distinct)
        found = search_pieces(search, rows, cuts, len(vectors))
    assert found.n_rows == len(rows)
    assert (np.diff(found.query) >= 0).all()
    for number, query in enumerate(queries):
        own = found.query == number
        expected = slow_nearest(vectors, rows, query, n, chosen, distinct)
        assert found.position[own].tolist() == [position for position, _ in expected]
        distances = [distance for _, distance in expected]
        np.testing.assert_allclose(found.distance[own], distances, atol=1e-9)
    for place, column in enumerate(found.codes):
        assert column.tolist() == [rows[position][place] for position in found.position]


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
@pytest.mark.parametrize("order", ["as drawn", "far to near", "near to far"])
def test_of_many_rows_in_any_order_and_scale(scale, order, monkeypatch):
    monkeypatch.setattr(nearest, "CHUNK_ROWS", 700)
    monkeypatch.setattr(nearest, "BLOCK_NUMBERS", 300)
    rng = np.random.default_rng(0)
    tables = [rng.normal(size=(width, 3)) for width in (3, 20, 70, 5)]
    tables[1] *= 30.0  # nearly all that tells rows apart: bounds of the others are coarse
    codes = [rng.integers(0, len(table), 3000) for table in tables]
    vectors = np.hstack([table[column] for table, column in zip(tables, codes, strict=True)])
    queries = [column[[5, 60]] for column in codes]
    distances = np.square(vectors[:, None] - vectors[[5, 60]]).sum(axis=2)
    if order != "as drawn":
        by_first = np.argsort(distances[:, 0], kind="stable")
        if order == "far to near":
            by_first = by_first[::-1]
        codes, distances = [column[by_first] for column in codes], distances[by_first]
    space = ValueSpace([table * scale for table in tables])
    found = Search(space, queries, 25, range(4))(codes)
    for number in range(2):
        own = found.query == number
        expected = np.argsort(np.round(distances[:, number], 9), kind="stable")[:25]
        assert found.position[own].tolist() == expected.tolist()
        np.testing.assert_allclose(
            found.distance[own] / scale**2, distances[expected, number], rtol=1e-9, atol=1e-9
        )


def test_equal_rows_are_looked_up_once(monkeypatch):
    looked_up = []

    def count(numbers, n_digits):
        looked_up.append(len(numbers))
        return numbers

    monkeypatch.setattr(nearest, "leading_digits", count)
    space = ValueSpace([np.array([[0.0], [1.0], [5.0]])])
    codes = [np.repeat([1, 2], [50_000, 10])]
    found = Search(space, [np.array([0])], 4, [0])(codes)
    assert found.position.tolist() == [0, 1, 2, 3]
    assert sum(looked_up) <= 4


def test_a_limit_found_in_one_piece_serves_the_next(monkeypatch):
    looked_up = []

    def count(numbers, n_digits):
        looked_up.append(len(numbers))
        return numbers

    rng = np.random.default_rng(0)
    space = ValueSpace([rng.normal(size=(1000, 2))])
    search = Search(space, [np.array([0, 1])], 3, [0])
    monkeypatch.setattr(nearest, "leading_digits", count)
    first = search([np.arange(900)])
    n_first = sum(looked_up)
    both = first + search([np.arange(900, 1000)])
    assert sum(looked_up) - n_first < 10
    assert both.position.tolist() == search([np.arange(1000)]).position.tolist()


def test_tables_of_very_many_values_are_made_for_few_queries():
    few, many = ValueSpace([np.zeros((30, 2))] * 3), ValueSpace([np.zeros((10**6, 1))])
    assert queries_at_once(few, range(3)) > 1000
    assert 1 <= queries_at_once(many, [0]) < 100


def test_values_with_one_vector_are_equally_near():
    """Squares less products leave some 1e-17, by which a later row came before an earlier one."""
    vector = np.random.default_rng(0).normal(size=(1, 7))
    same = np.vstack([vector * (1 + noise) for noise in (0.0, 1e-16, -1e-16, 2e-16, -2e-16)])
    search = Search(ValueSpace([np.vstack([same, vector + 1.0])]), [np.arange(5)], 6, [0])
    found = search([np.array([5, 3, 1, 4, 0, 2])])
    assert found.position.tolist() == [1, 2, 3, 4, 5, 0] * 5


@pytest.mark.parametrize("at_once", [1, 50, nearest.ROWS_AT_ONCE])
def test_of_rows_that_occur_often_no_more_are_sorted_than_are_asked_for(at_once, monkeypatch):
    """Of 60 distinct rows, each 30 times, the nearest alone has the ten that are asked for."""
    monkeypatch.setattr(nearest, "ROWS_AT_ONCE", at_once)
    sorted_rows = []
    rows_of = nearest._Kinds.rows

    def rows(self, kinds):
        found = rows_of(self, kinds)
        sorted_rows.append(len(found[0]))
        return found

    monkeypatch.setattr(nearest._Kinds, "rows", rows)
    codes = np.tile(np.arange(60), 30)
    space = ValueSpace([np.arange(61.0)[:, None] ** 2])
    found = Search(space, [np.arange(60)], 10, [0])([codes])
    assert found.position.tolist() == [value + 60 * k for value in range(60) for k in range(10)]
    assert sum(sorted_rows) == 600
    assert max(sorted_rows) <= max(at_once, 10) + 10
