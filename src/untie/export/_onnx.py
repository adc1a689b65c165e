"""`transform` as an ONNX model: for each column a look-up of codes and one of vectors."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from untie._table.vocabulary import number_repeats
from untie._util.about import VERSION
from untie._util.messages import need
from untie.export._sql import Attribute, Kind, check_int64, exact_float, is_portable

OPSETS = {"": 18, "ai.onnx.ml": 4}
"""The operators' versions; the first ones that look doubles up."""

IR_VERSION = 9
"""The format's version that belongs to them: older runtimes refuse what onnx writes by default."""

MOST_BYTES = 2**31 - 2**24
"""Largest size of the vectors: a model is one message of at most 2 GiB, values included."""


def write_onnx(
    attributes: Sequence[Attribute],
    names: Sequence[str],
    *,
    summed: bool,
    dtype: Any,
    missing: str,
) -> Any:
    """Write a transform as an ONNX model.

    Parameters
    ----------
    attributes : sequence of Attribute
        The columns to look up.
    names : sequence of str
        The columns of the result; the model carries them as metadata.
    summed : bool
        Whether a row's vector is the sum of its values' vectors, or their concatenation.
    dtype : dtype
        numpy.float64 or numpy.float32.
    missing : str
        The text that stands for a missing cell in inputs of text.
    """
    onnx = need("onnx", "onnx", "ONNX models")
    _check(attributes, dtype, missing)
    *_, output = number_repeats([*(attribute.name for attribute in attributes), "vectors"])
    columns = [
        _Column(onnx, attribute, f"{output}.{number}", *_cells(attribute, missing))
        for number, attribute in enumerate(attributes)
    ]
    vectors = [column.name("vectors") for column in columns]
    join = ("Sum", {}) if summed else ("Concat", {"axis": 1})
    number = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = onnx.helper.make_graph(
        [
            *(node for column in columns for node in column.nodes()),
            onnx.helper.make_node(join[0], vectors, [output], **join[1]),
        ],
        "untie",
        [column.input() for column in columns],
        [onnx.helper.make_tensor_value_info(output, number, ["rows", len(names)])],
        [table for column in columns for table in column.constants(dtype)],
    )
    return _model(onnx, graph, names)


@dataclass(frozen=True, eq=False)
class _Column:
    """The part of the graph that looks one column up.

    Parameters
    ----------
    onnx : module
        The library.
    attribute : Attribute
        The column.
    prefix : str
        How the names of its own steps begin.
    cell_type : {"STRING", "INT64", "DOUBLE", "BOOL"}
        The type of its input.
    codes : dict
        The code of each known cell, as it stands in the input.
    """

    onnx: Any
    attribute: Attribute
    prefix: str
    cell_type: str
    codes: dict[Any, int]

    def name(self, step: str) -> str:
        """Return the name of what a step gives."""
        return f"{self.prefix}.{step}"

    def input(self) -> Any:
        """Return the column's input: one cell per row."""
        number = self.onnx.TensorProto.DataType.Value(self.cell_type)
        return self.onnx.helper.make_tensor_value_info(self.attribute.name, number, ["rows"])

    def nodes(self) -> Iterator[Any]:
        """Return the steps from cells to vectors."""
        make, int64 = self.onnx.helper.make_node, self.onnx.TensorProto.INT64
        cells, codes = self.attribute.name, self.name("codes")
        if self.cell_type == "BOOL":
            yield make("Cast", [cells], [self.name("numbers")], to=int64)
            cells = self.name("numbers")
        is_double = self.cell_type == "DOUBLE"
        found = self.name("found") if is_double else codes
        yield make("LabelEncoder", [cells], [found], domain="ai.onnx.ml", **self._labels())
        if is_double:
            yield make("Cast", [found], [self.name("known")], to=int64)
            yield make("IsNaN", [cells], [self.name("isnan")])
            choice = [self.name(step) for step in ("isnan", "missing", "known")]
            yield make("Where", choice, [codes])
        yield make("Gather", [self.name("table"), codes], [self.name("vectors")], axis=0)

    def constants(self, dtype: Any) -> Iterator[Any]:
        """Return the arrays that the steps use."""
        make = self.onnx.numpy_helper.from_array
        yield make(self.attribute.table.astype(dtype), self.name("table"))
        if self.cell_type == "DOUBLE":
            yield make(np.array(self.attribute.missing, np.int64), self.name("missing"))

    def _labels(self) -> dict[str, Any]:
        keys, values = list(self.codes), list(self.codes.values())
        if self.cell_type != "DOUBLE":
            kind = "keys_strings" if self.cell_type == "STRING" else "keys_int64s"
            unknown = self.attribute.unknown
            return {kind: keys, "values_int64s": values, "default_int64": unknown}
        # Runtimes look doubles up for doubles alone.
        arrays = {"keys": keys, "values": values, "default": [self.attribute.unknown]}
        return {
            f"{part}_tensor": self.onnx.numpy_helper.from_array(np.array(array, np.float64))
            for part, array in arrays.items()
        }


def _cells(attribute: Attribute, missing: str) -> tuple[str, dict[Any, int]]:
    """Return the type of a column's input, and the code of each cell that it can have."""
    name, kind, codes = attribute.name, attribute.kind, attribute.codes
    if kind is None or kind is Kind.TEXT:
        # A text that is not known at all is unknown, as a missing cell then is.
        known_missing = {missing: attribute.missing} if attribute.knows_missing else {}
        return "STRING", {**codes, **known_missing}
    if kind is Kind.FLOAT or attribute.knows_missing:
        return "DOUBLE", {exact_float(name, value): code for value, code in codes.items()}
    cell_type = "BOOL" if kind is Kind.BOOLEAN else "INT64"
    return cell_type, {check_int64(name, value): code for value, code in codes.items()}


def _model(onnx: Any, graph: Any, names: Sequence[str]) -> Any:
    model = onnx.helper.make_model(
        graph,
        opset_imports=[onnx.helper.make_opsetid(*opset) for opset in OPSETS.items()],
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
    if not isinstance(missing, str) or not is_portable(missing):
        raise ValueError(f"missing must be a text, got {missing!r}.")
    for attribute in attributes:
        if not attribute.name or not is_portable(attribute.name):
            raise ValueError(
                f"{attribute.name!r} can't be the name of an input; rename the column and fit "
                "again."
            )
        if attribute.kind in (Kind.DATE, Kind.DATETIME, Kind.INSTANT):
            value = next(iter(attribute.codes))
            raise ValueError(
                f"Column {attribute.name!r} holds {value!r}, but ONNX has no dates. Turn the "
                "column into text and fit again."
            )
        if missing in attribute.codes:
            raise ValueError(
                f"missing={missing!r} is a value of column {attribute.name!r}; choose a text that "
                "no cell has, such as missing='<missing>'."
            )
