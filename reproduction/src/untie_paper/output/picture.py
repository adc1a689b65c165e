"""Figures as images that are the same bytes for the same data."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from untie_paper.output.report import Figure
from untie_paper.output.style import for_phones
from untie_paper.run.worker import one_line

DPI = 150
"""Wide enough for a page; a dense scatter stays below a few hundred kilobytes."""


@dataclass(frozen=True)
class Picture:
    """A figure in two formats, wide and for phones, or the reason why there is none."""

    png: bytes = b""
    svg: bytes = b""
    narrow_png: bytes = b""
    narrow_svg: bytes = b""
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
    # Names inside an SVG are random and files carry dates and versions unless told otherwise.
    with matplotlib.rc_context({"svg.hashsalt": "untie"}):
        wide = _images(figure.draw(figure.data))
        with for_phones():
            narrow = _images(figure.draw(figure.data))
    return Picture(*wide, *narrow)


def _images(drawn: Any) -> tuple[bytes, bytes]:
    png, svg = io.BytesIO(), io.BytesIO()
    drawn.savefig(png, format="png", dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    drawn.savefig(svg, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    return png.getvalue(), svg.getvalue()
