"""Columns with very many values: the same model, but for what the landmarks do not see."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from tables import encoder_of, fit_known
from untie import UNTIE, TableEncoder, count_table, load_model
from untie._learn import memory
from untie._learn.spaces import kernel_spaces
from untie.cluster import KModes


def table_of(n_rows=600, n_values=40, seed=0):
    """Return rows of three classes: a large column, three small ones, and the classes."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, n_rows)
    large = classes + 3 * rng.integers(0, n_values // 3, n_rows)
    columns = {"town": np.array([f"town {i:06}" for i in range(n_values)])[large]}
    for name, size in (("color", 3), ("size", 4), ("shape", 5)):
        noise = rng.integers(0, size, n_rows)
        codes = np.where(rng.random(n_rows) < 0.7, classes, noise)
        columns[name] = np.array([f"{name} {i}" for i in range(size)])[codes]
    return pd.DataFrame(columns), classes


TABLE, CLASSES = table_of()


@pytest.fixture
def few_are_many(monkeypatch):
    """Treat 10 values as very many, with landmarks enough to lose nothing."""
    monkeypatch.setattr(memory, "LARGE", 10)
    monkeypatch.setattr("untie._count.memory.DENSE_VALUES", 20)
    monkeypatch.setattr("untie._count.memory.FULL_VALUES", 20)
    monkeypatch.setattr(memory, "MOST_AXES", 60)
    monkeypatch.setattr(kernel_spaces, "LEFT_OUT", 1e-13)
    monkeypatch.setattr(kernel_spaces, "CONSTANT", 1e-9)


OPTIONS = (
    {"solver": "uniform"},
    {"solver": "discount"},
    {"solver": "uniform", "couplings": "joint", "kernels": "F5"},
    {"solver": "uniform", "normalization": "cosine"},
    {"solver": "uniform", "normalization": "variance"},
    {"solver": "uniform", "normalization": None},
)


@pytest.fixture
def exact(request):
    """Return the model of some options where 10 values are not many."""
    return encoder_of(3, **request.param).fit(TABLE)


@pytest.mark.parametrize(
    ("exact", "options"), [(o, o) for o in OPTIONS], indirect=["exact"], ids=str
)
def test_with_landmarks_enough_the_model_is_the_exact_one(exact, options, few_are_many):
    found = encoder_of(3, **options).fit(TABLE)
    assert found.counts_.is_sparse
    assert found.gains_ == pytest.approx(exact.gains_, abs=1e-6)
    similar = exact.similarity(TABLE[:50])
    scale = np.abs(similar).max()
    np.testing.assert_allclose(found.similarity(TABLE[:50]) / scale, similar / scale, atol=1e-5)
    assert found.loss_curve_ == pytest.approx(exact.loss_curve_, rel=1e-4)
    pairs = exact.value_similarity("town").to_numpy()
    np.testing.assert_allclose(found.value_similarity("town") / scale, pairs / scale, atol=1e-5)
    first, second = (encoder.transform(TABLE[:50]) for encoder in (exact, found))
    distances = [np.square(v[:, None] - v).sum(axis=2) for v in (first, second)]
    np.testing.assert_allclose(distances[1] / scale, distances[0] / scale, atol=1e-5)
    assert found.kernel_errors()["error"].max() < 1e-4
    assert len(exact.kernel_errors()) == 0


def test_the_number_of_clusters_is_the_same(few_are_many):
    assert TableEncoder(preparer=None).fit(TABLE).n_clusters_ == 3


@pytest.mark.parametrize("solver", ["exact", "lp", "relevance", "adam", "adagrad"])
def test_every_solver_takes_columns_with_many_values(solver, few_are_many):
    options = {"max_iter": 20, "batch_size": 40} if solver in ("adam", "adagrad") else {}
    encoder = encoder_of(3, solver=solver, random_state=0, **options)
    with pytest.warns() if options else pytest.MonkeyPatch.context():
        vectors = encoder.fit_transform(TABLE)
    assert np.isfinite(vectors).all()
    assert (encoder.omega_ >= 0).all()
    assert len(encoder.weights()) == len(encoder.omega_)


def test_unknown_values_are_at_the_mean(few_are_many):
    encoder = TableEncoder(3, preparer=None).fit(TABLE)
    new = TABLE[:2].assign(town="elsewhere")
    mean = encoder.transform(TABLE)[:, : encoder._model.vectors.widths[0]].mean(axis=0)
    found = encoder.transform(new)[:, : len(mean)]
    np.testing.assert_allclose(found, [mean, mean], atol=1e-9)
    short = TableEncoder(3, n_components=2, preparer=None).fit(TABLE)
    others = short.transform(TABLE[:2].assign(town="elsewhere", color="none"))
    assert np.isfinite(others).all()


def test_chunks_add_up(few_are_many):
    whole = TableEncoder(3, preparer=None).fit(TABLE)
    pieces = TableEncoder(3, preparer=None).partial_fit(TABLE[:250]).partial_fit(TABLE[250:])
    np.testing.assert_allclose(
        pieces.similarity(TABLE[:20]), whole.similarity(TABLE[:20]), atol=1e-10
    )
    counted = count_table(TABLE[:100]) + count_table(TABLE[100:])
    np.testing.assert_array_equal(counted.counts.dense(), whole.counts_.dense())
    assert counted.counts.matrix.nnz == whole.counts_.matrix.nnz


@pytest.mark.parametrize("options", [{}, {"n_components": 3}, {"output": "full"}], ids=str)
def test_saving(options, few_are_many, tmp_path):
    encoder = encoder_of(3, **options).fit(TABLE)
    encoder.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.transform(TABLE), encoder.transform(TABLE))
    pd.testing.assert_frame_equal(loaded.kernel_errors(), encoder.kernel_errors())
    pd.testing.assert_frame_equal(loaded.weights(), encoder.weights())
    names = encoder.get_feature_names_out().tolist()
    assert loaded.get_feature_names_out().tolist() == names
    assert len(set(names)) == len(names) == encoder.transform(TABLE[:1]).shape[1]
    more = loaded.partial_fit(TABLE[:10])
    assert more.counts_.n == encoder.counts_.n + 10


