"""A table -> its page: the study of it, the content of all sections, one HTML file."""

import base64
import hashlib
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from untie._encoder_base import EncoderBase
from untie._engines.registry import open_table
from untie._inputs import as_fitted
from untie._prepare.unprepared import UnpreparedWarning
from untie._table.frames import coded_once
from untie._table.names import check_names
from untie._table.rows import cells_of, list_of, read_weights, split_weights, taken_from
from untie._table.table import read_table
from untie._util.checks import check_integer
from untie._util.messages import need
from untie._util.threads import map_ahead, one_thread
from untie.clusterer import TableClusterer, label_rows
from untie.encoder import TableEncoder
from untie.explain import subclusters_of, verdict
from untie.preparer import Preparer, merged_values
from untie.report._alike import columns_together, heat_maps
from untie.report._clusters import Card, cards, shares_in_clusters, side_by_side
from untie.report._data import data_card
from untie.report._label import clusters_and_answers
from untie.report._learned import choice_of_k, comparison, unusual, weights
from untie.report._limits import LONG_TEXT, PAGE_BYTES, shown
from untie.report._map import embed, landscape
from untie.report._report import Report
from untie.report._study import NAMELESS, Answers, Study
from untie.report._table import count
from untie.report.code import PageCode, code_to_make_it

Watch = Callable[[list[str]], Iterable[str]]
"""Takes the names of steps and gives them one after another, to show progress."""


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
        clusters, and used to judge methods. Cells that are those of a column of `data` are that
        column. A fitted model may have learned from it; the page then says so.
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
    '2 stable groups of similar rows, as asked for, resting on ... of 15 columns'
    """
    if open_table(data).is_lazy:
        raise ValueError(
            "The report needs all rows in memory, but this table is read piece by piece; collect "
            "it first, or some of its rows."
        )
    model = TableClusterer() if clusterer is None else clusterer
    _answers(data, label)  # before the work
    label = taken_from(read_table(data), label)
    code = PageCode(None, label, sample_weight, title or PageCode.title)
    rows = None
    if not _is_fitted(model):
        seed_of(model)
        model = _new(model)
        given = data
        if isinstance(label, str) and not _leave_out(model, label):
            given, _ = split_weights(data, label)
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
    frame, cells = fitted.counted(data, sample_weight) if prepared is None else prepared
    frame = coded_once(frame)
    weights = None if cells is None else read_weights(cells, read_table(frame).n_rows)
    clusterer = fitted.clusterer
    if clusterer is None:
        k = fitted.encoder.n_clusters or "auto"
        clusterer = TableClusterer(k, preparer=None, random_state=seed)
        clusterer._fit_codes(fitted.encoder, fitted.encoder._codes(frame), weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnpreparedWarning)
        said = verdict(clusterer, frame, sample_weight=weights, random_state=seed)
        merged = {} if fitted.preparer is None else merged_values(fitted.preparer)
        about = (clusterer, frame, merged, weights, seed)
        study = Study(
            encoder=fitted.encoder,
            clusterer=clusterer,
            frame=frame,
            labels=label_rows(clusterer, frame, weights).astype(np.intp),
            weights=weights,
            verdict=said,
            finer=subclusters_of(*about) if said.found else None,
            preparer=fitted.preparer,
            answers=answers and replace(answers, is_learned=answers.column in fitted.learned_from),
            seed=seed,
            code=code,
            names_at=partial(fitted.names_at, data),
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
        return Answers(label, cells_of(table, label), label)
    if not np.iterable(label) or len(np.shape(np.asarray(label, dtype=object))) != 1:
        raise ValueError(
            f"label must be the name of a column or one value per row, got {type(label).__name__}."
        )
    cells = list_of(label)
    if len(cells) != table.n_rows:
        raise ValueError(
            f"label has {len(cells):,} values, but the table has {table.n_rows:,} rows; pass one "
            "per row, in the order of the rows, or the name of a column."
        )
    name = getattr(label, "name", None)
    if not isinstance(name, str) or not name or name in table.names:
        name = NAMELESS
    return Answers(name, cells)


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Parameters
    ----------
    name : str
        Its anchor; ``templates/sections/NAME.html.j2`` shows it, with its content under this name.
    short : str
        What the list of sections calls it.
    heading : str
        What stands above it.
    make : callable
        Makes its content of a study; None if there is nothing to show.
    """

    name: str
    short: str
    heading: str
    make: Callable[[Study], Any]


