"""All that a fitted encoder knows -> what its file holds, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from untie._count.counts import CountedTable, Counts
from untie._count.grouping import Grouping
from untie._count.row_sample import RowSample
from untie._learn.archive import State, check_plain, read_record, record_state
from untie._learn.fitted import Fitted
from untie._learn.k_choice import KChoice
from untie._learn.solvers import Solution
from untie._learn.vectors import LookUp
from untie._table.orders import Orders
from untie._table.vocabulary import Vocabulary

NONE, SAME, OWN = "none", "same", "own"
"""Whether a part of the model is absent, is another one's, or is in the file."""


def fitted_state(fitted: Fitted) -> State:
    """Return what a file holds of a fitted encoder."""
    raw, ungrouped = fitted.grouping.raw, fitted.ungrouped
    is_own = fitted.lookup is not fitted.vectors
    content = {
        "columns": list(raw.columns),
        "values": _plain_values(raw),
        "labels": list(fitted.labels),
        "widths": list(fitted.widths),
        "n_clusters": fitted.n_clusters,
        "loss_curve": [float(loss) for loss in fitted.solution.loss_curve],
        "n_iter": fitted.solution.n_iter,
        "converged": fitted.solution.converged,
        "sizes": list(fitted.counts.sizes),
        "n": fitted.counts.n,
        "n_rows": fitted.counts.n_rows,
        "gains": dict(fitted.gains),
        "errors": list(fitted.errors),
        "summed": fitted.lookup.summed,
        "lookup": OWN if is_own else SAME,
        "ungrouped": _where(ungrouped, fitted.counts),
        "sampled": ungrouped is not None and ungrouped.sample is not None,
        "ordered": [a for a, positions in enumerate(fitted.orders) if positions is not None],
    }
    arrays = {
        "factors": fitted.factors,
        "rare": np.concatenate(fitted.grouping.rare),
        "omega": fitted.solution.omega,
        "counts": fitted.counts.matrix,
        **_tables("vectors", fitted.vectors.tables),
        **(_tables("lookup", fitted.lookup.tables) if is_own else {}),
        **{f"error_{attribute}": errors for attribute, errors in fitted.errors.items()},
    }
    arrays |= {f"order_{a}": p for a, p in enumerate(fitted.orders) if p is not None}
    if ungrouped is not None:
        if content["ungrouped"] == OWN:
            arrays["ungrouped"] = ungrouped.counts.matrix
        if ungrouped.sample is not None:
            arrays |= {f"sample_{key}": part for key, part in vars(ungrouped.sample).items()}
    choice = None if fitted.k_choice is None else record_state(fitted.k_choice)
    return State(content, arrays).plus("k_choice", choice)


def read_fitted(state: State) -> Fitted:
    """Undo `fitted_state`."""
    raw = Vocabulary(
        tuple(state.get("columns", list)), tuple(map(tuple, state.get("values", list)))
    )
    rare = np.split(state.array("rare", sum(raw.sizes)), np.cumsum(raw.sizes)[:-1])
    grouping = Grouping(raw, tuple(rare))
    sizes = grouping.vocabulary.sizes
    if list(sizes) != state.get("sizes", list):
        raise ValueError(f"the values are {list(sizes)}, not {state.get('sizes', list)}")
    n_values, n = sum(sizes), state.get("n", float, int)
    counts = Counts(sizes, state.array("counts", n_values, n_values), n, state.get("n_rows", int))
    labels = tuple(tuple(label) for label in state.get("labels", list))
    widths = tuple(tuple(of_spaces) for of_spaces in state.get("widths", list))
    if [len(of_spaces) for of_spaces in widths] != [len(labels)] * len(sizes):
        raise ValueError(f"'widths' do not fit {len(sizes)} columns and {len(labels)} kernels")
    vectors = LookUp(_read_tables("vectors", state, sizes))
    lookup, summed = vectors, state.get("summed", bool)
    if state.get("lookup", str) == OWN:
        lookup = LookUp(_read_tables("lookup", state, sizes), summed)
    return Fitted(
        grouping,
        counts,
        _read_ungrouped(raw, counts, state),
        labels,
        widths,
        Solution(
            state.array("omega", sum(map(sum, widths))),
            state.get("loss_curve", list),
            state.get("n_iter", int),
            state.get("converged", bool),
        ),
        state.get("n_clusters", int),
        vectors,
        lookup,
        state.get("gains", dict),
        {key: state.array(f"error_{key}", len(labels)) for key in state.get("errors", list)},
        state.array("factors", len(sizes)),
        read_record(KChoice, state.part("k_choice")) if state.has("k_choice") else None,
        _read_orders(state, sizes),
    )


def _read_orders(state: State, sizes: Sequence[int]) -> Orders:
    ordered = set(state.get("ordered", list))
    return tuple(
        state.array(f"order_{attribute}", size) if attribute in ordered else None
        for attribute, size in enumerate(sizes)
    )


def _plain_values(vocabulary: Vocabulary) -> list[Any]:
    for column, values in zip(vocabulary.columns, vocabulary.values, strict=True):
        for value in values:
            check_plain({repr(column): value}, "Column")
    return [list(values) for values in vocabulary.values]


def _where(ungrouped: CountedTable | None, counts: Counts) -> str:
    return NONE if ungrouped is None else SAME if ungrouped.counts is counts else OWN


def _tables(name: str, tables: Sequence[Any]) -> dict[str, Any]:
    return {f"{name}_{number}": table for number, table in enumerate(tables)}


def _read_tables(name: str, state: State, sizes: Sequence[int]) -> tuple[Any, ...]:
    return tuple(state.array(f"{name}_{number}", size + 1, -1) for number, size in enumerate(sizes))


def _read_ungrouped(raw: Vocabulary, counts: Counts, state: State) -> CountedTable | None:
    where = state.get("ungrouped", str)
    if where == NONE:
        return None
    sample = None
    if state.get("sampled", bool):
        shapes = {"codes": (-1, len(raw.columns))}
        parts = {f.name: shapes.get(f.name, (-1,)) for f in fields(RowSample)}
        sample = RowSample(**{key: state.array(f"sample_{key}", *s) for key, s in parts.items()})
    if where == SAME:
        return CountedTable(raw, counts, sample)
    n_values = sum(raw.sizes)
    matrix = state.array("ungrouped", n_values, n_values)
    return CountedTable(raw, Counts(raw.sizes, matrix, counts.n, counts.n_rows), sample)
