"""Whatever names files -> plain files on this machine: unpacked, fetched, sheets written out."""

from __future__ import annotations

import glob
import os
import stat
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from untie._engines.packed import check_packed
from untie._engines.partitions import Keys, is_partitioned, partition_files
from untie._engines.remote import fetch, scheme_of
from untie._engines.sheets import OLD_WORKBOOK, is_workbook, sheet_as_csv
from untie._engines.zipped import is_zip, split_member, unzipped
from untie._util.near_files import no_file
from untie._util.scratch import Scratch, copy_at_most, room_for

Named = str | os.PathLike[str]

STDIN = "-"
"""What names standard input."""


@dataclass(frozen=True)
class TableFile:
    """A file with rows.

    Parameters
    ----------
    path : str
        Where it lies.
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
    """Files with rows, and where copies of them lie, for as long as somebody holds this."""

    files: tuple[TableFile, ...]
    scratch: Scratch

    @property
    def paths(self) -> list[str]:
        """Where the files lie."""
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


def find_files(source: Named | Sequence[Named]) -> list[str]:
    """Return the files that a path, a pattern or a list of them names; each once, in order."""
    sources = [source] if isinstance(source, str | os.PathLike) else list(source)
    if not sources:
        raise ValueError("The list of files is empty; name at least one.")
    return list(dict.fromkeys(path for entry in sources for path in _paths(os.fspath(entry))))


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
    """Tell whether something can be read only once: a pipe, or whatever /dev/stdin is.

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
    if not is_zip(file.path):
        _refuse_sheet(sheet, shown)
        check_packed(file.path, n_packed, shown)
        return _without_mark(file, scratch)
    if not is_workbook(file.path, shown):
        copy = unzipped(file.path, shown, scratch)
        _refuse_old_workbook(copy, shown)
        if not is_zip(copy):
            _refuse_sheet(sheet, shown)
            check_packed(copy, n_packed, shown)
            return _without_mark(replace(file, path=copy), scratch)
        if not is_workbook(copy, shown):
            raise ValueError(f"{shown} is an archive of an archive; unpack the outer one.")
        file = replace(file, path=copy)
    path, remark = sheet_as_csv(file.path, shown, sheet, scratch, n_packed)
    return replace(file, path=path, is_sheet=True, remark=remark)


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


def _refuse_sheet(sheet: str | None, shown: str) -> None:
    if sheet is not None:
        raise ValueError(f"{shown} is no Excel workbook, and has no sheet {sheet!r}.")


def _refuse_old_workbook(path: str, shown: str) -> None:
    with open(path, "rb") as file:
        if file.read(4) == OLD_WORKBOOK:
            raise ValueError(f"{shown} is of an old version of Excel; save it as .xlsx or CSV.")
