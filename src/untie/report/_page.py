"""The content of all sections -> one HTML file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Parameters
    ----------
    name : str
        Its anchor; ``templates/sections/NAME.html.j2`` shows it, with its content under this name.
    short : str
        What the list of sections calls it.
    heading : str
        What stands above it.
    make : callable
        Makes its content of a study.
    """

    name: str
    short: str
    heading: str
    make: Callable[[Study], Any]


SECTIONS = (
    Section("data", "Data", "Data", data_card),
    Section("map", "Map", "Map of the rows", landscape),
    Section("clusters", "Clusters", "Clusters", cards),
    Section("values", "Values", "Values that are alike", heat_maps),
    Section("weights", "Weights", "What the weights favour", weights),
    Section("choice", "Number of clusters", "The number of clusters", choice_of_k),
    Section("comparison", "Other methods", "Beside other methods", comparison),
    Section("outliers", "Unusual rows", "Unusual rows", unusual),
    Section("code", "Code", "Make it again", lambda study: _code(study.recipe)),
)
"""What the page shows, in its order, below the summary."""

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
    made = {section.name: section.make for section in SECTIONS}
    content = {name: made[name](study) for name in (watch(list(made)) if watch else made)}
    sentences = summary(study, content["clusters"])
    script = "".join(_file(name) for name in SCRIPTS)
    page = environment.get_template("report.html.j2").render(
        title=shown(study.title),
        sentences=sentences,
        style=_file("report.css"),
        script=script,
        script_hash=_hash(script),
        embedded=embed(content["map"]),
        sections=SECTIONS,
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
