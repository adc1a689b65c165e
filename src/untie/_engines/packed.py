"""Files that are compressed by gzip or zstd -> what is in them."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from untie._util.extras import need
from untie._util.scratch import Scratch, check_size, copy_unpacked

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
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path!r} is no whole {how} file: {error}.") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise ValueError(f"{path!r} is no whole {how} file: {error}.") from error
