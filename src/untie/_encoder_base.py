"""What every encoder does: read tables, learn from counts, look rows up, export and save."""

from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from untie._base import PreparedInput, TableInput, VectorTask, check_seen, see_as
from untie._count.counts import CountedTable, Counts
from untie._count.row_sample import RowSample
from untie._count.tally import CountOptions, tally_counted
from untie._engines.memory import MemorySource
from untie._engines.registry import open_table
from untie._engines.source import Source
from untie._learn import fitting
from untie._learn.learning import Recipe
from untie._learn.memory import bytes_of_spaces
from untie._learn.parameters import VALUE
from untie._learn.selection.k_choice import KChoice
from untie._persistence.models import Savable
from untie._prepare.unprepared import warn_of_unprepared
from untie._table import frames
from untie._table.rows import Rows, split_weights
from untie._table.table import NoRowsError, Table, read_table, table_of_names
from untie._table.vocabulary import Vocabulary
from untie._util.messages import stage, warn_user
from untie._util.threads import one_at_a_time
from untie._util.types import Codes, FloatArray
from untie.export import Exportable
from untie.preparer import Preparer, index_of, prepare_rows


@dataclass(frozen=True)
class Form:
    """The form of what `transform` returns.

    Parameters
    ----------
    output : {"compact", "full"}
        Whether a coordinate is a value's or a weight's.
    n_components : int or None
        Number of dimensions, if there are fewer.
    is_sparse : bool
        Whether the array is sparse.
    dtype : dtype
        Type of its numbers.
    """

    output: str = "compact"
    n_components: int | None = None
    is_sparse: bool = False
    dtype: Any = np.float64


