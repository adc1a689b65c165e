"""Names of clusters: a few words, all different, and true of the rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie import UNTIE, Preparer, TableClusterer, make_report
from untie.datasets import load
from untie.explain import cluster_names, cluster_profile

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random tables may be degenerate


def names_of(table, labels):
    table = pd.DataFrame(table)
    frame = cluster_names(UNTIE(2, solver="uniform").fit(table), table, labels=labels)
    return dict(zip(frame.cluster, frame.name, strict=True))


def test_every_value_has_its_column():
    half = 30
    table = {
        "city": ["Rome"] * half + ["Bonn"] * half,
        "fever": ["yes"] * half + ["no"] * half,
        "legs": [4] * half + [2] * half,
    }
    assert names_of(table, [0] * half + [1] * half) == {
        0: "city: Rome; fever: yes; legs: 4",
        1: "city: Bonn; fever: no; legs: 2",
    }


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("is_married", ("yes", "no"), ("is_married: yes", "is_married: no")),
        ("milk", ("1.0", "0.0"), ("milk: 1", "milk: 0")),
        ("version", ("1.0", "1"), ("version: 1.0", "version: 1")),
        ("age", ("over 54", "up to 54"), ("age: over 54", "age: up to 54")),
        ("pay", ("over 25000.0", "up to 25000.0"), ("pay: over 25,000", "pay: up to 25,000")),
        ("zip", ("10115", "80331"), ("zip: 10115", "zip: 80331")),  # names, and no amounts
        ("name", ("", "Ann"), ("name: blank", "name: Ann")),
        ("age", (None, "adult"), ("age: missing", "age: adult")),
        ("note", ("a; b: c", "d"), ('note: "a; b: c"', "note: d")),
        ("x\ny", ("a\tb", "long " * 20), ("x y: a b", "x y: long long long long long long\u2026")),
    ],
)
def test_one_column(column, values, expected):
    cells = [values[0]] * 30 + [values[1]] * 30
    table = pd.DataFrame({column: pd.Series(cells, dtype=object)})
    assert tuple(names_of(table, [0] * 30 + [1] * 30).values()) == expected


def test_numbers_that_are_known_where_others_are_missing():
    table = {"price": ["up to 5", "over 5"] * 15 + [None] * 30}
    assert names_of(table, [0] * 30 + [1] * 30) == {0: "price: known", 1: "price: missing"}


def test_long_columns_and_values_are_cut_where_they_stay_different():
    start = "How often in the last two years did you"
    table = {f"{start} {what}?": ["no"] * 30 + ["yes"] * 30 for what in ("eat", "run")}
    assert names_of(table, [0] * 30 + [1] * 30)[1] == (
        "How often i\u2026years did you eat?: yes; How often i\u2026years did you run?: yes"
    )
    values = [f"{start} {what}" for what in ("agree", "disagree")]
    names = names_of({"answer": [values[0]] * 30 + [values[1]] * 30}, [0] * 30 + [1] * 30)
    assert names[0].endswith("did you agree")
    assert names[1].endswith("did you disagree")


def test_what_fewer_than_four_in_five_have_is_said_with_their_share():
    own = ["Fiat"] * 40 + [f"maker {i}" for i in range(60)]
    table = {"maker": own + [f"maker {i}" for i in range(100)]}
    assert names_of(table, [0] * 100 + [1] * 100)[0] == "maker: Fiat (40%)"
    table["fuel"] = ["gas"] * 90 + ["oil"] * 110
    assert names_of(table, [0] * 100 + [1] * 100)[0] == "fuel: gas; maker: Fiat (40%)"


def test_what_half_have_comes_before_what_tells_a_little_more():
    """Of one column too: what tells most may be said of few rows."""
    own = ["cider"] * 40 + ["beer"] * 60
    table = {"a": own + ["beer"] * 30 + [f"{i}" for i in range(70)]}
    frame, labels = pd.DataFrame(table), [0] * 100 + [1] * 100
    profile = cluster_profile(UNTIE(2, solver="uniform").fit(frame), frame, labels=labels)
    assert profile.value[0] == "cider"
    assert names_of(table, labels)[0] == "a: beer (60%)"


def test_a_cluster_is_not_named_by_what_is_hardly_more_frequent_in_it():
    """Half of its rows have "over 5", and a little fewer elsewhere; its towns tell far more."""
    labels = [0] * 200 + [1] * 200 + [2] * 200
    towns = [town for town in ("Rome", "Bonn", "Oslo", "Kyiv") for _ in range(50)]
    table = {
        "town": [*towns, *(f"place {i}" for i in range(400))],
        "share": (["over 5"] * 110 + ["up to 5"] * 90) + (["over 5"] * 60 + ["up to 5"] * 140) * 2,
    }
    frame = pd.DataFrame(table)
    profile = cluster_profile(UNTIE(2, solver="uniform").fit(frame), frame, labels=labels)
    found = profile[(profile.cluster == 0) & (profile.value == "over 5")].iloc[0]
    assert found.share > 0.5
    assert found.p_value < 0.05
    assert names_of(table, labels)[0] == "town: Bonn (25%)"


def test_one_of_two_clusters_may_be_told_by_what_it_lacks():
    rng = np.random.default_rng(0)
    others = rng.choice(["25000", "15000", "125000", "175000"], 100).tolist()
    labels = [0] * 100 + [1] * 100
    assert names_of({"population": [*others, *["250000"] * 100]}, labels) == {
        0: "population: not 250000",
        1: "population: 250000",
    }
    towns = rng.choice(["Bonn", "Oslo", "Kyiv"], 100).tolist()
    assert names_of({"town": [*towns, *["Rome"] * 100]}, labels)[0] == "town: not Rome"
    assert names_of({"town": [*towns, *[None] * 100]}, labels)[0] == "town: known"
    half = ["Bonn"] * 60 + towns[:40]
    assert names_of({"town": [*half, *["Rome"] * 100]}, labels)[0].startswith("town: Bonn (")


def test_what_another_cluster_has_as_well_makes_no_name_unless_it_is_needed():
    """Both values are more frequent in cluster 0 than in all others together."""
    sizes = {0: 60, 1: 60, 2: 300}
    labels = [number for number, n in sizes.items() for _ in range(n)]
    table = {"a": ["yes"] * 120 + ["no"] * 300, "b": ["no", *["yes"] * 51] + ["no"] * 368}
    assert names_of(table, labels) == {0: "b: yes", 1: "a: yes; b: no", 2: "a: no"}
    # Of rows that are too few for a cluster it may be true.
    few = {name: [*cells, cells[0], "yes"] for name, cells in table.items()}
    assert names_of({"b": few["b"]}, [*labels, 3, 3])[0] == "b: yes"


def test_a_name_sets_a_cluster_apart_from_each_other_one():
    """Each value is also that of another cluster, and both together are of no other."""
    labels = np.repeat([0, 1, 2, 3], 40)
    table = {"a": np.where(labels < 2, "x", "y"), "b": np.where(labels % 2, "u", "v")}
    assert names_of(table, labels) == {
        0: "a: x; b: v",
        1: "a: x; b: u",
        2: "a: y; b: v",
        3: "a: y; b: u",
    }


def test_merged_values_name_no_cluster():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 300)
    rare = [f"town {number}" for number in rng.integers(150, size=300)]
    table = pd.DataFrame(
        {
            "town": ["Rome"] * 300 + rare,
            **{name: np.where(rng.random(600) < 0.9, group, 1 - group) for name in "abcd"},
        }
    )
    clusterer = TableClusterer(2, preparer=Preparer(max_categories=5)).fit(table)
    assert "other" in clusterer.preparer_.transform(table).town.tolist()
    names = cluster_names(clusterer, table).name
    assert "town: Rome" in " ".join(names)
    assert "other" not in " ".join(names)
    page = make_report(table, TableClusterer(2, preparer=Preparer(max_categories=5)))
    assert [
        card["name"] for card in page.to_dict()["sections"]["clusters"]["cards"]
    ] == names.tolist()


def test_noise_makes_no_name():
    rng = np.random.default_rng(0)
    table = {name: rng.choice(list("abc"), 200) for name in "uvw"}
    assert names_of(table, rng.integers(2, size=200)) == {
        0: "much like all rows (0)",
        1: "much like all rows (1)",
    }
    assert names_of(table, np.zeros(200)) == {0: "all rows"}


def test_names_that_would_be_the_same_say_more():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 60)
    same = {f"same{i}": np.where(group < 2, "aaa", "zzz") for i in range(5)}
    names = names_of({**same, "last": np.where(rng.random(180) < 0.9, group, 9)}, group)
    assert len(set(names.values())) == 3
    assert "last: 0" in names[0]
    assert "last: 1" in names[1]
    assert names[2].count(";") <= 2


def test_names_of_a_real_table():
    X, _ = load("zoo")
    clusterer = TableClusterer(4, random_state=0).fit(X)
    names = cluster_names(clusterer, X)
    assert names.name.is_unique
    assert names.cluster.tolist() == sorted(set(clusterer.labels_))
    assert names.name.str.count("; ").between(1, 2).all()
    assert "milk: 1; hair: 1; eggs: 0" in names.name.tolist()
    frame = pl.from_pandas(X)
    other = cluster_names(TableClusterer(4, random_state=0).fit(frame), frame)
    assert isinstance(other, pl.DataFrame)
    assert other["name"].to_list() == names.name.tolist()


@given(st.integers(2, 5), st.lists(st.text(max_size=40), min_size=2, max_size=4), st.randoms())
def test_names_are_one_line_and_all_different(k, values, random):
    labels = [place % k for place in range(60)]
    table = {
        name: [
            random.choice(values) if random.random() < 0.3 else values[label % len(values)]
            for label in labels
        ]
        for name in ("a b", "c")
    }
    names = list(names_of(table, labels).values())
    assert len(set(names)) == k
    assert all(name and name == " ".join(name.split()) for name in names)
