"""Which columns of a table hold numbers, and what numbers they are."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from untie._table.column_codes import factorize, is_missing, typed_numbers, value_code
from untie._table.names import check_names
from untie._table.table import Table
from untie._util.types import FloatArray

LARGEST_NUMBER = 1e150
"""Numbers beyond this are refused, as their squares are infinite."""


def numeric_columns(table: Table, numeric: Any, categorical: Any) -> dict[int, FloatArray]:
    """Return the numbers of the numeric columns, by their position."""
    asked = _positions("numeric", numeric, table.names)
    names = _positions("categorical", categorical, table.names)
    if asked & names:
        both = table.names[min(asked & names)]
        raise ValueError(f"numeric and categorical both name the column {both!r}; take one out.")
    found: dict[int, FloatArray] = {}
    for position, (column, name) in enumerate(zip(table.columns, table.names, strict=True)):
        if position in asked:
            found[position] = asked_numbers(column, name)
        elif position not in names:
            numbers = read_numbers(column, name)
            if numbers is not None:
                found[position] = numbers
    return found


def _positions(argument: str, given: Any, names: tuple[str, ...]) -> set[int]:
    """Return the positions of columns that are given by name or position."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"{argument} must be a list of columns, got {given!r}: [{given!r}].")
    positions = set()
    for column in given:
        if isinstance(column, Integral) and not isinstance(column, bool):
            if not 0 <= int(column) < len(names):
                raise ValueError(
                    f"{argument} has the position {column}, but the table has {len(names)} "
                    f"columns; positions are from 0 to {len(names) - 1}."
                )
            positions.add(int(column))
        else:
            check_names([column], names, "the table", f", which {argument} names")
            positions.add(names.index(column))
    return positions


def asked_numbers(column: Any, name: str) -> FloatArray:
    """Return the numbers of a column that must have some."""
    numbers = read_numbers(column, name)
    if numbers is None:
        values = factorize(column, name)[1]
        odd = next((value for value in values if value is not None and not _is_number(value)), None)
        said = "no numbers" if odd is None else value_code(odd)
        raise ValueError(
            f"Column {name!r} is numeric, but holds {said}. Convert its cells to numbers, missing "
            "ones to None or NaN; or name it in categorical."
        )
    return numbers


def read_numbers(column: Any, name: str) -> FloatArray | None:
    """Return the numbers of a column, NaN for a missing one; None if it holds anything else."""
    numbers = typed_numbers(column)
    if numbers is None:
        is_series = isinstance(column, nw.Series)
        if column.dtype != (nw.Object if is_series else object):
            return None
        cells = column.to_numpy() if is_series else column
        if isinstance(next((c for c in cells if not is_missing(c)), None), str):
            return None  # no need to look at all of them
        codes, values = factorize(column, name)
        known = [value for value in values if value is not None]
        if not known or not all(map(_is_number, known)):
            return None
        numbers = np.array([np.nan if v is None else _as_float(v) for v in values])[codes]
    is_large = np.abs(numbers) > LARGEST_NUMBER  # False for NaN
    if is_large.any():
        row = int(is_large.argmax())
        raise ValueError(
            f"Column {name!r}, row {row}: {numbers[row]:g} is infinite or beyond "
            f"{LARGEST_NUMBER:g}; make it missing, or divide the column."
        )
    return numbers


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf


def without(table: Table, positions: Iterable[int]) -> Table:
    """Return a table without some columns."""
    left_out = set(positions)
    kept = [j for j in range(len(table.names)) if j not in left_out]
    names = tuple(table.names[j] for j in kept)
    return replace(table, names=names, columns=tuple(table.columns[j] for j in kept))


def side_by_side(columns: list[FloatArray], n_rows: int) -> FloatArray:
    """Return columns as one array of shape (n_rows, n_columns); there may be none."""
    return np.stack(columns, axis=1) if columns else np.empty((n_rows, 0))


def standardization(numbers: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weighted mean and standard deviation of each column, without missing numbers."""
    means, scales = np.zeros(numbers.shape[1]), np.ones(numbers.shape[1])
    for column, cells in enumerate(numbers.T):
        is_known = ~np.isnan(cells)
        if not is_known.any():
            continue
        known, counted = cells[is_known], weights[is_known]
        means[column] = known[0]
        if known.min() < known.max():
            means[column] = counted @ known / counted.sum()
            squares = (known - means[column]) ** 2
            scales[column] = np.sqrt(counted @ squares / counted.sum())
    return means, scales
