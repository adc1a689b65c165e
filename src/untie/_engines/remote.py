"""Addresses such as https://, s3:// and hf:// -> copies of the files there."""

from __future__ import annotations

import http.client
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from importlib import import_module
from typing import Any

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

MOST_FILES = 10_000
"""A pattern may match at most this many files."""

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
    if scheme_of(address) in WEB:
        return [(_fetch_page(address, scratch), address)]
    return _fetch_files(address, scratch)


def _fetch_page(address: str, scratch: Scratch) -> str:
    parts = urllib.parse.urlsplit(address)
    copy = scratch.path(urllib.parse.unquote(parts.path).rstrip("/"))
    request = urllib.request.Request(address, headers={"User-Agent": "untie"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            expected, room = answer.headers.get("Content-Length"), room_for(scratch.folder)
            if expected is not None and expected.isdecimal() and int(expected) > room:
                raise ValueError(_no_room(address, int(expected), room))
            copy_at_most(answer, copy, room, repr(address))
        if expected is not None and expected.isdecimal() and os.path.getsize(copy) < int(expected):
            raise ValueError(f"{address!r} broke off; try again.")
    except urllib.error.HTTPError as error:
        error.close()
        raise ValueError(f"{address!r} answers {error.code} {error.reason}; check it.") from error
    except (http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise ValueError(f"{address!r} can't be reached: {reason}.") from error
    return copy


def _fetch_files(address: str, scratch: Scratch) -> list[tuple[str, str]]:
    files = _system_of(address)
    try:
        names = _names(files, address)
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


def _names(files: Any, address: str) -> list[str]:
    if not any(mark in address for mark in "*?["):
        return [address]
    names = sorted(files.glob(address))
    if not names:
        raise FileNotFoundError(address)
    if len(names) > MOST_FILES:
        raise ValueError(f"{address!r} matches {len(names):,} files; name fewer.")
    return names


def _system_of(address: str) -> Any:
    """Return fsspec's file system for an address, or say what to install."""
    scheme = scheme_of(address)
    helper = HELPERS.get(str(scheme))
    wanted = " ".join(["fsspec", *([helper] if helper else [])])
    try:
        fsspec = import_module("fsspec")
        known = fsspec.available_protocols()
        if scheme not in known and helper is None:
            raise ValueError(
                f"untie can't read addresses that begin with {scheme}://; it reads https://, and "
                "s3://, hf:// and others that fsspec knows."
            )
        return fsspec.filesystem(scheme)
    except ImportError as error:
        raise ImportError(
            f"{scheme}:// is read through fsspec: pip install {wanted}. Or copy the file here "
            "first."
        ) from error


def _no_room(address: str, expected: int, room: int) -> str:
    return (
        f"{address!r} has {expected:,} bytes, and there is room for {room:,} on the disk of "
        "temporary files; make room, or name another with TMPDIR."
    )
