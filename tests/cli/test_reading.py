import gzip
import io
import os
import threading

import pandas as pd
import pytest

from command_cases import ask, refused, rows_of, write_people
from systems import posix
from untie import scan
from untie._engines import layout, scanning
from untie.cli import reading
from untie.cli.options import in_options
from untie.cli.reading import in_memory

ROWS = [{"a": "x", "b": "1"}, {"a": "y", "b": "2"}]


def read(path, **options):
    table = scan(str(path), types="text", **options)
    return in_memory(table).to_pylist(), list(map(in_options, table.remarks))


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "a,b\nx,1\ny,2\n"),
        ("t.csv", "a,b\r\nx,1\r\ny,2\r\n"),
        ("t.csv", "\ufeffa,b\nx,1\ny,2"),
        ("t.csv", '"a","b"\n"x","1"\n"y","2"\n'),
        ("t.tsv", "a\tb\nx\t1\ny\t2\n"),
        ("t.txt", "a,b\nx,1\ny,2\n"),
        ("t.csv.gz", gzip.compress(b"a,b\nx,1\ny,2\n", mtime=0)),
        ("t.csv", gzip.compress(b"a,b\nx,1\ny,2\n", mtime=0)),
        ("odd [1].csv", "a,b\nx,1\ny,2\n"),
    ],
)
def test_text_files(write, name, content):
    assert read(write(content, name)) == (ROWS, [])


@pytest.mark.parametrize("mark", [";", "|"])
def test_other_delimiters_are_found_and_said(write, mark):
    path = write(f"a{mark}b\nx{mark}1\ny{mark}2\n")
    assert read(path) == (
        ROWS,
        [f"{str(path)!r}: read with {mark!r} between cells; --delimiter names another"],
    )


NAMELESS = {
    "numbers": "0.5,7\n1.5,8\n2.5,9\n",
    "numbers and a name": "b,7\na,8\nb,9\n",
    "values": "x,u\ny,v\nx,v\ny,u\n",
}
NAMED = {
    "names": "a,b\nx,1\ny,2\n",
    "positions": ",0,1,2\n0,x,y,z\n",
    "years": "2019,2020\n1,2\n",
    "a name is a value of another column": "a,b\nb,a\n",
    "one name is a value": "x,b\nx,1\n",
}


@pytest.mark.parametrize("case", NAMELESS)
def test_a_first_line_that_looks_like_a_row_is_said_and_can_be_read_as_one(
    write, case, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    path = write(NAMELESS[case])
    with pytest.warns(UserWarning, match="looks like a row; header='none' reads it as one"):
        rows, remarks = read(path.name)
    first = NAMELESS[case].partition("\n")[0].replace(",", ", ")
    said = f"'table.csv': the first line ({first}) was taken for names of columns, but looks like"
    assert remarks == [f"{said} a row; --header none reads it as one"]
    every, remarks = read(path.name, header="none")
    assert (len(every), remarks) == (len(rows) + 1, [])
    assert list(every[0]) == ["column0", "column1"]


@pytest.mark.parametrize("case", NAMED)
def test_names_are_not_taken_for_a_row(write, case):
    assert read(write(NAMED[case]))[1] == []


def test_tabs_in_a_csv_file_are_found(write):
    assert read(write("a\tb\nx\t1\ny\t2\n"))[0] == ROWS


def test_a_delimiter_can_be_named(write):
    assert read(write("a:b\nx:1\ny:2\n"), delimiter=":") == (ROWS, [])
    with pytest.raises(ValueError, match="one character"):
        read(write("a:b\n"), delimiter="::")


def test_commas_in_cells_make_no_columns(write):
    assert read(write('a;b\n"x;1,5";2,5\n'))[0] == [{"a": "x;1,5", "b": "2,5"}]


def test_one_column_is_a_table(write):
    assert read(write("a\nx\ny\n"))[0] == [{"a": "x"}, {"a": "y"}]


def test_parquet_and_json_lines(tmp_path, write):
    pd.DataFrame(ROWS).to_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet") == (ROWS, [])
    assert read(write('{"a": "x", "b": "1"}\n{"a": "y", "b": "2"}\n', "t.jsonl")) == (ROWS, [])
    assert read(write('{"a": "x", "b": "1"}\n{"a": "y", "b": "2"}\n', "t.data")) == (ROWS, [])


def test_a_pattern_reads_all_its_files(write):
    path = write("a,b\nx,1\n", "1.csv")
    write("a,b\ny,2\n", "2.csv")
    assert read(path.parent / "*.csv")[0] == ROWS


def test_a_query(write):
    path = write("a,b\nx,1\ny,2\n")
    table = scan(sql=f"SELECT a FROM '{path}' WHERE b > 1")
    assert in_memory(table).to_pylist() == [{"a": "y"}]


def test_cells_stay_as_they_are_written(write):
    path = write("a,b,c\n007,1.50,t\n010,2,f\n")
    assert read(path)[0] == [
        {"a": "007", "b": "1.50", "c": "t"},
        {"a": "010", "b": "2", "c": "f"},
    ]


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "query"])
def test_missing_cells_can_be_named(write, tmp_path, kind):
    path, options = write("a,b\nx,?\n,2\nNA,3\n"), {}
    if kind == "json":
        path = write('{"a": "x", "b": "?"}\n{"b": "2"}\n{"a": "NA", "b": "3"}\n', "t.jsonl")
    elif kind == "parquet":
        path = tmp_path / "t.parquet"
        pd.DataFrame({"a": ["x", None, "NA"], "b": ["?", "2", "3"]}).to_parquet(path)
    if kind == "query":
        sql = f"SELECT * FROM read_csv('{path}', all_varchar = true)"
        rows = in_memory(scan(sql=sql, missing=["?", "NA"])).to_pylist()
    else:
        rows = read(path, missing=["?", "NA"], **options)[0]
    assert rows == [{"a": "x", "b": None}, {"a": None, "b": "2"}, {"a": None, "b": "3"}]


