"""Maps of rows and of values, with labels that do not overlap, and trees of values."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform
from threadpoolctl import threadpool_limits

from untie._count.crosstab import cross_table
from untie._count.packed_rows import distinct_rows
from untie._inputs import as_fitted, check_labels
from untie._learn.contexts import alikeness_of
from untie._table.vocabulary import distinct_labels
from untie._util.checks import check_integer, check_one_of, draws_of
from untie._util.messages import need
from untie._util.types import FloatArray, IntArray
from untie.encoder import TableEncoder
from untie.plot import _style as style

MOST_GROUPS = 12
"""At most this many groups are told apart; the rarest labels are merged into the last."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of rows.

    Parameters
    ----------
    title : str
        What they are groups of.
    names : list of str
        One text for each, with its number of rows.
    members : integer array of shape (n_rows,)
        The number of each row's group.
    has_others : bool
        Whether the last group is that of all other labels.
    """

    title: str
    names: list[str]
    members: IntArray
    has_others: bool

    def style(self, number: int) -> dict[str, Any]:
        """Return color and marker of a group."""
        if self.has_others and number == len(self.names) - 1:
            return {"color": style.GRAY, "marker": "."}
        return style.group_style(number)


def read_groups(labels: Any, n_rows: int, title: str) -> Groups:
    """Return the groups that labels make, one label per row; missing ones are a group."""
    partition = check_labels(labels, n_rows, may_be_missing=True)
    values, members = partition.names, partition.members
    counts = np.bincount(members, minlength=len(values))
    texts, n_others = distinct_labels(values), 0
    if len(values) > MOST_GROUPS:
        n_others = len(values) - MOST_GROUPS + 1
    kept = np.sort(np.argsort(-counts, kind="stable")[: len(values) - n_others])
    targets = np.full(len(values), len(kept), dtype=np.intp)
    targets[kept] = np.arange(len(kept))
    names = [f"{style.short(texts[place])} ({counts[place]:,})" for place in kept]
    if n_others:
        names.append(f"{n_others:,} others ({np.delete(counts, kept).sum():,})")
    return Groups(title, names, targets[members], n_others > 0)


PERPLEXITY = 30.0
N_NEIGHBORS = 15
FEWEST = 5
"""Fewer points are drawn by their principal components: they have no neighborhoods."""
DIMENSIONS = 50
"""t-SNE and UMAP get this many principal components; they take long for more."""

ROUNDING = 1e-12
"""Below this share of the largest product, a variance is none."""

NAMES = {"tsne": "t-SNE", "umap": "UMAP", "pca": "principal components"}


def principal(gram: FloatArray, weights: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Return the principal components of weighted vectors, from their inner products.

    Parameters
    ----------
    gram : array of shape (n_vectors, n_vectors)
        Inner products.
    weights : array of shape (n_vectors,)
        How often each counts, above 0.
    n : int
        Number of components; those beyond the rank are 0.

    Returns
    -------
    components, shares
        Array of shape (n_vectors, n), and the share of the variance of each.

    Examples
    --------
    >>> line = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> components, shares = principal(line @ line.T, np.ones(3), 2)
    >>> np.abs(components).round(9).tolist(), shares.round(9).tolist()
    ([[5.0, 0.0], [0.0, 0.0], [5.0, 0.0]], [1.0, 0.0])
    """
    share = weights / weights.sum()
    means = gram @ share
    centered = gram - means[:, None] - means + share @ means
    roots = np.sqrt(share)
    weighted = roots[:, None] * centered * roots
    size = len(gram)
    values, vectors = eigh(weighted, subset_by_index=(max(0, size - n), size - 1))
    values, vectors = values[::-1], vectors[:, ::-1]
    components, shares = np.zeros((size, n)), np.zeros(n)
    for place in np.flatnonzero(values > ROUNDING * np.abs(gram).max()):
        column = vectors[:, place] * np.sqrt(values[place]) / roots
        # A component's sign is arbitrary; the longer side is put to the right.
        components[:, place] = column if weights @ column**3 >= 0 else -column
        shares[place] = values[place] / np.trace(weighted)
    return components, shares


