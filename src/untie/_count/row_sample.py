"""A sample of distinct rows with their weights, the same for every order and chunking.

Each row has a number that depends on its cells and the names of their columns alone, and the rows
with the smallest numbers are kept: the choice is as good as random, chunks can be merged, and every
engine keeps the same rows, in whatever order the columns stand. Up to `SAMPLE_ROWS` distinct rows
the sample is the whole table; beyond, other names of values or columns are another draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.memory import SAMPLE_ROWS
from untie._count.packing import Packs
from untie._table.plain_values import in_utc
from untie._table.vocabulary import Vocabulary
from untie._util.mixing import mixed
from untie._util.parallel import in_threads, pays
from untie._util.types import Codes, FloatArray, Value

BLOCK_ROWS = 2**16
"""This many rows are numbered at a time."""

GROUP_BLOCKS = 16
"""This many blocks may be numbered at the same time, whatever the number of threads."""

FIRST_ROWS = 2**12
"""The first block has this many rows: until there is a sample, every row has to be sorted."""

JOINT_CELLS = 4096
"""Attributes are looked up together while they have at most this many combinations."""

DECIMAL_BITS = 2_000
"""Integers with more bits than this are written in base 16; every float is shorter."""

MOST_DIGITS = 20_000
"""Decimals with more digits before or after the point are written with an exponent; no float has so
many, and only an integer that was written out has."""

Numbers = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class RowSample:
    """Distinct rows with their weights; ``+`` merges the samples of two chunks.

    Parameters
    ----------
    numbers : array of shape (n_sampled,)
        The rows' numbers, ascending.
    codes : integer array of shape (n_sampled, n_attributes)
        The rows, in the codes of a vocabulary.
    weights : array of shape (n_sampled,)
        Weight of all rows of the table that are equal to each.
    """

    numbers: Numbers
    codes: NDArray[np.int64]
    weights: FloatArray

    def __add__(self, other: RowSample) -> RowSample:
        if not isinstance(other, RowSample):
            return NotImplemented
        kept, first, totals = _smallest(
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.weights, other.weights]),
        )
        return RowSample(kept, np.concatenate([self.codes, other.codes])[first], totals)

    def check(self, sizes: Sequence[int], frequencies: FloatArray) -> None:
        """Refuse rows that are not of the table with these counts.

        Parameters
        ----------
        sizes : sequence of int
            Number of values of each attribute.
        frequencies : array of shape (n_values,)
            Weight of the table's rows with each value of each attribute.
        """
        reason = None
        if self.codes.shape != (len(self.weights), len(sizes)):
            reason = f"its rows have {self.codes.shape[1]} columns, the counts {len(sizes)}"
        elif (self.codes < 0).any() or (self.codes > np.array(sizes)).any():
            reason = "its codes go beyond the values that were counted"
        else:
            found = [
                np.bincount(column, self.weights, minlength=size + 1)[:size]
                for column, size in zip(self.codes.T, sizes, strict=True)
            ]
            if (np.concatenate(found) > frequencies * (1 + 1e-6)).any():
                reason = "some value has more weight in it than in the counts"
        if reason:
            raise ValueError(
                f"The sample is not of the table that was counted: {reason}. Pass what "
                "untie.count_table gave as it is, or without its sample."
            )

    def relabel(self, targets: Sequence[NDArray[np.intp]], sizes: Sequence[int]) -> RowSample:
        """Move every value to a new code, as `Counts.relabel` does; the numbers stay."""
        columns = [
            np.append(target, size)[column]  # an unknown value has the code after the last
            for target, size, column in zip(targets, sizes, self.codes.T, strict=True)
        ]
        return RowSample(self.numbers, np.stack(columns, axis=1), self.weights)


def sample_rows(
    codes: Codes,
    vocabulary: Vocabulary,
    weights: FloatArray | None,
    limit: np.uint64 | None = None,
) -> RowSample:
    """Return the distinct rows with the smallest numbers.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        The rows, in the codes of the vocabulary.
    vocabulary : Vocabulary
        The values.
    weights : array of shape (n_rows,) or None
        How often each row counts.
    limit : int, optional
        Rows with a larger number are left out: those before these had enough smaller ones.
    """
    numbers = _PackedNumbers(vocabulary)
    n_rows = len(codes[0])
    sample: RowSample | None = None

    def sample_block(rows: slice) -> RowSample:
        block = [column[rows] for column in codes]
        part = None if weights is None else weights[rows]
        return _sample_block(block, numbers.of(block), part, largest)

    for group in _groups(n_rows, has_limit=limit is not None):
        # Rows above the largest number kept so far are out, and these are nearly all.
        largest = limit if sample is None else sample_limit(sample, limit)
        for found in in_threads(sample_block, group, pays(n_rows * len(codes))):
            sample = found if sample is None else sample + found
    if sample is None:  # there are no rows
        sample = RowSample(np.empty(0, np.uint64), np.empty((0, len(codes)), np.int64), np.empty(0))
    return sample


def _groups(n_rows: int, has_limit: bool) -> Iterator[list[slice]]:
    """Yield blocks of rows that are sampled at the same time; the first ones find the limit."""
    start = 0
    if not has_limit:
        while start < min(n_rows, BLOCK_ROWS):
            stop = min(n_rows, max(FIRST_ROWS, 2 * start))
            yield [slice(start, stop)]
            start = stop
    step = BLOCK_ROWS * GROUP_BLOCKS
    for first in range(start, n_rows, step):
        stop = min(n_rows, first + step)
        yield [slice(at, min(stop, at + BLOCK_ROWS)) for at in range(first, stop, BLOCK_ROWS)]


def sample_limit(sample: RowSample, limit: np.uint64 | None = None) -> np.uint64 | None:
    """Return the number above which no further row is kept; `limit` if the sample has room."""
    return sample.numbers[-1] if len(sample.numbers) == SAMPLE_ROWS else limit


def _sample_block(
    codes: Codes, numbers: Numbers, weights: FloatArray | None, largest: np.uint64 | None
) -> RowSample:
    if largest is not None:
        chosen = np.flatnonzero(numbers <= largest)
        numbers = numbers[chosen]
        codes = [column[chosen] for column in codes]
        weights = None if weights is None else weights[chosen]
    kept, first, totals = _smallest(numbers, np.ones(len(numbers)) if weights is None else weights)
    rows = [column[first].astype(np.int64) for column in codes]
    return RowSample(kept, np.stack(rows, axis=1), totals)


class _PackedNumbers:
    """The numbers of all combinations of the values of several attributes, to look up at once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        columns = zip(vocabulary.values, vocabulary.columns, strict=True)
        tables = [_value_numbers(values, column) for values, column in columns]
        self._packs = Packs(tuple(len(table) for table in tables), JOINT_CELLS)
        added = self._packs.add_tables([table[:, None] for table in tables])
        self._tables = [table.ravel() for table in added]

    def of(self, codes: Codes) -> Numbers:
        """Add up the numbers of the rows' values, modulo 2^64, and mix the sums.

        As they are, small sums would have some values together more often than the table has.
        """
        total = np.zeros(len(codes[0]), dtype=np.uint64)
        for joint, table in zip(self._packs.join_codes(codes), self._tables, strict=True):
            total += table.take(joint)
        return mixed(total)


