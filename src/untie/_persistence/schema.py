"""The vocabulary of descriptions: how a part of a model is written, checked and read.

A `Codec` turns a part into what JSON has, and back. It reads what strangers wrote: it raises a
`ValueError` that names the part, or returns a part that is as described. Arrays are kept apart,
under the name of their place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import sparse

ARRAY = "array"
"""Stands in the text for an array."""

Check = Callable[[Any, str], None]


@dataclass(frozen=True)
class Place:
    """Where a part is in a file.

    Parameters
    ----------
    name : str
        The names of the parts around it and its own, with strokes between them.
    arrays : dict of str to arrays
        The arrays of the file by their places. Each is taken out when it is read.
    """

    name: str
    arrays: dict[str, Any]

    def __truediv__(self, key: object) -> Place:
        return Place(f"{self.name}/{key}" if self.name else str(key), self.arrays)


@dataclass(frozen=True)
class Codec:
    """How a part is written and read.

    Parameters
    ----------
    write : function of a part and its place
        Returns what JSON has for it.
    read : function of what JSON has, and its place
        Checks it and returns the part.
    kind : class
        The class of the parts, where `either` needs it.
    """

    write: Callable[[Any, Place], Any]
    read: Callable[[Any, Place], Any]
    kind: type = object


def checked(check: Check) -> Codec:
    """Return the codec of a part that JSON has as it is."""

    def read(plain: Any, at: Place) -> Any:
        check(plain, at.name)
        return plain

    return Codec(lambda part, at: part.item() if isinstance(part, np.generic) else part, read)


def of_type(*kinds: type) -> Check:
    """Return the check that a part is of one of these types."""

    def check(value: Any, name: str) -> None:
        # True is an int to Python, but not to us.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise ValueError(f"{name!r} is a {type(value).__name__}, not a {wanted}")

    return check


a_text, a_truth = checked(of_type(str)), checked(of_type(bool))


def whole(least: int = 0) -> Codec:
    """Return the codec of a whole number."""

    def check(value: Any, name: str) -> None:
        of_type(int)(value, name)
        if not least <= value < 2**63:
            raise ValueError(f"{name!r} is {value:.3g}, not a whole number from {least}")

    return checked(check)


def number(least: float = -math.inf, most: float = math.inf, finite: bool = True) -> Codec:
    """Return the codec of a number."""

    def check(value: Any, name: str) -> None:
        of_type(int, float)(value, name)
        if finite and not (least <= value <= most and abs(value) <= np.finfo(float).max):
            raise ValueError(f"{name!r} is {value:.3g}, not a number from {least} to {most}")

    return checked(check)


def one_of(*allowed: str | None) -> Codec:
    """Return the codec of a text that is one of a few."""

    def check(value: Any, name: str) -> None:
        if not (value is None or isinstance(value, str)) or value not in allowed:
            raise ValueError(f"{name!r} is {str(value)[:50]!r}, not one of {list(allowed)}")

    return checked(check)


def maybe(codec: Codec) -> Codec:
    """Return the codec of a part that may be None."""
    return Codec(
        lambda part, at: None if part is None else codec.write(part, at),
        lambda plain, at: None if plain is None else codec.read(plain, at),
    )


def many(
    codec: Codec, least: int = 0, distinct: bool = False, make: Callable[[Any], Any] = tuple
) -> Codec:
    """Return the codec of any number of parts."""

    def read(plain: Any, at: Place) -> Any:
        of_type(list)(plain, at.name)
        if len(plain) < least:
            raise ValueError(f"{at.name!r} has {len(plain)} items, not {least}")
        found = each([codec] * len(plain)).read(plain, at)
        if distinct and len(set(found)) < len(found):
            raise ValueError(f"{at.name!r} has some items twice")
        return make(found)

    return Codec(lambda parts, at: each([codec] * len(parts)).write(parts, at), read)


def each(codecs: Sequence[Codec], make: Callable[[Any], Any] = tuple) -> Codec:
    """Return the codec of as many parts, which has one for each."""

    def write(parts: Any, at: Place) -> list[Any]:
        pairs = enumerate(zip(codecs, parts, strict=True))
        return [codec.write(part, at / place) for place, (codec, part) in pairs]

    def read(plain: Any, at: Place) -> Any:
        of_type(list)(plain, at.name)
        if len(plain) != len(codecs):
            raise ValueError(f"{at.name!r} has {len(plain)} items, not {len(codecs)}")
        pairs = enumerate(zip(codecs, plain, strict=True))
        return make([codec.read(part, at / place) for place, (codec, part) in pairs])

    return Codec(write, read)


def mapping(codec: Codec | Mapping[str, Codec]) -> Codec:
    """Return the codec of a dictionary from texts: any texts, or some of those that have one."""

    def of(key: str, at: Place) -> Codec:
        found = codec if isinstance(codec, Codec) else codec.get(key)
        if found is None:
            raise ValueError(f"{(at / key[:50]).name!r} is no part of a model")
        return found

    def write(parts: Any, at: Place) -> dict[str, Any]:
        return {key: of(key, at).write(part, at / key) for key, part in parts.items()}

    def read(plain: Any, at: Place) -> dict[str, Any]:
        of_type(dict)(plain, at.name)
        return {key: of(key, at).read(part, at / key) for key, part in plain.items()}

    return Codec(write, read)


def either(**codecs: Codec) -> Codec:
    """Return the codec of a part of one of several classes; its "type" says which."""

    def write(part: Any, at: Place) -> dict[str, Any]:
        name = next(name for name, codec in codecs.items() if isinstance(part, codec.kind))
        return {"type": name, **codecs[name].write(part, at)}

    def read(plain: Any, at: Place) -> Any:
        of_type(dict)(plain, at.name)
        name = plain.get("type")
        if not isinstance(name, str) or name not in codecs:
            what = f"{at.name or 'the model'!r} is a {str(name)[:50]!r}"
            raise ValueError(f"{what}, which this version does not know: one of {list(codecs)}")
        rest = {key: part for key, part in plain.items() if key != "type"}
        return codecs[name].read(rest, at)

    return Codec(write, read)


@dataclass(frozen=True)
class Field:
    """A part of an object.

    Parameters
    ----------
    codec : Codec, or function of the object's parts before this one
        How it is written and read.
    get : function of the object, optional
        Returns the part; its attribute of that name by default.
    """

    codec: Codec | Callable[[Any], Codec]
    get: Callable[[Any], Any] | None = None


Relations = Mapping[str, Callable[[Any], bool]]


def record(
    make: Callable[..., Any],
    relations: Relations | None = None,
    /,
    **fields: Field | Codec | Callable[[Any], Codec],
) -> Codec:
    """Return the codec of an object with named parts: these and no others.

    Parameters
    ----------
    make : function of the parts, by name
        Returns the object; its class, usually.
    relations : mapping from texts to functions of all parts
        What must hold between the parts, by what is said where it does not.
    **fields : Field
        Its parts, in order. A file has their names without underscores at the ends.

    Examples
    --------
    >>> codec = record(SimpleNamespace, n=whole(), omega=lambda c: numbers((c.n,)))
    >>> arrays = {}
    >>> codec.write(SimpleNamespace(n=2, omega=np.ones(2)), Place("", arrays)), list(arrays)
    ({'n': 2, 'omega': 'array'}, ['omega'])
    >>> codec.read({"n": 3, "omega": "array"}, Place("", arrays))
    Traceback (most recent call last):
    ...
    ValueError: the array 'omega' has the shape (2,), not (3,)
    """
    entries = {
        name: field if isinstance(field, Field) else Field(field) for name, field in fields.items()
    }
    keys = {name: name.strip("_") for name in entries}

    def codec_of(field: Field, before: SimpleNamespace) -> Codec:
        return field.codec if isinstance(field.codec, Codec) else field.codec(before)

    def write(part: Any, at: Place) -> dict[str, Any]:
        found, plain = SimpleNamespace(), {}
        for name, field in entries.items():
            inner = (field.get or attrgetter(name))(part)
            plain[keys[name]] = codec_of(field, found).write(inner, at / keys[name])
            setattr(found, name, inner)
        return plain

    def read(plain: Any, at: Place) -> Any:
        of_type(dict)(plain, at.name)
        for key in plain:
            if key not in keys.values():
                raise ValueError(f"{(at / key[:50]).name!r} is no part of a model")
        found = SimpleNamespace()
        for name, field in entries.items():
            inside = at / keys[name]
            if keys[name] not in plain:
                raise ValueError(f"{inside.name!r} is missing")
            setattr(found, name, codec_of(field, found).read(plain[keys[name]], inside))
        for words, holds in (relations or {}).items():
            if not holds(found):
                raise ValueError(f"{words} in {at.name or 'the model'!r}")
        return make(**vars(found))

    return Codec(write, read, make if isinstance(make, type) else object)


def numbers(
    shape: tuple[int | None, ...],
    kinds: str = "f",
    least: float = -math.inf,
    most: float = math.inf,
    finite: bool = True,
    may_be_sparse: bool = False,
    dtype: type | None = None,
) -> Codec:
    """Return the codec of an array.

    Parameters
    ----------
    shape : tuple of int or None
        Its shape; None is any length.
    kinds : str
        The kinds of numbers that it may hold, as NumPy calls them.
    least, most : float
        The range of the numbers.
    finite : bool
        Whether they must be finite.
    may_be_sparse : bool
        Whether it may be sparse.
    dtype : dtype, optional
        What numbers it has once it is read, if not those that are in the file.
    """

    def write(array: Any, at: Place) -> str:
        at.arrays[at.name] = array
        return ARRAY

    def read(plain: Any, at: Place) -> Any:
        if plain != ARRAY:
            raise ValueError(f"{at.name!r} is {str(plain)[:50]!r}, not an array")
        if at.name not in at.arrays:
            raise ValueError(f"the array {at.name!r} is missing")
        array = at.arrays.pop(at.name)
        if array.dtype.kind not in kinds:
            raise ValueError(f"the array {at.name!r} holds {array.dtype}, not numbers of its kind")
        if sparse.issparse(array) and not may_be_sparse:
            raise ValueError(f"the array {at.name!r} is sparse")
        fits = len(shape) == array.ndim
        if not fits or any(n not in (None, own) for n, own in zip(shape, array.shape, strict=True)):
            raise ValueError(f"the array {at.name!r} has the shape {array.shape}, not {shape}")
        found = array.data if sparse.issparse(array) else array
        if found.size and finite:
            check_range(found, at.name)
        return array if dtype is None else array.astype(dtype, copy=False)

    def check_range(found: Any, name: str) -> None:
        low, high = found.min(), found.max()  # of which either is NaN if a number is
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"the array {name!r} holds numbers that are not finite")
        if low < least or high > most:
            raise ValueError(
                f"the array {name!r} holds numbers from {low} to {high}, not from {least} to {most}"
            )

    return Codec(write, read)


def joined(lengths: Sequence[int]) -> Codec:
    """Return the codec of several arrays of truths that are one in the file."""
    whole_array = numbers((sum(lengths),), "b")
    ends = np.cumsum(lengths)[:-1]
    return Codec(
        lambda parts, at: whole_array.write(np.concatenate(parts), at),
        lambda plain, at: tuple(np.split(whole_array.read(plain, at), ends)),
    )
