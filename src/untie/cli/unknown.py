"""What a model does not know of new rows, said on standard error."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._engines.arrow import ArrowSource
from untie._inputs import FittedTable, unknown_cells
from untie._prepare.missing import SIGNS, WORDS
from untie._table.frames import columns_of
from untie._util.extras import need
from untie.cli.showing import say
from untie.encoder import TableEncoder
from untie.explain import unknown_values
from untie.preparer import Preparer

SHOWN_COLUMNS, SHOWN_VALUES = 10, 5
"""At most this many columns with unknown values are named, and values of each."""

SHOWN_OUTSIDE = 5
"""At most this many numbers beyond those that the model has seen are named."""


class Unknown:
    """Counts what a model does not know of rows that come piece by piece.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    """

    def __init__(self, encoder: TableEncoder) -> None:
        self.encoder = encoder
        self.counts: dict[str, Counter[str]] = {}
        self.n_rows = self.n_with = 0

    def add(self, rows: Any, some: NDArray[np.bool_] | None = None) -> None:
        """Look at more rows, with the columns that the encoder was fitted on.

        Parameters
        ----------
        rows : table of shape (n_rows, n_columns)
            In memory.
        some : boolean array of shape (n_rows,), optional
            Which rows have a value that the encoder does not know, where that is known.
        """
        if some is None:
            some = np.asarray(np.any(unknown_cells(self.encoder, rows), axis=0))
        self.n_rows, self.n_with = self.n_rows + len(some), self.n_with + int(some.sum())
        if some.any():
            found = columns_of(unknown_values(self.encoder, rows))
            for column, value, n in zip(*(found[key] for key in found), strict=True):
                self.counts.setdefault(column, Counter())[value] += n

    def watched(self, table: ArrowSource, columns: Sequence[str]) -> ArrowSource:
        """Return a lazy table of the same rows, which are looked at as they go by."""
        return _watched(table, columns, self.add)

    def tell(self, quiet: bool, effect: str = "") -> None:
        """Say which values of which columns are unknown, and how many rows have them."""
        if not self.n_with:
            return
        for column in list(self.counts)[:SHOWN_COLUMNS]:
            say(_line(column, self.counts[column]), quiet)
        more = len(self.counts) - SHOWN_COLUMNS
        if more > 0:
            columns = "column" if more == 1 else "columns"
            say(f"... and {more} more {columns} with such values", quiet)
        share = f"of {self.n_rows:,} ({self.n_with / self.n_rows:.1%})"
        rows = "1 row has" if self.n_with == 1 else f"{self.n_with:,} rows have"
        say(f"{rows} a value that the model does not know, {share}{effect}.", quiet)
        if hint := _about_missing(self.counts.values()):
            say(hint, quiet)


class Outside:
    """Counts numbers and dates beyond those that a model has seen, of rows that come in pieces.

    Parameters
    ----------
    preparer : Preparer or None
        What prepares rows for the model; without one, there are none.
    """

    def __init__(self, preparer: Preparer | None) -> None:
        self.preparer = preparer
        self.counts: dict[str, tuple[Counter[str], str]] = {}

    def add(self, rows: Any) -> Any:
        """Look at more rows, as they were read, and return what `Preparer.outside` does."""
        if self.preparer is None:
            return None
        found = self.preparer.outside(rows)
        for _, column, value, lowest, highest in zip(*columns_of(found).values(), strict=True):
            counts, _ = self.counts.setdefault(column, (Counter(), f"{lowest} to {highest}"))
            counts[value] += 1
        return found

    def watched(self, table: ArrowSource) -> ArrowSource:
        """Return a lazy table of the same rows, which are looked at as they go by."""
        if self.preparer is None:
            return table
        binned = [name for name in self.preparer.columns_ if self.preparer.ranges(name)]
        return _watched(table, binned, self.add) if binned else table

    def tell(self, quiet: bool) -> None:
        """Say which columns have such numbers."""
        for column, (counts, seen) in self.counts.items():
            n = counts.total()
            hidden = len(counts) - SHOWN_OUTSIDE
            some = ", ".join(list(counts)[:SHOWN_OUTSIDE])
            some += f", ... {hidden:,} more" if hidden > 0 else ""
            rows = "1 row is" if n == 1 else f"{n:,} rows are"
            say(f"{column}: {rows} outside {seen}, all that the model has seen: {some}", quiet)


def _watched(table: ArrowSource, columns: Sequence[str], look: Callable[[Any], Any]) -> ArrowSource:
    """Return a lazy table of the same rows; something looks at some columns as they go by."""
    pa = need("pyarrow")

    def read(names: Sequence[str]) -> Iterator[Any]:
        wanted = list(names)
        for batch in table.select(list(dict.fromkeys([*columns, *wanted]))).batches():
            look(pa.Table.from_batches([batch]).select(list(columns)))
            yield batch.select(wanted)

    return replace(table, read=read)


def tell_unknown(fitted: FittedTable, rows: Any, quiet: bool, effect: str = "") -> None:
    """Say which values of rows in memory, as they were read, a model does not know."""
    unknown, outside = Unknown(fitted.encoder), Outside(fitted.preparer)
    unknown.add(fitted.new_rows(rows)[0])
    unknown.tell(quiet, effect)
    outside.add(rows)
    outside.tell(quiet)


def _about_missing(counts: Iterable[Counter[str]]) -> str:
    """Return how to say that unknown values stand for missing cells, if some look like it."""
    texts = {value for of_column in counts for value in of_column}
    found = sorted(text for text in texts if text.strip().lower() in WORDS | SIGNS)
    if not found:
        return ""
    return f"If these stand for missing cells, say so: --missing {shlex.quote(','.join(found))}"


def _line(column: str, counts: Counter[str]) -> str:
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    named = ", ".join(f"{value!r} ({_times(n)})" for value, n in ordered[:SHOWN_VALUES])
    more = f", ... {len(ordered) - SHOWN_VALUES:,} more" if len(ordered) > SHOWN_VALUES else ""
    what = "a value" if len(ordered) == 1 else f"{len(ordered):,} values"
    return f"{column}: {what} that the model does not know: {named}{more}"


def _times(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"
