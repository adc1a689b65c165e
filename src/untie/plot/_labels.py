"""Texts beside points that do not lie on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from untie._util.types import FloatArray
from untie.plot import _style as style

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
