"""Why two rows are similar."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie._inputs import as_fitted, cell_texts, one_row
from untie._table import frames
from untie._util.types import FloatArray
from untie.encoder import TableEncoder


def why_similar(model: Any, row: Any, other: Any) -> Any:
    """Return what each column contributes to the similarity of two rows.

    The similarity of two rows is a sum over the columns, and so is their squared distance:
    these are the terms.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    row, other : row
        As passed to `fit`: a table with one row, a dict or pandas Series with the cells by name, or
        the list of cells.

    Returns
    -------
    frame
        One row per column, the largest contribution first: column, value, other_value,
        contribution (they add up to ``encoder.similarity``), share (of the similarity; 0 if that is
        0) and distance (they add up to the squared distance of the rows' vectors: what tells the
        rows apart). Contributions of kernels may be large for values that differ: see
        ``distance``.

    See Also
    --------
    neighbors : The rows that are most similar.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import why_similar
    >>> rows = [["red", "wine", "no"], ["red", "wine", "yes"], ["brown", "beer", "no"]] * 5
    >>> encoder = TableEncoder(n_clusters=2).fit(rows)
    >>> parts = why_similar(encoder, rows[0], rows[1])
    >>> parts[["column", "value", "other_value", "share"]].round(2)
      column value other_value  share
    0     x0   red         red    0.5
    1     x1  wine        wine    0.5
    2     x2    no         yes    0.0
    """
    fitted = as_fitted(model)
    encoder = fitted.encoder
    rows = [one_row(fitted, entry) for entry in (row, other)]
    contributions, distances = _parts(encoder, *rows)
    texts = [[cells[0] for cells in cell_texts(encoder, entry)] for entry in rows]
    order = np.lexsort((distances, -np.round(contributions, 12)))
    total = contributions.sum()
    columns = {
        "column": [encoder.vocabulary_.columns[place] for place in order],
        "value": [texts[0][place] for place in order],
        "other_value": [texts[1][place] for place in order],
        "contribution": contributions[order],
        "share": contributions[order] / total if total else np.zeros(len(order)),
        "distance": distances[order],
    }
    return frames.make_frame(encoder.library_, columns)


def _parts(encoder: TableEncoder, row: Any, other: Any) -> tuple[FloatArray, FloatArray]:
    """Return the terms of the similarity and of the squared distance; shape (n_attributes,)."""
    space = encoder.model_.space
    first, second = encoder._codes(row), encoder._codes(other)
    contributions, distances = np.empty((2, len(space)))
    for attribute in range(len(space)):
        left, right = (space.vectors(attribute, codes[attribute])[0] for codes in (first, second))
        contributions[attribute] = left @ right
        distances[attribute] = np.square(left - right).sum()
    return contributions, distances
