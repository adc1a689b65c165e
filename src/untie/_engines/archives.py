"""Kinds of files by their endings; files compressed by gzip or zstd, and zip archives."""

import csv
import gzip
import io
import os
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime, time, timedelta
from typing import Any, BinaryIO

from untie._util.messages import message, need
from untie._util.scratch import (
    Scratch,
    check_size,
    copy_unpacked,
    most_bytes,
    no_room,
    room_for,
    too_large,
)

KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
"""What a file is, by how its name ends; all but Parquet may be compressed."""

COMPRESSED = (".gz", ".zst")


def suffix_of(path: str) -> str:
    """Return how a name ends, apart from how the file is compressed.

    Examples
    --------
    >>> suffix_of("data/A.CSV"), suffix_of("a.b.ndjson.gz"), suffix_of("table")
    ('.csv', '.ndjson', '')
    """
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSED else suffix


GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

ENDINGS = {GZIP: ".gz", ZSTD: ".zst"}
"""How the names of compressed files end; DuckDB goes by that."""


def packing_of(path: str) -> bytes | None:
    """Return the first bytes of a compressed file, which say how it is; None of others."""
    with open(path, "rb") as file:
        first = file.read(4)
    return next((mark for mark in ENDINGS if first.startswith(mark)), None)


@contextmanager
def open_plain(path: str) -> Iterator[BinaryIO]:
    """Open a file, through gzip or zstd if it is compressed so."""
    packing = packing_of(path)
    with open(path, "rb") as file:
        if packing is None:
            yield file
        elif packing == GZIP:
            with _explaining(path, "gzip"), gzip.open(file) as plain:
                yield plain  # type: ignore[misc]  # it reads as a file does
        else:
            stream = need("pyarrow").input_stream(path, compression="zstd")
            with _explaining(path, "zstd"), stream, io.BufferedReader(stream) as plain:
                yield plain


def unpacked(path: str, scratch: Scratch) -> str:
    """Return a file that is not compressed: itself, or a copy."""
    packing = packing_of(path)
    if packing is None:
        return path
    copy = scratch.path(os.path.basename(path).removesuffix(ENDINGS[packing]))
    with open_plain(path) as file:
        copy_unpacked(file, copy, os.path.getsize(path), repr(path))
    return copy


def check_packed(path: str, n_packed: int, shown: str) -> None:
    """Refuse a compressed file that unpacks to more bytes than a table of its size would.

    It is read through once, and nothing of it is kept.

    Parameters
    ----------
    path : str
        The file; others than compressed ones are let pass.
    n_packed : int
        Size in bytes of what the user named: the file, or the archive that it was in.
    shown : str
        Its name in messages.
    """
    if packing_of(path) is not None:
        with open_plain(path) as file:
            check_size(file, n_packed, shown)


@contextmanager
def _explaining(path: str, how: str) -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError, zlib.error) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise ValueError(f"{path!r} is no whole {how} file: {error}.") from error


ZIP = b"PK\x03\x04"

SHEETS = (".xlsx", ".xlsm")

MOST_MEMBERS = 10_000
"""An archive with more files is not a table."""

SHOWN = 8
"""At most this many files of an archive are named."""


def is_zip(path: str) -> bool:
    """Return whether the first bytes of a file are those of a zip archive, as of a workbook."""
    with open(path, "rb") as file:
        return file.read(4) == ZIP


def split_member(entry: str) -> tuple[str, str] | None:
    """Return the archive and the file in it that a path such as data.zip/a.csv names.

    Examples
    --------
    >>> split_member("no/such.zip/a.csv") is None
    True
    """
    folder, found = entry, []
    while folder and folder != os.path.dirname(folder) and not os.path.exists(folder):
        folder, name = os.path.split(folder)
        found.append(name)
    if not found or not os.path.isfile(folder) or not is_zip(folder):
        return None
    return folder, "/".join(reversed(found))


def unzipped(path: str, shown: str, scratch: Scratch, member: str | None = None) -> str:
    """Return a copy of the one table of an archive.

    Parameters
    ----------
    path : str
        The archive.
    shown : str
        Its name in messages.
    scratch : Scratch
        Where the copy goes.
    member : str, optional
        Which file of the archive; needed if there are several tables.
    """
    with opened(path, shown) as archive:
        info = _choose(archive.infolist(), shown, member)
        n_packed = os.path.getsize(path)
        what = f"{info.filename!r} in {shown}"
        if info.flag_bits & 1:
            raise ValueError(f"{what} is locked with a password; unpack it first.")
        if info.file_size > most_bytes(n_packed):
            raise ValueError(too_large(what, n_packed))
        copy = scratch.path(info.filename)
        with archive.open(info) as file:
            # zipfile gives no more bytes than the archive says that there are.
            copy_unpacked(file, copy, n_packed, what)  # type: ignore[arg-type]  # it reads as a file does
    return copy


