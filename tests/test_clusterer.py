"""TableClusterer: clusters that are there, the same for every form of the same rows."""

import pickle
import warnings

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score

from lazy_sources import SOURCES, as_arrow
from tables import encoder_of, latent_classes
from untie import UNTIE, Polynomial, Preparer, TableClusterer, TableEncoder, load_model, scan
from untie._learn.selection.cluster_gain import description_gain
from untie.clusterer import LAZY_PASSES
from untie.datasets import load
from untie.explain import cluster_profile


@pytest.fixture(scope="module")
def case():
    return latent_classes(600, 4, 8, 4, seed=0, purity=0.8)


@pytest.fixture(scope="module")
def large_and_small():
    """Return a table whose rows k-means alone puts elsewhere."""
    return latent_classes(600, 3, 10, 4, 0, 0.55, [0.8, 0.15, 0.05])


@pytest.mark.parametrize("n_clusters", [4, "auto"])
def test_classes_are_found(case, n_clusters):
    table, classes = case
    clusterer = TableClusterer(n_clusters, preparer=None).fit(table)
    assert clusterer.n_clusters_ == 4
    assert adjusted_rand_score(classes, clusterer.labels_) > 0.96
    assert (clusterer.k_choice_ is None) == (n_clusters == 4)
    np.testing.assert_array_equal(clusterer.predict(table), clusterer.labels_)
    sizes = np.bincount(clusterer.labels_)
    assert sizes.tolist() == sorted(sizes, reverse=True)


@pytest.mark.parametrize("moves", [0, 20])
def test_means_distances_and_inertia_are_those_of_the_vectors(large_and_small, monkeypatch, moves):
    table, _ = large_and_small
    limit_moves(monkeypatch, moves)
    clusterer = TableClusterer(3, preparer=None).fit(table)
    vectors = clusterer.encoder_.transform(table)
    labels = clusterer.labels_
    means = [vectors[labels == c].mean(axis=0) for c in range(3)]
    np.testing.assert_allclose(clusterer.cluster_centers_, means, atol=1e-9)
    distances = np.linalg.norm(vectors[:, None] - np.array(means), axis=2)
    np.testing.assert_allclose(clusterer.transform(table), distances, atol=1e-6)
    own = distances[np.arange(len(labels)), labels]
    assert clusterer.inertia_ == pytest.approx(np.square(own).sum())
    # The nearest mean decides, unless rows were moved.
    assert np.array_equal(distances.argmin(axis=1), labels) == (moves == 0)
    names = clusterer.get_feature_names_out().tolist()
    assert names == [f"tableclusterer{c}" for c in range(3)]
    assert np.bincount(labels).tolist() == sorted(np.bincount(labels), reverse=True)
    np.testing.assert_array_equal(clusterer.predict(table), labels)


def limit_moves(monkeypatch, moves):
    """Let the refinement take at most so many passes; without any, EM is left out as well."""
    monkeypatch.setattr("untie.clusterer.MOST_REASSIGNMENTS", moves)
    if moves == 0:
        monkeypatch.setattr("untie.clusterer.find_by_em", lambda *_: None)


def without_moves(monkeypatch, fit):
    """Return what k-means alone gives."""
    with monkeypatch.context() as patch:
        limit_moves(patch, 0)
        return fit()


def test_moves_find_a_large_class_beside_small_ones(monkeypatch):
    scores = []
    for seed in range(4):
        table, classes = latent_classes(600, 3, 10, 4, seed, 0.55, [0.8, 0.15, 0.05])
        encoder = UNTIE(solver="relevance", couplings="matching", kernels=[Polynomial(1)])
        clusterer = TableClusterer(3, encoder=encoder, preparer=None, n_init=10)
        split = without_moves(monkeypatch, lambda t=table, c=clusterer: clone(c).fit(t))
        found = clusterer.fit(table)
        scores.append([adjusted_rand_score(classes, c.labels_) for c in (split, found)])
    before, after = np.mean(scores, axis=0)
    assert after > before + 0.05


