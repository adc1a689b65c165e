"""A fitted estimator as SQL: two small tables, and a query that joins the rows with them.

Cells are prepared first, where a preparer changes them (`_sql_cells.py`). A prepared cell is then
looked up in two steps, as in Python: its value gives a code, and the code a vector, or what it
costs in each cluster. Names and values are quoted as each database demands; what comes from a table
is data, never code.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from untie._util.checks import check_one_of
from untie.export._attributes import (
    CLUSTER,
    NUMBERS,
    PROBABILITIES,
    PROBABILITY,
    VECTORS,
    Attribute,
    ExportedColumn,
    ExportedResult,
    Kind,
)
from untie.export._dialects import DIALECTS, Dialect
from untie.export._sql_cells import BARE, RAW, READ, write_steps

STATEMENT_CHARACTERS = 500_000
"""Longest statement that fills a table; BigQuery takes a million characters."""

MOST_NUMBERS = 10_000_000
"""At most this many numbers in the tables; as SQL they take some 200 megabytes."""

BREAK = ",\n  "

ROW = "source_row"
"""What the query calls a row of the user's table, or of prepared cells."""

COSTS, LEAST, WEIGHTS, SHARES = "costs_row", "least_row", "weights_row", "shares_row"
"""What it calls the rows of the steps from costs to probabilities."""

LOWEST = -700
"""Powers of e below this are 0, as PostgreSQL refuses them."""


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
        Statements that drop the look-up tables, where they are.

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
        if (
            setup and not DIALECTS[self.dialect].is_warehouse
        ):  # a script that stops leaves nothing behind
            setup = ["BEGIN", *setup, "COMMIT"]
        return "".join(f"{statement};\n" for statement in [*setup, self.query])


@dataclass(frozen=True, eq=False)
class _Tables:
    """What the query and the statements share."""

    dialect: Dialect
    attributes: Sequence[Attribute]
    values: str
    vectors: str


@dataclass(frozen=True)
class _Place:
    """What a query reads its rows from.

    Parameters
    ----------
    ways : Dialect
        The database.
    text : str
        A table, or a query.
    kept : list of str or None
        Columns that the result has as well; None for all.
    own : tuple of str
        Columns that are the query's own, of a subquery; none of a table.
    prefix : str
        How their names begin.
    """

    ways: Dialect
    text: str
    kept: list[str] | None
    own: tuple[str, ...] = ()
    prefix: str = "untie_"

    def step(
        self,
        alias: str,
        columns: Mapping[str, str],
        joins: Sequence[str] = (),
    ) -> Self:
        """Return the place of one more step, which has these columns."""
        items = [*self._carried(alias), *(f"{cell} AS {name}" for name, cell in columns.items())]
        query = self._select(items, alias, joins)
        # PostgreSQL would write an expression wherever its column is used.
        fence = "\nOFFSET 0" if self.ways.name == "postgres" else ""
        return replace(self, text=f"(\n{query}{fence}\n)", own=tuple(columns))

    def query(self, alias: str, columns: Mapping[str, str], joins: Sequence[str] = ()) -> str:
        """Return the query of the columns that the user gets."""
        kept = self._carried(alias, is_last=True)
        named = (f"{cell} AS {self.ways.identifier(name)}" for name, cell in columns.items())
        return self._select([*kept, *named], alias, joins)

    def _select(self, items: Sequence[str], alias: str, joins: Sequence[str]) -> str:
        return "\n".join([f"SELECT\n  {BREAK.join(items)}", f"FROM {self.text} AS {alias}", *joins])

    def _carried(self, alias: str, is_last: bool = False) -> list[str]:
        """Return the columns of the source that go on."""
        ways, whole = self.ways, f"{self.prefix}row"
        if self.kept is not None:
            return [f"{alias}.{ways.identifier(name)}" for name in self.kept]
        if not self.own:
            return [f"{alias}.*" if is_last or ways.all_but else f"{alias} AS {whole}"]
        if ways.all_but:
            return [f"{alias}.* {ways.all_but} ({', '.join(self.own)})"]
        return [f"({alias}.{whole}).*" if is_last else f"{alias}.{whole}"]


