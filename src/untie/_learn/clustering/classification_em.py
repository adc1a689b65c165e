"""Clusters of k-means -> clusters in which every row is where its cells are likeliest.

k-means wants clusters of one width, so it splits a large class next to small ones. The refinement
is classification EM for the latent class model: it raises the same gain by which the representation
was chosen (`cluster_gain`), and like it knows a partition by its counts alone.
"""

from dataclasses import dataclass

import numpy as np

from untie._learn.clustering.lloyd import Costs, Pass, Walk, ties_apart
from untie._learn.fitting import Fitted
from untie._learn.selection.cluster_gain import (
    gain_of_counts,
    likelihood_costs,
)
from untie._util.arrays import ROUNDING
from untie._util.types import FloatArray, IntArray

MOST_REASSIGNMENTS = 20
"""The refinement takes at most this many passes; most tables take one to five, long ones more."""


@dataclass(frozen=True, eq=False)
class CountedCells:
    """How the counts of a pass are read: which cells they are of, and how much each counts.

    Parameters
    ----------
    votes : array of shape (n_attributes,)
        How much each attribute counts.
    targets : tuple of integer arrays of shape (n_codes,), optional
        For each attribute, the coarser code of each code, that of an unknown value included; None
        where nothing is coarser.
    scale : float
        The counts are multiplied by it: what is learned costs as it does in this many rows.
    """

    votes: FloatArray
    targets: tuple[IntArray, ...] | None = None
    scale: float = 1.0

    def gain(self, found: Pass) -> float:
        """Return how well the clusters describe the table, in nats per row."""
        return gain_of_counts(self._known(found), self.scale * found.sizes, self.votes)

    def costs(self, found: Pass) -> Costs:
        """Return how unlikely each value is in each cluster, by the clusters' shares of values.

        The first attribute's costs are also those of the clusters: how unlikely a row of theirs is.
        """
        tables = list(map(likelihood_costs, self._known(found), self.votes))
        if self.targets is not None:
            tables = [t[target] for t, target in zip(tables, self.targets, strict=True)]
        sizes = found.sizes
        return [tables[0] - np.log(sizes / sizes.sum()), *tables[1:]]

    def _known(self, found: Pass) -> list[FloatArray]:
        """Return the counts of the coarser values, unknown ones left out."""
        counts = found.counts
        if self.targets is not None:
            counts = [_merged(c, target) for c, target in zip(counts, self.targets, strict=True)]
        return [self.scale * joint[:, :-1] for joint in counts]


def cells_of(model: Fitted) -> CountedCells:
    """Return how an encoder's model describes its table."""
    counts = model.counts
    scale = counts.n_draws / counts.n
    return CountedCells(model.attributes.votes, model.coarse.targets, scale)


def reassign_rows(
    found: Pass, cells: CountedCells, walk: Walk, max_passes: int
) -> tuple[Costs | None, Pass, int]:
    """Move every row to its likeliest cluster, as long as the clusters then describe more.

    Parameters
    ----------
    found : Pass
        What the clusters hold at first.
    cells : CountedCells
        How they are judged.
    walk : callable
        Takes costs and returns what a pass over all rows finds.
    max_passes : int
        At most this many passes over the rows.

    Returns
    -------
    costs, found, n_passes
        The costs of the last move that was kept, or None if none was; what the clusters hold then;
        and the number of passes.
    """
    kept: Costs | None = None
    if len(found.sizes) == 1 or not found.sizes.all():
        return kept, found, 0
    gain = cells.gain(found)
    for n_passes in range(1, max_passes + 1):
        costs = ties_apart(cells.costs(found))
        moved = walk(costs)
        gain_moved = cells.gain(moved) if moved.sizes.all() else -np.inf
        if gain_moved <= gain + ROUNDING:
            return kept, found, n_passes
        kept, found, gain = costs, moved, gain_moved
    return kept, found, max_passes


def _merged(joint: FloatArray, target: IntArray) -> FloatArray:
    """Add up the counts of codes that are one in the coarser view."""
    n_codes = int(target[-1]) + 1
    return np.stack([np.bincount(target, line, minlength=n_codes) for line in joint])
