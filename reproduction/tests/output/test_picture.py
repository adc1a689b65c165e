import dataclasses
import re
import sys

import matplotlib
from matplotlib.figure import Figure as Drawing

from untie_paper.output.picture import draw
from untie_paper.output.style import panels


def test_both_formats_the_same_each_time(curve):
    first, second = draw(curve), draw(curve)
    assert first == second
    assert first.png.startswith(b"\x89PNG")
    assert b"<svg" in first.svg
    assert b"dc:date" not in first.svg
    assert not first.problem


def test_settings_are_put_back(curve):
    before = dict(matplotlib.rcParams)
    draw(curve)
    assert dict(matplotlib.rcParams) == before


def test_data_decides(curve):
    other = dataclasses.replace(curve, data=curve.data.assign(y=[3, 2, 1]))
    assert draw(other).png != draw(curve).png


def test_failure_is_one_line(curve):
    picture = draw(dataclasses.replace(curve, data=curve.data.drop(columns="y")))
    assert picture.problem == "KeyError: 'y'"
    assert picture.png == picture.svg == b""


def test_failure_in_the_middle_of_drawing(curve):
    # The PNG is made by then; half a figure must not be taken for one.
    class Broken(Drawing):
        def savefig(self, *arguments, format, **settings):
            if format == "svg":
                raise RuntimeError("no\nfont")
            super().savefig(*arguments, format=format, **settings)

    picture = draw(dataclasses.replace(curve, draw=lambda data: Broken()))
    assert picture.problem == "RuntimeError: no font"
    assert picture.png == b""


def test_nothing_drawn(curve):
    assert "savefig" in draw(dataclasses.replace(curve, draw=lambda data: None)).problem


def test_errors_have_no_paths(curve):
    def fail(data):
        raise FileNotFoundError("no font: '/some/folder/sans.ttf'")

    problem = draw(dataclasses.replace(curve, draw=fail)).problem
    assert problem == "FileNotFoundError: no font: 'sans.ttf'"


def test_without_matplotlib(curve, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install untie-paper" in draw(curve).problem


def test_a_drawing_for_phones(curve):
    picture = draw(dataclasses.replace(curve, draw=lambda data: panels(2)[0]))
    drawings = (picture.svg, picture.narrow_svg)
    widths = [re.search(rb'width="([.0-9]+)pt"', svg)[1] for svg in drawings]
    assert float(widths[1]) < 0.6 * float(widths[0])
    assert picture.narrow_png.startswith(b"\x89PNG")
