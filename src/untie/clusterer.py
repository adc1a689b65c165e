"""TableClusterer: a table in, labels out."""

from copy import copy
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    clone,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from untie._base import (
    LabelTask,
    PreparedInput,
    ProbabilityTask,
    sample_source,
    see_as,
    walk_source,
    warn_of_unknown_rows,
)
from untie._count.crosstab import find_entries
from untie._count.memory import SAMPLE_ROWS
from untie._count.packed_rows import PackedRows, distinct_rows
from untie._count.row_sample import RowSample, in_canonical_order
from untie._count.tally import sample_heard
from untie._encoder_base import EncoderBase
from untie._engines.memory import MemorySource
from untie._engines.registry import open_table
from untie._engines.source import Source
from untie._learn.clustering import lloyd
from untie._learn.clustering.classification_em import (
    MOST_REASSIGNMENTS,
    cells_of,
    find_by_em,
    reassign_rows,
    sampled_cells_of,
)
from untie._learn.clustering.points import AXES
from untie._learn.clustering.probabilities import LIKELIHOOD, find_sharpness
from untie._learn.clustering.typical import typical_values
from untie._learn.parameters import AUTO
from untie._learn.selection.choose_k import AUTO_KS, AUTO_SEED, N_SPLITS, choose_number
from untie._learn.selection.k_choice import STABLE, KChoice, Verdict
from untie._persistence.models import Savable
from untie._table.rows import check_weights, split_weights
from untie._util import notebook
from untie._util.checks import check_integer, draws_of, knows_owners
from untie._util.messages import stage, warn_user
from untie._util.threads import one_thread
from untie._util.types import Codes, FloatArray
from untie.encoder import TableEncoder
from untie.export import ExportableClusterer
from untie.preparer import (
    PreparedRows,
    Preparer,
    prepare_rows,
    unfitted_preparer,
    weights_beside_totals,
)
from untie.untie_method import UNTIE

LAZY_PASSES = 3
"""The means of a lazy table take at most this many passes, and the moves of its rows as many again;
each reads all of it."""

KEPT_COUNTS = 10**6
"""At most so many counts of values in clusters are kept, for notebooks to show the clusters."""


