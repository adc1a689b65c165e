"""Spark frames give the model of the table in memory, whatever happens to the workers."""

import os
import re
import shutil
import signal
import subprocess
import sys
import warnings
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import export_cases
import raw_cases
import untie
from cases import TEXT, TYPED
from example_files import example
from lazy_sources import as_arrow
from odd_cells import INSTANTS
from same import assert_same_counts, assert_same_model
from site_files import DOCS
from tables import encoder_of
from test_same_answer import mixed
from untie import UNTIE, TableClusterer, TableEncoder, count_table, explain
from untie._count import tally
from untie._engines import spark as spark_module

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    from pyspark.errors import PythonException
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import lit

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java 17: `make java`"),
]

TESTS = str(Path(export_cases.__file__).parent)


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", TESTS, prepend=os.pathsep)
        session = (
            SparkSession.builder.master("local[2, 4]")  # tasks may fail three times
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.python.daemon.module", "spark_daemon")
            # Small jobs are over before compiled code would pay.
            .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
            .config("spark.sql.session.timeZone", "Asia/Tokyo")
            .config("spark.sql.timestampType", "TIMESTAMP_NTZ")  # times without zones stay so
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "10")
            .getOrCreate()
        )
        yield session
        session.stop()


def pieces(table):
    """Cut a table: partitions without rows, of one row, and of the others."""
    return [table[:0], table[:1], table[:0], table[1:2], table[2:]]


def as_spark(spark, table, cut=pieces, load=None):
    """Return a Spark frame with these partitions; `load` sees each when it is read."""
    parts = cut(table)

    # Functions for workers stand inside others: they can't import this file.
    def read(batches):
        for batch in batches:
            for number in batch.column(0).to_pylist():
                part = parts[number] if load is None else load(number, parts[number])
                yield from part.to_batches()

    schema = spark.createDataFrame(table).schema
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        return spark.range(0, len(parts), 1, len(parts)).mapInArrow(read, schema)


def in_order(frame):
    """Return the rows of a Spark frame by their id, without it."""
    table = frame.toArrow().sort_by("id")
    return table.drop(["id"])


def as_array(table):
    return np.column_stack([column.to_numpy() for column in table.columns])


MISSING = as_arrow(TEXT["missing"])
LATE = as_arrow(TEXT["a value in the last rows alone"])
WEIGHTS = [0, 1.5, 2, 0, 0.25, 4]

CASES = [
    *(pytest.param(as_arrow(columns, pa.string()), id=name) for name, columns in TEXT.items()),
    *(pytest.param(as_arrow(columns), id=name) for name, columns in TYPED.items()),
]

OTHER_TYPES = pa.table(
    {
        "day": pa.array([date(2020, 2, 29), date(1969, 1, 1), None, date(2020, 2, 29)]),
        "price": pa.array([Decimal("1.10"), Decimal("2.00"), Decimal("2.00"), None]),
        "instant": pa.array(
            [datetime(2020, 1, 1, 12, tzinfo=UTC), None, datetime(1969, 5, 1, tzinfo=UTC), None],
            pa.timestamp("us", "UTC"),
        ),
        "clock": pa.array([datetime(2020, 1, 1, 12, 0, 0, 5), None] * 2, pa.timestamp("us")),
        "nan or null": pa.array([0.5, float("nan"), None, -0.0]),
        "single": pa.array([0.1, 0.2, None, 0.1], pa.float32()),
        "byte": pa.array([1, -1, None, 1], pa.int8()),
        "bytes": pa.array([b"x", b"", None, b"\xff"]),
        "flag": pa.array([True, None, False, True]),
    }
)


REPEATED_HOUR = pa.table({"at": pa.array(INSTANTS * 2, pa.timestamp("us", "Europe/Berlin"))})


