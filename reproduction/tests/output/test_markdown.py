import dataclasses
import re
from html import unescape

import pandas as pd
import pytest
from markdown_it import MarkdownIt

from untie_paper.output.markdown import escape, index_markdown, table_markdown
from untie_paper.output.report import PaperTable
from untie_paper.output.sections import make_sections


def rendered(text):
    return MarkdownIt("commonmark").enable("table").render(text)


def words(text):
    """What a reader sees."""
    return unescape(re.sub(r"<[^>]*>", " ", rendered(text)))


@pytest.mark.parametrize(
    "text",
    [
        "a | b",
        "*a* _b_ __c__ I_intra",
        "<b>bold</b> &lt;",
        "[a](http://b) ![c](d)",
        "`code` ~~gone~~ $x$",
        "# no title",
        "1. no list",
        "- no list",
        "+ no list",
        "> no quotation",
        "back\\slash \\| end\\",
    ],
)
def test_escaped_text_is_shown_as_it_is(text):
    for place in ("{}", "- {}", "| heading |\n| --- |\n| {} |"):
        shown = rendered(place.format(escape(text)))
        plain = unescape(re.sub(r"</?(p|ul|li|table|thead|tbody|tr|th|td)>", "", shown))
        assert plain.replace("heading", "", "heading" in place).split() == text.split()


def test_lines_are_joined():
    assert escape("a\n\nb\tc") == "a b c"


def test_table(outcome):
    view = make_sections([outcome])[0].tables[0]
    lines = table_markdown(view).splitlines()
    assert lines[0] == "# F-scores"
    assert "Twenty restarts." in lines
    assert lines[-5:] == [
        "| data set | UNTIE | CDE | own |",
        "| --- | ---: | ---: | ---: |",
        "| zoo | 75.04 (75.04) | 80.00 (80.00) | 1.00 |",
        "| crx | 60.30 (60.00) | 31.50 (30.00) ▲ | 2.00 |",
        "| flare | 50.00 (58.90) ▼ | \N{EN DASH} (44.40) | 3.00 |",
    ]


def test_footnotes_stand_below_the_table(outcome, scores):
    notes = {("crx", "CDE"): "A *fallback*."}
    noted = dataclasses.replace(scores, footnotes=notes)
    report = dataclasses.replace(outcome.report, tables=[noted])
    view = make_sections([dataclasses.replace(outcome, report=report)])[0].tables[0]
    text = table_markdown(view)
    assert "| crx | 60.30 (60.00) | 31.50† (30.00) ▲ | 2.00 |" in text
    assert text.endswith("| 3.00 |\n\n† A \\*fallback\\*.\n")
    assert "†".encode() not in view.csv


def test_table_without_published_figures_has_no_legend(outcome, scores):
    report = dataclasses.replace(outcome.report, tables=[PaperTable("t", "T", scores.measured)])
    section = make_sections([dataclasses.replace(outcome, report=report)])[0]
    assert "ublished" not in table_markdown(section.tables[0])


def test_table_that_cannot_be_made(outcome, scores):
    twice = dataclasses.replace(scores, measured=pd.concat([scores.measured] * 2))
    report = dataclasses.replace(outcome.report, tables=[twice])
    sections = make_sections([dataclasses.replace(outcome, report=report)])
    assert "has the label 'zoo' twice" in table_markdown(sections[0].tables[0])
    index = index_markdown(sections, {})
    assert "F-scores: this table could not be made: ValueError" in index
    assert "could not be made: 1." in index


def test_index_says_and_links_everything(outcome, hostile, provenance):
    text = index_markdown(make_sections([outcome, hostile]), provenance)
    for finding in outcome.report.findings:
        assert finding in words(text)
    for link in (
        "clustering/scores.md",
        "clustering/scores.csv",
        "clustering/scores_published.csv",
        "clustering/curve.svg",
        "clustering/curve.csv",
        "hostile/broken.csv",
        "#clustering",
    ):
        assert f"]({link})" in text
    assert "![The curve rises from 0.1 to 0.5.](clustering/curve.png)" in text
    assert "hostile/broken.png" not in text
    assert "| [Clustering](#clustering) | 12 | 0 | 5 | 2 | 3 |" in text
    assert "| versions, numpy | 2.0 |" in text
    assert "| versions, torch | \N{EN DASH} |" in text


def test_hostile_names(hostile, provenance):
    sections = make_sections([hostile])
    for text in (index_markdown(sections, provenance), table_markdown(sections[0].tables[0])):
        shown = rendered(text)
        assert "<script" not in shown
        assert "<em>" not in shown
        assert 'href="http' not in shown
        assert hostile.report.findings[0] in words(text)


def test_no_outcomes():
    assert "No experiment was run." in index_markdown([], {})
