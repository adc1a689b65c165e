"""The tables that the paper prints, as frames."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any

_DATA = files("untie_paper.evaluation") / "data"
_SUFFIX = ".csv"


def published_names() -> list[str]:
    """Return the names that `published` knows.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "clustering" in published_names()
    True
    """
    return sorted(
        entry.name.removesuffix(_SUFFIX)
        for entry in _DATA.iterdir()
        if entry.name.endswith(_SUFFIX)
    )


def published(name: str) -> Any:
    """Return a table of the paper, with its numbers as they are printed (F-scores times 100).

    Parameters
    ----------
    name : str
        ``clustering``: F-scores of ten methods on 25 data sets and UNTIE's gain, ``delta``;
        ``clustering_ranks``: the methods' mean ranks; ``clustering_tests``: Friedman's statistic
        and the critical difference; ``classification``: mean and standard deviation of the
        F-scores of four classifiers (no deviation where none is printed);
        ``classification_ranks``: their mean ranks; ``kernels``: the sets of kernels
        used to test stability, whose scores are only drawn. (`untie_paper.datasets.printed_figures`
        has the printed sizes of the data sets.)

    Returns
    -------
    DataFrame
        Data sets have their names in `untie_paper.datasets`.

    Examples
    --------
    >>> published("clustering").shape
    (25, 12)
    """
    import pandas as pd

    if name not in published_names():
        raise ValueError(f"There is no table {name!r}; choose among {published_names()}.")
    with (_DATA / f"{name}{_SUFFIX}").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    return pd.DataFrame({title: _typed(cells) for title, cells in columns.items()})


def _typed(cells: tuple[str, ...]) -> list[Any]:
    """Turn a column into whole numbers, numbers or text, the first of them that all cells are."""
    for kind in (int, float):
        try:
            return [kind(cell) if cell else None for cell in cells]
        except ValueError:
            continue
    return list(cells)
