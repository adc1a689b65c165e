"""Ranks of methods over data sets, with the paper's tests and diagram."""

from __future__ import annotations

from typing import Any

from untie_paper.evaluation import (
    average_ranks,
    bonferroni_dunn,
    critical_difference_diagram,
    friedman,
    published,
)
from untie_paper.output.report import Figure
from untie_paper.output.style import INK, PAGE_WIDTH, common_legend, is_narrow, panels

DIGITS = 2
"""Scores are ranked as they are printed, so that rounding splits no ties."""

ALPHA = 0.1
"""The level of the paper's test."""


def complete(scores: Any) -> Any:
    """Return the data sets on which every method has a score."""
    return scores.dropna().round(DIGITS)


def mean_ranks(scores: Any) -> Any:
    """Return the mean rank of each column over the complete rows; 1 is best.

    Examples
    --------
    >>> import pandas as pd
    >>> mean_ranks(pd.DataFrame({"A": [90.0, 70.0], "B": [80.0, 70.001]})).to_dict()
    {'A': 1.25, 'B': 1.75}
    """
    import pandas as pd

    kept = complete(scores)
    ranks = average_ranks(kept.to_numpy()) if len(kept) else [float("nan")] * kept.shape[1]
    return pd.Series(ranks, kept.columns)


def delta(scores: Any, method: str, others: list[str], rivals: list[str]) -> Any:
    """Return by how many percent a method is better than the best rival, where it is best of all.

    The paper's column: 0 where any of `others` is better; otherwise the gain over the best of
    `rivals`, which are the others without Couplings.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"A": [60.0, 60.0], "B": [60.0, 61.0], "C": [50.0, 50.0]})
    >>> delta(scores, "A", ["B", "C"], ["C"]).round(9).tolist()
    [20.0, 0.0]
    """
    rounded = scores.round(DIGITS)
    best = rounded[method] >= rounded[others].max(axis=1)
    rival = rounded[rivals].max(axis=1)
    gain = (100 * (rounded[method] / rival - 1)).where(best, 0.0)
    return gain.where(rounded[[method, *others]].notna().all(axis=1))


def worse_than(ranks: Any, control: str, n_sets: int) -> list[str]:
    """Return the methods whose mean rank is worse than the control's by the critical difference."""
    difference = bonferroni_dunn(len(ranks), n_sets, ALPHA)
    return [name for name, rank in ranks.items() if rank - ranks[control] > difference]


def statistics(scores: Any) -> dict[str, Any]:
    """Return Friedman's and Iman and Davenport's statistics and the critical difference.

    Examples
    --------
    >>> import pandas as pd
    >>> statistics(pd.DataFrame({"A": [9.0, 8.0, 9.0], "B": [8.0, 7.0, 6.0]}))["Friedman's chi2"]
    3.0
    """
    kept = complete(scores)
    test = friedman(kept.to_numpy())
    return {
        "data sets": test.n_sets,
        "methods": test.n_methods,
        "Friedman's chi2": test.chi2,
        "its p": f"{test.p_value:.2e}",
        "Iman and Davenport's F": test.f,
        f"critical difference, alpha {ALPHA:g}": bonferroni_dunn(
            test.n_methods, test.n_sets, ALPHA
        ),
    }


def printed_statistics() -> dict[str, Any]:
    """Return what the paper prints of them, by the same names."""
    table = published("clustering_tests").set_index("quantity")["value"]
    return {
        "data sets": len(published("clustering")),
        "methods": len(published("clustering_ranks")),
        "Friedman's chi2": float(table["chi2"]),
        "its p": f"{float(table['p_value']):.2e}",
        f"critical difference, alpha {float(table['alpha']):g}": float(
            table["critical_difference"]
        ),
    }


def diagram(name: str, title: str, ranks: Any, n_sets: int, control: str) -> Figure:
    """Return the critical-difference diagram of mean ranks."""
    import pandas as pd

    data = pd.DataFrame(
        {
            "method": ranks.index,
            "mean_rank": ranks.to_numpy(),
            "n_sets": n_sets,
            "control": control,
            "alpha": ALPHA,
        }
    ).sort_values("mean_rank", kind="stable", ignore_index=True)
    return Figure(name, title, data, draw_diagram, _in_words(ranks, n_sets, control))


def draw_diagram(data: Any) -> Any:
    """Draw the mean ranks on a line, with what differs from the control; for a phone, a list."""
    if is_narrow():
        return _draw_list(data)
    from matplotlib.figure import Figure as Canvas

    first = data.iloc[0]
    canvas = Canvas(figsize=(PAGE_WIDTH, 1.3 + 0.26 * ((len(data) + 1) // 2)))
    critical_difference_diagram(
        dict(zip(data["method"], data["mean_rank"], strict=True)),
        int(first["n_sets"]),
        control=first["control"],
        alpha=float(first["alpha"]),
        ax=canvas.add_axes((0.0, 0.0, 1.0, 1.0)),
    )
    return canvas


def _draw_list(data: Any) -> Any:
    """Draw one row per method, best first, and the band of one critical difference."""
    first, names, ranks = data.iloc[0], list(data["method"]), data["mean_rank"].to_numpy()
    figure, (axes,) = panels(1, height=1.1 + 0.24 * len(data))
    middle = ranks[names.index(first["control"])]
    distance = bonferroni_dunn(len(data), int(first["n_sets"]), float(first["alpha"]))
    label = f"critical difference to {first['control']}: {distance:.2f}"
    axes.axvspan(middle - distance, middle + distance, color="#b9d0e6", alpha=0.6, label=label)
    for row, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        differs = abs(rank - middle) > distance
        colour, mark = "#b3331d" if differs else INK, "D" if name == first["control"] else "o"
        axes.plot(rank, row, mark, color=colour, mfc="white" if differs else colour, ms=6)
    labels = [f"{name} ({rank:.2f})" for name, rank in zip(names, ranks, strict=True)]
    axes.set_yticks(range(len(names)), labels)
    axes.set(xlabel="mean rank (1 is best)", xlim=(1, len(names)), ylim=(len(names) - 0.4, -0.6))
    common_legend(figure, [axes])
    return figure


def _in_words(ranks: Any, n_sets: int, control: str) -> str:
    order = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.sort_values().items())
    worse = worse_than(ranks, control, n_sets)
    return (
        f"Mean ranks over {n_sets} data sets: {order}. "
        f"Worse than {control} by more than the critical difference: {', '.join(worse) or 'none'}."
    )
