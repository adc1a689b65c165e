"""The code on the page makes the page again, however the table was read."""

import gzip
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

from command_cases import ask
from untie import UNTIE, Preparer, TableClusterer
from untie.datasets import load
from untie.report import make_report

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick")]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table():
    """Return rows with words that pandas takes for missing, numbers, and weights."""
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=120)
    columns = {
        f"c{place}": np.where(rng.random(120) < 0.8, group, rng.integers(2, size=120))
        for place in range(4)
    }
    frame = pd.DataFrame(columns).replace({0: "NA", 1: "None"})
    frame["mark"] = rng.choice(["?", "ü", "é"], 120)
    frame["size"] = rng.choice([1, 2, 30], 120)
    frame["often"] = rng.integers(1, 4, 120)
    return frame


def codes(page):
    """Return the Python on a page."""
    found = re.findall(r'<code id="(python|steps)">(.*?)</code>', page, re.DOTALL)
    return {name: unescape(code) for name, code in found}


def without_code(page):
    page = re.sub(r"<dl class=\"made\">.*?</dl>", "", page, flags=re.DOTALL)
    return re.sub(r"<section id=\"code\".*?</section>", "", page, flags=re.DOTALL)


def labels_of(page):
    return [int(n) for n in re.search(r'"clusters":\[(.*?)\]', page)[1].split(",")]


def check(folder, page, known=None):
    """Run the code of a page and compare."""
    made = codes(page)
    names = dict(known or {})
    exec(_with(made["python"], names), names)
    assert without_code((folder / "report.html").read_text()) == without_code(page)
    names = dict(known or {})
    exec(_with(made["steps"], names), names)
    assert names["labels"].tolist() == labels_of(page)
    return names


def _with(code, known):
    """Put what the page does not know, `data` and `weights`, in the place of the dots."""
    assert ("data = ..." in code) == ("data" in known)
    return re.sub(r"^(data|weights) = \.\.\..*$", "", code, flags=re.MULTILINE)


def asked(folder, *arguments):
    answer = ask("report", *arguments, "--k", 2, "--output", "page.html")
    assert answer.exit_code == 0, answer.output
    return (folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("name", "settings", "arguments"),
    [
        ("a.csv", {}, ()),
        ("a.csv", {"sep": ";"}, ("--missing", "?,NA")),
        ("a.txt", {"sep": "|"}, ("--delimiter", "|")),
        ("a.tsv.gz", {"sep": "\t"}, ("--weight", "often")),
        ("a.csv", {"encoding": "latin-1"}, ("--encoding", "latin-1", "--label", "c0")),
    ],
)
def test_text_files(folder, name, settings, arguments):
    table().to_csv(name, index=False, **settings)
    check(folder, asked(folder, name, *arguments))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("a.parquet", ("--missing", "?,NA")),
        ("a.parquet", ("--weight", "often")),
        ("a.jsonl", ()),
        ("a.jsonl", ("--missing", "?,NA")),
    ],
)
def test_files_with_types(folder, name, arguments):
    if name.endswith("jsonl"):
        table().to_json(name, orient="records", lines=True)
    else:
        table().to_parquet(name)
    check(folder, asked(folder, name, *arguments))


def test_packed_lines_of_json(folder):
    with gzip.open("a.ndjson.gz", "wt") as file:
        table().to_json(file, orient="records", lines=True)
    check(folder, asked(folder, "a.ndjson.gz"))


def test_patterns_and_queries(folder):
    table().head(70).to_csv("p1.csv", index=False)
    table().tail(50).to_csv("p2.csv", index=False)
    check(folder, asked(folder, "p*.csv"))
    query = "SELECT * FROM 'p1.csv' WHERE mark <> '?'"
    check(folder, asked(folder, "--sql", query, "--missing", "ü"))


def test_profiles_are_weighted_as_on_the_page(folder):
    table().to_csv("a.csv", index=False)
    page = asked(folder, "a.csv", "--weight", "often")
    profile = check(folder, page)["profile"].to_pandas()
    found = re.search(r'id="t-cluster-0-values">.*?</table>', page, re.DOTALL)[0]
    shares = re.findall(r'data-v="([^"]*)"', found)[::5]
    telling = (profile.lift > 1) & (profile.p_value < 0.05)
    best = profile[(profile.cluster == 0) & telling].head(8)
    np.testing.assert_allclose(np.array(shares, dtype=float), best.share)


def test_rows_of_standard_input_are_the_users_own(folder):
    answer = ask(
        "report", "-", "--k", 2, "--output", "page.html", stdin=table().to_csv(index=False)
    )
    assert answer.exit_code == 0, answer.output
    check(folder, (folder / "page.html").read_text(), {"data": table().astype(str)})


def test_frames(folder):
    frame = table()
    report = make_report(
        frame,
        TableClusterer(2, preparer=Preparer(drop=["c1"])),
        sample_weight="often",
        title="t",
    )
    check(folder, report.html, {"data": frame})


def test_how_the_weights_are_found(folder):
    table().to_csv("a.csv", index=False)
    page = asked(folder, "a.csv", "--solver", "uniform")
    names = check(folder, page)
    assert names["clusterer"].encoder_.solver == "uniform"
    assert "untie report a.csv --k 2 --solver uniform" in page
    frame = table()
    clusterer = TableClusterer(2, encoder=UNTIE(solver="uniform"))
    check(folder, make_report(frame, clusterer).html, {"data": frame})


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_that_are_no_column(folder, weighted):
    frame = load("zoo")[0]
    weights = np.arange(len(frame)) % 3 + 1.0 if weighted else None
    encoder = UNTIE(3, max_iter=7, random_state=5)
    page = make_report(frame, encoder, sample_weight=weights, title="zoo").html
    known = {"data": frame} | ({"weights": weights} if weighted else {})
    check(folder, page, known)
    assert "untie report" not in page  # no command made it
