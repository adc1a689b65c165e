"""The options that sub-commands share, written once, and the estimators that they stand for."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from untie._table.names import expand_names
from untie._util.messages import Message, Parameter
from untie.cli.streams import UserError

BINS, MAX_CATEGORIES = 35, 100
"""As `Preparer` has them, which takes long to import."""

NOTHING = "none"
"""What stands for no text at all in --missing, and no column in --row-names; beside others it is a
text, and the name of a column that is called so."""


Format = StrEnum("Format", ["table", "csv", "json"])
"""How results are written."""

Header = StrEnum("Header", ["auto", "none"])
"""Whether the first line of a table has names; the `header` of `untie.scan`."""

FailOn = StrEnum("FailOn", ["any", "columns", "values", "couplings"])
"""Which changes end ``untie drift`` with the exit code 1."""

Solver = StrEnum("Solver", ["exact", "lp", "adam", "adagrad", "uniform", "relevance", "discount"])
"""How weights are found by the paper's method; the `solver` of `UNTIE`."""


def option(*names: str, **settings: Any) -> Any:
    """Return an option whose default is not shown unless `show_default` says how.

    Its help, and what the help calls its value, are those of the docstring; see `sharing`.
    """
    return typer.Option(*names, **{"show_default": False, **settings})


reading = partial(option, rich_help_panel="Reading")
about_columns = partial(option, rich_help_panel="Columns")
result = partial(option, rich_help_panel="Result")
"""An option among those of its kind in the help."""

Seed = Annotated[int, option(show_default=True, help="Seed of everything that is random.")]


@dataclass(frozen=True)
class ResultOptions:
    """How results are written.

    Parameters
    ----------
    output : FILE
        Write here, in the format of the ending (.csv, .tsv, .json, .parquet).
    format_ : Format
        How to print.
    safe_csv : bool
        In CSV, put ' before texts that begin with = + - or @, which a spreadsheet would run as
        formulas.
    quiet : bool
        No notes, no progress; errors only.
    """

    output: Annotated[Path | None, result("--output", "-o")] = None
    format_: Annotated[
        Format | None, result("--format", show_default="table on a terminal, else csv")
    ] = None
    safe_csv: Annotated[bool, result("--safe-csv")] = False
    quiet: Annotated[bool, result("--quiet", "-q")] = False


@dataclass(frozen=True)
class SourceOptions(ResultOptions):
    """How rows are read, and results written.

    Parameters
    ----------
    sql : QUERY
        A DuckDB query instead of FILE: "SELECT * FROM 'a.csv' WHERE ...".
    missing : TEXTS
        The cells that are missing, besides empty ones: --missing '?,NA'. If not given, words
        such as NA, n/a, ? and - are found by themselves, and said; --missing none keeps them as
        values. Repeatable.
    delimiter : CHAR
        What stands between cells; found out if not given.
    encoding : NAME
        Text encoding; utf-8 if not given, or utf-16 or cp1252 where the first bytes say so.
    sheet : NAME
        Sheet of an Excel file, by its name or number; the first if not given.
    skip_rows : N
        Number of lines above the names of columns; a title is found if not given, and 0 keeps all
        lines.
    header : Header
        none: the first line is a row, and the columns are called column0, column1 and so on.
    """

    sql: Annotated[str | None, reading()] = None
    missing: Annotated[list[str] | None, reading()] = None
    delimiter: Annotated[str | None, reading()] = None
    encoding: Annotated[str | None, reading()] = None
    sheet: Annotated[str | None, reading()] = None
    skip_rows: Annotated[int | None, reading("--skip-rows", min=0)] = None
    header: Annotated[Header, reading("--header", show_default=True)] = Header.auto


@dataclass(frozen=True)
class ColumnOptions(SourceOptions):
    """How rows are read, and which of their columns are looked at.

    Parameters
    ----------
    columns : NAMES
        Learn from these alone: --columns age,city or 'A*'. None is left out, whatever it holds.
    drop : NAMES
        Leave these out.
    categorical : NAMES
        Numbers that are names, such as flights: not binned, not left out, without order.
    bins : int
        Maximum number of bins for a numeric column.
    max_categories : int
        Maximum number of values of a column; rarer ones are merged.
    day_first : bool
        How to read dates such as 1/2/2024 where no date of the column tells.
    date_parts : PARTS
        Take weekday, month or hour out of dates, as columns: --date-parts weekday,hour.
    sets : NAMES
        Columns whose cells list several answers, each a column then; --sets none for none. If not
        given, they are found.
    row_names : NAME
        The column that names the rows; it is not learned from. If not given, a name, a title or an
        id that is left out; --row-names none shows numbers alone.
    keep_totals : bool
        Count a first or last row with the totals or means of all others like any other row.
    """

    columns: Annotated[list[str] | None, about_columns()] = None
    drop: Annotated[list[str] | None, about_columns()] = None
    categorical: Annotated[list[str] | None, about_columns()] = None
    bins: Annotated[int, about_columns(min=2, show_default=True)] = BINS
    max_categories: Annotated[int, about_columns(min=2, show_default=True)] = MAX_CATEGORIES
    day_first: Annotated[bool | None, about_columns("--day-first/--month-first")] = None
    date_parts: Annotated[list[str] | None, about_columns()] = None
    sets: Annotated[list[str] | None, about_columns()] = None
    row_names: Annotated[str | None, about_columns("--row-names")] = None
    keep_totals: Annotated[bool, about_columns("--keep-totals")] = False


