"""Rows that are read, changed and written piece by piece: their clusters, vectors, new values."""

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nlargest
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from untie._base import unknown_cells
from untie._engines.arrow import ArrowSource
from untie._engines.writing import writer_of
from untie._inputs import FittedTable, as_fitted, with_new_answers, with_outside
from untie._learn.clustering.lloyd import NEARLY_ALL
from untie._prepare.rules import means_missing
from untie._table.frames import columns_of
from untie._table.vocabulary import number_repeats
from untie._util.messages import counted, need
from untie._util.types import BoolArray
from untie.cli.options import Format, SourceOptions, split_names
from untie.cli.reading import load, open_rows, seen
from untie.cli.showing import chosen_format, print_table, say, waiting, write_batches, write_rows
from untie.explain import assignments, unknown_values
from untie.vector_file import stream_vectors

SHOWN_COLUMNS, SHOWN_VALUES = 10, 5
"""At most this many columns with unknown values are named, and values of each."""

SHOWN_OUTSIDE = 5
"""At most this many numbers beyond those that the model has seen are named."""


class Unseen:
    """Counts what a model has not seen, of rows that come piece by piece.

    Values that it does not know, and numbers and dates beyond those that it has seen.

    Parameters
    ----------
    fitted : FittedTable
        The model.
    """

    def __init__(self, fitted: FittedTable) -> None:
        self.fitted = fitted
        self.unknown: dict[str, Counter[str]] = {}
        self.outside: dict[str, tuple[Counter[str], str]] = {}
        self.n_rows = self.n_with = 0

    def add(self, rows: Any, some: BoolArray | None = None) -> None:
        """Look at more rows, with the columns that the encoder was fitted on.

        Parameters
        ----------
        rows : table of shape (n_rows, n_columns)
            In memory.
        some : boolean array of shape (n_rows,), optional
            Which rows have a value that the encoder does not know, where that is known.
        """
        if some is None:
            some = np.asarray(np.any(unknown_cells(self.fitted.encoder, rows), axis=0))
        self.n_rows, self.n_with = self.n_rows + len(some), self.n_with + int(some.sum())
        if some.any():
            found = columns_of(unknown_values(self.fitted.encoder, rows))
            for column, value, n in zip(*found.values(), strict=True):
                self.unknown.setdefault(column, Counter())[value] += n

    def add_raw(self, rows: Any) -> Any:
        """Look at more rows, as they were read, and return what `Preparer.outside` does."""
        if self.fitted.preparer is None:
            return None
        found = self.fitted.preparer.outside(rows)
        for _, column, value, lowest, highest in zip(*columns_of(found).values(), strict=True):
            counts, _ = self.outside.setdefault(column, (Counter(), f"{lowest} to {highest}"))
            counts[value] += 1
        return found

    def watched(self, source: ArrowSource, keep: Sequence[str] = ()) -> ArrowSource:
        """Return rows as the encoder sees them, which are looked at as they go by."""
        preparer, rows = self.fitted.preparer, source
        binned = [] if preparer is None else list(filter(preparer.ranges, preparer.columns_))
        if binned:
            rows = _watched(rows, binned, self.add_raw)
        # An encoder of an array has no names; the table's stand for them.
        names = list(getattr(self.fitted.encoder, "feature_names_in_", source.columns))
        return _watched(seen(self.fitted, rows, keep), names, self.add)

    def tell(self, quiet: bool, effect: str = "") -> None:
        """Say which values of which columns are unknown, and how many rows have them."""
        for line in [*self._about_unknown(effect), *self._about_outside()]:
            say(line, quiet)

    def _about_unknown(self, effect: str) -> Iterator[str]:
        if not self.n_with:
            return
        for column, counts in list(self.unknown.items())[:SHOWN_COLUMNS]:
            yield _line(column, counts)
        if (more := len(self.unknown) - SHOWN_COLUMNS) > 0:
            yield f"... and {counted(more, 'more column')} with such values"
        share = f"of {self.n_rows:,} ({self.n_with / self.n_rows:.1%})"
        verb = "has" if self.n_with == 1 else "have"
        rows = counted(self.n_with, "row")
        yield f"{rows} {verb} a value that the model does not know, {share}{effect}."
        texts = {value for of_column in self.unknown.values() for value in of_column}
        if missing := ",".join(sorted(filter(means_missing, texts))):
            yield f"If these stand for missing cells, say so: --missing {shlex.quote(missing)}"

    def _about_outside(self) -> Iterator[str]:
        for column, (counts, known) in self.outside.items():
            hidden = len(counts) - SHOWN_OUTSIDE
            some = ", ".join(list(counts)[:SHOWN_OUTSIDE])
            some += f", ... {hidden:,} more" if hidden > 0 else ""
            rows = f"{counted(counts.total(), 'row')} {'is' if counts.total() == 1 else 'are'}"
            yield f"{column}: {rows} outside {known}, all that the model has seen: {some}"


