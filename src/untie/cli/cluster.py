"""The rows of a file -> clusters, and what makes them; for ``untie cluster``."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from untie._engines.registry import open_table
from untie._engines.writing import check_types, write_source
from untie._inputs import as_fitted
from untie._learn.selection.choose_k import clustering_f_score
from untie._table.column_codes import is_missing
from untie._table.frames import columns_of, rows_of
from untie._table.intervals import phrase
from untie._table.rows import are_rows, read_weights
from untie._table.vocabulary import number_repeats
from untie._util.types import AnyArray
from untie.cli.options import Format, LearningOptions
from untie.cli.reading import column, new_clusterer, open_rows, read_all, tell_columns
from untie.cli.showing import chosen_format, print_table, say, show, tell_families, waiting
from untie.cli.streaming import with_columns
from untie.explain import (
    Verdict,
    carriers_said,
    cluster_profile,
    important_columns,
    subclusters_of,
    verdict,
)
from untie.model_file import save_model
from untie.preparer import merged_values

N_TYPICAL = 4
"""At most this many values are named for each cluster."""

NEW_COLUMN, FINER_COLUMN = "cluster", "subcluster"


def cluster_rows(
    file: str | None,
    options: LearningOptions,
    k: int | None,
    lazy: bool,
    save: Path | None,
    divides: bool,
) -> None:
    """Group the rows of a file, all in memory or piece by piece, and show or write them.

    Parameters
    ----------
    file : str or None
        What to read.
    options : LearningOptions
        How.
    k : int or None
        Number of clusters; None chooses it.
    lazy : bool
        Whether rows are read piece by piece.
    save : Path or None
        Where the clusters are kept.
    divides : bool
        Whether smaller clusters are looked for within those of rows in memory.
    """
    quiet, output = options.quiet, options.output
    source = open_rows(file, options)
    clusterer = new_clusterer(options, source.columns, k)
    if lazy and output is not None:
        check_types(source.schema, output)
    rows: Any = source if lazy else read_all(source, quiet)
    with waiting("clustering", quiet):
        prepared, cells = clusterer._fit_rows(open_table(rows), options.weight)
    fitted = as_fitted(clusterer)
    tell_columns(fitted.preparer, options)
    if save is not None:
        save_model(clusterer, save)
        say(f"The clusters are in {save}; untie assign puts new rows into them.", quiet)
    model, frame = clusterer, rows
    weights: Any = options.weight
    if not lazy:  # prepared once, for the fit and for all that follows
        model, frame = fitted.clusters, prepared
        weights = None if cells is None else read_weights(cells, len(rows))
    with waiting("judging the clusters", quiet):
        said = verdict(model, frame, sample_weight=weights, random_state=options.seed)
    say(str(said), quiet)
    tell_families(fitted.encoder, quiet)
    if lazy:
        assert output is not None
        found = with_columns(source, {NEW_COLUMN: "int32"}, lambda some: [clusterer.predict(some)])
        with waiting("writing the rows", quiet):
            write_source(found, output, options.safe_csv)
        return
    labels, seed = clusterer.labels_, options.seed
    if said.found:
        about = {"labels": labels, "sample_weight": weights, "random_state": seed}
        say(carriers_said(columns_of(important_columns(model, frame, **about))), quiet)
    if options.label is not None:
        _tell_agreement(options.label, column(rows, options.label), labels, quiet)
    how, finer = chosen_format(options.format_), None
    if divides and said.found:
        with waiting("dividing the clusters", quiet):
            merged = {} if fitted.preparer is None else merged_values(fitted.preparer)
            finer = subclusters_of(model, frame, merged, weights, seed)
            finer = finer if finer.smaller else None
    if output is not None or how != Format.table:
        new = {NEW_COLUMN: labels} | ({} if finer is None else {FINER_COLUMN: finer.labels})
        show(_with_columns(rows, new), options)
    if how == Format.table:
        with waiting("describing the clusters", quiet):
            profile = cluster_profile(model, frame, labels=labels, sample_weight=weights)
            summary = _summary(rows_of(profile), labels, weights, said)
        print_table(summary, said.headline)
        if finer is not None:
            _print_finer(columns_of(finer.table))


def _with_columns(rows: Any, new: dict[str, AnyArray]) -> Any:
    """Return a pyarrow table with more columns, whose names are new."""
    names = number_repeats([*rows.column_names, *new])[rows.num_columns :]
    for name, cells in zip(names, new.values(), strict=True):
        rows = rows.append_column(name, [cells])
    return rows


def _print_finer(finer: dict[str, list[Any]]) -> None:
    shown = {
        "cluster": finer["subcluster"],
        "share": [f"{share:.0%}" for share in finer["share"]],
        "stability": [
            f"{word} ({number:.2f})"
            for word, number in zip(finer["verdict"], finer["stability"], strict=True)
        ],
        "name": finer["name"],
    }
    print_table(shown, "Smaller clusters within them, found by the same rule")


def _tell_agreement(label: str, answers: list[Any], labels: AnyArray, quiet: bool) -> None:
    known = np.array([not is_missing(answer) for answer in answers])
    truth = np.array([str(answer) for answer in answers], dtype=object)[known]
    f_score = clustering_f_score(truth, labels[known])
    ari = adjusted_rand_score(truth.astype(str), labels[known])
    say(f"With {label}: F {f_score:.3f}, adjusted Rand index {ari:.3f}.", quiet)


def _summary(
    profile: list[dict[str, Any]], labels: AnyArray, weights: Any, said: Verdict
) -> dict[str, list[Any]]:
    """Return a line for each cluster: its size and the values that are typical of it."""
    is_weighted = weights is not None and not are_rows(weights)
    sizes = np.bincount(labels, weights)
    sizes = sizes if is_weighted else sizes.astype(int)
    typical: dict[int, list[str]] = {number: [] for number in range(len(sizes))}
    for line in profile:
        known, share, elsewhere = typical[line["cluster"]], line["share"], line["share_elsewhere"]
        if len(known) < N_TYPICAL and share > elsewhere:
            said_of = phrase(line["column"], line["value"], "=")
            known.append(f"{said_of} ({share:.0%}, elsewhere {elsewhere:.0%})")
    return {
        "cluster": list(typical),
        "weight" if is_weighted else "rows": sizes.tolist(),
        "share": [f"{size / sizes.sum():.0%}" for size in sizes],
        "stability": [said.said_of(number) for number in typical],
        "typical values": [", ".join(entries) for entries in typical.values()],
    }
