"""Cells and parameters <-> what JSON has: types that it lacks become an object with their name."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from untie._learn.spaces.kernels import Gaussian, Polynomial
from untie._persistence.schema import Codec, Place, of_type
from untie._util.messages import need

NUMBERS = (np.generic, float)
"""Bases of what may be given as a dtype, besides its name and numpy's own objects."""

NUMBER_TYPES = ("float32", "float64")
"""The dtypes that a file may name."""

LONGEST_INTEGER = 2_000
"""Integers with more bits than this are written in base 16."""

MOST_NESTED = 20
"""Values may be tuples of tuples, to this depth."""

CELLS = (
    *(type(None), bool, int, float, str, bytes),
    *(date, datetime, time, timedelta, Decimal),
)
"""The types of values, besides those of pandas."""


def cells(column: str) -> Codec:
    """Return the codec of the distinct values of a column."""

    def write(values: Any, at: Place) -> list[Any]:
        try:
            return [to_plain(value) for value in values]
        except ValueError as error:
            raise ValueError(f"Column {column!r}: {error}") from None

    def read(plain: Any, at: Place) -> tuple[Any, ...]:
        of_type(list)(plain, at.name)
        values = tuple(map(from_plain, plain))
        kinds = set(CELLS)
        if any(type(value).__name__ in PANDAS_VALUES for value in values):
            import pandas

            kinds |= {getattr(pandas, known) for known in PANDAS_VALUES}
        _check_cells(values, kinds, at.name)
        if len(set(values)) < len(values):
            raise ValueError(f"{at.name!r} has some values twice")
        return values

    return Codec(write, read)


def _check_cells(values: tuple[Any, ...], kinds: set[type], name: str, depth: int = 0) -> None:
    found = set(map(type, values))
    if depth > MOST_NESTED or not found <= {*kinds, tuple}:
        odd = sorted(kind.__name__ for kind in found - {*kinds, tuple})
        raise ValueError(f"{name!r} has values that are no cells: {odd or 'nested too deeply'}")
    if any(value != value for value in values):  # no cell is equal to it
        raise ValueError(f"{name!r} has a value that is not a number")
    if tuple in found:
        for value in values:
            if isinstance(value, tuple):
                _check_cells(value, kinds, name, depth + 1)


def to_plain(value: Any) -> Any:
    """Return what JSON has for a parameter or a value."""
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
