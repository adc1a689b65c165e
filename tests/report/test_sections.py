"""What the sections say of clusters, values, labels and columns, against plain counting."""

import re
from dataclasses import replace
from html import unescape
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from tables import nested_classes
from untie import Preparer, TableClusterer, TableEncoder
from untie._learn.selection.choose_k import clustering_f_score, purity
from untie.datasets import load
from untie.explain import associations, families
from untie.report import make_report
from untie.report._clusters import between_clusters
from untie.report._study import Study
from untie.report._table import TableView, view


@pytest.fixture(scope="module")
def people():
    """Return three groups, with a number, a yes and no, many values and missing cells."""
    rng = np.random.default_rng(0)
    n = 360
    group = rng.integers(3, size=n)
    drawn = np.where(rng.random((4, n)) < 0.85, group, rng.integers(3, size=(4, n)))
    frame = pd.DataFrame(
        {
            "town": np.array(["Rome", "Bonn", "Oslo"])[drawn[0]],
            "fever": np.where(drawn[1] == 0, "yes", "no"),
            "age": (20 + 20 * drawn[2] + rng.integers(0, 15, n)).astype(float),
            "job": np.array(["a", "b", "c"])[drawn[3]],
            "left": np.where(rng.random(n) < 0.8, group, rng.integers(3, size=n)).astype(str),
        }
    )
    frame.loc[(group == 2) & (np.arange(n) % 3 == 0), "age"] = None
    frame.loc[::23, "left"] = None
    return frame


@pytest.fixture(scope="module")
def report(people):
    return make_report(people, TableClusterer(3), label="left", title="people")


@pytest.fixture(scope="module")
def prepared(people):
    rows = Preparer(drop=["left"]).fit_transform(people)
    clusterer = TableClusterer(
        3, encoder=TableEncoder(3, random_state=0, preparer=None), random_state=0, preparer=None
    ).fit(rows)
    return rows, clusterer


def table_of(report, section, key="table"):
    table = report.to_dict()["sections"][section][key]
    return pd.DataFrame(table["rows"], columns=table["columns"])


def section(report, name):
    return unescape(re.search(rf'<section id="{name}".*?</section>', report.html, re.DOTALL)[0])


def test_shares_are_those_of_the_rows(report, people, prepared):
    _, clusterer = prepared
    found = table_of(report, "shares").set_index("value")
    labels = clusterer.labels_
    for text, cells in (
        ("town = Rome", people.town == "Rome"),
        ("fever = yes", people.fever == "yes"),
        ("job = c", people.job == "c"),
        ("age = missing", people.age.isna()),
    ):
        expected = [cells[labels == number].mean() for number in range(3)]
        assert found.loc[text].tolist() == pytest.approx([*expected, cells.mean()])
    ages = found[found.index.str.startswith("age") & ~found.index.str.contains("missing")]
    assert 2 <= len(ages) <= 4
    known = pd.Series(people.age.notna())
    expected = [known[labels == number].mean() for number in range(3)]
    assert ages.sum().tolist() == pytest.approx([*expected, known.mean()])
    assert not found.index.str.startswith("fever = no").any()  # the other of two says the same
    assert not found.index.str.startswith("left").any()


@pytest.mark.usefixtures("quick")
def test_values_that_all_clusters_have_alike_are_left_out():
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=400)
    flip = rng.random((2, 400)) < 0.1
    columns = {name: np.where(flip[place], 1 - group, group) for place, name in enumerate("ab")}
    columns["noise"] = rng.choice(list("wxyz"), 400)
    report = make_report(pd.DataFrame(columns).astype(str), TableClusterer(2))
    found = table_of(report, "shares")
    kept = found["value"].str.startswith("noise")
    assert 1 <= kept.sum() < 3
    apart = (found.iloc[:, 1:3].sub(found["all rows"], axis=0)).abs().max(axis=1)
    assert (apart[kept][1:] >= 0.05).all()


