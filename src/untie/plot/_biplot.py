"""Biplots: rows and values on two axes of one picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from untie._inputs import as_fitted
from untie._table.frames import columns_of
from untie._table.table import read_table
from untie._util.checks import check_integer, draws_of
from untie._util.types import FloatArray, IntArray
from untie.decomposition import FAMD, MCA
from untie.plot import _style as style
from untie.plot._maps import draw_some, label_points, principal

LONGEST_ARROW = 0.9
"""Length of the arrow of a number whose correlation with an axis is 1, as a share of the distance
to the farthest point."""


@dataclass(frozen=True, eq=False)
class Plane:
    """What is drawn: two axes of a model.

    Parameters
    ----------
    rows : array of shape (n_points, 2)
        Where distinct rows are.
    weights : array of shape (n_points,)
        How many rows of the table are at each point.
    values : array of shape (n_values, 2)
        Where values are.
    owners : sequence of str
        The column of each value.
    labels : sequence of str
        The text of each value.
    importance : array of shape (n_values,)
        What each value contributes to the two axes.
    arrows : array of shape (n_numeric, 2)
        The correlation of each column of numbers with the axes.
    numeric : sequence of str
        The names of these columns.
    names : sequence of str
        What the two axes are called.
    notes : sequence of str
        What must be known of the rows.
    n_rows : int
        Number of rows of the table.
    """

    rows: FloatArray
    weights: FloatArray
    values: FloatArray
    owners: Sequence[str]
    labels: Sequence[str]
    importance: FloatArray
    arrows: FloatArray
    numeric: Sequence[str]
    names: Sequence[str]
    notes: Sequence[str]
    n_rows: int


def biplot(
    model: Any,
    data: Any,
    *,
    axes: tuple[int, int] = (0, 1),
    max_values: int = 40,
    max_rows: int = 2_000,
    random_state: Any = 0,
    ax: Any = None,
) -> Any:
    """Draw rows as light points, and values as labeled ones among them.

    A value of FAMD or of an encoder is at the mean of the rows that have it; one of MCA is there
    divided by the root of the eigenvalue, which is the usual symmetric map. Arrows are columns of
    numbers: their correlations with the axes, in units of the longest possible arrow.

    Parameters
    ----------
    model : MCA, FAMD, TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the five. Axes of the last three are principal components
        of the learned vectors.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory, or others.
    axes : tuple of two int, default=(0, 1)
        Which axes are drawn, from 0.
    max_values : int, default=40
        At most this many values are drawn, those that contribute most to the two axes; the title
        says so. Of more than 60 or so, most have no room for a label.
    max_rows : int, default=2000
        At most this many distinct rows are drawn, chosen at random; the title says so.
    random_state : int, RandomState or None, default=0
        Seed of the choice of rows; None is 0.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    map_values : Values alone, by their learned vectors.
    untie.decomposition.MCA.summary : The coordinates, contributions and squared cosines.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from untie import plot
    >>> from untie.datasets import load
    >>> from untie.decomposition import MCA
    >>> X, y = load("zoo")
    >>> ax = plot.biplot(MCA().fit(X), X, max_values=10)
    >>> print(ax.get_title("left"))
    101 rows and their values
    the 10 of 36 values that contribute most
    """
    style.check_axes(ax)
    first, second = _checked(axes)
    max_values = check_integer("max_values", max_values)
    max_rows = check_integer("max_rows", max_rows)
    rng = draws_of(random_state)
    *steps, last = (step for _, step in model.steps) if isinstance(model, Pipeline) else (model,)
    if isinstance(last, MCA | FAMD):
        for step in steps:
            data = step.transform(data)
        plane = plane_of_axes(last, data, (first, second), max_rows, rng)
    else:
        plane = plane_of_vectors(model, data, (first, second), max_rows, rng)
    drawn = style.get_axes(ax, 7.2, 6.0)
    draw_plane(drawn, plane, max_values)
    return drawn


def _checked(axes: Any) -> tuple[int, int]:
    """Return two different axes."""
    try:
        first, second = (check_integer("axes", axis, 0, "two numbers from 0") for axis in axes)
    except TypeError as error:
        raise TypeError(f"axes must be two numbers, such as (0, 1), got {axes!r}.") from error
    except ValueError as error:
        raise ValueError(f"axes must be two numbers from 0, got {axes!r}.") from error
    if first == second:
        raise ValueError(f"axes must be two different numbers, got {axes!r}.")
    return first, second


def plane_of_axes(
    model: MCA | FAMD, data: Any, axes: tuple[int, int], max_rows: int, rng: Any
) -> Plane:
    """Return two axes of MCA or FAMD."""
    check_is_fitted(model)
    n_axes = len(model.eigenvalues_)
    if max(axes) >= n_axes:
        raise ValueError(
            f"axes={axes}, but the model has {n_axes}; fit it with n_components={max(axes) + 1}."
        )
    read_table(data)  # refuses a table without rows
    points = model.transform(data)
    # Equal rows have equal coordinates, to the last bit.
    rows, counts = np.unique(points, axis=0, return_counts=True)
    notes = []
    if len(rows) > max_rows:
        chosen = np.sort(rng.choice(len(rows), max_rows, replace=False))
        notes = [f"{max_rows:,} of {len(rows):,} distinct rows, drawn at random"]
        rows, counts = rows[chosen], counts[chosen]
    chosen_axes = list(axes)
    names = model.get_feature_names_out()[chosen_axes]
    summary = columns_of(model.summary())
    placed = model.column_coordinates_[:, chosen_axes]
    importance = model.column_contributions_[:, chosen_axes] @ model.eigenvalues_[chosen_axes]
    n_numeric = len(placed) - sum(model.vocabulary_.sizes)
    shares = model.explained_inertia_[chosen_axes]
    return Plane(
        rows=rows[:, chosen_axes],
        weights=counts.astype(float),
        values=placed[n_numeric:],
        owners=summary["column"][n_numeric:],
        labels=summary["value"][n_numeric:],
        importance=importance[n_numeric:],
        arrows=placed[:n_numeric],
        numeric=summary["column"][:n_numeric],
        names=[f"{n} ({s:.1%} of the inertia)" for n, s in zip(names, shares, strict=True)],
        notes=notes,
        n_rows=len(points),
    )


def plane_of_vectors(
    model: Any, data: Any, axes: tuple[int, int], max_rows: int, rng: Any
) -> Plane:
    """Return two principal components of the vectors of an encoder, and the means of its values."""
    fitted = as_fitted(model)
    encoder, prepared = fitted.encoder, fitted.rows(data)[0]
    rows = draw_some(encoder, prepared, max_rows, rng)
    components, shares = principal(rows.gram, rows.weights, max(axes) + 1)
    points, vocabulary = components[:, list(axes)], encoder.vocabulary_
    is_drawn = rows.positions >= 0
    of_rows = points[rows.positions[is_drawn]]
    placed, importance, owners, labels = [], [], [], []
    for attribute, codes in enumerate(encoder._codes(prepared)):
        means, totals = _means(codes[is_drawn], vocabulary.sizes[attribute], of_rows)
        occurs = totals > 0
        placed.append(means[occurs])
        importance.append(totals[occurs] * np.square(means[occurs]).sum(axis=1))
        texts = np.array(vocabulary.labels(attribute), dtype=object)[occurs]
        labels += texts.tolist()
        owners += [vocabulary.columns[attribute]] * len(texts)
    shown = [(axis + 1, shares[axis]) for axis in axes]
    return Plane(
        rows=points,
        weights=rows.weights,
        values=np.vstack(placed),
        owners=owners,
        labels=labels,
        importance=np.concatenate(importance),
        arrows=np.empty((0, 2)),
        numeric=(),
        names=[f"component {number} ({share:.1%} of the variance)" for number, share in shown],
        notes=[note for note in rows.notes if "distinct" in note],
        n_rows=rows.n_rows,
    )


def _means(codes: IntArray, size: int, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean point of the rows with each value, and how many these are."""
    totals = np.bincount(codes, minlength=size)[:size]
    sums = [np.bincount(codes, axis, minlength=size)[:size] for axis in points.T]
    return np.stack(sums, axis=1) / np.maximum(totals, 1)[:, None], totals.astype(float)