MADE = {
    "zoo": lambda: load("zoo")[0],
    "housevotes": lambda: load("housevotes")[0],
    "classes": lambda: latent_classes(300, 4, 8, 4, seed=2, purity=0.5)[0],
    "noise": lambda: latent_classes(300, 1, 5, 3, seed=0, purity=0.0)[0],
    "large and small": lambda: latent_classes(400, 3, 8, 4, 3, 0.5, [0.8, 0.15, 0.05])[0],
}


@pytest.mark.parametrize("solver", ["auto", "uniform"])
@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_the_clusters_never_describe_less_than_those_of_k_means(make, solver, monkeypatch):
    table = make()

    def fit():
        return TableClusterer(3, encoder=encoder_of(3, solver=solver), preparer=None).fit(table)

    gains = []
    for clusterer in (without_moves(monkeypatch, fit), fit()):
        model = clusterer.encoder_._model
        codes = np.stack(clusterer._codes(table), axis=1)
        args = model.counts.sizes, np.ones(len(codes)), clusterer.labels_, model.attributes.votes
        gains.append(description_gain(codes, *args))
    assert gains[1] >= gains[0]


@given(seed=st.integers(0, 2**16), n_clusters=st.integers(2, 4), purity=st.floats(0.3, 0.6))
def test_moved_clusters_are_whole(seed, n_clusters, purity):
    table, _ = latent_classes(150, 3, 6, 4, seed, purity, [0.75, 0.2, 0.05])
    weights = np.random.default_rng(seed).integers(1, 4, len(table)).astype(float)
    clusterer = TableClusterer(n_clusters, preparer=None).fit(table, sample_weight=weights)
    labels = clusterer.labels_
    np.testing.assert_array_equal(clusterer.predict(table), labels)
    if clusterer._costs is None:
        return
    sizes = np.bincount(labels, weights, minlength=clusterer.n_clusters_)
    assert sizes.all()
    assert sizes.tolist() == sorted(sizes, reverse=True)
    vectors = clusterer.encoder_._model.vectors.rows(clusterer._codes(table), np.float64)
    means = [
        np.average(vectors[labels == c], axis=0, weights=weights[labels == c])
        for c in range(clusterer.n_clusters_)
    ]
    np.testing.assert_allclose(clusterer.cluster_centers_, means, atol=1e-9)
    off = np.square(vectors - np.array(means)[labels]).sum(axis=1)
    assert clusterer.inertia_ == pytest.approx(weights @ off, abs=1e-9)


def test_one_cluster_has_nothing_to_move(case):
    clusterer = TableClusterer(1, preparer=None).fit(case[0])
    assert clusterer.labels_.tolist() == [0] * len(case[0])
    assert clusterer.n_iter_ == 2
    assert clusterer._costs is None


def test_ranges_are_moved_by_their_coarser_view():
    rng = np.random.default_rng(0)
    table, classes = latent_classes(800, 3, 8, 4, 1, 0.5, [0.75, 0.2, 0.05])
    table = table.assign(
        age=rng.normal(20 * classes, 10).round(1), size=rng.normal(9 * classes, 6).round(1)
    )
    clusterer = TableClusterer(3, preparer=Preparer()).fit(table)
    assert clusterer._costs is not None
    assert clusterer.encoder_._model.coarse.targets is not None
    np.testing.assert_array_equal(clusterer.predict(table), clusterer.labels_)
    turned = table.assign(age=-table["age"], size=table["size"] ** 3)
    again = TableClusterer(3, preparer=Preparer()).fit(turned)
    np.testing.assert_array_equal(again.labels_, clusterer.labels_)


