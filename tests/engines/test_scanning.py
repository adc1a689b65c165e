import gc
import gzip
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import zipfile
from concurrent.futures import Future, ThreadPoolExecutor

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import untie
from systems import posix
from untie._engines import duck
from untie._engines.files import gather


def rows_of(relation):
    return relation.collect().to_pydict()


COLUMNS = {"code": ["01", "1", "x,y"], "n": ["1", "2", None]}
TEXT_FILES = {
    "a.csv": 'code,n\n01,1\n1,2\n"x,y",\n',
    "a.tsv": "code\tn\n01\t1\n1\t2\nx,y\t\n",
    "a.jsonl": '{"code": "01", "n": 1}\n{"code": "1", "n": 2}\n{"code": "x,y"}\n',
}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("name", TEXT_FILES)
def test_text_files(name, compressed, tmp_path):
    path = tmp_path / (name + ".gz" * compressed)
    content = TEXT_FILES[name].encode()
    path.write_bytes(gzip.compress(content) if compressed else content)
    numbers = [1, 2, None] if "jsonl" in name else COLUMNS["n"]  # JSON has types of its own
    assert rows_of(untie.scan(path, types="text")) == COLUMNS | {"n": numbers}
    assert rows_of(untie.scan(path)) == {"code": COLUMNS["code"], "n": [1, 2, None]}


def test_a_file_of_text_has_a_row_of_names(tmp_path):
    (tmp_path / "a.csv").write_text("colour,taste\nred,dry\nwhite,dry\n")
    assert untie.scan(tmp_path / "a.csv").columns == ["colour", "taste"]


