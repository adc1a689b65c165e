"""What was learned, how the number of clusters was chosen, and how other methods do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState

from untie._learn.k_choice import KChoice
from untie._table.frames import columns_of
from untie.explain import outliers, weight_shares
from untie.report._limits import (
    COMPARED_NUMBERS,
    COMPARED_ROWS,
    COMPARED_VALUES,
    LISTED_COLUMNS,
    N_OUTLIERS,
    PAIRS_LOOKED_UP,
)
from untie.report._study import Study
from untie.report._summary import CLEAR
from untie.report._table import TableView, view

METHODS = ("UNTIE", "one-hot", "MCA", "k-modes")


def weights(study: Study) -> list[TableView]:
    """Return the shares of columns, couplings and kernels."""
    tables = []
    for by in ("column", "coupling", "kernel"):
        found = study.shares if by == "column" else columns_of(weight_shares(study.encoder, by))
        found = {key: cells[:LISTED_COLUMNS] for key, cells in found.items()}
        caption = f"Share of each {by} in what tells rows apart"
        kinds = {by: "text", "share": "scaled"}
        tables.append(view(f"weights-by-{by}", caption, kinds, found))
    return tables


def choice_of_k(study: Study) -> dict[str, Any]:
    """Return the verdict, the figures and the picture of the choice of k."""
    choice = study.choice
    if choice is None:
        return {"verdict": _without_choice(study), "table": None}
    kinds = {
        "k": "count",
        "score": "number",
        "gain": "number",
        "stability": "number",
        "silhouette": "number",
        "chosen_by": "share",
    }
    table = view(
        "choice-of-k", "Every number of clusters that was tried", kinds, columns_of(choice.table())
    )
    return {
        "verdict": _verdict(choice),
        "table": table,
        "chart": _chart(choice),
        "k": choice.k,
        "n_rows": choice.n_sampled,
    }


def _verdict(choice: KChoice) -> str:
    """Say how the number was chosen, in the words of the summary."""
    if len(choice.ks) == 1:
        return f"There are too few distinct rows to try other numbers than {choice.k}."
    if not choice.found_clusters:
        return choice.verdict
    best = choice.ks[int(np.nanargmax(choice.score))]
    agreement = max(choice.stability[choice.ks.index(choice.k)], 0.0)
    if choice.k != best:
        why = f"the smallest number that scores about as well as the best, {best}"
    elif choice.how_sure >= CLEAR:
        why = f"the best number in {choice.how_sure:.0%} of the resamples"
    else:
        why = f"the best number on the whole, though in {choice.how_sure:.0%} of the resamples only"
    return (
        f"{choice.k} clusters: {why}. The clusters of resampled rows agree with them by "
        f"{agreement:.2f} (adjusted Rand index)."
    )


def _without_choice(study: Study) -> str:
    """Say why there was no choice: a number was asked for, or the rows are too few."""
    n = len(study.clusters)
    if study.recipe.n_clusters == "auto":
        return f"The table has {n} distinct rows, too few to choose from: each is a cluster."
    return f"{n} {'cluster' if n == 1 else 'clusters'}, as asked for."


def _chart(choice: KChoice) -> list[dict[str, Any]]:
    """Return lines in a square of 0 to 1: what the picture of the choice draws."""
    lines = []
    for name, numbers in (("score", choice.score), ("stability", choice.stability)):
        known = np.flatnonzero(np.isfinite(numbers))
        if len(known) < 2:
            continue
        heights = np.asarray(numbers, dtype=float)[known]
        low, high = min(0.0, float(heights.min())), max(0.0, float(heights.max()))
        high = 1.0 if name == "stability" or high == low else high
        heights = (heights - low) / (high - low)
        points = [
            (round(place / (len(choice.ks) - 1), 4), round(float(height), 4), choice.ks[place])
            for place, height in zip(known.tolist(), heights, strict=True)
        ]
        lines.append({"name": name, "points": points, "low": low, "high": high})
    return lines


def comparison(study: Study) -> dict[str, Any]:
    """Return the scores of other methods on some of the rows."""
    from untie.comparison.methods import compare  # takes a moment to import

    k = len(study.clusters)
    if k < 2:
        return {"table": None, "said": "There is one cluster, so there is nothing to compare."}
    n_values = sum(study.encoder.vocabulary_.sizes)
    if n_values > COMPARED_VALUES:
        said = f"The table has {n_values:,} values, with which other methods would take long."
        return {"table": None, "said": said}
    able = drawn = study.able
    most = min(COMPARED_ROWS, COMPARED_NUMBERS // n_values)
    if len(able) > most:
        drawn = np.sort(RandomState(study.seed).permutation(able)[:most])
    answers = None
    if study.answers is not None:
        answers = study.answers.of(drawn)
    try:
        found = compare(
            study.rows(drawn),
            k,
            y=answers,
            sample_weight=None if study.weights is None else study.weights[drawn],
            methods=METHODS,
            encoder=study.encoder,
            n_resamples=3,
            random_state=study.seed,
        )
    except ValueError as error:  # too few distinct rows, or too many values
        return {"table": None, "said": f"The methods could not be compared: {error}"}
    columns = columns_of(found.table())
    kinds = {key: "text" if key == "method" else "number" for key in columns}
    some = f"{len(drawn):,} rows drawn from {len(able):,}"
    said = f"{k} clusters of {some if len(drawn) < len(able) else 'all rows that count'}."
    if len(drawn) == study.n_rows:
        said = f"{k} clusters of all rows."
    return {"table": view("comparison", "UNTIE beside other methods", kinds, columns), "said": said}


def unusual(study: Study) -> dict[str, Any]:
    """Return the rows with the most surprising combinations of values."""
    n_columns = len(study.names)
    if n_columns < 2:
        return {"table": None, "said": "A combination needs two columns; there is one."}
    most = max(PAIRS_LOOKED_UP // (n_columns * (n_columns - 1) // 2), 1_000)
    positions = np.arange(study.n_rows)
    frame, said = study.frame, ""
    if study.n_rows > most:
        positions = np.sort(RandomState(study.seed).permutation(study.n_rows)[:most])
        frame = study.rows(positions)
        said = f"{most:,} of {study.n_rows:,} rows were looked at, drawn by chance. "
    found = columns_of(outliers(study.encoder, frame, N_OUTLIERS))
    kept = [line for line, score in enumerate(found["score"]) if score > 0]
    lines = {key: [cells[line] for line in kept] for key, cells in found.items()}
    if not kept:
        return {"table": None, "said": f"{said}No row has a surprising combination of values."}
    rows = positions[lines["position"]]
    lines["row"] = rows.tolist()
    lines["cluster"] = study.labels[rows].tolist()
    kinds = {
        "row": "count",
        "cluster": "count",
        "score": "number",
        "share": "share",
        "reason": "long",
    }
    return {"table": view("outliers", "The most unusual rows", kinds, lines), "said": said}