def write_sql(
    dialect: str,
    attributes: Sequence[Attribute],
    outcome: ExportedResult,
    *,
    source: str | Sequence[str],
    lookup: str | Sequence[str],
    keep: str | Sequence[str],
    fails: bool,
) -> SqlTransform:
    """Write what an estimator makes of rows as SQL.

    Parameters
    ----------
    dialect : {"duckdb", "postgres", "spark", "bigquery"}
        The database.
    attributes : sequence of Attribute
        The columns to look up.
    outcome : ExportedResult
        What is made of the numbers of their codes.
    source, lookup : str or sequence of str
        Where the rows are, and how the names of the look-up tables begin.
    keep : "*" or sequence of str
        Columns of the source that the result has, too.
    fails : bool
        Whether an unknown value is an error.
    """
    ways, kept = _check(dialect, keep, [a.cell for a in attributes], outcome.names)
    _check_sizes(attributes)
    *place, prefix = _parts("lookup", lookup)
    values, vectors = (ways.path([*place, f"{prefix}_{end}"]) for end in ("values", "vectors"))
    if not fails:
        attributes = [a for a in attributes if not a.is_silent(outcome)] or attributes[:1]
    tables = _Tables(ways, attributes, values, vectors)
    own = [replace(a.cell, fails_at_new=fails) for a in attributes]
    rows, cells = _prepared(ways, own, source, kept)
    pairs = zip(attributes, cells, strict=True)
    joins = [
        join
        for number, (attribute, cell) in enumerate(pairs, start=1)
        for join in _joins(tables, attribute, cell, number, fails)
    ]
    return SqlTransform(
        dialect,
        tuple(_setup(tables)),
        _query(rows, attributes, outcome, joins),
        (f"DROP TABLE IF EXISTS {values}", f"DROP TABLE IF EXISTS {vectors}"),
    )


def write_sql_of_cells(
    dialect: str,
    cells: Sequence[ExportedColumn],
    names: Sequence[str],
    *,
    source: str | Sequence[str],
    keep: str | Sequence[str],
) -> SqlTransform:
    """Write what a preparer makes of rows as SQL, which needs no look-up tables.

    Parameters
    ----------
    dialect : {"duckdb", "postgres", "spark", "bigquery"}
        The database.
    cells : sequence of ExportedColumn
        The prepared columns.
    names : sequence of str
        The columns of the result.
    source : str or sequence of str
        Where the rows are.
    keep : "*" or sequence of str
        Columns of the source that the result has, too.
    """
    ways, kept = _check(dialect, keep, cells, names)
    rows, prepared = _prepared(ways, cells, source, kept)
    return SqlTransform(dialect, (), rows.query(ROW, dict(zip(names, prepared, strict=True))), ())


def _prepared(
    ways: Dialect,
    cells: Sequence[ExportedColumn],
    source: str | Sequence[str],
    kept: list[str] | None,
) -> tuple[_Place, list[str]]:
    """Return where prepared cells are, and what each of them is called there."""
    prefix = "untie_"
    if kept is None:  # columns with unknown names, which must not be those of the query
        prefix += hashlib.sha256(repr(cells).encode()).hexdigest()[:12] + "_"
    names = [*(kept or ()), *(cell.origin for cell in cells)]
    while any(name.casefold().startswith(prefix) for name in names):
        prefix += "_"
    rows = _Place(ways, ways.path(_parts("source", source)), kept, (), prefix)
    if all(cell.is_kept for cell in cells):
        return rows, [f"{ROW}.{ways.identifier(cell.origin)}" for cell in cells]
    steps = write_steps(ways, cells, prefix)
    for alias, columns in ((RAW, steps.bare), (BARE, steps.read), (READ, steps.prepared)):
        rows = rows.step(alias, columns)
    return rows, [f"{ROW}.{name}" for name in steps.prepared]


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
    rows: _Place, attributes: Sequence[Attribute], outcome: ExportedResult, joins: Sequence[str]
) -> str:
    cells = [
        [f"vector_{number}.{column}" for column in _columns(attribute.table.shape[1])]
        for number, attribute in enumerate(attributes, start=1)
    ]
    n_costs = outcome.n_clusters
    costs = [" + ".join(terms) for terms in zip(*(row[:n_costs] for row in cells), strict=True)]
    vectors = [row[n_costs:] for row in cells]
    if outcome.summed:
        numbers = [" + ".join(terms) for terms in zip(*vectors, strict=True)]
    else:
        numbers = [cell for row in vectors for cell in row]
    if not n_costs:
        return rows.query(ROW, dict(zip(outcome.names, numbers, strict=True)), joins)
    return _query_of_costs(rows, costs, numbers, outcome, joins)