def _watched(table: ArrowSource, columns: Sequence[str], look: Callable[[Any], Any]) -> ArrowSource:
    """Return a lazy table of the same rows; something looks at some columns as they go by."""
    pa = need("pyarrow")

    def read(names: Sequence[str]) -> Iterator[Any]:
        wanted = list(names)
        for batch in table.select(list(dict.fromkeys([*columns, *wanted]))).batches():
            look(pa.Table.from_batches([batch]).select(list(columns)))
            yield batch.select(wanted)

    return replace(table, read=read)


def with_columns(
    source: ArrowSource, types: Mapping[str, str], find: Callable[[Any], Iterable[Any]]
) -> ArrowSource:
    """Return a lazy table: rows as they are read, and columns that are found of each piece.

    Parameters
    ----------
    source : ArrowSource
        The rows.
    types : mapping of str to str
        Names of the new columns, and Arrow's names of their types.
    find : callable
        Gives the cells of the new columns, for rows in memory.
    """
    pa = need("pyarrow")
    names = number_repeats([*source.columns, *types])[len(source.columns) :]
    kinds = [getattr(pa, kind)() for kind in types.values()]
    new = [pa.field(name, kind) for name, kind in zip(names, kinds, strict=True)]
    schema = pa.schema([*source.schema, *new], source.schema.metadata)

    def read(columns: Sequence[str]) -> Iterator[Any]:
        for batch in filter(len, source.batches()):
            cells = find(pa.Table.from_batches([batch]))
            arrays = [pa.array(part, kind) for part, kind in zip(cells, kinds, strict=True)]
            rows = pa.RecordBatch.from_arrays([*batch.columns, *arrays], names=schema.names)
            yield rows.select(list(columns))

    return ArrowSource(schema, read, source.origin, source.n_rows)


def tell_unknown(fitted: FittedTable, rows: Any, quiet: bool, effect: str = "") -> None:
    """Say which values of rows in memory, as they were read, a model does not know."""
    unseen = Unseen(fitted)
    unseen.add(fitted.rows(rows, strictly=False)[0])
    unseen.add_raw(rows)
    unseen.tell(quiet, effect)


def _line(column: str, counts: Counter[str]) -> str:
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    named = ", ".join(f"{value!r} ({counted(n, 'row')})" for value, n in ordered[:SHOWN_VALUES])
    more = f", ... {len(ordered) - SHOWN_VALUES:,} more" if len(ordered) > SHOWN_VALUES else ""
    what = "a value" if len(ordered) == 1 else f"{len(ordered):,} values"
    return f"{column}: {what} that the model does not know: {named}{more}"


SHOWN_ROWS, SHOWN_DIMENSIONS = 10, 8
"""How much of the vectors is shown on a terminal."""

NEUTRAL = "; it is neutral in their vectors"


def write_vectors(
    model: Path,
    file: str | None,
    options: SourceOptions,
    output: Path | None,
    keep: list[str] | None,
) -> None:
    """Write or show the vectors of a file's rows, and say what the model does not know of them."""
    fitted = as_fitted(load(model))
    encoder, source = fitted.encoder, open_rows(file, options)
    kept = split_names(keep, source.columns)
    unseen = Unseen(fitted)
    rows = unseen.watched(source, kept)
    batches, how = stream_vectors(encoder, rows, kept), chosen_format(options.format_)
    if output is None and how == Format.table:
        _show_beginning(batches, options.quiet)
    else:
        # Rows on a terminal would tear the line apart.
        are_seen = output is None and sys.stdout.isatty()
        with waiting("transforming the rows", options.quiet or are_seen):
            if output is None:
                write_batches(batches, how, is_safe=options.safe_csv)
            else:
                writer_of(output, options.safe_csv)(batches)
    unseen.tell(options.quiet, NEUTRAL)


def _show_beginning(reader: Any, quiet: bool) -> None:
    """Print some rows and columns, and say so if there are more."""
    columns = columns_of(_first_rows(reader, SHOWN_ROWS + 1))
    n_rows = len(next(iter(columns.values())))
    some = {name: cells[:SHOWN_ROWS] for name, cells in list(columns.items())[:SHOWN_DIMENSIONS]}
    print_table(some)
    if n_rows > SHOWN_ROWS or len(columns) > SHOWN_DIMENSIONS:
        say("This is the beginning; --output FILE or --format csv gives all.", quiet)


def _first_rows(reader: Any, n: int) -> Any:
    """Read no more pieces than have the first rows."""
    pieces: list[Any] = []
    for batch in reader:
        pieces.append(batch)
        if sum(piece.num_rows for piece in pieces) >= n:
            break
    return need("pyarrow").Table.from_batches(pieces, reader.schema).slice(0, n)


SHOWN_UNLIKE = 10
"""At most this many rows that are unlike any cluster are shown on a terminal."""

NEW_COLUMNS = {
    "cluster": "int64",
    "probability": "float64",
    "distance": "float64",
    "unknown": "int64",
    "note": "string",
}
"""What is found of a row, and the types of Arrow."""


