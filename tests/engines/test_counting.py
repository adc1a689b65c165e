"""One truth, many engines: lazy tables give the model of the table in memory."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import untie
from cases import TEXT, TYPED
from lazy_sources import SOURCES, as_arrow
from same import assert_same_counts, assert_same_model
from tables import encoder_of
from untie import UNTIE, Gaussian, TableEncoder, count_table
from untie._count import chunked, tally
from untie._engines.arrow import ArrowSource

CASES = [
    *(pytest.param(columns, pa.string(), id=name) for name, columns in TEXT.items()),
    *(pytest.param(columns, None, id=name) for name, columns in TYPED.items()),
]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("columns", "dtype"), CASES)
def test_counts_are_those_of_the_table(source, columns, dtype, tmp_path):
    table = as_arrow(columns, dtype)
    assert_same_counts(count_table(SOURCES[source](table, tmp_path)), count_table(table))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("case", ["a value in the last rows alone", "ranges, which have an order"])
def test_the_model_is_that_of_the_table(source, case, tmp_path, monkeypatch):
    monkeypatch.setattr(chunked, "GATHERED_BYTES", 1)
    table = as_arrow(TEXT[case])
    found = TableEncoder(2, preparer=None).fit(SOURCES[source](table, tmp_path))
    expected = TableEncoder(2, preparer=None).fit(table)
    assert_same_model(found, expected)
    assert found.feature_names_in_.tolist() == list(TEXT[case])


@pytest.mark.parametrize("source", SOURCES)
def test_partial_fit_adds_up(source, tmp_path):
    table = as_arrow(TEXT["missing"])
    encoder = UNTIE(2, solver="uniform").partial_fit(table.slice(0, 2))
    more = table.slice(2).select(["C", "A", "B"]).append_column("id", pa.array([1, 2, 3, 4]))
    encoder.partial_fit(SOURCES[source](more, tmp_path))
    assert_same_model(encoder, UNTIE(2, solver="uniform").fit(table))


def test_frames_come_back_in_the_library_of_the_lazy_table(tmp_path):
    table = as_arrow(TEXT["missing"])
    assert isinstance(
        TableEncoder(2, preparer=None).fit(pl.from_arrow(table).lazy()).value_vectors(),
        pl.DataFrame,
    )
    for name in ("query", "arrow dataset"):
        assert isinstance(
            TableEncoder(2, preparer=None).fit(SOURCES[name](table, tmp_path)).value_vectors(),
            pa.Table,
        )


@pytest.mark.parametrize("source", SOURCES)
def test_weights_from_a_column(source, tmp_path):
    table = as_arrow(TEXT["missing"])
    weights = [0, 1.5, 2, 0, 0.25, 4]
    weighted = table.add_column(1, "how often", pa.array(weights))
    found = count_table(SOURCES[source](weighted, tmp_path), sample_weight="how often")
    assert_same_counts(found, count_table(table, sample_weight=weights))


@pytest.mark.parametrize("source", SOURCES)
def test_fractions_add_up_to_those_of_the_table(source, tmp_path):
    rng = np.random.default_rng(0)
    cells = {name: [f"v{c}" for c in rng.integers(0, 4, 3_000)] for name in "ABCDEF"}
    table = as_arrow(cells).append_column("w", pa.array(rng.random(3_000)))
    found = count_table(SOURCES[source](table, tmp_path), sample_weight="w")
    # To the last bit while all rows are gathered in one block: values have one order everywhere.
    np.testing.assert_array_equal(found.counts.matrix, count_table(table, "w").counts.matrix)


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_weights_from_a_column_of_a_frame(make):
    columns = {**TEXT["missing"], "w": [0.0, 1.5, 2.0, 0.0, 0.25, 4.0]}
    expected = TableEncoder(2, preparer=None).fit(
        as_arrow(TEXT["missing"]), sample_weight=columns["w"]
    )
    found = TableEncoder(2, preparer=None)
    vectors = found.fit_transform(make(columns), sample_weight="w")
    assert_same_model(found, expected)
    assert_same_model(
        TableEncoder(2, preparer=None).partial_fit(make(columns), sample_weight="w"), expected
    )
    np.testing.assert_allclose(vectors, expected.transform(make(TEXT["missing"])), atol=1e-10)


GROUPS = {"min_frequency": 2, "max_categories": 4}


@pytest.mark.parametrize("kept", [1, 2_000])
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("source", SOURCES)
def test_rare_values_are_taken_together(source, weight, group, kept, tmp_path, monkeypatch):
    monkeypatch.setattr(tally, "KEPT_VALUES", kept)
    rng = np.random.default_rng(0)
    table = as_arrow({name: [f"v{c}" for c in rng.geometric(0.3, 60)] for name in "AB"})
    weights = rng.integers(0, 3, 60) if weight else None
    data = table.append_column("w", pa.array(weights)) if weight else table
    options = {group: GROUPS[group]}
    found = encoder_of(2, **options).fit(SOURCES[source](data, tmp_path), sample_weight=weight)
    expected = encoder_of(2, **options).fit(table, sample_weight=weights)
    assert found.vocabulary_.values[0][-1] is expected.vocabulary_.values[0][-1]
    assert_same_model(found, expected)


@pytest.mark.parametrize("library", ["parquet file", "query"])
def test_times_and_decimals_are_the_values_of_the_table(library, tmp_path):
    table = pa.table(
        {
            "t": pa.array(np.array([0, 1, 0], "M8[ns]")),
            "d": pa.array([1, 2, 2], pa.int32()).cast(pa.decimal128(12, 1)),
            "day": pa.array([1, 1, 2], pa.date32()),
        }
    )
    expected = count_table(table)
    assert_same_counts(count_table(SOURCES[library](table, tmp_path)), expected)


def test_dictionaries_of_parquet_are_the_values_of_the_table(tmp_path):
    frame = pd.DataFrame({"A": pd.Categorical(list("xyx")), "B": pd.Categorical([3, 1, 3])})
    frame.to_parquet(tmp_path / "frame.parquet")
    found = count_table(untie.scan(tmp_path / "frame.parquet"))
    assert_same_counts(found, count_table(frame))


def test_files_may_differ_in_the_order_and_width_of_columns(tmp_path):
    pq.write_table(pa.table({"A": ["x", "y"], "B": pa.array([1, 2], pa.int8())}), tmp_path / "1.pq")
    pq.write_table(pa.table({"B": [2.5, 1.0], "A": [None, "x"]}), tmp_path / "2.pq")
    found = count_table(untie.scan(tmp_path / "*.pq"))
    table = {"A": ["x", "y", None, "x"], "B": [1, 2, 2.5, 1.0]}
    assert_same_counts(found, count_table(pd.DataFrame(table, dtype=object)))


def test_unknown_values_of_given_categories(tmp_path):
    table = as_arrow({"A": ["x", "y", "z"], "B": ["u", "u", "v"]})
    categories = [["y", "x"], ["v", "u"]]
    source = SOURCES["parquet files"](table, tmp_path)
    found = count_table(source, categories=categories)
    assert_same_counts(found, count_table(table, categories=categories))


NO_ROWS = pa.table({"A": pa.array([], pa.string()), "w": pa.array([], pa.int64())})

BAD = {
    "no rows": (NO_ROWS, None, ValueError, "0 sample.* has 0 rows"),
    "weights of 0": (
        pa.table({"A": ["x"], "w": [0]}),
        "w",
        ValueError,
        "0 sample.*'w' is 0 in all of them",
    ),
    "negative weight": (
        pa.table({"A": ["x", "y"], "w": [1, -1]}),
        "w",
        ValueError,
        "Column 'w' of .*table.parquet.*row 1 is negative",
    ),
    "missing weight": (pa.table({"A": ["x"], "w": [None]}), "w", ValueError, "Column 'w'.*finite"),
    "text for weights": (pa.table({"A": ["x"], "w": ["much"]}), "w", ValueError, "Column 'w'"),
    "no column of weights": (NO_ROWS, "v", ValueError, "no column 'v' .* sample_weight names"),
    "array of weights": (NO_ROWS, [1.0], TypeError, "name of one of its columns, got list"),
    "nested": (pa.table({"A": [["x"]]}), None, TypeError, "Column 'A', row 0: .* holds a list"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables(case, tmp_path):
    table, weight, error, message = BAD[case]
    with pytest.raises(error, match=message):
        TableEncoder(2, preparer=None).fit(
            SOURCES["parquet file"](table, tmp_path), sample_weight=weight
        )


def test_solvers_that_draw_rows_are_refused(tmp_path):
    source = SOURCES["parquet file"](as_arrow(TEXT["missing"]), tmp_path)
    with pytest.raises(ValueError, match=r"read piece by piece .*'adam' draws rows"):
        UNTIE(2, solver="adam").fit(source)


def test_a_reader_can_be_read_once(tmp_path):
    reader = SOURCES["batch reader"](as_arrow(TEXT["missing"]), tmp_path)
    with pytest.raises(ValueError, match="fit_transform reads its rows twice"):
        TableEncoder(2, preparer=None).fit_transform(reader)
    TableEncoder(2, preparer=None).fit(reader)
    with pytest.raises(ValueError, match="was it read before"):
        TableEncoder(2, preparer=None).fit(reader)


def test_a_source_that_grows_between_two_passes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tally, "KEPT_VALUES", 1)
    table = as_arrow(TEXT["missing"])
    lengths = iter([6, 5])
    changing = ArrowSource(
        table.schema, lambda names: table.slice(0, next(lengths)).to_batches(), "it"
    )
    with pytest.raises(ValueError, match=r"it changed while it was read: 6 rows .* 5 in the"):
        TableEncoder(2, min_frequency=2, preparer=None).fit(changing)


def test_lazy_tables_are_refused_where_a_table_is_needed(tmp_path):
    table = as_arrow(TEXT["missing"])
    encoder = TableEncoder(2, preparer=None).fit(table)
    loaders = {
        "parquet file": "collect",
        "duckdb relation": "to_arrow_table",
        "arrow dataset": "to_table",
        "batch reader": "read_all",
    }
    for name, method in loaders.items():
        with pytest.raises(TypeError, match=rf"is lazy; call \.{method}\(\)"):
            encoder.similarity(SOURCES[name](table, tmp_path))


def test_a_single_column_warns_as_the_table_does(tmp_path):
    table = as_arrow(TEXT["single column"])
    with pytest.warns(UserWarning, match="coupled with no other"):
        UNTIE(2, solver="uniform", kernels=[Gaussian(1.0)]).fit(
            SOURCES["parquet file"](table, tmp_path)
        )


def test_nearly_distinct_numbers_warn(tmp_path):
    table = pa.table({"A": np.linspace(0, 1, 30), "B": ["x", "y"] * 15})
    with pytest.warns(UserWarning, match="'A' holds numbers that are nearly all distinct"):
        TableEncoder(2, preparer=None).fit(SOURCES["parquet file"](table, tmp_path))


def test_names_that_polars_takes_for_patterns():
    frame = pl.LazyFrame({"^a.*$": ["x", "y"], "ab": ["u", "v"], "*": ["s", "t"]})
    assert count_table(frame).vocabulary.values == (("x", "y"), ("u", "v"), ("s", "t"))


def test_weights_of_more_rows(tmp_path):
    table = pa.table({"A": ["x", "y"] * 4, "B": ["u", "u", "v", "v"] * 2, "w": [1.0] * 8})
    source = SOURCES["parquet file"](table, tmp_path)
    encoder = TableEncoder(2, preparer=None).partial_fit(source, sample_weight="w")
    with pytest.raises(TypeError, match="must be the name of one of its columns"):
        encoder.partial_fit(source, sample_weight=np.ones(8))
    with pytest.raises(ValueError, match="'A' can't hold the weights"):
        encoder.partial_fit(source, sample_weight="A")
