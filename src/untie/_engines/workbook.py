"""Sheets of Excel -> CSV files."""

import csv
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import date, datetime, time, timedelta
from itertools import chain, islice
from typing import Any

from untie._engines.headers import (
    COMPARED,
    MOST_TITLES,
    Header,
    find_header,
    find_other_names,
    is_row,
    joined_names,
    own_names,
)
from untie._engines.layout import (
    NONE,
    Doubt,
    Told,
    about_header,
    about_other_names,
    about_renamed,
    about_repeated_row,
)
from untie._engines.packed import opened
from untie._util.messages import counted, message, need
from untie._util.scratch import Scratch, limit_of, most_bytes, too_large

OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
"""How files of old versions of Excel (.xls) begin, which are no archives."""

ERRORS = frozenset({"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NULL!", "#NUM!"})
"""The text of cells whose formula failed; they are missing."""

MOST_COLUMNS, MOST_ROWS = 16_384, 2**20
"""As many columns and rows as a sheet of Excel can have."""

_WORKBOOK = "xl/workbook.xml"


def refuse_old_workbook(path: str, shown: str) -> None:
    """Refuse a workbook of an old version of Excel, which is no archive."""
    with open(path, "rb") as file:
        if file.read(4) == OLD_WORKBOOK:
            raise ValueError(f"{shown} is of an old version of Excel; save it as .xlsx or CSV.")


def is_workbook(path: str, shown: str) -> bool:
    """Return whether an archive is a workbook, whatever its name."""
    with opened(path, shown) as archive:
        return _WORKBOOK in archive.namelist()


def sheet_as_csv(
    path: str, shown: str, sheet: str | None, told: Told, scratch: Scratch, n_packed: int
) -> tuple[str, str, tuple[Doubt, ...]]:
    """Write a sheet as CSV, row by row.

    The first row with a filled cell has the names, unless it is a title or one of two rows of
    names; rows without filled cells are left out.

    Parameters
    ----------
    path : str
        The workbook.
    shown : str
        Its name in messages.
    sheet : str or None
        The sheet's name, or its number from 1 on; the first that is not hidden if None.
    told : Told
        What the user says of its first rows.
    scratch : Scratch
        Where the CSV file goes.
    n_packed : int
        Size in bytes of what the user named: the workbook, or the archive that it was in.

    Returns
    -------
    path : str
        The CSV file.
    remark : str
        Which sheet was read, if there are several; otherwise empty.
    doubts : tuple of Doubt
        What was guessed.
    """
    openpyxl = need("openpyxl", "excel", "Excel files")
    _check_size(path, shown, n_packed)
    target = scratch.path(os.path.splitext(os.path.basename(path))[0] + ".csv")
    # Its parsers raise many kinds of errors for files that no program wrote, and warn of styles.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # Opened here, as openpyxl leaves it open where a sheet is broken.
            with open(path, "rb") as file:
                book = openpyxl.load_workbook(
                    file, read_only=True, data_only=True, keep_links=False
                )
                chosen, names = _choose_sheet(book.worksheets, sheet, shown)
                chosen.reset_dimensions()  # what the file says of them may be wrong
                with closing(chosen.iter_rows(values_only=True)) as rows:
                    lines, doubts = _table(rows, shown, chosen.title, told)
                    _write(target, lines, shown, n_packed)
        except (ValueError, OSError, MemoryError):
            raise
        except Exception as error:
            raise ValueError(
                f"{shown} can't be read as an Excel workbook ({type(error).__name__}: {error}); "
                "save it anew, or as CSV."
            ) from error
    others = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
    said = "{0}: read the sheet {1} of {2}; {sheet} names another"
    remark = message(said, shown, repr(chosen.title), others)
    return target, remark if len(names) > 1 else "", doubts


def _check_size(path: str, shown: str, n_packed: int) -> None:
    """Refuse a workbook whose parts are far larger than they should be; they are read in memory."""
    with opened(path, shown) as archive:
        if sum(info.file_size for info in archive.infolist()) > most_bytes(n_packed):
            raise ValueError(too_large(shown, n_packed))


def _choose_sheet(sheets: Sequence[Any], sheet: str | None, shown: str) -> tuple[Any, list[str]]:
    names = [one.title for one in sheets]
    if not names:
        raise ValueError(f"{shown} has no sheet with cells.")
    if sheet is None:
        visible = [one for one in sheets if one.sheet_state == "visible"]
        return (visible or sheets)[0], names
    if sheet in names:
        return sheets[names.index(sheet)], names
    if sheet.isdecimal() and 1 <= int(sheet) <= len(names):
        return sheets[int(sheet) - 1], names
    known = ", ".join(map(repr, names[:20]))
    raise ValueError(f"There is no sheet {sheet!r} in {shown}; there are {known}.")


