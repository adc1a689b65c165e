"""A sample of distinct rows with their weights, the same for every order and chunking.

Each row has a number that depends on its cells alone, and the rows with the smallest numbers are
kept: the choice is as good as random, chunks can be merged, and every engine keeps the same
rows. Up to `SAMPLE_ROWS` distinct rows the sample is the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie.core.types import Codes, FloatArray, Value
from untie.core.vocabulary import Vocabulary

SAMPLE_ROWS = 2_000
"""Most distinct rows in a sample."""

BLOCK_ROWS = 2**16
"""Rows numbered at a time."""

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
        return _smallest(
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.weights, other.weights]),
        )

    def relabel(self, targets: Sequence[NDArray[np.intp]], sizes: Sequence[int]) -> RowSample:
        """Move every value to a new code, as `Counts.relabel` does; the numbers stay."""
        columns = [
            np.append(target, size)[column]  # an unknown value has the code after the last
            for target, size, column in zip(targets, sizes, self.codes.T, strict=True)
        ]
        return RowSample(self.numbers, np.stack(columns, axis=1), self.weights)


def sample_rows(codes: Codes, vocabulary: Vocabulary, weights: FloatArray | None) -> RowSample:
    """Return the distinct rows with the smallest numbers.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        The rows, in the codes of the vocabulary.
    vocabulary : Vocabulary
        The values.
    weights : array of shape (n_rows,) or None
        How often each row counts.
    """
    tables = [_value_numbers(values, place) for place, values in enumerate(vocabulary.values)]
    sample: RowSample | None = None
    for start in range(0, len(codes[0]), BLOCK_ROWS):
        block = [column[start : start + BLOCK_ROWS] for column in codes]
        numbers = _row_numbers(tables, block)
        largest = sample.numbers[-1] if sample and len(sample.numbers) == SAMPLE_ROWS else None
        chosen = slice(None) if largest is None else np.flatnonzero(numbers <= largest)
        part = np.stack([column[chosen].astype(np.int64) for column in block], axis=1)
        block_weights = None if weights is None else weights[start : start + BLOCK_ROWS][chosen]
        if block_weights is None:
            block_weights = np.ones(len(part))
        found = _smallest(numbers[chosen], part, block_weights)
        sample = found if sample is None else sample + found
    assert sample is not None  # a table has rows
    return sample


def _row_numbers(tables: Sequence[Numbers], codes: Codes) -> Numbers:
    """Add up the numbers of the rows' values, modulo 2^64."""
    total = tables[0].take(codes[0])
    for table, column in zip(tables[1:], codes[1:], strict=True):
        total += table.take(column)
    return total


def _smallest(numbers: Numbers, codes: NDArray[Any], weights: FloatArray) -> RowSample:
    """Take equal rows together and keep the smallest numbers."""
    kept, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    totals = np.bincount(inverse, weights).astype(float)
    return RowSample(kept[:SAMPLE_ROWS], codes[first[:SAMPLE_ROWS]], totals[:SAMPLE_ROWS])


def _value_numbers(values: Sequence[Value], place: int) -> Numbers:
    """Return a number for each value of an attribute, and for an unknown one."""
    texts = [_as_text(value) for value in values] + ["unknown"]
    digests = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, salt=b"%d" % place).digest()
        for text in texts
    )
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _as_text(value: Any) -> str:
    """Return one text for all values that Python calls equal."""
    if value is None:
        return "missing"
    if isinstance(value, str):
        return f"text {value}"
    if hasattr(value, "as_integer_ratio"):
        # 1, 1.0, True and Decimal(1) are one value, and so is this exact form of them.
        try:
            return "number {}/{}".format(*value.as_integer_ratio())
        except OverflowError:
            return f"number {float(value)}"
    if isinstance(value, datetime | date | time | timedelta):
        return f"{type(value).__name__} {value!s}"
    return f"{type(value).__name__} {value!r}"
