"""Mean ranks against rows written out, the space of an order, and the coarse view."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from cases import slow_counts
from untie import Preparer, TableEncoder, count_table
from untie._learn import memory
from untie._learn.spaces.order_space import COARSE, ORDER, coarse_view, mean_ranks, order_spaces
from untie._util.arrays import ranges_of

POSITIONS = st.integers(-1, 6)


@given(st.lists(st.tuples(POSITIONS, st.integers(0, 5)), min_size=1, max_size=9))
def test_mean_ranks_of_rows_written_out(values):
    positions, frequencies = (np.array(part) for part in zip(*values, strict=True))
    found = mean_ranks(positions, frequencies.astype(float))
    rows = np.repeat(positions, frequencies)
    known = rows[rows >= 0]
    ranks = (rankdata(known) - 0.5) / len(known) if len(known) else known
    for position, frequency, rank in zip(positions, frequencies, found, strict=True):
        if position < 0 or not len(known):
            assert rank == 0.5
        elif frequency:
            np.testing.assert_allclose(rank, ranks[known == position])
        assert 0 <= rank <= 1


@given(st.lists(st.integers(1, 9), min_size=2, max_size=8), st.floats(1e-6, 1e6))
def test_mean_ranks_rise_and_turn_round(frequencies, scale):
    weights = np.array(frequencies) * scale
    positions = np.arange(len(weights))
    ranks = mean_ranks(positions, weights)
    assert (np.diff(ranks) > 0).all()
    turned = mean_ranks(positions[::-1].copy(), weights)
    np.testing.assert_allclose(ranks + turned, 1, atol=1e-12)
    assert weights @ ranks / weights.sum() == pytest.approx(0.5)  # where missing cells stand


def counted(columns):
    return count_table(pd.DataFrame(columns).astype(object)).counts


def test_the_space_has_a_coordinate_where_there_is_an_order():
    counts = counted({"a": [1, 2, 2, 3], "b": list("uvuv"), "c": [1, 1, 1, 1]})
    spaces = order_spaces(counts, (np.array([2, 1, 0]), None, np.array([0])))
    assert spaces.labels == ((ORDER, "ranks"),)
    assert spaces.widths == ((2,), (0,), (2,))
    ends = [[0.875, 0.125], [0.5, 0.5], [0.125, 0.875]]
    np.testing.assert_allclose(spaces.columns[0].array, ends)
    assert spaces.columns[1].array.shape == (2, 0)
    np.testing.assert_array_equal(spaces.columns[2].array, [[0.5, 0.5]])


def many(n_values, n_rows=600):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": np.append(np.arange(n_values), rng.integers(0, n_values, n_rows - n_values)),
            "b": rng.choice(["x", "y", "z"], n_rows),
        }
    )


def test_columns_with_many_values_are_ordered_as_those_with_few(monkeypatch):
    table = many(40)
    expected = TableEncoder(2, ordered=["a"], preparer=None).fit(table)
    monkeypatch.setattr(memory, "LARGE", 20)
    large = TableEncoder(2, ordered=["a"], preparer=None).fit(table)
    np.testing.assert_allclose(large.similarity(table), expected.similarity(table), atol=1e-9)
    assert large.weights().shape == expected.weights().shape
    np.testing.assert_allclose(large.weights().omega, expected.weights().omega)


def test_an_ordered_column_with_more_values_than_are_large():
    table = many(memory.LARGE + 20, 1500)
    encoder = TableEncoder(2, ordered=["a"], preparer=None).fit(table)
    vectors = encoder.transform(pd.DataFrame({"a": [0, 1, 500], "b": ["x"] * 3}))
    vectors = vectors.toarray() if hasattr(vectors, "toarray") else np.asarray(vectors)
    near, far = (np.linalg.norm(vectors[0] - other) for other in vectors[1:])
    assert 0 < near < far
    errors = encoder.kernel_errors()
    assert errors.coupling.tolist() == ["matching", "order"]
    assert (errors.error == 0).all()


def test_names_of_the_weights():
    table = pd.DataFrame({"a": [1, 2, 2, 1], "b": ["u", "v", "u", "v"]})
    found = TableEncoder(2, ordered=["a"], preparer=None).fit(table).weights()
    of_order = found[found.coupling == "order"]
    assert of_order.column.tolist() == ["a", "a"]
    assert of_order.value.tolist() == ["axis 1", "axis 2"]
    assert found[found.coupling == "matching"].value.tolist() == ["1", "2", "u", "v"]


@given(
    st.lists(st.integers(0, 11), min_size=12, max_size=40),
    st.lists(st.integers(0, 2), min_size=40, max_size=40),
    st.booleans(),
)
def test_the_coarse_view_is_that_of_coarser_rows(numbers, others, is_turned):
    columns = {"a": [*range(12), *numbers], "b": others[: len(numbers)] + [0] * 12}
    table = pd.DataFrame(columns)
    table.loc[3, "a"] = None
    counted = count_table(table.astype(object))
    values = counted.vocabulary.values[0]
    positions = np.array([-1 if value is None else int(value) for value in values])
    positions = np.where(positions < 0, -1, 11 - positions if is_turned else positions)
    view = coarse_view(counted.counts, (positions, None))
    codes = counted.sample.codes
    cells = view.cells(codes)
    ranks = mean_ranks(positions, counted.counts.frequencies[: len(values)])
    groups = ranges_of(ranks, COARSE)
    for row, coarse in zip(codes, cells, strict=True):
        assert row[1] == coarse[1]
    for one in range(len(codes)):
        for two in range(len(codes)):
            a, b = codes[one, 0], codes[two, 0]
            is_same = a == b or (min(positions[a], positions[b]) >= 0 and groups[a] == groups[b])
            assert (cells[one, 0] == cells[two, 0]) == is_same
    expected = slow_counts(cells.T, view.counts.sizes, counted.sample.weights)
    np.testing.assert_allclose(np.asarray(view.counts.matrix), expected)
    assert view.counts.sizes[0] <= COARSE + 1
    unknown = np.array([[len(values), len(counted.vocabulary.values[1])]])
    np.testing.assert_array_equal(view.cells(unknown), [view.counts.sizes])


def test_few_places_stay_as_they_are():
    counts = counted({"a": [1, 2, 3, 4, 5], "b": list("uvuvu")})
    view = coarse_view(counts, (np.arange(5), None))
    assert view.counts is counts
    rows = np.array([[4, 1], [5, 2]])
    assert view.cells(rows) is rows


def test_the_coarse_view_of_counts_that_are_sparse(monkeypatch):
    table = many(30).astype(object)
    dense = count_table(table)
    order = np.argsort(np.argsort([int(v) for v in dense.vocabulary.values[0]]))
    expected = coarse_view(dense.counts, (order, None)).counts
    monkeypatch.setattr("untie._count.memory.DENSE_VALUES", 3)
    monkeypatch.setattr("untie._count.memory.FULL_VALUES", 3)
    sparse = count_table(table).counts
    found = coarse_view(sparse, (order, None)).counts
    assert hasattr(sparse.matrix, "toarray")
    matrix = found.matrix.toarray() if hasattr(found.matrix, "toarray") else found.matrix
    np.testing.assert_allclose(matrix, expected.matrix)


CHANGES = {
    "exp": lambda x: np.exp(x / 20),
    "cubes": lambda x: (x - 40) ** 3,
    "ranks": lambda x: rankdata(x, "dense", nan_policy="omit"),
    "negated": lambda x: -x,
    "inverse": lambda x: 1 / (x + 1),
}


def mixed(n_rows=300, seed=0):
    """Rows of two groups, with numbers, some of them missing, and categories."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n_rows)
    age = np.round(rng.normal(30 + 30 * group, 8), 1)
    table = pd.DataFrame(
        {
            "age": np.where(rng.random(n_rows) < 0.1, np.nan, age),
            "height": rng.normal(170 + 10 * group, 5),
            "pet": np.where(rng.random(n_rows) < 0.7, group, rng.integers(0, 3, n_rows)),
        }
    )
    table["pet"] = table["pet"].map({0: "cat", 1: "dog", 2: "none"})
    return table, group


