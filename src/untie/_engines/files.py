"""Whatever names files -> plain files on this machine: fetched, unpacked, sheets written out.

Addresses such as https://, s3:// and hf:// are copied. Folders whose names hold cells, such as
year=2024/month=05, become files with columns of these cells.
"""

import glob
import http.client
import os
import re
import stat
import sys
import urllib.error
import urllib.parse
import urllib.request
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from untie._engines.archives import (
    KINDS,
    OLD_WORKBOOK,
    check_packed,
    is_workbook,
    is_zip,
    sheet_as_csv,
    split_member,
    suffix_of,
    unzipped,
)
from untie._engines.arrow import ArrowSource
from untie._util.files import no_file
from untie._util.messages import need
from untie._util.scratch import Scratch, copy_at_most, room_for

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


def fetch(address: str, scratch: Scratch) -> list[tuple[str, str]]:
    """Copy the files of an address.

    Parameters
    ----------
    address : str
        An address, or where files can be listed, a pattern.
    scratch : Scratch
        Where the copies go.

    Returns
    -------
    list of (path, name)
        The copies, and what each is called in messages.
    """
    scheme = scheme_of(address)
    if scheme in WEB:
        return [(_fetch_page(address, scratch), address)]
    files = _system_of(str(scheme))
    try:
        names = sorted(files.glob(address)) if glob.has_magic(address) else [address]
        if not names:
            raise FileNotFoundError(address)
        copies = []
        for name in names:
            copy = scratch.path(name)
            with files.open(name, "rb") as file:
                copy_at_most(file, copy, room_for(scratch.folder), repr(name))
            copies.append((copy, name))
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {address!r}; check the address.") from None
    except (ValueError, MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:  # each system has errors of its own
        raise ValueError(
            f"{address!r} can't be read: {type(error).__name__}: {error}. Check the address, and "
            "whether you may read it."
        ) from error
    return copies


def _fetch_page(address: str, scratch: Scratch) -> str:
    parts = urllib.parse.urlsplit(address)
    copy = scratch.path(urllib.parse.unquote(parts.path).rstrip("/"))
    request = urllib.request.Request(address, headers={"User-Agent": "untie"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            length, room = answer.headers.get("Content-Length") or "", room_for(scratch.folder)
            expected = int(length) if length.isdecimal() else 0
            if expected > room:
                raise ValueError(
                    f"{address!r} has {expected:,} bytes, and there is room for {room:,} on the "
                    "disk of temporary files; make room, or name another with TMPDIR."
                )
            copy_at_most(answer, copy, room, repr(address))
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
        return import_module("fsspec").filesystem(scheme)
    except ImportError as error:
        wanted = f"fsspec {HELPERS.get(scheme, '')}".strip()
        raise ImportError(
            f"{scheme}:// is read through fsspec: pip install {wanted}. Or copy the file here "
            "first."
        ) from error
    except ValueError as error:
        raise ValueError(
            f"untie can't read addresses that begin with {scheme}://; it reads https://, and "
            "s3://, hf:// and others that fsspec knows."
        ) from error


Keys = Mapping[str, str | None]
"""The cells that a file's folders name; None is a missing one."""

MISSING = "__HIVE_DEFAULT_PARTITION__"
"""What a folder of missing cells is called."""

ReadFile = Callable[[int, Sequence[str]], Iterator[Any]]
"""Takes a file's number and names of its columns and gives record batches."""

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


def with_keys(
    schema: Any,
    read_file: ReadFile,
    keys: Sequence[Keys],
    origin: str,
    n_rows: int | None = None,
) -> ArrowSource:
    """Return the rows of files, one file after another, with the columns that their folders name.

    Parameters
    ----------
    schema : pyarrow Schema
        The files' own columns.
    read_file : callable
        Reads one of them.
    keys : sequence of mappings
        The cells that the folders of each file name.
    origin, n_rows
        See `ArrowSource`.
    """
    pa = need("pyarrow")
    own, more = list(schema.names), list(keys[0])
    both = sorted(set(own) & set(more))
    if both:
        raise ValueError(
            f"{origin}: the column {both[0]!r} is in the files and in the names of their folders; "
            "name the files with a pattern, such as 'folder/**/*.parquet', to have the files' own."
        )

    def read(columns: Sequence[str]) -> Iterator[Any]:
        wanted = [name for name in columns if name in own] or own[:1]
        for number, cells in enumerate(keys):
            for batch in read_file(number, wanted):
                arrays = [
                    batch.column(name) if name in own else _repeated(cells[name], batch.num_rows)
                    for name in columns
                ]
                yield pa.RecordBatch.from_arrays(arrays, names=list(columns))

    fields = [*schema, *(pa.field(name, pa.string()) for name in more)]
    return ArrowSource(pa.schema(fields), read, origin, n_rows)


def _repeated(cell: str | None, n: int) -> Any:
    """Return a column that has one cell again and again, which takes no room for its text."""
    pa = need("pyarrow")
    codes = pa.array(np.zeros(n, dtype=np.int32), mask=np.full(n, cell is None))
    return pa.DictionaryArray.from_arrays(codes, pa.array([cell or ""], pa.string()))


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
        yield from (TableFile(path, name) for path, name in fetch(entry, scratch))
    elif os.path.isdir(entry) and is_partitioned(entry):
        yield from (TableFile(path, path, keys) for path, keys in partition_files(entry))
    elif not os.path.exists(entry) and (inside := split_member(entry)) is not None:
        archive, member = inside
        copy = unzipped(archive, repr(archive), scratch, member)
        yield TableFile(copy, entry, n_packed=os.path.getsize(archive))
    elif is_stream(entry):
        yield TableFile(entry, entry)
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
    path = scratch.path("input")
    copy_at_most(sys.stdin.buffer, path, room_for(scratch.folder), "Standard input")
    return path


def _copied(file: TableFile, scratch: Scratch) -> TableFile:
    """Return a file, or a copy of a stream, which is opened and read once; refuse a terminal."""
    if not is_stream(file.path):
        return file
    copy = scratch.path(file.path)
    with open(file.path, "rb", buffering=0) as stream:
        if stream.isatty():
            raise ValueError(f"{file.name!r} is a terminal; pipe a table in, or name a file.")
        copy_at_most(stream, copy, room_for(scratch.folder), repr(file.name))
    return replace(file, path=copy)


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
        copy = scratch.path(file.path)
        copy_at_most(content, copy, room_for(scratch.folder), repr(file.name))
    return replace(file, path=copy)


def _refuse_old_workbook(path: str, shown: str) -> None:
    with open(path, "rb") as file:
        if file.read(4) == OLD_WORKBOOK:
            raise ValueError(f"{shown} is of an old version of Excel; save it as .xlsx or CSV.")
