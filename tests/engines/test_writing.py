import os

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline

import untie
from cases import TEXT
from lazy_sources import SOURCES, as_arrow
from tables import encoder_of
from untie import UNTIE, Preparer, TableClusterer, TableEncoder
from untie._engines import arrow
from untie._engines.arrow import ArrowSource
from untie._engines.writing import write_source

TABLE = as_arrow(TEXT["missing"])


@pytest.fixture
def encoder():
    return UNTIE(2, solver="uniform").fit(TABLE)


def numbers(table):
    return np.column_stack([column.to_numpy() for column in table.columns])


@pytest.mark.parametrize("piece_bytes", [1, 2**26])
@pytest.mark.parametrize("source", SOURCES)
def test_transform_streams_the_rows_in_order(source, piece_bytes, encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "PIECE_BYTES", piece_bytes)
    reader = encoder.transform(SOURCES[source](TABLE, tmp_path))
    assert isinstance(reader, pa.RecordBatchReader)
    assert reader.schema.names == encoder.get_feature_names_out().tolist()
    np.testing.assert_array_equal(numbers(reader.read_all()), encoder.transform(TABLE))


@pytest.mark.parametrize(
    "options",
    [{"n_components": 2}, {"output": "full"}, {"dtype": np.float32}, {"max_categories": 2}],
    ids=str,
)
def test_transform_of_every_output(options, tmp_path):
    encoder = encoder_of(2, **options).fit(TABLE)
    source = SOURCES["parquet files"](TABLE, tmp_path)
    found = numbers(encoder.transform(source).read_all())
    np.testing.assert_array_equal(found, encoder.transform(TABLE))
    assert found.dtype == encoder.transform(TABLE).dtype


def test_other_columns_are_left_alone_and_missing_ones_named(encoder, tmp_path):
    more = TABLE.select(["B", "C", "A"]).append_column("id", pa.array(range(6)))
    found = encoder.transform(SOURCES["query"](more, tmp_path)).read_all()
    np.testing.assert_array_equal(numbers(found), encoder.transform(TABLE))
    with pytest.raises(ValueError, match=r"no columns 'A', 'C' of the encoder in "):
        encoder.transform(SOURCES["parquet file"](TABLE.select(["B"]), tmp_path))


def test_an_encoder_of_an_array_takes_columns_by_place(tmp_path):
    rows = [list(row.values()) for row in TABLE.to_pylist()]
    encoder = UNTIE(2, solver="uniform").fit(rows)
    source = SOURCES["parquet file"](TABLE, tmp_path)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        found = encoder.transform(source).read_all()
    np.testing.assert_array_equal(numbers(found), encoder.transform(rows))


def test_fit_transform_reads_twice(tmp_path):
    found = (
        TableEncoder(2, preparer=None)
        .fit_transform(SOURCES["parquet file"](TABLE, tmp_path))
        .read_all()
    )
    np.testing.assert_allclose(
        numbers(found), TableEncoder(2, preparer=None).fit_transform(TABLE), atol=1e-10
    )


def test_unknown_values_are_reported_once(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "PIECE_BYTES", 1)
    encoder = UNTIE(2, solver="uniform", handle_unknown="warn").fit(TABLE)
    source = SOURCES["parquet file"](
        as_arrow({"A": ["new", "newer"], "B": ["u", "u"], "C": ["p", "new"]}), tmp_path
    )
    with pytest.warns(UserWarning, match="Found unknown value") as caught:
        encoder.transform(source).read_all()
    assert [("'A'" in str(w.message), "'C'" in str(w.message)) for w in caught] == [
        (True, False),
        (False, True),
    ]
    encoder.set_params(handle_unknown="error")
    with pytest.raises(ValueError, match="unknown value 'new' in column 'A' during transform"):
        encoder.transform(source).read_all()


def test_outputs_that_have_no_stream(encoder, tmp_path):
    source = SOURCES["parquet file"](TABLE, tmp_path)
    with pytest.raises(ValueError, match="sparse_output=False"):
        TableEncoder(2, sparse_output=True, preparer=None).fit(TABLE).transform(source)
    with (
        config_context(transform_output="pandas"),
        pytest.raises(ValueError, match="not as pandas frames"),
    ):
        TableEncoder(2, preparer=None).fit(TABLE).transform(source)
    with pytest.raises(ValueError, match="not as pandas frames"):
        encoder.set_output(transform="pandas").transform(source)


