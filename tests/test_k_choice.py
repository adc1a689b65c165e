"""The number of clusters of tables whose number is known, in all the ways it is asked for."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from tables import latent_classes
from untie import KChoice, TableClusterer, TableEncoder, choose_k, count_table
from untie.datasets import load


@pytest.mark.parametrize("k", [2, 3, 5, 7])
@pytest.mark.parametrize("purity", [0.6, 0.85])
def test_made_classes_are_counted(k, purity):
    table, classes = latent_classes(800, k, 10, 5, seed=k, purity=purity)
    choice = choose_k(TableEncoder(preparer=None).fit(table), table)
    assert choice.k == k
    assert choice.stability[choice.ks.index(k)] >= 0.8
    assert choice.found_clusters
    assert choice.verdict.startswith(f"{k} stable groups of similar rows, resting on ")
    assert f" Of 2 to 10 groups, {k} is the smallest number that is stable, " in choice.verdict
    typical = table.groupby(classes).agg(lambda cells: cells.mode()[0]).nunique()
    assert set(choice.rests_on) == set(typical[typical > 1].index)


def test_no_clusters_are_said_to_be_none():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 4, (500, 6))
    choice = choose_k(TableEncoder(preparer=None).fit(table), table)
    assert not choice.found_clusters
    assert choice.verdict.startswith("No groups found: no number of groups from 2 to 10")
    alone = choose_k(TableEncoder().fit(table), table, [3])
    assert alone.verdict.startswith("No groups found: 3 groups, as asked for, would be")


def test_the_table_of_figures():
    table, _ = latent_classes(300, 3, 8, 4, seed=0)
    choice = choose_k(TableEncoder(preparer=None).fit(table), table, ks=[5, 2, 3], n_splits=4)
    assert isinstance(choice, KChoice)
    figures = choice.table()
    assert figures.k.tolist() == [2, 3, 5]
    np.testing.assert_allclose(figures.gain, choice.gain)
    np.testing.assert_allclose(figures.error, choice.error)
    assert figures.k[figures.gain.argmax()] == choice.k == 3


def test_order_weights_and_seeds():
    table, _ = latent_classes(400, 3, 6, 4, seed=0, purity=0.5)
    encoder = TableEncoder(preparer=None).fit(table)
    expected = choose_k(encoder, table).table()
    shuffled = table.sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(choose_k(encoder, shuffled).table(), expected)
    again = choose_k(encoder, table, random_state=0)
    pd.testing.assert_frame_equal(again.table(), expected)
    other = choose_k(encoder, table, random_state=1)
    assert not other.table().equals(expected)
    weights = np.random.default_rng(0).integers(0, 3, 400)
    repeated = table.loc[table.index.repeat(weights)]
    encoder = TableEncoder(preparer=None).fit(repeated)
    pd.testing.assert_frame_equal(
        choose_k(encoder, table, sample_weight=weights).table(),
        choose_k(encoder, repeated).table(),
    )


def test_lazy_tables_and_weights_by_name():
    table, _ = latent_classes(400, 3, 6, 4, seed=0)
    frame = pl.DataFrame(table.to_dict("list"))
    encoder = TableEncoder(preparer=None).fit(frame)
    expected = choose_k(encoder, frame)
    assert isinstance(expected.table(), pl.DataFrame)
    assert choose_k(encoder, frame.lazy()).table().equals(expected.table())
    weighted = frame.with_columns(pl.lit(2.0).alias("w"))
    assert choose_k(encoder, weighted.lazy(), sample_weight="w").k == expected.k
    assert choose_k(encoder, weighted, sample_weight="w").k == expected.k


def test_few_distinct_rows():
    rows = [["a", "x"], ["b", "y"], ["c", "x"], ["a", "y"]] * 10
    choice = choose_k(TableEncoder(2, preparer=None).fit(rows), rows)
    assert choice.ks == (2, 3)
    with pytest.raises(ValueError, match="2 distinct rows, too few for 2 clusters"):
        choose_k(TableEncoder(2, preparer=None).fit(rows[:2]), rows[:2])


@pytest.mark.parametrize("ks", [[], [1, 2], [2.5], ["two"]])
def test_bad_numbers(ks):
    table, _ = latent_classes(50, 2, 4, 3, seed=0)
    with pytest.raises(ValueError, match="ks"):
        choose_k(TableEncoder(2, preparer=None).fit(table), table, ks=ks)


def test_bad_input():
    table, _ = latent_classes(50, 2, 4, 3, seed=0)
    with pytest.raises(NotFittedError):
        choose_k(TableEncoder(2, preparer=None), table)
    encoder = TableEncoder(2, preparer=None).fit(table)
    with pytest.raises(TypeError, match=r"ks must be several .* got 3; for this one: \[3\]"):
        choose_k(encoder, table, 3)
    with pytest.raises(ValueError, match="n_splits"):
        choose_k(encoder, table, n_splits=0)
    with pytest.raises(ValueError, match="Every sample weight is zero"):
        choose_k(encoder, table, sample_weight=np.zeros(50))


@pytest.mark.parametrize("name", ["lymphography", "zoo", "hepatitis", "spect"])
def test_auto_is_one_rule_everywhere(name):
    X, _ = load(name)
    k = choose_k(TableEncoder(preparer=None).fit(X), X).k
    encoder, clusterer = (
        TableEncoder("auto", preparer=None).fit(X),
        TableClusterer(preparer=None).fit(X),
    )
    assert encoder.n_clusters_ == clusterer.n_clusters_ == k
    assert encoder.k_choice_.k == clusterer.k_choice_.k == k
    assert count_fitted(X).n_clusters_ == k


@pytest.mark.parametrize("name", ["lymphography", "breastcancer"])
def test_a_number_that_is_chosen_gives_what_naming_it_gives(name):
    X, _ = load(name)
    chosen = TableClusterer(preparer=None).fit(X)
    assert chosen.k_choice_.made_of == "vectors"
    named = TableClusterer(chosen.n_clusters_, preparer=None).fit(X)
    np.testing.assert_array_equal(chosen.labels_, named.labels_)
    np.testing.assert_array_equal(chosen.cluster_centers_, named.cluster_centers_)


def test_auto_needs_rows_to_compare():
    X, _ = load("zoo")
    counted = count_table(X)
    with pytest.raises(ValueError, match=r"n_clusters='auto' compares .* n_clusters=None"):
        fit_without_sample(TableEncoder("auto", preparer=None), counted)
    assert fit_without_sample(TableEncoder(preparer=None), counted).k_choice_ is None


def count_fitted(X):
    counted = count_table(X[:30]) + count_table(X[30:])
    return TableEncoder("auto", preparer=None).fit_counts(counted)


def fit_without_sample(encoder, counted):
    return encoder.fit_counts(replace(counted, sample=None))
