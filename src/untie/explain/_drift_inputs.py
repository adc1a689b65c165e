"""A reference and a new table -> their counts, in the codes of one vocabulary."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie._count.counts import CountedTable
from untie._count.grouping import Grouping
from untie._count.memory import check_memory
from untie._count.tally import CountOptions
from untie._encoder_base import EncoderBase
from untie._engines.registry import open_table
from untie._engines.source import Source
from untie._table.names import check_names
from untie._table.vocabulary import INFREQUENT, Vocabulary, sort_values


def count_both(
    reference: Any, new: Any, sample_weight: Any = None
) -> tuple[CountedTable, CountedTable, str, tuple[str, ...]]:
    """Count both tables.

    Parameters
    ----------
    reference : TableEncoder or table
        A fitted encoder stands for the rows that it has learned from.
    new : table
        Prepared as those rows were.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row of the new table counts.

    Returns
    -------
    before, after : CountedTable
        With the same vocabulary.
    backend : str
        The library of frames for the user.
    ignored : tuple of str
        Columns of the new table that the reference does not have.
    """
    before, grouping, backend = _reference(reference)
    source, ignored = _own_columns(new, before.vocabulary.columns, sample_weight)
    after = _count(source, sample_weight)[0]
    # Arrays have no names; what stands in the same place is the same column.
    after = CountedTable(
        Vocabulary(before.vocabulary.columns, after.vocabulary.values),
        after.counts.with_draws(after.sample),
    )
    if grouping is not None:
        after = _grouped(after, grouping)
    union = before.vocabulary.union(after.vocabulary)
    check_memory(union.sizes, union.columns, n_rows=before.counts.n_rows + after.counts.n_rows)
    return before.align(union), after.align(union), backend, ignored


def _reference(reference: Any) -> tuple[CountedTable, Grouping | None, str]:
    """Return the counts, how rare values were merged in them, and the library."""
    if isinstance(reference, EncoderBase):
        kept = reference.model_.ungrouped
        if kept is not None:
            return CountedTable(kept.vocabulary, kept.counts), None, reference.library_
        counted = CountedTable(reference.vocabulary_, reference.counts_)
        return counted, reference.grouping_, reference.library_
    counted, backend = _count(reference)
    return counted, None, backend


def _count(data: Any, sample_weight: Any = None) -> tuple[CountedTable, str]:
    """Return the counts of a table, and its library."""
    tally = open_table(data).count(CountOptions(sample_weight))
    assert tally.ungrouped is not None  # nothing was merged
    assert tally.table is not None
    return tally.ungrouped, tally.table.backend


def _own_columns(
    new: Any, names: tuple[str, ...], sample_weight: Any
) -> tuple[Source, tuple[str, ...]]:
    """Return the columns of the reference, by name where there are names, and the others' names."""
    source = open_table(new)
    if source.has_names:
        check_names(names, source.columns, "the new table", ", which the reference has")
        weight = [sample_weight] if isinstance(sample_weight, str) else []
        others = tuple(name for name in source.columns if name not in (*names, *weight))
        return source.select([*names, *weight]), others
    if len(source.columns) != len(names):
        raise ValueError(
            f"The new table has {len(source.columns)} columns, the reference {len(names)}: {names}."
        )
    return source, ()


def _grouped(counted: CountedTable, grouping: Grouping) -> CountedTable:
    """Merge the values that the reference has merged."""
    values, targets = [], []
    for place, found in enumerate(counted.vocabulary.values):
        positions = grouping.raw.positions[place]
        rare = {v for v in found if v in positions and grouping.rare[place][positions[v]]}
        kept = sort_values([INFREQUENT if v in rare else v for v in dict.fromkeys(found)])
        kept = tuple(dict.fromkeys(kept))
        code = {value: number for number, value in enumerate(kept)}
        values.append(kept)
        targets.append(np.array([code[INFREQUENT if v in rare else v] for v in found], np.intp))
    vocabulary = Vocabulary(counted.vocabulary.columns, tuple(values))
    return CountedTable(vocabulary, counted.counts.relabel(targets, vocabulary.sizes))
