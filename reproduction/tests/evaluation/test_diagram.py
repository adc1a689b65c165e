import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot

from untie_paper.evaluation import (
    bonferroni_dunn,
    critical_difference_diagram,
    published,
)
from untie_paper.evaluation._diagram import DIFFERENT, INK


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def paper_ranks():
    table = published("clustering_ranks")
    return dict(zip(table["method"], table["average_rank"], strict=True))


def labels(ax):
    """Return the texts that name methods."""
    return {text.get_text().rsplit(" (", 1)[0]: text for text in ax.texts if "(" in text.get_text()}


def boxes(ax):
    ax.figure.canvas.draw()
    return [text.get_window_extent() for text in ax.texts]


def assert_tidy(ax):
    """No text lies on another, and none leaves the axes."""
    found = boxes(ax)
    whole = ax.get_window_extent()
    for number, box in enumerate(found):
        assert box.x0 >= whole.x0 - 1
        assert box.x1 <= whole.x1 + 1
        assert box.y0 >= whole.y0 - 1
        assert box.y1 <= whole.y1 + 1
        for other in found[:number]:
            assert not box.overlaps(other)


def many(n_methods, n_sets=30, seed=0):
    scores = np.random.default_rng(seed).random((n_sets, n_methods))
    ranks = scores.argsort(axis=1).argsort(axis=1).mean(axis=0) + 1
    return {f"method {number}": float(rank) for number, rank in enumerate(ranks)}


def test_the_diagram_of_the_paper():
    ax = critical_difference_diagram(paper_ranks(), 25, control="UNTIE", alpha=0.1)
    assert ax.texts[0].get_text() == "Critical difference to UNTIE: 2.17 (alpha 0.1, 25 data sets)"
    named = labels(ax)
    differ = {name for name in paper_ranks() if named[name].get_color() == DIFFERENT}
    assert differ == {"Hamming", "Rough", "COS", "BiGAN_WD", "VAE_WD"}
    assert named["CDE"].get_color() == INK
    assert named["UNTIE"].get_weight() == "bold"
    assert_tidy(ax)


def test_the_band_is_one_critical_difference_to_both_sides():
    ranks = {"a": 1.2, "b": 4.0, "c": 2.1, "d": 3.0, "e": 4.7}
    ax = critical_difference_diagram(ranks, 40, control="d")
    vertices = ax.collections[0].get_paths()[0].vertices[:, 0]
    ticks = [line.get_xdata()[0] for line in ax.lines[:5]]
    unit = (ticks[-1] - ticks[0]) / 4
    middle = ticks[0] + 2 * unit
    difference = bonferroni_dunn(5, 40)
    assert vertices.min() == pytest.approx(middle - difference * unit)
    assert vertices.max() == pytest.approx(middle + difference * unit)


def test_marks_stand_at_the_ranks():
    ax = critical_difference_diagram({"a": 1.0, "b": 1.75, "c": 3.0}, 4)
    ticks = [line.get_xdata()[0] for line in ax.lines[:3]]
    marks = sorted(line.get_xdata()[0] for line in ax.lines if line.get_marker() in ("o", "D"))
    assert marks == pytest.approx(np.interp([1, 1.75, 3], [1, 2, 3], ticks))


@pytest.mark.parametrize("n_methods", [2, 3, 5, 12, 20])
def test_any_number_of_methods(n_methods):
    assert_tidy(critical_difference_diagram(many(n_methods), 30))


def test_long_names_and_ties():
    ranks = {"a name that is much longer than any name should be, or so one thinks": 1.5}
    ranks |= {"b": 1.5, "c$_1$ $": 3.0, "another name of considerable length, and then some": 4.0}
    ax = critical_difference_diagram(ranks, 10)
    assert_tidy(ax)
    assert "c$_1$ $" in labels(ax)


def test_the_best_method_is_the_control_unless_another_is_named():
    ax = critical_difference_diagram({"a": 2.0, "b": 1.0}, 5)
    assert "to b:" in ax.texts[0].get_text()
    ax = critical_difference_diagram({"a": 2.0, "b": 1.0}, 5, control="a")
    assert "to a:" in ax.texts[0].get_text()


def test_given_axes_are_used_and_letters_made_small_enough():
    figure, (first, second) = pyplot.subplots(1, 2, figsize=(7, 2))
    assert critical_difference_diagram(paper_ranks(), 25, ax=first) is first
    critical_difference_diagram({"a": 1.0, "b": 2.0}, 5, ax=second)
    assert_tidy(first)
    assert_tidy(second)
    assert figure.get_size_inches().tolist() == [7, 2]


def test_lines_of_methods_do_not_cross():
    ax = critical_difference_diagram(paper_ranks(), 25)
    elbows = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 3]
    for first in elbows:
        for second in elbows:
            low, high = sorted(first[1:, 0])
            x, (bottom, top) = second[0, 0], sorted(second[:2, 1])
            if low < x < high:
                assert not bottom < first[1, 1] < top


@pytest.mark.parametrize(
    ("ranks", "control", "message"),
    [
        ({"a": 1.0}, None, "two methods"),
        ({"a": 1.0, "b": 2.5}, None, "rank of 'b' is 2.5"),
        ({"a": 1.0, "b": float("nan")}, None, "rank of 'b' is nan"),
        ({"a": 1.0, "b": 2.0}, "c", "no method 'c'"),
    ],
)
def test_bad_input(ranks, control, message):
    with pytest.raises(ValueError, match=message):
        critical_difference_diagram(ranks, 5, control=control)


def test_ranks_may_be_a_series():
    ax = critical_difference_diagram(pd.Series({"a": 2.0, "b": 1.0}), 5)
    assert "to b:" in ax.texts[0].get_text()
    with pytest.raises(TypeError, match=r"got list; pass dict\(zip\(names, average_ranks"):
        critical_difference_diagram([1.0, 2.0], 5)
