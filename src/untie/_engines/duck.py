"""Queries, text files and DuckDB's own relations -> a lazy table, by DuckDB."""

from __future__ import annotations

import ctypes
import glob
import operator
import os
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from threading import current_thread, main_thread
from typing import Any

from narwhals import dependencies

from untie._engines.arrow import BATCH_ROWS, ArrowSource, Keys, with_keys
from untie._engines.headers import own_names
from untie._engines.layout import LONGEST_LINE, first_names
from untie._engines.packed import open_plain
from untie._engines.source import check_same_columns
from untie._util.checks import check_one_of
from untie._util.messages import message, need
from untie._util.scratch import Scratch

TYPES = ("infer", "text")

CSV = "csv"

PATIENCE = 0.05
"""After Ctrl-C, a query has this many seconds to end before it is interrupted, and again."""

MOST_FIELDS = 100
"""Objects of JSON with more fields stay objects: their keys are values rather than names."""

CORRECT = "Correct the query."

Call = Callable[..., Any]
"""Takes a function of DuckDB and its arguments, and returns its result."""

Asking = Callable[[], AbstractContextManager[tuple[Any, Call]]]
"""Gives DuckDB's relation for as long as it is read, and a function to call its methods with."""


@dataclass(frozen=True)
class TextFiles:
    """The layout of text files, which DuckDB would otherwise guess.

    Parameters
    ----------
    kind : {"csv", "json"}
        What they are.
    delimiter : str
        Between cells.
    missing : tuple of str
        Texts of missing cells.
    line_end : str or None
        At the end of lines.
    names : mapping of str to lists of str
        The columns of each file, where they are not those that DuckDB would read.
    has_names : bool
        Whether the first line has names.
    """

    kind: str
    delimiter: str = ","
    missing: tuple[str, ...] = ()
    line_end: str | None = None
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    has_names: bool = True

    def query(
        self, paths: Sequence[str], types: str, fields: Mapping[str, str] | None = None
    ) -> str:
        """Return the query that reads files; without `fields`, all cells are read for the types."""
        if self.names and len(paths) > 1:
            alone = (self.query([path], types, fields) for path in paths)
            return " UNION ALL BY NAME ".join(alone)
        # DuckDB would take a name with brackets for a pattern, and a folder's name for a column.
        files = f"[{', '.join(_text(glob.escape(path)) for path in paths)}]"
        options = ["union_by_name = true", "hive_partitioning = false"]
        told = ", ".join(f"{_text(name)}: {_text(type_)}" for name, type_ in (fields or {}).items())
        if self.kind != CSV:
            options += ["format = 'auto'", "records = 'true'"]
            # By default rows after the first 20,480 may bring no keys, and lose their fractions.
            every_row = "sample_size = -1, map_inference_threshold = -1"
            options += [f"columns = {{{told}}}" if told else every_row]
            return f"SELECT * FROM read_json({files}, {', '.join(options)})"
        # Everything is named, as DuckDB guesses otherwise: a first row of text is one more row of a
        # table of text, rows of another length are titles or comments and are left out.
        options += [
            f"header = {str(self.has_names).lower()}",
            "skip = 0",
            "comment = ''",
            "quote = '\"'",
            "escape = '\"'",
        ]
        options += [f"delim = {_text(self.delimiter)}"]
        options += [f"nullstr = [{', '.join(map(_text, self.missing))}]"]
        if self.line_end:
            options += [f"new_line = '{self.line_end}'"]
        if paths[0] in self.names:
            options += [f"names = [{', '.join(map(_text, self.names[paths[0]]))}]"]
        if types == "text":
            options += ["all_varchar = true"]
        else:
            options += [f"types = {{{told}}}" if told else "sample_size = -1"]
        return f"SELECT * FROM read_csv({files}, {', '.join(options)})"


