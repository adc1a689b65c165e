"""Queries, text files and DuckDB's own relations -> a relation, by DuckDB."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from untie.engines.extra import need
from untie.engines.relation import BATCH_ROWS, Relation
from untie.engines.schema import check_same_columns

TYPES = ("infer", "text")

Asking = Callable[[], AbstractContextManager[Any]]
"""Gives DuckDB's relation for as long as it is read."""


def query_relation(sql: str, connection: Any = None) -> Relation:
    """Return the rows of a query.

    Parameters
    ----------
    sql : str
        A SELECT statement.
    connection : duckdb connection, optional
        Where to run it; a new one, in memory, if none is given.
    """
    connection = _connect() if connection is None else connection

    with _explaining("the query", "Correct the query."):
        kinds = [statement.type for statement in connection.extract_statements(sql)]
        if kinds != [need("duckdb").StatementType.SELECT]:
            raise ValueError(f"scan takes one SELECT statement, got {sql!r:.80}.")
        return _relation(_asking(connection, sql), "the query", "Correct the query.")


def text_relation(paths: Sequence[str], kind: str, types: str, origin: str) -> Relation:
    """Return the rows of CSV, TSV or JSON-lines files, one file after another.

    Parameters
    ----------
    paths : sequence of str
        The files.
    kind : {"csv", "tsv", "json"}
        What they are.
    types : {"infer", "text"}
        Whether DuckDB decides each column's type by the first rows, or all cells are text.
    origin : str
        The files' common name, for messages.
    """
    if types not in TYPES:
        raise ValueError(f"types must be one of {TYPES}, got {types!r}.")
    connection = _connect()
    remedy = "Correct the file, or read every column as text: untie.scan(..., types='text')."
    columns = []
    for path in paths:
        with _explaining(repr(path), remedy):
            columns.append(connection.sql(_reading([path], kind, types)).columns)
    check_same_columns(columns, paths)
    sql = _reading(paths, kind, types)
    if kind == "json" and types == "text":
        sql = _reading(paths, kind, types, columns[0])
    return _relation(_asking(connection, sql), origin, remedy)


def adopt_duckdb(relation: Any) -> Relation:
    """Return DuckDB's relation as ours."""
    return _relation(lambda: nullcontext(relation), "the DuckDB relation", "Correct the query.")


def _asking(connection: Any, sql: str) -> Asking:
    @contextmanager
    def ask() -> Iterator[Any]:
        # A cursor of its own, so that two passes may be under way at the same time; it must
        # live as long as what it was asked is read.
        cursor = connection.cursor()
        try:
            yield cursor.sql(sql)
        finally:
            cursor.close()

    return ask


def _relation(ask: Asking, origin: str, remedy: str) -> Relation:
    def read(columns: Sequence[str]) -> Iterator[Any]:
        with _explaining(origin, remedy), ask() as relation:
            chosen = relation.project(", ".join(quoted(name) for name in columns))
            # The name before DuckDB 1.5; with the new one, the old one is deprecated.
            stream = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_arrow_reader
            with stream(BATCH_ROWS) as reader:
                yield from reader

    with _explaining(origin, remedy), ask() as relation:
        schema = relation.limit(0).to_arrow_table().schema
    return Relation(schema, read, origin)


def quoted(name: str) -> str:
    """Return a column's name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _reading(
    paths: Sequence[str], kind: str, types: str, columns: Sequence[str] | None = None
) -> str:
    files = f"[{', '.join(map(_text, paths))}]"
    if kind == "json":
        options = ["format = 'newline_delimited'"]
        if columns is not None:
            fields = ", ".join(f"{_text(name)}: 'VARCHAR'" for name in columns)
            options.append(f"columns = {{{fields}}}")
        return f"SELECT * FROM read_json({files}, {', '.join(options)}, union_by_name = true)"
    # Named, as DuckDB takes a first row of text for one more row of a table of text.
    options = ["header = true", f"all_varchar = {str(types == 'text').lower()}"]
    if kind == "tsv":
        options.append("delim = '\t'")
    return f"SELECT * FROM read_csv({files}, {', '.join(options)}, union_by_name = true)"


def _connect() -> Any:
    """Return a database in memory that sees no variables of this process."""
    spill = os.path.join(tempfile.gettempdir(), "untie-duckdb")
    config = {"python_enable_replacements": False, "temp_directory": spill}
    return need("duckdb").connect(config=config)


@contextmanager
def _explaining(origin: str, remedy: str) -> Iterator[None]:
    duckdb = need("duckdb")
    try:
        yield
    except (duckdb.Error, OSError) as error:
        raise ValueError(f"{origin} can't be read: {error} {remedy}") from error
