"""Methods are told apart, panels have the right number and the legend names each line once."""

import pytest

from untie_paper.methods import DISTANCES, ENCODERS
from untie_paper.output import style

METHODS = [*ENCODERS, *DISTANCES]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_colour(method):
    assert style.method_style(method)["color"] != style.OTHER


def test_no_two_methods_look_alike():
    looks = {(s["color"], s["marker"]) for s in map(style.method_style, METHODS)}
    assert len(looks) == len(METHODS)
    assert len({s["marker"] for s in map(style.method_style, METHODS)}) == len(METHODS)


def test_unknown_method_is_grey():
    assert style.method_style("something else")["color"] == style.OTHER


def test_curves_may_have_no_markers():
    assert "marker" not in style.method_style("CDE", markers=False)


@pytest.mark.parametrize(("n", "rows"), [(1, 1), (2, 1), (3, 1), (4, 2), (6, 2), (7, 3)])
def test_panels(n, rows):
    figure, axes = style.panels(n)
    assert len(axes) == len(figure.axes) == n
    assert figure.get_size_inches()[1] == pytest.approx(2.4 * rows)


def test_common_legend_names_each_once():
    figure, axes = style.panels(2)
    for one in axes:
        one.plot([0, 1], **style.method_style("CDE"))
    axes[1].plot([0, 1], **style.method_style("COS"))
    style.common_legend(figure, axes)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["CDE", "COS"]


def test_no_legend_where_nothing_is_named():
    figure, axes = style.panels(1)
    style.common_legend(figure, axes)
    assert not figure.legends


def test_panels_on_a_phone():
    with style.for_phones():
        tall, maps = style.panels(4, columns=2), style.panels(4, narrow=(2, 1.5))
    assert tall[0].get_size_inches().tolist() == [style.PHONE_WIDTH, 9.6]
    assert all(one.get_subplotspec().is_first_col() for one in tall[1])
    assert maps[0].get_size_inches().tolist() == [style.PHONE_WIDTH, 3.0]
    assert style.panels(4)[0].get_size_inches()[0] == style.PAGE_WIDTH


def test_legend_on_a_phone_is_above_and_no_wider():
    with style.for_phones():
        figure, axes = style.panels(1)
        for number in range(6):
            axes[0].plot([0, 1], label=f"a long name of a method, {number}")
        style.common_legend(figure, axes)
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert box.y0 > axes[0].get_window_extent().y1
    assert 0 <= box.x0 < box.x1 <= figure.bbox.x1


@pytest.mark.parametrize(("columns", "named"), [(1, 4), (2, 2)])
def test_panels_at_the_left_are_named(columns, named):
    _, axes = style.panels(4, columns=columns)
    style.label_left(axes, "seconds")
    assert [one.get_ylabel() for one in axes].count("seconds") == named
