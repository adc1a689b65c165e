"""The rules of a preparer as steps of an ONNX graph: raw cells -> prepared cells."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from untie._prepare.numbers import NUMBER, NumberNames, NumberWriting
from untie._prepare.rules import (
    AS_IT_IS,
    BOOLEANS,
    NOT_PICKED,
    NUMBERS,
    PICKED,
    Answer,
    Answered,
    Bin,
    Group,
    Keep,
    Reading,
)
from untie._util.types import AnyArray, Value
from untie.export._attributes import ExportedColumn
from untie.export._patterns import (
    BLANKS,
    PLAIN_NUMBER,
    in_class,
    named_numbers,
    written_number,
)

OPSET, TEXT_OPSET = 18, 20
"""The version of the operators, and of those that take texts apart."""

WORDS = ("None", "nan", "<NA>", "NaT")
"""What onnxruntime makes of missing cells in arrays of objects."""

MOST_EXACT = 2.0**53
"""Whole numbers below this one are exact as doubles."""

MOST_GROUPS, MOST_BLANKS = 8, 5
"""Texts of numbers may have as many groups of thousands, and blanks of one kind."""

GAPS = " \t\u00a0\u202f"
"""White space that may be in the text of a number."""

_AROUND = f"[{in_class(BLANKS)}]*"
_BEFORE = f"[{GAPS}]{{0,3}}"
_LARGE = "[eE][+]?0*[1-9][0-9]{2,}"
_SMALL = "[eE]-0*[1-9][0-9]{2,}"
_LONG, _TINY = "[0-9]{200}", "[^1-9]*[.,]0{200}"
"""Exponents, whole parts and decimals at which runtimes fail."""


@dataclass(frozen=True)
class Feed:
    """How cells are given to a model.

    Parameters
    ----------
    missing : str
        The text that stands for a missing cell.
    as_text : collection of str
        Columns of numbers whose input takes strings.
    """

    missing: str
    as_text: Collection[str] = ()

    def missing_words(self, values: Collection[Value]) -> list[str]:
        """Return the texts that stand for a missing cell of a column with these values."""
        return [self.missing, *(word for word in WORDS if word not in values)]


class Graph:
    """Steps and constants of a model, named by their numbers.

    Parameters
    ----------
    onnx : module
        The library.
    outputs : sequence of str
        The names of the outputs; those of steps begin with the first of them.
    """

    def __init__(self, onnx: Any, outputs: Sequence[str]) -> None:
        self.onnx, self.outputs, self.opset = onnx, outputs, OPSET
        self._nodes: list[Any] = []
        self._inputs: dict[str, Any] = {}
        self._given: list[Any] = []
        self._constants: list[Any] = []

    def type_of(self, name: str) -> int:
        """Return the number of a type."""
        return int(self.onnx.TensorProto.DataType.Value(name))

    def input(self, name: str, cell_type: str) -> str:
        """Add an input with one cell per row, unless it is there; return its name."""
        number = self.type_of(cell_type)
        entry = self.onnx.helper.make_tensor_value_info(name, number, ["rows"])
        self._inputs.setdefault(name, entry)
        return name

    def give(self, name: str, values: str, dtype: Any, *sizes: int) -> None:
        """Add an output of shape (n_rows, *sizes)."""
        number = self.onnx.helper.np_dtype_to_tensor_dtype(dtype)
        self._nodes.append(self.onnx.helper.make_node("Identity", [values], [name]))
        entry = self.onnx.helper.make_tensor_value_info(name, number, ["rows", *sizes])
        self._given.append(entry)

    def add(self, operator: str, inputs: Sequence[str], **attributes: Any) -> str:
        """Add a step; return the name of what it gives."""
        if operator in ("StringSplit", "StringConcat", "RegexFullMatch"):
            self.opset = TEXT_OPSET
        name = f"{self.outputs[0]}.{len(self._nodes)}"
        self._nodes.append(self.onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def constant(self, array: AnyArray) -> str:
        """Add an array; return its name."""
        name = f"{self.outputs[0]}.constant{len(self._constants)}"
        self._constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def text(self, text: str) -> str:
        """Add a text; return its name."""
        return self.constant(np.array(text, dtype=object))

    def either(self, condition: str, yes: str, no: str) -> str:
        """Add a choice between two, row by row."""
        return self.add("Where", [condition, yes, no])

    def cast(self, values: str, to: str) -> str:
        """Add a change of type."""
        return self.add("Cast", [values], to=self.type_of(to))

    def look_up(self, values: str, **table: Any) -> str:
        """Add a look-up."""
        return self.add("LabelEncoder", [values], domain="ai.onnx.ml", **table)

    def look_up_texts(self, texts: str, codes: Mapping[Value, int], default: int) -> str:
        """Add a look-up of the code of each text."""
        if not codes:
            codes = {"": default}
        keys, values = list(codes), list(codes.values())
        return self.look_up(texts, keys_strings=keys, values_int64s=values, default_int64=default)

    def look_up_numbers(
        self, numbers: str, keys: Sequence[float], codes: Sequence[int], default: int
    ) -> str:
        """Add a look-up of the code of each double."""
        arrays = {"keys": keys, "values": codes, "default": [default]}
        tensors = {
            f"{part}_tensor": self.onnx.numpy_helper.from_array(np.array(array, np.float64))
            for part, array in arrays.items()
        }
        # Runtimes look doubles up for doubles alone.
        return self.cast(self.look_up(numbers, **tensors), "INT64")

    def is_like(self, texts: str, pattern: str) -> str:
        """Add the condition that a whole text is as a pattern says."""
        return self.add("RegexFullMatch", [texts], pattern=pattern)

    def without(self, texts: str, part: str, most: int = 1) -> str:
        """Add the texts without a part that they have so many times at most.

        There must be at least one text.
        """
        longer = self.add("StringConcat", [texts, self.text(part * most)])
        pieces = self.add_pieces(longer, part)
        columns = [
            self.add("Gather", [pieces, self.constant(np.array(place))], axis=1)
            for place in range(most + 1)
        ]
        joined = columns[0]
        for column in columns[1:]:
            joined = self.add("StringConcat", [joined, column])
        return joined

    def with_point(self, texts: str, mark: str) -> str:
        """Add the texts with a point in the place of a mark, or at their end if they have none."""
        pieces = self.add_pieces(self.add("StringConcat", [texts, self.text(mark)]), mark)
        first, second = (
            self.add("Gather", [pieces, self.constant(np.array(place))], axis=1) for place in (0, 1)
        )
        return self.add("StringConcat", [self.add("StringConcat", [first, self.text(".")]), second])

    def add_pieces(self, texts: str, part: str) -> str:
        """Add the texts taken apart where they have a part; shape (n_rows, n_pieces)."""
        self.opset = TEXT_OPSET
        name, counts = (f"{self.outputs[0]}.{len(self._nodes)}{end}" for end in ("", ".counts"))
        node = self.onnx.helper.make_node("StringSplit", [texts], [name, counts], delimiter=part)
        self._nodes.append(node)
        return name

    def first_rows(self, values: str) -> str:
        """Add all rows but the last one."""
        bounds = [self.constant(np.array([place])) for place in (0, -1)]
        return self.add("Slice", [values, *bounds])

    def build(self) -> Any:
        """Return the graph."""
        inputs = list(self._inputs.values())
        make = self.onnx.helper.make_graph
        return make(self._nodes, "untie", inputs, self._given, self._constants)


@dataclass(frozen=True)
class Prepared:
    """Prepared cells within a graph.

    Parameters
    ----------
    cells : str
        The texts or doubles; anything where a cell is missing.
    is_missing : str
        Which cells are missing.
    is_text : bool
        Whether the cells are texts.
    """

    cells: str
    is_missing: str
    is_text: bool = True


def prepare_cell(
    graph: Graph, cell: ExportedColumn, feed: Feed, known: Collection[Value] | None = None
) -> Prepared:
    """Add the steps that prepare a column.

    Parameters
    ----------
    graph : Graph
        Gets the steps.
    cell : ExportedColumn
        The prepared column.
    feed : Feed
        How its cells are given.
    known : collection, optional
        The only prepared values that matter, as all others are unknown.
    """
    cell.check("ONNX")
    rule = cell.rule
    if isinstance(rule, Bin):
        return _bin(graph, cell, rule, feed, known)
    if isinstance(rule, Keep):
        return _keep(graph, cell, rule, feed, known)
    if isinstance(rule, Group):
        return _group(graph, cell, rule, feed)
    if isinstance(rule, Answer | Answered):
        return _answer(graph, cell, rule, feed)
    raise _no_dates(cell)


def _no_dates(cell: ExportedColumn) -> ValueError:
    return cell.refuse(
        "ONNX has no dates",
        "turn its dates into numbers, or leave it out, and fit again; or use to_sql",
    )


def _keep(
    graph: Graph, cell: ExportedColumn, rule: Keep, feed: Feed, known: Collection[Value] | None
) -> Prepared:
    if rule.kind == NUMBERS and rule.reading == AS_IT_IS:
        numbers = graph.input(cell.origin, "DOUBLE")
        return Prepared(numbers, graph.add("IsNaN", [numbers]), is_text=False)
    cells = graph.input(cell.origin, "STRING")
    is_missing = _means_missing(
        graph, cells, rule.reading, feed, cell.odd if known is None else known
    )
    if rule.kind == NUMBERS:
        number, is_number = _numbers(graph, cells, rule.reading)
        infinity = graph.constant(np.array(np.inf))
        return Prepared(graph.either(is_number, number, infinity), is_missing, is_text=False)
    texts = _texts(graph, cell, cells, rule.reading, known)
    if rule.kind == BOOLEANS:
        for name, digit in (("True", "1"), ("False", "0")):
            spelled = "".join(f"[{letter}{letter.lower()}]" for letter in name.upper())
            texts = graph.either(graph.is_like(cells, f"{digit}([.]0)?"), graph.text(name), texts)
            is_so = graph.is_like(cells, f"{_AROUND}{spelled}{_AROUND}")
            texts = graph.either(is_so, graph.text(name), texts)
    return Prepared(texts, is_missing)


def _group(graph: Graph, cell: ExportedColumn, rule: Group, feed: Feed) -> Prepared:
    cells = graph.input(cell.origin, "STRING")
    is_missing = _means_missing(graph, cells, rule.reading, feed, {*rule.values, *cell.odd})
    texts = _texts(graph, cell, cells, rule.reading, rule.values)
    values = list(rule.values)
    table = {"keys_strings": values, "values_strings": values, "default_string": rule.other}
    return Prepared(graph.look_up(texts, **table), is_missing)


def _bin(
    graph: Graph, cell: ExportedColumn, rule: Bin, feed: Feed, known: Collection[Value] | None
) -> Prepared:
    if rule.unit != NUMBER:
        raise _no_dates(cell)
    names = graph.constant(np.array(rule.names, dtype=object))
    edges = graph.constant(np.array([rule.edges]))
    is_text = rule.reading != AS_IT_IS or rule.has_others or cell.origin in feed.as_text

    def ranges(numbers: str) -> str:
        rows = graph.add("Unsqueeze", [numbers, graph.constant(np.array([1]))])
        is_above = graph.cast(graph.add("Greater", [rows, edges]), "INT64")
        place = graph.add("ReduceSum", [is_above, graph.constant(np.array([1]))], keepdims=0)
        return graph.add("Gather", [names, place])

    if not is_text:
        numbers = graph.input(cell.origin, "DOUBLE")
        return Prepared(ranges(numbers), graph.add("IsNaN", [numbers]))
    cells = graph.input(cell.origin, "STRING")
    is_missing = _means_missing(
        graph, cells, rule.reading, feed, cell.odd if known is None else known
    )
    numbers, is_number = _numbers(graph, cells, rule.reading)
    others = None if known is None else [value for value in known if value not in rule.names]
    texts = _texts(graph, cell, cells, replace(rule.reading, writing=None), others)
    return Prepared(graph.either(is_number, ranges(numbers), texts), is_missing)


def _answer(graph: Graph, cell: ExportedColumn, rule: Answer | Answered, feed: Feed) -> Prepared:
    cells = graph.input(cell.origin, "STRING")
    is_missing = _means_missing(graph, cells, rule.listing.reading, feed, cell.odd)
    # One more text, as no rows at all have no parts.
    last = graph.constant(np.array(["0"], dtype=object))
    parts = graph.add_pieces(graph.add("Concat", [cells, last], axis=0), rule.listing.separator)

    def has_part(answers: Collection[str], others: bool = False) -> str:
        """Add the condition that a cell has one of some answers; or one that is none of them."""
        pattern = "|".join(map(_exactly, answers))
        found = graph.is_like(parts, f"{_AROUND}({pattern}){_AROUND}")
        found = graph.cast(graph.add("Not", [found]) if others else found, "INT64")
        columns = graph.constant(np.array([1]))
        most = graph.add("ReduceMax", [found, columns], keepdims=0)
        return graph.first_rows(graph.cast(most, "BOOL"))

    picked, not_picked = graph.text(PICKED), graph.text(NOT_PICKED)
    has_any = graph.add("And", [graph.add("Not", [is_missing]), has_part([""], others=True)])
    if isinstance(rule, Answered):
        texts = graph.either(has_any, picked, not_picked)
        return Prepared(texts, graph.constant(np.array(False)))
    if rule.answer is None:
        is_picked, rest = has_part(["", *rule.known], others=True), not_picked
    else:
        is_picked, rest = has_part([rule.answer]), not_picked
        if rule.tells_new:
            rest = graph.either(has_part(rule.known), not_picked, cells)
    return Prepared(graph.either(is_picked, picked, rest), graph.add("Not", [has_any]))


def _means_missing(
    graph: Graph, cells: str, reading: Reading, feed: Feed, values: Collection[Value]
) -> str:
    words = dict.fromkeys([*feed.missing_words(values), *reading.missing])
    found = graph.cast(graph.look_up_texts(cells, dict.fromkeys(words, 1), 0), "BOOL")
    bare = [word for word in reading.missing if word == word.strip()]
    if not bare:
        return found
    pattern = "|".join(_exactly(word) for word in bare)
    return graph.add("Or", [found, graph.is_like(cells, f"{_AROUND}({pattern}){_AROUND}")])


def _texts(
    graph: Graph,
    cell: ExportedColumn,
    cells: str,
    reading: Reading,
    known: Collection[Value] | None,
) -> str:
    """Return the texts as they are read; only known ones need to be right, if these are given."""
    is_named = isinstance(reading.writing, NumberNames)
    if known is None and (is_named or reading.is_stripped):
        why = "write numbers anew" if is_named else "leave out the blanks around texts"
        raise cell.refuse(f"ONNX cannot {why}", "export an encoder or a clusterer, or use to_sql")
    values = known or ()
    if isinstance(reading.writing, NumberNames):
        cells = _named_numbers(graph, cells, reading.writing, values)
    if reading.is_stripped:
        for text in (value for value in values if isinstance(value, str)):
            is_so = graph.is_like(cells, f"{_AROUND}{_exactly(text)}{_AROUND}")
            cells = graph.either(is_so, graph.text(text), cells)
    return cells


def _exactly(text: str) -> str:
    """Return the pattern of a text alone, for RE2."""
    return "".join(c if c.isalnum() else f"\\x{{{ord(c):x}}}" for c in text)


def _named_numbers(graph: Graph, cells: str, names: NumberNames, known: Collection[Value]) -> str:
    """Return texts in which whole numbers, and known ones, are written in the same way."""
    if names.decimal == ",":
        pattern = f"{PLAIN_NUMBER}|{PLAIN_NUMBER.replace('[.]', ',')}"
        numbers, is_number = _cast_texts(graph, cells, pattern, [","])
        is_unclear = graph.is_like(cells, f"{_AROUND}[-+]?[0-9]{{1,3}}[.][0-9]{{3}}{_AROUND}")
        is_number = graph.add("And", [is_number, graph.add("Not", [is_unclear])])
        numbers = graph.either(is_number, numbers, graph.constant(np.array(np.nan)))
    else:
        numbers, is_number = _cast_texts(graph, cells, PLAIN_NUMBER, [""])
    size = graph.add("Abs", [numbers])
    is_small = graph.add("Less", [size, graph.constant(np.array(MOST_EXACT))])
    is_even = graph.add("Equal", [numbers, graph.add("Floor", [numbers])])
    is_whole = graph.add("And", [is_small, is_even])
    zero = graph.constant(np.array(0.0))
    whole = graph.cast(graph.cast(graph.either(is_whole, numbers, zero), "INT64"), "STRING")
    texts = graph.either(is_whole, whole, cells)
    named = named_numbers(known)
    labels = [text for text, n in named.items() if abs(n) >= MOST_EXACT or not n.is_integer()]
    if labels:
        keys = [named[label] for label in labels]
        places = graph.look_up_numbers(numbers, keys, range(len(keys)), len(keys))
        array = graph.constant(np.array([*labels, ""], dtype=object))
        is_known = graph.add("Less", [places, graph.constant(np.array(len(keys)))])
        is_digits = graph.is_like(cells, f"{_AROUND}-?[0-9]+([.,]0)?{_AROUND}")
        is_rounded = graph.add("And", [is_known, graph.add("Not", [is_digits])])
        is_label = graph.add("And", [is_rounded, is_number])
        texts = graph.either(is_label, graph.add("Gather", [array, places]), texts)
    for text in known:  # digits are a name whatever their number, which no double may hold
        if isinstance(text, str) and re.fullmatch("-?[1-9][0-9]{15,}", text):
            mark = in_class(names.decimal)
            is_so = graph.is_like(cells, f"{_AROUND}{text}([{mark}]0)?{_AROUND}")
            texts = graph.either(is_so, graph.text(text), texts)
    return texts


def _numbers(graph: Graph, cells: str, reading: Reading) -> tuple[str, str]:
    """Return texts as doubles, and which of them are numbers."""
    numbers, is_number = _cast_texts(graph, cells, PLAIN_NUMBER, [""])
    writing = reading.writing
    if not isinstance(writing, NumberWriting):
        return numbers, is_number
    pattern = written_number(writing, GAPS, str(MOST_GROUPS))
    parts = [writing.before, writing.after]
    written, is_written = _cast_texts(
        graph, cells, pattern, [writing.decimal, writing.thousands, *parts]
    )
    either = graph.add("Or", [is_number, is_written])
    return graph.either(is_written, written, numbers), either


def _cast_texts(graph: Graph, cells: str, pattern: str, parts: Sequence[str]) -> tuple[str, str]:
    """Return texts that are as a pattern says as doubles, and which texts are.

    Parameters
    ----------
    graph : Graph
        Gets the steps.
    cells : str
        The texts.
    pattern : str
        What numbers look like.
    parts : sequence of str
        The mark before decimals, which is empty if numbers are plain. If it is not, all other parts
        to leave out: the mark between thousands, a currency, a unit.
    """
    # One more text, as no rows at all have no pieces.
    last = graph.constant(np.array(["0"], dtype=object))
    texts = graph.add("Concat", [cells, last], axis=0)
    is_number = graph.is_like(texts, f"{_BEFORE}({pattern}){_AROUND}")
    is_negative = graph.is_like(texts, f"{_BEFORE}[^0-9]*[-\u2212].*")
    is_zero = graph.is_like(texts, f"{_BEFORE}[-+]?[0.,]*[eE].*|.*{_SMALL}{_AROUND}")
    is_zero = graph.add("Or", [is_zero, graph.is_like(texts, f"{_TINY}.*")])
    is_infinite = graph.is_like(texts, f".*{_LARGE}{_AROUND}|[^.,]*{_LONG}.*")
    is_beyond = graph.add("Or", [is_zero, is_infinite])
    is_usual = graph.add("And", [is_number, graph.add("Not", [is_beyond])])
    texts = graph.either(is_usual, texts, last)
    decimal, *others = parts
    thousands = others[0] if others else ""
    for part in others[1:]:
        texts = graph.without(texts, part) if part else texts
    for part in dict.fromkeys([*GAPS, *filter(None, [thousands])]):
        most = MOST_BLANKS * (part in GAPS) + MOST_GROUPS * (part == thousands)
        texts = graph.without(texts, part, most)
    if decimal not in ("", "."):
        has_mark = graph.is_like(texts, f".*[{in_class(decimal)}].*")
        texts = graph.either(has_mark, graph.with_point(texts, decimal), texts)
    for sign in "-+\u2212" if others else "":
        texts = graph.without(texts, sign)
    numbers = graph.cast(texts, "DOUBLE")
    if others:
        numbers = graph.either(is_negative, graph.add("Neg", [numbers]), numbers)
    lowest, highest = (graph.constant(np.array(end)) for end in (-np.inf, np.inf))
    infinite = graph.either(is_negative, lowest, highest)
    is_infinite = graph.add("And", [is_infinite, graph.add("Not", [is_zero])])
    numbers = graph.either(is_infinite, infinite, numbers)
    numbers = graph.either(is_number, numbers, graph.constant(np.array(np.nan)))
    return graph.first_rows(numbers), graph.first_rows(is_number)