def test_passive_columns_move_nothing(large_and_small):
    table, classes = large_and_small
    expected = TableClusterer(3, encoder=TableEncoder(3, preparer=None), preparer=None).fit(table)
    told = table.assign(told=classes.astype(str))[["told", *table]]
    passive = TableEncoder(3, column_weights={"told": 0}, preparer=None)
    found = TableClusterer(3, encoder=passive, preparer=None).fit(told)
    np.testing.assert_array_equal(found.labels_, expected.labels_)


def test_as_good_as_scikit_learns_k_means_where_rows_are_more_than_the_sample(monkeypatch):
    limit_moves(monkeypatch, 0)
    table, _ = latent_classes(6_000, 5, 9, 6, seed=0, purity=0.4)
    clusterer = TableClusterer(5, preparer=None).fit(table)
    assert table.drop_duplicates().shape[0] > 2_000
    vectors = clusterer.encoder_.transform(table)
    expected = KMeans(5, n_init=5, random_state=0).fit(vectors).inertia_
    assert clusterer.inertia_ <= expected * 1.01


def test_the_order_of_rows_does_not_matter(case):
    table, _ = case
    expected = TableClusterer(preparer=None).fit(table)
    shuffled = table.sample(frac=1, random_state=1)
    found = TableClusterer(preparer=None).fit(shuffled)
    np.testing.assert_array_equal(found.labels_, expected.labels_[shuffled.index])
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-9)


def test_weights_are_numbers_of_rows(case):
    table, _ = case
    weights = np.random.default_rng(0).integers(0, 4, len(table))
    repeated = TableClusterer(3, preparer=None).fit(table.loc[table.index.repeat(weights)])
    found = TableClusterer(3, preparer=None).fit(table, sample_weight=weights)
    np.testing.assert_allclose(found.cluster_centers_, repeated.cluster_centers_, atol=1e-9)
    np.testing.assert_array_equal(found.labels_, repeated.predict(table))
    named = TableClusterer(3, preparer=None).fit(table.assign(w=weights), sample_weight="w")
    np.testing.assert_array_equal(named.labels_, found.labels_)
    assert named.feature_names_in_.tolist() == list(table)
    assert found.inertia_ == pytest.approx(repeated.inertia_)


def test_weights_of_any_scale_give_the_same_moves(large_and_small):
    table, _ = large_and_small
    expected = TableClusterer(3, preparer=None).fit(table)
    found = TableClusterer(3, preparer=None).fit(table, sample_weight=np.full(len(table), 1e-3))
    np.testing.assert_array_equal(found.labels_, expected.labels_)


def test_moves_of_weighted_rows_are_those_of_repeated_rows(large_and_small):
    table, _ = large_and_small
    weights = np.random.default_rng(0).integers(0, 4, len(table))
    repeated = TableClusterer(3, preparer=None).fit(table.loc[table.index.repeat(weights)])
    found = TableClusterer(3, preparer=None).fit(table, sample_weight=weights)
    assert found._costs is not None
    assert found.n_iter_ == repeated.n_iter_
    np.testing.assert_array_equal(found.labels_, repeated.predict(table))


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas, pd.DataFrame.to_numpy])
def test_every_library(case, make):
    table, _ = case
    expected = TableClusterer(4, preparer=None).fit(table).labels_
    found = TableClusterer(4, preparer=None).fit(make(table))
    np.testing.assert_array_equal(found.labels_, expected)
    np.testing.assert_array_equal(found.predict(make(table)), expected)


@pytest.fixture(scope="module")
def in_memory(case):
    """Return the clusters of the table; as many as "auto" finds, where it is asked for."""
    table, _ = case
    return {k: TableClusterer(k, preparer=None).fit(table) for k in (4, "auto")}


