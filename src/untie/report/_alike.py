"""Heat maps: which values of a column are alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from untie._count.counts import Counts
from untie._inputs import learned_order, order_of, redundant_said
from untie._learn.contexts import alikeness_of
from untie._learn.spaces.value_space import ValueSpace, likeness
from untie._table.frames import columns_of
from untie._table.intervals import equal_runs, names_in_order, run_name
from untie._table.orders import Positions
from untie._util.types import FloatArray
from untie.explain import alike_values
from untie.plot import in_order_of_likeness
from untie.report._limits import shown
from untie.report._study import Study
from untie.report._table import Cell, TableView, heat_view, view

ASSOCIATED = 20
"""At most this many columns are in the heat map of columns."""

LISTED_FAMILIES = 12
"""At most this many families of columns have a sentence."""

HEAT_MAPS = 12
"""At most this many columns have a heat map."""

HEAT_VALUES = 16
"""A heat map has at most this many values."""

HEAT_RANGES = 10
"""Of a column with an order and more values than that, neighbors make this many ranges."""

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
    sizes = dict(zip(study.names, study.encoder.vocabulary_.sizes, strict=True))
    wanted = [name for name in study.shares["column"] if sizes[name] > 1]
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
    if positions is None:
        order = in_order_of_likeness(found)
    else:
        places = positions[codes]
        order = np.argsort(np.where(places < 0, len(positions), places), kind="stable")
    codes, found = codes[order], found[np.ix_(order, order)]
    texts = tuple(shown(column.labels[code], 30) for code in codes)
    if column.means is None:
        vectors = study.encoder._model.space.vectors(place, codes)
    else:
        vectors = column.means[codes]
    title, file = shown(name), f"values-{number}"
    caption = f"How alike the {{}} of {title} are"
    learned = likeness(vectors, learned_order(study.encoder, place) is not None)
    apart = learned[~np.eye(len(codes), dtype=bool)]
    of_vectors = None
    if np.abs(apart).max(initial=0.0) > LEARNED:
        of_vectors = _square(
            f"{file}-learned", caption.format("learned vectors"), "value", texts, _rounded(learned)
        )
    table = _square(file, caption.format("values"), "value", texts, _rounded(found))
    return HeatMap(title, table, of_vectors, _said(texts, found, len(frequencies), n_merged))


def _rounded(numbers: FloatArray) -> FloatArray:
    return np.round(numbers, 2) + 0.0  # no -0


def _square(
    name: str,
    caption: str,
    corner: str,
    labels: Sequence[str],
    numbers: FloatArray,
    own: str | None = None,
) -> TableView:
    """Return a heat map of labels with each other; of one with itself, `own` is downloaded alone.

    A range of several values is not 1 alike with itself, so that there is nothing to be said.
    """
    rows = [
        (
            label,
            [
                Cell("", own, heat=0.0) if at == place else Cell(f"{number:.2f}", heat=number)
                for at, number in enumerate(line)
            ],
        )
        for place, (label, line) in enumerate(zip(labels, numbers.tolist(), strict=True))
    ]
    return heat_view(name, caption, corner, labels, rows)


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


def _said(labels: tuple[str, ...], found: FloatArray, n_values: int, n_merged: int) -> str:
    said = ""
    if n_merged:
        said = f"Its {n_merged:,} ranges, neighbors together. "
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
    # That ranges are like their neighbors goes without saying, where there is more to say.
    named = [line for line in kept if found["column"][line] not in study.ordered_names]
    kept = (named or kept)[:N_PAIRS]
    if not kept:
        return None
    kinds = "column:text value:text other_value:text alikeness:number similarity:number "
    kinds += "weight:count other_weight:count"
    caption = "The values that occur in the most similar company"
    lines = {key: [cells[line] for line in kept] for key, cells in found.items()}
    return view("alike-values", caption, kinds, lines)


IN_COMMON = (
    "0: two columns have nothing in common; 1: each determines the other. What chance alone would "
    "give is subtracted."
)

FAMILIES = (
    "Columns that say the same share their votes, so that one fact does not make the clusters "
    "alone:"
)

ASSOCIATED_LEAST = 0.05
"""Columns with less in common are not listed as pairs."""

N_COLUMN_PAIRS = 10
"""At most this many pairs of columns are listed."""


def columns_together(study: Study) -> dict[str, Any] | None:
    """Return the associations of columns and their families; None for a single column."""
    if len(study.names) < 2:
        return None
    found: FloatArray = np.clip(study.encoder._model.attributes.uncertainty, 0.0, 1.0)
    pairs, families, n = _column_pairs(study, found), _families_said(study), len(study.names)
    most = f"The {ASSOCIATED} of {n:,} columns that have most in common with others."
    return {
        "meaning": IN_COMMON,
        "families_are": FAMILIES if families else "",
        "families": families,
        "pairs": pairs,
        "no_pairs": "" if pairs else "No two columns have much in common.",
        "shown": most if n > ASSOCIATED else "",
        "table": _map_of_columns(study, found),
    }


def _families_said(study: Study) -> list[str]:
    """Say which columns say the same, and which are missing together."""
    sentences = redundant_said(study.encoder, [shown(name, 40) for name in study.names])
    if len(sentences) > LISTED_FAMILIES:
        more = len(sentences) - LISTED_FAMILIES
        sentences = [*sentences[:LISTED_FAMILIES], f"There are {more:,} more families of columns."]
    return sentences


def _map_of_columns(study: Study, found: FloatArray) -> TableView:
    """Return the columns with most in common with others, alike ones beside each other."""
    apart = found - np.diag(found.diagonal())
    chosen = np.sort(np.argsort(-np.round(apart.sum(axis=0), 9), kind="stable")[:ASSOCIATED])
    some = found[np.ix_(chosen, chosen)]
    order = in_order_of_likeness(some)
    chosen, some = chosen[order], some[np.ix_(order, order)]
    names = [shown(study.names[place], 30) for place in chosen]
    caption = "How much columns have in common"
    return _square("associations", caption, "column", names, some, own="1")


def _column_pairs(study: Study, found: FloatArray) -> TableView | None:
    first, second = np.triu_indices(len(found), 1)
    numbers = found[first, second]
    best = np.argsort(-np.round(numbers, 9), kind="stable")[:N_COLUMN_PAIRS]
    best = best[numbers[best] >= ASSOCIATED_LEAST]
    if not len(best):
        return None
    columns = {
        "column": [study.names[place] for place in first[best]],
        "other_column": [study.names[place] for place in second[best]],
        "in_common": numbers[best].tolist(),
    }
    kinds = "column:text other_column:text in_common:number"
    return view("column-pairs", "The pairs with most in common", kinds, columns)
