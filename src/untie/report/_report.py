"""The finished page."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from untie._util.files import whole_file
from untie.report._writing import as_dict, as_markdown

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
