"""What the page says, that it stays small, and that it is the same each time."""

import html
import json
import re
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import untie
from untie import UNTIE, Preparer, TableClusterer, TableEncoder
from untie._encoder_base import EncoderBase
from untie.comparison import compare, compare_prepared
from untie.datasets import load
from untie.explain import (
    alike_values,
    border_cases,
    cluster_names,
    cluster_profile,
    neighbors,
    outliers,
    prototypes,
    weight_shares,
    why_similar,
)
from untie.report import Report, make_report
from untie.report import _learned as learned
from untie.report import _map as landscape
from untie.report._limits import MAP_COLUMNS, MAP_ROWS, PAGE_BYTES, shown

EVIL = "</script><script>window.hacked = 1</script>"


@pytest.fixture(scope="module")
def zoo():
    return load("zoo")[0]


@pytest.fixture(scope="module")
def zoo_page(zoo):
    return make_report(zoo, TableClusterer(4), title="zoo").html


@pytest.fixture(scope="module")
def zoo_clusterer(zoo):
    encoder = TableEncoder(4, random_state=0, preparer=None)
    return TableClusterer(4, encoder=encoder, random_state=0, preparer=None).fit(
        Preparer().fit_transform(zoo)
    )


def data_of(page):
    """Return what the page's map knows."""
    found = re.search(r'<script type="application/json" id="untie-data">(.*?)</script>', page)
    return json.loads(found[1])


def cells_of(page, name):
    """Return a table of the page as lists of cells, with numbers as they are downloaded."""
    table = re.search(rf'<table [^>]*id="t-{name}">.*?</table>', page, re.DOTALL)[0]
    body = re.split("<tbody.*?>", table)[1]
    lines = re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
    cell = re.compile(r'<t[hd][^>]*?(?: data-v="([^"]*)")?>(.*?)</t[hd]>', re.DOTALL)
    return [
        [raw or re.sub("<.*?>", "", text) for raw, text in cell.findall(line)] for line in lines
    ]


def without_time(page):
    return re.sub(r"<dl class=\"made\">.*?</dl>", "", page, flags=re.DOTALL)


def test_clusters_are_those_of_the_clusterer(zoo, zoo_page, zoo_clusterer):
    data = data_of(zoo_page)
    assert data["rows"] == list(range(1, len(zoo) + 1))
    assert data["row_names"] is None
    assert data["clusters"] == zoo_clusterer.labels_.tolist()
    found = cells_of(zoo_page, "clusters")
    assert [int(line[0]) for line in found] == list(range(4))
    assert [float(line[2]) for line in found] == np.bincount(zoo_clusterer.labels_).tolist()
    names = cluster_names(zoo_clusterer, Preparer().fit_transform(zoo))
    assert [line[1] for line in found] == names.name.tolist()


def test_cards_say_what_the_library_says(zoo, zoo_page, zoo_clusterer):
    rows = Preparer().fit_transform(zoo)
    profile = cluster_profile(zoo_clusterer, rows)
    for number in range(4):
        telling = (profile.lift > 1) & (profile.p_value < 0.05)
        own = profile[(profile.cluster == number) & telling].head(8)
        found = cells_of(zoo_page, f"cluster-{number}-values")
        assert [line[:2] for line in found] == own[["column", "value"]].to_numpy().tolist()
        columns = ["share", "share_elsewhere", "lift", "p_value", "count"]
        figures = np.array([line[2:] for line in found], dtype=float)
        np.testing.assert_allclose(figures, own[columns].to_numpy())
    typical = prototypes(zoo_clusterer, rows)
    borders = border_cases(zoo_clusterer, rows)
    for frame, kind in ((typical, "typical"), (borders, "border")):
        for number, lines in frame.groupby("cluster"):
            table = re.search(rf'id="t-cluster-{number}-{kind}">.*?</table>', zoo_page, re.DOTALL)[
                0
            ]
            assert re.findall(r">row (\d+)", table) == (lines.position + 1).astype(str).tolist()
            cells = cells_of(zoo_page, f"cluster-{number}-{kind}")
            assert {line[0]: line[1] for line in cells} == {
                name: str(cell) for name, cell in rows.iloc[lines.position.iloc[0]].items()
            }


