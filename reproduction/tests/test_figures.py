"""The figures as visitors see them, drawn from the published data: on a page and on a phone."""

import functools
import re
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.text import Text

from browser_cases import need_browser, running_browser
from untie_paper import (
    complexity,
    convergence_figures,
    couplings_density,
    framework,
    goodness,
    inconsistency,
    kernels,
    maps,
    ranks,
    readings_report,
    retrieval_report,
    time_figures,
    users_first,
)
from untie_paper.experiments import EXPERIMENTS
from untie_paper.output.page import DATA, make_page
from untie_paper.output.picture import draw
from untie_paper.output.report import Figure
from untie_paper.output.sections import FigureView, PageSection
from untie_paper.output.style import for_phones

PUBLISHED = Path(__file__).parents[2] / "docs" / "evidence" / "reproduction"
DRAWN = {
    "framework/framework": framework.draw,
    "couplings_density/intra_heterogeneity_distribution": couplings_density.draw_intra,
    "couplings_density/inter_heterogeneity_distribution": couplings_density.draw_inter,
    "inconsistency/intra_heterogeneity": inconsistency.draw,
    "inconsistency/inter_heterogeneity": inconsistency.draw,
    "goodness/goodness": goodness.draw,
    "maps/visualize": maps.draw_maps,
    "convergence/convergence": convergence_figures.draw_losses,
    "convergence/convergence_share": convergence_figures.draw_shares,
    "time_cost/time_cost": time_figures.draw_stages,
    "time_cost/time_cost_methods": time_figures.draw_methods,
    "complexity/complexity": complexity.draw,
    "clustering/critical_difference_published": ranks.draw_diagram,
    "clustering/critical_difference_printed_methods": ranks.draw_diagram,
    "clustering/critical_difference_measured": ranks.draw_diagram,
    "readings/readings_means": readings_report.draw,
    "retrieval/retrieval": retrieval_report.draw,
    "kernels/stability": kernels.draw,
    "users_first/users_first": users_first.draw,
}
"""Every published figure, and what draws it."""

PHONE, PAGE = 340, 712
"""Pixels that the page leaves to a figure in a window of 390 pixels, and at most."""

SMALLEST = 9.0
"""Pixels of the letters."""


@functools.cache
def published(path):
    """Return the data of a figure and its pictures, as its experiment would."""
    data = pd.read_csv(PUBLISHED / f"{path}.csv", keep_default_na=False, na_values=[""])
    if path.startswith("framework"):
        data = data.fillna({"text": "", "title": ""})
    return data, draw(Figure("figure", "Title", data, DRAWN[path], "What it shows."))


def pixels_wide(svg):
    """Return the width of a drawing at its own size, in pixels of CSS."""
    return float(re.search(rb'<svg[^>]* width="([\d.]+)pt"', svg)[1]) * 96 / 72


def smallest_letters(drawing):
    """Return the points of the smallest letters in a drawing."""
    for axes in drawing.axes:  # labels are empty until they are asked for
        axes.get_xticklabels(which="both")
        axes.get_yticklabels(which="both")
    texts = [text for text in drawing.findobj(Text) if text.get_visible() and text.get_text()]
    return min(text.get_fontsize() for text in texts)


def test_every_published_figure_is_looked_at():
    pictures = PUBLISHED.glob("*/*.svg")
    assert {f"{path.parent.name}/{path.stem}" for path in pictures} == set(DRAWN)


def test_titles_are_words():
    for experiment in EXPERIMENTS:
        assert not re.search(r"_|Figures? [a-z]|Table [a-z]", experiment.title)
    headings = re.findall(r"^!?\[([^\]]+)\]\(|^(.+) \(\[SVG\]", index_text(), flags=re.MULTILINE)
    titles = [table or figure for table, figure in headings]
    assert len(titles) > 2 * len(DRAWN)
    for title in titles:
        assert not re.search(r"Figures? [a-z]|Table [a-z]", title), title


def index_text():
    return (PUBLISHED / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", DRAWN)
def test_letters_can_be_read(path):
    data, picture = published(path)
    assert not picture.problem
    narrow, wide = pixels_wide(picture.narrow_svg), pixels_wide(picture.svg)
    # Nothing reaches beyond the drawing, which would make it wider and all letters smaller.
    assert narrow < 1.07 * PHONE
    with for_phones():
        letters = smallest_letters(DRAWN[path](data))
    assert letters * 96 / 72 * PHONE / narrow >= SMALLEST
    assert smallest_letters(DRAWN[path](data)) * 96 / 72 * PAGE / wide >= SMALLEST


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Give a page of all figures, with data that is too large for it, so that files are named."""
    csv = b"x" * (DATA + 1)
    views = [
        FigureView(path.replace("/", "_"), path, "What it shows.", published(path)[1], csv)
        for path in DRAWN
    ]
    path = tmp_path_factory.mktemp("figures") / "index.html"
    path.write_text(
        make_page([PageSection("all", "All figures", "figures", 1, [], [], views)], {}),
        encoding="utf-8",
    )
    return path


@pytest.fixture(scope="module")
def phone(path):
    with running_browser(need_browser()) as browser:
        tab = browser.new_page(viewport={"width": 390, "height": 844})
        asked = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(path.as_uri())
        yield tab
        assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]


@pytest.mark.integration
def test_no_figure_is_wider_than_a_phone(phone):
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    found = phone.evaluate(
        """[...document.querySelectorAll("figure img")].map(image => {
            const box = image.getBoundingClientRect();
            return [box.left, box.right, box.height, image.naturalWidth];
        })"""
    )
    assert len(found) == len(DRAWN)
    for left, right, height, natural in found:
        assert 0 <= left < right <= 390
        assert height > 100
        # The drawing for phones, hardly scaled; the wide one has 700 pixels or so.
        assert PHONE <= natural < 1.07 * PHONE


@pytest.mark.integration
def test_every_figure_opens_and_closes(phone):
    for figure in phone.locator("figure").all():
        close, image = figure.locator(".close"), figure.locator("img")
        assert not close.is_visible()
        figure.locator(".open").click()
        assert figure.bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 844}
        assert image.bounding_box()["width"] > 2 * PHONE
        assert phone.evaluate("document.documentElement.scrollWidth") == 390
        close.click()
        assert not close.is_visible()
        box = image.bounding_box()
        assert box["width"] <= 390
        assert 0 <= box["y"] < 844
