"""Files as people have them: each is read as expected, with a word on what was guessed, or refused.

One table of cases, for `untie.scan` and for the command.
"""

import csv
import gzip
import io
import os
import re
import tempfile
import warnings
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import untie
from command_cases import ask, refused, rows_of

FOLDER = Path(__file__).parents[1] / "data" / "messy"

TOWNS = ["Bonn", "Rome", "Oslo", "Bonn", "Rome", "Oslo"]
SIZES = ["big", "small", "big", "small", "big", "small"]
NUMBERS = ["12", "7", "15", "6", "11", "8"]
TABLE = {"city": TOWNS, "size": SIZES, "n": NUMBERS}
HALVES = TABLE | {"n": [f"{number},5" for number in NUMBERS]}
ACCENTS = {
    "city": ["Köln", "Málaga", "Oslo", "Köln", "Málaga", "Oslo"],
    "size": ["groß" if size == "big" else size for size in SIZES],
    "n": [f"{number} €" for number in NUMBERS],
}
TITLE = "left out as a title, and the names of columns are in"
TOGETHER = "were read together as the names of columns"
SEMICOLON = "read with ';' between cells"
FIRST_LINE = "the first line (Bonn, big, 12) was taken for names of columns, but looks like a row"


@dataclass(frozen=True)
class Case:
    """A file, and what it is read as.

    Parameters
    ----------
    name : str
        The file.
    columns : dict from str to lists of str
        Its columns.
    notes : tuple of str
        Parts of what is said of it, in order.
    warned : int
        How many of the notes, the last ones, are warnings of `untie.scan`.
    options : dict
        Arguments of `untie.scan`.
    """

    name: str
    columns: dict = field(default_factory=lambda: TABLE)
    notes: tuple = ()
    warned: int | None = None
    options: dict = field(default_factory=dict)

    def __str__(self):
        return " ".join([self.name, *(f"{key}={value}" for key, value in self.options.items())])


