"""How much the user wants each column to count: a factor on its vote; 0 is passive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from untie._table.names import check_names
from untie._util.checks import is_number
from untie._util.types import FloatArray
from untie._util.words import message

ColumnWeights = Mapping[Any, float]
"""Factors by the names or positions of columns."""


def check_column_weights(weights: Any) -> ColumnWeights:
    """Refuse what is no mapping from columns to factors; None is an empty one."""
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise ValueError(
            f"column_weights must be a mapping from columns to numbers, such as {{'age': 2, 'zip': "
            f"0}}, got {type(weights).__name__}."
        )
    for column, factor in weights.items():
        if not is_number(factor) or not np.isfinite(factor) or factor < 0:
            raise ValueError(
                f"column_weights of column {column!r} is {factor!r}; it must be a finite number of "
                "at least 0: 1 is as without, 2 counts twice, 0 is not learned from."
            )
    return dict(weights)


def column_factors(weights: ColumnWeights, columns: Sequence[str]) -> FloatArray:
    """Return the factor of each column of a table, 1 where none is given.

    Examples
    --------
    >>> column_factors({"age": 2, 2: 0}, ["age", "sex", "zip"])
    array([2., 1., 0.])
    """
    factors = np.ones(len(columns))
    named: dict[str, Any] = {}
    for key, factor in weights.items():
        name = _name(key, columns)
        if name in named:
            raise ValueError(
                f"column_weights names column {name!r} twice, as {named[name]!r} and {key!r}; keep "
                "one of them."
            )
        named[name] = key
        factors[columns.index(name)] = factor
    if not factors.any():
        raise ValueError(
            message(
                "Every column is supplementary, so there is nothing to learn from; give at least "
                "one a weight above 0 in {column_weights}."
            )
        )
    return factors


def _name(key: Any, columns: Sequence[str]) -> str:
    """Return the column that a name or a position means; a name comes first."""
    is_position = isinstance(key, Integral) and not isinstance(key, bool)
    if str(key) not in columns and is_position and 0 <= key < len(columns):
        return columns[int(key)]
    check_names(
        [str(key)],
        columns,
        "the table",
        ", which column_weights names",
        "A column that preparation leaves out needs no weight.",
    )
    return str(key)
