"""Archives, workbooks, arrays of objects, folders of partitions and addresses."""

import gzip
import http.server
import io
import os
import sys
import threading
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import untie
from systems import posix
from untie._engines import files, parquet, workbook
from untie._engines import packed as packing
from untie._engines.files import gather, scheme_of
from untie._engines.workbook import cell_text
from untie._util import scratch as scratch_module

CSV = b"a,b\nx,1\ny,2\n"
ROWS = [{"a": "x", "b": "1"}, {"a": "y", "b": "2"}]


def packed(content):
    return gzip.compress(content, mtime=0)


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


def zipped_files(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def rows(source, **options):
    return untie.scan(source, types="text", **options).collect().to_pylist()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.gz", packed(CSV)),
        ("t.csv.zst", zstd(CSV)),
        ("t.tsv.gz", packed(CSV.replace(b",", b"\t"))),
        ("t.tsv.zst", zstd(CSV.replace(b",", b"\t"))),
        ("t.jsonl.gz", packed(b'{"a": "x", "b": "1"}\n{"a": "y", "b": "2"}\n')),
        ("t.jsonl.zst", zstd(b'{"a": "x", "b": "1"}\n{"a": "y", "b": "2"}\n')),
        ("t.json", b'[{"a": "x", "b": "1"}, {"a": "y", "b": "2"}]'),
        ("t.json", b'\xef\xbb\xbf  [\n {"a": "x",\n  "b": "1"},\n {"a": "y", "b": "2"}]\n'),
        ("t.json.gz", packed(b'[{"a": "x", "b": "1"}, {"a": "y", "b": "2"}]')),
        ("t.json.zst", zstd(b'[{"a": "x", "b": "1"}, {"a": "y", "b": "2"}]')),
    ],
    ids=lambda part: part if isinstance(part, str) else "",  # the same in each process
)
def test_compressed_files_and_arrays(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert rows(tmp_path / name) == ROWS


def test_files_of_json_that_differ_in_layout(tmp_path):
    (tmp_path / "1.json").write_text('[{"a": 1}]')
    (tmp_path / "2.json").write_text('{"a": 2}\n{"a": 3}\n')
    assert untie.scan(tmp_path / "*.json").collect().to_pydict() == {"a": [1, 2, 3]}


def test_an_array_of_other_things_is_refused(tmp_path):
    (tmp_path / "t.json").write_text("[1, 2, 3]")
    with pytest.raises(ValueError, match="can't be read"):
        untie.scan(tmp_path / "t.json").collect()


@pytest.mark.parametrize("others", [{}, {"__MACOSX/._t.csv": b"\0", ".DS_Store": b"\0"}])
@pytest.mark.parametrize(
    ("name", "content"), [("t.csv", CSV), ("in/t.csv.gz", packed(CSV))], ids=["plain", "packed"]
)
def test_the_one_table_of_an_archive(tmp_path, name, content, others):
    path = zipped_files(tmp_path / "t.zip", **{name: content}, **others, **{"readme.txt": b"hi"})
    assert rows(path) == ROWS
    assert rows(f"{path}/{name}") == ROWS


def test_copies_are_gone_with_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module.tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    path = zipped_files(tmp_path / "t.zip", **{"t.csv": CSV})
    table = untie.scan(path).select(["a"])
    assert list((tmp_path / "scratch").glob("untie-*/*"))
    assert table.collect().to_pydict() == {"a": ["x", "y"]}
    del table
    assert not list((tmp_path / "scratch").glob("untie-*/*"))


def test_archives_that_are_refused(tmp_path):
    path = zipped_files(tmp_path / "two.zip", **{"a.csv": CSV, "b.csv": CSV})
    with pytest.raises(
        ValueError, match=r"several files inside: 'a.csv', 'b.csv'. Name one.*a.csv"
    ):
        untie.scan(path)
    assert rows(f"{path}/b.csv") == ROWS
    with pytest.raises(ValueError, match=r"no 'c.csv' in .*; there are 'a.csv', 'b.csv'"):
        untie.scan(f"{path}/c.csv")
    with pytest.raises(ValueError, match="without files"):
        untie.scan(zipped_files(tmp_path / "none.zip", **{"folder/": b""}))
    inner = io.BytesIO()
    zipped_files(inner, **{"a.csv": CSV})
    with pytest.raises(ValueError, match="archive of an archive"):
        untie.scan(zipped_files(tmp_path / "nested.zip", **{"a.zip": inner.getvalue()}))
    locked = bytearray(zipped_files(tmp_path / "one.zip", **{"a.csv": CSV}).read_bytes())
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "locked.zip").write_bytes(locked)
    with pytest.raises(ValueError, match="locked with a password; unpack it first"):
        untie.scan(tmp_path / "locked.zip")
    (tmp_path / "cut.zip").write_bytes(path.read_bytes()[:60])
    with pytest.raises(ValueError, match="no whole zip archive"):
        untie.scan(tmp_path / "cut.zip")


