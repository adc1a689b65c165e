"""What was done to a column and why, as data; one function makes a sentence of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from untie._table.column_codes import value_text
from untie._table.vocabulary import sort_values
from untie._util.messages import Message, Parameter, counted, listed, message
from untie._util.types import Value

KEPT, BINNED, GROUPED, SPLIT, LEFT_OUT = "kept", "binned", "grouped", "split", "left out"

N_SHOWN = 3
"""At most this many values of a column are named."""

N_SPELLINGS = 2
"""At most this many values that are spelled in several ways are named."""


class Reason(Enum):
    """Why something was done to a column, or what there is to know about it.

    Each has the sentence that people read, and the names of its arguments.
    """

    AS_ASKED = ("as asked",)
    WEIGHTS = ("holds the weights",)
    UNREADABLE = "{why}", "why"
    ALL_MISSING = ("all cells are missing",)
    CONSTANT = "every row is {value!r:.40}", "value"
    FREE_TEXT = ("looks like free text",)
    ID = ("looks like an id",)
    ROW_NAMES = ("names the rows",)
    TOO_MANY_VALUES = "has {n:,} values, hardly any of them frequent", "n"
    MERGED = (
        "the {n_merged:,} rarest of its {n:,} values are merged into {other!r}",
        "n",
        "n_merged",
        "other",
    )
    FEW_NUMBERS = "its {n} numbers are categories; {ordered} keeps their order", "n"
    SCALE = "its {n} numbers have an order", "n"
    CODES = ("its numbers are codes, not amounts",)
    RANGES = "into {n} ranges", "n"
    OTHER_VALUES = (
        "not {kind}, kept as values of their own: {values}; if {means} with all that do: {missing}",
        "kind",
        "n",
        "values",
    )
    READ_AS = "read {how}, such as {example!r}", "how", "example"
    UNCLEAR_DATES = (
        "looks like dates, and nothing tells whether the day or the month comes first; say so with "
        "{day_first} or {month_first}",
    )
    ODD_DATES = ("looks like dates; all written as 2024-12-31 they would be binned",)
    ODD_NUMBERS = (
        "looks like numbers with other signs ({example!r}); as plain numbers, in one unit, they "
        "would be binned",
        "example",
    )
    NOT_MISSING = "{values} counted as a value, not as missing", "n", "values"
    SPELLINGS = (
        "values that differ in case or blanks alone stay apart: {spellings}",
        "n",
        "spellings",
    )
    BLANKS = "read without the blanks around {values}", "n", "values"
    READ_AS_MISSING = "read as missing: {counts}", "counts", "is_sample"
    DATE_PARTS = "also made into {columns}", "columns"
    ANSWERS = (
        "{answers} separated by {separator!r}, one column each{others}{same}",
        "n",
        "n_merged",
        "n_same",
        "has_any",
        "separator",
        "columns",
    )
    MANY_ANSWERS = (
        "lists {n:,} answers, separated by {separator!r} and hardly any of them frequent; {sets} "
        "makes a column of each of the {most} most frequent and one of all others",
        "n",
        "separator",
        "most",
    )
    SAME_NAME = (
        "lists answers, but two columns would be called {value!r}; rename one column to get one of "
        "each answer",
        "value",
    )
    SUMMARIES = "nothing is learned from {rows}", "rows"

    def __init__(self, words: str, *arguments: str) -> None:
        self.words = words
        self.arguments = arguments


Reasons = Mapping[Reason, Mapping[str, Any]]
"""Reasons with their arguments, which are plain data, in the order in which people read them."""


@dataclass(frozen=True)
class Note:
    """What was done to a column and why.

    Parameters
    ----------
    column : str
        The column's name.
    action : {"kept", "binned", "grouped", "split", "left out"}
        What was done to it.
    reasons : mapping from Reason to arguments
        Why, and what else there is to know.

    Attributes
    ----------
    reason : str
        The reasons in words; empty if there are none.

    See Also
    --------
    Preparer : Has one per column, as `notes_`.

    Examples
    --------
    >>> from untie._prepare.note import Reason
    >>> print(Note("customer", "left out", {Reason.ID: {}}))
    customer: left out, looks like an id
    >>> print(Note("age", "binned", {Reason.RANGES: {"n": 5}}))
    age: binned into 5 ranges
    """

    column: str
    action: str
    reasons: Reasons = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """The reasons in words; empty if there are none."""
        return str(_in_words(self))

    def __str__(self) -> str:
        return str(sentence(self))

    def argument(self, reason: Reason, name: str) -> Any:
        """Return an argument of a reason; None if the note does not have that reason."""
        return self.reasons.get(reason, {}).get(name)

    def also(self, reasons: Reasons) -> Note:
        """Return the note with more reasons at its end."""
        return Note(self.column, self.action, {**self.reasons, **reasons})

    def without(self, *reasons: Reason) -> Note:
        """Return the note without some reasons."""
        kept = {reason: own for reason, own in self.reasons.items() if reason not in reasons}
        return Note(self.column, self.action, kept)


def shown_values(values: Sequence[Value]) -> dict[str, Any]:
    """Return the number of some values, and the first of them as plain data."""
    plain = (str, bool, int)
    first = sort_values(values)[:N_SHOWN]
    shown = [value if isinstance(value, plain) else value_text(value) for value in first]
    return {"n": len(values), "values": shown}


def sentence(note: Note) -> Message:
    """Return what was done to a column and why, as a message that knows the parameters it names.

    Examples
    --------
    >>> others = {"kind": "numbers", "n": 1, "values": ["not asked"]}
    >>> print(sentence(Note("age", "binned", {Reason.OTHER_VALUES: others})))
    age: binned not numbers, kept as values of their own: 'not asked'; if that means missing, \
