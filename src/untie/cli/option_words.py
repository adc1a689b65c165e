"""What the library says of its parameters -> the same, said of the command's options."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from shlex import quote


def _named(found: re.Match[str]) -> str:
    return f"--columns {quote(','.join(ast.literal_eval(found[1])))}"


def _order(found: re.Match[str]) -> str:
    """Write an order that is given or asked for, by its column."""
    return f"--ordered {quote(ast.literal_eval(found[1]))}"


_TEXT = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
"""A name as Python writes it."""

_LIST = rf"\[{_TEXT}(?:, {_TEXT})*\]"

_CATEGORICAL = "take it out of --categorical, or name it in --columns and not in --drop"

OPTIONS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"n_clusters=(\d+)", r"--k \1"),
    (r"\(n_samples=(\d+)\)", r"(\1)"),
    ("ask for fewer clusters or None", "ask for fewer, or leave --k out"),
    ("sample_weight must hold one number", "--weight takes a column that holds one number"),
    ("sample_weight of row", "--weight of row"),
    (rf"ordered=\{{{_TEXT}: \[\.\.\.\]\}}", lambda found: f"{_order(found)}=VALUE,VALUE"),
    (rf"ordered\[{_TEXT}\]", _order),
    (rf"columns=({_LIST})", _named),
    (rf"missing={_LIST} \((?P<option>--missing [^()]*)\)", r"\g<option>"),
    ("column_weights makes every column passive, so", "every column is passive, so"),
    ("categorical names the column", "--categorical names the column"),
    ("take it out of categorical, or name it in columns and not in drop", _CATEGORICAL),
)
"""What messages of the library may hold, and what the command calls it."""


def in_options(message: str) -> str:
    """Return a message that names options where the library names parameters.

    Examples
    --------
    >>> in_options("n_clusters=20 is more than the table's rows (n_samples=8).")
    "--k 20 is more than the table's rows (8)."
    >>> in_options("To learn from some all the same, name them: columns=['id', 'my name'].")
    "To learn from some all the same, name them: --columns 'id,my name'."
    """
    for words, said in OPTIONS:
        # A column may be called as a parameter is; its name stands in quotes, or is part of a text.
        message = re.sub(rf"(?<![\w'\"-]){words}", said, message)
    return message
