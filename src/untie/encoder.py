"""UNTIE: the scikit-learn face of the pipe."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from untie._base import TableInput
from untie._count.counts import CountedTable, Counts
from untie._count.grouping import Grouping
from untie._count.row_sample import RowSample
from untie._count.tally import CountOptions, tally_counted
from untie._engines.registry import open_table
from untie._learn.archive import State
from untie._learn.fitted import Fitted
from untie._learn.fitted_parts import fitted_state, read_fitted
from untie._learn.fitting import fit_counted
from untie._learn.k_choice import KChoice
from untie._learn.learning import Recipe
from untie._learn.parameters import VALUE, check_parameters
from untie._learn.solvers import ROW_SOLVERS
from untie._row_tasks import VectorTask, fitted_columns
from untie._saving import Savable
from untie._table import frames
from untie._table.rows import Rows
from untie._table.sample_weights import split_weights
from untie._table.table import NoRowsError, Table, read_table, table_of_names
from untie._table.vocabulary import Vocabulary
from untie._util.progress import stage
from untie._util.threads import one_at_a_time
from untie._util.types import FloatArray
from untie._util.warn import warn_user
from untie.export import Exportable


class TableEncoder(Exportable, Savable, TransformerMixin, TableInput):
    """Learn vectors and similarities for a table of categories, without labels.

    Every value gets a vector from how often it occurs and what it occurs with. A row's vector is
    made of those of its values. The idea is UNTIE's: several spaces for values, weighted without
    labels. The default has spaces and a choice of weights of its own, and minimises nothing of the
    paper's: `fit` tries two representations, clusters at most 2,000 distinct rows with each, and
    keeps the one whose clusters describe the table best (`gains_` compares them; the first is kept
    unless the second is clearly better). The paper's objective, made well-posed, is
    ``solver="exact"``, and its printed protocol is `from_paper`.

    - "couplings": values are near that are coupled alike. All values of the table are put into two
      trees, by what they occur with and by how often they occur; values that share branches are
      near. That is 70 % of the energy; in the rest, every value has a direction of its own, as in
      one-hot encoding.
    - "relevance": the directions alone. Rare values and columns that have much in common with
      others count more.

    In both, copies of a column share one vote, and so does a hierarchy, such as City > State >
    Region (:func:`untie.explain.families` lists them). A column of more than 500 values has no part
    in the trees. In a column that has an order (`ordered`), four fifths of what it counts are its
    values' ranks among the rows, so that neighbours are near. Where a third of the columns or more
    have one, every column counts the same, and there is nothing to compare.

    Vectors that are to find similar rows, not clusters, have another yardstick and other
    representations to choose from: see `purpose`.

    Parameters
    ----------
    n_clusters : int, "auto" or None, default=None
        Number of clusters that the vectors should separate; typically 2 to 20. "auto" chooses from
        2 to 10 as :func:`untie.choose_k` and `TableClusterer` do, by the clusters of some rows, and
        learns again for the number chosen, which takes a second or so more; `k_choice_` tells how
        sure it is. None reads a number off the spectrum of the counts (at most 20), which costs
        next to nothing and is good enough to find vectors with; values that few rows have may
        raise it (`min_frequency` merges them). With ``purpose="neighbors"`` no
        number has any influence on the vectors, and None looks for none (`n_clusters_` is 1).
    couplings : "auto", str, function or sequence of them, default="auto"
        Coupling spaces: "intra", "inter", "joint", "matching", or functions
        ``(counts, attribute) -> array of shape (n_values, n_dimensions)``; typically one or two.
        Each multiplies the kernels, in time and memory. "auto" is the paper's ("intra", "inter");
        where kernels and solver are "auto", too, it is what the representations above have.
    kernels : "auto", str or sequence, default="auto"
        A named set ("paper", "F1" to "F6") or a list of kernels such as
        ``[Gaussian(0.5), Polynomial(2)]`` or of functions of `Pairs`; typically 3 to 14. Per column
        and coupling, each takes two arrays of n_values^2 numbers, and time in proportion. "auto" is
        "paper" (14 kernels), where kernels are used.
    normalization : {"diagonal", "cosine", "variance"}, None or function, default="diagonal"
        The scale that kernel matrices are brought to: by the norm of their diagonal (the paper's),
        to a diagonal of 1, to a variance of 1, not at all, or by a function of a matrix and the
        values' shares. All cost about the same. "couplings" and "relevance" have no kernels.
    solver : {"auto", "relevance", "discount", "uniform", "exact", "lp", "adam", "adagrad"}, \
default="auto"
        How the weights are found. "auto" compares the representations above; where couplings
        or kernels are named, it is "exact". The others weigh the columns of the paper's kernels.
        "relevance": rare values and columns that have something in common with others count more,
        copies of a column count once; "discount": copies count once; "uniform": all count the same.
        These three take one step and are the fastest. "exact" and "lp": the paper's
        objective with what gives it one answer (a price, or bounds), from the counts alone, in a
        few steps. "adam" and "adagrad": the objective as printed, from batches of rows; they need
        rows in memory and up to `max_iter` steps.
    tau : float, default=8.0
        Price of leaving equal weights ("exact"); typically 2 to 16. Large values keep them nearly
        equal, small ones favour few kernel columns and cost quality: on the paper's tables,
        clusters were worse below 2 (docs/how_it_works/method.md, 4.4).
    learning_rate : float, default=1e-3
        Step size ("adam", "adagrad"); typically 1e-4 to 1e-2. No step makes a weight larger, so
        rate and number of steps decide where the weights end (docs/how_it_works/method.md, 4.1).
    batch_size : int, default=20
        Rows per step ("adam", "adagrad"); typically 20 to 200, and more than `n_clusters`. A step
        takes an eigenproblem of this size.
    max_iter : int, default=1000
        At most this many steps. "exact" takes 2 to 8 in the benchmarks; "adam" and "adagrad" mostly
        take them all, and time grows in proportion.
    tol : float, default=1e-6
        Relative change of the loss at which a solver stops; typically 1e-8 to 1e-3. A larger one
        saves steps and gives rougher weights.
    categories : "auto" or list of lists, default="auto"
        The values of each column, if they are known beforehand; others are then unknown. "auto"
        takes those that occur.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="ignore"
        What `transform` does about a value not seen in `fit`. An ignored one is neutral: it
        gets its column's mean vector. The other choices mean what they mean in
        :class:`~sklearn.preprocessing.OneHotEncoder`.
    min_frequency : int or float, default=None
        Values with less weight (int) or a lower share of it (float) are merged; typically 5 to 50,
        or 0.001 to 0.01. Merging saves time and memory, and loses what tells rare values apart.
    max_categories : int, default=None
        At most this many values per column, the merged rare ones included; typically 20 to 1,000.
        Learning takes time and memory that grow with the square of the number of all values or
        faster; columns with more than 500 values are approximated (see `kernel_errors`).
    ordered : "auto", False, sequence of str or mapping from columns to values, default="auto"
        Columns whose values have an order that counts. "auto": those whose values are ranges, such
        as "up to 25", "26 to 40" and "over 40" (what `Preparer` makes of numbers and dates), pandas
        ordered categoricals and polars Enums; of lazy tables, polars' types alone are known. A list
        names columns of numbers or dates besides, such as grades; a mapping has the values in their
        order: ``{"size": ["S", "M", "L"]}``. Missing cells, merged values and a few words among
        ranges ("refused") stand in the middle. Counts (`fit_counts`) know no types, so name their
        columns. False finds no order. Only the solver "auto" looks at it; it costs next to nothing.
    missing : {"value", "neutral"}, default="value"
        What a missing cell is. "value": a value like others, as its being missing often says
        something. "neutral": it says nothing; it is not counted, and stands at the mean of its
        column, as a value that was not seen in `fit` does. Where whole blocks of columns are
        missing together (:func:`untie.explain.missing_together`), as values they make groups of
        their own.
    output : {"compact", "full"}, default="compact"
        "compact": one column per value; "full": the coordinates that were weighed: values and
        branches of trees, up to 5 times as many, or with kernels one column per value and kernel
        space, as in the paper, up to 29 times as many. All distances and inner products are the
        same. A column with more than 500 values has shared axes besides or instead; see
        `kernel_errors`.
    n_components : int, default=None
        If given, `transform` returns the best representation in this many dimensions, at most the
        number of values; typically 2 to 64. It takes one more eigenproblem, makes vectors of many
        values short, and loses what the other dimensions hold.
    sparse_output : bool, default=False
        Whether `transform` returns a sparse array: it saves memory for columns with more than 500
        values, whose vectors are mostly 0, and takes more otherwise.
    dtype : dtype, default=numpy.float64
        Of the vectors: numpy.float64, or numpy.float32, which takes half the memory and keeps 7
        digits. Learning is in float64 either way.
    column_weights : mapping from columns to numbers, default=None
        Factors on the votes of columns, such as ``{"age": 2, "zip": 0}``; 1 where none is given.
        Typically 0.5 to 3: with 2, a column has twice the energy (the variance of the rows'
        vectors), compared to others. 0 is passive: the column is counted and described, but nothing
        is learned from it, and its values have no columns in `transform`. The columns of an array,
        which have no names, are x0, x1, ..., or are named by their positions. It costs nothing.
    purpose : {"clusters", "neighbors"}, default="clusters"
        What the vectors are for. "clusters": the representation is kept whose clusters describe the
        table best. "neighbors", for retrieval, look-alikes and nearest-neighbour models: the one
        whose nearest rows best predict the cells of a column that was hidden from the distance, of
        "halves", "values" and "kernels". In these, columns that have much in common with others
        count more and rare values do not; kernels have 50, 10 and 99 % of the energy. It draws
        nothing at random, needs no number of clusters, and takes about as long. `TableClusterer`
        makes clusters of such vectors, too. Only the solver "auto" looks at it.
    random_state : int, RandomState or None, default=None
        For "adam", "adagrad" and the starts of the clusters that "auto" compares; the other
        solvers draw nothing, and ``n_clusters="auto"`` has draws of its own. None is the seed 0.
    verbose : bool, default=False
        Whether `fit` says on standard error what it does, and how long each step took. It changes
        nothing else.

    Attributes
    ----------
    categories_ : list of arrays
        The values of each column; None is missing.
    infrequent_categories_ : list of arrays or None
        The values of each column that are merged.
    vocabulary_ : Vocabulary
        The values that the model sees, rare ones merged.
    counts_ : Counts
        How often they occur together, and each alone.
    n_clusters_ : int
        The number of clusters in use.
    k_choice_ : KChoice or None
        How the number was chosen, for ``n_clusters="auto"``.
    omega_ : array of shape (n_coordinates,)
        The learned weights; `weights` gives them names.
    loss_curve_ : list of float
        The solver's objective, step by step.
    n_iter_ : int
        Number of steps.
    gains_ : dict
        For the solver "auto": how well the clusters of "couplings" and "relevance" describe the
        table, in nats per row more than no clusters at all (-inf: the vectors have fewer distinct
        rows than clusters). With ``purpose="neighbors"``, how well the nearest rows
        of "halves", "values" and "kernels" predict hidden cells: shares of a column's entropy,
        summed over the columns, so that 1 is as much as one column wholly. The one in use comes
        first. Empty where there was nothing to compare: many columns have an order, or no more
        distinct rows than clusters.
    n_features_in_ : int
        Number of columns of the table, that of the weights excluded.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Their names, if the table has names.

    See Also
    --------
    Preparer : Makes any table one of categories first.
    TableClusterer : Clusters of the rows, with these vectors.
    choose_k : Chooses the number of clusters.
    count_table : Counts chunks of rows for `fit_counts`.
    load_model : Reads what `save` wrote.
    UNTIE.from_paper : The method as the paper prints it.

    References
    ----------
    C. Zhu, L. Cao, J. Yin, "Unsupervised Heterogeneous Coupling Learning for Categorical
    Representation", IEEE TPAMI, 2020; arXiv:2007.10720. docs/how_it_works/method.md
    says what of it the default has (4.5) and what not.

    Examples
    --------
    >>> import pandas as pd
    >>> from untie import UNTIE, TableEncoder
    >>> melons = pd.DataFrame({
    ...     "texture": ["clear", "blurry", "blurry", "clear", "blurry", "clear"],
    ...     "root": ["straight", "straight", "curled", "slight", "curled", "slight"],
    ... })
    >>> TableEncoder(n_clusters=2).fit_transform(melons).shape
    (6, 5)
    >>> kernels = UNTIE(n_clusters=2, solver="exact").fit(melons)
    >>> kernels.value_similarity("root").round(1)
              curled  slight  straight
    curled       8.1     5.0       6.2
    slight       5.0     8.1       6.2
    straight     6.2     6.2       7.5

    Vectors to find similar rows with need no number of clusters:

    >>> from untie.datasets import load
    >>> X, y = load("dermatology")
    >>> encoder = TableEncoder(purpose="neighbors").fit(X)
    >>> list(encoder.gains_)
    ['kernels', 'halves', 'values']
    """

    kind = "encoder"

    model_: Fitted
    grouping_: Grouping
    vocabulary_: Vocabulary
    categories_: list[NDArray[Any]]
    infrequent_categories_: list[NDArray[Any] | None]
    counts_: Counts
    n_clusters_: int
    omega_: FloatArray
    loss_curve_: FloatArray
    n_iter_: int
    gains_: dict[str, float]
    k_choice_: KChoice | None

    def __init__(
        self,
        n_clusters: int | str | None = None,
        *,
        couplings: Any = "auto",
        kernels: Any = "auto",
        normalization: Any = "diagonal",
        solver: str = "auto",
        tau: float = 8.0,
        learning_rate: float = 1e-3,
        batch_size: int = 20,
        max_iter: int = 1000,
        tol: float = 1e-6,
        categories: Any = "auto",
        handle_unknown: str = "ignore",
        min_frequency: float | None = None,
        max_categories: int | None = None,
        ordered: Any = "auto",
        missing: str = "value",
        output: str = "compact",
        n_components: int | None = None,
        sparse_output: bool = False,
        dtype: Any = np.float64,
        column_weights: Any = None,
        purpose: str = "clusters",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.couplings = couplings
        self.kernels = kernels
        self.normalization = normalization
        self.solver = solver
        self.tau = tau
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.categories = categories
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.ordered = ordered
        self.missing = missing
        self.output = output
        self.n_components = n_components
        self.sparse_output = sparse_output
        self.dtype = dtype
        self.column_weights = column_weights
        self.purpose = purpose
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def from_paper(cls, n_clusters: int, **parameters: Any) -> Self:
        """Return an encoder with the printed protocol, whatever the defaults become.

        Parameters
        ----------
        n_clusters : int
            Number of clusters; the paper takes the number of classes.
        **parameters
            Anything that the protocol leaves open, such as `random_state`.

        Returns
        -------
        TableEncoder
            Not fitted. It needs rows in memory and takes up to 1,000 steps.

        References
        ----------
        Zhu, Cao and Yin, arXiv:2007.10720.
        """
        protocol = {
            "couplings": ("intra", "inter"),
            "kernels": "paper",
            "normalization": "diagonal",
            "solver": "adam",
            "learning_rate": 1e-3,
            "batch_size": 20,
            "max_iter": 1000,
            "tol": 1e-6,
        }
        return cls(n_clusters, **{**protocol, **parameters})

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
            the same.
        y : ignored
        sample_weight : array of shape (n_rows,) or str, optional
            How often each row counts: survey weights, or counts of a table with distinct rows. A
            name is that of the column with the weights, which is then not learned from; lazy
            tables take a name only.

        Returns
        -------
        TableEncoder
            Itself.

        Raises
        ------
        ValueError
            When a parameter is wrong, there are more clusters than rows, the solver needs rows in
            memory but the table is lazy, or learning would take more than 4 GiB. The message names
            the column or parameter and the remedy.
        """
        self.fit_rows(X, sample_weight)
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
        rows = self.fit_rows(X, sample_weight)
        if rows is not None and rows.complete:
            return self.vector_task().compute(rows.codes)
        return self.transform(X)

    @one_at_a_time
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows; the result equals one `fit` on all of them.

        The counts of all values seen are kept, rare ones ungrouped, so memory is that of
        all pairs of values that occur, whatever `max_categories` says. Each call learns
        anew; to learn once from many chunks, add them up with :func:`untie.count_table` and
        call `fit_counts`. While there are fewer rows than `n_clusters`, each is a cluster.
        After the first call, a chunk without rows, or with weights of 0 alone, changes nothing.
        Threads that call it on one encoder wait for each other, and every row counts.

        The solver "auto" needs a sample of all rows. Where the earlier ones came without, from
        another solver or from `fit_counts`, a warning says so and the first representation is
        learned: "couplings", or "halves" for neighbours.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; the columns must be those of the first call.

        Returns
        -------
        TableEncoder
            Itself.
        """
        recipe = check_parameters(self)
        self._refuse_row_solvers("partial_fit")
        first = not hasattr(self, "model_")
        source = open_table(X)
        if not first:
            source = source.own_columns(fitted_columns(self), source.check_weight(sample_weight))
        options = CountOptions(
            sample_weight,
            self.categories,
            with_sample=recipe.needs_sample,
            known_as=None if first else self.grouping_.raw.columns,
        )
        try:
            chunk = source.count(options)
        except NoRowsError:
            if first:
                raise
            if not source.is_lazy:
                self._check_columns(read_table(split_weights(X, sample_weight)[0], min_rows=0))
            return self
        counted = chunk.ungrouped
        assert chunk.table is not None
        assert counted is not None  # nothing was merged
        if not first:
            self._check_columns(chunk.table)
        self._report(chunk.table, chunk.grouping, chunk.unknown)
        if not first:
            counted = self._counted_so_far().plus_chunk(counted)
        if recipe.chooses and counted.sample is None:
            warn_user(
                "No sample was kept of the rows learned before (with another solver, or by "
                "fit_counts without one), so solver='auto' can't compare and is "
                f"{recipe.yardstick.first!r}; start anew with solver='auto' to let it choose."
            )
        fitted = self._learn_counted(counted, recipe, is_growing=True, table=chunk.table)
        if first:
            self._remember(chunk.table)
        return self._adopt(fitted)

    @one_at_a_time
    def fit_counts(self, counted: CountedTable) -> Self:
        """Learn from counts and, if there is one, a sample of rows, as `fit` does from the table.

        Frames that the model returns are those of an array; see `value_vectors`.

        Parameters
        ----------
        counted : CountedTable
            What :func:`untie.count_table` gives, or a sum of them. Without a sample the solver
            "auto" has nothing to compare and learns "couplings" ("halves" for neighbours), and
            ``n_clusters="auto"`` is refused. The time depends on the number of values, not on that
            of the rows.

        Returns
        -------
        TableEncoder
            Itself.
        """
        recipe = check_parameters(self)
        self._refuse_row_solvers("fit_counts")
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
            Rows with the columns seen in `fit`. A lazy table, such as :func:`untie.scan` gives, may
            have others, too; they are not read.

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
        return open_table(X).map_rows(self.vector_task())

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
        right = None if B is None else as_now.codes(B)
        return as_now.model_.vectors.similarity(as_now.codes(A), right)

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
        vectors = self.model_.lookup.value_rows()
        names = self.get_feature_names_out().tolist()
        return frames.value_vectors(self.library_, self.vocabulary_, vectors, names)

    def value_similarity(self, column: str) -> Any:
        """Return a square, labelled frame with the similarity of a column's values.

        A row's similarity to another is the sum of these over the columns.

        What different values have depends on the representation (the first of `gains_`).
        "relevance" has a direction for each value, so it is 0 between any two, but in a column with
        an order. With "couplings" it is from 0 to the root of the product of their own, and tells
        which values are coupled alike: up to 0.7 of that root in the bundled data sets. Two values
        that are all of their column have 0. Kernels, such as those of ``solver="uniform"``, relate
        the values of any table.

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
        >>> from untie import UNTIE, TableEncoder
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
        attribute = self.vocabulary_.index_of(column)
        values = self.model_.vectors.value_similarity(attribute)
        return frames.square(self.library_, self.vocabulary_.labels(attribute), values)

    def weights(self) -> Any:
        """Return a frame with the weight of every kernel column.

        Columns: column, coupling, kernel, value, omega, and the paper's beta (of the
        kernel space) and alpha (of the value in it) with omega = beta * alpha^2, of which
        only the product is determined; beta is taken as omega's mean over the space.

        Returns
        -------
        frame
            One row per kernel column: by default 29 per value.
        """
        check_is_fitted(self)
        fitted = self.model_
        return frames.weights(
            self.library_, self.vocabulary_, fitted.labels, fitted.widths, self.omega_
        )

    def kernel_errors(self) -> Any:
        """Return a frame with what is missing from the kernels of columns with many values.

        The kernel matrices of such a column (more than 500 values) are not formed: a kernel is
        taken through landmarks, some of the values, and of that its leading axes are kept. Columns:
        column, coupling, kernel, axes (how many are kept) and error, the share of the centred
        kernel's trace that the axes do not give.

        Returns
        -------
        frame
            One row per such column and kernel space; empty without such columns, as the model is
            then exact.
        """
        check_is_fitted(self)
        fitted = self.model_
        return frames.errors(
            self.library_, self.vocabulary_, fitted.labels, fitted.widths, fitted.errors
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
        if input_features is not None:
            names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
            columns = tuple(map(str, names))
        lookup = self.model_.lookup
        if lookup.summed:
            return np.array([f"untie{i}" for i in range(lookup.n_columns)], dtype=object)
        # The values of a passive column have no columns of their own.
        pairs = zip(self.vocabulary_.values, self.model_.passive, strict=True)
        values = tuple(() if is_passive else values for values, is_passive in pairs)
        vocabulary = Vocabulary(columns, values)
        if lookup is self.model_.vectors:
            return np.array(frames.compact_names(vocabulary, *self.model_.axes()), dtype=object)
        full = frames.full_names(vocabulary, self.model_.labels, self.model_.widths)
        return np.array(full, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = [np.dtype(self.dtype).name]
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def fit_rows(self, X: Any, sample_weight: Any = None, is_prepared: bool = False) -> Rows | None:
        """Learn from a table as `fit` does, and return its coded rows if they are in memory.

        Of one that a `Preparer` has made there is no warning of columns that one should prepare.
        """
        recipe = self._check_parameters()
        source = open_table(X)
        if source.is_lazy:
            self._refuse_row_solvers("fit on a table that is read piece by piece")
        with stage("Counting the values", bool(self.verbose)):
            counted = source.count(self._count_options(recipe, sample_weight))
        assert counted.table is not None
        self._report(counted.table, counted.grouping, counted.unknown, is_prepared)
        with stage("Learning their vectors", bool(self.verbose)):
            fitted = fit_counted(counted, recipe, self.output, self.n_components)
        self._remember(counted.table)
        self._adopt(fitted)
        return counted.rows

    def _check_parameters(self) -> Recipe:
        return check_parameters(self)

    def _count_options(self, recipe: Recipe, sample_weight: Any = None) -> CountOptions:
        return CountOptions(
            sample_weight,
            self.categories,
            self.min_frequency,
            self.max_categories,
            recipe.n_spaces,
            recipe.needs_sample,
            missing_is_value=self.missing == VALUE,
        )

    def _learn_counted(
        self,
        counted: CountedTable,
        recipe: Recipe,
        is_growing: bool = False,
        table: Table | None = None,
    ) -> Fitted:
        grouped = tally_counted(counted, self._count_options(recipe), is_growing, table)
        return fit_counted(grouped, recipe, self.output, self.n_components)

    def _counted_so_far(self) -> CountedTable:
        if self.model_.ungrouped is None:
            raise ValueError(
                "partial_fit can't continue a fit that merged rare values of a table with too many "
                "values to count one by one; start with partial_fit."
            )
        return self.model_.ungrouped

    def _adopt(self, fitted: Fitted) -> Self:
        choice = fitted.k_choice
        infrequent = frames.value_arrays(fitted.grouping.infrequent_values())
        learned = {
            "model_": fitted,
            "grouping_": fitted.grouping,
            "vocabulary_": fitted.grouping.vocabulary,
            "categories_": frames.value_arrays(fitted.grouping.raw.values),
            "infrequent_categories_": [values if len(values) else None for values in infrequent],
            "counts_": fitted.counts,
            "n_clusters_": fitted.n_clusters,
            "omega_": fitted.solution.omega,
            "loss_curve_": fitted.solution.loss_curve,
            "n_iter_": fitted.solution.n_iter,
            "gains_": dict(fitted.gains),
            "k_choice_": None if choice is None else replace(choice, library=self.library_),
        }
        # In one step: a thread that transforms meanwhile sees the old model or the new one.
        self.__dict__.update(learned)
        return self

    def _fitted_state(self) -> State:
        return State({"library": self.library_}).plus("model", fitted_state(self.model_))

    def _restore(self, state: State) -> None:
        self.library_ = state.content["library"]
        self._adopt(read_fitted(state.part("model")))

    def vector_task(self) -> VectorTask:
        """Return what `transform` does, as it is now, for an engine to run.

        Learning more later replaces the encoder's parts and does not change these.
        """
        as_now = copy(self)
        return VectorTask(
            as_now,
            as_now.model_.lookup,
            as_now.get_feature_names_out,
            np.dtype(self.dtype),
            self.sparse_output,
            _get_output_config("transform", self)["dense"],
        )

    def _refuse_row_solvers(self, method: str) -> None:
        if self.solver in ROW_SOLVERS:
            raise ValueError(
                f"{method} learns from counts, but solver={self.solver!r} draws rows; use fit, "
                "or another solver such as 'auto' or 'exact'."
            )


UNTIE = TableEncoder
