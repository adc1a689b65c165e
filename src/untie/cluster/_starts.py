"""Where k-modes starts: three ways to choose the first modes, or the user's own.

A start is a function ``(problem, rng) -> modes``; to add one, write it here and add a line to
`STARTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from untie._count.grouping import Grouping
from untie._table.rows import encode
from untie._table.table import Table, array_names, read_table
from untie.cluster._problem import Modes, Problem

Start = Callable[[Problem, np.random.RandomState], Modes]


def random(problem: Problem, rng: np.random.RandomState) -> Modes:
    """Draw distinct rows, each with a probability in proportion to its weight."""
    weights = problem.rows.weights
    shares = weights / weights.sum()
    chosen = rng.choice(len(weights), problem.n_clusters, replace=False, p=shares)
    return problem.modes_at(chosen)


def huang(problem: Problem, rng: np.random.RandomState) -> Modes:
    """Draw each attribute's values by their frequency; take the nearest rows, none twice."""
    drawn = np.empty((problem.n_clusters, len(problem.tables)), dtype=np.intp)
    for attribute, frequencies in enumerate(problem.frequencies):
        total = frequencies.sum()
        shares = frequencies / total if total > 0 else None
        drawn[:, attribute] = rng.choice(len(frequencies), problem.n_clusters, p=shares)
    distances = problem.packed.distances(problem.tables, drawn)
    chosen = np.empty(problem.n_clusters, dtype=np.intp)
    for cluster in range(problem.n_clusters):
        chosen[cluster] = distances[:, cluster].argmin()
        distances[chosen[cluster]] = np.inf
    return problem.modes_at(chosen)


def cao(problem: Problem, rng: np.random.RandomState) -> Modes:
    """Take the densest row, then rows that are dense and far from all taken; no randomness.

    A row's density is the sum of its values' frequencies. Distances are numbers of mismatches,
    whatever the distance of the clustering, which may not be 0 for equal rows. Of equally good
    rows, the first in the table is taken.
    """
    order = np.argsort(problem.rows.first)
    codes = [column[order] for column in problem.rows.codes]
    density = np.zeros(len(order))
    for column, frequencies in zip(codes, problem.frequencies, strict=True):
        density += np.append(frequencies, 0.0)[column]
    chosen = [int(density.argmax())]
    lowest = np.full(len(order), np.inf)
    while len(chosen) < problem.n_clusters:
        mismatches = np.zeros(len(order))
        for column in codes:
            mismatches += column != column[chosen[-1]]
        lowest = np.minimum(lowest, density * mismatches)
        chosen.append(int(lowest.argmax()))
    return problem.modes_at(order[chosen])


STARTS: dict[str, Start] = {"huang": huang, "cao": cao, "random": random}

DETERMINISTIC = ("cao",)
"""Starts that are the same every time: one run is enough."""


def given_modes(init: Any, n_clusters: int, grouping: Grouping) -> Modes:
    """Code the modes that the user starts from.

    Parameters
    ----------
    init : table of shape (n_clusters, n_attributes)
        Values of the table that is clustered.
    n_clusters : int
        Number of clusters.
    grouping : Grouping
        The values of the table that is clustered.
    """
    table, columns = read_table(init), grouping.raw.columns
    shape, wanted = (table.n_rows, len(table.names)), (n_clusters, len(columns))
    if shape != wanted:
        raise ValueError(
            f"init has {shape[0]} modes of {shape[1]} values, but n_clusters={wanted[0]} and "
            f"the table has {wanted[1]} columns; pass a table of shape {wanted}."
        )
    _check_names(table, columns)
    encoded = encode(table, grouping.raw)
    for column, unknown in zip(columns, encoded.unknown, strict=True):
        if unknown:
            raise ValueError(
                f"init has the value {unknown[0]!r} in column {column!r}, which no row of "
                "the table has there; start from values of the table."
            )
    return np.stack(grouping.apply_to_codes(encoded.codes), axis=1).astype(np.intp)


def _check_names(init: Table, columns: tuple[str, ...]) -> None:
    """Refuse other names or another order, where both tables have names."""
    names = tuple(getattr(nw.from_native(init.source, pass_through=True), "columns", ()))
    names = init.names if init.is_structured else names
    has_names = names and all(isinstance(name, str) for name in names)
    if has_names and columns not in (names, array_names(len(columns))):
        raise ValueError(
            f"init has the columns {names}, but the table has {columns}; name and order them as in "
            "the table."
        )