@pytest.mark.parametrize("change", CHANGES)
def test_changes_that_keep_the_order_change_nothing(change):
    table, _ = mixed()
    other = table.assign(age=CHANGES[change](table["age"]))

    def learned(rows):
        prepared = Preparer().fit_transform(rows)
        return TableEncoder(2, preparer=None).fit(prepared).similarity(prepared)

    np.testing.assert_allclose(learned(other), learned(table), rtol=0, atol=1e-9)


def vectors_of(encoder, column, values):
    """Return the compact vectors of some values of a column; None is a missing cell."""
    place = encoder.vocabulary_.columns.index(column)
    known = encoder.vocabulary_.values[place]
    return encoder._model.space.vectors(place, [known.index(value) for value in values])


def test_neighbors_are_near_and_missing_cells_stand_in_the_middle():
    table, _ = mixed(800)
    preparer = Preparer().fit(table)
    encoder = TableEncoder(2, preparer=None).fit(preparer.transform(table))
    ranges = preparer.ranges("age")
    assert len(ranges) == 35
    vectors = vectors_of(encoder, "age", ranges)
    distances = np.linalg.norm(vectors[:, None] - vectors, axis=2)
    for line, own in zip(distances, range(len(ranges)), strict=True):
        assert (np.diff(line[own:]) > 0).all()
        assert (np.diff(line[: own + 1]) < 0).all()
    (missing,) = vectors_of(encoder, "age", [None])
    from_missing = np.linalg.norm(vectors - missing, axis=1)
    assert 14 <= from_missing.argmin() <= 20
    assert from_missing[0] == pytest.approx(from_missing[-1], rel=0.05)
    # Apart from all: nearer to none than neighbors are to each other.
    assert from_missing.min() > 0.9 * np.diagonal(distances, 1).min()
