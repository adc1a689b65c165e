"""Preparer: any table in, a categorical table out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from untie._base import TakesTables, check_seen, see_columns
from untie._engines.memory import MemorySource
from untie._engines.registry import open_table
from untie._engines.source import Source
from untie._persistence.models import Savable
from untie._prepare.deciding import BINS, MAX_CATEGORIES, Options
from untie._prepare.note import LEFT_OUT, SPLIT, Reason
from untie._prepare.numbers import read, write
from untie._prepare.preparation import Preparation, Weighed, make_preparation
from untie._prepare.rules import AUTO, Bin, Group
from untie._prepare.summary_rows import SummaryRow
from untie._table.column_codes import factorize
from untie._table.frames import coded_once, columns_of, make_frame
from untie._table.names import check_names, expand_keys, expand_names, listed
from untie._table.orders import declared_orders
from untie._table.rows import read_weights, split_weights
from untie._table.table import Table, library_of, read_table
from untie._table.vocabulary import Vocabulary, number_repeats
from untie._util.checks import check_one_of
from untie._util.messages import Message, Parameter, Row, message, need, stage, warn_user
from untie._util.types import FloatArray, Value
from untie.export import ExportablePreparer

OUTPUTS = ("default", "pandas", "polars")

SHOWN = 3
"""At most this many columns of totals are named in a warning."""

WEIGHT = "weight"
"""The column that says how often rows count, of a lazy table with rows that do not."""


class Preparer(
    ExportablePreparer, Savable, TransformerMixin, TakesTables, auto_wrap_output_keys=None
):
    """Turn any table into a categorical table, and report what was done to each column.

    Numbers and dates with more than 20 distinct values are binned into ranges that hold about the
    same number of rows and keep their order. Only the order of the numbers counts, so a logarithm
    changes nothing. Ids, free text and constants are left out. In a column with very many values,
    the rare ones are merged. Missing cells stay missing, which is a category to `TableEncoder`.

    A column is an id if its name says so (``id``, ``customer_id``, ``customerID``) or if it counts
    the rows. An id that repeats stays if it has at most `max_categories` values, each in ten rows
    or more, such as a station's. Postal codes, phone numbers and other codes, by their names or
    leading zeros, are categories and not numbers.

    Text is read as numbers or dates if nine of ten rows are. Numbers such as 1.234,5 and 12 kg and
    dates such as 31/12/2024, Jun 12 1998 and Jun-98 (month names are English; two-digit years are
    1930 to 2029) are read if the whole column has them. In a column that is not binned, words that
    differ in blanks around them are one category ("No" and "No "), and so is a number however it is
    written (75000 and 75000.0). A column with a cell that may be a code, such as 007 or 1.50, stays
    text.

    A column whose cells list several answers, such as "bus;bike", becomes a column for each answer:
    ``uses: bus`` is "picked" or "not picked". Together they weigh as much as their combinations
    would as values of one column. The order of the answers in a cell does not matter. A missing
    cell is missing in all of them, which is neutral to an encoder; where 1% of the cells or more
    are missing, ``uses: any answer`` tells them apart.

    Rows in which every cell is missing or blank are not looked at (in a table of three columns or
    more), nor is a first or last row that is called a total, a mean or a median and has that of the
    other rows. An estimator with a preparer learns nothing from them. A warning names them.

    `TableEncoder` and `TableClusterer` contain a preparer, so they take tables as they are. Pass
    your own to change what it does: ``TableClusterer(preparer=Preparer(bins=10))``.

    Parameters
    ----------
    columns : sequence of str, default=None
        The only columns to use. None of them is left out, whatever it looks like. Fewer columns
        take less time and memory. Here and in `drop` and `categorical`, a pattern such as "A*" or
        "A?" means all columns that match it.
    drop : sequence of str, default=()
        Columns to leave out.
    bins : int, default=35
        Maximum number of ranges for a column of numbers or dates; typically 5 to 50. There are
        fewer ranges where each would have fewer than 8 rows (but at least 5), and where one number
        is so frequent that it fills several. The type of the column has the order of its ranges,
        so `TableEncoder` knows that neighbors are similar.
    max_categories : int, default=100
        Maximum number of categories for a column, including the merged rare ones; typically 20 to
        1,000. Time and memory for learning grow at least with the square of the number of
        categories of all columns. Where equally frequent values compete for the last places, all
        of them are merged, so that names do not decide, unless fewer than a fifth of the rows would
        keep their value.
    categorical : sequence of str, default=()
        Columns whose numbers or dates are names, such as flight numbers: they are not binned, not
        left out, and have no order.
    missing : "auto" or sequence of str, default="auto"
        The texts that mean a missing cell. "auto" takes those of a short list (empty, NA, n/a,
        NULL, ?, -, . and the like) where they can mean nothing else: not next to a single other
        value, which may be a yes, not signs among signs, not NA among codes of two letters.
        `decisions` lists the texts that were found. An empty list keeps all of them as values.
    day_first : bool, default=None
        Whether the day comes first in dates such as 1/2/2024. By default this is found from the
        column's other dates, such as 31/12/2024; a column without such a date stays text.
    date_parts : sequence of {"weekday", "month", "hour"}, default=()
        Parts to extract from every column of dates, as additional columns: ``bought (weekday)``.
        Times with a time zone are instants; their parts and ranges are in UTC, the same on every
        engine. For the parts in a local time, pass local times without a zone.
    sets : "auto", sequence of str or mapping from str to str, default="auto"
        Columns whose cells list several answers. "auto" finds those with short answers that recur,
        separated by ";", "|", a comma or a line break, where the cells differ in how many they
        have; an empty list finds none. Names, also by patterns, mean these columns alone, and a
        mapping has their separators: ``{"uses": "/"}``. At most 30 columns are made of one, which
        takes as much time as any 30: where there are more answers, all but the 29 most frequent
        share ``uses: other answers``, and so do those of fewer than 1% of the rows.
    row_names : "auto", None or str, default="auto"
        The column that names the rows where single rows are shown, as in
        :func:`untie.explain.outliers` and the report. It is not learned from. "auto" takes one that
        was left out as an id or as short free text, has a cell in every row and hardly repeats: one
        that is called a name or a title first, then other text, then numbers. None shows the rows'
        numbers alone. A column in `drop` is taken only if it is named here.

    Attributes
    ----------
    notes_ : tuple of Note
        What was decided about every column of the table, and why; `decisions` returns a frame.
    columns_ : tuple of str
        The columns that are used, in the table's order; parts of dates follow their column.
    n_features_in_ : int
        Number of columns of the table, that of the weights excluded.
    feature_names_in_ : array of shape (`n_features_in_`,)
        Their names, if the table has names.
    row_names_ : str or None
        The column that names the rows, if there is one.
    column_weights_ : dict of str to float
        The weights of the columns of answers, as `TableEncoder` takes them: the entropy of the
        combinations of answers in the rows, divided by the sum of those of the answers. An encoder
        with a preparer multiplies its own `column_weights` by them. Pass them on to one that learns
        from prepared rows.

    See Also
    --------
    TableEncoder : Prepares tables with one, and learns from them.
    TableClusterer : The same, for clusters.
    load_model : Reads what `save` wrote.

    Examples
    --------
    >>> import pandas as pd
    >>> from untie import Preparer
    >>> people = pd.DataFrame({
    ...     "person": [f"p{number}" for number in range(60)],
    ...     "age": [18 + number % 45 for number in range(60)],
    ...     "city": ["Bonn", "Rome", "Rome"] * 20,
    ... })
    >>> preparer = Preparer(bins=3).fit(people)
    >>> preparer.decisions()
       column    action                            reason
    0  person  left out  looks like an id; names the rows
    1     age    binned                     into 3 ranges
    2    city      kept
    >>> preparer.transform(people).head(2)
            age  city
    0  up to 27  Bonn
    1  up to 27  Rome
    """

    _kind = "preparer"

    _preparation: Preparation

    def __init__(
        self,
        *,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        bins: int = BINS,
        max_categories: int = MAX_CATEGORIES,
        categorical: Sequence[str] = (),
        missing: str | Sequence[str] = AUTO,
        day_first: bool | None = None,
        date_parts: Sequence[str] = (),
        row_names: str | None = AUTO,
        keep_totals: bool = False,
        sets: Any = AUTO,
    ) -> None:
        self.columns = columns
        self.drop = drop
        self.bins = bins
        self.max_categories = max_categories
        self.categorical = categorical
        self.missing = missing
        self.day_first = day_first
        self.date_parts = date_parts
        self.row_names = row_names
        self.keep_totals = keep_totals
        self.sets = sets

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Decide what to do with each column.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            A pandas, polars or pyarrow table, an array or a list of rows; or a lazy table, such as
            :func:`untie.scan` gives, which is read once, chunk by chunk; or a Dask or Spark frame,
            whose workers read it twice, first a single column to number the rows. Columns with
            more than 65,536 distinct values are judged by a sample of at most 131,072 rows.
        y : ignored
        sample_weight : array of shape (n_rows,) or str, optional
            How often each row counts: the ranges hold about the same weight. A name is that of the
            column with the weights, which is left out; lazy tables take a name only.

        Returns
        -------
        Preparer
            Itself.

        Raises
        ------
        ValueError
            When `columns`, `drop`, `categorical` or `sets` name a column that is not there, or no
            column is left.
        """
        self._fit_source(open_table(X), sample_weight)
        for row in self._preparation.summary_rows:
            warn_user(_said_of_summary(row, "The ranges are made without it, but it stays a row"))
        return self

    def _fit_source(self, source: Source, sample_weight: Any) -> Self:
        """Decide what to do with each column of a table that is open."""
        options = self._check_parameters()
        if isinstance(source, MemorySource):
            source = MemorySource(source.table.source)
        preparation = make_preparation(source, options, sample_weight)
        if isinstance(source, MemorySource):
            table = read_table(split_weights(source.data, sample_weight)[0])
        else:
            names = [name for name in source.columns if name != sample_weight]
            table = read_table(source.select(names).empty, min_rows=0)
        see_columns(self, table)
        self._library = table.backend
        self._adopt(preparation)
        return self

    def transform(self, X: Any, keep: Sequence[str] = ()) -> Any:
        """Return the columns that are used, as categories.

        The ranges are those of the table seen in `fit`; numbers beyond go to the outer ones. A
        column of ranges has a type with their order: an ordered categorical of pandas, an Enum of
        polars, an ordered dictionary of Arrow; of a lazy table, the order is kept beside the rows.
        With text among its numbers it is a column of text.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns that are used. A table with names may have others, too, or lack
            those that were left out.
        keep : sequence of str, default=()
            More columns of a table with names, which come last and as they are, such as a key.

        Returns
        -------
        table of shape (n_rows, n_columns_used)
            Of the library of `X`, or the one that `set_output` names. For an array a pandas frame,
            or a structured array where pandas is not installed.
            A lazy table for a lazy one, and a Dask or Spark frame for such a frame: rows are
            prepared as they are read. In a Spark frame, ranges are text.
        """
        return self._transform_source(open_table(X), keep)

    def _transform_source(self, source: Source, keep: Sequence[str] = ()) -> Any:
        """Return the columns that are used of a table that is opened."""
        check_is_fitted(self)
        library = self._output()
        if not isinstance(source, MemorySource):
            if library != "default":
                raise ValueError(
                    f"A table that is read piece by piece stays one, and is no {library} frame; "
                    "call set_output(transform='default') first, or transform the table in memory."
                )
            return self._preparation.apply(source, keep)
        table = self._named(read_table(source.data, min_rows=0))
        prepared = self._preparation.apply(MemorySource(table.source), keep)
        return prepared if library == "default" else _of_library(prepared, library)

    def _named(self, table: Table) -> Table:
        """Give the columns of an array the names that those at their positions had in `fit`."""
        names = getattr(self, "feature_names_in_", ())
        if table.has_names:
            return table
        if len(names) != len(table.names):
            check_seen(self, table)
            return table
        return read_table(make_frame("pandas", dict(zip(names, table.columns, strict=True))), 0)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the library of what `transform` returns, as scikit-learn's transformers do.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            "default" is the library of the table; None changes nothing.

        Returns
        -------
        Preparer
            Itself.
        """
        if transform is not None:
            check_one_of("transform", transform, OUTPUTS)
            # Under this name `clone` copies it.
            self._sklearn_output_config = {"transform": transform}
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns that are used.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names for the columns of an array, instead of ``x0``, ...

        Returns
        -------
        array of shape (n_columns_used,)
        """
        check_is_fitted(self)
        names = list(self.columns_)
        if input_features is not None:
            own = [note.column for note in self.notes_ if Reason.WEIGHTS not in note.reasons]
            given = _check_feature_names_in(self, input_features)
            renamed = dict(zip(own, given, strict=True))
            names = [self._preparation.renamed(name, renamed) for name in names]
        return np.array(names, dtype=object)

    def decisions(self) -> Any:
        """Return what was decided about each column, and why.

        Returns
        -------
        frame
            One row per column of the table: column, action ("kept", "binned", "grouped" where rare
            values are merged, "split" into answers, "left out") and reason. Of the library that
            `TableEncoder.value_vectors` has.
        """
        check_is_fitted(self)
        return make_frame(
            self._library,
            {key: [getattr(n, key) for n in self.notes_] for key in ("column", "action", "reason")},
        )

    def ranges(self, column: str) -> tuple[str, ...] | None:
        """Return the ranges that a column was binned into.

        Parameters
        ----------
        column : str
            A column that is used.

        Returns
        -------
        tuple of str or None
            The ranges in their order; None if the column was not binned.
        """
        check_is_fitted(self)
        return getattr(self._preparation.rule(column), "names", None)

    def answers(self, column: str) -> tuple[str, ...] | None:
        """Return the answers of a column that was split, those that share a column left out.

        Parameters
        ----------
        column : str
            A column of the table.

        Returns
        -------
        tuple of str or None
            The answers, the most frequent first; None if the column was not split.
        """
        check_is_fitted(self)
        names = self._preparation.answers.get(column)
        return None if names is None else getattr(self._preparation.rule(names[0]), "known", None)

    def category(self, column: str, value: Value) -> Value:
        """Return what a value of a column that is used becomes.

        Parameters
        ----------
        column : str
            A column that is used.
        value : hashable
            A cell's value; None is a missing cell.

        Returns
        -------
        hashable
            The category.

        Examples
        --------
        >>> Preparer(columns=["x0"]).fit([[n] for n in range(50)]).category("x0", 7)
        'up to 9'
        """
        check_is_fitted(self)
        return self._preparation.rule(column).labels([value])[0]

    def _check_parameters(self) -> Options:
        return Options(**self.get_params(deep=False))

    def outside(self, X: Any) -> Any:
        """Return the cells with numbers or dates beyond those seen in `fit`.

        `transform` puts them into the outer ranges. Columns with more than 65,536 distinct values
        are not looked at, nor are those of files of earlier versions.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns that were binned, in memory.

        Returns
        -------
        frame
            One row per cell, column by column: row (its position in `X`), column, value (as text),
            lowest and highest (what was seen, as text).

        Examples
        --------
        >>> preparer = Preparer(columns=["x0"]).fit([[n] for n in range(50)])
        >>> preparer.outside([[7], [90]])
           row column value lowest highest
        0    1     x0    90      0      49
        """
        check_is_fitted(self)
        found: list[tuple[Any, ...]] = []
        for column, rule, rows, texts in self._preparation.outside(self._named(read_table(X, 0))):
            ends = [write(end, rule.unit) for end in rule.span or ()]
            found += [(row, column, text, *ends) for row, text in zip(rows, texts, strict=True)]
        names = ("row", "column", "value", "lowest", "highest")
        library = library_of(X) or self._library
        return make_frame(library, {n: [r[i] for r in found] for i, n in enumerate(names)})

    def new_answers(self, X: Any) -> Any:
        """Return the answers that have no column, as `fit` has not seen them.

        `transform` ignores them in a cell with answers that it knows. A cell with none that it
        knows has picked none of these, and is an unknown value in the column of the first. Where
        rare answers share a column, new ones do, too, and are not listed here.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows with the columns that were split, in memory.

        Returns
        -------
        frame
            One row per cell and answer, column by column: row (its position in `X`), column,
            answer.

        Examples
        --------
        >>> trips = [["bus;bike"], ["bike"], ["car"], ["car;bus"]] * 10
        >>> Preparer(sets=["x0"]).fit(trips).new_answers([["car"], ["bike; tram"]])
           row column answer
        0    1     x0   tram
        """
        check_is_fitted(self)
        found = [
            (row, column, answer)
            for column, _, rows in self._preparation.new_answers(self._named(read_table(X, 0)))
            for row, answers in rows.items()
            for answer in answers
        ]
        library = library_of(X) or self._library
        names = ("row", "column", "answer")
        return make_frame(library, {n: [r[i] for r in found] for i, n in enumerate(names)})

    def _columns_read(self, used: Sequence[str] | None = None) -> list[str]:
        """Return the columns of the table that those that are used, or some, are made of."""
        return self._preparation.inputs(self.columns_ if used is None else used)

    def _named_by(self, key: Any) -> str:
        """Return the column that a name or a position in the table means, used or not."""
        names = [note.column for note in self.notes_ if Reason.WEIGHTS not in note.reasons]
        if str(key) not in (*names, *self.columns_) and isinstance(key, Integral):
            return names[int(key)] if 0 <= int(key) < len(names) else str(key)
        return str(key)

    def _used(self, key: Any, parameter: str, may_be_left_out: bool = False) -> str | None:
        """Return the column that a parameter means by its name or position in the table.

        None for one that was left out, where that does no harm.
        """
        names = [note.column for note in self.notes_ if Reason.WEIGHTS not in note.reasons]
        name = self._named_by(key)
        if name in self.columns_:
            return name
        why = message(", which {0} names", Parameter(parameter))
        check_names([name], list(dict.fromkeys([*names, *self.columns_])), "the table", why)
        if may_be_left_out:
            return None
        note = next(note for note in self.notes_ if note.column == name)
        said = "{0} names a column that is not learned from ({1}); take it out of {0}, or "
        more = "name it in {columns}, with all others to use."
        if note.action == SPLIT:
            more = message("keep its cells as categories: {0}.", Parameter("categorical", [name]))
        raise ValueError(message(said + more, Parameter(parameter), str(note)))

    def _restore(self, learned: dict[str, Any]) -> None:
        super()._restore(learned)
        self._adopt(self._preparation)

    def _adopt(self, preparation: Preparation) -> None:
        self._preparation = preparation
        self.columns_, self.notes_ = preparation.columns, preparation.notes
        self.column_weights_ = dict(preparation.column_weights)
        naming = (note.column for note in self.notes_ if Reason.ROW_NAMES in note.reasons)
        self.row_names_ = next(naming, None)

    def _output(self) -> str:
        own: dict[str, str] = getattr(self, "_sklearn_output_config", {})
        return own.get("transform", get_config()["transform_output"])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "notes_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def index_of(column: Any, vocabulary: Vocabulary, preparer: Preparer | None) -> int:
    """Return the number of a column that was learned from; say why another was left out."""
    notes, name = () if preparer is None else preparer.notes_, str(column)
    answers = {} if preparer is None else preparer._preparation.answers
    if name not in vocabulary.columns and name in answers:
        raise ValueError(
            f"Column {name!r} was split into a column for each answer; ask about one of them: "
            f"{listed(answers[name])}."
        )
    left_out = {note.column: note.reason for note in notes if note.action == LEFT_OUT}
    if name not in vocabulary.columns and name in left_out:
        said = "Column {0} was left out, {1}; nothing was learned from it. Ask about {2}, or fit "
        more = "again with all columns to use in {columns}."
        named = Parameter("columns", ..., owner="Preparer")
        names = listed(vocabulary.columns)
        raise ValueError(message(said + more, repr(name), left_out[name], names, columns=named))
    return vocabulary.index_of(name)


