"""The ways of each database: its types, its quotes, and how it writes what rules need."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import UTC
from typing import Any

from untie.export._attributes import Kind, check_int64, exact_float, is_portable
from untie.export._patterns import BLANKS, literal

PART = "part"
"""What conditions call one of the parts of a text."""

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
    is_text : str
        A condition that ``{cell}``, of any type, is text.
    as_double : str
        ``{cell}``, a number, as a double. It must compile for text, too.
    clock : str
        ``{cell}``, a date or a time of any type, as the text YYYYMMDDHHMMSS, in UTC if the type has
        time zones. It must compile for text, too.
    matches : str
        A condition that ``{text}`` has a part that is ``{pattern}``.
    cut : str
        ``{text}`` without the parts that are ``{pattern}``.
    trim : str
        ``{text}`` without the characters of ``{blanks}`` at its ends.
    piece : str
        One of the pieces of ``{text}`` between marks, from ``{place}`` 1 on; an empty text if there
        are fewer.
    some : str
        A condition that ``{condition}`` is true of one of the parts of ``{text}`` between marks,
        which are the text ``{mark}`` and the pattern ``{pattern}``. It may be NULL for NULL.
    all_but : str
        The word for columns that ``*`` leaves out; empty if there is none.
    """

    name: str
    types: Mapping[Kind, str]
    quote: str
    error: str
    max_columns: int = 100_000
    max_bytes: int = 10_000
    same_case: bool = True
    _: KW_ONLY
    is_text: str
    as_double: str
    clock: str
    matches: str = "regexp_matches({text}, {pattern})"
    cut: str = "regexp_replace({text}, {pattern}, '', 'g')"
    trim: str = "trim({text}, {blanks})"
    piece: str = "SPLIT_PART({text}, {mark}, {place})"
    some: str
    all_but: str = "EXCEPT"

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

    def strip(self, expression: str) -> str:
        """Return a text without what Python calls white space at its ends."""
        return self.trim.format(text=expression, blanks=self.text(BLANKS))

    def is_match(self, expression: str, pattern: str) -> str:
        """Return a condition that a whole text is as a pattern says."""
        return self.matches.format(text=expression, pattern=self.text(f"^(?:{pattern})$"))

    def without(self, expression: str, pattern: str) -> str:
        """Return a text without the parts that are as a pattern says."""
        return self.cut.format(text=expression, pattern=self.text(pattern))

    def has_part(self, expression: str, mark: str, condition: str) -> str:
        """Return a condition that one of the parts of a text between marks is as another says."""
        pattern = self.text(literal(mark))
        mark = self.text(mark)
        return self.some.format(text=expression, mark=mark, pattern=pattern, condition=condition)

    def read_number(self, text: str) -> str:
        """Return a text that is a number, in digits, as a double."""
        number = self.as_double.format(cell=text)
        if self.name != "postgres":
            return number
        # PostgreSQL fails at numbers beyond doubles, such as 5e0742, which may be part of a name.
        # Its patterns repeat a part 255 times at most.
        tiny = "[-+]?0?[.]0{200}.*"
        is_zero = self.is_match(text, f"[-+]?[0.]*[eE].*|.*[eE]-0*[1-9][0-9]{{2,}}|{tiny}")
        is_huge = self.is_match(text, ".*[eE][+]?0*[1-9][0-9]{2,}|[-+]?[0-9]{200}.*")
        sign = f"CASE WHEN {text} LIKE '-%' THEN -1 ELSE 1 END"
        huge = f"{sign} * {self.number(math.inf)}"
        return f"CASE WHEN {is_zero} THEN 0e0 WHEN {is_huge} THEN {huge} ELSE {number} END"

    def to_text(self, expression: str) -> str:
        """Return a cell of any type as text."""
        return f"CAST({expression} AS {self.types[Kind.TEXT]})"

    def is_one_of(self, expression: str, texts: Iterable[str]) -> str:
        """Return a condition that a text is one of some."""
        return f"{expression} IN ({', '.join(map(self.text, texts))})"

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

_POSTGRES_TYPES = (
    "'smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision', 'boolean', 'date', "
    "'timestamp without time zone', 'timestamp with time zone'"
)

