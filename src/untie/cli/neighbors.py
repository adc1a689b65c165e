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
from untie.cli.reading import (
    cells_at,
    check_learned,
    column,
    read_rows,
    row_names_of,
    seen,
    told_rows,
)
from untie.cli.showing import rounded, waiting
from untie.cli.streaming import Unseen, tell_unknown
from untie.cli.streams import UserError
from untie.explain import neighbors, why_similar

N_REASONS = 3
"""At most this many columns are named for each neighbor."""

N_SAME = 5
"""At most this many rows of one name are named."""

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

    def like_one(
        self, number: int | None, where: list[str] | None, why: bool
    ) -> tuple[dict[str, Any], str]:
        """Return the rows most like one, or like some values, and what these are called.

        Parameters
        ----------
        number : int or None
            The row's number, from 1.
        where : list of str or None
            The values, or the row's name.
        why : bool
            Whether there is a line for each column of each row, and not for each row.
        """
        asked: list[str] | None = None
        row = self._row_called(where) if number is None else number - 1
        called = ", ".join(where or [])
        if row is not None:
            query = self._rows([row])[0]
            called = self._called(row)
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
            return rounded(_long(found["position"], parts)), called
        alike, apart = zip(*map(_in_short, parts), strict=True) if parts else ((), ())
        shown = {**self._shown(found), "alike in": list(alike), "differs in": list(apart)}
        return shown, called

    def like_rows_of(self, file: str) -> dict[str, Any]:
        """Return the rows most like each row of a file."""
        rows = read_rows(file, replace(self.options, sql=None, sheet=None))
        tell_unknown(self.fitted, rows, self.options.quiet, f", in {file}{NEUTRAL}")
        found = self._nearest(seen(self.fitted, rows), self.n)
        numbers = [row + 1 for row in found["row"]]
        return {"like": numbers, "rank": found["rank"], **self._shown(found)}

    def _row_called(self, where: list[str] | None) -> int | None:
        """Return the position of the row that --where names; None if it asks for values."""
        naming = row_names_of(self.fitted, self.source, self.options)
        pairs = [entry.partition("=") for entry in where or []]
        names = [text for own, equals, text in pairs if equals and own == naming]
        if not names or naming in self.fitted.encoder.vocabulary_.columns:
            return None
        if len(where or []) > 1:
            raise UserError(
                f"--where {naming}=... names a row, so the others are not needed: leave them out."
            )
        cells = ["" if cell is None else str(cell) for cell in column(self.source, str(naming))]
        found = [place for place, cell in enumerate(cells) if cell == names[0]]
        if len(found) > 1:
            numbers = ", ".join(f"{place + 1:,}" for place in found[:N_SAME])
            more = ", ..." if len(found) > N_SAME else ""
            raise UserError(
                f"{len(found):,} rows have the name {names[0]!r}: rows {numbers}{more}; name one "
                f"by its number: --row {found[0] + 1}."
            )
        if not found:
            close = get_close_matches(names[0], cells, n=3)
            close = close or [cell for cell in cells if names[0].lower() in cell.lower()][:3]
            hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else "."
            raise UserError(f"There is no row {names[0]!r} in the column {naming!r}{hint}")
        return found[0]

    def _called(self, row: int) -> str:
        """Return what a title calls a row."""
        naming = row_names_of(self.fitted, self.source, self.options)
        name = None if naming is None else cells_at(self.source, [naming], [row])[naming][0]
        return f"row {row + 1:,}{f', {name}' if name is not None else ''}"

    def _shown(self, found: dict[str, Any]) -> dict[str, Any]:
        """Return what is shown of neighbors: their rows, the cells to keep, how near they are."""
        return {
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
        return told_rows(self.fitted, self.source, self.options, self.keep, positions)

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
    lines = [{"row": position + 1, **term} for position, terms in pairs for term in terms]
    names = ("row", "column", "value", "other_value", "contribution", "share", "distance")
    return {
        "squared_distance" if name == "distance" else name: [line[name] for line in lines]
        for name in names
    }
