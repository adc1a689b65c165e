"""What tests of plots share: tables that are odd in one way each, and what pyplot has open."""

import io

import numpy as np
import pandas as pd
from matplotlib import pyplot
from matplotlib.figure import Figure


def new_axes(n=1):
    """Return axes that pyplot knows nothing of."""
    return Figure(figsize=(7, 5)).subplots(n)


def odd_table(n_rows=600, n_values=300, seed=0):
    """Return a table with missing cells, 300 values, long names, dollars and underscores."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 4, n_rows)
    return pd.DataFrame(
        {
            "a rather long name that costs $5 or $6": [
                f"value {v} of\nthe group {g} which is ${g}$"
                for v, g in zip(rng.integers(0, n_values // 4, n_rows), group, strict=True)
            ],
            "_b": [None if rng.random() < 0.1 else f"_b{g}" for g in group],
            "c": rng.choice(list("xyz"), n_rows),
        }
    )


def title(axes):
    return axes.get_title("left")


def draw(axes):
    """Draw everything, so that what warns or fails only then does so here."""
    axes.figure.canvas.figure.savefig(io.BytesIO(), format="png")


def lay_out(axes):
    """Lay everything out, texts and formulas too, and draw no pixel: it takes half the time."""
    axes.figure.canvas.figure.draw_without_rendering()


def tick_texts(axes, which):
    axis = axes.xaxis if which == "x" else axes.yaxis
    return [label.get_text() for label in axis.get_ticklabels()]


def n_open():
    return len(pyplot.get_fignums())
