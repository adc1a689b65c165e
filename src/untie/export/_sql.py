"""`transform` as SQL: two small tables, and a query that joins the rows with them.

A cell is looked up in two steps, as in `transform`: its value gives a code, and the code a vector.
Names and values are quoted as each database demands; what comes from a table is data, never code.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any

import numpy as np
from scipy import sparse

from untie._count.grouping import Grouping
from untie._learn.vectors import LookUp
from untie._table.column_codes import value_code
from untie._table.vocabulary import joins_rare_values
from untie._util.checks import check_one_of
from untie._util.types import FloatArray, Value


class Kind(StrEnum):
    """The type of a column's values; `INSTANT` is a time with a time zone."""

    TEXT = "text"
    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"
    INSTANT = "instant"


NUMBERS = {Kind.BOOLEAN, Kind.INTEGER, Kind.FLOAT}
"""Kinds that Python compares with each other: True == 1 == 1.0."""

MOST_DENSE_NUMBERS = 2**25
"""The vectors of one column's values have at most this many numbers."""

EXACT_INTEGERS = 2**53
"""Integers up to here are doubles, too."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """A column to look up.

    Parameters
    ----------
    name : str
        The column's name.
    kind : Kind or None
        The type of its values; None if all cells were missing.
    codes : dict
        The code of each value that is not missing.
    missing, unknown : int
        The codes of a missing cell and of an unknown value.
    knows_missing : bool
        Whether the column had missing cells in `fit`; if not, they are unknown values.
    table : array of shape (n_codes, width)
        The vector of each code.
    """

    name: str
    kind: Kind | None
    codes: dict[Value, int]
    missing: int
    unknown: int
    knows_missing: bool
    table: FloatArray


def attributes_of(grouping: Grouping, lookup: LookUp, handle_unknown: str) -> list[Attribute]:
    """Return what each column of a fitted encoder needs to be looked up elsewhere."""
    raw = grouping.raw
    widest = max(size * width for size, width in zip(lookup.sizes, lookup.widths, strict=True))
    if lookup.is_sparse and widest > MOST_DENSE_NUMBERS:
        raise ValueError(
            f"A column has {max(lookup.sizes):,} values, and each has a column of its own in the "
            "vectors; set n_components (64, say) or max_categories and fit again to export it."
        )
    every_code = [np.arange(size + 1) for size in raw.sizes]  # the last one is unknown
    targets = grouping.apply_to_codes(every_code, joins_rare_values(handle_unknown))
    result = []
    for name, values, codes, table in zip(
        raw.columns, raw.values, targets, lookup.tables, strict=True
    ):
        *known, unknown = codes.tolist()
        code_of = dict(zip(values, known, strict=True))
        knows_missing = None in code_of
        missing = code_of.pop(None, unknown)
        kind = _common_kind(name, list(code_of))
        dense = table.toarray() if sparse.issparse(table) else table
        result.append(Attribute(name, kind, code_of, missing, unknown, knows_missing, dense))
    return result


def _common_kind(column: str, values: Sequence[Value]) -> Kind | None:
    first = {_kind(column, value): value for value in reversed(values)}
    if len(first) < 2:
        return next(iter(first), None)
    if not first.keys() <= NUMBERS:
        one, other = list(first.values())[-2:]
        raise ValueError(
            f"Column {column!r} holds {other!r} and {one!r}, of types {type(other).__name__} and "
            f"{type(one).__name__}, but a column elsewhere has one type. Turn the column into text "
            "and fit again."
        )
    return Kind.FLOAT if Kind.FLOAT in first else Kind.INTEGER


def _kind(column: str, value: Value) -> Kind:
    match value:
        case bool():
            return Kind.BOOLEAN
        case int():
            return Kind.INTEGER
        case float():
            return Kind.FLOAT
        case str():
            return _check_text(column, value)
        case datetime():
            return Kind.DATETIME if value.utcoffset() is None else Kind.INSTANT
        case date():
            return Kind.DATE
    raise ValueError(
        f"Column {column!r} holds {value_code(value)}, of type {type(value).__name__}; text, "
        "numbers, booleans and dates can be exported. Turn the column into text and fit again."
    )


def _check_text(column: str, value: str) -> Kind:
    if not is_portable(value):
        raise ValueError(
            f"Column {column!r} holds {value_code(value)}, with a NUL or half a character, which "
            "is no text elsewhere. Replace it and fit again."
        )
    return Kind.TEXT


def is_portable(text: str) -> bool:
    """Tell whether a text is one in every system: no NUL, no lone surrogate."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def exact_float(column: str, value: Any) -> float:
    """Return a number as a double, or say that it is none."""
    if isinstance(value, int) and abs(value) > EXACT_INTEGERS:
        raise ValueError(
            f"Column {column!r} holds {value_code(value)} among fractions or missing cells; a "
            "double can't hold so large an integer. Turn the column into text and fit again."
        )
    return float(value)