@pytest.mark.parametrize("kind", [kind for kind in SOURCES if kind != "batch reader"])
def test_lazy_tables(case, in_memory, kind, tmp_path):
    table, _ = case
    columns = table.to_dict("list")
    lazy = SOURCES[kind](as_arrow(columns), tmp_path)
    n_clusters = "auto" if kind == "parquet files" else 4
    expected = in_memory[n_clusters]
    found = TableClusterer(n_clusters, preparer=None).fit(lazy)
    assert found.n_clusters_ == expected.n_clusters_
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-9)
    assert found.inertia_ == pytest.approx(expected.inertia_)
    labels = found.predict(lazy).read_all()
    assert labels.column_names == ["cluster"]
    np.testing.assert_array_equal(labels["cluster"].to_numpy(), expected.labels_)
    np.testing.assert_array_equal(found.predict(table), expected.labels_)
    probabilities = [model.predict_proba(table) for model in (found, expected)]
    np.testing.assert_allclose(*probabilities, atol=1e-9)
    with pytest.raises(AttributeError, match="call predict, which streams"):
        found.labels_  # noqa: B018


@pytest.mark.parametrize("kind", ["scan of files", "dask"])
def test_moves_of_lazy_tables(kind, tmp_path, monkeypatch):
    table, _ = latent_classes(600, 3, 10, 4, 0, 0.55, [0.8, 0.15, 0.05])
    if kind == "dask":
        lazy = dd.from_pandas(table, npartitions=3)
    else:
        for number in range(3):
            table[200 * number : 200 * (number + 1)].to_parquet(tmp_path / f"{number}.parquet")
        lazy = scan(tmp_path / "*.parquet")
    monkeypatch.setattr("untie.clusterer.MOST_REASSIGNMENTS", LAZY_PASSES)
    expected = TableClusterer(3, preparer=None).fit(table)
    found = TableClusterer(3, preparer=None).fit(lazy)
    assert found._costs is not None
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-9)
    assert found.n_iter_ == expected.n_iter_
    labels = found.predict(lazy)
    labels = labels.compute() if kind == "dask" else labels.read_all()["cluster"]
    np.testing.assert_array_equal(labels.to_numpy(), expected.labels_)


def test_weights_of_lazy_tables(case, tmp_path):
    table, _ = case
    weights = np.random.default_rng(0).integers(0, 4, len(table)).astype(float)
    path = tmp_path / "table.parquet"
    table.assign(w=weights).to_parquet(path)
    found = TableClusterer(3, preparer=None).fit(scan(path), sample_weight="w")
    expected = TableClusterer(3, preparer=None).fit(table, sample_weight=weights)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-9)
    labels = found.predict(scan(path)).read_all()["cluster"]  # the weights are not read
    np.testing.assert_array_equal(labels.to_numpy(), expected.labels_)
    with pytest.raises(TypeError, match="must be the name"):
        TableClusterer(3, preparer=None).fit(scan(path), sample_weight=weights)


def test_dask_frames(case):
    table, _ = case
    weights = np.random.default_rng(0).integers(1, 4, len(table)).astype(float)
    frame = dd.from_pandas(table.assign(w=weights), npartitions=3)
    found = TableClusterer(3, preparer=None).fit(frame, sample_weight="w")
    expected = TableClusterer(3, preparer=None).fit(table, sample_weight=weights)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-9)
    labels = found.predict(frame)
    assert isinstance(labels, dd.Series)
    assert labels.name == "cluster"
    np.testing.assert_array_equal(labels.compute().to_numpy(), expected.labels_)


def test_fit_predict(case, tmp_path):
    table, _ = case
    expected = TableClusterer(4, preparer=None).fit(table).labels_
    np.testing.assert_array_equal(TableClusterer(4, preparer=None).fit_predict(table), expected)
    weights = np.arange(len(table)) % 3
    weighted = TableClusterer(4, preparer=None).fit(table, sample_weight=weights).labels_
    found = TableClusterer(4, preparer=None).fit_predict(table, sample_weight=weights)
    np.testing.assert_array_equal(found, weighted)
    lazy = pl.from_pandas(table).lazy()
    streamed = TableClusterer(4, preparer=None).fit_predict(lazy).read_all()["cluster"]
    np.testing.assert_array_equal(streamed.to_numpy(), expected)


