"""The cells of the readings as a frame: what each is called, and what it meets of the print."""

from __future__ import annotations

from typing import Any

from untie_paper.clustering_scores import DIGIT
from untie_paper.data import SETS
from untie_paper.run.experiment import Results

NOT_UNTIE = ("One-hot", "Couplings")
"""Encodings without kernels and weights: what agreement is worth that they reach as well."""

COUPLINGS = ("separate", "joint")
ANSWERS: dict[str, dict[Any, str]] = {
    "kernels": {"Gaussian": "Gaussian kernels"},
    "scale": {"cosine": "cosine", "none": "no scale"},
    "n_steps": {500: "500 steps", 3000: "3,000 steps"},
    "batch_size": {7: "batch of 7 (21 pairs)", 40: "batch of 40 (20 pairs)"},
    "replacement": {False: "every row once in a pass"},
    "solver": {"adagrad": "AdaGrad", "uniform": "equal weights"},
}
"""How answers are called that differ from those of `UNTIE.from_paper`."""

AS_PRINTED, EQUAL = "as from_paper", ANSWERS["solver"]["uniform"]
COMPARED = (ANSWERS["n_steps"][3000], ANSWERS["solver"]["adagrad"], EQUAL)
"""No readings but comparisons: the paper's settings are Adam and at most 1,000 steps."""


def name_reading(row: Any) -> tuple[str, str]:
    """Return the couplings of a cell's reading, and in what else it differs from `from_paper`.

    Examples
    --------
    >>> name_reading({"couplings": "joint", "n_steps": 500, "scale": "diagonal"})
    ('joint', '500 steps')
    """
    said = [names[row[field]] for field, names in ANSWERS.items() if row.get(field) in names]
    return row["couplings"], ", ".join(said) or AS_PRINTED


def reading_frame(results: Results) -> Any:
    """Return the cells of the readings in the paper's order of sets, with names.

    `couplings` and `reading` name the reading, `method` in one piece. Empty if there are none.
    """
    import pandas as pd

    cells = sorted((row for row in results.rows if "couplings" in row), key=_place)
    names = pd.DataFrame([name_reading(row) for row in cells], columns=["couplings", "reading"])
    frame = pd.DataFrame(cells).drop(columns="couplings", errors="ignore")
    joined = pd.concat([frame, names], axis=1)
    return joined.assign(method=[", ".join(pair) for pair in names.to_numpy()])


def plain_frame(results: Results) -> Any:
    """Return the cells of the encodings that are not UNTIE."""
    import pandas as pd

    cells = [row for row in results.rows if row.get("method") in NOT_UNTIE]
    return pd.DataFrame(cells, columns=["dataset", "method", "seed", "f_score"])


def mean_scores(frame: Any) -> Any:
    """Return means over seeds, a row for each set and a column for each `method`."""
    means = frame.groupby(["dataset", "method"], sort=False)["f_score"].mean().unstack()
    return means.rename_axis(index="data set", columns=None)[list(dict.fromkeys(frame["method"]))]


def meets(frame: Any, printed: Any) -> Any:
    """Tell of each cell whether its score is the printed one in both decimals."""
    return (frame["f_score"] - frame["dataset"].map(printed)).abs() < DIGIT


def _place(row: Any) -> tuple[Any, ...]:
    """Return what cells are sorted by: the paper's data sets, then answers in their order."""
    answers = [
        1 + list(names).index(row[field]) if row.get(field) in names else 0
        for field, names in ANSWERS.items()
    ]
    # The last answers first, so that those of one kind stand together.
    return SETS.index(row["dataset"]), COUPLINGS.index(row["couplings"]), answers[::-1]
