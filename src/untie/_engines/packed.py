"""What a file is by its name, and compressed files and archives -> plain files."""

import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO

from untie._util.messages import need
from untie._util.scratch import Scratch, check_size, most_bytes, too_large

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
