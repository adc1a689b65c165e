"""A text and arrays of numbers <-> a file; that of a stranger can't harm.

A file is one line of text (a mark, the format's number, the version of untie and a SHA-256 of these
and of all that follows) and a NumPy archive with the arrays and a JSON text; it holds no pickle.
How much memory an archive takes is known, and bounded by its own size, before any is taken. No
number of a stranger is used as a place in memory before it is known to be one.
"""

import hashlib
import io
import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from scipy import sparse

from untie._persistence import formats
from untie._util.about import DISTRIBUTION, VERSION
from untie._util.files import whole_file
from untie._util.scratch import HARMLESS, MOST_RATIO

MARK = "UNTIE"

_LINE = re.compile(
    MARK
    + r" (?P<number>[1-9]\d{0,5}) (?P<version>[0-9A-Za-z.+!-]{1,40}) (?P<digest>[0-9a-f]{64})\n"
)
"""The first line of a file, in every format."""

LONGEST_LINE = 200

TEXT = "__text__"

MOST_SAID = 500
"""An error repeats at most this many characters of a file."""

_ITS_OWN = (MemoryError, ImportError)
"""Errors that no file is to blame for: its size is bounded, and its values may need a library."""

MOST_TEXT_RATIO, HARMLESS_TEXT = 10, 2**23
"""A text may be this many times larger than the archive; larger still, up to that many bytes. What
becomes of it takes far more memory than the text itself."""

MOST_HEADER = 1_000
"""What is said of an array before its numbers has at most this many characters."""

MOST_EMPTY_COLUMNS = 2**16
"""A sparse array may have this many columns more than rows and numbers together."""

_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)\{'descr': '[<>|][biuf](?P<size>[1248])', "
    rb"'fortran_order': (?:False|True), "
    rb"'shape': \((?P<shape>(?:\d{1,18}(?:, \d{1,18})*,?)?)\), \} *\n",
    re.DOTALL,
)
"""What numpy says of an array of numbers before them; numpy itself evaluates what is there."""

_SPARSE = "__sparse_"
"""Stands between the name of a sparse array and that of a part of it."""

_SPARSE_PARTS = ("data", "indices", "indptr", "shape")


@dataclass(frozen=True)
class Saved:
    """What a file holds, in the present format, before it is known to be a model.

    Parameters
    ----------
    number : int
        The format that the file was written in.
    version : str
        The version of untie that wrote it.
    content : dict
        Its text, as JSON has it.
    arrays : dict of str to arrays
        Its arrays by their places.
    """

    number: int
    version: str
    content: Any
    arrays: dict[str, Any]


def write_file(
    path: str | os.PathLike[str], content: Any, arrays: Mapping[str, Any], version: str = VERSION
) -> None:
    """Write a file so that the path holds either the old file or the whole new one."""
    payload = pack(json.dumps(content), arrays)
    number = str(formats.FORMAT)
    with whole_file(path) as temporary, open(temporary, "wb") as file:
        file.write(f"{MARK} {number} {version} {_digest(number, version, payload)}\n".encode())
        file.write(payload)


def read_file(path: str | os.PathLike[str]) -> Saved:
    """Return what `write_file` wrote, or raise an error that says what is wrong with the file."""
    with open(path, "rb") as file:
        line = _LINE.fullmatch(file.readline(LONGEST_LINE).decode("ascii", errors="replace"))
        if line is None:
            raise ValueError(f"{str(path)!r} is not a model saved by untie.")
        payload = file.read()
    number, version, digest = line.group("number", "version", "digest")
    if int(number) > formats.FORMAT:
        raise ValueError(
            f"{str(path)!r} was saved by a newer untie: version {version}, in format {number}. "
            f"This is version {VERSION}, which reads formats up to {formats.FORMAT}. Upgrade it: "
            f"pip install --upgrade {DISTRIBUTION}."
        )
    if _digest(number, version, payload) != digest:
        raise ValueError(
            f"{str(path)!r} is damaged: its content does not match its checksum (cut off or "
            "altered). Save the model again or fetch a good copy."
        )
    with refusing(path):
        text, arrays = unpack(payload)
        content = json.loads(text, object_pairs_hook=_entries)
        formats.to_present(int(number), content, arrays)
        return Saved(int(number), version, content, arrays)


def _digest(number: str, version: str, payload: bytes) -> str:
    """Return the checksum of all that is in a file besides it."""
    found = hashlib.sha256(f"{MARK} {number} {version}\n".encode())
    found.update(payload)
    return found.hexdigest()


