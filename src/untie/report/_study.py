"""What a page is about: a model, its rows and answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import RandomState

from untie._inputs import ClusteredTable, as_fitted, order_of, read_clusters
from untie._table.frames import columns_of, rows_at
from untie._table.rows import are_rows
from untie._util.types import FloatArray, IntArray
from untie.clusterer import TableClusterer
from untie.encoder import TableEncoder
from untie.explain import Profile, Subclusters, Verdict, names_of, read_profile, weight_shares
from untie.preparer import Preparer, merged_values
from untie.report._limits import LONG_TEXT, MAP_COLUMNS, MAP_ROWS, ROW_NAME, shown
from untie.report.code import PageCode

LEAST_OF_A_CLUSTER = 30
"""Each cluster has at least this many rows on the map, or all that it has."""

CARDS = 12
"""At most this many clusters have a card of their own."""

SURE_OF_CLUSTER = 0.8
"""Rows whose cluster has a lower probability are said to be between clusters."""

NAMELESS = "label"
"""What a label is called that has no name, or that of a column with other cells."""


@dataclass(frozen=True, eq=False)
class Answers:
    """The label.

    Parameters
    ----------
    name : str
        Its name.
    cells : sequence
        Its cells, one per row.
    column : str or None
        The column of the table that it is; None if it is none.
    is_learned : bool
        Whether the model has learned from this column.
    """

    name: str
    cells: Sequence[Any]
    column: str | None = None
    is_learned: bool = False

    @property
    def called(self) -> str:
        """What a sentence about it begins with."""
        if self.column is None and self.name == NAMELESS:
            return "The label"
        return f"The {'label' if self.column is None else 'column'} {shown(self.name, 40)}"

    def of(self, positions: IntArray) -> list[Any]:
        """Return the cells of some rows."""
        return [self.cells[int(position)] for position in positions]


@dataclass(frozen=True, eq=False)
class Study:
    """A table of categories and clusters of its rows.

    Parameters
    ----------
    clusterer : TableClusterer
        Fitted; of rows as its encoder takes them.
    frame : frame or array
        The rows, with the encoder's columns.
    labels : integer array of shape (n_rows,)
        The cluster of each row; all clusters have rows.
    weights : array of shape (n_rows,) or None
        How often each row counts.
    verdict : Verdict
        What is to be thought of the clusters; all sections take their words from it.
    finer : Subclusters or None
        Smaller clusters within these, if these are stable.
    preparer : Preparer or None
        Fitted; made the rows of the user's table.
    answers : Answers or None
        The label, to judge the clusters by.
    seed : int
        Of all that is drawn.
    code : PageCode
        How the page is made again.
    names_at : callable
        Returns the names of the rows at some positions; None if they have none.
    """

    clusterer: TableClusterer
    frame: Any
    labels: IntArray
    weights: FloatArray | None
    verdict: Verdict
    finer: Subclusters | None
    preparer: Preparer | None
    answers: Answers | None
    seed: int
    code: PageCode
    names_at: Callable[[IntArray], list[str] | None] = lambda positions: None

    @property
    def encoder(self) -> TableEncoder:
        """What makes the vectors that the clusters are of."""
        return self.clusterer.encoder_

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that were learned from."""
        return self.encoder.vocabulary_.columns

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.labels)

    @property
    def is_weighted(self) -> bool:
        """Whether rows count differently; if not, those that count at all count once."""
        return self.weights is not None and not are_rows(self.weights)

    @property
    def row_weights(self) -> FloatArray:
        """How often each row counts, as numbers."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    @cached_property
    def clusters(self) -> list[int]:
        """The clusters' numbers."""
        return [int(number) for number in np.unique(self.labels)]

    @cached_property
    def sizes(self) -> FloatArray:
        """Weight of each cluster's rows, in the order of `clusters`."""
        totals = np.bincount(self.labels, self.weights).astype(float)
        return totals[self.clusters]

    @property
    def uncertain(self) -> float:
        """Weight of the rows whose cluster has a probability below `SURE_OF_CLUSTER`."""
        codes = self.encoder._codes(self.frame)
        is_unsure = self.clusterer._probabilities(codes).max(axis=1) < SURE_OF_CLUSTER
        return float(self.row_weights @ is_unsure)

    @cached_property
    def found(self) -> Profile:
        """What makes each cluster."""
        about = {"labels": self.labels, "sample_weight": self.weights}
        return read_profile(self.encoder, self.frame, **about)

    @cached_property
    def profile(self) -> dict[str, list[Any]]:
        """What makes each cluster: the lines of `cluster_profile`."""
        columns = self.found.columns.items()
        return {name: [*(x if isinstance(x, list) else x.tolist())] for name, x in columns}

    @cached_property
    def group_names(self) -> dict[int, str]:
        """A name of a few words for each cluster."""
        merged = {} if self.preparer is None else merged_values(self.preparer)
        names = names_of(self.found, merged)
        return {int(cluster): shown(name, LONG_TEXT) for cluster, name in names.items()}

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
    def able(self) -> IntArray:
        """Positions of the rows that count: those with a weight above 0."""
        return np.arange(self.n_rows) if self.weights is None else np.flatnonzero(self.weights)

    @cached_property
    def sample(self) -> IntArray:
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

    def row_names(self, positions: IntArray) -> list[str] | None:
        """Return the names of some rows, as the page writes them; None if they have none."""
        names = self.names_at(positions)
        return None if names is None else [shown(name, ROW_NAME) if name else "" for name in names]

    def rows(self, positions: IntArray) -> Any:
        """Return some rows."""
        return rows_at(self.frame, positions)
