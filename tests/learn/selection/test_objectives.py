"""What the vectors are for: what "neighbors" chooses, and that nothing else has a say in it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from lazy_sources import SOURCES, as_arrow
from tables import latent_classes, small_tables
from untie import UNTIE, TableClusterer, TableEncoder, count_table, load_model
from untie._count.row_sample import SAMPLE_ROWS
from untie._learn.selection.objectives import CLUSTERS, NEIGHBORS, OBJECTIVES
from untie._learn.spaces.couplings import resolve_couplings
from untie._learn.spaces.kernel_spaces import build_spaces, identity_spaces
from untie._learn.spaces.kernels import resolve_kernels, resolve_normalization
from untie._learn.weights.weightings import OF_NEIGHBORS, Problem

NAMES = ["halves", "values", "kernels"]

pytestmark = pytest.mark.filterwarnings("ignore:.*kept apart by coordinates:UserWarning")


def fit(table, n_clusters=None, **given):
    return TableEncoder(n_clusters, purpose="neighbors", preparer=None).fit(table, **given)


def similarity(encoder, table):
    found = encoder.similarity(table)
    return found / max(float(np.abs(found).max()), 1e-300)


def assert_same(one, other):
    """Compare two models of the same rows, whose columns or values may have other places."""
    assert list(one.gains_) == list(other.gains_)
    for name, gain in one.gains_.items():
        assert other.gains_[name] == pytest.approx(gain, abs=1e-8)


@pytest.fixture(scope="module")
def table():
    return latent_classes(300, 3, 6, 4, seed=1)[0]


def test_the_best_comes_first_and_is_used(table):
    encoder = fit(table)
    gains = list(encoder.gains_.values())
    assert set(encoder.gains_) == set(NAMES) == set(OF_NEIGHBORS)
    assert gains[0] >= max(gains) - OBJECTIVES[NEIGHBORS].same_gain
    assert gains[1:] == sorted(gains[1:], reverse=True)
    counts = count_table(table).counts
    kernels = build_spaces(
        counts,
        resolve_couplings(("intra", "inter")),
        resolve_kernels("paper"),
        resolve_normalization("diagonal"),
    )
    spaces = identity_spaces(counts).beside(kernels)
    omega = OF_NEIGHBORS[next(iter(encoder.gains_))](Problem(spaces, counts, 1))
    np.testing.assert_allclose(encoder.omega_, omega)


def test_what_is_nearly_equal_falls_to_the_first():
    first, last = OBJECTIVES[NEIGHBORS].best_first, OBJECTIVES[CLUSTERS].best_first
    assert first({"a": 1.0, "b": 1.015, "c": 0.9}) == ["a", "b", "c"]
    assert first({"a": 1.0, "b": 0.9, "c": 1.03}) == ["c", "a", "b"]
    assert last({"a": 1.0, "b": 1.03, "c": 0.9}) == ["a", "b", "c"]


def test_no_number_of_clusters_is_looked_for(table, monkeypatch):
    def refuse(*given):
        raise AssertionError("looked for")

    monkeypatch.setattr("untie._learn.learning.choose_n_clusters", refuse)
    assert fit(table).n_clusters_ == 1
    with pytest.raises(AssertionError, match="looked for"):
        TableEncoder(preparer=None).fit(table)


@pytest.mark.parametrize("n_clusters", [2, 7, "auto"])
def test_a_number_of_clusters_changes_no_vector(table, n_clusters):
    plain, given = fit(table), fit(table, n_clusters)
    assert plain.gains_ == given.gains_
    np.testing.assert_array_equal(plain.omega_, given.omega_)
    assert (given.k_choice_ is not None) == (n_clusters == "auto")
    if n_clusters != "auto":
        assert given.n_clusters_ == n_clusters


def test_it_draws_nothing(table):
    one, other = (
        TableEncoder(purpose="neighbors", random_state=seed, preparer=None).fit(table)
        for seed in (1, 2)
    )
    assert one.gains_ == other.gains_
    np.testing.assert_array_equal(one.omega_, other.omega_)


@given(table=small_tables(min_rows=2), random=st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(table, random):
    one, other = fit(table), fit(table.sample(frac=1, random_state=random.randrange(99)))
    assert one.gains_ == other.gains_
    np.testing.assert_array_equal(one.omega_, other.omega_)


@given(table=small_tables(min_rows=2), random=st.randoms(use_true_random=False))
def test_the_order_of_columns_changes_nothing(table, random):
    columns = random.sample(list(table.columns), table.shape[1])
    one, other = fit(table), fit(table[columns])
    assert_same(one, other)
    found = similarity(other, table[columns])
    np.testing.assert_allclose(found, similarity(one, table), atol=1e-6)


@given(table=small_tables(min_rows=2, max_rows=30), random=st.randoms(use_true_random=False))
def test_the_names_of_values_and_columns_change_nothing(table, random):
    values = dict(zip(["v0", "v1", "v2", "v3"], random.sample("abcdefgh", 4), strict=True))
    columns = random.sample("ABCDEFGH", table.shape[1])
    renamed = table.map(values.get).set_axis(columns, axis=1)
    one, other = fit(table), fit(renamed)
    assert_same(one, other)
    np.testing.assert_allclose(similarity(other, renamed), similarity(one, table), atol=1e-6)


def test_names_change_nothing_where_only_some_rows_ask(monkeypatch):
    monkeypatch.setattr("untie._learn.selection.objectives.WORK", 1e5)
    table, _ = latent_classes(400, 3, 7, 5, seed=4, purity=0.5)
    renamed = table.map(lambda value: f"{7 * int(value[1:]) % 5}-{value[::-1]}").iloc[:, ::-1]
    assert_same(fit(table), fit(renamed))


@given(table=small_tables(min_rows=2), data=st.data())
def test_weights_equal_repetition(table, data):
    n_rows = len(table)
    weights = data.draw(st.lists(st.integers(0, 30), min_size=n_rows, max_size=n_rows).filter(any))
    repeated = table.loc[table.index.repeat(weights)]
    one, other = fit(repeated), fit(table, sample_weight=weights)
    assert one.gains_ == other.gains_
    seen = repeated.drop_duplicates()
    np.testing.assert_allclose(similarity(other, seen), similarity(one, seen), atol=1e-9)


def test_chunks_of_a_large_table_give_the_same_model():
    table, _ = latent_classes(9000, 3, 9, 4, seed=0, purity=0.4)
    assert len(table.drop_duplicates()) > 2 * SAMPLE_ROWS
    whole = fit(table)
    counted = count_table(table[5000:]) + count_table(table[:5000])
    new = TableEncoder(purpose="neighbors", preparer=None)
    grown = (
        TableEncoder(purpose="neighbors", preparer=None)
        .partial_fit(table[:1000])
        .partial_fit(table[1000:])
    )
    for other in (new.fit_counts(counted), grown):
        assert other.gains_ == whole.gains_
        np.testing.assert_array_equal(other.omega_, whole.omega_)


@pytest.mark.parametrize("source", SOURCES)
def test_every_engine_gives_the_same_model(table, tmp_path, source):
    lazy = SOURCES[source](as_arrow(table.to_dict("list")), tmp_path)
    other = TableEncoder(purpose="neighbors", preparer=None).fit(lazy)
    whole = fit(table)
    assert other.gains_ == whole.gains_
    np.testing.assert_array_equal(other.omega_, whole.omega_)


@pytest.mark.parametrize("n_threads", ["1", "4"])
def test_the_number_of_threads_changes_nothing(table, n_threads):
    import threadpoolctl

    expected = fit(table)
    with threadpoolctl.threadpool_limits(int(n_threads)):
        found = fit(table)
    assert found.gains_ == expected.gains_
    np.testing.assert_array_equal(found.omega_, expected.omega_)


def test_a_saved_model_knows_its_purpose_and_goes_on_growing(table, tmp_path):
    new = TableEncoder(purpose="neighbors", preparer=None)
    new.partial_fit(table[:200]).save(tmp_path / "model.untie")
    loaded = load_model(tmp_path / "model.untie")
    assert loaded.purpose == "neighbors"
    assert loaded.gains_ == fit(table[:200]).gains_
    grown, whole = loaded.partial_fit(table[200:]), fit(table)
    assert grown.gains_ == whole.gains_
    np.testing.assert_array_equal(grown.omega_, whole.omega_)


def test_without_rows_it_is_the_first(table):
    counted = replace(count_table(table), sample=None)
    encoder = TableEncoder(purpose="neighbors", preparer=None).fit_counts(counted)
    assert encoder.gains_ == {}
    with pytest.warns(UserWarning, match="and 'halves' is used"):
        encoder.partial_fit(table)


def test_independent_columns_stay_apart():
    rows = [[a, b] for a in "xy" for b in "uvw"]
    encoder = fit(rows)  # kernels tell nothing here, and their share goes to the values
    assert len(set(encoder.gains_.values())) == 1
    assert list(encoder.gains_) == NAMES
    assert len(np.unique(encoder.transform(rows).round(9), axis=0)) == 6


def test_tables_of_ordered_columns_leave_no_choice():
    table = pd.DataFrame({"a": [1, 2, 3, 4] * 5, "b": [1, 1, 2, 3, 4] * 4})
    one, other = (
        TableEncoder(2, ordered=["a", "b"], purpose=purpose, preparer=None).fit(table)
        for purpose in OBJECTIVES
    )
    assert one.gains_ == other.gains_ == {}
    np.testing.assert_array_equal(one.omega_, other.omega_)


def test_clusters_are_still_made(table):
    clusterer = TableClusterer(
        3, encoder=TableEncoder(purpose="neighbors", preparer=None), preparer=None
    ).fit(table)
    assert clusterer.n_clusters_ == 3
    assert list(clusterer.encoder_.gains_) == list(fit(table).gains_)


def same_class(vectors, classes):
    """Return the share of the ten nearest rows that are of a row's class."""
    nearest = NearestNeighbors(n_neighbors=10).fit(vectors).kneighbors(return_distance=False)
    return np.mean(np.asarray(classes)[nearest] == np.asarray(classes)[:, None])


def test_neighbors_are_of_the_same_class_beside_much_noise():
    table, classes = latent_classes(400, 4, 6, 4, seed=3, purity=0.7)
    rng = np.random.default_rng(5)
    noise = pd.DataFrame(rng.integers(0, 4, (400, 12)).astype(str)).add_prefix("n")
    both = pd.concat([table, noise], axis=1)
    even = UNTIE(2, couplings="matching", solver="uniform").fit_transform(both)
    chosen = fit(both).transform(both)
    assert same_class(chosen, classes) > same_class(even, classes) + 0.05


@pytest.mark.parametrize("purpose", ["retrieval", None, 3])
def test_an_unknown_purpose_is_refused(table, purpose):
    with pytest.raises(
        ValueError, match=r"purpose must be one of \['clusters', 'neighbors'\], got"
    ):
        TableEncoder(purpose=purpose, preparer=None).fit(table)


def test_more_clusters_than_rows_are_no_matter():
    table, _ = latent_classes(30, 2, 4, 3, seed=0)
    many, none = (
        TableEncoder(k, purpose="neighbors", preparer=None).fit(table) for k in (500, None)
    )
    np.testing.assert_allclose(many.transform(table), none.transform(table))