def query_source(sql: str, connection: Any = None) -> ArrowSource:
    """Return the rows of a query.

    Parameters
    ----------
    sql : str
        A SELECT statement.
    connection : duckdb connection, optional
        Where to run it; a new one, in memory, if none is given.
    """
    database = Database() if connection is None else None
    with _explaining("the query", CORRECT):
        parser = connection if database is None else database.connection
        kinds = [statement.type for statement in parser.extract_statements(sql)]
        if kinds != [need("duckdb").StatementType.SELECT]:
            raise ValueError(f"scan takes one SELECT statement, got {sql!r:.80}.")
        if database is not None:
            return _source(_asking(database, sql), "the query", CORRECT)
        # A cursor would not see the user's temporary tables, another thread not their frames.
        return _source(
            lambda: nullcontext((connection.sql(sql), operator.call)), "the query", CORRECT
        )


def text_source(
    paths: Sequence[str],
    kind: str,
    types: str,
    origin: str,
    delimiter: str = ",",
    missing: Sequence[str] = (),
    keys: Sequence[Keys] | None = None,
    names: Mapping[str, Sequence[str]] | None = None,
    has_names: bool = True,
    called: Sequence[str] | None = None,
) -> ArrowSource:
    """Return the rows of CSV or JSON files, one file after another.

    Parameters
    ----------
    paths : sequence of str
        The files.
    kind : {"csv", "json"}
        What they are.
    types : {"infer", "text"}
        Whether each column's type is found from its cells, all of which are read for it, or all
        cells of CSV are text.
    origin : str
        The files' common name, for messages.
    delimiter : str
        What separates the cells of CSV.
    missing : sequence of str
        Cells of CSV that are missing, besides empty ones.
    keys : sequence of mappings, optional
        The cells that the folders of each file name.
    names : mapping of str to lists of str, optional
        The columns of files of CSV that are to be called so.
    has_names : bool
        Whether the first line of CSV has names.
    called : sequence of str, optional
        What the user calls the files, some of which may be copies.
    """
    check_one_of("types", types, TYPES)
    types = types if kind == CSV else "infer"
    line_end = _line_end(paths[0]) if kind == CSV else None
    written = TextFiles(kind, delimiter, ("", *missing), line_end, names or {}, has_names)
    database = Database()
    as_text = ", or read every column as text: untie.scan(..., types='text')"
    remedy = f"Correct the file{as_text if kind == CSV and types == 'infer' else ''}."
    columns = []
    called = called or paths
    for path, name in zip(paths, called, strict=True):
        with _explaining(repr(name), remedy), database.asked() as (cursor, call):
            # A name is one, even if cells with that text are missing.
            bare = replace(written, missing=("",))
            columns.append(call(cursor.sql, bare.query([path], "text")).columns)
    check_same_columns(columns, called)
    with _explaining(origin, remedy), database.asked() as (cursor, call):
        # Found once and then told, as each reading would look at all cells for them again.
        if any(name in missing for names in columns for name in names):
            written = replace(written, names=dict(zip(paths, columns, strict=True)))
        found = call(cursor.sql, written.query(paths, types))
        if kind == CSV:
            names_of_types = ["VARCHAR" if types == "text" else str(type_) for type_ in found.types]
            fields = dict(zip(found.columns, names_of_types, strict=True))
        else:
            fields = call(_fields_of_json, cursor, paths, found)
        # Asked here, as the types are not known when the cursor is closed.
        chosen, doubts = _without_objects(found, origin) if kind != CSV else ("*", ())

    def reading(some: Sequence[str]) -> ArrowSource:
        sql = written.query(some, types, fields)
        sql = sql if chosen == "*" else f"SELECT {chosen} FROM ({sql})"
        return replace(_source(_asking(database, sql), origin, remedy), doubts=doubts)

    if keys is None:
        return reading(paths)

    def read_file(number: int, columns: Sequence[str]) -> Iterator[Any]:
        yield from reading([paths[number]]).select(columns).batches()

    return replace(with_keys(reading(paths).schema, read_file, keys, origin), doubts=doubts)


