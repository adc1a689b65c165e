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
from untie._learn.attributes import NO_RELEVANCE, Attributes
from untie._learn.couplings import inter, intra
from untie._learn.dependence import symmetric_uncertainty
from untie._learn.kernels import KERNEL_SETS, Gaussian, Polynomial, resolve_normalization
from untie._learn.spaces import build_spaces
from untie._learn.spectrum import roots
from untie._util.types import FloatArray


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
    def smooth(self) -> FloatArray:
        """A discount for copies without a threshold: 1 / sum of u^4."""
        uncertainty = symmetric_uncertainty(self.counts, less_chance=True)
        np.fill_diagonal(uncertainty, 1.0)
        return 1.0 / (uncertainty**4).sum(axis=1)

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

    def spread(self, of_attributes: FloatArray) -> FloatArray:
        return of_attributes[self.attribute]

    def blocks(self, matrix: FloatArray) -> list[FloatArray]:
        return [matrix[self.counts.span(a)] for a in range(len(self.counts.sizes))]


Idea = Callable[[View], FloatArray]


def scaled(power: float, of_relevance: float, copies: str = "votes") -> Idea:
    """One-hot times p^-power and the root of an attribute weight."""

    def idea(view: View) -> FloatArray:
        discounts = {"votes": view.votes, "smooth": view.smooth, "": np.ones_like(view.votes)}
        weights = discounts[copies] * view.relevance**of_relevance
        return np.diag(view.shares**-power * np.sqrt(view.spread(weights)))

    return idea


def kernels(names: str) -> Idea:
    """Take the paper's spaces with equal weights, for a set of kernels."""

    def idea(view: View) -> FloatArray:
        chosen = KERNEL_SETS["paper"]
        kinds = {"gaussian": Gaussian, "polynomial": Polynomial, "both": (Gaussian, Polynomial)}
        used = {str(kernel): kernel for kernel in chosen if isinstance(kernel, kinds[names])}
        couplings = {"inter": inter} if names == "polynomial" else {"intra": intra, "inter": inter}
        spaces = build_spaces(view.counts, couplings, used, resolve_normalization("diagonal"))
        return block_diag(
            *(root.toarray() for root in roots(spaces, np.ones(spaces.n_coordinates)))
        )

    return idea


def reweighted(idea: Idea, like: Idea) -> Idea:
    """Give every attribute the energy that it has in another representation."""

    def energy(view: View, matrix: FloatArray) -> FloatArray:
        of_values = np.einsum(
            "ij,jk,ik->i", view.covariance, matrix @ matrix.T, np.eye(len(matrix))
        )
        return np.maximum(np.bincount(view.attribute, of_values), 0.0)

    def result(view: View) -> FloatArray:
        matrix = idea(view)
        own, wanted = energy(view, matrix), energy(view, like(view))
        factor = np.sqrt(np.where(own > 1e-12, wanted / np.maximum(own, 1e-12), 0.0))
        return matrix * view.spread(factor)[:, None]

    return result


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


def sharpened(idea: Idea, power: float) -> Idea:
    """Stretch the principal axes in proportion to a power of their variance."""

    def result(view: View) -> FloatArray:
        matrix = idea(view)
        values, vectors = _principal(view, matrix)
        return matrix @ vectors * (np.maximum(values, 0) / values[0]) ** (power / 2)

    return result


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


RELEVANCE = scaled(0.25, 0.5)
VALUES = scaled(0, 0)
KERNELS = kernels("both")
VOTING_KERNELS = with_votes(KERNELS)

IDEAS: dict[str, Idea] = {
    "one-hot": scaled(0, 0, ""),
    "relevance": side_by_side(RELEVANCE, VOTING_KERNELS, 0.01),
    "values": side_by_side(VALUES, VOTING_KERNELS, 0.1),
    "kernels": VOTING_KERNELS,
    "relevance, no kernels": RELEVANCE,
    "relevance, kernels 0.03": side_by_side(RELEVANCE, VOTING_KERNELS, 0.03),
    "relevance, kernels 0.1": side_by_side(RELEVANCE, VOTING_KERNELS, 0.1),
    "relevance, kernels 0.3": side_by_side(RELEVANCE, VOTING_KERNELS, 0.3),
    "values, no kernels": VALUES,
    "values, kernels 0.03": side_by_side(VALUES, VOTING_KERNELS, 0.03),
    "values, kernels 0.3": side_by_side(VALUES, VOTING_KERNELS, 0.3),
    "values, kernels 0.5": side_by_side(VALUES, VOTING_KERNELS, 0.5),
    "kernels, copies in full": KERNELS,
    "relevance, smooth discount": scaled(0.25, 0.5, "smooth"),
    "values, smooth discount": scaled(0, 0, "smooth"),
    "Gaussian kernels": kernels("gaussian"),
    "polynomial kernels, inter": kernels("polynomial"),
    "relevance, values not scaled": scaled(0, 0.5),
    "relevance, values scaled by p^-1/2": scaled(0.5, 0.5),
    "values scaled by p^-1/4": scaled(0.25, 0),
    "kernels, energies of relevance": reweighted(KERNELS, RELEVANCE),
    "MCA axes": correspondence(1),
    "MCA axes, standardised": correspondence(0),
    "MCA axes above the noise": correspondence(1, only_signal=True),
    "factor coupling": factor_coupling(0.5),
    "relevance, leading axes": leading(RELEVANCE),
    "relevance, sharpened": sharpened(RELEVANCE, 0.5),
    "relevance x explained^1/4": explained(RELEVANCE, 0.25),
    "p^-1/4 x explained^1/2": explained(scaled(0.25, 0), 0.5),
    "relevance and MCA axes, 0.7 : 0.3": side_by_side(
        RELEVANCE, correspondence(1, only_signal=True), 0.3
    ),
}
