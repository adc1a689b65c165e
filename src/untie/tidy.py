"""Learned arrays -> frames with names, in the library of the user's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from untie.core.types import FloatArray, Value
from untie.core.vocabulary import Vocabulary, number_repeats


def make_frame(backend: Any, columns: dict[str, Any]) -> Any:
    """Return a frame of the given library."""
    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except ImportError as error:
        raise ImportError(
            f"This returns a {backend} frame; install {backend} to use it (pip install {backend})."
        ) from error


def value_arrays(values: Sequence[Sequence[Value]]) -> list[NDArray[np.object_]]:
    """Return each attribute's values as an array of objects."""
    arrays = [np.empty(len(entries), dtype=object) for entries in values]
    for array, entries in zip(arrays, values, strict=True):
        for position, value in enumerate(entries):  # one by one: a value may be a tuple
            array[position] = value
    return arrays


def value_vectors(
    backend: str, vocabulary: Vocabulary, vectors: FloatArray, names: Sequence[str]
) -> Any:
    """Return attribute, value and one column a dimension."""
    attributes, values = _keys(vocabulary)
    names = number_repeats(["attribute", "value", *names])
    columns = dict(zip(names, [attributes, values, *vectors.T], strict=True))
    return make_frame(backend, columns)


def weights(
    backend: str,
    vocabulary: Vocabulary,
    labels: Sequence[tuple[str, str]],
    omega: FloatArray,
) -> Any:
    """Return attribute, coupling, kernel, value, omega, beta and alpha."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("attribute", "coupling", "kernel", "value")
    }
    spaces = []
    start = 0
    for attribute, size in enumerate(vocabulary.sizes):
        for coupling, kernel in labels:
            columns["attribute"] += [vocabulary.columns[attribute]] * size
            columns["coupling"] += [coupling] * size
            columns["kernel"] += [kernel] * size
            columns["value"] += vocabulary.labels(attribute)
            spaces.append(omega[start : start + size])
            start += size
    beta = np.concatenate([np.full(len(space), space.mean()) for space in spaces])
    alpha = np.sqrt(np.divide(omega, beta, out=np.zeros_like(omega), where=beta > 0))
    return make_frame(backend, {**columns, "omega": omega, "beta": beta, "alpha": alpha})


def square(backend: str, labels: Sequence[str], values: FloatArray) -> Any:
    """Return a square frame whose rows and columns have the same labels.

    pandas has them as its index; the other libraries, which have none, as a first column.
    """
    columns = dict(zip(labels, values.T, strict=True))
    if backend != "pandas":
        return make_frame(backend, {number_repeats([*labels, "value"])[-1]: labels, **columns})
    frame = make_frame(backend, columns)
    frame.index = list(labels)
    return frame


def column_names(
    vocabulary: Vocabulary, labels: Sequence[tuple[str, str]] | None = None
) -> list[str]:
    """Return a name for every column of X: per value or, with `labels`, per kernel column."""
    if labels is None:
        return vocabulary.feature_names()
    names = [
        f"{column}={value}|{coupling}|{kernel}"
        for attribute, column in enumerate(vocabulary.columns)
        for coupling, kernel in labels
        for value in vocabulary.labels(attribute)
    ]
    return number_repeats(names)


def _keys(vocabulary: Vocabulary) -> tuple[list[str], list[str]]:
    attributes: list[str] = []
    values: list[str] = []
    for attribute, column in enumerate(vocabulary.columns):
        labels = vocabulary.labels(attribute)
        attributes += [column] * len(labels)
        values += labels
    return attributes, values