def test_colors_of_shares_are_differences_from_the_whole_table(report):
    found = table_of(report, "shares")
    page = section(report, "shares")
    line = re.search(r'<th scope="row"[^>]*>town = Rome</th>(.*?)</tr>', page)[1]
    steps = re.findall(r'class="([pm])(\d+)"', line)
    shares = found[found["value"] == "town = Rome"].iloc[0, 1:].to_numpy(dtype=float)
    for (sign, step), share in zip(steps, shares, strict=True):
        assert int(step) == round(10 * abs(share - shares[-1]))
        assert sign == ("m" if share < shares[-1] else "p")


@pytest.mark.usefixtures("quick")
def test_the_columns_that_differ_most_come_first_and_the_rest_is_said():
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=300)
    columns = {f"noise{i}": rng.choice(["x", "y"], 300) for i in range(21)}
    columns["telling"] = np.where(rng.random(300) < 0.95, group, 1 - group).astype(str)
    columns |= {
        f"also{i}": np.where(rng.random(300) < 0.9, group, 1 - group).astype(str) for i in (1, 2)
    }
    report = make_report(pd.DataFrame(columns), TableClusterer(2))
    found = table_of(report, "shares")["value"].tolist()
    assert {name.split(" = ")[0] for name in found[:3]} == {"telling", "also1", "also2"}
    assert len(found) == 20
    said = "These are the 20 of 24 columns in which the clusters differ most."
    assert said in section(report, "shares")


def test_the_label_is_counted_and_measured(report, people, prepared):
    _, clusterer = prepared
    labels = clusterer.labels_
    found = table_of(report, "label")
    cells = people.left.fillna("missing")
    expected = pd.crosstab(labels, cells)
    for number in range(3):
        line = found.iloc[number]
        assert {key: line[key] for key in expected} == expected.loc[number].to_dict()
        assert line["all"] == (labels == number).sum()
    assert found.iloc[-1]["cluster"] == "all rows"
    assert found.iloc[-1]["all"] == len(people)
    top = cells[labels == 0].value_counts()
    share = top.iloc[0] / (labels == 0).sum()
    assert f"{top.iloc[0]} ({share:.0%})" in section(report, "label")
    known = people.left.notna()
    truth, clusters = people.left[known].astype(str), labels[known]
    measures = table_of(report, "label", "measures").set_index("measure")["score"]
    assert measures["adjusted Rand index"] == pytest.approx(adjusted_rand_score(truth, clusters))
    assert measures["normalized mutual information"] == pytest.approx(
        normalized_mutual_info_score(truth, clusters)
    )
    assert measures["purity"] == pytest.approx(purity(truth, clusters))
    assert measures["F"] == pytest.approx(clustering_f_score(truth, clusters))
    usual = people.left[known].value_counts().max() / known.sum()
    assert measures["purity without clusters"] == pytest.approx(usual)
    assert f"{(~known).sum()} rows without a label do not count" in section(report, "label")


@pytest.mark.usefixtures("quick")
def test_labels_with_many_values_and_weights():
    X, _ = load("zoo")
    many = [f"kind {place % 40:02}" for place in range(len(X))]
    weights = np.arange(len(X)) % 3
    frame = X.assign(kind=many, often=weights)
    report = make_report(frame, TableClusterer(3), label="kind", sample_weight="often")
    found = table_of(report, "label")
    assert list(found.columns)[-2:] == ["28 others", "all"]
    assert found["all"].tolist()[-1] == weights.sum()
    assert (found.iloc[:, 1:-1].sum(axis=1) == found["all"]).all()
    assert "every row with a weight above 0 counts once" in section(report, "label")


