"""The clusters beside the label."""

from collections import Counter
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from untie._learn.selection.choose_k import clustering_f_score, purity
from untie._table.column_codes import is_missing
from untie._util.messages import counted
from untie._util.types import FloatArray, IntArray
from untie.report._limits import ANSWERS, shown
from untie.report._study import Study
from untie.report._table import Cell, TableView, count, heat_view, percent, view

MEASURES = {
    "ari": ("adjusted Rand index", "1: the same groups; 0: as chance has it"),
    "nmi": ("normalized mutual information", "1: each tells the other; 0: nothing in common"),
    "purity": ("purity", "share of rows that have the most frequent value of their cluster"),
    "f_score": ("F", "mean F1 of the values, each matched to one cluster at most"),
}
"""Which scores are shown, what they are called and what they mean."""

MISSING = "missing"

NOT_LEARNED_FROM = (
    "was not learned from: it shows what the clusters have to do with something that they do not "
    "know."
)

LEARNED_FROM = "was learned from, so its agreement with the clusters is no evidence for them."


def clusters_and_answers(study: Study) -> dict[str, Any] | None:
    """Return how the values of the label are spread over the clusters; None without a label."""
    if study.answers is None:
        return None
    totals = answer_totals(study)
    kept = [text for text, _ in sorted(totals.items(), key=lambda item: (-item[1], item[0]))]
    n_others = len(kept) - ANSWERS if len(kept) > ANSWERS + 1 else 0
    kept = kept[: len(kept) - n_others]
    name = shown(study.answers.name)
    return {
        "name": name,
        "said": f"{name} {LEARNED_FROM if study.answers.is_learned else NOT_LEARNED_FROM}",
        "n_values": len(totals),
        "table": _spread(study, kept, n_others),
        "measures": _measures(study),
        "notes": _notes(study),
    }


def answer_texts(study: Study) -> list[str]:
    """Return the label of each row as text."""
    assert study.answers is not None
    return [MISSING if is_missing(cell) else str(cell) for cell in study.answers.cells]


def answer_totals(study: Study) -> Counter[str]:
    """Return the weight of the rows with each value of the label."""
    totals: Counter[str] = Counter()
    for text, weight in zip(answer_texts(study), study.row_weights.tolist(), strict=True):
        totals[text] += weight
    return totals


def _spread(study: Study, kept: list[str], n_others: int) -> TableView:
    places = {text: place for place, text in enumerate(kept)}
    width = len(kept) + (n_others > 0)
    counts = np.zeros((len(study.clusters), width))
    rows = np.searchsorted(study.clusters, study.labels)
    columns = np.array([places.get(text, len(kept)) for text in answer_texts(study)], np.intp)
    np.add.at(counts, (rows, columns), study.row_weights)
    usual = counts.sum(axis=0) / counts.sum()
    lines = [
        (f"{number}: {study.group_names[number]}", _line(counts[place], usual))
        for place, number in enumerate(study.clusters)
    ]
    others = [f"{n_others:,} others"] if n_others else []
    heads = [*(shown(text, 40) for text in kept), *others, "all"]
    unit = "weight" if study.is_weighted else "rows"
    caption = f"Number of {unit} of each cluster with each value, and share of the cluster"
    lines.append(("all rows", _line(counts.sum(axis=0), usual)))
    return heat_view("label", caption, "cluster", heads, lines)


def _line(counts: FloatArray, usual: FloatArray) -> list[Cell]:
    """Return counts, colored by how their shares differ from those of all rows."""
    total = float(counts.sum())
    shares = [float(number / total) if total else 0.0 for number in counts]
    cells = [
        Cell(f"{count(number)} ({percent(share)})", repr(_whole(number)), heat=share - common)
        for number, share, common in zip(counts.tolist(), shares, usual.tolist(), strict=True)
    ]
    return [*cells, Cell(count(total), repr(_whole(total)), heat=0.0)]


def _whole(number: float) -> float | int:
    return int(number) if number == round(number) else number


def _labeled(study: Study) -> IntArray:
    """Return the places of the rows that the measures count: with a weight, and a label."""
    assert study.answers is not None
    cells = study.answers.cells
    return np.array([place for place in study.able if not is_missing(cells[int(place)])], np.intp)


def _measures(study: Study) -> TableView | None:
    """Return how far clusters and label agree, over the rows that have a label."""
    assert study.answers is not None
    known = _labeled(study)
    if not len(known) or len(study.clusters) < 2:
        return None
    answers = study.answers.of(known)
    truth, labels = np.asarray(answers).astype(str), study.labels[known]
    scores = {
        "ari": float(adjusted_rand_score(truth, labels)),
        "nmi": float(normalized_mutual_info_score(truth, labels)),
        "purity": purity(truth, labels),
        "f_score": clustering_f_score(truth, labels),
    }
    lines = [(name, scores[key], meaning) for key, (name, meaning) in MEASURES.items()]
    # One cluster of the same rows: counted otherwise, the two purities could not be compared.
    usual = purity(truth, np.zeros(len(known), np.intp))
    place = list(MEASURES).index("purity") + 1
    lines.insert(place, ("purity without clusters", usual, "share of the most frequent value"))
    columns = {
        key: [line[at] for line in lines] for at, key in enumerate(("measure", "score", "meaning"))
    }
    kinds = "measure:text score:number meaning:long"
    return view("label-measures", "How far the clusters agree with it", kinds, columns)


def _notes(study: Study) -> list[str]:
    notes = []
    n_missing = len(study.able) - len(_labeled(study))
    if n_missing:
        verb = "does" if n_missing == 1 else "do"
        rows = counted(n_missing, "row")
        notes.append(f"{rows} without a label {verb} not count for the measures.")
    if study.weights is not None:
        notes.append("For the measures every row with a weight above 0 counts once.")
    return notes