class TableClusterer(
    ExportableClusterer,
    Savable,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    PreparedInput,
):
    """Find clusters of similar rows: a table in, labels out.

    It takes a table as it is: numbers and dates are binned, ids, free text and constants are left
    out (`preparer`), and an encoder learns vectors of the rows. k-means makes clusters of them: the
    means of the best of `n_init` starts on at most 2,000 distinct rows are refined by passes over
    all rows until nothing changes. Then every row joins the cluster in which its cells are
    likeliest, again and again, as long as the clusters describe the table better: k-means alone
    splits a large cluster next to small ones. Where EM on the sampled rows finds clusters that
    describe them better, these are refined instead. A row's cluster need not be that of the nearest
    mean, therefore. Where "auto" finds stable clusters only on the axes of multiple correspondence
    analysis, it begins with those (`k_choice_.made_of`).

    The result does not depend on the order of rows and columns, nor, up to 2,000 distinct rows, on
    the names of values and columns. Clusters are numbered by size; the largest is 0.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters, typically 2 to 20 and at most 2,000; time grows in proportion. "auto"
        chooses by :func:`untie.choose_k`, which takes some hundred runs of k-means on a sample, and
        `k_choice_` has the evidence. A table with fewer distinct rows has one
        cluster per distinct row.
    encoder : TableEncoder or UNTIE, default=None
        Learns the vectors; it is cloned. None is ``TableEncoder()`` with the clusterer's
        `n_clusters` and `random_state`, which an encoder gets where its own are None. Clusters are
        made of its compact vectors, whatever `output`, `n_components` and `dtype` it has.
    preparer : "auto", Preparer or None, default="auto"
        Prepares the table before it is learned from, and new rows in `predict`. "auto" is
        ``Preparer()``, or what the `encoder` has as its own `preparer`; pass a `Preparer` with
        other options, such as ``Preparer(bins=10)``, of which a clone is fitted.
        ``preparer_.decisions()`` shows what was done to each column. It takes one more pass over
        the rows. None takes every column and cell as it is.
    n_init : int or "auto", default="auto"
        Number of starts of k-means, typically 10 to 100. More find a lower inertia at times; time
        on the sample grows in proportion. "auto" takes 60, and fewer where each takes long.
    max_iter : int, default=300
        Maximum number of passes over the rows for the means, typically 10 to 300, and at most 20 of
        as many again for the refinement; over a lazy table, which is read anew each time, at most 3
        of either.
    random_state : int, RandomState or None, default=0
        For the starts. None is the seed 0. The number of clusters is chosen with draws of its own,
        so that it is the table's and not the seed's.
    verbose : bool, default=False
        Whether `fit` writes to standard error what it does, and how long each step took; the
        encoder does so, too. It changes nothing else.

    Attributes
    ----------
    labels_ : array of shape (n_rows,)
        The cluster of each row, also of those without cells; ``subclusters(clusterer, X).labels``
        of :func:`untie.explain.subclusters` has finer ones. Not after `fit` on a lazy table, whose
        labels may not fit in memory: `predict` streams them.
    n_clusters_ : int
        Number of clusters.
    cluster_centers_ : array of shape (n_clusters, n_compact_columns)
        The means of the clusters' compact vectors: one column per value, and axes for columns with
        more than 500.
    inertia_ : float
        Weighted sum of squared distances of the rows to the means of their clusters.
    n_iter_ : int
        Number of passes over the rows, for means and moves.
    encoder_ : TableEncoder or UNTIE
        The fitted encoder, of rows that ``preparer_.transform(X)`` returns.
    preparer_ : Preparer or None
        The fitted preparer, if there is one.
    k_choice_ : KChoice or None
        How the number was chosen, if it was.
    cluster_radius_ : ClusterRadius
        How far rows are from the mean of their cluster: `farthest` has the distance that 99 % of
        the rows of each keep within (of at most 2,000 distinct rows), and a row that is farther
        from every mean is unlike any cluster: see :func:`untie.explain.assignments`.
    n_features_in_ : int
        Number of columns of the table, that of the weights excluded.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Their names, if the table has names.

    See Also
    --------
    TableEncoder : The vectors alone.
    Preparer : What `preparer` does.
    choose_k : How the number of clusters is chosen.
    untie.explain.verdict : Whether there are clusters, and what they rest on.
    untie.explain.cluster_profile : What makes each cluster.
    untie.explain.subclusters : Smaller clusters within the clusters, where these divide.
    load_model : Reads what `save` wrote.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> from untie.datasets import load
    >>> X, y = load("zoo")
    >>> clusterer = TableClusterer().fit(X)
    >>> clusterer.n_clusters_, clusterer.labels_.shape
    (4, (101,))
    >>> X[clusterer.labels_ == 0].head(3).hair.tolist()
    ['1', '1', '1']
    >>> clusterer.predict(X.head(3)).tolist()
    [0, 0, 1]

    What is learned, and from which columns, is said to the encoder and the preparer:

    >>> from untie import Preparer, TableEncoder
    >>> encoder = TableEncoder(column_weights={"legs": 2})
    >>> clusterer = TableClusterer(encoder=encoder, preparer=Preparer(drop=["tail"])).fit(X)
    """

    _kind = "clusterer"

    @knows_owners(encoder=TableEncoder, preparer=Preparer)
    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        encoder: TableEncoder | UNTIE | None = None,
        preparer: Preparer | str | None = "auto",
        n_init: int | str = AUTO,
        max_iter: int = 300,
        random_state: Any = 0,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.encoder = encoder
        self.preparer = preparer
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters of a table's rows.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, an array or a list of rows. Or a lazy table, which is
            read piece by piece and may be larger than memory: what :func:`untie.scan` gives, a
            DuckDB relation, a polars LazyFrame, a pyarrow Dataset, a Dask or Spark frame, whose
            rows stay with the workers. It is read once for the counts and a sample (twice where the
            encoder merges rare values of very many, and once more for the sample where it merges
            values, or has supplementary columns and more than 2,000 distinct rows), up to four
            times for the means and three for the refinement, and once more to be prepared (with
            workers, twice: the first time to count the rows of each partition). So it is read at
            most 12 times, and typically 6.
        y : ignored
        sample_weight : array of shape (n_rows,) or str, optional
            How often each row counts, or the column that says so; lazy tables take a name only.

        Returns
        -------
        TableClusterer
            Itself.

        Raises
        ------
        ValueError
            When a parameter is wrong, or a lazy table can be read only once.
        """
        self._fit_rows(open_table(X), sample_weight)
        return self

    def _fit_rows(self, source: Source, sample_weight: Any) -> tuple[Any, Any]:
        """Find the clusters of rows; return those in memory as the encoder sees them, and weights.

        Lazy rows are not returned.
        """
        self._check_parameters()
        encoder = self._new_encoder()
        if source.is_lazy:
            self._fit_lazy(encoder, source, sample_weight)
            return None, None
        preparer = self._new_preparer()
        return self._fit_ready(
            encoder, prepare_rows(preparer, source, sample_weight, bool(self.verbose))
        )

    def _fit_ready(self, encoder: EncoderBase, ready: PreparedRows) -> tuple[Any, Any]:
        """Find the clusters of prepared rows in memory; return what `_fit_rows` does."""
        (data,) = ready.rows.pieces()
        rows, weights = split_weights(data, ready.weight)
        counted, sample = encoder._fit_rows(MemorySource(rows), weights, ready.preparer)
        assert counted is not None  # the table is in memory
        with stage("Finding the clusters", bool(self.verbose)), one_thread():
            self._learn_codes(encoder, counted.codes, counted.weights, sample)
        self._see(ready.preparer, encoder)
        self._labels: NDArray[np.int32] | None = self._label(
            counted.codes if counted.complete else encoder._codes(rows)
        )
        return rows, weights

    def _fit_codes(
        self,
        encoder: EncoderBase,
        codes: Codes,
        weights: FloatArray | None = None,
        choice: KChoice | None = None,
    ) -> Self:
        """Find the clusters of coded rows with an encoder that is fitted, and stays as it is.

        Parameters
        ----------
        encoder : TableEncoder
            Fitted; `encoder` of this clusterer is not used.
        codes : list of integer arrays of shape (n_rows,)
            The rows, as the encoder codes them.
        weights : array of shape (n_rows,), optional
            How often each row counts.
        choice : KChoice, optional
            How many clusters there are and what they are made of, if that is known.

        Returns
        -------
        TableClusterer
            Itself.
        """
        self._check_parameters()
        positive, keep = check_weights(weights, len(codes[0]))
        counted = codes if keep is None else [column[keep] for column in codes]
        with one_thread():
            self._learn_codes(encoder, counted, positive, None, choice)
        self._see(encoder.preparer_, encoder)
        self.encoder_ = encoder._of_prepared()
        self._labels = self._label(codes)
        return self

    def predict(self, X: Any) -> Any:
        """Return the cluster of each row: the likeliest, the first of equal ones.

        It is the cluster in which the row's cells are likeliest. Where `fit` kept the clusters of
        k-means, it is that of the nearest mean. Rows in memory in which every cell is missing or
        unknown to the model are counted in a warning; :func:`untie.explain.assignments` says more.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`, in memory or lazy.

        Returns
        -------
        array of shape (n_rows,)
            For a lazy table, a pyarrow RecordBatchReader with one column, "cluster": rows are read
            and labeled as it is iterated, and keep their order. For a Dask frame, a Dask series,
            and for a Spark frame that frame with a column "cluster"; nothing is computed yet.
        """
        check_is_fitted(self)
        return self._map_rows(X, self._label_task())

    def predict_proba(self, X: Any) -> Any:
        """Return how probable each cluster is for each row.

        `predict` returns the most probable one, the first of equals. The probability of a cluster
        is its share of the rows times the likelihood of the row's cells in it, divided by the sum
        over all clusters; redundant columns share one weight in the likelihood. Where `fit` kept
        the clusters of k-means, it falls with the squared distance to the mean instead, at the rate
        that agrees best with these likelihoods. Cells that are unknown to the model say nothing in
        the likelihood, so a row without known cells has the clusters' shares.

        Where clusters are distinct, probabilities are calibrated: of the rows with a probability of
        80%, about 80% are in the right cluster. Where clusters overlap much, they are too high.
        Probabilities compare the clusters with each other, so a row that fits none of them may have
        one near 1. :func:`untie.explain.assignments` flags such rows.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`, in memory or lazy.

        Returns
        -------
        array of shape (n_rows, n_clusters)
            Each row sums to 1. For a lazy table, a pyarrow RecordBatchReader with one column per
            cluster, "cluster0", "cluster1" and so on: rows are read as it is iterated, and keep
            their order. For a Dask frame, a Dask frame with these columns, and for a Spark frame
            that frame with these columns added; nothing is computed yet.

        Examples
        --------
        >>> from untie import TableClusterer
        >>> from untie.datasets import load
        >>> X, y = load("zoo")
        >>> clusterer = TableClusterer().fit(X)
        >>> clusterer.predict_proba(X.iloc[[0, 74, 90]]).round(2)
        array([[1.  , 0.  , 0.  , 0.  ],
               [0.37, 0.63, 0.  , 0.  ],
               [0.2 , 0.06, 0.66, 0.08]])
        """
        check_is_fitted(self)
        return self._map_rows(X, self._probability_task())

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Find the clusters of a table's rows and return the labels.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        array of shape (n_rows,)
            As `predict` returns it.
        """
        self.fit(X, sample_weight=sample_weight)
        return self.predict(X) if open_table(X).is_lazy else self.labels_

    def transform(self, X: Any) -> FloatArray:
        """Return the distance of each row to each cluster's mean.

        The nearest mean need not be that of the row's cluster, which is the likeliest one.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns seen in `fit`, in memory.

        Returns
        -------
        array of shape (n_rows, n_clusters)
        """
        check_is_fitted(self)
        space = self.encoder_._model.space
        return lloyd.all_distances(
            space, PackedRows(self._codes(X), space.n_codes), self._centers()
        )

    @property
    def labels_(self) -> NDArray[np.int32]:
        """The cluster of each row."""
        check_is_fitted(self)
        if self._labels is None:
            raise AttributeError(
                "labels_ is not kept after fit on a lazy table, whose rows may be more than memory "
                "holds; call predict, which streams them."
            )
        return self._labels

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "cluster_centers_")

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + self._clusters_in_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:  # scikit-learn's setting may ask for text alone
            bundle["text/html"] += self._clusters_in_html()
        return bundle

    def _clusters_in_html(self) -> str:
        """Return what a notebook shows below scikit-learn's box: the clusters, once fitted."""
        if not self.__sklearn_is_fitted__():
            return ""
        n, choice = self.n_clusters_, self.k_choice_
        title = f"{n} cluster{'' if n == 1 else 's'} of similar rows"
        said = "explain.verdict(clusterer, X) says whether they are there and stable."
        if choice is not None:
            title = Verdict(n, False, choice).headline
            said = (
                f"Clusters made from half of the rows agree with these by {choice.agreement:.2f} "
                f"(adjusted Rand index); stable ones do by {STABLE} or more."
            )
        clusters = notebook.table("Clusters, the largest first", self._clusters())
        return notebook.block(f"{title}.", clusters, notebook.paragraph(said))

    def _clusters(self) -> dict[str, list[Any]]:
        """Return each cluster with its size, its share of the rows and its typical values."""
        counts = getattr(self, "_contents", None)  # a model file has none
        if counts is None:
            return {}
        model, vocabulary = self.encoder_._model, self.encoder_.vocabulary_
        orders = model.orders or [None] * len(counts)
        learned = np.flatnonzero(~np.asarray(model.passive, dtype=bool)).tolist()
        entries = [
            find_entries(counts[column][:, :-1], vocabulary.labels(column), orders[column])
            for column in learned
        ]
        sizes = counts[0].sum(axis=1)
        typical = [
            "; ".join(
                f"{notebook.cut(vocabulary.columns[learned[one.column]])}: "
                f"{notebook.cut(one.value)} ({one.share:.0%})"
                for one in values
            )
            for values in typical_values(entries, sizes)
        ]
        return {
            "cluster": [str(number) for number in range(len(sizes))],
            "size": sizes.tolist(),
            "share": [f"{share:.0%}" for share in sizes / sizes.sum()],
            "typical values": typical,
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _restore(self, learned: dict[str, Any]) -> None:
        super()._restore(learned)
        self.n_clusters_ = len(self.cluster_centers_)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _fit_lazy(self, encoder: EncoderBase, source: Source, sample_weight: Any) -> None:
        if source.is_one_shot:
            raise ValueError(
                f"Clusters need several passes over the rows, but {source.origin} can be read only "
                "once; pass what can be read again, such as untie.scan(...) or a pyarrow Dataset."
            )
        weight = source.check_weight(sample_weight)
        ready = prepare_rows(self._new_preparer(), source, weight, bool(self.verbose))
        rows, weight = ready.rows, ready.weight
        _, sample = encoder._fit_rows(rows, weight, ready.preparer)
        with stage("Finding the clusters", bool(self.verbose)), one_thread():
            sample = sample_source(encoder, rows, weight) if sample is None else sample
            walk = partial(walk_source, encoder, rows, weight)
            self._learn(encoder, sample, walk, LAZY_PASSES, LAZY_PASSES)
        self._see(ready.preparer, encoder)
        self._labels = None

    def _see(self, preparer: Preparer | None, encoder: EncoderBase) -> None:
        """Remember the columns of the table, and what prepares them."""
        see_as(self, encoder if preparer is None else preparer)
        self.preparer_ = preparer

    def _learn_codes(
        self,
        encoder: EncoderBase,
        codes: Codes,
        weights: FloatArray | None,
        sample: RowSample | None,
        choice: KChoice | None = None,
    ) -> None:
        """Find clusters of coded rows with a fitted encoder; they are sampled if they were not."""
        vocabulary, model = encoder.vocabulary_, encoder._model
        if sample is None:
            heard = sample_heard(codes, vocabulary, weights, model.unlearned)
            sample = in_canonical_order(heard, model.orders)
        n_codes = model.space.n_codes
        kinds = distinct_rows(codes, n_codes, weights)
        walk = partial(lloyd.walk_rows, PackedRows(kinds.codes, n_codes), kinds.weights)
        self._learn(encoder, sample, walk, int(self.max_iter), MOST_REASSIGNMENTS, choice)

    def _learn(
        self,
        encoder: EncoderBase,
        sample: RowSample,
        walk: lloyd.Walk,
        most_passes: int,
        most_moves: int,
        choice: KChoice | None = None,
    ) -> None:
        """Choose the number of clusters, start on the sample and walk over all rows."""
        _check_several(encoder)
        choice, k = (choice, choice.k) if choice else self._number(encoder, sample)
        model = encoder._model
        space, max_iter = model.space, int(self.max_iter)
        seed = draws_of(self.random_state).randint(2**31 - 1)
        n_starts = None if self.n_init == AUTO else int(self.n_init)
        cells, first_costs = cells_of(model), None
        sampled = sampled_cells_of(model, sample)
        is_on_axes = choice is not None and choice.made_of == AXES
        if is_on_axes:
            points_of = model.points_on_axes(sample.codes, k)
            points = points_of(np.arange(len(sample.weights)), sample.weights)(k)
        else:
            points = lloyd.sample_vectors(model.vectors, sample)
        begun = lloyd.first_clusters(points, sample, space.n_codes, k, n_starts, seed)
        likeliest = begun if is_on_axes else find_by_em(begun, sample, sampled)
        if likeliest is not None:
            first_costs = lloyd.ties_apart(sampled.costs(likeliest))
            found, n_iter = walk(first_costs), 1
        if likeliest is None or not found.sizes.all():
            first_costs = None
            centers = space.centers(begun.counts)
            passes = min(max_iter, most_passes)
            centers, found, n_iter, settled = lloyd.refine(space, centers, walk, passes)
            if not settled and passes == max_iter:
                warn_user(
                    f"The means still moved after max_iter={max_iter} passes; raise it.",
                    ConvergenceWarning,
                )
        costs, found, n_moves = reassign_rows(found, cells, walk, min(max_iter, most_moves))
        costs = first_costs if costs is None else costs
        if costs is not None:
            centers = space.centers(found.counts)
        order = lloyd.largest_first(
            costs or lloyd.distance_costs(space, centers), found.sizes, sample
        )
        ordered = [part[order] for part in centers]
        self.encoder_, self.k_choice_ = encoder, choice
        self._costs = costs and [table[:, order] for table in costs]
        self.cluster_centers_ = np.hstack(ordered)
        self.n_clusters_ = len(self.cluster_centers_)
        self.inertia_, self.n_iter_ = lloyd.inertia_of(space, centers, found), n_iter + n_moves
        counts = [joint[order] for joint in found.counts]
        is_small = sum(joint.size for joint in counts) <= KEPT_COUNTS
        self._contents: list[FloatArray] | None = counts if is_small else None
        into = self._costs or lloyd.distance_costs(space, ordered)
        self._sharpness = LIKELIHOOD
        if self._costs is None:
            self._sharpness = find_sharpness(into, cells.costs(lloyd.Pass(counts)), sample)
        self.cluster_radius_ = lloyd.find_cluster_radius(space, ordered, counts, into, sample)

    def _number(self, encoder: EncoderBase, sample: RowSample) -> tuple[KChoice | None, int]:
        """Return the number of clusters, and how it was chosen."""
        vectors = encoder._model.vectors
        if self.n_clusters == "auto" and encoder.n_clusters == "auto":
            return encoder.k_choice_, encoder.n_clusters_
        n_distinct = lloyd.count_distinct(lloyd.sample_vectors(vectors, sample))
        if self.n_clusters == "auto":
            if n_distinct <= AUTO_KS[0]:
                return None, n_distinct
            draws = draws_of(AUTO_SEED)
            model, library = encoder._model, encoder._library
            columns = encoder.vocabulary_.columns
            given = (vectors, model.coarse, model.attributes, sample, columns)
            methods = encoder._recipe().methods
            votes = model.sampled_votes
            choice = choose_number(*given, None, N_SPLITS, draws, methods, library, votes=votes)
            return choice, choice.k
        k = int(self.n_clusters)
        if k > n_distinct and n_distinct < SAMPLE_ROWS:
            warn_user(
                f"The table has {n_distinct} distinct rows but {k} clusters are asked for; each "
                "distinct row is a cluster. Lower n_clusters.",
                ConvergenceWarning,
            )
        elif k > n_distinct:
            raise ValueError(f"n_clusters={k} is more than {SAMPLE_ROWS}; ask for fewer clusters.")
        return None, min(k, n_distinct)

    def _new_encoder(self) -> EncoderBase:
        """Return the encoder to fit, of prepared rows; what it leaves open is the clusterer's."""
        encoder = TableEncoder(random_state=None) if self.encoder is None else clone(self.encoder)
        for name in ("n_clusters", "random_state"):
            if getattr(encoder, name) is None:
                encoder.set_params(**{name: getattr(self, name)})
        if isinstance(encoder, TableEncoder):
            encoder.set_params(preparer=None)
        if self.verbose:
            encoder.set_params(verbose=self.verbose)
        return encoder

    def _new_preparer(self) -> Preparer | None:
        """Return what prepares tables, not fitted yet, if they are to be prepared."""
        of_encoder = self.encoder.preparer if isinstance(self.encoder, TableEncoder) else AUTO
        given, of_encoder = unfitted_preparer(self.preparer), unfitted_preparer(of_encoder)
        return of_encoder if isinstance(self.preparer, str) else given

    def _codes(self, X: Any, reported: set[str] | None = None) -> Codes:
        """Code the rows of a table; as `TableInput` does."""
        return self.encoder_._codes(self._seen(X).source, reported)

    def _map_rows(self, X: Any, task: LabelTask | ProbabilityTask) -> Any:
        """Return what a task makes of the rows of a table, in the form of the table's engine."""
        source = open_table(X)
        if source.is_lazy:
            return source.map_rows(task)
        rows = self._seen(X).source
        codes = self.encoder_._codes(rows)
        warn_of_unknown_rows(self.encoder_, rows, codes, weights_beside_totals(self.preparer_, X))
        return task.compute(codes)

    def _label(self, codes: Codes) -> NDArray[np.int32]:
        return self._label_task().compute(codes)

    def _probabilities(self, codes: Codes) -> FloatArray:
        return self._probability_task().compute(codes)

    def _label_task(self) -> LabelTask:
        return LabelTask(self._without_labels(), self._costs_now())

    def _probability_task(self) -> ProbabilityTask:
        return ProbabilityTask(self._without_labels(), self._costs_now(), self._sharpness)

    def _costs_now(self) -> lloyd.Costs:
        """Return what decides the clusters: minus log likelihoods, or distances to the means."""
        return self._costs or lloyd.distance_costs(self.encoder_._model.space, self._centers())

    def _without_labels(self) -> Self:
        """Return the clusterer as it is now, without the labels, which workers need not get."""
        as_now = copy(self)
        as_now._labels = as_now._contents = None
        return as_now

    def _centers(self) -> lloyd.Centers:
        return lloyd.split_columns(self.cluster_centers_, self.encoder_._model.vectors)

    def _check_parameters(self) -> None:
        if self.n_clusters != "auto":
            check_integer("n_clusters", self.n_clusters, 1, "a positive integer or 'auto'")
        if self.n_init != AUTO:
            check_integer("n_init", self.n_init, 1, "a positive integer or 'auto'")
        check_integer("max_iter", self.max_iter, 1, "a positive integer")
        if not isinstance(self.encoder, TableEncoder | UNTIE | None):
            raise TypeError(
                "encoder must be a TableEncoder, a UNTIE or None, got "
                f"{type(self.encoder).__name__}."
            )
        both = (self.preparer, getattr(self.encoder, "preparer", None))
        if all(isinstance(preparer, Preparer) for preparer in both):
            raise ValueError(
                "preparer and the encoder's own preparer are both given; keep one of them, as a "
                "table is prepared once."
            )
        self._new_preparer()


def _check_several(encoder: EncoderBase) -> None:
    """Refuse clusters of a single column, which are no more than its values."""
    pairs = zip(encoder.vocabulary_.columns, encoder._model.passive, strict=True)
    columns = [name for name, is_passive in pairs if not is_passive]
    if len(columns) < 2:
        raise ValueError(
            f"Clusters need several columns, but only {columns[0]!r} is learned from: 1 feature(s) "
            "while a minimum of 2 is required. Pass more columns, or leave out fewer; the clusters "
            "of a single column are its values."
        )


def fit_prepared(
    clusterer: TableClusterer, rows: Any, weights: Any, preparer: Preparer | None
) -> TableClusterer:
    """Find the clusters of rows in memory that a fitted preparer has made, as of raw rows."""
    clusterer._check_parameters()
    clusterer._fit_ready(
        clusterer._new_encoder(), PreparedRows(preparer, MemorySource(rows), weights)
    )
    return clusterer


def label_rows(
    clusterer: TableClusterer, rows: Any, weights: FloatArray | None = None
) -> NDArray[np.int32]:
    """Return the clusters of prepared rows in memory; warn of rows that count but are all unknown.

    Parameters
    ----------
    clusterer : TableClusterer
        Fitted.
    rows : table of shape (n_rows, n_columns)
        As the encoder sees them.
    weights : array of shape (n_rows,), optional
        How often each counts.
    """
    codes = clusterer.encoder_._codes(rows)
    warn_of_unknown_rows(clusterer.encoder_, rows, codes, weights)
    return clusterer._label(codes)