def test_numbers_are_binned_on_request():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 400)
    table = pd.DataFrame(
        {
            "id": [f"n{i:05}" for i in range(400)],
            "age": np.where(kind, rng.normal(70, 5, 400), rng.normal(20, 5, 400)),
            "pet": np.where(rng.random(400) < 0.9, np.array(["cat", "dog"])[kind], "fish"),
            "home": np.where(rng.random(400) < 0.9, np.array(["farm", "flat"])[kind], "boat"),
        }
    )
    clusterer = TableClusterer(2, preparer=Preparer(bins=4)).fit(table)
    assert adjusted_rand_score(kind, clusterer.labels_) > 0.98
    assert clusterer.preparer_ is not None
    assert clusterer.encoder_.vocabulary_.columns == ("age", "pet", "home")
    assert clusterer.feature_names_in_.tolist() == list(table)
    new = table.iloc[:5].assign(age=1_000.0, id="x")
    assert clusterer.predict(new).shape == (5,)
    prepared = clusterer._prepared(table)
    assert list(prepared.columns) == ["age", "pet", "home"]
    profile = cluster_profile(clusterer, table)
    assert set(profile.column) == {"age", "pet", "home"}
    assert clusterer.transform(table).shape == (400, 2)
    as_it_is = TableClusterer(2, preparer=None).fit(table[["pet", "home"]])
    assert as_it_is._prepared(table) is table
    np.testing.assert_array_equal(clusterer.predict(table.drop(columns="id")), clusterer.labels_)
    with pytest.raises(ValueError, match="no column 'age'"):
        clusterer.predict(table.drop(columns="age"))


LAZY = {"polars": lambda t: pl.from_pandas(t).lazy(), "dask": lambda t: dd.from_pandas(t, 2)}


@pytest.mark.parametrize("make", LAZY.values(), ids=LAZY)
def test_numbers_of_lazy_tables_are_binned(make):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 300)
    table = pd.DataFrame(
        {
            "age": np.where(kind, rng.normal(70, 5, 300), rng.normal(20, 5, 300)),
            "pet": np.where(rng.random(300) < 0.9, np.array(["cat", "dog"])[kind], "fish"),
            "w": rng.integers(1, 3, 300).astype(float),
        }
    )
    found = TableClusterer(2, preparer=Preparer(bins=3)).fit(make(table), sample_weight="w")
    expected = TableClusterer(2, preparer=Preparer(bins=3)).fit(table, sample_weight="w")
    assert found.preparer_._preparation == expected.preparer_._preparation
    assert found.feature_names_in_.tolist() == ["age", "pet"]
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-9)
    labels = found.predict(make(table))
    labels = labels.compute() if hasattr(labels, "compute") else labels.read_all()["cluster"]
    np.testing.assert_array_equal(labels.to_numpy(), expected.labels_)


def test_an_encoder_of_ones_own(case):
    table, _ = case
    own = UNTIE(4, solver="uniform", output="full", min_frequency=5)
    clusterer = TableClusterer(4, encoder=own, preparer=None).fit(table)
    assert not hasattr(own, "counts_")
    assert clusterer.encoder_.solver == "uniform"
    compact = TableClusterer(
        4, encoder=UNTIE(4, solver="uniform", min_frequency=5), preparer=None
    ).fit(table)
    np.testing.assert_array_equal(clusterer.labels_, compact.labels_)


