"""What a file is, by its name and first bytes; what is wrong with a text file, in words."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from untie._engines.archives import KINDS, open_plain, suffix_of
from untie._engines.duck import LONGEST_LINE
from untie._util.messages import Parameter, message

UTF8 = "utf-8"

DELIMITERS = {".tsv": "\t"}
"""What usually separates cells, by the ending; a comma where none is named."""

FIRST_BYTES = 2**18
"""How much of a file is looked at; more if its first line is longer."""

LOOKED_AT = 1_000
"""At most this many lines are compared with the first one."""

MOST_OF_LINE = 2**26
"""A line with more bytes is not looked at further: a file may be one line that fills the memory."""

OTHER_DELIMITERS = (",", ";", "\t", "|")
"""What may stand between cells, the likeliest first."""

_PARQUET = b"PAR1"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Layout:
    """What a file is.

    Parameters
    ----------
    name : {"csv", "json", "parquet"}
        Its format; TSV is CSV with another delimiter.
    delimiter : str
        What stands between the cells of CSV.
    header : tuple of str
        The names in the first line of CSV; empty where it can't be read here.
    is_nameless : bool
        Whether the first line of CSV looks like a row and not like names.
    """

    name: str
    delimiter: str = ","
    header: tuple[str, ...] = ()
    is_nameless: bool = False


def sniff(path: str, shown: str, delimiter: str | None, encoding: str) -> Layout:
    """Find out what a file is.

    Parameters
    ----------
    path : str
        The file.
    shown : str
        Its name in messages.
    delimiter : str or None
        What the user says stands between cells.
    encoding : str
        What text is encoded in.

    Raises
    ------
    ValueError
        When it is no table, or the first line of CSV has no names.
    """
    by_name = KINDS.get(suffix_of(path))
    if by_name == "parquet":
        return Layout("parquet")
    with open_plain(path) as file:
        first = file.read(FIRST_BYTES)
        while len(first) <= LONGEST_LINE and not _has_line(first):
            more = file.read(FIRST_BYTES)
            if not more:
                break
            first += more
    if not first.strip():
        raise ValueError(f"{shown} is empty; a table has names in its first line and rows below.")
    if first.startswith(_PARQUET):
        return Layout("parquet")
    text = _decode(first, shown, encoding)
    if by_name == "json" or (by_name is None and _is_json(text)):
        return Layout("json")
    if len(first) > LONGEST_LINE and not _has_line(first):
        raise ValueError(
            f"The first line of {shown} has more than {LONGEST_LINE:,} bytes, perhaps because a "
            'quote (") is not closed; a table has the names of its columns there. Correct it.'
        )
    found = _delimiter(text, DELIMITERS.get(suffix_of(path), ","))
    if delimiter is not None and delimiter != found:
        _check_delimiter(text, shown, delimiter, found)
    delimiter = delimiter or found
    try:
        header = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error as error:
        raise ValueError(f"The first line of {shown} has no names of columns: {error}.") from error
    _check_header(header, shown)
    return Layout("csv", delimiter, tuple(header), _is_row(header, text, delimiter))


def _has_line(first: bytes) -> bool:
    """Return whether the first line is all there; a name in quotes may have line ends in it."""
    quotes = 0
    for line in first.splitlines(keepends=True):
        quotes += line.count(b'"')
        if quotes % 2 == 0 and line.endswith((b"\n", b"\r")):
            return True
    return False


def _decode(first: bytes, shown: str, encoding: str) -> str:
    if first.startswith(_UTF16) and encoding.lower().replace("-", "") == "utf8":
        given = Parameter("encoding", "utf-16")
        raise ValueError(message("{0} is encoded in UTF-16; add {given}.", shown, given=given))
    if b"\0" in first and not encoding.lower().startswith(("utf-16", "utf16", "utf-32", "utf32")):
        said = "{0} is a binary file, not a table as text; untie reads CSV, TSV, JSON, Parquet "
        more = "and Excel, and anything that DuckDB reads with {sql}."
        raise ValueError(message(said + more, shown))
    # The last character may be cut; what is wrong further on is said by `explain`.
    text = first.decode(encoding, errors="replace").removeprefix("\ufeff")
    return text if len(first) < FIRST_BYTES else text[: text.rfind("\n") + 1] or text


def _is_json(text: str) -> bool:
    """Return whether a text begins with objects of JSON, alone or in an array."""
    start = "".join(text[:FIRST_BYTES].split(None, 2)[:2])[:2]
    return start.startswith("{") or start in ("[{", "[]")


def _delimiter(text: str, usual: str) -> str:
    """Return what cells stand between: the usual mark, unless only another one makes columns."""
    lines = text.splitlines()[:50]
    widths = {mark: _widths(lines, mark) for mark in (usual, *OTHER_DELIMITERS)}
    for mark, found in widths.items():
        if found[0] > 1 and (mark == usual or len(set(found)) == 1):
            return mark
    return usual


def _check_delimiter(text: str, shown: str, given: str, found: str) -> None:
    """Refuse a mark that makes one column where another makes several of every line."""
    lines = text.splitlines()[:50]
    own, other = (set(_widths(lines, mark)) for mark in (given, found))
    if own == {1} and len(other) == 1 and other != {1}:
        said = "{0} has one column with {3}, and {1} with {2}: leave {delimiter} out, or say {2}."
        own_mark = Parameter("delimiter", given)
        raise ValueError(message(said, shown, other.pop(), repr(found), own_mark))


def _widths(lines: list[str], mark: str) -> list[int]:
    try:
        return [len(row) for row in csv.reader(lines, delimiter=mark) if row] or [0]
    except csv.Error:
        return [0]


def _check_header(header: list[str], shown: str) -> None:
    seen: dict[str, int] = {}
    for position, name in enumerate(header, start=1):
        # DuckDB takes names that differ in case alone for the same, and would rename one.
        if name.strip() and name.lower() in seen:
            raise ValueError(
                f"{shown} has two columns called {name!r} (columns {seen[name.lower()]} and "
                f"{position}); rename one in the first line, or put a line of names first if it "
                "is a row."
            )
        seen[name.lower()] = position


def _is_row(header: list[str], text: str, delimiter: str) -> bool:
    """Return whether each name is a number, or a cell of its column in the lines below."""
    named = {place: name for place, name in enumerate(header) if name.strip()}
    numbers = {place: _number(name) for place, name in named.items()}
    if _count_up([number for number in numbers.values() if number is not None]):
        return False
    sought = [place for place in named if numbers[place] is None]
    if not sought:
        return bool(named)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in islice(lines, 1, LOOKED_AT):
            sought = [p for p in sought if p >= len(row) or row[p] != named[p]]
            if not sought:
                return True
    except csv.Error:  # what is wrong further on is said by `explain`
        pass
    return False


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _count_up(numbers: Sequence[float]) -> bool:
    """Return whether numbers are names: positions, such as pandas writes, or years."""
    return len(numbers) > 1 and all(b - a == 1 for a, b in pairwise(numbers))


def explain(path: str, shown: str, layout: Layout) -> str | None:
    """Return what is wrong with a text file that can't be read, or None if nothing is found."""
    with open_plain(path) as file:
        lines = iter(lambda: file.readline(MOST_OF_LINE), b"")
        for number, line in enumerate(lines, start=1):
            if len(line) == MOST_OF_LINE:
                return f"{shown}, line {number}, has more than {MOST_OF_LINE:,} bytes; correct it."
            try:
                line.decode(UTF8)
            except UnicodeDecodeError as error:
                byte = line[error.start : error.start + 1].hex()
                return message(
                    "{0}, line {1}, is not {2} (byte 0x{3}); say what it is encoded in, such as "
                    "{example}.",
                    *(shown, number, UTF8.upper(), byte),
                    example=Parameter("encoding", "latin-1"),
                )
    if layout.name != "csv":
        return None
    with open_plain(path) as file:
        text = io.TextIOWrapper(file, encoding=UTF8, newline="")
        return _wrong_row(text, shown, layout.delimiter)


def _wrong_row(text: io.TextIOWrapper, shown: str, delimiter: str) -> str | None:
    """Return what is wrong with the first row of CSV that is not as the others are."""
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    start, n_names = 1, None
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            return _wrong_quotes(str(error), f"{shown}, line {start}")
        if row is None:
            return None
        if n_names is None:
            n_names = len(row)
        elif row and len(row) != n_names:
            return message(
                "{0}, line {1}, has {2}, but the first line has {3} names. Correct the line (quote "
                "cells that hold {4}), or say what separates cells: {delimiter}.",
                *(shown, reader.line_num, _cells(len(row)), n_names, repr(delimiter)),
            )
        start = reader.line_num + 1


def _wrong_quotes(reason: str, where: str) -> str:
    if "unexpected end of data" in reason:
        return f'{where}: a quote (") that is opened there is never closed; close it, or remove it.'
    if "field larger" in reason:
        return (
            f"{where}: a cell has more than {csv.field_size_limit():,} characters, perhaps because "
            'a quote (") is not closed; correct it.'
        )
    return f"{where}: {reason}; correct the line."


def _cells(n: int) -> str:
    return "1 cell" if n == 1 else f"{n} cells"
