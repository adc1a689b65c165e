"""A fitted estimator and rows that are read piece by piece -> vectors, in a file or a folder."""

import os
from collections.abc import Sequence
from typing import Any

from untie._engines.arrow import ArrowSource
from untie._engines.registry import open_table
from untie._engines.scanning import scan
from untie._engines.writing import is_folder, write_parts, writer_of
from untie._inputs import FittedTable, as_fitted
from untie.encoder import TableEncoder


def sink(
    model: Any, source: Any, path: str | os.PathLike[str], keep: str | Sequence[str] = ()
) -> None:
    """Transform rows piece by piece and write their vectors to a file, or to a folder of files.

    The file or folder appears as a whole at the end; when something goes wrong or the user stops
    it, an older one of that name stays. Memory does not grow with the number of rows. Needs the
    extra ``files``.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three. For a clusterer, the vectors of its encoder are
        written. An encoder's `n_components` and ``dtype=numpy.float32`` make the file smaller.
    source : path, pattern, lazy table or frame
        The rows: files as in :func:`untie.scan`, or anything that `TableEncoder.transform` takes
        and that has names of columns. Columns that were not seen in `fit` are left alone.
    path : path
        Parquet (.parquet, .pq), Feather (.feather, .arrow), CSV (.csv) or TSV (.tsv), the last two
        compressed if .gz follows. A path without an ending, such as "vectors", is a folder of
        Parquet files, part-0000.parquet and so on, which hold the rows in their order; it is
        faster, as each core writes files of its own. A folder that has other files is refused.
    keep : sequence of str or "*", default=()
        Columns of the source to write as well, such as a key; "*" is all of them.

    Raises
    ------
    ValueError
        When the file's name has another ending, or a column that is kept has the name of a column
        of vectors.

    See Also
    --------
    scan : A lazy table of files or of a query.
    TableEncoder.transform : The vectors in memory, or as a stream.

    Examples
    --------
    >>> import os, tempfile
    >>> import untie
    >>> wines = untie.scan(
    ...     sql="SELECT * FROM (VALUES (1, 'red', 'dry'), (2, 'white', 'dry'), (3, 'red', 'sweet'))"
    ...     " AS wines(id, color, taste)"
    ... )
    >>> encoder = untie.TableEncoder(2).fit(wines.select(["color", "taste"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "vectors.parquet")
    ...     untie.sink(encoder, wines, path, keep=["id"])
    ...     untie.scan(path).columns
    ['id', 'color=red', 'color=white', 'taste=dry', 'taste=sweet']
    """
    fitted = as_fitted(model)
    write = None if is_folder(path) else writer_of(path)
    if isinstance(source, str | os.PathLike | list | tuple):
        source = scan(source)
    if write is None:
        table, kept = _opened(source, keep)
        write_parts(table.map_parts(fitted._vector_task(), kept), path)
    else:
        write(stream_vectors(fitted, source, keep))


def stream_vectors(
    encoder: TableEncoder | FittedTable, source: Any, keep: str | Sequence[str] = ()
) -> Any:
    """Return a reader of record batches with the rows' vectors; they are made as it is read.

    Parameters
    ----------
    encoder : TableEncoder or FittedTable
        Fitted.
    source : lazy table or frame
        Rows with the columns seen in `fit`, and perhaps others.
    keep : sequence of str or "*"
        Columns that come first, as they are.
    """
    table, kept = _opened(source, keep)
    return table.map_rows(encoder._vector_task(), kept)


def _opened(source: Any, keep: str | Sequence[str]) -> tuple[ArrowSource, list[str]]:
    """Return a table as Arrow has it, and the names of the columns to keep."""
    table: ArrowSource = open_table(source).to_arrow()
    if isinstance(keep, str) and keep != "*":
        raise TypeError(f"keep must be a list of names or '*', got {keep!r}: pass [{keep!r}].")
    return table, table.columns if keep == "*" else list(keep)