def assign_rows(
    model: Path,
    file: str | None,
    options: SourceOptions,
) -> None:
    """Put the rows of a file into the clusters of a model, and show or write them."""
    found = Assigned(as_fitted(load(model, has_clusters=True)))
    source = open_rows(file, options)
    how, output = chosen_format(options.format_), options.output
    is_written = output is not None or how != Format.table
    # Rows on a terminal would tear the line apart.
    are_seen = is_written and output is None and sys.stdout.isatty()
    with waiting("assigning the rows", options.quiet or are_seen):
        if is_written:
            write_rows(found.beside(source), how, output, options.safe_csv)
        else:
            for _ in found.beside(source).batches():
                pass
    found.unseen.tell(options.quiet)
    for line in filter(None, [found.said(), found.about_model(model.name)]):
        say(line, options.quiet)
    if how == Format.table:
        print_table(found.summary(), f"{found.n_rows:,} rows in the clusters of {model.name}")
        if found.n_unlike:
            farthest = {name: [row[name] for row in found.farthest] for name in found.farthest[0]}
            print_table(farthest, "Rows unlike any cluster, the farthest first; counted from 1")


class Assigned:
    """Puts rows that come piece by piece into clusters, and counts what is to be said of them.

    Parameters
    ----------
    fitted : FittedTable
        A model that has clusters.
    """

    def __init__(self, fitted: FittedTable) -> None:
        self.fitted, self.clusterer = fitted, fitted.clusters
        self.unseen = Unseen(fitted)
        n_clusters = len(self.clusterer.cluster_centers_)
        self.sizes, self.unlike, self.strange = np.zeros((3, n_clusters), dtype=int)
        self.n_blank = 0
        self.farthest: list[dict[str, Any]] = []

    @property
    def n_rows(self) -> int:
        """The number of rows so far."""
        return int(self.sizes.sum())

    @property
    def n_unlike(self) -> int:
        """The number of those that are unlike any cluster."""
        return int(self.unlike.sum())

    def add(self, source: Any) -> dict[str, Any]:
        """Return what is found of more rows, as they were read: `NEW_COLUMNS`."""
        rows = seen(self.fitted, source)
        found = columns_of(assignments(self.clusterer, rows))
        outside = self.unseen.add_raw(source)
        if outside is not None:  # what was prepared before, the clusterer can't know
            notes = with_outside(found["note"], outside)
            found["note"] = with_new_answers(notes, self.fitted.new_answers(source))
        self.n_blank += sum(found.pop("nothing_known"))
        is_unlike = np.array(found.pop("unlike"), dtype=bool)
        is_strange = np.array(found["unknown"]) > 0
        self.unseen.add(rows, is_strange)
        places = np.flatnonzero(is_unlike)
        names = self.fitted.names_at(source, places)
        unlike = [
            {
                "row": self.n_rows + place + 1,
                **({} if names is None else {"name": names[at]}),
                **{name: found[name][place] for name in NEW_COLUMNS},
            }
            for at, place in enumerate(places.tolist())
        ]
        self.farthest = nlargest(SHOWN_UNLIKE, self.farthest + unlike, key=itemgetter("distance"))
        labels, n = np.array(found["cluster"]), len(self.sizes)
        self.sizes += np.bincount(labels, minlength=n)
        self.unlike += np.bincount(labels[is_unlike], minlength=n)
        self.strange += np.bincount(labels[is_strange], minlength=n)
        return found

    def beside(self, source: ArrowSource) -> ArrowSource:
        """Return a lazy table: the rows as they are read, and what is found of them."""
        return with_columns(source, NEW_COLUMNS, lambda rows: self.add(rows).values())

    def said(self) -> str:
        """Return a sentence on the rows that are unlike any cluster."""
        n, n_blank = self.n_unlike, self.n_blank
        if not n:
            return "Every row is like those of some cluster."
        rows = "1 row is" if n == 1 else f"{n:,} rows are"
        far = f"farther from each than {NEARLY_ALL:.0%} of the rows that it was made of"
        blank = f"of {n_blank:,} nothing is known, as all cells are missing or unknown"
        why = blank if n == n_blank else f"{far}; {blank}" if n_blank else far
        return f"{rows} unlike any cluster, of {self.n_rows:,}: {why}."

    def about_model(self, name: str) -> str:
        """Return what is to be known of the clusters themselves; empty if there is nothing."""
        choice = self.clusterer.k_choice_
        if choice is None or choice.found_clusters:
            return ""
        return (
            f"No groups were found in the table that {name} was made of: its clusters are one way "
            "to cut the rows up, and no finding."
        )

    def summary(self) -> dict[str, list[Any]]:
        """Return a line for each cluster that rows may go to."""
        return {
            "cluster": list(range(len(self.sizes))),
            "rows": self.sizes.tolist(),
            "share": [f"{size / self.n_rows:.0%}" for size in self.sizes],
            "unlike any": self.unlike.tolist(),
            "with unknown values": self.strange.tolist(),
        }
