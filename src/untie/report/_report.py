"""The finished page."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass, field

from untie._util.whole_files import whole_file

FRAME_HEIGHT = 800
"""Height of the page in a notebook, in pixels."""


@dataclass(frozen=True)
class Report:
    """A page that needs nothing but a browser.

    Parameters
    ----------
    html : str
        The page.
    summary : str
        What it says, in a few sentences.

    See Also
    --------
    make_report : Makes one from a table.
    """

    html: str = field(repr=False)
    summary: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which is replaced as a whole or not at all.

        Parameters
        ----------
        path : path
            The file, such as "report.html".
        """
        with whole_file(path) as temporary:
            temporary.write_text(self.html, encoding="utf-8", newline="\n")

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own: its style is not the notebook's."""
        return (
            f'<iframe title="Report" srcdoc="{html.escape(self.html)}" width="100%" '
            f'height="{FRAME_HEIGHT}" sandbox="allow-scripts allow-downloads" '
            'style="border:1px solid #8886;border-radius:6px"></iframe>'
        )
