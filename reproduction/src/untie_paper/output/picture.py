"""Figures as images that are the same bytes for the same data."""

from __future__ import annotations

import io
from dataclasses import dataclass

from untie_paper.output.report import Figure
from untie_paper.run.worker import one_line

DPI = 150
"""Wide enough for a page; a dense scatter stays below a few hundred kilobytes."""


@dataclass(frozen=True)
class Picture:
    """A figure in two formats, or the reason why there is none."""

    png: bytes = b""
    svg: bytes = b""
    problem: str = ""


def draw(figure: Figure) -> Picture:
    """Draw a figure; if that fails, say why instead of stopping everything else.

    Examples
    --------
    >>> draw(Figure("empty", "Nothing", None, lambda data: data.plot(), "")).problem
    "AttributeError: 'NoneType' object has no attribute 'plot'"
    """
    try:
        return _draw(figure)
    except Exception as error:
        return Picture(problem=one_line(error))


def _draw(figure: Figure) -> Picture:
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError("matplotlib draws it; pip install untie-paper") from error
    png, svg = io.BytesIO(), io.BytesIO()
    # Names inside an SVG are random and files carry dates and versions unless told otherwise.
    with matplotlib.rc_context({"svg.hashsalt": "untie"}):
        drawn = figure.draw(figure.data)
        drawn.savefig(png, format="png", dpi=DPI, bbox_inches="tight", metadata={"Software": None})
        drawn.savefig(
            svg, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
        )
    return Picture(png.getvalue(), svg.getvalue())
