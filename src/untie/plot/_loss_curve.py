"""How the weights were found."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie._inputs import check_encoder
from untie.encoder import TableEncoder
from untie.plot import _style as style

WINDOW = 25
"""Where there are many steps, means of this many are drawn too: one step's loss is noise."""


def loss(encoder: TableEncoder, ax: Any = None) -> Any:
    """Draw the solver's objective, step by step.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted with a solver that takes steps, such as "exact" or "adam".
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If no steps were taken, as by a TableEncoder.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from untie import UNTIE, plot
    >>> from untie.datasets import load
    >>> encoder = UNTIE(solver="exact").fit(load("zoo")[0])
    >>> ax = plot.loss(encoder)
    >>> list(ax.lines[0].get_ydata()) == encoder.loss_curve_
    True
    """
    style.check_axes(ax)
    check_encoder(encoder)
    curve = np.asarray(encoder.loss_curve_, dtype=float)
    if len(curve) < 2:
        raise ValueError(
            f"{encoder!r} took no steps, so there is no curve to draw; pass a UNTIE with "
            "solver='exact' or 'adam', or look at gains_ of a TableEncoder."
        )
    steps = np.arange(1, len(curve) + 1)
    axes = style.get_axes(ax, 6.4, 3.6)
    many = len(curve) >= 4 * WINDOW
    axes.plot(
        steps,
        curve,
        color=style.GREY if many else style.COLOURS[0],
        lw=0.8 if many else 1.5,
        marker=None if many else "o",
        ms=4,
    )
    if many:
        means = np.convolve(curve, np.full(WINDOW, 1 / WINDOW), mode="valid")
        axes.plot(steps[WINDOW - 1 :], means, color=style.COLOURS[1], lw=1.8)
    if curve.min() > 0 and curve.max() > 50 * curve.min():
        axes.set_yscale("log")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set(xlabel="step", ylabel="objective")
    notes = [f"orange: mean of {WINDOW} steps"] if many else []
    style.set_title(axes, f"Objective of the solver {encoder.solver!r}", notes)
    return axes
