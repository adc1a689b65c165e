"""How many directions stand out of the noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from untie._count.selecting import select_counts
from untie._inputs import check_encoder
from untie._learn.learning import LARGEST_NUMBER
from untie._learn.n_clusters import choose_n_clusters, noise_edge, standardised_eigenvalues
from untie.encoder import TableEncoder
from untie.plot import _style as style


def spectrum(encoder: TableEncoder, ax: Any = None) -> Any:
    """Draw the eigenvalues that a number of clusters is read off if none is named.

    They are those of the counts of all pairs of values, with every column scaled to the
    identity. Of independent columns all are 1, but for noise that stays below an edge; what
    columns share stands above. The widest gap above it ends the list, and k clusters span
    k - 1 directions, which have filled marks.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    choice_of_k : The number chosen by the clusters themselves.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from untie import TableEncoder, plot
    >>> from untie.datasets import load
    >>> ax = plot.spectrum(TableEncoder().fit(load("zoo")[0]))
    >>> print(ax.get_title("left"))
    3 directions before the widest gap: 4 clusters
    """
    style.check_axes(ax)
    check_encoder(encoder)
    counts = select_counts(encoder.counts_, np.flatnonzero(~encoder.model_.passive))
    largest = min(LARGEST_NUMBER, counts.n_rows)
    k = choose_n_clusters(counts, largest)
    values, edge = standardised_eigenvalues(counts, largest), noise_edge(counts)
    places = np.arange(1, len(values) + 1)
    n = k - 1 if (values[: largest - 1] > edge).any() else 0
    axes = style.get_axes(ax, 6.4, 3.8)
    line: dict[str, Any] = {"color": style.COLOURS[0], "zorder": 3}
    axes.plot(places, values, lw=1.0, alpha=0.5, **line)
    axes.plot(places[:n], values[:n], "o", ms=6, **line, label="directions of clusters")
    axes.plot(places[n:], values[n:], "o", ms=6, mfc="none", **line, label="the others")
    axes.axhline(
        edge, color=style.COLOURS[1], ls=(0, (5, 3)), lw=1.4, label=f"edge of noise ({edge:.2f})"
    )
    if 0 < n < len(values):
        axes.axvline(n + 0.5, color=style.GREY, lw=1.0, ls=":")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlim(0.4, len(values) + 0.6)
    axes.set(xlabel="direction", ylabel="eigenvalue")
    axes.legend(frameon=False, fontsize=style.FONT_SIZE)
    title = f"{n} direction{'s' * (n != 1)} before the widest gap: {k} clusters"
    if not n:
        title = f"No direction stands out of the noise; {k} is the least"
    notes = []
    if encoder.n_clusters_ != k:
        notes = [f"the encoder was fitted with n_clusters={encoder.n_clusters_}"]
    style.set_title(axes, title, notes)
    return axes
