"""Runs of neighboring values of a column with an order: which is the best, and what it is called.

A column of numbers has tens of fine ranges. What is said of it is said of a run of them: "up to
25", "26 to 40", "over 40".
"""

import re
from collections.abc import Sequence

import numpy as np

from untie._table.orders import Positions, end_texts, unit_of
from untie._util.types import FloatArray

ALL = "any range"
"""What a run of all ranges is called, whose lowest and highest have no end."""

_BEYOND = re.compile(r"\s*(?:over|after|above|more than|>(?!=))", re.IGNORECASE)
_BEFORE = re.compile(r"\s*(?:under|below|less than|<(?!=))", re.IGNORECASE)


def best_run(numbers: FloatArray) -> tuple[int, int]:
    """Return the run of neighbors with the largest sum: its first place, and that after its last.

    Of several with the same sum (to 12 digits) the shortest is taken, and the first of these.

    Parameters
    ----------
    numbers : array of shape (n_places,)
        At least one.

    Examples
    --------
    >>> best_run(np.array([-1.0, 2.0, -0.5, 3.0, -4.0, 1.0]))
    (1, 4)
    """
    sums = np.round(np.concatenate([[0.0], np.cumsum(numbers)]), 12)
    start = best_start = best_stop = 0
    best = -np.inf
    for stop in range(1, len(sums)):
        if sums[stop - 1] <= sums[start]:
            start = stop - 1
        found = round(float(sums[stop] - sums[start]), 12)
        is_shorter = found == best and stop - start < best_stop - best_start
        if found > best or is_shorter:
            best, best_start, best_stop = found, start, stop
    return best_start, best_stop


def names_in_order(labels: Sequence[str], positions: Positions) -> list[str]:
    """Return a name for each place of an order; of values at the same place, the first one's.

    Examples
    --------
    >>> names_in_order(["26 to 40", "over 40", "up to 25", "missing"], np.array([1, 2, 0, -1]))
    ['up to 25', '26 to 40', 'over 40']
    """
    first = {int(place): code for code, place in reversed(list(enumerate(positions)))}
    return [labels[first[place]] for place in range(int(positions.max()) + 1)]


def equal_runs(weights: FloatArray, n: int) -> list[tuple[int, int]]:
    """Split places into at most `n` runs of about the same weight.

    Parameters
    ----------
    weights : array of shape (n_places,)
        None is negative, and not all are 0.
    n : int
        At least one.

    Examples
    --------
    >>> equal_runs(np.array([1.0, 1.0, 1.0, 1.0, 5.0, 1.0]), 3)
    [(0, 3), (3, 5), (5, 6)]
    """
    middles = (np.cumsum(weights) - weights / 2.0) / weights.sum()
    # A hair below a border belongs below it, however the sums were rounded.
    groups = np.minimum(np.floor(middles * n + 1e-9), n - 1)
    starts = np.flatnonzero(np.diff(groups, prepend=-1.0))
    return list(zip(starts.tolist(), [*starts[1:].tolist(), len(weights)], strict=True))


def run_name(names: Sequence[str], start: int, stop: int) -> str:
    """Return what a run of neighboring values is called.

    Parameters
    ----------
    names : sequence of str
        All values of a column, in their order.
    start, stop : int
        The first place of the run, and that after its last.

    Examples
    --------
    >>> names = ["up to 25", "26 to 40", "41", "over 41"]
    >>> run_name(names, 0, 2), run_name(names, 1, 3), run_name(names, 1, 4), run_name(names, 0, 4)
    ('up to 40', '26 to 41', 'over 25', 'any range')
    >>> run_name(["S", "M", "L"], 0, 2), run_name(["$1 to $2", "$3 to $4"], 0, 2)
    ('S to M', '$1 to $4')
    >>> run_name(["0", "1 to 5", "over 5"], 1, 3), run_name(["0", "1 to 5", "over 5"], 0, 3)
    ('over 0', 'any range')
    """
    first, last = names[start], names[stop - 1]
    if stop - start == 1:
        return first
    low, high = end_texts(first), end_texts(last)
    if low is None or high is None:
        return f"{first} to {last}"
    (from_, _), (_, to) = low, high
    is_lowest = from_ is None or (start == 0 and first == "0")  # of what is never negative
    if is_lowest and to is None:
        return ALL
    if from_ is None:
        after = names[stop] if stop < len(names) else None
        return _open_run(first, str(to), 1, after, f"up to {to}")
    if to is None:
        before = names[start - 1] if start else None
        return _open_run(last, from_, 0, before, f"{from_} or more")
    if first[:1] in "[(" and last[-1:] in "])":
        return f"{first[0]}{from_}, {to}{last[-1]}"
    sign, unit = unit_of(last)
    return f"{sign}{from_} to {sign}{to}{unit}"


def phrase(column: str, value: str, equals: str = " = ") -> str:
    """Return what is said of a column: that it equals a value, or is in a range.

    Examples
    --------
    >>> phrase("age", "over 54"), phrase("age", "26 to 41"), phrase("age", "54"), phrase("a", "b")
    ('age over 54', 'age 26 to 41', 'age = 54', 'a = b')
    """
    ends = end_texts(value)
    is_range = ends is not None and ends[0] != ends[1]
    return f"{column} {value}" if is_range else f"{column}{equals}{value}"


def _open_run(outer: str, number: str, side: int, neighbor: str | None, plain: str) -> str:
    """Return the name of a run without an end on one side, in the words of its outermost range.

    Parameters
    ----------
    outer : str
        The outermost range.
    number : str
        Where the run ends on the other side.
    side : {0, 1}
        Whether that is the lower or the upper end of the run.
    neighbor : str or None
        The value next to the run, if there is one.
    plain : str
        The name if the words of the range do not fit.
    """
    own = end_texts(outer)
    assert own is not None
    exclusive, opposite = (_BEFORE, _BEYOND) if side else (_BEYOND, _BEFORE)
    if exclusive.match(outer):  # it ends beside its number: so does the run beside its neighbor's
        ends = None if neighbor is None else end_texts(neighbor)
        found = None if ends is None or opposite.match(str(neighbor)) else ends[1 - side]
        if found is None:
            return plain
        number = found
    return outer.replace(str(own[side]), number)
