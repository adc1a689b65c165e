"""A counted table -> the same with some of its columns alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import Counts
from untie._count.grouping import Grouping
from untie._count.row_sample import RowSample, sample_rows
from untie._count.tally import Tally
from untie._table.vocabulary import Vocabulary
from untie._util.types import Codes, FloatArray

Places = NDArray[np.intp]
"""The attributes that are kept, ascending."""


def select_tally(counted: Tally, kept: Places) -> Tally:
    """Return a tally as if the table had only the columns that are kept."""
    rare = tuple(counted.grouping.rare[place] for place in kept)
    grouping = Grouping(
        select_vocabulary(counted.grouping.raw, kept), rare, counted.grouping.missing_is_value
    )
    rows = counted.rows
    return replace(
        counted,
        grouping=grouping,
        counts=select_counts(counted.counts, kept),
        ungrouped=None,
        rows=rows and replace(rows, codes=[rows.codes[place] for place in kept]),
        sample=_select_sample(counted, grouping, kept),
    )


def select_vocabulary(vocabulary: Vocabulary, kept: Places) -> Vocabulary:
    """Return the columns that are kept, and their values."""
    return Vocabulary(
        tuple(vocabulary.columns[place] for place in kept),
        tuple(vocabulary.values[place] for place in kept),
    )


def select_counts(counts: Counts, kept: Places) -> Counts:
    """Return the counts of the columns that are kept.

    Examples
    --------
    >>> from untie import count_table
    >>> counts = count_table([["a", "x", "p"], ["b", "x", "q"]]).counts
    >>> select_counts(counts, np.array([0, 2])).block(0, 1)
    array([[1., 0.],
           [0., 1.]])
    """
    places = np.concatenate([np.arange(*counts.offsets[[k, k + 1]]) for k in kept])
    sizes = tuple(counts.sizes[place] for place in kept)
    matrix = counts.matrix[places]
    return replace(counts, sizes=sizes, matrix=matrix[:, places] if counts.has_pairs else matrix)


def _select_sample(counted: Tally, grouping: Grouping, kept: Places) -> RowSample | None:
    """Sample the sampled rows again; some may be equal without the other columns."""
    if counted.sample is None:
        return None
    if counted.ungrouped is not None and counted.ungrouped.sample is not None:
        raw = counted.ungrouped.sample
        found = sample_rows(list(raw.codes[:, kept].T), grouping.raw, raw.weights)
        return grouping.apply_to_sample(found)
    merged = counted.sample
    return sample_rows(list(merged.codes[:, kept].T), grouping.vocabulary, merged.weights)


def sample_heard(
    codes: Codes,
    vocabulary: Vocabulary,
    weights: FloatArray | None,
    passive: NDArray[np.bool_],
) -> RowSample:
    """Sample rows as if passive columns were not there; in the sample, their cells are unknown."""
    if not passive.any():
        return sample_rows(codes, vocabulary, weights)
    heard = np.flatnonzero(~passive)
    own = [codes[place] for place in heard]
    found = sample_rows(own, select_vocabulary(vocabulary, heard), weights)
    rows = np.tile(np.array(vocabulary.sizes, dtype=np.int64), (len(found.weights), 1))
    rows[:, heard] = found.codes
    return replace(found, codes=rows)