@pytest.mark.usefixtures("quick")
def test_both_purities_count_the_same_rows_and_one_row_is_one():
    """A row with a weight counts once; a missing label is none, the text "missing" is one."""
    half = 100
    frame = pd.DataFrame(
        {
            "a": ["x"] * half + ["y"] * half,
            "b": ["u"] * (half - 15) + ["v"] * (half + 15),
            "lab": ["A"] * (half - 1) + [None] + ["missing"] * half,
            "w": [10] * half + [1] * half,
        }
    )
    report = make_report(frame, TableClusterer(2), label="lab", sample_weight="w")
    measures = table_of(report, "label", "measures").set_index("measure")["score"]
    assert measures["purity without clusters"] == pytest.approx(half / (2 * half - 1))
    assert measures["purity"] >= measures["purity without clusters"]
    said = "1 row without a label does not count for the measures."
    assert said in report.to_dict()["sections"]["label"]["notes"]


@pytest.mark.usefixtures("quick")
def test_a_cluster_of_one_row_has_one_row():
    frame = pd.DataFrame({"a": ["x"] * 30 + ["y"], "b": ["u"] * 30 + ["v"]})
    report = make_report(frame, TableClusterer(2))
    assert re.search(r"<strong>1</strong> row, ", report.html)
    assert " (1 row, " in report.to_markdown()
    assert " (30 rows, " in report.to_markdown()


@pytest.mark.usefixtures("quick")
def test_clusters_within_clusters(report):
    assert report.content["clusters"]["finer"] is None
    table, _, _ = nested_classes(0)
    made = make_report(table, TableClusterer(2).fit(table))
    lines = [[cell.text for cell in row] for row in made.content["clusters"]["finer"].rows]
    assert [(line[0], line[-1]) for line in lines] == [
        ("1", "stable"),
        ("1a", "stable"),
        ("1b", "stable"),
    ]
    assert sum(float(line[2].rstrip("%")) for line in lines[1:]) == pytest.approx(47, abs=1)
    for text in (made.to_markdown(), str(made.to_dict()), made.html):
        assert "Clusters within clusters" in text


def test_without_a_label_there_is_no_section_of_it():
    X, _ = load("zoo")
    report = make_report(X, TableClusterer(3))
    assert 'id="label"' not in report.html
    assert "#label" not in report.html
    assert "label" not in report.to_dict()["sections"]
    assert "agreement with the label" not in report.html


def test_two_clusters_side_by_side(report, people, prepared):
    _, clusterer = prepared
    pair = report.to_dict()["sections"]["pair"]
    assert pair["sizes"] == np.bincount(clusterer.labels_).tolist()
    assert (pair["first"], pair["second"]) == (0, 1)
    found = table_of(report, "pair")
    gap = found["cluster 0"] - found["cluster 1"]
    assert found["difference"].tolist() == pytest.approx(gap.tolist())
    assert (np.diff(np.abs(gap)) <= 1e-12).all()
    rome = found[(found.column == "town") & (found.value == "Rome")].iloc[0]
    for number in range(2):
        share = (people.town[clusterer.labels_ == number] == "Rome").mean()
        assert rome[f"cluster {number}"] == pytest.approx(share)
    for column, value, counts in pair["lines"]:
        if column == "job":
            own = clusterer.labels_[people.job == value]
            assert counts == np.bincount(own, minlength=3).tolist()


@pytest.mark.usefixtures("quick")
def test_a_single_cluster_has_nothing_to_compare():
    X, _ = load("zoo")
    report = make_report(X, TableClusterer(1))
    for name in ("shares", "pair"):
        assert f'id="{name}"' not in report.html
    assert "0: all rows" in report.html