def test_an_archive_with_too_many_files(tmp_path, monkeypatch):
    monkeypatch.setattr(packing, "MOST_MEMBERS", 3)
    path = zipped_files(tmp_path / "t.zip", **{f"{n}.csv": CSV for n in range(4)})
    with pytest.raises(ValueError, match="has 4 files inside"):
        untie.scan(path)


def test_a_bomb_is_refused_by_what_it_says_of_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module, "HARMLESS", 2**12)
    path = zipped_files(tmp_path / "t.zip", **{"t.csv": b"a\n" + b"x\n" * 2**20})
    with pytest.raises(
        ValueError, match=r"'t.csv' in .*t.zip' unpacks to more than .* Unpack it yourself"
    ):
        untie.scan(path)


def test_a_bomb_that_lies_of_its_size_is_cut(tmp_path):
    path = zipped_files(tmp_path / "t.zip", **{"t.csv": b"a\n" + b"x\n" * 2**20})
    content = path.read_bytes()
    true = (2 + 2**21).to_bytes(4, "little")
    assert content.count(true) == 2  # before the file, and in the directory at the end
    path.write_bytes(content.replace(true, (10).to_bytes(4, "little")))
    with pytest.raises(ValueError, match=r"t.zip"):
        untie.scan(path)


def test_a_gzip_bomb_is_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module, "HARMLESS", 2**12)
    (tmp_path / "t").write_bytes(packed(b"a\n" + b"x\n" * 2**20))
    found = scratch_module.Scratch()
    from untie._engines.packed import unpacked

    with pytest.raises(ValueError, match="unpacks to more than"):
        unpacked(str(tmp_path / "t"), found)
    assert [files for _, _, files in os.walk(found.folder) if files] == []


BOMB = b"a,b\n" + b"x,1\n" * 2**19
JSON_BOMB = b"[" + b'{"a": "x"},' * 2**18 + b'{"a": "x"}]'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.gz", packed(BOMB)),
        ("t.csv.zst", zstd(BOMB)),
        ("t.json.gz", packed(JSON_BOMB)),
        ("t.csv.gz", packed(CSV) + packed(BOMB)),  # two members; the trailer has the last one's
    ],
    ids=["gz", "zst", "json", "two members"],
)
def test_a_compressed_file_has_the_bound_of_an_archive(tmp_path, monkeypatch, name, content):
    monkeypatch.setattr(scratch_module, "HARMLESS", 2**12)
    path = tmp_path / name
    path.write_bytes(content)
    said = rf"{name}' unpacks to more than [0-9,]+ bytes, and the file has {len(content):,};"
    with pytest.raises(ValueError, match=said):
        untie.scan(path)


def test_a_bomb_in_a_compressed_file_in_an_archive(tmp_path, monkeypatch):
    """The bound is that of the outermost file."""
    monkeypatch.setattr(scratch_module, "HARMLESS", 2**12)
    content = packed(b"a,b\n" + b"".join(b"%d,1\n" % n for n in range(30_000)))
    path = zipped_files(tmp_path / "t.zip", **{"t.csv.gz": content})
    assert len(rows(path)) == 30_000
    path = zipped_files(tmp_path / "t.zip", **{"t.csv.gz": packed(BOMB)})
    for named in (path, f"{path}/t.csv.gz"):
        with pytest.raises(ValueError, match=f"and the file has {path.stat().st_size:,}"):
            untie.scan(named)


def test_a_compressed_file_is_measured_without_a_copy(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module, "HARMLESS", 10)  # the ratio decides
    (tmp_path / "t.csv.gz").write_bytes(packed(b"a,b\n" + b"x,1\ny,2\n" * 40))
    gathered = gather(tmp_path / "t.csv.gz")
    assert gathered.paths == [str(tmp_path / "t.csv.gz")]
    assert [files for _, _, files in os.walk(gathered.scratch.folder) if files] == []


