"""A relation -> its vocabulary and counts, in one pass over its rows and two at the most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie._count.counts import CountedTable, Counts, count
from untie._count.grouping import Grouping, group_rare
from untie._count.growing import GatheredRows, GrowingTable, RawRows, raw_rows
from untie._count.memory import check_memory
from untie._count.row_sample import RowSample
from untie._count.tally import KEPT_VALUES, Tally, group_counted
from untie._engines.relation import LazyTable, Relation
from untie._table.sample_weights import positive_weights, read_weights
from untie._table.table import Table, check_categories, encode, read_table
from untie._util.parallel import map_ahead
from untie._util.progress import watch
from untie._util.types import Codes, FloatArray, Value


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a relation, with their weights."""

    table: Table
    weights: FloatArray | None
    keep: NDArray[np.bool_] | None

    def raw(self) -> RawRows:
        """Return the rows that count, in codes of their own."""
        return raw_rows(self.table, self.weights, self.keep)

    def encode(self, grouping: Grouping) -> Codes:
        """Return the rows that count, in the codes of the values that are left."""
        codes = encode(self.table, grouping.raw).codes
        if self.keep is not None:
            codes = [column[self.keep] for column in codes]
        return grouping.apply_to_codes(codes)


@dataclass(eq=False)
class Chunks:
    """The rows of a relation in chunks; a column of weights is set apart.

    Parameters
    ----------
    relation : Relation
        The rows.
    weight : str or None
        The column with the rows' weights.
    n_rows : int
        Number of rows read, those of weight 0 among them.
    """

    relation: Relation
    weight: str | None
    n_rows: int = 0

    @property
    def features(self) -> Relation:
        """The columns that are not weights."""
        names = [name for name in self.relation.columns if name != self.weight]
        return self.relation.select(names)

    def read(self, what: str) -> Iterator[Chunk]:
        """Read the rows that count."""
        self.n_rows = 0
        n_counting = 0
        names = self.features.columns
        for batch in watch(self.relation.batches(), self.relation.n_rows, what):
            table = read_table(batch.select(names), min_rows=0)
            weights, keep = None, None
            if self.weight is not None:
                weights, keep = self._weights(batch)
            self.n_rows += table.n_rows
            n_counting += table.n_rows if weights is None else len(weights)
            yield Chunk(table, weights, keep)
        if not n_counting:
            raise ValueError(self._explain_no_rows())

    def _explain_no_rows(self) -> str:
        reason = f"{self.relation.origin} has {self.n_rows} rows"
        if self.n_rows:
            reason += f", and {self.weight!r} is 0 in all of them"
        elif self.relation.is_one_shot:
            reason += " left; was it read before? It can be read only once, so make a new one"
        return f"Found array with 0 sample(s) while a minimum of 1 is required: {reason}."

    def _weights(self, batch: Any) -> tuple[FloatArray, NDArray[np.bool_] | None]:
        cells = batch.column(self.weight).to_numpy(zero_copy_only=False)
        try:
            return positive_weights(read_weights(cells, batch.num_rows))
        except ValueError as error:
            raise ValueError(
                f"Column {self.weight!r} of {self.relation.origin}, rows {self.n_rows:,} to "
                f"{self.n_rows + batch.num_rows:,}: {error}"
            ) from None


def count_relation(
    relation: Relation,
    sample_weight: Any = None,
    categories: Any = "auto",
    min_frequency: float | None = None,
    max_categories: int | None = None,
    n_spaces: int = 0,
    with_sample: bool = False,
) -> tuple[Tally, Table, list[list[Value]]]:
    """Find the values of a relation, take rare ones together and count the pairs of the rest.

    One pass over the rows; a second one where rare values are taken together and there are too
    many values to count the pairs of all.

    Returns
    -------
    Tally
        The counts, rare values taken together.
    Table
        The columns and the number of rows, without cells.
    list of lists
        Values that the user's categories do not have.
    """
    chunks = Chunks(relation, check_weight_column(relation, sample_weight))
    features = chunks.features
    groups = min_frequency is not None or max_categories is not None
    growing = GrowingTable(
        features.columns,
        check_categories(categories, features.columns),
        with_sample,
        KEPT_VALUES if groups and not relation.is_one_shot else None,
    )
    for rows in map_ahead(Chunk.raw, chunks.read("counting")):
        growing.add_raw(rows)
    growing.finish()
    if growing.has_pairs:
        tally = group_counted(growing.counted(), min_frequency, max_categories, n_spaces)
    else:
        values, frequencies, sample = growing.frequencies()
        n = growing.n
        grouping = group_rare(values, frequencies, n, min_frequency, max_categories)
        check_memory(grouping.vocabulary.sizes, features.columns, n_spaces, chunks.n_rows)
        tally = _second_pass(chunks, grouping, sample)
    unknown = [list(values) for values in growing.unknown]
    return tally, features.as_table(chunks.n_rows), unknown


def check_weight_column(relation: LazyTable, sample_weight: Any) -> str | None:
    """Return the name of the column of weights, if there is one."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, str):
        raise TypeError(
            "sample_weight of a table that is read piece by piece must be the name of one of its "
            f"columns, got {type(sample_weight).__name__}."
        )
    relation.check([sample_weight], ", which sample_weight names")
    return sample_weight


def _second_pass(chunks: Chunks, grouping: Grouping, sample: RowSample | None) -> Tally:
    """Count the pairs of the values that are left."""
    n_rows = chunks.n_rows
    gathered = GatheredRows()
    total: Counts | None = None
    sizes = grouping.vocabulary.sizes

    def add_up() -> None:
        nonlocal total
        rows = gathered.take()
        if rows is not None:
            part = count(rows[0], sizes, rows[1])
            total = part if total is None else total + part

    def code(chunk: Chunk) -> tuple[Codes, FloatArray | None]:
        return chunk.encode(grouping), chunk.weights

    for rows in map_ahead(code, chunks.read("counting pairs")):
        gathered.add(*rows)
        if gathered.is_full:
            add_up()
    add_up()
    assert total is not None  # there were rows
    if chunks.n_rows != n_rows:
        raise ValueError(
            f"{chunks.relation.origin} changed while it was read: {n_rows:,} rows in the first "
            f"pass, {chunks.n_rows:,} in the second. Fit again when nothing writes to it."
        )
    ungrouped = CountedTable(grouping.raw, total, sample) if grouping.is_trivial else None
    grouped = sample and grouping.apply_to_sample(sample)
    return Tally(grouping, total, ungrouped, sample=grouped)
