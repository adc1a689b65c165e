"""The finished page, and its content as plain data for JSON and as Markdown."""

import html
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from untie._util.files import whole_file
from untie.report._clusters import NOTHING_MAKES_IT
from untie.report._table import TableView

Content = Mapping[str, Any]


def plain(value: Any) -> Any:
    """Return dicts, lists, texts and numbers as JSON has them.

    Examples
    --------
    >>> plain({"a": (np.float64(0.5), None), 3: "x"})
    {'a': [0.5, None], '3': 'x'}
    """
    if isinstance(value, TableView):
        return value.plain()
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def as_dict(content: Content) -> dict[str, Any]:
    """Return all that the page says: what it begins with, and its sections by their names."""
    names = [section.name for section in content["sections"]]
    return {
        "title": content["title"],
        "summary": plain(content["lead"]),
        "how_sure": plain(content["sure"]),
        "about": content["data"]["about"],
        "sections": {name: plain(content[name]) for name in names},
    }


def as_markdown(content: Content) -> str:
    """Return all that the page says but for the map, and for what is of use on a page alone."""
    about = content["data"]["about"]
    blocks: list[Any] = [" ".join(content["lead"]), " ".join([about, *content["sure"]])]
    parts = [f"# {escaped(content['title'])}", *map(_written, blocks)]
    for section in content["sections"]:
        parts.append(f"## {section.heading}")
        parts += [_written(block) for block in _blocks(section.name, content) if block]
    return "\n\n".join(parts) + "\n"


class Markdown(str):
    """Text that is written as it is."""


def _title(text: str) -> Markdown:
    """Return a heading below that of a section."""
    return Markdown(f"### {escaped(text)}")


def _fenced(language: str, text: str) -> Markdown:
    """Return code in a language."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return Markdown(f"{fence}{language}\n{text.rstrip()}\n{fence}")


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is, whatever is in it.

    Examples
    --------
    >>> print(escaped("a|b <i>*x*</i> body_mass_g _y_"))
    a\|b &lt;i>\*x\*&lt;/i> body_mass_g \_y\_
    """
    text = re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("\\", "\\\\").replace("<", "&lt;")
    text = re.sub(r"([`*\[\]|~$])", r"\\\1", text)
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)


def _written(block: Any) -> str:
    if isinstance(block, TableView):
        return _table(block)
    if isinstance(block, list):
        return "\n".join(f"- {escaped(text)}" for text in block)
    return block if isinstance(block, Markdown) else escaped(str(block))


def _table(view: TableView) -> str:
    head = [escaped(heading.name) for heading in view.headings]
    sides = ["---:" if heading.is_number else "---" for heading in view.headings]
    body = [[escaped(cell.text) for cell in row] for row in view.rows]
    lines = [f"| {' | '.join(line)} |" for line in (head, sides, *body)]
    return "\n".join([f"{escaped(view.caption)}:", "", *lines])


def _blocks(name: str, content: Content) -> Sequence[Any]:
    """Return what Markdown has of a section: what `BLOCKS` says, or all of it."""
    return BLOCKS[name](content) if name in BLOCKS else list(content[name].values())


def _overview(content: Content) -> list[Any]:
    return [
        [
            f"Cluster {card.number}, {card.name} ({card.size} {card.unit}, "
            f"{card.share}{'; ' + card.stability if card.stability else ''})"
            for card in content["clusters"]["cards"]
        ],
        content["clusters"]["at_a_glance"],
    ]


def _clusters(content: Content) -> list[Any]:
    found = content["clusters"]
    finer = ("divided", "finer") if found["finer"] else ()
    blocks = _some(found, "said", "between", "meaning", "table", *finer)
    if found["carriers"]:
        blocks += _some(found["carriers"], "said", "meaning", "table")
    blocks += _some(found, "described")
    for card in found["cards"]:
        blocks.append(_title(f"Cluster {card.number}: {card.name}"))
        blocks += [card.values or NOTHING_MAKES_IT, card.typical_rows, card.border_rows]
    return blocks


def _values(content: Content) -> list[Any]:
    blocks = _some(content["values"], "said", "pairs", "no_pairs", "shown")
    for found in content["values"]["maps"]:
        blocks += [_title(found.column), found.said, found.table, found.learned]
    return blocks