class EncoderBase(Exportable, Savable, TransformerMixin, PreparedInput, TableInput):
    """Base of the encoders; a subclass says what to learn with in `_recipe`."""

    n_clusters: int | str | None
    preparer: Any
    solver: str
    min_frequency: float | None
    missing: str
    verbose: bool

    _model: fitting.Fitted
    preparer_: Preparer | None
    vocabulary_: Vocabulary
    counts_: Counts
    n_clusters_: int
    omega_: FloatArray
    gains_: dict[str, float]
    k_choice_: KChoice | None

    def _recipe(self) -> Recipe:
        """Return what to learn with, or name the first parameter that can't be."""
        raise NotImplementedError

    def _recipe_of_prepared(self, recipe: Any, preparer: Preparer) -> Recipe:
        """Return the recipe with the columns of a prepared table in the place of the user's."""
        return recipe

    def _form(self) -> Form:
        """Return the form of the vectors."""
        return Form()

    def _new_preparer(self) -> Preparer | None:
        """Return what prepares tables, not fitted yet, if they are to be prepared."""
        return None

    def _check_parameters(self) -> None:
        self._recipe()
        self._new_preparer()

    @one_at_a_time
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, an array or a list of rows. Or a lazy table, which is
            read piece by piece and may be larger than memory: what :func:`untie.scan` gives, a
            DuckDB relation, a polars LazyFrame, a pyarrow Dataset or RecordBatchReader. Or a Dask
            or Spark frame, which is counted partition by partition on its workers. The model is
            the same. RecordBatchReaders can't be prepared (``preparer=None``).
        y : ignored
        sample_weight : array of shape (n_rows,) or str, optional
            How often each row counts: survey weights, or counts of a table with distinct rows. A
            name is that of the column with the weights, which is then not learned from; lazy
            tables take a name only.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            When a parameter is wrong, there are more clusters than rows, or learning would take
            more than 4 GiB. The message names the column or parameter and the remedy.
        """
        self._fit_rows(open_table(X), sample_weight)
        return self

    @one_at_a_time
    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn from a table and return its rows' vectors; reads a table in memory once.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. A table that can be read only once is refused.

        Returns
        -------
        array of shape (n_rows, n_output_columns)
            As `transform` returns it.
        """
        source = open_table(X)
        if source.is_one_shot:
            raise ValueError(
                f"fit_transform reads its rows twice, but {source.origin} can be read only once; "
                "call fit, then transform with a new one."
            )
        if not source.is_lazy:
            X, sample_weight = split_weights(X, sample_weight)
            source = MemorySource(X)
        rows, _ = self._fit_rows(source, sample_weight)
        if rows is not None and rows.complete:
            return self._vector_task().compute(rows.codes)
        return self.transform(X)

    @one_at_a_time
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows; the result equals one `fit` on all of them.

        No chunk is prepared, as its columns would be judged by some of the rows: a `TableEncoder`
        needs ``preparer=None``. The counts of all values seen are kept, rare ones too, so memory is
        that of all pairs of values that occur. Each call learns anew; to learn once from many
        chunks, add them up with :func:`untie.count_table` and call `fit_counts`. While there are
        fewer rows than `n_clusters`, each is a cluster. After the first call, a chunk without rows,
        or with weights of 0 alone, changes nothing. Threads that call it on one encoder wait for
        each other, and every row counts.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; the columns must be those of the first call.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            When tables are prepared, or the solver needs all rows at once.
        """
        recipe = self._recipe()
        self._refuse_prepared("partial_fit", "prepare all rows with one Preparer before")
        self._refuse_rows(recipe, "partial_fit")
        first = not hasattr(self, "_model")
        if not first and self.preparer_ is not None:
            raise ValueError(
                "partial_fit can't continue a fit on a table that was prepared; start with "
                "partial_fit and preparer=None."
            )
        source = open_table(X)
        if not first:
            source = source.own_columns(self._columns_read(), source.check_weight(sample_weight))
        options = CountOptions(
            sample_weight,
            with_sample=recipe.needs_sample,
            known_as=None if first else self._grouping.raw.columns,
        )
        try:
            chunk = source.count(options)
        except NoRowsError:
            if first:
                raise
            if not source.is_lazy:
                check_seen(self, read_table(split_weights(X, sample_weight)[0], min_rows=0))
            return self
        counted = chunk.ungrouped
        assert chunk.table is not None
        assert counted is not None  # nothing was merged
        if not first:
            check_seen(self, chunk.table)
        warn_of_unprepared(chunk.table, chunk.grouping.vocabulary)
        if not first:
            counted = self._counted_so_far().plus_chunk(counted)
        if recipe.first and counted.sample is None:
            warn_user(
                "fit_counts kept no sample of the rows learned before, so there is nothing to "
                f"compare and {recipe.first!r} is used; start anew from rows, or from what "
                "untie.count_table gives."
            )
        fitted = self._learn_counted(counted, recipe, is_growing=True, table=chunk.table)
        if first:
            self._remember(chunk.table)
        return self._adopt(fitted)

    @one_at_a_time
    def fit_counts(self, counted: CountedTable) -> Self:
        """Learn from counts and, if there is one, a sample of rows, as `fit` does from the table.

        Counts can't be prepared: a `TableEncoder` needs ``preparer=None``, and a table of numbers
        is prepared before it is counted. Frames that the model returns are those of an array; see
        `value_vectors`.

        Parameters
        ----------
        counted : CountedTable
            What :func:`untie.count_table` gives, or a sum of them. Without a sample there is
            nothing to compare: a `TableEncoder` learns "couplings" ("halves" for neighbors), and
            ``n_clusters="auto"`` is refused. The time depends on the number of values, not on that
            of the rows.

        Returns
        -------
        self
        """
        recipe = self._recipe()
        self._refuse_prepared("fit_counts", "count prepared rows, Preparer().fit_transform(data)")
        self._refuse_rows(recipe, "fit_counts")
        if not isinstance(counted, CountedTable):
            raise TypeError(
                f"fit_counts takes what count_table gives, got {type(counted).__name__}."
            )
        counts, vocabulary, sample = counted.counts, counted.vocabulary, counted.sample
        if vocabulary.sizes != counts.sizes:
            raise ValueError(
                f"The counts have {counts.sizes} values but the vocabulary {vocabulary.sizes}."
            )
        if sample is not None:
            if not isinstance(sample, RowSample):
                raise TypeError(
                    f"sample must be what count_table gives, got {type(sample).__name__}."
                )
            sample.check(counts.sizes, counts.frequencies)
        fitted = self._learn_counted(counted, recipe)
        self._remember(table_of_names(vocabulary.columns))
        return self._adopt(fitted)

    def transform(self, X: Any) -> Any:
        """Return the vectors of rows; a look-up, each row for itself.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`; those that were left out may be absent. A lazy
            table, such as :func:`untie.scan` gives, may have others, too; they are not read.

        Returns
        -------
        array of shape (n_rows, n_output_columns)
            Sparse if `sparse_output`; a frame if `set_output` says so.
            For a lazy table, a pyarrow RecordBatchReader with a column of numbers for each name
            of `get_feature_names_out`: rows are read and transformed as it is iterated, and rows
            keep their order. :func:`untie.sink` writes them to a file.
            For a Dask frame, a Dask frame with these columns and the index of the rows; nothing is
            computed yet. For a Spark frame, whose rows have no order, that frame with these
            columns added to its own; nothing is computed yet. What ``handle_unknown="warn"`` warns
            of there, once per partition, is in the workers' logs.
        """
        check_is_fitted(self)
        return open_table(X).map_rows(self._vector_task())

    def similarity(self, A: Any, B: Any = None) -> FloatArray:
        """Return the learned similarity of each row of `A` to each of `B` (or of `A`).

        Parameters
        ----------
        A, B : tables
            Rows with the columns seen in `fit`, in memory.

        Returns
        -------
        array of shape (n_rows of A, n_rows of B)
            Inner products of the rows' compact vectors, which need not be between 0 and 1. Takes 8
            bytes per pair of rows; more than 4 GiB are refused.

        See Also
        --------
        value_similarity : The similarity of a column's values, which these are sums of.
        """
        check_is_fitted(self)
        as_now = copy(self)
        right = None if B is None else as_now._codes(B)
        return as_now._model.vectors.similarity(as_now._codes(A), right)

    def value_vectors(self) -> Any:
        """Return a frame with one row per value: column, value and its vector.

        A row's vector in `transform` is the sum of the vectors of its values.

        Returns
        -------
        frame of shape (n_values, 2 + n_output_columns)
            Of the library of the table seen in `fit`. For an array, the first of pandas, polars and
            pyarrow that is installed; with none of them, a structured array.
        """
        check_is_fitted(self)
        vectors = self._model.lookup.value_rows()
        names = self.get_feature_names_out().tolist()
        return frames.value_vectors(self._library, self.vocabulary_, vectors, names)

    def value_similarity(self, column: str) -> Any:
        """Return a square, labeled frame with the similarity of a column's values.

        A row's similarity to another is the sum of these over the columns.

        In a `UNTIE`, kernels relate the values of any table. In a `TableEncoder`, what different
        values have depends on the representation (the first of `gains_`). "relevance" has a
        direction for each value, so it is 0 between any two, but in a column with an order. With
        "couplings" it is from 0 to the root of the product of their own, and tells which values are
        coupled alike: up to 0.7 of that root in the bundled data sets. Two values that are all of
        their column have 0.

        Parameters
        ----------
        column : str
            A column seen in `fit`.

        Returns
        -------
        frame of shape (n_values, n_values)
            With the values as index in pandas, and as a first column in other libraries.

        See Also
        --------
        untie.explain.alike_values : Which values occur beside the same ones, however weighted.

        Examples
        --------
        >>> from untie import TableEncoder
        >>> from untie.datasets import load
        >>> X, y = load("hayesroth")
        >>> encoder = TableEncoder(n_clusters=3).fit(X)
        >>> next(iter(encoder.gains_))
        'couplings'
        >>> encoder.value_similarity("education").loc[["1", "3"], ["3", "4"]].round(2)
              3     4
        1  0.34  0.34
        3  3.32  1.83
        """
        check_is_fitted(self)
        attribute = index_of(column, self.vocabulary_, self.preparer_)
        values = self._model.vectors.value_similarity(attribute)
        return frames.square(self._library, self.vocabulary_.labels(attribute), values)

    def weights(self) -> Any:
        """Return a frame with the weight of every coordinate.

        Columns: column, coupling, kernel, value, omega, and the paper's beta (of the
        kernel space) and alpha (of the value in it) with omega = beta * alpha^2, of which
        only the product is determined; beta is taken as omega's mean over the space.

        Returns
        -------
        frame
            One row per coordinate.
        """
        check_is_fitted(self)
        fitted = self._model
        return fitting.weights_frame(
            self._library, self.vocabulary_, fitted.labels, fitted.widths, self.omega_
        )

    def kernel_errors(self) -> Any:
        """Return a frame with what is missing from the kernels of columns with many values.

        The kernel matrices of such a column (more than 500 values) are not formed: a kernel is
        taken through landmarks, some of the values, and of that its leading axes are kept. Columns:
        column, coupling, kernel, axes (how many are kept) and error, the share of the centered
        kernel's trace that the axes do not give.

        Returns
        -------
        frame
            One row per such column and kernel space; empty without such columns, as the model is
            then exact.
        """
        check_is_fitted(self)
        fitted = self._model
        return fitting.errors_frame(
            self._library, self.vocabulary_, fitted.labels, fitted.widths, fitted.errors
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of `transform`'s columns, such as ``Color=yellow``.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names for the columns of an array, instead of ``x0``, ...

        Returns
        -------
        array of shape (n_output_columns,)
        """
        check_is_fitted(self)
        columns = self.vocabulary_.columns
        if input_features is not None and self.preparer_ is not None:
            columns = tuple(map(str, self.preparer_.get_feature_names_out(input_features)))
        elif input_features is not None:
            names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
            columns = tuple(map(str, names))
        lookup = self._model.lookup
        if lookup.summed:
            prefix = type(self).__name__.lower()
            return np.array([f"{prefix}{i}" for i in range(lookup.n_columns)], dtype=object)
        # The values of supplementary columns and copies have no columns of their own.
        pairs = zip(self.vocabulary_.values, self._model.unlearned, strict=True)
        values = tuple(() if is_passive else values for values, is_passive in pairs)
        vocabulary = Vocabulary(columns, values)
        if lookup is self._model.vectors:
            return np.array(fitting.compact_names(vocabulary, *self._model.axes()), dtype=object)
        full = fitting.full_names(vocabulary, self._model.labels, self._model.widths)
        return np.array(full, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = [np.dtype(self._form().dtype).name]
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def _fit_rows(
        self, source: Source, sample_weight: Any = None, prepared_by: Preparer | None = None
    ) -> tuple[Rows | None, RowSample | None]:
        """Learn from a table as `fit` does, and return its coded rows and some distinct ones.

        The rows are None if they are not in memory, and the sample if it would be another one in
        the model's codes; see `fit_counted`. Parameters are about the table as it was before
        `prepared_by` has made it.
        """
        recipe, preparer = self._recipe(), self._new_preparer()
        if source.is_lazy:
            self._refuse_rows(recipe, "fit on a table that is read piece by piece")
        ready = prepare_rows(preparer, source, sample_weight, bool(self.verbose))
        made_by = prepared_by or preparer
        recipe = recipe if made_by is None else self._recipe_of_prepared(recipe, made_by)
        with stage("Counting the values", bool(self.verbose)):
            counted = ready.rows.count(self._count_options(recipe, ready.weight, made_by))
        assert counted.table is not None
        if made_by is None:
            warn_of_unprepared(counted.table, counted.grouping.vocabulary, is_all=True)
        form = self._form()
        with stage("Learning their vectors", bool(self.verbose)):
            fitted, sample = fitting.fit_counted(counted, recipe, form.output, form.n_components)
        if preparer is None:
            self._remember(counted.table)
        else:
            see_as(self, preparer)
            self._library = preparer._library
        self._adopt(fitted, preparer)
        return counted.rows, sample

    def _count_options(
        self, recipe: Recipe, sample_weight: Any = None, made_by: Preparer | None = None
    ) -> CountOptions:
        return CountOptions(
            sample_weight,
            min_frequency=self.min_frequency,
            max_categories=getattr(self, "max_categories", None),
            bytes_of_learning=partial(bytes_of_spaces, n_spaces=recipe.n_spaces),
            with_sample=recipe.needs_sample,
            missing_is_value=self.missing == VALUE,
            neutral_in=frozenset(() if made_by is None else made_by.column_weights_),
        )

    def _learn_counted(
        self,
        counted: CountedTable,
        recipe: Recipe,
        is_growing: bool = False,
        table: Table | None = None,
    ) -> fitting.Fitted:
        grouped = tally_counted(counted, self._count_options(recipe), is_growing, table)
        form = self._form()
        fitted, _ = fitting.fit_counted(grouped, recipe, form.output, form.n_components)
        return fitted

    def _counted_so_far(self) -> CountedTable:
        if self._model.ungrouped is None:
            raise ValueError(
                "partial_fit can't continue a fit that merged rare values of a table with too many "
                "values to count one by one; start with partial_fit."
            )
        return self._model.ungrouped

    def _adopt(self, fitted: fitting.Fitted, preparer: Preparer | None = None) -> Self:
        choice = fitted.k_choice
        infrequent = frames.value_arrays(fitted.grouping.infrequent_values())
        learned = {
            "_model": fitted,
            "preparer_": preparer,
            "_grouping": fitted.grouping,
            "vocabulary_": fitted.grouping.vocabulary,
            "categories_": frames.value_arrays(fitted.grouping.raw.values),
            "infrequent_categories_": [values if len(values) else None for values in infrequent],
            "counts_": fitted.counts,
            "n_clusters_": fitted.n_clusters,
            "omega_": fitted.solution.omega,
            "loss_curve_": fitted.solution.loss_curve,
            "n_iter_": fitted.solution.n_iter,
            "gains_": dict(fitted.gains),
            "k_choice_": None if choice is None else replace(choice, library=self._library),
        }
        # In one step: a thread that transforms meanwhile sees the old model or the new one.
        self.__dict__.update(learned)
        return self

    def _restore(self, learned: dict[str, Any]) -> None:
        super()._restore(learned)
        self._adopt(self._model, self.preparer_)

    def _codes(self, X: Any, reported: set[str] | None = None) -> Codes:
        return self._code(self._seen(X), reported)

    def _vector_task(self) -> VectorTask:
        """Return what `transform` does, as it is now, for an engine to run.

        Learning more later replaces the encoder's parts and does not change these.
        """
        as_now, form = copy(self), self._form()
        return VectorTask(
            as_now,
            as_now._model.lookup,
            as_now.get_feature_names_out,
            np.dtype(form.dtype),
            form.is_sparse,
            _get_output_config("transform", self)["dense"],
        )

    def _refuse_prepared(self, method: str, remedy: str) -> None:
        if self._new_preparer() is not None:
            raise ValueError(
                f"{method} learns from rows as they are, but preparer={self.preparer!r} decides "
                f"about columns by all rows; set preparer=None, and {remedy} if it has numbers."
            )

    def _refuse_rows(self, recipe: Recipe, method: str) -> None:
        if recipe.needs_rows:
            raise ValueError(
                f"{method} learns from counts, but solver={self.solver!r} draws rows; use fit on a "
                "table in memory, or another solver such as 'exact'."
            )
