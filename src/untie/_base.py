"""What every estimator does with a table: reads it, remembers its columns, codes its rows.

Tasks carry what an engine does with the rows of a lazy table, piece by piece.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from untie._count.chunked import PiecePlace
from untie._count.grouping import Grouping
from untie._count.row_sample import RowSample, in_canonical_order
from untie._count.tally import sample_heard
from untie._engines.source import A, Source
from untie._learn.clustering.lloyd import Costs, Pass, cheapest, pack, walk_rows
from untie._learn.clustering.probabilities import cluster_probabilities
from untie._learn.nearest import Nearest, Search
from untie._learn.parameters import AUTO, check_handle_unknown
from untie._learn.vectors import LookUp
from untie._prepare.unprepared import warn_of_unprepared
from untie._table import frames
from untie._table.column_codes import factorize
from untie._table.names import listed
from untie._table.rows import encode, positive_weights, read_weights, split_weights
from untie._table.table import NO_ROWS, NO_WEIGHT, NoRowsError, Table, read_table
from untie._table.vocabulary import INFREQUENT, Vocabulary, handle_unknown_values, joins_rare_values
from untie._util.about import DOCUMENTATION
from untie._util.messages import warn_user
from untie._util.types import BoolArray, Codes, FloatArray, IntArray, Value


def see_columns(estimator: BaseEstimator, table: Table) -> None:
    """Remember the number and the names of a table's columns, as scikit-learn does."""
    if table.is_structured:  # which has no names to scikit-learn
        estimator.feature_names_in_ = np.array(table.names, dtype=object)
        estimator.n_features_in_ = len(table.names)
    else:
        validate_data(estimator, table.source, reset=True, skip_check_array=True)


def see_as(estimator: BaseEstimator, other: BaseEstimator) -> None:
    """Remember the columns that another estimator has seen."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(other, name):
            setattr(estimator, name, getattr(other, name))
        elif hasattr(estimator, name):
            delattr(estimator, name)


def check_seen(estimator: BaseEstimator, table: Table) -> None:
    """Refuse a table with other columns than those that were seen in `fit`."""
    source = table.source
    if table.is_structured:
        seen = getattr(estimator, "feature_names_in_", None)
        if seen is not None and tuple(seen) == table.names:
            return
        if seen is not None:
            raise ValueError(
                "The feature names should match those that were passed during fit: "
                f"{listed(seen)}; the structured array has {listed(table.names)}. Select and "
                "order its fields by name."
            )
        source = np.empty((0, len(table.names)))
    try:
        validate_data(estimator, source, reset=False, skip_check_array=True)
    except ValueError as error:
        remedy = "Pass rows with the columns of the table that was passed to fit, in their order."
        raise ValueError(f"{error} {remedy}") from error


class TakesTables(BaseEstimator):
    """Base of estimators that take tables of any library, with cells of any kind."""

    _doc_link_module = "untie"
    _doc_link_template = DOCUMENTATION + "reference/generated/{package}.{name}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        """Return what the link from scikit-learn's HTML of an estimator to our page is made of."""
        kind = type(self)
        package, _, module = kind.__module__.rpartition(".")
        return {"package": package if module.startswith("_") else "untie", "name": kind.__name__}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags

    def _columns_read(self) -> list[str] | None:
        """Return the columns that new rows must have, by name; None if they had no names."""
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else names.tolist()


