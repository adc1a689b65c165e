"""The first bytes of a file -> what it is: its encoding, what separates cells, where the names are.

A guess that may be wrong is a `Doubt`, which is reported to the user. An ordinary file has none,
and DuckDB reads it as it is.
"""

import csv
import io
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_LE
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from untie._engines import packed
from untie._engines.headers import (
    Cells,
    Header,
    find_header,
    find_other_names,
    is_row,
    joined_names,
    n_filled,
    own_names,
)
from untie._util.messages import Message, Parameter, counted, message

UTF8 = "utf-8"

AUTO, NONE = HEADERS = ("auto", "none")
"""Whether a table has names of its columns."""

DELIMITERS = {".tsv": "\t"}
"""What usually separates cells, by the ending; a comma where none is named."""

FIRST_BYTES = 2**18
"""How much of a file is looked at; more if its first line is longer."""

LONGEST_LINE = 2_000_000
"""DuckDB reads lines of at most this many bytes."""

MOST_ABOVE = 2**26
"""Lines that are left out may have this many bytes; they are read in memory."""

LOOKED_AT = 1_000
"""At most this many lines are compared with the first one."""

SPLIT = 50
"""This many lines are split to find the delimiter."""

OTHER_DELIMITERS = (",", ";", "\t", "|")
"""What may stand between cells, the likeliest first."""

MOST_SPECIAL = 0.4
"""In Western European text, at most this share of the letters is outside ASCII."""

SHOWN_NAMES = 3
"""At most this many names are shown."""

_PARQUET = b"PAR1"
_SPECIAL = re.compile(rb"[\x80-\xff]")
_LETTER = re.compile(rb"[A-Za-z\x80-\xff]")
_CONTROL = re.compile(rb"[\x01-\x08\x0b\x0e-\x1f]")
_CONTROL_TEXT = re.compile(r"[\x00-\x08\x0b\x0e-\x1f]")
_UNUSED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
"""Bytes that stand for nothing in cp1252."""

_LONG_CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
"""A character of UTF-8 of several bytes."""

_SEPARATOR_LINE = re.compile(r"sep=(.)(\r\n|\n|\r)", re.IGNORECASE)
"""A first line that names the delimiter for Excel."""

_LINE_FEED = re.compile(r"(?<!\r)\n")

_WEB_PAGE = re.compile(r"\s*(<!doctype html|<html)", re.IGNORECASE)


@dataclass(frozen=True)
class Told:
    """What the user says of the layout of files; None is found out.

    Parameters
    ----------
    delimiter : str, optional
        Between cells of CSV.
    encoding : str, optional
        Of text.
    skip_rows : int, optional
        Lines, or rows of a sheet, before the names of columns.
    header : {"auto", "none"}
        Whether there are names of columns.
    """

    delimiter: str | None = None
    encoding: str | None = None
    skip_rows: int | None = None
    header: str = AUTO


NOTHING = Told()
"""Everything is found out."""


@dataclass(frozen=True)
class Doubt:
    """Something that was guessed.

    Parameters
    ----------
    template : str
        What is said of it, as of `message`; {0} is the file.
    parts : tuple
        The other fields of the template.
    """

    template: str
    parts: tuple[Any, ...] = ()

    def of(self, shown: str) -> Message:
        """Return what is said of a file."""
        return message(self.template, shown, *self.parts)


@dataclass(frozen=True)
class Layout:
    """What a file is.

    Parameters
    ----------
    name : {"csv", "json", "parquet"}
        Its format; TSV is CSV with another delimiter.
    delimiter : str
        The delimiter of CSV.
    header : tuple of str
        The names of CSV; empty where they can't be read here.
    is_nameless : bool
        Whether the first line of CSV looks like a row and not like names.
    encoding : str
        What text is encoded in.
    has_names : bool
        Whether the first line of CSV has names.
    is_renamed : bool
        Whether the columns are called as in `header` and not as in the file.
    n_head : int
        Number of lines up to the names, which are the last of them.
    is_cut : bool
        Whether DuckDB can't read these lines as they are: they take a copy without them.
    has_mixed_ends : bool
        Whether some lines end in CR LF and others in LF.
    doubts : tuple of Doubt
        What was guessed.
    """

    name: str
    delimiter: str = ","
    header: tuple[str, ...] = ()
    is_nameless: bool = False
    encoding: str = UTF8
    has_names: bool = True
    is_renamed: bool = False
    n_head: int = 1
    is_cut: bool = False
    has_mixed_ends: bool = False
    doubts: tuple[Doubt, ...] = ()

    @property
    def needs_copy(self) -> bool:
        """Whether DuckDB can't read the file as it is."""
        return self.is_cut or self.has_mixed_ends or not is_utf8(self.encoding)


