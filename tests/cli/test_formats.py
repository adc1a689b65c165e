"""What people have: archives, workbooks, arrays of objects, folders of partitions, addresses."""

import csv
import functools
import gzip
import http.server
import json
import os
import threading
import zipfile

import pandas as pd
import pyarrow as pa
import pytest

from command_cases import ask, refused, rows_of, write_people
from systems import posix
from untie import scan
from untie._engines import scanning
from untie.cli.options import SourceOptions, in_options
from untie.cli.reading import in_memory
from untie.cli.report import _reading

ROWS = [{"a": "x", "b": "1"}, {"a": "y", "b": "2"}]


def read(path, **options):
    table = scan(str(path), types="text", **options)
    return in_memory(table).to_pylist(), list(map(in_options, table.remarks))


def packed(content):
    return gzip.compress(content, mtime=0)


def zstd(text):
    return pa.compress(text.encode(), codec="zstd", asbytes=True)


def write_book(path, **frames):
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(path) as writer:
        for name, frame in frames.items():
            frame.to_excel(writer, sheet_name=name, index=False)
    return path


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.zst", zstd("a,b\nx,1\ny,2\n")),
        ("t.csv.zst", zstd("a;b\nx;1\ny;2\n")),
        ("t.tsv.zst", zstd("a\tb\nx\t1\ny\t2\n")),
        ("t.csv", zstd("a,b\nx,1\ny,2\n")),
        ("t.jsonl.zst", zstd('{"a": "x", "b": "1"}\n{"a": "y", "b": "2"}\n')),
        ("t.data", zstd('{"a": "x", "b": "1"}\n{"a": "y", "b": "2"}\n')),
        ("t.json", json.dumps(ROWS).encode()),
        ("t.data", json.dumps(ROWS, indent=2).encode()),
        ("t.json.gz", packed(json.dumps(ROWS).encode())),
        ("t.json", packed(json.dumps(ROWS).encode())),
    ],
    ids=lambda part: part if isinstance(part, str) else "",  # the same in each process
)
def test_compressed_files_and_arrays(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert read(tmp_path / name)[0] == ROWS


def test_an_array_of_numbers_in_a_line_of_names_is_text(tmp_path):
    (tmp_path / "t.txt").write_text("[a,b\nx,1\n")
    assert read(tmp_path / "t.txt")[0] == [{"[a": "x", "b": "1"}]


def test_cut_files_are_said_to_be_cut(tmp_path):
    (tmp_path / "t.csv").write_bytes(zstd("a,b\n" + "x,1\n" * 90_000)[:-9])
    assert "is no whole zstd file" in refused("fit", tmp_path / "t.csv", "-o", tmp_path / "m.untie")


def test_a_line_without_end_is_not_read_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(scanning, "MOST_OF_LINE", 2**20)
    (tmp_path / "t.csv.gz").write_bytes(packed(b"a,b\n" + b"x" * 2**22))
    said = refused("fit", tmp_path / "t.csv.gz", "-o", tmp_path / "m.untie")
    assert "line 2, has more than 1,048,576 bytes" in said
    (tmp_path / "t.csv").write_bytes(b"x" * 2**19)
    said = refused("fit", tmp_path / "t.csv", "-o", tmp_path / "m.untie")
    assert "has no names of columns: field larger than" in said


def test_an_archive_in_another_encoding(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", "a;b\nné;1\n".encode("latin-1"))
    found, remarks = read(tmp_path / "t.zip", encoding="latin-1")
    assert found == [{"a": "né", "b": "1"}]
    assert remarks == [
        f"{str(tmp_path / 't.zip')!r}: read with ';' between cells; --delimiter names another"
    ]


def test_an_archive_of_several_files_is_asked_about(tmp_path, people):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.write(people, "a.csv")
        archive.write(people, "b.csv")
    said = refused("cluster", tmp_path / "t.zip")
    assert "has several files inside: 'a.csv', 'b.csv'. Name one of them" in said
    assert said.count("\n") == 1
    answer = ask("cluster", f"{tmp_path}/t.zip/b.csv", "--k", 2, "--format", "csv", "-q")
    assert len(rows_of(answer.stdout)) == 120


def test_a_workbook(tmp_path, people):
    frame = pd.read_csv(people)
    path = write_book(tmp_path / "book.xlsx", Notes=pd.DataFrame({"x": ["y"]}), People=frame)
    answer = ask("cluster", path, "--sheet", "People", "--k", 2, "--format", "csv")
    assert answer.exit_code == 0, answer.stderr
    out = answer.stdout
    assert len(rows_of(out)) == 120
    assert "book.xlsx': read the sheet 'People' of 'Notes', 'People'" in answer.stderr
    plain = ask("cluster", people, "--k", 2, "--format", "csv")
    assert [row["cluster"] for row in rows_of(out)] == [
        row["cluster"] for row in rows_of(plain.stdout)
    ]
    assert "There is no sheet 'Peple'" in refused("cluster", path, "--sheet", "Peple")
    assert "--sheet is for Excel" in refused("cluster", "--sql", "SELECT 1", "--sheet", "a")


def test_a_sheet_without_rows_says_which_others_there_are(people, tmp_path):
    frame = pd.read_csv(people, dtype=str)
    path = write_book(tmp_path / "book.xlsx", Notes=pd.DataFrame({"read me": []}), People=frame)
    said = refused("cluster", path)
    assert "has names of columns (read me) but no rows. " in said
    assert "read the sheet 'Notes' of 'Notes', 'People'; --sheet names another." in said


def test_json_around_the_rows_is_said_how_to_open(tmp_path):
    path = tmp_path / "wrapped.json"
    path.write_text(json.dumps({"data": [{"a": "x", "b": "y"}, {"a": "z", "b": "w"}]}))
    said = refused("cluster", path)
    assert "data: left out, its cells are lists or objects, not single values; join" in said
    assert "flatten objects (--sql: SELECT unnest(COLUMN, recursive := true) FROM 'FILE')" in said
    assert "Name the columns" not in said  # which would be refused, too
    query = f"SELECT unnest(data, recursive := true) FROM '{path}'"
    assert rows_of(ask("outliers", "--all", "--sql", query, "--keep", "a").stdout)[0]["a"] in (
        "x",
        "z",
    )


def test_a_workbook_is_utf8_whatever_is_said(tmp_path):
    frame = pd.DataFrame({"a;b": ["né", "1,5"]})
    path = write_book(tmp_path / "t.xlsx", Sheet1=frame)
    assert read(path)[0] == [{"a;b": "né"}, {"a;b": "1,5"}]
    with pytest.raises(ValueError, match=r"workbook has no use for delimiter=';'.*; leave it out"):
        read(path, delimiter=";")
    (tmp_path / "renamed").write_bytes(path.read_bytes())
    assert read(tmp_path / "renamed")[0] == [{"a;b": "né"}, {"a;b": "1,5"}]


def test_archives_and_workbooks_from_standard_input(tmp_path, people):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.write(people, "a.csv")
    for path in (tmp_path / "t.zip", people):
        answer = ask("cluster", "-", "--k", 2, "--format", "csv", stdin=path.read_bytes())
        assert len(rows_of(answer.stdout)) == 120, answer.output


def test_a_folder_of_partitions(tmp_path):
    for year in (2023, 2024):
        folder = tmp_path / "sales" / f"year={year}"
        folder.mkdir(parents=True)
        with open(folder / "part.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["colour", "size"])
            writer.writerows([["red", "big"], ["blue", "small"]] * 20)
    found, _ = read(tmp_path / "sales")
    assert found[0] == {"colour": "red", "size": "big", "year": "2023"}
    assert [row["year"] for row in found] == ["2023"] * 40 + ["2024"] * 40
    answer = ask("fit", tmp_path / "sales", "-o", tmp_path / "m.untie", "--k", 2)
    assert "Learned from 80 rows, 3 columns with 6 values" in answer.stderr


def test_addresses(tmp_path, people):
    handler = functools.partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        place = f"http://127.0.0.1:{server.server_port}"
        answer = ask("cluster", f"{place}/people.csv", "--k", 2, "--format", "csv")
        said = refused("cluster", f"{place}/no.csv")
        server.shutdown()
        thread.join()
    assert len(rows_of(answer.stdout)) == 120
    assert f"'{place}/no.csv' answers 404" in said


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test_addresses_of_other_kinds():
    assert "can't read addresses that begin with gopher://" in refused("cluster", "gopher://a/b")


@posix
def test_the_code_of_a_page_does_not_open_a_pipe_again(tmp_path):
    os.mkfifo(tmp_path / "t.csv")  # has no writer: to open it would wait forever
    for source in (tmp_path / "t.csv", tmp_path / "*.csv", "/dev/stdin", "-"):
        assert _reading(str(source), SourceOptions()) == "data = ...  # the table"


@pytest.mark.integration
@pytest.mark.parametrize("name", ["people.zip", "people.xlsx", "folder", "people.json"])
def test_the_code_of_a_page_reads_the_same(tmp_path, monkeypatch, people, name):
    monkeypatch.chdir(tmp_path)
    frame = pd.read_csv(people, dtype=str)
    if name.endswith(".zip"):
        with zipfile.ZipFile(name, "w") as archive:
            archive.write(people, "a.csv")
    elif name.endswith(".xlsx"):
        write_book(name, People=frame)
    elif name.endswith(".json"):
        frame.to_json(name, orient="records")
    else:
        (tmp_path / "folder" / "k=1").mkdir(parents=True)
        frame.to_csv("folder/k=1/a.csv", index=False)
        frame["k"] = "1"
    names = {}
    exec(_reading(name, SourceOptions()), names)
    assert names["data"].to_pylist() == read(name)[0] == frame.to_dict("records")
