"""The rows most like a row, some values or those of a file; for ``untie neighbors``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from untie._engines.arrow import ArrowSource
from untie._engines.registry import open_table
from untie._inputs import FittedTable, as_fitted, one_row
from untie._table.frames import columns_of
from untie.cli.learning import cells_at, check_learned, seen
from untie.cli.options import LearningOptions
from untie.cli.options import unknown as not_known
from untie.cli.reading import read_rows
from untie.cli.showing import rounded, waiting
from untie.cli.streaming import Unseen, tell_unknown
from untie.cli.streams import UserError
from untie.explain import neighbors, why_similar

N_REASONS = 3
"""At most this many columns are named for each neighbour."""

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
        Number of neighbours.
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
            _asked_for(columns_of(why_similar(self.fitted.encoder, query, other)), asked)
            for other in self._rows(found["position"])
        ]
        if why:
            return rounded(_long(found, parts))
        return _short(rounded(found), parts, self._cells(found["position"]))

    def like_rows_of(self, file: str) -> dict[str, Any]:
        """Return the rows most like each row of a file."""
        rows = read_rows(file, replace(self.options, sql=None, sheet=None))
        tell_unknown(self.fitted, rows, self.options.quiet, f", in {file}{NEUTRAL}")
        found = rounded(self._nearest(seen(self.fitted, rows), self.n))
        return {
            "like": found["row"],
            "rank": found["rank"],
            "row": found["position"],
            **self._cells(found["position"]),
            "similarity": found["similarity"],
            "distance": found["distance"],
        }

    def _nearest(self, queries: Any, n: int, asked: list[str] | None = None) -> dict[str, Any]:
        self._cells([])  # refuses unknown names before the work
        fitted = self.fitted
        unseen = Unseen(fitted)
        rows = unseen.watched(self.source) if self.is_new else seen(fitted, self.source)
        given: dict[str, Any] = {"n": n, "columns": asked, "distinct": self.distinct}
        with waiting("looking for neighbours", self.options.quiet):
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


def _asked_for(part: dict[str, Any], asked: list[str] | None) -> dict[str, Any]:
    """Return what the columns that were asked for contribute, and its share of their sum."""
    if asked is None:
        return part
    kept = [place for place, name in enumerate(part["column"]) if name in asked]
    part = {name: [cells[place] for place in kept] for name, cells in part.items()}
    total = sum(part["contribution"])
    part["share"] = [one / total if total else 0.0 for one in part["contribution"]]
    return part


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
    raise UserError(not_known("value", text, labels, f"in the column {name!r}"))


def _short(
    found: dict[str, Any], parts: list[dict[str, Any]], kept: dict[str, Any]
) -> dict[str, Any]:
    alike, apart = [], []
    names = ("column", "value", "other_value", "share", "distance")
    for part in parts:
        lines = list(zip(*(part[name] for name in names), strict=True))
        same = [f"{a}={v} {share:.0%}" for a, v, other, share, _ in lines if v == other]
        alike.append(", ".join(same[:N_REASONS]))
        differ = sorted((line for line in lines if line[1] != line[2]), key=lambda x: -x[4])
        more = f", ... {len(differ) - N_REASONS} more" if len(differ) > N_REASONS else ""
        apart.append(", ".join(f"{a}={other}" for a, _, other, *_ in differ[:N_REASONS]) + more)
    return {
        "row": found["position"],
        **kept,
        "similarity": found["similarity"],
        "distance": found["distance"],
        "alike in": alike,
        "differs in": apart,
    }


def _long(found: dict[str, Any], parts: list[dict[str, Any]]) -> dict[str, Any]:
    columns: dict[str, Any] = {"row": []}
    for position, part in zip(found["position"], parts, strict=True):
        columns["row"] += [position] * len(part["column"])
    for name in ("column", "value", "other_value", "contribution", "share", "distance"):
        shown = "squared_distance" if name == "distance" else name
        columns[shown] = [cell for part in parts for cell in part[name]]
    return columns