def is_utf8(encoding: str) -> bool:
    """Return whether a name is one of UTF-8's."""
    return encoding.lower() in (UTF8, "utf8")


def sniff(path: str, shown: str, told: Told) -> Layout:
    """Find out what a file is, by its name and its first bytes.

    Parameters
    ----------
    path : str
        The file.
    shown : str
        Its name in messages.
    told : Told
        What the user says of it.

    Raises
    ------
    ValueError
        When it is no table, or the first line of CSV has no names.
    """
    suffix = packed.suffix_of(path)
    by_name = packed.KINDS.get(suffix)
    if by_name == "parquet":
        return Layout("parquet")
    first = _first_bytes(path, shown, told.skip_rows or 0)
    if first.startswith(_PARQUET):
        return Layout("parquet")
    encoding, doubts = _encoding(first, shown, told.encoding)
    # The last character may be cut; what is wrong further on is said when it is read.
    text = first.decode(encoding, errors="replace").removeprefix("\ufeff")
    if not text.strip():
        raise ValueError(f"{shown} is empty; a table has names in its first line and rows below.")
    if len(first) >= FIRST_BYTES:
        text = text[: text.rfind("\n") + 1] or text
    if by_name == "json" or (by_name is None and _is_json(text)):
        return Layout("json", encoding=encoding, doubts=doubts)
    if _WEB_PAGE.match(text):
        raise ValueError(
            f"{shown} is a web page (HTML) and not a table; download the table itself, or save it "
            "as CSV."
        )
    if len(first) > LONGEST_LINE and not _has_line(first):
        raise ValueError(
            f"The first line of {shown} has more than {LONGEST_LINE:,} bytes, perhaps because a "
            'quote (") is not closed; a table has the names of its columns there. Correct it.'
        )
    return _csv_layout(text, shown, told, DELIMITERS.get(suffix, ","), encoding, doubts)


def _first_bytes(path: str, shown: str, n_above: int) -> bytes:
    """Return the first bytes: the first line at least, and as much below the lines left out."""
    with packed.open_plain(path) as file:
        first = file.read(FIRST_BYTES)
        while len(first) <= LONGEST_LINE and not _has_line(first):
            more = file.read(FIRST_BYTES)
            if not more:
                break
            first += more
        if not n_above:
            return first
        pieces, n_lines, n_bytes = [first], _n_lines(first), len(first)
        while n_lines <= n_above and (more := file.read(FIRST_BYTES)):
            pieces.append(more)
            n_lines, n_bytes = n_lines + _n_lines(more), n_bytes + len(more)
            if n_bytes > MOST_ABOVE:
                said = "The first {1} of {0} have more than {2:,} bytes; remove them."
                raise ValueError(message(said, shown, counted(n_above, "line"), MOST_ABOVE))
        pieces.append(file.read(FIRST_BYTES))
    return b"".join(pieces)


def _n_lines(content: bytes) -> int:
    return max(content.count(b"\n"), content.count(b"\r"))


def _has_line(first: bytes) -> bool:
    """Return whether the first line is all there; a name in quotes may have line ends in it."""
    quotes = 0
    for line in first.splitlines(keepends=True):
        quotes += line.count(b'"')
        if quotes % 2 == 0 and line.endswith((b"\n", b"\r")):
            return True
    return False


def _encoding(first: bytes, shown: str, told: str | None) -> tuple[str, tuple[Doubt, ...]]:
    """Return what a text is encoded in, and that it was guessed."""
    found = told or _unicode(first)
    if is_utf8(found) and (other := _unicode(first)) != UTF8:
        given = Parameter("encoding", told)
        said = "{0} is encoded in {1}; leave {2} out."
        raise ValueError(message(said, shown, other.upper(), given))
    if b"\0" in first and not found.lower().startswith(("utf-16", "utf16", "utf-32", "utf32")):
        raise ValueError(_about_zeros(first, shown))
    if told is not None or (found == UTF8 and _is_utf8_text(first)):
        return found, ()
    if found == UTF8:
        if not _is_western(first):  # what is wrong is said when it is read
            return UTF8, ()
        found = "cp1252"
    said = "{0}: read as {1}, as it is not UTF-8; {2} names another encoding"
    name = found if found == "cp1252" else found.upper()
    return found, (Doubt(said, (name, Parameter("encoding"))),)