def unfitted_preparer(preparer: Any) -> Preparer | None:
    """Return a preparer that is not fitted, as a parameter `preparer` asks for it."""
    if preparer is None:
        return None
    if isinstance(preparer, str) and preparer == AUTO:
        return Preparer()
    if not isinstance(preparer, Preparer):
        raise TypeError(
            f"preparer must be 'auto', None or a Preparer, got {preparer!r}; pass Preparer(...) "
            "with the options you need."
        )
    return clone(preparer).set_output(transform="default")


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """A table that is learned from.

    Parameters
    ----------
    preparer : Preparer or None
        Fitted; made the rows of the user's table.
    rows : Source
        The rows; texts and numbers of those in memory are coded, so that nothing looks at the cells
        again.
    weight : array of shape (n_rows,), str or None
        How often each counts, or the column that says so.
    """

    preparer: Preparer | None
    rows: Source
    weight: Any


def prepare_rows(
    preparer: Preparer | None, source: Source, sample_weight: Any, verbose: bool
) -> PreparedRows:
    """Fit a preparer on a table, if there is one, and prepare its rows."""
    if isinstance(source, MemorySource) and isinstance(source.data, Iterator):
        source = MemorySource(list(source.data))  # it is read twice
    if preparer is None:
        return PreparedRows(None, source, sample_weight)
    preparer.set_output(transform="default")
    _check_readable(source)
    weight = source.check_weight(sample_weight)
    with stage("Preparing the columns", verbose):
        preparer._fit_source(source, weight)
    warn_of_uncounted(preparer)
    if isinstance(source, MemorySource):
        data, weight = split_weights(source.data, weight)
        rows = preparer._transform_source(MemorySource(data))
        if preparer._preparation.has_uncounted:
            weight = counted_weights(preparer, data, weight)
        return PreparedRows(preparer, MemorySource(coded_once(rows)), weight)
    found = counted_source(preparer, source, weight, preparer._preparation.has_uncounted)
    return PreparedRows(preparer, *found)


