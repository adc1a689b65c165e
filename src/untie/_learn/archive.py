"""Models on disk: one file, no pickle, checked from the first byte to the last.

A file is one line of text (a mark, the format's number and a SHA-256 of all that follows)
and a NumPy archive with the arrays and a JSON text.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib.metadata import version
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np
from scipy import sparse

from untie._learn.kernels import Gaussian, Polynomial
from untie._table.vocabulary import INFREQUENT
from untie._util.whole_files import whole_file

T = TypeVar("T")

NUMBERS = (np.generic, float)
"""What may be given as a dtype, besides its name and numpy's own objects."""

MARK = "UNTIE"
FORMAT = 1
"""Raised whenever a file's meaning changes; newer files are refused."""

LONGEST_INTEGER = 2_000
"""Integers with more bits than this are written in base 16."""

_FAULTS = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    *(EOFError, BadZipFile, zlib.error),
)
"""Errors that reading raises where a file is not as it was written."""

_TEXT = "__text__"
_SPARSE = "__sparse_"
"""Stands between the name of a sparse array and that of a part of it."""


@dataclass(frozen=True, eq=False)
class State:
    """What an estimator is made of, in a form that a file can hold.

    Parameters
    ----------
    content : dict
        Numbers, text and all else that `to_plain` knows.
    arrays : dict of str to arrays
        Dense, or sparse in CSR form.

    Examples
    --------
    >>> whole = State({"k": 3}).plus("encoder_", State({"n": 7}, {"omega": np.ones(2)}))
    >>> whole.part("encoder_").get("n", int), whole.part("encoder_").array("omega", 2)
    (7, array([1., 1.]))
    """

    content: dict[str, Any]
    arrays: dict[str, Any] = field(default_factory=dict)

    def plus(self, name: str, part: State | None) -> State:
        """Return the state with another one in it, or with None in its place."""
        if part is None:
            return State({**self.content, name: None}, self.arrays)
        inner = {f"{name}/{key}": array for key, array in part.arrays.items()}
        return State({**self.content, name: part.content}, {**self.arrays, **inner})

    def part(self, name: str) -> State:
        """Return the state that `plus` put in."""
        start = f"{name}/"
        arrays = {key[len(start) :]: a for key, a in self.arrays.items() if key.startswith(start)}
        return State(self.get(name, dict), arrays)

    def has(self, name: str) -> bool:
        """Tell whether `plus` put a state in, and not None."""
        return self.get(name, dict, type(None)) is not None

    def get(self, name: str, *kinds: type) -> Any:
        """Return an entry of the content, or refuse one that is of none of the given types."""
        if name not in self.content:
            raise ValueError(f"{name!r} is missing")
        value = self.content[name]
        if not isinstance(value, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise ValueError(f"{name!r} is a {type(value).__name__}, not a {wanted}")
        return value

    def array(self, name: str, *shape: int) -> Any:
        """Return an array of numbers, or refuse one of another shape; -1 is any length."""
        if name not in self.arrays:
            raise ValueError(f"the array {name!r} is missing")
        array = self.arrays[name]
        if array.dtype.kind not in "biuf":
            raise ValueError(f"the array {name!r} holds {array.dtype}, not numbers")
        fits = len(shape) == array.ndim
        if not fits or any(n not in (-1, own) for n, own in zip(shape, array.shape, strict=True)):
            raise ValueError(f"the array {name!r} has the shape {array.shape}, not {shape}")
        return array

    def finite(self, name: str, *shape: int) -> Any:
        """Return a dense array of finite double precision numbers, or refuse another one."""
        array = self.array(name, *shape)
        if sparse.issparse(array):
            raise ValueError(f"the array {name!r} is sparse")
        array = np.asarray(array, dtype=np.float64)
        if not np.isfinite(array).all():
            raise ValueError(f"the array {name!r} holds numbers that are not finite")
        return array


def write_model(path: str | os.PathLike[str], kind: str, state: State) -> None:
    """Write a model so that the path holds either the old file or the whole new one."""
    buffer = io.BytesIO()
    content = {"version": version("untie"), "kind": kind, "content": state.content}
    text = np.frombuffer(json.dumps(to_plain(content)).encode(), dtype=np.uint8)
    # All are numbers, and `read_model` refuses others; numpy 2.0 would take allow_pickle for one.
    np.savez_compressed(buffer, **{_TEXT: text, **_parts(state.arrays)})
    payload = buffer.getvalue()
    digest = hashlib.sha256(payload).hexdigest()
    with whole_file(path) as temporary, open(temporary, "wb") as file:
        file.write(f"{MARK} {FORMAT} {digest}\n".encode())
        file.write(payload)


def read_model(path: str | os.PathLike[str]) -> tuple[str, State]:
    """Read what kind of model it is and its state, or say what is wrong with the file."""
    with open(path, "rb") as file:
        words = file.readline(200).decode("ascii", errors="replace").split()
        payload = file.read()
    if len(words) != 3 or words[0] != MARK or not words[1].isdigit():
        raise ValueError(f"{str(path)!r} is not a model saved by untie.")
    if int(words[1]) > FORMAT:
        raise ValueError(
            f"{str(path)!r} was saved by a newer untie (format {words[1]}, this one reads up to "
            f"{FORMAT}); upgrade untie to read it."
        )
    if hashlib.sha256(payload).hexdigest() != words[2]:
        raise ValueError(
            f"{str(path)!r} is damaged: its content does not match its checksum (cut off or "
            "altered). Save the model again or fetch a good copy."
        )
    with refusing(path):
        with np.load(io.BytesIO(payload), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        text = arrays.pop(_TEXT).tobytes().decode()
        file_state = State(from_plain(json.loads(text)))
        return file_state.get("kind", str), State(file_state.get("content", dict), _whole(arrays))


@contextmanager
def refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in errors that its content causes."""
    try:
        yield
    except _FAULTS as e:
        reason = e if isinstance(e, ValueError) else f"{type(e).__name__}: {e}"
        raise ValueError(
            f"{str(path)!r} holds no whole model ({reason}). Save the model again or fetch a good "
            "copy."
        ) from e


def check_plain(values: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return what can be saved, or name what can't: ``Parameter kernels: ...``."""
    for name, value in values.items():
        try:
            to_plain(value)
        except ValueError as error:
            raise ValueError(f"{what} {name}: {error}") from None
    return dict(values)


def _parts(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Replace sparse arrays by what they are made of."""
    parts: dict[str, Any] = {}
    for name, array in arrays.items():
        if not sparse.issparse(array):
            parts[name] = array
            continue
        for part in ("data", "indices", "indptr"):
            parts[f"{name}{_SPARSE}{part}"] = getattr(array, part)
        parts[f"{name}{_SPARSE}shape"] = np.array(array.shape)
    return parts


def _whole(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Undo `_parts`."""
    arrays = {name: part for name, part in parts.items() if _SPARSE not in name}
    for name in {name.partition(_SPARSE)[0] for name in parts if _SPARSE in name}:
        data, indices, indptr, shape = (
            parts[f"{name}{_SPARSE}{part}"] for part in ("data", "indices", "indptr", "shape")
        )
        arrays[name] = sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
    return arrays


def to_plain(value: Any) -> Any:
    """Turn parameters and values into what JSON has; other types become a tagged list."""
    if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER:
        return {"integer": hex(value)}  # as Python reads and writes no more digits in base 10
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "tolist") and not isinstance(value, type):  # of numpy and pandas
        return to_plain(value.tolist())
    if isinstance(value, dict):
        return {"": [[to_plain(k), to_plain(v)] for k, v in value.items()]}
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, NUMBERS)):
        return {"number type": np.dtype(value).name}
    for name, (kind, write, _) in _KINDS.items():
        if type(value) is kind:
            return {name: write(value)}
    if type(value).__module__.split(".")[0] == "pandas" and type(value).__name__ in _PANDAS:
        return {type(value).__name__: _PANDAS[type(value).__name__](value)}
    raise ValueError(
        f"{value!r} of type {type(value).__name__} can't be saved without pickle: a model file "
        "holds numbers, text, dates and this package's own kernels. Use joblib.dump for it."
    )


