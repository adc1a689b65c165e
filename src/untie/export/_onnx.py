"""A fitted estimator as an ONNX model: raw cells -> codes -> vectors and clusters."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from untie._prepare.rules import Bin
from untie._table.vocabulary import number_repeats
from untie._util.about import VERSION
from untie._util.messages import message, need
from untie._util.types import FloatArray
from untie.export._attributes import (
    CLUSTER,
    PROBABILITIES,
    PROBABILITY,
    VECTORS,
    Attribute,
    ExportedColumn,
    ExportedResult,
    Kind,
    check_int64,
    exact_float,
    is_portable,
)
from untie.export._onnx_cells import Feed, Graph, prepare_cell

ML_OPSET = 4
"""The version of the operators for machine learning; the first one that looks doubles up."""

IR_VERSION = 9
"""The format's version that belongs to it: older runtimes refuse what onnx writes by default."""

MOST_BYTES = 2**31 - 2**24
"""Largest size of the vectors: a model is one message of at most 2 GiB, values included."""


def write_onnx(
    attributes: Sequence[Attribute],
    outcome: ExportedResult,
    *,
    dtype: Any,
    missing: str,
    as_text: Sequence[str],
) -> Any:
    """Write what an estimator makes of rows as an ONNX model.

    Parameters
    ----------
    attributes : sequence of Attribute
        The columns to look up.
    outcome : ExportedResult
        What is made of the numbers of their codes.
    dtype : dtype
        Of the vectors: numpy.float64 or numpy.float32.
    missing : str
        The text that stands for a missing cell in inputs of strings.
    as_text : sequence of str
        Columns of numbers whose input takes strings.
    """
    onnx = need("onnx", "onnx", "ONNX models")
    _check(attributes, dtype, missing)
    cells = [attribute.cell for attribute in attributes]
    feed = _feed(cells, missing, as_text)
    graph = Graph(onnx, _outputs(cells, outcome.parts))
    n_costs = outcome.n_clusters
    codes = [_codes(graph, attribute, feed) for attribute in attributes]
    pairs = list(zip(attributes, codes, strict=True))
    made = {}
    if VECTORS in outcome.parts:
        vectors = [_rows(graph, a.table[:, n_costs:].astype(dtype), code) for a, code in pairs]
        join = ("Sum", {}) if outcome.summed else ("Concat", {"axis": 1})
        made[VECTORS] = graph.add(join[0], vectors, **join[1])
    if n_costs:
        costs = [_rows(graph, a.table[:, :n_costs], code) for a, code in pairs]
        made |= _clusters(graph, graph.add("Sum", costs), outcome)
    for name, part in zip(graph.outputs, outcome.parts, strict=True):
        sizes = {VECTORS: [len(outcome.vector_names)], PROBABILITIES: [n_costs]}
        types = {VECTORS: np.dtype(dtype), CLUSTER: np.dtype(np.int64)}
        graph.give(name, made[part], types.get(part, np.dtype(float)), *sizes.get(part, []))
    return _model(graph, outcome.vector_names)


def write_onnx_of_cells(
    cells: Sequence[ExportedColumn], *, missing: str, as_text: Sequence[str]
) -> Any:
    """Write what a preparer makes of rows as an ONNX model.

    Parameters
    ----------
    cells : sequence of ExportedColumn
        The prepared columns.
    missing : str
        The text that stands for a missing cell.
    as_text : sequence of str
        Columns of numbers whose input takes strings.
    """
    onnx = need("onnx", "onnx", "ONNX models")
    _check_texts(cells, missing)
    feed = _feed(cells, missing, as_text)
    graph = Graph(onnx, _outputs(cells, [f"prepared.{cell.name}" for cell in cells]))
    for output, cell in zip(graph.outputs, cells, strict=True):
        made = prepare_cell(graph, cell, feed)
        absent = graph.constant(np.array(missing, object) if made.is_text else np.array(np.nan))
        values = graph.either(made.is_missing, absent, made.cells)
        graph.give(output, values, np.dtype(object if made.is_text else float))
    return _model(graph, [cell.name for cell in cells])


def _rows(graph: Graph, table: FloatArray, codes: str) -> str:
    return graph.add("Gather", [graph.constant(table), codes], axis=0)


def _clusters(graph: Graph, costs: str, outcome: ExportedResult) -> dict[str, str]:
    """Return the cluster with the lowest cost, the first of equals, and probabilities."""
    made = {CLUSTER: graph.add("ArgMin", [costs], axis=1, keepdims=0)}
    if outcome.has_probabilities:
        columns = graph.constant(np.array([1]))
        above = graph.add("Sub", [costs, graph.add("ReduceMin", [costs, columns], keepdims=1)])
        sharpness = graph.constant(np.array(-outcome.sharpness))
        made[PROBABILITIES] = graph.add("Softmax", [graph.add("Mul", [above, sharpness])], axis=1)
        largest = graph.add("ReduceMax", [made[PROBABILITIES], columns], keepdims=0)
        made[PROBABILITY] = largest
    return made