@pytest.mark.usefixtures("quick")
def test_columns_together_are_those_of_the_library():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 40, 300)
    columns = {"city": city, "state": city % 12, "region": city % 3}
    columns |= {name: rng.integers(0, 3, 300) for name in ("a", "b")}
    rows = pd.DataFrame(columns).map("v{}".format)
    encoder = TableEncoder(2, random_state=0, preparer=None).fit(rows)
    report = make_report(rows, encoder)
    expected = associations(encoder)
    found = table_of(report, "together").set_index("column")
    for name in expected:
        for other in expected:
            own = 1 if name == other else max(expected.loc[name, other], 0)
            assert found.loc[name, other] == pytest.approx(own, abs=0.0051)
    pairs = table_of(report, "together", "pairs")
    best = pairs.iloc[0]
    assert best["in common"] == pytest.approx(
        max(expected.loc[a, b] for a in expected for b in expected if a != b)
    )
    assert (pairs["in common"] >= 0.05).all()
    said = " ".join(report.to_dict()["sections"]["together"]["families"])
    assert all(name in said for name in families(encoder).column)


def test_weights_are_told_in_words(report):
    weights = report.to_dict()["sections"]["weights"]
    shares = pd.DataFrame(weights["folded"][0]["rows"], columns=["coupling", "share"])
    words = {"matching": "the values themselves", "tree": "trees of values"}
    words["order"] = "the order of values"
    for coupling, share in shares.itertuples(index=False):
        text = f"{words[coupling]} {share:.0%}" if share > 0.095 else words[coupling]
        assert (text in weights["said"]) == (share > 0)
    page = section(report, "weights")
    folded = page.index('<details class="deep">')
    assert page.index("weights-by-column") < folded < page.index("weights-by-kernel")


def test_the_columns_that_groups_rest_on_are_the_same_everywhere(report):
    content = report.to_dict()["sections"]
    table = content["weights"]["columns"]
    rests = {line[0] for line in table["rows"] if line[2] == "yes"}
    assert table["columns"][2] == "groups rest on it"
    said = re.search(r"The groups rest on (.*?)\.", report.summary)[1]
    assert set(re.split(", | and ", said)) == rests
    assert f"resting on {'all ' if len(rests) == 4 else f'{len(rests)} of '}" in report.summary
    assert "differ most in" not in report.summary


def test_the_columns_that_carry_the_clusters_are_said_and_listed(report, people):
    found = report.to_dict()["sections"]["clusters"]["carriers"]
    table = pd.DataFrame(found["table"]["rows"], columns=found["table"]["columns"])
    assert set(table["column"]) == {"town", "fever", "age", "job"}
    assert table["share"].sum() == pytest.approx(1)
    carries = table["column"][table["carries"] == "yes"]
    assert found["said"].startswith(f"{len(carries)} of 4 columns carry the clusters: ")
    assert found["said"] in section(report, "clusters")
    assert found["said"] in report.to_markdown()
    rng = np.random.default_rng(0)
    noise = pd.DataFrame({name: rng.choice(list("xyz"), 200) for name in "abc"})
    content = make_report(noise, TableClusterer(2)).to_dict()["sections"]["clusters"]
    assert content["carriers"] is None


@pytest.mark.usefixtures("quick")
def test_values_by_chance_do_not_make_a_cluster():
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=200)
    frame = pd.DataFrame(
        {
            "a": np.where(rng.random(200) < 0.95, group, 1 - group).astype(str),
            "b": np.where(rng.random(200) < 0.95, group, 1 - group).astype(str),
            "noise": rng.choice(list("xyz"), 200),
        }
    )
    report = make_report(frame, TableClusterer(2))
    for card in report.to_dict()["sections"]["clusters"]["cards"]:
        values = pd.DataFrame(card["values"]["rows"], columns=card["values"]["columns"])
        assert (values["p"] < 0.05).all()
        assert "noise" not in values["column"].tolist()


@pytest.mark.usefixtures("quick")
def test_notes_stand_only_where_they_apply(report):
    X, _ = load("zoo")
    plain = make_report(X, TableClusterer(3))
    long = make_report(X.assign(more=["x" * 90, "y", "z"] * 33 + ["y", "z"]), TableClusterer(3))
    cut = "Names and values of more than 80 characters are cut."
    assert cut not in plain.html
    assert cut in long.html
    ranges = "Of a column with an order, the range is named"
    assert ranges not in section(plain, "clusters")
    assert ranges in section(report, "clusters")
    assert '<ul class="remarks">' not in plain.html
    single = make_report(X, TableClusterer(1))
    for words in ("Lift", "Stability"):
        assert f"<em>{words}</em>" not in section(single, "clusters")
        assert f"<em>{words}</em>" in section(plain, "clusters")