def neighborhoods(method: str, components: FloatArray, random_state: Any) -> FloatArray:
    """Return a map that keeps near points near, by t-SNE or UMAP."""
    n_rows = len(components)
    spread = components[:, :2].std(axis=0).max()
    start = (components[:, :2] / spread * 1e-4).astype(np.float32)
    if method == "umap":
        model = _umap()(
            n_neighbors=min(N_NEIGHBORS, n_rows - 1),
            init=start * 1e5,
            random_state=random_state,
            n_jobs=1,  # as many as a seed allows
        )
    else:
        from sklearn.manifold import TSNE

        model = TSNE(
            perplexity=min(PERPLEXITY, (n_rows - 1) / 3), init=start, random_state=random_state
        )
    with threadpool_limits(1):  # the same sums in the same order
        return np.asarray(model.fit_transform(components), dtype=float)


def _umap() -> Any:
    """Return the class, or refuse what is not installed, before anything is computed."""
    try:
        return import_module("umap").UMAP
    except ImportError as error:
        raise ImportError(
            "method='umap' needs umap-learn, which no extra installs: pip install umap-learn; or "
            "take method='tsne'."
        ) from error


SIDES = (
    (1, 0, "left", "center"),
    (-1, 0, "right", "center"),
    (0, 1, "center", "bottom"),
    (0, -1, "center", "top"),
    (1, 1, "left", "bottom"),
    (-1, 1, "right", "bottom"),
    (1, -1, "left", "top"),
    (-1, -1, "right", "top"),
)
AWAY = 2.0
"""Points (1/72 inch) from the edge of a mark to its text."""


def label_points(axes: Any, points: FloatArray, sizes: FloatArray, texts: Sequence[str]) -> int:
    """Write texts beside points, the first ones first, where there is room.

    Limits and titles must be set before: where texts lie is measured.

    Parameters
    ----------
    axes : matplotlib Axes
        Where to write.
    points : array of shape (n_points, 2)
        Where the marks are.
    sizes : array of shape (n_points,)
        Their areas, as `scatter` takes them.
    texts : sequence of str
        One text for each.

    Returns
    -------
    int
        Number of texts for which there was no room.
    """
    canvas = axes.figure.canvas
    canvas.figure.draw_without_rendering()  # the layout decides how large the axes are
    inside = axes.get_window_extent()
    marks = axes.transData.transform(points)
    reach = 0.3 * np.sqrt(sizes)[:, None] * axes.figure.dpi / 72
    taken: list[Any] = []
    left_out = 0
    for point, size, text in zip(points, sizes, texts, strict=True):
        away = np.sqrt(size) / 2 + AWAY
        for right, up, ha, va in SIDES:
            label = axes.annotate(
                text,
                point,
                (away * right, away * up),
                textcoords="offset points",
                ha=ha,
                va=va,
                fontsize=style.FONT_SIZE - 1,
                parse_math=False,
            )
            box = label.get_window_extent()
            covers_mark = ((marks > box.min - reach) & (marks < box.max + reach)).all(axis=1).any()
            fits = inside.containsx(box.x0) and inside.containsx(box.x1)
            fits = fits and inside.containsy(box.y0) and inside.containsy(box.y1)
            if fits and not covers_mark and not box.count_overlaps(taken):
                taken.append(box)
                break
            label.remove()
        else:
            left_out += 1
    return left_out