@contextmanager
def opened(path: str, shown: str) -> Iterator[zipfile.ZipFile]:
    """Open an archive, and say so if it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            if len(archive.infolist()) > MOST_MEMBERS:
                raise ValueError(
                    f"{shown} has {len(archive.infolist()):,} files inside; unpack it, and name "
                    "those that are the table."
                )
            yield archive
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError) as error:
        raise ValueError(f"{shown} is no whole zip archive: {error}.") from error


def _choose(members: Sequence[zipfile.ZipInfo], shown: str, member: str | None) -> zipfile.ZipInfo:
    files = [info for info in members if not info.is_dir() and not _is_litter(info.filename)]
    names = [info.filename for info in files]
    listed = ", ".join(map(repr, names[:SHOWN])) + (", ..." if len(names) > SHOWN else "")
    if member is not None:
        found = [info for info in files if info.filename == member]
        if not found:
            raise ValueError(f"There is no {member!r} in {shown}; there are {listed}.")
        return found[0]
    tables = [info for info in files if _is_table(info.filename)] or files
    if not tables:
        raise ValueError(f"{shown} is an archive without files.")
    if len(tables) > 1:
        example = os.path.join(shown.strip("'\""), tables[0].filename)
        raise ValueError(
            f"{shown} has several files inside: {listed}. Name one of them: {example!r}."
        )
    return tables[0]


def _is_litter(name: str) -> bool:
    """Return whether a system has added a file to an archive."""
    return name.startswith("__MACOSX/") or os.path.basename(name).startswith(".")


def _is_table(name: str) -> bool:
    return suffix_of(name) in {*KINDS, *SHEETS}


OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
"""How files of old versions of Excel (.xls) begin, which are no archives."""

ERRORS = frozenset({"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NULL!", "#NUM!"})
"""The text of cells whose formula failed; they are missing."""

MOST_COLUMNS, MOST_ROWS = 16_384, 2**20
"""As many columns and rows as a sheet of Excel can have."""

_WORKBOOK = "xl/workbook.xml"


def is_workbook(path: str, shown: str) -> bool:
    """Return whether an archive is a workbook, whatever its name."""
    with opened(path, shown) as archive:
        return _WORKBOOK in archive.namelist()


def sheet_as_csv(
    path: str, shown: str, sheet: str | None, scratch: Scratch, n_packed: int
) -> tuple[str, str]:
    """Write a sheet as CSV, row by row.

    The first row with a filled cell has the names; rows without any are left out.

    Parameters
    ----------
    path : str
        The workbook.
    shown : str
        Its name in messages.
    sheet : str or None
        The sheet's name, or its number from 1 on; the first that is not hidden if None.
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
                    _write(target, _table(rows, shown, chosen.title), shown, n_packed)
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
    return target, remark if len(names) > 1 else ""


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


def _table(rows: Iterable[Sequence[Any]], shown: str, title: str) -> Iterator[list[str]]:
    """Yield the names and then the rows, all of the same length."""
    width = 0
    for number, cells in enumerate(rows, start=1):
        if number > MOST_ROWS:  # rows that are left out come as empty ones, whatever their number
            raise ValueError(f"{shown} has more than {MOST_ROWS:,} rows, which no sheet can have.")
        texts = [cell_text(cell) for cell in cells]
        while texts and not texts[-1]:
            texts.pop()
        if not texts:
            continue
        if not width:
            width = len(texts)
            if width > MOST_COLUMNS:
                raise ValueError(f"{shown} has {width:,} columns, more than a sheet can have.")
            yield [text.strip() or f"column {n}" for n, text in enumerate(texts, start=1)]
            continue
        if len(texts) > width:
            raise ValueError(
                f"{shown}, sheet {title!r}, row {number}, has {len(texts)} cells, but the row of "
                f"names has {width}. Name every column, or remove what stands above or beside the "
                "table."
            )
        yield texts + [""] * (width - len(texts))
    if not width:
        raise ValueError(f"{shown}: the sheet {title!r} is empty.")


def _write(path: str, rows: Iterable[Sequence[str]], shown: str, n_packed: int) -> None:
    """Write rows as CSV; a few cells far to the right make a short sheet a long file."""
    most, room = most_bytes(n_packed), room_for(os.path.dirname(path))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer, n_written = csv.writer(file, lineterminator="\n"), 0
        for row in rows:
            n_written += writer.writerow(row)
            if n_written > min(most, room):
                raise ValueError(
                    too_large(shown, n_packed) if most <= room else no_room(shown, room)
                )


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