def test_names_tell_values_from_axes(few_are_many, monkeypatch):
    monkeypatch.setattr(memory, "MOST_AXES", 8)
    axes = UNTIE(3, solver="uniform").fit(TABLE).get_feature_names_out().tolist()
    assert axes[0] == "town|axis 1"
    assert axes[-1] == "shape=shape 4"
    plain = TableEncoder(3, preparer=None).fit(TABLE).get_feature_names_out().tolist()
    assert plain[: 39 + 1 : 39] == ["town=town 000000", "color=color 0"]
    full = UNTIE(3, solver="uniform", output="full").fit(TABLE)
    assert "town|axis 1|inter|gaussian(1)" in full.get_feature_names_out().tolist()


def test_sparse_rows_are_the_dense_ones(few_are_many):
    dense, few = (
        TableEncoder(3, preparer=None).fit(TABLE),
        TableEncoder(3, sparse_output=True, preparer=None).fit(TABLE),
    )
    found = few.transform(TABLE)
    np.testing.assert_allclose(found.toarray(), dense.transform(TABLE), atol=1e-12)
    n_shared = dense._model.axes()[0][0]
    assert found[:, : 39 + n_shared].nnz <= len(TABLE) * (1 + n_shared)


@pytest.mark.parametrize("n_clusters", ["auto", 3])
def test_one_column_alone(n_clusters, few_are_many):
    vectors = TableEncoder(n_clusters, preparer=None).fit_transform(TABLE[["town"]])
    assert len(np.unique(vectors.round(9), axis=0)) == TABLE["town"].nunique()


@pytest.mark.parametrize("unknown", ["town", "others"])
@pytest.mark.parametrize("solver", ["auto", "uniform", "exact"])
def test_columns_of_unknown_values(unknown, solver, few_are_many):
    outside = ["town"] if unknown == "town" else ["color", "size", "shape"]
    categories = [
        [f"other {i}" for i in range(20)] if name in outside else sorted(TABLE[name].unique())
        for name in TABLE
    ]
    encoder = encoder_of(2, solver=solver)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that nothing is coupled with anything
        vectors = fit_known(encoder, TABLE, categories).transform(TABLE)
    assert np.isfinite(vectors).all()


def test_copies_share_a_vote(few_are_many, monkeypatch):
    copied = TABLE.assign(again=TABLE["town"])
    found = UNTIE(3, solver="discount").fit(copied).similarity(copied[:30])
    monkeypatch.undo()
    exact = UNTIE(3, solver="discount").fit(copied).similarity(copied[:30])
    np.testing.assert_allclose(found / exact.max(), exact / exact.max(), atol=1e-5)