def test_coded_rows_and_a_fitted_encoder(case):
    X = case[0]
    weights = np.arange(len(X)) % 3
    encoder = TableEncoder(3, random_state=0, preparer=None).fit(X, sample_weight=weights)
    omega = encoder.omega_
    expected = TableClusterer(
        3, encoder=TableEncoder(3, random_state=0, preparer=None), preparer=None
    ).fit(X, sample_weight=weights)
    found = TableClusterer(3, preparer=None)._fit_codes(encoder, encoder._codes(X), weights)
    np.testing.assert_array_equal(found.predict(X), found.labels_)
    assert found.encoder_ is encoder
    assert encoder.omega_ is omega
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    with pytest.raises(ValueError, match="n_clusters must be"):
        TableClusterer(0, preparer=None)._fit_codes(encoder, encoder._codes(X))


def test_copies(case):
    table, _ = case
    clusterer = TableClusterer(3, random_state=5, preparer=None).fit(table)
    again = pickle.loads(pickle.dumps(clusterer))
    np.testing.assert_array_equal(again.predict(table), clusterer.labels_)
    assert not hasattr(clone(clusterer), "labels_")


def test_unknown_values_say_nothing(large_and_small):
    table, _ = large_and_small
    clusterer = TableClusterer(3, preparer=None).fit(table)
    row = table.iloc[[0]].copy()
    row.iloc[0, 0] = "never seen"
    assert clusterer.predict(row)[0] == clusterer.labels_[0]
    nothing = row.map(lambda _: "never seen")
    with pytest.warns(UserWarning, match="Nothing is known of 1 of 1 rows"):
        assert clusterer.predict(nothing)[0] == 0  # the largest is the likeliest


@pytest.mark.parametrize("n_clusters", ["auto", 3])
@pytest.mark.filterwarnings("ignore:Every column has a single value")
def test_tables_with_few_distinct_rows(n_clusters):
    rows = [["a", "x"]] * 3 + [["b", "y"]] * 2
    if n_clusters == 3:
        with pytest.warns(ConvergenceWarning, match="2 distinct rows but 3 clusters"):
            clusterer = TableClusterer(3, preparer=None).fit(rows)
    else:
        clusterer = TableClusterer(preparer=None).fit(rows)
    assert clusterer.n_clusters_ == 2
    assert clusterer.labels_.tolist() == [0, 0, 0, 1, 1]
    assert clusterer.inertia_ == pytest.approx(0, abs=1e-12)
    assert TableClusterer(preparer=None).fit(rows[:3]).labels_.tolist() == [0, 0, 0]


def test_too_few_passes_warn(case):
    table, _ = latent_classes(5_000, 6, 8, 6, seed=0, purity=0.3)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        TableClusterer(6, max_iter=1, preparer=None).fit(table)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"n_clusters": 0}, ValueError, "n_clusters must be a positive integer or 'auto'"),
        ({"n_clusters": "many"}, ValueError, "n_clusters"),
        ({"n_init": 0}, ValueError, "n_init"),
        ({"max_iter": 1.5}, ValueError, "max_iter"),
        (
            {"encoder": KMeans()},
            TypeError,
            "encoder must be a TableEncoder, a UNTIE or None, got K",
        ),
        ({"preparer": 4}, TypeError, "preparer must be 'auto', None or a Preparer, got 4"),
    ],
)
def test_bad_parameters(case, parameters, error, words):
    with pytest.raises(error, match=words):
        TableClusterer(**parameters).fit(case[0])


