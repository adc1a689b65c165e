"""Which parts of an encoder go into its file, and how they come back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from untie._count.counts import CountedTable, Counts
from untie._count.grouping import Grouping
from untie._count.row_sample import RowSample
from untie._learn.archive import read_model, to_plain, write_model
from untie._learn.fitted import Fitted
from untie._learn.solvers import Solution
from untie._learn.vectors import LookUp
from untie._prepare.preparation import Preparation
from untie._table.vocabulary import Vocabulary

if TYPE_CHECKING:
    from untie.encoder import UNTIE

SPARSE = "__sparse_"
"""Stands between the name of a sparse array and that of a part of it."""


def save_encoder(
    encoder: UNTIE, path: str | os.PathLike[str], preparation: Preparation | None = None
) -> None:
    """Write a fitted encoder to a file, with how its table was prepared if that is given."""
    fitted: Fitted = encoder.model_
    raw = fitted.grouping.raw
    content = {
        "version": version("untie"),
        "parameters": _plain_parameters(encoder),
        "columns": raw.columns,
        "values": _plain_values(raw),
        "named": hasattr(encoder, "feature_names_in_"),
        "backend": encoder.library_,
        "labels": fitted.labels,
        "widths": fitted.widths,
        "n_clusters": fitted.n_clusters,
        "loss_curve": [float(loss) for loss in fitted.solution.loss_curve],
        "n_iter": fitted.solution.n_iter,
        "converged": fitted.solution.converged,
        "output": getattr(encoder, "_sklearn_output_config", {}),
        "summed": fitted.lookup.summed,
        "sizes": fitted.counts.sizes,
        "n": fitted.counts.n,
        "n_rows": fitted.counts.n_rows,
        "gains": dict(fitted.gains),
    }
    if preparation is not None:
        content["preparation"] = preparation.to_dict()
    arrays = {
        "rare": np.concatenate(fitted.grouping.rare),
        "omega": fitted.solution.omega,
        **_parts("counts", fitted.counts.matrix),
        **_tables("vectors", fitted.vectors.tables),
    }
    arrays |= {f"error_{attribute}": errors for attribute, errors in fitted.errors.items()}
    if fitted.lookup is not fitted.vectors:
        arrays |= _tables("lookup", fitted.lookup.tables)
    if fitted.ungrouped is not None:
        same = fitted.ungrouped.counts is fitted.counts
        arrays |= _parts("ungrouped", np.zeros((0, 0)) if same else fitted.ungrouped.counts.matrix)
        if fitted.ungrouped.sample is not None:
            arrays |= {f"sample_{key}": part for key, part in vars(fitted.ungrouped.sample).items()}
    write_model(path, content, arrays)


def load_model(path: str | os.PathLike[str]) -> UNTIE:
    """Read an encoder that `UNTIE.save` wrote.

    Raises
    ------
    ValueError
        When the file is not a model, is damaged, or was written by a newer version.
    """
    return load_prepared(path)[0]


def load_prepared(path: str | os.PathLike[str]) -> tuple[UNTIE, Preparation | None]:
    """Read an encoder and how its table was prepared; None if the file does not say."""
    content, parts = read_model(path)
    preparation = content.get("preparation")
    return (
        _encoder(content, _whole(parts)),
        None if preparation is None else Preparation.from_dict(preparation),
    )


def _encoder(content: dict[str, Any], arrays: dict[str, Any]) -> UNTIE:
    from untie.encoder import UNTIE

    parameters = content["parameters"]
    encoder = UNTIE(**{**parameters, "dtype": np.dtype(parameters["dtype"]).type})
    columns = tuple(content["columns"])
    raw = Vocabulary(columns, tuple(tuple(values) for values in content["values"]))
    rare = np.split(arrays["rare"], np.cumsum(raw.sizes)[:-1])
    counts = Counts(tuple(content["sizes"]), arrays["counts"], content["n"], content["n_rows"])
    vectors = LookUp(_read_tables("vectors", arrays))
    own = _read_tables("lookup", arrays)
    encoder.set_output(**content["output"])
    encoder.library_ = content["backend"]
    encoder.n_features_in_ = len(columns)
    if content["named"]:
        encoder.feature_names_in_ = np.array(columns, dtype=object)
    encoder._adopt(
        Fitted(
            Grouping(raw, tuple(rare)),
            counts,
            _ungrouped(raw, counts, arrays),
            tuple(tuple(label) for label in content["labels"]),
            _widths(content),
            Solution(
                arrays["omega"], content["loss_curve"], content["n_iter"], content["converged"]
            ),
            content["n_clusters"],
            vectors,
            LookUp(own, content["summed"]) if own else vectors,
            content.get("gains", {}),
            {int(key[6:]): part for key, part in arrays.items() if key.startswith("error_")},
        )
    )
    return encoder


def _plain_parameters(encoder: UNTIE) -> dict[str, Any]:
    parameters = {**encoder.get_params(), "dtype": np.dtype(encoder.dtype).name}
    if not isinstance(parameters["categories"], str):
        parameters["categories"] = [list(values) for values in parameters["categories"]]
    for name, value in parameters.items():
        try:
            to_plain(value)
        except ValueError as error:
            raise ValueError(f"Parameter {name}: {error}") from None
    return parameters


def _plain_values(vocabulary: Vocabulary) -> list[Any]:
    for column, values in zip(vocabulary.columns, vocabulary.values, strict=True):
        for value in values:
            try:
                to_plain(value)
            except ValueError as error:
                raise ValueError(f"Column {column!r}: {error}") from None
    return [list(values) for values in vocabulary.values]


def _widths(content: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
    n_spaces = len(content["labels"])
    every_value = [(size,) * n_spaces for size in content["sizes"]]  # files of version 0.1
    return tuple(tuple(widths) for widths in content.get("widths", every_value))


def _parts(name: str, array: Any) -> dict[str, Any]:
    """Return an array under its name, or what a sparse one is made of."""
    if not sparse.issparse(array):
        return {name: array}
    return {
        f"{name}{SPARSE}data": array.data,
        f"{name}{SPARSE}indices": array.indices,
        f"{name}{SPARSE}indptr": array.indptr,
        f"{name}{SPARSE}shape": np.array(array.shape),
    }


def _whole(parts: dict[str, Any]) -> dict[str, Any]:
    """Undo `_parts`."""
    arrays = {name: part for name, part in parts.items() if SPARSE not in name}
    for name in {name.partition(SPARSE)[0] for name in parts if SPARSE in name}:
        data, indices, indptr, shape = (
            parts[f"{name}{SPARSE}{part}"] for part in ("data", "indices", "indptr", "shape")
        )
        arrays[name] = sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
    return arrays


def _tables(name: str, tables: Sequence[Any]) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    for number, table in enumerate(tables):
        arrays |= _parts(f"{name}_{number}", table)
    return arrays


def _read_tables(name: str, arrays: dict[str, Any]) -> tuple[Any, ...]:
    count = sum(key.startswith(f"{name}_") for key in arrays)
    return tuple(arrays[f"{name}_{number}"] for number in range(count))


def _ungrouped(raw: Vocabulary, counts: Counts, arrays: dict[str, Any]) -> CountedTable | None:
    matrix = arrays.get("ungrouped")
    if matrix is None:
        return None
    sample = None
    if "sample_numbers" in arrays:
        sample = RowSample(**{f.name: arrays[f"sample_{f.name}"] for f in fields(RowSample)})
    if matrix.shape == (0, 0):
        return CountedTable(raw, counts, sample)
    return CountedTable(raw, Counts(raw.sizes, matrix, counts.n, counts.n_rows), sample)