def _unicode(first: bytes) -> str:
    """Return the encoding that the bytes of every text in UTF-16 or UTF-32 show."""
    if first.startswith(BOM_UTF32_LE):
        return "utf-32"
    if first.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    n, zeros = len(first) // 2, (first[::2].count(0), first[1::2].count(0))
    if max(zeros) <= 0.5 * n or min(zeros):
        return UTF8
    found = "utf-16-be" if zeros[0] else "utf-16-le"
    text = first[: n * 2].decode(found, errors="ignore")  # the last character may be cut
    return UTF8 if _CONTROL_TEXT.search(text) else found


def _is_utf8_text(first: bytes) -> bool:
    try:
        first.decode(UTF8)
    except UnicodeDecodeError as error:
        return error.end == len(first) and error.reason == "unexpected end of data"
    return True


def _is_western(first: bytes) -> bool:
    """Return whether bytes may be text of Western Europe, in cp1252 or its part latin-1."""
    if _LONG_CHARACTER.search(first) or _UNUSED.search(first) or first.startswith(BOM_UTF8):
        return False
    return len(_SPECIAL.findall(first)) <= MOST_SPECIAL * len(_LETTER.findall(first))


def _about_zeros(first: bytes, shown: str) -> Message:
    """Return why bytes with zeros are refused: a few are damage to a text, many are no text."""
    if not _CONTROL.search(first) and _is_utf8_text(first):
        line = first[: first.index(0)].count(b"\n") + 1
        said = "{0}, line {1}, has a NUL byte, which no text has; the file may be cut or damaged. "
        more = "Save it anew, or remove the byte: tr -d '\\000' < FILE > NEW."
        return message(said + more, shown, line)
    said = "{0} is a binary file, not a table as text; untie reads CSV, TSV, JSON, Parquet "
    return message(said + "and Excel, and anything that DuckDB reads with {sql}.", shown)


def _is_json(text: str) -> bool:
    """Return whether a text begins with objects of JSON, alone or in an array."""
    start = "".join(text[:FIRST_BYTES].split(None, 2)[:2])[:2]
    return start.startswith("{") or start in ("[{", "[]")


@dataclass(frozen=True)
class _Row:
    """A row of CSV, and the number of lines up to its end."""

    cells: Cells
    end: int


def _csv_layout(
    text: str, shown: str, told: Told, usual: str, encoding: str, doubts: tuple[Doubt, ...]
) -> Layout:
    """Return the layout of CSV, by its first lines."""
    mixed = has_mixed_ends(text)
    n_above, marked = told.skip_rows or 0, None
    if told.skip_rows is None and (match := _SEPARATOR_LINE.match(text)):
        n_above, marked = 1, match[1]
    text = _below(text, n_above, shown)
    found = marked or _delimiter(text, usual, told.skip_rows is None)
    if told.delimiter is not None and told.delimiter != found:
        _check_delimiter(text, shown, told.delimiter, found)
    delimiter = told.delimiter or found
    rows = _rows(text, delimiter, shown)
    if mixed:
        said = "{0}: some lines end in CR LF and others in LF; both were taken for line ends"
        doubts += (Doubt(said),)
    basis = Layout("csv", delimiter, encoding=encoding, has_mixed_ends=mixed)
    start = next((place for place, row in enumerate(rows) if n_filled(row.cells)), 0)
    if told.header == NONE:
        n_head = n_above + (rows[start - 1].end if start else 0)
        return _nameless(basis, len(rows[start].cells), n_head, doubts)
    header = Header(start)
    if told.skip_rows is None:
        cells = [row.cells for row in rows]
        header = find_header(cells) or header
        if (other := find_other_names(cells, header)) is not None:
            start, end = (
                rows[n - 1].end + n_above if n else n_above for n in (header.start, other)
            )
            doubts += (about_other_names(start + 1, end + 1, cells[other]),)
    return _named(basis, rows, header, n_above, shown, doubts)


def _nameless(basis: Layout, n_columns: int, n_head: int, doubts: tuple[Doubt, ...]) -> Layout:
    """Return the layout of a table without names, below some lines."""
    names, _ = own_names([""] * n_columns)
    return replace(
        basis,
        header=tuple(names),
        has_names=False,
        is_renamed=True,
        n_head=n_head,
        is_cut=n_head > 0,
        doubts=doubts,
    )


