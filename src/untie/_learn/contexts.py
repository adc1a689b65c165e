"""Counts -> how alike two values of a column are, by what occurs beside them.

Two values of a column are alike if the same values of the other columns are more frequent, or
rarer, beside both of them than in the whole table. With p(b | a) the share of the value b of
another column in the rows with a, and p(b) its share in all rows, the value a is described by the
deviations (p(b | a) - p(b)) / sqrt(p(b)) over all b, as in correspondence analysis; two values are
as alike as the cosine of their deviations. Those of a rare value are mostly chance, which gives
them a squared length of (v - 1) (n - n_a) / (n_a (n - 1)) on average for another column of v
values, if a is in n_a of n rows. The cosine is lowered by the part of both that is chance, so that
values of which nothing is known are not alike.

How sure it is: the inner product of two deviations is a mean over the rows of either value, and its
standard error is that of a mean. The cells of a row may all say the same, so that the standard
deviations of the columns are added, not their squares: the most that they can be. A value in a
single row has no deviation of its own; each value is taken to have one more row, drawn from all.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from untie._count.counts import Counts
from untie._util.types import FloatArray, IntArray

SURE = 2.0
"""What is alike at least is this many standard errors less."""


@dataclass(frozen=True, eq=False)
class Contexts:
    """What occurs beside some values of an attribute.

    Parameters
    ----------
    shares : array of shape (n_chosen, n_contexts)
        Share of each value of the other attributes in the rows with each value.
    usual : array of shape (n_contexts,)
        Their shares in all rows.
    noise : array of shape (n_chosen,)
        Squared length of the deviations that chance gives on average.
    sizes : tuple of int
        Number of values of each of the other attributes.
    rows : array of shape (n_chosen,)
        Number of rows that have each value.
    """

    shares: FloatArray
    usual: FloatArray
    noise: FloatArray
    sizes: tuple[int, ...]
    rows: FloatArray

    @property
    def scaled(self) -> FloatArray:
        """Deviations whose inner products are the alikeness; shape (n_chosen, n_contexts)."""
        return self.deviations * self.factors[:, None]

    @property
    def deviations(self) -> FloatArray:
        """How the shares differ from the usual ones; shape (n_chosen, n_contexts)."""
        return (self.shares - self.usual) / self._roots

    @property
    def factors(self) -> FloatArray:
        """What makes the deviations those of a cosine that is lowered by chance."""
        squares = np.square(self.deviations).sum(axis=1)
        # sqrt(1 - noise / squares) of the unit vector is what is more than chance.
        known = np.sqrt(np.maximum(squares - self.noise, 0.0))
        return np.divide(known, squares, out=np.zeros_like(known), where=squares > 1e-15)

    @property
    def errors(self) -> FloatArray:
        """Standard errors of the alikeness, at most; shape (n_chosen, n_chosen)."""
        # A row of a that has b counts this in the inner product with another value's deviations.
        counted = self.deviations / self._roots
        n = self.rows[:, None] + 1.0
        shares = (self.shares * self.rows[:, None] + self.usual) / n
        spread = np.zeros((len(n), len(n)))
        ends = np.cumsum(self.sizes)
        for end, size in zip(ends, self.sizes, strict=True):
            share, part = shares[:, end - size : end], counted[:, end - size : end]
            squares = share @ np.square(part).T - np.square(share @ part.T)
            spread += np.sqrt(np.maximum(squares, 0.0))
        squares = np.square(spread) / n
        return np.asarray(np.sqrt(squares + squares.T) * np.outer(self.factors, self.factors))

    @property
    def _roots(self) -> FloatArray:
        return np.sqrt(np.where(self.usual > 0, self.usual, 1.0))


def contexts_of(counts: Counts, attribute: int, codes: IntArray) -> Contexts:
    """Return what occurs beside some values; pairs with unknown values are left out."""
    is_other = np.ones(counts.offsets[-1], dtype=bool)
    is_other[counts.span(attribute)] = False
    sizes = np.array(
        [size for other, size in enumerate(counts.sizes) if other != attribute and size]
    )
    if not len(sizes):
        raise ValueError("A context needs a second column; the encoder was fitted on one.")
    starts = np.cumsum(sizes) - sizes
    rows: Any = counts.matrix[counts.offsets[attribute] + codes]
    beside = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=float)[:, is_other]
    totals = np.add.reduceat(beside, starts, axis=1)
    all_rows = counts.frequencies[is_other]
    sums = np.add.reduceat(all_rows, starts)
    usual = all_rows / np.repeat(np.maximum(sums, np.finfo(float).tiny), sizes)
    spread = np.repeat(totals, sizes, axis=1)
    # Beside a value that meets only unknown ones, all is as usual.
    shares = np.divide(beside, spread, out=np.tile(usual, (len(codes), 1)), where=spread > 0)
    scale = counts.n_draws / counts.n
    n_values = np.add.reduceat((all_rows > 0).astype(int), starts)
    noise = _noise(n_values, totals * scale, sums * scale)
    # Along the first axis numpy adds one attribute after another, whatever their number.
    together = np.ascontiguousarray(noise.T).sum(axis=0)
    chosen = counts.frequencies[counts.span(attribute)][codes] * scale
    return Contexts(shares, usual, together, tuple(sizes.tolist()), chosen)


def alikeness_of(counts: Counts, attribute: int, codes: IntArray) -> FloatArray:
    """Return how alike some values of an attribute are; shape (n_chosen, n_chosen)."""
    scaled = contexts_of(counts, attribute, codes).scaled
    return np.asarray(scaled @ scaled.T, dtype=float)


def sure_alikeness(
    counts: Counts, attribute: int, codes: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return how alike some values are, and how alike at least: two standard errors less."""
    contexts = contexts_of(counts, attribute, codes)
    scaled = contexts.scaled
    alikeness = np.asarray(scaled @ scaled.T, dtype=float)
    return alikeness, alikeness - SURE * contexts.errors


def _noise(n_values: IntArray, n_beside: FloatArray, n: FloatArray) -> FloatArray:
    """Return the mean squared length of the deviations in rows drawn from all by chance.

    Parameters
    ----------
    n_values : integer array of shape (n_others,)
        Number of values of each other attribute.
    n_beside : array of shape (n_chosen, n_others)
        Number of rows with each value in which it is known.
    n : array of shape (n_others,)
        Number of all rows in which it is known.

    Returns
    -------
    array of shape (n_chosen, n_others)
    """
    above = np.maximum(n_values - 1, 0) * np.maximum(n - n_beside, 0.0)
    below = n_beside * np.maximum(n - 1.0, 1.0)
    return np.divide(above, below, out=np.zeros_like(n_beside), where=n_beside > 0)