READERS = {
    "out.parquet": pq.read_table,
    "out.pq": pq.read_table,
    "out.feather": pyarrow.feather.read_table,
    "out.arrow": pyarrow.feather.read_table,
    "out.csv": pyarrow.csv.read_csv,
    "out.csv.gz": pyarrow.csv.read_csv,
    "out.tsv": lambda path: pyarrow.csv.read_csv(
        path, parse_options=pyarrow.csv.ParseOptions(delimiter="\t")
    ),
}


@pytest.mark.parametrize("name", READERS)
def test_files_hold_the_vectors(name, encoder, tmp_path):
    path = tmp_path / "result" / name
    path.parent.mkdir()
    ids = pa.array(range(6))
    untie.sink(encoder, TABLE.append_column("id", ids), path, keep=["id", "A"])
    assert os.listdir(path.parent) == [name]
    found = READERS[name](path)
    assert found.column_names == ["id", "A", *encoder.get_feature_names_out()]
    assert found["id"].to_pylist() == list(range(6))
    np.testing.assert_allclose(numbers(found.drop(["id", "A"])), encoder.transform(TABLE))


def test_every_source(encoder, tmp_path):
    SOURCES["parquet files"](TABLE, tmp_path)
    pattern = str(tmp_path / "[0-9].parquet")
    frames = [TABLE, TABLE.to_pandas(), pl.from_arrow(TABLE), pl.from_arrow(TABLE).lazy()]
    for number, source in enumerate([pattern, [pattern], untie.scan(pattern), *frames]):
        path = tmp_path / f"out{number}.parquet"
        untie.sink(encoder, source, path, keep="*")
        found = pq.read_table(path)
        assert found["A"].to_pylist() == TEXT["missing"]["A"]
        np.testing.assert_array_equal(
            numbers(found.drop(TABLE.column_names)), encoder.transform(TABLE)
        )


