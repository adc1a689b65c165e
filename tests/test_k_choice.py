"""The number of clusters of tables whose number is known, and its parts against slow ones."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score, silhouette_score

from tables import latent_classes
from untie import UNTIE, KChoice, UNTIEClusterer, choose_k, count_table
from untie._count.row_sample import sample_rows
from untie._learn.attributes import Attributes
from untie._learn.choose import gain_of
from untie._learn.k_choice import _score, _smallest_good, _Trial, adjusted_rand
from untie.datasets import load


@pytest.mark.parametrize("k", [2, 3, 5, 7])
@pytest.mark.parametrize("purity", [0.6, 0.85])
def test_made_classes_are_counted(k, purity):
    table, _ = latent_classes(800, k, 10, 5, seed=k, purity=purity)
    choice = choose_k(UNTIE().fit(table), table)
    assert choice.k == k
    assert choice.how_sure >= 0.7
    assert choice.found_clusters
    assert (
        f"{k} clusters, the best number in {choice.how_sure:.0%} of the resamples" in choice.verdict
    )


def test_no_clusters_are_said_to_be_none():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 4, (500, 6))
    choice = choose_k(UNTIE().fit(table), table)
    assert not choice.found_clusters
    assert choice.verdict.startswith("No number of clusters from 2 to 10")
    alone = choose_k(UNTIE().fit(table), table, [3])
    assert alone.verdict == "3 clusters describe the table no better than none do."


def test_the_table_of_figures():
    table, _ = latent_classes(300, 3, 8, 4, seed=0)
    choice = choose_k(UNTIE().fit(table), table, ks=[5, 2, 3], n_resamples=4)
    assert isinstance(choice, KChoice)
    figures = choice.table()
    assert figures.k.tolist() == [2, 3, 5]
    np.testing.assert_allclose(figures.gain, choice.gain)
    assert figures.k[figures.score.argmax()] == choice.k == 3
    assert figures.chosen_by.sum() == pytest.approx(1)
    assert figures.chosen_by[1] == choice.how_sure
    assert len(choice.chosen) == 4


def test_the_gain_is_that_of_the_clusters():
    table, _ = latent_classes(200, 3, 6, 4, seed=0)
    encoder = UNTIE().fit(table)
    sample = sample_rows(encoder.codes(table), encoder.vocabulary_, None)
    gain = gain_of(sample, Attributes(encoder.counts_))
    choice = choose_k(encoder, table, ks=[3])
    labels = np.unique(sample.codes, axis=0, return_inverse=True)[1]  # any other partition
    assert choice.gain[0] > gain(labels % 3, 3)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 4)), min_size=2))
def test_adjusted_rand_of_weighted_rows(rows):
    first, second, weights = (np.array(part) for part in zip(*rows, strict=True))
    expected = adjusted_rand_score(np.repeat(first, weights), np.repeat(second, weights))
    found = adjusted_rand(first, second, weights.astype(float))
    assert found == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 10**6))
def test_silhouette_of_weighted_rows(seed):
    rng = np.random.RandomState(seed)
    rows = rng.random_sample((12, 3))
    weights = rng.randint(1, 4, 12).astype(float)
    labels = np.append([0, 1, 2], rng.randint(0, 3, 9))
    expected = silhouette_score(
        np.repeat(rows, weights.astype(int), axis=0), np.repeat(labels, weights.astype(int))
    )
    found = _Trial(rows, weights, 1, rng).silhouette(labels)
    assert found == pytest.approx(expected, abs=1e-6)


def test_order_weights_and_seeds():
    table, _ = latent_classes(400, 3, 6, 4, seed=0, purity=0.5)
    encoder = UNTIE().fit(table)
    expected = choose_k(encoder, table).table()
    shuffled = table.sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(choose_k(encoder, shuffled).table(), expected)
    again = choose_k(encoder, table, random_state=0)
    pd.testing.assert_frame_equal(again.table(), expected)
    other = choose_k(encoder, table, random_state=1)
    assert not other.table().equals(expected)
    weights = np.random.default_rng(0).integers(0, 3, 400)
    repeated = table.loc[table.index.repeat(weights)]
    encoder = UNTIE().fit(repeated)
    pd.testing.assert_frame_equal(
        choose_k(encoder, table, sample_weight=weights).table(),
        choose_k(encoder, repeated).table(),
    )


def test_lazy_tables_and_weights_by_name():
    table, _ = latent_classes(400, 3, 6, 4, seed=0)
    frame = pl.DataFrame(table.to_dict("list"))
    encoder = UNTIE().fit(frame)
    expected = choose_k(encoder, frame)
    assert isinstance(expected.table(), pl.DataFrame)
    assert choose_k(encoder, frame.lazy()).table().equals(expected.table())
    weighted = frame.with_columns(pl.lit(2.0).alias("w"))
    assert choose_k(encoder, weighted.lazy(), sample_weight="w").k == expected.k
    assert choose_k(encoder, weighted, sample_weight="w").k == expected.k


def test_the_smallest_number_that_is_as_good():
    noise = np.array([0.1, -0.1, 0.1, -0.1])
    scores = np.array([[1.0] * 4, 2.0 + noise, 2.04 - noise, [1.5] * 4])
    assert _smallest_good(scores) == 1  # behind by 0.04, give or take 0.1
    assert _smallest_good(scores - [[0], [0.3], [0], [0]]) == 2
    assert _smallest_good(scores[:, :1]) == 1
    assert _smallest_good(np.array([[-np.inf, 1.0], [0.5, 0.5], [-1.0, -1.0]])) == 1
    assert _smallest_good(np.full((2, 3), -np.inf)) == 0


def test_the_score_is_the_gain_as_far_as_it_is_agreed_on():
    gain, agreement = np.array([[2.0, -1.0, 3.0, -np.inf]]), np.array([[0.5, 0.5, -0.1, 0.0]])
    assert _score(gain, agreement).tolist() == [[1.0, -1.0, 0.0, -np.inf]]


def test_few_distinct_rows():
    rows = [["a", "x"], ["b", "y"], ["c", "x"], ["a", "y"]] * 10
    choice = choose_k(UNTIE(2).fit(rows), rows)
    assert choice.ks == (2, 3)
    with pytest.raises(ValueError, match="2 distinct rows, too few for 2 clusters"):
        choose_k(UNTIE(2).fit(rows[:2]), rows[:2])


@pytest.mark.parametrize("ks", [[], [1, 2], [2.5], ["two"]])
def test_bad_numbers(ks):
    table, _ = latent_classes(50, 2, 4, 3, seed=0)
    with pytest.raises(ValueError, match="ks"):
        choose_k(UNTIE(2).fit(table), table, ks=ks)


def test_bad_input():
    table, _ = latent_classes(50, 2, 4, 3, seed=0)
    with pytest.raises(NotFittedError):
        choose_k(UNTIE(2), table)
    encoder = UNTIE(2).fit(table)
    with pytest.raises(ValueError, match="n_resamples"):
        choose_k(encoder, table, n_resamples=0)
    with pytest.raises(ValueError, match="every weight is 0"):
        choose_k(encoder, table, sample_weight=np.zeros(50))


@pytest.mark.parametrize("name", ["lymphography", "zoo", "hepatitis", "spect"])
def test_auto_is_one_rule_everywhere(name):
    X, _ = load(name)
    k = choose_k(UNTIE().fit(X), X).k
    encoder, clusterer = UNTIE("auto").fit(X), UNTIEClusterer().fit(X)
    assert encoder.n_clusters_ == clusterer.n_clusters_ == k
    assert encoder.k_choice_.k == clusterer.k_choice_.k == k
    assert count_fitted(X).n_clusters_ == k


@pytest.mark.parametrize("name", ["lymphography", "hepatitis"])
def test_a_number_that_is_chosen_gives_what_naming_it_gives(name):
    X, _ = load(name)
    chosen = UNTIEClusterer().fit(X)
    named = UNTIEClusterer(chosen.n_clusters_).fit(X)
    np.testing.assert_array_equal(chosen.labels_, named.labels_)
    np.testing.assert_array_equal(chosen.cluster_centers_, named.cluster_centers_)


def test_auto_needs_rows_to_compare():
    X, _ = load("zoo")
    counted = count_table(X)
    with pytest.raises(ValueError, match=r"n_clusters='auto' compares .* n_clusters=None"):
        fit_without_sample(UNTIE("auto"), counted)
    assert fit_without_sample(UNTIE(), counted).k_choice_ is None


def count_fitted(X):
    counted = count_table(X[:30]) + count_table(X[30:])
    return UNTIE("auto").fit_counts(counted)


def fit_without_sample(encoder, counted):
    return encoder.fit_counts(replace(counted, sample=None))
