"""Counts -> principal axes of multiple correspondence analysis.

Every column of the one-hot table is centred and divided by the root of its sum; the eigenvectors
of the squares' matrix, which the counts give, are the axes. A cell whose value is unknown stands
at its attribute's mean: the other values' shares instead of a 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from untie import Counts
from untie_paper.arrays import FloatArray
from untie_paper.baselines._signs import orient

VANISHING = 1e-12
"""Eigenvalues are at most 1; one this small is rounding noise."""


@dataclass(frozen=True, eq=False)
class Axes:
    """Principal axes.

    Parameters
    ----------
    eigenvalues : array of shape (n_axes,)
        Variance of the rows on each axis, largest first.
    contributions : array of shape (n_values, n_axes)
        What each value adds to the coordinates of a row that has it.
    residuals : array of shape (n_values, n_values)
        The matrix whose eigenvalues these are.
    """

    eigenvalues: FloatArray
    contributions: FloatArray
    residuals: FloatArray


def standardised_residuals(counts: Counts) -> FloatArray:
    """Return covariances of the one-hot columns over the roots of their means, divided by m.

    For values a and b of complete columns, ``(p_ab - p_a p_b) / (m sqrt(p_a p_b))``; the result
    has shape (n_values, n_values). Each attribute's rows are computed separately, which
    takes little more memory than the result.
    """
    starts, sizes = counts.offsets[:-1], np.array(counts.sizes)
    matrix = counts.dense()
    shares = _shares(counts)
    roots = np.sqrt(np.where(shares > 0, shares, 1.0))
    known = np.add.reduceat(matrix, starts, axis=0)  # attribute known, with each value
    both_known = np.add.reduceat(known, starts, axis=1)
    result = np.empty_like(matrix)
    for attribute in range(len(sizes)):
        span = counts.span(attribute)
        of_others = known[attribute] - shares * np.repeat(both_known[attribute], sizes)
        covariances = matrix[span] - shares * np.repeat(known[:, span].T, sizes, axis=1)
        covariances -= np.outer(shares[span], of_others)
        result[span] = covariances / (counts.n * len(sizes) * np.outer(roots[span], roots))
    return result


def principal_axes(counts: Counts, n_axes: int | None) -> Axes:
    """Return the leading axes; those beyond the rank are 0, and None stands for the rank.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    n_axes : int or None
        Number of axes.
    """
    residuals = standardised_residuals(counts)
    values, vectors = (found[..., ::-1] for found in eigh(residuals))
    n_found = int(np.count_nonzero(values > VANISHING))
    n_axes = max(1, n_found) if n_axes is None else n_axes
    n_found = min(n_found, n_axes)
    eigenvalues = np.zeros(n_axes)
    eigenvalues[:n_found] = values[:n_found]
    shares = _shares(counts)
    lengths = np.sqrt(len(counts.sizes) * np.where(shares > 0, shares, 1.0))
    contributions = np.zeros((len(residuals), n_axes))
    contributions[:, :n_found] = vectors[:, :n_found] / lengths[:, None]
    contributions *= orient(contributions, counts.frequencies)
    return Axes(eigenvalues, contributions, residuals)


def _shares(counts: Counts) -> FloatArray:
    """Return each value's share among the known cells of its attribute."""
    totals = np.add.reduceat(counts.frequencies, counts.offsets[:-1])
    return counts.frequencies / np.repeat(np.where(totals > 0, totals, 1.0), counts.sizes)