def _codes(graph: Graph, attribute: Attribute, feed: Feed) -> str:
    """Return the codes of an attribute's cells."""
    codes, unknown = attribute.codes, attribute.unknown
    if not attribute.cell.is_kept:
        made = prepare_cell(graph, attribute.cell, feed, codes)
        if made.is_text:
            found = graph.look_up_texts(made.cells, codes, unknown)
        else:
            found = _look_up_numbers(graph, attribute, made.cells)
        return _with_missing(graph, attribute, made.is_missing, found)
    kind, name = attribute.kind, attribute.name
    if kind is None or kind is Kind.TEXT:
        # A text that is not known at all is unknown, as a missing cell then is.
        words = feed.missing_words(codes) if attribute.knows_missing else []
        known = codes | dict.fromkeys(words, attribute.missing)
        return graph.look_up_texts(graph.input(name, "STRING"), known, unknown)
    if kind is Kind.FLOAT or attribute.knows_missing:
        cells = graph.input(name, "DOUBLE")
        found = _look_up_numbers(graph, attribute, cells)
        return _with_missing(graph, attribute, graph.add("IsNaN", [cells]), found)
    cells = graph.input(name, "BOOL" if kind is Kind.BOOLEAN else "INT64")
    if kind is Kind.BOOLEAN:
        cells = graph.add("Cast", [cells], to=graph.type_of("INT64"))
    keys = [check_int64(name, value) for value in codes]
    return graph.look_up(
        cells, keys_int64s=keys, values_int64s=list(codes.values()), default_int64=unknown
    )


def _look_up_numbers(graph: Graph, attribute: Attribute, cells: str) -> str:
    # Runtimes look doubles up for doubles alone.
    keys = [exact_float(attribute.name, value) for value in attribute.codes]
    return graph.look_up_numbers(cells, keys, list(attribute.codes.values()), attribute.unknown)


def _with_missing(graph: Graph, attribute: Attribute, is_missing: str, codes: str) -> str:
    missing = graph.constant(np.array(attribute.missing, np.int64))
    return graph.add("Where", [is_missing, missing, codes])


def _outputs(cells: Sequence[ExportedColumn], parts: Sequence[str]) -> list[str]:
    """Return the names of the outputs, which are not those of inputs."""
    inputs = list(dict.fromkeys(cell.origin for cell in cells))
    return number_repeats([*inputs, *parts])[len(inputs) :]


def _feed(cells: Sequence[ExportedColumn], missing: str, as_text: Sequence[str]) -> Feed:
    binned = {cell.origin for cell in cells if isinstance(cell.rule, Bin)}
    odd = [name for name in as_text if name not in binned]
    if isinstance(as_text, str) or odd:
        said = "{as_text} must list columns of numbers that are binned, got {0!r}; there are {1}."
        raise ValueError(message(said, as_text, sorted(binned)))
    return Feed(missing, frozenset(as_text))


def _model(graph: Graph, names: Sequence[str]) -> Any:
    opsets = {"": graph.opset, "ai.onnx.ml": ML_OPSET}
    onnx = graph.onnx
    model = onnx.helper.make_model(
        graph.build(),
        opset_imports=[onnx.helper.make_opsetid(*opset) for opset in opsets.items()],
        ir_version=IR_VERSION,
        producer_name="untie",
        producer_version=VERSION,
    )
    onnx.helper.set_model_props(model, {"feature_names": json.dumps(list(names))})
    onnx.checker.check_model(model)
    return model


def _check(attributes: Sequence[Attribute], dtype: Any, missing: str) -> None:
    n_bytes = np.dtype(dtype).itemsize * sum(attribute.table.size for attribute in attributes)
    if n_bytes > MOST_BYTES:
        raise ValueError(
            f"The model would take {n_bytes} bytes, but ONNX has room for {MOST_BYTES}; fit with "
            "n_components to make the vectors shorter."
        )
    _check_texts([attribute.cell for attribute in attributes], missing)
    for attribute in attributes:
        if attribute.kind in (Kind.DATE, Kind.DATETIME, Kind.INSTANT):
            value = next(iter(attribute.codes))
            raise ValueError(
                f"Column {attribute.name!r} holds {value!r}, but ONNX has no dates. Turn the "
                "column into text and fit again."
            )
        if missing in attribute.codes:
            raise _taken(missing, attribute.name)


def _check_texts(cells: Iterable[ExportedColumn], missing: str) -> None:
    if not isinstance(missing, str) or not is_portable(missing):
        raise ValueError(f"missing must be a text, got {missing!r}.")
    for cell in cells:
        if not cell.origin or not is_portable(cell.origin):
            raise ValueError(
                f"{cell.origin!r} can't be the name of an input; rename the column and fit again."
            )
        if missing in cell.odd:
            raise _taken(missing, cell.name)


def _taken(missing: str, column: str) -> ValueError:
    return ValueError(
        f"missing={missing!r} is a value of column {column!r}; choose a text that no cell has, "
        "such as missing='<missing>'."
    )
