"""F-scores by data set and method, measured and printed, and how far they are apart."""

from __future__ import annotations

from typing import Any

from untie_paper.data import SETS
from untie_paper.evaluation import published
from untie_paper.methods import CDE_TEN, COLUMNS, PAPER
from untie_paper.ranks import delta

DELTA = "Delta"
CLOSE, NEAR = 0.5, 2.0
"""Points of F within which cells agree."""

DIGIT = 0.00501
"""Points within which two scores agree in both decimals."""


def by_set_and_method(frame: Any, measure: str = "f_score", over_seeds: Any = "mean") -> Any:
    """Return one row per data set and one column per method, in the paper's orders.

    Parameters
    ----------
    frame : pandas DataFrame
        The cells.
    measure : str
        One of what cells return.
    over_seeds : str or callable
        What is made of the figures of several seeds.
    """
    table = frame.pivot_table(
        index="dataset", columns="method", values=measure, aggfunc=over_seeds, sort=False
    )
    rows = [name for name in SETS if name in table.index]
    columns = sorted(table.columns, key=[*COLUMNS, *table.columns].index)
    return table.loc[rows, columns].rename_axis(index="data set", columns=None)


def printed_scores() -> Any:
    """Return the printed F-scores of the ten methods."""
    table = published("clustering").set_index("dataset").drop(columns="delta")
    return table.rename_axis(index="data set")


def with_delta(scores: Any) -> Any:
    """Return the scores with the paper's last column, where all ten methods are there."""
    ten = list(printed_scores())
    others = [name for name in ten if name != PAPER]
    if not set(ten) <= set(scores.columns):
        return scores
    rivals = [name for name in others if name != "Couplings"]
    return scores.assign(**{DELTA: delta(scores, PAPER, others, rivals)})


def gaps_to_paper(scores: Any, paper: Any) -> Any:
    """Return how far each printed method's score is from the printed one."""
    both = [method for method in paper if method in scores]
    return (scores[both] - paper[both]).abs().loc[scores.index]


def with_ten_starts(paper: Any) -> Any:
    """Return the printed scores, those of CDE once more for CDE with ten starts."""
    return paper.assign(**{CDE_TEN: paper["CDE"]})
