"""How rows lie to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._count.packed_rows import distinct_rows
from untie._inputs import as_fitted, encode_rows
from untie._util.checks import check_integer, check_one_of
from untie._util.seeds import draws_of
from untie._util.types import FloatArray
from untie.encoder import TableEncoder
from untie.plot import _points as points
from untie.plot import _style as style
from untie.plot._groups import Groups, read_groups


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
        What the colours are: one label per row, or the name of a column of `data`. By default the
        clusters of the model, if it makes any. Of more than 12 labels the 11 most frequent have a
        colour each. A point has the label of most of its rows.
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
    check_one_of("method", method, points.METHODS)
    max_rows = check_integer("max_rows", max_rows)
    if method == "umap":
        points.check_umap()
    rng = draws_of(random_state)
    title = labels if isinstance(labels, str) else str(getattr(labels, "name", None) or "")
    data, labels = fitted.take_labels(data, labels)
    prepared = fitted.rows(data)[0]
    rows = _sample(fitted.encoder, prepared, max_rows, rng)
    if labels is None and fitted.clusterer is not None:
        labels, title = fitted.clusterer.predict(prepared), "cluster"
    groups = None if labels is None else read_groups(labels, rows.n_rows, title)
    if len(rows.weights) < points.FEWEST:
        method = "pca"
    n_dimensions = 2 if method == "pca" else points.DIMENSIONS
    found, shares = points.principal(rows.gram, rows.weights, n_dimensions)
    if method != "pca" and found.any():
        found = points.neighbourhoods(method, found, rng.randint(2**31 - 1))
    axes = style.get_axes(ax, 6.4 if groups is None else 7.6, 5.2)
    _draw(axes, found[:, :2], rows, groups)
    if method == "pca":
        axes.set_xlabel(f"component 1 ({shares[0]:.0%} of the variance)")
        axes.set_ylabel(f"component 2 ({shares[1]:.0%})")
    else:
        axes.set(xticks=[], yticks=[])
    style.set_title(axes, f"{rows.n_rows:,} rows by {points.NAMES[method]}", rows.notes)
    return axes


@dataclass(frozen=True, eq=False)
class _Rows:
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
    positions: NDArray[np.intp]
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


def _sample(encoder: TableEncoder, data: Any, max_rows: int, rng: Any) -> _Rows:
    codes = encode_rows(encoder, data)
    space = encoder.model_.space
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
    return _Rows(gram, kinds.weights[drawn], places[kinds.positions], len(kinds))


def _draw(axes: Any, found: FloatArray, rows: _Rows, groups: Groups | None) -> None:
    size = np.clip(6_000 / len(found), 8.0, 40.0)
    sizes = size * np.minimum(np.sqrt(rows.weights), 5.0)
    looks: dict[str, Any] = {"linewidths": 0, "alpha": 0.8}
    if groups is None:
        axes.scatter(*found.T, s=sizes, color=style.COLOURS[0], **looks)
        return
    members = groups.of_points(rows.positions, len(found))
    handles = []
    for number in range(len(groups.names)):
        own = members == number
        look = groups.style(number)
        handles.append(axes.scatter(*found[own].T, s=sizes[own], **look, **looks))
    style.add_legend(axes, handles, groups.names, groups.title)
    for handle in axes.get_legend().legend_handles:
        handle.set_sizes([30.0])
