"""What the parts of a model must be, said once and checked before anything is made of them.

A `Check` takes an entry and its name and raises an error that names it, or returns. A `Part` has
entries, arrays and parts inside: these and no others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

Check = Callable[[Any, str], None]

MOST_NESTED = 20
"""Values may be tuples of tuples, to this depth."""


def of_type(*kinds: type) -> Check:
    """Return the check that an entry is of one of these types."""

    def check(value: Any, name: str) -> None:
        # True is an int to Python, but not to us.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise ValueError(f"{name!r} is a {type(value).__name__}, not a {wanted}")

    return check


a_text, a_truth = of_type(str), of_type(bool)


def whole(least: int = 0) -> Check:
    """Return the check of a whole number."""

    def check(value: Any, name: str) -> None:
        of_type(int)(value, name)
        if not least <= value < 2**63:
            raise ValueError(f"{name!r} is {value:.3g}, not a whole number from {least}")

    return check


def number(least: float = -math.inf, most: float = math.inf, finite: bool = True) -> Check:
    """Return the check of a number."""

    def check(value: Any, name: str) -> None:
        of_type(int, float)(value, name)
        if finite and not (least <= value <= most and abs(value) <= np.finfo(float).max):
            raise ValueError(f"{name!r} is {value:.3g}, not a number from {least} to {most}")

    return check


def one_of(*allowed: str | None) -> Check:
    """Return the check of a text that is one of a few."""

    def check(value: Any, name: str) -> None:
        if not (value is None or isinstance(value, str)) or value not in allowed:
            raise ValueError(f"{name!r} is {str(value)[:50]!r}, not one of {list(allowed)}")

    return check


def maybe(check: Check) -> Check:
    """Return the check of an entry that may be None."""
    return lambda value, name: None if value is None else check(value, name)


def many(
    check: Check, n: int | None = None, least: int = 0, distinct: bool = False, kind: type = list
) -> Check:
    """Return the check of a list (or a tuple), and of each of its items."""

    def check_all(value: Any, name: str) -> None:
        of_type(kind)(value, name)
        if len(value) < least or n not in (None, len(value)):
            raise ValueError(f"{name!r} has {len(value)} items, not {least if n is None else n}")
        for item in value:
            check(item, name)
        if distinct and len(set(value)) < len(value):
            raise ValueError(f"{name!r} has some items twice")

    return check_all


def mapping(check: Check) -> Check:
    """Return the check of a dictionary from any texts, and of what stands for each."""

    def check_all(value: Any, name: str) -> None:
        of_type(dict)(value, name)
        for key, item in value.items():
            a_text(key, name)
            check(item, f"{name}/{key}")

    return check_all


def entries(
    needed: Mapping[str, Check],
    others: Mapping[str, Check] | None = None,
    also: Collection[str] = (),
) -> Check:
    """Return the check of a dictionary with these entries, perhaps the others, and no more."""
    others = others or {}

    def check_all(value: Any, name: str) -> None:
        of_type(dict)(value, name)
        for key in (*needed, *also):
            if key not in value:
                raise ValueError(f"{_inside(name, key)!r} is missing")
        for key, item in value.items():
            check = needed.get(key) or others.get(key)
            if check is not None:
                check(item, _inside(name, key))
            elif key not in also:
                raise ValueError(f"{_inside(name, str(key)[:50])!r} is no part of a model")

    return check_all


def values_of(kinds: Collection[type]) -> Check:
    """Return the check of the distinct values of a column, which are of these types or tuples."""

    def check_all(value: Any, name: str, depth: int = 0) -> None:
        found = set(map(type, value))
        if depth > MOST_NESTED or not found <= {*kinds, tuple}:
            odd = sorted(kind.__name__ for kind in found - {*kinds, tuple})
            raise ValueError(f"{name!r} has values that are no cells: {odd or 'nested too deeply'}")
        if tuple in found:
            for item in value:
                if isinstance(item, tuple):
                    check_all(item, name, depth + 1)
        if depth == 0 and len(set(value)) < len(value):
            raise ValueError(f"{name!r} has some values twice")
        if any(item != item for item in value):  # no cell is found under it
            raise ValueError(f"{name!r} has a value that is not a number")

    return check_all


@dataclass(frozen=True)
class Numbers:
    """What an array must be.

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
    """

    shape: tuple[int | None, ...]
    kinds: str = "f"
    least: float = -math.inf
    most: float = math.inf
    finite: bool = True
    may_be_sparse: bool = False

    def check(self, array: Any, name: str) -> None:
        """Refuse an array that is not so."""
        if array.dtype.kind not in self.kinds:
            raise ValueError(f"the array {name!r} holds {array.dtype}, not numbers of its kind")
        if sparse.issparse(array) and not self.may_be_sparse:
            raise ValueError(f"the array {name!r} is sparse")
        fits = len(self.shape) == array.ndim
        pairs = zip(self.shape, array.shape, strict=False)
        if not fits or any(n not in (None, own) for n, own in pairs):
            raise ValueError(f"the array {name!r} has the shape {array.shape}, not {self.shape}")
        numbers = array.data if sparse.issparse(array) else array
        if not numbers.size or not self.finite:
            return
        least, most = numbers.min(), numbers.max()  # of which either is NaN if a number is
        if not (np.isfinite(least) and np.isfinite(most)):
            raise ValueError(f"the array {name!r} holds numbers that are not finite")
        if least < self.least or most > self.most:
            raise ValueError(
                f"the array {name!r} holds numbers from {least} to {most}, not from {self.least} "
                f"to {self.most}"
            )


Content = Mapping[str, Any]
Arrays = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """What a part of a model has.

    Parameters
    ----------
    needed : mapping from names to checks
        The entries of its content.
    parts : mapping from names to parts
        Parts inside; their arrays have the part's name and a stroke before their own. One that may
        be of several kinds is a mapping from them to parts; its content says its "kind".
    optional : collection of str
        Those of them that may be None.
    relations : sequence of (str, function of the content)
        What holds between entries, and what is said where it does not.
    arrays : function of the content and the arrays, optional
        The part's own arrays. All that is inside is as it must be when this is called.
    array_relations : sequence of (str, function of the content and the arrays)
        What holds between arrays, and what is said where it does not.

    Examples
    --------
    >>> part = Part({"n": whole()}, arrays=lambda content, _: {"omega": Numbers((content["n"],))})
    >>> part.check({"n": 2}, {"omega": np.ones(3)})
    Traceback (most recent call last):
    ...
    ValueError: the array 'omega' has the shape (3,), not (2,)
    """

    needed: Mapping[str, Check]
    parts: Mapping[str, Part | Mapping[str, Part]] = field(default_factory=dict)
    optional: Collection[str] = ()
    relations: Sequence[tuple[str, Callable[[Content], bool]]] = ()
    arrays: Callable[[Content, Arrays], Mapping[str, Numbers]] = lambda content, arrays: {}
    array_relations: Sequence[tuple[str, Callable[[Content, Arrays], bool]]] = ()

    def check(self, content: Any, arrays: Arrays, name: str = "") -> None:
        """Refuse a part that is not so, before anything is made of it."""
        entries(self.needed, also=tuple(self.parts))(content, name)
        for key, part in self.parts.items():
            if content[key] is not None or key not in self.optional:
                inside = _inside(name, key)
                one = part if isinstance(part, Part) else _of_kind(part, content[key], inside)
                one.check(content[key], _inner(arrays, key), inside)
        for words, holds in self.relations:
            if not holds(content):
                raise ValueError(f"{words} in {name or 'the model'!r}")
        self._check_arrays(content, arrays, name)
        for words, fits in self.array_relations:
            if not fits(content, arrays):
                raise ValueError(f"{words} in {name or 'the model'!r}")

    def _check_arrays(self, content: Content, arrays: Arrays, name: str) -> None:
        wanted = self.arrays(content, arrays)
        inside = {key for key in self.parts if content[key] is not None}
        for key in arrays:
            if key not in wanted and key.partition("/")[0] not in inside:
                raise ValueError(f"the array {_inside(name, key)!r} is no part of a model")
        for key, numbers in wanted.items():
            if key not in arrays:
                raise ValueError(f"the array {_inside(name, key)!r} is missing")
            numbers.check(arrays[key], _inside(name, key))


def _of_kind(kinds: Mapping[str, Part], content: Any, name: str) -> Part:
    """Return the part of the kind that its content says."""
    of_type(dict)(content, name)
    one_of(*kinds)(content.get("kind"), _inside(name, "kind"))
    return kinds[content["kind"]]


def _inner(arrays: Arrays, name: str) -> Arrays:
    start = f"{name}/"
    return {key[len(start) :]: a for key, a in arrays.items() if key.startswith(start)}


def _inside(name: str, key: str) -> str:
    return f"{name}/{key}" if name else key