CASES = [
    Case("ordinary.csv"),
    Case("title_lines.csv", notes=(f"lines 1 to 3 were {TITLE} line 4 (city, size, n)",)),
    Case("title_lines.csv", options={"skip_rows": 3}),
    Case("title_padded.csv", notes=(f"lines 1 and 2 were {TITLE} line 3",)),
    Case("title_comments.csv", notes=(f"lines 1 and 2 were {TITLE} line 3",)),
    Case("title_commas.csv", HALVES, (SEMICOLON, f"lines 1 and 2 were {TITLE} line 3"), warned=1),
    Case(
        "title_decimals.csv",
        {name: HALVES[name] for name in ("city", "n", "size")},
        (SEMICOLON, f"lines 1 and 2 were {TITLE} line 3"),
        warned=1,
    ),
    Case("title_pairs.csv", notes=(f"lines 1 to 3 were {TITLE} line 4",)),
    Case("title_in_doubt.csv", {"city": TOWNS[:4], "size": SIZES[:4]}, options={"skip_rows": 1}),
    Case(
        "report_above.csv",
        {
            name: [cell, key, *TABLE[key]]
            for name, cell, key in zip(
                ["Report", "Q1", "v2"], ["made", "by", "us"], TABLE, strict=True
            )
        },
        ("line 1 was taken for the names of columns, but line 4 (city, size, n) may have them",),
    ),
    Case("report_above.csv", options={"skip_rows": 3}),
    Case(
        "title_with_year.csv",
        {
            name: [key, *TABLE[key]]
            for name, key in zip(["Sales", "big", "2024"], TABLE, strict=True)
        },
        ("line 1 was taken for the names of columns, but line 2 (city, size, n) may have them",),
    ),
    Case(
        "two_rows_of_names.csv",
        {
            "city": TOWNS,
            **{f"{year} {name}": TABLE[name] for year in (2023, 2024) for name in ("size", "n")},
        },
        (f"lines 1 and 2 {TOGETHER} (city, 2023 size, 2023 n, ...)",),
    ),
    Case(
        "pandas_index.csv",
        {"city": TOWNS, "2023 size": SIZES, "2023 n": NUMBERS},
        (f"lines 1 to 3 {TOGETHER} (city, 2023 size, 2023 n)",),
    ),
    Case(
        "repeated_names.csv",
        dict(zip(["city", "size", "Size_1"], TABLE.values(), strict=True)),
        ("names that occur again were changed: column 3 from 'Size' to 'Size_1'",),
    ),
    Case("cp1252.csv", ACCENTS, ("read as cp1252, as it is not UTF-8",)),
    Case("cp1252.csv", ACCENTS, options={"encoding": "cp1252"}),
    Case("utf16.csv", ACCENTS, ("read as UTF-16, as it is not UTF-8",)),
    Case("utf16_without_mark.csv", ACCENTS, ("read as UTF-16-LE, as it is not UTF-8",)),
    Case("bom.csv"),
    Case("bom_semicolons.csv", HALVES, (SEMICOLON,), warned=0),
    Case("decimal_commas.csv", HALVES, (SEMICOLON,), warned=0),
    Case("separator_line.csv", HALVES, (SEMICOLON,), warned=0),
    Case("separator_line.csv", HALVES, options={"delimiter": ";"}),
    Case("empty_rows.csv", {
        name: [*cells[:3], None, *cells[3:], None] for name, cells in TABLE.items()
    }),
    Case("empty_lines_first.csv"),
    Case("totals.csv", {
        name: [*cells, last]
        for (name, cells), last in zip(TABLE.items(), ["Total", None, "59"], strict=True)
    }),
    Case(
        "no_names.csv",
        {cells[0]: [*cells[1:], cells[0]] for cells in TABLE.values()},
        (FIRST_LINE,),
    ),
    Case(
        "no_names.csv",
        {f"column{n}": [*cells, cells[0]] for n, cells in enumerate(TABLE.values())},
        options={"header": "none"},
    ),
    Case(
        "mixed_line_ends.csv",
        {f"column{n}": [name, *TABLE[name]] for n, name in enumerate(TABLE)},
        ("some lines end in CR LF and others in LF",),
        options={"header": "none"},
    ),
    Case(
        "title_lines.csv",
        {f"column{n}": [name, *TABLE[name]] for n, name in enumerate(TABLE)},
        options={"header": "none", "skip_rows": 3},
    ),
    Case("quoted_line_ends.csv", TABLE | {
        "city": [f"{town}\n({size})" for town, size in zip(TOWNS, SIZES, strict=True)]
    }),
    Case("windows_quoted_line_ends.csv", TABLE | {
        "city": [f"{town}\n({size})" for town, size in zip(TOWNS, SIZES, strict=True)]
    }),
    Case("old_mac.csv"),
    Case("windows.csv"),
    Case("mixed_line_ends.csv", notes=("some lines end in CR LF and others in LF",)),
    Case("separators_at_all_ends.csv", TABLE | {"column3": [None] * 6}),
    Case("separators_at_ends_of_rows.csv"),
    Case("separator_at_end_of_names.csv", notes=("1 separator at the end of line 1 makes no",)),
    Case("tabs.csv", HALVES),
    Case("pipes.csv", notes=("read with '|' between cells",), warned=0),
    Case(
        "semicolons_and_odd_ends.csv",
        TABLE | {"size": ["big\u2028", "small\x85", "big\f", *SIZES[3:]]},
        (SEMICOLON,),
        warned=0,
    ),
    Case("spaces.csv", {
        "city": [f"{town} " for town in TOWNS],
        "size": [f" {size} " for size in SIZES],
        "n": [f" {number}" for number in NUMBERS],
    }),
    Case(
        "nested.jsonl",
        {"city": TOWNS, "at.size": SIZES, "at.n": [int(number) for number in NUMBERS]},
        ("the fields of the objects in at are read as columns (at.size, at.n)",),
    ),
]  # fmt: skip

