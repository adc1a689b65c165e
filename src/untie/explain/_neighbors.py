"""The rows that are most like others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._inputs import check_encoder, check_positions, encode_rows
from untie._learn.value_space import ValueSpace, add_up
from untie._table import frames
from untie._util.checks import check_integer
from untie._util.digits import leading_digits
from untie._util.types import Codes, FloatArray
from untie.encoder import UNTIE

QUERIES = 64
"""Neighbours are looked for this many rows at a time."""

DIGITS = 12
"""Squared distances that agree in this many digits are equal."""


def neighbors(
    encoder: UNTIE, data: Any, rows: Any, n: int = 10, columns: Sequence[str] | None = None
) -> Any:
    """Return the rows of a table that are nearest to some rows.

    Nearest by the distance of the learned vectors: unlike the similarity, it is never smaller for
    another row than for an equal one. Of equally near rows the first come first. The time grows
    with len(rows) x len(data); memory is that of some million numbers, whatever the table.

    Parameters
    ----------
    encoder : UNTIE
        Fitted.
    data : table of shape (n_rows, n_columns)
        Where to look, in memory.
    rows : int, sequence of int, or table
        Positions in `data`, which are then not their own neighbours; or other rows.
    n : int, default=10
        Number of neighbours of each, usually 1 to 100; all there are, where they are fewer. It
        hardly matters for the time.
    columns : sequence of str, optional
        The only columns that count; all of them do by default.

    Returns
    -------
    frame
        One row per neighbour, the nearest first: row (its position in `data` or in `rows`), rank
        (from 1), position (of the neighbour in `data`), similarity (which need not fall with the
        rank: rare values make a row similar to more), distance.

    See Also
    --------
    why_similar : What makes two rows similar.

    Examples
    --------
    >>> from untie import UNTIE
    >>> from untie.explain import neighbors
    >>> drinks = [["red", "wine"], ["white", "wine"], ["brown", "beer"], ["red", "wine"]]
    >>> encoder = UNTIE(n_clusters=2).fit(drinks)
    >>> neighbors(encoder, drinks, 0, n=2)[["row", "rank", "position"]]
       row  rank  position
    0    0     1         3
    1    0     2         1
    """
    check_encoder(encoder)
    n = check_integer("n", n)
    codes = encode_rows(encoder, data)
    positions = check_positions(rows, len(codes[0]))
    if positions is None:
        queries = encode_rows(encoder, rows)
    else:
        queries = [column[positions] for column in codes]
    chosen = _chosen(encoder, columns)
    nearest, distances = _nearest(encoder.model_.space, codes, queries, positions, n, chosen)
    names = np.arange(len(queries[0])) if positions is None else positions
    lengths = [len(found) for found in nearest]
    row = np.repeat(np.arange(len(lengths)), lengths)
    found = np.concatenate(nearest)
    pairs = [c[row] for c in queries], [c[found] for c in codes]
    result = {
        "row": names[row],
        "rank": np.concatenate([np.arange(1, length + 1) for length in lengths]),
        "position": found,
        "similarity": _similarities(encoder, *pairs, chosen),
        "distance": np.sqrt(np.concatenate(distances)),
    }
    return frames.make_frame(encoder.library_, result)


def _chosen(encoder: UNTIE, columns: Sequence[str] | None) -> list[int]:
    """Return the attributes that count."""
    names = encoder.vocabulary_.columns
    if columns is None:
        return list(range(len(names)))
    if isinstance(columns, str) or not len(columns):
        raise ValueError(f"columns must be a list with at least one name, got {columns!r}.")
    return [encoder.vocabulary_.index_of(name) for name in dict.fromkeys(columns)]


def _nearest(
    space: ValueSpace,
    codes: Codes,
    queries: Codes,
    own: NDArray[np.intp] | None,
    n: int,
    chosen: list[int],
) -> tuple[list[NDArray[np.intp]], list[FloatArray]]:
    """Return the positions of each query's nearest rows, and their squared distances."""
    nearest: list[NDArray[np.intp]] = []
    distances: list[FloatArray] = []
    for start in range(0, len(queries[0]), QUERIES):
        some = [column[start : start + QUERIES] for column in queries]
        best = [_Best(n) for _ in some[0]]
        tables = space.distances_to_rows(some)
        counted = [tables[place] for place in chosen], [codes[place] for place in chosen]
        for rows, block in add_up(*counted):
            for number, kept in enumerate(best):
                # Sums of the same numbers differ by rounding; equally near rows must not.
                line = leading_digits(block[:, number], DIGITS)
                if own is not None and rows.start <= own[start + number] < rows.stop:
                    line[own[start + number] - rows.start] = np.inf
                kept.add(rows.start, line)
        nearest += [kept.positions for kept in best]
        distances += [kept.distances for kept in best]
    return nearest, distances


class _Best:
    """The nearest rows so far."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.positions = np.empty(0, dtype=np.intp)
        self.distances = np.empty(0)

    def add(self, start: int, distances: FloatArray) -> None:
        """Take in the rows from `start` on."""
        if len(distances) > self.n:
            last = np.partition(distances, self.n - 1)[self.n - 1]
            chosen = np.flatnonzero(distances <= last)
        else:
            chosen = np.arange(len(distances))
        chosen = chosen[np.isfinite(distances[chosen])]
        positions = np.concatenate([self.positions, start + chosen])
        both = np.concatenate([self.distances, distances[chosen]])
        order = np.argsort(both, kind="stable")[: self.n]
        self.positions, self.distances = positions[order], both[order]


def _similarities(encoder: UNTIE, first: Codes, second: Codes, chosen: list[int]) -> FloatArray:
    """Return the inner product of each row with its partner, over the attributes that count."""
    space = encoder.model_.space
    total = np.zeros(len(first[0]))
    for attribute in chosen:
        left, right = first[attribute], second[attribute]
        for start in range(0, len(total), QUERIES):
            some = slice(start, start + QUERIES)
            vectors = [space.vectors(attribute, codes[some]) for codes in (left, right)]
            total[some] += np.einsum("ij,ij->i", *vectors)
    return total
