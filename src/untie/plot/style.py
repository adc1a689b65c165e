"""What all plots share: axes, titles, colours, short labels.

Nothing here sets a colour for letters, lines or backgrounds: those are the user's style, light or
dark. The colours of points and bars are readable on both, and for colour-blind readers.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from untie.engines.extra import need

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = "os^DvP"
GREY = "#8a8a8a"
SHARES = "viridis"
"""Colour map from nothing to much."""
DIFFERENCES = "PuOr_r"
"""Colour map from less to more, with a middle."""

FONT_SIZE = 9.0
LETTER = 0.075
"""Inches that a letter of `FONT_SIZE` takes in a line of text."""
LONGEST_LABEL = 28


def group_style(number: int) -> dict[str, Any]:
    """Return colour and marker of a group; no two of the first 36 have both in common.

    Examples
    --------
    >>> group_style(0), group_style(6)
    ({'color': '#0072b2', 'marker': 'o'}, {'color': '#0072b2', 'marker': 's'})
    """
    shift = number + number // len(COLOURS)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[shift % len(MARKERS)],
    }


def short(text: object, longest: int = LONGEST_LABEL) -> str:
    """Return a label on one line that is not too long.

    Examples
    --------
    >>> short("smooth"), short("a label with rather too many words in it", 20)
    ('smooth', 'a label with rather…')
    """
    line = " ".join(str(text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


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
    axes.set_title("\n".join(lines), loc="left", fontsize=FONT_SIZE, parse_math=False)


def set_labels(axes: Any, which: str, labels: Sequence[object], **style: Any) -> None:
    """Write one label for each of the places 0, 1, ... of an axis ("x" or "y")."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks(
        range(len(labels)),
        [short(label) for label in labels],
        fontsize=FONT_SIZE,
        parse_math=False,  # a dollar in a value is a dollar
        **style,
    )


def write_cells(axes: Any, image: Any, texts: Sequence[Sequence[str]]) -> None:
    """Write a text into each cell of a heat map, dark on light and light on dark."""
    colours = image.cmap(image.norm(image.get_array()))
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            red, green, blue, _ = colours[row, column]
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
