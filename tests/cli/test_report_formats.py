"""``untie report --format``: a page, Markdown or JSON."""

import json

import pytest

from command_cases import ask, refused, write_people


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


@pytest.mark.parametrize("form", ["html", "md", "json"])
def test_every_format_is_written(people, tmp_path, monkeypatch, form):
    monkeypatch.chdir(tmp_path)
    answer = ask("report", people, "--k", 2, "--format", form)
    assert answer.exit_code == 0, answer.stderr
    assert answer.stdout == ""
    lines = answer.stderr.splitlines()
    assert lines[-1].startswith(f"The report is in people-report.{form}")
    assert lines[-1].endswith("open it in a browser.") == (form == "html")
    text = (tmp_path / f"people-report.{form}").read_text(encoding="utf-8")
    assert "There are 120 rows in people.csv." in text
    assert "2 stable groups of similar rows, as asked for" in text
    if form == "html":
        assert text.startswith("<!DOCTYPE html>")
    elif form == "md":
        assert text.startswith("# people.csv\n")
    else:
        assert json.loads(text)["title"] == "people.csv"
    assert len(list(tmp_path.iterdir())) == 2


def test_the_ending_of_the_page_says_the_format(people, tmp_path):
    for name in ("a.md", "a.json", "a.htm"):
        assert ask("report", people, "--k", 2, "-q", "-o", tmp_path / name).exit_code == 0
    content = json.loads((tmp_path / "a.json").read_text())
    assert f"\n\n{' '.join(content['summary'])}\n" in (tmp_path / "a.md").read_text()
    assert (tmp_path / "a.htm").read_text().startswith("<!DOCTYPE html>")


def test_a_format_that_is_not_that_of_the_page_is_refused(people, tmp_path):
    said = refused("report", people, "--format", "md", "-o", tmp_path / "page.html")
    assert "none of the endings .md, .markdown" in said
    said = refused("report", people, "-o", tmp_path / "page.json.gz", "--format", "json")
    assert "end it .json" in said
    assert ask("report", people, "--format", "pdf").exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_pipes_are_written_as_report(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = ask("report", "-", "--k", 2, "--format", "md", stdin=people.read_bytes())
    assert answer.exit_code == 0, answer.output
    assert (tmp_path / "report.md").read_text().startswith("# the table\n")
