"""The user's choice of a distance -> a fitted value distance and its tables for k-modes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from untie._count.tally import Tally
from untie._table.table import Table
from untie._table.vocabulary import Vocabulary
from untie._util.types import FloatArray
from untie.baselines import DISTANCES, Hamming, ValueDistance


def fit_distance(
    distance: Any, table: Table, counted: Tally, parameters: dict[str, Any]
) -> ValueDistance:
    """Return the user's fitted distance, or one learned from a table's counts.

    Parameters
    ----------
    distance : None, str or ValueDistance
        The user's choice.
    table : Table
        The rows to cluster.
    counted : Tally
        Their counts.
    parameters : dict
        How the table was read (categories and so on); a distance that is learned from it has
        the same.
    """
    chosen = _resolve(distance)
    if chosen.__sklearn_is_fitted__():
        return chosen
    _refuse_own_reading(chosen, parameters)
    learned: ValueDistance = clone(chosen).set_params(**parameters)
    return learned.fit_counted(table, counted)


def needs_pairs(distance: Any) -> bool:
    """Tell whether a distance is yet to be learned from what values occur with."""
    chosen = _resolve(distance)
    return not (isinstance(chosen, Hamming) or chosen.__sklearn_is_fitted__())


def tables_between(distance: ValueDistance, vocabulary: Vocabulary) -> list[FloatArray]:
    """Return the distances of a vocabulary's values, and of an unknown one, to its values.

    Returns
    -------
    list of arrays of shape (n_values + 1, n_values)
    """
    if distance.vocabulary_.columns != vocabulary.columns:
        raise ValueError(
            f"The distance was fitted on the columns {distance.vocabulary_.columns}, but the "
            f"table has {vocabulary.columns}. Fit it on such a table, or pass it unfitted."
        )
    tables = []
    for attribute, table in enumerate(distance.tables_):
        codes = _codes(distance, vocabulary, attribute)
        tables.append(table[np.ix_(codes, codes[:-1])])
    return tables


def _codes(distance: ValueDistance, vocabulary: Vocabulary, attribute: int) -> NDArray[np.intp]:
    """Return the distance's own codes of a column's values, then that of an unknown one."""
    grouping = distance.grouping_
    unknown = grouping.vocabulary.sizes[attribute]
    raw, kept = grouping.raw.positions[attribute], grouping.vocabulary.positions[attribute]
    targets = grouping.targets[attribute]
    codes = [
        int(targets[raw[value]]) if value in raw else kept.get(value, unknown)
        for value in vocabulary.values[attribute]
    ]
    return np.array([*codes, unknown], dtype=np.intp)


def _refuse_own_reading(distance: ValueDistance, parameters: dict[str, Any]) -> None:
    """Refuse a parameter that only the distance was given: it would be passed over."""
    defaults = Hamming().get_params()
    for name, value in parameters.items():
        own, default = getattr(distance, name), defaults[name]
        if not _is_same(own, default) and _is_same(value, default):
            raise ValueError(
                f"{name}={own!r:.60} was given to the distance, but the table is read once, for "
                f"KModes and the distance alike: pass {name} to KModes, or fit the distance first."
            )


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, str) and value == default)


def _resolve(distance: Any) -> ValueDistance:
    if distance is None:
        return Hamming()
    if isinstance(distance, ValueDistance):
        return distance
    if isinstance(distance, str) and distance in DISTANCES:
        return DISTANCES[distance]()
    raise ValueError(
        f"distance must be None, one of {list(DISTANCES)} or a value distance such as "
        f"untie.baselines.Ahmad(), got {distance!r}."
    )