def _named(
    basis: Layout,
    rows: Sequence[_Row],
    header: Header,
    n_above: int,
    shown: str,
    doubts: tuple[Doubt, ...],
) -> Layout:
    """Return the layout of a table whose names are in known rows, `n_above` lines further down."""
    last = header.start + header.depth - 1
    below = [row.cells for row in rows[last + 1 :]]
    cells = rows[header.start].cells
    start = rows[header.start - 1].end + n_above if header.start else n_above
    end = rows[last].end + n_above if rows else 1
    if header.depth == 1 and (n_last := _n_blank_at_end(cells, below)):
        cells = cells[:-n_last]
        said = "{0}: {1} at the end of line {2} {3} no column, as no row has a cell there"
        verb = "makes" if n_last == 1 else "make"
        doubts += (Doubt(said, (counted(n_last, "separator"), end, verb)),)
    given = joined_names([row.cells for row in rows], header) if header.depth > 1 else list(cells)
    names, renamed = own_names(given)
    nameless = is_row(given, below)
    has_titles = any(n_filled(row.cells) for row in rows[: header.start])
    if has_titles or header.depth > 1:
        doubts += (about_header(start + 1, header.depth, names),)
    if renamed and nameless:
        raise ValueError(about_repeated_row(given, renamed, shown))
    if renamed:
        doubts += (about_renamed(given, renamed),)
    is_cut = start > 0 or header.depth > 1 or len(given) < len(rows[header.start].cells)
    return replace(
        basis,
        header=tuple(names if renamed or is_cut else given),
        is_nameless=nameless,
        is_renamed=bool(renamed) or is_cut,
        n_head=end,
        is_cut=is_cut,
        doubts=doubts,
    )


def about_repeated_row(given: Sequence[str], renamed: dict[int, str], shown: str) -> Message:
    """Return why a first line is refused that looks like a row and has a cell twice."""
    place = next(iter(renamed))
    name = given[place].strip()
    first = next(p for p, other in enumerate(given) if other.strip().lower() == name.lower())
    said = "{0} has two columns called {1!r} (columns {2} and {3}), and its first line looks like "
    more = "a row. If it is one: {4}. If not, rename a column."
    none = Parameter("header", NONE)
    return message(said + more, shown, name, first + 1, place + 1, none)


def _n_blank_at_end(cells: Cells, below: Sequence[Cells]) -> int:
    """Return how many last names are blank and in no row below, each of which ends before them."""
    n = len(cells) - next((p for p in range(len(cells), 0, -1) if cells[p - 1].strip()), 0)
    widths = {len(row) for row in below if n_filled(row)}
    return n if widths == {len(cells) - n} else 0


def about_header(number: int, depth: int, names: Sequence[str], unit: str = "line") -> Doubt:
    """Return that names were found below a title, or in two lines.

    Parameters
    ----------
    number : int
        Number of the first line with names.
    depth : int
        Number of lines with names.
    names : sequence of str
        The names.
    unit : str
        What a line is called.
    """
    shown = first_names(names)
    if depth > 1:
        said = "{0}: {1}s {2} were read together as the names of columns ({3}); {4} takes {1} {5} "
        last = number + depth - 1
        several = f"{number} {'and' if depth == 2 else 'to'} {last}"
        upper, lower = (Parameter("skip_rows", n) for n in (number - 1, number))
        parts = (unit, several, shown, upper, number, lower, number + 1)
        return Doubt(said + "alone, {6} {1} {7}", parts)
    upto = f"s 1 {'and' if number == 3 else 'to'} {number - 1} were"
    above = f"{unit} 1 was" if number == 2 else f"{unit}{upto}"
    said = "{0}: {1} left out as a title, and the names of columns are in {2} {3} ({4}); {5} keeps "
    return Doubt(said + "them", (above, unit, number, shown, Parameter("skip_rows", 0)))


def about_other_names(taken: int, other: int, names: Sequence[str], unit: str = "line") -> Doubt:
    """Return that another line may have the names.

    Parameters
    ----------
    taken : int
        Number of the first line that was taken for names.
    other : int
        Number of the line that may have them.
    names : sequence of str
        What is in that line.
    unit : str
        What a line is called.
    """
    said = "{0}: {1} {2} was taken for the names of columns, but {1} {3} ({4}) may have them; {5} "
    upper, lower = (Parameter("skip_rows", number - 1) for number in (taken, other))
    shown = first_names([name.strip() for name in names])
    return Doubt(said + "takes {1} {3}, {6} {1} {2}", (unit, taken, other, shown, lower, upper))


