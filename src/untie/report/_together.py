"""Columns that go together: how much pairs have in common, and families that say the same."""

from typing import Any

import numpy as np

from untie._learn.columns.attributes import family_sentences, gap_sentences
from untie._util.types import FloatArray
from untie.report._alike import in_order_of_likeness
from untie.report._limits import ASSOCIATED, LISTED_FAMILIES, shown
from untie.report._study import Study
from untie.report._table import Cell, TableView, heat_view, view

MEANING = (
    "0: two columns have nothing in common; 1: each determines the other. What chance alone would "
    "give is subtracted."
)

FAMILIES = (
    "Columns that say the same share their votes, so that one fact does not make the clusters "
    "alone:"
)

LEAST = 0.05
"""Columns with less in common are not listed as pairs."""

N_PAIRS = 10
"""At most this many pairs of columns are listed."""


def columns_together(study: Study) -> dict[str, Any] | None:
    """Return the associations of columns and their families; None for a single column."""
    if len(study.names) < 2:
        return None
    found: FloatArray = np.clip(study.encoder._model.attributes.uncertainty, 0.0, 1.0)
    pairs, families, n = _pairs(study, found), families_said(study), len(study.names)
    most = f"The {ASSOCIATED} of {n:,} columns that have most in common with others."
    return {
        "meaning": MEANING,
        "families_are": FAMILIES if families else "",
        "families": families,
        "pairs": pairs,
        "no_pairs": "" if pairs else "No two columns have much in common.",
        "shown": most if n > ASSOCIATED else "",
        "table": _heat_map(study, found),
    }


def families_said(study: Study) -> list[str]:
    """Say which columns say the same, and which are missing together."""
    encoder = study.encoder
    names = [shown(name, 40) for name in study.names]
    sentences = [
        *family_sentences(encoder._model.attributes, names, encoder.counts_.sizes),
        *gap_sentences(encoder.counts_, encoder.vocabulary_, names),
    ]
    if len(sentences) > LISTED_FAMILIES:
        more = len(sentences) - LISTED_FAMILIES
        sentences = [*sentences[:LISTED_FAMILIES], f"There are {more:,} more families of columns."]
    return sentences


def _heat_map(study: Study, found: FloatArray) -> TableView:
    """Return the columns with most in common with others, alike ones beside each other."""
    apart = found - np.diag(found.diagonal())
    chosen = np.sort(np.argsort(-np.round(apart.sum(axis=0), 9), kind="stable")[:ASSOCIATED])
    some = found[np.ix_(chosen, chosen)]
    order = in_order_of_likeness(some)
    chosen, some = chosen[order], some[np.ix_(order, order)]
    names = [shown(study.names[place], 30) for place in chosen]
    rows = [
        (name, [_cell(number, line == column) for column, number in enumerate(numbers)])
        for line, (name, numbers) in enumerate(zip(names, some.tolist(), strict=True))
    ]
    return heat_view("associations", "How much columns have in common", "column", names, rows)


def _cell(number: float, is_own: bool) -> Cell:
    return Cell("", "1", heat=0.0) if is_own else Cell(f"{number:.2f}", heat=number)


def _pairs(study: Study, found: FloatArray) -> TableView | None:
    first, second = np.triu_indices(len(found), 1)
    numbers = found[first, second]
    best = np.argsort(-np.round(numbers, 9), kind="stable")[:N_PAIRS]
    best = best[numbers[best] >= LEAST]
    if not len(best):
        return None
    columns = {
        "column": [study.names[place] for place in first[best]],
        "other_column": [study.names[place] for place in second[best]],
        "in_common": numbers[best].tolist(),
    }
    kinds = "column:text other_column:text in_common:number"
    return view("column-pairs", "The pairs with most in common", kinds, columns)
