"""What was learned, how the number of clusters was chosen, and how other methods do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState

from untie._learn.k_choice import KChoice
from untie._table.frames import columns_of
from untie._util.types import FloatArray
from untie.explain import outliers, weight_shares
from untie.report._limits import (
    COMPARED_NUMBERS,
    COMPARED_ROWS,
    COMPARED_VALUES,
    LISTED_COLUMNS,
    LONG_TEXT,
    N_OUTLIERS,
    PAIRS_LOOKED_UP,
    shown,
)
from untie.report._study import Study
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
    choice, said = study.verdict.choice, shown(study.verdict, 2 * LONG_TEXT)
    if choice is None:
        return {"verdict": said, "table": None}
    kinds = {
        "k": "count",
        "gain": "number",
        "error": "number",
        "stability": "number",
        "silhouette": "number",
        "chosen_by": "share",
    }
    table = view(
        "choice-of-k", "Every number of clusters that was tried", kinds, columns_of(choice.table())
    )
    return {
        "verdict": said,
        "table": table,
        "chart": _chart(choice),
        "k": choice.k,
        "n_rows": choice.n_sampled,
    }


def _chart(choice: KChoice) -> list[dict[str, Any]]:
    """Return lines in a square of 0 to 1: what the picture of the choice draws."""
    nothing = np.zeros(len(choice.ks))
    lines = (("gain", choice.gain, choice.error), ("stability", choice.stability, nothing))
    return [_line(choice.ks, *line) for line in lines] if len(choice.ks) > 1 else []


def _line(ks: Sequence[int], name: str, numbers: FloatArray, errors: FloatArray) -> dict[str, Any]:
    """Return a line's points: across, up, the number of clusters, and the ends of the error."""
    ends = np.stack([numbers - errors, numbers + errors])
    low, high = min(0.0, float(ends.min())), max(0.0, float(ends.max()))
    high = 1.0 if name == "stability" or high == low else high
    up, below, above = (np.round((part - low) / (high - low), 4) for part in (numbers, *ends))
    across = np.round(np.arange(len(ks)) / (len(ks) - 1), 4)
    points = list(zip(*(part.tolist() for part in (across, up, below, above)), ks, strict=True))
    return {"name": name, "points": points, "low": low, "high": high}


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
