"""The figures of the paper's data table: counted from columns, and as printed."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from untie_paper.datasets._columns import LABEL, Columns


class Figures(NamedTuple):
    """Rows, attributes, classes, and the mean and most distinct values of an attribute."""

    n_o: int | None
    n_a: int | None
    n_c: int | None
    n_av: float | None
    n_mv: int | None


def measure(columns: Columns) -> Figures:
    """Count the figures of a data set; "?" is a value like any other."""
    sizes = [len(set(cells)) for name, cells in columns.items() if name != LABEL]
    label = columns[LABEL]
    return Figures(len(label), len(sizes), len(set(label)), sum(sizes) / len(sizes), max(sizes))


@cache
def printed_figures() -> dict[str, Figures]:
    """Return the printed figures of each data set; what is not printed is None."""
    text = (files("untie_paper.datasets") / "data" / "published.csv").read_text(encoding="utf-8")
    return {row.pop("name"): _as_figures(row) for row in csv.DictReader(text.splitlines())}


def agree(measured: Figures, printed: Figures) -> bool:
    """Tell whether the figures that are printed are those measured, to two decimals."""
    return all(
        p is None or (m is not None and f"{m:.2f}" == f"{p:.2f}")
        for m, p in zip(measured, printed, strict=True)
    )


def in_words(figures: Figures) -> str:
    """Return the figures as part of a sentence."""
    return (
        f"{figures.n_o} rows, {figures.n_a} attributes, {figures.n_c} classes, "
        f"{figures.n_av:.2f} values per attribute and at most {figures.n_mv}"
    )


def _as_figures(row: dict[str, str]) -> Figures:
    counts = {name: int(cell) if cell else None for name, cell in row.items() if name != "n_av"}
    return Figures(n_av=float(row["n_av"]) if row["n_av"] else None, **counts)