@pytest.mark.parametrize(
    "table",
    [
        *CASES,
        pytest.param(OTHER_TYPES, id="other types"),
        pytest.param(REPEATED_HOUR, id="the hour that comes twice"),
    ],
)
def test_counts_are_those_of_the_table(table, spark):
    assert_same_counts(count_table(as_spark(spark, table)), count_table(table))


def test_the_model_is_that_of_the_table(spark):
    encoder = TableEncoder(2, preparer=None).fit(as_spark(spark, LATE))
    assert_same_model(encoder, TableEncoder(2, preparer=None).fit(LATE))
    assert isinstance(encoder.value_vectors(), pd.DataFrame)


def test_names_that_mean_something_to_spark(spark):
    table = pa.table(
        {"a.b": ["x", "y"], "A.B": ["u", "u"], "`": ["p", "q"], "a": ["s", "s"], "é b": ["k", "l"]}
    )
    frame = as_spark(spark, table.append_column("id", pa.array([0, 1])))
    encoder = TableEncoder(2, preparer=None).fit(table)
    assert_same_counts(count_table(frame.drop("id")), count_table(table))
    found = in_order(encoder.transform(frame)).select(encoder.get_feature_names_out().tolist())
    np.testing.assert_allclose(as_array(found), encoder.transform(table), atol=1e-10)


def test_weights_from_a_column(spark):
    weighted = MISSING.add_column(1, "W", pa.array(WEIGHTS))
    model = TableEncoder(2, preparer=None).fit(as_spark(spark, weighted), sample_weight="W")
    assert_same_model(model, TableEncoder(2, preparer=None).fit(MISSING, sample_weight=WEIGHTS))


def test_partitions_and_pieces_add_up(spark, monkeypatch):
    rng = np.random.default_rng(0)
    table = pa.table({"A": rng.choice(list("xyz"), 340), "w": rng.random(340)})
    expected = count_table(table, "w")
    frame = as_spark(spark, table, lambda table: [table[n : n + 20] for n in range(0, 340, 20)])
    first = count_table(frame, "w")
    assert_same_counts(count_table(frame, "w"), first)  # fractions, to the last bit
    monkeypatch.setattr(spark_module, "PIECE_BYTES", 1)
    for found in (first, count_table(frame, "w")):
        assert found.counts.n_rows == 340
        np.testing.assert_allclose(found.counts.matrix, expected.counts.matrix, rtol=1e-12)


@pytest.mark.parametrize("rounds", [0, 1])
def test_the_driver_adds_what_is_left(rounds, spark, monkeypatch):
    monkeypatch.setattr(spark_module, "ROUNDS", rounds)
    frame = as_spark(spark, LATE, lambda table: [table[n : n + 1] for n in range(len(table))])
    assert_same_counts(count_table(frame), count_table(LATE))


def test_pieces_have_all_batches():
    batches = LATE.to_batches(max_chunksize=4)
    found = list(spark_module._pieces(iter(batches), 2 * batches[0].nbytes))
    assert [len(piece) for piece in found] == [8, 8, 6]
    assert pa.concat_tables(found).equals(LATE)


@pytest.mark.parametrize("kept", [1, 2_000])
def test_rare_values_are_taken_together(kept, spark, monkeypatch):
    monkeypatch.setattr(tally, "KEPT_VALUES", kept)
    rng = np.random.default_rng(0)
    table = as_arrow({name: [f"v{c}" for c in rng.geometric(0.3, 60)] for name in "AB"})
    data = table.append_column("w", pa.array(rng.integers(0, 3, 60)))
    options = {"max_categories": 4} if kept == 1 else {"min_frequency": 2}
    found = encoder_of(2, **options).fit(as_spark(spark, data), sample_weight="w")
    assert_same_model(found, encoder_of(2, **options).fit(data, sample_weight="w"))
    assert (found._model.ungrouped is None) == (kept == 1)


