"""MCA: multiple correspondence analysis of a categorical table."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from untie._count.tally import CountOptions, tally_table
from untie._learn.linalg.eigen import eigenvalues
from untie._table import frames
from untie._util.checks import check_one_of
from untie._util.types import FloatArray
from untie.decomposition._axes import (
    adjusted,
    bytes_of_axes,
    known_shares,
    principal_axes,
    row_map,
    shares_of,
    value_gram,
)
from untie.decomposition._table_axes import (
    StandardRows,
    TableAxes,
    missing_is_value,
    own_table,
)

TINY = np.finfo(float).tiny
"""Stands for a frequency of 0, whose sums are 0, too."""

CORRECTIONS = ("benzecri", "greenacre")


class MCA(TableAxes):
    """Multiple correspondence analysis: the axes along which a categorical table varies most.

    Principal components of the one-hot table, every value divided by the root of its frequency,
    so that rare values count more. Rows with similar values are near each other, and so are values
    that the same rows have. Computed from the counts of pairs of values: once they are counted,
    the number of rows does not matter.

    Parameters
    ----------
    n_components : int or None, default=2
        Number of axes: 2 to draw them, about the number of clusters to find these; None takes all
        that vary. Axes beyond those are 0, so the width of the output does not depend on the table.
    missing : {"value", "neutral"}, default="value"
        What a missing cell is. "value": a value like others. "neutral": it is not counted, and puts
        the row at the mean of the column.
    categories : "auto" or list of lists, default="auto"
        The values of each column, if they are known beforehand.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="ignore"
        What `transform` does about a value not seen in `fit`; an ignored one is neutral.
    min_frequency : int or float, default=None
        Values with less weight (int, such as 5) or a lower share of it (float, such as 0.01) are
        merged into one per column. Rare values make axes; this prevents it.
    max_categories : int, default=None
        At most this many values per column, such as 100; the rarest are merged into one of them.

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        Inertia of each axis: the variance of the rows' coordinates.
    explained_inertia_ : array of shape (n_components,)
        Its share of the total. `eigenvalues_summary` has corrected ones.
    total_inertia_ : float
        Inertia of all axes: number of values / number of columns - 1 for complete rows.
    column_coordinates_ : array of shape (n_values, n_components)
        Principal coordinates of the values, in the order of `vocabulary_`: the mean of the rows
        that have the value, divided by the root of the eigenvalue. `summary()` has their names.
    column_contributions_ : array of shape (n_values, n_components)
        Each value's share of the inertia of each axis; those of an axis sum to 1.
    column_cos2_ : array of shape (n_values, n_components)
        How well each axis shows each value: the squared cosine of their angle.
    eta2_ : array of shape (n_columns, n_components)
        Share of the variance of each axis that each column explains; what is missing explains
        nothing.
    counts_ : Counts
        How often values occur, alone and in pairs.
    vocabulary_ : Vocabulary
        The values of each column.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Their names, if the table has names.

    See Also
    --------
    FAMD : The same for tables with numbers.
    untie.plot.biplot : Draws rows and values together.
    untie.TableEncoder : Learns how much columns matter.

    Notes
    -----
    A row of weight 3 counts as three equal rows. Of an axis, the sign is free; here the third
    moment of the values is positive, so it depends neither on the order of rows and columns nor on
    the processor.

    References
    ----------
    M. Greenacre and J. Blasius (editors), Multiple Correspondence Analysis and Related Methods,
    Chapman & Hall/CRC, 2006.

    Examples
    --------
    >>> from untie.decomposition import MCA
    >>> table = [["red", "dry"], ["red", "dry"], ["white", "dry"], ["white", "sweet"]]
    >>> mca = MCA().fit(table)
    >>> mca.transform(table).round(2)
    array([[-0.79,  0.21],
           [-0.79,  0.21],
           [ 0.21, -0.79],
           [ 1.37,  0.37]])
    >>> mca.explained_inertia_.round(2)
    array([0.79, 0.21])
    >>> mca.summary().iloc[:, :4].round(3)
      column  value   mca0  mca0_ctr
    0     x0    red -0.888     0.250
    1     x0  white  0.888     0.250
    2     x1    dry -0.513     0.125
    3     x1  sweet  1.538     0.375
    """

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        missing: str = "value",
        categories: Any = "auto",
        handle_unknown: str = "ignore",
        min_frequency: float | None = None,
        max_categories: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.missing = missing
        self.categories = categories
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the axes of a table.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, an array or a list of rows.
        y : ignored
        sample_weight : array of shape (n_rows,) or str, optional
            How often each row counts, or the column that says so.

        Returns
        -------
        self
        """
        self._check_parameters()
        table, sample_weight = own_table(X, sample_weight)
        options = CountOptions(
            sample_weight,
            self.categories,
            self.min_frequency,
            self.max_categories,
            bytes_of_learning=bytes_of_axes,
            missing_is_value=missing_is_value(self),
        )
        tally = tally_table(table, options)
        self._report(table, tally.grouping, tally.unknown)
        counts, shares = tally.counts, shares_of(tally.counts)
        n_columns = len(counts.sizes)
        gram = value_gram(counts) / n_columns
        axes = principal_axes(gram, shares, self.n_components)
        self._remember(table)
        self._grouping, self._axes = tally.grouping, axes
        self._map = row_map(axes, shares, counts.sizes, 1.0 / np.sqrt(n_columns))
        self.counts_, self.vocabulary_ = counts, tally.grouping.vocabulary
        self.eigenvalues_, self.total_inertia_ = axes.eigenvalues, float(np.trace(gram))
        own = np.square(axes.vectors)
        variances = np.diagonal(gram)[:, None]
        self.column_coordinates_ = self._means_of_rows() * self._supplementary_scale()
        self.column_contributions_ = own
        self.column_cos2_ = axes.eigenvalues * own / np.where(variances > 0, variances, 1.0)
        of_columns = np.add.reduceat(own, counts.offsets[:-1]) / known_shares(counts)[:, None]
        self.eta2_ = axes.eigenvalues * n_columns * of_columns
        return self

    def eigenvalues_summary(self, correction: str | None = None) -> Any:
        """Return the eigenvalues with their shares of the inertia, corrected if asked for.

        Shares of the total inertia are pessimistic, as most of it is that of each column with
        itself. Both corrections leave out the axes with an eigenvalue up to 1 / number of columns.

        Parameters
        ----------
        correction : {"benzecri", "greenacre"} or None, default=None
            "benzecri" divides by the sum of all corrected eigenvalues, which is optimistic;
            "greenacre" by the mean inertia of the tables of two columns. Both are for complete rows
            of two columns or more. For many values it takes the time of another fit.

        Returns
        -------
        frame
            One row per axis: its name, eigenvalue, explained inertia and the sum up to it.
        """
        check_is_fitted(self)
        values, total = self.eigenvalues_, self.total_inertia_
        if correction is not None:
            check_one_of("correction", correction, CORRECTIONS)
            values, total = self._corrected(correction)
        shares = values / (total or 1.0)
        columns = {
            "component": list(self.get_feature_names_out()),
            "eigenvalue": values,
            "explained_inertia": shares,
            "cumulative": np.cumsum(shares),
        }
        return frames.make_frame(self._library, columns)

    def _corrected(self, correction: str) -> tuple[FloatArray, float]:
        counts = self.counts_
        n_columns = len(counts.sizes)
        if n_columns < 2:
            raise ValueError(
                f"correction={correction!r} needs a table of two columns or more, but it has one; "
                "pass correction=None."
            )
        gram = value_gram(counts) / n_columns
        n_values = int(np.count_nonzero(counts.frequencies))
        found, total = adjusted(eigenvalues(gram, len(gram)), n_columns, n_values, correction)
        n_axes = len(self.eigenvalues_)
        return np.pad(found, (0, max(0, n_axes - len(found))))[:n_axes], total

    def _means_of_rows(self) -> FloatArray:
        """Return the mean of the rows that have each value; shape (n_values, n_axes)."""
        counts = self.counts_
        sums = counts.matrix @ self._map.lookup.value_rows()
        return np.asarray(sums / np.maximum(counts.frequencies, TINY)[:, None])

    def _rows(self, X: Any) -> StandardRows:
        codes = self._codes(X)
        return StandardRows(codes, np.empty((len(codes[0]), 0)))

    def _supplementary_scale(self) -> FloatArray:
        return np.sqrt(self._axes.per_variance)