_DIALECTS = (
    Dialect(
        "duckdb",
        _DUCKDB,
        '"',
        "error({message})",
        is_text="(typeof({cell}) = 'VARCHAR' OR starts_with(typeof({cell}), 'ENUM'))",
        as_double="TRY_CAST({cell} AS DOUBLE)",
        clock=(
            "strftime(CASE WHEN typeof({cell}) = 'TIMESTAMP WITH TIME ZONE' "
            "THEN timezone('UTC', TRY_CAST({cell} AS TIMESTAMPTZ)) "
            "ELSE TRY_CAST({cell} AS TIMESTAMP) END, '%Y%m%d%H%M%S')"
        ),
        some=f"len([{PART} FOR {PART} IN string_split({{text}}, {{mark}}) IF {{condition}}]) > 0",
        all_but="EXCLUDE",
    ),
    Dialect(
        "postgres",
        _POSTGRES,
        '"',
        # PostgreSQL has no function that fails, but a text that is no number does.
        "CAST({message} AS BIGINT)",
        1600,
        63,
        same_case=False,
        is_text=f"CAST(pg_typeof({{cell}}) AS TEXT) NOT IN ({_POSTGRES_TYPES})",
        as_double="CAST({cell} AS DOUBLE PRECISION)",
        clock=(
            "to_char(CASE WHEN CAST(pg_typeof({cell}) AS TEXT) = 'timestamp with time zone' "
            "THEN CAST({cell} AS TIMESTAMPTZ) AT TIME ZONE 'UTC' "
            "ELSE CAST({cell} AS TIMESTAMP) END, 'YYYYMMDDHH24MISS')"
        ),
        matches="{text} ~ {pattern}",
        trim="btrim({text}, {blanks})",
        some=(
            f"EXISTS (SELECT 1 FROM UNNEST(STRING_TO_ARRAY({{text}}, {{mark}})) AS parts ({PART}) "
            "WHERE {condition})"
        ),
        all_but="",
    ),
    Dialect(
        "spark",
        _SPARK,
        "`",
        "CAST(raise_error({message}) AS BIGINT)",
        is_text="regexp_like(typeof({cell}), '^(string|varchar|char)')",
        as_double="TRY_CAST({cell} AS DOUBLE)",
        clock=(
            "date_format(CASE WHEN typeof({cell}) = 'timestamp' "
            "THEN timestampadd(MICROSECOND, unix_micros(TRY_CAST({cell} AS TIMESTAMP_LTZ)), "
            "TIMESTAMP_NTZ '1970-01-01 00:00:00') "
            "ELSE TRY_CAST({cell} AS TIMESTAMP_NTZ) END, 'yyyyMMddHHmmss')"
        ),
        matches="regexp_like({text}, {pattern})",
        cut="regexp_replace({text}, {pattern}, '')",
        trim="trim(BOTH {blanks} FROM {text})",
        some=f"exists(split({{text}}, {{pattern}}), {PART} -> {{condition}})",
    ),
    Dialect(
        "bigquery",
        _BIGQUERY,
        "`",
        "ERROR({message})",
        10_000,
        300,
        # Dates are text there, too, and are read as such.
        is_text=(
            "(STARTS_WITH(TO_JSON_STRING({cell}), '\"') AND CAST({cell} AS STRING) "
            "NOT IN ('inf', '-inf', 'nan', 'NaN'))"
        ),
        as_double="SAFE_CAST({cell} AS FLOAT64)",
        clock="FORMAT_TIMESTAMP('%Y%m%d%H%M%S', SAFE_CAST({cell} AS TIMESTAMP), 'UTC')",
        matches="REGEXP_CONTAINS({text}, {pattern})",
        cut="REGEXP_REPLACE({text}, {pattern}, '')",
        piece="COALESCE(SPLIT({text}, {mark})[SAFE_OFFSET({place} - 1)], '')",
        some=(
            f"EXISTS (SELECT 1 FROM UNNEST(SPLIT({{text}}, {{mark}})) AS {PART} "
            "WHERE {condition})"
        ),
    ),
)

DIALECTS = {dialect.name: dialect for dialect in _DIALECTS}
"""The databases that a transform can be written for."""