def _query_of_costs(
    rows: _Place,
    costs: list[str],
    numbers: list[str],
    outcome: ExportedResult,
    joins: Sequence[str],
) -> str:
    """Return the cluster with the lowest cost, the first of equals, and probabilities."""
    own = rows.prefix
    names = [f"{own}cost_{number}" for number in range(len(costs))]
    least, label, total = f"{own}least", f"{own}cluster", f"{own}total"
    others = [f"{own}number_{place}" for place in range(len(numbers))]
    kept = dict(zip(others, numbers, strict=True))
    rows = rows.step(ROW, {**dict(zip(names, costs, strict=True)), **kept}, joins)

    def again(alias: str, columns: Sequence[str] = ()) -> dict[str, str]:
        return {name: f"{alias}.{name}" for name in (*columns, *others)}

    low = [f"{COSTS}.{name}" for name in names]
    lowest = f"LEAST({', '.join(low)})" if len(low) > 1 else low[0]
    rows = rows.step(COSTS, {least: lowest, **again(COSTS, names)})
    ties = (f"WHEN {LEAST}.{name} THEN {number}" for number, name in enumerate(names))
    first = {label: f"CASE {LEAST}.{least} {' '.join(ties)} END"}
    alias = LEAST
    if outcome.has_probabilities:
        weights = {name: _power(outcome.sharpness, name, least) for name in names}
        rows = rows.step(LEAST, {**first, **weights, **again(LEAST)})
        added = " + ".join(f"{WEIGHTS}.{name}" for name in names)
        first = {label: f"{WEIGHTS}.{label}", total: added}
        rows = rows.step(WEIGHTS, {**first, **again(WEIGHTS, names)})
        first, alias = {label: f"{SHARES}.{label}"}, SHARES
    made = {
        CLUSTER: list(first.values()),
        PROBABILITY: [f"1e0 / {alias}.{total}"],
        PROBABILITIES: [f"{alias}.{name} / {alias}.{total}" for name in names],
        VECTORS: [f"{alias}.{name}" for name in others],
    }
    cells = [cell for part in outcome.parts for cell in made[part]]
    return rows.query(alias, dict(zip(outcome.names, cells, strict=True)))


def _power(sharpness: float, cost: str, least: str) -> str:
    """Return the probability of a cluster, compared to that of the likeliest."""
    exponent = f"{-sharpness!r} * ({LEAST}.{cost} - {LEAST}.{least})"
    return f"CASE WHEN {exponent} < {LOWEST} THEN 0e0 ELSE EXP({exponent}) END"


def _joins(
    tables: _Tables, attribute: Attribute, cell: str, number: int, fails: bool
) -> Iterator[str]:
    """Join one column: its value gives the code, the code the vector.

    Left joins on keys that occur once: each row of the source is one of the result.
    """
    ways = tables.dialect
    name = ways.text(attribute.name)
    key, vector = f"key_{number}", f"vector_{number}"
    unknown = str(attribute.unknown)
    if fails:
        unknown = ways.fail(f"Unknown value in column {attribute.cell.origin}: ", cell)
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


def _check(
    dialect: str, keep: str | Sequence[str], cells: Sequence[ExportedColumn], names: Sequence[str]
) -> tuple[Dialect, list[str] | None]:
    """Return the ways of a database and the columns to keep; refuse what it can't have."""
    check_one_of("dialect", dialect, tuple(DIALECTS))
    ways = DIALECTS[dialect]
    kept = _check_keep(keep)
    n_columns = max(len(names), len(cells)) + len(kept or [])
    if n_columns > ways.max_columns:
        raise ValueError(
            f"The result has {n_columns} columns, but {ways.name} takes {ways.max_columns}; "
            f"{_SHORTER}"
        )
    _check_names(ways, cells, names, kept)
    return ways, kept


_SHORTER = "fit with n_components to make the vectors shorter."


def _check_sizes(attributes: Sequence[Attribute]) -> None:
    n_numbers = sum(attribute.table.size for attribute in attributes)
    if n_numbers > MOST_NUMBERS:
        raise ValueError(
            f"The look-up has {n_numbers} numbers, more than the {MOST_NUMBERS} that are written "
            f"as SQL; {_SHORTER}"
        )


def _check_names(
    ways: Dialect, cells: Sequence[ExportedColumn], names: Sequence[str], keep: list[str] | None
) -> None:
    """Refuse names that the database would cut off, mix up or not take."""
    for role, group in {
        "columns of the source": list(dict.fromkeys(cell.origin for cell in cells)),
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
