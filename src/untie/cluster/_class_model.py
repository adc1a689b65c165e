"""The latent class model: a mixture of classes within which the columns are independent.

A row's probability within a class is the product of its values'. Both steps of EM are products of
the sparse one-hot matrix of the distinct rows. All probabilities are logarithms.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.random import RandomState
from scipy import sparse

from untie._count.counting import sparse_one_hot
from untie._count.packed_rows import distinct_rows
from untie._util.types import Codes, FloatArray, IntArray

TINY = np.finfo(float).tiny
"""Stands for probability 0, so that logarithms stay finite."""

SHORT_CLIMB = 20
"""Steps after which the worse starts are given up."""

FINALISTS = 3
"""At most this many starts are followed to the end."""


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Distinct rows and how often they count.

    Parameters
    ----------
    one_hot : sparse array of shape (n_distinct, n_values)
        The rows; an unknown cell has no entry.
    weights : array of shape (n_distinct,)
        Weight of the rows that are equal to each.
    starts : integer array of shape (n_attributes,)
        Position of each attribute's first value.
    """

    one_hot: sparse.csr_array
    weights: FloatArray
    starts: IntArray

    @cached_property
    def transposed(self) -> sparse.csr_array:
        """The rows as columns; shape (n_values, n_distinct)."""
        return self.one_hot.T.tocsr()

    @cached_property
    def shares(self) -> FloatArray:
        """Each value's share among the known cells of its attribute; shape (n_values,)."""
        return self.normalize((self.transposed @ self.weights)[:, None])[:, 0]

    @property
    def n(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())

    def normalize(self, weights: FloatArray) -> FloatArray:
        """Divide weights of values, shape (n_values, any), by their sum over the attribute."""
        totals = np.add.reduceat(weights, self.starts, axis=0)
        sizes = np.diff(np.append(self.starts, len(weights)))
        return weights / np.repeat(np.where(totals > 0, totals, 1.0), sizes, axis=0)


@dataclass(frozen=True, eq=False)
class ClassModel:
    """Parameters of the latent class model.

    Parameters
    ----------
    log_weights : array of shape (n_classes,)
        Logarithm of each class's share of the rows.
    log_profiles : array of shape (n_values, n_classes)
        Logarithm of each value's probability within each class; 0 for a value that never
        occurred, which says as little as one that is unknown.
    """

    log_weights: FloatArray
    log_profiles: FloatArray


@dataclass(frozen=True, eq=False)
class Climb:
    """Where a climb of EM ended.

    Parameters
    ----------
    model : ClassModel
        The parameters.
    log_likelihood : float
        Of all rows under this model, weighted.
    curve : list of float
        The objective per row after each step: log-likelihood and log-prior.
    converged : bool
        Whether the last step gained less than the tolerance.
    """

    model: ClassModel
    log_likelihood: float
    curve: list[float]
    converged: bool


def make_sample(codes: Codes, sizes: Sequence[int], weights: FloatArray | None) -> WeightedRows:
    """Merge equal rows, in the order of their codes: that of the rows is forgotten."""
    kinds = distinct_rows(codes, [size + 1 for size in sizes], weights)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
    return WeightedRows(sparse_one_hot(kinds.codes, sizes), kinds.weights, starts)


def draw_start(
    sample: WeightedRows, n_classes: int, smoothing: float, random_state: RandomState
) -> ClassModel:
    """Start from random class probabilities of the distinct rows."""
    probabilities = random_state.dirichlet(np.ones(n_classes), len(sample.weights))
    return maximize(sample, probabilities, smoothing)


def log_joint(sample: WeightedRows, model: ClassModel) -> FloatArray:
    """Return log p(row, class); shape (n_distinct, n_classes)."""
    return sample.one_hot @ model.log_profiles + model.log_weights


