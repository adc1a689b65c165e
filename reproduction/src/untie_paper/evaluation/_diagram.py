"""The critical-difference diagram: mean ranks on a line, and who differs from the control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from untie_paper.evaluation._ranks import bonferroni_dunn

# All lengths are in inches, the unit of the axes as well.
ABOVE, BELOW = 0.85, 0.25
FIRST_ROW, ROW = 0.45, 0.26
PAD, TICK, BAND = 0.08, 0.07, 0.11
SHORTEST_LINE, NARROWEST_TICK = 3.4, 0.28
FONT_SIZE = 10.0

INK, DIFFERENT, INTERVAL = "#1f1f1f", "#b3331d", "#b9d0e6"


def critical_difference_diagram(
    ranks: Mapping[str, float],
    n_sets: int,
    *,
    control: str | None = None,
    alpha: float = 0.05,
    ax: Any = None,
) -> Any:
    """Draw the mean ranks of methods, and which differ from a control (Bonferroni-Dunn test).

    The band reaches one critical difference to both sides of the control's rank, whose mark is
    a diamond. Methods outside it differ from the control: they are red, with hollow marks.

    Parameters
    ----------
    ranks : dict or series of names to mean ranks
        1 is best; ``dict(zip(names, average_ranks(scores)))``.
    n_sets : int
        Number of data sets that the ranks are means over.
    control : str, optional
        The method that the others are compared with; the best one if None.
    alpha : float, default=0.05
        Level of the test; 0.05 or 0.1 are usual.
    ax : matplotlib Axes, optional
        Where to draw; small axes have small letters. If None, a new figure that is large enough.

    Returns
    -------
    matplotlib Axes
        Save it by ``ax.figure.savefig(path)``.

    See Also
    --------
    average_ranks : Mean ranks from scores.
    bonferroni_dunn : The critical difference alone.

    References
    ----------
    J. Demsar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
    Learning Research 7, 1-30, 2006.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> ax = critical_difference_diagram({"UNTIE": 1.2, "CDE": 1.9, "COS": 2.9}, n_sets=12)
    >>> ax.texts[0].get_text()
    'Critical difference to UNTIE: 0.92 (alpha 0.05, 12 data sets)'
    """
    plan = _plan(_by_name(ranks), n_sets, control, alpha)
    axes = _new_axes(plan) if ax is None else ax
    axes.set_axis_off()
    frame = _fit(axes, plan, may_grow=ax is None)
    _draw_line(axes, plan, frame)
    for number in range(len(plan.names)):
        _draw_method(axes, plan, frame, number)
    return axes


@dataclass(frozen=True)
class _Plan:
    """The methods from best to worst, and what is said of them."""

    names: list[str]
    ranks: list[float]
    control: int
    difference: float
    title: str

    @property
    def n_left(self) -> int:
        """How many labels stand on the left: the better half."""
        return (len(self.names) + 1) // 2

    @property
    def height(self) -> float:
        return ABOVE + FIRST_ROW + ROW * (self.n_left - 1) + BELOW

    def label(self, number: int) -> str:
        return f"{self.names[number]} ({self.ranks[number]:.2f})"

    def row(self, number: int) -> int:
        """Return the row of a label: the outer ranks stand above, so that no lines cross."""
        return number if number < self.n_left else len(self.names) - 1 - number

    def differs(self, number: int) -> bool:
        return abs(self.ranks[number] - self.ranks[self.control]) > self.difference


@dataclass(frozen=True)
class _Frame:
    """Where the line of ranks lies, and how much smaller than planned everything is."""

    start: float
    end: float
    top: float
    scale: float
    n_methods: int

    def x(self, rank: float) -> float:
        return self.start + (self.end - self.start) * (rank - 1) / (self.n_methods - 1)


def _by_name(ranks: Any) -> dict[str, float]:
    """Take mappings, and what is nearly one: a series with the names as its index."""
    if not hasattr(ranks, "keys"):
        raise TypeError(
            f"ranks must map names to mean ranks, got {type(ranks).__name__}; pass "
            "dict(zip(names, average_ranks(scores))), with the names of the methods."
        )
    return dict(ranks)


def _plan(ranks: Mapping[str, float], n_sets: int, control: str | None, alpha: float) -> _Plan:
    n_methods = len(ranks)
    difference = bonferroni_dunn(n_methods, n_sets, alpha)
    for name, rank in ranks.items():
        if not 1 <= rank <= n_methods:
            raise ValueError(
                f"The mean rank of {name!r} is {rank}; among {n_methods} methods it must be from "
                f"1 to {n_methods}."
            )
    names = sorted(ranks, key=lambda name: ranks[name])
    if control is not None and control not in ranks:
        raise ValueError(f"There is no method {control!r} to compare with; there are {names}.")
    position = 0 if control is None else names.index(control)
    return _Plan(
        [str(name) for name in names],
        [float(ranks[name]) for name in names],
        position,
        difference,
        f"Critical difference to {names[position]}: {difference:.2f} "
        f"(alpha {alpha:g}, {n_sets} data sets)",
    )


def _new_axes(plan: _Plan) -> Any:
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(6.4, plan.height))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))


def _fit(axes: Any, plan: _Plan, may_grow: bool) -> _Frame:
    """Measure the names; what they leave of the width is the line of ranks."""
    widths = [_text_width(axes, plan.label(number)) for number in range(len(plan.names))]
    left, right = max(widths[: plan.n_left]), max(widths[plan.n_left :])
    line = max(SHORTEST_LINE, NARROWEST_TICK * (len(plan.names) - 1))
    needed = max(left + right + 6 * PAD + line, _text_width(axes, plan.title) + 2 * PAD)
    if may_grow:
        axes.figure.set_size_inches(max(needed, 6.4), plan.height)
    width, height = _size(axes)
    scale = min(1.0, width / needed, height / plan.height)
    axes.set_xlim(0.0, width)
    axes.set_ylim(0.0, height)
    start, end = scale * (left + 3 * PAD), width - scale * (right + 3 * PAD)
    return _Frame(start, end, height - scale * ABOVE, scale, len(plan.names))


def _draw_line(axes: Any, plan: _Plan, frame: _Frame) -> None:
    """Draw the title, the ranks' line with its ticks, and the band of no difference."""
    scale, top = frame.scale, frame.top
    middle, size = (frame.start + frame.end) / 2, scale * FONT_SIZE
    text = {"ha": "center", "color": INK, "parse_math": False}
    axes.text(
        sum(axes.get_xlim()) / 2, top + scale * 0.64, plan.title, va="center", size=size, **text
    )
    axes.text(middle, top + scale * 0.38, "mean rank", va="center", size=0.85 * size, **text)
    for rank in range(1, frame.n_methods + 1):
        x = frame.x(rank)
        axes.plot([x, x], [top, top + scale * TICK], color=INK, lw=scale * 0.9)
        axes.text(x, top + scale * 1.5 * TICK, str(rank), va="bottom", size=0.85 * size, **text)
    axes.plot([frame.start, frame.end], [top, top], color=INK, lw=scale * 1.2)
    low = max(1.0, plan.ranks[plan.control] - plan.difference)
    high = min(float(frame.n_methods), plan.ranks[plan.control] + plan.difference)
    axes.fill_between(
        [frame.x(low), frame.x(high)],
        top - scale * BAND,
        top + scale * BAND,
        color=INTERVAL,
        lw=0,
        zorder=0,
        label="interval",
    )


