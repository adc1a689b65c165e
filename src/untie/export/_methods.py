"""The export methods of the estimators: `to_sql` and `to_onnx`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from untie._count.grouping import Grouping
from untie._learn.parameters import check_handle_unknown
from untie._prepare.preparation import Preparation
from untie._util.checks import check_one_of
from untie._util.types import FloatArray
from untie.export._attributes import (
    CLUSTER,
    PARTS,
    PROBABILITIES,
    PROBABILITY,
    VECTORS,
    Attribute,
    ExportedColumn,
    ExportedResult,
    attributes_of,
    cells_of,
    dense_tables,
)
from untie.export._onnx import write_onnx, write_onnx_of_cells
from untie.export._sql import SqlTransform, write_sql, write_sql_of_cells


class Exportable:
    """An encoder that can be exported to where the data stays, as SQL or as an ONNX model.

    The base of `untie.TableEncoder`; see its methods.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.export import Exportable
    >>> encoder = TableEncoder(2).fit([["red", "no"], ["blue", "no"], ["red", "yes"]])
    >>> isinstance(encoder, Exportable)
    True
    >>> [name for name in dir(Exportable) if name.startswith("to_")]
    ['to_onnx', 'to_sql']
    """

    handle_unknown: str
    preparer_: Any
    _grouping: Grouping
    _model: Any
    get_feature_names_out: Callable[..., Any]
    _form: Callable[[], Any]

    def to_sql(
        self,
        dialect: str,
        *,
        source: str | Sequence[str],
        lookup: str | Sequence[str] = "untie_lookup",
        keep: str | Sequence[str] = (),
        names: Sequence[str] | None = None,
    ) -> SqlTransform:
        """Write `transform` as SQL, for rows that stay in their database.

        The query takes raw rows: what the preparer does is part of it. Numbers and dates are
        binned, whether the source has them as numbers and dates or as texts that the preparer
        reads; only texts with the name of a month cannot be read. The columns that are not changed
        must have the types that they had in `fit`, each one of text, integers, floats, booleans,
        dates or times.
        The vectors come as doubles whatever `dtype` says. Unknown values are treated as
        `handle_unknown` says: they are neutral, join the rare ones or make the query fail; only
        "warn" has no warnings there. NULL and NaN are missing cells.

        Parameters
        ----------
        dialect : {"duckdb", "postgres", "spark", "bigquery"}
            The database.
        source : str or sequence of str
            The table with the rows, such as "orders" or "sales.orders"; a list of its parts if a
            part has a dot in it. Its columns have the names seen in `fit` (``x0``, ... for arrays).
        lookup : str or sequence of str, default="untie_lookup"
            How the names of the two look-up tables begin; ``_values`` and ``_vectors`` follow. They
            have a row per value, so they stay small however many rows the source has.
        keep : sequence of str or "*", default=()
            Columns of the source to return as well, such as a key: SQL keeps no order of rows.
        names : sequence of str, optional
            The columns of the result, instead of `get_feature_names_out`. Few columns
            (`n_components`) make the query shorter and faster.

        Returns
        -------
        SqlTransform
            `setup` (statements to run once), `query` and `teardown`; `str` makes one script of the
            first two.

        Raises
        ------
        ValueError
            If a column, a name or a value cannot be written in that database, or the tables would
            have more than ten million numbers. The message names the column and the remedy.

        See Also
        --------
        to_onnx : For onnxruntime.

        Examples
        --------
        >>> from untie import TableEncoder
        >>> rows = [["red", "no"], ["blue", "no"], ["red", "yes"], ["red", "yes"]]
        >>> encoder = TableEncoder(2, n_components=1).fit(rows)
        >>> print(encoder.to_sql("postgres", source="sales.orders", keep=["id"]).query)
        SELECT
          source_row."id",
          vector_1.v1 + vector_2.v1 AS "tableencoder0"
        FROM "sales"."orders" AS source_row
        LEFT JOIN "untie_lookup_values" AS key_1
          ON key_1.attribute = 'x0' AND key_1.text_value = source_row."x0"
        LEFT JOIN "untie_lookup_vectors" AS vector_1
          ON vector_1.attribute = 'x0' AND vector_1.code = COALESCE(key_1.code, 2)
        LEFT JOIN "untie_lookup_values" AS key_2
          ON key_2.attribute = 'x1' AND key_2.text_value = source_row."x1"
        LEFT JOIN "untie_lookup_vectors" AS vector_2
          ON vector_2.attribute = 'x1' AND vector_2.code = COALESCE(key_2.code, 2)
        """
        attributes, outcome = self._exported(names)
        fails = self.handle_unknown == "error"
        place = {"source": source, "lookup": lookup, "keep": keep}
        return write_sql(dialect, attributes, outcome, fails=fails, **place)

    def to_onnx(self, *, missing: str = "", as_text: Sequence[str] = ()) -> Any:
        """Write `transform` as a model that runs in onnxruntime.

        Needs onnx, of the extra ``onnx``. The model takes raw rows: what the preparer does is part
        of it. It has one input per column of the table, of shape (n_rows,) and with the column's
        name: strings; int64 for integers; float64 for other numbers, for numbers with missing
        cells, and for numbers that are binned. Booleans are strings ("True" or "1", "False" or
        "0"); without a preparer they are bool, and float64 with missing cells. Numbers that `fit`
        has seen written in another way (``1.234,5``, ``12 kg``, ``n/a``) are strings. An input of
        strings takes numbers as text, as the table for `fit` had them ("7", not 7.0). Its output
        "vectors" has shape (n_rows, n_output_columns) and type `dtype`; the names of its columns
        are the model's metadata "feature_names". The same encoder always gives the same bytes.

        A missing cell is NaN in an input of float64. In an input of strings it is the text
        `missing`, or a None, NaN, NA or NaT in an array of objects: onnxruntime turns these into
        the texts "None", "nan", "<NA>" and "NaT", which therefore mean a missing cell unless they
        are values of the column.

        Dates, and columns with values of several types, can't be exported: turn them into text
        before `fit`. A model can't fail: handle_unknown="error" is refused.

        Parameters
        ----------
        missing : str, default=""
            The text that stands for a missing cell in inputs of strings; no value of the table.
        as_text : sequence of str, default=()
            Columns of numbers that are binned whose input takes strings, such as "7.5", because
            the rows come as text.

        Returns
        -------
        onnx.ModelProto

        Raises
        ------
        ValueError
            If a column can't be exported, or for handle_unknown="error". The message names the
            column and the remedy.

        See Also
        --------
        to_sql : For a database.

        Examples
        --------
        >>> from untie import TableEncoder
        >>> rows = [["red", 1], ["blue", 1], ["red", 2], ["red", 2]]
        >>> model = TableEncoder(2).fit(rows).to_onnx()
        >>> [entry.name for entry in model.graph.input]
        ['x0', 'x1']
        """
        attributes, outcome = self._exported(None)
        _refuse_errors(self.handle_unknown, "encoder")
        dtype = self._form().dtype
        return write_onnx(attributes, outcome, dtype=dtype, missing=missing, as_text=as_text)

    def _exported(self, names: Sequence[str] | None) -> tuple[list[Attribute], ExportedResult]:
        """Return what each column needs to be looked up, and what is made of it."""
        check_is_fitted(self)
        check_handle_unknown(self.handle_unknown)
        lookup = self._model.lookup
        usual = self.get_feature_names_out().tolist()
        cells = _cells(self._grouping.raw.columns, self.preparer_)
        tables = dense_tables(lookup)
        attributes = attributes_of(self._grouping, tables, self.handle_unknown, cells)
        return attributes, ExportedResult(_names(names, usual), tuple(usual), lookup.summed)


class ExportableClusterer:
    """A clusterer that can be exported to where the data stays, as SQL or as an ONNX model.

    The base of `untie.TableClusterer`; see its methods.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> from untie.export import ExportableClusterer
    >>> isinstance(TableClusterer(), ExportableClusterer)
    True
    """

    encoder_: Any
    preparer_: Any
    n_clusters_: int
    _sharpness: float
    _costs_now: Callable[[], list[FloatArray]]

    def to_sql(
        self,
        dialect: str,
        *,
        source: str | Sequence[str],
        result: str | Sequence[str] = CLUSTER,
        lookup: str | Sequence[str] = "untie_lookup",
        keep: str | Sequence[str] = (),
        names: Sequence[str] | None = None,
    ) -> SqlTransform:
        """Write `predict` or `predict_proba` as SQL, for rows that stay in their database.

        The query takes raw rows: what the preparer does is part of it; see
        :meth:`TableEncoder.to_sql`.

        Parameters
        ----------
        dialect : {"duckdb", "postgres", "spark", "bigquery"}
            The database.
        source : str or sequence of str
            The table with the rows, such as "orders" or "sales.orders"; a list of its parts if a
            part has a dot in it. Its columns have the names seen in `fit` (``x0``, ... for arrays).
        result : str or sequence of str, default="cluster"
            What to return, one or several of "cluster" (as `predict` does), "probability" (that of
            this cluster), "probabilities" (those of all clusters, as `predict_proba` does) and
            "vectors" (as ``encoder_.transform`` does).
        lookup : str or sequence of str, default="untie_lookup"
            How the names of the two look-up tables begin; ``_values`` and ``_vectors`` follow. They
            have a row per value, so they stay small however many rows the source has.
        keep : sequence of str or "*", default=()
            Columns of the source to return as well, such as a key: SQL keeps no order of rows.
        names : sequence of str, optional
            The columns of the result. By default "cluster", "probability", "cluster0", "cluster1",
            ... for probabilities, and the encoder's names for vectors.

        Returns
        -------
        SqlTransform
            `setup` (statements to run once), `query` and `teardown`; `str` makes one script of the
            first two.

        Raises
        ------
        ValueError
            If a column, a name or a value cannot be written in that database, or the tables would
            have more than ten million numbers. The message names the column and the remedy.

        Examples
        --------
        >>> import duckdb
        >>> from untie import TableClusterer
        >>> from untie.datasets import load
        >>> animals, kinds = load("zoo")
        >>> clusterer = TableClusterer().fit(animals)
        >>> parts = ["cluster", "probability"]
        >>> sql = clusterer.to_sql("duckdb", source="animals", result=parts)
        >>> with duckdb.connect() as database:
        ...     for statement in sql.setup:
        ...         _ = database.execute(statement)
        ...     database.execute(sql.query).fetchone()
        (0, 0.99...)
        """
        attributes, outcome = self._exported(result, names)
        fails = self.encoder_.handle_unknown == "error"
        place = {"source": source, "lookup": lookup, "keep": keep}
        return write_sql(dialect, attributes, outcome, fails=fails, **place)

    def to_onnx(
        self,
        *,
        result: str | Sequence[str] = (CLUSTER, PROBABILITIES),
        missing: str = "",
        as_text: Sequence[str] = (),
    ) -> Any:
        """Write `predict` and `predict_proba` as a model that runs in onnxruntime.

        Needs onnx, of the extra ``onnx``. The model takes raw rows: what the preparer does is part
        of it. Its inputs, and missing cells in them, are those of :meth:`TableEncoder.to_onnx`. Its
        outputs have the names of what is returned.

        Parameters
        ----------
        result : str or sequence of str, default=("cluster", "probabilities")
            What to return, one or several of "cluster" (int64, as `predict` does), "probability"
            (that of this cluster), "probabilities" (those of all clusters, as `predict_proba` does)
            and "vectors" (as ``encoder_.transform`` does).
        missing : str, default=""
            The text that stands for a missing cell in inputs of strings; no value of the table.
        as_text : sequence of str, default=()
            Columns of numbers that are binned whose input takes strings, such as "7.5", because
            the rows come as text.

        Returns
        -------
        onnx.ModelProto

        Raises
        ------
        ValueError
            If a column can't be exported, or for handle_unknown="error". The message names the
            column and the remedy.

        Examples
        --------
        >>> from untie import TableClusterer
        >>> from untie.datasets import load
        >>> animals, kinds = load("zoo")
        >>> model = TableClusterer().fit(animals).to_onnx()
        >>> [entry.name for entry in model.graph.output]
        ['cluster', 'probabilities']
        """
        attributes, outcome = self._exported(result, None)
        _refuse_errors(self.encoder_.handle_unknown, "clusterer.encoder_")
        dtype = self.encoder_._form().dtype
        return write_onnx(attributes, outcome, dtype=dtype, missing=missing, as_text=as_text)

    def _exported(
        self, result: str | Sequence[str], names: Sequence[str] | None
    ) -> tuple[list[Attribute], ExportedResult]:
        """Return what each column needs to be looked up, and what is made of it."""
        check_is_fitted(self)
        parts = (result,) if isinstance(result, str) else tuple(result)
        for part in parts or ("",):
            check_one_of("result", part, PARTS)
        if len(set(parts)) < len(parts):
            raise ValueError(f"result names a part twice: {list(parts)!r}; name each once.")
        encoder, k = self.encoder_, self.n_clusters_
        check_handle_unknown(encoder.handle_unknown)
        tables, summed = list(self._costs_now()), True
        usual = {CLUSTER: [CLUSTER], PROBABILITY: [PROBABILITY]}
        usual[PROBABILITIES] = [f"{CLUSTER}{number}" for number in range(k)]
        if VECTORS in parts:
            lookup, summed = encoder._model.lookup, encoder._model.lookup.summed
            tables = [np.hstack(p) for p in zip(tables, dense_tables(lookup), strict=True)]
            usual[VECTORS] = encoder.get_feature_names_out().tolist()
        own = _names(names, [name for part in parts for name in usual[part]])
        cells = _cells(encoder._grouping.raw.columns, self.preparer_)
        attributes = attributes_of(encoder._grouping, tables, encoder.handle_unknown, cells)
        vectors = tuple(usual.get(VECTORS, ()))
        return attributes, ExportedResult(own, vectors, summed, k, self._sharpness, parts)


class ExportablePreparer:
    """A preparer that can be exported to where the data stays, as SQL or as an ONNX model.

    The base of `untie.Preparer`; see its methods.

    Examples
    --------
    >>> from untie import Preparer
    >>> from untie.export import ExportablePreparer
    >>> isinstance(Preparer(), ExportablePreparer)
    True
    """

    columns_: tuple[str, ...]
    notes_: Any
    _preparation: Preparation

    def to_sql(
        self,
        dialect: str,
        *,
        source: str | Sequence[str],
        keep: str | Sequence[str] = (),
        names: Sequence[str] | None = None,
    ) -> SqlTransform:
        """Write `transform` as SQL, for rows that stay in their database.

        Numbers and dates may be numbers and dates in the source, or texts that the preparer reads;
        only texts with the name of a month cannot be read. NULL and NaN are missing cells, and stay
        so. Ranges are texts.

        Parameters
        ----------
        dialect : {"duckdb", "postgres", "spark", "bigquery"}
            The database.
        source : str or sequence of str
            The table with the rows, such as "orders" or "sales.orders"; a list of its parts if a
            part has a dot in it. Its columns have the names seen in `fit` (``x0``, ... for arrays).
        keep : sequence of str or "*", default=()
            Columns of the source to return as well, such as a key: SQL keeps no order of rows.
        names : sequence of str, optional
            The columns of the result, instead of `columns_`.

        Returns
        -------
        SqlTransform
            Its `query` needs no `setup`.

        Raises
        ------
        ValueError
            If a column, a name or a value cannot be written in that database. The message names
            the column and the remedy.

        Examples
        --------
        >>> import duckdb
        >>> from untie import Preparer
        >>> preparer = Preparer(columns=["x0"]).fit([[n] for n in range(50)])
        >>> sql = preparer.to_sql("duckdb", source="people")
        >>> with duckdb.connect() as database:
        ...     _ = database.execute("CREATE TABLE people AS SELECT '7' AS x0")
        ...     database.execute(sql.query).fetchall()
        [('up to 9',)]
        """
        check_is_fitted(self)
        own = _names(names, list(self.columns_))
        cells = cells_of(self.columns_, self._preparation, self.notes_)
        return write_sql_of_cells(dialect, cells, own, source=source, keep=keep)

    def to_onnx(self, *, missing: str = "", as_text: Sequence[str] = ()) -> Any:
        """Write `transform` as a model that runs in onnxruntime.

        Needs onnx, of the extra ``onnx``. Its inputs, and missing cells in them, are those of
        :meth:`TableEncoder.to_onnx`. It has one output per prepared column, of shape (n_rows,),
        called "prepared." and the column's name: strings, with `missing` for a missing cell, or
        float64, with NaN for it.

        Parameters
        ----------
        missing : str, default=""
            The text that stands for a missing cell in inputs and outputs of strings; no value of
            the table.
        as_text : sequence of str, default=()
            Columns of numbers that are binned whose input takes strings, such as "7.5", because
            the rows come as text.

        Returns
        -------
        onnx.ModelProto

        Raises
        ------
        ValueError
            If a column can't be exported. The message names the column and the remedy.

        Examples
        --------
        >>> from untie import Preparer
        >>> model = Preparer(columns=["x0"]).fit([[n] for n in range(50)]).to_onnx()
        >>> [entry.name for entry in model.graph.output]
        ['prepared.x0']
        """
        check_is_fitted(self)
        cells = cells_of(self.columns_, self._preparation, self.notes_)
        return write_onnx_of_cells(cells, missing=missing, as_text=as_text)


def _cells(columns: Sequence[str], preparer: Any) -> list[ExportedColumn]:
    """Return how prepared columns are made by a fitted preparer, or None."""
    if preparer is None:
        return cells_of(columns, None)
    return cells_of(columns, preparer._preparation, preparer.notes_)


def _names(given: Sequence[str] | None, usual: list[str]) -> tuple[str, ...]:
    names = usual if given is None else given
    if isinstance(names, str) or len(names) != len(usual):
        raise ValueError(f"names must name the {len(usual)} columns of the result: {given!r}.")
    return tuple(map(str, names))


def _refuse_errors(handle_unknown: str, owner: str) -> None:
    if handle_unknown == "error":
        raise ValueError(
            "An ONNX model can't fail at an unknown value, as handle_unknown='error' asks; "
            f"write it with {owner}.set_params(handle_unknown='ignore'), which needs no new fit."
        )