def warn_of_uncounted(preparer: Preparer) -> None:
    """Warn of the rows of the table that a preparer was fitted on that nothing is learned from."""
    n, first = preparer._preparation.n_empty, preparer._preparation.first_empty
    if n:
        rows = message(", ".join(f"{{{place}}}" for place in range(len(first))), *map(Row, first))
        more = ", ..." if n > len(first) else ""
        are = "1 row is" if n == 1 else f"{n:,} rows are"
        said = "{0} empty: every cell is missing or blank ({1}{2}). {3} the weight 0, and {4}; "
        said += "drop {5}."
        one = ("It gets", "its cluster means nothing", "it")
        many = ("They get", "their clusters mean nothing", "them")
        warn_user(message(said, are, rows, more, *(one if n == 1 else many)))
    for row in preparer._preparation.summary_rows:
        done = "It gets the weight 0, and its cluster means nothing"
        warn_user(_said_of_summary(row, done))


def _said_of_summary(row: SummaryRow, done: str) -> Message:
    """Return which row summarizes the others, what was done to it, and the remedies."""
    said = (
        "The table has a row of {0}s: {1} has {2} in {3}, and the {0}s of all other rows in {4}. "
        "{5}; drop it, or count it like any other row: {keep}."
    )
    keep = Parameter("keep_totals", True, owner="Preparer")
    own = Row(row.position), repr(row.name), repr(row.column), listed(list(row.numbers), SHOWN)
    return message(said, row.kind, *own, done, keep=keep)


