"""How values lie to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._inputs import as_fitted
from untie._util.checks import check_integer
from untie._util.types import FloatArray
from untie.encoder import TableEncoder
from untie.plot import _style as style
from untie.plot._labels import label_points
from untie.plot._points import principal


def map_values(model: Any, column: Any = None, *, max_values: int = 60, ax: Any = None) -> Any:
    """Draw values as points: near ones are in similar rows.

    A value stands at the mean of the vectors of all rows that have it, and the plane is that of the
    principal components of these means, each value counted as often as it occurs. Where there
    is no room for a label, the point has none, and the title says how many.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    column : str, optional
        The column whose values are drawn; without it, those of all columns.
    max_values : int, default=60
        At most this many values are drawn, the most frequent; the title says so. Of more than 100
        or so, most have no room for a label.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    value_dendrogram : The values of one column as a tree.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from untie import TableEncoder, plot
    >>> rows = [["ale", "jug"], ["stout", "jug"], ["port", "glass"], ["sherry", "glass"]] * 20
    >>> ax = plot.map_values(TableEncoder(n_clusters=2).fit(rows), "x0")
    >>> sorted(text.get_text() for text in ax.texts)
    ['ale', 'port', 'sherry', 'stout']
    """
    style.check_axes(ax)
    encoder = as_fitted(model).encoder
    max_values = check_integer("max_values", max_values)
    vocabulary = encoder.vocabulary_
    n_columns = len(vocabulary.columns)
    attributes = list(range(n_columns)) if column is None else [vocabulary.index_of(column)]
    places, n_all = most_frequent(encoder, attributes, max_values)
    weights = encoder.counts_.frequencies[places]
    found, shares = principal(_products(encoder, places), weights, 2)
    owners = np.searchsorted(encoder.counts_.offsets, places, side="right") - 1
    texts = _texts(encoder, places, owners, column is None)
    axes = style.get_axes(ax, 7.2, 5.6)
    sizes = np.clip(160 * np.sqrt(weights / weights.max()), 12.0, None)
    for number, attribute in enumerate(attributes):
        own = owners == attribute
        look = style.group_style(number)
        axes.scatter(*found[own].T, s=sizes[own], alpha=0.75, linewidths=0, **look)
    axes.margins(0.16, 0.1)
    axes.set_xlabel(f"component 1 ({shares[0]:.0%} of the variance between values)")
    axes.set_ylabel(f"component 2 ({shares[1]:.0%})")
    title = "Values of all columns" if column is None else f"Values of {style.short(column, 60)}"
    notes = [f"the {len(places)} most frequent of {n_all:,}"] if len(places) < n_all else []
    room = [*notes, "larger points: more frequent"]
    style.set_title(axes, title, room)
    order = np.argsort(-weights, kind="stable")
    left_out = label_points(axes, found[order], sizes[order], [texts[place] for place in order])
    if left_out:
        style.set_title(axes, title, [", ".join([*notes, f"{left_out} without a label"]), room[-1]])
    return axes


def most_frequent(
    encoder: TableEncoder, attributes: list[int], n: int
) -> tuple[NDArray[np.intp], int]:
    """Return the places in the counts of the most frequent values, and how many values occur."""
    counts = encoder.counts_
    spans = [counts.span(attribute) for attribute in attributes]
    places = np.concatenate([np.arange(span.start, span.stop) for span in spans])
    places = places[counts.frequencies[places] > 0]
    order = np.argsort(-counts.frequencies[places], kind="stable")
    return np.sort(places[order[:n]]), len(places)


def _products(encoder: TableEncoder, places: NDArray[np.intp]) -> FloatArray:
    """Return the inner products of the mean vectors of the rows that have each value.

    All vectors are centred, so that a cell whose value is unknown adds nothing.
    """
    counts = encoder.counts_
    frequencies = counts.frequencies[places]
    result = np.zeros((len(places), len(places)))
    for attribute, table in enumerate(encoder.model_.space.tables):
        beside: Any = counts.matrix[places][:, counts.span(attribute)]
        beside = beside.toarray() if sparse.issparse(beside) else np.asarray(beside)
        shares = beside / frequencies[:, None]
        sums = shares @ table[:-1]
        mean = table[[-1]]
        mean = mean.toarray() if sparse.issparse(mean) else mean
        means = np.asarray(sums) - shares.sum(axis=1, keepdims=True) * mean
        result += means @ means.T
    return result


def _texts(
    encoder: TableEncoder, places: NDArray[np.intp], owners: NDArray[np.intp], with_column: bool
) -> list[str]:
    vocabulary = encoder.vocabulary_
    labels = {attribute: vocabulary.labels(attribute) for attribute in set(owners.tolist())}
    offsets = encoder.counts_.offsets
    texts = []
    for place, owner in zip(places, owners, strict=True):
        text = style.short(labels[owner][place - offsets[owner]])
        if with_column:
            text = f"{style.short(vocabulary.columns[owner], 20)}={text}"
        texts.append(text)
    return texts
