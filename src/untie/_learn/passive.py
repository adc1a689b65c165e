"""A model of the columns that count -> one that knows the passive ones, too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from untie._count.selecting import Places
from untie._count.tally import Tally
from untie._learn.attributes import ColumnView
from untie._learn.fitted import Fitted
from untie._learn.vectors import LookUp
from untie._table.orders import Positions


def with_passive(fitted: Fitted, counted: Tally, heard: Places) -> Fitted:
    """Return a model of all columns of a table, learned from some of them.

    The values of the others have vectors without any dimension (of zeros, where vectors are added
    up), and no kernels. They are counted as the rest is.

    Parameters
    ----------
    fitted : Fitted
        Learned from the columns that count.
    counted : Tally
        All columns.
    heard : integer array
        The attributes of the columns that count, ascending.
    """
    sizes = counted.counts.sizes
    factors = np.zeros(len(sizes))
    factors[heard] = fitted.factors
    orders: list[Positions | None] = [None] * len(sizes)
    for place, positions in zip(heard, fitted.orders, strict=False):
        orders[place] = positions
    widths = [(0,) * len(fitted.labels)] * len(sizes)
    for place, own in zip(heard, fitted.widths, strict=True):
        widths[place] = own
    vectors = _spread(fitted.vectors, sizes, heard)
    is_own = fitted.lookup is not fitted.vectors
    return replace(
        fitted,
        grouping=counted.grouping,
        columns=ColumnView(counted.counts, tuple(orders), factors),
        ungrouped=counted.ungrouped,
        widths=tuple(widths),
        vectors=vectors,
        lookup=_spread(fitted.lookup, sizes, heard) if is_own else vectors,
        errors={int(heard[place]): errors for place, errors in fitted.errors.items()},
    )


def _spread(lookup: LookUp, sizes: tuple[int, ...], heard: Places) -> LookUp:
    width = lookup.n_columns if lookup.summed else 0
    tables = [np.zeros((size + 1, width)) for size in sizes]
    for place, table in zip(heard, lookup.tables, strict=True):
        tables[place] = table
    return LookUp(tuple(tables), lookup.summed)
