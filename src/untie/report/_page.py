"""The content of all sections -> one HTML file."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from untie._util.messages import need
from untie._util.threads import map_ahead, one_thread
from untie.report._alike import heat_maps
from untie.report._card import data_card
from untie.report._groups import cards
from untie.report._judged import clusters_and_answers
from untie.report._landscape import embed, landscape
from untie.report._learned import choice_of_k, comparison, unusual, weights
from untie.report._limits import LONG_TEXT, PAGE_BYTES, shown
from untie.report._report import Report
from untie.report._shares import shares_in_clusters, side_by_side
from untie.report._study import Study
from untie.report._table import count
from untie.report._together import columns_together
from untie.report.code import code_to_make_it


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
        Makes its content of a study; None if there is nothing to show.
    """

    name: str
    short: str
    heading: str
    make: Callable[[Study], Any]


SECTIONS = (
    Section("map", "Overview", "The groups at a glance", landscape),
    Section("clusters", "Clusters", "What makes the clusters", cards),
    Section("shares", "Values", "How frequent values are in the clusters", shares_in_clusters),
    Section("label", "Label", "The clusters beside the label", clusters_and_answers),
    Section("pair", "Side by side", "Two clusters side by side", side_by_side),
    Section("outliers", "Unusual rows", "Unusual rows", unusual),
    Section("values", "Alike values", "Values that are alike", heat_maps),
    Section("together", "Columns", "Columns that go together", columns_together),
    Section("data", "Data", "Data", data_card),
    Section("weights", "Weights", "What the weights favour", weights),
    Section("choice", "How many", "The number of clusters", choice_of_k),
    Section("comparison", "Other methods", "Beside other methods", comparison),
    Section("code", "Code", "Make it again", code_to_make_it),
)
"""What the page shows, in its order, below the lead."""

SCRIPTS = ("core.js", "tables.js", "colours.js", "map.js", "neighbors.js", "pair.js", "start.js")

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
    # Before the work: jinja2 may not be installed.
    environment = _environment(need("jinja2", "report", "Reports"))
    content = _contents(study, watch)
    about = {
        "title": shown(study.code.title),
        "lead": lead(study, content["clusters"]),
        "sure": how_sure(study),
        "sections": [section for section in SECTIONS if content[section.name] is not None],
    }
    script = "".join(_file(name) for name in SCRIPTS)
    page = environment.get_template("report.html.j2").render(
        style=_file("report.css"),
        script=script,
        script_hash=_hash(script),
        embedded=embed({**content["map"], "pair": _without_table(content["pair"])}),
        **about,
        **content,
    )
    size = len(page.encode())
    if size > PAGE_BYTES:
        raise RuntimeError(f"The page has {size:,} bytes, more than {PAGE_BYTES:,}.")
    return Report(page, " ".join(summary(study, content["clusters"])), {**about, **content})


def lead(study: Study, groups: dict[str, Any]) -> list[str]:
    """Return the sentences that the page begins with, which need no other knowledge.

    Parameters
    ----------
    study : Study
        What the page is about.
    groups : dict
        What `cards` gives.
    """
    title = shown(study.code.title)
    if study.n_rows == 1:
        return [f"There is one row in {title}, so there is nothing to group."]
    said = [f"There are {count(study.n_rows)} rows in {title}.", groups["said"]]
    caution = study.verdict.caution if len(study.clusters) > 1 else None
    return [*said, caution] if caution else said


def how_sure(study: Study) -> list[str]:
    """Return the other sentences of the verdict: how sure it is, and why."""
    verdict = study.verdict
    return [shown(said, LONG_TEXT) for said in verdict.sentences if said != verdict.caution]


def summary(study: Study, groups: dict[str, Any]) -> list[str]:
    """Return the lead, and what stands below it on the page, for whoever has not opened it yet."""
    said = lead(study, groups)
    if len(study.clusters) == 1:
        return said
    largest = max(groups["cards"], key=lambda card: study.sizes[study.clusters.index(card.number)])
    what = "rows" if study.weights is None else "weight"
    if largest.typical:
        said.append(
            f"The largest group has {largest.share} of the {what}; typical of it: {largest.name}."
        )
    return [*said, *how_sure(study)]


def _contents(study: Study, watch: Watch | None) -> dict[str, Any]:
    """Make all sections, several at once: the map alone takes about as long as all others."""
    made = {section.name: section.make for section in SECTIONS}
    # What several of them need is there before they start.
    _ = study.profile, study.in_clusters, study.shares
    with one_thread():  # each of them uses one core
        found = map_ahead(lambda name: made[name](study), made, ahead=len(made))
        return {name: next(found) for name in (watch(list(made)) if watch else made)}


def _without_table(content: dict[str, Any] | None) -> dict[str, Any] | None:
    return (
        None
        if content is None
        else {k: v for k, v in content.items() if k not in ("table", "said")}
    )


@cache
def _environment(jinja2: Any) -> Any:
    """Return what compiles the templates, and keeps them for the next page."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("untie.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["step"] = _step
    environment.filters["breakable"] = _breakable
    environment.filters["emphasised"] = _emphasised
    return environment


def _file(name: str) -> str:
    return (files("untie.report") / "templates" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Return what the page's policy knows its script by: no other script is run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _breakable(text: str) -> Any:
    """Return text in which a browser may break long names where their words end.

    Examples
    --------
    >>> print(_breakable("miles_perGallon <b>"))
    miles_<wbr>per<wbr>Gallon &lt;b&gt;
    """
    markupsafe = need("markupsafe", "report", "Reports")
    parts = re.split(r"(?<=_)(?=\w)|(?<=[a-z])(?=[A-Z])", text)
    return markupsafe.Markup("<wbr>").join(parts)


def _emphasised(text: str, *words: str) -> Any:
    """Return text in which words stand out where they come first: those that it explains.

    Examples
    --------
    >>> print(_emphasised("p < q, if p is large", "p"))
    <em>p</em> &lt; q, if p is large
    """
    markupsafe = need("markupsafe", "report", "Reports")
    said = str(markupsafe.escape(text))
    for word in words:
        said = re.sub(rf"\b{word}\b", f"<em>{word}</em>", said, count=1)
    return markupsafe.Markup(said)


def _step(number: float) -> str:
    """Return the class of a heat map's cell: its sign and tenths.

    Examples
    --------
    >>> _step(0.73), _step(-0.2)
    ('p7', 'm2')
    """
    return f"{'m' if number < 0 else 'p'}{round(abs(number) * 10)}"
