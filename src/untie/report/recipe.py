"""What was asked for, and the code that makes the page again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from untie._encoder_base import EncoderBase
from untie._learn.purposes import CLUSTERS
from untie._prepare.defaults import BINS, MAX_CATEGORIES
from untie._table.orders import AUTO
from untie.encoder import TableEncoder
from untie.preparer import Preparer
from untie.untie_method import UNTIE

UNKNOWN = "data = ...  # the table"


@dataclass(frozen=True)
class Wish:
    """What the user asked for; see `make_report`."""

    n_clusters: int | str = "auto"
    columns: Sequence[str] | None = None
    drop: tuple[str, ...] = ()
    label: str | None = None
    sample_weight: str | None = None
    bins: int = BINS
    max_categories: int = MAX_CATEGORIES
    title: str = "the table"
    random_state: int = 0
    column_weights: Mapping[str, float] | None = None
    ordered: Any = AUTO
    categorical: tuple[str, ...] = ()
    missing: str | Sequence[str] = AUTO
    day_first: bool | None = None
    date_parts: Sequence[str] = ()
    solver: str = "auto"
    purpose: str = CLUSTERS

    def encoder(self) -> TableEncoder | UNTIE:
        """Return what learns from the prepared table, not fitted yet."""
        if self.solver != AUTO:
            if self.column_weights or self.ordered != AUTO or self.purpose != CLUSTERS:
                raise ValueError(
                    f"column_weights, ordered and purpose can't be combined with solver="
                    f"{self.solver!r}, which is the paper's method and has none of them; leave out "
                    "solver."
                )
            return UNTIE(self.n_clusters, solver=self.solver, random_state=self.random_state)
        return TableEncoder(
            self.n_clusters,
            preparer=None,
            purpose=self.purpose,
            column_weights=self.column_weights,
            ordered=self.ordered,
            random_state=self.random_state,
        )

    def preparer(self) -> Preparer:
        """Return what makes the table one of categories, not fitted yet."""
        return Preparer(
            columns=self.columns,
            drop=self.unwanted,
            bins=self.bins,
            max_categories=self.max_categories,
            categorical=list(self.categorical),
            missing=self.missing,
            day_first=self.day_first,
            date_parts=self.date_parts,
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
    reading : str
        Python that makes `data`.
    path : str or None
        The file that the table came from, if it is known.
    arguments : sequence of str or None
        Those of the command; a file comes before them. None if no command makes the page.
    """

    call: str
    steps: str
    n_clusters: int | str
    reading: str = UNKNOWN
    path: str | None = None
    arguments: Sequence[str] | None = ()

    def python(self) -> str:
        """Return Python code."""
        return f"{self.reading}\n{self.call}\n"

    def step_by_step(self) -> str:
        """Return Python code for those who go on from here."""
        return f"{self.reading}\n{self.steps}\n"

    def command(self) -> str | None:
        """Return the line for the terminal, if there is one.

        Examples
        --------
        >>> print(Recipe("", "", 3, path="my data.csv", arguments=["--k", "3"]).command())
        untie report 'my data.csv' --k 3
        """
        if self.arguments is None:
            return None
        file = [] if "--sql" in self.arguments else [self.path or "data.csv"]
        return " ".join(shlex.quote(part) for part in ["untie", "report", *file, *self.arguments])


def recipe_of(
    wish: Wish,
    path: str | None = None,
    options: Sequence[str] = (),
    reading: str | None = None,
) -> Recipe:
    """Return how a page of `make_report`, or of the command, is made again.

    Parameters
    ----------
    wish : Wish
        What was asked for.
    path : str, optional
        The file.
    options : sequence of str
        Arguments of the command that say how the file is read.
    reading : str, optional
        Python that reads it.
    """
    given = {field.name: getattr(wish, field.name) for field in fields(Wish)}
    defaults = {field.name: field.default for field in fields(Wish)}
    written = _call("make_report", "data", given, defaults)
    call = f'from untie.report import make_report\n\n{written}.save("report.html")'
    # The command can name columns with an order, and values that are texts; not that none has one.
    is_said = isinstance(wish.ordered, list | tuple) or wish.ordered == AUTO or _are_texts(wish)
    own = _arguments(wish, path)
    if wish.missing != AUTO and "--missing" not in options:
        own += [part for text in wish.missing or ["none"] for part in ("--missing", text)]
    arguments = [*own, *options] if is_said else None
    return Recipe(call, _steps(wish), wish.n_clusters, reading or UNKNOWN, path, arguments)


