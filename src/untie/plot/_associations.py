"""How much columns have in common, families next to each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from untie._inputs import as_fitted
from untie._util.checks import check_integer
from untie._util.messages import need
from untie._util.types import FloatArray, IntArray
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
    order = shown[_neighbours(found, groups, shown)]
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


def _neighbours(found: FloatArray, groups: Sequence[Sequence[int]], shown: IntArray) -> IntArray:
    """Return an order of the columns in which those of a family, and alike ones, are neighbours."""
    if len(shown) < 3:
        return np.arange(len(shown))
    distances = 1.0 - (found + found.T) / 2.0
    for group in groups:
        distances[np.ix_(group, group)] = -1.0  # before all others
    distances = distances[np.ix_(shown, shown)] + 1.0
    np.fill_diagonal(distances, 0.0)
    order: IntArray = leaves_list(linkage(squareform(distances), "average"))
    return order


def _outline(axes: Any, groups: Sequence[Sequence[int]], order: IntArray) -> None:
    """Draw a frame around each family."""
    patches = need("matplotlib.patches", "report", "Plots")
    for group in groups:
        places = np.flatnonzero(np.isin(order, group))
        if len(places) > 1:
            corner, size = places[0] - 0.5, len(places)
            frame = patches.Rectangle(
                (corner, corner), size, size, fill=False, edgecolor=style.COLOURS[1], linewidth=2.5
            )
            axes.add_patch(frame)