def test_bad_input(case):
    table, _ = case
    with pytest.raises(NotFittedError):
        TableClusterer(preparer=None).predict(table)
    clusterer = TableClusterer(3, preparer=None).fit(table)
    with pytest.raises(ValueError, match="feature names"):
        clusterer.predict(table.iloc[:, :3])
    with pytest.raises(TypeError, match="lazy"):
        clusterer.transform(pl.from_pandas(table).lazy())
    arrow = pa.Table.from_pandas(table)
    reader = pa.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches())
    with pytest.raises(ValueError, match="can be read only once"):
        TableClusterer(3, preparer=None).fit(reader)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: TableClusterer(ordered=["size"]),
            r"no parameter 'ordered', but TableEncoder has: TableClusterer\(encoder=TableEncoder\("
            r"ordered=\['size'\]\)\)",
        ),
        (
            lambda: TableClusterer(3, bins=5),
            r"but Preparer has: TableClusterer\(preparer=Preparer\(bins=5\)\)",
        ),
        (
            lambda: TableClusterer(max_categories=9),
            r"TableEncoder and Preparer have: .*Encoder\(max_.* or .*Preparer\(max_categories=9",
        ),
        (lambda: TableEncoder(drop=["a"]), r"TableEncoder\(preparer=Preparer\(drop=\['a'\]\)\)"),
        (lambda: TableClusterer(colour=1), "unexpected keyword argument 'colour'"),
    ],
)
def test_a_parameter_of_another_estimator_is_said_to_be_one(make, said):
    with pytest.raises(TypeError, match=said):
        make()


def test_rows_of_which_nothing_is_known_are_counted():
    X, _ = load("mushroom")
    clusterer = TableClusterer(3).fit(X.head(400))
    some = X.head(20).copy()
    some.iloc[:3] = some.iloc[:3].map(lambda cell: f"new {cell}")
    some.iloc[3, 0] = "new"
    said = r"^Nothing is known of 3 of 20 rows: .* most of them in 'cap-shape' \(3\), .* swapped\.$"
    with pytest.warns(UserWarning, match=said) as told:
        labels = clusterer.predict(some)
    assert len(told) == 1
    assert labels.shape == (20,)
    some.iloc[:3] = None
    clusterer.predict(some)  # missing cells are no values of other columns


def slow_likelihoods(clusterer, table, rows):
    """Return, row by row, the probabilities of clusters by their last counts of values."""
    labels, votes = clusterer.labels_, clusterer.encoder_._model.attributes.votes
    k, result = clusterer.n_clusters_, []
    for row in rows.to_numpy():
        logs = []
        for c in range(k):
            own = table[labels == c]
            log = np.log(len(own) / len(table))
            for name, cell, vote in zip(table, row, votes, strict=True):
                share = (own[name] == cell).sum() + 10 * (table[name] == cell).mean()
                log += vote * np.log(share / (len(own) + 10))
            logs.append(log)
        shares = np.exp(np.array(logs) - max(logs))
        result.append(shares / shares.sum())
    return np.array(result)


def test_probabilities_are_those_of_the_likelihoods(large_and_small):
    table, _ = large_and_small
    clusterer = TableClusterer(3, preparer=None).fit(table)
    assert clusterer._costs is not None
    found = clusterer.predict_proba(table)
    expected = slow_likelihoods(clusterer, table, table[::6])
    # The costs are those before the last move, which changed a few rows at most.
    assert np.abs(found[::6] - expected).mean() < 0.005
    assert (found.argmax(axis=1) == clusterer.labels_).all()


