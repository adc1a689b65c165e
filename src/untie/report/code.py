"""The code that makes a page again, on the command line and in Python."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from sklearn.base import BaseEstimator

CODE_BYTES = 100_000
"""A piece of code, which may name all columns, has at most this many bytes."""

UNKNOWN = "data = ...  # the table"


@dataclass(frozen=True, eq=False)
class PageCode:
    """How a page is made again.

    Parameters
    ----------
    clusterer : TableClusterer or None
        With its parameters; None if it was fitted before, in a way that is not known.
    label, sample_weight : str, array or None
        As `make_report` takes them.
    title : str
        What the table is called.
    reading : str
        Python that makes `data`.
    command : str or None
        The line for the terminal; None if no command made the page.
    """

    clusterer: Any
    label: Any = None
    sample_weight: Any = None
    title: str = "the table"
    reading: str = UNKNOWN
    command: str | None = None

    def python(self) -> str:
        """Return Python code."""
        cells, label = _argument("label", "label", self.label)
        _, weights = _argument("sample_weight", "weights", self.sample_weight)
        title = "" if self.title == PageCode.title else f", title={self.title!r}"
        return (
            f"{cells}{self._beginning('make_report')}\n\nclusterer = {self._model()}\n"
            f"report = make_report(data, clusterer{label}{weights}{title})\n"
            'report.save("report.html")\n'
        )

    def step_by_step(self) -> str:
        """Return Python code for those who go on from here."""
        _, weights = _argument("sample_weight", "weights", self.sample_weight)
        find = f"fit(data{weights}).labels_" if self.clusterer is not None else "predict(data)"
        return (
            f"{self._beginning()}\n"
            "from untie.explain import cluster_profile, outliers\n\n"
            f"clusterer = {self._model()}\n"
            f"labels = clusterer.{find}\n"
            f"profile = cluster_profile(clusterer, data{weights})\n"
            "highest = outliers(clusterer, data)  # and which of them are unusual\n"
        )

    def _beginning(self, *names: str) -> str:
        classes = ", ".join(sorted([*_classes(self.clusterer), *names]))
        imports = f"from untie import {classes}" if classes else ""
        cells, _ = _argument("sample_weight", "weights", self.sample_weight)
        return f"{self.reading}\n{cells}{imports}".rstrip()

    def _model(self) -> str:
        return "...  # fitted before" if self.clusterer is None else written(self.clusterer)


def _argument(name: str, variable: str, value: Any) -> tuple[str, str]:
    """Return the line that makes an argument, if it is no column of the table, and the argument."""
    if value is None:
        return "", ""
    if isinstance(value, str):
        return "", f", {name}={value!r}"
    return f"{variable} = ...  # of its rows\n", f", {name}={variable}"


def written(value: Any) -> str:
    """Return the Python that makes an estimator; unlike its `repr`, none of it is cut off.

    Examples
    --------
    >>> from untie import Preparer, TableClusterer
    >>> written(TableClusterer(3, preparer=Preparer(drop=["id"])))
    "TableClusterer(n_clusters=3, preparer=Preparer(drop=['id']))"
    """
    if not isinstance(value, BaseEstimator):
        return repr(dict(value)) if isinstance(value, Mapping) else repr(value)
    given = [f"{name}={written(one)}" for name, one in _changed(value).items()]
    return f"{type(value).__name__}({', '.join(given)})"


def _changed(estimator: Any) -> dict[str, Any]:
    """Return the parameters that are not the default; an empty list is as good as a tuple."""
    given = estimator.get_params(deep=False)
    usual = inspect.signature(type(estimator)).parameters
    return {name: given[name] for name in usual if not _same(given[name], usual[name].default)}


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, list):
        return isinstance(default, tuple) and tuple(value) == default
    return type(value) is type(default) and bool(value == default)


def _classes(value: Any) -> set[str]:
    """Return the names of the classes of an estimator and of those in it."""
    if not isinstance(value, BaseEstimator):
        return set()
    inner = (_classes(one) for one in _changed(value).values())
    return {type(value).__name__}.union(*inner)


def code_to_make_it(study: Any) -> dict[str, str | None]:
    """Return the pieces of code that make the page again, as far as a page can hold them."""
    code: PageCode = study.code
    pieces = {"command": code.command, "python": code.python(), "steps": code.step_by_step()}
    return {
        name: "# This names so many columns that it is too long for a page."
        if text and len(escape(text).encode(errors="replace")) > CODE_BYTES
        else text
        for name, text in pieces.items()
    }
