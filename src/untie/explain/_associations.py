"""How much all pairs of columns have in common."""

from __future__ import annotations

from typing import Any

from untie._inputs import as_fitted
from untie._learn.dependence import pair_entropies
from untie._learn.telling import telling_of
from untie._table import frames


def associations(model: Any, *, directed: bool = False) -> Any:
    """Return a square, labelled frame of how much columns have in common, from 0 to 1.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    directed : bool, default=False
        If False, the symmetric uncertainty: 1 if each column determines the other, 0 if they are
        independent. If True, the share of a column's entropy (at the head) that another (of the
        line) tells: a city tells its state, not the reverse. This takes a millisecond or so per
        pair of columns, the other next to nothing. From both, what chance alone gives is left out.

    Returns
    -------
    frame of shape (n_columns, n_columns)
        With the columns as index in pandas, and as a first column in other libraries.

    See Also
    --------
    families : The columns that say the same.
    untie.plot.associations : Draws them.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import associations
    >>> cities = [["Rome", "Italy"], ["Pisa", "Italy"], ["Nice", "France"], ["Lyon", "France"]]
    >>> encoder = TableEncoder(n_clusters=2).fit(cities * 25)
    >>> associations(encoder, directed=True).round(1)
         x0   x1
    x0  1.0  1.0
    x1  0.5  1.0
    """
    encoder = as_fitted(model).encoder
    attributes, names = encoder.model_.attributes, encoder.vocabulary_.columns
    if not directed:
        return frames.square(encoder.library_, names, attributes.uncertainty)
    counts = encoder.counts_
    shares = telling_of(counts, pair_entropies(counts), least=0.0).shares
    return frames.square(encoder.library_, names, shares)
