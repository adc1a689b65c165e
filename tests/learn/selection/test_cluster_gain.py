"""What a TableEncoder chooses, and that it chooses the same however the table comes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from tables import encoder_of, fit_known, latent_classes, small_tables
from untie import UNTIE, Polynomial, TableEncoder, count_table, load_model
from untie._count.row_sample import SAMPLE_ROWS
from untie._learn.columns.attributes import Attributes
from untie._learn.selection import cluster_gain
from untie._learn.selection.choose_k import clustering_f_score
from untie._learn.selection.cluster_gain import (
    Descriptions,
    _mean_gains,
    _numbers,
    description_gain,
)
from untie._learn.spaces.kernel_spaces import identity_spaces
from untie._learn.spaces.value_tables import Dense
from untie._learn.spaces.value_tree import tree_spaces
from untie._learn.weights.weightings import ALTERNATIVES, WEIGHTINGS, Problem

NAMES = ["couplings", "relevance"]


def test_the_best_comes_first_and_is_used():
    table, _ = latent_classes(300, 3, 6, 4, seed=1)
    encoder = TableEncoder(3, preparer=None).fit(table)
    gains = encoder.gains_
    assert set(gains) == set(NAMES)
    chosen = next(iter(gains))
    is_clear = gains["relevance"] - gains["couplings"] > 0.04
    assert chosen == ("relevance" if is_clear else "couplings")
    counts = count_table(table).counts
    spaces = identity_spaces(counts).beside(tree_spaces(counts))
    omega = ALTERNATIVES[chosen](Problem(spaces, counts, 3))
    np.testing.assert_allclose(encoder.omega_, omega)


def test_copies_of_a_noise_column_do_not_win():
    table, classes = latent_classes(400, 4, 8, 3, seed=3, purity=0.6)
    noise = np.random.default_rng(8).integers(0, 3, 400).astype(str)
    other = np.random.default_rng(9)
    copies = table.assign(
        **{
            f"noise{i}": np.where(other.random(400) < 0.95, noise, other.permutation(noise))
            for i in range(5)
        }
    )
    scores = []
    for data in (table, copies):
        X = TableEncoder(4, preparer=None).fit_transform(data)
        labels = KMeans(4, n_init=20, random_state=0).fit_predict(X)
        scores.append(clustering_f_score(classes, labels))
    assert scores[1] > scores[0] - 0.02 > 0.87


@given(table=small_tables(min_rows=2), data=st.data())
@pytest.mark.filterwarnings("ignore::UserWarning")  # random tables are degenerate
def test_rows_in_another_order_give_the_same_model(table, data):
    order = data.draw(st.permutations(range(len(table))))
    first, second = (
        TableEncoder(2, preparer=None).fit(table),
        TableEncoder(2, preparer=None).fit(table.iloc[list(order)]),
    )
    assert first.gains_ == second.gains_
    np.testing.assert_array_equal(first.omega_, second.omega_)


def test_chunks_of_a_large_table_give_the_same_model():
    table, _ = latent_classes(9000, 3, 9, 4, seed=0, purity=0.4)
    assert len(table.drop_duplicates()) > 2 * SAMPLE_ROWS
    whole = TableEncoder(3, preparer=None).fit(table)
    counted = count_table(table[5000:]) + count_table(table[:5000])
    assert len(counted.sample.weights) == SAMPLE_ROWS
    from_counts = TableEncoder(3, preparer=None).fit_counts(counted)
    grown = TableEncoder(3, preparer=None).partial_fit(table[:1000]).partial_fit(table[1000:])
    for other in (from_counts, grown):
        assert other.gains_ == whole.gains_
        np.testing.assert_array_equal(other.omega_, whole.omega_)


def test_a_saved_model_goes_on_growing(tmp_path):
    table, _ = latent_classes(400, 3, 6, 4, seed=2)
    TableEncoder(3, preparer=None).partial_fit(table[:200]).save(tmp_path / "model.untie")
    loaded = load_model(tmp_path / "model.untie")
    assert loaded.gains_ == TableEncoder(3, preparer=None).fit(table[:200]).gains_
    grown, whole = loaded.partial_fit(table[200:]), TableEncoder(3, preparer=None).fit(table)
    assert grown.gains_ == whole.gains_
    np.testing.assert_array_equal(grown.omega_, whole.omega_)


def test_without_rows_it_is_couplings():
    table, _ = latent_classes(300, 3, 6, 4, seed=1)
    counted = count_table(table)
    encoder = TableEncoder(3, preparer=None).fit_counts(replace(counted, sample=None))
    assert encoder.gains_ == {}
    spaces = identity_spaces(counted.counts).beside(tree_spaces(counted.counts))
    expected = ALTERNATIVES["couplings"](Problem(spaces, counted.counts, 3))
    np.testing.assert_allclose(encoder.omega_, expected)


def test_a_table_of_independent_columns_needs_no_warning():
    rows = [[a, b] for a in "xy" for b in "uvw"]
    encoder = TableEncoder(2, preparer=None).fit(rows)  # warnings are errors here
    assert np.isfinite(list(encoder.gains_.values())).all()
    assert len(np.unique(encoder.transform(rows), axis=0)) == 6


def test_fewer_distinct_rows_than_clusters():
    encoder = TableEncoder(4, preparer=None).fit([["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]])
    assert encoder.gains_ == {}


def test_the_method_of_the_paper_has_no_choice(melons):
    for parameters in ({"couplings": "inter"}, {"kernels": "F1"}, {"solver": "uniform"}):
        assert encoder_of(2, **parameters).fit(melons).gains_ == {}
    named = UNTIE(2, kernels="F1").fit(melons)
    exact = UNTIE(2, couplings=("intra", "inter"), kernels="F1", solver="exact").fit(melons)
    np.testing.assert_array_equal(named.omega_, exact.omega_)


def test_a_seed_gives_the_same_choice_and_none_is_a_seed():
    table, _ = latent_classes(200, 3, 5, 4, seed=5)
    for seed in (None, 7):
        first, second = (
            TableEncoder(3, random_state=seed, preparer=None).fit(table).gains_ for _ in range(2)
        )
        assert first == second


def test_vectors_that_make_too_few_clusters_are_out():
    table, _ = latent_classes(100, 2, 4, 3, seed=0)
    counted = count_table(table)
    constant = [Dense(np.ones((size, 1))) for size in counted.counts.sizes]
    values = [Dense(np.eye(size)) for size in counted.counts.sizes]
    rng = np.random.RandomState(0)
    candidates = {"constant": constant, "values": values}
    gains = Descriptions(candidates, counted.sample, Attributes(counted.counts)).gains(2, rng)
    assert gains["constant"] == -np.inf
    assert np.isfinite(gains["values"])


def test_the_gain_is_a_mean_over_numbers_of_clusters(monkeypatch):
    def in_turns(rows, weights, n_clusters, n_starts, rng):
        return np.arange(len(rows)) % n_clusters

    monkeypatch.setattr("untie._learn.selection.cluster_gain.best_labels", in_turns)
    table, _ = latent_classes(80, 3, 5, 3, seed=2)
    counted = count_table(table)
    sample, counts = counted.sample, counted.counts
    expected = 0.0
    for number, weight in ((2, 0.25), (3, 0.5), (4, 0.25)):
        labels = in_turns(sample.codes, None, number, None, None)
        gain = description_gain(
            sample.codes, counts.sizes, sample.weights, labels, Attributes(counts).votes
        )
        expected += weight * gain
    values = {"values": [Dense(np.eye(size)) for size in counts.sizes]}
    described = Descriptions(values, sample, Attributes(counts))
    found = described.gains(3, np.random.RandomState(0))
    assert found["values"] == pytest.approx(expected, abs=1e-8)


def test_no_clusters_are_made_twice(monkeypatch):
    counted = count_table(latent_classes(200, 3, 5, 4, seed=5)[0])
    values = {"values": [Dense(np.eye(size)) for size in counted.counts.sizes]}
    given = (values, counted.sample, Attributes(counted.counts))
    made = []
    run = cluster_gain.best_labels
    monkeypatch.setattr(
        cluster_gain, "best_labels", lambda *given: made.append(given[2]) or run(*given)
    )
    described = Descriptions(*given)
    found = {k: described.gains(k, np.random.RandomState(0)) for k in (4, 5, 4)}
    assert sorted(made) == [3, 4, 5, 6]
    for k, gains in found.items():
        assert gains == Descriptions(*given).gains(k, np.random.RandomState(0))


def test_numbers_that_one_candidate_cannot_make_count_for_none():
    gains = np.array([[1.0, 2.0, 9.0], [1.5, 1.0, -np.inf], [7.0, -np.inf, -np.inf]])
    assert _mean_gains(gains, 1) == [pytest.approx(5 / 3), pytest.approx(3.5 / 3), -np.inf]
    assert _mean_gains(np.full((2, 3), -np.inf), 1) == [-np.inf, -np.inf]


def test_a_wide_table_is_judged_by_the_number_asked_for_alone():
    assert _numbers(2, 2000, 100) == [2, 3]
    assert _numbers(5, 2000, 300) == [4, 5, 6]
    assert _numbers(5, 2000, 3000) == [5]
    assert _numbers(5, 100, 10**6) == [4, 5, 6]


@pytest.mark.parametrize("n_values", [2, 3, 4, 5])
@pytest.mark.filterwarnings("ignore:The couplings tell no two values")
def test_rounding_makes_no_clusters(n_values):
    # Only the first two columns depend on another, so to kernels there are two kinds of rows.
    rows = [[a, a, b, c, d] for a in "xy" for b in range(n_values) for c in "uvw" for d in "st"]
    counted = count_table(rows)
    kernels = UNTIE(2, solver="uniform").fit(rows)._model.vectors.tables
    vectors = {"kernels": [Dense(np.asarray(table[:-1])) for table in kernels]}
    described = Descriptions(vectors, counted.sample, Attributes(counted.counts))
    for k, is_possible in ((2, True), (3, False)):
        gain = described.gains(k, np.random.RandomState(0))["kernels"]
        assert np.isfinite(gain) == is_possible


def test_rounding_makes_no_clusters_of_few_rows_with_many_values():
    rows = [[i % 2, i // 2, *map(str, [i] * 10)] for i in range(12)]
    counted = count_table(rows)
    halves = [
        Dense(np.eye(size)[:, :1] if size == 2 else np.ones((size, 9)))
        for size in counted.counts.sizes
    ]
    rng = np.random.RandomState(0)
    described = Descriptions({"halves": halves}, counted.sample, Attributes(counted.counts))
    gains = described.gains(3, rng)
    assert gains["halves"] == -np.inf


def test_more_values_than_rows():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"c{i}": rng.integers(0, 15, 40).astype(str) for i in range(8)})
    encoder = TableEncoder(2, preparer=None).fit(table)
    assert encoder.transform(table).shape[1] > 40
    assert np.isfinite(list(encoder.gains_.values())).all()


@pytest.mark.parametrize("solver", ["relevance", "discount"])
def test_weights_have_the_energy_of_equal_ones(solver):
    survey, _ = latent_classes(60, 3, 4, 3, seed=4)
    weighted = encoder_of(3, solver=solver, output="full").fit_transform(survey)
    equal = UNTIE(3, solver="uniform", output="full").fit_transform(survey)
    assert solver in WEIGHTINGS
    assert weighted.var(axis=0).sum() == pytest.approx(equal.var(axis=0).sum())


def test_rare_values_count_more():
    table = pd.DataFrame({"a": list("xxxxxxxy"), "b": list("uuuuvvvv")})
    encoder = UNTIE(2, couplings="matching", kernels=[Polynomial(1)], solver="relevance").fit(table)
    omega = encoder.weights().set_index(["column", "value"])["omega"]
    assert omega["a", "y"] / omega["a", "x"] == pytest.approx(np.sqrt(7))
    assert omega["b", "u"] == pytest.approx(omega["b", "v"])


def test_a_declared_value_that_never_occurs():
    table = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]]
    encoder = fit_known(TableEncoder(2, preparer=None), table, [["a", "b", "c"], ["x", "y"]])
    assert np.isfinite(encoder.transform([["c", "x"]])).all()


def test_equal_partitions_tie_and_the_first_is_kept():
    table = [["a", "x"]] * 9 + [["b", "y"]] * 5 + [["a", "y"]] * 3
    unused = [str(number) for number in range(50)]
    known = [["a", "b", *unused], ["x", "y"]]
    encoder = fit_known(TableEncoder(2, preparer=None), table, known)
    assert list(encoder.gains_) == NAMES
    assert len(set(encoder.gains_.values())) == 1


def test_where_nothing_varies_to_speak_of():
    rows = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]]
    with pytest.warns(UserWarning, match="kept apart by coordinates of their own"):
        encoder = TableEncoder(2, preparer=None).fit(rows, sample_weight=[1e14, 1, 1, 1])
    assert encoder.gains_ == {}
    assert len(np.unique(encoder.transform(rows), axis=0)) == 4


def test_growing_without_a_sample_warns():
    table, _ = latent_classes(200, 3, 5, 4, seed=5)
    counted = count_table(table[:100])
    encoder = TableEncoder(3, preparer=None).fit_counts(replace(counted, sample=None))
    with pytest.warns(UserWarning, match="no sample of the rows .* and 'couplings' is used"):
        encoder.partial_fit(table[100:])
    assert encoder.gains_ == {}


def test_declared_values_change_no_gain():
    table, _ = latent_classes(200, 3, 5, 4, seed=5)
    categories = [sorted(set(table[c])) + [f"w{i}" for i in range(50)] for c in table]
    plain = TableEncoder(3, preparer=None).fit(table).gains_
    declared = fit_known(TableEncoder(3, preparer=None), table, categories).gains_
    for name in NAMES:
        assert declared[name] == pytest.approx(plain[name], abs=0.02)
