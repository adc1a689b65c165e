"""The content of the page -> plain data for JSON, and Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from untie.report._groups import NOTHING_MAKES_IT
from untie.report._table import TableView

Content = Mapping[str, Any]
Told = Mapping[str, Sequence[str]]


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
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def as_dict(content: Content, told: Told) -> dict[str, Any]:
    """Return all that the page says: what it begins with, and its sections by their names.

    Parameters
    ----------
    content : mapping
        What the page was made of.
    told : mapping from sections to paragraphs
        What it says in between.
    """
    names = [section.name for section in content["sections"]]
    return {
        "title": content["title"],
        "summary": plain(content["lead"]),
        "how_sure": plain(content["sure"]),
        "about": content["data"]["about"],
        "sections": {name: plain(content[name]) for name in names},
        "said": {name: told.get(name, []) for name in names},
    }


def as_markdown(content: Content, told: Told) -> str:
    """Return all that the page says but for the map; see `as_dict`."""
    about = content["data"]["about"]
    blocks: list[Any] = [" ".join(content["lead"]), " ".join([about, *content["sure"]])]
    parts = [f"# {escaped(content['title'])}", *map(_written, blocks)]
    for section in content["sections"]:
        parts.append(f"## {section.heading}")
        said = told.get(section.name, [])
        blocks = [*said, *(block for block in BLOCKS[section.name](content) if block)]
        repeated = {
            place
            for place, block in enumerate(blocks[len(said) :], len(said))
            if isinstance(block, str) and any(block.strip() in sentence for sentence in said)
        }
        parts += [_written(block) for place, block in enumerate(blocks) if place not in repeated]
    return "\n\n".join(parts) + "\n"


@dataclass(frozen=True)
class Title:
    """A heading below that of a section."""

    text: str


@dataclass(frozen=True)
class Code:
    """Code in a language."""

    language: str
    text: str


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
    if isinstance(block, Title):
        return f"### {escaped(block.text)}"
    if isinstance(block, Code):
        longest = max((len(run) for run in re.findall("`+", block.text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}{block.language}\n{block.text.rstrip()}\n{fence}"
    if isinstance(block, list):
        return "\n".join(f"- {escaped(text)}" for text in block)
    return escaped(str(block))


def _table(view: TableView) -> str:
    head = [escaped(heading.name) for heading in view.headings]
    sides = ["---:" if heading.is_number else "---" for heading in view.headings]
    body = [[escaped(cell.text) for cell in row] for row in view.rows]
    lines = [f"| {' | '.join(line)} |" for line in (head, sides, *body)]
    return "\n".join([f"{escaped(view.caption)}:", "", *lines])


def _overview(content: Content) -> list[Any]:
    unit = content["clusters"]["unit"]
    return [
        [
            f"Cluster {card.number}, {card.name}: {card.size} {unit}, {card.share}"
            f"{'; ' + card.stability if card.stability else ''}"
            for card in content["clusters"]["cards"]
        ]
    ]


def _clusters(content: Content) -> list[Any]:
    blocks: list[Any] = [f"{content['clusters']['headline']}.", content["clusters"]["table"]]
    for card in content["clusters"]["cards"]:
        blocks.append(Title(f"Cluster {card.number}: {card.name}"))
        blocks += [card.values or NOTHING_MAKES_IT, card.typical_rows, card.border_rows]
    return blocks


def _values(content: Content) -> list[Any]:
    blocks: list[Any] = [content["values"]["pairs"]]
    for found in content["values"]["maps"]:
        blocks += [Title(found.column), found.said, found.table, found.learned]
    return blocks


def _data(content: Content) -> list[Any]:
    data = content["data"]
    facts = [f"{name}: {text}" for name, text in [*data["facts"], *data["made"]]]
    return [facts, data["table"], data["remarks"]]


def _code(content: Content) -> list[Any]:
    code = content["code"]
    command = [Code("sh", code["command"])] if code["command"] else []
    return [*command, Code("python", code["python"]), Code("python", code["steps"])]


def _of(name: str, *keys: str) -> Callable[[Content], Sequence[Any]]:
    """Return what gives some parts of a section, those that there are."""
    return lambda content: [content[name].get(key) for key in keys]


BLOCKS: dict[str, Callable[[Content], Sequence[Any]]] = {
    "map": _overview,
    "clusters": _clusters,
    "shares": _of("shares", "table"),
    "label": _of("label", "table", "measures", "notes"),
    "pair": _of("pair", "table"),
    "outliers": _of("outliers", "said", "table"),
    "values": _values,
    "together": _of("together", "families", "pairs", "table"),
    "data": _data,
    "weights": lambda content: [
        content["weights"]["said"],
        content["weights"]["meaning"],
        content["weights"]["columns"],
        content["weights"]["sum"],
        *content["weights"]["folded"],
    ],
    "choice": _of("choice", "verdict", "table"),
    "comparison": _of("comparison", "said", "meaning", "table"),
    "code": _code,
}
"""What Markdown has of each section, in the order of the page."""
