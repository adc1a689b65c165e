"""Ideas for a representation, each a function of the counts and of k.

An idea gives a matrix with a row for each value of all attributes; a row of the table is the sum
of the rows of its values. (A block diagonal matrix is a concatenation.) No idea sees a label.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import block_diag

from untie._count.counts import Counts
from untie._learn.columns.attributes import NO_RELEVANCE, Attributes
from untie._learn.linalg.spectrum import roots
from untie._learn.spaces.couplings import inter, intra
from untie._learn.spaces.kernel_spaces import KernelSpaces, build_spaces
from untie._learn.spaces.kernels import KERNEL_SETS, resolve_normalization
from untie._learn.spaces.value_tree import (
    Branches,
    branches_of,
    co_occurrence,
    occurrence,
    tree_spaces,
)
from untie._util.types import FloatArray
from untie_paper.baselines import CDE

VANISHING = 1e-9
"""A direction shorter than this share of the longest is rounding."""


@dataclass(frozen=True, eq=False)
class View:
    """What an idea may look at."""

    counts: Counts
    k: int

    @cached_property
    def attribute(self) -> FloatArray:
        """The attribute of each value."""
        return np.repeat(np.arange(len(self.counts.sizes)), self.counts.sizes)

    @cached_property
    def shares(self) -> FloatArray:
        return np.maximum(self.counts.frequencies / self.counts.n, 0.5 / self.counts.n)

    @cached_property
    def covariance(self) -> FloatArray:
        """Covariance of the one-hot columns."""
        shares = self.counts.frequencies / self.counts.n
        return self.counts.matrix / self.counts.n - np.outer(shares, shares)

    @cached_property
    def votes(self) -> FloatArray:
        return Attributes(self.counts).votes

    @cached_property
    def relevance(self) -> FloatArray:
        return Attributes(self.counts).relevance + NO_RELEVANCE

    @cached_property
    def factors(self) -> tuple[FloatArray, FloatArray, int]:
        """Axes of correspondence analysis, their eigenvalues, and how many are not noise."""
        scale = 1.0 / np.sqrt(self.shares)
        values, vectors = np.linalg.eigh(scale[:, None] * self.covariance * scale)
        values, vectors = values[::-1], vectors[:, ::-1]
        n_free = len(scale) - len(self.counts.sizes)
        edge = (1 + np.sqrt(n_free / self.counts.n)) ** 2
        n_signal = int((values > edge * (1 + 1e-9)).sum()) if n_free < self.counts.n else 0
        return scale[:, None] * vectors, values, n_signal

    @cached_property
    def kernels(self) -> FloatArray:
        """The paper's spaces with equal weights, in as many dimensions as there are values."""
        couplings = {"intra": intra, "inter": inter}
        used = {str(kernel): kernel for kernel in KERNEL_SETS["paper"]}
        spaces = build_spaces(self.counts, couplings, used, resolve_normalization("diagonal"))
        return block_diag(
            *(root.toarray() for root in roots(spaces, np.ones(spaces.n_coordinates)))
        )

    @cached_property
    def trees(self) -> KernelSpaces:
        """The two trees of the default."""
        return tree_spaces(self.counts)

    @cached_property
    def embedding(self) -> FloatArray:
        """CDE's vectors of the values."""
        return np.vstack(CDE(random_state=0)._value_vectors(self.counts))

    def spread(self, of_attributes: FloatArray) -> FloatArray:
        return of_attributes[self.attribute]

    def blocks(self, matrix: FloatArray) -> list[FloatArray]:
        return [matrix[self.counts.span(a)] for a in range(len(self.counts.sizes))]


Idea = Callable[[View], FloatArray]


def scaled(power: float, of_relevance: float, copies_share: bool = True) -> Idea:
    """One-hot times p^-power and the root of an attribute weight."""

    def idea(view: View) -> FloatArray:
        weights = view.relevance**of_relevance * (view.votes if copies_share else 1.0)
        return np.diag(view.shares**-power * np.sqrt(view.spread(weights)))

    return idea


