"""Values that a model has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie._inputs import as_fitted
from untie._table import frames
from untie._table.column_codes import factorize
from untie._table.plain_values import value_text
from untie._table.table import read_table


def unknown_values(model: Any, data: Any) -> Any:
    """Return the values of a table that the encoder has not learned from.

    They are neutral to `transform`: as near to one value as to another. Columns that the encoder
    does not learn from (`column_weights` of 0) are not looked at.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory.

    Returns
    -------
    frame
        One row per value, in the order of the columns, the most frequent first: column, value (as
        text, "missing" for a missing cell) and count, the number of rows that have it.

    See Also
    --------
    outliers : Rows with such values are unusual.
    assignments : New rows to clusters.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import unknown_values
    >>> encoder = TableEncoder(n_clusters=2).fit([["sea", "fish"], ["land", "cow"]] * 5)
    >>> unknown_values(encoder, [["sea", "cow"], ["moon", "cow"], ["moon", None]])
      column    value  count
    0     x0     moon      2
    1     x1  missing      1
    """
    fitted = as_fitted(model)
    encoder, rows = fitted.encoder, fitted.rows(data)[0]
    encoder._codes(rows)  # warns as everything does
    table = read_table(rows, min_rows=0)
    found: dict[str, list[Any]] = {"column": [], "value": [], "count": []}
    known = encoder.grouping_.raw.positions
    for place, cells in enumerate(table.columns):
        if encoder.model_.passive[place]:
            continue
        codes, values = factorize(cells, table.names[place])
        counts = np.bincount(codes, minlength=len(values))
        new = [
            (int(count), "missing" if value is None else value_text(value))
            for value, count in zip(values, counts, strict=True)
            if count and value not in known[place]
        ]
        for count, value in sorted(new, key=lambda entry: (-entry[0], entry[1])):
            found["column"].append(encoder.vocabulary_.columns[place])
            found["value"].append(value)
            found["count"].append(count)
    return frames.make_frame(encoder.library_, found)
