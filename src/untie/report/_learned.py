"""What was learned, how the number of clusters was chosen, and how other methods do."""

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.random import RandomState

from untie._inputs import as_fitted
from untie._learn.clustering.points import AXES
from untie._learn.selection.choose_k import CLOSE
from untie._learn.selection.k_choice import STABLE, KChoice
from untie._table.frames import columns_of
from untie._util.messages import listed
from untie._util.types import FloatArray
from untie.explain import few_said, several_shares, unusual_rows
from untie.report._limits import LISTED_COLUMNS, LONG_TEXT, shown
from untie.report._study import Study
from untie.report._table import TableView, percent, view

COMPARED_ROWS = 2_000
"""The other methods cluster at most this many rows."""

COMPARED_NUMBERS = 4_000_000
"""Their vectors have at most this many numbers: of many values fewer rows are compared."""

COMPARED_VALUES = 20_000
"""With more values than this, other methods take minutes and are left out."""

N_OUTLIERS = 20
"""At most this many rows are listed, of those that are unusual."""

PAIRS_LOOKED_UP = 1_000_000_000
"""The search for unusual rows looks at about this many pairs of cells at most."""

RESTS = "groups rest on it"

METHODS = ("TableClusterer", "one-hot", "MCA", "k-modes")


SCORES = {
    "gain": "Gain: by how many nats per row (1 nat is 1.44 bits) the clusters describe the table "
    "better than no clusters do.",
    "silhouette": "Silhouette: of the share of columns in which rows differ.",
    "stability": "Stability: agreement of the clusters of all rows with those of resampled rows "
    "(adjusted Rand index).",
    "f_score": "F: agreement with the label, each of its values matched to one cluster at most.",
    "ari": "Adjusted Rand index: agreement with the label; 0 is what chance has.",
}
"""What the scores of methods mean."""

SUM = (
    "The squared distance of two rows is a sum over columns, couplings (what values are compared "
    "by, such as what they occur with) and kernels (how a coupling becomes a similarity); these "
    "are the shares of the mean over all pairs of rows."
)

MORE = "Higher scores are better, in every column."

ANEW = (
    "These scores are defined so that all methods can have them; those of the choice of the number "
    "of clusters are defined otherwise, and the two may differ much. Here stability is of "
    "resampled rows and not the agreement of halves, the silhouette is not of distances of learned "
    "vectors, and no cell is hidden from the gain. Compare the figures of one table with each "
    "other only."
)
"""Why TableClusterer has other figures here than in the section on the number of clusters."""

FEW_FIRST = "Rows of clusters that are too small to be groups come first. "

UNUSUAL = (
    "Rows with values that are each frequent and yet hardly ever occur together. The score adds up "
    "the surprise of all pairs, in nats (1 nat is 1.44 bits); share: of all rows that are at least "
    "as surprising. A row is listed if its score is beyond those of the other rows, and beyond "
    "what any row would have if the columns had nothing to do with each other. Rows are counted "
    "from 1."
)

NOT_UNUSUAL = (
    "No row has an unusual combination of values. Some rows combine values that rarely occur "
    "together, but no more than chance would give. Extreme numbers alone are not looked for."
)

GAIN = (
    "Gain: by how many nats per row (1 nat is 1.44 bits) clusters of half of the rows predict the "
    "cells of the other half better than the table's shares do, each cell being hidden from the "
    "choice of its row's cluster; below 0 for noise."
)
SMALLEST = (
    f"Of the numbers with an agreement of {STABLE} or more, the smallest is taken whose gain times "
    f"agreement is at least {CLOSE:.0%} of the highest. Numbers whose gain may be chance (below "
    "two standard errors), or whose clusters rest on one column, are passed over if there are "
    "others."
)
STABILITY = (
    "Agreement: how well the clusters of all rows match those made from half of them (adjusted "
    "Rand index), the mean over all halves. Silhouette: of the distances of the learned vectors; "
    "the choice does not use it."
)
"""What the figures of the choice of k mean."""

RESTING = (
    "A column with a large share tells rows apart, but it need not have anything to do with the "
    "others: the groups rest on those of which they tell something while they are hidden, {:,} in "
    "all."
)