def posterior(joint: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return p(class | row) and log p(row), from log p(row, class).

    Examples
    --------
    >>> import numpy as np
    >>> probabilities, logs = posterior(np.log([[0.1, 0.3]]))
    >>> probabilities, np.exp(logs).round(6)
    (array([[0.25, 0.75]]), array([0.4]))
    """
    top = joint.max(axis=1, keepdims=True)
    probabilities = np.exp(joint - top)
    totals = probabilities.sum(axis=1, keepdims=True)
    probabilities /= totals
    return probabilities, (top + np.log(totals))[:, 0]


def maximize(sample: WeightedRows, probabilities: FloatArray, smoothing: float) -> ClassModel:
    """Return the best parameters for given class probabilities of the rows.

    Every class has ``smoothing / n_classes`` further rows, spread over the values as the
    table is.
    """
    extra = smoothing / probabilities.shape[1]
    weighted = probabilities * sample.weights[:, None]
    profiles = sample.transposed @ weighted + extra * sample.shares[:, None]
    log_profiles = np.log(np.maximum(sample.normalize(profiles), TINY))
    log_profiles[sample.shares == 0] = 0.0
    of_classes = weighted.sum(axis=0) + extra
    return ClassModel(np.log(np.maximum(of_classes / of_classes.sum(), TINY)), log_profiles)


def climb(
    sample: WeightedRows, start: ClassModel, smoothing: float, max_iter: int, tol: float
) -> Climb:
    """Alternate the two steps until one gains less than `tol` per row; never descends."""
    model = start
    probabilities, logs = posterior(log_joint(sample, model))
    curve = [_objective(sample, model, logs, smoothing)]
    for _ in range(max_iter):
        model = maximize(sample, probabilities, smoothing)
        probabilities, logs = posterior(log_joint(sample, model))
        curve.append(_objective(sample, model, logs, smoothing))
        if curve[-1] - curve[-2] < tol:
            return Climb(model, float(sample.weights @ logs), curve[1:], True)
    return Climb(model, float(sample.weights @ logs), curve[1:], False)


def _objective(
    sample: WeightedRows, model: ClassModel, logs: FloatArray, smoothing: float
) -> float:
    """Return the log-likelihood and the logarithm of the prior, up to a constant, per row."""
    extra = smoothing / len(model.log_weights)
    of_profiles = float((sample.shares @ model.log_profiles).sum())
    prior = extra * (float(model.log_weights.sum()) + of_profiles)
    return (float(sample.weights @ logs) + prior) / sample.n


def n_parameters(sample: WeightedRows, n_classes: int) -> int:
    """Return the number of free probabilities; a value that never occurs has none."""
    occurs: FloatArray = (sample.shares > 0).astype(float)
    n_free = np.maximum(np.add.reduceat(occurs, sample.starts) - 1, 0).sum()
    return n_classes - 1 + n_classes * int(n_free)


def criterion(log_likelihood: float, n_free: int, price: float) -> float:
    """Return twice the negative log-likelihood and a price for every parameter."""
    return price * n_free - 2.0 * log_likelihood


def bic(sample: WeightedRows, found: Climb) -> float:
    """Return the Bayesian information criterion of a climb."""
    n_free = n_parameters(sample, len(found.model.log_weights))
    return criterion(found.log_likelihood, n_free, float(np.log(sample.n)))


@dataclass(frozen=True)
class ClassSearch:
    """How the best parameters for a number of classes are searched.

    Parameters
    ----------
    n_init : int
        Number of random starts.
    max_iter : int
        At most this many steps from a start.
    tol : float
        A climb ends when a step gains less than this per row.
    smoothing : float
        Number of imaginary rows.
    """

    n_init: int
    max_iter: int
    tol: float
    smoothing: float

    def best(self, sample: WeightedRows, n_classes: int, rng: RandomState) -> Climb:
        """Follow many starts for a few steps, then the best of them to the end."""
        n_starts = self.n_init if n_classes > 1 else 1  # one class has one answer
        short = min(SHORT_CLIMB, self.max_iter)
        climbs = []
        for _ in range(n_starts):
            start = draw_start(sample, n_classes, self.smoothing, rng)
            climbs.append(climb(sample, start, self.smoothing, short, self.tol))
        climbs.sort(key=lambda one: -one.curve[-1])
        ended = (self._finish(sample, one) for one in climbs[:FINALISTS])
        return max(ended, key=lambda one: one.curve[-1])

    def _finish(self, sample: WeightedRows, begun: Climb) -> Climb:
        left = self.max_iter - len(begun.curve)
        if begun.converged or left <= 0:
            return begun
        rest = climb(sample, begun.model, self.smoothing, left, self.tol)
        return replace(rest, curve=begun.curve + rest.curve)