def check_int64(column: str, value: Any) -> int:
    """Return an integer that 64 bits can hold, or say that it is none."""
    if not -(2**63) <= value < 2**63:
        raise ValueError(
            f"Column {column!r} holds {value_code(value)}, more than 64 bits; turn the column into "
            "text and fit again."
        )
    return int(value)


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
    error : str
        An expression of an integer that fails with the message ``{message}``.
    max_columns, max_bytes : int
        Most columns of a result, most bytes of a column's name.
    same_case : bool
        Whether names that differ in case alone are the same name.
    """

    name: str
    types: Mapping[Kind, str]
    quote: str
    error: str
    max_columns: int = 100_000
    max_bytes: int = 10_000
    same_case: bool = True

    @property
    def is_warehouse(self) -> bool:
        """Whether a backslash in a quoted text means something, and scripts are no transactions."""
        return self.quote == "`"

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
        if self.is_warehouse:
            # `$` because Spark puts variables in, even inside of quotes.
            return "'" + _SPECIAL.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "'"
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
            case Kind.INSTANT:
                return self._cast(str(value.astimezone(UTC)), kind)
            case Kind.DATE | Kind.DATETIME:
                return self._cast(str(value), kind)

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


def _types(names: str) -> dict[Kind, str]:
    return dict(zip(Kind, names.split(", "), strict=True))


_DUCKDB = _types("VARCHAR, BIGINT, DOUBLE, BOOLEAN, DATE, TIMESTAMP, TIMESTAMPTZ")
_POSTGRES = _types("TEXT, BIGINT, DOUBLE PRECISION, BOOLEAN, DATE, TIMESTAMP, TIMESTAMPTZ")
_SPARK = _types("STRING, BIGINT, DOUBLE, BOOLEAN, DATE, TIMESTAMP_NTZ, TIMESTAMP_LTZ")
_BIGQUERY = _types("STRING, INT64, FLOAT64, BOOL, DATE, DATETIME, TIMESTAMP")

_DIALECTS = (
    Dialect("duckdb", _DUCKDB, '"', "error({message})"),
    # PostgreSQL has no function that fails, but a text that is no number does.
    Dialect("postgres", _POSTGRES, '"', "CAST({message} AS BIGINT)", 1600, 63, same_case=False),
    Dialect("spark", _SPARK, "`", "CAST(raise_error({message}) AS BIGINT)"),
    Dialect("bigquery", _BIGQUERY, "`", "ERROR({message})", 10_000, 300),
)

DIALECTS = {dialect.name: dialect for dialect in _DIALECTS}
"""The databases that a transform can be written for."""

STATEMENT_CHARACTERS = 500_000
"""Longest statement that fills a table; BigQuery takes a million characters."""

MOST_NUMBERS = 10_000_000
"""At most this many numbers in the tables; as SQL they take some 200 megabytes."""

BREAK = ",\n  "

ROW = "source_row"
"""What the query calls a row of the user's table."""


@dataclass(frozen=True)
class SqlTransform:
    """A transform as SQL; `str` gives it as one script.

    Parameters
    ----------
    dialect : str
        The database it is written for.
    setup : tuple of str
        Statements that create and fill the look-up tables, to be run once and in this order.
        They fail where a table of that name exists.
    query : str
        The SELECT that gives each row of the source its vector.
    teardown : tuple of str
        Statements that drop the look-up tables.

    Examples
    --------
    >>> import duckdb
    >>> from untie import TableEncoder
    >>> rows = [["a", "u"], ["b", "u"], ["a", "v"], ["a", "v"]]
    >>> encoder = TableEncoder(2, n_components=2).fit(rows)
    >>> sql = encoder.to_sql("duckdb", source="letters")
    >>> with duckdb.connect() as database:
    ...     for statement in ("CREATE TABLE letters AS SELECT 'b' AS x0, 'v' AS x1", *sql.setup):
    ...         _ = database.execute(statement)
    ...     [row] = database.execute(sql.query).fetchall()
    >>> bool(abs(encoder.transform([["b", "v"]])[0] - row).max() < 1e-10)
    True
    """

    dialect: str
    setup: tuple[str, ...]
    query: str
    teardown: tuple[str, ...]

    def __str__(self) -> str:
        setup = list(self.setup)
        if not DIALECTS[self.dialect].is_warehouse:  # a script that stops leaves nothing behind
            setup = ["BEGIN", *setup, "COMMIT"]
        return "".join(f"{statement};\n" for statement in [*setup, self.query])