def apart(view: View, matrix: FloatArray) -> FloatArray:
    """Give every attribute dimensions of its own, at most as many as it has values."""
    return block_diag(*(shortened(block) for block in view.blocks(matrix)))


def shortened(rows: FloatArray) -> FloatArray:
    """Return vectors with the same distances, in as few dimensions as they need."""
    left, lengths, _ = np.linalg.svd(rows, full_matrices=False)
    kept = lengths > VANISHING * lengths.max(initial=0.0)
    return left[:, kept] * lengths[kept]


def trees(only_first: bool = False) -> Idea:
    """Take the trees of the default, or only that of co-occurrence."""

    def idea(view: View) -> FloatArray:
        return block_diag(
            *(
                shortened(columns.toarray()[:, : widths[0] if only_first else None])
                for columns, widths in zip(view.trees.columns, view.trees.widths, strict=True)
            )
        )

    return idea


def trees_by_level(view: View) -> FloatArray:
    """Take the same trees with all numbers of groups counting alike, so that fine ones prevail."""
    profiles = (co_occurrence(view.counts), occurrence(view.counts))
    both = [every_level(branches_of(found)).scaled() for found in profiles]
    return apart(view, np.hstack([tree.members.T * np.sqrt(tree.lengths) for tree in both]))


def every_level(tree: Branches) -> Branches:
    """Return branches as long as the numbers of groups that they last for.

    From the root to the end of a branch, lengths are logarithms that add up to that of the number
    of groups there is when the branch begins.

    Examples
    --------
    >>> every_level(branches_of(np.array([[0.0], [1.0], [5.0]]))).lengths.round(9)
    array([1., 1., 2., 1.])
    """
    members = tree.members.astype(float)
    contains = members @ members.T == members.sum(axis=1)  # [i, j]: i has all that j has
    born = np.exp(tree.lengths @ contains)
    return Branches(tree.members, born * -np.expm1(-tree.lengths))


def embedding(view: View) -> FloatArray:
    """Take CDE's vectors."""
    return apart(view, view.embedding)


def correspondence(power: float, only_signal: bool = False) -> Idea:
    """Axes of MCA: k - 1 of them (at least 2), or those above the noise among them."""

    def idea(view: View) -> FloatArray:
        axes, values, n_signal = view.factors
        n_axes = max(view.k - 1, 2)
        if only_signal:
            n_axes = min(n_axes, n_signal)
        if not n_axes:
            return RELEVANCE(view)
        return axes[:, :n_axes] * (np.maximum(values[:n_axes], 0) / values[0]) ** (power / 2)

    return idea


def factor_coupling(of_energy: float) -> Idea:
    """Describe a value by the mean factor scores of its rows; attributes apart."""

    def idea(view: View) -> FloatArray:
        axes, values, n_signal = view.factors
        n_axes = min(max(view.k - 1, 2), n_signal)
        if not n_axes:
            return RELEVANCE(view)
        scores = axes[:, :n_axes] / np.sqrt(values[0])
        means = view.covariance @ scores / view.shares[:, None]
        energy = np.bincount(view.attribute, view.shares * np.square(means).sum(axis=1))
        means *= np.sqrt(view.spread(np.maximum(energy, 1e-12)) ** (of_energy - 1))[:, None]
        return block_diag(*view.blocks(means))

    return idea


def leading(idea: Idea) -> Idea:
    """Keep k - 1 principal axes, at least 2."""

    def result(view: View) -> FloatArray:
        matrix = idea(view)
        return matrix @ _principal(view, matrix)[1][:, : max(view.k - 1, 2)]

    return result