def from_plain(value: Any) -> Any:
    """Undo `to_plain`."""
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((name, content),) = value.items()
    if name == "":
        return {from_plain(k): from_plain(v) for k, v in content}
    if name in _PANDAS:
        import pandas

        return getattr(pandas, name)(*map(from_plain, content))
    return _KINDS[name][2](content)


_KINDS: dict[str, tuple[Any, Any, Any]] = {
    "tuple": (tuple, lambda v: [to_plain(i) for i in v], lambda c: tuple(map(from_plain, c))),
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
    "timedelta": (
        timedelta,
        lambda v: [v.days, v.seconds, v.microseconds],
        lambda c: timedelta(*c),
    ),
    "decimal": (Decimal, str, Decimal),
    "integer": (None, None, lambda c: int(c, 16)),  # a long one; others are JSON's own
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "infrequent": (type(INFREQUENT), lambda v: None, lambda c: INFREQUENT),
    "number type": (None, None, lambda c: np.dtype(c).type),  # which have many Python types
    "gaussian": (Gaussian, lambda k: k.width, Gaussian),
    "polynomial": (Polynomial, lambda k: k.order, Polynomial),
}

_PANDAS: dict[str, Any] = {
    "Interval": lambda v: [to_plain(v.left), to_plain(v.right), v.closed],
    "Period": lambda v: [str(v), v.freqstr],
    "Timestamp": lambda v: [str(v)],
    "Timedelta": lambda v: [str(v)],
}
"""Arguments that make a value of pandas' own types again."""


def record_state(record: Any) -> State:
    """Return what a file holds of a dataclass of plain values and arrays of one dimension."""
    entries = {field.name: getattr(record, field.name) for field in fields(record)}
    arrays = {name: e for name, e in entries.items() if isinstance(e, np.ndarray)}
    return State({name: e for name, e in entries.items() if name not in arrays}, arrays)


def read_record(kind: type[T], state: State) -> T:
    """Undo `record_state`."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    content = state.content
    return kind(**{n: content[n] if n in content else state.array(n, -1) for n in names})
