"""Summaries of scores over tables: mean, median and mean rank, and wins against one method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

TIE = 0.5
"""Scores, times 100, that differ by at most this many points are a tie."""


def summary_rows(
    frame: pd.DataFrame,
    groups: Mapping[str, Sequence[str]],
    control: str,
    scale: float = 1.0,
    digits: int = 2,
    forms: Sequence[str] = (),
) -> list[list[str]]:
    """Summarize scores of methods for each group of tables.

    Parameters
    ----------
    frame : frame of shape (n_tables, n_methods)
        The scores, times 100 if the scale is 1.
    groups : mapping of str to sequence of str
        The names of the tables in each group. Groups without any are left out.
    control : str
        The method whose wins and losses against each other one are counted.
    scale : float, default=1.0
        What a score is multiplied by to give points.
    digits : int, default=2
        Decimals of means and medians.
    forms : sequence of str, default=()
        Methods that are ranked against all but each other: see `mean_ranks`.

    Returns
    -------
    list of rows of shape (1 + n_methods,)
        For each group the mean, the median, the mean rank, and wins and losses of the control.

    Examples
    --------
    >>> scores = pd.DataFrame({"ours": [90.0, 50.0], "other": [80.0, 50.2]}, index=["a", "b"])
    >>> for row in summary_rows(scores, {"all": ["a", "b"]}, "ours", digits=1):
    ...     print(*row, sep=" | ")
    **mean, all** (2) | 70.0 | 65.1
    **median, all** | 70.0 | 65.1
    **mean rank, all** | 1.50 | 1.50
    **ours wins / loses, all** |  | 1 / 0
    """
    rows = []
    for group, names in groups.items():
        part = frame.loc[[name for name in names if name in frame.index]]
        if part.empty:
            continue
        ranks = mean_ranks(part, forms)
        points = part.rsub(part[control], axis=0) * scale
        counts = [
            "" if name == control else f"{(own > TIE).sum()} / {(own < -TIE).sum()}"
            for name, own in points.items()
        ]
        rows += [
            [f"**mean, {group}** ({len(part)})", *(f"{cell:.{digits}f}" for cell in part.mean())],
            [f"**median, {group}**", *(f"{cell:.{digits}f}" for cell in part.median())],
            [f"**mean rank, {group}**", *(f"{ranks[name]:.2f}" for name in part)],
            [f"**{control} wins / loses, {group}**", *counts],
        ]
    return rows


def mean_ranks(frame: pd.DataFrame, forms: Sequence[str] = ()) -> dict[str, float]:
    """Return the mean rank of each method; 1 is best, and ties share.

    Each form is ranked against the methods that are no forms, and those against each other and
    the first form.

    Examples
    --------
    >>> scores = pd.DataFrame({"ours": [3.0], "ours, other form": [2.0], "peer": [1.0]})
    >>> mean_ranks(scores, ["ours", "ours, other form"])
    {'ours': 1.0, 'ours, other form': 1.0, 'peer': 2.0}
    """
    others = [name for name in frame if name not in forms]
    fields = {name: [*forms[:1], *others] for name in others}
    fields |= {form: [form, *others] for form in forms if form in frame}
    rounded = frame.round(6)  # equal but for rounding is equal
    return {
        str(name): float(rounded[fields[name]].rank(axis=1, ascending=False)[name].mean())
        for name in frame
    }


def print_rows(header: Sequence[object], rows: Sequence[Sequence[object]]) -> None:
    """Print a Markdown table."""
    print("| " + " | ".join(map(str, header)) + " |\n" + "|---" * len(header) + "|")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print(flush=True)