class TableInput(TakesTables):
    """Base of estimators that learn from a table of categories.

    A subclass has a parameter `handle_unknown` and, once fitted, a `_grouping`.
    """

    handle_unknown: str
    _grouping: Grouping
    _library: str

    def _remember(self, table: Table) -> None:
        """Take over a table's columns; called last, so that a failed fit changes nothing."""
        see_columns(self, table)
        self._library = table.backend

    def _codes(self, X: Any, reported: set[str] | None = None) -> Codes:
        """Code the rows of a table with the values seen in `fit`.

        Parameters
        ----------
        X : table
            The rows.
        reported : set of str, optional
            For tables that come in chunks: columns whose unknown values were reported, and need
            not be again. More are added.

        Returns
        -------
        list of integer arrays of shape (n_rows,)
            One array per column.
        """
        table = read_table(X, min_rows=0)
        check_seen(self, table)
        return self._code(table, reported)

    def _code(self, table: Table, reported: set[str] | None) -> Codes:
        """Code a table whose columns are those that were learned from."""
        check_handle_unknown(self.handle_unknown)
        encoded = encode(table, self._grouping.raw)
        unknown = encoded.unknown
        if reported is not None:
            pairs = list(zip(table.names, unknown, strict=True))
            unknown = [[] if name in reported else values for name, values in pairs]
            reported.update(name for name, values in pairs if values)
        handle_unknown_values(unknown, self._grouping.raw, self.handle_unknown, "transform")
        rare = joins_rare_values(self.handle_unknown)
        return self._grouping.apply_to_codes(encoded.codes, unknown_is_rare=rare)

    def _report(self, table: Table, grouping: Grouping, unknown: Sequence[Sequence[Value]]) -> None:
        """Tell the user what is odd about a table."""
        how = "error" if self.handle_unknown == "error" else "ignore"
        handle_unknown_values(unknown, grouping.raw, how, "fit")
        # Values that the user lists may have no rows; whoever knows them knows what they are.
        if isinstance(getattr(self, "categories", AUTO), str):
            warn_of_unprepared(table, grouping.vocabulary)


class PreparedInput(TakesTables):
    """Base of estimators that may prepare tables before they learn from them."""

    preparer_: Any

    def _columns_read(self) -> list[str] | None:
        """Return the columns that new rows must have, by name; None if they had no names."""
        names = super()._columns_read()
        return names if names is None or self.preparer_ is None else self.preparer_._columns_read()

    def _prepared(self, X: Any) -> Any:
        """Return rows as those that were learned from: prepared, if those were."""
        return X if self.preparer_ is None else self.preparer_.transform(X)

    def _seen(self, X: Any) -> Table:
        """Return prepared rows; refuse other columns than those that were seen in `fit`."""
        table = read_table(X, min_rows=0)
        # Columns that were left out need not come again, unless they have no names.
        if self.preparer_ is None or not table.has_names:
            check_seen(self, table)
        if self.preparer_ is None:
            return table
        self._report_answers(X)
        return read_table(self._prepared(X), min_rows=0)

    def _report_answers(self, X: Any) -> None:
        """Tell the user of new answers in cells that have known ones, too, if asked to."""
        learned: Any = getattr(self, "encoder_", self)
        how = learned.handle_unknown
        if how not in ("error", "warn") or not self.preparer_.column_weights_:
            return
        found = frames.columns_of(self.preparer_.new_answers(X))
        new: dict[str, list[Value]] = {}
        for column, answer in zip(found["column"], found["answer"], strict=True):
            new.setdefault(column, []).append(answer)
        for column, answers in new.items():
            known = Vocabulary((column,), (self.preparer_.answers(column),))
            handle_unknown_values([list(dict.fromkeys(answers))], known, how, "transform")

    def _of_prepared(self) -> Self:
        """Return the same estimator, of rows that are prepared already."""
        if self.preparer_ is None:
            return self
        learned: Any = getattr(self, "encoder_", self)
        bare, columns = copy(self), learned.vocabulary_.columns
        bare.__dict__ |= {
            **dict.fromkeys(("preparer", "preparer_")),
            "feature_names_in_": np.array(columns, dtype=object),
            "n_features_in_": len(columns),
        }
        return bare


MOST_COLUMNS = 2**14
"""Dense vectors with more columns than this are refused where a column has very many values."""

CLUSTER = "cluster"
"""Name of the column of labels."""

