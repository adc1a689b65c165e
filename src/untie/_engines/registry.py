"""Whatever a user calls a table -> its engine's form."""

from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw

from untie._count.counts import CountedTable
from untie._count.tally import CountOptions
from untie._engines.arrow import adopt_arrow, adopt_polars
from untie._engines.dask import adopt_dask
from untie._engines.duck import adopt_duckdb
from untie._engines.memory import MemorySource
from untie._engines.source import Source
from untie._engines.spark import adopt_spark

ENGINES: tuple[Callable[[Any], Source | None], ...] = (
    adopt_dask,
    adopt_spark,
    adopt_duckdb,
    adopt_polars,
    adopt_arrow,
)
"""Each returns an object of its library as a source, and None for everything else. They import no
library: whoever has an object of it has it loaded."""


def open_table(data: Any) -> Source:
    """Return a table in its engine's form; what no engine knows is a table in memory."""
    if isinstance(data, Source):
        return data
    if isinstance(data, nw.LazyFrame):
        data = data.to_native()
    found = (adopt(data) for adopt in ENGINES)
    return next((source for source in found if source is not None), MemorySource(data))


def count_table(data: Any, sample_weight: Any = None, categories: Any = "auto") -> CountedTable:
    """Count a table, or one chunk of it; chunks add up with ``+``.

    Parameters
    ----------
    data : table
        A pandas, polars or pyarrow table, an array or a list of rows; or a lazy table, which is
        read piece by piece: what :func:`untie.scan` gives, a DuckDB relation, a polars
        LazyFrame, a pyarrow Dataset or RecordBatchReader; or a Dask or Spark frame, which is
        counted partition by partition on its workers.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so; lazy tables take a name only.
    categories : "auto" or list of lists
        The values of each column, if they are known beforehand: chunks then share one vocabulary,
        and are added without uniting theirs.

    Returns
    -------
    CountedTable
        `vocabulary`, `counts` and `sample`, for `TableEncoder.fit_counts`. Its size depends on the
        number of values, not on that of the rows.

    Raises
    ------
    ValueError
        When the counts of all pairs would take more than 4 GiB: no values are merged here.

    See Also
    --------
    TableEncoder.fit_counts : Learns from it.
    TableEncoder.partial_fit : Learns anew with every chunk.

    Examples
    --------
    >>> from untie import TableEncoder, count_table
    >>> chunks = [[["red", "wine"], ["red", "wine"]], [["white", "wine"], ["brown", "beer"]]]
    >>> counted = count_table(chunks[0]) + count_table(chunks[1])
    >>> counted.vocabulary.values
    (('brown', 'red', 'white'), ('beer', 'wine'))
    >>> TableEncoder(n_clusters=2, preparer=None).fit_counts(counted).transform(chunks[1]).shape
    (2, 5)
    """
    tally = open_table(data).count(CountOptions(sample_weight, categories, with_sample=True))
    assert tally.ungrouped is not None  # nothing was merged
    return tally.ungrouped