def test_long_texts_of_parquet_are_given_in_pieces_and_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "HARMLESS", 2**12)
    texts = pa.array(["q" * 1000, "r" * 1000]).take(pa.array([0, 1] * 500))
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": texts, "b": ["x", "y"] * 500}), path, compression="zstd")
    table = untie.scan(path)
    assert max(batch.num_rows for batch in table.batches()) == 4
    assert table.collect()["a"].to_pylist() == texts.to_pylist()
    monkeypatch.setattr(scratch_module, "HARMLESS", 2**12)
    monkeypatch.setattr(scratch_module, "MOST_RATIO", 1)
    with pytest.raises(ValueError, match=r"texts more than [0-9,]+ .* in the column 'a'"):
        table.collect()
    assert table.select(["b"]).collect().num_rows == 1000


def test_wide_rows_of_parquet_are_bounded_before_they_are_read(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    table = pa.table({"a": [f"{i}" + "q" * 1000 for i in range(500)], "b": ["x", "y"] * 250})
    with pq.ParquetWriter(path, table.schema, compression="zstd", use_dictionary=False) as file:
        file.write(table)
        file.write(pa.table({"a": ["q"] * 1000, "b": ["x"] * 1000}))
    monkeypatch.setattr(parquet, "BATCH_BYTES", 2**14)
    lazy = untie.scan(path)
    sizes = [batch.num_rows for batch in lazy.batches()]
    assert max(sizes[:-1]) <= 2**14 // 1000 < sizes[-1]  # as wide as their own row group
    assert lazy.collect()[:500] == table
    assert max(batch.nbytes for batch in lazy.batches()) < 2**15  # others' texts are not kept
    monkeypatch.setattr(scratch_module, "HARMLESS", 2**12)
    monkeypatch.setattr(scratch_module, "MOST_RATIO", 20)
    with pytest.raises(ValueError, match=r"unpacks to [0-9,]+, most of them in the column 'a'"):
        next(lazy.batches())
    assert lazy.select(["b"]).collect().num_rows == 1500


@pytest.mark.parametrize("type_", [pa.binary(), pa.large_binary(), pa.binary(1000)], ids=str)
def test_bytes_of_parquet_are_bounded_like_texts(tmp_path, monkeypatch, type_):
    path = tmp_path / "t.parquet"
    cells = pa.array([b"q" * 1000, b"r" * 1000], type_).take(pa.array([0, 1] * 500))
    pq.write_table(pa.table({"a": cells}), path)
    monkeypatch.setattr(parquet, "HARMLESS", 2**14)
    monkeypatch.setattr(parquet, "BATCH_BYTES", 2**14)
    lazy = untie.scan(path)
    assert max(batch.num_rows for batch in lazy.batches()) <= 2**14 // 1000
    assert lazy.collect()["a"].to_pylist() == cells.to_pylist()


def test_numbers_of_parquet_are_bounded_by_row_group(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module, "HARMLESS", 2**14)
    monkeypatch.setattr(scratch_module, "MOST_RATIO", 1)
    table = pa.table({"a": [7] * 10_000})
    for name, n_rows in {"one": 10_000, "ten": 1000}.items():
        plain = {"compression": "zstd", "use_dictionary": False, "row_group_size": n_rows}
        pq.write_table(table, tmp_path / f"{name}.parquet", **plain)
    assert untie.scan(tmp_path / "ten.parquet").collect() == table
    with pytest.raises(ValueError, match=r"unpacks to [0-9,]+, most of them in the column 'a'"):
        untie.scan(tmp_path / "one.parquet").collect()


def test_no_copy_takes_all_of_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module, "DISK_SHARE", 0.0)
    with pytest.raises(ValueError, match="half of what is free on the disk"):
        untie.scan(zipped_files(tmp_path / "t.zip", **{"t.csv": CSV}))


@pytest.mark.parametrize("kind", ["csv", "parquet", "json"])
def test_folders_of_partitions(tmp_path, kind):
    top = tmp_path / "run=3" / "sales"
    for year, city, cell in ((2023, "Bonn", "x"), (2024, "S%C3%A3o", "y"), (2024, "Rome", "z")):
        folder = top / f"year={year}" / f"city={city}"
        folder.mkdir(parents=True)
        table = pa.table({"a": [cell], "n": [1]})
        if kind == "csv":
            (folder / "part.csv").write_text(f"a,n\n{cell},1\n")
        elif kind == "json":
            (folder / "part.json").write_text(f'{{"a": "{cell}", "n": 1}}\n')
        else:
            pq.write_table(table, folder / "part.parquet")
        (folder / "_SUCCESS").write_text("")
    table = untie.scan(top)
    assert table.columns == ["a", "n", "year", "city"]
    assert table.collect().to_pydict() == {
        "a": ["x", "z", "y"],
        "n": [1, 1, 1],
        "year": ["2023", "2024", "2024"],
        "city": ["Bonn", "Rome", "São"],
    }
    assert table.select(["city"]).collect().to_pydict() == {"city": ["Bonn", "Rome", "São"]}
    counted = untie.count_table(table.select(["year", "a"]))
    assert counted.vocabulary.values == (("2023", "2024"), ("x", "y", "z"))


