"""`transform` as SQL: two small tables, and a query that joins the rows with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from untie._util.checks import check_one_of
from untie.export._dialects import DIALECTS, Dialect
from untie.export._values import NUMBERS, Attribute, Kind

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
        if DIALECTS[self.dialect].has_transactions:  # a script that stops leaves nothing behind
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
