"""The options that sub-commands share, written once, and the estimators that they stand for."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, get_type_hints

import typer

from untie._util.messages import Message, Parameter
from untie._util.patterns import expand_names
from untie.cli.streams import UserError, check_apart, check_file

READING, COLUMNS, RESULT = "Reading", "Columns", "Result"


BINS, MAX_CATEGORIES = 35, 100
"""As `Preparer` has them, which takes long to import."""

NOTHING = "none"
"""What stands for no text at all in --missing; beside others it is a text."""


class Format(StrEnum):
    """How results are written."""

    table = "table"
    csv = "csv"
    json = "json"


class FailOn(StrEnum):
    """Which changes end ``untie drift`` with the exit code 1."""

    any = "any"
    columns = "columns"
    values = "values"
    couplings = "couplings"


class Purpose(StrEnum):
    """What vectors are for; the `purpose` of `TableEncoder`."""

    clusters = "clusters"
    neighbors = "neighbors"


class Solver(StrEnum):
    """How weights are found by the paper's method; the `solver` of `UNTIE`."""

    exact = "exact"
    lp = "lp"
    adam = "adam"
    adagrad = "adagrad"
    uniform = "uniform"
    relevance = "relevance"
    discount = "discount"


def option(text: str, *names: str, **settings: Any) -> Any:
    """Return an option with a help, whose default is not shown unless `show_default` says how."""
    return typer.Option(*names, help=text, **{"show_default": False, **settings})


File = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSON, Parquet or Excel, also in .gz, .zst or .zip; a pattern such as "
        "'data/*.parquet', a folder of year=2024 and the like, an address (https://, s3://, "
        "hf://); - is standard input.",
        show_default=False,
    ),
]
NAMES: Any = {"metavar": "NAMES", "rich_help_panel": COLUMNS}
OUTPUT: Any = {"metavar": "FILE", "rich_help_panel": RESULT}
Output = Annotated[
    Path | None,
    option(
        "Write here, in the format of the ending (.csv, .tsv, .json, .parquet).",
        *("--output", "-o"),
        **OUTPUT,
    ),
]
Kept = Annotated[
    list[str] | None,
    option(
        "Columns of FILE to show as well, such as a key.", metavar="NAMES", rich_help_panel=RESULT
    ),
]
Model = Annotated[
    Path | None,
    option(
        "A model that untie fit or Python saved, instead of learning from FILE.", metavar="MODEL"
    ),
]
Clusters = Annotated[int | None, option("Number of clusters.", "--k", min=2, show_default="chosen")]
Seed = Annotated[int, typer.Option(help="Seed of everything that is random.")]
OutputFormat = Annotated[
    Format | None,
    option(
        "How to print.",
        "--format",
        show_default="table on a terminal, else csv",
        rich_help_panel=RESULT,
    ),
]