def recipe_of_encoder(
    encoder: EncoderBase, n_clusters: Any, title: str, seed: int, has_weights: bool
) -> Recipe:
    """Return how a page of `report_encoder` is made again."""
    weights = ", sample_weight=weights" if has_weights else ""
    reading = f"{UNKNOWN}\nweights = ...  # of its rows" if has_weights else UNKNOWN
    given = {"n_clusters": n_clusters, "title": title, "random_state": seed}
    defaults = {"n_clusters": encoder.n_clusters, "title": "the table", "random_state": 0}
    call = _call("report_encoder", f"encoder, data{weights}", given, defaults)
    written = f"encoder = {encoder!r}.fit(data{weights})"
    name = type(encoder).__name__
    names = ", ".join(sorted([name, "TableClusterer"]))
    return Recipe(
        f"from untie import {name}\nfrom untie.report import report_encoder\n\n"
        f'{written}\n{call}.save("report.html")',
        f"from untie import {names}\n"
        "from untie.explain import cluster_profile, outliers\n\n"
        f"encoder = {encoder!r}\n"
        f"clusterer = TableClusterer({n_clusters!r}, encoder=encoder, random_state={seed})\n"
        + _found("data", weights),
        n_clusters,
        reading,
        arguments=None,  # the command learns with settings of its own
    )


def _call(name: str, first: str, given: dict[str, Any], defaults: dict[str, Any]) -> str:
    """Write a call with the arguments that are not the defaults.

    Examples
    --------
    >>> _call("f", "data", {"k": 2, "bins": 5}, {"k": None, "bins": 5})
    'f(data, k=2)'
    """
    named = [f"{key}={value!r}" for key, value in given.items() if value != defaults[key]]
    return f"{name}({', '.join([first, *named] if first else named)})"


def _steps(wish: Wish) -> str:
    defaults = Preparer(drop=[], categorical=[]).get_params()
    preparer = _call("Preparer", "", wish.preparer().get_params(), defaults)
    k, seed = wish.n_clusters, wish.random_state
    encoder = f"TableEncoder({k!r}, preparer=None{_learned(wish)}, random_state={seed})"
    if wish.solver != AUTO:
        encoder = f"UNTIE({k!r}, solver={wish.solver!r}, random_state={seed})"
    numpy, weights, argument, column = "", "", "", ""
    if wish.sample_weight is not None:
        numpy = "import numpy as np\n\n"
        weights = f"weights = np.asarray(data[{wish.sample_weight!r}], dtype=float)\n"
        argument, column = ", sample_weight=weights", f", sample_weight={wish.sample_weight!r}"
    return (
        f"{numpy}from untie import Preparer, TableClusterer, {encoder.partition('(')[0]}\n"
        "from untie.explain import cluster_profile, outliers\n\n"
        f"preparer = {preparer}\n"
        f"rows = preparer.fit_transform(data{column})\n{weights}"
        f"encoder = {encoder}\n"
        f"clusterer = TableClusterer({k!r}, encoder=encoder, preparer=None, random_state={seed})\n"
        + _found("rows", argument)
    )


def _learned(wish: Wish) -> str:
    """Write how the encoder learns, where it is not the usual way."""
    given = {
        "purpose": wish.purpose,
        "column_weights": dict(wish.column_weights or {}),
        "ordered": wish.ordered,
    }
    usual = {"purpose": Wish.purpose, "column_weights": {}, "ordered": AUTO}
    return "".join(f", {key}={value!r}" for key, value in given.items() if value != usual[key])


def _found(rows: str, weights: str) -> str:
    """Write what is done with a clusterer."""
    return (
        f"labels = clusterer.fit({rows}{weights}).labels_\n"
        f"profile = cluster_profile({rows}, labels{weights})\n"
        f"unusual = outliers(clusterer.encoder_, {rows})"
    )


def _arguments(wish: Wish, path: str | None) -> list[str]:
    """Return the options of the command."""
    arguments: list[str] = []
    usual = (Wish.title, Path(path or "").name)
    for name in wish.columns or ():
        arguments += ["--columns", name]
    for name in wish.drop:
        arguments += ["--drop", name]
    for name in wish.categorical:
        arguments += ["--categorical", name]
    for name, factor in (wish.column_weights or {}).items():
        arguments += ["--column-weight", f"{name}={factor:g}"] if factor else ["--passive", name]
    for name in () if wish.ordered == AUTO else wish.ordered:
        values = wish.ordered[name] if isinstance(wish.ordered, dict) else None
        arguments += ["--ordered", f"{name}={','.join(values)}" if values else name]
    options = {
        "--label": wish.label,
        "--weight": wish.sample_weight,
        "--k": None if wish.n_clusters == "auto" else str(wish.n_clusters),
        "--bins": None if wish.bins == Wish.bins else str(wish.bins),
        "--max-categories": (
            None if wish.max_categories == Wish.max_categories else str(wish.max_categories)
        ),
        "--title": None if wish.title in usual else wish.title,
        "--solver": None if wish.solver == Wish.solver else wish.solver,
        "--purpose": None if wish.purpose == Wish.purpose else wish.purpose,
        "--seed": str(wish.random_state) if wish.random_state else None,
    }
    for option, text in options.items():
        arguments += [] if text is None else [option, text]
    if wish.day_first is not None:
        arguments.append("--day-first" if wish.day_first else "--month-first")
    return arguments + (["--date-parts", ",".join(wish.date_parts)] if wish.date_parts else [])


def _are_texts(wish: Wish) -> bool:
    """Tell whether the command can name the values in order: texts without commas."""
    if not isinstance(wish.ordered, dict):
        return False
    values = [value for order in wish.ordered.values() for value in order or []]
    return all(isinstance(value, str) and "," not in value for value in values)
