"""Why that number of clusters."""

from typing import Any

import numpy as np

from untie._inputs import as_fitted
from untie._learn.selection.k_choice import STABLE, KChoice
from untie.plot import _style as style


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
    above.axhline(0.0, color=style.GREY, lw=1.0, ls=":", zorder=0)
    above.set_ylabel("nats per row")
    below.axhline(STABLE, color=style.GREY, lw=1.0, ls=":", zorder=0)
    _line(below, ks, choice.stability, 2, "stability (adjusted Rand index)")
    _line(below, ks, choice.silhouette, 3, "silhouette")
    below.set(xlabel="number of clusters", ylabel="index")
    for one in axes:
        one.axvline(choice.k, color=style.GREY, lw=1.2, ls=(0, (4, 3)), zorder=0)
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