def _table(
    rows: Iterable[Sequence[Any]], shown: str, title: str, told: Told
) -> tuple[Iterator[list[str]], tuple[Doubt, ...]]:
    """Return the names and then the rows, all of the same length, and what was guessed."""
    texts = _texts(rows, shown)
    numbered = ((number, cells) for number, cells in texts if number > (told.skip_rows or 0))
    first = next(((number, cells) for number, cells in numbered if cells), None)
    if first is None and told.skip_rows:
        said = "{0}: the sheet {1!r} has no table below its first {2}; lower {skip_rows}."
        raise ValueError(message(said, shown, title, counted(told.skip_rows, "row")))
    if first is None:
        raise ValueError(f"{shown}: the sheet {title!r} is empty.")
    number, cells = first
    head = [cells, *(more for _, more in islice(numbered, MOST_TITLES + COMPARED))]
    width = max(map(len, head))
    if width > MOST_COLUMNS:
        raise ValueError(f"{shown} has {width:,} columns, more than a sheet can have.")
    padded = [_padded(cells, width) for cells in head]
    doubts: tuple[Doubt, ...] = ()
    if told.header == NONE:
        names, n_head = own_names([""] * width)[0], 0
    else:
        header = Header(0)
        if told.skip_rows is None:
            header = find_header(padded, is_read=len(cells) == width) or header
            if (other := find_other_names(padded, header)) is not None:
                taken, lower = number + header.start, number + other
                doubts += (about_other_names(taken, lower, padded[other], unit="row"),)
        number, n_head = number + header.start, header.start + header.depth
        width = max(map(len, head[header.start : n_head]))
        given = joined_names([row[:width] for row in padded], header)
        given = [name or f"column {n}" for n, name in enumerate(given, start=1)]
        names, renamed = own_names(given)
        if header != Header(0):
            doubts += (about_header(number, header.depth, names, unit="row"),)
        if renamed and is_row(given, padded[n_head:]):
            raise ValueError(about_repeated_row(given, renamed, shown))
        if renamed:
            doubts += (about_renamed(given, renamed),)
    below = chain(enumerate(head[n_head:], start=first[0] + n_head), numbered)
    where = f"{shown}, sheet {title!r}"
    return chain([names], _rows_below(below, width, where, told)), doubts


def _texts(rows: Iterable[Sequence[Any]], shown: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each row and the texts of its cells up to the last that is filled."""
    for number, cells in enumerate(rows, start=1):
        if number > MOST_ROWS:  # rows that are left out come as empty ones, whatever their number
            raise ValueError(f"{shown} has more than {MOST_ROWS:,} rows, which no sheet can have.")
        texts = [cell_text(cell) for cell in cells]
        while texts and not texts[-1]:
            texts.pop()
        yield number, texts


def _rows_below(
    rows: Iterable[tuple[int, list[str]]], width: int, where: str, told: Told
) -> Iterator[list[str]]:
    """Yield the rows with a filled cell, of as many cells as there are names."""
    for number, cells in rows:
        if len(cells) > width:
            said = (
                "{0}, row {1}, has {2} cells, but the row of names has {3}. Name every column, "
                "leave rows above the names out with {skip_rows}, or remove what is beside the "
                "table."
            )
            if told.header == NONE:
                said = (
                    "{0}, row {1}, has {2} cells, but the first rows have {3}. Remove what is "
                    "beside the table."
                )
            raise ValueError(message(said, where, number, len(cells), width))
        if cells:
            yield _padded(cells, width)


def _padded(cells: list[str], width: int) -> list[str]:
    return cells + [""] * (width - len(cells))


def _write(path: str, rows: Iterable[Sequence[str]], shown: str, n_packed: int) -> None:
    """Write rows as CSV; a few cells far to the right make a short sheet a long file."""
    most, refusal = limit_of(os.path.dirname(path), shown, n_packed)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer, n_written = csv.writer(file, lineterminator="\n"), 0
        for row in rows:
            n_written += writer.writerow(row)
            if n_written > most:
                raise ValueError(refusal)


def cell_text(cell: Any) -> str:
    """Return a cell as CSV has it.

    Examples
    --------
    >>> cell_text(None), cell_text(7.0), cell_text(0.5), cell_text(True), cell_text("#N/A")
    ('', '7', '0.5', 'TRUE', '')
    >>> cell_text(datetime(2024, 5, 1)), cell_text(datetime(2024, 5, 1, 10, 30))
    ('2024-05-01', '2024-05-01 10:30:00')
    """
    if cell is None or (isinstance(cell, str) and cell in ERRORS):
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime):
        is_day = cell.time() == time()
        return cell.date().isoformat() if is_day else cell.isoformat(" ", "seconds")
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return str(cell)
    return str(cell)
