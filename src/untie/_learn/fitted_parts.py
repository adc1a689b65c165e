"""All that a fitted encoder knows -> what its file holds, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from untie._count.counts import CountedTable, Counts
from untie._count.grouping import Grouping
from untie._count.row_sample import RowSample
from untie._learn.archive import State, check_plain, read_record, record_state
from untie._learn.attributes import ColumnView
from untie._learn.fitted import Fitted
from untie._learn.k_choice import KChoice
from untie._learn.solvers import Solution
from untie._learn.vectors import LookUp
from untie._table.vocabulary import Vocabulary

NONE, SAME, OWN = "none", "same", "own"
"""Whether a part of the model is absent, is another one's, or is in the file."""


def fitted_state(fitted: Fitted) -> State:
    """Return what a file holds of a fitted encoder."""
    raw, ungrouped = fitted.grouping.raw, fitted.ungrouped
    is_own = fitted.lookup is not fitted.vectors
    content = {
        "columns": list(raw.columns),
        "missing_is_value": fitted.grouping.missing_is_value,
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
    """Undo `fitted_state`; the state is as `model_parts.py` says."""
    content, arrays = state.content, state.arrays
    raw = Vocabulary(tuple(content["columns"]), tuple(map(tuple, content["values"])))
    rare = np.split(arrays["rare"], np.cumsum(raw.sizes)[:-1])
    sizes = tuple(content["sizes"])
    counts = Counts(sizes, arrays["counts"], content["n"], content["n_rows"])
    ungrouped = _read_ungrouped(raw, counts, state)
    if ungrouped is not None:
        known = ungrouped.counts.with_draws(ungrouped.sample)
        is_same = ungrouped.counts is counts
        counts = known if is_same else replace(counts, draws=known.draws)
        ungrouped = replace(ungrouped, counts=known)
    vectors = lookup = LookUp(_read_tables("vectors", state))
    if content["lookup"] == OWN:
        lookup = LookUp(_read_tables("lookup", state), content["summed"])
    orders = tuple(arrays.get(f"order_{attribute}") for attribute in range(len(sizes)))
    return Fitted(
        Grouping(raw, tuple(rare), content["missing_is_value"]),
        ColumnView(counts, orders, arrays["factors"]),
        ungrouped,
        tuple(content["labels"]),
        tuple(content["widths"]),
        Solution(arrays["omega"], content["loss_curve"], content["n_iter"], content["converged"]),
        content["n_clusters"],
        vectors,
        lookup,
        content["gains"],
        {attribute: arrays[f"error_{attribute}"] for attribute in content["errors"]},
        read_record(KChoice, state.part("k_choice")) if state.has("k_choice") else None,
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


def _read_tables(name: str, state: State) -> tuple[Any, ...]:
    return tuple(state.arrays[f"{name}_{n}"] for n in range(len(state.content["sizes"])))


def _read_ungrouped(raw: Vocabulary, counts: Counts, state: State) -> CountedTable | None:
    if state.content["ungrouped"] == NONE:
        return None
    if state.content["ungrouped"] == OWN:
        counts = Counts(raw.sizes, state.arrays["ungrouped"], counts.n, counts.n_rows)
    sample = None
    if state.content["sampled"]:
        sample = RowSample(**{f.name: state.arrays[f"sample_{f.name}"] for f in fields(RowSample)})
        sample.check(raw.sizes, counts.frequencies)
    return CountedTable(raw, counts, sample)