@pytest.mark.usefixtures("quick")
def test_outliers_weights_and_choice_are_those_of_the_library(zoo):
    page = make_report(zoo).html
    rows = Preparer().fit_transform(zoo)
    encoder = TableEncoder(random_state=0)
    clusterer = TableClusterer(encoder=encoder, random_state=0).fit(rows)
    expected = outliers(clusterer, rows, n=20)
    expected = expected[expected.unusual].reset_index(drop=True)
    found = cells_of(page, "outliers")
    assert [int(line[0]) for line in found] == (expected.position + 1).tolist()
    np.testing.assert_allclose([float(line[2]) for line in found], expected.score)
    assert found[0][4] == expected.reason[0]
    for by in ("column", "coupling", "kernel"):
        shares = weight_shares(clusterer, by=by)
        found = cells_of(page, f"weights-by-{by}")
        assert [line[0] for line in found] == shares[by].tolist()
        np.testing.assert_allclose([float(line[1]) for line in found], shares.share)
    choice = clusterer.k_choice_.table()
    found = np.array(cells_of(page, "choice-of-k"), dtype=float)
    np.testing.assert_allclose(
        found, choice[["k", "gain", "error", "stability", "silhouette"]].to_numpy()
    )


def test_neighbors_and_reasons_are_those_of_the_library(zoo, zoo_page, zoo_clusterer):
    data = data_of(zoo_page)
    rows = Preparer().fit_transform(zoo)
    distinct = rows.iloc[data["first"]].reset_index(drop=True)
    encoder = zoo_clusterer.encoder_
    assert len(distinct.drop_duplicates()) == len(distinct) == len(data["neighbors"])
    assert len(rows.drop_duplicates()) == len(distinct)
    nearest = neighbors(encoder, distinct, list(range(len(distinct))), n=5)
    for kind, found in enumerate(data["neighbors"]):
        expected = nearest[nearest.row == kind]
        np.testing.assert_allclose([entry[1] for entry in found], expected.distance, rtol=1e-3)
        for other, distance, similarity, flat in found[:2]:
            parts = why_similar(encoder, distinct.iloc[[kind]], distinct.iloc[[other]])
            parts = parts.set_index("column")
            assert similarity == pytest.approx(parts.contribution.sum(), rel=1e-3)
            assert distance**2 == pytest.approx(parts.distance.sum(), rel=3e-3)
            assert len(flat) == 3 * 8
            for place in range(0, len(flat), 3):
                line = parts.loc[data["columns"][flat[place]]["name"]]
                assert flat[place + 1] == pytest.approx(line.contribution, rel=1e-3, abs=1e-9)
                assert flat[place + 2] == pytest.approx(line.distance, rel=1e-3, abs=1e-9)


def test_cells_on_the_map_are_those_of_the_table(zoo, zoo_page):
    data = data_of(zoo_page)
    assert [column["name"] for column in data["columns"]] == list(zoo.columns)
    for column in data["columns"]:
        cells = [column["labels"][code] for code in column["codes"]]
        assert cells == zoo[column["name"]].tolist()


def test_pca_is_the_plane_of_the_vectors(zoo, zoo_page, zoo_clusterer):
    vectors = zoo_clusterer.encoder_.transform(Preparer().fit_transform(zoo))
    left, values, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    expected = left[:, :2] * values[:2]
    data = data_of(zoo_page)
    first = np.isin(np.arange(len(zoo)), data["first"])  # copies are moved aside
    found = np.array(data["layouts"]["PCA"], dtype=float).reshape(-1, 2)[first]
    for axis in range(2):
        assert abs(np.corrcoef(found[:, axis], expected[first, axis])[0, 1]) > 0.9999
    assert list(data["layouts"]) == ["t-SNE", "PCA"]


@pytest.mark.integration
def test_same_table_and_seed_give_the_same_page(zoo):
    seeded = TableClusterer(3, random_state=3)
    pages = [without_time(make_report(frame, seeded).html) for frame in (zoo, zoo.copy())]
    assert pages[0] == pages[1]
    other = pl.from_pandas(zoo)
    assert data_of(make_report(other, seeded).html) == data_of(pages[0])
    assert without_time(make_report(zoo, TableClusterer(3, random_state=4)).html) != pages[0]


def test_no_address_and_a_strict_policy(zoo_page):
    assert not re.findall(r"(?:src|href|action)=\"(?!#|data:,\")", zoo_page)
    assert "http://" not in zoo_page
    assert "https://" not in zoo_page
    assert "url(" not in zoo_page
    assert "@import" not in zoo_page
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', zoo_page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")


def test_markup_in_names_values_and_title_is_text():
    frame = pd.DataFrame(
        {
            f"{EVIL}": [EVIL, "<b>", "a & b", "\u2028", "c", "\x00\n\u202e"] * 5,
            '"><img src=x onerror=1>': ["x", 'y"', "y'"] * 10,
        }
    )
    page = make_report(frame, TableClusterer(2), title=f"<title>{EVIL}").html
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert "\x00" not in page
    assert "\u2028" not in page
    assert "\u202e" not in page
    first = data_of(page)["columns"][0]
    assert first["name"] == EVIL
    assert EVIL in first["labels"]
    assert "\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}" in first["labels"]


