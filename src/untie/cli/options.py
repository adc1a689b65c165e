"""The options that sub-commands share, written once, and the estimators that they stand for."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from untie._prepare.deciding import BINS, MAX_CATEGORIES
from untie._util.messages import Message, Parameter
from untie.cli.streams import UserError, check_apart, check_file

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from untie.clusterer import TableClusterer
    from untie.encoder import TableEncoder
    from untie.preparer import Preparer

READING, COLUMNS, RESULT = "Reading", "Columns", "Result"


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
Solvers = Annotated[
    Solver | None,
    typer.Option(
        "--solver",
        help="Learn by the paper's method, with this solver, instead of comparing several "
        "representations and keeping one.",
        show_default=False,
    ),
]
Purposes = Annotated[
    Purpose | None,
    typer.Option(
        "--purpose",
        help="What the vectors are for: to find groups with, or similar rows.",
        show_default="clusters, but neighbors to find them",
    ),
]
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
            check_apart(arguments)
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


OPTIONS = {
    "n_clusters": "--k",
    "sample_weight": "--weight",
    "column_weights": "--column-weight",
    "random_state": "--seed",
    "solver": "--solver",
    "purpose": "--purpose",
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


def new_preparer(options: ColumnOptions, known: Sequence[str]) -> Preparer:
    """Return what makes the columns that the user wants categories, not fitted yet.

    Parameters
    ----------
    options : ColumnOptions
        What the user asked for.
    known : sequence of str
        The table's columns.
    """
    from untie.preparer import Preparer

    label, weight = getattr(options, "label", None), getattr(options, "weight", None)
    names = {
        name: split_names(getattr(options, name, None), known)
        for name in ("columns", "drop", "categorical", "passive")
    }
    own = {"label": [label] if label else [], "weight": [weight] if weight else []}
    for name, given in {**names, **own}.items():
        _check_known(given, known, f"--{name}")
    missing = missing_texts(options)
    return Preparer(
        columns=names["columns"] or None,
        drop=[*names["drop"], *own["label"]],
        bins=options.bins,
        max_categories=options.max_categories,
        categorical=names["categorical"],
        missing="auto" if missing is None else missing,
        day_first=options.day_first,
        date_parts=split_names(options.date_parts, []),
    )


def new_encoder(
    options: LearningOptions,
    known: Sequence[str],
    n_clusters: int | str | None = None,
    *,
    components: int | None = None,
    solver: Solver | None = None,
    purpose: Purpose | None = None,
    seed: int = 0,
) -> TableEncoder | Pipeline:
    """Return what learns vectors of a table, not fitted yet; with a solver, by the paper's method.

    Parameters
    ----------
    options : LearningOptions
        What the user asked for.
    known : sequence of str
        The table's columns.
    n_clusters, components, solver, purpose, seed
        The command's own options.
    """
    from untie.encoder import TableEncoder

    preparer = new_preparer(options, known)
    given = _learning(options, known, purpose)
    if components is not None:
        given["n_components"] = components
    if solver is None:
        return TableEncoder(n_clusters, preparer=preparer, **given, random_state=seed)
    from sklearn.pipeline import make_pipeline

    from untie.untie_method import UNTIE

    _refuse_with_solver(given)
    if options.weight is not None:  # which the second step would take for a column
        preparer.set_params(drop=[*preparer.drop, options.weight])
    return make_pipeline(preparer, UNTIE(n_clusters, solver=solver.value, random_state=seed))


def new_clusterer(
    options: LearningOptions,
    known: Sequence[str],
    k: int | None,
    solver: Solver | None,
    purpose: Purpose | None,
    seed: int,
) -> TableClusterer:
    """Return what finds clusters in a table, not fitted yet; parameters are as of `new_encoder`."""
    from untie.clusterer import TableClusterer
    from untie.encoder import TableEncoder
    from untie.untie_method import UNTIE

    preparer = new_preparer(options, known)
    given = _learning(options, known, purpose)
    encoder: Any = None
    if solver is not None:
        _refuse_with_solver(given)
        encoder = UNTIE(solver=solver.value, random_state=seed)
    elif given:
        encoder = TableEncoder(**given, random_state=seed)
    return TableClusterer(k or "auto", encoder=encoder, preparer=preparer, random_state=seed)


def _learning(
    options: LearningOptions, known: Sequence[str], purpose: Purpose | None
) -> dict[str, Any]:
    """Return what the user asked for of a `TableEncoder`, besides preparation."""
    given = {
        "purpose": None if purpose is None else purpose.value,
        "column_weights": _column_weights(options, known),
        "ordered": _ordered(options, known),
    }
    return {name: value for name, value in given.items() if value}


def _refuse_with_solver(given: Mapping[str, Any]) -> None:
    names = [_as_option(Parameter(name)) for name in given]
    names = ["--components" if name == "n_components" else name for name in names]
    if names:
        raise UserError(
            f"--solver is for the paper's method, which takes no {' and no '.join(names)}; leave "
            "--solver out, or the others."
        )


def _column_weights(options: LearningOptions, known: Sequence[str]) -> dict[str, float]:
    """Return how much the user wants columns to count."""
    weights: dict[str, float] = {}
    for entry in options.column_weight or []:
        name, equals, factor = entry.rpartition("=")
        if not equals or not name:
            raise UserError(f"--column-weight is NAME=FACTOR, such as age=2; got {entry!r}.")
        weights[name] = _factor(entry, factor)
    for name in split_names(options.passive, known):
        if name in weights:
            raise UserError(f"--passive and --column-weight both name {name!r}; keep one of them.")
        weights[name] = 0.0
    return weights


def _factor(entry: str, text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not (math.isfinite(factor) and factor >= 0):
        raise UserError(
            f"--column-weight {entry}: {text!r} is no number of at least 0; 1 is as usual, 2 "
            "counts twice."
        )
    return factor


def _ordered(options: LearningOptions, known: Sequence[str]) -> dict[str, Any]:
    """Return the columns that the user calls ordered.

    With their values in order, where these were given, and None for numbers and dates.
    """
    found: dict[str, Any] = {}
    for entry in options.ordered or []:
        name, equals, values = entry.partition("=")
        if entry in known or not equals:
            found |= dict.fromkeys(split_names([entry], known))
        else:
            found[name] = [value.strip() for value in values.split(",")]
    passive = split_names(options.passive, known)
    for name in found:
        if name in passive:
            raise UserError(f"--passive and --ordered both name {name!r}; keep one of them.")
    return found


def _check_known(names: Sequence[str], known: Sequence[str], option: str) -> None:
    for name in names:
        if name not in known:
            line = unknown("column", name, known, f"in the table, which {option} names")
            if option == "--weight" and "=" in name:
                line += f" Or, to make a column count more: --column-weight {name}"
            raise UserError(line)


def unknown(what: str, name: str, known: Sequence[str], where: str) -> str:
    """Return a message about something that there is not, and what there is instead."""
    close = get_close_matches(name, known, n=3)
    close = close or [other for other in known if other.lower() == name.lower()]
    some = ", ".join(map(repr, known[:10])) + (", ..." if len(known) > 10 else "")
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {some}."
    return f"There is no {what} {name!r} {where}; {hint}"


def refuse_for_model(
    options: SourceOptions, solver: Solver | None = None, purpose: Purpose | None = None
) -> None:
    """Refuse what is asked of learning where a model has learned before."""
    own = [field.name for kind in (ColumnOptions, LearningOptions) for field in _own_fields(kind)]
    named = [words[0] for name, words in given_options(options).items() if name in own]
    named += [] if solver is None else ["--solver"]
    named += [] if purpose is None else ["--purpose"]
    if named:
        verb = "is" if len(set(named)) == 1 else "are"
        said = " and ".join(dict.fromkeys(named))
        raise UserError(f"{said} {verb} for learning; the model has its own.")


def _own_fields(kind: type[Any]) -> list[Field[Any]]:
    """Return the fields of a dataclass without those of the one that it extends."""
    return [field for field in fields(kind) if field.name in kind.__annotations__]


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
    """Return names that were given one by one or with commas; a name may hold a comma itself."""
    names: list[str] = []
    for entry in given or []:
        names += [entry] if entry in known else [name.strip() for name in entry.split(",")]
    return list(dict.fromkeys(name for name in names if name))
