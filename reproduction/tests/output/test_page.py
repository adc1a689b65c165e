import base64
import dataclasses
import itertools
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from untie_paper.output.page import make_page
from untie_paper.output.report import PaperReport
from untie_paper.output.sections import make_sections
from untie_paper.output.style import panels

_VOID = {"meta", "link", "img", "br", "source"}


class Checked(HTMLParser):
    """The page's elements, with a check that every one is closed where it should be."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names))
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    def all(self, *tags):
        return [attributes for tag, attributes in self.elements if tag in tags]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture
def page(outcome, hostile, provenance):
    return make_page(make_sections([outcome, hostile]), provenance)


def test_well_formed(page):
    checked = Checked(page)
    assert page.startswith("<!DOCTYPE html>")
    assert checked.all("html") == [{"lang": "en"}]
    identities = [attributes["id"] for _, attributes in checked.elements if "id" in attributes]
    assert len(identities) == len(set(identities))
    inner = [a["href"][1:] for a in checked.all("a") if a["href"].startswith("#")]
    assert set(inner) <= set(identities)
    assert {"findings", "e-clustering", "e-hostile", "provenance"} <= set(inner)


def test_headings_in_order(page):
    levels = [int(tag[1]) for tag, _ in Checked(page).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


def test_asks_for_nothing(page):
    checked = Checked(page)
    assert not checked.all("script", "iframe", "object", "embed", "base", "form")
    for _, attributes in checked.elements:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "srcset", "poster", "data", "action"):
            assert attributes.get(name, "#").startswith(("#", "data:"))
    style = re.search("<style>(.*)</style>", page, re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style


def test_hostile_text_is_text(page, hostile, outcome):
    checked = Checked(page)
    words = hostile.report.findings[0]
    # Title (four times), note, heading, row, cell, finding, two errors, a failed cell, a fact, ...
    assert checked.text.count(words) >= 12
    assert [a["alt"] for a in checked.all("img")] == [outcome.report.figures[0].text, words]


def test_tables_are_labelled(page):
    checked = Checked(page)
    assert len(checked.all("caption")) == len(checked.all("table")) == 5
    assert {a.get("scope") for a in checked.all("th")} == {"col", "row"}


def test_marks_are_more_than_colour(page):
    row = re.search(r'<tr>\s*<th scope="row">crx</th>(.*?)</tr>', page, re.DOTALL)[1]
    equal, marked, own = (Checked(cell) for cell in re.findall(r"<td.*?</td>", row, re.DOTALL))
    assert equal.text == "60.30 published 60.00"
    assert marked.text == "▲ higher than published: 31.50 published 30.00"
    assert own.text == "2.00"
    assert "marked" in marked.all("td")[0]["class"]
    assert "marked" not in equal.all("td")[0]["class"]


def test_footnotes_are_seen_and_spoken(outcome, scores):
    table = dataclasses.replace(scores, footnotes={("crx", "CDE"): "A <b>fallback</b>."})
    sections = make_sections([dataclasses.replace(outcome, report=PaperReport([], [table]))])
    page = make_page(sections, {})
    row = re.search(r'<tr>\s*<th scope="row">crx</th>(.*?)</tr>', page, re.DOTALL)[1]
    cell = Checked(re.findall(r"<td.*?</td>", row, re.DOTALL)[1])
    assert cell.text == "▲ higher than published: 31.50 † (note †) published 30.00"
    assert "† A <b>fallback</b>." in Checked(page).text
    assert page.count("(note †)") == 1


def test_gaps_and_negative_numbers(outcome, scores):
    table = dataclasses.replace(scores, measured=scores.measured - 80)
    sections = make_sections([dataclasses.replace(outcome, report=PaperReport([], [table]))])
    text = Checked(make_page(sections, {})).text
    assert "nan" not in text.lower()
    assert "\N{EN DASH} published 44.40" in text
    assert "\N{MINUS SIGN}19.70" in text


def test_downloads_are_the_files(page, outcome):
    links = {a["download"]: a["href"] for a in Checked(page).all("a") if "download" in a}
    head, _, content = links["scores.csv"].partition(",")
    assert head == "data:text/csv;charset=utf-8;base64"
    section = make_sections([outcome])[0]
    assert base64.b64decode(content) == section.tables[0].csv
    content = links["scores_published.csv"].partition(",")[2]
    assert base64.b64decode(content) == section.tables[0].published_csv
    assert base64.b64decode(links["curve.csv"].partition(",")[2]) == section.figures[0].csv


def test_failures_and_facts_are_there(page, hostile):
    text = Checked(page).text
    assert "Failed cells: 1 of 3" in text
    assert "This figure could not be made: ValueError: <script>" in text
    assert "commit 1a2b3c" in text
    assert "versions, torch \N{EN DASH}" in text
    assert text.index("UNTIE reaches 75.0.") < text.index("F-scores")


def test_table_that_cannot_be_made(outcome, scores):
    twice = dataclasses.replace(scores, measured=pd.concat([scores.measured] * 2))
    sections = make_sections([dataclasses.replace(outcome, report=PaperReport([], [twice]))])
    text = Checked(make_page(sections, {})).text
    assert "F-scores This table could not be made: ValueError: Table 'scores'" in text


def test_dense_figures_do_not_bloat_the_page(outcome, curve):
    points = pd.DataFrame(np.random.default_rng(0).normal(size=(4000, 2)), columns=["x", "y"])
    figures = [dataclasses.replace(curve, name="small"), dataclasses.replace(curve, data=points)]
    sections = make_sections([dataclasses.replace(outcome, report=PaperReport([], [], figures))])
    text = make_page(sections, {})
    kinds = [a["src"].partition(";")[0] for a in Checked(text).all("img")]
    assert kinds == ["data:image/svg+xml", "data:image/png"]
    assert len(text) < 500_000
    assert "in the file clustering/curve.csv" in Checked(text).text


def test_figures_have_a_drawing_for_phones_where_it_differs(outcome, curve):
    drawn = dataclasses.replace(curve, name="panels", draw=lambda data: panels(2)[0])
    sections = make_sections(
        [dataclasses.replace(outcome, report=PaperReport([], [], [curve, drawn]))]
    )
    checked = Checked(make_page(sections, {}))
    (source,) = checked.all("source")
    assert source["media"] == "(max-width: 40rem)"
    assert base64.b64decode(source["srcset"].partition(",")[2]) == (
        sections[0].figures[1].picture.narrow_svg
    )
    identities = {attributes.get("id") for _, attributes in checked.elements}
    assert {"f-clustering-curve", "f-clustering-panels"} <= identities


def test_nothing_at_all():
    checked = Checked(make_page([], {}))
    assert "No experiment was run." in checked.text
    assert not checked.all("table")


def test_empty_report(outcome):
    sections = make_sections([dataclasses.replace(outcome, report=PaperReport([]), n_cells=0)])
    text = Checked(make_page(sections, {})).text
    assert "0 cells, none failed." in text
    assert "There are none." in text


def test_without_jinja2(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match="pip install untie-paper"):
        make_page([], {})