def _data(content: Content) -> list[Any]:
    data = content["data"]
    facts = [f"{name}: {text}" for name, text in [*data["facts"], *data["made"]]]
    return [facts, data["table"], data["remarks"]]


def _code(content: Content) -> list[Any]:
    code = content["code"]
    blocks = [_title("In Python"), *(_fenced("python", code[name]) for name in ("python", "steps"))]
    if code["command"]:
        blocks = [_title("On the command line"), _fenced("sh", code["command"]), *blocks]
    return blocks


def _some(found: Mapping[str, Any], *keys: str) -> list[Any]:
    return [found.get(key) for key in keys]


def _of(name: str, *keys: str) -> Callable[[Content], Sequence[Any]]:
    """Return what gives some parts of a section, those that there are."""
    return lambda content: _some(content[name], *keys)


BLOCKS: dict[str, Callable[[Content], Sequence[Any]]] = {
    "map": _overview,
    "clusters": _clusters,
    "shares": _of("shares", "said", "table"),
    "label": _of("label", "said", "table", "measures", "notes"),
    "pair": _of("pair", "said", "table"),
    "outliers": _of("outliers", "said", "table"),
    "values": _values,
    "together": _of(
        "together", "meaning", "families_are", "families", "pairs", "no_pairs", "shown", "table"
    ),
    "data": _data,
    "weights": lambda content: [
        *_some(content["weights"], "said", "meaning", "resting", "columns", "sum"),
        *content["weights"]["folded"],
    ],
    "choice": _of("choice", "verdict", "meaning", "table"),
    "comparison": _of("comparison", "said", "meaning", "table"),
    "code": _code,
}
"""What Markdown has of each section, in the order of the page."""

FRAME_HEIGHT = 800
"""Height of the page in a notebook, in pixels."""

MARKDOWN, JSON = (".md", ".markdown"), (".json",)
"""Endings of files that are no pages."""


@dataclass(frozen=True)
class Report:
    """A page that needs nothing but a browser; the same as Markdown and as plain data.

    Parameters
    ----------
    html : str
        The page.
    summary : str
        What it says, in a few sentences.
    content : mapping
        What the page was made of.

    See Also
    --------
    make_report : Makes one from a table.

    Examples
    --------
    >>> from untie import TableClusterer, make_report
    >>> rows = [["red", "wine"], ["red", "wine"], ["white", "wine"], ["brown", "beer"]] * 5
    >>> report = make_report(rows, TableClusterer(2), title="drinks")
    >>> report.to_markdown().splitlines()[0]
    '# drinks'
    >>> list(report.to_dict())
    ['title', 'summary', 'how_sure', 'about', 'sections']
    """

    html: str = field(repr=False)
    summary: str
    content: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def to_markdown(self) -> str:
        """Return all that the page says as Markdown, for tickets and notes; the map is left out.

        Returns
        -------
        str
            A heading per section, with the same sentences and tables as on the page.
        """
        return as_markdown(self.content)

    def to_dict(self) -> dict[str, Any]:
        """Return all that the page says as dicts, lists, texts and numbers, as JSON has them.

        Returns
        -------
        dict
            "title", "summary", "how_sure" and "about" (sentences), and "sections" by their names,
            with their sentences and tables. A table is a dict of "caption", "columns" and "rows",
            such as ``pandas.DataFrame(table["rows"], columns=table["columns"])`` takes; its numbers
            have all their digits.
        """
        return as_dict(self.content)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which is replaced as a whole or not at all.

        Parameters
        ----------
        path : path
            The file, such as "report.html"; one that ends in .md is Markdown, in .json JSON.
        """
        text, ending = self.html, Path(path).suffix.lower()
        if ending in MARKDOWN:
            text = self.to_markdown()
        elif ending in JSON:
            text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False) + "\n"
        with whole_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own: its style is not the notebook's."""
        return (
            f'<iframe title="Report" srcdoc="{html.escape(self.html)}" width="100%" '
            f'height="{FRAME_HEIGHT}" sandbox="allow-scripts allow-downloads" '
            'style="border:1px solid #8886;border-radius:6px"></iframe>'
        )
