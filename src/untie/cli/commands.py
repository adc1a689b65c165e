"""The sub-commands: what each takes, and what it refuses before the libraries are imported.

Their docstrings are their help.
"""

import inspect
import re
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import fields
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from untie._util.messages import counted, need
from untie.cli.options import (
    ColumnOptions,
    FailOn,
    Format,
    LearningOptions,
    ResultOptions,
    Seed,
    SourceOptions,
    TableOptions,
    option,
    refuse_for_model,
    result,
)
from untie.cli.streams import UserError, check_apart, check_file, check_output

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
Kept = Annotated[
    list[str] | None,
    result(metavar="NAMES", help="Columns of FILE to show as well, such as a key."),
]
Model = Annotated[
    Path | None,
    option(
        metavar="MODEL",
        help="A model that untie fit or Python saved, instead of learning from FILE.",
    ),
]
Clusters = Annotated[
    int | None, option("--k", min=2, show_default="chosen", help="Number of clusters.")
]

COMMANDS: dict[str, tuple[Callable[..., None], str]] = {}
"""What runs each sub-command, and its examples, in the order of the help."""


def sharing(
    function: Callable[..., None], kind: type[Any], without: Sequence[str] = ()
) -> Callable[..., None]:
    """Give a function the options of a dataclass; it gets them as one argument, `options`.

    What the docstrings of both say of parameters is the help of the options: where numpydoc has a
    type, a word in capitals is what the help calls the value.

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
    described: dict[str, tuple[str, str]] = {}
    for place in (*reversed(kind.__mro__), function):
        described |= _described(inspect.getdoc(place) or "")
    keyword, hints = inspect.Parameter.KEYWORD_ONLY, get_type_hints(kind, include_extras=True)
    own = inspect.signature(function, eval_str=True).parameters
    parameters = [one.replace(kind=keyword) for name, one in own.items() if name != "options"]
    parameters += [
        inspect.Parameter(field.name, keyword, default=field.default, annotation=hints[field.name])
        for field in shared
    ]

    def run(**arguments: Any) -> None:
        options = kind(**{field.name: arguments.pop(field.name) for field in shared})
        is_query = getattr(options, "sql", None) is not None
        for name in ("model",) if is_query else ("model", "file", "new"):
            check_file(arguments.get(name))
        check_apart({"output": options.output, **arguments})
        check_output(options.output)
        function(options=options, **arguments)

    parameters = [_with_help(one, described.get(one.name)) for one in parameters]
    run.__name__ = function.__name__
    # typer reads the signature from here; to the type checker a function has none.
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _described(docstring: str) -> dict[str, tuple[str, str]]:
    """Return what a docstring says of parameters: the type and the text of each."""
    section = docstring.partition("\nParameters\n----------\n")[2].partition("\n\n")[0]
    entries = re.findall(r"^(\w+) : (.+)\n((?:    .+\n?)+)", section, re.MULTILINE)
    return {name: (kind, " ".join(text.split())) for name, kind, text in entries}


def _with_help(
    parameter: inspect.Parameter, described: tuple[str, str] | None
) -> inspect.Parameter:
    """Return a parameter of a sub-command with the help that a docstring has for it."""
    if described is None:
        return parameter
    kind, own = parameter.annotation.__origin__, copy(parameter.annotation.__metadata__[0])
    own.metavar, own.help = (described[0] if described[0].isupper() else None), described[1]
    return parameter.replace(annotation=Annotated[kind, own])


def command(
    kind: type[Any], without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function the sub-command of its name, and its docstring the help.

    `kind` and `without` are as of `sharing`.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        run = sharing(function, kind, without)
        docstring = inspect.cleandoc(function.__doc__ or "")
        text, _, examples = docstring.partition("Examples\n--------\n")
        run.__doc__ = _flowing(text.partition("Parameters\n----------\n")[0])
        COMMANDS[function.__name__] = run, f"[bold]Examples[/bold]\n\n{_flowing(examples)}"
        return function

    return decorate


def _flowing(text: str) -> str:
    """Return text whose lines end with the paragraph, to be broken where the terminal ends."""
    return "\n\n".join(part.replace("\n", " ") for part in text.strip().split("\n\n"))


number = partial(option, "--n", "-n", min=1, show_default=True)
fraction = partial(option, min=0, max=1, show_default=True)

PageFormat = StrEnum("PageFormat", ["html", "md", "json"])
"""How the page is written."""

ENDINGS = {
    PageFormat.html: (".html", ".htm"),
    PageFormat.md: (".md", ".markdown"),
    PageFormat.json: (".json",),
}


@command(LearningOptions, without=["output", "format_", "safe_csv"])
def report(
    options: LearningOptions,
    file: File = None,
    k: Clusters = None,
    output: Annotated[
        Path | None, result("--output", "-o", show_default="FILE-report.html")
    ] = None,
    form: Annotated[
        PageFormat | None, result("--format", show_default="by the ending of PAGE, else html")
    ] = None,
    title: Annotated[str | None, result(show_default="FILE")] = None,
) -> None:
    """Learn, choose the number of groups, find and explain them, and write a page about it all.

    Parameters
    ----------
    output : PAGE
        The file to write; its ending (.html, .md, .json) says how.
    form : PageFormat
        A page for a browser, or all that is on it as Markdown or JSON.
    title : str
        What the page calls the table.

    Examples
    --------
    [cyan]untie report mushroom.csv[/cyan]  writes mushroom-report.html

    [cyan]untie report people.csv --label left --k 4 --output people.html[/cyan]

    [cyan]untie report --sql "SELECT * FROM 'sales/*.parquet' WHERE year = 2025" -o
    sales.html[/cyan]

    [cyan]untie report people.csv --format md[/cyan]  writes people-report.md, for a ticket

    The page is one file that works without a network: a map of the rows, groups and what makes
    them, unusual rows, values that are alike, and the code that makes it again.
    """
    page = output or _page_for(file, form or PageFormat.html)
    endings = ENDINGS[form] if form else tuple(end for some in ENDINGS.values() for end in some)
    if page.suffix == ".gz":
        raise UserError(
            f"{str(page)!r} is no name for a page, which is not compressed; end it {endings[0]}."
        )
    check_output(page, endings)
    need("jinja2", "report", "Reports")  # before the work
    from untie.cli.report import write_report

    write_report(file, options, k, page, title)


def _page_for(file: str | None, form: PageFormat) -> Path:
    if file is None or file == "-" or "*" in file:
        return Path(f"report.{form}")
    return Path(f"{Path(file).name.removesuffix('.gz').rsplit('.', 1)[0] or 'table'}-report.{form}")


@command(LearningOptions)
def cluster(
    options: LearningOptions,
    file: File = None,
    k: Clusters = None,
    save: Annotated[Path | None, option()] = None,
    model: Annotated[Path | None, option()] = None,
    lazy: Annotated[bool, option("--lazy")] = False,
    undivided: Annotated[bool, option("--no-subclusters")] = False,
) -> None:
    """Group similar rows and show what makes each group.

    The largest cluster is 0. Of each, the values are named that are far more frequent in it than
    elsewhere, with their share in it and elsewhere; of numbers, a range. What is said first is
    whether there are groups at all, and which columns they rest on.

    Parameters
    ----------
    save : MODEL
        Keep the clusters in a file, for untie assign.
    model : MODEL
        Clusters that --save or Python kept, instead of new ones: as untie assign.
    lazy : bool
        Read the rows piece by piece, several times; needs --output.
    undivided : bool
        Do not look for smaller clusters within the clusters, which may take longer than the
        clusters themselves. With --lazy it is not done either.

    Examples
    --------
    [cyan]untie cluster mushroom.csv --label class[/cyan]  the groups, and what makes them

    [cyan]untie cluster mushroom.csv --k 5 --output grouped.csv[/cyan]  every row with its group

    [cyan]untie cluster mushroom.csv --save mushroom.untie[/cyan]  keep the clusters for new
    rows, which [cyan]untie assign[/cyan] or --model puts into them

    [cyan]untie cluster 'logs/*.parquet' --lazy -o grouped.parquet[/cyan]  more rows than memory
    holds

    In a pipe, or with --format csv, the rows come out with their cluster as a last column. Where
    a cluster divides into smaller ones that are as certain, the column subcluster follows: 0a and
    0b in cluster 0 if it divides, else 0.
    """
    check_output(save, None)
    if lazy and options.output is None:
        raise UserError("--lazy needs --output FILE, where the rows and their clusters go.")
    if model is not None:
        if k is not None or lazy or save is not None or undivided:
            raise UserError(
                "--k, --lazy, --save and --no-subclusters are for new clusters; the model has its "
                "own."
            )
        refuse_for_model(options)
        if options.weight is not None or options.label is not None:
            raise UserError(
                "--weight and --label are for new clusters; with a model, every row is put into "
                "one of its clusters, and all columns of the file come out."
            )
        from untie.cli.streaming import assign_rows

        assign_rows(model, file, options)
    else:
        from untie.cli.cluster import cluster_rows

        cluster_rows(file, options, k, lazy, save, not undivided)


@command(SourceOptions)
def assign(
    options: SourceOptions,
    model: Annotated[Path, typer.Argument()],
    file: File = None,
) -> None:
    """Put new rows into the clusters of a model.

    A row goes where its values are likeliest. It is unlike any cluster if it is farther from the
    mean of each than 99 % of the rows that the cluster was made of, where a value that the model
    does not know is as far as the farthest that it knows.

    In a pipe, with --output or with --format csv, the rows come out with four more columns:
    cluster, distance, unknown and note.

    Parameters
    ----------
    model : MODEL
        What untie cluster --save or Python kept.

    Examples
    --------
    [cyan]untie cluster people.csv --save people.untie[/cyan]  first, the clusters

    [cyan]untie assign people.untie new.csv[/cyan]  how many rows go where, and which are like
    none

    [cyan]untie assign people.untie new.csv --output assigned.csv[/cyan]  every row with its
    cluster

    distance: of the row to the mean of its cluster, not squared; unknown: how many of its
    values the model does not know; note: what makes it unlike any cluster, or these values.
    """
    from untie.cli.streaming import assign_rows

    assign_rows(model, file, options)


@command(LearningOptions)
def neighbors(
    options: LearningOptions,
    file: File = None,
    row: Annotated[int | None, option(min=1)] = None,
    where: Annotated[list[str] | None, option()] = None,
    like: Annotated[str | None, option()] = None,
    n: Annotated[int, number()] = 10,
    why: Annotated[bool, option("--why")] = False,
    distinct: Annotated[bool, option("--distinct")] = False,
    keep: Kept = None,
    model: Model = None,
) -> None:
    """Find the rows most like a row, or like some values, and say why.

    The nearest come first, by the distance of vectors that are learned to find similar rows. It is
    not squared; the distances of columns that --why tells are squared, and add up to its square. A
    similarity is a sum over the columns, and the columns named are those that contribute most; it
    need not fall with the rank, as rare values make a row similar to more. With --where, the
    columns that it names count alone. All rows are compared, and read piece by piece.

    Parameters
    ----------
    row : int
        A row's number, from 1.
    where : NAME=VALUE
        A value to look for; may be repeated. Of the column that names the rows, the row of that
        name: --where name=Ann.
    like : FILE
        A file; look for rows like each of its.
    n : int
        Number of neighbors.
    why : bool
        One line for each column and what it contributes.
    distinct : bool
        Of equal rows show the first, and none like ROW.

    Examples
    --------
    [cyan]untie neighbors mushroom.csv --row 17[/cyan]

    [cyan]untie neighbors melons.csv --where color=green --where size=big[/cyan]

    [cyan]untie neighbors orders.csv --row 17 --distinct --keep order_id[/cyan]  with a key,
    without copies

    [cyan]untie neighbors mushroom.csv --row 17 --why --format csv[/cyan]  what each column
    contributes

    [cyan]untie neighbors orders.parquet --model orders.untie --like new.csv --output
    alike.csv[/cyan]

    Rows are counted from 1: the first line below the names of the columns is row 1.
    """
    if (row is not None) + bool(where) + (like is not None) != 1:
        raise UserError(
            "Say what to look for: --row 17, --where color=green or --like new.csv; one of them."
        )
    if like is not None and why:
        raise UserError("--why is for --row and --where, not for all rows of a file (--like).")
    check_file(like)
    from untie.cli.neighbors import Looking
    from untie.cli.reading import learned
    from untie.cli.showing import show

    rows, _, fitted = learned(file, options, model, in_memory_now=False)
    looking = Looking(fitted, rows, n, distinct, keep, options, is_new=model is not None)
    if like is not None:
        result, title = looking.like_rows_of(like), f"Rows most like those of {like}"
    else:
        result, called = looking.like_one(row, where, why)
        title = f"Rows most like {called}"
    show(result, options, title)


@command(LearningOptions, without=["solver"])
def outliers(
    options: LearningOptions,
    file: File = None,
    n: Annotated[int, number()] = 20,
    everything: Annotated[bool, option("--all")] = False,
    keep: Kept = None,
    model: Model = None,
) -> None:
    """Find the rows with unusual combinations of values, and say which they are.

    Parameters
    ----------
    n : int
        Maximum number of rows.
    everything : bool
        List ordinary rows, too, up to --n; the column "unusual" marks the others.

    Examples
    --------
    [cyan]untie outliers orders.csv[/cyan]

    [cyan]untie outliers orders.csv -n 100 --output check.csv[/cyan]

    [cyan]untie outliers today.csv --model orders.untie[/cyan]  unusual beside the rows of the
    model

    score: how surprising the row's pairs of values are, in nats, and values that a model has
    never seen, or numbers outside those that it has; share: of all rows that are at least as
    surprising, those of the model's table with --model. A row is unusual if its score is beyond
    those of the other rows, and beyond what any row would have if the columns were independent;
    most tables have few such rows, or none. Rows are counted from 1.
    """
    from itertools import compress

    from untie._table.frames import columns_of
    from untie.cli.reading import learned, told_rows
    from untie.cli.showing import chosen_format, rounded, say, show, waiting
    from untie.cli.streaming import tell_unknown
    from untie.explain import outliers as most_unusual

    rows, estimator, fitted = learned(file, options, model)
    if model is not None:
        tell_unknown(fitted, rows, options.quiet, ", which adds to their scores")
    share_of = "data" if model is None else "model"
    with waiting("looking for unusual rows", options.quiet):
        found = columns_of(most_unusual(estimator, rows, n=n, share_of=share_of))
    title = "The rows with the highest scores"
    if not everything:
        title = "Unusual rows"
        is_unusual = found.pop("unusual")
        found = {name: list(compress(cells, is_unusual)) for name, cells in found.items()}
        if not any(is_unusual):
            said = (
                f"None of {rows.num_rows:,} rows has an unusual combination of values; --all lists "
                "the highest scores."
            )
            say(said, options.quiet)
            if options.output is None and chosen_format(options.format_) == Format.table:
                return
    places = found.pop("position")
    found.pop("name", None)
    result = {**told_rows(fitted, rows, options, keep, places), **rounded(found)}
    show(result, options, title)


@command(ColumnOptions, without=["date_parts", "row_names"])
def fill(
    options: ColumnOptions,
    file: File = None,
    min_probability: Annotated[float, fraction("--min-probability")] = 0.5,
    numbers: Annotated[bool, option("--numbers")] = False,
    model: Model = None,
) -> None:
    """Fill missing cells with their likeliest values, into a new file.

    The value is predicted from the known cells of the row: from the clusters that it may belong to,
    the rows nearest to it and the values that go with its other cells. Held-out cells decide which
    of these counts how much. Cells that have a value are never changed; ? and the like have none
    where they are read as missing.

    Parameters
    ----------
    min_probability : float
        Cells whose likeliest value is less probable stay missing; 0 fills all that it can.
    numbers : bool
        Also fill numbers and dates that were binned, whatever --min-probability: with the median of
        what is likely.

    Examples
    --------
    [cyan]untie fill people.csv --output filled.csv[/cyan]  the cells that are more likely right
    than wrong

    [cyan]untie fill people.csv -o filled.csv --min-probability 0.9[/cyan]  only those that are
    nearly certain

    [cyan]untie fill people.csv -o filled.csv --numbers --drop spouse_age[/cyan]  numbers, too,
    but not of questions that were not asked

    Without --output, the filled rows come out in a pipe, and a terminal shows how many cells would
    be filled. Columns that are not learned from are not filled, nor are those with a single
    value, where a missing cell may be the other. A cell that is missing because there is nothing
    to say has no likely value: leave such columns out with --drop.

    With --model, a file with fewer rows than the model keeps (at most 2,000 different ones) is
    filled by what these say, so a single new row can be filled; a larger file by its own rows.
    """
    from untie.cli.fill import fill_rows

    fill_rows(file, options, model, min_probability, numbers)


@command(LearningOptions, without=["row_names"])
def values(
    options: LearningOptions,
    file: File = None,
    column: Annotated[str | None, option(show_default="all")] = None,
    why: Annotated[str | None, option()] = None,
    n: Annotated[int, number()] = 20,
    model: Model = None,
) -> None:
    """Find values that occur in the same company, such as two names of one thing, and say why.

    Parameters
    ----------
    column : NAME
        The column to look at.
    why : VALUE,VALUE
        Two values of --column to explain.
    n : int
        Number of lines.

    Examples
    --------
    [cyan]untie values mushroom.csv[/cyan]  the most alike, in all columns

    [cyan]untie values mushroom.csv --column odor[/cyan]

    [cyan]untie values mushroom.csv --column odor --why a,l[/cyan]  what the two share

    alikeness: from -1 to 1, how far the rows that have one value are like those that have the
    other in all other columns; at_least: less two standard errors; the pairs are in its order.
    Go by at_least. Values of few rows, as most typos, can hardly be judged by what they occur
    with; for them it is mostly near 0 or below: nothing is known. similarity: of the learned
    vectors, in which rare values may be near each other for being rare, whatever they mean.
    """
    if why is not None and column is None:
        raise UserError("--why needs the column: --column odor --why a,l")
    from untie._inputs import labels_in_order
    from untie._table.frames import columns_of
    from untie.cli.reading import check_learned, learned
    from untie.cli.showing import rounded, say, show
    from untie.explain import alike_values, why_alike

    _, estimator, fitted = learned(file, options, model)
    if column is not None:
        check_learned(fitted, column)
    title = "Values in the same company"
    if column is None or why is None:
        found = columns_of(alike_values(estimator, column, n=n))
        if not found["value"]:
            say("No two values have anything in common.", options.quiet)
        counts = fitted.encoder.counts_
        if counts.n == counts.n_rows:  # nothing has a weight but its rows
            for name, weight in (("rows", "weight"), ("other_rows", "other_weight")):
                found[name] = [round(one) for one in found.pop(weight)]
    else:
        place = fitted.encoder.vocabulary_.index_of(column)
        first, second = _two(why, labels_in_order(fitted.encoder, place), column)
        found = columns_of(why_alike(estimator, column, first, second, n=n))
        heads = {"share": f"beside {first}", "other_share": f"beside {second}"}
        found = {heads.get(name, name): cells for name, cells in found.items()}
        title = f"What {first} and {second} share, and what distinguishes them"
    show(rounded(found), options, title)


def _two(text: str, labels: list[str], column: str) -> tuple[str, str]:
    """Return two values that a comma stands between; they may hold commas themselves."""
    for place, mark in enumerate(text):
        first, second = text[:place].strip(), text[place + 1 :].strip()
        if mark == "," and first in labels and second in labels:
            return first, second
    some = ", ".join(labels[:10]) + (", ..." if len(labels) > 10 else "")
    raise UserError(f"--why takes two values of {column!r}, got {text!r}; there are {some}.")


@command(ColumnOptions, without=["sql", "row_names"])
def drift(
    options: ColumnOptions,
    file: File = None,
    new: Annotated[str | None, typer.Argument(show_default=False)] = None,
    model: Annotated[Path | None, option()] = None,
    fail_on: Annotated[list[FailOn] | None, option("--fail-on")] = None,
    alpha: Annotated[float, fraction()] = 0.01,
    min_effect: Annotated[float, fraction()] = 0.05,
    everything: Annotated[bool, option("--all")] = False,
) -> None:
    """Tell what has changed from one table to another.

    New and lost values, columns whose frequencies have shifted, and pairs of columns that depend on
    each other otherwise than before. Numbers are binned by the ranges of the first table.

    Parameters
    ----------
    new : NEW
        The table to compare with FILE, of any of its kinds.
    model : MODEL
        A model that untie fit or Python saved; FILE is then the table to compare with the one
        that it has learned from.
    fail_on : KIND
        Exit with 1 if this has drifted: columns (the frequencies of one), values (new or lost
        ones), couplings (how columns depend on each other), or any of these. Repeatable.
    alpha : float
        Largest p-value of a change; less is stricter.
    min_effect : float
        Smallest share of rows that must have moved.
    everything : bool
        Every column, value and pair, drifted or not.

    Examples
    --------
    [cyan]untie drift january.csv july.csv[/cyan]  what has changed since January

    [cyan]untie drift january.csv july.csv --fail-on any -q[/cyan]  for pipelines: the exit code
    is 1 if anything has, 0 if nothing has, 2 if something is wrong with the files or options

    [cyan]untie drift july.csv --model january.untie[/cyan]  beside the rows that a model has
    learned from

    [cyan]untie drift january.csv july.csv --all --output changes.csv[/cyan]  every value and
    pair of columns, drifted or not

    moved: the share of the rows that would have to be different for all to be as before. A
    column or a pair of columns has drifted if the change is no accident (p below --alpha,
    corrected for the number of tests) and not small (at least --min-effect has moved). A new or
    a lost value counts if it is no accident, however few rows have it. A number that has shifted
    is one line, with the range of its median before and after. Of couplings, before and after are
    how far one column tells the other, from 0 to 1.
    """
    if file in ("-", "/dev/stdin") and new in ("-", "/dev/stdin"):
        raise UserError("Only one of the two tables can be standard input.")
    if model is None and (file is None or new is None):
        raise UserError("Name two files, the usual one first: untie drift january.csv july.csv")
    if model is not None and (file is None or new is not None):
        raise UserError("With --model, name one file: untie drift july.csv --model january.untie")
    assert file is not None
    from untie.cli.drift import compare_tables, compare_with_model, has_failed, show_changes

    if model is not None:
        refuse_for_model(options)
        found = compare_with_model(model, file, options, alpha, min_effect)
    else:
        assert new is not None
        found = compare_tables(file, new, options, alpha, min_effect)
    show_changes(found, everything, options)
    if has_failed(found, fail_on or []):
        raise typer.Exit(1)


@command(TableOptions, without=["safe_csv", "row_names"])
def compare(
    options: TableOptions,
    file: File = None,
    k: Clusters = None,
    seed: Seed = 0,
) -> None:
    """Cluster a table with several methods and score the clusters.

    Examples
    --------
    [cyan]untie compare mushroom.csv --drop class --k 2[/cyan]

    [cyan]untie compare mushroom.csv --label class[/cyan]  as many clusters as there are
    classes, with F and ARI

    gain: nats per row (1 nat is 1.44 bits) by which the clusters describe the table better than
    none; silhouette: of the share of columns in which rows differ; stability: agreement with
    the clusters of resampled rows (adjusted Rand index). Higher scores are better, in every
    column.
    """
    from untie._table.frames import columns_of
    from untie._table.rows import read_weights
    from untie.cli.reading import column, new_preparer, read_rows, tell_columns
    from untie.cli.showing import bar, chosen_format, rounded, say, show, waiting
    from untie.clusterer import TableClusterer, fit_prepared
    from untie.comparison import compare_prepared
    from untie.preparer import binned_numbers

    rows = read_rows(file, options)
    preparer = new_preparer(options, rows.column_names)
    frame = preparer.fit_transform(rows, sample_weight=options.weight)
    tell_columns(preparer, options)
    weights = options.weight and read_weights(column(rows, options.weight), len(rows))
    answers = None if options.label is None else column(rows, options.label)
    if k is None and answers is not None:
        k = max(2, len({answer for answer in answers if answer is not None}))
    with waiting("finding the clusters", options.quiet):
        clusterer = TableClusterer(k or "auto", preparer=None, random_state=seed)
        fit_prepared(clusterer, frame, weights, preparer)
    k = k or clusterer.n_clusters_
    result = compare_prepared(
        frame,
        k,
        y=answers,
        sample_weight=weights,
        numbers=binned_numbers(preparer, rows),
        preparer=preparer,
        clusterer=clusterer,
        random_state=seed,
        watch=lambda names: bar(names, options.quiet),
    )
    for reason in result.skipped:
        say(f"Left out: {reason}", options.quiet)
    title = f"{k} clusters of {result.n_rows:,} rows; higher scores are better"
    if options.output is not None or chosen_format(options.format_) != Format.table:
        say(title, options.quiet)
    show(rounded(columns_of(result.table())), options, title)


@command(LearningOptions, without=["output", "format_", "safe_csv"])
def fit(
    options: LearningOptions,
    file: File = None,
    output: Annotated[Path | None, option("--output", "-o")] = None,
    k: Clusters = None,
    components: Annotated[int | None, option(min=1, show_default="all")] = None,
) -> None:
    """Learn from a table and keep the model in a file.

    Parameters
    ----------
    output : MODEL
        Where to keep the model; needed.
    components : int
        Numbers per row that transform gives.

    Examples
    --------
    [cyan]untie fit mushroom.csv --output mushroom.untie[/cyan]

    [cyan]untie fit 'sales/*.parquet' --drop price -o sales.untie[/cyan]  files that need not
    fit in memory

    The model keeps how columns were binned; [cyan]untie transform[/cyan] does the same to new
    rows.
    """
    if output is None:
        raise UserError("Say where to keep the model: --output model.untie")
    check_output(output, None)
    from untie._engines.registry import open_table
    from untie._inputs import as_fitted
    from untie.cli.reading import fit_model, needs_rows, new_encoder, read_rows, tell_columns
    from untie.cli.showing import say, tell_families, waiting
    from untie.model_file import save_model

    rows = read_rows(file, options, needs_rows(options))
    model = new_encoder(options, open_table(rows).columns, k or "auto", components)
    with waiting("learning", options.quiet):
        fit_model(model, rows, options.weight)
    save_model(model, output)
    fitted = as_fitted(model)
    tell_columns(fitted.preparer, options)
    encoder = fitted.encoder
    sizes = encoder.vocabulary_.sizes
    say(
        f"Learned from {encoder.counts_.n_rows:,} rows, {counted(len(sizes), 'column')} with "
        f"{sum(sizes):,} values, for {encoder.n_clusters_} clusters: {output}",
        options.quiet,
    )
    if encoder.k_choice_ is not None:
        say(encoder.k_choice_.verdict, options.quiet)
    tell_families(encoder, options.quiet)


@command(SourceOptions, without=["output"])
def transform(
    options: SourceOptions,
    model: Annotated[Path, typer.Argument()],
    file: File = None,
    output: Annotated[Path | None, result("--output", "-o")] = None,
    keep: Annotated[list[str] | None, option()] = None,
) -> None:
    """Write the vectors of rows, by a model that was learned before.

    Numbers are binned as in the table that the model was learned from. Columns that it was not
    learned from are left alone. A value that the model does not know is neutral, and is told. Of
    a clusterer, these are the vectors that it finds clusters of.

    Parameters
    ----------
    model : MODEL
        What untie fit or Python saved.
    output : FILE
        Write here, in the format of the ending (.csv, .tsv, .parquet, .feather).
    keep : NAMES
        Columns to write as well, such as a key.

    Examples
    --------
    [cyan]untie transform mushroom.untie new.csv --output vectors.parquet[/cyan]

    [cyan]cat new.csv | untie transform mushroom.untie - --keep id > vectors.csv[/cyan]
    """
    check_output(output, (".csv", ".tsv", ".parquet", ".pq", ".feather", ".arrow"))
    from untie.cli.streaming import write_vectors

    write_vectors(model, file, options, output, keep)


@command(ResultOptions, without=["output", "safe_csv", "quiet"])
def info(options: ResultOptions, model: Annotated[Path, typer.Argument()]) -> None:
    """Show what a model's file holds, and what it was saved with.

    The file is read whole and its self-check is run: about twenty rows, made of the values that
    the model knows, and what it answered to them where it was saved.

    Parameters
    ----------
    model : MODEL
        What untie fit, untie cluster --save or Python saved.

    Examples
    --------
    [cyan]untie info mushroom.untie[/cyan]

    [cyan]untie info mushroom.untie --format json[/cyan]  for a program

    stability: agreement of the clusters with those made from half of the rows (adjusted Rand
    index), where k was chosen.
    """
    from untie.cli.model_files import show_model

    show_model(model, options)


@command(ResultOptions, without=["output", "format_", "safe_csv"])
def upgrade(
    options: ResultOptions,
    model: Annotated[Path, typer.Argument()],
    output: Annotated[Path | None, option("--output", "-o", show_default="MODEL itself")] = None,
) -> None:
    """Write a model's file in the newest format.

    Files of older formats can be read without; it saves the time that this takes, and other
    programs may know the newest format alone. What the model learned stays the same, and so do the
    versions that it was saved with and its self-check.

    Parameters
    ----------
    model : MODEL
        What untie fit, untie cluster --save or Python saved.
    output : FILE
        Write here instead, and leave MODEL as it is.

    Examples
    --------
    [cyan]untie upgrade mushroom.untie[/cyan]

    [cyan]untie upgrade mushroom.untie --output new.untie[/cyan]
    """
    check_output(output, None)
    from untie.cli.model_files import upgrade_file

    upgrade_file(model, output, options.quiet)


Target = StrEnum("Target", ["duckdb", "postgres", "spark", "bigquery", "onnx"])
"""Where an exported model runs."""


@command(ResultOptions, without=["output", "format_", "safe_csv", "quiet"])
def export(
    options: ResultOptions,
    model: Annotated[Path, typer.Argument()],
    to: Annotated[Target, option("--to")],
    output: Annotated[Path | None, result("--output", "-o")] = None,
    table: Annotated[str | None, option()] = None,
    returned: Annotated[list[str] | None, result("--result")] = None,
    keep: Annotated[list[str] | None, option()] = None,
    lookup: Annotated[str | None, option(show_default="untie_ and MODEL's name")] = None,
    as_text: Annotated[list[str] | None, option()] = None,
) -> None:
    """Write a model as SQL, or for onnxruntime; it takes raw rows, and needs no untie there.

    The SQL is one script: it makes two look-up tables, in the place of those that it made before,
    and then asks for the result.

    Parameters
    ----------
    model : MODEL
        What untie fit, untie cluster --save or Python saved.
    to : TARGET
        The database, or onnx.
    output : FILE
        Write here (.sql, .onnx); SQL is printed if not given.
    table : NAME
        The table with the rows in the database; needed for SQL.
    returned : PARTS
        Of a model with clusters: cluster, probability (of this cluster), probabilities (of all),
        vectors; with commas. If not given, the cluster, for onnx also the probabilities.
    keep : NAMES
        Columns of the table to return as well, such as a key; * for all.
    lookup : NAME
        How the names of the look-up tables begin; _values and _vectors follow.
    as_text : NAMES
        Of onnx: columns of numbers that come as text.

    Examples
    --------
    [cyan]untie export people.untie --to postgres --table people --keep id -o people.sql[/cyan]

    [cyan]untie export people.untie --to onnx -o people.onnx[/cyan]
    """
    check_output(output, (".onnx",) if to == Target.onnx else (".sql",))
    from untie.cli.exporting import write_onnx, write_sql

    if to == Target.onnx:
        write_onnx(
            model, output, {"table": table, "keep": keep, "lookup": lookup}, returned, as_text
        )
    else:
        write_sql(model, to.value, output, {"as-text": as_text}, table, returned, keep, lookup)


@command(ResultOptions, without=["safe_csv", "quiet"])
def datasets(
    options: ResultOptions,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A data set to write.", show_default=False)
    ] = None,
) -> None:
    """List the data sets that come along, or write one; its last column, class, is the answer.

    Examples
    --------
    [cyan]untie datasets[/cyan]  what there is

    [cyan]untie datasets zoo --output zoo.csv[/cyan]

    [cyan]untie datasets mushroom | untie cluster - --label class[/cyan]
    """
    from untie._table.frames import columns_of
    from untie.cli.showing import say, show
    from untie.datasets import load, names

    # As arrays: none of the libraries for frames need be installed.
    if name is None:
        tables = [load(one, frame="numpy") for one in names()]
        columns = {
            "name": names(),
            "rows": [len(y) for _, y in tables],
            "columns": [len(X.dtype.names) for X, _ in tables],
            "classes": [len(set(y.tolist())) for _, y in tables],
        }
        show(columns, options, "Data sets")
        is_written = options.output is not None
        say("Write one: untie datasets NAME --output NAME.csv", is_written)
        return
    try:
        X, y = load(name, frame="numpy")
    except ValueError as error:
        raise UserError(str(error)) from error
    label = "class (answer)" if "class" in X.dtype.names else "class"
    show({**columns_of(X), label: y.tolist()}, options)
