"""The rows most like a row, some values or those of a file; for ``untie neighbors``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from untie._engines.arrow import ArrowSource
from untie._engines.registry import open_table
from untie._inputs import FittedTable, as_fitted, one_row
from untie._table.frames import columns_of, rows_of
from untie.cli.options import LearningOptions
from untie.cli.reading import cells_at, check_learned, read_rows, seen
from untie.cli.showing import rounded, waiting
from untie.cli.streaming import Unseen, tell_unknown
from untie.cli.streams import UserError
from untie.explain import neighbors, why_similar

N_REASONS = 3
"""At most this many columns are named for each neighbor."""

ANY = "(any)"
"""Stands for the cells that --where leaves open, which do not count."""

NEUTRAL = "; it is neutral in their distances"


@dataclass(frozen=True, eq=False)
class Looking:
    """How to look for rows.

    Parameters
    ----------
    fitted : FittedTable
        The model.
    source : ArrowSource
        Where to look: rows as they were read.
    n : int
        Number of neighbors.
    distinct : bool
        Whether of equal rows only the first is shown.
    keep : list of str or None
        Columns to show as well.
    options : LearningOptions
        How files are read.
    is_new : bool
        Whether the rows are new to the model; what it does not know of them is then said.
    """

    fitted: FittedTable
    source: ArrowSource
    n: int
    distinct: bool
    keep: list[str] | None
    options: LearningOptions
    is_new: bool

    def like_one(self, row: int | None, where: list[str] | None, why: bool) -> dict[str, Any]:
        """Return the rows most like one, or like some values: a line of each, or of each column."""
        asked: list[str] | None = None
        if row is not None:
            query = self._rows([row])[0]
        else:
            wanted = _wanted(self.fitted, where)
            asked = list(wanted)
            names = self.fitted.encoder.vocabulary_.columns
            query = one_row(as_fitted(self.fitted.encoder), dict.fromkeys(names, ANY) | wanted)
        found = self._nearest(query, self.n + 1, asked)  # the row itself may be among them
        kept = [place for place, position in enumerate(found["position"]) if position != row]
        found = {name: [cells[place] for place in kept[: self.n]] for name, cells in found.items()}
        if self.distinct and not kept:
            raise UserError("All rows of the table are equal to that one.")
        parts = [
            _asked_for(rows_of(why_similar(self.fitted.encoder, query, other)), asked)
            for other in self._rows(found["position"])
        ]
        if why:
            return rounded(_long(found["position"], parts))
        alike, apart = zip(*map(_in_short, parts), strict=True) if parts else ((), ())
        return {
            **self._shown(found),
            "alike in": list(alike),
            "differs in": list(apart),
        }

    def like_rows_of(self, file: str) -> dict[str, Any]:
        """Return the rows most like each row of a file."""
        rows = read_rows(file, replace(self.options, sql=None, sheet=None))
        tell_unknown(self.fitted, rows, self.options.quiet, f", in {file}{NEUTRAL}")
        found = self._nearest(seen(self.fitted, rows), self.n)
        return {"like": found["row"], "rank": found["rank"], **self._shown(found)}

    def _shown(self, found: dict[str, Any]) -> dict[str, Any]:
        """Return what is shown of neighbors: their rows, the cells to keep, how near they are."""
        return {
            "row": found["position"],
            **self._cells(found["position"]),
            **rounded({name: found[name] for name in ("similarity", "distance")}),
        }

    def _nearest(self, queries: Any, n: int, asked: list[str] | None = None) -> dict[str, Any]:
        self._cells([])  # refuses unknown names before the work
        fitted = self.fitted
        unseen = Unseen(fitted)
        rows = unseen.watched(self.source) if self.is_new else seen(fitted, self.source)
        given: dict[str, Any] = {"n": n, "columns": asked, "distinct": self.distinct}
        with waiting("looking for neighbors", self.options.quiet):
            found = columns_of(neighbors(fitted.encoder, rows, queries, **given))
        unseen.tell(self.options.quiet, NEUTRAL)
        return found

    def _cells(self, positions: Sequence[int]) -> dict[str, list[Any]]:
        return cells_at(self.source, self.keep, positions)

    def _rows(self, positions: Sequence[int]) -> list[Any]:
        """Return some rows as the encoder sees them, a frame of each."""
        wanted, places = np.unique(positions, return_inverse=True)
        pieces = open_table(seen(self.fitted, self.source)).rows_at(wanted)
        frames = [nw.from_native(piece, eager_only=True) for piece in pieces]
        found = [frame[[row], :].to_native() for frame in frames for row in range(len(frame))]
        return [found[place] for place in places]


Terms = list[dict[str, Any]]
"""The rows of `why_similar`."""


def _asked_for(terms: Terms, asked: list[str] | None) -> Terms:
    """Return what the columns that were asked for contribute, and its share of their sum."""
    if asked is None:
        return terms
    terms = [term for term in terms if term["column"] in asked]
    total = sum(term["contribution"] for term in terms)
    return [{**term, "share": term["contribution"] / total if total else 0.0} for term in terms]


def _wanted(fitted: FittedTable, where: list[str] | None) -> dict[str, Any]:
    """Return the values that are looked for, by their columns."""
    cells: dict[str, Any] = {}
    for entry in where or []:
        name, equals, text = entry.partition("=")
        if not equals:
            raise UserError(f"--where takes NAME=VALUE, got {entry!r}.")
        check_learned(fitted, name)
        cells[name] = _value(fitted, name, text)
    return cells


def _value(fitted: FittedTable, name: str, text: str) -> Any:
    """Return the value of a column that a text stands for; a number may stand for its range."""
    vocabulary = fitted.encoder.vocabulary_
    attribute = vocabulary.index_of(name)
    labels, values = vocabulary.labels(attribute), vocabulary.values[attribute]
    binned = text if fitted.preparer is None else fitted.preparer.category(name, text)
    for candidate in (text, str(binned)):
        if candidate in labels:
            return values[labels.index(candidate)]
    if binned in values:
        return binned
    close = get_close_matches(text, labels, n=3)
    close = close or [label for label in labels if label.lower() == text.lower()]
    some = ", ".join(map(repr, labels[:10])) + (", ..." if len(labels) > 10 else "")
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {some}."
    raise UserError(f"There is no value {text!r} in the column {name!r}; {hint}")


def _in_short(terms: Terms) -> tuple[str, str]:
    """Return in which columns two rows are alike, and in which they differ."""
    same = [term for term in terms if term["value"] == term["other_value"]][:N_REASONS]
    alike = ", ".join(f"{term['column']}={term['value']} {term['share']:.0%}" for term in same)
    differ = [term for term in terms if term["value"] != term["other_value"]]
    differ.sort(key=lambda term: -term["distance"])
    apart = [f"{term['column']}={term['other_value']}" for term in differ[:N_REASONS]]
    more = f", ... {len(differ) - N_REASONS} more" if len(differ) > N_REASONS else ""
    return alike, ", ".join(apart) + more


def _long(positions: list[int], parts: list[Terms]) -> dict[str, Any]:
    """Return a line for each column of each neighbor."""
    pairs = zip(positions, parts, strict=True)
    lines = [{"row": position, **term} for position, terms in pairs for term in terms]
    names = ("row", "column", "value", "other_value", "contribution", "share", "distance")
    return {
        "squared_distance" if name == "distance" else name: [line[name] for line in lines]
        for name in names
    }
