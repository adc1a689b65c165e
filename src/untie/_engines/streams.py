"""Means and a lazy table -> what a pass over its rows finds, and their labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from untie._engines.counting import check_weight_column
from untie._engines.dask import DaskTable
from untie._engines.lazy import as_streamed
from untie._engines.relation import Relation
from untie._engines.sampling import coded_part, coded_pieces
from untie._engines.transform import own_columns
from untie._learn.means import Centres, Pass, nearest, pack, walk_rows
from untie._learn.value_space import ValueSpace
from untie._util.extras import need
from untie.encoder import UNTIE

COLUMN = "cluster"
"""Name of the column of labels."""


def refuse_one_shot(lazy: Relation | DaskTable) -> None:
    """Refuse a table that can be read only once."""
    if lazy.is_one_shot:
        raise ValueError(
            f"Clusters need several passes over the rows, but {lazy.origin} can be read only once; "
            "pass what can be read again, such as untie.scan(...) or a pyarrow Dataset."
        )


def walk_lazy(encoder: UNTIE, data: Any, sample_weight: Any, centres: Centres) -> Pass:
    """Return what one pass over the rows of a lazy table finds."""
    lazy = as_streamed(data)
    if isinstance(lazy, DaskTable):
        weight = check_weight_column(lazy, sample_weight)
        task = partial(_walk_part, encoder, weight, centres)
        return own_columns(encoder, lazy, weight).add_up(task)
    space = _space(encoder)
    total: Pass | None = None
    for codes, weights in coded_pieces(encoder, data, sample_weight, "clustering"):
        found = walk_rows(space, pack(codes, space), weights, centres)
        total = found if total is None else total + found
    assert total is not None  # the same rows were sampled before
    return total


def stream_labels(encoder: UNTIE, centres: Centres, lazy: Relation | DaskTable) -> Any:
    """Return the labels of a lazy table's rows, in its engine's form; made as they are read."""
    if isinstance(lazy, DaskTable):
        features = own_columns(encoder, lazy)
        # One task of its own, so that the model is sent once and not with every partition.
        sent = need("dask", "dask").delayed((encoder, centres), traverse=False)
        meta = _label_partition(features.empty, (encoder, centres))
        return features.frame.map_partitions(_label_partition, sent, meta=meta)
    pa = need("pyarrow")
    schema = pa.schema([pa.field(COLUMN, pa.int32())])
    return pa.RecordBatchReader.from_batches(schema, _batches(encoder, centres, lazy, schema))


def _batches(encoder: UNTIE, centres: Centres, relation: Relation, schema: Any) -> Iterator[Any]:
    pa = need("pyarrow")
    space = _space(encoder)
    for codes, _ in coded_pieces(encoder, relation, None, "labelling"):
        labels = nearest(space, pack(codes, space), centres)[0].astype(np.int32)
        yield pa.RecordBatch.from_arrays([pa.array(labels)], schema=schema)


def _walk_part(
    encoder: UNTIE, weight: str | None, centres: Centres, partition: Any, number: int
) -> Pass:
    codes, weights = coded_part(encoder, weight, partition)
    space = _space(encoder)
    return walk_rows(space, pack(codes, space), weights, centres)


def _label_partition(partition: Any, model: tuple[UNTIE, Centres]) -> Any:
    import pandas as pd

    encoder, centres = model
    space = _space(encoder)
    labels = nearest(space, pack(encoder.codes(partition), space), centres)[0]
    return pd.Series(labels.astype(np.int32), index=partition.index, name=COLUMN)


def _space(encoder: UNTIE) -> ValueSpace:
    return ValueSpace(encoder.model_.vectors.tables)
