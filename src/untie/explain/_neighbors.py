"""The rows nearest to a row, and what makes them similar."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from untie._base import codes_at, nearest_in
from untie._engines.registry import open_table
from untie._engines.source import Source
from untie._inputs import (
    FittedTable,
    as_fitted,
    cell_texts,
    check_positions,
    is_one_row,
    known_space,
    named_rows,
    one_raw_row,
    one_row,
)
from untie._learn.nearest import Nearest, Search, queries_at_once, side_by_side
from untie._learn.spaces.value_space import KnownSpace
from untie._table import frames
from untie._table.table import NO_ROWS, NoRowsError
from untie._util.checks import check_integer
from untie._util.types import Codes, FloatArray, IntArray
from untie.encoder import TableEncoder

PAIRS = 64
"""The similarities of this many pairs are computed at a time."""

ONCE = "which can be read only once; pass what it was made from (a dataset, a query, untie.scan)"


def neighbors(
    model: Any,
    data: Any,
    rows: Any,
    *,
    n: int = 10,
    columns: Sequence[str] | None = None,
    distinct: bool = False,
) -> Any:
    """Return the rows of a table that are nearest to some rows.

    Nearest by the distance of the learned vectors: unlike the similarity, it is never smaller for
    another row than for an equal one. A missing cell, or an unknown value, counts as any known
    value of its column: it makes rows neither near nor far. Of equally near rows the first come
    first. All rows are compared, so the answer is exact; the time grows with len(rows) x the number
    of rows. A lazy table is read piece by piece, and memory does not grow with it.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Where to look, with the columns seen in `fit`: a table in memory, or a lazy one, as
        :func:`untie.scan` gives; a Dask frame is searched by its workers.
    rows : int, sequence of int, row or table in memory
        Positions in `data`, from 0, which are then not their own neighbors; or other rows, as
        passed to `fit`: a table, or a single row as `why_similar` takes it. A list of whole numbers
        is one of positions. Positions in a lazy table are read first, which is one more pass.
    n : int, default=10
        Number of neighbors of each, usually 1 to 100; all there are, where they are fewer. Up to
        there it hardly matters for the time.
    columns : sequence of str, optional
        The only columns that count; all of them do by default.
    distinct : bool, default=False
        Whether of equal rows only the first is a neighbor, and none that is equal to the row
        itself. Rows are equal if all their values are, also in columns that do not count.

    Returns
    -------
    frame
        One row per neighbor, the nearest first: row (its position in `data` or in `rows`), rank
        (from 1), position (of the neighbor in `data`), name (of the neighbor, if rows have names:
        see `Preparer`), similarity (which need not fall with the
        rank: rare values make a row similar to more), distance. See `why_similar` for what missing
        cells do to both.

    See Also
    --------
    why_similar : What makes two rows similar.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import neighbors
    >>> drinks = [["red", "wine"], ["white", "wine"], ["brown", "beer"], ["red", "wine"]]
    >>> encoder = TableEncoder(n_clusters=2).fit(drinks)
    >>> neighbors(encoder, drinks, 0, n=2)[["row", "rank", "position"]]
       row  rank  position
    0    0     1         3
    1    0     2         1
    >>> neighbors(encoder, drinks, 0, n=2, distinct=True)["position"].tolist()
    [1, 2]
    """
    fitted = as_fitted(model, data, rows)
    encoder = fitted.encoder
    n = check_integer("n", n)
    chosen = _chosen(fitted, columns)
    source = open_table(fitted.rows(data)[0])
    source.check_streams()
    own = check_positions(rows)
    if own is not None and source.is_one_shot:
        raise ValueError(f"Rows of {source.origin} can't be named by position, {ONCE}.")
    if own is None and is_one_row(fitted, rows):
        rows = one_raw_row(fitted, rows)
    queries = fitted.codes(rows) if own is None else codes_at(encoder, source, own)
    space = known_space(encoder)
    found = _search(encoder, space, source, queries, own, n, chosen, distinct)
    row = found.query
    result = {
        "row": row if own is None else own[row],
        "rank": _ranks(row),
        **named_rows(found.position, fitted.names_at(data, found.position)),
        "similarity": _similarities(space, [c[row] for c in queries], found.codes, chosen),
        "distance": np.sqrt(found.distance),
    }
    return frames.make_frame(encoder._library, result)


def _chosen(fitted: FittedTable, columns: Sequence[str] | None) -> list[int]:
    """Return the attributes that count."""
    names = fitted.encoder.vocabulary_.columns
    if columns is None:
        return list(range(len(names)))
    if isinstance(columns, str) or not len(columns):
        raise ValueError(f"columns must be a list with at least one name, got {columns!r}.")
    return [fitted.index_of(name) for name in dict.fromkeys(columns)]


def _search(
    encoder: TableEncoder,
    space: KnownSpace,
    source: Source,
    queries: Codes,
    own: IntArray | None,
    n: int,
    chosen: list[int],
    distinct: bool,
) -> Nearest:
    """Return the nearest rows of each query but itself, in as many passes as tables need."""
    n_queries = len(queries[0])
    step = queries_at_once(space, chosen)
    if n_queries > step and source.is_one_shot:
        raise ValueError(
            f"Neighbors of {n_queries:,} rows take several passes over {source.origin}, {ONCE}; "
            f"or ask for {step:,} rows at a time."
        )
    # Itself, or a row that is equal to it, may be among those found.
    wanted = n if own is None and not distinct else n + 1
    parts = []
    for start in range(0, n_queries, step):
        some = [column[start : start + step] for column in queries]
        part = nearest_in(encoder, source, Search(space, some, wanted, chosen, distinct))
        parts.append(replace(part, query=part.query + start))
    if not parts[0].n_rows:
        raise NoRowsError(NO_ROWS.format(""))
    found = side_by_side(parts)
    if distinct:
        pairs = zip(found.codes, queries, strict=True)
        found = found.take(
            np.any([column != other[found.query] for column, other in pairs], axis=0)
        )
    elif own is not None:
        found = found.take(found.position != own[found.query])
    return found.take(_ranks(found.query) <= n)


def _ranks(row: IntArray) -> IntArray:
    """Return the place of each entry among those of the same row, from 1."""
    return np.arange(len(row)) - np.searchsorted(row, row) + 1


def _similarities(space: KnownSpace, first: Codes, second: Codes, chosen: list[int]) -> FloatArray:
    """Return the inner product of each row with its partner, over the attributes that count."""
    total = np.zeros(len(first[0]))
    for attribute in chosen:
        left, right = first[attribute], second[attribute]
        for start in range(0, len(total), PAIRS):
            some = slice(start, start + PAIRS)
            vectors = [space.deviations(attribute, codes[some]) for codes in (left, right)]
            total[some] += np.einsum("ij,ij->i", *vectors)
    return total


def why_similar(model: Any, row: Any, other: Any, *, data: Any = None) -> Any:
    """Return what each column contributes to the similarity of two rows.

    The similarity of two rows is a sum over the columns, and so is their squared distance:
    these are the terms.

    A cell that is missing in either row says nothing: it contributes 0, and the mean squared
    distance to the known values. Where a column has missing cells, contributions are those of the
    deviations from the mean of its known values, as otherwise known cells would be alike for being
    known. So `encoder.similarity`, to which a missing cell is a value, is their sum only where no
    column has missing cells.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    row, other : row or int
        As passed to `fit`: a table with one row, a dict or pandas Series with the cells by name, or
        the list of cells. Or its position in `data`, from 0, as `neighbors` takes and gives it.
    data : table of shape (n_rows, n_columns), optional
        The table that positions are in, in memory or lazy.

    Returns
    -------
    frame
        One row per column, the largest contribution first: column, value, other_value,
        contribution (they add up to the similarity), share (of the similarity; 0 if that is 0) and
        distance (they add up to the squared distance: what tells the rows apart). Contributions of
        kernels may be large for values that differ: see ``distance``.

    See Also
    --------
    neighbors : The rows that are most similar.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import why_similar
    >>> rows = [["red", "wine", "no"], ["red", "wine", "yes"], ["brown", "beer", "no"]] * 5
    >>> encoder = TableEncoder(n_clusters=2).fit([*rows, ["white", "wine", "no"]])
    >>> parts = why_similar(encoder, rows[0], rows[1])
    >>> parts[["column", "value", "other_value", "share"]].round(2)
      column value other_value  share
    0     x0   red         red    0.5
    1     x1  wine        wine    0.5
    2     x2    no         yes    0.0
    """
    fitted = as_fitted(model, data, row, other)
    encoder = fitted.encoder
    rows = [one_row(fitted, entry, data) for entry in (row, other)]
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
    return frames.make_frame(encoder._library, columns)


def _parts(encoder: TableEncoder, row: Any, other: Any) -> tuple[FloatArray, FloatArray]:
    """Return the terms of the similarity and of the squared distance; shape (n_attributes,)."""
    space = known_space(encoder)
    first, second = encoder._codes(row), encoder._codes(other)
    contributions, distances = np.empty((2, len(space)))
    for attribute in range(len(space)):
        codes = np.concatenate([first[attribute], second[attribute]])
        left, right = space.deviations(attribute, codes)
        contributions[attribute] = left @ right
        distances[attribute] = np.square(left - right).sum() + space.spreads[attribute][codes].sum()
    return contributions, distances
