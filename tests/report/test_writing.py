"""The page as Markdown and as plain data: the same sentences and tables, and all text is text."""

import json
import pickle
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

from page_cases import many_columns
from untie import TableClusterer
from untie.datasets import load
from untie.report import Report, make_report
from untie.report._report import BLOCKS, escaped

EVIL = "</script>|<b>*x* `y` [z](a) _u_ \\ &lt; $m$"


@pytest.fixture(scope="module")
def report():
    X, y = load("zoo")
    return make_report(X.assign(kind=y), TableClusterer(4), label="kind", title="zoo")


def tables_of(html):
    """Return every table of the page: its caption, heads and cells, numbers in full."""
    found = []
    body = html.split("<main")[1].split("</main>")[0]
    for table in re.findall(r"<table.*?</table>", body, re.DOTALL):
        caption = unescape(re.search("<caption>(.*?)</caption>", table)[1])
        heads = re.findall(r'<th scope="col".*?>(.*?)</th>', table)
        heads = [unescape(re.sub("<.*?>", "", head)) for head in heads]
        rows = re.findall(r"<tr.*?>(.*?)</tr>", re.split("<tbody.*?>", table)[1], re.DOTALL)
        cell = re.compile(r'<t[hd][^>]*?(?: data-v="([^"]*)")?>(.*?)</t[hd]>', re.DOTALL)
        cells = [
            [unescape(raw or re.sub("<.*?>", "", text)) for raw, text in cell.findall(row)]
            for row in rows
        ]
        found.append((caption, heads, cells))
    return found


def all_tables(value):
    """Return the tables in plain data, in its order."""
    if isinstance(value, dict) and {"caption", "columns", "rows"} <= set(value):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return (
        [table for part in value for table in all_tables(part)] if isinstance(value, list) else []
    )


def same(cell, text):
    if isinstance(cell, str):
        return cell == text
    if cell is None:
        return text in ("", "\N{EN DASH}")
    return text == "" or float(text) == pytest.approx(cell)


def texts_of(html, name):
    """Return every text of a section that is in no table: sentences, lists, facts and headings."""
    section = re.search(rf'<section id="{name}".*?</section>', html, re.DOTALL)[0]
    for pattern in (
        r"<noscript>.*?</noscript>",
        r'<div class="places.*',
        r'<(p|li|span)(?: id="[\w-]+")? class="(?:needs-script|printed|on-page)".*?</\1>',
    ):
        section = re.sub(pattern, "", section, flags=re.DOTALL)
    tags = "code" if name == "code" else "p|li|dd|h3"
    found = re.findall(rf"<({tags})\b[^>]*>(.*?)</\1>", section, re.DOTALL)
    texts = (unescape(re.sub("<.*?>", "", text)) for _, text in found)
    return [" ".join(text.split()) for text in texts if text.strip()]


@pytest.fixture(scope="module")
def wide():
    """Return a page of more columns, clusters and rows than it shows, with weights."""
    frame = many_columns(44, n_groups=6)
    weights = np.arange(len(frame)) % 3
    return make_report(frame.assign(w=weights), TableClusterer(14), sample_weight="w", title="wide")


@pytest.mark.parametrize("name", ["report", "wide"])
def test_nothing_that_the_page_says_is_left_out(name, request):
    """Section by section, each sentence is in Markdown and in JSON."""
    report = request.getfixturevalue(name)
    unit = report.content["clusters"]["cards"][0].unit
    markdown = {
        section.split("\n")[0]: " ".join(section.split())
        for section in report.to_markdown().split("\n## ")[1:]
    }
    content = report.to_dict()
    n_texts = 0
    for section in report.content["sections"]:
        data = content["sections"]["clusters" if section.name == "map" else section.name]
        strings = " ".join(" ".join(leaves(data)).split())
        for text in texts_of(report.html, section.name):
            n_texts += 1
            if re.match(rf"Cluster \d+: |(\d+: .*)?[\d.,]+ {unit}, \S+%", text):
                continue  # the lines of the groups, below
            for sentence in re.split(r"(?<=[.:]) |; ", text):
                if section.name != "code":
                    assert escaped(sentence) in markdown[section.heading], section.name
                assert sentence in strings, section.name
    for card in report.content["clusters"]["cards"]:
        line = f"{card.name} ({card.size} {unit}, {card.share}; {card.stability})"
        assert line in markdown["The groups at a glance"].replace("\\", "")
        for part in (card.name, card.size, card.share, card.stability):
            assert part in leaves(content["sections"]["clusters"])
    assert n_texts > 40


@pytest.mark.parametrize("name", ["report", "wide"])
def test_nothing_is_said_twice(name, request):
    """Below one heading, in a paragraph or a list; a section's own texts, as plain data."""
    report = request.getfixturevalue(name)
    text = re.sub(r"^```.*?^```$", "", report.to_markdown(), flags=re.DOTALL | re.MULTILINE)
    for part in re.split(r"^#+ ", text, flags=re.MULTILINE):
        lines = [line.removeprefix("- ") for line in part.splitlines() if not line.startswith("|")]
        sentences = [part for line in lines for part in re.split(r"(?<=\.) ", line) if part]
        assert len(sentences) == len(set(sentences))
    for section, content in report.to_dict()["sections"].items():
        own = [entry for entry in content.values() if isinstance(entry, str | list)]
        texts = [text for entry in own for text in ([entry] if isinstance(entry, str) else entry)]
        parts = [re.split(r"(?<=\.) ", text) for text in texts if isinstance(text, str) and text]
        sentences = [sentence for part in parts for sentence in part if " " in sentence]
        assert len(sentences) == len(set(sentences)) or section == "code"