def draw_plane(axes: Any, plane: Plane, max_values: int) -> None:
    """Draw rows, arrows and values, and label what there is room for."""
    axes.axhline(0.0, color=style.GRAY, lw=0.6, zorder=0)
    axes.axvline(0.0, color=style.GRAY, lw=0.6, zorder=0)
    size = float(np.clip(4_000 / len(plane.rows), 5.0, 24.0))
    sizes = size * np.minimum(np.sqrt(plane.weights), 4.0)
    axes.scatter(*plane.rows.T, s=sizes, color=style.GRAY, alpha=0.3, linewidths=0)
    order = np.argsort(-plane.importance, kind="stable")[:max_values]
    columns = list(dict.fromkeys(plane.owners))
    for number, column in enumerate(columns):
        own = [place for place in order if plane.owners[place] == column]
        if own:
            axes.scatter(*plane.values[own].T, s=28.0, linewidths=0, **style.group_style(number))
    everything = np.vstack([plane.rows, plane.values[order]])
    reach = LONGEST_ARROW * float(np.abs(everything).max(initial=0.0)) or 1.0
    tips = reach * plane.arrows
    for tip in tips:
        axes.annotate(
            "",
            tip,
            (0.0, 0.0),
            arrowprops={"arrowstyle": "->", "color": style.COLORS[1], "lw": 1.4},
        )
    axes.scatter(*tips.T, s=1.0, alpha=0.0)  # arrows have no part in the limits
    axes.margins(0.14, 0.1)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(plane.names[0])
    axes.set_ylabel(plane.names[1])
    notes = list(plane.notes)
    if len(order) < len(plane.values):
        notes.append(f"the {len(order)} of {len(plane.values):,} values that contribute most")
    if len(tips):
        notes.append("arrows: correlations of numbers with the axes")
    title = f"{plane.n_rows:,} rows and their values"
    style.set_title(axes, title, notes)
    texts = [style.short(name) for name in plane.numeric]
    texts += [
        f"{style.short(plane.owners[place], 20)}={style.short(plane.labels[place])}"
        for place in order
    ]
    points = np.vstack([tips, plane.values[order]])
    left_out = label_points(axes, points, np.full(len(points), 28.0), texts)
    if left_out:
        style.set_title(axes, title, [*notes, f"{left_out} without a label, for lack of room"])
