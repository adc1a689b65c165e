"""How databases write names, values and types. What comes from a table is data, never code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from untie.export._values import Kind, check_int64, exact_float, is_portable

_UNSAFE_IN_BIGQUERY = re.compile(r'[!"$()*,./;?@\[\\\]^`{}~\x00-\x1f]')


@dataclass(frozen=True)
class Dialect:
    """The ways of one database.

    Parameters
    ----------
    name : str
        What users call it.
    types : mapping from kinds to names
        Its types.
    quote : str
        What stands around a name.
    has_escapes : bool
        Whether a backslash in a quoted text means something.
    error : str
        An expression of an integer that fails with the message ``{message}``.
    same_case : bool
        Whether names that differ in case alone are the same name.
    max_columns, max_bytes : int
        Most columns of a result, most bytes of a column's name.
    has_transactions : bool
        Whether a script can create and fill tables as one step.
    """

    name: str
    types: Mapping[Kind, str]
    quote: str
    has_escapes: bool
    error: str
    same_case: bool
    max_columns: int
    max_bytes: int
    has_transactions: bool

    def identifier(self, name: str) -> str:
        """Return a name in quotes."""
        if not name or not is_portable(name) or (self.name == "spark" and "${" in name):
            raise ValueError(f"{name!r} can't be a name in {self.name}; rename it.")
        if self.name == "bigquery":
            name = name.replace("\\", "\\\\").replace("`", "\\`")
        else:
            name = name.replace(self.quote, self.quote * 2)
        return f"{self.quote}{name}{self.quote}"

    def path(self, parts: Sequence[str]) -> str:
        """Return the name of a table, with those of its schema and database if they are given."""
        return ".".join(self.identifier(part) for part in parts)

    def text(self, text: str) -> str:
        """Return a text in quotes."""
        if self.has_escapes:
            # `$` because Spark puts variables in, even inside of quotes.
            return "'" + _SPECIAL.sub(_escape, text) + "'"
        quoted = "'" + text.replace("'", "''") + "'"
        if "\\" in text and self.name == "postgres":
            # Whether a backslash is one in plain quotes is a setting of the server.
            return "E" + quoted.replace("\\", "\\\\")
        return quoted

    def number(self, number: float) -> str:
        """Return a double to the last bit; without an exponent it would be a decimal number."""
        text = repr(float(number))
        if "inf" in text:
            return self._cast(text.replace("inf", "Infinity"), Kind.FLOAT)
        return text if "e" in text else f"{text}e0"

    def value(self, column: str, value: Any, kind: Kind) -> str:
        """Return a column's value."""
        match kind:
            case Kind.TEXT:
                return self.text(value)
            case Kind.INTEGER:
                return str(check_int64(column, value))
            case Kind.FLOAT:
                return self.number(exact_float(column, value))
            case Kind.BOOLEAN:
                return "TRUE" if value else "FALSE"
            case Kind.DATE:
                return self._cast(value.isoformat(), kind)
            case Kind.DATETIME:
                return self._cast(value.isoformat(" "), kind)
            case Kind.INSTANT:
                return self._cast(value.astimezone(UTC).isoformat(" "), kind)

    def is_nan(self, expression: str) -> str:
        """Return a condition for NaN, which is no NULL but a missing cell all the same."""
        number = f"CAST({expression} AS {self.types[Kind.FLOAT]})"
        if self.name == "bigquery":
            return f"IS_NAN({number})"
        return f"{number} = {self._cast('NaN', Kind.FLOAT)}"

    def fail(self, message: str, expression: str) -> str:
        """Return an expression that fails with a message and a cell."""
        # The cell makes it an expression of rows, which no database computes beforehand.
        cell = f"COALESCE(CAST({expression} AS {self.types[Kind.TEXT]}), 'NULL')"
        return self.error.format(message=f"{self.text(message)} || {cell}")

    def allows(self, name: str) -> bool:
        """Tell whether a column of a result can have this name."""
        if self.name == "bigquery" and _UNSAFE_IN_BIGQUERY.search(name):
            return False
        return len(name.encode()) <= self.max_bytes

    def _cast(self, text: str, kind: Kind) -> str:
        return f"CAST('{text}' AS {self.types[kind]})"


_SPECIAL = re.compile(r"[\\'\"`$\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _types(text: str, integer: str, number: str, datetime: str, instant: str) -> dict[Kind, str]:
    return {
        Kind.TEXT: text,
        Kind.INTEGER: integer,
        Kind.FLOAT: number,
        Kind.BOOLEAN: "BOOL" if integer == "INT64" else "BOOLEAN",
        Kind.DATE: "DATE",
        Kind.DATETIME: datetime,
        Kind.INSTANT: instant,
    }


_DUCKDB = _types("VARCHAR", "BIGINT", "DOUBLE", "TIMESTAMP", "TIMESTAMPTZ")
_POSTGRES = _types("TEXT", "BIGINT", "DOUBLE PRECISION", "TIMESTAMP", "TIMESTAMPTZ")
_SPARK = _types("STRING", "BIGINT", "DOUBLE", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ")
_BIGQUERY = _types("STRING", "INT64", "FLOAT64", "DATETIME", "TIMESTAMP")

_DIALECTS = (
    Dialect("duckdb", _DUCKDB, '"', False, "error({message})", True, 100_000, 10_000, True),
    # PostgreSQL has no function that fails, but a text that is no number does.
    Dialect("postgres", _POSTGRES, '"', False, "CAST({message} AS BIGINT)", False, 1600, 63, True),
    Dialect(
        "spark",
        _SPARK,
        "`",
        True,
        "CAST(raise_error({message}) AS BIGINT)",
        True,
        100_000,
        10_000,
        False,
    ),
    Dialect("bigquery", _BIGQUERY, "`", True, "ERROR({message})", True, 10_000, 300, False),
)

DIALECTS = {dialect.name: dialect for dialect in _DIALECTS}
"""The databases that a transform can be written for."""
