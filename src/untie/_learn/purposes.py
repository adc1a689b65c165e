"""What vectors are for -> the weightings to choose from, and the yardstick that chooses.

`TableEncoder` learns with every weighting of a purpose and keeps the one of highest gain.
No yardstick knows labels, and gains are comparable within a purpose alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from untie._count.counts import Counts
from untie._count.row_sample import RowSample
from untie._learn.choose import Descriptions
from untie._learn.couplings import PAPER_COUPLINGS, resolve_couplings
from untie._learn.kernels import (
    PAPER_KERNELS,
    PAPER_NORMALIZATION,
    resolve_kernels,
    resolve_normalization,
)
from untie._learn.neighbor_gain import neighbor_gains
from untie._learn.order_space import is_mixed
from untie._learn.solvers import ALTERNATIVES, OF_MIXED, OF_NEIGHBORS, Problem, Weighting
from untie._learn.spaces import KernelSpaces, build_spaces
from untie._learn.tall import Columns
from untie._learn.value_tree import LABELS, tree_spaces
from untie._util.seeds import draws_of

CLUSTERS, NEIGHBORS = "clusters", "neighbors"

Vectors = Mapping[str, Sequence[Columns]]
"""The value vectors of each attribute, by the name of the weighting."""

Judge = Callable[[int, Any], dict[str, float]]
"""A number of clusters and a random state -> the gain of each weighting."""

Yardstick = Callable[[Vectors, Problem, RowSample], Judge]
"""Vectors, the table and some of its rows -> what compares weightings."""


@dataclass(frozen=True)
class Objective:
    """How weights are chosen for a purpose.

    Parameters
    ----------
    alternatives : mapping from names to weightings
        What there is to choose from; the first is taken where nothing can decide.
    judge : callable
        The criterion.
    same_gain : float
        Gains that differ by less than this are equal, and the first of them is taken.
    needs_clusters : bool
        Whether the yardstick depends on the number of clusters.
    spaces : callable
        Makes the spaces of couplings that are weighted: trees of values, or kernels.
    n_spaces : int
        Number of these spaces per attribute, of as many columns as there are values.
    """

    alternatives: Mapping[str, Weighting]
    judge: Yardstick
    same_gain: float
    needs_clusters: bool
    spaces: Callable[[Counts], KernelSpaces]
    n_spaces: int

    @property
    def first(self) -> str:
        """The name of what is taken where nothing can decide."""
        return next(iter(self.alternatives))

    def ways(self, problem: Problem) -> Mapping[str, Weighting]:
        """Return the weightings of a table; where many columns have an order, there is one."""
        return OF_MIXED if is_mixed(problem.orders) else self.alternatives

    def can_judge(self, problem: Problem, sample: RowSample) -> bool:
        """Tell whether there are rows enough to tell weightings apart."""
        n_parts = problem.n_clusters if self.needs_clusters else 2
        return 1 < n_parts < len(sample.weights)

    def best_first(self, gains: Mapping[str, float]) -> list[str]:
        """Return the names by their gains; the first of those equal to the highest is first."""
        highest = max(gains.values())
        best = next(name for name, gain in gains.items() if gain >= highest - self.same_gain)
        return sorted(gains, key=lambda name: (name != best, -gains[name]))


def _of_clusters(vectors: Vectors, problem: Problem, sample: RowSample) -> Judge:
    cells = problem.columns.coarse.cells(sample.codes)
    described = Descriptions(vectors, sample, problem.attributes, problem.counts, cells)
    return lambda n_clusters, random_state: described.gains(n_clusters, draws_of(random_state))


def _of_neighbors(vectors: Vectors, problem: Problem, sample: RowSample) -> Judge:
    cells = problem.columns.coarse.cells(sample.codes)
    gains = neighbor_gains(vectors, sample, problem.attributes, problem.counts, cells)
    return lambda n_clusters, random_state: gains


def _kernel_spaces(counts: Counts) -> KernelSpaces:
    """Build the paper's kernels of the paper's couplings."""
    couplings, kernels = resolve_couplings(PAPER_COUPLINGS), resolve_kernels(PAPER_KERNELS)
    return build_spaces(counts, couplings, kernels, resolve_normalization(PAPER_NORMALIZATION))


PURPOSES = {
    CLUSTERS: Objective(
        ALTERNATIVES,
        _of_clusters,
        same_gain=0.04,  # gains change by as much with the starts of k-means alone
        needs_clusters=True,
        spaces=tree_spaces,
        n_spaces=2 * len(LABELS),
    ),
    NEIGHBORS: Objective(
        OF_NEIGHBORS,
        _of_neighbors,
        same_gain=0.02,
        needs_clusters=False,
        spaces=_kernel_spaces,
        n_spaces=len(PAPER_COUPLINGS) * len(resolve_kernels(PAPER_KERNELS)),
    ),
}
"""By name, as the parameter `purpose` has them."""