def test_other_encodings(write):
    path = write("a,b\nné,1\n".encode("latin-1"))
    assert read(path, encoding="latin-1")[0] == [{"a": "né", "b": "1"}]
    path = write("a,b\nné,1\n".encode("utf-16"))
    assert read(path, encoding="utf-16")[0] == [{"a": "né", "b": "1"}]
    with pytest.raises(ValueError, match="no encoding 'klingon'"):
        read(path, encoding="klingon")


LATE = "a,b\n" + "x,1\n" * 70_000
"""More than what is looked at before the file is read."""

BAD = {
    "empty": ("", "is empty"),
    "blank": (" \n\n", "is empty"),
    "only a header": ("a,b\n", "has names of columns (a, b) but no rows"),
    "binary": (bytes(range(256)) * 30, "is a binary file"),
    "numbers of two bytes": (b"".join(n.to_bytes(2) for n in range(1, 200)), "is a binary file"),
    "duplicate headers in a row": ("0,1,0\n1,1,0\n", "two columns called '0' (columns 1 and 3)"),
    "invalid UTF-8": ("a,b\nx,é\n".encode() + b"y,\xe9\n", "line 3, is not UTF-8 (byte 0xe9)"),
    "invalid UTF-8 far down": (LATE.encode() + b"\xff,1\n", "line 70002, is not UTF-8"),
    "short row": ("a,b\nx,1\ny\n", "line 3, has 1 cell, but the first line has 2 names"),
    "long row": ("a,b\nx,1\ny,2,3\n", "line 3, has 3 cells, but the first line has 2 names"),
    "long row far down": (LATE + "y,2,3\n", "line 70002, has 3 cells"),
    "cut gzip": (gzip.compress(LATE.encode())[:-20], "is no whole gzip file"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_get_one_line(write, tmp_path, name):
    content, message = BAD[name]
    said = refused("fit", write(content), "--output", tmp_path / "model.untie")
    assert message in said
    assert said.startswith("untie: ")
    assert said.count("\n") == 1
    assert os.listdir(tmp_path) == ["table.csv"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.parquet", b"PAR1 and no more", "can't be read as Parquet"),
        ("t.jsonl", '{"a": 1}\n{"a": ', "Malformed JSON"),
    ],
)
def test_bad_files_of_other_kinds(write, tmp_path, name, content, message):
    said = refused("fit", write(content, name), "-o", tmp_path / "model.untie")
    assert message in said
    assert said.count("\n") == 1
    assert "untie.scan" not in said


def test_a_file_of_nearly_the_name_is_named(tmp_path):
    (tmp_path / "customers.csv").touch()
    near = f"Did you mean {str(tmp_path / 'customers.csv')!r}?"
    for call in (("cluster",), ("neighbors", "--row", 1), ("cluster", "--lazy", "-o", "o.csv")):
        assert near in refused(call[0], tmp_path / "custmers.csv", *call[1:])


def test_files_that_are_none(tmp_path):
    output = ("-o", tmp_path / "model.untie")
    assert "There is no file" in refused("fit", tmp_path / "no.csv", *output)
    assert "No file matches the pattern" in refused("fit", tmp_path / "*.csv", *output)
    assert "is a folder" in refused("fit", tmp_path, *output)
    assert "Name a file" in refused("fit", *output)
    assert "Name a file" in refused("fit", "a.csv", "--sql", "SELECT 1", *output)
    assert "the query can't be read" in refused("fit", "--sql", "SELECT * FROM nowhere", *output)


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission(write, tmp_path):
    path = write("a,b\nx,1\n")
    path.chmod(0)
    assert "Permission denied" in refused("fit", path, "-o", tmp_path / "model.untie")


def test_a_file_that_the_system_refuses(write, tmp_path, monkeypatch):
    path = write("a,b\nx,1\n")

    def refuse(*arguments):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(scanning, "sniff", refuse)
    said = refused("fit", path, "-o", tmp_path / "model.untie")
    assert said == f"untie: Permission denied: {path}\n"


@pytest.mark.integration
def test_ten_thousand_columns(write, tmp_path):
    n = 10_000
    lines = [",".join(f"c{i}" for i in range(n))]
    lines += [",".join("ab"[(row + column) % 2] for column in range(n)) for row in range(4)]
    path = write("\n".join(lines))
    chosen = ",".join(f"c{i}" for i in range(5, 9))
    answer = ask("fit", path, "-o", tmp_path / "m.untie", "--columns", chosen)
    assert answer.exit_code == 0
    assert "Learned from 4 rows, 4 columns" in answer.stderr


@pytest.mark.parametrize(
    "names",
    [["a", "b" * 96, "ab", "c"], ["a", "b" * 50 + "\n" + "b" * 60, "ab", "c"]],
    ids=["cut to a name of before", "a line end in quotes"],
)
def test_a_first_line_longer_than_what_is_looked_at(write, monkeypatch, names):
    monkeypatch.setattr(layout, "FIRST_BYTES", 100)
    header = ",".join(f'"{name}"' if "\n" in name else name for name in names)
    path = write(f"{header}\r\nw,x,y,z\r\n")
    assert layout.sniff(str(path), "it", layout.NOTHING).header == tuple(names)
    (row,), _ = read(path)
    assert list(row) == names


def test_a_first_line_that_no_table_has(write, monkeypatch):
    monkeypatch.setattr(layout, "FIRST_BYTES", 100)
    monkeypatch.setattr(layout, "LONGEST_LINE", 1000)
    said = refused("fit", write("a,b," * 1000), "-o", "m.untie")
    assert "first line of" in said
    assert "has more than 1,000 bytes" in said
    (row,), _ = read(write('[{"a": "' + "x" * 5000 + '"}]', "t.txt"))  # JSON may be one line
    assert list(row) == ["a"]


def test_rows_for_half_of_the_memory_are_refused(write, monkeypatch):
    path = write("a,b\n" + "x,1\n" * 1000)
    assert reading.half_of_memory() > 2**20
    monkeypatch.setattr(reading, "half_of_memory", lambda: 50_000)
    said = refused("cluster", path, "--k", "2")
    assert "too many rows for the memory of this machine" in said
    assert "--lazy" in said


def test_the_memory_of_a_container(monkeypatch, tmp_path):
    monkeypatch.setattr(reading, "CGROUP", tmp_path / "memory.max")
    whole = reading.half_of_memory()
    (tmp_path / "memory.max").write_text("max\n")
    assert reading.half_of_memory() == whole
    (tmp_path / "memory.max").write_text("1000000\n")
    assert reading.half_of_memory() == 500_000


@posix
def test_a_pipe_is_read_as_a_file_is(tmp_path):
    path = tmp_path / "people"
    os.mkfifo(path)
    content = write_people(tmp_path / "people.csv").read_bytes()
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    answer = ask("cluster", path, "--k", "2", "--format", "csv")
    writer.join()
    assert answer.exit_code == 0, answer.output
    assert len(rows_of(answer.stdout)) == 120


def test_standard_input_may_be_compressed(tmp_path):
    path = write_people(tmp_path / "people.csv")
    packed = gzip.compress(path.read_bytes())
    answer = ask("fit", "-", "-o", tmp_path / "m.untie", stdin=io.BytesIO(packed).read())
    assert answer.exit_code == 0, answer.output


def test_a_delimiter_that_makes_one_column_is_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,c\n" + "x,y,z\nu,v,w\n" * 20)
    line = refused("outliers", path, "--delimiter", ";")
    assert "has one column with --delimiter ';', and 3 with ','" in line


@pytest.mark.parametrize("command", ["report", "cluster"])
def test_a_file_is_looked_at_once(tmp_path, monkeypatch, command):
    looked_at, sniff = [], scanning.sniff

    def counting(path, *given):
        looked_at.append(path)
        return sniff(path, *given)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(scanning, "sniff", counting)
    write_people(tmp_path / "people.csv")
    assert ask(command, "people.csv", "--k", 2).exit_code == 0
    assert looked_at == ["people.csv"]


def test_a_file_of_any_name_is_read_in_python(write):
    path = write("a|b\nn\xe9|?\n".encode("latin-1"), "table.xyz")
    table = scan(path, encoding="latin-1", missing=["?"])
    assert table.collect().to_pylist() == [{"a": "n\xe9", "b": None}]
    assert table.remarks == (
        f"{str(path)!r}: read with '|' between cells; delimiter names another",
    )
