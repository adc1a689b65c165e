"""Models on disk: one file, no pickle, checked from the first byte to the last.

A file is one line of text (a mark, the format's number and a SHA-256 of all that follows)
and a NumPy archive with the arrays and a JSON text.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._learn.kernels import Gaussian, Polynomial
from untie._table.vocabulary import INFREQUENT
from untie._util.whole_files import whole_file

MARK = "UNTIE-MODEL"
FORMAT = 2
"""Raised whenever a file's meaning changes; newer files are refused."""

_TEXT = "__text__"


def write_model(path: str | os.PathLike[str], content: Any, arrays: Mapping[str, Any]) -> None:
    """Write a model so that the path holds either the old file or the whole new one."""
    buffer = io.BytesIO()
    text = np.frombuffer(json.dumps(to_plain(content)).encode(), dtype=np.uint8)
    np.savez_compressed(buffer, allow_pickle=False, **{_TEXT: text, **arrays})
    payload = buffer.getvalue()
    digest = hashlib.sha256(payload).hexdigest()
    with whole_file(path) as temporary, open(temporary, "xb") as file:
        file.write(f"{MARK} {FORMAT} {digest}\n".encode())
        file.write(payload)


def read_model(path: str | os.PathLike[str]) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Read a model, or say what is wrong with the file."""
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
    with np.load(io.BytesIO(payload), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    text = arrays.pop(_TEXT).tobytes().decode()
    return from_plain(json.loads(text)), arrays


def to_plain(value: Any) -> Any:
    """Turn parameters and values into what JSON has; other types become a tagged list."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, dict):
        return {"": [[to_plain(k), to_plain(v)] for k, v in value.items()]}
    if isinstance(value, list):
        return [to_plain(item) for item in value]
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
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "infrequent": (type(INFREQUENT), lambda v: None, lambda c: INFREQUENT),
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
