"""A table -> its page."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from untie._encoder_base import EncoderBase
from untie._engines.registry import open_table
from untie._inputs import as_fitted
from untie._prepare.unprepared import UnpreparedWarning
from untie._table.frames import coded_once
from untie._table.rows import cells_of, read_weights, split_weights, taken_from
from untie._table.table import check_names, read_table
from untie._util.checks import check_integer
from untie.clusterer import TableClusterer
from untie.encoder import TableEncoder
from untie.explain import verdict
from untie.preparer import Preparer
from untie.report._page import Watch, make_page
from untie.report._report import Report
from untie.report._study import Answers, Study
from untie.report.code import PageCode


def make_report(
    data: Any,
    clusterer: Any = None,
    *,
    label: Any = None,
    sample_weight: Any = None,
    title: str = PageCode.title,
) -> Report:
    """Find clusters of similar rows and write a page about them.

    The page is one HTML file of at most 5 MB that needs no network. It begins with the clusters, a
    name of a few words for each and a map of the rows; then come what makes the clusters, how
    frequent values are in each, any two of them side by side, unusual rows, values and columns
    that go together, what was done to the columns, how the number of clusters was chosen, other
    methods on the same rows, and the code that makes it again. Large tables are sampled for the
    map, and the page says so. The same is there as Markdown and as plain data.

    Needs jinja2, of the extra ``report``.

    Parameters
    ----------
    data : table of shape (n_rows, n_columns)
        In memory, with columns of any kind.
    clusterer : TableClusterer, TableEncoder, UNTIE or Pipeline, default=None
        What finds the clusters; None is ``TableClusterer()``. If it is not fitted, a clone of it is
        fitted to `data`; its `preparer` says what becomes of the columns, its `random_state` is the
        seed of the whole page. If it is fitted, or is a pipeline, it is used as it is, for rows
        that it may not have seen. For an encoder, clusters of its vectors are found.
    label : str or array of shape (n_rows,), default=None
        The answer, as a column or as its cells: not learned from, shown on the map and beside the
        clusters, and used to judge methods. A series that was taken from `data` is that column.
    sample_weight : str or array of shape (n_rows,), default=None
        How often each row counts, or the column that says so.
    title : str, default="the table"
        What the table is called.

    Returns
    -------
    Report
        ``save(path)`` writes it, by its ending as a page (.html), Markdown (.md) or JSON (.json);
        a notebook shows it. ``to_markdown()`` and ``to_dict()`` give the text and the data.

    Raises
    ------
    ValueError
        If the table is lazy: collect it, or some of its rows.
    TypeError
        If `clusterer` is none of the estimators.

    See Also
    --------
    TableClusterer : Finds the clusters.

    Examples
    --------
    >>> from untie import TableClusterer, make_report
    >>> from untie.datasets import load
    >>> X, y = load("zoo")
    >>> report = make_report(X.head(40), TableClusterer(2), label=y[:40], title="zoo")
    >>> report.summary.split(". ")[1]
    '2 groups of similar rows, as asked for, resting on ... of 16 columns'
    """
    if open_table(data).is_lazy:
        raise ValueError(
            "The report needs all rows in memory, but this table is read piece by piece; collect "
            "it first, or some of its rows."
        )
    model = TableClusterer() if clusterer is None else clusterer
    _answers(data, label)  # before the work
    label = taken_from(read_table(data), label)
    weight = sample_weight if isinstance(sample_weight, str) else None
    has_weights = sample_weight is not None and weight is None
    own = label if isinstance(label, str) else None
    has_label = label is not None and own is None
    shown_title = title or PageCode.title
    code = PageCode(None, own, weight, has_weights, shown_title, has_label=has_label)
    rows = None
    if not _is_fitted(model):
        seed_of(model)
        model = _new(model)
        given = data
        if own is not None and not _leave_out(model, own):
            given, _ = split_weights(data, own)
        code = replace(code, clusterer=clone(model))
        with warnings.catch_warnings():
            # Unprepared columns are as they were asked for; the page says which those are.
            warnings.simplefilter("ignore", UnpreparedWarning)
            rows = model._fit_rows(open_table(given), sample_weight)
    return report_fitted(model, data, code, label=label, sample_weight=sample_weight, prepared=rows)


def report_fitted(
    model: Any,
    data: Any,
    code: PageCode,
    *,
    label: Any = None,
    sample_weight: Any = None,
    prepared: tuple[Any, Any] | None = None,
    watch: Watch | None = None,
) -> Report:
    """Make the page of a fitted model and rows, as they were read.

    Parameters
    ----------
    model : TableClusterer, TableEncoder, UNTIE or Pipeline
        Fitted.
    data : table of shape (n_rows, n_columns)
        In memory.
    code : PageCode
        How the page is made again.
    label : str or array of shape (n_rows,), optional
        The answer, as a column or as its cells.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so.
    prepared : pair of frame and array or None, optional
        The rows as the encoder sees them and their weights, if they are known from `fit`.
    watch : callable, optional
        Shows progress; see `make_page`.
    """
    fitted = as_fitted(model)
    seed = seed_of(fitted.clusterer or fitted.encoder)
    answers = _answers(data, label)
    if isinstance(label, str):
        data, _ = fitted.take_labels(data, label)
    frame, cells = fitted.rows(data, sample_weight) if prepared is None else prepared
    frame = coded_once(frame)
    weights = None if cells is None else read_weights(cells, read_table(frame).n_rows)
    clusterer = fitted.clusterer
    if clusterer is None:
        k = fitted.encoder.n_clusters or "auto"
        clusterer = TableClusterer(k, preparer=None, random_state=seed)
        clusterer._fit_codes(fitted.encoder, fitted.encoder._codes(frame), weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnpreparedWarning)
        study = Study(
            encoder=fitted.encoder,
            frame=frame,
            labels=np.asarray(clusterer.predict(frame), dtype=np.intp),
            weights=weights,
            verdict=verdict(clusterer, frame, sample_weight=weights, random_state=seed),
            preparer=fitted.preparer,
            answers=answers,
            seed=seed,
            code=code,
        )
        return make_page(study, watch)


def seed_of(model: Any) -> int:
    """Return the seed of the page, that of the model."""
    given = getattr(model, "random_state", None)
    seed = 0 if given is None else given
    check_integer("random_state", seed, 0, "a whole number, so that the page can name it")
    return int(seed)


def _is_fitted(model: Any) -> bool:
    """Tell whether a model is to be used as it is; refuse what is none."""
    if isinstance(model, TableClusterer | EncoderBase):
        return model.__sklearn_is_fitted__()
    if isinstance(model, Pipeline):
        return True  # if it is not, `as_fitted` says so
    raise TypeError(
        "clusterer must be a TableClusterer, a TableEncoder, a UNTIE or a fitted pipeline that "
        f"ends in one, got {type(model).__name__}."
    )


def _new(model: Any) -> TableClusterer:
    """Return a clusterer to fit, with an encoder or without."""
    if isinstance(model, TableClusterer):
        return clone(model)
    k = model.n_clusters or "auto"
    return TableClusterer(k, encoder=clone(model), random_state=seed_of(model))


def _leave_out(clusterer: TableClusterer, name: str) -> bool:
    """Let a clusterer's preparer leave a column out; return whether there is a preparer."""
    own = clusterer.preparer
    place = "preparer"
    if isinstance(own, str) and isinstance(clusterer.encoder, TableEncoder):
        place, own = "encoder__preparer", clusterer.encoder.preparer
    if own is None:
        return False
    preparer = Preparer() if isinstance(own, str) else own
    if name not in preparer.drop:
        preparer = clone(preparer).set_params(drop=[*preparer.drop, name])
        clusterer.set_params(**{place: preparer})
    return True


def _answers(data: Any, label: Any) -> Answers | None:
    """Return the label, which is a column or cells of its own."""
    if label is None:
        return None
    table = read_table(data)
    if isinstance(label, str):
        check_names([label], table.names, "the table", ", which label names")
        return Answers(label, cells_of(table, label))
    if not np.iterable(label) or len(np.shape(np.asarray(label, dtype=object))) != 1:
        raise ValueError(
            f"label must be the name of a column or one value per row, got {type(label).__name__}."
        )
    cells = list(label)
    if len(cells) != table.n_rows:
        raise ValueError(
            f"label has {len(cells):,} values, but the table has {table.n_rows:,} rows; pass one "
            "per row, in the order of the rows, or the name of a column."
        )
    name = getattr(label, "name", None)
    return Answers(name if isinstance(name, str) and name else "label", cells)
