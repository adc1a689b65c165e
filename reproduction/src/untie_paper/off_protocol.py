"""Data sets on which UNTIE as printed does not do what the printed protocol says, and why.

There are two reasons. With as many classes as a batch has rows, or more, the eigenvectors explain
every batch fully, so there is no gradient and no weight is learned. And where the couplings tell no
two values apart, S is constant: k-means would have a single point, so the encoder falls back on
one-hot vectors, with a warning. Scores on such sets are marked in the tables, and means are
given with and without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from untie import UNTIE
from untie_paper.datasets import load, printed_figures
from untie_paper.evaluation import clustering_f_score
from untie_paper.methods import PAPER
from untie_paper.output.words import listing

LEVEL = ("threeof9",)
"""Sets whose couplings tell no two values apart; a test fits every set and looks."""

LEFT_OUT = "off-protocol sets left out"
"""Marks means and ranks over the other sets."""


def why_off(dataset: str, is_whole: bool = True) -> str | None:
    """Return why UNTIE's figures on a data set are not those of the printed protocol.

    Parameters
    ----------
    dataset : str
        A name of `untie_paper.datasets`.
    is_whole : bool, default=True
        Whether the encoder sees all rows; couplings of a part of them are never exactly level.

    Returns
    -------
    str or None
        A sentence; None where the protocol can be followed.

    Examples
    --------
    >>> why_off("audiology")
    'Not the printed protocol: there are as many classes as rows in a batch (20), or more, so
    the eigenvectors explain every batch, there is no gradient and every weight stays 1.'
    >>> why_off("zoo") is None
    True
    """
    batch_size = UNTIE.from_paper(2).batch_size
    if _n_classes(dataset) >= batch_size:
        return (
            "Not the printed protocol: there are as many classes as rows in a batch "
            f"({batch_size}), or more, so the eigenvectors explain every batch, there is no "
            "gradient and every weight stays 1."
        )
    if is_whole and dataset in LEVEL:
        return (
            "Not the printed protocol: the couplings tell no two values apart, so all similarities "
            "are equal, and one-hot vectors stand in."
        )
    return None


def sets_off(datasets: Iterable[str], is_whole: bool = True) -> list[str]:
    """Return those of the data sets on which the protocol cannot be followed.

    Examples
    --------
    >>> sets_off(["zoo", "threeof9", "primarytumor"])
    ['threeof9', 'primarytumor']
    """
    # Tables have rows that are no data sets.
    known = printed_figures()
    return [name for name in datasets if name in known and why_off(name, is_whole)]


def footnotes(
    table: Any, columns: Iterable[Any] = (PAPER,), is_whole: bool = True
) -> dict[tuple[Any, Any], str]:
    """Return the footnotes of a table with a row per data set.

    Parameters
    ----------
    table : pandas DataFrame
        Cells without a figure have no footnote.
    columns : iterable of labels
        Those that hold UNTIE as printed; the ones that the table does not have are passed over.
    is_whole : bool, default=True
        As in `why_off`.

    Examples
    --------
    >>> import pandas as pd
    >>> list(footnotes(pd.DataFrame({"UNTIE": [54.8, 66.1]}, index=["threeof9", "zoo"])))
    [('threeof9', 'UNTIE')]
    """
    return {
        (name, column): str(why_off(name, is_whole))
        for name in sets_off(table.index, is_whole)
        for column in columns
        if column in table and table.notna().loc[name, column]
    }


def including(datasets: Iterable[str], what: str = "the mean") -> str:
    """Return a footnote for a figure over several sets, empty if all follow the protocol.

    Examples
    --------
    >>> including(["zoo", "threeof9", "audiology"])
    'Not the printed protocol on threeof9 and audiology, which the mean includes.'
    """
    found = sets_off(datasets)
    return f"Not the printed protocol on {listing(found)}, which {what} includes." if found else ""


def single_cluster_score(dataset: str) -> float:
    """Return the F-score (times 100) of one cluster of all rows.

    That is what k-means makes of a constant S.

    Examples
    --------
    >>> round(single_cluster_score("threeof9"), 2)
    34.86
    """
    y = load(dataset)[1]
    return 100 * clustering_f_score(y, np.zeros(len(y), dtype=int))


def _n_classes(dataset: str) -> int:
    n_classes = printed_figures()[dataset].n_c
    return int(load(dataset)[1].nunique() if n_classes is None else n_classes)
