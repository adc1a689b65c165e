"""Heat maps: which values of a column are alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from untie._count.counts import Counts
from untie._inputs import learned_order, order_of
from untie._learn.contexts import alikeness_of
from untie._learn.spaces.value_space import ValueSpace, likeness
from untie._table.frames import columns_of
from untie._table.intervals import equal_runs, names_in_order, run_name
from untie._table.orders import Positions
from untie._util.types import FloatArray, IntArray
from untie.explain import alike_values
from untie.report._limits import HEAT_MAPS, HEAT_RANGES, HEAT_VALUES, shown
from untie.report._study import Study
from untie.report._table import Cell, TableView, heat_view, view

MEANING = (
    "Two values of a column are alike if they occur in the same company: 1 is the same, 0 nothing "
    "in common, below 0 the opposite. What chance alone would give is subtracted."
)
SIMILARITY = (
    "Alikeness is this; similarity is that of the vectors that were learned, which keep some "
    "values apart however alike their company is. The pairs are in the order of alikeness less two "
    "standard errors, so that values of a few rows do not come first."
)
NO_PAIRS = "No two values of a column are alike in this sense."
NOTHING = "There are no two values to compare, or only one column."

LEARNED = 0.1
"""What was learned is shown where two values have more than this in common."""

LEAST = 0.1
"""Values with less in common are not called alike."""

N_PAIRS = 20
"""At most this many pairs of values are listed."""

LOOKED_THROUGH = 1_000
"""They are chosen from this many."""

LEAST_ROWS = 3
"""Of a value that fewer rows have, it is not known what it occurs with."""


@dataclass(frozen=True)
class HeatMap:
    """How alike the values of a column are.

    Parameters
    ----------
    column : str
        Its name.
    table : TableView
        From -1 to 1.
    learned : TableView or None
        How alike the learned vectors are, where two values have something in common.
    said : str
        What there is to see, in words.
    """

    column: str
    table: TableView
    learned: TableView | None
    said: str


@dataclass(frozen=True, eq=False)
class Column:
    """A column's values and what is known of them.

    Parameters
    ----------
    counts : Counts
        Of the whole table.
    place : int
        Which of its columns it is.
    labels : list of str
        The values.
    means : array of shape (n_values, n_dimensions) or None
        The mean learned vectors of merged values.
    """

    counts: Counts
    place: int
    labels: list[str]
    means: FloatArray | None = None


def heat_maps(study: Study) -> dict[str, Any]:
    """Return a heat map for each of the main columns, and the most alike pairs of all."""
    wanted = [name for name in study.shares["column"] if _size(study, name) > 1]
    if len(study.names) < 2 or not wanted:
        return {"said": NOTHING, "pairs": None, "no_pairs": "", "shown": "", "maps": []}
    maps = [_heat_map(study, name, number) for number, name in enumerate(wanted[:HEAT_MAPS])]
    pairs = _pairs(study)
    some = f"Heat maps of {len(maps)} of {len(wanted):,} columns, those that tell rows apart most."
    return {
        "said": f"{MEANING} {SIMILARITY}" if pairs else MEANING,
        "pairs": pairs,
        "no_pairs": "" if pairs else NO_PAIRS,
        "shown": some if len(maps) < len(wanted) else "",
        "maps": maps,
    }


def _size(study: Study, name: str) -> int:
    return study.encoder.vocabulary_.sizes[study.names.index(name)]


def _heat_map(study: Study, name: str, number: int) -> HeatMap:
    place = study.names.index(name)
    counts = study.encoder.counts_
    frequencies = counts.frequencies[counts.span(place)]
    column = Column(counts, place, study.encoder.vocabulary_.labels(place))
    positions, n_merged = order_of(study.encoder, place), 0
    if positions is not None and positions.max() >= HEAT_VALUES:
        n_merged = int(positions.max()) + 1
        column, positions = _merged(column, positions, study.encoder._model.space)
        frequencies = column.counts.frequencies[column.counts.span(place)]
    codes = np.sort(np.argsort(-frequencies, kind="stable")[:HEAT_VALUES])
    codes = codes[frequencies[codes] > 0]
    found = np.clip(alikeness_of(column.counts, place, codes), -1.0, 1.0)
    order = _order(None if positions is None else positions[codes], found)
    codes, found = codes[order], found[np.ix_(order, order)]
    texts = tuple(shown(column.labels[code], 30) for code in codes)
    if column.means is None:
        vectors = study.encoder._model.space.vectors(place, codes)
    else:
        vectors = column.means[codes]
    title, file = shown(name), f"values-{number}"
    learned = _learned(vectors, learned_order(study.encoder, place) is not None)
    return HeatMap(
        title,
        _square(file, f"How alike the values of {title} are", texts, found),
        None
        if learned is None
        else _square(
            f"{file}-learned", f"How alike the learned vectors of {title} are", texts, learned
        ),
        _said(texts, found, len(frequencies), n_merged),
    )


def _square(name: str, caption: str, labels: Sequence[str], numbers: FloatArray) -> TableView:
    rounded = np.round(numbers, 2) + 0.0
    rows = [
        (label, [_cell(number, at == own) for at, number in enumerate(line)])
        for own, (label, line) in enumerate(zip(labels, rounded.tolist(), strict=True))
    ]
    return heat_view(name, caption, "value", labels, rows)


def _cell(number: float, is_own: bool) -> Cell:
    """Return a number; none for a value with itself: a range of several is not 1 alike with it."""
    return Cell("", heat=0.0) if is_own else Cell(f"{number:.2f}", heat=number)


def _merged(column: Column, positions: Positions, space: ValueSpace) -> tuple[Column, Positions]:
    """Return a column of tens of ranges with a few in place of them, and the order of these."""
    own = column.counts.frequencies[column.counts.span(column.place)]
    placed = positions >= 0
    at_each = np.bincount(positions[placed], own[placed]).astype(float)
    runs = equal_runs(at_each, HEAT_RANGES)
    target = np.empty(len(positions), dtype=np.intp)
    target[placed] = np.repeat(np.arange(len(runs)), [b - a for a, b in runs])[positions[placed]]
    others = np.flatnonzero(~placed)
    target[others] = len(runs) + np.arange(len(others))
    targets = [np.arange(size, dtype=np.intp) for size in column.counts.sizes]
    targets[column.place] = target
    sizes = [len(one) for one in targets]
    sizes[column.place] = len(runs) + len(others)
    names = names_in_order(column.labels, positions)
    labels = [run_name(names, *run) for run in runs] + [column.labels[code] for code in others]
    vectors = space.vectors(column.place, np.arange(len(own)))
    sums, weights = np.zeros((len(labels), vectors.shape[1])), np.zeros(len(labels))
    np.add.at(sums, target, own[:, None] * vectors)
    np.add.at(weights, target, own)
    means = np.divide(sums, weights[:, None], out=sums, where=weights[:, None] > 0)
    merged = Column(column.counts.relabel(targets, tuple(sizes)), column.place, labels, means)
    order = np.where(np.arange(len(labels)) < len(runs), np.arange(len(labels)), -1)
    return merged, order


def _order(positions: Positions | None, found: FloatArray) -> IntArray:
    """Return ranges in their order, and other values so that alike ones are beside each other."""
    if positions is not None:
        return np.argsort(np.where(positions < 0, len(positions), positions), kind="stable")
    return in_order_of_likeness(found)


def in_order_of_likeness(found: FloatArray) -> IntArray:
    """Return places so that what is alike is beside each other."""
    if len(found) < 3:
        return np.arange(len(found))
    apart = np.maximum(1.0 - (found + found.T) / 2.0, 0.0)
    np.fill_diagonal(apart, 0.0)
    return np.asarray(leaves_list(linkage(squareform(apart), "average", optimal_ordering=True)))


def _learned(vectors: FloatArray, has_order: bool) -> FloatArray | None:
    found = likeness(vectors, has_order)
    apart = found[~np.eye(len(vectors), dtype=bool)]
    return found if np.abs(apart).max(initial=0.0) > LEARNED else None


def _said(labels: tuple[str, ...], found: FloatArray, n_values: int, n_merged: int) -> str:
    said = ""
    if n_merged:
        said = f"Its {n_merged:,} ranges, neighbours together. "
    elif len(labels) < n_values:
        said = f"The {len(labels)} most frequent of {n_values:,} values. "
    first, second = np.triu_indices(len(labels), 1)
    if not len(first):
        return said
    numbers = found[first, second]
    best = int(np.argmax(np.round(numbers, 9)))
    if numbers[best] < LEAST:
        return f"{said}No two values occur in similar company."
    pair = f"{labels[first[best]]} and {labels[second[best]]}"
    return f"{said}Most alike: {pair} ({numbers[best]:.2f})."


def _pairs(study: Study) -> TableView | None:
    found = columns_of(alike_values(study.encoder, n=LOOKED_THROUGH))
    least = LEAST_ROWS * study.encoder.counts_.n / study.n_rows
    kept = [
        line
        for line, alikeness in enumerate(found["alikeness"])
        if alikeness >= LEAST and min(found["weight"][line], found["other_weight"][line]) >= least
    ]
    # That ranges are like their neighbours goes without saying, where there is more to say.
    named = [line for line in kept if found["column"][line] not in study.ordered_names]
    kept = (named or kept)[:N_PAIRS]
    if not kept:
        return None
    kinds = "column:text value:text other_value:text alikeness:number similarity:number "
    kinds += "weight:count other_weight:count"
    caption = "The values that occur in the most similar company"
    lines = {key: [cells[line] for line in kept] for key, cells in found.items()}
    return view("alike-values", caption, kinds, lines)
