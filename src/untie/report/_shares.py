"""How frequent values are in each cluster: a heat map of all, and two of them side by side."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from untie._inputs import order_of
from untie._table.intervals import equal_runs, names_in_order, phrase, run_name
from untie._util.types import FloatArray
from untie.report._limits import (
    PAIR_COLUMNS,
    PAIR_SHOWN,
    PAIR_VALUES,
    SHARE_COLUMNS,
    SHARE_VALUES,
    shown,
)
from untie.report._study import Study
from untie.report._table import Cell, TableView, heat_view, percent, view

MOST_RUNS = 4
"""Numbers and other values with an order are shown in at most this many ranges."""

MUCH = 0.05
"""A further value of a column is shown if its share in a cluster is as far from the usual one."""

LEAST = 0.005
"""Shares that differ by less are not listed side by side."""


@dataclass(frozen=True, eq=False)
class ValueLine:
    """A value, or a run of neighbouring ones, and how often the clusters have it.

    Parameters
    ----------
    column, value : str
        What they are called.
    counts : array of shape (n_clusters,)
        Weight of each cluster's rows that have it.
    """

    column: str
    value: str
    counts: FloatArray


def shares_in_clusters(study: Study) -> dict[str, Any] | None:
    """Return a heat map of clusters and values; None for a single cluster."""
    if len(study.clusters) < 2:
        return None
    lines = _those_that_differ(value_lines(study, SHARE_COLUMNS, SHARE_VALUES), study)
    places = [study.clusters.index(number) for number in study.largest]
    rows = [
        (phrase(shown(line.column, 40), shown(line.value, 40)), _cells(line, study, places))
        for line in lines
    ]
    columns = [f"{number}: {shown(study.group_names[number], 60)}" for number in study.largest]
    caption = "Share of each cluster's rows that have a value"
    n_all, n_more, said = len(study.names), len(study.clusters) - len(places), []
    if n_all > SHARE_COLUMNS:
        which = f"the {SHARE_COLUMNS} of {n_all:,} columns in which the clusters differ most"
        said.append(f"These are {which}.")
    if n_more:
        smallest = "smallest cluster is" if n_more == 1 else f"{n_more:,} smallest clusters are"
        said.append(f"The {smallest} left out.")
    return {
        "said": " ".join(said),
        "table": heat_view("shares", caption, "value", [*columns, "all rows"], rows),
    }


def _those_that_differ(lines: list[ValueLine], study: Study) -> list[ValueLine]:
    """Leave out values of which all clusters have about as many; each column keeps its first."""
    columns: set[str] = set()
    kept = []
    for line in lines:
        usual = line.counts.sum() / study.sizes.sum()
        apart = np.abs(line.counts / study.sizes - usual).max()
        if apart >= MUCH or line.column not in columns:
            kept.append(line)
        columns.add(line.column)
    return kept


def _cells(line: ValueLine, study: Study, places: list[int]) -> list[Cell]:
    overall = float(line.counts.sum() / study.sizes.sum())
    shares = [float(line.counts[place] / study.sizes[place]) for place in places]
    cells = [Cell(percent(share), repr(share), heat=share - overall) for share in shares]
    return [*cells, Cell(percent(overall), repr(overall), heat=0.0)]


def side_by_side(study: Study) -> dict[str, Any] | None:
    """Return what a script needs to compare any two clusters, and the two largest compared."""
    if len(study.clusters) < 2:
        return None
    lines = value_lines(study, PAIR_COLUMNS, PAIR_VALUES)
    places = np.argsort(-study.sizes, kind="stable")[:2]
    first, second = sorted(study.clusters[place] for place in places)
    one, other = (f"cluster {number} ({study.group_names[number]})" for number in (first, second))
    return {
        "said": f"C{one[1:]} beside {other}; the difference is in percentage points.",
        "clusters": study.clusters,
        "first": first,
        "second": second,
        "names": [study.group_names[number] for number in study.clusters],
        "sizes": [_round(size) for size in study.sizes],
        "lines": [
            [shown(line.column, 60), shown(line.value, 60), [_round(n) for n in line.counts]]
            for line in lines
        ],
        "table": _pair(study, lines, first, second),
    }


def _pair(study: Study, lines: list[ValueLine], first: int, second: int) -> TableView:
    places = [study.clusters.index(number) for number in (first, second)]
    shares = np.array([line.counts[places] / study.sizes[places] for line in lines]).reshape(-1, 2)
    apart = shares[:, 0] - shares[:, 1]
    order = [line for line in np.argsort(-np.abs(apart), kind="stable") if abs(apart[line]) > LEAST]
    order = order[:PAIR_SHOWN]
    heads = [f"cluster {number}" for number in (first, second)]
    columns = {
        "column": [shown(lines[line].column, 60) for line in order],
        "value": [shown(lines[line].value, 60) for line in order],
        **{head: shares[order, side].tolist() for side, head in enumerate(heads)},
        "difference": apart[order].tolist(),
    }
    kinds = {"column": "text", "value": "text", **dict.fromkeys(heads, "bar")}
    caption = f"Where clusters {first} and {second} differ most"
    return view("side-by-side", caption, {**kinds, "difference": "points"}, columns)


def value_lines(study: Study, most_columns: int, per_column: int) -> list[ValueLine]:
    """Return the values in which clusters differ most, column by column.

    Parameters
    ----------
    study : Study
        What the page is about.
    most_columns, per_column : int
        At most this many columns, and values or ranges of each.
    """
    table = study.in_clusters
    told = [float(_told(entries.counts).sum()) for entries in table.entries]
    order = np.argsort(-np.round(told, 9), kind="stable")[:most_columns]
    return [line for place in order for line in _lines(study, int(place), per_column)]


def _lines(study: Study, place: int, most: int) -> list[ValueLine]:
    entries, column = study.in_clusters.entries[place], study.in_clusters.columns[place]
    counts, names = entries.counts, list(entries.names)
    positions = order_of(study.encoder, place)
    if positions is not None:
        known = study.encoder.vocabulary_.labels(place)
        at = dict(zip(known, positions.tolist(), strict=True))
        where = np.array([at.get(name, -1) for name in names], dtype=np.intp)
        in_order = names_in_order(known, positions)
        return _ordered(column, names, counts, where, in_order, most)
    best = np.argsort(-np.round(_told(counts).sum(axis=0), 9), kind="stable")[:most]
    if len(names) == 2:  # one of two says all; the rarer is likely to be the yes of a yes and no
        best = np.array([1 if counts[:, 1].sum() <= counts[:, 0].sum() else 0])
    return [ValueLine(column, names[code], counts[:, code]) for code in best]


def _ordered(
    column: str,
    names: list[str],
    counts: FloatArray,
    where: Any,
    in_order: list[str],
    most: int,
) -> list[ValueLine]:
    """Return runs of a column with an order, and its other values such as missing."""
    at_each = np.zeros((len(counts), len(in_order)))
    placed = np.flatnonzero(where >= 0)
    np.add.at(at_each.T, where[placed], counts[:, placed].T)
    runs = equal_runs(at_each.sum(axis=0), min(most, MOST_RUNS)) if at_each.any() else []
    found = [
        ValueLine(column, run_name(in_order, *run), at_each[:, slice(*run)].sum(axis=1))
        for run in runs
    ]
    others = [ValueLine(column, names[code], counts[:, code]) for code in np.flatnonzero(where < 0)]
    return [line for line in found + others[:1] if line.counts.any()]


def _told(counts: FloatArray) -> FloatArray:
    """Return what each cluster and value adds to their mutual information, in bits."""
    joint = counts / counts.sum()
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    ratio = np.divide(joint, expected, out=np.ones_like(joint), where=joint > 0)
    return joint * np.log2(ratio)


def _round(number: float) -> float | int:
    """Return a weight as JSON has it in few characters."""
    return int(number) if number == round(number) else round(float(number), 6)
