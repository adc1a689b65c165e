"""FAMD: factor analysis of mixed data, of categories and numbers."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from untie._base import check_seen
from untie._count.counts import Counts
from untie._count.grouping import Grouping
from untie._count.tally import CountOptions, tally_table
from untie._table.numeric import (
    asked_numbers,
    numeric_columns,
    side_by_side,
    standardization,
    without,
)
from untie._table.rows import check_weights
from untie._table.table import Table, read_table
from untie._table.vocabulary import Vocabulary
from untie._util.types import Codes, FloatArray
from untie.decomposition._axes import (
    bytes_of_axes,
    known_shares,
    mixed_gram,
    principal_axes,
    row_map,
    shares_of,
)
from untie.decomposition._table_axes import (
    StandardRows,
    TableAxes,
    means_of,
    missing_is_value,
    own_table,
)


class FAMD(TableAxes):
    """Factor analysis of mixed data: the axes along which a table of categories and numbers varies.

    Principal components of the standardized numbers and of the one-hot values, each divided by the
    root of its share: it is principal component analysis where all columns are numbers, and
    multiple correspondence analysis where none is. A number and a column of two values count
    the same.

    Parameters
    ----------
    n_components : int or None, default=2
        Number of axes; None takes all that vary. Axes beyond those are 0, so the width of the
        output does not depend on the table.
    numeric : sequence of str or int, default=()
        Columns that must hold numbers, by name or position.
    categorical : sequence of str or int, default=()
        Columns whose numbers are names, such as codes. All other columns are numeric if
        their type is (integers, floats, decimals), else categorical.
    missing : {"value", "neutral"}, default="value"
        What a missing category is. "value": a value like others. "neutral": it is not counted, and
        puts the row at the mean of the column, as a missing number does.
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
        Its share of the total.
    total_inertia_ : float
        Inertia of all axes: for complete rows, the number of numeric columns that vary, and of
        every other column the number of its values - 1.
    column_coordinates_ : array of shape (n_numeric + n_values, n_components)
        For each numeric column its correlation with the axis; then for each value the mean
        of the rows that have it. `summary()` has their names.
    column_contributions_ : array of shape (n_numeric + n_values, n_components)
        Share of each numeric column and value of the inertia of each axis; those of an axis sum
        to 1.
    column_cos2_ : array of shape (n_numeric + n_values, n_components)
        How well each axis shows each of them: the squared cosine of their angle.
    eta2_ : array of shape (n_columns, n_components)
        Share of the variance of each axis that each column explains, in the order of the table:
        squared correlations of numeric columns, correlation ratios of the others.
    numeric_, categorical_ : tuple of str
        The names of the columns of each kind.
    means_, scales_ : arrays of shape (n_numeric,)
        What is subtracted from numbers, and what they are then divided by: the mean and the
        standard deviation of each numeric column. The scale of a constant column is 1.
    counts_ : Counts
        How often values occur, alone and in pairs.
    vocabulary_ : Vocabulary
        The values of each categorical column.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Their names, if the table has names.

    See Also
    --------
    MCA : The same for tables without numbers.
    untie.plot.biplot : Draws rows, values and numbers together.
    untie.TableEncoder : Learns how much columns matter.

    Notes
    -----
    A missing number is put at the mean of its column, which is that of the known ones. A row of
    weight 3 counts as three equal rows. Signs of axes are fixed as in `MCA`.

    References
    ----------
    J. Pages, Analyse factorielle de donnees mixtes, Revue de statistique appliquee 52(4), 93-111,
    2004.

    Examples
    --------
    >>> from untie.decomposition import FAMD
    >>> wines = [["red", 13.5], ["red", 14.0], ["white", 11.0], ["white", None], ["red", 14.5]]
    >>> famd = FAMD().fit(wines)
    >>> famd.transform(wines).round(2)
    array([[ 0.74, -0.39],
           [ 0.98, -0.11],
           [-2.02, -0.46],
           [-0.93,  0.8 ],
           [ 1.22,  0.17]])
    >>> famd.summary().iloc[:, :5].round(2)
      column  value  famd0  famd0_ctr  famd0_cos2
    0     x1    NaN   0.92       0.43        0.85
    1     x0    red   0.98       0.23        0.99
    2     x0  white  -1.47       0.34        0.99
    """

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        numeric: Sequence[str | int] = (),
        categorical: Sequence[str | int] = (),
        missing: str = "value",
        handle_unknown: str = "ignore",
        min_frequency: float | None = None,
        max_categories: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.numeric = numeric
        self.categorical = categorical
        self.missing = missing
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
        weights, keep = check_weights(sample_weight, table.n_rows)
        found = numeric_columns(table, self.numeric, self.categorical)
        part = without(table, found)
        numbers = side_by_side(list(found.values()), table.n_rows)
        numbers = numbers if keep is None else numbers[keep]
        counted = np.ones(len(numbers)) if weights is None else weights
        grouping, counts, codes = self._categories(part, sample_weight, counted)
        means, scales = standardization(numbers, counted)
        standard = np.nan_to_num((numbers - means) / scales)
        gram = mixed_gram(standard, codes, counted, counts)
        shares = shares_of(counts)
        axes = principal_axes(gram, np.append(np.ones(len(found)), shares), self.n_components)
        self._remember(table)
        self._grouping, self._axes, self._positions = grouping, axes, tuple(found)
        self._map = row_map(axes, shares, counts.sizes)
        self.counts_, self.vocabulary_ = counts, grouping.vocabulary
        self.numeric_ = tuple(table.names[place] for place in found)
        self.categorical_ = part.names
        self.means_, self.scales_ = means, scales
        self.eigenvalues_, self.total_inertia_ = axes.eigenvalues, float(np.trace(gram))
        points = self._map.coordinates(codes, standard)
        self._describe(gram, points, codes, counted)
        return self

    def _categories(
        self, part: Table, sample_weight: Any, weights: FloatArray
    ) -> tuple[Grouping, Counts, Codes]:
        """Count the columns that are not numeric, if there are some, and code their rows."""
        if not part.names:
            nothing = Counts((), np.zeros((0, 0)), float(weights.sum()), len(weights))
            return Grouping(Vocabulary((), ()), ()), nothing, []
        options = CountOptions(
            sample_weight,
            min_frequency=self.min_frequency,
            max_categories=self.max_categories,
            bytes_of_learning=bytes_of_axes,
            missing_is_value=missing_is_value(self),
        )
        tally = tally_table(part, options)
        self._report(part, tally.grouping, tally.unknown)
        assert tally.rows is not None  # they were read just now
        return tally.grouping, tally.counts, tally.rows.codes

    def _describe(
        self, gram: FloatArray, points: FloatArray, codes: Codes, weights: FloatArray
    ) -> None:
        """Place numeric columns and values on the axes."""
        n_numeric, sizes = len(self.numeric_), self.counts_.sizes
        values, own = self._axes.eigenvalues, np.square(self._axes.vectors)
        deviations = np.sqrt(np.diagonal(gram)[:n_numeric, None])
        loadings = np.sqrt(values) * self._axes.vectors[:n_numeric]
        correlated = loadings / np.where(deviations > 0, deviations, 1.0)
        placed = [
            means_of(column, size, points, weights)
            for column, size in zip(codes, sizes, strict=True)
        ]
        self.column_coordinates_ = np.vstack([correlated, *placed])
        self.column_contributions_ = own
        far = np.square(gram[n_numeric:]).sum(axis=1)[:, None]
        of_values = values**2 * own[n_numeric:] / np.where(far > 0, far, 1.0)
        self.column_cos2_ = np.vstack([np.square(correlated), of_values])
        starts = np.append(np.arange(n_numeric), n_numeric + self.counts_.offsets[:-1])
        is_numeric = np.zeros(self.n_features_in_, dtype=bool)
        is_numeric[list(self._positions)] = True
        order = np.argsort(np.argsort(~is_numeric, kind="stable"))
        explained = values * np.add.reduceat(own, starts)
        explained[:n_numeric] = np.square(correlated)
        explained[n_numeric:] /= known_shares(self.counts_)[:, None]
        self.eta2_ = explained[order]

    def _named_columns(self) -> list[tuple[str, Any]]:
        return [(name, None) for name in self.numeric_] + super()._named_columns()

    def _rows(self, X: Any) -> StandardRows:
        table = read_table(X, min_rows=0)
        check_seen(self, table)
        names = table.names
        found = [asked_numbers(table.columns[place], names[place]) for place in self._positions]
        numbers = (side_by_side(found, table.n_rows) - self.means_) / self.scales_
        codes = self._code(without(table, self._positions), None)
        return StandardRows(codes, np.nan_to_num(numbers))
