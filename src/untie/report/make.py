"""A table -> its page."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from untie.clusterer import UNTIEClusterer
from untie.core.sample_weights import positive_weights, read_weights, split_weights
from untie.core.table import read_table
from untie.encoder import UNTIE
from untie.engines.lazy import as_lazy
from untie.explain.inputs import check_encoder, encode_rows
from untie.parameters import check_integer
from untie.prepare import Preparation, prepare
from untie.report.page import Watch, make_page
from untie.report.recipe import Recipe, written_call
from untie.report.report import Report
from untie.report.study import Answers, Study, columns_of


def make_report(
    data: Any,
    *,
    n_clusters: int | str = "auto",
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    label: str | None = None,
    weight: str | None = None,
    bins: int = 5,
    title: str = "the table",
    random_state: int = 0,
) -> Report:
    """Learn from a table, find groups of similar rows and write a page about them.

    The page is one HTML file of at most 5 MB that needs no network: what was done to the columns,
    a map of the rows, the groups and what makes them, values that are alike, what the weights
    favour, how the number of groups was chosen, other methods on the same rows, unusual rows, and
    the code that makes it again. Large tables are sampled for the map, and the page says so.

    Needs jinja2 (``pip install 'untie[report]'``).

    Parameters
    ----------
    data : table of shape (n_rows, n_columns)
        In memory, with columns of any kind; :func:`untie.prepare` makes categories of them.
    n_clusters : int or "auto", default="auto"
        Number of groups; "auto" chooses it.
    columns : sequence of str, optional
        The only columns to learn from.
    drop : sequence of str
        Columns to leave out.
    label : str, optional
        A column with the answer: not learned from, shown on the map and used to judge methods.
    weight : str, optional
        A column that says how often each row counts.
    bins : int, default=5
        Ranges that numbers are binned into.
    title : str
        What the table is called.
    random_state : int, default=0
        Seed of all that is drawn; the same table and seed give the same page but for the time.

    Returns
    -------
    Report
        ``save(path)`` writes it; a notebook shows it.

    Examples
    --------
    >>> from untie.datasets import load
    >>> from untie.report import make_report
    >>> X, y = load("zoo")
    >>> report = make_report(X.head(40), n_clusters=2, title="zoo")
    >>> report.summary[:57]
    'The 40 rows of zoo fall into 2 groups of similar rows. Ro'
    """
    check_integer("random_state", random_state, 0, "a whole number, so that the page can name it")
    _check_in_memory(data)
    drops = [*drop, *([] if label is None else [label])]
    preparation = prepare(data, columns=columns, drop=drops, bins=bins, weight=weight)
    call = {key: value for key, value in locals().items() if key in _DEFAULTS}
    found = columns_of(_chosen(data, [name for name in (label, weight) if name is not None]))
    return report_prepared(
        preparation.apply(data),
        preparation,
        n_clusters=n_clusters,
        answers=None if label is None else Answers(label, found[label]),
        weights=None if weight is None else np.asarray(found[weight], dtype=float),
        title=title,
        seed=random_state,
        recipe=Recipe(_written(call), _steps(call)),
    )


def report_prepared(
    frame: Any,
    preparation: Preparation,
    *,
    n_clusters: int | str,
    answers: Answers | None,
    weights: Any,
    title: str,
    seed: int,
    recipe: Recipe,
    watch: Watch | None = None,
) -> Report:
    """Make the page of a table whose columns are categories; see `make_report`."""
    encoder = UNTIE(n_clusters, random_state=seed)
    clusterer = UNTIEClusterer(n_clusters, encoder=encoder, random_state=seed)
    clusterer.fit(frame, sample_weight=weights)
    study = Study(
        clusterer.encoder_,
        frame,
        clusterer.labels_.astype(np.intp),
        weights,
        clusterer.k_choice_,
        preparation,
        answers,
        title,
        seed,
        recipe,
    )
    return make_page(study, watch)


def report_of_encoder(
    encoder: UNTIE,
    data: Any,
    n_clusters: int | str | None = None,
    *,
    sample_weight: Any = None,
    title: str = "the table",
    random_state: int = 0,
) -> Report:
    """Make the page of rows that a fitted encoder knows the columns of; see `UNTIE.report`."""
    check_encoder(encoder)
    check_integer("random_state", random_state, 0, "a whole number, so that the page can name it")
    _check_in_memory(data)
    n_clusters = encoder.n_clusters if n_clusters is None else n_clusters
    data, sample_weight = split_weights(data, sample_weight)
    codes = encode_rows(encoder, data)
    weights = None
    chosen, positive = codes, None
    if sample_weight is not None:
        weights = read_weights(sample_weight, len(codes[0]))
        positive, keep = positive_weights(weights)
        chosen = codes if keep is None else [column[keep] for column in codes]
    clusterer = UNTIEClusterer(n_clusters, random_state=random_state)
    clusterer._check_parameters()
    clusterer._learn_codes(encoder, chosen, positive)
    given = {"n_clusters": n_clusters, "title": title, "random_state": random_state}
    defaults = {"n_clusters": encoder.n_clusters, "title": "the table", "random_state": 0}
    call = written_call("encoder.report", "data", given, defaults)
    made = "from untie import UNTIE\n\n" + f"encoder = {encoder!r}.fit(data)"
    study = Study(
        encoder,
        read_table(data).source,
        clusterer._nearest(codes).astype(np.intp),
        weights,
        clusterer.k_choice_,
        None,
        None,
        title,
        random_state,
        Recipe(f'{made}\n{call}.save("report.html")', made),
    )
    return make_page(study)


_DEFAULTS = {
    key: parameter.default
    for key, parameter in inspect.signature(make_report).parameters.items()
    if key != "data"
}


def _check_in_memory(data: Any) -> None:
    if as_lazy(data) is not None:
        raise ValueError(
            "The report needs all rows in memory, but this table is read piece by piece; collect "
            "it first, or some of its rows."
        )


def _chosen(data: Any, names: list[str]) -> Any:
    """Return some columns of the user's table, by their names as text."""
    table = read_table(data)
    from untie import tidy

    cells = {
        name: np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
        for name, column in zip(table.names, table.columns, strict=True)
        if name in names
    }
    return tidy.make_frame("pandas", cells)


def _written(call: dict[str, Any]) -> str:
    written = written_call("make_report", "data", call, _DEFAULTS)
    return f'from untie.report import make_report\n\n{written}.save("report.html")'


def _steps(call: dict[str, Any]) -> str:
    """Write the main steps one by one, for whoever wants to go on from them."""
    drop = [*call["drop"], *([] if call["label"] is None else [call["label"]])]
    options = {key: call[key] for key in ("columns", "bins", "weight")} | {"drop": drop}
    defaults = {"columns": None, "bins": 5, "weight": None, "drop": []}
    k, seed = call["n_clusters"], call["random_state"]
    weights = "" if call["weight"] is None else f", sample_weight=data[{call['weight']!r}]"
    return (
        "from untie import UNTIE, UNTIEClusterer, prepare\n"
        "from untie.explain import cluster_profile, outliers\n\n"
        f"preparation = {written_call('prepare', 'data', options, defaults)}\n"
        "rows = preparation.apply(data)\n"
        f"encoder = UNTIE({k!r}, random_state={seed})\n"
        f"clusterer = UNTIEClusterer({k!r}, encoder=encoder, random_state={seed})\n"
        f"labels = clusterer.fit(rows{weights}).labels_\n"
        "profile = cluster_profile(rows, labels)\n"
        "unusual = outliers(clusterer.encoder_, rows)"
    )