def _without_objects(found: Any, origin: str) -> tuple[str, tuple[str, ...]]:
    """Return what to select to have the fields of objects of JSON as columns, and what is said.

    Parameters
    ----------
    found : DuckDB relation
        The columns; those of objects have types with fields.
    origin : str
        What messages call the files.
    """
    given: list[str] = []
    places: list[str] = []
    objects: list[str] = []
    for name, type_ in zip(found.columns, found.types, strict=True):
        fields = type_.children if type_.id == "struct" else []
        if not 0 < len(fields) <= MOST_FIELDS:
            given.append(name)
            places.append(quoted(name))
            continue
        objects.append(name)
        for field_name, field_type in fields:
            place = _place(name, field_name)
            given.append(f"{name}.{field_name}")
            places.append(f"({place} ->> '$')" if str(field_type) == "JSON" else place)
    if not objects:
        return "*", ()
    names, _ = own_names(given)
    made = [name for name in names if any(name.startswith(f"{one}.") for one in objects)]
    said = "{0}: the fields of the objects in {1} are read as columns ({2})"
    doubt = message(said, origin, first_names(objects), first_names(made))
    pairs = zip(places, names, strict=True)
    return ", ".join(f"{place} AS {quoted(name)}" for place, name in pairs), (doubt,)


def _line_end(path: str) -> str | None:
    """Return how lines end, where a name has a line feed in it that DuckDB would take for the end.

    Excel writes such files: its lines end in CR LF, those within a cell in LF.
    """
    with open_plain(path) as file:
        parts = file.read(LONGEST_LINE).split(b'"')  # every other one is in quotes
    last = next((n for n in range(0, len(parts), 2) if b"\n" in parts[n]), 0)
    has_feed = any(b"\n" in part for part in parts[1:last:2])
    return "\\r\\n" if has_feed and parts[last].split(b"\n")[0].endswith(b"\r") else None


def _fields_of_json(connection: Any, paths: Sequence[str], found: Any) -> dict[str, str]:
    """Return the types of columns of JSON, also those within objects.

    DuckDB takes whole numbers that no type of integers has room for for fractions, whose 53 bits
    make one number of many. They are names, and stay texts.

    Parameters
    ----------
    connection : duckdb connection
        Where to ask.
    paths : sequence of str
        The files.
    found : DuckDB relation
        The columns as DuckDB reads them.
    """
    types: dict[str, dict[str | None, str]] = {
        name: {field: str(kind) for field, kind in type_.children}
        if type_.id == "struct"
        else {None: str(type_)}
        for name, type_ in zip(found.columns, found.types, strict=True)
    }
    as_texts = {
        name: {field: "VARCHAR" if kind == "DOUBLE" else kind for field, kind in fields.items()}
        for name, fields in types.items()
        if "DOUBLE" in fields.values()
    }
    wide = [
        (name, field)
        for name in as_texts
        for field in types[name]
        if types[name][field] == "DOUBLE"
    ]
    if wide:
        told = {name: _written_type(fields) for name, fields in as_texts.items()}
        tests = ", ".join(
            f"bool_and(regexp_full_match({_place(*one)}, '-?[0-9]+'))" for one in wide
        )
        as_text = TextFiles("json").query(paths, "infer", told)
        is_whole = connection.sql(f"SELECT {tests} FROM ({as_text})").fetchall()[0]
        for (name, field), is_name in zip(wide, is_whole, strict=True):
            types[name][field] = "VARCHAR" if is_name else "DOUBLE"
    return {name: _written_type(fields) for name, fields in types.items()}


def _written_type(fields: Mapping[str | None, str]) -> str:
    """Return a type as SQL has it: that of an object, or of a column by the field None."""
    if None in fields:
        return "VARCHAR" if fields[None] == "JSON" else fields[None]
    return f"STRUCT({', '.join(f'{quoted(str(name))} {type_}' for name, type_ in fields.items())})"


def _place(name: str, field: str | None) -> str:
    return quoted(name) if field is None else f"{quoted(name)}.{quoted(field)}"


