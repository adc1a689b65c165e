"""A relation and a fitted encoder -> record batches of vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.utils._set_output import _get_output_config

from untie._engines.relation import LazyTable, Relation
from untie._util.extras import need
from untie._util.parallel import map_ahead
from untie._util.progress import watch
from untie._util.types import Codes

if TYPE_CHECKING:
    from untie.encoder import UNTIE

L = TypeVar("L", bound=LazyTable)

MOST_COLUMNS = 2**14
"""Dense vectors of more columns are refused where a column of the table has very many values."""

PIECE_BYTES = 2**25
"""Bytes of output made at a time, in each thread."""


def stream_vectors(
    encoder: UNTIE, relation: Relation, keep: Sequence[str] = (), form: str = "record batches"
) -> Any:
    """Return a reader of record batches with the rows' vectors; they are made as it is read.

    Parameters
    ----------
    encoder : UNTIE
        Fitted.
    relation : Relation
        Rows with the columns seen in `fit`, and perhaps others.
    keep : sequence of str
        Columns of the relation that come first, as they are.
    form : str
        What the user gets, for messages.
    """
    pa = need("pyarrow")
    refuse_other_outputs(encoder, form)
    features = own_columns(encoder, relation)
    relation.check(keep, ", which keep names")
    names = encoder.get_feature_names_out().tolist()
    repeated = sorted(set(keep) & set(names))
    if repeated:
        raise ValueError(
            f"Column {repeated[0]!r} can't be kept, as a column of vectors has the same name; "
            "rename it in the source."
        )
    number = pa.from_numpy_dtype(np.dtype(encoder.dtype))
    kept_fields = [relation.schema.field(name) for name in keep]
    schema = pa.schema([*kept_fields, *(pa.field(name, number) for name in names)])
    wanted = relation.select(list(dict.fromkeys([*features.columns, *keep])))
    batches = _vectors(encoder, wanted, features.columns, schema, len(keep))
    return pa.RecordBatchReader.from_batches(schema, batches)


def own_columns(encoder: UNTIE, relation: L, weight: str | None = None) -> L:
    """Return the columns that the encoder was fitted on, by name, and that of the weights."""
    if not hasattr(encoder, "feature_names_in_"):
        return relation
    names = encoder.feature_names_in_.tolist()
    relation.check(names, ", which the encoder was fitted on")
    if weight in names:
        raise ValueError(
            f"Column {weight!r} can't hold the weights, as the encoder was fitted on its values."
        )
    return relation.select(names if weight is None else [*names, weight])


def _vectors(
    encoder: UNTIE, relation: Relation, features: list[str], schema: Any, n_kept: int
) -> Iterator[Any]:
    pa = need("pyarrow")
    lookup, dtype = encoder.model_.lookup, encoder.dtype

    def look_up(rows: tuple[Any, Codes]) -> Any:
        piece, codes = rows
        kept = [piece.column(field.name).cast(field.type) for field in list(schema)[:n_kept]]
        vectors = lookup.columns(codes, dtype)
        return pa.RecordBatch.from_arrays([*kept, *map(pa.array, vectors)], schema=schema)

    # The next vectors are made while the reader's owner is busy with the last ones.
    row_bytes = max(1, lookup.n_columns) * np.dtype(dtype).itemsize
    yield from map_ahead(look_up, _coded(encoder, relation, features, PIECE_BYTES // row_bytes))


def _coded(
    encoder: UNTIE, relation: Relation, features: list[str], step: int
) -> Iterator[tuple[Any, Codes]]:
    """Yield pieces of the rows with their codes; here, as unknown values are reported in order."""
    reported: set[str] = set()
    step = max(1, step)
    for batch in watch(relation.batches(), relation.n_rows, "transforming"):
        for start in range(0, batch.num_rows, step):
            piece = batch.slice(start, step)
            yield piece, encoder.codes(piece.select(features), reported)


def refuse_other_outputs(encoder: UNTIE, form: str) -> None:
    """Raise an error if the encoder is to give anything but what its input's engine gives."""
    lookup = encoder.model_.lookup
    if lookup.is_sparse and lookup.n_columns > MOST_COLUMNS:
        raise ValueError(
            f"Vectors of a table that is read piece by piece come as {form}, which are dense, but "
            f"a column has {max(lookup.sizes):,} values and each has a column of its own in them; "
            "set n_components (64, say) or max_categories and fit again."
        )
    if encoder.sparse_output:
        raise ValueError(
            f"Vectors of a table that is read piece by piece come as {form}, which are dense; "
            "set sparse_output=False, with n_components if there are too many columns."
        )
    library = _get_output_config("transform", encoder)["dense"]
    if library != "default":
        raise ValueError(
            f"Vectors of a table that is read piece by piece come as {form}, not as {library} "
            "frames; call set_output(transform='default') first, or transform the table in memory."
        )