@dataclass(frozen=True, eq=False)
class _Tables:
    """What the query and the statements share."""

    dialect: Dialect
    attributes: Sequence[Attribute]
    values: str
    vectors: str


def write_sql(
    dialect: str,
    attributes: Sequence[Attribute],
    names: Sequence[str],
    *,
    source: str | Sequence[str],
    lookup: str | Sequence[str],
    keep: str | Sequence[str],
    summed: bool,
    fails: bool,
) -> SqlTransform:
    """Write a transform as SQL.

    Parameters
    ----------
    dialect : {"duckdb", "postgres", "spark", "bigquery"}
        The database.
    attributes : sequence of Attribute
        The columns to look up.
    names : sequence of str
        The columns of the result.
    source, lookup : str or sequence of str
        Where the rows are, and how the names of the look-up tables begin.
    keep : "*" or sequence of str
        Columns of the source that the result has, too.
    summed : bool
        Whether a row's vector is the sum of its values' vectors, or their concatenation.
    fails : bool
        Whether an unknown value is an error.
    """
    check_one_of("dialect", dialect, tuple(DIALECTS))
    ways = DIALECTS[dialect]
    kept = _check_keep(keep)
    _check_sizes(ways, attributes, names, kept)
    _check_names(ways, attributes, names, kept)
    *place, prefix = _parts("lookup", lookup)
    values, vectors = (ways.path([*place, f"{prefix}_{end}"]) for end in ("values", "vectors"))
    tables = _Tables(ways, attributes, values, vectors)
    return SqlTransform(
        dialect,
        tuple(_setup(tables)),
        _query(tables, names, ways.path(_parts("source", source)), kept, summed, fails),
        (f"DROP TABLE {values}", f"DROP TABLE {vectors}"),
    )


def _setup(tables: _Tables) -> Iterator[str]:
    """Write the tables: `values` (column, value -> code) and `vectors` (column, code -> vector)."""
    ways = tables.dialect
    text, integer, number = (ways.types[k] for k in (Kind.TEXT, Kind.INTEGER, Kind.FLOAT))
    kinds = sorted({a.kind for a in tables.attributes if a.kind is not None})
    keys = [f"{_key(kind)} {ways.types[kind]}" for kind in kinds]
    width = max(attribute.table.shape[1] for attribute in tables.attributes)
    head = [f"attribute {text}", f"code {integer}"]
    yield _create(tables.values, [*head, *keys])
    yield _create(tables.vectors, [*head, *(f"{column} {number}" for column in _columns(width))])
    for attribute in tables.attributes:
        name = ways.text(attribute.name)
        if attribute.kind is not None:
            entries = (
                f"({name}, {code}, {ways.value(attribute.name, value, attribute.kind)})"
                for value, code in attribute.codes.items()
            )
            yield from _fill(tables.values, [_key(attribute.kind)], entries)
        if not attribute.table.shape[1]:  # a passive column: its values are known, and say nothing
            continue
        rows = (
            f"({name}, {code}, {', '.join(map(ways.number, row))})"
            for code, row in enumerate(attribute.table.tolist())
        )
        yield from _fill(tables.vectors, _columns(attribute.table.shape[1]), rows)


def _create(table: str, columns: Sequence[str]) -> str:
    return f"CREATE TABLE {table} (\n  {BREAK.join(columns)}\n)"


def _fill(table: str, columns: Sequence[str], rows: Iterable[str]) -> Iterator[str]:
    """Write the rows, as many to a statement as every database takes."""
    start = f"INSERT INTO {table} (attribute, code, {', '.join(columns)}) VALUES\n  "
    batch: list[str] = []
    length = 0
    for row in rows:
        if batch and length + len(row) > STATEMENT_CHARACTERS:
            yield start + BREAK.join(batch)
            batch, length = [], 0
        batch.append(row)
        length += len(row)
    yield start + BREAK.join(batch)