@pytest.mark.parametrize("name", ["report", "wide"])
def test_markdown_has_no_words_of_the_screen(name, request):
    report = request.getfixturevalue(name)
    words = r"\b(orange|blue|colors?|click|drag|keyboard|legend|the map|this page)\b"
    assert not re.search(words, report.to_markdown(), re.IGNORECASE)
    on_page = re.findall(r'class="on-page">(.*?)</', report.html)
    assert on_page
    assert all(re.search(words, text, re.IGNORECASE) for text in on_page)


def leaves(value):
    """Return all texts in plain data."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for part in value for text in leaves(part)]
    return [str(value)]


def test_json_has_every_table_of_the_page(report):
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content == report.to_dict()
    found = {table["caption"]: table for table in all_tables(content["sections"])}
    on_page = tables_of(report.html)
    assert len(on_page) == len(found) > 20
    for caption, heads, rows in on_page:
        assert found[caption]["columns"] == heads
        assert len(found[caption]["rows"]) == len(rows)
        for mine, theirs in zip(found[caption]["rows"], rows, strict=True):
            assert all(same(cell, text) for cell, text in zip(mine, theirs, strict=True))


def test_json_has_the_sentences_and_the_map(report):
    content = report.to_dict()
    assert content["title"] == "zoo"
    said = " ".join(content["summary"])
    assert unescape(re.search(r'id="summary">(.*?)</p>', report.html)[1]) == said
    for sentence in [*content["summary"], *content["how_sure"]]:
        assert sentence in report.summary
    assert list(content["sections"]) == re.findall(r'<section id="(\w+)"', report.html)
    data = json.loads(re.search(r'id="untie-data">(.*?)</script>', report.html)[1])
    shown = content["sections"]["map"]
    assert shown["clusters"] == data["clusters"]
    assert shown["names"] == data["names"]
    cards = content["sections"]["clusters"]["cards"]
    assert [card["name"] for card in cards] == list(data["names"].values())


def test_markdown_has_every_table_and_sentence(report):
    text = report.to_markdown()
    assert text.startswith("# zoo\n\nThere are 101 rows in zoo.")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == [
        unescape(head) for head in re.findall(r'<h2 id="[\w-]+">(.*?)</h2>', report.html)
    ]
    tables = re.findall(r"^(.*):\n\n((?:\|.*\|\n?)+)", text, re.MULTILINE)
    on_page = tables_of(report.html)
    assert sorted(caption for caption, _ in tables) == sorted(
        escaped(caption) for caption, *_ in on_page
    )
    for caption, lines in tables:
        _, heads, rows = next(entry for entry in on_page if escaped(entry[0]) == caption)
        written = [
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in lines.splitlines()
        ]
        assert written[0] == [escaped(head) for head in heads]
        assert all(re.fullmatch("---:?", side) for side in written[1])
        assert len(written) - 2 == len(rows)
        assert {len(line) for line in written} == {len(heads)}
    for sentence in report.to_dict()["how_sure"]:
        assert escaped(sentence) in text
    assert "```python\n" in text
    assert "untie report" not in text  # no command made it


def test_every_section_is_written(report):
    assert {section.name for section in report.content["sections"]} <= set(BLOCKS)


def test_markup_of_others_is_text():
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=80)
    frame = pd.DataFrame(
        {
            EVIL: np.array([EVIL, "# b"])[group],
            "plain_name": np.array(["c|d", "e"])[group],
            "f": rng.choice(["```", "~~g~~"], 80),
        }
    )
    text = make_report(frame, TableClusterer(2), title=f"{EVIL} ```").to_markdown()
    outside = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert "<" not in outside
    assert not re.search(r"(?<!\\)[`*\[\]$~]", outside)
    assert "plain_name" in outside
    for line in outside.splitlines():
        if line.startswith("| "):
            assert len(re.split(r"(?<!\\)\|", line)) > 2
    assert text.count("\n````python\n") == 1  # the title's fence is in the call, and ends nothing


def test_the_ending_says_how_a_report_is_saved(report, tmp_path):
    for name, expected in (
        ("page.html", report.html),
        ("page.MD", report.to_markdown()),
        ("page.markdown", report.to_markdown()),
    ):
        report.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8") == expected
    report.save(tmp_path / "page.json")
    assert json.loads((tmp_path / "page.json").read_text()) == report.to_dict()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "page.MD",
        "page.html",
        "page.json",
        "page.markdown",
    ]


def test_small_tables_are_written_too():
    single = make_report(load("zoo")[0], TableClusterer(1))
    assert "Cluster 0, all rows (101 rows, 100%)" in single.to_markdown()
    json.dumps(single.to_dict(), allow_nan=False)


def test_a_report_survives_pickling(report):
    again = pickle.loads(pickle.dumps(report))
    assert again == report
    assert again.to_markdown() == report.to_markdown()


def test_content_is_not_part_of_what_a_report_is():
    assert Report("a", "b") == Report("a", "b", {"title": "c"})
    assert "content" not in repr(Report("a", "b", {"title": "c"}))