def test_partial_fit_adds_up(spark):
    encoder = TableEncoder(2, preparer=None).partial_fit(MISSING[:2])
    more = MISSING[2:].append_column("id", pa.array(range(4))).append_column("w", [[1.0] * 4])
    encoder.partial_fit(as_spark(spark, more.select(["w", "id", "C", "A", "B"])), sample_weight="w")
    assert_same_model(encoder, TableEncoder(2, preparer=None).fit(MISSING))


def test_given_categories_keep_their_order(spark):
    table = pa.table({"A": ["x", "y", "z"], "B": ["u", "u", "v"]})
    frame = as_spark(spark, table)
    categories = [["y", "x"], ["v", "u"]]
    found = count_table(frame, categories=categories)
    assert_same_counts(found, count_table(table, categories=categories))


@pytest.mark.parametrize(
    "options", [{}, {"n_components": 2, "dtype": "float32"}, {"output": "full"}], ids=str
)
def test_transform_adds_columns(options, spark):
    encoder = encoder_of(2, **options).fit(MISSING)
    more = MISSING.append_column("id", pa.array(range(6))).append_column(
        "tags", pa.array([[n, None] for n in range(6)])
    )
    more = more.select(["B", "id", "tags", "C", "A"])
    found = encoder.transform(as_spark(spark, more))
    names = encoder.get_feature_names_out().tolist()
    assert found.columns == [*more.column_names, *names]
    rows = in_order(found)
    assert rows.select(["B", "tags", "C", "A"]).equals(more.drop(["id"]))
    assert set(rows.select(names).schema.types) == {
        pa.from_numpy_dtype(encoder.transform(MISSING).dtype)
    }
    expected = encoder.transform(MISSING)
    np.testing.assert_allclose(as_array(rows.select(names)), expected, atol=1e-10)


def test_transform_is_lazy_and_keeps_the_model(spark, tmp_path):
    def load(number, part):
        (tmp_path / f"read{number}").touch()
        return part

    source = as_spark(spark, MISSING.append_column("id", pa.array(range(6))), load=load)
    encoder = TableEncoder(2, preparer=None).fit(MISSING)
    expected = encoder.transform(MISSING)
    found = encoder.transform(source)
    assert not list(tmp_path.iterdir())
    encoder.partial_fit(MISSING[:3])
    rows = in_order(found).drop(MISSING.column_names)
    np.testing.assert_array_equal(as_array(rows), expected)
    assert len(list(tmp_path.iterdir())) == 5


NO_ROWS = pa.table({"A": pa.array([], pa.string()), "w": pa.array([], pa.float64())})

