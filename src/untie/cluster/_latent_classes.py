"""LatentClasses: clusters with probabilities, by expectation maximization."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from scipy.special import entr
from sklearn.base import ClassNamePrefixFeaturesOutMixin, DensityMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from untie._base import TableInput
from untie._count.grouping import Grouping
from untie._count.tally import CountOptions, code_table
from untie._learn.parameters import MISSING, VALUE, check_handle_unknown, check_min_frequency
from untie._learn.vectors import LookUp
from untie._persistence.models import Savable
from untie._table import frames
from untie._table.rows import check_weights, split_weights
from untie._table.table import read_table
from untie._util.checks import check_integer, check_number, check_one_of, draws_of
from untie._util.messages import warn_user
from untie._util.types import Codes, FloatArray, IntArray
from untie.cluster._class_model import (
    ClassModel,
    ClassSearch,
    Climb,
    WeightedRows,
    bic,
    criterion,
    make_sample,
    n_parameters,
    posterior,
)

PATIENCE = 2
"""The search for a number of classes ends after this many in a row that are no better."""


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
    missing : {"value", "neutral"}, default="value"
        What a missing cell is. "value": a value like others. "neutral": it is left out, as a value
        not seen in `fit` is, and the likelihood is that of the other cells (full information
        maximum likelihood). Take this where cells are missing at random.
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
    bootstrap_test : Tests whether one class more is needed.
    untie.TableClusterer : Clusters of rows by the vectors of a TableEncoder.

    References
    ----------
    L. A. Goodman, Exploratory latent structure analysis using both identifiable and unidentifiable
    models, Biometrika 61, 215-231, 1974.

    S. L. Sclove, Application of model-selection criteria to some problems in multivariate analysis,
    Psychometrika 52, 333-343, 1987.

    V. Ramaswamy, W. S. DeSarbo, D. J. Reibstein and W. T. Robinson, An empirical pooling approach
    for estimating marketing mix elasticities with PIMS data, Marketing Science 12, 103-124, 1993.

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
        missing: str = VALUE,
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
        self.missing = missing
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
        grouping, rows, _ = code_table(table, count_options(self, sample_weight))
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
        X, sample_weight = split_weights(X, sample_weight)
        return self.fit(X, sample_weight=sample_weight).predict(X)

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

    def sabic(self, X: Any, sample_weight: Any = None) -> float:
        """Return the BIC adjusted for the sample size on a table; the lower the better.

        It counts ``(n + 2) / 24`` rows in place of n (Sclove, 1987).

        Parameters
        ----------
        X, sample_weight
            As in `fit`.

        Returns
        -------
        float
        """
        total, n = self._log_likelihood(X, sample_weight)
        return criterion(total, self.n_parameters_, float(np.log((n + 2.0) / 24.0)))

    def relative_entropy(self, X: Any, sample_weight: Any = None) -> float:
        """Return how clearly rows belong to their classes, from 0 to 1.

        1 less the mean entropy of the rows' class probabilities, divided by the largest possible
        (Ramaswamy et al., 1993). It is 1 where every row certainly belongs to one class, as it
        does if there is one alone.

        Parameters
        ----------
        X, sample_weight
            As in `fit`.

        Returns
        -------
        float
        """
        X, sample_weight = split_weights(X, sample_weight)
        entropies = entr(self.predict_proba(X)).sum(axis=1)
        total, n = _weighted_sum(entropies, sample_weight, "entropy")
        return 1.0 - total / (n * np.log(self.n_classes_)) if self.n_classes_ > 1 else 1.0

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
        check_one_of("missing", self.missing, MISSING)
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
        search = search_of(self)
        climbs: dict[int, Climb] = {}
        curve: dict[int, float] = {}
        for n_classes in numbers:
            climbs[n_classes] = search.best(sample, n_classes, rng)
            curve[n_classes] = bic(sample, climbs[n_classes])
            best = min(curve, key=lambda number: curve[number])
            if n_classes - best >= PATIENCE:
                break
        return climbs[best], curve

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
        X, sample_weight = split_weights(X, sample_weight)
        return _weighted_sum(self.score_samples(X), sample_weight, "likelihood")


def search_of(model: LatentClasses) -> ClassSearch:
    """Return how an estimator searches for the parameters of a number of classes."""
    return ClassSearch(model.n_init, model.max_iter, model.tol, model.smoothing)


def count_options(model: LatentClasses, sample_weight: Any) -> CountOptions:
    """Return how an estimator reads a table."""
    return CountOptions(
        sample_weight,
        model.categories,
        model.min_frequency,
        model.max_categories,
        missing_is_value=model.missing == VALUE,
    )


def _weighted_sum(numbers: FloatArray, sample_weight: Any, what: str) -> tuple[float, float]:
    """Return the sum over all rows, each as often as it counts, and their weight."""
    if not len(numbers):
        raise ValueError(f"X has no rows; the {what} of a table needs at least one.")
    weights, keep = check_weights(sample_weight, len(numbers))
    if weights is None:
        return float(numbers.sum()), float(len(numbers))
    return float(weights @ (numbers if keep is None else numbers[keep])), float(weights.sum())
