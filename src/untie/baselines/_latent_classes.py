"""LatentClasses: a mixture of classes within which the columns are independent."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, DensityMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from untie._base import TableInput
from untie._count.tally import CountOptions, code_table
from untie._learn.parameters import check_handle_unknown, check_min_frequency
from untie._learn.vectors import LookUp
from untie._table import frames
from untie._table.rows import Rows
from untie._table.sample_weights import check_weights
from untie._table.table import read_table
from untie._util.checks import check_integer, check_number
from untie._util.seeds import draws_of
from untie._util.types import Codes, FloatArray
from untie._util.warn import warn_user
from untie.baselines._latent_em import Sample, make_sample, posterior, sort_classes
from untie.baselines._latent_search import Found, Search, criterion, n_parameters


class LatentClasses(ClassNamePrefixFeaturesOutMixin, TransformerMixin, DensityMixin, TableInput):
    """Latent class analysis: explain a table by a hidden class of each row.

    Within a class the columns are independent, each with its own probabilities of the values;
    all are found by expectation maximisation. `transform` gives the probability of each class
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
        table is. Keeps probabilities above 0; with 0, the likelihood alone is maximised.
    random_state : int, RandomState or None, default=None
        Seed of the starts; None is 0.
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

    See Also
    --------
    untie.TableClusterer : Clusters of rows by the vectors of a TableEncoder.

    References
    ----------
    L. A. Goodman, Exploratory latent structure analysis using both identifiable and unidentifiable
    models, Biometrika 61, 215-231, 1974.

    Examples
    --------
    >>> from untie.baselines import LatentClasses
    >>> table = [["a", "x", "p"], ["b", "y", "q"]] * 20 + [["c", "y", "q"]] * 10
    >>> model = LatentClasses(n_classes=2, random_state=0).fit(table)
    >>> model.predict([["a", "x", "p"], ["c", "y", "q"]])
    array([1, 0])
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

    def __init__(
        self,
        n_classes: int | str = "auto",
        *,
        max_classes: int = 20,
        n_init: int = 10,
        max_iter: int = 1000,
        tol: float = 1e-6,
        smoothing: float = 1.0,
        random_state: Any = None,
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
        sample_weight : array of shape (n_rows,), optional
            How often each row counts.

        Returns
        -------
        self
        """
        self._fit_rows(X, sample_weight)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> FloatArray:
        """Find the classes of a table and return their probabilities for its rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        rows = self._fit_rows(X, sample_weight)
        return self._posterior(rows.codes)[0] if rows.complete else self.predict_proba(X)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[np.intp]:
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
        return self._posterior(self._codes(X))[0]

    def predict(self, X: Any) -> NDArray[np.intp]:
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
        return self._posterior(self._codes(X))[1]

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
        return frames.value_vectors(self.library_, self.vocabulary_, profiles, names)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_lookup")

    @property
    def _n_features_out(self) -> int:
        return self.n_classes_

    def _fit_rows(self, X: Any, sample_weight: Any) -> Rows:
        search = self._check_parameters()
        table = read_table(X)
        options = CountOptions(
            sample_weight, self.categories, self.min_frequency, self.max_categories
        )
        grouping, rows, _ = code_table(table, options)
        self._report(table, grouping, rows.unknown)
        vocabulary = grouping.vocabulary
        sample = make_sample(rows.codes, vocabulary.sizes, rows.weights)
        found = search.run(sample, draws_of(self.random_state))
        self._remember(table)
        self.grouping_ = grouping
        self.vocabulary_ = vocabulary
        self._adopt(found, sample)
        return rows

    def _check_parameters(self) -> Search:
        if self.n_classes != "auto":
            check_integer("n_classes", self.n_classes, 1, "a positive integer or 'auto'")
        for name in ("max_classes", "n_init", "max_iter"):
            check_integer(name, getattr(self, name))
        check_number("tol", self.tol, zero=True)
        check_number("smoothing", self.smoothing, zero=True)
        check_handle_unknown(self.handle_unknown)
        check_min_frequency(self.min_frequency, self.max_categories)
        n_classes = None if self.n_classes == "auto" else int(self.n_classes)
        return Search(
            n_classes, self.max_classes, self.n_init, self.max_iter, self.tol, self.smoothing
        )

    def _adopt(self, found: Found, sample: Sample) -> None:
        best = found.best
        if not best.converged:
            warn_user(
                f"LatentClasses stopped after max_iter={self.max_iter} steps before a step gained "
                f"less than tol={self.tol}; raise max_iter or tol.",
                ConvergenceWarning,
            )
        model = sort_classes(best.model)
        self._log_weights = model.log_weights
        tables = np.split(model.log_profiles, sample.starts[1:])
        unknown = np.zeros((1, len(model.log_weights)))
        self._lookup = LookUp(tuple(np.vstack([table, unknown]) for table in tables), summed=True)
        self.n_classes_ = len(model.log_weights)
        self.n_parameters_ = n_parameters(sample, self.n_classes_)
        self.weights_ = np.exp(model.log_weights)
        occurs = sample.shares[:, None] > 0
        self.profiles_ = np.split(np.exp(model.log_profiles) * occurs, sample.starts[1:])
        self.log_likelihood_ = best.log_likelihood
        self.objective_curve_ = best.curve
        self.n_iter_ = len(best.curve)
        self.converged_ = best.converged
        self.bic_curve_ = found.bic_curve

    def _posterior(self, codes: Codes) -> tuple[FloatArray, FloatArray]:
        lookup: LookUp = self._lookup
        return posterior(lookup.rows(codes, np.float64) + self._log_weights)

    def _log_likelihood(self, X: Any, sample_weight: Any) -> tuple[float, float]:
        """Return the log-likelihood of all rows, and their weight."""
        logs = self.score_samples(X)
        if not len(logs):
            raise ValueError("X has no rows; the likelihood of a table needs at least one.")
        weights, keep = check_weights(sample_weight, len(logs))
        if weights is None:
            return float(logs.sum()), float(len(logs))
        return float(weights @ (logs if keep is None else logs[keep])), float(weights.sum())
