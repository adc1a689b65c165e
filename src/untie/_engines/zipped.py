"""Zip archives -> the one table that is in them."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from untie._engines.endings import KINDS, suffix_of
from untie._util.scratch import Scratch, copy_unpacked, most_bytes, too_large

ZIP = b"PK\x03\x04"

SHEETS = (".xlsx", ".xlsm")

MOST_MEMBERS = 10_000
"""An archive with more files is not a table."""

SHOWN = 8
"""At most this many files of an archive are named."""


def is_zip(path: str) -> bool:
    """Tell by its first bytes whether a file is an archive; workbooks are, too."""
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
    """Tell files that systems add to archives from those that people do."""
    return name.startswith("__MACOSX/") or os.path.basename(name).startswith(".")


def _is_table(name: str) -> bool:
    return suffix_of(name) in {*KINDS, *SHEETS}
