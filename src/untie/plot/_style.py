"""What all plots share: axes, titles, colors, short labels.

Nothing here sets a color for letters, lines or backgrounds: those are the user's style, light or
dark. The colors of points and bars are readable on both, and for color-blind readers.
"""

import textwrap
from collections.abc import Sequence
from typing import Any

from untie._util.messages import need

COLORS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8367c7",
    "#9c6b30",
)
MARKERS = "os^DvPXp"
GRAY = "#8a8a8a"
SHARES = "viridis"
"""The color map from nothing to much."""
DIFFERENCES = ((0.0, "#78a5d8"), (0.5, "#f4f4f4"), (0.75, "#f1a340"), (1.0, "#a84f05"))
"""The color map from less than usual to more; what is more stands out."""

FONT_SIZE = 9.0
TITLE_SIZE = 10.0
LETTER = 0.074
"""Inches that a letter of `TITLE_SIZE` takes in a line of text."""
LONGEST_LABEL = 28


def group_style(number: int) -> dict[str, Any]:
    """Return color and marker of a group; no two of the first 64 have both in common.

    Examples
    --------
    >>> group_style(0), group_style(8)
    ({'color': '#0072b2', 'marker': 'o'}, {'color': '#0072b2', 'marker': 's'})
    """
    shift = number + number // len(COLORS)
    return {
        "color": COLORS[number % len(COLORS)],
        "marker": MARKERS[shift % len(MARKERS)],
    }


def short(text: object, longest: int = LONGEST_LABEL) -> str:
    """Return a label on one line that is not too long; both ends stay, as either may tell it.

    Examples
    --------
    >>> short("smooth"), short("stalk-surface-above-ring", 18)
    ('smooth', 'stalk-sur…ove-ring')
    """
    line = " ".join(str(text).split())
    if len(line) <= longest:
        return line
    n_end = (longest - 1) // 2
    return f"{line[: longest - 1 - n_end].rstrip()}…{line[len(line) - n_end :].lstrip()}"


def check_axes(ax: Any) -> None:
    """Refuse what nothing can be drawn on, before anything is computed."""
    axes = need("matplotlib.axes", "report", "Plots")
    if ax is not None and not isinstance(ax, axes.Axes):
        raise TypeError(f"ax must be a matplotlib Axes or None, got {type(ax).__name__}.")


def get_axes(ax: Any, width: float, height: float) -> Any:
    """Return the axes to draw on: the user's, or those of a new figure.

    Called when all is computed, so that nothing that fails leaves an empty figure behind.
    """
    return ax if ax is not None else new_axes(1, width, height)[0]


def new_axes(n: int, width: float, height: float) -> Any:
    """Return an array of axes below each other, in a figure that pyplot knows and can show."""
    pyplot = need("matplotlib.pyplot", "report", "Plots")
    _, axes = pyplot.subplots(
        n, figsize=(width, height), layout="constrained", squeeze=False, sharex=True
    )
    return axes[:, 0]


def set_title(axes: Any, title: str, notes: Sequence[str] = ()) -> None:
    """Write a title and, below it, what must be known to read the plot."""
    box = axes.get_window_extent()
    letters = max(24, int(box.width / axes.figure.dpi / LETTER))
    lines = [line for text in (title, *notes) for line in textwrap.wrap(text, letters)]
    axes.set_title("\n".join(lines), loc="left", fontsize=TITLE_SIZE, parse_math=False)


def set_labels(
    axes: Any, which: str, labels: Sequence[object], longest: int = LONGEST_LABEL
) -> None:
    """Write one label for each of the places 0, 1, ... of an axis ("x" or "y")."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks(
        range(len(labels)),
        [short(label, longest) for label in labels],
        fontsize=FONT_SIZE,
        parse_math=False,  # a dollar in a value is a dollar
    )


def write_cells(axes: Any, image: Any, texts: Sequence[Sequence[str]]) -> None:
    """Write a text into each cell of a heat map, dark on light and light on dark."""
    colors = image.cmap(image.norm(image.get_array()))
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            red, green, blue, _ = colors[row, column]
            bright = 0.299 * red + 0.587 * green + 0.114 * blue
            axes.text(
                column,
                row,
                text,
                ha="center",
                va="center",
                fontsize=FONT_SIZE - 1,
                color="black" if bright > 0.5 else "white",
            )


def add_legend(axes: Any, handles: Sequence[Any], labels: Sequence[str], title: str = "") -> None:
    """Put a legend to the right of the axes, where it covers nothing."""
    legend = axes.legend(
        handles,
        [str(number) for number in range(len(labels))],
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        fontsize=FONT_SIZE,
        title=short(title) or None,
        title_fontsize=FONT_SIZE,
        alignment="left",
    )
    # Written afterwards: a label such as "_a" is none for `legend`.
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set(text=label, parse_math=False)
    legend.get_title().set_parse_math(False)
