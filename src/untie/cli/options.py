"""The options that sub-commands share, written once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from untie._prepare.defaults import BINS, MAX_CATEGORIES
from untie._util.safe_cells import made_safe
from untie.cli.early import check_apart, check_file

READING, COLUMNS, RESULT = "Reading", "Columns", "Result"


NOTHING = "none"
"""What stands for no text at all in --missing; beside others it is a text."""


class Format(StrEnum):
    """How results are written."""

    table = "table"
    csv = "csv"
    json = "json"


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
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write here, in the format of the ending (.csv, .tsv, .json, .parquet).",
        rich_help_panel=RESULT,
        show_default=False,
    ),
]
Kept = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="NAMES",
        help="Columns of FILE to show as well, such as a key.",
        rich_help_panel=RESULT,
        show_default=False,
    ),
]
Model = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="A model that untie fit or Python saved, instead of learning from FILE.",
        show_default=False,
    ),
]
Clusters = Annotated[
    int | None,
    typer.Option("--k", min=2, help="Number of clusters.", show_default="chosen"),
]
Seed = Annotated[int, typer.Option(help="Seed of everything that is random.")]
OutputFormat = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="How to print.",
        show_default="table on a terminal, else csv",
        rich_help_panel=RESULT,
    ),
]


def _option(*names: str, panel: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, show_default=False, **settings)


@dataclass(frozen=True)
class SourceOptions:
    """How rows are read."""

    sql: Annotated[
        str | None,
        _option(
            "--sql",
            panel=READING,
            metavar="QUERY",
            help="A DuckDB query instead of FILE: \"SELECT * FROM 'a.csv' WHERE ...\".",
        ),
    ] = None
    missing: Annotated[
        list[str] | None,
        _option(
            "--missing",
            panel=READING,
            metavar="TEXTS",
            help="The cells that are missing, besides empty ones: --missing '?,NA'. If not given, "
            "words such as NA, n/a, ? and - are found by themselves, and said; --missing none "
            "keeps them as values. Repeatable.",
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        _option(
            "--delimiter",
            panel=READING,
            metavar="CHAR",
            help="What stands between cells; found out if not given.",
        ),
    ] = None
    encoding: Annotated[
        str, _option("--encoding", panel=READING, metavar="NAME", help="Of text; utf-8.")
    ] = "utf-8"
    sheet: Annotated[
        str | None,
        _option(
            "--sheet",
            panel=READING,
            metavar="NAME",
            help="Of an Excel file, by its name or number; the first.",
        ),
    ] = None
    safe_csv: Annotated[
        bool,
        _option(
            "--safe-csv",
            panel=RESULT,
            help="In CSV, put ' before texts that begin with = + - or @, which a spreadsheet would "
            "run as formulas.",
        ),
    ] = False
    quiet: Annotated[
        bool, _option("--quiet", "-q", panel=RESULT, help="No notes, no progress; errors only.")
    ] = False


@dataclass(frozen=True)
class ColumnOptions(SourceOptions):
    """How rows are read, and which of their columns are looked at."""

    columns: Annotated[
        list[str] | None,
        _option(
            "--columns",
            panel=COLUMNS,
            metavar="NAMES",
            help="Learn from these alone: --columns age,city. None is left out, whatever it holds.",
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        _option("--drop", panel=COLUMNS, metavar="NAMES", help="Leave these out."),
    ] = None
    categorical: Annotated[
        list[str] | None,
        _option(
            "--categorical",
            panel=COLUMNS,
            metavar="NAMES",
            help="Numbers that are names, such as flights or postal codes: not binned, not left "
            "out.",
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
        _option(
            "--day-first/--month-first",
            panel=COLUMNS,
            help="How to read dates such as 1/2/2024 where no date of the column tells.",
        ),
    ] = None
    date_parts: Annotated[
        list[str] | None,
        _option(
            "--date-parts",
            panel=COLUMNS,
            metavar="PARTS",
            help="Take weekday, month or hour out of dates, as columns: --date-parts weekday,hour.",
        ),
    ] = None


@dataclass(frozen=True)
class TableOptions(ColumnOptions):
    """The same, and columns that are not learned from, where rows have groups or weights."""

    label: Annotated[
        str | None,
        _option(
            "--label",
            panel=COLUMNS,
            metavar="NAME",
            help="A column with the answer: not learned from, used to judge results.",
        ),
    ] = None
    weight: Annotated[
        str | None,
        _option(
            "--weight",
            panel=COLUMNS,
            metavar="NAME",
            help="The column that says how often each row counts.",
        ),
    ] = None


@dataclass(frozen=True)
class LearningOptions(TableOptions):
    """The same, and how much columns count, and which have an order, where something is learned."""

    column_weight: Annotated[
        list[str] | None,
        _option(
            "--column-weight",
            "--weight-column",
            panel=COLUMNS,
            metavar="NAME=FACTOR",
            help="How much a column counts, 1 being as usual: --column-weight age=2. Repeatable.",
        ),
    ] = None
    passive: Annotated[
        list[str] | None,
        _option(
            "--passive",
            panel=COLUMNS,
            metavar="NAMES",
            help="Describe these, but do not learn from them.",
        ),
    ] = None
    ordered: Annotated[
        list[str] | None,
        _option(
            "--ordered",
            panel=COLUMNS,
            metavar="COLUMN[=VALUES]",
            help="A column whose order counts: numbers or dates with few values, such as grades, "
            "or words in their order: --ordered size=S,M,L. Numbers and dates that are binned into "
            "ranges have an order anyway. Repeatable.",
        ),
    ] = None


def sharing(
    kind: type[Any], without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a dataclass; it gets them as one argument, `options`.

    Parameters
    ----------
    kind : dataclass
        What the command takes.
    without : sequence of str
        Options that mean nothing to the command.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        shared_fields = [field for field in fields(kind) if field.name not in without]
        hints = get_type_hints(command, include_extras=True)
        shared_hints = get_type_hints(kind, include_extras=True)
        own = [
            parameter.replace(annotation=hints[name])
            for name, parameter in inspect.signature(command).parameters.items()
            if name != "options"
        ]
        shared = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=shared_hints[field.name],
            )
            for field in shared_fields
        ]

        def run(**arguments: Any) -> None:
            options = kind(**{field.name: arguments.pop(field.name) for field in shared_fields})
            for name in ("model", "file", "new") if options.sql is None else ("model",):
                check_file(arguments.get(name))
            check_apart(arguments, options.sql)
            with made_safe(options.safe_csv):
                command(options=options, **arguments)

        run.__name__, run.__doc__ = command.__name__, _flowing(command.__doc__ or "")
        parameters = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own
        ] + shared
        # typer reads the signature from here; to the type checker a function has none.
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _flowing(text: str) -> str:
    """Return text whose lines end with the paragraph, to be broken where the terminal ends."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def missing_texts(options: SourceOptions) -> list[str] | None:
    """Return the cells that the user calls missing; None if they are to be found out."""
    texts = split_names(options.missing, [])
    if not texts:
        return None
    return [] if texts == [NOTHING] else texts


def split_names(given: list[str] | None, known: list[str]) -> list[str]:
    """Return names that were given one by one or with commas; a name may hold a comma itself."""
    names: list[str] = []
    for entry in given or []:
        names += [entry] if entry in known else [name.strip() for name in entry.split(",")]
    return list(dict.fromkeys(name for name in names if name))
