"""Tables and the index as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from untie_paper.output.grid import Grid, GridCell
from untie_paper.output.sections import FigureView, PageSection, ShownTable, facts
from untie_paper.output.summary import LEGEND, TITLE, lead, summary_rows

_SPECIAL = re.compile(r"[\\`*\[\]|~$#]|(?<![^\W_])_|_(?![^\W_])")


def escape(text: str) -> str:
    r"""Return text so that Markdown shows it as it is, in one line.

    Examples
    --------
    >>> escape("a|b <i> *c* BiGAN_WD")
    'a\\|b &lt;i&gt; \\*c\\* BiGAN_WD'
    """
    line = " ".join(text.split())
    line = _SPECIAL.sub(lambda found: "\\" + found[0], line)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # At the beginning of a line these would open a list.
    return re.sub(r"^(\d+)([.)])(?=\s|$)|^([-+])(?=\s|$)", _shielded, line)


def table_markdown(view: ShownTable) -> str:
    """Write one table with its note and what agrees."""
    parts = [f"# {escape(view.title)}"]
    if view.grid is None:
        parts.append(f"This table could not be made: {escape(view.problem)}")
    else:
        parts += [escape(view.note)] if view.note else []
        if view.published_csv:
            parts += [f"Measured (published). {LEGEND}", *map(escape, view.grid.remarks)]
        parts.append(_grid(view.grid))
        parts += [f"{sign} {escape(text)}" for sign, text in view.grid.footnotes]
    return "\n\n".join(parts) + "\n"


def index_markdown(sections: Sequence[PageSection], provenance: Mapping[str, Any]) -> str:
    """Write the page that links to everything, findings first."""
    parts = [f"# {TITLE}", lead(sections, provenance)]
    if sections:
        headings, rows = summary_rows(sections)
        names = [f"[{escape(section.title)}](#{section.name})" for section in sections]
        parts.append(
            _lines(
                ["experiment", *headings],
                [[name, *row] for name, row in zip(names, rows, strict=True)],
                [False] + [True] * len(headings),
            )
        )
        parts.append(LEGEND)
    parts += [_section(section) for section in sections]
    rows = [[escape(name), escape(value)] for name, value in facts(provenance)]
    if rows:
        parts += ["## How it was made", _lines(["", ""], rows, [False, False])]
    return "\n\n".join(parts) + "\n"


def _section(section: PageSection) -> str:
    parts = [f'<a id="{section.name}"></a>\n\n## {escape(section.title)}']
    if section.findings:
        parts.append("\n".join(f"- {escape(finding)}" for finding in section.findings))
    parts += [_table_link(section.name, view) for view in section.tables]
    parts += [_figure_link(section.name, view) for view in section.figures]
    if section.failures:
        parts.append(f"Failed cells: {len(section.failures)} of {section.n_cells}.")
        rows = [[escape(cell), escape(error)] for cell, error in section.failures]
        parts.append(_lines(["cell", "error"], rows, [False, False]))
    return "\n\n".join(parts)


def _table_link(folder: str, view: ShownTable) -> str:
    path = f"{folder}/{view.name}"
    if view.grid is None:
        return f"{escape(view.title)}: this table could not be made: {escape(view.problem)}"
    files = f"[CSV]({path}.csv)"
    if view.published_csv:
        files += f", [published figures]({path}_published.csv)"
    remarks = " ".join(map(escape, view.grid.remarks))
    return f"[{escape(view.title)}]({path}.md) ({files}). {remarks}".rstrip()


def _figure_link(folder: str, view: FigureView) -> str:
    path, parts = f"{folder}/{view.name}", []
    if view.picture.png:
        parts.append(f"![{escape(view.text)}]({path}.png)")
    files = [f"[SVG]({path}.svg)"] if view.picture.svg else []
    files += [f"[data]({path}.csv)"] if view.csv else []
    parts.append(escape(view.title) + (f" ({', '.join(files)})" if files else ""))
    if view.problem:
        parts.append(f"This figure could not be made: {escape(view.problem)}")
    return "\n\n".join(parts)


def _grid(grid: Grid) -> str:
    rows = [[*map(escape, labels), *map(_cell, cells)] for labels, cells in grid.rows]
    headings = [escape(text) for text in grid.corners + grid.headings]
    return _lines(headings, rows, [False] * len(grid.corners) + grid.right)


def _cell(cell: GridCell) -> str:
    text = escape(cell.measured) + cell.sign
    if cell.published:
        text += f" ({escape(cell.published)})"
    return f"{text} {cell.mark}".rstrip()


def _lines(headings: list[str], rows: list[list[str]], right: list[bool]) -> str:
    rule = ["---:" if flag else "---" for flag in right]
    return "\n".join(f"| {' | '.join(row)} |" for row in [headings, rule, *rows])


def _shielded(found: re.Match[str]) -> str:
    number, sign, dash = found.groups()
    return f"{number}\\{sign}" if number else f"\\{dash}"