def map_rows(
    model: Any,
    data: Any,
    *,
    method: str = "tsne",
    max_rows: int = 2_000,
    labels: Any = None,
    random_state: Any = 0,
    ax: Any = None,
) -> Any:
    """Draw the rows of a table as points: the more similar, the nearer.

    Equal rows are one point, larger than others. t-SNE and UMAP keep near rows near; distances
    between far groups, and the sizes of groups, mean nothing there. Principal components keep
    distances as well as two dimensions can.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory.
    method : {"tsne", "umap", "pca"}, default="tsne"
        "pca" takes the least time. UMAP must be installed (``pip install umap-learn``). Fewer than
        5 distinct rows are always drawn by their principal components.
    max_rows : int, default=2000
        At most this many distinct rows are drawn, chosen at random; the title says so. From 500 to
        10,000; memory grows with its square, and the time with it.
    labels : array of shape (n_rows,) or str, optional
        What the colors are: one label per row, or the name of a column of `data`. By default the
        clusters of the model, if it makes any. Of more than 12 labels the 11 most frequent have a
        color each. A point has the label of most of its rows.
    random_state : int, RandomState or None, default=0
        Seed of the sample and the map; None is 0.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    map_values : The same for values.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from untie import TableEncoder, plot
    >>> from untie.datasets import load
    >>> X, y = load("zoo")
    >>> ax = plot.map_rows(TableEncoder().fit(X), X, labels=y, method="pca")
    >>> print(ax.get_title("left"))
    101 rows by principal components
    large points: several equal rows
    >>> ax.figure.savefig("zoo.png")  # doctest: +SKIP
    """
    style.check_axes(ax)
    fitted = as_fitted(model)
    check_one_of("method", method, tuple(NAMES))
    max_rows = check_integer("max_rows", max_rows)
    if method == "umap":
        _umap()
    rng = draws_of(random_state)
    title = labels if isinstance(labels, str) else str(getattr(labels, "name", None) or "")
    data, labels = fitted.take_labels(data, labels)
    prepared = fitted.rows(data)[0]
    rows = draw_some(fitted.encoder, prepared, max_rows, rng)
    if labels is None and fitted.clusterer is not None:
        labels, title = fitted.clusterer.predict(prepared), "cluster"
    groups = None if labels is None else read_groups(labels, rows.n_rows, title)
    if len(rows.weights) < FEWEST:
        method = "pca"
    n_dimensions = 2 if method == "pca" else DIMENSIONS
    found, shares = principal(rows.gram, rows.weights, n_dimensions)
    if method != "pca" and found.any():
        found = neighborhoods(method, found, rng.randint(2**31 - 1))
    axes = style.get_axes(ax, 6.4 if groups is None else 7.6, 5.2)
    _draw(axes, found[:, :2], rows, groups)
    if method == "pca":
        axes.set_xlabel(f"component 1 ({shares[0]:.0%} of the variance)")
        axes.set_ylabel(f"component 2 ({shares[1]:.0%})")
    else:
        axes.set(xticks=[], yticks=[])
    style.set_title(axes, f"{rows.n_rows:,} rows by {NAMES[method]}", rows.notes)
    return axes


@dataclass(frozen=True, eq=False)
class SampledKinds:
    """Distinct rows that are drawn.

    Parameters
    ----------
    gram : array of shape (n_drawn, n_drawn)
        Inner products of their vectors.
    weights : array of shape (n_drawn,)
        How many rows of the table are equal to each.
    positions : integer array of shape (n_rows,)
        Which of the drawn rows each row of the table is; -1 if none.
    n_distinct : int
        Number of distinct rows of the table.
    """

    gram: FloatArray
    weights: FloatArray
    positions: IntArray
    n_distinct: int

    @property
    def n_rows(self) -> int:
        return len(self.positions)

    @property
    def notes(self) -> list[str]:
        result = []
        if len(self.weights) < self.n_distinct:
            result.append(
                f"{len(self.weights):,} of {self.n_distinct:,} distinct rows, drawn at random"
            )
        if self.weights.max() > 1:
            result.append("large points: several equal rows")
        return result