def about_renamed(given: Sequence[str], renamed: dict[int, str]) -> Doubt:
    """Return which columns have another name as an earlier one has theirs."""
    made = [f"column {p + 1} from {given[p].strip()!r} to {renamed[p]!r}" for p in renamed]
    more = f" and {len(made) - SHOWN_NAMES:,} more" if len(made) > SHOWN_NAMES else ""
    said = "{0}: names that occur again were changed: {1}"
    return Doubt(said, (", ".join(made[:SHOWN_NAMES]) + more,))


def first_names(names: Sequence[str]) -> str:
    """Return the first of some names."""
    return ", ".join(names[:SHOWN_NAMES]) + (", ..." if len(names) > SHOWN_NAMES else "")


def has_mixed_ends(text: str) -> bool:
    r"""Return whether some rows end in CR LF and others in LF; what is in quotes is no end.

    Examples
    --------
    >>> has_mixed_ends('a\r\nb\n'), has_mixed_ends('"a\nb"\r\nc\r\n')
    (True, False)
    """
    parts = text.split('"')[::2]
    return any("\r\n" in part for part in parts) and any(map(_LINE_FEED.search, parts))


def _below(text: str, n_above: int, shown: str) -> str:
    """Return a text without its first lines."""
    stream = io.StringIO(text, newline="")
    for _ in range(n_above):
        stream.readline()
    rest = stream.read()
    if not rest.strip():
        said = "{0} has no table below its first {1}; lower {skip_rows}."
        raise ValueError(message(said, shown, counted(n_above, "line")))
    return rest


def _rows(text: str, delimiter: str, shown: str) -> list[_Row]:
    """Return the first rows of CSV; what is wrong with a later one is said when it is read."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[_Row] = []
    try:
        rows.extend(_Row(cells, reader.line_num) for cells in islice(reader, LOOKED_AT))
    except csv.Error as error:
        if not rows:
            raise ValueError(
                f"The first line of {shown} has no names of columns: {error}."
            ) from error
    return rows


def _delimiter(text: str, usual: str, may_have_title: bool) -> str:
    """Return what cells stand between: the usual mark, unless only another one makes columns."""
    lines = _first_lines(text)
    marks = dict.fromkeys((usual, *OTHER_DELIMITERS))
    rows = {mark: _split(lines, mark) for mark in marks}
    widths = {mark: [len(row) for row in found if row] or [0] for mark, found in rows.items()}
    alike = {mark: found.count(found[0]) if found[0] > 1 else 0 for mark, found in widths.items()}
    for mark, found in widths.items():
        if alike[mark] == len(found) and (mark == usual or alike[usual] < len(widths[usual]) / 2):
            return mark
    if widths[usual][0] == 1:  # a row that is too long or too short is refused when it is read
        best = max(marks, key=alike.__getitem__)
        are_all_split = set(widths[usual]) == {1} and min(widths[best]) > 1
        if alike[best] > len(widths[best]) / 2 or are_all_split:
            return best
    if may_have_title:
        is_read = True if set(widths[usual]) == {1} else None
        below = [mark for mark in marks if find_header(rows[mark], is_read) is not None]
        # Decimal commas make columns of most lines, but not of the names of columns.
        return max(below, key=lambda mark: _n_of_one_width(widths[mark]), default=usual)
    return usual


def _n_of_one_width(widths: Sequence[int]) -> int:
    """Return how many rows have the most frequent number of cells above 1."""
    return max(Counter(width for width in widths if width > 1).values(), default=0)


def _check_delimiter(text: str, shown: str, given: str, found: str) -> None:
    """Refuse a mark that makes one column where another makes several of every line."""
    lines = _first_lines(text)
    own, other = ({len(row) for row in _split(lines, mark) if row} for mark in (given, found))
    if own == {1} and len(other) == 1 and other != {1}:
        said = "{0} has one column with {3}, and {1} with {2}: leave {delimiter} out, or say {2}."
        own_mark = Parameter("delimiter", given)
        raise ValueError(message(said, shown, other.pop(), repr(found), own_mark))


def _first_lines(text: str) -> list[str]:
    """Return the lines by which delimiters are compared; CSV has no other line ends than these."""
    return list(islice(io.StringIO(text, newline=""), SPLIT))


def _split(lines: list[str], mark: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=mark))
    except csv.Error:
        return []
