"""Which columns have missing cells in the same rows."""

from __future__ import annotations

from typing import Any

from untie._inputs import as_fitted
from untie._learn.families import gap_blocks
from untie._table import frames


def missing_together(model: Any) -> Any:
    """Return the blocks of columns whose cells are missing together.

    In a form with parts that only some fill in, "missing" is one fact told by many columns, and may
    make the clusters alone. It has a vote for each column in the block. To let it count once, name
    the values of these columns in `categories`, with None in one of them only: in the others a
    missing cell is then unknown, which is neutral. Or make all but one of the columns passive
    (`column_weights` of 0).

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.

    Returns
    -------
    frame
        One row per column in a block: block (its number), column and share, that of the rows in
        which it is missing. Empty if there are none.

    See Also
    --------
    families : Columns that say the same whether missing or not.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import missing_together
    >>> rows = [["a", "x", "p"], ["b", "y", "q"], [None, None, "p"], ["a", "y", "q"]] * 10
    >>> missing_together(TableEncoder(n_clusters=2).fit(rows))
       block column  share
    0      0     x0   0.25
    1      0     x1   0.25
    """
    encoder = as_fitted(model).encoder
    vocabulary, counts = encoder.vocabulary_, encoder.counts_
    missing = [positions.get(None) for positions in vocabulary.positions]
    found = [
        (number, place)
        for number, block in enumerate(gap_blocks(counts, missing))
        for place in block
    ]
    shares = []
    for _, place in found:
        code = missing[place]
        assert code is not None  # a column in a block has missing cells
        shares.append(float(counts.frequencies[counts.span(place)][code] / counts.n))
    columns = {
        "block": [number for number, _ in found],
        "column": [vocabulary.columns[place] for _, place in found],
        "share": shares,
    }
    return frames.make_frame(encoder.library_, columns)
