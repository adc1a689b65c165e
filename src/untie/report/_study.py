"""What a page is about: a model, its rows and answers, and the code that makes it again."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from untie._inputs import ClusteredTable, as_fitted, order_of, read_clusters
from untie._table.frames import columns_of, rows_at
from untie._util.types import FloatArray
from untie.encoder import TableEncoder
from untie.explain import Verdict, cluster_profile, names_of, weight_shares
from untie.preparer import Preparer
from untie.report._limits import CARDS, LEAST_OF_A_CLUSTER, MAP_COLUMNS, MAP_ROWS, shown

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


@dataclass(frozen=True, eq=False)
class Answers:
    """A column that was not learned from.

    Parameters
    ----------
    name : str
        Its name.
    cells : sequence
        Its cells, one per row.
    """

    name: str
    cells: Sequence[Any]

    def of(self, positions: NDArray[np.intp]) -> list[Any]:
        """Return the cells of some rows."""
        return [self.cells[int(position)] for position in positions]


@dataclass(frozen=True, eq=False)
class Study:
    """A table of categories, an encoder fitted on it and clusters of its rows.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    frame : frame or array
        The rows, with the encoder's columns.
    labels : integer array of shape (n_rows,)
        The cluster of each row; all clusters have rows.
    weights : array of shape (n_rows,) or None
        How often each row counts.
    verdict : Verdict
        What is to be thought of the clusters; all sections take their words from it.
    preparer : Preparer or None
        Fitted; made the rows of the user's table.
    answers : Answers or None
        A column to judge the clusters by.
    title : str
        What the table is called.
    seed : int
        Of all that is drawn.
    recipe : Recipe
        How the page was asked for.
    """

    encoder: TableEncoder
    frame: Any
    labels: NDArray[np.intp]
    weights: FloatArray | None
    verdict: Verdict
    preparer: Preparer | None
    answers: Answers | None
    title: str
    seed: int
    recipe: Recipe

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that were learned from."""
        return self.encoder.vocabulary_.columns

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.labels)

    @cached_property
    def clusters(self) -> list[int]:
        """The clusters' numbers."""
        return [int(number) for number in np.unique(self.labels)]

    @cached_property
    def sizes(self) -> FloatArray:
        """Weight of each cluster's rows, in the order of `clusters`."""
        totals = np.bincount(self.labels, self.weights).astype(float)
        return totals[self.clusters]

    @cached_property
    def profile(self) -> dict[str, list[Any]]:
        """What makes each cluster: the lines of `cluster_profile`."""
        about = {"labels": self.labels, "sample_weight": self.weights}
        return columns_of(cluster_profile(self.encoder, self.frame, **about))

    @cached_property
    def group_names(self) -> dict[int, str]:
        """A name of a few words for each cluster."""
        return {int(cluster): shown(name) for cluster, name in names_of(self.profile).items()}

    @property
    def largest(self) -> list[int]:
        """The clusters that are described one by one, in the order of their numbers."""
        order = np.argsort(-self.sizes, kind="stable")[:CARDS]
        return sorted(self.clusters[place] for place in order)

    @cached_property
    def ordered_names(self) -> set[str]:
        """The columns with an order, as the page writes them."""
        return {
            shown(name)
            for place, name in enumerate(self.names)
            if order_of(self.encoder, place) is not None
        }

    @cached_property
    def in_clusters(self) -> ClusteredTable:
        """How often the rows of each cluster have each value."""
        fitted = as_fitted(self.encoder)
        return read_clusters(fitted.clustered(self.frame, self.labels, self.weights), ordered=False)

    @cached_property
    def shares(self) -> dict[str, list[Any]]:
        """Each column's share of what tells rows apart, the largest first."""
        return columns_of(weight_shares(self.encoder))

    @cached_property
    def main_columns(self) -> list[int]:
        """The columns that tell rows apart most, as many as the map shows, in their order."""
        places = {name: place for place, name in enumerate(self.names)}
        return sorted(places[name] for name in self.shares["column"][:MAP_COLUMNS])

    @cached_property
    def able(self) -> NDArray[np.intp]:
        """Positions of the rows that count: those with a weight above 0."""
        return np.arange(self.n_rows) if self.weights is None else np.flatnonzero(self.weights)

    @cached_property
    def sample(self) -> NDArray[np.intp]:
        """Positions of the rows on the map: drawn, and some of each cluster."""
        able = self.able
        if len(able) <= MAP_ROWS:
            return able
        drawn = RandomState(self.seed).permutation(able)
        chosen = np.zeros(self.n_rows, dtype=bool)
        least = min(LEAST_OF_A_CLUSTER, MAP_ROWS // len(self.clusters))
        for number in self.clusters:
            chosen[drawn[self.labels[drawn] == number][:least]] = True
        n_left = MAP_ROWS - np.count_nonzero(chosen)
        chosen[drawn[~chosen[drawn]][:n_left]] = True
        return np.flatnonzero(chosen)

    def rows(self, positions: NDArray[np.intp]) -> Any:
        """Return some rows."""
        return rows_at(self.frame, positions)