@dataclass(frozen=True)
class SourceOptions:
    """How rows are read."""

    sql: Annotated[
        str | None,
        option(
            "A DuckDB query instead of FILE: \"SELECT * FROM 'a.csv' WHERE ...\".",
            metavar="QUERY",
            rich_help_panel=READING,
        ),
    ] = None
    missing: Annotated[
        list[str] | None,
        option(
            "The cells that are missing, besides empty ones: --missing '?,NA'. If not given, "
            "words such as NA, n/a, ? and - are found by themselves, and said; --missing none "
            "keeps them as values. Repeatable.",
            metavar="TEXTS",
            rich_help_panel=READING,
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        option(
            "What stands between cells; found out if not given.",
            metavar="CHAR",
            rich_help_panel=READING,
        ),
    ] = None
    encoding: Annotated[str, option("Of text; utf-8.", metavar="NAME", rich_help_panel=READING)] = (
        "utf-8"
    )
    sheet: Annotated[
        str | None,
        option(
            "Of an Excel file, by its name or number; the first.",
            metavar="NAME",
            rich_help_panel=READING,
        ),
    ] = None
    safe_csv: Annotated[
        bool,
        option(
            "In CSV, put ' before texts that begin with = + - or @, which a spreadsheet would "
            "run as formulas.",
            "--safe-csv",
            rich_help_panel=RESULT,
        ),
    ] = False
    quiet: Annotated[
        bool, option("No notes, no progress; errors only.", "--quiet", "-q", rich_help_panel=RESULT)
    ] = False


@dataclass(frozen=True)
class ColumnOptions(SourceOptions):
    """How rows are read, and which of their columns are looked at."""

    columns: Annotated[
        list[str] | None,
        option(
            "Learn from these alone: --columns age,city or 'A*'. None is left out, whatever it "
            "holds.",
            **NAMES,
        ),
    ] = None
    drop: Annotated[list[str] | None, option("Leave these out.", **NAMES)] = None
    categorical: Annotated[
        list[str] | None,
        option(
            "Numbers that are names, such as flights: not binned, not left out, without order.",
            **NAMES,
        ),
    ] = None
    bins: Annotated[
        int,
        typer.Option(
            min=2, help="Most ranges that numbers are binned into.", rich_help_panel=COLUMNS
        ),
    ] = BINS
    max_categories: Annotated[
        int,
        typer.Option(
            min=2,
            help="Values of a column that are told apart; rarer ones are merged.",
            rich_help_panel=COLUMNS,
        ),
    ] = MAX_CATEGORIES
    day_first: Annotated[
        bool | None,
        option(
            "How to read dates such as 1/2/2024 where no date of the column tells.",
            "--day-first/--month-first",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    date_parts: Annotated[
        list[str] | None,
        option(
            "Take weekday, month or hour out of dates, as columns: --date-parts weekday,hour.",
            metavar="PARTS",
            rich_help_panel=COLUMNS,
        ),
    ] = None


@dataclass(frozen=True)
class TableOptions(ColumnOptions):
    """The same, and columns that are not learned from, where rows have groups or weights."""

    label: Annotated[
        str | None,
        option(
            "A column with the answer: not learned from, used to judge results.",
            metavar="NAME",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    weight: Annotated[
        str | None,
        option(
            "The column that says how often each row counts.",
            metavar="NAME",
            rich_help_panel=COLUMNS,
        ),
    ] = None


@dataclass(frozen=True)
class LearningOptions(TableOptions):
    """The same, and how columns count and how vectors are learned, where something is learned."""

    column_weight: Annotated[
        list[str] | None,
        option(
            "How much a column counts, 1 being as usual: --column-weight age=2. Repeatable.",
            "--column-weight",
            "--weight-column",
            metavar="NAME=FACTOR",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    passive: Annotated[
        list[str] | None, option("Describe these, but do not learn from them.", **NAMES)
    ] = None
    ordered: Annotated[
        list[str] | None,
        option(
            "A column whose order counts: numbers or dates with few values, such as grades, "
            "or words in their order: --ordered size=S,M,L. Numbers and dates that are binned into "
            "ranges, and grades and the answers of a questionnaire, have an order anyway. "
            "Repeatable, and takes patterns: --ordered 'A*'.",
            metavar="COLUMN[=VALUES]",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    solver: Annotated[
        Solver | None,
        option(
            "Learn by the paper's method, with this solver, instead of comparing several "
            "representations and keeping one."
        ),
    ] = None
    purpose: Annotated[
        Purpose | None,
        option(
            "What the vectors are for: to find groups with, or similar rows.",
            show_default="clusters, but neighbors to find them",
        ),
    ] = None
    seed: Seed = 0


def sharing(
    function: Callable[..., None], kind: type[Any], without: Sequence[str] = ()
) -> Callable[..., None]:
    """Give a function the options of a dataclass; it gets them as one argument, `options`.

    Parameters
    ----------
    function : callable
        What a sub-command does.
    kind : dataclass
        What the sub-command takes.
    without : sequence of str
        Options that mean nothing to it.
    """
    shared = [field for field in fields(kind) if field.name not in without]
    keyword, hints = inspect.Parameter.KEYWORD_ONLY, get_type_hints(kind, include_extras=True)
    own = inspect.signature(function, eval_str=True).parameters
    parameters = [one.replace(kind=keyword) for name, one in own.items() if name != "options"]
    parameters += [
        inspect.Parameter(field.name, keyword, default=field.default, annotation=hints[field.name])
        for field in shared
    ]

    def run(**arguments: Any) -> None:
        options = kind(**{field.name: arguments.pop(field.name) for field in shared})
        for name in ("model", "file", "new") if options.sql is None else ("model",):
            check_file(arguments.get(name))
        check_apart(arguments)
        function(options=options, **arguments)

    run.__name__, run.__doc__ = function.__name__, _flowing(function.__doc__ or "")
    # typer reads the signature from here; to the type checker a function has none.
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _flowing(text: str) -> str:
    """Return text whose lines end with the paragraph, to be broken where the terminal ends."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


OPTIONS = {
    "n_clusters": "--k",
    "sample_weight": "--weight",
    "column_weights": "--column-weight",
    "random_state": "--seed",
    "n_components": "--components",
}
"""What the command calls parameters of the library that its options are not named after."""


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


def unknown(what: str, name: str, known: Sequence[str], where: str) -> str:
    """Return a message about something that there is not, and what there is instead."""
    close = get_close_matches(name, known, n=3)
    close = close or [other for other in known if other.lower() == name.lower()]
    some = ", ".join(map(repr, known[:10])) + (", ..." if len(known) > 10 else "")
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {some}."
    return f"There is no {what} {name!r} {where}; {hint}"


def refuse_for_model(options: ColumnOptions) -> None:
    """Refuse what is asked of learning where a model has learned before."""
    usable = {field.name for field in fields(SourceOptions)} | {"label", "weight", "seed"}
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


def split_names(given: list[str] | None, known: Sequence[str]) -> list[str]:
    """Return names that were given one by one or with commas, and all that match a pattern.

    A name may hold a comma itself.
    """
    names: list[str] = []
    for entry in given or []:
        names += [entry] if entry in known else [name.strip() for name in entry.split(",")]
    return expand_names(filter(None, names), known)
