"""A group with values of its own among very many: found on axes, where vectors show none."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from command_cases import ask, rows_of
from untie import UNTIE, TableClusterer, TableEncoder, choose_k, load_model
from untie.comparison import METHODS, compare
from untie.explain import cluster_stability, verdict
from untie.report import make_report


def table_with_group_apart(seed=0, n_rows=800, share=0.08, n_columns=6):
    """Return rows of which a few have 20 values of their own, the others 150, most of them rare."""
    rng = np.random.default_rng(seed)
    is_apart = rng.random(n_rows) < share
    often = 1 / np.arange(1, 151)
    columns = {
        f"c{column}": np.where(
            is_apart,
            [f"own{value}" for value in rng.integers(0, 20, n_rows)],
            [f"v{value}" for value in rng.choice(150, n_rows, p=often / often.sum())],
        )
        for column in range(n_columns)
    }
    return pd.DataFrame(columns), is_apart


@pytest.fixture(scope="module")
def fitted():
    table, is_apart = table_with_group_apart()
    return table, is_apart, TableClusterer().fit(table)


def test_the_group_is_found_whole(fitted):
    table, is_apart, clusterer = fitted
    choice = clusterer.k_choice_
    assert choice.found_clusters
    assert (choice.made_of, choice.tried) == ("axes", ("vectors", "axes"))
    np.testing.assert_array_equal(clusterer.labels_, is_apart)
    np.testing.assert_array_equal(clusterer.predict(table), clusterer.labels_)


def test_it_comes_back_and_the_method_is_named(fitted):
    table, _, clusterer = fitted
    assert (cluster_stability(clusterer, table).verdict == "stable").all()
    said = verdict(clusterer, table)
    assert said.headline == "2 stable groups of similar rows, resting on all 6 columns"
    assert "on the axes of multiple correspondence analysis" in str(said)


def test_the_page_compares_the_clusters_that_it_shows(fitted, monkeypatch):
    table, is_apart, clusterer = fitted
    monkeypatch.setattr("untie.report._map.FEWEST_FOR_TSNE", 10**9)  # the map takes long
    report = make_report(table, clusterer, label=is_apart)
    assert "The clusters of TableClusterer are those of this page" in report.to_markdown()
    found = report.to_dict()["sections"]["comparison"]["table"]
    scores = {row[0]: dict(zip(found["columns"], row, strict=True)) for row in found["rows"]}
    assert scores["TableClusterer"]["adjusted Rand index"] == 1.0
    assert scores["TableClusterer"]["stability"] > 0.9


def test_auto_compares_the_clusters_that_the_clusterer_finds(fitted, tmp_path, monkeypatch):
    table, is_apart, _ = fitted
    asked = {"y": is_apart, "methods": ["TableClusterer"], "n_resamples": 2}
    on_axes, of_vectors = (compare(table, k, **asked) for k in ("auto", 2))
    assert on_axes.n_clusters == 2
    assert on_axes.scores[0].ari == 1.0
    assert of_vectors.scores[0].ari < 0.9  # as TableClusterer(2) has them
    table.to_csv(tmp_path / "t.csv", index=False)
    name = "TableClusterer"
    monkeypatch.setattr("untie.comparison.METHODS", {name: METHODS[name]})  # others take long
    (line,) = rows_of(ask("compare", tmp_path / "t.csv", "-q").stdout)
    assert line["method"] == name
    assert float(line["gain"]) == pytest.approx(on_axes.scores[0].gain)


def test_vectors_alone_show_none(fitted):
    table, _, _ = fitted
    encoder = TableEncoder().fit(table)
    assert choose_k(encoder, table, [2]).made_of == "vectors"
    assert not choose_k(encoder, table, [2]).found_clusters
    assert choose_k(encoder, table, [2, 3]).made_of == "axes"


def test_a_number_that_is_named_has_a_hint(fitted):
    table, _, _ = fitted
    said = str(verdict(TableClusterer(2).fit(table), table))
    assert said.startswith("No groups found: 2 groups, as asked for, would ")
    assert "On the axes of multiple correspondence analysis, 2 groups are stable: leave" in said


def test_the_papers_method_keeps_to_its_own_vectors(fitted):
    table, _, _ = fitted
    choice = choose_k(UNTIE(2, solver="uniform").fit(table), table, [2, 3], n_splits=2)
    assert choice.tried == ("vectors",)


def test_nothing_is_found_without_structure(fitted):
    table, _, _ = fitted
    rng = np.random.default_rng(0)
    shuffled = table.apply(lambda column: rng.permutation(column))
    choice = TableClusterer().fit(shuffled).k_choice_
    assert not choice.found_structure
    assert choice.tried == ("vectors", "axes")
    assert "Groups made of learned vectors or of correspondence axes" in choice.verdict


def test_orders_of_rows_and_columns_and_names_do_not_matter(fitted):
    table, _, clusterer = fitted
    rng = np.random.default_rng(0)
    places = rng.permutation(len(table))
    other = table.iloc[places, rng.permutation(table.shape[1])]
    other = other.apply(lambda column: column.map(lambda value: f"{column.name} {hash(value)}"))
    again = TableClusterer().fit(other)
    np.testing.assert_array_equal(again.labels_, clusterer.labels_[places])
    np.testing.assert_allclose(again.k_choice_.gain, clusterer.k_choice_.gain, atol=1e-8)


def test_lazy_tables_and_files_say_the_same(fitted, tmp_path):
    table, _, clusterer = fitted
    lazy = TableClusterer().fit(pl.from_pandas(table).lazy())
    found = pl.from_arrow(lazy.predict(pl.from_pandas(table).lazy()).read_all())
    np.testing.assert_array_equal(found["cluster"].to_numpy(), clusterer.labels_)
    clusterer.save(tmp_path / "model.untie")
    read = load_model(tmp_path / "model.untie")
    np.testing.assert_array_equal(read.predict(table), clusterer.labels_)
    assert read.k_choice_.made_of == "axes"