def draw_some(encoder: TableEncoder, data: Any, max_rows: int, rng: Any) -> SampledKinds:
    """Draw distinct rows of a table, all of them if they are not too many."""
    codes = encoder._codes(data)
    space = encoder._model.space
    kinds = distinct_rows(codes, space.n_codes, None)
    drawn = np.arange(len(kinds))
    if len(kinds) > max_rows:
        drawn = np.sort(rng.choice(len(kinds), max_rows, replace=False))
    places = np.full(len(kinds), -1, dtype=np.intp)
    places[drawn] = np.arange(len(drawn))
    gram = np.zeros((len(drawn), len(drawn)))
    for table, column in zip(space.tables, kinds.codes, strict=True):
        vectors = table[column[drawn]]
        product = vectors @ vectors.T
        gram += product.toarray() if sparse.issparse(product) else product
    return SampledKinds(gram, kinds.weights[drawn], places[kinds.positions], len(kinds))


def _draw(axes: Any, found: FloatArray, rows: SampledKinds, groups: Groups | None) -> None:
    size = np.clip(6_000 / len(found), 8.0, 40.0)
    sizes = size * np.minimum(np.sqrt(rows.weights), 5.0)
    looks: dict[str, Any] = {"linewidths": 0, "alpha": 0.8}
    if groups is None:
        axes.scatter(*found.T, s=sizes, color=style.COLORS[0], **looks)
        return
    drawn, shape = rows.positions >= 0, (len(found), len(groups.names))
    of_points = cross_table(rows.positions[drawn], groups.members[drawn], shape)
    members = of_points.argmax(axis=1)  # the group that most rows of a point are in
    handles = []
    for number in range(len(groups.names)):
        own = members == number
        look = groups.style(number)
        handles.append(axes.scatter(*found[own].T, s=sizes[own], **look, **looks))
    style.add_legend(axes, handles, groups.names, groups.title)
    for handle in axes.get_legend().legend_handles:
        handle.set_sizes([30.0])


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
    fitted = as_fitted(model)
    encoder, max_values = fitted.encoder, check_integer("max_values", max_values)
    vocabulary = encoder.vocabulary_
    n_columns = len(vocabulary.columns)
    attributes = list(range(n_columns)) if column is None else [fitted.index_of(column)]
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


def most_frequent(encoder: TableEncoder, attributes: list[int], n: int) -> tuple[IntArray, int]:
    """Return the places in the counts of the most frequent values, and how many values occur."""
    counts = encoder.counts_
    spans = [counts.span(attribute) for attribute in attributes]
    places = np.concatenate([np.arange(span.start, span.stop) for span in spans])
    places = places[counts.frequencies[places] > 0]
    order = np.argsort(-counts.frequencies[places], kind="stable")
    return np.sort(places[order[:n]]), len(places)


def _products(encoder: TableEncoder, places: IntArray) -> FloatArray:
    """Return the inner products of the mean vectors of the rows that have each value.

    All vectors are centered, so that a cell whose value is unknown adds nothing.
    """
    counts = encoder.counts_
    frequencies = counts.frequencies[places]
    result = np.zeros((len(places), len(places)))
    for attribute, table in enumerate(encoder._model.space.tables):
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
    encoder: TableEncoder, places: IntArray, owners: IntArray, with_column: bool
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
    lines = need("matplotlib.collections", "report", "Plots").LineCollection
    axes.add_collection(lines(forks, colors=style.COLORS[0], linewidths=1.4))
    style.set_labels(axes, "y", [labels[codes[leaf]] for leaf in leaves])
    axes.set_ylim(len(leaves) - 0.4, -0.6)
    longest = max((x for fork in forks for x, _ in fork), default=0.0)
    axes.set_xlim(0.0, 1.05 * longest if longest > 0 else 1.0)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xlabel(MEASURES[by])
    if by == "contexts":
        axes.axvline(1.0, color=style.GRAY, lw=1.0, ls=":")  # nothing in common
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