BAD = {
    "no rows": (NO_ROWS, None, ValueError, "0 sample.* the Spark frame has 0 rows"),
    "weights of 0": (
        pa.table({"A": ["x"], "w": [0.0]}),
        "w",
        ValueError,
        "0 sample.*has 1 rows, and 'w' is 0 in all of them",
    ),
    "negative weight": (
        pa.table({"A": ["x", "y"], "w": [1.0, -1.0]}),
        "w",
        ValueError,
        "^Column 'w', partition 3: .*row 0 is negative",
    ),
    "missing weight": (
        pa.table({"A": ["x"], "w": pa.array([None], "f8")}),
        "w",
        ValueError,
        "^Col",
    ),
    "no column of weights": (NO_ROWS, "v", ValueError, "no column 'v' .* sample_weight names"),
    "array of weights": (NO_ROWS, [1.0], TypeError, "name of one of its columns, got list"),
    "no columns": (NO_ROWS.select(["w"]), "w", ValueError, "0 feature"),
    "nested": (pa.table({"A": [["x"]]}), None, TypeError, "^Column 'A', row 0: .* holds a list"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables(case, spark):
    table, weight, error, message = BAD[case]
    with pytest.raises(error, match=message):
        TableEncoder(2, preparer=None).fit(as_spark(spark, table), sample_weight=weight)


def test_bad_calls(spark, tmp_path):
    source = as_spark(spark, MISSING)
    with pytest.raises(ValueError, match="'adam' draws rows"):
        UNTIE(2, solver="adam").fit(source)
    encoder = TableEncoder(2, preparer=None).fit(MISSING)
    with pytest.raises(ValueError, match=r"no columns 'A', 'C' of the encoder in the Spark frame;"):
        encoder.transform(source.select("B"))
    with pytest.raises(ValueError, match="'A=x' can't be kept"):
        encoder.transform(source.withColumn("A=x", lit(1)))
    with pytest.raises(ValueError, match=r"of the Spark frame, as these occur again: \['A'\]"):
        encoder.transform(source.select("A", "A"))
    with pytest.raises(ValueError, match="set sparse_output=False"):
        TableEncoder(2, sparse_output=True, preparer=None).fit(MISSING).transform(source)
    with pytest.raises(ValueError, match="Spark frames, not as polars frames"):
        TableEncoder(2, preparer=None).set_output(transform="polars").fit(MISSING).transform(source)
    with pytest.raises(TypeError, match=r"is lazy; call \.toArrow\(\)"):
        encoder.similarity(source)
    with pytest.raises(TypeError, match=r"encoder\.transform\(frame\)\.write\.parquet"):
        untie.sink(encoder, source, tmp_path / "vectors.parquet")


def test_unknown_values_are_errors_where_asked(spark):
    encoder = TableEncoder(2, handle_unknown="error", preparer=None).fit(MISSING)
    new = encoder.transform(as_spark(spark, MISSING).withColumn("A", lit("new")))
    with pytest.raises(PythonException, match="unknown value 'new' in column 'A'"):
        new.collect()


def test_a_source_that_changes_between_two_passes_is_refused(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(tally, "KEPT_VALUES", 1)

    def load(number, part):
        if (tmp_path / f"read{number}").exists():
            return part[:-1]
        (tmp_path / f"read{number}").touch()
        return part

    changing = as_spark(spark, MISSING, lambda table: [table], load)
    with pytest.raises(ValueError, match=r"the Spark frame changed .*: 6 rows .* 5 in the second"):
        TableEncoder(2, min_frequency=2, preparer=None).fit(changing)


def numbered(n_rows):
    rng = np.random.default_rng(0)
    words = {name: [f"v{c}" for c in rng.geometric(0.4, n_rows)] for name in "ABC"}
    return pa.table({**words, "w": rng.integers(0, 4, n_rows) / 4, "id": np.arange(n_rows)})


def tenths(table):
    size = len(table) // 10
    return [table[start : start + size] for start in range(0, len(table), size)]


@pytest.mark.parametrize("ends", ["killed", "failed"])
def test_workers_that_end_while_they_read(ends, spark, tmp_path):
    def load(number, part):
        if number == 7:
            try:
                (tmp_path / "ended").touch(exist_ok=False)
            except FileExistsError:
                (tmp_path / "again").touch()
            else:
                if ends == "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                raise RuntimeError("lost")
        return part

    table = numbered(400)
    source = as_spark(spark, table, tenths, load).drop("id")
    found = TableEncoder(2, preparer=None).fit(source, sample_weight="w")
    assert (tmp_path / "again").exists()
    assert_same_model(
        found, TableEncoder(2, preparer=None).fit(table.drop(["id"]), sample_weight="w")
    )


def test_workers_that_are_killed_while_they_count(spark, tmp_path):
    table = numbered(400).select(["A", "B", "C"])

    def count(piece, place):
        counted = count_table(piece)
        if place.part == 7:
            try:
                (tmp_path / "ended").touch(exist_ok=False)
            except FileExistsError:
                (tmp_path / "again").touch()
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return counted

    found = spark_module.adopt_spark(as_spark(spark, table, tenths)).add_up(count)
    assert (tmp_path / "again").exists()
    assert_same_counts(found, count_table(table))


def typed(columns):
    """Return the columns of an export case as an Arrow table with a key."""
    table = pa.table({name: pa.array(list(cells)) for name, cells in columns.items()})
    return table.append_column("row_id", pa.array(range(len(table))))


SQL_TABLES = {
    "weird values": export_cases.TEXT["weird values"],
    "types": {
        "größe `.": ["1", "1", "2", None],
        "number": export_cases.NUMBERS["floats"]["A"][1:5],
        "day": export_cases.DATES["dates"]["A"],
        "instant": export_cases.DATES["times with zones"]["A"],
    },
}


@pytest.mark.parametrize("case", SQL_TABLES)
def test_sql_runs_on_spark(case, spark):
    encoder = export_cases.fit(SQL_TABLES[case])
    names = [f"v{number}" for number in range(len(encoder.get_feature_names_out()))]
    sql = encoder.to_sql("spark", source="src", keep=["row_id"], names=names)
    found = ask(spark, sql, typed(SQL_TABLES[case]))
    expected = encoder.transform(export_cases.frame(SQL_TABLES[case]))
    np.testing.assert_allclose(as_array(found), expected, rtol=0, atol=1e-10)


def ask(spark, sql, table):
    """Run a transform over an Arrow table; return its columns in the order of the rows."""
    spark.createDataFrame(table).createOrReplaceTempView("src")
    for statement in sql.setup:
        spark.sql(statement)
    found = spark.sql(sql.query).toArrow().sort_by("row_id").drop(["row_id"])
    for statement in sql.teardown:
        spark.sql(statement)
    return found


def test_raw_rows_get_their_clusters_on_spark(spark):
    clusterer = raw_cases.fitted("clusterer", "commas")
    width = 2 + clusterer.n_clusters_ + len(clusterer.encoder_.get_feature_names_out())
    arguments = {"source": "src", "keep": ["row_id"], "result": raw_cases.PARTS}
    sql = clusterer.to_sql("spark", names=[f"v{n}" for n in range(width)], **arguments)
    found = ask(spark, sql, raw_cases.as_arrow(raw_cases.rows_of("commas")))
    raw_cases.check_clustered("commas", as_array(found))


@pytest.mark.parametrize("case", raw_cases.CASES)
def test_raw_rows_are_prepared_on_spark(case, spark):
    preparer, table = (
        raw_cases.fitted("preparer", case),
        raw_cases.as_arrow(raw_cases.rows_of(case)),
    )
    names = [f"prepared {number}" for number in range(len(preparer.columns_))]
    sql = preparer.to_sql("spark", source="src", keep="*", names=names)
    found = ask(spark, sql, table)
    assert found.column_names == [*table.column_names[:-1], *names]
    cells = [found[name].to_pylist() for name in names]
    # The page on exports says how Spark writes small fractions in the prepared table alone.
    found = dict(zip(preparer.columns_, cells, strict=True))
    raw_cases.check_prepared(case, found, in_own_way=["rate"])


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
def test_the_page_on_spark_shows_what_it_says(spark, capsys):
    page = (DOCS / "how_to/spark.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S):
        exec(block, names)
    (shown,) = re.findall(r"^```text\n(.*?)^```", page, re.M | re.S)
    assert capsys.readouterr().out.strip() == shown.strip()


def test_the_example_finds_clusters(spark):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        recipe = example("spark")
    kind = np.repeat([0, 1], 20)
    words = {name: [f"{name}{k}" for k in kind] for name in "ABCDEFGH"}
    frame = spark.createDataFrame(pa.table({**words, "kind": kind}))
    found = recipe.cluster(frame, list(words), 2)
    pairs = {(row.kind, row.cluster) for row in found.select("kind", "cluster").collect()}
    assert pairs in ({(0, 0), (1, 1)}, {(0, 1), (1, 0)})
    assert found.columns == [*frame.columns, "cluster"]


CONNECT = """
import pyarrow as pa
from pyspark.sql import SparkSession
from untie import TableEncoder, count_table

spark = SparkSession.builder.remote("local[2]").getOrCreate()
assert "connect" in type(spark).__module__
table = pa.table({"a.b": ["x", None, "y", "x"], "B": ["u", "u", "v", None], "id": range(4)})
frame = spark.createDataFrame(table).repartition(3)
found, expected = count_table(frame.drop("id")), count_table(table.drop(["id"]))
assert found.vocabulary == expected.vocabulary
assert (found.counts.matrix == expected.counts.matrix).all()
encoder = TableEncoder(2).fit(table.drop(["id"]))
rows = encoder.transform(frame).toArrow().sort_by("id").drop(table.column_names)
assert abs(rows.to_pandas().to_numpy() - encoder.transform(table.drop(["id"]))).max() <= 1e-10
spark.stop()
"""


@pytest.mark.slow
def test_frames_of_spark_connect():
    pytest.importorskip("grpc_status", reason="needs pip install 'pyspark[connect]'")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CONNECT],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert not run.returncode, run.stderr


@pytest.fixture(scope="module")
def people():
    return pa.Table.from_pandas(mixed(), preserve_index=False)


@pytest.fixture(scope="module")
def in_memory(people):
    return TableClusterer(3).fit(people)


@pytest.fixture(scope="module")
def on_spark(people, spark):
    return TableClusterer(3).fit(as_spark(spark, people))


def by_person(frame, *names):
    """Return columns of a Spark frame in the order of the people."""
    found = frame.select("person", *names).toArrow().to_pandas().set_index("person")
    return found.loc[[f"p{number}" for number in range(len(found))]]


def test_clusters_are_those_of_the_table(people, in_memory, on_spark, spark):
    frame = as_spark(spark, people)
    assert on_spark.preparer_._preparation == in_memory.preparer_._preparation
    assert not hasattr(on_spark, "labels_")
    found = on_spark.predict(frame)
    assert found.columns == [*people.column_names, "cluster"]
    np.testing.assert_array_equal(by_person(found, "cluster").cluster, in_memory.labels_)
    chances = by_person(on_spark.predict_proba(frame), "cluster0", "cluster1", "cluster2")
    np.testing.assert_allclose(chances, in_memory.predict_proba(people), atol=1e-10)


def test_prepared_rows_are_a_spark_frame(people, in_memory, spark):
    frame = as_spark(spark, people)
    found = in_memory.preparer_.transform(frame, keep=["person"])
    expected = in_memory.preparer_.transform(people, keep=["person"])
    assert found.columns == expected.column_names
    rows = by_person(found, *found.columns[:-1])
    for name in rows:
        assert [None if pd.isna(cell) else cell for cell in rows[name]] == expected[
            name
        ].to_pylist()
    counted = TableEncoder(2, preparer=None).fit(found.drop("person"))
    assert_same_model(counted, TableEncoder(2, preparer=None).fit(expected.drop(["person"])))


def test_questions_about_a_spark_frame(people, in_memory, spark):
    changed = people.set_column(
        5, "tone", pa.array(["loud"] * 60 + people["tone"].to_pylist()[60:])
    )
    frame = as_spark(spark, changed)
    expected, found = explain.drift(in_memory, changed), explain.drift(in_memory, frame)
    assert found.verdict == expected.verdict != "No drift found."
    rows, unusual = (
        explain.outliers(in_memory, changed, n=5),
        explain.outliers(in_memory, frame, n=5),
    )
    assert unusual.to_dict("list") == rows.to_pydict()
    with pytest.raises(TypeError, match=r"can't be read here one after another.*\.toPandas\(\)"):
        explain.neighbors(in_memory, frame, people[:1])


def test_a_frame_is_read_a_bounded_number_of_times(people, spark, tmp_path):
    def load(number, part):
        (tmp_path / f"{number}-{len(list(tmp_path.glob(f'{number}-*')))}").touch()
        return part

    TableClusterer(3).fit(as_spark(spark, people, load=load))
    assert 5 <= len(list(tmp_path.glob("4-*"))) <= 10  # its rows, types, values and pairs; clusters
