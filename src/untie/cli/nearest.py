"""The rows most like a row, some values or those of a file; for ``untie neighbors``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from untie._inputs import as_fitted, one_row
from untie._table.frames import columns_of
from untie.cli.guard import UserError
from untie.cli.learning import as_seen, read_rows
from untie.cli.options import LearningOptions
from untie.cli.reading import is_lazy
from untie.cli.showing import rounded
from untie.cli.spinner import waiting
from untie.cli.table import PreparedTable, check_learned
from untie.cli.table import unknown as not_known
from untie.cli.unknown import Outside, Unknown, tell_unknown
from untie.encoder import TableEncoder
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
    encoder : TableEncoder
        Fitted.
    table : PreparedTable
        Where to look.
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

    encoder: TableEncoder
    table: PreparedTable
    n: int
    distinct: bool
    keep: list[str] | None
    options: LearningOptions
    is_new: bool

    def like_one(self, row: int | None, where: list[str] | None, why: bool) -> dict[str, Any]:
        """Return the rows most like one, or like some values: a line of each, or of each column."""
        encoder, table = self.encoder, self.table
        asked: list[str] | None = None
        if row is not None:
            query = table.rows([row])[0]
        else:
            wanted = _wanted(encoder, table, where)
            asked = list(wanted)
            cells = dict.fromkeys(encoder.vocabulary_.columns, ANY) | wanted
            query = one_row(as_fitted(encoder), cells)
        found = self._nearest(query, self.n + 1, asked)  # the row itself may be among them
        kept = [place for place, position in enumerate(found["position"]) if position != row]
        found = {name: [cells[place] for place in kept[: self.n]] for name, cells in found.items()}
        if self.distinct and not kept:
            raise UserError("All rows of the table are equal to that one.")
        parts = [
            _asked_for(columns_of(why_similar(encoder, query, other)), asked)
            for other in table.rows(found["position"])
        ]
        if why:
            return rounded(_long(found, parts))
        return _short(rounded(found), parts, table.cells(self.keep, found["position"]))

    def like_rows_of(self, file: str) -> dict[str, Any]:
        """Return the rows most like each row of a file."""
        encoder, preparer, quiet = self.encoder, self.table.preparer, self.options.quiet
        rows = read_rows(file, replace(self.options, sql=None, sheet=None))
        queries = as_seen(encoder, preparer, rows, [])
        tell_unknown(encoder, queries, quiet, f", in {file}{NEUTRAL}")
        outside = Outside(preparer)
        outside.add(rows)
        outside.tell(quiet)
        found = self._nearest(queries, self.n)
        found = rounded(found)
        return {
            "like": found["row"],
            "rank": found["rank"],
            "row": found["position"],
            **self.table.cells(self.keep, found["position"]),
            "similarity": found["similarity"],
            "distance": found["distance"],
        }

    def _nearest(self, queries: Any, n: int, asked: list[str] | None = None) -> dict[str, Any]:
        self.table.cells(self.keep, [])  # refuses unknown names before the work
        unknown, outside = Unknown(self.encoder), Outside(self.table.preparer)
        rows = self._watched(unknown, outside) if self.is_new else self.table.features()
        with waiting("looking for neighbours", self.options.quiet):
            found = columns_of(
                neighbors(self.encoder, rows, queries, n=n, columns=asked, distinct=self.distinct)
            )
        unknown.tell(self.options.quiet, NEUTRAL)
        outside.tell(self.options.quiet)
        return found

    def _watched(self, unknown: Unknown, outside: Outside) -> Any:
        """Return the rows; what the model does not know of them is counted as they go by."""
        table = self.table
        if is_lazy(table.source):
            rows = as_seen(self.encoder, table.preparer, outside.watched(table.source), [])
            return unknown.watched(rows, table.columns)
        frame = table.frame()
        outside.add(table.source)
        unknown.add(frame)
        return frame


def _asked_for(part: dict[str, Any], asked: list[str] | None) -> dict[str, Any]:
    """Return what the columns that were asked for contribute, and its share of their sum."""
    if asked is None:
        return part
    kept = [place for place, name in enumerate(part["column"]) if name in asked]
    part = {name: [cells[place] for place in kept] for name, cells in part.items()}
    total = sum(part["contribution"])
    part["share"] = [one / total if total else 0.0 for one in part["contribution"]]
    return part


def _wanted(encoder: TableEncoder, table: PreparedTable, where: list[str] | None) -> dict[str, Any]:
    """Return the values that are looked for, by their columns."""
    cells: dict[str, Any] = {}
    for entry in where or []:
        name, equals, text = entry.partition("=")
        if not equals:
            raise UserError(f"--where takes NAME=VALUE, got {entry!r}.")
        check_learned(table, name)
        cells[name] = _value(encoder, table, name, text)
    return cells


def _value(encoder: TableEncoder, table: PreparedTable, name: str, text: str) -> Any:
    """Return the value of a column that a text stands for; a number may stand for its range."""
    attribute = encoder.vocabulary_.index_of(name)
    labels = encoder.vocabulary_.labels(attribute)
    values = encoder.vocabulary_.values[attribute]
    binned = text if table.preparer is None else table.preparer.category(name, text)
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
    for part in parts:
        lines = list(
            zip(
                part["column"],
                part["value"],
                part["other_value"],
                part["share"],
                part["distance"],
                strict=True,
            )
        )
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
    names = {
        "column": "column",
        "value": "value",
        "other_value": "other_value",
        "contribution": "contribution",
        "share": "share",
        "squared_distance": "distance",
    }
    columns: dict[str, Any] = {"row": []}
    for position, part in zip(found["position"], parts, strict=True):
        columns["row"] += [position] * len(part["column"])
    for name, own in names.items():
        columns[name] = [cell for part in parts for cell in part[own]]
    return columns
