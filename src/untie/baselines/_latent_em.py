"""EM for the latent class model, over coded rows.

Within a class the columns are independent: a row's probability is the product of its values'.
Equal rows are merged, and both steps are products of the sparse one-hot matrix of the
distinct rows. All probabilities are logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import sparse

from untie._count.dense_counting import sparse_one_hot
from untie._count.packed_rows import distinct_rows
from untie._util.types import Codes, FloatArray

TINY = np.finfo(float).tiny
"""Stands for probability 0, so that logarithms stay finite."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct rows and how often they count.

    Parameters
    ----------
    one_hot : sparse array of shape (n_distinct, n_values)
        The rows; an unknown cell has no entry.
    transposed : sparse array of shape (n_values, n_distinct)
        The same.
    weights : array of shape (n_distinct,)
        Weight of the rows that are equal to each.
    starts : integer array of shape (n_attributes,)
        Position of each attribute's first value.
    shares : array of shape (n_values,)
        Each value's share among the known cells of its attribute.
    """

    one_hot: sparse.csr_array
    transposed: sparse.csr_array
    weights: FloatArray
    starts: NDArray[np.intp]
    shares: FloatArray

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
class Model:
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
    model : Model
        The parameters.
    log_likelihood : float
        Of all rows under this model, weighted.
    curve : list of float
        The objective per row after each step: log-likelihood and log-prior.
    converged : bool
        Whether the last step gained less than the tolerance.
    """

    model: Model
    log_likelihood: float
    curve: list[float]
    converged: bool


def make_sample(codes: Codes, sizes: Sequence[int], weights: FloatArray | None) -> Sample:
    """Merge equal rows, in the order of their codes: that of the rows is forgotten."""
    kinds = distinct_rows(codes, [size + 1 for size in sizes], weights)
    totals, one_hot = kinds.weights, sparse_one_hot(kinds.codes, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
    transposed = one_hot.T.tocsr()
    sample = Sample(one_hot, transposed, totals, starts, np.zeros(0))
    shares = sample.normalize((transposed @ totals)[:, None])[:, 0]
    return replace(sample, shares=shares)


def draw_start(
    sample: Sample, n_classes: int, smoothing: float, random_state: RandomState
) -> Model:
    """Start from random class probabilities of the distinct rows."""
    probabilities = random_state.dirichlet(np.ones(n_classes), len(sample.weights))
    return maximise(sample, probabilities, smoothing)


def log_joint(sample: Sample, model: Model) -> FloatArray:
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


def maximise(sample: Sample, probabilities: FloatArray, smoothing: float) -> Model:
    """Return the best parameters for given class probabilities of the rows.

    Every class has ``smoothing / n_classes`` further rows, spread over the values as the
    table is.
    """
    extra = smoothing / probabilities.shape[1]
    weighted = probabilities * sample.weights[:, None]
    profiles = sample.transposed @ weighted + extra * sample.shares[:, None]
    return _model(sample, weighted.sum(axis=0) + extra, profiles)


def log_prior(sample: Sample, model: Model, smoothing: float) -> float:
    """Return the logarithm of the prior that `smoothing` stands for, up to a constant."""
    extra = smoothing / len(model.log_weights)
    of_profiles = float((sample.shares @ model.log_profiles).sum())
    return extra * (float(model.log_weights.sum()) + of_profiles)


def climb(sample: Sample, start: Model, smoothing: float, max_iter: int, tol: float) -> Climb:
    """Alternate the two steps until one gains less than `tol` per row; never descends."""
    model = start
    probabilities, logs = posterior(log_joint(sample, model))
    curve = [_objective(sample, model, logs, smoothing)]
    for _ in range(max_iter):
        model = maximise(sample, probabilities, smoothing)
        probabilities, logs = posterior(log_joint(sample, model))
        curve.append(_objective(sample, model, logs, smoothing))
        if curve[-1] - curve[-2] < tol:
            return Climb(model, float(sample.weights @ logs), curve[1:], True)
    return Climb(model, float(sample.weights @ logs), curve[1:], False)


def sort_classes(model: Model) -> Model:
    """Put the classes in the order of their weight, largest first."""
    order = np.argsort(-model.log_weights, kind="stable")
    return Model(model.log_weights[order], model.log_profiles[:, order])


def _objective(sample: Sample, model: Model, logs: FloatArray, smoothing: float) -> float:
    prior = log_prior(sample, model, smoothing)
    return (float(sample.weights @ logs) + prior) / sample.n


def _model(sample: Sample, class_weights: FloatArray, profiles: FloatArray) -> Model:
    logs = np.log(np.maximum(sample.normalize(profiles), TINY))
    logs[sample.shares == 0] = 0.0
    return Model(np.log(np.maximum(class_weights / class_weights.sum(), TINY)), logs)