LABEL, PROBABILITY = np.dtype(np.int32), np.dtype(np.float64)
"""Types of the labels, and of the probabilities of clusters."""


class Coder(Protocol):
    """What codes rows as they come: an encoder or a clusterer, fitted."""

    def _codes(self, X: Any, reported: set[str] | None = None) -> Codes: ...

    def _columns_read(self) -> list[str] | None: ...


@dataclass(frozen=True, eq=False)
class CodingTask:
    """What is done with rows that are coded as they come."""

    encoder: Coder

    @property
    def columns(self) -> list[str] | None:
        """The columns that the encoder was fitted on; None if they had no names."""
        return self.encoder._columns_read()

    def code(self, frame: Any, reported: set[str] | None = None) -> Codes:
        """Code rows."""
        return self.encoder._codes(frame, reported)


@dataclass(frozen=True, eq=False)
class VectorTask(CodingTask):
    """Rows -> vectors.

    Parameters
    ----------
    encoder : TableInput
        Fitted.
    lookup : LookUp
        The vectors of its values.
    make_names : callable
        Returns the names of the vectors' columns, which may be many.
    dtype : dtype
        Type of their numbers.
    is_sparse : bool
        Whether the user wants a sparse array.
    library : str
        The library that the user wants frames of, or "default".
    """

    lookup: LookUp
    make_names: Callable[[], NDArray[np.object_]]
    dtype: np.dtype[Any]
    is_sparse: bool
    library: str

    @cached_property
    def names(self) -> list[str]:
        """Names of the vectors' columns."""
        return self.make_names().tolist()

    def compute(self, codes: Codes) -> Any:
        """Return the vectors of coded rows."""
        rows = self.lookup.sparse_rows if self.is_sparse else self.lookup.rows
        return rows(codes, self.dtype)

    def compute_columns(self, codes: Codes) -> Sequence[Any]:
        """Return the vectors of coded rows, column by column."""
        return self.lookup.columns(codes, self.dtype)

    def check(self, form: str) -> None:
        """Raise an error if the encoder is to give anything but what the engine gives."""
        lookup, said = self.lookup, "Vectors of a table that is read piece by piece come as"
        if lookup.is_sparse and lookup.n_columns > MOST_COLUMNS:
            raise ValueError(
                f"{said} {form}, which are dense, but a column has {max(lookup.sizes):,} values "
                "and each has a column of its own in them; set n_components (64, say) or "
                "max_categories and fit again."
            )
        if self.is_sparse:
            raise ValueError(
                f"{said} {form}, which are dense; set sparse_output=False, with n_components if "
                "there are too many columns."
            )
        if self.library != "default":
            raise ValueError(
                f"{said} {form}, not as {self.library} frames; call "
                "set_output(transform='default') first, or transform the table in memory."
            )


@dataclass(frozen=True, eq=False)
class LabelTask(CodingTask):
    """Rows -> the number of the cluster in which they cost least.

    Parameters
    ----------
    encoder : TableEncoder, UNTIE or TableClusterer
        Fitted.
    costs : Costs
        What each value costs in each cluster.
    """

    costs: Costs
    names: list[str] = field(default_factory=lambda: [CLUSTER])
    dtype: np.dtype[Any] = LABEL

    def check(self, form: str) -> None:
        """Accept every form: labels are numbers."""

    def compute(self, codes: Codes) -> NDArray[np.int32]:
        """Return the label of each coded row."""
        return cheapest(pack(codes, self.costs), self.costs).astype(LABEL)

    def compute_columns(self, codes: Codes) -> Sequence[Any]:
        """Return the labels as a single column."""
        return [self.compute(codes)]