def _smallest(
    numbers: Numbers, weights: FloatArray
) -> tuple[Numbers, NDArray[np.intp], FloatArray]:
    """Return the smallest numbers, where each stands first, and the weight of all its rows."""
    kept, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    totals = np.bincount(inverse, weights).astype(float)
    return kept[:SAMPLE_ROWS], first[:SAMPLE_ROWS], totals[:SAMPLE_ROWS]


def _value_numbers(values: Sequence[Value], column: str) -> Numbers:
    """Return a number for each value of a column, and for an unknown one."""
    texts = [_as_text(value) for value in values] + ["unknown"]
    salt = blake2b(_encoded(column), digest_size=blake2b.SALT_SIZE).digest()
    digests = b"".join(blake2b(_encoded(t), digest_size=8, salt=salt).digest() for t in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _as_text(value: Any) -> str:
    """Return one text for all values that Python calls equal."""
    if value is None:
        return "missing"
    if isinstance(value, str):
        return "text " + value
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > MOST_DIGITS:
        return _short_form(value)
    if hasattr(value, "as_integer_ratio"):
        # 1, 1.0, True and Decimal(1) are one value, and so is this exact form of them.
        try:
            return "number {}/{}".format(*map(_digits, value.as_integer_ratio()))
        except OverflowError:
            return f"number {float(value)}"
    if isinstance(value, datetime):
        return f"datetime {in_utc(value)}"
    if isinstance(value, date | time | timedelta):
        return f"{type(value).__name__} {value!s}"
    # What is made of values is equal if they are: (1, "a") and (1.0, "a") are one value.
    if isinstance(value, tuple):
        return f"tuple {[_as_text(item) for item in value]}"
    if isinstance(value, frozenset):
        return f"frozenset {sorted(_as_text(item) for item in value)}"
    if type(value).__name__ == "Interval":
        return f"interval {[_as_text(item) for item in (value.left, value.right, value.closed)]}"
    return f"{type(value).__name__} {value!r}"


def _short_form(value: Decimal) -> str:
    """Write a number whose digits are few and whose ratio of integers would fill memory."""
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits))
    short = text.rstrip("0")
    end = int(exponent) + len(text) - len(short)
    return f"number {'-' * sign}{short}E{end}" if value else _as_text(0)


def _digits(number: int) -> str:
    """Write an integer; a very long one in base 16, as Python refuses to in base 10."""
    return hex(number) if number.bit_length() > DECIMAL_BITS else str(number)
