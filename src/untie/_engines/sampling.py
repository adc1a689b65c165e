"""A fitted encoder and a table of any kind -> a sample of its distinct rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from untie._count.row_sample import RowSample, sample_rows
from untie._engines.counting import check_weight_column
from untie._engines.dask import DaskTable
from untie._engines.lazy import as_streamed
from untie._engines.relation import Relation
from untie._engines.transform import own_columns
from untie._table.sample_weights import positive_weights, read_weights, split_weights
from untie._util.progress import watch
from untie._util.types import Codes, FloatArray
from untie.encoder import UNTIE


@dataclass(frozen=True, eq=False)
class Found:
    """A sample, or None of no rows; ``+`` merges."""

    sample: RowSample | None

    def __add__(self, other: Found) -> Found:
        if self.sample is None or other.sample is None:
            return Found(other.sample if self.sample is None else self.sample)
        return Found(self.sample + other.sample)


def sample_table(encoder: UNTIE, data: Any, sample_weight: Any = None) -> RowSample:
    """Return distinct rows of a table with their weights, in the encoder's codes.

    The same rows for every order and chunking; all of them, if they are few.

    Parameters
    ----------
    encoder : UNTIE
        Fitted.
    data : table
        In memory or lazy.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so; lazy tables take a name only.
    """
    lazy = as_streamed(data)
    if isinstance(lazy, DaskTable):
        weight = check_weight_column(lazy, sample_weight)
        found = own_columns(encoder, lazy, weight).add_up(partial(_sample_part, encoder, weight))
    else:
        found = Found(None)
        for codes, weights in coded_pieces(encoder, data, sample_weight, "sampling"):
            found = found + _sample(encoder, codes, weights)
    if found.sample is None:
        raise ValueError("No row of the table counts: it is empty, or every weight is 0.")
    return found.sample


def coded_pieces(
    encoder: UNTIE, data: Any, sample_weight: Any, what: str
) -> Iterator[tuple[Codes, FloatArray | None]]:
    """Yield the rows that count, coded, with their weights: all at once, or batch by batch.

    Parameters
    ----------
    encoder : UNTIE
        Fitted.
    data : table
        In memory or read piece by piece, but no Dask frame.
    sample_weight : array of shape (n_rows,) or str or None
        How often each row counts, or the column that says so.
    what : str
        What is done with the rows, for the bar on the terminal.
    """
    lazy = as_streamed(data)
    if lazy is None:
        data, sample_weight = split_weights(data, sample_weight)
        yield _coded(encoder, data, sample_weight, None)
        return
    assert isinstance(lazy, Relation)
    weight = check_weight_column(lazy, sample_weight)
    relation = own_columns(encoder, lazy, weight)
    names = [name for name in relation.columns if name != weight]
    reported: set[str] = set()
    for batch in watch(relation.batches(), relation.n_rows, what):
        weights = None
        if weight is not None:
            weights = batch.column(weight).to_numpy(zero_copy_only=False)
        yield _coded(encoder, batch.select(names), weights, reported)


def coded_part(
    encoder: UNTIE, weight: str | None, partition: Any
) -> tuple[Codes, FloatArray | None]:
    """Return the rows of a partition that count, coded, with their weights."""
    rows, weights = split_weights(partition, weight)
    return _coded(encoder, rows, weights, None)


def _coded(
    encoder: UNTIE, rows: Any, sample_weight: Any, reported: set[str] | None
) -> tuple[Codes, FloatArray | None]:
    codes = encoder.codes(rows, reported)
    if sample_weight is None:
        return codes, None
    weights, keep = positive_weights(read_weights(sample_weight, len(codes[0])))
    return (codes if keep is None else [column[keep] for column in codes]), weights


def _sample(encoder: UNTIE, codes: Codes, weights: FloatArray | None) -> Found:
    if not len(codes[0]):
        return Found(None)
    return Found(sample_rows(codes, encoder.vocabulary_, weights))


def _sample_part(encoder: UNTIE, weight: str | None, partition: Any, number: int) -> Found:
    return _sample(encoder, *coded_part(encoder, weight, partition))
