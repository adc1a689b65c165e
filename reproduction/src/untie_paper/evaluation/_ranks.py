"""Comparison of many methods on many data sets: ranks, Friedman's test, who differs from whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import stats

from untie_paper.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class FriedmanTest:
    """What Friedman's test says about the hypothesis that all methods are equally good.

    Parameters
    ----------
    average_ranks : array of shape (n_methods,)
        Mean rank of each method; 1 is best.
    n_sets, n_methods : int
        Size of the comparison.
    chi2, p_value : float
        Friedman's statistic, and how likely one as large is if all methods are equal.
    f, f_p_value : float
        Iman and Davenport's statistic, made from `chi2`; it is less conservative. Infinite if
        all data sets rank the methods alike.

    Examples
    --------
    >>> test = friedman([[0.9, 0.8], [0.8, 0.7], [0.9, 0.6]])
    >>> test.average_ranks, test.n_sets, test.f
    (array([1., 2.]), 3, inf)
    """

    average_ranks: FloatArray
    n_sets: int
    n_methods: int
    chi2: float
    p_value: float
    f: float
    f_p_value: float


def average_ranks(scores: Any, higher_is_better: bool = True) -> FloatArray:
    """Return the mean rank of each method; 1 is best, ties share the mean of their ranks.

    Parameters
    ----------
    scores : array or frame of shape (n_sets, n_methods)
        One row per data set, one column per method.
    higher_is_better : bool, default=True
        False for errors and costs.

    Returns
    -------
    array of shape (n_methods,)

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.8], [0.7, 0.9, 0.5]])
    array([1.5 , 1.75, 2.75])
    """
    return _rank_rows(_read_scores(scores), higher_is_better).mean(axis=0)


def friedman(
    scores: Any, higher_is_better: bool = True, tie_correction: bool = True
) -> FriedmanTest:
    """Test whether some methods are better than others over several data sets.

    Parameters
    ----------
    scores : array or frame of shape (n_sets, n_methods)
        One row per data set, one column per method; at least two of each. The p-value
        is an approximation, good for more than ten data sets and five methods.
    higher_is_better : bool, default=True
        False for errors and costs.
    tie_correction : bool, default=True
        Whether to make up for ties, which make the ranks vary less.

    Returns
    -------
    FriedmanTest

    See Also
    --------
    bonferroni_dunn : Which methods differ from a control.
    nemenyi : Which methods differ from each other.

    References
    ----------
    J. Demsar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
    Learning Research 7, 1-30, 2006.

    Examples
    --------
    >>> test = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.8]])
    >>> round(test.chi2, 4), round(test.p_value, 4), round(test.f, 4)
    (4.6667, 0.097, 7.0)
    """
    values = _read_scores(scores)
    n_sets, n_methods = values.shape
    if n_sets < 2 or n_methods < 2:
        raise ValueError(
            f"scores has {n_sets} rows (data sets) and {n_methods} columns (methods); the test "
            "needs at least two of each."
        )
    ranks = _rank_rows(values, higher_is_better)
    mean_ranks = ranks.mean(axis=0)
    expected = (n_methods + 1) / 2
    chi2 = 12 * n_sets / (n_methods * (n_methods + 1)) * float(((mean_ranks - expected) ** 2).sum())
    if tie_correction:
        untied = _share_untied(ranks)
        chi2 = chi2 / untied if untied > 0 else 0.0
    p_value = float(stats.chi2.sf(chi2, n_methods - 1))
    f, f_p_value = _iman_davenport(chi2, n_sets, n_methods)
    return FriedmanTest(mean_ranks, n_sets, n_methods, chi2, p_value, f, f_p_value)


def bonferroni_dunn(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """Return the critical difference of mean ranks between a control and the other methods.

    A method whose mean rank differs by more from the control's is different at level `alpha`,
    two-sided, with Bonferroni's correction for the n_methods - 1 comparisons.

    Parameters
    ----------
    n_methods, n_sets : int
        Size of the comparison; the control is one of the methods.
    alpha : float, default=0.05
        Probability of any false alarm; 0.05 or 0.1 are usual. A smaller one gives a larger
        difference.

    Returns
    -------
    float

    See Also
    --------
    critical_difference_diagram : Draws it.
    nemenyi : All methods with each other.

    References
    ----------
    O. J. Dunn, Multiple comparisons among means, Journal of the American Statistical Association
    56, 52-64, 1961.

    Examples
    --------
    >>> round(bonferroni_dunn(10, 25, alpha=0.1), 4)
    2.1744
    """
    _check_sizes(n_methods, n_sets, alpha)
    quantile = float(stats.norm.isf(alpha / (2 * (n_methods - 1))))
    return quantile * _rank_error(n_methods, n_sets)


def nemenyi(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """Return the critical difference of mean ranks between any two methods.

    Two methods whose mean ranks differ by more are different at level `alpha`, whichever pair of
    them is looked at. With a control that was named beforehand, the Bonferroni-Dunn difference is
    smaller.

    Parameters
    ----------
    n_methods, n_sets : int
        Size of the comparison.
    alpha : float, default=0.05
        Probability of any false alarm among all pairs; 0.05 or 0.1 are usual. A smaller one gives
        a larger difference.

    Returns
    -------
    float

    See Also
    --------
    bonferroni_dunn : A control with each other method.

    References
    ----------
    P. B. Nemenyi, Distribution-free multiple comparisons, PhD thesis, Princeton University, 1963.

    Examples
    --------
    >>> round(nemenyi(10, 25), 4)
    2.7092
    """
    _check_sizes(n_methods, n_sets, alpha)
    quantile = float(stats.studentized_range.isf(alpha, n_methods, np.inf)) / np.sqrt(2)
    return float(quantile * _rank_error(n_methods, n_sets))


def _rank_error(n_methods: int, n_sets: int) -> float:
    """Return the standard error of a difference of two mean ranks, if all methods are equal."""
    return float(np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def _check_sizes(n_methods: int, n_sets: int, alpha: float) -> None:
    if n_methods < 2 or n_sets < 1:
        raise ValueError(
            f"The test needs two methods and a data set at least, got {n_methods} and {n_sets}."
        )
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}.")


def _iman_davenport(chi2: float, n_sets: int, n_methods: int) -> tuple[float, float]:
    largest = n_sets * (n_methods - 1)
    # Complete agreement of all data sets gives infinity, though rounding may miss it.
    if chi2 >= largest * (1 - 1e-12):
        return float("inf"), 0.0
    f = (n_sets - 1) * chi2 / (largest - chi2)
    return f, float(stats.f.sf(f, n_methods - 1, (n_methods - 1) * (n_sets - 1)))


def _share_untied(ranks: FloatArray) -> float:
    """Return 1 less the share of the ranks' variation that ties take away."""
    n_sets, n_methods = ranks.shape
    tied = 0
    for row in ranks:
        sizes = np.unique(row, return_counts=True)[1]
        tied += int((sizes**3 - sizes).sum())
    return 1.0 - tied / (n_sets * n_methods * (n_methods**2 - 1))


def _rank_rows(scores: FloatArray, higher_is_better: bool) -> FloatArray:
    return np.asarray(stats.rankdata(-scores if higher_is_better else scores, axis=1))


def _read_scores(scores: Any) -> FloatArray:
    frame = nw.from_native(scores, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        text = [column.name for column in frame.iter_columns() if not column.dtype.is_numeric()]
        if text:
            raise ValueError(
                f"The columns {text} of scores are not numbers; drop them, so that each column "
                "is a method."
            )
        scores = frame.to_numpy()
    try:
        values = np.asarray(scores, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"scores must be numbers, a row per data set and a column per method: {error}"
        ) from error
    if values.ndim != 2 or not values.size:
        raise ValueError(
            f"scores has shape {values.shape}; it must have a row per data set and a column per "
            "method."
        )
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        raise ValueError(
            f"scores has no number in row {row}, column {column}; drop that data set or method."
        )
    return values