def adopt_duckdb(data: Any) -> ArrowSource | None:
    """Return DuckDB's relation as a source."""
    if not dependencies.is_duckdb_relation(data):
        return None

    return _source(lambda: nullcontext((data, operator.call)), "the DuckDB relation", CORRECT)


def _asking(database: Database, sql: str) -> Asking:
    @contextmanager
    def ask() -> Iterator[tuple[Any, Call]]:
        with database.asked() as (cursor, call):
            yield call(cursor.sql, sql), call

    return ask


def _source(ask: Asking, origin: str, remedy: str) -> ArrowSource:
    need("pyarrow")  # DuckDB would fail without a remedy

    def read(columns: Sequence[str]) -> Iterator[Any]:
        with _explaining(origin, remedy), ask() as (relation, call):
            chosen = relation.project(", ".join(quoted(name) for name in columns))
            # The name before DuckDB 1.5; with the new one, the old one is deprecated.
            stream = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_arrow_reader
            with call(stream, BATCH_ROWS) as reader:
                while (batch := call(next, reader, None)) is not None:
                    yield batch

    with _explaining(origin, remedy), ask() as (relation, call):
        schema = call(relation.limit(0).to_arrow_table).schema
    return ArrowSource(schema, read, origin)


def quoted(name: str) -> str:
    """Return a column's name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


class Database:
    """A database of DuckDB in memory, one for each process that asks it.

    DuckDB's threads are not copied by a fork: a child that asked its parent's database could wait
    for them forever.
    """

    def __init__(self) -> None:
        self.connection = _connect()
        self._process = os.getpid()

    @contextmanager
    def asked(self) -> Iterator[tuple[Any, Call]]:
        """Give a cursor, and a function that calls its methods so that Ctrl-C stops them.

        A cursor of its own, so that two passes may be under way at the same time; it must live as
        long as what it was asked is read.
        """
        if self._process != os.getpid():
            self.connection, self._process = _connect(), os.getpid()
        cursor = self.connection.cursor()
        try:
            if current_thread() is not main_thread():  # the others get no signals
                yield cursor, operator.call
                return
            with ThreadPoolExecutor(1) as thread:
                yield cursor, _stoppable(cursor, thread)
        finally:
            cursor.close()


def _stoppable(cursor: Any, thread: ThreadPoolExecutor) -> Call:
    """Return a function that calls DuckDB in another thread.

    In the main thread, Python would not handle a signal before DuckDB returns.
    """

    def call(function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return thread.submit(function, *arguments).result()
        except BaseException:
            # To close what a call still works on would corrupt memory. An interrupt that comes
            # before the query has begun is lost, hence again.
            idle = thread.submit(bool)  # there is one thread, so this comes after the call
            while not idle.done():
                with suppress(KeyboardInterrupt):
                    if wait([idle], timeout=PATIENCE).not_done:
                        cursor.interrupt()
            raise

    return call


def _connect() -> Any:
    """Return a database in memory that sees no variables of this process."""
    duckdb = need("duckdb")
    # Its own, as two databases take each other's files for theirs, and private: cells are in them.
    spill = Scratch()
    config = {"python_enable_replacements": False, "temp_directory": spill.folder}
    connection = duckdb.connect(config=config)
    spill.stay_with(connection)
    _CONNECTIONS.add(connection)
    return connection


_CONNECTIONS: weakref.WeakSet[Any] = weakref.WeakSet()
"""The databases that are open in this process."""


def _keep_forever() -> None:
    """Keep the parent's databases in a forked child, where closing one would wait forever.

    DuckDB joins its threads then, and they exist in the parent only.
    """
    for connection in _CONNECTIONS:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
    _CONNECTIONS.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_keep_forever)


@contextmanager
def _explaining(origin: str, remedy: str) -> Iterator[None]:
    duckdb = need("duckdb")
    try:
        yield
    except (duckdb.Error, OSError) as error:
        raise ValueError(f"{origin} can't be read: {error} {remedy}") from error
    except RuntimeError as error:
        if "Query interrupted" in str(error):  # so DuckDB reports Ctrl-C
            raise KeyboardInterrupt from error
        raise
