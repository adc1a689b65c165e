"""Whatever names files -> plain files on this machine: fetched, unpacked, sheets written out.

Addresses such as https://, s3:// and hf:// are copied. Folders whose names hold cells, such as
year=2024/month=05, become files with columns of these cells.
"""

import csv
import glob
import gzip
import http.client
import io
import os
import re
import stat
import sys
import urllib.error
import urllib.parse
import urllib.request
import warnings
import zipfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from importlib import import_module
from typing import Any, BinaryIO

from untie._engines.arrow import Keys
from untie._util.files import no_file
from untie._util.messages import message, need
from untie._util.scratch import Scratch, check_size, limit_of, most_bytes, too_large

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
    name, n_packed = path.removesuffix(ENDINGS[packing]), os.path.getsize(path)
    with open_plain(path) as file:
        return scratch.copy(file, name, repr(path), n_packed)


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
        with archive.open(info) as file:
            # zipfile gives no more bytes than the archive says that there are.
            return scratch.copy(file, info.filename, what, n_packed)


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


Named = str | os.PathLike[str]

STDIN = "-"
"""What names standard input."""


@dataclass(frozen=True)
class TableFile:
    """A file with rows.

    Parameters
    ----------
    path : str
        Where it is.
    name : str
        What the user calls it.
    keys : mapping
        The cells that its folders name, if they do.
    is_sheet : bool
        Whether it is a copy of a sheet of a workbook.
    remark : str
        What the user should know of how it was read; may be empty.
    n_packed : int
        Size in bytes of the archive that it was in; 0 if it was in none.
    """

    path: str
    name: str
    keys: Keys = field(default_factory=dict)
    is_sheet: bool = False
    remark: str = ""
    n_packed: int = 0

    @property
    def shown(self) -> str:
        """What messages call it."""
        return "Standard input" if self.name == STDIN else repr(self.name)


HELPERS = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "hf": "huggingface_hub",
}
"""What fsspec needs besides, to read addresses of a kind."""

WEB = ("http", "https")

PATIENCE = 60.0
"""A server has this many seconds to answer, each time it is asked."""

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)


def scheme_of(entry: str) -> str | None:
    """Return what kind of address something is; None of a path.

    Examples
    --------
    >>> scheme_of("https://example.org/a.csv"), scheme_of("S3://b/a.parquet"), scheme_of("a/b.csv")
    ('https', 's3', None)
    """
    match = _ADDRESS.match(entry)
    return match[1].lower() if match else None