def counted_weights(preparer: Preparer | None, data: Any, weights: Any) -> Any:
    """Return how often raw rows in memory count: 0 for those that nothing is learned from.

    Weights that need no change, or are none, come back as they are.
    """
    if preparer is None:
        return weights
    table = preparer._named(read_table(data, min_rows=0))
    if not set(preparer._preparation.looked_at) <= set(table.names):
        return weights
    given = None if weights is None else read_weights(weights, table.n_rows)
    return preparer._preparation.weights(table, given)


def weights_beside_totals(preparer: Preparer | None, data: Any) -> FloatArray | None:
    """Return weights that are 0 for raw rows of totals, of which `fit` has told; None without."""
    if preparer is None or isinstance(data, Iterator) or not preparer._preparation.summary_rows:
        return None
    found: FloatArray | None = counted_weights(preparer, data, None)
    return found


def counted_source(
    preparer: Preparer, source: Source, weight: str | None, may_have_uncounted: bool
) -> tuple[Source, str | None]:
    """Return prepared rows of a lazy table, and the column that says how often they count.

    There is such a column where there is one of weights, or where there may be rows that do not
    count: without cells, or with the totals of all others.
    """
    preparation = preparer._preparation
    if not may_have_uncounted:
        kept = [] if weight is None else [weight]
        return source.remade(preparation, [*preparation.columns, *kept]), weight
    name = number_repeats([*source.columns, *preparation.columns, WEIGHT])[-1]
    task = Weighed(preparation, weight, name)
    return source.remade(task, [*preparation.columns, name]), name


