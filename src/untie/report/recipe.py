"""The code that makes a page again, written from the estimator that it is of."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator

UNKNOWN = "data = ...  # the table"


@dataclass(frozen=True)
class Recipe:
    """How a page is made again.

    Parameters
    ----------
    clusterer : TableClusterer or None
        With its parameters; None if it was fitted before, in a way that is not known.
    label, sample_weight : str or None
        Columns of the table.
    has_weights : bool
        Whether there are weights that are no column.
    title : str
        What the table is called.
    reading : str
        Python that makes `data`.
    command : str or None
        The line for the terminal; None if no command made the page.
    """

    clusterer: Any
    label: str | None = None
    sample_weight: str | None = None
    has_weights: bool = False
    title: str = "the table"
    reading: str = UNKNOWN
    command: str | None = None

    def python(self) -> str:
        """Return Python code."""
        weights = self._weights()
        given = {"label": self.label} if self.label else {}
        named = "".join(f", {name}={value!r}" for name, value in given.items())
        title = "" if self.title == Recipe.title else f", title={self.title!r}"
        return (
            f"{self._beginning('make_report')}\n\nclusterer = {self._model()}\n"
            f"report = make_report(data, clusterer{named}{weights}{title})\n"
            'report.save("report.html")\n'
        )

    def step_by_step(self) -> str:
        """Return Python code for those who go on from here."""
        weights = self._weights()
        find = f"fit(data{weights}).labels_" if self.clusterer is not None else "predict(data)"
        return (
            f"{self._beginning()}\n"
            "from untie.explain import cluster_profile, outliers\n\n"
            f"clusterer = {self._model()}\n"
            f"labels = clusterer.{find}\n"
            f"profile = cluster_profile(clusterer, data{weights})\n"
            "unusual = outliers(clusterer, data)\n"
        )

    def _beginning(self, *names: str) -> str:
        imported = ", ".join(sorted([*_classes(self.clusterer), *names]))
        lines = [self.reading, *(["weights = ...  # of its rows"] if self.has_weights else [])]
        return "\n".join([*lines, *([f"from untie import {imported}"] if imported else [])])

    def _model(self) -> str:
        return "...  # fitted before" if self.clusterer is None else written(self.clusterer)

    def _weights(self) -> str:
        if self.has_weights:
            return ", sample_weight=weights"
        return f", sample_weight={self.sample_weight!r}" if self.sample_weight else ""


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
    usual = inspect.signature(type(estimator)).parameters
    given = estimator.get_params(deep=False)
    return {name: value for name, value in given.items() if not _same(value, usual[name].default)}


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
