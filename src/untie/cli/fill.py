"""A file -> the same with likely values in its missing cells; for ``untie fill``."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from untie._inputs import FittedTable, as_fitted
from untie._prepare.rules import Group, Keep, as_text
from untie._table.column_codes import factorize, value_text
from untie._table.table import read_table
from untie._util.messages import counted, need
from untie._util.types import BoolArray, FloatArray, IntArray
from untie.cli.options import (
    ColumnOptions,
    Format,
    LearningOptions,
    refuse_for_model,
)
from untie.cli.reading import fit_model, load, new_clusterer, own_rows, read_rows, tell_columns
from untie.cli.showing import chosen_format, print_table, rounded, say, show, waiting
from untie.explain import LikelyCells, likely_cells
from untie.preparer import binned_numbers

NAMED = 10
"""At most this many columns are named that are not filled."""

ANSWERS = "its cells list several answers"
PARTS = "only parts of its dates are learned from"
"""Why a column is not filled that others are made of."""

NO_ROW = "no row of the file has the value that is likely there"
"""Why a cell that has a likely value is not filled."""


def fill_rows(
    file: str | None,
    options: ColumnOptions,
    model: Path | None,
    least: float,
    numbers: bool,
) -> None:
    """Write or show the rows of a file, with likely values where cells are missing.

    Parameters
    ----------
    file : str or None
        What to read.
    options : ColumnOptions
        How.
    model : Path or None
        A model that was saved, instead of learning from the file.
    least : float
        Less probable values are left out.
    numbers : bool
        Whether numbers are filled.
    """
    if model is not None:
        refuse_for_model(options)
    rows = read_rows(file, options)
    if model is not None:
        fitted = as_fitted(load(model))
    else:
        usual = {field.name: getattr(options, field.name) for field in fields(ColumnOptions)}
        clusterer = new_clusterer(LearningOptions(**usual), rows.column_names, None)
        with waiting("learning", options.quiet):
            fit_model(clusterer, rows, None)
        fitted = as_fitted(clusterer)
        tell_columns(fitted.preparer, options)
    own = own_rows(fitted, rows)
    prepared, weights = fitted.counted(own)
    with waiting("predicting the missing cells", options.quiet):
        found, skipped = likely_cells(fitted, prepared, weights)
    filling = Filling(fitted, rows, prepared, least, numbers)
    filled = filling.fill(found)
    how = chosen_format(options.format_)
    is_written = options.output is not None or how != Format.table
    for line in [*filling.said(is_written), *filling.not_filled(found, skipped)]:
        say(line, options.quiet)
    if is_written:
        show(filled, options)
    if how == Format.table and filling.lines:
        print_table(rounded(filling.summary()), "Missing cells, and how probable their values are")


@dataclass(frozen=True)
class Line:
    """What was done to a column.

    Parameters
    ----------
    column : str
        The column.
    n_missing, n_filled : int
        Number of missing cells, and of those that were filled.
    n_unseen : int
        Number of missing cells whose likely value no row has.
    probability : float or None
        The sum of the probabilities of the values; None for numbers.
    """

    column: str
    n_missing: int
    n_filled: int
    n_unseen: int
    probability: float | None


class Filling:
    """Puts likely values into the missing cells of rows, and counts them.

    Parameters
    ----------
    fitted : FittedTable
        The model.
    rows : pyarrow Table
        As they were read.
    prepared : table of shape (n_rows, n_columns)
        As the encoder sees them. The cells that are missing here are filled, and no others.
    least : float
        Less probable values are left out.
    numbers : bool
        Whether numbers are filled.
    """

    def __init__(
        self,
        fitted: FittedTable,
        rows: Any,
        prepared: Any,
        least: float,
        numbers: bool,
    ) -> None:
        self.rows, self.least, self.numbers = rows, least, numbers
        self.names = fitted.encoder.vocabulary_.columns
        self.values = fitted.encoder.vocabulary_.values
        self.codes = fitted.encoder._codes(prepared)
        preparer = fitted.preparer
        made = None if preparer is None else preparer._preparation
        is_plain = made is not None and len(fitted.steps) == 1
        self.rules = dict(zip(made.columns, made.rules, strict=True)) if made and is_plain else {}
        self.origins = {} if made is None else made.origins
        self.split = set() if made is None else set(made.answers)
        self.binned = {} if preparer is None else binned_numbers(preparer, rows)
        self.lines: list[Line] = []

    def fill(self, found: Sequence[LikelyCells]) -> Any:
        """Return the rows with the likely values that are probable enough."""
        rows = self.rows
        for cells in found:
            name = self.names[cells.attribute]
            if name not in rows.column_names:  # such as the weekday of a date
                continue
            place = rows.column_names.index(name)
            column = self._filled(name, cells)
            rows = rows.set_column(place, rows.schema.field(place), column)
        return rows

    def _filled(self, name: str, cells: LikelyCells) -> Any:
        """Return a column with some of its missing cells filled.

        They are taken from other rows of the column, so that its type and way of writing stay.
        """
        own, values = factorize(read_table(self.rows.select([name])).columns[0], name)
        is_number = name in self.binned
        codes = cells.middle if is_number else cells.codes
        able = cells.probability >= self.least
        if is_number:
            able = np.full(len(able), self.numbers)
        donors, column = np.full(len(able), -1), self.rows[name]
        for code in np.unique(codes[able]).tolist():
            there = np.flatnonzero(self.codes[cells.attribute] == code)
            if len(there):
                donors[able & (codes == code)] = self._donor(name, there, own, values)
            elif (new := self._of_model(cells.attribute, code, column.type)) is not None:
                donors[able & (codes == code)] = len(column)
                column = need("pyarrow").chunked_array([*column.chunks, new], column.type)
        usable = donors >= 0
        places = np.arange(self.rows.num_rows)
        places[cells.rows[usable]] = donors[usable]
        n, probability = int(usable.sum()), float(cells.probability[usable].sum())
        n_unseen = int((able & ~usable).sum())
        self.lines.append(Line(name, len(usable), n, n_unseen, None if is_number else probability))
        return column.take(places) if n else self.rows[name]

    def _of_model(self, attribute: int, code: int, kind: Any) -> Any:
        """Return an array with a value that no row has, as the model knows it, if text can be."""
        pa, name = need("pyarrow"), self.names[attribute]
        rule = self.rules.get(name)
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        if not is_text or not isinstance(rule, Keep | Group) or rule.reading.writing is not None:
            return None
        return pa.array([as_text(self.values[attribute][code])], type=kind)

    def _donor(self, name: str, there: IntArray, own: Any, values: list[Any]) -> int:
        """Return one of the rows that have a value, or a number in a range: the one to repeat."""
        if name in self.binned:
            return _median_row(there, self.binned[name])
        counts = Counter(own[there].tolist())
        best = min(counts, key=lambda code: (-counts[code], value_text(values[code])))
        return int(there[own[there] == best][0])

    def said(self, is_written: bool) -> Iterator[str]:
        """Yield how many cells were filled, and why not the others."""
        verb = "Filled" if is_written else "Would fill"
        values = [line for line in self.lines if line.probability is not None]
        numbers = [line for line in self.lines if line.probability is None]
        n_missing, n_filled = _sums(values)
        if not any(line.n_missing for line in self.lines):
            yield "No cell is missing in the columns that can be filled."
        if n_missing:
            right = ""
            if n_filled:
                share = sum(line.probability or 0.0 for line in values) / n_filled
                right = f"; about {share:.0%} are right if cells are missing at random"
            yield f"{verb} {n_filled:,} of {counted(n_missing, 'missing cell')}{right}."
        n_unseen = sum(line.n_unseen for line in values)
        if left := n_missing - n_filled - n_unseen:
            stay = "stays" if left == 1 else "stay"
            yield (
                f"{counted(left, 'cell')} {stay} missing: no value has a probability of "
                f"{self.least:g} or more (--min-probability)."
            )
        if n_unseen := sum(line.n_unseen for line in self.lines):
            stay = "stays" if n_unseen == 1 else "stay"
            yield f"{counted(n_unseen, 'cell')} {stay} missing: {NO_ROW}."
        n_rows = self.rows.num_rows
        sparse = [line for line in values if line.n_filled and line.n_missing > n_rows / 2]
        if sparse:
            named = ", ".join(
                f"{line.column} ({n_rows - line.n_missing:,} of {n_rows:,})"
                for line in sparse[:NAMED]
            )
            more = f" and {len(sparse) - NAMED:,} more" if len(sparse) > NAMED else ""
            yield f"Columns with few known cells, which --drop leaves as they are: {named}{more}"
        n_missing, n_filled = _sums(numbers)
        if n_missing and self.numbers:
            which = f"{n_filled:,} of {n_missing:,} missing numbers and dates"
            yield f"{verb} {which} with the median of what is likely."
        elif n_missing:
            named = ", ".join(line.column for line in numbers[:NAMED])
            yield f"Numbers and dates stay missing, unless --numbers is given: {named}"

    def not_filled(self, found: Sequence[LikelyCells], skipped: Mapping[str, str]) -> Iterator[str]:
        """Yield which columns with missing cells are not filled, and why.

        What is said of a part of a column, such as one of several answers, is said of the column.
        """
        reasons = {}
        for part in [*(self.names[cells.attribute] for cells in found), *skipped]:
            column = self.origins.get(part, part)
            if column == part and part in skipped:
                reasons[column] = skipped[part]
            elif column not in self.names:
                reasons[column] = ANSWERS if column in self.split else PARTS
        for column, reason in list(reasons.items())[:NAMED]:
            yield f"{column}: not filled, as {reason}"
        if (more := len(reasons) - NAMED) > 0:
            yield f"... and {counted(more, 'more column')}"
        learned = {*self.names, *self.origins.values()}
        others = [name for name in self.rows.column_names if name not in learned]
        if lacking := [name for name in others if self.rows[name].null_count]:
            named = ", ".join(lacking[:NAMED])
            more_of = f" and {len(lacking) - NAMED:,} more" if len(lacking) > NAMED else ""
            yield f"Not filled, as they are not learned from: {named}{more_of}"

    def summary(self) -> dict[str, list[Any]]:
        """Return a line for each column with missing cells."""
        return {
            "column": [line.column for line in self.lines],
            "missing": [line.n_missing for line in self.lines],
            "filled": [line.n_filled for line in self.lines],
            "probability": [
                line.probability / line.n_filled if line.probability and line.n_filled else None
                for line in self.lines
            ],
        }


def _sums(lines: Sequence[Line]) -> tuple[int, int]:
    return sum(line.n_missing for line in lines), sum(line.n_filled for line in lines)


def _median_row(there: IntArray, numbers: FloatArray) -> int:
    """Return the row with the median number of some rows, the lower one of two.

    Examples
    --------
    >>> _median_row(np.array([0, 2, 3]), np.array([5.0, 9.0, 1.0, np.nan]))
    2
    """
    known: BoolArray = ~np.isnan(numbers[there])
    there = there[known] if known.any() else there
    order = np.argsort(numbers[there], kind="stable")
    return int(there[order[(len(there) - 1) // 2]])
