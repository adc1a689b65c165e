"""Which values of a column belong together."""

from typing import Any

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from untie._inputs import as_fitted
from untie._learn.contexts import alikeness_of
from untie._util.checks import check_integer, check_one_of
from untie._util.types import FloatArray, IntArray
from untie.encoder import TableEncoder
from untie.plot import _style as style
from untie.plot._maps import most_frequent

MEASURES = {
    "contexts": "1 - alikeness of the contexts (1: nothing in common)",
    "vectors": "distance of the learned vectors",
}
LINKAGES = ("average", "complete", "single", "weighted")


def value_dendrogram(
    model: Any,
    column: Any,
    *,
    by: str | None = None,
    linkage: str = "average",
    max_values: int = 60,
    ax: Any = None,
) -> Any:
    """Draw the tree of a column's values: the further left two join, the more alike they are.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    column : str
        The column.
    by : {"contexts", "vectors"}, optional
        "contexts": values join early that occur beside the same values of other columns, by the
        alikeness of `untie.explain.alike_values`. "vectors": the distance of the learned vectors,
        from `value_similarity`; weights that keep values apart keep them all apart. None is
        "contexts", or "vectors" for a table of one column.
    linkage : {"average", "complete", "single", "weighted"}, default="average"
        How far groups are from each other; see ``scipy.cluster.hierarchy.linkage``.
    max_values : int, default=60
        At most this many values are drawn, the most frequent; the title says so. The figure grows
        with them.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    untie.explain.alike_values : The most alike pairs as numbers.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from untie import TableEncoder, plot
    >>> rows = [["ale", "jug"], ["stout", "jug"], ["port", "glass"], ["sherry", "glass"]] * 20
    >>> ax = plot.value_dendrogram(TableEncoder(n_clusters=2).fit(rows), "x0")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['ale', 'stout', 'port', 'sherry']
    """
    style.check_axes(ax)
    fitted = as_fitted(model)
    encoder, attribute = fitted.encoder, fitted.index_of(column)
    if by is None:
        by = "contexts" if len(encoder.vocabulary_.columns) > 1 else "vectors"
    check_one_of("by", by, tuple(MEASURES))
    check_one_of("linkage", linkage, LINKAGES)
    max_values = check_integer("max_values", max_values)
    places, n_all = most_frequent(encoder, [attribute], max_values)
    codes = places - encoder.counts_.offsets[attribute]
    labels = encoder.vocabulary_.labels(attribute)
    leaves, forks = [0], []
    if len(codes) > 1:
        tree = hierarchy.linkage(squareform(_distances(encoder, attribute, codes, by)), linkage)
        drawn = hierarchy.dendrogram(tree, no_plot=True)
        leaves = drawn["leaves"]
        # scipy puts leaves at 5, 15, 25, ...
        forks = [
            list(zip(heights, (np.array(across) - 5.0) / 10.0, strict=True))
            for across, heights in zip(drawn["icoord"], drawn["dcoord"], strict=True)
        ]
    axes = style.get_axes(ax, 6.4, 1.4 + 0.2 * len(codes))
    _draw(axes, forks, [labels[codes[leaf]] for leaf in leaves])
    axes.set_xlabel(MEASURES[by])
    if by == "contexts":
        axes.axvline(1.0, color=style.GREY, lw=1.0, ls=":")  # nothing in common
    notes = [f"the {len(codes)} most frequent of {n_all:,}"] if len(codes) < n_all else []
    style.set_title(axes, f"Values of {style.short(column, 60)}", notes)
    return axes


def _distances(encoder: TableEncoder, attribute: int, codes: IntArray, by: str) -> FloatArray:
    """Return a symmetric matrix with zeros in its diagonal; shape (n_chosen, n_chosen)."""
    if by == "contexts":
        distances = 1.0 - alikeness_of(encoder.counts_, attribute, codes)
    else:
        distances = squareform(pdist(encoder._model.space.vectors(attribute, codes)))
    distances = np.maximum((distances + distances.T) / 2.0, 0.0)
    np.fill_diagonal(distances, 0.0)
    return distances


def _draw(axes: Any, forks: list[Any], labels: list[str]) -> None:
    from matplotlib.collections import LineCollection

    axes.add_collection(LineCollection(forks, colors=style.COLOURS[0], linewidths=1.4))
    style.set_labels(axes, "y", labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    longest = max((x for fork in forks for x, _ in fork), default=0.0)
    axes.set_xlim(0.0, 1.05 * longest if longest > 0 else 1.0)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