@given(seed=st.integers(0, 2**16), moves=st.sampled_from([0, 20]), purity=st.floats(0.1, 0.9))
def test_the_predicted_cluster_is_the_most_probable_one(seed, moves, purity):
    table, _ = latent_classes(120, 3, 5, 3, seed, purity)
    with pytest.MonkeyPatch.context() as patch:
        limit_moves(patch, moves)
        clusterer = TableClusterer(3, preparer=None).fit(table)
    rng = np.random.default_rng(seed)
    hidden = table.where(rng.random(table.shape) < 0.7, other="never seen")
    rows = pd.concat([table, hidden, table.drop_duplicates().iloc[::-1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of some rows nothing is known
        labels, found = clusterer.predict(rows), clusterer.predict_proba(rows)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_array_equal(found.argmax(axis=1), labels)


def test_a_row_without_known_cells_has_the_shares_of_the_clusters(large_and_small):
    table, _ = large_and_small
    clusterer = TableClusterer(3, preparer=None).fit(table)
    with pytest.warns(UserWarning, match="Nothing is known of 1 of 1 rows"):
        found = clusterer.predict_proba(pd.DataFrame([["?"] * 10], columns=list(table)))
    shares = np.bincount(clusterer.labels_) / len(table)
    np.testing.assert_allclose(found[0], shares, atol=0.01)


def test_one_cluster_is_certain(case):
    clusterer = TableClusterer(1, preparer=None).fit(case[0])
    assert clusterer.predict_proba(case[0]).tolist() == [[1.0]] * len(case[0])


@pytest.mark.parametrize("moves", [0, 20])
@pytest.mark.parametrize("kind", ["parquet files", "polars lazy frame", "batch reader", "dask"])
def test_probabilities_of_lazy_tables(large_and_small, kind, moves, tmp_path, monkeypatch):
    table, _ = large_and_small
    limit_moves(monkeypatch, moves)
    clusterer = TableClusterer(3, preparer=None).fit(table)
    expected, names = clusterer.predict_proba(table), ["cluster0", "cluster1", "cluster2"]
    if kind == "dask":
        found = clusterer.predict_proba(dd.from_pandas(table, npartitions=3))
        assert list(found.columns) == names
        found = found.compute()
    else:
        reader = clusterer.predict_proba(SOURCES[kind](as_arrow(table.to_dict("list")), tmp_path))
        assert reader.schema.names == names
        found = reader.read_pandas()
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("moves", [0, 20])
def test_probabilities_do_not_depend_on_how_the_table_is_given(large_and_small, moves, monkeypatch):
    table, _ = large_and_small
    limit_moves(monkeypatch, moves)
    weights = np.random.default_rng(0).integers(1, 4, len(table))
    expected = TableClusterer(3, preparer=None).fit(table, sample_weight=weights)
    columns = list(table)[::-1]
    renamed = table.map({"v0": "z", "v1": "b", "v2": "y", "v3": "a"}.get)
    others = {
        "rows": (table.sample(frac=1, random_state=0), table),
        "columns": (table[columns], table[columns]),
        "names": (renamed, renamed),
    }
    for given_rows, asked in others.values():
        own = weights[given_rows.index]
        found = TableClusterer(3, preparer=None).fit(given_rows, sample_weight=own)
        np.testing.assert_allclose(
            found.predict_proba(asked), expected.predict_proba(table), atol=1e-9
        )
    repeated = TableClusterer(3, preparer=None).fit(table.loc[table.index.repeat(weights)])
    np.testing.assert_allclose(
        repeated.predict_proba(table), expected.predict_proba(table), atol=1e-9
    )


@pytest.mark.parametrize("moves", [0, 20])
def test_saved_probabilities(large_and_small, moves, tmp_path, monkeypatch):
    table, _ = large_and_small
    limit_moves(monkeypatch, moves)
    clusterer = TableClusterer(3, preparer=None).fit(table)
    assert (clusterer._sharpness == 1.0) == (clusterer._costs is not None) == bool(moves)
    clusterer.save(tmp_path / "model.untie")
    again = load_model(tmp_path / "model.untie")
    np.testing.assert_array_equal(again.predict_proba(table), clusterer.predict_proba(table))


@given(st.integers(0, 2**31), st.integers(2, 30))
def test_no_cluster_is_lost(seed, k):
    """EM on the sample may begin with clusters that the next step over the rows empties."""
    rng = np.random.default_rng(seed)
    n_classes, purity = int(rng.integers(2, 9)), rng.uniform(0.2, 0.8)
    table, _ = latent_classes(int(rng.integers(60, 400)), n_classes, 6, 4, seed, purity)
    clusterer = TableClusterer(k, preparer=None).fit(table)
    assert set(clusterer.labels_) == set(range(clusterer.n_clusters_))
    assert np.isfinite(clusterer.cluster_centers_).all()
    assert np.isfinite(clusterer.inertia_)