name it with all that do: missing=['not asked']
    """
    words = _in_words(note)
    mark = "" if not words else " " if note.action == BINNED else ", "
    return message("{0}: {1}{2}{3}", note.column, note.action, mark, words)


def _in_words(note: Note) -> Message:
    said = []
    for reason, own in note.reasons.items():
        more = _DERIVED[reason](own, note.column) if reason in _DERIVED else {}
        said.append(message(reason.words, **{**own, **more}))
    return message("; ".join(f"{{{place}}}" for place in range(len(said))), *said)


def _some(own: Mapping[str, Any]) -> str:
    shown = own["values"][:N_SHOWN]
    more = f" and {own['n'] - len(shown):,} more" if own["n"] > len(shown) else ""
    return ", ".join(map(repr, shown)) + more


def _of_others(own: Mapping[str, Any], column: str) -> dict[str, Any]:
    # Who names some has none found by themselves.
    means = "that means missing, name it" if own["n"] == 1 else "they mean missing, name them"
    missing = Parameter("missing", list(map(str, own["values"])))
    return {"values": _some(own), "means": means, "missing": missing}


def _of_spellings(own: Mapping[str, Any], column: str) -> dict[str, Any]:
    said = [", ".join(map(repr, texts)) for texts in own["spellings"]]
    more = [f"and {own['n'] - len(said):,} more"] if own["n"] > len(said) else []
    return {"spellings": "; ".join([*said, *more])}


def _of_missing(own: Mapping[str, Any], column: str) -> dict[str, Any]:
    about = "about " if own["is_sample"] else ""
    names = [f"{text!r} ({about}{counted(n, 'row')})" for text, n in own["counts"].items()]
    more = f" and {len(names) - N_SHOWN} more" if len(names) > N_SHOWN else ""
    return {"counts": ", ".join(names[:N_SHOWN]) + more}


def _of_summaries(own: Mapping[str, Any], column: str) -> dict[str, Any]:
    named = [f"the row {row['name']!r}, the {row['kind']} of all others" for row in own["rows"]]
    return {"rows": listed(named)}


def _of_answers(own: Mapping[str, Any], column: str) -> dict[str, Any]:
    n, n_same = own["n_merged"], own["n_same"]
    more = [f"one for the {n:,} rarer ones"] if n else []
    more += ["one for whether there is any"] if own["has_any"] else []
    same = f"; {counted(n_same, 'more answer')} in every row" if n_same else ""
    others = "".join(f", and {one}" for one in more)
    return {"answers": counted(own["n"], "answer"), "others": others, "same": same}


_DERIVED: dict[Reason, Callable[[Mapping[str, Any], str], dict[str, Any]]] = {
    Reason.FEW_NUMBERS: lambda own, column: {
        "ordered": Parameter("ordered", [column], owner="TableEncoder")
    },
    Reason.UNCLEAR_DATES: lambda own, column: {
        "day_first": Parameter("day_first", True),
        "month_first": Parameter("day_first", False),
    },
    Reason.ANSWERS: _of_answers,
    Reason.MANY_ANSWERS: lambda own, column: {"sets": Parameter("sets", [column])},
    Reason.OTHER_VALUES: _of_others,
    Reason.NOT_MISSING: lambda own, column: {"values": _some(own)},
    Reason.BLANKS: lambda own, column: {"values": _some(own)},
    Reason.SPELLINGS: _of_spellings,
    Reason.READ_AS_MISSING: _of_missing,
    Reason.SUMMARIES: _of_summaries,
    Reason.DATE_PARTS: lambda own, column: {"columns": ", ".join(map(repr, own["columns"]))},
}
"""How the arguments of a reason are written, where they are not written as they are."""
