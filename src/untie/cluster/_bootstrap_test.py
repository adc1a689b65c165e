"""The bootstrap likelihood ratio test of the number of latent classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from untie._base import check_seen
from untie._count.counts import are_whole
from untie._count.tally import code_table
from untie._table.rows import split_weights
from untie._table.table import read_table
from untie._util.checks import check_integer, draws_of
from untie._util.types import Codes, FloatArray, IntArray, smallest_unsigned
from untie.cluster._class_model import (
    ClassModel,
    ClassSearch,
    Climb,
    WeightedRows,
    make_sample,
)
from untie.cluster._latent_classes import LatentClasses, count_options, search_of

ROUNDING = 1e-9
"""Statistics that differ by less than this share of the log-likelihood are equal."""

MOST_SIMULATED = 50_000_000
"""A table with more cells than this is not simulated; it would take gigabytes."""


@dataclass(frozen=True, eq=False)
class BootstrapTest:
    """The outcome of a test of K latent classes against K + 1.

    Parameters
    ----------
    n_classes : int
        K, the number of classes under the null hypothesis.
    statistic : float
        Likelihood ratio: twice by how much the log-likelihood of the table rises with K + 1.
    p_value : float
        The share of tables made by K classes, the table itself counted as one, whose statistic is
        at least as large. A small one, such as 0.01, says that K classes are too few.
    null_statistics : array of shape (n_boot,)
        The statistics of these tables.

    Examples
    --------
    >>> from untie.cluster import LatentClasses, bootstrap_test
    >>> table = [["a", "x", "p"], ["b", "y", "q"]] * 20 + [["c", "y", "q"]] * 10
    >>> test = bootstrap_test(LatentClasses(1).fit(table), table, n_boot=19)
    >>> bool(test.statistic > test.null_statistics.max())
    True
    """

    n_classes: int
    statistic: float
    p_value: float
    null_statistics: FloatArray


@dataclass(frozen=True, eq=False)
class Design:
    """What simulated rows share with those of a table: their missing cells and their weights.

    Rows are in an order that does not depend on that of the table.

    Parameters
    ----------
    known : boolean array of shape (n_rows, n_columns)
        Which cells have a value.
    weights : array of shape (n_rows,) or None
        Weights that are not numbers of rows.
    """

    known: NDArray[np.bool_]
    weights: FloatArray | None


def bootstrap_test(
    model: LatentClasses,
    X: Any,
    *,
    sample_weight: Any = None,
    n_boot: int = 99,
    random_state: Any = 0,
) -> BootstrapTest:
    """Test whether a table needs one latent class more than a model has.

    The likelihood ratio of K and K + 1 classes has no known distribution, so tables are drawn from
    the model with K classes, and both are fitted to each of them (McLachlan, 1987). It is known as
    the bootstrap likelihood ratio test, BLRT.

    Parameters
    ----------
    model : LatentClasses
        Fitted; its `n_classes_` is K, and its parameters are used in every fit.
    X : table of shape (n_rows, n_columns)
        The rows that it was fitted to.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so. If all are whole numbers, a row of
        weight 3 is three rows, and so are its simulated ones. Others stay with their rows, as
        survey weights do.
    n_boot : int, default=99
        Number of simulated tables, typically 99 to 499; the time grows with it, and the p-value
        is at least ``1 / (n_boot + 1)``.
    random_state : int, RandomState or None, default=0
        Seed of the starts and of the simulated tables; None is 0 as well.

    Returns
    -------
    BootstrapTest
        Its `p_value` is small if K classes are too few.

    Notes
    -----
    A simulated row has missing cells where a row of the table has them if the model was made with
    ``missing="neutral"``; otherwise missing is a value, and is drawn as others are. The model is
    fitted anew, so `n_init` should be large enough to find the best optimum.

    References
    ----------
    G. J. McLachlan, On bootstrapping the likelihood ratio test statistic for the number of
    components in a normal mixture, Applied Statistics 36, 318-324, 1987.

    Examples
    --------
    >>> from untie.cluster import LatentClasses, bootstrap_test
    >>> table = [["a", "x", "p"], ["b", "y", "q"]] * 20 + [["c", "y", "q"]] * 10
    >>> for k in (1, 2):
    ...     test = bootstrap_test(LatentClasses(k).fit(table), table, n_boot=19)
    ...     print(k, test.p_value)
    1 0.05
    2 0.6
    """
    check_is_fitted(model)
    n_boot = check_integer("n_boot", n_boot)
    X, sample_weight = split_weights(X, sample_weight)
    table = read_table(X)
    check_seen(model, table)
    grouping, rows, _ = code_table(table, count_options(model, sample_weight))
    sizes = grouping.vocabulary.sizes
    sample = make_sample(rows.codes, sizes, rows.weights)
    n_classes, n_distinct = model.n_classes_, len(sample.weights)
    if n_distinct <= n_classes:
        raise ValueError(
            f"The table has {n_distinct} distinct rows, which {n_classes} classes explain already; "
            "test a model with fewer classes."
        )
    design, rng = design_of(rows.codes, sizes, rows.weights), draws_of(random_state)
    search = search_of(model)
    null, observed = likelihood_ratio(sample, n_classes, search, rng)
    found = np.empty(n_boot)
    for number in range(n_boot):
        drawn = simulate(design, null.model, sample, rng)
        found[number] = likelihood_ratio(
            make_sample(drawn, sizes, design.weights), n_classes, search, rng
        )[1]
    tolerance = ROUNDING * abs(null.log_likelihood)
    n_as_large = int(np.count_nonzero(found >= observed - tolerance))
    return BootstrapTest(n_classes, observed, (n_as_large + 1) / (n_boot + 1), found)


def likelihood_ratio(
    sample: WeightedRows, n_classes: int, search: ClassSearch, rng: RandomState
) -> tuple[Climb, float]:
    """Return the fit with `n_classes`, and twice what one class more gains in log-likelihood."""
    null, larger = (search.best(sample, number, rng) for number in (n_classes, n_classes + 1))
    return null, 2.0 * (larger.log_likelihood - null.log_likelihood)


def design_of(codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None) -> Design:
    """Return what simulated tables share with coded rows."""
    known = np.stack([column < size for column, size in zip(codes, sizes, strict=True)], axis=1)
    if weights is not None and are_whole(weights):
        refuse_many(float(weights.sum()) * len(sizes))
        known, weights = np.repeat(known, weights.astype(np.intp), axis=0), None
    refuse_many(known.size)
    keys = [*known.T] if weights is None else [*known.T, weights]
    order = np.lexsort(keys)
    return Design(known[order], None if weights is None else weights[order])


def refuse_many(n_cells: float) -> None:
    """Refuse to simulate a table that is too large."""
    if n_cells > MOST_SIMULATED:
        raise ValueError(
            f"Each simulated table would have {n_cells:,.0f} cells (limit {MOST_SIMULATED:,}), as "
            "whole weights are numbers of rows. Divide survey weights by their mean, or test a "
            "sample of the rows."
        )


def simulate(design: Design, model: ClassModel, sample: WeightedRows, rng: RandomState) -> Codes:
    """Draw rows from a model of a sample: a class for each, then a value for each known cell."""
    n_rows, n_columns = len(design.known), len(sample.starts)
    occurs = sample.shares[:, None] > 0
    profiles = np.split(np.exp(model.log_profiles) * occurs, sample.starts[1:])
    classes = draw(np.exp(model.log_weights), rng.uniform(size=n_rows))
    members = [np.flatnonzero(classes == number) for number in range(len(model.log_weights))]
    result = []
    for column in range(n_columns):
        n_values, chances = len(profiles[column]), rng.uniform(size=n_rows)
        codes = np.full(n_rows, n_values, dtype=smallest_unsigned(n_values))
        for number, places in enumerate(members):
            known = places[design.known[places, column]]
            codes[known] = draw(profiles[column][:, number], chances[known])
        result.append(codes)
    return result


def draw(shares: FloatArray, chances: FloatArray) -> IntArray:
    """Return which of the shares each number from 0 to 1 falls into; never an empty one.

    Examples
    --------
    >>> draw(np.array([0.5, 0.0, 0.5, 0.0]), np.array([0.0, 0.49, 0.5, 1.0]))
    array([0, 0, 2, 2])
    """
    if not len(chances):
        return np.empty(0, dtype=np.intp)
    bounds = np.cumsum(shares)
    found = np.searchsorted(bounds, chances * bounds[-1], side="right")
    return np.minimum(found, np.flatnonzero(shares)[-1])