def _check_readable(source: Source) -> None:
    """Refuse a table whose columns can't be looked at before it is learned from."""
    remedy = "or take every column as it is: preparer=None."
    if source.is_one_shot:
        raise ValueError(
            f"The columns of a table are prepared before it is learned from, but {source.origin} "
            "can be read only once; pass what can be read again, such as untie.scan(...) or a "
            f"pyarrow Dataset, {remedy}"
        )


def _of_library(frame: Any, library: str) -> Any:
    need(library, library, f"{library.capitalize()} frames")
    if isinstance(frame, np.ndarray):
        return make_frame(library, columns_of(frame))
    narwhal = nw.from_native(frame, eager_only=True)
    if narwhal.implementation.value == library:
        return frame
    made = nw.from_native(
        narwhal.to_pandas() if library == "pandas" else narwhal.to_polars(), eager_only=True
    )
    orders = declared_orders(read_table(frame, min_rows=0))
    texts = {name: list(map(str, order)) for name, order in orders.items()}
    ordered = [nw.col(name).cast(nw.String).cast(nw.Enum(texts[name])) for name in texts]
    return made.with_columns(*ordered).to_native() if ordered else made.to_native()


def named_categories(preparer: Preparer) -> list[str]:
    """Return the columns whose values are names, as the user of a fitted preparer says."""
    given = expand_names(preparer.categorical, [note.column for note in preparer.notes_])
    return [name for name in given if name in preparer.columns_]


