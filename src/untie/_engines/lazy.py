"""Tables that are not in memory -> the form that their engine has."""

from __future__ import annotations

from typing import Any

from untie._engines.adopt import as_relation
from untie._engines.dask import DaskTable, as_dask
from untie._engines.relation import Relation
from untie._engines.spark import SparkTable, as_spark


def as_lazy(data: Any) -> Relation | DaskTable | SparkTable | None:
    """Return a table that is not in memory in its engine's form, or None if it is in memory."""
    return as_dask(data) or as_spark(data) or as_relation(data)


def as_streamed(data: Any) -> Relation | DaskTable | None:
    """Return a lazy table as `as_lazy` does, for what has no form for Spark.

    Raises
    ------
    TypeError
        When it is a Spark frame; the message says what to do instead.
    """
    lazy = as_lazy(data)
    if isinstance(lazy, SparkTable):
        raise TypeError(
            "Spark frames are counted and transformed where they are, and that is all: fit and "
            "transform them with UNTIE and cluster the vectors with Spark ML (examples/spark.py), "
            "or pass .toPandas() of a sample."
        )
    return lazy
