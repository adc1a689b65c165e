"""A table -> its page."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from untie._engines.registry import open_table
from untie._inputs import check_encoder, encode_rows
from untie._learn.purposes import CLUSTERS
from untie._prepare.defaults import BINS, MAX_CATEGORIES
from untie._table.frames import coded_once
from untie._table.names import check_column
from untie._table.orders import AUTO
from untie._table.sample_weights import read_weights, split_weights
from untie._table.table import read_table
from untie._util.checks import check_integer
from untie._util.warn import UnpreparedWarning
from untie.clusterer import TableClusterer
from untie.encoder import TableEncoder
from untie.explain import verdict
from untie.preparer import Preparer
from untie.report._page import Watch, make_page
from untie.report._report import Report
from untie.report._study import Answers, Study
from untie.report.recipe import Recipe, Wish, recipe_of, recipe_of_encoder


def make_report(
    data: Any,
    *,
    n_clusters: int | str = "auto",
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    label: str | None = None,
    sample_weight: str | None = None,
    bins: int = BINS,
    max_categories: int = MAX_CATEGORIES,
    title: str = "the table",
    random_state: int | None = None,
    column_weights: Mapping[str, float] | None = None,
    ordered: Any = AUTO,
    categorical: Sequence[str] = (),
    missing: str | Sequence[str] = AUTO,
    day_first: bool | None = None,
    date_parts: Sequence[str] = (),
    solver: str = "auto",
    purpose: str = CLUSTERS,
) -> Report:
    """Learn from a table, find groups of similar rows and write a page about them.

    The page is one HTML file of at most 5 MB that needs no network. It begins with the groups, a
    name of a few words for each and a map of the rows; then come what makes the groups, how
    frequent values are in each, any two of them side by side, unusual rows, values and columns
    that go together, what was done to the columns, how the number of groups was chosen, other
    methods on the same rows, and the code that makes it again. Large tables are sampled for the
    map, and the page says so. The same is there as Markdown and as plain data.

    Needs jinja2, of the extra ``report``.

    Parameters
    ----------
    data : table of shape (n_rows, n_columns)
        In memory, with columns of any kind; :class:`untie.Preparer` makes categories of them.
    n_clusters : int or "auto", default="auto"
        Number of groups, from 2 to 20 or so; "auto" chooses from 2 to 10 and says how sure it is.
    columns : sequence of str, optional
        The only columns to learn from.
    drop : sequence of str
        Columns to leave out.
    label : str, optional
        A column with the answer: not learned from, shown on the map and beside the groups, and used
        to judge methods.
    sample_weight : str, optional
        The column that says how often each row counts.
    bins : int, default=35
        Number of ranges that numbers are binned into, from 5 to 50; fewer where rows are few. The
        ranges keep their order.
    max_categories : int, default=100
        At most this many values per column are told apart; the rarest of more are merged. More
        take more memory and time.
    title : str, default="the table"
        What the table is called.
    random_state : int or None, default=None
        Seed of all that is drawn; None is 0. The same table and seed give the same page but for
        the time.
    column_weights : mapping from columns to numbers, optional
        Factors on the votes of columns, as of :class:`untie.TableEncoder`; 0 is described but not
        learned from.
    ordered : "auto", False, sequence of str or mapping, default="auto"
        Columns whose order counts, as of :class:`untie.TableEncoder`; numbers that are binned have
        one anyway.
    categorical : sequence of str
        Columns whose numbers are names, such as the number of a flight: they are not binned.
    missing, day_first, date_parts
        Which texts stand for missing cells, how dates are written, and what to take out of them, as
        of :class:`untie.Preparer`.
    solver : str, default="auto"
        How the weights are found, as of :class:`untie.TableEncoder`.
    purpose : {"clusters", "neighbors"}, default="clusters"
        What the vectors are chosen for, as of :class:`untie.TableEncoder`.

    Returns
    -------
    Report
        ``save(path)`` writes it, by its ending as a page (.html), Markdown (.md) or JSON (.json);
        a notebook shows it. ``to_markdown()`` and ``to_dict()`` give the text and the data.

    Raises
    ------
    ValueError
        If the table is lazy: collect it, or some of its rows.

    See Also
    --------
    report_encoder : The page of an encoder that was fitted before.

    Examples
    --------
    >>> from untie.datasets import load
    >>> from untie.report import make_report
    >>> X, y = load("zoo")
    >>> report = make_report(X.head(40), n_clusters=2, title="zoo")
    >>> report.summary.split(". ")[1]
    '2 groups of similar rows, as asked for, resting on ... of 16 columns'
    """
    seed = _seed(random_state)
    _check_in_memory(data)
    if isinstance(drop, str):
        raise TypeError(f"drop must be a list of names, got {drop!r}: [{drop!r}].")
    if isinstance(categorical, str):
        raise TypeError(f"categorical must be a list of names, got {categorical!r}.")
    names = read_table(data).names
    check_column(label, names, "label")
    check_column(sample_weight, names, "sample_weight")
    title = title or Wish.title
    wish = Wish(
        n_clusters,
        columns,
        tuple(drop),
        label,
        sample_weight,
        bins,
        max_categories,
        title,
        seed,
        column_weights,
        ordered,
        tuple(categorical),
        missing,
        day_first,
        date_parts,
        solver,
        purpose,
    )
    preparer = wish.preparer().fit(data, sample_weight=sample_weight)
    kept = {name: _cells(data, name) for name in (label, sample_weight) if name is not None}
    return report_prepared(
        preparer.transform(data),
        preparer,
        wish,
        answers=None if label is None else kept[label],
        weights=None if sample_weight is None else np.asarray(kept[sample_weight], dtype=float),
    )


def report_prepared(
    frame: Any,
    preparer: Preparer | None,
    wish: Wish,
    *,
    answers: Sequence[Any] | None = None,
    weights: Any = None,
    recipe: Recipe | None = None,
    watch: Watch | None = None,
) -> Report:
    """Make the page of a table whose columns are categories.

    Parameters
    ----------
    frame : frame
        The columns to learn from, prepared.
    preparer : Preparer or None
        Fitted; made them.
    wish : Wish
        What the user asked for.
    answers : sequence, optional
        The cells of the column ``wish.label``.
    weights : array of shape (n_rows,), optional
        How often each row counts.
    recipe : Recipe, optional
        How the page was asked for; by default, that of `make_report`.
    watch : callable, optional
        Shows progress; see `make_page`.
    """
    seed = wish.random_state
    weights = None if weights is None else read_weights(weights, read_table(frame).n_rows)
    frame = coded_once(frame)
    clusterer = TableClusterer(
        wish.n_clusters, encoder=wish.encoder(), preparer=None, random_state=seed
    )
    with warnings.catch_warnings():
        # What was prepared is as it was asked for; the page says which columns those are.
        warnings.simplefilter("ignore", UnpreparedWarning)
        clusterer.fit(frame, sample_weight=weights)
        study = Study(
            encoder=clusterer.encoder_,
            frame=frame,
            labels=clusterer.labels_.astype(np.intp),
            weights=weights,
            verdict=verdict(clusterer, frame, sample_weight=weights, random_state=seed),
            preparer=preparer,
            answers=None if answers is None else Answers(str(wish.label), answers),
            title=wish.title,
            seed=seed,
            recipe=recipe or recipe_of(wish),
        )
        return make_page(study, watch)


def report_encoder(
    encoder: TableEncoder,
    data: Any,
    n_clusters: int | str | None = None,
    *,
    sample_weight: Any = None,
    title: str = "the table",
    random_state: int | None = None,
) -> Report:
    """Find groups of similar rows with a fitted encoder and make a page about them.

    `make_report` starts from a table whose columns may be anything; here the encoder was fitted
    before, with settings of its own, and the rows have its columns.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    data : table of shape (n_rows, n_columns)
        In memory, with the columns seen in `fit`.
    n_clusters : int or "auto", optional
        Number of groups; "auto" chooses it. None is the encoder's own, or "auto" if it has none.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so.
    title : str, default="the table"
        What the table is called.
    random_state : int or None, default=None
        Seed of all that is drawn; None is 0.

    Returns
    -------
    Report
        ``save(path)`` writes it; a notebook shows it.

    See Also
    --------
    make_report : From a table to a page in one call.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.report import report_encoder
    >>> rows = [["red", "wine"], ["red", "wine"], ["white", "wine"], ["brown", "beer"]] * 5
    >>> encoder = TableEncoder(n_clusters=2).fit(rows)
    >>> report_encoder(encoder, rows, title="drinks").summary.split(". ")[1].partition(", as")[0]
    'No groups found: 2 groups'
    """
    check_encoder(encoder)
    seed = _seed(random_state)
    _check_in_memory(data)
    title = title or Wish.title
    if n_clusters is None:
        n_clusters = encoder.n_clusters or "auto"
    data, sample_weight = split_weights(data, sample_weight)
    given, preparer = encoder, encoder.preparer_
    data, encoder = encoder._prepared(data), encoder._of_prepared()
    codes = encode_rows(encoder, data)
    weights = None if sample_weight is None else read_weights(sample_weight, len(codes[0]))
    clusterer = TableClusterer(n_clusters, random_state=seed)
    clusterer._fit_codes(encoder, codes, weights)
    study = Study(
        encoder=encoder,
        frame=read_table(data).source,
        labels=clusterer.labels_.astype(np.intp),
        weights=weights,
        verdict=verdict(clusterer, data, sample_weight=weights, random_state=seed),
        preparer=preparer,
        answers=None,
        title=title,
        seed=seed,
        recipe=recipe_of_encoder(given, n_clusters, title, seed, weights is not None),
    )
    return make_page(study)


def _check_in_memory(data: Any) -> None:
    if open_table(data).is_lazy:
        raise ValueError(
            "The report needs all rows in memory, but this table is read piece by piece; collect "
            "it first, or some of its rows."
        )


def _cells(data: Any, name: str) -> list[Any]:
    """Return the cells of a column of the user's table."""
    table = read_table(data)
    column = table.columns[table.names.index(name)]
    return column.to_list() if isinstance(column, nw.Series) else list(column)


def _seed(random_state: Any) -> int:
    seed = 0 if random_state is None else random_state
    check_integer("random_state", seed, 0, "a whole number, so that the page can name it")
    return int(seed)