SECTIONS = (
    Section("map", "Overview", "The groups at a glance", landscape),
    Section("clusters", "Clusters", "What makes the clusters", cards),
    Section("shares", "Values", "How frequent values are in the clusters", shares_in_clusters),
    Section("label", "Label", "The clusters beside the label", clusters_and_answers),
    Section("pair", "Side by side", "Two clusters side by side", side_by_side),
    Section("outliers", "Unusual rows", "Unusual rows", unusual),
    Section("values", "Alike values", "Values that are alike", heat_maps),
    Section("together", "Columns", "Columns that go together", columns_together),
    Section("data", "Data", "Data", data_card),
    Section("weights", "Weights", "Weights of columns and couplings", weights),
    Section("choice", "How many", "The number of clusters", choice_of_k),
    Section("comparison", "Other methods", "Comparison with other methods", comparison),
    Section("code", "Code", "Make it again", code_to_make_it),
)
"""What the page shows, in its order, below the lead."""

SCRIPTS = ("core.js", "tables.js", "colors.js", "map.js", "neighbors.js", "pair.js", "start.js")


def make_page(study: Study, watch: Watch | None = None) -> Report:
    """Compute all sections and write the page.

    Parameters
    ----------
    study : Study
        What the page is about.
    watch : callable, optional
        Takes the names of the sections and gives them one after another, to show progress.
    """
    # Before the work: jinja2 may not be installed.
    environment = _environment(need("jinja2", "report", "Reports"))
    made = {section.name: section.make for section in SECTIONS}
    # What several sections need is there before they start.
    _ = study.profile, study.in_clusters, study.shares
    with one_thread():  # several at once: the map alone takes about as long as all others
        found = map_ahead(lambda name: made[name](study), made, ahead=len(made))
        content = {name: next(found) for name in (watch(list(made)) if watch else made)}
    said, verdict = _lead(study, content["clusters"]["said"]), study.verdict
    sure = [shown(text, LONG_TEXT) for text in verdict.sentences if text != verdict.caution]
    about = {
        "title": shown(study.code.title),
        "lead": said,
        "sure": sure,
        "sections": [section for section in SECTIONS if content[section.name] is not None],
    }
    script = "".join(_file(name) for name in SCRIPTS)
    pair = content["pair"] or {}
    drawn = {key: part for key, part in pair.items() if key not in ("table", "said")}
    page = environment.get_template("report.html.j2").render(
        style=_file("report.css"),
        script=script,
        # The page's policy knows its script by this: no other script is run.
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        embedded=embed({**content["map"], "pair": drawn or None}),
        **about,
        **content,
    )
    size = len(page.encode())
    if size > PAGE_BYTES:
        raise RuntimeError(f"The page has {size:,} bytes, more than {PAGE_BYTES:,}.")
    summary = said
    if len(study.clusters) > 1:
        summary = [*said, *_about_the_largest(study, content["clusters"]["cards"]), *sure]
    return Report(page, " ".join(summary), {**about, **content})


def _lead(study: Study, groups: str) -> list[str]:
    """Return the sentences that the page begins with, which need no other knowledge."""
    title = shown(study.code.title)
    if study.n_rows == 1:
        return [f"There is one row in {title}, so there is nothing to group."]
    caution = study.verdict.caution if len(study.clusters) > 1 else None
    said = [f"There are {count(study.n_rows)} rows in {title}.", groups, caution]
    return [sentence for sentence in said if sentence]


def _about_the_largest(study: Study, groups: list[Card]) -> list[str]:
    largest = max(groups, key=lambda card: card.part)
    what = "weight" if study.is_weighted else "rows"
    said = f"The largest group has {largest.share} of the {what}; typical of it: {largest.name}."
    return [said] if largest.typical else []


@cache
def _environment(jinja2: Any) -> Any:
    """Return what compiles the templates, and keeps them for the next page."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("untie.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["step"] = _step
    environment.filters["breakable"] = _breakable
    environment.filters["emphasized"] = _emphasized
    return environment


def _file(name: str) -> str:
    return (files("untie.report") / "templates" / name).read_text(encoding="utf-8")


def _breakable(text: str) -> Any:
    """Return text in which a browser may break long names where their words end.

    Examples
    --------
    >>> print(_breakable("miles_perGallon <b>"))
    miles_<wbr>per<wbr>Gallon &lt;b&gt;
    """
    markupsafe = need("markupsafe", "report", "Reports")
    parts = re.split(r"(?<=_)(?=\w)|(?<=[a-z])(?=[A-Z])", text)
    return markupsafe.Markup("<wbr>").join(parts)


def _emphasized(text: str, *words: str) -> Any:
    """Return text in which words stand out where they come first: those that it explains.

    Examples
    --------
    >>> print(_emphasized("p < q, if p is large", "p"))
    <em>p</em> &lt; q, if p is large
    """
    markupsafe = need("markupsafe", "report", "Reports")
    said = str(markupsafe.escape(text))
    for word in words:
        said = re.sub(rf"\b{word}\b", f"<em>{word}</em>", said, count=1)
    return markupsafe.Markup(said)


def _step(number: float) -> str:
    """Return the class of a heat map's cell: its sign and tenths.

    Examples
    --------
    >>> _step(0.73), _step(-0.2)
    ('p7', 'm2')
    """
    return f"{'m' if number < 0 else 'p'}{round(abs(number) * 10)}"
