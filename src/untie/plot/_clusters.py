"""What makes each cluster, and why there are that many."""

from typing import Any

import numpy as np

from untie._inputs import ClusteredTable, as_fitted, read_clusters
from untie._learn.selection.k_choice import STABLE, KChoice
from untie._table.frames import columns_of
from untie._table.intervals import phrase
from untie._util.checks import check_integer, check_one_of
from untie._util.types import FloatArray
from untie.explain import cluster_profile
from untie.plot import _style as style

STRONGEST = 3.0
"""Lifts of 8 and more, or of 1/8 and less, have the same color."""
MOST_CLUSTERS = 16
MOST_LINES = 60

Line = tuple[str, str]
"""An attribute and a value."""


def cluster_profiles(
    model: Any,
    data: Any,
    *,
    show: str = "lift",
    n: int = 5,
    labels: Any = None,
    sample_weight: Any = None,
    ax: Any = None,
) -> Any:
    """Draw the most telling values of each cluster as a heat map.

    A line is a value, a column a cluster; the number is the share of the cluster's rows that have
    the value, the color its lift, or the share again. Of a column with an order, a line is the run
    of values that sets a cluster apart most, such as "over 40".

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory.
    show : {"lift", "share"}, default="lift"
        What the colors are. The lift is the share in the cluster divided by the share in the
        whole table: on a scale of doublings, above 0 is more than usual.
    n : int, default=5
        Number of values per cluster, its most telling ones (highest information, then highest
        share); those of all clusters are drawn, each once. Fewer, if they would be more than 60.
    labels : array of shape (n_rows,) or str, optional
        The cluster of each row, or the column that has it; by default the clusters of the model.
        Of more than 16 clusters the 16 largest are drawn.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    untie.explain.cluster_profile : The same numbers as a frame.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from untie import TableEncoder, plot
    >>> rows = [["red", "wine"]] * 4 + [["white", "wine"]] * 2 + [["brown", "beer"]] * 4
    >>> encoder = TableEncoder(2).fit(rows)
    >>> ax = plot.cluster_profiles(encoder, rows, n=2, labels=[1] * 6 + [0] * 4)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x0 = brown', 'x1 = beer', 'x1 = wine', 'x0 = red']
    """
    style.check_axes(ax)
    check_one_of("show", show, ("lift", "share"))
    n = check_integer("n", n)
    fitted = as_fitted(model)
    about = {"labels": labels, "sample_weight": sample_weight}
    columns = columns_of(cluster_profile(model, data, **about))
    table = read_clusters(fitted.clustered(data, **about), fitted.ordered)
    pairs = zip(table.names, table.sizes.tolist(), strict=True)
    sizes = {name: size for name, size in pairs if size > 0}
    clusters = sorted(sizes, key=lambda name: -sizes[name])[:MOST_CLUSTERS]
    clusters = [name for name in sizes if name in clusters]
    n_lines = min(n, max(1, MOST_LINES // len(clusters)))
    shown = _most_telling(columns, clusters, n_lines)
    share, lift = _figures(table, shown, clusters)
    notes = [f"the {n_lines} most telling values of each, {len(shown)} in all"]
    if len(clusters) < len(sizes):
        notes.append(f"the {len(clusters)} largest of {len(sizes)} clusters")
    names = [phrase(style.short(name, 24), style.short(value)) for name, value in shown]
    # The heat map gets its width, however long the names are.
    width = 1.9 + 0.55 * max(2, len(clusters)) + style.LETTER * max(map(len, names))
    axes = style.get_axes(ax, width, max(3.0, 1.6 + 0.23 * len(shown)))
    image = _draw(axes, share, lift, show)
    style.write_cells(axes, image, [[_percent(cell) for cell in line] for line in share])
    style.set_labels(axes, "y", names, longest=60)
    total = sum(sizes.values())
    names = [f"{style.short(name, 18)} ({_percent(sizes[name] / total)})" for name in clusters]
    style.set_labels(axes, "x", names)
    _turn_long_labels(axes, clusters)
    style.set_title(axes, "Share of each cluster's rows with a value", notes)
    return axes


def _most_telling(columns: dict[str, list[Any]], clusters: list[Any], n: int) -> list[Line]:
    """Return the most telling lines of each cluster, each value once."""
    found: dict[Any, list[Line]] = {name: [] for name in clusters}
    # With a single cluster no value tells anything; the most frequent come first then.
    order = np.lexsort((-np.array(columns["share"]), -np.round(columns["information"], 12)))
    for place in order:
        own = found.get(columns["cluster"][place])
        if own is not None and len(own) < n:
            own.append((columns["column"][place], columns["value"][place]))
    return list(dict.fromkeys(line for lines in found.values() for line in lines))


def _figures(
    table: ClusteredTable, lines: list[Line], clusters: list[Any]
) -> tuple[FloatArray, FloatArray]:
    """Return the shares and lifts of lines in clusters; both of shape (n_lines, n_clusters)."""
    chosen = [table.names.index(name) for name in clusters]
    counts = []
    for column, value in lines:
        entries = table.entries[table.columns.index(column)]
        counts.append(entries.counts[:, entries.names.index(value)])
    share = np.array(counts)[:, chosen] / table.sizes[chosen]
    usual = np.sum(counts, axis=1) / table.sizes.sum()
    return share, share / usual[:, None]


def _draw(axes: Any, share: FloatArray, lift: FloatArray, show: str) -> Any:
    if show == "share":
        image = axes.imshow(share, cmap=style.SHARES, vmin=0.0, vmax=1.0, aspect="auto")
        axes.figure.colorbar(image, ax=axes, label="share of the cluster's rows", shrink=0.8)
        return image
    from matplotlib.colors import LinearSegmentedColormap

    doublings = np.log2(np.maximum(lift, 2.0**-STRONGEST))
    image = axes.imshow(
        np.minimum(doublings, STRONGEST),
        cmap=LinearSegmentedColormap.from_list("lift", style.DIFFERENCES),
        vmin=-STRONGEST,
        vmax=STRONGEST,
        aspect="auto",
    )
    ticks = [-3, -2, -1, 0, 1, 2, 3]
    bar = axes.figure.colorbar(image, ax=axes, label="times the usual share", shrink=0.8)
    bar.set_ticks(ticks, labels=["≤ 1/8", "1/4", "1/2", "1", "2", "4", "≥ 8"])
    return image


def _percent(share: float) -> str:
    if share == 0:
        return "–"  # noqa: RUF001  # a value that the cluster has not
    text = f"{share:.0%}"
    return text if text != "0%" else "<1%"


def _turn_long_labels(axes: Any, clusters: list[Any]) -> None:
    axes.tick_params(length=0)
    axes.set_xlabel("cluster (share of all rows)")
    labels = axes.get_xticklabels()
    if len(clusters) > 1 and max(len(label.get_text()) for label in labels) > 6:
        for label in labels:
            label.set(rotation=45, ha="right", rotation_mode="anchor")


def choice_of_k(model: Any, *, choice: KChoice | None = None, ax: Any = None) -> Any:
    """Draw how good each number of clusters is, and how sure the choice.

    Above: the gain on hidden cells that the choice is made by, with its standard error; clusters
    below the line at 0 tell nothing. The bars of two numbers may overlap though one is clearly
    better: the choice goes by the error of the difference of their gains (see `untie.choose_k`).
    Below: the stability, which is how well clusters made from half of the rows agree with those of
    all rows (adjusted Rand index); the silhouette, and as bars the share of the splits in which
    each number is the best.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    choice : KChoice, optional
        What `untie.choose_k` returns; by default the choice that the model made when it was fitted
        with ``n_clusters="auto"``.
    ax : array of two matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    array of two matplotlib Axes

    See Also
    --------
    untie.choose_k : Makes a choice among other numbers, or from other rows.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from untie import TableClusterer, plot
    >>> from untie.datasets import load
    >>> X, y = load("zoo")
    >>> above, below = plot.choice_of_k(TableClusterer().fit(X))
    >>> above.get_ylabel(), below.get_xlabel()
    ('nats per row', 'number of clusters')
    """
    pair = _check_pair(ax)
    choice = _own_choice(model) if choice is None else choice
    if not isinstance(choice, KChoice):
        raise TypeError(
            f"choice must be a KChoice, got {type(choice).__name__}; untie.choose_k(model, data) "
            "returns one."
        )
    axes = style.new_axes(2, 6.4, 5.2) if pair is None else pair
    above, below = axes
    ks = np.array(choice.ks)
    look = style.group_style(0)
    label = "gain, standard error"
    above.errorbar(ks, choice.gain, choice.error, **look, lw=1.5, ms=5, capsize=3, label=label)
    above.axhline(0.0, color=style.GRAY, lw=1.0, ls=":", zorder=0)
    above.set_ylabel("nats per row")
    below.axhline(STABLE, color=style.GRAY, lw=1.0, ls=":", zorder=0)
    _line(below, ks, choice.stability, 2, "stability (adjusted Rand index)")
    _line(below, ks, choice.silhouette, 3, "silhouette")
    below.set(xlabel="number of clusters", ylabel="index")
    for one in axes:
        one.axvline(choice.k, color=style.GRAY, lw=1.2, ls=(0, (4, 3)), zorder=0)
        one.set_xticks(ks)
        one.set_xlim(ks[0] - 0.6, ks[-1] + 0.6)
        handles, labels = one.get_legend_handles_labels()
        style.add_legend(one, handles, labels)
    style.set_title(above, choice.verdict.partition(". ")[0])
    return axes


def _own_choice(model: Any) -> KChoice:
    fitted = as_fitted(model)
    found = (fitted.clusterer or fitted.encoder).k_choice_
    if found is None:
        raise ValueError(
            "The model chose no number of clusters, as it was given one; fit it with "
            "n_clusters='auto', or pass choice=untie.choose_k(model, data)."
        )
    return found


def _line(axes: Any, ks: Any, values: Any, number: int, label: str) -> None:
    axes.plot(ks, values, **style.group_style(number), lw=1.5, ms=5, label=label)


def _check_pair(ax: Any) -> Any:
    if ax is None:
        style.check_axes(None)
        return None
    pair = np.ravel(np.asarray(ax, dtype=object))
    if len(pair) != 2:
        raise TypeError(
            f"ax must be two matplotlib Axes, got {len(pair)}; make them by pyplot.subplots(2)."
        )
    for one in pair:
        style.check_axes(one)
    return pair
