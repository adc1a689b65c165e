"""What must not change the result, on random tables."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import full_features
from tables import encoder_of, small_tables
from untie import UNTIE, TableEncoder, count_table, load_model

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random tables are degenerate

COUNT_SOLVERS = ["exact", "uniform", "lp", "relevance", "discount"]
permutations = st.randoms(use_true_random=False)


def similarity(table, solver="exact", rows=None, n_clusters=None, **fit):
    n_clusters = n_clusters or min(3, len(table))
    encoder = encoder_of(n_clusters, solver=solver, tau=0.3).fit(table, **fit)
    return encoder.similarity(table if rows is None else rows)


@given(table=small_tables())
@pytest.mark.parametrize("solver", COUNT_SOLVERS)
def test_similarities_are_positive_semi_definite(table, solver):
    S = similarity(table, solver)
    np.testing.assert_allclose(S, S.T, atol=1e-9)
    assert np.linalg.eigvalsh(S).min() >= -1e-9 * max(1.0, np.trace(S))


@given(table=small_tables())
def test_uniform_similarities_equal_brute_force(table):
    X = full_features(table.to_numpy().tolist())
    if table.nunique().gt(1).sum() > 1 and X.std(axis=0).max() > 1e-6:
        np.testing.assert_allclose(similarity(table, "uniform"), X @ X.T, atol=1e-8)


@given(table=small_tables(), random=permutations)
@pytest.mark.parametrize("solver", COUNT_SOLVERS)
def test_the_order_of_rows_changes_nothing(table, random, solver):
    order = random.sample(range(len(table)), len(table))
    expected = similarity(table, solver)[np.ix_(order, order)]
    shuffled = table.iloc[order].reset_index(drop=True)
    np.testing.assert_allclose(similarity(shuffled, solver), expected, atol=1e-6)


@given(table=small_tables(), random=permutations)
@pytest.mark.parametrize("solver", COUNT_SOLVERS)
def test_the_order_of_columns_changes_nothing(table, random, solver):
    columns = random.sample(list(table.columns), table.shape[1])
    np.testing.assert_allclose(
        similarity(table[columns], solver), similarity(table, solver), atol=1e-6
    )


@given(table=small_tables(), random=permutations)
@pytest.mark.parametrize("solver", COUNT_SOLVERS)
def test_the_names_of_values_change_nothing(table, random, solver):
    names = random.sample("abcdefgh", 4)
    renamed = table.map(lambda value: names[int(value[1:])])
    np.testing.assert_allclose(similarity(renamed, solver), similarity(table, solver), atol=1e-6)


@given(table=small_tables(min_rows=2), random=permutations)
def test_renamed_values_have_renamed_columns(table, random):
    names = dict(zip(["v0", "v1", "v2", "v3"], random.sample("abcd", 4), strict=True))
    encoder, other = (UNTIE(2, solver="exact").fit(data) for data in (table, table.map(names.get)))
    first = dict(zip(encoder.get_feature_names_out(), encoder.transform(table).T, strict=True))
    second = dict(
        zip(other.get_feature_names_out(), other.transform(table.map(names.get)).T, strict=True)
    )
    for name, column in first.items():
        attribute, value = name.split("=")
        np.testing.assert_allclose(second[f"{attribute}={names[value]}"], column, atol=1e-6)


@given(table=small_tables(), data=st.data())
@pytest.mark.parametrize("solver", COUNT_SOLVERS)
def test_weights_equal_repetition(table, data, solver):
    n_rows = len(table)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows).filter(any))
    repeated = table.loc[table.index.repeat(weights)]
    seen = repeated.drop_duplicates()
    n_clusters = min(3, len(repeated))
    expected = similarity(repeated, solver, seen, n_clusters)
    weighted = similarity(table, solver, seen, n_clusters, sample_weight=weights)
    np.testing.assert_allclose(weighted, expected, atol=1e-9)


@given(table=small_tables(min_rows=2), data=st.data())
def test_chunks_equal_the_whole(table, data):
    cut = data.draw(st.integers(1, len(table) - 1))
    new = partial(TableEncoder, min(3, len(table)))  # more clusters than some chunks have rows
    whole = new().fit(table)
    grown = new().partial_fit(table[cut:]).partial_fit(table[:cut])
    counted = count_table(table[:cut]) + count_table(table[cut:])
    from_counts = new().fit_counts(counted)
    for other in (grown, from_counts):
        assert other.vocabulary_ == whole.vocabulary_
        np.testing.assert_array_equal(other.counts_.matrix, whole.counts_.matrix)
        np.testing.assert_array_equal(other.omega_, whole.omega_)
        np.testing.assert_array_equal(other.transform(table), whole.transform(table))


@given(table=small_tables(min_rows=2), data=st.data())
def test_chunks_equal_the_whole_where_rare_values_are_grouped(table, data):
    cut = data.draw(st.integers(1, len(table) - 1))
    grouped = {"min_frequency": 2, "max_categories": 3}
    whole = encoder_of(1, **grouped).fit(table)
    grown = encoder_of(1, **grouped).partial_fit(table[:cut]).partial_fit(table[cut:])
    assert grown.vocabulary_ == whole.vocabulary_
    np.testing.assert_array_equal(grown.transform(table), whole.transform(table))


@given(table=small_tables(min_rows=2), data=st.data())
def test_a_part_of_the_rows_has_the_vectors_it_has_in_the_whole(table, data):
    rows = data.draw(st.lists(st.integers(0, len(table) - 1), max_size=5))
    encoder = TableEncoder(1, preparer=None).fit(table)
    np.testing.assert_array_equal(
        encoder.transform(table.iloc[rows]), encoder.transform(table)[rows]
    )


@given(table=small_tables())
def test_saved_equals_loaded(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.untie"
    encoder = TableEncoder(1, max_categories=3, min_frequency=2, preparer=None).fit(table)
    encoder.save(path)
    np.testing.assert_array_equal(load_model(path).transform(table), encoder.transform(table))


@given(table=small_tables())
@pytest.mark.parametrize("n_components", [None, 1])
def test_nothing_is_ever_nan(table, n_components):
    for solver in COUNT_SOLVERS:
        encoder = encoder_of(solver=solver, n_components=n_components).fit(table)
        assert np.isfinite(encoder.transform(table)).all()
        assert np.isfinite(encoder.loss_curve_).all()