REFUSED = {
    "title_in_doubt.csv": "line 2, has 2 cells, but the first line has 1 name.*--skip-rows 1",
    "two_encodings.csv": "line 8, is not UTF-8 .byte 0xe1.; .*--encoding latin-1",
    "short_row.csv": "line 5, has 2 cells, but the first line has 3 names. Correct the line",
    "long_row.csv": "line 5, has 4 cells, but the first line has 3 names. Correct the line",
    "unquoted_commas.csv": "line 2, has 3 cells, .*quote cells that hold ','",
    "last_line_of_words.csv": "line 8, has 1 cell, but the first line has 3 names",
    "semicolons_and_total.csv": "line 8, has 2 cells, but the first line has 3 names",
    "semicolons_and_source.csv": "line 9, has 1 cell, but the first line has 3 names",
    "pipes_and_long_row.csv": "line 2, has 3 cells, but the first line has 2 names",
    "only_names.csv": "has names of columns .city, size, n. but no rows",
    "empty.csv": "is empty; a table has names in its first line and rows below",
    "blank.csv": "is empty; a table has names in its first line and rows below",
    "nul.csv": "line 4, has a NUL byte, .* remove the byte: tr -d",
    "binary.csv": "is a binary file, not a table as text; untie reads CSV",
    "open_quote.csv": "line 7: a quote .* is never closed; close it, or remove it",
    "web_page.csv": "is a web page .HTML. and not a table; download the table itself",
    "broken.jsonl": "Malformed JSON .* line 3",
}
"""What is refused, and what the command says."""


def as_options(arguments):
    """Return the arguments of `untie.scan` as options of the command."""
    pairs = [(f"--{name.replace('_', '-')}", str(value)) for name, value in arguments.items()]
    return [word for pair in pairs for word in pair]


def check_scan(path, case):
    """Check what `untie.scan` reads and warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = untie.scan(path, types="text", **case.options)
    assert table.collect().to_pydict() == case.columns
    assert len(table.remarks) == len(case.notes), table.remarks
    for remark, note in zip(table.remarks, case.notes, strict=True):
        assert remark.startswith(repr(str(path)))
        assert note in remark
    n_warned = len(case.notes) if case.warned is None else case.warned
    said = list(table.remarks[len(table.remarks) - n_warned :])
    assert [str(warning.message) for warning in caught] == said
    assert {warning.filename for warning in caught} <= {__file__}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_scan_reads_messy_files_and_warns_of_guesses(case):
    check_scan(FOLDER / case.name, case)


@pytest.mark.filterwarnings("default:The table has a row")
@pytest.mark.filterwarnings("default:2 rows are empty")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_command_reads_messy_files_and_says_what_was_guessed(case, tmp_path):
    call = ["cluster", FOLDER / case.name, *as_options(case.options), "--k", 2, "--no-subclusters"]
    answer = ask(*call, "--output", tmp_path / "rows.csv")
    assert answer.exit_code == 0, answer.output
    found = rows_of((tmp_path / "rows.csv").read_text(encoding="utf-8"))
    assert list(found[0]) == [*case.columns, "cluster"]
    said = answer.stderr.splitlines()[: len(case.notes)]
    assert [note in line for note, line in zip(case.notes, said, strict=True)] == [True] * len(said)


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_refused_get_one_message_and_nothing_is_written(name, tmp_path):
    said = refused("cluster", FOLDER / name, "--output", tmp_path / "rows.csv")
    assert said.startswith(f"untie: {str(FOLDER / name)!r}")
    assert said.count("\n") == 1
    assert os.listdir(tmp_path) == []
    assert re.search(REFUSED[name], said)


def test_every_file_has_a_case():
    assert {case.name for case in CASES} | set(REFUSED) == set(os.listdir(FOLDER))
    assert all(path.stat().st_size < 2048 for path in FOLDER.iterdir())


def pack(path, content):
    """Write content into a packed file."""
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(content))
        return
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("table.csv", content)


@pytest.mark.parametrize("ending", [".gz", ".zip"])
@pytest.mark.parametrize("name", ["title_lines.csv", "utf16.csv", "repeated_names.csv"])
def test_packed_files_are_read_as_others_are(name, ending, tmp_path):
    path = tmp_path / (name + ending)
    pack(path, (FOLDER / name).read_bytes())
    check_scan(path, next(case for case in CASES if case.name == name))


ROWS = [list(row) for row in zip(TOWNS, SIZES, map(int, NUMBERS), strict=True)]
NAMES = list(TABLE)
YEARS = [["city", 2023, None, 2024, None], [None, "size", "n", "size", "n"]]
SHEETS = {
    "title": ({"Data": [["Register 2024"], [], NAMES, *ROWS]}, ["A1:C1"]),
    "merged": ({"Data": [*YEARS, *(row + row[1:] for row in ROWS)]}, ["A1:A2", "B1:C1", "D1:E1"]),
    "report": ({"Data": [["Report", "Q1", "v2"], [], NAMES, *ROWS]}, []),
    "several": ({"Read me": [["Made in May"]], "Data": [NAMES, *ROWS]}, []),
    "repeated": ({"Data": [["city", "size", "size"], *ROWS]}, []),
    "nameless": ({"Data": ROWS}, []),
}
"""Workbooks: the rows of their sheets, and which cells are merged in the last one."""

SHEET = "read the sheet 'Data' of 'Read me', 'Data'; sheet names another"
BOOKS = [
    Case("title", notes=(f"rows 1 and 2 were {TITLE} row 3 (city, size, n)",)),
    Case("title", options={"skip_rows": 2}),
    Case(
        "merged",
        next(case.columns for case in CASES if case.name == "two_rows_of_names.csv"),
        (f"rows 1 and 2 {TOGETHER} (city, 2023 size, 2023 n, ...)",),
    ),
    Case(
        "report",
        {name: [key, *TABLE[key]] for name, key in zip(["Report", "Q1", "v2"], TABLE, strict=True)},
        ("row 1 was taken for the names of columns, but row 3 (city, size, n) may have them",),
    ),
    Case("several", notes=(SHEET,), warned=0, options={"sheet": "Data"}),
    Case(
        "repeated",
        {"city": TOWNS, "size": SIZES, "size_1": NUMBERS},
        ("names that occur again were changed: column 3 from 'size' to 'size_1'",),
    ),
    Case(
        "nameless",
        {f"column{n}": cells for n, cells in enumerate(TABLE.values())},
        options={"header": "none"},
    ),
]


def write_book(path, sheets, merged):
    """Write a workbook, and return its path."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    for cells in merged:
        sheet.merge_cells(cells)
    book.save(path)
    return path