@dataclass(frozen=True, eq=False)
class ProbabilityTask(CodingTask):
    """Rows -> how probable each cluster is.

    Parameters
    ----------
    encoder : TableClusterer
        Fitted.
    costs : Costs
        What each value costs in each cluster.
    sharpness : float
        Costs are multiplied by it.
    """

    costs: Costs
    sharpness: float
    dtype: np.dtype[Any] = PROBABILITY

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns: cluster0, cluster1, ..."""
        return [f"{CLUSTER}{number}" for number in range(self.costs[0].shape[1])]

    def check(self, form: str) -> None:
        """Accept every form: probabilities are numbers."""

    def compute(self, codes: Codes) -> FloatArray:
        """Return the probabilities of coded rows; shape (n_rows, n_clusters)."""
        return cluster_probabilities(pack(codes, self.costs), self.costs, self.sharpness)

    def compute_columns(self, codes: Codes) -> Sequence[Any]:
        """Return the probabilities of coded rows, cluster by cluster."""
        return list(np.ascontiguousarray(self.compute(codes).T))


def sample_source(encoder: TableInput, source: Source, sample_weight: Any = None) -> RowSample:
    """Return distinct rows of a table with their weights, in the encoder's codes.

    They are the same for every order and chunking; all of them, if there are few. Their order is
    canonical.

    Parameters
    ----------
    encoder : TableInput
        Fitted.
    source : Source
        The table.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so; lazy tables take a name only.
    """
    weight = source.check_weight(sample_weight)
    model, vocabulary = getattr(encoder, "_model", None), encoder._grouping.vocabulary
    # Other estimators learn from all columns.
    passive = np.zeros(len(vocabulary.columns), bool) if model is None else model.unlearned
    sample = _fold(encoder, source, weight, lambda c, w: sample_heard(c, vocabulary, w, passive))
    if not len(sample.weights):
        raise NoRowsError(NO_ROWS.format("") if weight is None else NO_WEIGHT)
    return in_canonical_order(sample, () if model is None else model.orders)


def walk_source(encoder: TableInput, source: Source, weight: str | None, costs: Costs) -> Pass:
    """Return what one pass over the rows of a lazy table finds."""
    return _fold(encoder, source, weight, lambda c, w: walk_rows(pack(c, costs), w, costs))


def nearest_in(encoder: TableInput, source: Source, search: Search) -> Nearest:
    """Return the rows of a table that are nearest to some queries."""
    return _fold(encoder, source, None, search)


def codes_at(encoder: TableInput, source: Source, positions: IntArray) -> Codes:
    """Code the rows of a table at some positions, in any order."""
    wanted, places = np.unique(positions, return_inverse=True)
    own = source.own_columns(encoder._columns_read())
    reported: set[str] = set()
    pieces = [encoder._codes(rows, reported) for rows in own.rows_at(wanted)]
    return [np.concatenate(parts)[places] for parts in zip(*pieces, strict=True)]


def _fold(
    encoder: TableInput,
    source: Source,
    weight: Any,
    function: Callable[[Codes, FloatArray | None], A],
) -> A:
    """Add up what a function makes of the codes and weights of the rows that count, piece by piece.

    Parameters
    ----------
    encoder : TableInput
        Fitted; it codes the rows.
    source : Source
        The table.
    weight : array of shape (n_rows,), str or None
        How often each row counts, or the column that says so.
    function : callable
        Takes codes and weights; what it returns adds up.
    """
    reported: set[str] = set()

    def fold_piece(frame: Any, place: PiecePlace) -> A:
        rows, cells = split_weights(frame, weight)
        codes = encoder._codes(rows, reported)
        if cells is None:
            return function(codes, None)
        weights, keep = positive_weights(read_weights(cells, len(codes[0])))
        return function([c if keep is None else c[keep] for c in codes], weights)

    return source.own_columns(encoder._columns_read(), weight).add_up(fold_piece)


def unknown_cells(encoder: Any, data: Any, codes: Codes | None = None) -> list[BoolArray]:
    """Tell which cells hold a value that the encoder has not seen; none of a passive column.

    Parameters
    ----------
    encoder : TableEncoder or UNTIE
        Fitted.
    data : table of shape (n_rows, n_columns)
        In memory.
    codes : list of integer arrays of shape (n_rows,), optional
        The rows as `encoder` codes them, which save the work where all values are known.

    Returns
    -------
    list of boolean arrays of shape (n_rows,)
        One array per column.
    """
    raw, passive = encoder._grouping.raw, encoder._model.passive
    if codes is not None and not joins_rare_values(encoder.handle_unknown):
        pairs = zip(codes, encoder.vocabulary_.sizes, strict=True)
        if not any((column == size).any() for column, size in pairs):
            return [np.zeros(len(codes[0]), dtype=bool)] * len(codes)
    cells = encode(read_table(data, min_rows=0), raw).codes
    return [
        (column == size) & (not is_passive)
        for column, size, is_passive in zip(cells, raw.sizes, passive, strict=True)
    ]


def nothing_known(encoder: Any, data: Any, codes: Codes) -> BoolArray:
    """Tell in which rows every cell is missing, or holds a value that the encoder has not seen.

    Parameters
    ----------
    encoder : TableEncoder or UNTIE
        Fitted.
    data : table of shape (n_rows, n_columns)
        In memory.
    codes : list of integer arrays of shape (n_rows,)
        The rows as `encoder` codes them.
    """
    raw, vocabulary, passive = encoder._grouping.raw, encoder.vocabulary_, encoder._model.passive
    active = [place for place in range(len(codes)) if not passive[place]]
    may_be = np.full(len(codes[0]), bool(active))
    for place in active:
        positions, size = vocabulary.positions[place], vocabulary.sizes[place]
        suspects = [positions[value] for value in (None, INFREQUENT) if value in positions]
        may_be &= np.isin(codes[place], [*suspects, size])
    rows = np.flatnonzero(may_be)
    if len(rows):
        some = read_table(frames.rows_at(read_table(data, min_rows=0).source, rows), min_rows=0)
        cells = encode(some, raw).codes
        for place in active:
            absent = raw.positions[place].get(None, raw.sizes[place])
            may_be[rows] &= np.isin(cells[place], [absent, raw.sizes[place]])
    return may_be


MOST_UNKNOWN = 3
"""At most this many columns with unknown values are named."""


def warn_of_unknown_rows(
    encoder: Any, data: Any, codes: Codes, weights: FloatArray | None = None
) -> None:
    """Warn of rows in which every cell is missing or unknown, but not all of them are missing.

    Rows of weight 0 need no warning. Other parameters are as of `nothing_known`.
    """
    unknown = nothing_known(encoder, data, codes)
    rows = np.flatnonzero(unknown if weights is None else unknown & (weights > 0))
    if not len(rows):
        return
    some = read_table(frames.rows_at(read_table(data, min_rows=0).source, rows), min_rows=0)
    has_values = np.zeros(len(rows), dtype=bool)
    n_unknown: dict[str, int] = {}
    passive = encoder._model.passive
    for name, cells, is_passive in zip(some.names, some.columns, passive, strict=True):
        found, values = factorize(cells, name)
        texts = (value.strip() if isinstance(value, str) else value for value in values)
        is_there = np.array([text not in (None, "") for text in texts], dtype=bool)[found]
        if not is_passive and is_there.any():
            has_values |= is_there
            n_unknown[name] = int(np.count_nonzero(is_there))
    if not n_unknown:
        return
    most = sorted(n_unknown, key=lambda name: -n_unknown[name])[:MOST_UNKNOWN]
    named = ", ".join(f"{name!r} ({n_unknown[name]:,})" for name in most)
    n, total = int(has_values.sum()), len(codes[0])
    warn_user(
        f"Nothing is known of {n:,} of {total:,} rows: all their cells are missing, or values that "
        f"the model has not seen, most of them in {named}. Their clusters mean nothing. Check that "
        "these columns have the same content as in fit, and that none are swapped."
    )
