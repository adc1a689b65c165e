"""How much columns have in common, and which of them the learned weights favor."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from untie._inputs import as_fitted
from untie._table.frames import columns_of
from untie._util.checks import check_integer
from untie._util.messages import need
from untie._util.types import FloatArray, IntArray
from untie.explain import weight_shares
from untie.plot import _style as style

WRITTEN = 14
"""Up to this many columns, the numbers are written into the cells."""


def associations(model: Any, *, max_columns: int = 40, ax: Any = None) -> Any:
    """Draw how much each column has in common with each other one; families have a frame.

    The numbers are the symmetric uncertainty, chance left out: 0 if two columns are independent, 1
    if each determines the other. Columns that have much in common stand next to each other.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    max_columns : int, default=40
        At most this many columns, those that have most in common with another; the title says so.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    untie.explain.associations : The same numbers as a frame, and who tells whom.
    untie.explain.families : The families.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from untie import TableEncoder, plot
    >>> from untie.datasets import load
    >>> ax = plot.associations(TableEncoder().fit(load("crx")[0]))
    >>> names = [label.get_text() for label in ax.get_yticklabels()]
    >>> abs(names.index("A4") - names.index("A5")), len(ax.patches)
    (1, 1)
    """
    style.check_axes(ax)
    encoder = as_fitted(model).encoder
    max_columns = check_integer("max_columns", max_columns)
    attributes, names = encoder._model.attributes, encoder.vocabulary_.columns
    found = attributes.uncertainty
    groups = [[member.attribute for member in family] for family in attributes.families]
    shown = _most_in_common(found, max_columns)
    alike = found.copy()
    for group in groups:
        alike[np.ix_(group, group)] = 1.0  # those of a family stay together
    order = shown[in_order_of_likeness(alike[np.ix_(shown, shown)])]
    table = found[np.ix_(order, order)]
    # Names of columns may be long, on both sides.
    axes = style.get_axes(ax, 4.5 + 0.3 * len(order), 3.5 + 0.3 * len(order))
    image = axes.imshow(table, cmap=style.SHARES, vmin=0.0, vmax=1.0, aspect="equal")
    if len(order) <= WRITTEN:
        style.write_cells(axes, image, [[f"{number:.2f}" for number in line] for line in table])
    _outline(axes, groups, order)
    labels = [names[place] for place in order]
    style.set_labels(axes, "y", labels)
    style.set_labels(axes, "x", labels)
    axes.tick_params(length=0)
    axes.tick_params(axis="x", rotation=90)
    notes = ["columns in a frame share their votes"] if groups else []
    if len(order) < len(names):
        notes.append(f"the {len(order)} of {len(names)} columns with most in common")
    style.set_title(axes, "How much columns have in common", notes)
    return axes


def _most_in_common(found: FloatArray, most: int) -> IntArray:
    """Return the columns with the closest other one, in their order."""
    closest = np.where(np.eye(len(found), dtype=bool), 0.0, found).max(axis=1)
    return np.sort(np.argsort(-np.round(closest, 12), kind="stable")[:most])


def in_order_of_likeness(found: FloatArray) -> IntArray:
    """Return places so that what is alike is beside each other.

    Parameters
    ----------
    found : array of shape (n_places, n_places)
        How alike they are, at most 1.
    """
    if len(found) < 3:
        return np.arange(len(found))
    apart = np.maximum(1.0 - (found + found.T) / 2.0, 0.0)
    np.fill_diagonal(apart, 0.0)
    return np.asarray(leaves_list(linkage(squareform(apart), "average", optimal_ordering=True)))


def _outline(axes: Any, groups: Sequence[Sequence[int]], order: IntArray) -> None:
    """Draw a frame around each family."""
    patches = need("matplotlib.patches", "report", "Plots")
    for group in groups:
        places = np.flatnonzero(np.isin(order, group))
        if len(places) > 1:
            corner, size = places[0] - 0.5, len(places)
            frame = patches.Rectangle(
                (corner, corner), size, size, fill=False, edgecolor=style.COLORS[1], linewidth=2.5
            )
            axes.add_patch(frame)


BOTH = "column x coupling"


def weights(model: Any, *, by: str = "column", max_lines: int = 30, ax: Any = None) -> Any:
    """Draw each column's, coupling's or kernel's share of what tells rows apart.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    by : {"column", "coupling", "kernel", "column x coupling"}, default="column"
        What the bars are; the last is a heat map.
    max_lines : int, default=30
        At most this many bars or lines; the smallest are merged into one bar, or left out of a heat
        map, and the title says so.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    untie.explain.weight_shares : The same numbers as a frame.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from untie import TableEncoder, plot
    >>> from untie.datasets import load
    >>> ax = plot.weights(TableEncoder().fit(load("zoo")[0]), by="coupling")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['tree', 'matching']
    """
    style.check_axes(ax)
    max_lines = check_integer("max_lines", max_lines)
    columns = columns_of(weight_shares(model, by=by))
    if by == BOTH:
        return _heat_map(columns, ax, max_lines)
    names, shares = columns[by], np.asarray(columns["share"], dtype=float)
    notes = []
    if len(names) > max_lines:
        rest = len(names) - max_lines + 1
        names = [*names[: max_lines - 1], f"{rest} others together"]
        shares = np.append(shares[: max_lines - 1], shares[max_lines - 1 :].sum())
        notes = [f"the {max_lines - 1} largest of {max_lines - 1 + rest}"]
    axes = style.get_axes(ax, 6.4, 1.2 + 0.22 * len(names))
    colors = [style.COLORS[0]] * len(names)
    if notes:
        colors[-1] = style.GRAY
    bars = axes.barh(range(len(names)), shares, color=colors, height=0.75)
    axes.bar_label(bars, [_percent(share) for share in shares], padding=3, fontsize=style.FONT_SIZE)
    style.set_labels(axes, "y", names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0.0, 1.15 * float(shares.max()) or 1.0)
    axes.xaxis.set_major_formatter(need("matplotlib.ticker", "report", "Plots").PercentFormatter(1))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("share of the variance of the rows' vectors")
    style.set_title(axes, f"What tells rows apart, by {by}", notes)
    return axes


def _heat_map(columns: dict[str, list[Any]], ax: Any, max_lines: int) -> Any:
    shares: dict[str, float] = {}
    for attribute, share in zip(columns["column"], columns["share"], strict=True):
        shares[attribute] = shares.get(attribute, 0.0) + share
    attributes = sorted(shares, key=lambda name: -round(shares[name], 12))[:max_lines]
    couplings = list(dict.fromkeys(columns["coupling"]))
    table = np.zeros((len(attributes), len(couplings)))
    places = {name: place for place, name in enumerate(attributes)}
    for attribute, coupling, share in zip(*columns.values(), strict=True):
        if attribute in places:
            table[places[attribute], couplings.index(coupling)] = share
    axes = style.get_axes(ax, 2.8 + 1.1 * len(couplings), 1.2 + 0.24 * len(attributes))
    image = axes.imshow(table, cmap=style.SHARES, vmin=0.0, aspect="auto")
    style.write_cells(axes, image, [[_percent(share) for share in line] for line in table])
    style.set_labels(axes, "y", attributes)
    style.set_labels(axes, "x", couplings)
    axes.tick_params(length=0)
    left_out = len(shares) - len(attributes)
    notes = [f"the {len(attributes)} largest of {len(shares)} attributes"] if left_out else []
    style.set_title(axes, "Share of what tells rows apart", notes)
    return axes


def _percent(share: float) -> str:
    if 0 < share < 0.0995:
        return f"{share:.1%}" if share >= 0.0005 else "<0.1%"
    return f"{share:.0%}"
