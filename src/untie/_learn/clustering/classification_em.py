"""Clusters of k-means -> clusters in which every row is where its cells are likeliest.

k-means wants clusters of one width, so it splits a large class next to small ones. The refinement
is classification EM for the latent class model: it raises the same gain by which the representation
was chosen (`cluster_gain`), and like it knows a partition by its counts alone. It ends at the first
optimum; EM, in which rows belong to several clusters in part, finds better ones in some tables.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse

from untie._count.counting import sparse_one_hot
from untie._count.row_sample import RowSample
from untie._learn.clustering.lloyd import Costs, Pass, Walk, pack, ties_apart, walk_rows
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


def sampled_cells_of(model: Fitted, sample: RowSample) -> CountedCells:
    """Return how an encoder's model describes a sample of rows, which stands for its table."""
    scale = model.counts.n_draws / float(sample.weights.sum())
    return CountedCells(model.sampled_votes, model.coarse.targets, scale)


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


SHARE_OF_FIRST = 0.9
"""EM starts with rows that belong to their first cluster with this share, and to all clusters
equally with the rest."""

MOST_STEPS, SETTLED = 100, 1e-6
"""EM ends after so many steps, or when a step raises the log-likelihood per row by less."""

BETTER = 0.01
"""The clusters of EM are taken if they describe the table better by at least this share."""


def find_by_em(begun: Pass, sample: RowSample, cells: CountedCells) -> Pass | None:
    """Return the clusters of sampled rows that EM finds, if they describe these rows better.

    They are compared with those that `reassign_rows` makes from the same start. They must also
    describe the rows better than one cluster does: EM from clusters of noise is no improvement.

    Parameters
    ----------
    begun : Pass
        Clusters of the sampled rows, where EM starts.
    sample : RowSample
        The rows.
    cells : CountedCells
        How clusters of the sample are judged.

    Returns
    -------
    Pass or None
        What the clusters hold, each row in its likeliest; None if they are not better.
    """
    n_codes = [joint.shape[1] for joint in begun.counts]
    codes = list(sample.codes.T)
    if len(begun.sizes) == 1 or not begun.sizes.all():
        return None
    soft = _climb(begun, sparse_one_hot(codes, n_codes), sample.weights, cells)
    if not soft.sizes.all():
        return None
    costs = ties_apart(cells.costs(soft))
    walk = partial(walk_rows, pack(codes, costs), sample.weights)
    found = walk(costs)
    if not found.sizes.all():
        return None
    gain = max(cells.gain(reassign_rows(begun, cells, walk, MOST_REASSIGNMENTS)[1]), 0.0)
    return found if cells.gain(found) > (1.0 + BETTER) * gain + ROUNDING else None


def _climb(
    begun: Pass, one_hot: sparse.csr_array, weights: FloatArray, cells: CountedCells
) -> Pass:
    """Return what clusters hold when EM has settled: parts of rows, by their probabilities."""
    transposed = one_hot.T.tocsr()
    ends = np.cumsum([joint.shape[1] for joint in begun.counts])[:-1]
    rest = (1 - SHARE_OF_FIRST) / len(begun.sizes)
    soft = Pass([SHARE_OF_FIRST * part + rest * part.sum(axis=0) for part in begun.counts])
    reached = -np.inf
    for _ in range(MOST_STEPS):
        costs = one_hot @ np.vstack(cells.costs(soft))
        least = costs.min(axis=1, keepdims=True)
        parts = np.exp(least - costs)
        sums = parts.sum(axis=1, keepdims=True)
        before, reached = reached, float(weights @ (np.log(sums) - least)[:, 0]) / weights.sum()
        parts *= weights[:, None] / sums
        soft = Pass(np.split((transposed @ parts).T, ends, axis=1))
        if reached - before < SETTLED:
            break
    return soft


def _merged(joint: FloatArray, target: IntArray) -> FloatArray:
    """Add up the counts of codes that are one in the coarser view."""
    n_codes = int(target[-1]) + 1
    return np.stack([np.bincount(target, line, minlength=n_codes) for line in joint])
