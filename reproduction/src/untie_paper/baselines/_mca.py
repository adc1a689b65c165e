"""MCA: multiple correspondence analysis, from counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from untie._count.counts import Counts
from untie._table import frames
from untie._util.checks import check_integer, check_one_of
from untie._util.types import FloatArray
from untie_paper.baselines._encoders import CountEncoder
from untie_paper.baselines._inertia import corrected, principal_axes


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
        table. A few axes are found faster than all.
    correction : {"benzecri", "greenacre"} or None, default=None
        How eigenvalues are corrected for what each column has in common with itself; it needs two
        columns. The coordinates stay as they are.
    categories, handle_unknown, min_frequency, max_categories
        As in `OneHot`; an ignored unknown value adds 0.

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        Inertia (variance) of each axis, corrected if asked.
    explained_inertia_ : array of shape (n_components,)
        Its share of the total.
    total_inertia_ : float
        What the shares are shares of: number of values / number of columns - 1 if nothing is
        corrected.

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

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        correction: str | None = None,
        categories: Any = "auto",
        handle_unknown: str = "ignore",
        min_frequency: float | None = None,
        max_categories: int | None = None,
    ) -> None:
        super().__init__(
            categories=categories,
            handle_unknown=handle_unknown,
            min_frequency=min_frequency,
            max_categories=max_categories,
        )
        self.n_components = n_components
        self.correction = correction

    def _value_vectors(self, counts: Counts) -> list[FloatArray]:
        if self.n_components is not None:
            check_integer("n_components", self.n_components, 1, "a positive integer or None")
        if self.correction is not None:
            check_one_of("correction", self.correction, ("benzecri", "greenacre"))
        axes = principal_axes(counts, self.n_components)
        values, total = corrected(axes, len(counts.sizes), self.correction)
        self._raw_eigenvalues = axes.eigenvalues
        self.eigenvalues_ = values
        self.total_inertia_ = total
        self.explained_inertia_ = values / total if total > 0 else np.zeros_like(values)
        return np.split(axes.contributions, counts.offsets[1:-1])

    def column_coordinates(self) -> Any:
        """Return the principal coordinates of the values.

        A value stands at the mean of the rows that have it, divided by the root of the axis'
        eigenvalue.

        Returns
        -------
        frame
            One row per value: column, value and one number per axis.
        """
        check_is_fitted(self)
        scale = len(self.vocabulary_.columns) * np.sqrt(self._raw_eigenvalues)
        names = self.get_feature_names_out().tolist()
        coordinates = self._lookup.value_rows() * scale
        return frames.value_vectors(self.library_, self.vocabulary_, coordinates, names)
