"""Models on disk: one file, no pickle, checked from the first byte to the last.

A file is one line of text (a mark, the format's number and a SHA-256 of all that follows)
and a NumPy archive with the arrays and a JSON text.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeVar

import numpy as np

from untie._learn.container import pack, unpack
from untie._learn.kernels import Gaussian, Polynomial
from untie._learn.schema import a_text, entries, of_type
from untie._table.vocabulary import INFREQUENT
from untie._util.about import VERSION
from untie._util.extras import need
from untie._util.whole_files import whole_file

T = TypeVar("T")

NUMBERS = (np.generic, float)
"""What may be given as a dtype, besides its name and numpy's own objects."""

NUMBER_TYPES = ("float32", "float64")
"""The dtypes that a file may name."""

MARK = "UNTIE"
FORMAT = 2
"""Raised whenever a file's meaning changes; files of other formats are refused."""

LONGEST_INTEGER = 2_000
"""Integers with more bits than this are written in base 16."""

_file = entries({"version": a_text, "kind": a_text, "content": of_type(dict)})
"""What the text of every file has."""

MOST_SAID = 500
"""Of what is wrong with a file, this many characters are told: they may be the file's own."""

_ITS_OWN = (MemoryError, ImportError)
"""What a file is not to blame for: its size is bounded, and its values may need a library."""


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
    >>> whole.part("encoder_")
    State(content={'n': 7}, arrays={'omega': array([1., 1.])})
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
        return State(self.content[name], arrays)

    def has(self, name: str) -> bool:
        """Tell whether `plus` put a state in, and not None."""
        return self.content[name] is not None


def write_model(path: str | os.PathLike[str], kind: str, state: State) -> None:
    """Write a model so that the path holds either the old file or the whole new one."""
    content = {"version": VERSION, "kind": kind, "content": state.content}
    payload = pack(json.dumps(to_plain(content)), state.arrays)
    digest = hashlib.sha256(payload).hexdigest()
    with whole_file(path) as temporary, open(temporary, "wb") as file:
        file.write(f"{MARK} {FORMAT} {digest}\n".encode())
        file.write(payload)


def read_model(path: str | os.PathLike[str]) -> tuple[str, State]:
    """Read what kind of model it is and its state, or say what is wrong with the file."""
    with open(path, "rb") as file:
        words = file.readline(200).decode("ascii", errors="replace").split()
        if len(words) != 3 or words[0] != MARK or not words[1].isdigit() or not int(words[1]):
            raise ValueError(f"{str(path)!r} is not a model saved by untie.")
        payload = file.read()
    if int(words[1]) > FORMAT:
        raise ValueError(
            f"{str(path)!r} was saved by a newer untie (format {words[1]}, this one reads "
            f"{FORMAT}); upgrade untie to read it."
        )
    if int(words[1]) < FORMAT:
        raise ValueError(
            f"{str(path)!r} was saved by an older untie (format {words[1]}, this one reads "
            f"{FORMAT}), which read some cells in another way; learn from the table again."
        )
    if hashlib.sha256(payload).hexdigest() != words[2]:
        raise ValueError(
            f"{str(path)!r} is damaged: its content does not match its checksum (cut off or "
            "altered). Save the model again or fetch a good copy."
        )
    with refusing(path):
        text, arrays = unpack(payload)
        content = from_plain(json.loads(text))
        _file(content, "")
        return content["kind"], State(content["content"], arrays)


@contextmanager
def refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in errors that its content causes."""
    try:
        yield
    except _ITS_OWN:
        raise
    except Exception as e:  # whatever it is: what was written can be read
        text = str(e) if isinstance(e, ValueError) else f"{type(e).__name__}: {e}"
        reason = text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]} ..."
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


def to_plain(value: Any) -> Any:
    """Turn parameters and values into what JSON has; other types become a tagged list."""
    if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER:
        return {"integer": hex(value)}  # as Python reads and writes no more digits in base 10
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "tolist") and not isinstance(value, type):  # of numpy and pandas
        inner = value.tolist()
        if type(inner) is not type(value):  # as of a number that Python has no type for
            return to_plain(inner)
    if isinstance(value, dict):
        return {"": [[to_plain(k), to_plain(v)] for k, v in value.items()]}
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, NUMBERS)):
        return {"number type": np.dtype(value).name}
    for name, (kind, write, _) in _KINDS.items():
        if type(value) is kind:
            return {name: write(value)}
    if type(value).__module__.split(".")[0] == "pandas" and type(value).__name__ in PANDAS_VALUES:
        return {type(value).__name__: PANDAS_VALUES[type(value).__name__](value)}
    shown = getattr(value, "__name__", None) or repr(value)  # a function's repr is an address
    raise ValueError(
        f"{shown} of type {type(value).__name__} can't be saved without pickle: a model file "
        "holds numbers, text, dates and this package's own kernels. Use joblib.dump for it."
    )


def from_plain(value: Any) -> Any:
    """Undo `to_plain`."""
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1:
        raise ValueError(f"a value has {len(value)} types")
    ((name, content),) = value.items()
    if name == "":
        pairs = [(from_plain(k), from_plain(v)) for k, v in content]
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("an entry is there twice")
        return found
    if name in PANDAS_VALUES:
        pandas = need("pandas", "pandas", "Some values of this file")
        return getattr(pandas, name)(*map(from_plain, content))
    if name not in _KINDS:
        raise ValueError(f"there is no type {name[:50]!r}")
    return _KINDS[name][2](content)


def _number_type(name: Any) -> Any:
    if name not in NUMBER_TYPES:
        raise ValueError(f"there are no numbers of type {str(name)[:50]!r}")
    return np.dtype(name).type


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
    "number type": (None, None, _number_type),  # which have many Python types
    "gaussian": (Gaussian, lambda k: k.width, Gaussian),
    "polynomial": (Polynomial, lambda k: k.order, Polynomial),
}

PANDAS_VALUES: dict[str, Any] = {
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
    return kind(**state.content, **state.arrays)
