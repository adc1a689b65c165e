"""The rows of a file -> the clusters of a model, for ``untie assign`` and ``cluster --model``."""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from untie._engines.arrow import ArrowSource
from untie._inputs import FittedTable, as_fitted, with_outside
from untie._learn.clustering.lloyd import NEARLY_ALL
from untie._table.frames import columns_of
from untie._util.types import BoolArray
from untie.cli.learning import load, seen
from untie.cli.options import Format, SourceOptions
from untie.cli.reading import open_rows
from untie.cli.showing import chosen_format, print_table, say, waiting, write_rows
from untie.cli.streaming import Unseen, with_columns
from untie.explain import assignments

SHOWN_ROWS = 10
"""At most this many rows that are unlike any cluster are shown on a terminal."""

NEW_COLUMNS = {"cluster": "int64", "distance": "float64", "unknown": "int64", "note": "string"}
"""What is found of a row, and the types of Arrow."""


def assign_rows(
    model: Path,
    file: str | None,
    options: SourceOptions,
    output: Path | None,
    format_: Format | None,
) -> None:
    """Put the rows of a file into the clusters of a model, and show or write them."""
    found = Assigned(as_fitted(load(model, has_clusters=True)))
    source = open_rows(file, options)
    how = chosen_format(format_)
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
            print_table(found.farthest, "Rows unlike any cluster, the farthest first")


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
        self.farthest: dict[str, list[Any]] = {name: [] for name in ("row", *NEW_COLUMNS)}

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
            found["note"] = with_outside(found["note"], outside)
        self.n_blank += sum(found.pop("nothing_known"))
        is_unlike = np.array(found.pop("unlike"), dtype=bool)
        is_strange = np.array(found["unknown"]) > 0
        self.unseen.add(rows, is_strange)
        self._keep_farthest(found, is_unlike)
        labels, n = np.array(found["cluster"]), len(self.sizes)
        self.sizes += np.bincount(labels, minlength=n)
        self.unlike += np.bincount(labels[is_unlike], minlength=n)
        self.strange += np.bincount(labels[is_strange], minlength=n)
        return found

    def beside(self, source: ArrowSource) -> ArrowSource:
        """Return a lazy table: the rows as they are read, and what is found of them."""
        return with_columns(source, NEW_COLUMNS, lambda rows: self.add(rows).values())

    def _keep_farthest(self, found: dict[str, Any], is_unlike: BoolArray) -> None:
        """Keep the rows unlike any cluster that are the farthest of all so far."""
        rows = np.flatnonzero(is_unlike)
        order = np.argsort(-np.array(found["distance"])[rows], kind="stable")[:SHOWN_ROWS]
        some = rows[order].tolist()
        held = self.farthest
        cells = {name: held[name] + [found[name][row] for row in some] for name in NEW_COLUMNS}
        cells["row"] = held["row"] + [self.n_rows + row for row in some]
        best = np.argsort(-np.array(cells["distance"]), kind="stable")[:SHOWN_ROWS].tolist()
        self.farthest = {name: [cells[name][place] for place in best] for name in held}

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