COUPLINGS = {
    "matching": (
        "the values themselves",
        "two rows differ in a column if their values do, whichever these are.",
    ),
    "tree": (
        "trees of values",
        "values that occur with the same others, or about as often, are closer than the rest.",
    ),
    "order": ("the order of values", "values are as far apart as they are in their order."),
    "intra": ("how often values occur", "values that are about as frequent are closer."),
    "inter": ("what values occur with", "values that occur with the same others are closer."),
    "joint": (
        "how often and with what values occur",
        "values that are about as frequent and occur with the same others are closer.",
    ),
}
"""What couplings are called, and what it means that they tell rows apart."""


def weights(study: Study) -> dict[str, Any]:
    """Return the shares of columns and, in words and as tables, of couplings and kernels."""
    both = several_shares(study.encoder, ["coupling", "kernel"])
    shares, kernels = map(columns_of, both)
    pairs = [pair for pair in zip(shares["coupling"], shares["share"], strict=True) if pair[1] > 0]
    words = [(*COUPLINGS.get(key, (key, "")), percent(share)) for key, share in pairs]
    said = listed([f"{name} {share}" for name, _, share in words]) if words else ""
    columns, rests_on = study.shares, set(study.verdict.rests_on)
    if rests_on:
        said_of = ["yes" if name in rests_on else "no" for name in columns["column"]]
        columns = {**columns, RESTS: said_of}
    return {
        "said": f"What tells rows apart: {said}." if said else "All rows are equal.",
        "meaning": [f"{name.capitalize()}: {means}" for name, means, _ in words if means],
        "columns": _shares("column", columns),
        "folded": [_shares(by, found) for by, found in (("coupling", shares), ("kernel", kernels))],
        "resting": RESTING.format(len(study.verdict.rests_on)) if study.verdict.rests_on else "",
        "sum": SUM,
    }


def _shares(by: str, found: dict[str, list[Any]]) -> TableView:
    found = {key: cells[:LISTED_COLUMNS] for key, cells in found.items()}
    caption = f"Share of each {by} in what tells rows apart"
    kinds = {key: "scaled" if key == "share" else "text" for key in found}
    return view(f"weights-by-{by}", caption, kinds, found)


def choice_of_k(study: Study) -> dict[str, Any]:
    """Return the verdict, the figures and the picture of the choice of k."""
    choice, said = study.verdict.choice, shown(study.verdict, 2 * LONG_TEXT)
    if choice is None:
        return {"verdict": said, "table": None}
    kinds = "k:count gain:number error:number agreement:number silhouette:number"
    columns = columns_of(choice.table())
    columns["agreement"] = columns.pop("stability")
    table = view("choice-of-k", "Every number of clusters that was tried", kinds, columns)
    drawn = f"{choice.n_sampled:,} distinct rows were clustered."
    chart = _chart(choice)
    return {
        "verdict": said,
        "meaning": " ".join([GAIN, *([SMALLEST] if chart else []), STABILITY, drawn]),
        "table": table,
        "chart": chart,
        "k": choice.k,
    }


def _chart(choice: KChoice) -> list[dict[str, Any]]:
    """Return lines in a square of 0 to 1: what the picture of the choice draws."""
    nothing = np.zeros(len(choice.ks))
    lines = (("gain", choice.gain, choice.error), ("agreement", choice.stability, nothing))
    return [_line(choice.ks, *line) for line in lines] if len(choice.ks) > 1 else []


def _line(ks: Sequence[int], name: str, numbers: FloatArray, errors: FloatArray) -> dict[str, Any]:
    """Return a line's points: across, up, the number of clusters, and the ends of the error."""
    ends = np.stack([numbers - errors, numbers + errors])
    low, high = min(0.0, float(ends.min())), max(0.0, float(ends.max()))
    high = 1.0 if name == "agreement" or high == low else high
    up, below, above = (np.round((part - low) / (high - low), 4) for part in (numbers, *ends))
    across = np.round(np.arange(len(ks)) / (len(ks) - 1), 4)
    points = list(zip(*(part.tolist() for part in (across, up, below, above)), ks, strict=True))
    zero = round(-low / (high - low), 4)
    return {"name": name, "points": points, "low": low, "high": high, "zero": zero}


