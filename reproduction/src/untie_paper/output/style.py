"""How figures look: one colour, marker and line for each method, sizes, and a common legend.

No two methods differ by colour alone: those of similar colour have another marker and line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

PAGE_WIDTH = 7.2
"""Inches; letters of `FONT_SIZE` are readable when it is a page wide."""

PHONE_WIDTH = 3.5
"""Inches; 336 pixels of CSS, what a phone of 390 has beside the margins of a page."""

FONT_SIZE = 9.0
LEGEND_LETTERS = 66
"""How many letters fit side by side in a legend for a phone; its lines and gaps count as eight."""

INK, GRID = "#1f1f1f", "#d9d9d9"

METHOD_COLOURS = {
    "UNTIE": "#0072b2",
    "UNTIE (default)": "#d55e00",
    "UNTIE (exact)": "#6a3d9a",
    "Couplings": "#56b4e9",
    "CDE": "#009e73",
    "COS": "#e69f00",
    "Ahmad": "#cc79a7",
    "DILCA": "#882255",
    "Rough": "#999933",
    "Hamming": "#777777",
    "BiGAN_WD": "#332288",
    "VAE_WD": "#aa4499",
    "One-hot": "#000000",
    "MCA": "#44aa99",
    "Latent classes": "#661100",
    "CDE (10 starts)": "#117733",
    "UNTIE (neighbors)": "#ee3377",
}
"""Colours from palettes made for colour-blind readers."""

METHOD_MARKERS = dict(zip(METHOD_COLOURS, "osHv^DPX*pd<>h8_x", strict=True))

_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)))
METHOD_LINES: dict[str, Any] = {
    method: "-" if method.startswith("UNTIE") else _DASHES[number % len(_DASHES)]
    for number, method in enumerate(METHOD_COLOURS)
}

CLASS_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#332288", "#56b4e9")
CLASS_MARKERS = "os^DvPX"
"""Colours and markers of classes or other things that are no methods; both repeat."""

OTHER = "#555555"

_NARROW: ContextVar[bool] = ContextVar("narrow", default=False)


@contextmanager
def for_phones() -> Iterator[None]:
    """Within, figures are drawn as wide as a phone: panels one below another, letters as large.

    Examples
    --------
    >>> with for_phones():
    ...     panels(4)[0].get_size_inches().tolist()
    [3.5, 9.6]
    """
    token = _NARROW.set(True)
    try:
        yield
    finally:
        _NARROW.reset(token)


def is_narrow() -> bool:
    """Tell whether what is drawn now is for a phone."""
    return _NARROW.get()


def method_style(method: str, markers: bool = True) -> dict[str, Any]:
    """Return the arguments of ``axes.plot`` for a method's line.

    Parameters
    ----------
    method : str
        A name of the paper's columns; others are drawn in grey.
    markers : bool, default=True
        False for curves of many points.

    Examples
    --------
    >>> style = method_style("CDE")
    >>> style["color"], style["marker"], style["label"]
    ('#009e73', '^', 'CDE')
    """
    ours = method.startswith("UNTIE")
    style: dict[str, Any] = {
        "color": METHOD_COLOURS.get(method, OTHER),
        "linestyle": METHOD_LINES.get(method, "-"),
        "linewidth": 2.0 if ours else 1.2,
        "zorder": 3 if ours else 2,
        "label": method,
    }
    if markers:
        style |= {"marker": METHOD_MARKERS.get(method, "."), "markersize": 5.0 if ours else 4.0}
    return style


def class_style(number: int) -> dict[str, Any]:
    """Return colour and marker of the class of that number, from 0.

    Examples
    --------
    >>> class_style(1)
    {'color': '#d55e00', 'marker': 's'}
    """
    return {
        "color": CLASS_COLOURS[number % len(CLASS_COLOURS)],
        "marker": CLASS_MARKERS[number % len(CLASS_MARKERS)],
    }


def panels(
    n: int,
    columns: int | None = None,
    width: float = PAGE_WIDTH,
    height: float = 2.4,
    narrow: tuple[int, float] | None = None,
) -> tuple[Any, list[Any]]:
    """Return a figure and `n` axes in rows of equal panels, with room for everything.

    Parameters
    ----------
    n : int
        Number of panels.
    columns : int, optional
        Panels in a row; as many as stay readable at page width (at most three) if None.
    width, height : float
        Inches of the figure, and of one row of panels.
    narrow : (int, float), optional
        Panels in a row, and inches of a row, for a phone (see `for_phones`); one panel in a row,
        as high as else, if None.

    Examples
    --------
    >>> figure, axes = panels(4)
    >>> len(axes), figure.get_size_inches().tolist()
    (4, [7.2, 4.8])
    """
    from matplotlib.figure import Figure

    if columns is None:
        columns = 2 if n == 4 else min(n, 3)
    if is_narrow():
        width, (columns, height) = min(width, PHONE_WIDTH), narrow or (1, height)
    rows = math.ceil(n / columns)
    figure = Figure(figsize=(width, height * rows), layout="constrained")
    axes = [figure.add_subplot(rows, columns, number + 1) for number in range(n)]
    for one in axes:
        _plain(one)
    return figure, axes


def _plain(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", labelsize=FONT_SIZE - 1, colors=INK)
    axes.xaxis.label.set_fontsize(FONT_SIZE)
    axes.yaxis.label.set_fontsize(FONT_SIZE)


def name_panel(axes: Any, title: str) -> None:
    """Put a title over a panel, as large as the other letters.

    Examples
    --------
    >>> _, (axes,) = panels(1)
    >>> name_panel(axes, "crx")
    >>> axes.get_title(), axes.title.get_fontsize()
    ('crx', 9.0)
    """
    axes.set_title(title, fontsize=FONT_SIZE, color=INK)


def plain_numbers(axis: Any) -> None:
    """Write the numbers of a logarithmic axis in full: small raised powers are hard to read.

    Examples
    --------
    >>> _, (axes,) = panels(1)
    >>> axes.set_xscale("log")
    >>> plain_numbers(axes.xaxis)
    >>> [axes.xaxis.get_major_formatter()(number) for number in (0.01, 100000.0)]
    ['0.01', '100,000']
    """
    from matplotlib.ticker import StrMethodFormatter

    axis.set_major_formatter(StrMethodFormatter("{x:,g}"))


def label_left(axes: Iterable[Any], label: str) -> None:
    """Name the upright axis of the panels that stand at the left, however many are in a row."""
    for one in axes:
        if one.get_subplotspec().is_first_col():
            one.set_ylabel(label, fontsize=FONT_SIZE)


def common_legend(figure: Any, axes: Iterable[Any], columns: int = 5) -> None:
    """Put one legend for all panels below them, each name once, where it covers no data.

    For a phone it stands above them, as the panels fill more than a screen.

    Parameters
    ----------
    figure : matplotlib Figure
        As `panels` makes it.
    axes : iterable of matplotlib Axes
        Whose lines are named.
    columns : int, default=5
        Names in a row, at most; for a phone, as many as are not too wide.
    """
    handles: dict[str, Any] = {}
    for one in axes:
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if is_narrow():
        columns = min(columns, max(1, LEGEND_LETTERS // (max(map(len, handles), default=0) + 8)))
    if handles:
        figure.legend(
            handles.values(),
            handles.keys(),
            loc=f"outside {'upper' if is_narrow() else 'lower'} center",
            ncols=min(columns, len(handles)),
            fontsize=FONT_SIZE - 1,
            frameon=False,
        )
