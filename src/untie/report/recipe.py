"""What was asked for, and the code that makes the page again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from untie.encoder import UNTIE
from untie.prepare import Preparation, prepare

READERS = {
    ".parquet": "pd.read_parquet({path!r})",
    ".pq": "pd.read_parquet({path!r})",
    ".tsv": 'pd.read_csv({path!r}, sep="\\t", dtype=str)',
    ".csv": "pd.read_csv({path!r}, dtype=str)",
    ".jsonl": "pd.read_json({path!r}, lines=True)",
}
"""How pandas reads a file, by its ending."""


@dataclass(frozen=True)
class Wish:
    """What the user asked for; see `make_report`."""

    n_clusters: int | str = "auto"
    columns: Sequence[str] | None = None
    drop: tuple[str, ...] = ()
    label: str | None = None
    weight: str | None = None
    bins: int = 5
    title: str = "the table"
    random_state: int = 0

    def prepare(self, data: Any) -> Preparation:
        """Find out how the table becomes one of categories."""
        return prepare(
            data, columns=self.columns, drop=self.unwanted, bins=self.bins, weight=self.weight
        )

    @property
    def unwanted(self) -> list[str]:
        """The columns to leave out."""
        return [*self.drop, *([] if self.label is None else [self.label])]


@dataclass(frozen=True)
class Recipe:
    """How a page is made again.

    Parameters
    ----------
    call : str
        Python that makes it of `data`.
    steps : str
        Python that does the main steps one by one.
    n_clusters : int or "auto"
        The number of clusters that was asked for.
    path : str or None
        The file that the table came from, if it is known.
    arguments : sequence of str
        Those of the command; a file comes before them.
    """

    call: str
    steps: str
    n_clusters: int | str
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
        >>> print(Recipe("", "", 3, "my data.csv", ["--k", "3"]).command())
        untie report 'my data.csv' --k 3
        """
        file = [] if "--sql" in self.arguments else [self.path or "data.csv"]
        return " ".join(shlex.quote(part) for part in ["untie", "report", *file, *self.arguments])

    def _reading(self) -> str:
        if self.path is None:
            return "data = ...  # the table"
        ending = next((end for end in READERS if self.path.lower().endswith(end)), ".csv")
        return f"import pandas as pd\n\ndata = {READERS[ending].format(path=self.path)}"


def recipe_of(wish: Wish, path: str | None = None, reading: Sequence[str] = ()) -> Recipe:
    """Return how a page of `make_report`, or of the command, is made again.

    Parameters
    ----------
    wish : Wish
        What was asked for.
    path : str, optional
        The file.
    reading : sequence of str
        Arguments of the command that say how the file is read.
    """
    given = {field.name: getattr(wish, field.name) for field in fields(Wish)}
    defaults = {field.name: field.default for field in fields(Wish)}
    written = _call("make_report", "data", given, defaults)
    call = f'from untie.report import make_report\n\n{written}.save("report.html")'
    arguments = [*_arguments(wish, path), *reading]
    return Recipe(call, _steps(wish), wish.n_clusters, path, arguments)


def recipe_of_encoder(encoder: UNTIE, n_clusters: Any, title: str, seed: int) -> Recipe:
    """Return how a page of `UNTIE.report` is made again."""
    given = {"n_clusters": n_clusters, "title": title, "random_state": seed}
    defaults = {"n_clusters": encoder.n_clusters, "title": "the table", "random_state": 0}
    fitted = f"from untie import UNTIE\n\nencoder = {encoder!r}.fit(data)"
    call = _call("encoder.report", "data", given, defaults)
    wish = Wish(n_clusters, title=title, random_state=seed)
    return Recipe(
        f'{fitted}\n{call}.save("report.html")',
        _steps(wish),
        n_clusters,
        None,
        _arguments(wish, None),
    )


def _call(name: str, first: str, given: dict[str, Any], defaults: dict[str, Any]) -> str:
    """Write a call with the arguments that are not the defaults.

    Examples
    --------
    >>> _call("f", "data", {"k": 2, "bins": 5}, {"k": None, "bins": 5})
    'f(data, k=2)'
    """
    named = [f"{key}={value!r}" for key, value in given.items() if value != defaults[key]]
    return f"{name}({', '.join([first, *named])})"


def _steps(wish: Wish) -> str:
    given = {
        "columns": wish.columns,
        "drop": wish.unwanted,
        "bins": wish.bins,
        "weight": wish.weight,
    }
    prepared = _call(
        "prepare", "data", given, {"columns": None, "drop": [], "bins": 5, "weight": None}
    )
    k, seed = wish.n_clusters, wish.random_state
    weights = "" if wish.weight is None else f", sample_weight=data[{wish.weight!r}].astype(float)"
    return (
        "from untie import UNTIE, UNTIEClusterer, prepare\n"
        "from untie.explain import cluster_profile, outliers\n\n"
        f"preparation = {prepared}\n"
        "rows = preparation.apply(data)\n"
        f"encoder = UNTIE({k!r}, random_state={seed})\n"
        f"clusterer = UNTIEClusterer({k!r}, encoder=encoder, random_state={seed})\n"
        f"labels = clusterer.fit(rows{weights}).labels_\n"
        "profile = cluster_profile(rows, labels)\n"
        "unusual = outliers(clusterer.encoder_, rows)"
    )


def _arguments(wish: Wish, path: str | None) -> list[str]:
    """Return the options of the command."""
    arguments: list[str] = []
    usual = (Wish.title, Path(path or "").name)
    for name in wish.columns or ():
        arguments += ["--columns", name]
    for name in wish.drop:
        arguments += ["--drop", name]
    options = {
        "--label": wish.label,
        "--weight": wish.weight,
        "--k": None if wish.n_clusters == "auto" else str(wish.n_clusters),
        "--bins": None if wish.bins == Wish.bins else str(wish.bins),
        "--title": None if wish.title in usual else wish.title,
        "--seed": str(wish.random_state) if wish.random_state else None,
    }
    for option, text in options.items():
        arguments += [] if text is None else [option, text]
    return arguments
