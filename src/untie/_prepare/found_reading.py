"""How often a column has each value -> how its cells are read, and the same counts as read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from untie._prepare.look import Summary
from untie._prepare.missing import find_missing
from untie._prepare.readings import Reading, find_writing
from untie._prepare.rules import OTHERS, kind_of

AUTO = "auto"


def find_texts_of_missing(seen: Summary, missing: str | Sequence[str]) -> tuple[str, ...]:
    """Return the texts of a column that stand for missing cells.

    Parameters
    ----------
    seen : Summary
        The column's values.
    missing : "auto" or sequence of str
        Those that the user names; "auto" finds them.
    """
    if missing != AUTO:
        # Those that no cell has count, too: new rows may have them.
        texts, absent = tuple(missing), set(missing)
    else:
        texts = find_missing(seen.values)
        absent = set(texts)
    rest = [value for value in seen.values if not isinstance(value, str) or value not in absent]
    return () if kind_of(rest) == OTHERS else texts


def as_read(seen: Summary, reading: Reading) -> Summary:
    """Return how often a column has each value once its cells are read."""
    read = reading.read(seen.values)
    if read is seen.values:
        return seen
    places = {value: place for place, value in enumerate(dict.fromkeys(read))}
    codes = np.array([places[value] for value in read], dtype=np.intp)
    rows = np.bincount(codes, seen.rows, minlength=len(places))
    weights = np.bincount(codes, seen.weights, minlength=len(places))
    known = np.array([value is not None for value in places], dtype=bool)
    return replace(
        seen,
        values=[value for value in places if value is not None],
        rows=rows[known],
        weights=weights[known],
        n_missing=seen.n_missing + float(rows[~known].sum()),
    )


def with_writing(seen: Summary, reading: Reading, day_first: bool | None) -> Reading:
    """Return a reading that knows how numbers or dates are written, if all values are so.

    Parameters
    ----------
    seen : Summary
        The column's values, without missing ones.
    reading : Reading
        What is known of it so far.
    day_first : bool or None
        What the user says of dates that can be read either way.
    """
    return replace(reading, writing=find_writing(seen.values, day_first))


def count_missing(seen: Summary, texts: Sequence[str]) -> dict[str, int]:
    """Return the values that texts of missing cells stand for, sorted, and how many rows have each.

    Examples
    --------
    >>> count_missing(Summary(["a", "?"], np.array([5.0, 1.0]), np.ones(2), 0), ["?", "NA"])
    {'?': 1}
    """
    absent = set(texts)
    found = {}
    for value, n in zip(seen.values, (seen.rows * seen.scale).tolist(), strict=True):
        if isinstance(value, str) and (value in absent or value.strip() in absent):
            found[value] = round(n)
    return dict(sorted(found.items()))