def test_a_partition_of_missing_cells(tmp_path):
    for name in ("g=a", "g=__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.csv").write_text("a\nx\n")
    assert sorted(map(str, untie.scan(tmp_path).collect()["g"].to_pylist())) == ["None", "a"]


def test_partitions_that_are_refused(tmp_path):
    (tmp_path / "a=1").mkdir()
    with pytest.raises(FileNotFoundError, match="no files that end in"):
        untie.scan(tmp_path)
    (tmp_path / "a=1" / "t.csv").write_text("a,b\nx,y\n")
    with pytest.raises(ValueError, match="column 'a' is in the files and in the names"):
        untie.scan(tmp_path)
    (tmp_path / "b=1").mkdir()
    (tmp_path / "b=1" / "t.csv").write_text("a,b\nx,y\n")
    with pytest.raises(ValueError, match=r"name the columns \['b'\]"):
        untie.scan(tmp_path)


def test_types_are_those_of_all_partitions(tmp_path):
    for name, cell in (("k=1", "1"), ("k=2", "x")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.csv").write_text(f"a\n{cell}\n")
    assert untie.scan(tmp_path).collect()["a"].to_pylist() == ["1", "x"]


def write_book(path, **cells):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, lines in cells.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(line)
    book.save(path)
    return path


def test_the_first_sheet_of_a_workbook(tmp_path):
    lines = [["a", "b"], ["x", 1], ["y", 2.0], [None, None], []]
    path = write_book(tmp_path / "t.xlsx", Data=lines, More=[["c"], ["z"]])
    assert rows(path) == ROWS
    assert rows(path, sheet="More") == rows(path, sheet="2") == [{"c": "z"}]
    with pytest.raises(ValueError, match=r"no sheet 'Other' in .*; there are 'Data', 'More'"):
        untie.scan(path, sheet="Other")
    (tmp_path / "t.csv").write_bytes(CSV)
    with pytest.raises(ValueError, match="is no Excel workbook, and has no sheet 'Data'"):
        untie.scan(tmp_path / "t.csv", sheet="Data")
    archive = zipped_files(tmp_path / "t.zip", **{"t.xlsx": path.read_bytes()})
    assert rows(archive) == ROWS


def test_cells_of_workbooks(tmp_path):
    from datetime import date, datetime, time, timedelta

    given = ["007", 7, 0.1, True, date(2024, 5, 1), datetime(2024, 5, 1, 10, 30), None, "#N/A"]
    path = write_book(tmp_path / "t.xlsx", Data=[[], [f"c{n}" for n in range(8)], given])
    texts = ["007", "7", "0.1", "TRUE", "2024-05-01", "2024-05-01 10:30:00", None, None]
    assert [list(row.values()) for row in rows(path)] == [texts]
    assert untie.scan(path).collect().to_pydict()["c2"] == [0.1]
    assert cell_text(time(10, 30)) == "10:30:00"
    assert cell_text(timedelta(hours=30)) == "1 day, 6:00:00"


def test_workbooks_that_are_refused(tmp_path, monkeypatch):
    path = write_book(tmp_path / "wide.xlsx", Data=[["a"], ["x", "beside"]])
    with pytest.raises(ValueError, match="sheet 'Data', row 2, has 2 cells, but the row of names"):
        untie.scan(path)
    with pytest.raises(ValueError, match="no table below its first 5 rows; lower skip_rows"):
        untie.scan(path, skip_rows=5)
    far = write_book(tmp_path / "far.xlsx", Data=[["a"]] * 300 + [["x", "beside"]])
    with pytest.raises(
        ValueError, match=r"row 301, has 2 cells, but the first rows have 1. Remove"
    ):
        untie.scan(far, header="none")
    twice = write_book(tmp_path / "twice.xlsx", Data=[[1, 0, 1], [0, 0, 1]])
    with pytest.raises(ValueError, match=r"two columns called '1' .*If it is one: header='none'"):
        untie.scan(twice)
    with pytest.raises(ValueError, match="the sheet 'Data' is empty"):
        untie.scan(write_book(tmp_path / "empty.xlsx", Data=[]))
    (tmp_path / "old.xls").write_bytes(workbook.OLD_WORKBOOK + b"\0" * 100)
    with pytest.raises(ValueError, match=r"old version of Excel; save it as .xlsx or CSV"):
        untie.scan(tmp_path / "old.xls")
    odd = zipped_files(tmp_path / "odd.xlsx", **{"xl/workbook.xml": b"<no"})
    with pytest.raises(ValueError, match="can't be read as an Excel workbook"):
        untie.scan(odd)
    monkeypatch.setattr(scratch_module, "HARMLESS", 10)
    monkeypatch.setattr(scratch_module, "MOST_RATIO", 1)
    with pytest.raises(ValueError, match="unpacks to more than"):
        untie.scan(path)


def test_a_workbook_whose_entities_grow_is_refused(tmp_path):
    """Nine levels of ten entities each would be a thousand million of them."""
    path = write_book(tmp_path / "t.xlsx", Data=[["a"], ["x"]])
    levels = "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' if n else '<!ENTITY e0 "lol">' for n in range(10)
    )
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"].decode()
    assert ">x<" in sheet
    sheet = sheet[sheet.index("<worksheet") :].replace(">x<", ">&e9;<")
    parts["xl/worksheets/sheet1.xml"] = f"<!DOCTYPE worksheet [{levels}]>{sheet}".encode()
    zipped_files(tmp_path / "bomb.xlsx", **parts)
    with pytest.raises(ValueError, match="can't be read as an Excel workbook"):
        untie.scan(tmp_path / "bomb.xlsx")


