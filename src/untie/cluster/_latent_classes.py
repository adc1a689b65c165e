"""LatentClasses: a mixture of classes within which the columns are independent.

A row's probability within a class is the product of its values'. Both steps of EM are products of
the sparse one-hot matrix of the distinct rows. All probabilities are logarithms.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, DensityMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from untie._base import TableInput
from untie._count.counting import sparse_one_hot
from untie._count.grouping import Grouping
from untie._count.packed_rows import distinct_rows
from untie._count.tally import CountOptions, code_table
from untie._learn.parameters import check_handle_unknown, check_min_frequency
from untie._learn.vectors import LookUp
from untie._persistence.models import Savable
from untie._table import frames
from untie._table.rows import check_weights, split_weights
from untie._table.table import read_table
from untie._util.checks import check_integer, check_number, draws_of
from untie._util.messages import warn_user
from untie._util.types import Codes, FloatArray, IntArray

TINY = np.finfo(float).tiny
"""Stands for probability 0, so that logarithms stay finite."""

PATIENCE = 2
"""The search for a number of classes ends after this many in a row that are no better."""

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


@dataclass(frozen=True, eq=False)
class FittedClasses:
    """What latent class analysis has learned.

    Parameters
    ----------
    grouping : Grouping
        The values of each column.
    log_weights : array of shape (n_classes,)
        Logarithm of each class's share of the rows.
    log_profiles : list of arrays of shape (n_values, n_classes)
        For each column, the logarithm of each value's probability within each class.
    """

    grouping: Grouping
    log_weights: FloatArray
    log_profiles: list[FloatArray]

    @cached_property
    def lookup(self) -> LookUp:
        """The logarithms, with zeros for unknown values."""
        unknown = np.zeros((1, len(self.log_weights)))
        tables = tuple(np.vstack([table, unknown]) for table in self.log_profiles)
        return LookUp(tables, summed=True)

    def posterior(self, codes: Codes) -> tuple[FloatArray, FloatArray]:
        """Return p(class | row) and log p(row) of coded rows."""
        return posterior(self.lookup.rows(codes, np.float64) + self.log_weights)


class LatentClasses(
    Savable, ClassNamePrefixFeaturesOutMixin, TransformerMixin, DensityMixin, TableInput
):
    """Latent class analysis: explain a table by a hidden class of each row.

    Within a class the columns are independent, each with its own probabilities of the values;
    all are found by expectation maximization. `transform` gives the probability of each class
    for a row. An unknown value is left out: the row is judged by its other columns.

    Parameters
    ----------
    n_classes : int or "auto", default="auto"
        Number of classes, from 2 to 20 or so; "auto" takes that with the lowest BIC, which takes
        the time of one fit per number tried.
    max_classes : int, default=20
        The largest number that "auto" tries; it stops before if two in a row are no better.
    n_init : int, default=10
        Number of random starts, from 1 to 50. After 20 steps the best three go on, and the best
        result is kept. More find a better optimum; the time grows with them.
    max_iter : int, default=1000
        At most this many steps from a start; a warning says if they were too few.
    tol : float, default=1e-6
        Gain in log-likelihood per row below which a run stops; from 1e-4, faster, to 1e-8.
    smoothing : float, default=1.0
        Number of imaginary rows, from 0 to a few, spread over all classes and values as the
        table is. Keeps probabilities above 0; with 0, the likelihood alone is maximized.
    random_state : int, RandomState or None, default=0
        Seed of the starts; None is 0 as well.
    categories : "auto" or list of lists, default="auto"
        The values of each column, if they are known beforehand.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="ignore"
        What to do about a value not seen in `fit`; an ignored one is left out.
    min_frequency : int or float, default=None
        Values with less weight (int, such as 5) or a lower share of it (float, such as 0.01) are
        merged into one per column.
    max_categories : int, default=None
        At most this many values per column, such as 100; the rarest are merged into one of them.

    Attributes
    ----------
    n_classes_ : int
        Number of classes in use, largest first.
    weights_ : array of shape (n_classes,)
        Each class's share of the rows.
    profiles_ : list of arrays of shape (n_values, n_classes)
        For each column, the probability of each value within each class.
    log_likelihood_ : float
        Of all rows, each as often as it counts.
    objective_curve_ : list of float
        Log-likelihood per row, with the added rows', after each step of the best run.
    n_parameters_ : int
        Number of free probabilities.
    n_iter_ : int
        Number of steps of the best run.
    converged_ : bool
        Whether it gained less than `tol` in the end.
    bic_curve_ : dict of int to float
        The BIC of each number of classes that was tried.
    vocabulary_ : Vocabulary
        The values of each column.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Their names, if the table has names.

    See Also
    --------
    untie.TableClusterer : Clusters of rows by the vectors of a TableEncoder.

    References
    ----------
    L. A. Goodman, Exploratory latent structure analysis using both identifiable and unidentifiable
    models, Biometrika 61, 215-231, 1974.

    Examples
    --------
    >>> from untie.cluster import LatentClasses
    >>> table = [["a", "x", "p"], ["b", "y", "q"]] * 20 + [["c", "y", "q"]] * 10
    >>> model = LatentClasses(n_classes=2, random_state=0).fit(table)
    >>> model.predict([["a", "x", "p"], ["c", "y", "q"]])
    array([1, 0])
    >>> model.predict_proba([["a", "x", "p"], [None, None, "q"]]).round(2)
    array([[0.  , 1.  ],
           [0.99, 0.01]])
    >>> model.class_profiles().round(2)
      column value  class0  class1
    0     x0     a    0.01    0.99
    1     x0     b    0.66    0.01
    2     x0     c    0.33    0.00
    3     x1     x    0.01    0.99
    4     x1     y    0.99    0.01
    5     x2     p    0.01    0.99
    6     x2     q    0.99    0.01
    """

    _kind = "latent_classes"

    def __init__(
        self,
        n_classes: int | str = "auto",
        *,
        max_classes: int = 20,
        n_init: int = 10,
        max_iter: int = 1000,
        tol: float = 1e-6,
        smoothing: float = 1.0,
        random_state: Any = 0,
        categories: Any = "auto",
        handle_unknown: str = "ignore",
        min_frequency: float | None = None,
        max_categories: int | None = None,
    ) -> None:
        self.n_classes = n_classes
        self.max_classes = max_classes
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.smoothing = smoothing
        self.random_state = random_state
        self.categories = categories
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the classes of a table.

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
        X, sample_weight = split_weights(X, sample_weight)
        table = read_table(X)
        merging = self.min_frequency, self.max_categories
        options = CountOptions(sample_weight, self.categories, *merging)
        grouping, rows, _ = code_table(table, options)
        self._report(table, grouping, rows.unknown)
        vocabulary = grouping.vocabulary
        sample = make_sample(rows.codes, vocabulary.sizes, rows.weights)
        best, bic_curve = self._search(sample, draws_of(self.random_state))
        self._remember(table)
        self._adopt(best, sample, grouping)
        self.bic_curve_ = bic_curve
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> IntArray:
        """Find the classes of a table and return the most probable one of each row.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        integer array of shape (n_rows,)
        """
        return np.argmax(self.fit(X, sample_weight=sample_weight).predict_proba(X), axis=1)

    def transform(self, X: Any) -> FloatArray:
        """Return the probability of each class for each row, as `predict_proba` does.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        return self.predict_proba(X)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self._model.posterior(self._codes(X))[0]

    def predict(self, X: Any) -> IntArray:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        integer array of shape (n_rows,)
        """
        return np.argmax(self.predict_proba(X), axis=1)

    def score_samples(self, X: Any) -> FloatArray:
        """Return the log-likelihood of each row, without its unknown values.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`.

        Returns
        -------
        array of shape (n_rows,), in nats
        """
        check_is_fitted(self)
        return self._model.posterior(self._codes(X))[1]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the mean log-likelihood of the rows, in nats; the higher the better.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        float
        """
        total, n = self._log_likelihood(X, sample_weight)
        return total / n

    def bic(self, X: Any, sample_weight: Any = None) -> float:
        """Return the Bayesian information criterion on a table; the lower the better.

        Parameters
        ----------
        X, sample_weight
            As in `fit`.

        Returns
        -------
        float
        """
        total, n = self._log_likelihood(X, sample_weight)
        return criterion(total, self.n_parameters_, float(np.log(n)))

    def aic(self, X: Any, sample_weight: Any = None) -> float:
        """Return the Akaike information criterion on a table; the lower the better.

        Parameters
        ----------
        X, sample_weight
            As in `fit`.

        Returns
        -------
        float
        """
        return criterion(self._log_likelihood(X, sample_weight)[0], self.n_parameters_, 2.0)

    def class_profiles(self) -> Any:
        """Return the probability of each value within each class.

        Returns
        -------
        frame
            One row per value: column, value and one probability per class.
        """
        check_is_fitted(self)
        names = [f"class{number}" for number in range(self.n_classes_)]
        profiles = np.concatenate(self.profiles_)
        return frames.value_vectors(self._library, self.vocabulary_, profiles, names)

    @property
    def _n_features_out(self) -> int:
        return self.n_classes_

    def _check_parameters(self) -> None:
        if self.n_classes != "auto":
            check_integer("n_classes", self.n_classes, 1, "a positive integer or 'auto'")
        for name in ("max_classes", "n_init", "max_iter"):
            check_integer(name, getattr(self, name))
        check_number("tol", self.tol, zero=True)
        check_number("smoothing", self.smoothing, zero=True)
        check_handle_unknown(self.handle_unknown)
        check_min_frequency(self.min_frequency, self.max_categories)

    def _search(self, sample: WeightedRows, rng: RandomState) -> tuple[Climb, dict[int, float]]:
        """Return the best climb on a sample, and the BIC of each number that was tried."""
        n_distinct = len(sample.weights)
        numbers = range(1, min(self.max_classes, n_distinct) + 1)
        if self.n_classes != "auto":
            numbers = range(int(self.n_classes), int(self.n_classes) + 1)
            if numbers[0] > n_distinct:
                raise ValueError(
                    f"n_classes={numbers[0]}, but the table has {n_distinct} distinct rows "
                    f"(n_samples={n_distinct}); ask for at most as many classes."
                )
        climbs: dict[int, Climb] = {}
        curve: dict[int, float] = {}
        for n_classes in numbers:
            climbs[n_classes] = self._best_climb(sample, n_classes, rng)
            curve[n_classes] = bic(sample, climbs[n_classes])
            best = min(curve, key=lambda number: curve[number])
            if n_classes - best >= PATIENCE:
                break
        return climbs[best], curve

    def _best_climb(self, sample: WeightedRows, n_classes: int, rng: RandomState) -> Climb:
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

    def _adopt(self, best: Climb, sample: WeightedRows, grouping: Grouping) -> None:
        if not best.converged:
            warn_user(
                f"LatentClasses stopped after max_iter={self.max_iter} steps before a step gained "
                f"less than tol={self.tol}; raise max_iter or tol.",
                ConvergenceWarning,
            )
        found = best.model
        largest_first = np.argsort(-found.log_weights, kind="stable")
        model = ClassModel(found.log_weights[largest_first], found.log_profiles[:, largest_first])
        profiles = np.split(model.log_profiles, sample.starts[1:])
        self._remember_model(FittedClasses(grouping, model.log_weights, profiles))
        self.n_parameters_ = n_parameters(sample, self.n_classes_)
        occurs = sample.shares[:, None] > 0
        self.profiles_ = np.split(np.exp(model.log_profiles) * occurs, sample.starts[1:])
        self.log_likelihood_ = best.log_likelihood
        self.objective_curve_ = best.curve
        self.n_iter_ = len(best.curve)
        self.converged_ = best.converged

    def _restore(self, learned: dict[str, Any]) -> None:
        model = FittedClasses(**vars(learned.pop("_model")))
        super()._restore(learned)
        self._remember_model(model)

    def _remember_model(self, model: FittedClasses) -> None:
        self._model, self._grouping = model, model.grouping
        self.vocabulary_ = model.grouping.vocabulary
        self.n_classes_ = len(model.log_weights)
        self.weights_ = np.exp(model.log_weights)

    def _log_likelihood(self, X: Any, sample_weight: Any) -> tuple[float, float]:
        """Return the log-likelihood of all rows, and their weight."""
        logs = self.score_samples(X)
        if not len(logs):
            raise ValueError("X has no rows; the likelihood of a table needs at least one.")
        weights, keep = check_weights(sample_weight, len(logs))
        if weights is None:
            return float(logs.sum()), float(len(logs))
        return float(weights @ (logs if keep is None else logs[keep])), float(weights.sum())
