"""The content of all sections -> one HTML file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable
from html import escape
from importlib.resources import files
from typing import Any

from untie._util.extras import need
from untie.report._alike import heat_maps
from untie.report._card import data_card
from untie.report._groups import cards
from untie.report._landscape import embed, landscape
from untie.report._learned import choice_of_k, comparison, unusual, weights
from untie.report._limits import CODE_BYTES, PAGE_BYTES, shown
from untie.report._report import Report
from untie.report._study import Study
from untie.report._summary import summary
from untie.report.recipe import Recipe

SECTIONS: dict[str, Callable[[Study], Any]] = {
    "card": data_card,
    "map": landscape,
    "groups": cards,
    "values": heat_maps,
    "weights": weights,
    "choice": choice_of_k,
    "comparison": comparison,
    "outliers": unusual,
}
"""What the page shows, in its order; the summary comes first and the code last."""

SCRIPTS = ("core.js", "tables.js", "colours.js", "map.js", "neighbors.js", "start.js")

Watch = Callable[[list[str]], Iterable[str]]


def make_page(study: Study, watch: Watch | None = None) -> Report:
    """Compute all sections and write the page.

    Parameters
    ----------
    study : Study
        What the page is about.
    watch : callable, optional
        Takes the names of the sections and gives them one after another, to show progress.
    """
    environment = _environment()  # before the work: jinja2 may not be installed
    names = list(SECTIONS)
    content = {name: SECTIONS[name](study) for name in (watch(names) if watch else names)}
    sentences = summary(study, content["groups"])
    script = "".join(_file(name) for name in SCRIPTS)
    page = environment.get_template("report.html.j2").render(
        title=shown(study.title),
        sentences=sentences,
        style=_file("report.css"),
        script=script,
        script_hash=_hash(script),
        data=embed(content["map"]),
        code=_code(study.recipe),
        **content,
    )
    size = len(page.encode())
    if size > PAGE_BYTES:
        raise RuntimeError(f"The page has {size:,} bytes, more than {PAGE_BYTES:,}.")
    return Report(page, " ".join(sentences))


def _code(recipe: Recipe) -> dict[str, str | None]:
    """Return the pieces of code that make the page again, as far as a page can hold them."""
    pieces = {
        "command": recipe.command(),
        "python": recipe.python(),
        "steps": recipe.step_by_step(),
    }
    return {
        name: "# This names so many columns that it is too long for a page."
        if code and len(escape(code).encode(errors="replace")) > CODE_BYTES
        else code
        for name, code in pieces.items()
    }


def _environment() -> Any:
    jinja2 = need("jinja2", "report", "Reports")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("untie.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["step"] = _step
    return environment


def _file(name: str) -> str:
    return (files("untie.report") / "templates" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Return what the page's policy knows its script by: no other script is run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _step(number: float) -> str:
    """Return the class of a heat map's cell: its sign and tenths.

    Examples
    --------
    >>> _step(0.73), _step(-0.2)
    ('p7', 'm2')
    """
    return f"{'m' if number < 0 else 'p'}{round(abs(number) * 10)}"