@contextmanager
def refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in errors that its content causes."""
    try:
        yield
    except _ITS_OWN:
        raise
    except Exception as e:  # whatever it is: the file holds nothing that untie has written
        text = str(e) if isinstance(e, ValueError) else f"{type(e).__name__}: {e}"
        reason = text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]} ..."
        raise ValueError(
            f"{str(path)!r} holds no whole model ({reason}). Save the model again or fetch a good "
            "copy."
        ) from e


def _entries(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an entry is there twice")
    return found


def pack(text: str, arrays: Mapping[str, Any]) -> bytes:
    """Return the bytes of an archive that `unpack` takes, whatever it holds."""
    parts = {TEXT: np.frombuffer(text.encode(), dtype=np.uint8), **_parts(arrays)}
    buffer = io.BytesIO()
    # All are numbers, and `unpack` refuses others; numpy 2.0 would take allow_pickle for one.
    np.savez_compressed(buffer, **parts)
    sizes = [part.nbytes + MOST_HEADER for part in parts.values()]
    if is_too_large(sizes[0], sum(sizes), buffer.tell()):
        buffer = io.BytesIO()  # it shrinks as no stranger's may: mostly zeros
        np.savez(buffer, **parts)
    return buffer.getvalue()


def unpack(payload: bytes) -> tuple[str, dict[str, Any]]:
    """Return the text and the arrays, or raise an error that says what is wrong with the bytes."""
    with ZipFile(io.BytesIO(payload)) as archive:
        members = _members(archive, len(payload))
        parts = {name: _read_array(archive, name, info) for name, info in members.items()}
    return parts.pop(TEXT).tobytes().decode(), _whole(parts)


def is_too_large(n_text: int, n_all: int, n_packed: int) -> bool:
    """Return whether a text, or all there is, has more bytes than may come out of an archive.

    Examples
    --------
    >>> is_too_large(10**3, 10**8, 10**4), is_too_large(10**3, 3 * 10**9, 2 * 10**6)
    (False, True)
    """
    most_text = max(HARMLESS_TEXT, MOST_TEXT_RATIO * n_packed)
    return n_text > most_text or n_all > max(HARMLESS, MOST_RATIO * n_packed)


def _members(archive: ZipFile, n_packed: int) -> dict[str, ZipInfo]:
    """Return what there is by its name, before anything is unpacked."""
    members: dict[str, ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name == info.filename:
            raise ValueError(f"{name!r} is no array, and nothing else may be in the file")
        if name in members:
            raise ValueError(f"the array {name!r} is there twice")
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or info.flag_bits & 1:
            raise ValueError(f"the array {name!r} is packed in a way that models are not")
        members[name] = info
    if TEXT not in members:
        raise ValueError("its text is missing")
    n_all = sum(info.file_size for info in members.values())
    if is_too_large(members[TEXT].file_size, n_all, n_packed):
        raise ValueError(
            f"it has {n_packed:,} bytes and {n_all:,} when unpacked, which no model of its size has"
        )
    return members


def _read_array(archive: ZipFile, name: str, info: ZipInfo) -> Any:
    """Return an array of numbers whose shape is that of its bytes."""
    with archive.open(info) as member:
        found = _HEADER.match(member.read(MOST_HEADER))
        if found is None or found.end() != 10 + int.from_bytes(found["length"], "little"):
            raise ValueError(f"the array {name!r} holds what is not numbers, or says so otherwise")
        shape = [int(length) for length in found["shape"].split(b",") if length.strip()]
        n_bytes = math.prod(shape) * int(found["size"])
        if found.end() + n_bytes != info.file_size:
            raise ValueError(f"the array {name!r} has not the numbers of the shape {shape}")
        if max(shape, default=0) > info.file_size:  # beside a 0
            raise ValueError(f"the array {name!r} has the shape {shape}, without any number")
        member.seek(0)
        return npy.read_array(member, allow_pickle=False, max_header_size=MOST_HEADER)


def _parts(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Replace sparse arrays by what they are made of."""
    parts: dict[str, Any] = {}
    for name, array in arrays.items():
        if not sparse.issparse(array):
            parts[name] = np.asarray(array)
            continue
        for part in _SPARSE_PARTS:
            parts[f"{name}{_SPARSE}{part}"] = np.asarray(getattr(array, part))
    return parts


def _whole(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Undo `_parts`."""
    arrays = {name: part for name, part in parts.items() if _SPARSE not in name}
    of_sparse: dict[str, dict[str, Any]] = {}
    for name in parts.keys() - arrays.keys():
        base, _, part = name.partition(_SPARSE)
        of_sparse.setdefault(base, {})[part] = parts[name]
    for name, own in of_sparse.items():
        if name in arrays:
            raise ValueError(f"the array {name!r} is there twice")
        if set(own) != set(_SPARSE_PARTS):
            raise ValueError(f"the sparse array {name!r} has the parts {sorted(own)}")
        wrong = _sparse_fault(*(own[part] for part in _SPARSE_PARTS))
        if wrong:
            raise ValueError(f"the sparse array {name!r} {wrong}")
        shape = tuple(own["shape"].tolist())
        arrays[name] = sparse.csr_array((own["data"], own["indices"], own["indptr"]), shape=shape)
    return arrays


def _sparse_fault(data: Any, indices: Any, indptr: Any, shape: Any) -> str | None:
    """Return what is wrong with the parts of a sparse array; scipy looks at some of it only."""
    if any(part.dtype.kind != "i" for part in (indices, indptr, shape)):
        return "has places that are no whole numbers"
    if [part.ndim for part in (data, indices, indptr, shape)] != [1] * 4 or len(shape) != 2:
        return "is not made of rows of numbers"
    n_rows, n_columns = shape.tolist()
    if len(indptr) != n_rows + 1 or len(indices) != len(data):
        return "has not as many places as numbers"
    if not 0 <= n_columns <= n_rows + len(data) + MOST_EMPTY_COLUMNS:
        return f"has {n_columns:,} columns for {len(data):,} numbers"
    if indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        return "has rows that overlap or leave gaps"
    if len(indices) and (indices.min() < 0 or indices.max() >= n_columns):
        return f"has numbers beyond its {n_columns:,} columns"
    return None