def test_text_files_are_put_together_by_name(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\nx,1\n")
    (tmp_path / "2.csv").write_text("b,a\n2,y\n")
    assert rows_of(untie.scan(tmp_path / "*.csv")) == {"a": ["x", "y"], "b": [1, 2]}


def test_columns_are_chosen(tmp_path):
    pq.write_table(pa.table({"a": ["x"], "b": ["y"], "c": ["z"]}), tmp_path / "t.parquet")
    relation = untie.scan(tmp_path / "t.parquet", columns=["c", "a"])
    assert rows_of(relation) == {"c": ["z"], "a": ["x"]}
    assert relation.columns == ["c", "a"]
    assert "1 rows, columns 'c', 'a'" in repr(relation)
    with pytest.raises(
        ValueError, match=r"no column 'd' in .*t.parquet'; its columns are 'a', 'b'"
    ):
        untie.scan(tmp_path / "t.parquet", columns=["d"])


def test_queries():
    assert rows_of(untie.scan(sql="SELECT 1 AS a, 'x' AS b")) == {"a": [1], "b": ["x"]}
    connection = duckdb.connect()
    connection.execute("CREATE TABLE wines AS SELECT 'red' AS colour")
    relation = untie.scan(sql="SELECT * FROM wines", connection=connection)
    assert rows_of(relation) == {"colour": ["red"]}


def test_two_passes_at_the_same_time():
    relation = untie.scan(sql="SELECT i % 7 AS a FROM range(300000) AS t(i)")
    first = relation.batches()
    n_first = next(first).num_rows
    assert sum(batch.num_rows for batch in relation.batches()) == 300_000
    assert n_first + sum(batch.num_rows for batch in first) == 300_000


def test_names_with_quotes_and_brackets(tmp_path):
    path = tmp_path / "it's [1].csv"
    path.write_text('"a ""b""",c\nx,y\n')
    assert rows_of(untie.scan(path)) == {'a "b"': ["x"], "c": ["y"]}


def test_files_come_in_order_and_once(tmp_path):
    for name in ("b.csv", "a.csv", "c.txt"):
        (tmp_path / name).write_text("a\nx\n")
    (tmp_path / "folder.csv").mkdir()
    names = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    assert gather(tmp_path / "*.csv").paths == names
    assert gather([tmp_path / "b.csv", tmp_path / "*.csv"]).paths == names[::-1]


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file '.*none.csv'; check the path"):
        untie.scan(tmp_path / "none.csv")
    with pytest.raises(FileNotFoundError, match=r"No file matches the pattern '.*\*.csv'"):
        untie.scan(tmp_path / "*.csv")
    with pytest.raises(
        IsADirectoryError, match=r"is a folder; name its files, such as .*\*.parquet"
    ):
        untie.scan(tmp_path)
    with pytest.raises(ValueError, match="list of files is empty"):
        untie.scan([])


def test_files_that_do_not_fit_together(tmp_path):
    pq.write_table(pa.table({"a": ["x"], "b": ["y"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": ["x"], "z": ["y"]}), tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"'.*1.parquet' has 'b', '.*2.parquet' does not"):
        untie.scan(tmp_path / "*.parquet")
    pq.write_table(pa.table({"a": ["x"], "b": [[1]]}), tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"2.parquet' has a column of another type.*b"):
        untie.scan(tmp_path / "*.parquet")
    (tmp_path / "3.csv").write_text("a,b\nx,y\n")
    with pytest.raises(ValueError, match=r"different kinds: '.*2.parquet' and '.*3.csv'"):
        untie.scan(tmp_path / "[23].*")
    (tmp_path / "4.csv").write_text("a\nx\n")
    with pytest.raises(ValueError, match=r"3.csv' has 'b', '.*4.csv' does not"):
        untie.scan(tmp_path / "*.csv")


def test_unreadable_files(tmp_path):
    for name in ("a.parquet", "a.jsonl"):
        (tmp_path / name).write_bytes(b"{not a file")
        with pytest.raises(ValueError, match=rf"{name}' can't be read"):
            untie.scan(tmp_path / name)


def test_a_damaged_page_names_the_file(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [f"v{i}" for i in range(5_000)]}), path)
    content = bytearray(path.read_bytes())
    content[4:2_000] = bytes(1_996)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"a.parquet' can't be read as Parquet"):
        untie.TableEncoder(2, preparer=None).fit(untie.scan(path))


@pytest.mark.parametrize(("late", "values"), [("1.5", (1, 1.5)), ("x", ("1", "x"))])
def test_types_are_those_of_all_cells(late, values, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "1\n" * 50_000 + f"{late}\n")
    assert untie.count_table(untie.scan(path)).vocabulary.values == (values,)
    path = tmp_path / "a.jsonl"
    cell = late if late == "1.5" else f'"{late}"'
    path.write_text('{"a": 1}\n' * 50_000 + f'{{"a": {cell}, "b": "y"}}\n')
    assert untie.count_table(untie.scan(path)).vocabulary.values == (values, ("y", None))


@pytest.mark.parametrize("types", ["infer", "text"])
@pytest.mark.parametrize(
    "content",
    ["a,b\nx,y\n# 1 row\n", "a\nx,y\nu,v\n", "a,b\nx,y\nu\n", "a,b\nx,y\nu,v,w\n"],
)
def test_no_row_of_a_bad_file_is_left_out(content, types, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"a.csv', line \d, has \d cells?, but the first line has"):
        untie.count_table(untie.scan(path, types=types))


def test_text_is_not_taken_apart(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\nx;y\n'u';v\n#1;2\n")
    assert rows_of(untie.scan(path)) == {"a": ["x;y", "'u';v", "#1;2"]}


def test_names_of_files_are_no_patterns(tmp_path):
    folder = tmp_path / "year=2020"
    folder.mkdir()
    (folder / "a[1].csv").write_text("a\nright\n")
    (folder / "a1.csv").write_text("a\nwrong\n")
    assert rows_of(untie.scan(folder / "a[1].csv")) == {"a": ["right"]}


def test_a_query_sees_what_its_connection_sees():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE wines AS SELECT 'wrong' AS colour")
    connection.execute("CREATE TEMP TABLE wines AS SELECT 'red' AS colour")
    connection.register("grapes", pa.table({"grape": ["merlot"]}))
    query = "SELECT * FROM wines, grapes"
    relation = untie.scan(sql=query, connection=connection)
    assert rows_of(relation) == {"colour": ["red"], "grape": ["merlot"]}


def test_files_with_narrower_types_hold_the_same_values(tmp_path):
    decimals = pa.array([1.1]).cast(pa.decimal128(5, 2))
    pq.write_table(pa.table({"a": decimals, "b": ["x"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"b": [b"x"], "a": [1.1]}), tmp_path / "2.parquet")
    counted = untie.count_table(untie.scan(tmp_path / "*.parquet"))
    assert counted.vocabulary.values == ((1.1,), (b"x",))


def test_bad_arguments():
    with pytest.raises(TypeError, match="either files or sql="):
        untie.scan()
    with pytest.raises(TypeError, match="either files or sql="):
        untie.scan("a.csv", sql="SELECT 1")
    with pytest.raises(ValueError, match=r"(?s)the query can't be read: .*nonsense.*Correct"):
        untie.scan(sql="nonsense")
    with pytest.raises(ValueError, match="takes one SELECT statement, got 'CREATE"):
        untie.scan(sql="CREATE TABLE t (a INT)")


def test_types_are_checked(tmp_path):
    (tmp_path / "a.csv").write_text("a\nx\n")
    with pytest.raises(ValueError, match="types must be one of"):
        untie.scan(tmp_path / "a.csv", types="str")


def test_delimiters_and_missing_cells_can_be_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;y\n1;?\n;b\n")
    rows = [{"x": 1, "y": None}, {"x": None, "y": "b"}]
    found = untie.scan(path, missing=["?"])
    assert found.collect().to_pylist() == rows
    said = f"{str(path)!r}: read with ';' between cells; delimiter names another"
    assert found.remarks == (said,)
    told = untie.scan(path, delimiter=";", missing=["?"])
    assert (told.collect().to_pylist(), told.remarks) == (rows, ())
    with pytest.raises(TypeError, match="missing must be a list of texts"):
        untie.scan(path, missing="?")
    with pytest.raises(TypeError, match=r"missing must be a list of texts, such as .* got None"):
        untie.scan(path, missing=None)
    with pytest.raises(ValueError, match=r"delimiter takes one character, got 3"):
        untie.scan(path, delimiter=3)
    with pytest.raises(ValueError, match="There is no encoding 3"):
        untie.scan(path, encoding=3)


@pytest.mark.parametrize("option", [{"delimiter": ";"}, {"encoding": "latin-1"}])
def test_what_is_said_of_text_is_refused_of_other_tables(option, tmp_path):
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "a.parquet")
    (name,) = option
    with pytest.raises(ValueError, match=f"a.parquet' has no use for {name}=.*leave it out"):
        untie.scan(tmp_path / "a.parquet", **option)
    with pytest.raises(ValueError, match=f"A query has no use for {name}=.*leave it out"):
        untie.scan(sql="SELECT 1 AS a", **option)
    (tmp_path / "a.jsonl").write_text('{"a": "x"}\n')
    if name == "delimiter":
        with pytest.raises(ValueError, match=r"a.jsonl' has no use for delimiter=.*leave it out"):
            untie.scan(tmp_path / "a.jsonl", **option)
    else:
        assert untie.scan(tmp_path / "a.jsonl", **option).columns == ["a"]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("a,b,a", ["a", "b", "a_1"]),
        ("Name,name", ["Name", "name_1"]),
        ('"x y",b,"X Y"', ["x y", "b", "X Y_1"]),
        ("a,A_1,a,a", ["a", "A_1", "a_2", "a_3"]),
    ],
)
def test_names_that_occur_again_are_changed_with_a_warning(header, names, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(f"{header}\n" + ",".join("1" * len(names)) + "\n")
    with pytest.warns(UserWarning, match="names that occur again were changed: column"):
        assert rows_of(untie.scan(path)) == {name: [1] for name in names}


def test_names_that_occur_again_in_what_looks_like_a_row_are_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("1,0,1\n0,0,1\n")
    with pytest.raises(ValueError, match=r"two columns called '1' .*row.*: header='none'"):
        untie.scan(path)
    assert untie.scan(path, header="none").collect().num_rows == 2


def test_columns_without_names_are_not_taken_for_the_same(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(",b,\n1,2,3\n")
    assert len(untie.scan(path).columns) == 3


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """Return the folder for temporary files, in which someone has put a link of an old name."""
    folder, elsewhere = tmp_path / "scratch", tmp_path / "elsewhere"
    for path in (folder, elsewhere):
        path.mkdir()
    (folder / "untie-duckdb").symlink_to(elsewhere)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    gc.collect()
    assert spill_folders(folder) == []
    assert os.listdir(elsewhere) == []


def spill_folders(folder):
    """Return the folders of this process, all of which are in one."""
    return [path for root in folder.iterdir() for path in root.iterdir()]


@posix
def test_what_does_not_fit_in_memory_goes_to_a_private_folder(scratch):
    table = untie.scan(sql="SELECT current_setting('temp_directory') AS folder")
    (place,) = spill_folders(scratch)
    assert rows_of(table) == {"folder": [str(place)]}
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert place.stat().st_uid == os.getuid()
    assert not place.is_symlink()


def test_every_database_spills_into_a_folder_of_its_own(scratch):
    connections = [duck._connect() for _ in range(3)]
    assert len(spill_folders(scratch)) == 3
    for connection in connections:
        connection.execute("SET memory_limit = '20MB'; SET threads = 1")
        connection.execute("CREATE TABLE t AS SELECT hash(i) AS a FROM range(5_000_000) r(i)")
    assert all(any(folder.iterdir()) for folder in spill_folders(scratch))


def test_a_folder_stays_while_its_database_is_read(scratch):
    table = untie.scan(sql="SELECT 1 AS a")
    gc.collect()
    assert len(spill_folders(scratch)) == 1
    assert rows_of(table) == {"a": [1]}
    del table
    gc.collect()
    assert spill_folders(scratch) == []


def test_no_folder_is_left_where_there_is_no_database(scratch, monkeypatch):
    def fail(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(duckdb, "connect", fail)
    with pytest.raises(KeyboardInterrupt):
        duck._connect()
    assert spill_folders(scratch) == []


def test_scans_leave_no_connection_thread_or_folder(scratch, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "x,1\ny,2\n" * 50)
    n_threads, n_connections = threading.active_count(), len(duck._CONNECTIONS)
    for is_read in (True, False, True, False):
        table = untie.scan(path)
        reader = untie.UNTIE(2, solver="uniform").fit(table).transform(table)
        if is_read:
            reader.read_all()
        del table, reader
        assert len(duck._CONNECTIONS) == n_connections
        assert threading.active_count() == n_threads
        assert spill_folders(scratch) == []


ENDLESS = "SELECT count(*) AS n FROM range(20_000_000_000) r(i) WHERE hash(i) = 3"


@posix
def test_ctrl_c_stops_a_query_that_gives_nothing_for_long():
    """DuckDB itself would see the signal when the first rows are there."""

    def interrupt(*_):
        raise KeyboardInterrupt

    table = untie.scan(sql=ENDLESS)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            table.collect()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_what_is_interrupted_has_ended_before_it_is_closed(monkeypatch):
    """To close a reader while another thread reads from it corrupts memory."""
    monkeypatch.setattr(duck, "PATIENCE", 0.01)
    begun, ended, interrupts = threading.Event(), threading.Event(), []

    class Cursor:
        def interrupt(self):
            interrupts.append(1)
            if len(interrupts) == 3:  # the first ones came too early
                ended.set()

    def query():
        begun.set()
        ended.wait(10)

    def stopped(self):
        begun.wait(10)
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", stopped)  # as if Ctrl-C came then
    with ThreadPoolExecutor(1) as thread:
        with pytest.raises(KeyboardInterrupt):
            duck._stoppable(Cursor(), thread)(query)
        assert len(interrupts) == 3


@posix
def test_what_duckdb_calls_interrupted_is_ctrl_c():
    with pytest.raises(KeyboardInterrupt), duck._explaining("t.csv", "Correct it."):
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="other"), duck._explaining("t.csv", "Correct it."):
        raise RuntimeError("other")


FORKS = """
import os, sys, untie
table = untie.scan(sys.argv[1])
table.collect()  # the database has threads
child = os.fork()
if child == 0:
    alone = untie.scan(sys.argv[1]).collect()
    assert table.collect() == alone, "rows"
    sys.exit(7)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(status, table.collect().num_rows)
"""


@pytest.mark.integration
def test_a_forked_child_reads_and_ends_without_its_parents_database(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", "a,b\n" + "x,1\ny,2\n" * 5000)
    (tmp_path / "scratch").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", FORKS, tmp_path / "t.zip"],
        env=os.environ | {"TMPDIR": str(tmp_path / "scratch")},
        capture_output=True,
        timeout=60,
    )
    assert done.stdout == b"7 10000\n", done.stderr.decode()
    assert os.listdir(tmp_path / "scratch") == []