def explained(idea: Idea, power: float) -> Idea:
    """Weight attributes by the variance that factors of all the others explain.

    The paper's second step (a coordinate's weight falls with what H leaves unexplained), with H
    from the other attributes, so that none confirms itself.
    """

    def result(view: View) -> FloatArray:
        matrix, n_factors = idea(view), min(max(view.k - 1, 1), 20)
        total = np.bincount(view.attribute, view.covariance.diagonal())
        shares = np.empty(len(view.counts.sizes))
        for attribute in range(len(shares)):
            others = matrix * (view.attribute != attribute)[:, None]
            values, vectors = _principal(view, others)
            kept = values[:n_factors] > 1e-9 * max(values[0], 1e-300)
            cross = (view.covariance @ others @ vectors[:, :n_factors])[view.counts.span(attribute)]
            found = (np.square(cross[:, kept]) / values[:n_factors][kept]).sum()
            shares[attribute] = found / max(total[attribute], 1e-300)
        chance = n_factors / max(view.counts.n - 1, 1)
        weights = np.maximum((shares - chance) / (1 - chance), 0) + NO_RELEVANCE
        return matrix * np.sqrt(view.spread(weights**power))[:, None]

    return result


def side_by_side(first: Idea, second: Idea, share: float) -> Idea:
    """Put two representations next to each other, with given shares of the variance."""

    def result(view: View) -> FloatArray:
        parts = []
        for idea, part in ((first, 1 - share), (second, share)):
            matrix = idea(view)
            energy = float(np.trace(matrix.T @ view.covariance @ matrix))
            if energy > 1e-9:  # kernels may tell nothing apart
                parts.append(matrix * np.sqrt(part / energy))
        return np.hstack(parts)

    return result


def _principal(view: View, matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    values, vectors = np.linalg.eigh(matrix.T @ view.covariance @ matrix)
    return values[::-1], vectors[:, ::-1]


def with_votes(idea: Idea) -> Idea:
    """Let copies of an attribute share a vote."""
    return lambda view: idea(view) * np.sqrt(view.spread(view.votes))[:, None]


ONE_HOT = scaled(0, 0, copies_share=False)
RELEVANCE = scaled(0.25, 0.5)
VALUES = scaled(0, 0)
KERNELS = with_votes(lambda view: view.kernels)
TREES = with_votes(trees())
EMBEDDING = with_votes(embedding)
AXES = correspondence(1, only_signal=True)

IDEAS: dict[str, Idea] = {
    "couplings": side_by_side(VALUES, TREES, 0.7),
    "relevance": RELEVANCE,
    "one-hot": ONE_HOT,
    "values": VALUES,
    "kernels": KERNELS,
    "trees": TREES,
    "trees 0.5, values": side_by_side(VALUES, TREES, 0.5),
    "trees 0.3, values": side_by_side(VALUES, TREES, 0.3),
    "trees 0.5, relevance": side_by_side(RELEVANCE, TREES, 0.5),
    "trees 0.5, kernels": side_by_side(KERNELS, TREES, 0.5),
    "tree of co-occurrence 0.5, values": side_by_side(
        VALUES, with_votes(trees(only_first=True)), 0.5
    ),
    "trees of all levels 0.5, values": side_by_side(VALUES, with_votes(trees_by_level), 0.5),
    "CDE 0.5, values": side_by_side(VALUES, EMBEDDING, 0.5),
    "CDE 0.5, relevance": side_by_side(RELEVANCE, EMBEDDING, 0.5),
    "kernels 0.01, relevance": side_by_side(RELEVANCE, KERNELS, 0.01),
    "kernels 0.1, values": side_by_side(VALUES, KERNELS, 0.1),
    "values 0.5, relevance": side_by_side(RELEVANCE, VALUES, 0.5),
    "values scaled by p^-1/4": scaled(0.25, 0),
    "MCA axes": correspondence(1),
    "MCA axes above the noise": AXES,
    "MCA axes 0.3, relevance": side_by_side(RELEVANCE, AXES, 0.3),
    "factor coupling": factor_coupling(0.5),
    "relevance, leading axes": leading(RELEVANCE),
    "relevance x explained^1/4": explained(RELEVANCE, 0.25),
}
"""The first two are what the default chooses from. Copies share a vote, except in one-hot and
where there are axes. A number is a share of the energy; what is named last has the rest."""