def _draw_method(axes: Any, plan: _Plan, frame: _Frame, number: int) -> None:
    """Draw a method's mark, its elbow and its label."""
    is_left, is_control = number < plan.n_left, number == plan.control
    color = DIFFERENT if plan.differs(number) else INK
    x, scale = frame.x(plan.ranks[number]), frame.scale
    y = frame.top - scale * (FIRST_ROW + ROW * plan.row(number))
    edge = frame.start - scale * PAD if is_left else frame.end + scale * PAD
    axes.plot([x, x, edge], [frame.top, y, y], color=color, lw=scale * 0.9, zorder=1)
    axes.plot(
        [x],
        [frame.top],
        marker="D" if is_control else "o",
        ms=scale * (7.5 if is_control else 6.0),
        # A white edge tells marks apart that lie on each other.
        mfc="white" if plan.differs(number) else color,
        mec=color if plan.differs(number) else "white",
        mew=scale * (1.2 if plan.differs(number) else 0.7),
        zorder=4 if is_control else 3,
    )
    axes.text(
        edge + (-PAD if is_left else PAD) * scale / 2,
        y,
        plan.label(number),
        ha="right" if is_left else "left",
        va="center",
        size=scale * FONT_SIZE,
        color=color,
        weight="bold" if is_control else "normal",
        parse_math=False,  # a dollar in a name is a dollar
    )


def _text_width(axes: Any, text: str) -> float:
    # Bold, the widest that a label can be.
    probe = axes.text(0, 0, text, size=FONT_SIZE, weight="bold", parse_math=False)
    width = probe.get_window_extent().width / axes.figure.dpi
    probe.remove()
    return float(width)


def _size(axes: Any) -> tuple[float, float]:
    box = axes.get_window_extent()
    return float(box.width / axes.figure.dpi), float(box.height / axes.figure.dpi)