def prepared_weights(preparer: Preparer, given: Mapping[Any, float]) -> dict[str, float]:
    """Return the factors of the columns that a fitted preparer makes, from those of the user.

    The factor of a column that was split is that of its answers without one; and answers share the
    weight of their column.
    """
    answers, found = preparer._preparation.answers, dict[str, float]()
    for key, factor in expand_keys(given, [*preparer.columns_, *answers]).items():
        name: str | None = preparer._named_by(key)
        if name not in answers:
            name = preparer._used(key, "column_weights", may_be_left_out=not factor)
        if name in found:
            raise ValueError(f"column_weights names column {name!r} twice; keep one of them.")
        if name is not None:
            found[name] = factor
    own = {name: factor for name, factor in found.items() if name not in answers}
    of_answers = {part: found[name] for name in found if name in answers for part in answers[name]}
    factors: dict[str, float] = of_answers | own
    shares = preparer.column_weights_
    return factors | {name: factors.get(name, 1.0) * share for name, share in shares.items()}


def columns_seen(preparer: Preparer) -> list[str]:
    """Return the columns that a fitted preparer looks at to judge a row, or to name it."""
    return [*preparer._preparation.looked_at, *filter(None, [preparer.row_names_])]


def merged_values(preparer: Preparer) -> dict[str, str]:
    """Return what a fitted preparer makes of rare values, by column."""
    made = preparer._preparation
    pairs = zip(made.columns, made.rules, strict=True)
    return {name: rule.other for name, rule in pairs if isinstance(rule, Group)}


def binned_numbers(preparer: Preparer, data: Any) -> dict[str, FloatArray]:
    """Return the numbers (and dates, in their unit) of the columns that become ranges, by name.

    Parameters
    ----------
    preparer : Preparer
        Fitted.
    data : table of shape (n_rows, n_columns)
        Raw rows, in memory. Cells that are no numbers are NaN.
    """
    table, made = read_table(data, min_rows=0), preparer._preparation
    found = {}
    for name, rule in zip(made.columns, made.rules, strict=True):
        if isinstance(rule, Bin):
            codes, values = factorize(table.columns[table.names.index(name)], name)
            found[name] = read(rule.reading.read(list(values)), rule.unit)[codes]
    return found