@pytest.mark.parametrize("case", BOOKS, ids=str)
def test_messy_workbooks(case, tmp_path):
    check_scan(write_book(tmp_path / "book.xlsx", *SHEETS[case.name]), case)


@pytest.mark.parametrize("options", [{"skip_rows": 2}, {"skip_rows": 3, "header": "none"}])
def test_what_the_user_says_is_of_sheets_and_of_csv(options, tmp_path):
    book = write_book(tmp_path / "1.xlsx", *SHEETS["title"])
    text = tmp_path / "2.csv"
    text.write_text(
        "".join(f"{a},{b},{n}\n" for a, b, n in [("#", "", 1), ("#", "", 1), NAMES, *ROWS])
    )
    table = untie.scan([book, text], types="text", **options)
    assert table.remarks == ()
    assert list(table.collect().to_pydict().values()) == [cells * 2 for cells in TABLE.values()]
    semicolons = tmp_path / "3.csv"
    semicolons.write_text("#\n#\na;b\nx;y\nu;v\n")
    with pytest.raises(ValueError, match=r"different kinds: .*1.xlsx' and .*3.csv'"):
        untie.scan([book, semicolons], **options)


cells = st.one_of(
    st.sampled_from(["red", "é", "x,y", "p;q", '5" pipe', "a\nb", "u|v", "# n", "", "2024"]),
    st.text('abé ,;"\n', max_size=5).map(str.strip),
)
TITLES = ["Sales of 2024", "Source: own, and others", "# made", "ours; raw; draft", "Größe"]


@given(
    rows=st.lists(st.tuples(cells, cells, st.integers(0, 10**6)), min_size=2, max_size=8),
    titles=st.lists(st.sampled_from([*TITLES, ""]), max_size=3),
    delimiter=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)
def test_what_was_written_is_read_or_refused(rows, titles, delimiter, end, encoding):
    written = io.StringIO()
    writer = csv.writer(written, delimiter=delimiter, lineterminator=end)
    written.writelines(title + end for title in titles)
    writer.writerows([["color", "size", "n"], *rows])
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        path = Path(folder, "t.csv")
        path.write_bytes(written.getvalue().encode(encoding))
        reason = ""
        try:
            found = untie.scan(path, types="text").collect()
        except ValueError as error:
            reason = str(error)
    if reason:
        assert any(titles)
        assert "Correct the line" in reason
        return
    assert found.column_names == ["color", "size", "n"]
    texts = [[color or None, size or None, str(n)] for color, size, n in rows]
    assert [list(row.values()) for row in found.to_pylist()] == texts


