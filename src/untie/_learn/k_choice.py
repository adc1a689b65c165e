"""The number of clusters, whether there are any, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._table import frames
from untie._util.types import FloatArray
from untie._util.words import listed

SURE, ROUNDING = 2.0, 1e-9
"""A gain is there if it is above 0 by `SURE` standard errors, and above rounding: where halves have
too few rows for a number of clusters, both are 0 but for rounding."""

NAMED = 4
"""At most this many columns are named in a sentence."""


def is_sure(gain: float, error: float) -> bool:
    """Tell whether a gain with a standard error is above 0 for certain."""
    return bool(gain > SURE * error + ROUNDING)


@dataclass(frozen=True, eq=False)
class KChoice:
    """How good each number of clusters is, the one chosen, and what its clusters rest on.

    Parameters
    ----------
    k : int
        The smallest number that does about as well as the best (see `choose_k` for the rule), of
        those whose clusters are really there if there are any.
    how_sure : float
        Share of the splits in which this number is the best, from 0 to 1.
    ks : tuple of int
        The numbers tried.
    gain : array of shape (n_ks,)
        Gain on hidden cells: by how many nats per row clusters of half of the rows predict the
        cells of the other half better than the table's shares do, each cell being hidden from the
        choice of its row's cluster. Below 0 for clusters that follow noise, or one column.
    error : array of shape (n_ks,)
        Its standard error. The choice goes by that of the difference of two gains, which is another
        one, as the same rows have both gains.
    stability : array of shape (n_ks,)
        Mean adjusted Rand index of the clusters of all rows and those made from half of them, over
        both halves of every split; 1 is the same, 0 is chance.
    silhouette : array of shape (n_ks,)
        Mean silhouette of the distances of the learned vectors, from -1 to 1; not used for the
        choice.
    chosen : array of shape (n_splits,)
        The number that is the best in each split.
    columns : tuple of str
        The table's columns.
    tells : array of shape (n_columns,)
        What the clusters of the chosen number tell of each column while it is hidden, in nats per
        row; copies, and columns that follow from it, are hidden with it.
    tells_error : array of shape (n_columns,)
        Its standard error.
    without : float
        The gain that is left of the chosen number without the column that matters most, and those
        that say the same.
    without_error : float
        Its standard error.
    without_columns : tuple of str
        These columns.
    repeats : str or None
        A column from whose values or ranges the clusters nearly follow, if there is one.
    n_sampled : int
        Number of distinct rows that were clustered.
    library : str
        The library of `table`.

    See Also
    --------
    choose_k : Makes it, and says how.

    Examples
    --------
    >>> from untie import TableEncoder, choose_k
    >>> from untie.datasets import load
    >>> X, y = load("zoo")
    >>> choice = choose_k(TableEncoder().fit(X), X)
    >>> choice.k, choice.how_sure, choice.found_clusters
    (4, 0.5, True)
    >>> round(float(choice.stability[choice.ks.index(choice.k)]), 2)
    0.96
    """

    k: int
    how_sure: float
    ks: tuple[int, ...]
    gain: FloatArray
    error: FloatArray
    stability: FloatArray
    silhouette: FloatArray
    chosen: NDArray[np.intp]
    columns: tuple[str, ...]
    tells: FloatArray
    tells_error: FloatArray
    without: float
    without_error: float
    without_columns: tuple[str, ...]
    repeats: str | None
    n_sampled: int
    library: str = "pandas"

    @property
    def found_clusters(self) -> bool:
        """Whether the clusters are really there: they tell of several columns what is true."""
        return self.has_gain and self.rests_on_several

    @property
    def has_gain(self) -> bool:
        """Whether the clusters predict hidden cells better than no clusters do."""
        at = self.ks.index(self.k)
        return is_sure(self.gain[at], self.error[at])

    @property
    def rests_on_several(self) -> bool:
        """Whether something is left without the columns that matter most."""
        return is_sure(self.without, self.without_error)

    @property
    def is_best(self) -> bool:
        """Whether no other number is the best in more splits; else it is the smallest as good."""
        others = [float(np.mean(self.chosen == k)) for k in self.ks]
        return self.how_sure >= max(others)

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The columns of which the clusters tell something, what is told most first."""
        told = np.flatnonzero(self.tells > SURE * self.tells_error)
        order = told[np.argsort(-np.round(self.tells[told], 9), kind="stable")]
        return tuple(self.columns[column] for column in order)

    @property
    def verdict(self) -> str:
        """The choice in a few sentences, for people."""
        if not self.has_gain:
            return self._no_gain()
        if not self.rests_on_several:
            return self._one_column()
        at = self.ks.index(self.k)
        agreement = max(float(self.stability[at]), 0.0)
        number = f"{self.k} clusters"
        if len(self.ks) > 1 and self.is_best:
            number += f", the best number in {self.how_sure:.0%} of the splits"
        elif len(self.ks) > 1:
            number += ", the smallest number that does about as well as the best"
        return (
            f"{number}. {self._resting()} Clusters made from half of the rows agree with those of "
            f"all rows by {agreement:.2f} (adjusted Rand index: 1 is the same, 0 is chance)."
        )

    def table(self) -> Any:
        """Return the figures of every number of clusters.

        Returns
        -------
        frame
            One row per number: k, gain, error, stability, silhouette, and chosen_by, the share of
            the splits in which it is the best.
        """
        columns = {
            "k": list(self.ks),
            "gain": self.gain,
            "error": self.error,
            "stability": self.stability,
            "silhouette": self.silhouette,
            "chosen_by": [float(np.mean(self.chosen == k)) for k in self.ks],
        }
        return frames.make_frame(self.library, columns)

    def _no_gain(self) -> str:
        if len(self.ks) == 1:
            return (
                f"No clusters found: {self.k} groups predict the cells of other rows no better "
                "than none do."
            )
        return (
            f"No clusters found: no number of groups from {self.ks[0]} to {self.ks[-1]} predicts "
            f"the cells of other rows better than none; {self.k} is the least bad."
        )

    def _one_column(self) -> str:
        if self.repeats is not None:
            return (
                f"No clusters found: {self.k} groups would be little more than the values or "
                f"ranges of {self.repeats!r}, and tell hardly anything of other columns."
            )
        names = listed([repr(name) for name in self.without_columns])
        return (
            f"No clusters found: {self.k} groups would rest on {names} alone, and tell nothing "
            "of other columns without."
        )

    def _resting(self) -> str:
        names = self.rests_on
        if not names:
            return "The clusters rest on many columns, a little on each."
        more = len(names) - NAMED
        shown = [*names[:NAMED], f"{more} more"] if more > 1 else list(names)
        n = len(self.columns)
        of = f"all {n} columns" if len(names) == n else f"{len(names)} of {n} columns"
        return f"The clusters rest on {of}: {listed(shown)}."