def test_counts_that_grow_stay_sparse():
    """Chunks of few values, whose union has too many for a dense array."""
    chunks = [
        pd.DataFrame({"id": np.arange(start, start + 3_000), "b": np.arange(3_000) % 2})
        for start in range(0, 21_000, 3_000)
    ]
    counted = [count_table(chunk) for chunk in chunks]
    tracemalloc.start()
    try:
        total = sum(counted[1:], start=counted[0])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total.counts.sizes == (21_000, 2)
    assert peak < 8 * 21_000**2 / 20


def test_matching_needs_few_values(few_are_many):
    with pytest.raises(ValueError, match="Column 'town' has 39 values; 'matching' among couplings"):
        UNTIE(3, couplings=("matching", "inter")).fit(TABLE)


N_VALUES = 9_000


@pytest.fixture(scope="module")
def large():
    table, classes = table_of(20_000, N_VALUES, seed=1)
    return table, classes, TableEncoder(n_components=4, preparer=None).fit(table)


def test_nine_thousand_values(large):
    table, classes, encoder = large
    assert encoder.counts_.is_sparse
    assert encoder.n_clusters_ == 3
    vectors = encoder.transform(table)
    from sklearn.cluster import KMeans

    labels = KMeans(3, n_init=3, random_state=0).fit_predict(vectors)
    assert adjusted_rand_score(classes, labels) > 0.735
    assert encoder.kernel_errors()["error"].max() < 0.1


def test_what_would_be_too_large_is_refused_with_a_remedy(large, monkeypatch):
    table, _, _ = large
    encoder = TableEncoder(3, preparer=None).fit(table)
    similar = encoder.similarity(table[:5])
    assert similar.shape == (5, 5)
    monkeypatch.setattr("untie._learn.vectors.MEMORY_LIMIT", 10**8)
    monkeypatch.setattr("untie._count.memory.MEMORY_LIMIT", 10**8)
    with pytest.raises(ValueError, match=r"20,000 dense rows of 8,.* Set n_components"):
        encoder.transform(table)
    assert encoder.transform(table[:10]).shape[0] == 10
    with pytest.raises(ValueError, match=r"similarities of all pairs would take .*max_categories"):
        encoder.value_similarity("town")
    with pytest.raises(ValueError, match=r"Set n_components"):
        encoder.value_vectors()
    with pytest.raises(ValueError, match=r"set n_components .64, say. or max_categories and fit"):
        encoder.to_sql("duckdb", source="rows")
    with pytest.raises(ValueError, match=r"Column 'town' alone has .*max_categories"):
        KModes(2).fit(table)


def test_exports_of_components(large, tmp_path):
    table, _, encoder = large
    script = encoder.to_sql("duckdb", source="rows")
    assert "tableencoder3" in script.query
    encoder.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.transform(table[:9]), encoder.transform(table[:9]))


def test_files_give_the_same_model(large, tmp_path, monkeypatch):
    import untie

    table, _, encoder = large
    table.to_parquet(tmp_path / "rows.parquet")
    source = untie.scan(tmp_path / "rows.parquet")
    found = TableEncoder(n_components=4, preparer=None).fit(source)
    assert (found.counts_.matrix != encoder.counts_.matrix).nnz == 0
    np.testing.assert_allclose(found.transform(table), encoder.transform(table), atol=1e-10)
    untie.sink(found, source, tmp_path / "vectors.parquet")
    vectors = pd.read_parquet(tmp_path / "vectors.parquet")
    np.testing.assert_allclose(vectors, encoder.transform(table), atol=1e-10)
    dense = (
        TableEncoder(3, sparse_output=True, preparer=None)
        .fit(table)
        .transform(table[:50])
        .toarray()
    )
    wide = TableEncoder(3, preparer=None).fit(table)
    batch = next(iter(wide.transform(source)))
    np.testing.assert_allclose(batch.slice(0, 50).to_pandas(), dense, atol=1e-10)
    monkeypatch.setattr("untie._base.MOST_COLUMNS", 8_000)
    with pytest.raises(ValueError, match=r"a column has 8,0.*set n_components"):
        wide.transform(source)
