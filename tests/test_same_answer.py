"""The command, the report and Python give the same clusters for the same table and seed."""

import inspect

import numpy as np
import pandas as pd
import pytest

from command_cases import ask
from untie import UNTIE, Preparer, TableClusterer, TableEncoder, load_model, scan
from untie.cli.options import ColumnOptions
from untie.datasets import load


def mixed(n_rows=240):
    """Return an id, numbers, a date, text with missing cells, and a column that says little."""
    rng = np.random.default_rng(5)
    kind = rng.integers(0, 3, n_rows)
    return pd.DataFrame(
        {
            "person": [f"p{number}" for number in range(n_rows)],
            "age": 20 + 15 * kind + rng.integers(0, 20, n_rows),
            "income": (1000 * (1 + kind) + 400 * rng.random(n_rows)).round(2),
            "joined": [f"20{10 + k * 4 + i % 5}-0{1 + i % 9}-11" for i, k in enumerate(kind)],
            "plan": np.where(rng.random(n_rows) < 0.1, None, np.array(["a", "b", "c"])[kind]),
            "tone": rng.choice(["low", "mid", "high"], n_rows),
        }
    )


TABLES = {"mixed": mixed, "zoo": lambda: load("zoo")[0]}


@pytest.fixture(scope="module", params=TABLES)
def table(request):
    return TABLES[request.param]()


@pytest.fixture
def folder(table, tmp_path, monkeypatch):
    table.to_csv(tmp_path / "table.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def labels_of_the_command(*arguments):
    ask("cluster", "table.csv", "-q", "-o", "labels.csv", *arguments)
    return pd.read_csv("labels.csv", dtype=str)["cluster"].astype(int).to_numpy()


@pytest.mark.parametrize(("k", "seed"), [("auto", 0), (3, 7)])
def test_command_and_python(table, folder, k, seed):
    expected = TableClusterer(k, random_state=seed).fit(table).labels_
    number = [] if k == "auto" else ["--k", str(k)]
    found = labels_of_the_command("--seed", str(seed), *number)
    np.testing.assert_array_equal(found, expected)


def test_a_model_of_the_command_and_one_of_python(table, folder):
    labels_of_the_command("--k", "3", "--save", "made.untie")
    TableClusterer(3).fit(table).save("own.untie")
    ask("assign", "own.untie", "table.csv", "-o", "assigned.csv", "-q")
    assigned = pd.read_csv("assigned.csv", dtype=str)["cluster"].astype(int).to_numpy()
    own = load_model("own.untie")
    np.testing.assert_array_equal(assigned, own.labels_)
    np.testing.assert_array_equal(load_model("made.untie").predict(table), own.predict(table))


def test_report_and_python(table, folder):
    pytest.importorskip("jinja2")
    from untie import make_report

    expected = TableClusterer(3).fit(table)
    sizes = sorted(np.bincount(expected.labels_).tolist(), reverse=True)
    page = make_report(table, n_clusters=3).html
    ask("report", "table.csv", "--k", "3", "-o", "page.html", "-q")
    for text in (page, (folder / "page.html").read_text(encoding="utf-8")):
        assert all(f"{size:,}" in text for size in sizes)


def test_lazy_tables_and_files(table, folder):
    expected = TableClusterer(3).fit(table)
    found = TableClusterer(3).fit(scan(folder / "table.csv"))
    assert found.encoder_.vocabulary_.sizes == expected.encoder_.vocabulary_.sizes
    own = TableEncoder(3).fit(table)
    assert own.n_features_in_ == expected.n_features_in_ == table.shape[1]


def test_the_options_of_the_command_are_the_defaults():
    defaults, options = Preparer().get_params(), ColumnOptions()
    assert options.bins == defaults["bins"]
    assert options.max_categories == defaults["max_categories"]
    assert options.day_first == defaults["day_first"]
    for estimator in (TableClusterer, TableEncoder, UNTIE):
        assert inspect.signature(estimator).parameters["random_state"].default == 0
