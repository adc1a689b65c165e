"""MCA: multiple correspondence analysis, from counts."""

from __future__ import annotations

import numpy as np

from untie import Counts
from untie_paper.arrays import FloatArray
from untie_paper.baselines._encoders import CountEncoder
from untie_paper.baselines._inertia import principal_axes
from untie_paper.checks import check_integer


class MCA(CountEncoder):
    """Place rows on the axes along which the table varies most, rare values counting more.

    Multiple correspondence analysis: principal components of the one-hot table with every
    value divided by the root of its frequency. `transform` gives the rows' principal
    coordinates; their variance on an axis is its eigenvalue. Computed from the counts of pairs
    of values (the Burt matrix): once they are counted, the number of rows does not matter.

    Parameters
    ----------
    n_components : int or None, default=2
        Number of axes: 2 to draw rows, about the number of clusters to find them; None takes all
        that vary. Axes beyond those are 0, so that the width of the output does not depend on the
        table.

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        Inertia (variance) of each axis.
    explained_inertia_ : array of shape (n_components,)
        Its share of the total.
    total_inertia_ : float
        What the shares are shares of: number of values / number of columns - 1.

    References
    ----------
    M. Greenacre and J. Blasius (editors), Multiple Correspondence Analysis and Related Methods,
    Chapman & Hall/CRC, 2006.

    Examples
    --------
    >>> from untie_paper.baselines import MCA
    >>> encoder = MCA(n_components=1)
    >>> encoder.fit_transform([["a", "x"], ["a", "x"], ["b", "y"]]).round(3)
    array([[-0.707],
           [-0.707],
           [ 1.414]])
    >>> encoder.explained_inertia_.round(3)
    array([1.])
    """

    _summed = True

    def __init__(self, n_components: int | None = 2) -> None:
        self.n_components = n_components

    def _value_vectors(self, counts: Counts) -> list[FloatArray]:
        if self.n_components is not None:
            check_integer("n_components", self.n_components, 1, "a positive integer or None")
        axes = principal_axes(counts, self.n_components)
        total = float(np.trace(axes.residuals))
        self.eigenvalues_, self.total_inertia_ = axes.eigenvalues, total
        self.explained_inertia_ = axes.eigenvalues / (total or 1.0)
        return np.split(axes.contributions, counts.offsets[1:-1])