ON_AXES = (
    "The clusters of TableClusterer are those of this page, made of the axes of multiple "
    "correspondence analysis (MCA), as the vectors show no stable ones. The method MCA is k-means "
    "on its axes; TableClusterer then moves rows to the cluster in which their cells are likeliest."
)
"""What is said where the clusters of the page are made of axes."""


def comparison(study: Study) -> dict[str, Any]:
    """Return the scores of other methods on some of the rows."""
    from untie.comparison import compare_prepared  # takes a moment to import

    k = len(study.clusters)
    n_values = sum(study.encoder.vocabulary_.sizes)
    nothing: dict[str, Any] = {"table": None, "meaning": []}
    if k < 2:
        return {**nothing, "said": "There is one cluster, so there is nothing to compare."}
    if n_values > COMPARED_VALUES:
        said = f"The table has {n_values:,} values, with which other methods would take long."
        return {**nothing, "said": said}
    able = drawn = study.able
    most = min(COMPARED_ROWS, COMPARED_NUMBERS // n_values)
    if len(able) > most:
        drawn = np.sort(RandomState(study.seed).permutation(able)[:most])
    answers = None
    if study.answers is not None and not study.answers.is_learned:
        answers = study.answers.of(drawn)
    try:
        found = compare_prepared(
            study.rows(drawn),
            k,
            y=answers,
            sample_weight=None if study.weights is None else study.weights[drawn],
            methods=METHODS,
            clusterer=study.clusterer,
            n_resamples=3,
            random_state=study.seed,
        )
    except ValueError as error:  # too few distinct rows, or too many values
        return {**nothing, "said": f"Other methods were not tried. {error}"}
    columns = columns_of(found.table())
    kinds = {key: "text" if key == "method" else "number" for key in columns}
    some = f"{len(drawn):,} rows drawn from {len(able):,}"
    said = f"{k} clusters of {some if len(drawn) < len(able) else 'all rows that count'}."
    if len(drawn) == study.n_rows:
        said = f"{k} clusters of all rows."
    table = view("comparison", "TableClusterer compared with other methods", kinds, columns)
    meaning = [MORE, *(text for key, text in SCORES.items() if key in columns), ANEW]
    choice = study.verdict.choice
    if choice is not None and choice.made_of == AXES:
        meaning.insert(0, ON_AXES)
    return {"table": table, "said": said, "meaning": meaning}


def unusual(study: Study) -> dict[str, Any]:
    """Return the unusual rows, those with the most surprising combinations of values first."""
    n_columns = len(study.names)
    if n_columns < 2:
        return {"table": None, "said": "A combination needs two columns; there is one."}
    most = max(PAIRS_LOOKED_UP // (n_columns * (n_columns - 1) // 2), 1_000)
    positions = np.arange(study.n_rows)
    frame, said = study.frame, ""
    counts = study.row_weights > 0
    in_few = np.flatnonzero(counts & np.isin(study.labels, list(study.verdict.few)))
    if study.n_rows > most:
        drawn = RandomState(study.seed).permutation(study.n_rows)[:most]
        positions = np.union1d(drawn, in_few)
        frame = study.rows(positions)
        said = f"{most:,} of {study.n_rows:,} rows were looked at, drawn by chance. "
    sizes = np.bincount(study.labels[counts]).tolist()
    few = {label: few_said(label, sizes[label]) for label in np.unique(study.labels[in_few])}
    asked = (as_fitted(study.encoder), frame, N_OUTLIERS, study.labels[positions], few)
    found = columns_of(unusual_rows(*asked, counts[positions]))
    lines = {key: list(compress(cells, found["unusual"])) for key, cells in found.items()}
    if not lines["position"]:
        return {"table": None, "said": f"{said}{NOT_UNUSUAL}"}
    if few:
        said += FEW_FIRST
    rows = positions[lines["position"]]
    lines["row"] = (rows + 1).tolist()
    lines["cluster"] = study.labels[rows].tolist()
    names = study.row_names(rows)
    kinds = "row:count cluster:count score:number share:share reason:long"
    if names is not None:
        lines["name"] = names
        kinds = kinds.replace("row:count", "row:count name:text")
    which = "Unusual rows" if len(rows) < N_OUTLIERS else "The most unusual rows"
    table = view("outliers", which, kinds, lines)
    return {"table": table, "said": f"{said}{UNUSUAL}"}