def _fetched(address: str, scratch: Scratch) -> Iterator[TableFile]:
    """Yield copies of the files of an address.

    Parameters
    ----------
    address : str
        An address, or where files can be listed, a pattern.
    scratch : Scratch
        Where the copies go.
    """
    scheme = scheme_of(address)
    if scheme in WEB:
        yield TableFile(_fetch_page(address, scratch), address)
        return
    files = _system_of(str(scheme))
    try:
        names = sorted(files.glob(address)) if glob.has_magic(address) else [address]
        if not names:
            raise FileNotFoundError(address)
        for name in names:
            with files.open(name, "rb") as file:
                yield TableFile(scratch.copy(file, name, repr(name)), name)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {address!r}; check the address.") from None
    except (ValueError, MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:  # each system has errors of its own
        raise ValueError(
            f"{address!r} can't be read: {type(error).__name__}: {error}. Check the address, and "
            "whether you may read it."
        ) from error


def _fetch_page(address: str, scratch: Scratch) -> str:
    parts = urllib.parse.urlsplit(address)
    name = urllib.parse.unquote(parts.path).rstrip("/")
    request = urllib.request.Request(address, headers={"User-Agent": "untie"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            length, (room, _) = answer.headers["Content-Length"] or "", limit_of(scratch.folder, "")
            expected = int(length) if length.isdecimal() else 0
            if expected > room:
                raise ValueError(
                    f"{address!r} has {expected:,} bytes, and there is room for {room:,} on the "
                    "disk of temporary files; make room, or name another with TMPDIR."
                )
            copy = scratch.copy(answer, name, repr(address))
        if os.path.getsize(copy) < expected:
            raise ValueError(f"{address!r} broke off; try again.")
    except urllib.error.HTTPError as error:
        error.close()
        raise ValueError(f"{address!r} answers {error.code} {error.reason}; check it.") from error
    except (http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise ValueError(f"{address!r} can't be reached: {reason}.") from error
    return copy


def _system_of(scheme: str) -> Any:
    """Return fsspec's file system for a kind of address, or say what to install."""
    try:
        fsspec = import_module("fsspec")
        if scheme in fsspec.available_protocols():
            return fsspec.filesystem(scheme)
    except ImportError as error:
        wanted = f"fsspec {HELPERS.get(scheme, '')}".strip()
        raise ImportError(
            f"{scheme}:// is read through fsspec: pip install {wanted}. Or copy the file here "
            "first."
        ) from error
    raise ValueError(
        f"untie can't read addresses that begin with {scheme}://; it reads https://, and s3://, "
        "hf:// and others that fsspec knows."
    )


MISSING = "__HIVE_DEFAULT_PARTITION__"
"""What a folder of missing cells is called."""

_KEY = re.compile(r"([^=]+)=(.*)", re.DOTALL)


def is_partitioned(folder: str) -> bool:
    """Return whether a folder has folders such as year=2024."""
    with os.scandir(folder) as entries:
        return any(entry.is_dir() and _KEY.fullmatch(entry.name) for entry in entries)


def partition_files(folder: str) -> list[tuple[str, Keys]]:
    """Return the files below a folder, in order, and the cells that their folders name."""
    found: list[tuple[str, Keys]] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        keys = _keys(os.path.relpath(place, folder))
        found += [
            (os.path.join(place, name), keys)
            for name in sorted(names)
            if not name.startswith((".", "_")) and suffix_of(name) in KINDS
        ]
    if not found:
        raise FileNotFoundError(f"{folder!r} has no files that end in {', '.join(KINDS)}.")
    first = found[0]
    for path, keys in found:
        if list(keys) != list(first[1]):
            raise ValueError(
                f"The folders of {path!r} name the columns {list(keys)}, those of {first[0]!r} "
                f"{list(first[1])}; they must be the same."
            )
    return sorted(found, key=lambda pair: pair[0])


def _keys(place: str) -> Keys:
    """Return the cells that a path names.

    Examples
    --------
    >>> _keys(os.path.join("year=2024", "city=S%C3%A3o Paulo"))
    {'year': '2024', 'city': 'São Paulo'}
    """
    matches = (_KEY.fullmatch(part) for part in place.split(os.sep))
    pairs = ((match[1], match[2]) for match in matches if match)
    return {
        urllib.parse.unquote(name): None if cell == MISSING else urllib.parse.unquote(cell)
        for name, cell in pairs
    }


@dataclass(frozen=True)
class Gathered:
    """Files with rows, and the folder of their copies, which exists as long as this object."""

    files: tuple[TableFile, ...]
    scratch: Scratch

    @property
    def paths(self) -> list[str]:
        """Paths of the files."""
        return [file.path for file in self.files]

    @property
    def keys(self) -> list[Keys] | None:
        """The cells that the files' folders name, None if they name none."""
        keys = [file.keys for file in self.files]
        return keys if any(keys) else None

    @property
    def origin(self) -> str:
        """What the files are called in messages."""
        first = self.files[0].shown
        return first if len(self.files) == 1 else f"{len(self.files)} files ({first}, ...)"


def gather(source: Named | Sequence[Named], sheet: str | None = None) -> Gathered:
    """Find files, fetch and unpack them.

    Parameters
    ----------
    source : path, pattern, address, folder of partitions, or sequence of them
        What the user names; a file in an archive is data.zip/name.csv.
    sheet : str, optional
        The sheet of workbooks.
    """
    sources = [source] if isinstance(source, str | os.PathLike) else list(source)
    if not sources:
        raise ValueError("The list of files is empty; name at least one.")
    scratch = Scratch()
    files: dict[str, TableFile] = {}
    for entry in sources:
        for found in _found(os.fspath(entry), scratch):
            if found.path not in files:
                files[found.path] = _plain(_copied(found, scratch), sheet, scratch)
    kept = tuple(files.values())
    if len({tuple(file.keys) for file in kept}) > 1:
        raise ValueError("Name folders of partitions alone, or with others of the same columns.")
    return Gathered(kept, scratch)


def _found(entry: str, scratch: Scratch) -> Iterator[TableFile]:
    if entry == STDIN:
        yield TableFile(_spooled(scratch), STDIN)
    elif scheme_of(entry) is not None:
        yield from _fetched(entry, scratch)
    elif os.path.isdir(entry) and is_partitioned(entry):
        yield from (TableFile(path, path, keys) for path, keys in partition_files(entry))
    elif not os.path.exists(entry) and (inside := split_member(entry)) is not None:
        archive, member = inside
        copy = unzipped(archive, repr(archive), scratch, member)
        yield TableFile(copy, entry, n_packed=os.path.getsize(archive))
    else:
        yield from (TableFile(path, path) for path in _paths(entry))


def is_stream(path: str) -> bool:
    """Return whether something can be read only once: a pipe, or whatever /dev/stdin is.

    Examples
    --------
    >>> is_stream("data.csv"), is_stream("/dev/fd/63")
    (False, True)
    """
    if path.startswith(("/dev/stdin", "/dev/fd/")):
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _spooled(scratch: Scratch) -> str:
    """Return a copy of standard input, as it is read more than once."""
    if sys.stdin is None:
        raise ValueError("Standard input is closed; name a file, or pipe one in.")
    if sys.stdin.isatty():
        raise ValueError("Standard input is a terminal; pipe a table in, or name a file.")
    return scratch.copy(sys.stdin.buffer, "input", "Standard input")


def _copied(file: TableFile, scratch: Scratch) -> TableFile:
    """Return a file, or a copy of a stream, which is opened and read once; refuse a terminal."""
    if not is_stream(file.path):
        return file
    with open(file.path, "rb", buffering=0) as stream:
        if stream.isatty():
            raise ValueError(f"{file.name!r} is a terminal; pipe a table in, or name a file.")
        return replace(file, path=scratch.copy(stream, file.path, repr(file.name)))


def _paths(entry: str) -> list[str]:
    if os.path.isdir(entry):
        raise IsADirectoryError(
            f"{entry!r} is a folder; name its files, such as {os.path.join(entry, '*.parquet')!r}."
        )
    if os.path.exists(entry):  # a name may hold brackets
        return [entry]
    matches = sorted(glob.glob(entry, recursive=True))
    found = [path for path in matches if os.path.isfile(path) or is_stream(path)]
    if not found:
        is_pattern = glob.has_magic(entry)
        raise FileNotFoundError(
            f"No file matches the pattern {entry!r}; check it, from the folder {os.getcwd()!r}."
            if is_pattern
            else no_file(entry)
        )
    return found


def _plain(file: TableFile, sheet: str | None, scratch: Scratch) -> TableFile:
    """Return a file of rows: the one of an archive, the sheet of a workbook, or itself."""
    shown = file.shown
    n_packed = file.n_packed or os.path.getsize(file.path)
    _refuse_old_workbook(file.path, shown)
    if _is_archive(file.path, shown):
        file = replace(file, path=unzipped(file.path, shown, scratch))
        _refuse_old_workbook(file.path, shown)
        if _is_archive(file.path, shown):
            raise ValueError(f"{shown} is an archive of an archive; unpack the outer one.")
    if is_zip(file.path):
        path, remark = sheet_as_csv(file.path, shown, sheet, scratch, n_packed)
        return replace(file, path=path, is_sheet=True, remark=remark)
    if sheet is not None:
        raise ValueError(f"{shown} is no Excel workbook, and has no sheet {sheet!r}.")
    check_packed(file.path, n_packed, shown)
    return _without_mark(file, scratch)


def _is_archive(path: str, shown: str) -> bool:
    return is_zip(path) and not is_workbook(path, shown)


def _without_mark(file: TableFile, scratch: Scratch) -> TableFile:
    """Return a file of JSON without the mark of UTF-8 before it, which DuckDB 1.2 can't read."""
    with open(file.path, "rb") as content:
        first = content.read(2**10).removeprefix(BOM_UTF8).lstrip()[:1]
        content.seek(0)
        if content.read(len(BOM_UTF8)) != BOM_UTF8 or first not in (b"[", b"{"):
            return file
        return replace(file, path=scratch.copy(content, file.path, repr(file.name)))


def _refuse_old_workbook(path: str, shown: str) -> None:
    with open(path, "rb") as file:
        if file.read(4) == OLD_WORKBOOK:
            raise ValueError(f"{shown} is of an old version of Excel; save it as .xlsx or CSV.")