def test_a_short_sheet_makes_no_long_file(tmp_path, monkeypatch):
    wide = [[f"c{n}" for n in range(500)], *[[*[None] * 499, "x"] for _ in range(400)]]
    path = write_book(tmp_path / "far.xlsx", Data=wide)
    assert len(rows(path)) == 400
    monkeypatch.setattr(scratch_module, "HARMLESS", 150_000)
    monkeypatch.setattr(scratch_module, "MOST_RATIO", 1)
    with pytest.raises(ValueError, match=r"far.xlsx' unpacks to more than 150,000 bytes"):
        untie.scan(path)
    path = write_book(tmp_path / "low.xlsx", Data=[["a"], *[[] for _ in range(20)], ["x"]])
    assert rows(path) == [{"a": "x"}]
    monkeypatch.setattr(workbook, "MOST_ROWS", 20)
    with pytest.raises(ValueError, match="more than 20 rows, which no sheet can have"):
        untie.scan(path)


def piped(content):
    """Return a descriptor that content can be read from, once."""
    reading, writing = os.pipe()

    def write():
        with open(writing, "wb") as pipe:
            pipe.write(content)

    threading.Thread(target=write, daemon=True).start()
    return reading


@posix
@pytest.mark.parametrize(
    "content",
    [CSV, packed(CSV), b'{"a": "x", "b": "1"}\n{"a": "y", "b": "2"}\n', "parquet", "zip"],
    ids=["csv", "gz", "json", "parquet", "zip"],
)
def test_pipes_are_read_once_whatever_is_in_them(tmp_path, content):
    if content == "zip":
        content = zipped_files(tmp_path / "t.zip", **{"t.csv": CSV}).read_bytes()
    elif content == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "t.parquet")
        content = (tmp_path / "t.parquet").read_bytes()
    descriptor = piped(content)
    try:
        assert rows(f"/dev/fd/{descriptor}") == ROWS
    finally:
        os.close(descriptor)


@posix
def test_a_named_pipe(tmp_path):
    path = tmp_path / "t.tsv"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(CSV.replace(b",", b"\t"),))
    writer.start()
    assert rows(path) == ROWS
    writer.join()


@posix
@pytest.mark.parametrize("source", ["*/*.csv", ""], ids=["pattern", "partitions"])
def test_named_pipes_among_files(tmp_path, source):
    folder = tmp_path / "year=1"
    folder.mkdir()
    os.mkfifo(folder / "a.csv")
    (folder / "b.csv").write_bytes(CSV)
    writer = threading.Thread(target=(folder / "a.csv").write_bytes, args=(CSV,), daemon=True)
    writer.start()
    table = untie.scan(tmp_path / source, types="text", columns=["a", "b"])
    assert table.collect().to_pylist() == 2 * ROWS
    writer.join()


