"""The code that makes the page again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

READERS = {
    ".parquet": "pd.read_parquet({path!r})",
    ".pq": "pd.read_parquet({path!r})",
    ".tsv": 'pd.read_csv({path!r}, sep="\\t", dtype=str)',
    ".csv": "pd.read_csv({path!r}, dtype=str)",
    ".json": "pd.read_json({path!r}, lines=True)",
    ".jsonl": "pd.read_json({path!r}, lines=True)",
}


@dataclass(frozen=True)
class Recipe:
    """How a page was asked for.

    Parameters
    ----------
    call : str
        The line of Python that makes it of `data`.
    path : str or None
        The file that the table came from, if it is known.
    arguments : sequence of str
        Those of the command, after the file.
    steps : str
        Python that does the main steps one by one.
    """

    call: str
    steps: str
    path: str | None = None
    arguments: Sequence[str] = ()

    def python(self) -> str:
        """Return Python code."""
        return f"{self._reading()}\n{self.call}\n"

    def step_by_step(self) -> str:
        """Return Python code for those who go on from here."""
        return f"{self._reading()}\n{self.steps}\n"

    def command(self) -> str:
        """Return the line for the terminal.

        Examples
        --------
        >>> print(Recipe("", "", "my data.csv", ["--k", "3"]).command())
        untie report 'my data.csv' --k 3
        """
        parts = ["untie", "report", self.path or "data.csv", *self.arguments]
        return " ".join(shlex.quote(part) for part in parts)

    def _reading(self) -> str:
        if self.path is None:
            return "data = ...  # the table"
        ending = next((end for end in READERS if self.path.lower().endswith(end)), ".csv")
        return f"import pandas as pd\n\ndata = {READERS[ending].format(path=self.path)}"


def written_call(name: str, first: str, options: dict[str, Any], defaults: dict[str, Any]) -> str:
    """Write a call with the options that are not the defaults.

    Examples
    --------
    >>> written_call("f", "data", {"k": 2, "bins": 5}, {"k": None, "bins": 5})
    'f(data, k=2)'
    """
    given = [f"{key}={value!r}" for key, value in options.items() if value != defaults[key]]
    return f"{name}({', '.join([first, *given])})"