def _query(
    tables: _Tables,
    names: Sequence[str],
    source: str,
    keep: Sequence[str] | None,
    summed: bool,
    fails: bool,
) -> str:
    ways = tables.dialect
    kept = ["*"] if keep is None else map(ways.identifier, keep)
    widths = [attribute.table.shape[1] for attribute in tables.attributes]
    cells = [
        [f"vector_{number}.{column}" for column in _columns(width)]
        for number, width in enumerate(widths, start=1)
    ]
    if summed:
        sums = [" + ".join(terms) for terms in zip(*cells, strict=True)]
    else:
        sums = [cell for row in cells for cell in row]
    columns = [f"{ROW}.{name}" for name in kept]
    columns += [f"{cell} AS {ways.identifier(n)}" for cell, n in zip(sums, names, strict=True)]
    joins = [
        join
        for number, attribute in enumerate(tables.attributes, start=1)
        for join in _joins(tables, attribute, number, fails)
    ]
    return "\n".join([f"SELECT\n  {BREAK.join(columns)}", f"FROM {source} AS {ROW}", *joins])


def _joins(tables: _Tables, attribute: Attribute, number: int, fails: bool) -> Iterator[str]:
    """Join one column: its value gives the code, the code the vector.

    Left joins on keys that occur once: each row of the source is one of the result.
    """
    ways = tables.dialect
    name = ways.text(attribute.name)
    cell = f"{ROW}.{ways.identifier(attribute.name)}"
    key, vector = f"key_{number}", f"vector_{number}"
    unknown = str(attribute.unknown)
    if fails:
        unknown = ways.fail(f"Unknown value in column {attribute.name}: ", cell)
    code = unknown
    if attribute.kind is not None:
        yield (
            f"LEFT JOIN {tables.values} AS {key}\n  ON {key}.attribute = {name} "
            f"AND {key}.{_key(attribute.kind)} = {cell}"
        )
        code = f"COALESCE({key}.code, {unknown})"
    if attribute.knows_missing:
        is_missing = f"{cell} IS NULL"
        if attribute.kind in NUMBERS - {Kind.BOOLEAN}:
            is_missing += f" OR {ways.is_nan(cell)}"
        code = f"CASE WHEN {is_missing} THEN {attribute.missing} ELSE {code} END"
    yield (
        f"LEFT JOIN {tables.vectors} AS {vector}\n  ON {vector}.attribute = {name} "
        f"AND {vector}.code = {code}"
    )


def _key(kind: Kind) -> str:
    return f"{kind}_value"


def _columns(width: int) -> list[str]:
    return [f"v{number}" for number in range(1, width + 1)]


def _parts(role: str, name: str | Sequence[str]) -> list[str]:
    parts = name.split(".") if isinstance(name, str) else list(name)
    if not parts or not all(isinstance(part, str) and part for part in parts):
        raise ValueError(
            f"{role} must be a table's name such as 'orders' or 'sales.orders', or its parts in a "
            f"list, got {name!r}."
        )
    return parts


def _check_keep(keep: str | Sequence[str]) -> list[str] | None:
    if keep == "*":
        return None
    if isinstance(keep, str):
        raise ValueError(f"keep must be a list of columns or '*', got {keep!r}; try [{keep!r}].")
    return [str(name) for name in keep]


def _check_sizes(
    ways: Dialect, attributes: Sequence[Attribute], names: Sequence[str], keep: list[str] | None
) -> None:
    remedy = "fit with n_components to make the vectors shorter."
    n_columns = len(names) + len(keep or [])
    if n_columns > ways.max_columns:
        raise ValueError(
            f"The result has {n_columns} columns, but {ways.name} takes {ways.max_columns}; "
            f"{remedy}"
        )
    n_numbers = sum(attribute.table.size for attribute in attributes)
    if n_numbers > MOST_NUMBERS:
        raise ValueError(
            f"The look-up has {n_numbers} numbers, more than the {MOST_NUMBERS} that are written "
            f"as SQL; {remedy}"
        )


def _check_names(
    ways: Dialect, attributes: Sequence[Attribute], names: Sequence[str], keep: list[str] | None
) -> None:
    """Refuse names that the database would cut off, mix up or not take."""
    for role, group in {
        "columns of the source": [attribute.name for attribute in attributes],
        "columns of the result": [*(keep or []), *names],
    }.items():
        folded = [name.lower() if ways.same_case else name for name in group]
        counted = Counter(folded)
        again = [name for name, key in zip(group, folded, strict=True) if counted[key] > 1]
        if again:
            raise ValueError(f"{ways.name} can't tell the {role} {again[:4]} apart; {_REMEDY}")
    bad = next((name for name in names if not ways.allows(name)), None)
    if bad is not None:
        raise ValueError(f"{ways.name} can't have a column called {bad!r}; {_REMEDY}")


_REMEDY = "give them other names, those of the result by names=[...]."
