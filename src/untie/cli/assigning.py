"""The rows of a file -> the clusters of a model, for ``untie assign`` and ``cluster --model``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from untie._learn.reach import NEARLY_ALL
from untie._table.frames import columns_of
from untie._table.vocabulary import number_repeats
from untie.cli.choices import Purpose, Solver
from untie.cli.guard import UserError
from untie.cli.learning import as_seen, load_clusterer, read_rows, refuse_for_model
from untie.cli.options import Format, LearningOptions, SourceOptions
from untie.cli.showing import chosen_format, print_table, say, show
from untie.cli.spinner import waiting
from untie.cli.unknown import tell_unknown
from untie.explain import assignments

SHOWN_ROWS = 10
"""At most this many rows that are unlike any cluster are shown on a terminal."""

NEW_COLUMNS = ("cluster", "distance", "unknown", "note")


def refuse_learning(
    options: LearningOptions, solver: Solver | None, purpose: Purpose | None
) -> None:
    """Refuse what a model has of its own, and what rows that are assigned have no use for."""
    refuse_for_model(options, solver, purpose)
    if options.weight is not None or options.label is not None:
        raise UserError(
            "--weight and --label are for new clusters; with a model, every row is put into one "
            "of its clusters, and all columns of the file come out."
        )


def assign_rows(
    model: Path,
    file: str | None,
    options: SourceOptions,
    output: Path | None,
    format_: Format | None,
) -> None:
    """Put the rows of a file into the clusters of a model, and show or write them."""
    clusterer, preparer = load_clusterer(model)
    source = read_rows(file, options)
    with waiting("assigning the rows", options.quiet):
        rows = source if preparer is None else preparer.transform(source)
        if clusterer.preparer_ is None:  # which would find the columns that it needs
            rows = as_seen(clusterer.encoder_, None, rows, [])
        found = columns_of(assignments(clusterer, rows))
    tell_unknown(clusterer.encoder_, clusterer.prepared(rows), options.quiet)
    unlike = np.array(found.pop("unlike"), dtype=bool)
    say(_said(unlike), options.quiet)
    how = chosen_format(format_)
    if output is not None or how != Format.table:
        show(_with_cells(columns_of(source), found), how, output)
    if how != Format.table:
        return
    summary = _summary(found, unlike, len(clusterer.cluster_centers_))
    print_table(summary, f"{len(unlike):,} rows in the clusters of {model.name}")
    if unlike.any():
        print_table(_farthest(found, unlike), "Rows unlike any cluster, the farthest first")


def _said(unlike: Any) -> str:
    n, n_rows = int(unlike.sum()), len(unlike)
    if not n:
        return "Every row is like those of some cluster."
    rows = "1 row is" if n == 1 else f"{n:,} rows are"
    return (
        f"{rows} unlike any cluster, of {n_rows:,}: farther from each than {NEARLY_ALL:.0%} of the "
        "rows that it was made of."
    )


def _with_cells(cells: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return the rows as they were read, with what was found of them in columns of their own."""
    names = number_repeats([*cells, *NEW_COLUMNS])[len(cells) :]
    return {**cells, **{new: found[old] for new, old in zip(names, NEW_COLUMNS, strict=True)}}


def _summary(found: dict[str, Any], unlike: Any, n_clusters: int) -> dict[str, list[Any]]:
    """Return a line for each cluster that rows may go to."""
    labels, unknown = np.array(found["cluster"]), np.array(found["unknown"]) > 0
    sizes = np.bincount(labels, minlength=n_clusters)
    return {
        "cluster": list(range(n_clusters)),
        "rows": sizes.tolist(),
        "share": [f"{size / len(labels):.0%}" for size in sizes],
        "unlike any": np.bincount(labels[unlike], minlength=n_clusters).tolist(),
        "with unknown values": np.bincount(labels[unknown], minlength=n_clusters).tolist(),
    }


def _farthest(found: dict[str, Any], unlike: Any) -> dict[str, list[Any]]:
    rows = np.flatnonzero(unlike)
    distances = np.array(found["distance"])[rows]
    rows = rows[np.argsort(-distances, kind="stable")][:SHOWN_ROWS].tolist()
    return {"row": rows, **{name: [found[name][row] for row in rows] for name in NEW_COLUMNS}}
