"""The export methods of the encoders: `to_sql` and `to_onnx`."""

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from untie._count.grouping import Grouping
from untie._learn.parameters import check_handle_unknown
from untie._learn.vectors import LookUp
from untie.export._onnx import write_onnx
from untie.export._sql import Attribute, SqlTransform, attributes_of, write_sql


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

        The query reads cells as they are. Where the preparer changes some (binned numbers, merged
        values), export an encoder of prepared rows, as the error shows.
        The vectors come as doubles whatever `dtype` says. Unknown values are treated as
        `handle_unknown` says: they are neutral, join the rare ones or make the query fail; only
        "warn" has no warnings there. NULL and NaN are missing cells. The columns must have the
        types that they had in `fit`, each one of text, integers, floats, booleans, dates or times.

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
            If the preparer changes cells, a name or a value cannot be written in that database, or
            the tables would have more than ten million numbers.

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
        attributes, table, of_table = self._tables()
        given = of_table if names is None else names
        if isinstance(given, str) or len(given) != table.n_columns:
            raise ValueError(
                f"names must name the {table.n_columns} columns of the result: {given!r}."
            )
        return write_sql(
            dialect,
            attributes,
            [str(name) for name in given],
            source=source,
            lookup=lookup,
            keep=keep,
            summed=table.summed,
            fails=self.handle_unknown == "error",
        )

    def to_onnx(self, *, missing: str = "") -> Any:
        """Write `transform` as a model that runs in onnxruntime.

        The model reads cells as they are. Where the preparer changes some (binned numbers, merged
        values), export an encoder of prepared rows, as the error shows.
        Needs onnx, of the extra ``onnx``. The model has one input per column, of shape (n_rows,)
        and with the column's name: strings, int64 for integers, bool for booleans,
        float64 for other numbers and for numbers and booleans that had missing cells, which NaN
        stands for. Its output "vectors" has shape (n_rows, n_output_columns) and type `dtype`; the
        names of its columns are the model's metadata "feature_names". The same encoder always gives
        the same bytes.

        Dates, and columns with values of several types, can't be exported: turn them into text
        before `fit`. A model can't fail: handle_unknown="error" is refused.

        Parameters
        ----------
        missing : str, default=""
            The text that stands for a missing cell in inputs of text; no value of the table.

        Returns
        -------
        onnx.ModelProto

        Raises
        ------
        ValueError
            If a column's values have no ONNX type, or for handle_unknown="error".

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
        attributes, table, names = self._tables()
        if self.handle_unknown == "error":
            raise ValueError(
                "An ONNX model can't fail at an unknown value, as handle_unknown='error' asks; "
                "write it with encoder.set_params(handle_unknown='ignore'), which needs no new fit."
            )
        dtype = self._form().dtype
        return write_onnx(attributes, names, summed=table.summed, dtype=dtype, missing=missing)

    def _tables(self) -> tuple[list[Attribute], LookUp, list[str]]:
        """Return what each column needs to be looked up, all tables, and names of the result."""
        check_is_fitted(self)
        check_handle_unknown(self.handle_unknown)
        table = self._model.lookup
        attributes = attributes_of(self._grouping, table, self.handle_unknown)
        return attributes, table, self.get_feature_names_out().tolist()