MODELS = {
    "clusterer": lambda: TableClusterer(2),
    "encoder in a pipeline": lambda: make_pipeline(Preparer(), TableEncoder(2, preparer=None)),
    "clusterer in a pipeline": lambda: make_pipeline(Preparer(), TableClusterer(2, preparer=None)),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_estimator_and_pipelines_of_them(name, tmp_path):
    n = np.arange(60)
    ids = [f"P{i}" for i in n]
    table = pa.table({"id": ids, "age": n % 50, "sex": list("mf") * 30, "stage": list("abc") * 20})
    pq.write_table(table, tmp_path / "rows.parquet")
    untie.sink(
        MODELS[name]().fit(table),
        untie.scan(tmp_path / "rows.parquet").select(["stage", "id", "sex", "age"]),
        tmp_path / "out.parquet",
        keep=["id", "age"],
    )
    encoder = TableEncoder(2).fit(table)
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.column_names == ["id", "age", *encoder.get_feature_names_out()]
    assert found["age"].to_pylist() == table["age"].to_pylist()
    np.testing.assert_array_equal(numbers(found.drop(["id", "age"])), encoder.transform(table))


@pytest.mark.parametrize("model", [None, Preparer(), "model.untie"])
def test_what_makes_no_vectors_is_refused(model, tmp_path):
    with pytest.raises(TypeError, match=r"is required, got .* fit one to the table first"):
        untie.sink(model, TABLE, tmp_path / "out.parquet")
    assert not os.listdir(tmp_path)


def test_no_rows_make_an_empty_file(encoder, tmp_path):
    untie.sink(encoder, TABLE.slice(0, 0), tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("name", READERS)
def test_the_old_file_stands_when_something_goes_wrong(name, error, encoder, tmp_path):
    def read(columns):
        yield from TABLE.select(columns).to_batches()
        raise error

    source = ArrowSource(TABLE.schema, read, "a source that breaks")
    (tmp_path / name).write_text("old")
    with pytest.raises(error):
        untie.sink(encoder, source, tmp_path / name)
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_text() == "old"


@pytest.mark.parametrize("form", ["vectors", "vectors/"])
@pytest.mark.parametrize("source", ["parquet files", "batch reader", "polars lazy frame"])
def test_a_folder_has_the_rows_in_their_order(source, form, encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "PART_ROWS", (2, 2))
    rows = SOURCES[source](TABLE.append_column("id", pa.array(range(6))), tmp_path)
    untie.sink(encoder, rows, f"{tmp_path}/{form}", keep=["id"])
    names = sorted(os.listdir(tmp_path / "vectors"))
    assert names == ["part-0000.parquet", "part-0001.parquet", "part-0002.parquet"]
    parts = [pq.read_table(tmp_path / "vectors" / name) for name in names]
    assert [len(part) for part in parts] == [2, 2, 2]
    found = pa.concat_tables(parts)
    assert found["id"].to_pylist() == list(range(6))
    np.testing.assert_array_equal(numbers(found.drop(["id"])), encoder.transform(TABLE))


def test_an_old_folder_is_replaced_as_a_whole(encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "PART_ROWS", (1, 1))
    untie.sink(encoder, TABLE, tmp_path / "vectors")
    monkeypatch.setattr(arrow, "PART_ROWS", (6, 6))
    untie.sink(encoder, TABLE, tmp_path / "vectors")
    assert os.listdir(tmp_path / "vectors") == ["part-0000.parquet"]
    untie.sink(encoder, TABLE[:0], tmp_path / "vectors")
    assert pq.read_table(tmp_path / "vectors").num_rows == 0
    assert os.listdir(tmp_path) == ["vectors"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("has_old", [False, True])
def test_a_folder_is_whole_or_as_it_was(has_old, error, encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "PART_ROWS", (2, 2))

    def read(columns):
        yield from TABLE.select(columns).to_batches(max_chunksize=2)
        raise error

    if has_old:
        untie.sink(encoder, TABLE[:1], tmp_path / "vectors")
    with pytest.raises(error):
        untie.sink(encoder, ArrowSource(TABLE.schema, read, "it breaks"), tmp_path / "vectors")
    assert os.listdir(tmp_path) == (["vectors"] if has_old else [])
    assert not has_old or pq.read_table(tmp_path / "vectors").num_rows == 1


def test_the_folder_of_the_program_is_not_replaced(encoder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("./", tmp_path / "."):
        with pytest.raises(FileExistsError, match="is the one that the program runs in"):
            untie.sink(encoder, TABLE, path)
    assert os.getcwd() == str(tmp_path)


def test_what_is_no_folder_of_vectors_is_not_replaced(encoder, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    (tmp_path / "text").write_text("old")
    with pytest.raises(FileExistsError, match=r"other files, such as 'letter\.txt'; name a new"):
        untie.sink(encoder, TABLE, tmp_path / "mine")
    with pytest.raises(NotADirectoryError, match="is no folder; name another"):
        untie.sink(encoder, TABLE, tmp_path / "text")
    with pytest.raises(FileNotFoundError, match=r"folder .*none' does not exist"):
        untie.sink(encoder, TABLE, tmp_path / "none" / "vectors")
    assert (tmp_path / "text").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["mine", "text"]


BAD = {
    "ending": ({"path": "out.xlsx"}, ValueError, "none of the endings .parquet"),
    "folder": ({"path": "none/out.csv"}, FileNotFoundError, "folder .*none' does not exist"),
    "kept name": ({"keep": "A"}, TypeError, r"list of names or '\*', got 'A': pass \['A'\]"),
    "kept column": ({"keep": ["Z"]}, ValueError, "no column 'Z' .* keep names"),
    "array": ({"source": np.array([["x"]])}, TypeError, "names of columns, got ndarray"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(case, encoder, tmp_path):
    arguments, error, message = BAD[case]
    arguments = {"source": TABLE, "path": "out.parquet", **arguments}
    arguments["path"] = tmp_path / arguments["path"]
    with pytest.raises(error, match=message):
        untie.sink(encoder, **arguments)
    assert not os.listdir(tmp_path)


def test_a_kept_column_must_not_have_the_name_of_a_vector(encoder, tmp_path):
    table = TABLE.append_column("A=x", pa.array(range(6)))
    with pytest.raises(ValueError, match="'A=x' can't be kept"):
        untie.sink(encoder, table, tmp_path / "out.parquet", keep="*")


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv", "rows.feather"])
def test_a_lazy_table_is_written_as_it_is(name, tmp_path):
    table = as_arrow({"a": ["x", None, "y"], "b": [1, 2, 3]})
    write_source(SOURCES["parquet file"](table, tmp_path), tmp_path / name)
    read = {"parquet": pq.read_table, "csv": pa.csv.read_csv, "feather": pa.feather.read_table}
    found = read[name.split(".")[1]](tmp_path / name)
    assert found["b"].to_pylist() == [1, 2, 3]
    assert [cell or None for cell in found["a"].to_pylist()] == ["x", None, "y"]