@posix
def test_a_terminal_is_no_table():
    leader, follower = os.openpty()
    try:
        with pytest.raises(ValueError, match="is a terminal; pipe a table in, or name a file"):
            untie.scan(f"/dev/fd/{follower}")
    finally:
        os.close(leader)
        os.close(follower)


def test_without_openpyxl_the_extra_is_named(tmp_path, monkeypatch):
    path = zipped_files(tmp_path / "t.xlsx", **{"xl/workbook.xml": b"<x/>"})
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(
        ImportError, match=r"Excel files need openpyxl: pip install 'untie-learn\[excel\]'"
    ):
        untie.scan(path)


@pytest.fixture
def server(tmp_path):
    """Serve files on this machine as a web server does."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments, **settings):
            super().__init__(*arguments, directory=str(tmp_path), **settings)

        def log_message(self, *_):
            pass

        def do_GET(self):
            if self.path != "/short.csv":
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(CSV)
            return None

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{found.server_port}"
        found.shutdown()
        thread.join()


def test_addresses_of_the_web(tmp_path, server, monkeypatch):
    (tmp_path / "a b.csv").write_bytes(CSV)
    zipped_files(tmp_path / "t.zip", **{"t.csv": CSV})
    assert rows(f"{server}/a%20b.csv?download=1") == ROWS
    assert rows(f"{server}/t.zip") == ROWS
    with pytest.raises(ValueError, match=r"none.csv' answers 404"):
        untie.scan(f"{server}/none.csv")
    with pytest.raises(ValueError, match=r"short.csv' (broke off|can't be reached)"):
        untie.scan(f"{server}/short.csv")
    monkeypatch.setattr(scratch_module, "DISK_SHARE", 0.0)
    with pytest.raises(ValueError, match="there is room for 0"):
        untie.scan(f"{server}/t.zip")


def test_a_server_that_is_not_there():
    with pytest.raises(ValueError, match="can't be reached"):
        untie.scan("http://127.0.0.1:1/a.csv")


@pytest.mark.parametrize(
    ("address", "package"),
    [("s3://bucket/a.parquet", "s3fs"), ("hf://datasets/a/b.csv", "huggingface_hub")],
)
def test_addresses_that_need_a_package(monkeypatch, address, package):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match=f"pip install fsspec {package}"):
        untie.scan(address)


def test_addresses_go_through_fsspec(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    asked = []

    def filesystem(scheme):
        asked.append(scheme)
        return memory

    memory = fsspec.filesystem("memory")
    memory.pipe({"/bucket/1.csv": b"a,b\nx,1\n", "/bucket/2.csv": b"a,b\ny,2\n"})
    assert rows("memory://bucket/*.csv") == ROWS
    monkeypatch.setattr(fsspec, "filesystem", filesystem)
    assert rows("memory://bucket/1.csv") == ROWS[:1]
    assert asked == ["memory"]
    with pytest.raises(FileNotFoundError, match=r"There is no file 'memory://bucket/3.csv'"):
        untie.scan("memory://bucket/3.csv")
    with pytest.raises(FileNotFoundError, match=r"There is no file 'memory://no/.*'"):
        untie.scan("memory://no/*.csv")
    with pytest.raises(ValueError, match="can't read addresses that begin with gopher"):
        untie.scan("gopher://a/b.csv")


def test_what_is_an_address():
    assert scheme_of("HTTPS://a/b.csv") == "https"
    assert scheme_of("C:/data.csv") is None
    assert scheme_of("data/x.csv") is None
    assert files.HELPERS["hf"] == "huggingface_hub"


def test_files_are_gathered_once(tmp_path):
    (tmp_path / "a.csv").write_bytes(CSV)
    found = gather([tmp_path / "a.csv", tmp_path / "*.csv"])
    assert found.paths == [str(tmp_path / "a.csv")]
    assert found.keys is None
    assert np.all([file.remark == "" for file in found.files])


@pytest.mark.parametrize("name", ["..", "/", ".", "a/..", "\0", "é" * 300])
def test_no_name_leaves_the_folder(name):
    scratch = scratch_module.Scratch()
    path = scratch.path(name)
    with open(path, "wb") as file:
        file.write(b"x")
    assert os.path.realpath(path).startswith(os.path.realpath(scratch.folder) + os.sep)