def test_what_no_page_can_hold_is_replaced():
    mark = "\N{REPLACEMENT CHARACTER}"
    assert shown("a\ud800b\x1b[1m\u202ec\u2067") == f"a{mark}b{mark}[1m{mark}c{mark}"
    assert shown("a\t\u2028b") == "a  b"
    assert shown("x" * 81) == "x" * 79 + "…"
    assert shown("x" * 80) == "x" * 80


def test_large_tables_are_sampled_and_it_is_said():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], [4000, 2960, 40])
    frame = pd.DataFrame(
        {
            f"c{i}": np.where(rng.random(7000) < 0.9, group, rng.integers(3, size=7000))
            for i in range(6)
        }
    ).astype(str)
    page = make_report(frame, TableClusterer(3)).html
    data = data_of(page)
    assert len(data["rows"]) == MAP_ROWS
    assert "The map shows 2,000 of 7,000 rows" in page
    assert "3 clusters of 2,000 rows drawn from 7,000." in page
    assert min(np.bincount(data["clusters"])) >= 30
    positions = np.array(data["rows"]) - 1
    assert (np.diff(positions) > 0).all()
    column = data["columns"][0]
    assert [column["labels"][code] for code in column["codes"]] == frame["c0"][positions].tolist()


def wild(n_rows, n_columns):
    """Return rows of long texts, each of which takes many bytes on a page."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            f"<&{'>' * 100}{place}": [
                f"{value}{'<&>' * 100}" for value in rng.integers(1500, size=n_rows)
            ]
            for place in range(n_columns)
        }
    )


@pytest.mark.slow
def test_the_page_stays_small_whatever_the_cells():
    frame = wild(2200, 60)
    report = make_report(frame, TableClusterer(15, preparer=Preparer(columns=list(frame))))
    assert len(report.html.encode()) <= PAGE_BYTES
    data = data_of(report.html)
    assert 0 < len(data["columns"]) <= MAP_COLUMNS
    assert data["n_columns"] == 60
    assert "Of 60 columns at most 40 are shown" in report.html
    assert "3 more are in the table only" in report.html


@pytest.mark.usefixtures("quick")
@pytest.mark.integration
def test_texts_are_cut_and_columns_left_out_to_keep_the_page_small(monkeypatch):
    frame = wild(80, 6)
    clusterer = TableClusterer(2, preparer=Preparer(columns=list(frame)))
    whole = data_of(make_report(frame, clusterer).html)
    assert [len(column["name"]) for column in whole["columns"]] == [80] * 6
    assert max(map(len, whole["columns"][0]["labels"])) == 80
    monkeypatch.setattr(landscape, "MAP_TEXT_BYTES", 40_000)
    report = make_report(frame, TableClusterer(2, preparer=Preparer(columns=list(frame))))
    data = data_of(report.html)
    assert 0 < len(data["columns"]) < 6
    assert len(landscape.embed([column["labels"] for column in data["columns"]])) <= 40_000
    assert f"It knows the cells of {len(data['columns'])} of 6 columns" in report.html
    assert data["n_columns"] == 6
    # Neighbors are the same: they are found by all columns.
    for mine, theirs in zip(data["neighbors"], whole["neighbors"], strict=True):
        assert [entry[:3] for entry in mine] == [entry[:3] for entry in theirs]


@pytest.mark.usefixtures("quick")
def test_answers_count_too(monkeypatch):
    frame = wild(150, 3).assign(answer=[f"{place}{'<' * 100}" for place in range(150)])
    monkeypatch.setattr(landscape, "MAP_TEXT_BYTES", 20_000)
    clusterer = TableClusterer(2, preparer=Preparer(columns=list(frame)[:3]))
    report = make_report(frame, clusterer, label="answer")
    columns = data_of(report.html)["columns"]
    assert [column.get("is_answer", False) for column in columns] == [False, True]
    assert len(landscape.embed([column["labels"] for column in columns])) <= 20_000


@pytest.mark.usefixtures("quick")
def test_code_that_is_too_long_is_left_out():
    frame = wild(60, 2).rename(columns=lambda name: name * 500)
    page = make_report(frame, TableClusterer(2, preparer=Preparer(columns=list(frame)))).html
    assert page.count("This names so many columns that it is too long for a page.") == 2
    assert "make_report(data" not in page


def test_weights_are_not_called_rows(zoo):
    frame = zoo.assign(often=np.arange(len(zoo)) % 3)
    report = make_report(frame, TableClusterer(2), sample_weight="often")
    cards = report.to_dict()["sections"]["clusters"]["cards"]
    named = [f"% of the weight; typical of it: {card['name']}." for card in cards]
    assert any(words in report.summary for words in named)
    sizes = re.findall(r'class="size"><strong>(.*?)</strong> (.*?), ', report.html)
    assert sum(float(size) for size, _ in sizes) == frame["often"].sum()
    assert {unit for _, unit in sizes} == {"in sum of weights"}
    assert "34 of 101 rows have the weight 0; they are not on the map." in report.html
    assert "drawn" not in report.html.split('id="untie-data"')[0].split("<body>")[1]
    assert "2 clusters of all rows that count." in report.html


@pytest.mark.integration
def test_many_values_are_compared_on_fewer_rows(monkeypatch, zoo):
    monkeypatch.setattr(learned, "COMPARED_NUMBERS", 50 * 36)
    assert "4 clusters of 50 rows drawn from 101." in make_report(zoo, TableClusterer(4)).html
    monkeypatch.setattr(learned, "COMPARED_VALUES", 35)
    assert "The table has 36 values, with which" in make_report(zoo, TableClusterer(4)).html


@pytest.mark.usefixtures("quick")
def test_pairs_looked_up_are_bounded(monkeypatch, zoo):
    frame = pd.concat([zoo] * 12, ignore_index=True)
    monkeypatch.setattr(learned, "PAIRS_LOOKED_UP", 1)
    page = make_report(frame, TableClusterer(2)).html
    assert "1,000 of 1,212 rows were looked at, drawn by chance." in page


@pytest.mark.usefixtures("quick")
def test_data_card_says_what_was_done():
    n = 300
    frame = pd.DataFrame(
        {
            "id": range(n),
            "age": np.linspace(18, 90, n).round(2),
            "city": ["Rome", "Bonn", None] * (n // 3),
            "many": [f"v{i % 150}" for i in range(n)],
            "same": "x",
        }
    )
    page = make_report(frame, TableClusterer(2), title="people").html
    lines = {line[0]: line for line in cells_of(page, "columns")}
    assert lines["id"][1] == "left out, looks like an id; names the rows"
    assert lines["age"][1] == "binned into 35 ranges"
    assert "merged" in lines["many"][1]
    assert lines["same"][1] == "left out, every row is &#39;x&#39;"
    assert float(lines["city"][3]) == pytest.approx(1 / 3)
    for text in ("1: age", "2: id, same", "Python 3.", f"untie {untie.__version__}"):
        assert text in page
    age = next(column for column in data_of(page)["columns"] if column["name"] == "age")
    assert age["ordered"] == 35
    ranges = list(Preparer().fit(frame).ranges("age"))
    assert age["labels"] == ranges
    # Colors are of some neighbors together.
    assert age["n_runs"] == len(age["runs"]) == 7
    assert age["run_of"] == [place // 5 for place in range(35)]
    assert age["runs"][0] == f"up to {ranges[4].split()[-1]}"
    heat = re.search(
        r'id="t-values-\d+">\n<caption>How alike the values of age.*?</table>', page, re.DOTALL
    )
    names = re.findall(r'<th scope="row"[^>]*>(.*?)</th>', heat[0])
    assert len(names) == 10
    assert names[0] == f"up to {ranges[2].split()[-1]}"
    assert names[-1].startswith("over ")


@pytest.mark.usefixtures("quick")
def test_label_is_not_learned_from_and_judges():
    X, y = load("zoo")
    frame = X.assign(kind=y.astype(str))
    page = make_report(frame, TableClusterer(4), label="kind").html
    data = data_of(page)
    assert data["clusters"] == data_of(make_report(X, TableClusterer(4)).html)["clusters"]
    column = data["columns"][-1]
    assert column["name"] == "kind (not learned from)"
    assert [column["labels"][code] for code in column["codes"]] == frame["kind"].tolist()
    assert "adjusted Rand index</th>" in page


@pytest.mark.usefixtures("quick")
def test_weights_count_as_repeated_rows(zoo):
    weights = np.arange(len(zoo)) % 3
    weighted = make_report(zoo.assign(w=weights), TableClusterer(3), sample_weight="w").html
    repeated = make_report(zoo.loc[zoo.index.repeat(weights)], TableClusterer(3)).html
    for name in ("clusters", "cluster-0-values", "weights-by-column"):
        drop = slice(0, 3) if name == "clusters" else slice(None)  # resamples are other draws
        first, second = ([line[drop] for line in cells_of(p, name)] for p in (weighted, repeated))
        for mine, theirs in zip(first, second, strict=True):
            for left, right in zip(mine, theirs, strict=True):
                try:
                    assert float(left) == pytest.approx(float(right))
                except ValueError:
                    assert left == right
    assert not set(data_of(weighted)["rows"]) & set((np.flatnonzero(weights == 0) + 1).tolist())


@pytest.mark.usefixtures("quick")
def test_what_is_fitted_reports_on_rows(zoo):
    encoder = TableEncoder(4, random_state=0).fit(zoo)
    report = make_report(zoo, encoder, title="zoo")
    expected = TableClusterer(4, random_state=0).fit(zoo)
    assert isinstance(report, Report)
    assert data_of(report.html)["clusters"] == expected.labels_.tolist()
    assert data_of(make_report(zoo, expected).html)["clusters"] == expected.labels_.tolist()
    assert data_of(make_report(zoo.head(30), encoder).html)["n_rows"] == 30
    assert "clusterer = ...  # fitted before" in html.unescape(report.html)
    weights = np.arange(len(zoo)) % 2
    weighted = make_report(zoo, encoder, sample_weight=weights)
    assert data_of(weighted.html)["rows"] == (np.flatnonzero(weights) + 1).tolist()
    rows = zoo.to_numpy()
    again = make_report(rows, TableEncoder(2, preparer=None).fit(rows))
    assert len(data_of(again.html)["columns"]) == zoo.shape[1]


@pytest.mark.usefixtures("quick")
def test_a_pipeline_reports_on_rows(zoo):
    pipeline = make_pipeline(Preparer(), TableClusterer(3, preparer=None)).fit(zoo)
    report = make_report(zoo.assign(kind="x"), pipeline, label="kind")
    labels = TableClusterer(3).fit_predict(zoo)
    assert data_of(report.html)["clusters"] == labels.tolist()


@pytest.mark.usefixtures("quick")
def test_a_label_may_be_cells(zoo):
    kind = pd.Series(["a", "b", "c"] * 40, name="kind")[: len(zoo)]
    named = make_report(zoo.assign(kind=kind), TableClusterer(3), label="kind")
    series = make_report(zoo, TableClusterer(3), label=kind)
    assert data_of(series.html)["clusters"] == data_of(named.html)["clusters"]
    found = [report.to_dict()["sections"]["label"] for report in (named, series)]
    assert found[0] == found[1]
    untouched = make_report(zoo.assign(kind=kind), TableClusterer(3, preparer=None), label="kind")
    assert "kind" not in data_of(untouched.html)["columns"]
    with pytest.raises(ValueError, match=r"label has 3 values, but the table has \d+ rows"):
        make_report(zoo, label=["a", "b", "c"])


def test_a_label_that_was_learned_from_is_no_evidence(zoo):
    frame = zoo.assign(kind=np.where(zoo.milk == "1", "mammal", "other"))
    fitted = TableClusterer(3).fit(frame)
    pipeline = make_pipeline(Preparer(), TableClusterer(3, preparer=None)).fit(frame)
    for model in (fitted, pipeline):
        text = make_report(frame, model, label="kind").to_markdown()
        assert "The column kind was learned from, so agreement is no evidence" in text
        assert "not learned from" not in text
        assert "agreement with the label" not in text  # of other methods
    encoder = TableEncoder(column_weights={"kind": 0})
    supplementary = TableClusterer(3, encoder=encoder).fit(frame)
    text = make_report(frame, supplementary, label="kind").to_markdown()
    assert "The column kind was not learned from: it judges" in text


@pytest.mark.usefixtures("quick")
def test_a_label_is_called_by_a_column_only_if_it_is_one(zoo):
    derived = zoo.legs.map(int) > 2
    text = make_report(zoo, TableClusterer(3), label=derived).to_markdown()
    assert "The label was not learned from" in text
    assert "legs was not learned from" not in text
    assert "the label: not learned from" not in text  # in the line of a column
    text = make_report(zoo, TableClusterer(3), label=derived.rename("many legs")).to_markdown()
    assert "The label many legs was not learned from" in text
    assert "The column many legs" not in text


@pytest.mark.usefixtures("quick")
def test_cells_of_a_column_are_this_column_in_every_library(zoo):
    kind = np.where(zoo.milk == "1", "mammal", "other")
    frame = zoo.drop(columns="milk").assign(kind=kind)
    table = pa.Table.from_pandas(frame)
    expected = make_report(frame, TableClusterer(3), label="kind").to_dict()["sections"]["label"]
    for data, label in ((table, table["kind"]), (table, pa.array(kind)), (frame, kind)):
        report = make_report(data, TableClusterer(3), label=label)
        assert report.to_dict()["sections"]["label"] == expected
        assert report.to_dict()["sections"]["label"]["name"] == "kind"
    others = pa.array(["a", None, "c"] * 33 + ["b"] * 2)
    found = make_report(table, TableClusterer(3), label=others).to_dict()["sections"]["label"]
    assert (found["name"], found["n_values"]) == ("label", 4)


def test_the_code_makes_it_again(tmp_path, monkeypatch, zoo):
    from command_cases import ask

    monkeypatch.chdir(tmp_path)
    kinds = np.arange(len(zoo)) ** 2 % 11
    more = {"number": np.arange(len(zoo)) * 1.5, "kind": [f"kind {kind}" for kind in kinds]}
    zoo.assign(**more).to_csv("my zoo.csv", index=False)
    options = ["--bins", 4, "--max-categories", 3, "--seed", 7]
    options += ["--column-weight", "hair=2", "--passive", "eggs"]
    answer = ask("report", "my zoo.csv", "--k", 3, "--drop", "legs", *options)
    assert answer.exit_code == 0, answer.output
    page = (tmp_path / "my zoo-report.html").read_text()
    codes = dict(re.findall(r'<code id="(python|steps)">(.*?)</code>', page, re.DOTALL))
    names = {}
    exec(html.unescape(codes["python"]), names)
    again = (tmp_path / "report.html").read_text()
    assert data_of(again) == data_of(page)
    exec(html.unescape(codes["steps"]), names := {})
    assert names["labels"].tolist() == data_of(page)["clusters"]
    command = html.unescape(re.search(r'aria-label="Command"><code>(.*?)</code>', page)[1])
    assert command == (
        "untie report 'my zoo.csv' --k 3 --drop legs --bins 4 --max-categories 3 "
        "--column-weight hair=2 --passive eggs --seed 7"
    )


@pytest.mark.usefixtures("quick")
def test_families_and_passive_columns_are_told():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 40, 300)
    columns = {"city": city, "state & more": city % 12, "region": city % 3}
    columns |= {name: rng.integers(0, 3, 300) for name in ("a", "b", "c")}
    table = pd.DataFrame(columns).map("v{}".format)
    page = make_report(table, TableClusterer(2)).html
    said = "state &amp; more and region follow from city; they have one vote together."
    assert f"<li>{said}</li>" in page
    encoder = TableEncoder(column_weights={"city": 0, "a": 2})
    passive = make_report(table, TableClusterer(2, encoder=encoder)).html
    assert "5 learned from" in passive
    assert "Passive</dt><dd>1, not learned from: city</dd>" in passive
    assert f"<li>{said}</li>" not in passive
    assert "column_weights={&#39;city&#39;: 0, &#39;a&#39;: 2}" in passive


def test_small_and_dull_tables_have_a_page():
    three = pd.DataFrame({"a": ["x", "y", "z"], "b": ["u", "u", "v"]})
    report = make_report(three)
    assert "There are too few distinct rows to try more than 2 groups." in report.summary
    assert "<svg" not in report.html  # one number of clusters is no line
    assert "No two values of a column are alike" in report.html
    two = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "v"] * 20})
    page = make_report(two).html
    assert "2 groups, one for each distinct row." in page
    assert "2 groups, one for each distinct row." in make_report(two, TableClusterer(2)).summary
    one = pd.DataFrame({"a": ["x", "y", "z"] * 20})
    with pytest.raises(ValueError, match="Clusters need several columns, but only 'a'"):
        make_report(one, TableClusterer(2))


@pytest.mark.filterwarnings("ignore:Every column has a single value")
def test_equal_rows_are_one_group():
    equal = pd.DataFrame({"a": ["x"] * 9, "b": ["y"] * 9})
    page = make_report(equal, TableClusterer(preparer=Preparer(columns=["a", "b"])))
    said = "There are 9 rows in the table. One group: the rows do not differ."
    assert page.summary == said
    assert data_of(page.html)["neighbors"] == [[]]
    assert "nothing to compare" in page.html


@pytest.mark.usefixtures("quick")
@pytest.mark.filterwarnings("ignore:Every column has a single value")
def test_one_row_and_one_group(zoo):
    single = pd.DataFrame({"a": ["x"], "b": ["y"]})
    one = make_report(single, TableClusterer(preparer=Preparer(columns=["a", "b"])))
    assert one.summary == "There is one row in the table, so there is nothing to group."
    report = make_report(zoo, TableClusterer(1))
    assert report.summary == "There are 101 rows in the table. One group: as asked for."
    assert report.html.count("One group: as asked for.") == 3  # header, groups and choice of k


def test_blank_names_values_and_titles_have_a_name():
    frame = pd.DataFrame({"": ["", "  ", "x"] * 20, "b": ["", "y", "z"] * 20})
    blanks_are_values = Preparer(missing=())
    report = make_report(frame, TableClusterer(2, preparer=blanks_are_values), title="")
    assert report.summary.startswith("There are 60 rows in the table.")
    first, second = data_of(report.html)["columns"]
    assert first["name"] == "(empty)"
    assert sorted(first["labels"]) == ["(empty)", "x"]  # blanks at the ends do not count
    assert sorted(second["labels"]) == ["(empty)", "y", "z"]


def test_other_methods_have_the_scores_of_compare(zoo):
    zoo = zoo.assign(kind=load("zoo")[1])
    page = make_report(zoo, TableClusterer(3, random_state=2), label="kind").html
    rows = Preparer(drop=["kind"]).fit_transform(zoo)
    expected = compare(
        rows, 3, y=zoo["kind"], methods=learned.METHODS, n_resamples=3, random_state=2
    ).table()
    found = cells_of(page, "comparison")
    assert [line[0] for line in found] == expected.method.tolist()
    figures = np.array([line[1:] for line in found], dtype=float)
    np.testing.assert_allclose(figures, expected.drop(columns="method").to_numpy(dtype=float))


def test_more_clusters_than_rows_drawn_anew_are_not_compared(zoo):
    said = make_report(zoo.drop_duplicates().head(12), TableClusterer(10)).to_markdown()
    told = (
        r"not tried\. Methods are compared on rows drawn anew, of which \d are distinct: too few "
    )
    assert re.search(told + "for 10 clusters; ask for fewer", said)
    assert "n_samples" not in said


def test_untie_is_fitted_once(zoo, monkeypatch):
    fitted, fit_rows = [], EncoderBase._fit_rows

    def counting(encoder, *arguments):
        fitted.append(encoder)
        return fit_rows(encoder, *arguments)

    monkeypatch.setattr(TableEncoder, "_fit_rows", counting)
    make_report(zoo, TableClusterer(3))
    assert len(fitted) == 1
    encoder = UNTIE(3).fit(zoo)
    page = make_report(zoo, encoder).html
    assert len(fitted) == 1
    asked = {"y": None, "sample_weight": None, "methods": ["TableClusterer"]}
    clusterer = TableClusterer(3, preparer=None)._fit_codes(encoder, encoder._codes(zoo))
    expected = compare_prepared(zoo, 3, **asked, clusterer=clusterer, n_resamples=3)
    figures = [float(figure) for figure in cells_of(page, "comparison")[0][1:]]
    assert figures == pytest.approx(expected.table().iloc[0, 1:].tolist())


def test_bad_input_is_refused(zoo):
    with pytest.raises(TypeError, match=r"drop must be a list of names, got 'legs': \['legs'\]"):
        make_report(zoo, TableClusterer(preparer=Preparer(drop="legs")))
    constant = pd.DataFrame({"a": ["x"] * 9})
    with pytest.raises(ValueError, match="No column is left to learn from"):
        make_report(constant)
    with pytest.raises(ValueError, match="random_state"):
        make_report(zoo, TableClusterer(random_state=-1))
    with pytest.raises(ValueError, match="There is no column 'nothing'"):
        make_report(zoo, label="nothing")
    with pytest.raises(ValueError, match="'leg' in the table, which label names; did you mean"):
        make_report(zoo, label="leg")
    with pytest.raises(TypeError, match="clusterer must be a TableClusterer, a TableEncoder, a "):
        make_report(zoo, 3)
    with pytest.raises(TypeError, match="a Pipeline that ends in KMeans"):
        make_report(zoo, make_pipeline(Preparer(), KMeans(2)))
    with pytest.raises(NotFittedError):
        make_report(zoo, make_pipeline(Preparer(), TableClusterer(2)))
    with pytest.raises(ValueError, match="all rows in memory"):
        make_report(pl.from_pandas(zoo).lazy())
    with pytest.raises(ValueError, match="negative"):
        make_report(zoo.assign(w=-1.0), sample_weight="w")


def test_a_report_is_saved_as_a_whole(tmp_path):
    report = Report("<p>é</p>", "It says é.")
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == "<p>é</p>".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(FileNotFoundError, match="does not exist"):
        report.save(tmp_path / "nowhere" / "page.html")
    assert "&lt;p&gt;é&lt;/p&gt;" in report._repr_html_()
    assert "<p>" not in repr(report)


def test_without_jinja2_the_extra_is_named(zoo, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"untie-learn\[report\]"):
        make_report(zoo, TableClusterer(2))


@pytest.mark.usefixtures("quick")
def test_heat_maps_of_tens_of_ranges_are_those_of_merged_ranges():
    rng = np.random.default_rng(0)
    age = rng.permutation(np.arange(700) / 10 + 18)
    job = np.where(age + rng.normal(0, 8, 700) < 50, "a", "b")
    frame = pd.DataFrame({"age": age, "job": job, "town": rng.choice(list("xyz"), 700)})
    frame.loc[:49, "age"] = None
    page = make_report(frame, TableClusterer(2)).html
    heat = re.search(r'"t-(values-\d+)">\n<caption>How alike the values of age ', page)
    table = re.search(rf'id="t-{heat[1]}">.*?</table>', page, re.DOTALL)[0]
    names = re.findall(r'<th scope="row"[^>]*>(.*?)</th>', table)
    found = [
        re.findall(r"<td.*?>(.*?)</td>", line)
        for line in table.split("<tbody")[1].split("</tr>")[:-1]
    ]
    # A range of several values is not the same as itself, so nothing is said of that.
    assert [line[place] for place, line in enumerate(found)] == [""] * 11
    assert len(names) == 11
    assert names[-1] == "missing"
    # The same from a table whose cells are the merged ranges.
    edges = [-np.inf, *(float(name.split()[-1]) for name in names[:-2]), np.inf]
    merged = pd.cut(frame.age, edges, labels=names[:-1]).astype(object)
    rows = frame.assign(age=merged.where(frame.age.notna(), None))
    encoder = TableEncoder(2, random_state=0, preparer=None).fit(rows)
    expected = alike_values(encoder, "age", n=100)
    for line in expected.itertuples():
        place, other = names.index(line.value), names.index(line.other_value)
        assert float(found[place][other]) == pytest.approx(line.alikeness, abs=0.0051)


@pytest.mark.usefixtures("quick")
def test_the_chart_of_the_choice_draws_gain_with_its_error_and_agreement(zoo):
    page = make_report(zoo).html
    table = np.array(cells_of(page, "choice-of-k"), dtype=float)
    k, gain, error, stability = table[:, :4].T
    charts = re.findall(r'<svg class="chart".*?</svg>', page, re.DOTALL)
    assert [re.search(r'class="name">(.*?)<', chart)[1] for chart in charts] == [
        "gain",
        "agreement",
    ]
    ends = re.findall(r'y1="(.*?)" x2=".*?" y2="(.*?)" class="error"', charts[0])
    assert len(ends) == len(k)
    assert 'class="error"' not in charts[1]
    low, high = min(0, (gain - error).min()), (gain + error).max()
    expected = 120 - 90 * (np.stack([gain - error, gain + error], axis=1) - low) / (high - low)
    np.testing.assert_allclose(np.array(ends, dtype=float), expected, atol=0.11)
    heights = [float(y) for y in re.findall(r'<circle cx=".*?" cy="(.*?)"', charts[1])]
    np.testing.assert_allclose(heights, 120 - 90 * stability, atol=0.11)
    chosen = re.findall(r'class="chosen">(\d+)<', charts[0])
    assert chosen == [str(TableClusterer(random_state=0, preparer=None).fit(zoo).n_clusters_)]


@pytest.mark.usefixtures("quick")
def test_the_chart_of_noise_has_a_line_at_zero():
    rng = np.random.default_rng(0)
    noise = pd.DataFrame({name: rng.choice(list("abc"), 200) for name in "uvwx"})
    report = make_report(noise)
    gain, error = np.array(cells_of(report.html, "choice-of-k"), dtype=float)[:, 1:3].T
    chart = re.search(r'<svg class="chart".*?</svg>', report.html, re.DOTALL)[0]
    found = float(re.search(r'x2="325" y2="(.*?)" class="axis zero"', chart)[1])
    low, high = (gain - error).min(), max(0.0, (gain + error).max())
    high = 1.0 if high == low else high
    assert found == pytest.approx(120 + 90 * low / (high - low), abs=0.11)
    n = len(set(data_of(report.html)["clusters"]))
    assert f"<dd>none found, {n} shown</dd>" in report.html


@pytest.mark.usefixtures("quick")
def test_rows_have_their_names_on_the_page(zoo):
    names = [f"<b>{name}</b>{'!' * 40}" for name in map(str, range(len(zoo)))]
    report = make_report(zoo.assign(name=names), TableClusterer(3))
    short = [shown(name, 40) for name in names]
    data = data_of(report.html)
    assert data["row_names"] == [short[row - 1] for row in data["rows"]]
    sections = report.to_dict()["sections"]
    rows = sections["outliers"]["table"]
    assert rows["columns"][:2] == ["row", "name"]
    assert [row[1] for row in rows["rows"]] == [short[row[0] - 1] for row in rows["rows"]]
    heads = sections["clusters"]["cards"][0]["typical_rows"]["columns"][1:]
    found = [re.match(r"(.*), row (\d+)", head) for head in heads]
    assert [one[1] for one in found] == [short[int(one[2]) - 1] for one in found]
    assert "<b>0" not in report.html
    assert "Rows are counted from 1." in report.html
