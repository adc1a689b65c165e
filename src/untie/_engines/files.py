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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from untie._engines.arrow import Keys
from untie._engines.layout import NOTHING, Doubt, Told
from untie._engines.packed import KINDS, check_packed, is_zip, split_member, suffix_of, unzipped
from untie._engines.workbook import is_workbook, refuse_old_workbook, sheet_as_csv
from untie._util.files import no_file
from untie._util.scratch import Scratch, limit_of

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
    doubts : tuple of Doubt
        What was guessed of the sheet.
    """

    path: str
    name: str
    keys: Keys = field(default_factory=dict)
    is_sheet: bool = False
    remark: str = ""
    n_packed: int = 0
    doubts: tuple[Doubt, ...] = ()

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


def gather(
    source: Named | Sequence[Named], sheet: str | None = None, told: Told = NOTHING
) -> Gathered:
    """Find files, fetch and unpack them.

    Parameters
    ----------
    source : path, pattern, address, folder of partitions, or sequence of them
        What the user names; a file in an archive is data.zip/name.csv.
    sheet : str, optional
        The sheet of workbooks.
    told : Told
        What the user says of their first rows.
    """
    sources = [source] if isinstance(source, str | os.PathLike) else list(source)
    if not sources:
        raise ValueError("The list of files is empty; name at least one.")
    scratch = Scratch()
    files: dict[str, TableFile] = {}
    for entry in sources:
        for found in _found(os.fspath(entry), scratch):
            if found.path not in files:
                files[found.path] = _plain(_copied(found, scratch), sheet, told, scratch)
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


def _plain(file: TableFile, sheet: str | None, told: Told, scratch: Scratch) -> TableFile:
    """Return a file of rows: the one of an archive, the sheet of a workbook, or itself."""
    shown = file.shown
    n_packed = file.n_packed or os.path.getsize(file.path)
    refuse_old_workbook(file.path, shown)
    if _is_archive(file.path, shown):
        file = replace(file, path=unzipped(file.path, shown, scratch))
        refuse_old_workbook(file.path, shown)
        if _is_archive(file.path, shown):
            raise ValueError(f"{shown} is an archive of an archive; unpack the outer one.")
    if is_zip(file.path):
        path, remark, doubts = sheet_as_csv(file.path, shown, sheet, told, scratch, n_packed)
        return replace(file, path=path, is_sheet=True, remark=remark, doubts=doubts)
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