def test_files_in_which_the_same_is_found_are_named_once(tmp_path):
    for name in ("1.csv", "2.csv", "3.csv"):
        (tmp_path / name).write_bytes((FOLDER / "title_lines.csv").read_bytes())
    (tmp_path / "2.csv").write_bytes((FOLDER / "ordinary.csv").read_bytes())
    with pytest.warns(UserWarning, match=r"1.csv' and 1 more: lines 1 to 3 were left out"):
        table = untie.scan(tmp_path / "*.csv", types="text")
    assert len(table.remarks) == 1
    assert table.collect().to_pydict() == {name: cells * 3 for name, cells in TABLE.items()}


def test_an_ordinary_file_is_not_copied_and_guesses_are_from_its_first_bytes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"x,1\n" * 70_000 + b"caf\xe9,2\n")
    table = untie.scan(path, types="text")
    assert os.listdir(table.scratch.folder) == []
    with pytest.raises(ValueError, match=r"line 70002, is not UTF-8 .*encoding='latin-1'"):
        table.collect()
    assert untie.scan(path, types="text", encoding="cp1252").collect().num_rows == 70_001


def test_fields_of_objects_have_names_and_whole_numbers_of_their_own(tmp_path):
    n = 123456789012345678901
    path = tmp_path / "t.jsonl"
    path.write_text(
        f'{{"a": {{"id": {n}, "mixed": 1}}, "a.id": "x", "deep": {{"b": {{"c": 1}}}}}}\n'
        f'{{"a": {{"id": {n + 1}, "mixed": "y"}}}}\n'
    )
    with pytest.warns(UserWarning, match="objects in a, deep are read as columns"):
        table = untie.scan(path)
    assert table.collect().to_pydict() == {
        "a.id": [str(n), str(n + 1)],
        "a.mixed": ["1", "y"],
        "a.id_1": ["x", None],
        "deep.b": [{"c": 1}, None],
    }


def test_lines_of_messages_are_those_of_the_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes((FOLDER / "title_lines.csv").read_bytes() + b"Bonn,big\n")
    with pytest.raises(ValueError, match="line 11, has 2 cells, but line 4 has 3 names"):
        untie.scan(path)


def test_the_remedy_of_names_in_two_rows_offers_each_of_them():
    with pytest.warns(UserWarning, match="skip_rows=0 takes line 1 alone, skip_rows=1 line 2"):
        untie.scan(FOLDER / "two_rows_of_names.csv")


def test_many_lines_may_be_above_the_names(tmp_path):
    path = tmp_path / "t.csv"
    lines = b"# This line is a comment that says nothing.\n" * 8000
    path.write_bytes(lines + (FOLDER / "decimal_commas.csv").read_bytes())
    check_scan(path, Case("", HALVES, (SEMICOLON,), 0, {"skip_rows": 8000}))


def test_what_the_user_says_wins_and_is_checked():
    with pytest.raises(ValueError, match="line 2, has 3 cells, but the first line has 1 name"):
        untie.scan(FOLDER / "title_lines.csv", skip_rows=0).collect()
    with pytest.raises(ValueError, match="is not UTF-8"):
        untie.scan(FOLDER / "cp1252.csv", encoding="utf-8").collect()
    with pytest.raises(ValueError, match="encoded in UTF-16; leave encoding='utf-8' out"):
        untie.scan(FOLDER / "utf16.csv", encoding="utf-8")
    with pytest.raises(ValueError, match="no table below its first 99 lines; lower skip_rows"):
        untie.scan(FOLDER / "ordinary.csv", skip_rows=99)
    with pytest.raises(ValueError, match="skip_rows takes a number of lines, got -1"):
        untie.scan(FOLDER / "ordinary.csv", skip_rows=-1)
    with pytest.raises(ValueError, match="header must be one of"):
        untie.scan(FOLDER / "ordinary.csv", header="first")
    with pytest.raises(ValueError, match="A query has no use for skip_rows=1"):
        untie.scan(sql="SELECT 1 AS a", skip_rows=1)