@dataclass(frozen=True)
class TableOptions(ColumnOptions):
    """The same, and columns that are not learned from, where rows have groups or weights.

    Parameters
    ----------
    label : NAME
        A column with the answer: not learned from, used to judge results.
    weight : NAME
        The column that says how often each row counts.
    """

    label: Annotated[str | None, about_columns()] = None
    weight: Annotated[str | None, about_columns()] = None


@dataclass(frozen=True)
class LearningOptions(TableOptions):
    """The same, and how columns count and how vectors are learned, where something is learned.

    Parameters
    ----------
    column_weight : NAME=FACTOR
        How much a column counts, 1 being as usual: --column-weight age=2. Repeatable.
    passive : NAMES
        Describe these, but do not learn from them.
    ordered : COLUMN[=VALUES]
        A column whose order counts: numbers or dates with few values, such as grades, or words
        in their order: --ordered size=S,M,L. Numbers and dates that are binned into ranges, and
        grades and the answers of a questionnaire, have an order anyway. Repeatable, and takes
        patterns: --ordered 'A*'.
    solver : Solver
        Learn by the paper's method, with this solver, instead of comparing several
        representations and keeping one.
    """

    column_weight: Annotated[
        list[str] | None, about_columns("--column-weight", "--weight-column")
    ] = None
    passive: Annotated[list[str] | None, about_columns()] = None
    ordered: Annotated[list[str] | None, about_columns()] = None
    solver: Annotated[Solver | None, option()] = None
    seed: Seed = 0


OPTIONS = {
    "as_text": "--as-text",
    "n_clusters": "--k",
    "sample_weight": "--weight",
    "column_weights": "--column-weight",
    "random_state": "--seed",
    "n_components": "--components",
}
"""What the command calls parameters of the library that its options are not named after."""

FLAGS = {("day_first", True): "--day-first", ("day_first", False): "--month-first"}
"""What the command calls parameters that are True or False."""


def in_options(text: str) -> str:
    """Return what the library says, naming options where it names parameters.

    Examples
    --------
    >>> from untie._util.messages import Parameter, message
    >>> in_options(message("{0} is too large; lower {n_clusters}.", Parameter("n_clusters", 20)))
    '--k 20 is too large; lower --k.'
    >>> in_options(message("Name them: {0}.", Parameter("columns", ["id", "my name"])))
    "Name them: --columns 'id,my name'."
    """
    return text.naming(_as_option) if isinstance(text, Message) else text


def _as_option(parameter: Parameter) -> str:
    """Write a parameter as the option that stands for it, if there is one."""
    name, value = parameter.name, parameter.value
    own = {field.name: f"--{field.name.replace('_', '-')}" for field in fields(LearningOptions)}
    option = OPTIONS.get(name) or own.get(name)
    if option is None:
        return str(parameter)
    if isinstance(value, bool):
        return FLAGS.get((name, value), option)
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    if parameter.key is not None:
        return f"{option} {quote(parameter.key)}{'' if value is None else '=VALUE,VALUE'}"
    return option if value is None else f"{option} {_quoted(str(value))}"


def _quoted(text: str) -> str:
    """Return a text as a shell takes it, in double quotes if there are single ones in it."""
    if not text.isprintable():
        return f"${text!r}"
    return f'"{text}"' if "'" in text and not set(text) & set('"$`\\!') else quote(text)


def refuse_for_model(options: ColumnOptions) -> None:
    """Refuse what is asked of learning where a model has learned before."""
    usable = {field.name for field in fields(SourceOptions)} | {
        "label",
        "weight",
        "seed",
        "row_names",
    }
    named = [words[0] for name, words in given_options(options).items() if name not in usable]
    if named:
        verb = "is" if len(named) == 1 else "are"
        raise UserError(f"{' and '.join(named)} {verb} for learning; the model has its own.")


def given_options(options: SourceOptions) -> dict[str, list[str]]:
    """Return the options that are not as usual, as one may write them, by the fields' names."""
    written: dict[str, list[str]] = {}
    for field in fields(options):
        value, option = getattr(options, field.name), f"--{field.name.replace('_', '-')}"
        if value == field.default:
            continue
        if isinstance(value, bool):
            written[field.name] = [option if value else "--month-first"]
        else:
            texts = value if isinstance(value, list) else [value]
            written[field.name] = [part for text in texts for part in (option, str(text))]
    return written


def missing_texts(options: SourceOptions) -> list[str] | None:
    """Return the cells that the user calls missing; None if they are to be found out."""
    texts = split_names(options.missing, [])
    if not texts:
        return None
    return [] if texts == [NOTHING] else texts


def naming_column(options: Any, known: Sequence[str]) -> str | None:
    """Return the column that the user wants rows to be named by; "auto" if nothing was said."""
    given = getattr(options, "row_names", None)
    if given is None:
        return "auto"
    return None if given == NOTHING and NOTHING not in known else str(given)


def split_names(given: list[str] | None, known: Sequence[str]) -> list[str]:
    """Return names that were given one by one or with commas, and all that match a pattern.

    A name may hold a comma itself.
    """
    names: list[str] = []
    for entry in given or []:
        names += [entry] if entry in known else [name.strip() for name in entry.split(",")]
    return expand_names(filter(None, names), known)
