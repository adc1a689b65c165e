"""Everything as one HTML page that needs no other file and no network."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any

from untie_paper.output.grid import ABOVE, BELOW, DIFFERENT
from untie_paper.output.picture import Picture
from untie_paper.output.sections import PageSection, facts
from untie_paper.output.summary import LEGEND, TITLE, lead, summary_rows

PICTURES, DATA = 7_000_000, 1_000_000
"""Bytes of drawings and of their data in the page; their encoding adds a third.

Every figure has an equal share, half of it for the drawing for phones. A drawing above that half (a
dense scatter) is shown as PNG instead, which is smaller then; data above it is only in the file
beside the page.
"""

_SPOKEN = {ABOVE: "higher than published:", BELOW: "lower than published:", DIFFERENT: "differs:"}


def make_page(sections: Sequence[PageSection], provenance: Mapping[str, Any]) -> str:
    """Return the page; all text is escaped.

    Parameters
    ----------
    sections : sequence of PageSection
        In the order of reading.
    provenance : mapping
        What the run rests on; may be nested.

    Returns
    -------
    str

    Examples
    --------
    >>> "No experiment was run." in make_page([], {"commit": "1a2b"})
    True
    """
    headings, rows = summary_rows(sections)
    n_figures = max(1, sum(len(section.figures) for section in sections))
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=TITLE,
            legend=LEGEND,
            lead=lead(sections, provenance),
            sections=sections,
            headings=headings,
            counts=rows,
            facts=list(facts(provenance)),
            spoken=_SPOKEN,
            max_svg=min(PICTURES // (2 * n_figures), 400_000),
            max_data=min(DATA // n_figures, 100_000),
        )
    )


def _environment() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("The page is made by jinja2; pip install untie-paper") from error
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("untie_paper.output"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"csv_address": _csv_address, "minus": _minus}
    environment.filters |= {"image": _image, "narrow_image": _narrow_image}
    return environment


def _csv_address(content: bytes) -> str:
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(content).decode()


def _image(picture: Picture, max_svg: int) -> str:
    return _address(picture.svg, picture.png, max_svg)


def _narrow_image(picture: Picture, max_svg: int) -> str:
    """Return the drawing for phones, or nothing where it is the same."""
    if picture.narrow_png == picture.png:
        return ""
    return _address(picture.narrow_svg, picture.narrow_png, max_svg)


def _address(svg: bytes, png: bytes, max_svg: int) -> str:
    kind, content = ("svg+xml", svg) if len(svg) <= max(max_svg, len(png)) else ("png", png)
    return f"data:image/{kind};base64," + base64.b64encode(content).decode()


def _minus(text: str) -> str:
    """Give negative numbers a sign as wide as a digit."""
    return re.sub(r"^-(?=\d)", "\N{MINUS SIGN}", text)