def test_the_page_begins_with_what_the_table_is(report, people):
    header = unescape(re.search(r"<header>.*?</header>", report.html, re.DOTALL)[0])
    assert "There are 360 rows in people. 3 stable groups of similar rows, as asked for" in header
    share = people.age.isna().sum() / (4 * len(people))
    assert (
        "4 of the 5 columns were learned from, 1 of them cut into ranges; "
        f"{share:.1%} of their cells are missing. "
        "The column left was not learned from: it judges the groups."
    ) in header
    groups = re.findall(r"<strong>(\d): (.*?)</strong>", section(report, "map"))
    assert len(groups) == 3
    titles = re.findall(r"</span>Cluster (\d): (.*?)</h3>", section(report, "clusters"))
    assert titles == groups


def test_spans_fill_lines_of_a_narrow_screen():
    names = {"column": "text", "value": "text"} | dict.fromkeys("abcde", "number")
    table = view("t", "T", names, {name: [] for name in names})
    assert table.spans == (30, 30, 12, 12, 12, 12, 12)
    names = {"k": "count", "name": "text"} | dict.fromkeys("abcd", "number") | {"z": "text"}
    assert view("t", "T", names, {name: [] for name in names}).spans == (
        *(12, 30, 12),
        *(12, 12, 12, 24),
    )
    assert isinstance(table, TableView)


@pytest.mark.usefixtures("quick")
def test_the_page_names_the_option_of_the_command_too():
    rng = np.random.default_rng(0)
    size = rng.choice([10, 20, 30, 40], 200)
    size = size.astype(object)
    size[:5] = "?"
    frame = pd.DataFrame({"size": size, "town": rng.choice(list("xyz"), 200)})
    columns = table_of(make_report(frame, TableClusterer(2)), "data").set_index("column")
    done = columns["what was done"]
    said = "its 4 numbers are categories; --ordered (in Python ordered=) keeps"
    assert done["size"].startswith(f"kept, {said} their order; ")
    assert "TableEncoder(" not in done["size"]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (None, "2 of 4 rows (50%) are between clusters: the probability of their cluster is below"),
        ([1.0, 1.0, 0.0, 1.0], "1 of 3 rows (33%) is between clusters: the probability of its"),
        ([1.0, 1.0, 0.0, 0.0], "No row is between clusters: each belongs to its own with a"),
        ([1.5, 1.0, 0.0, 2.5], "50% of the rows, by weight, are between clusters: the probability"),
    ],
)
def test_rows_between_clusters_are_counted(weights, said):
    chances = [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.5, 0.5]]
    study = Study(
        clusterer=SimpleNamespace(
            encoder_=SimpleNamespace(_codes=lambda frame: None),
            _probabilities=lambda codes: np.array(chances),
        ),
        frame=None,
        labels=np.array([0, 0, 1, 0]),
        weights=None if weights is None else np.array(weights),
        verdict=SimpleNamespace(found=True),
        finer=None,
        preparer=None,
        answers=None,
        seed=0,
        code=None,
    )
    assert between_clusters(study).startswith(said)
    assert between_clusters(replace(study, verdict=SimpleNamespace(found=False))) == ""


def test_the_page_counts_the_rows_between_clusters(report, prepared):
    rows, clusterer = prepared
    n = int((clusterer.predict_proba(rows).max(axis=1) < 0.8).sum())
    said = report.to_dict()["sections"]["clusters"]["between"]
    assert n > 1
    assert said.startswith(f"{n} of 360 rows (")
    assert said in section(report, "clusters")
    assert said in report.to_markdown()
