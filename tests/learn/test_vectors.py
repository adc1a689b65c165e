import numpy as np
import pytest

from oracle import centered
from tables import encoder_of, latent_classes
from untie import UNTIE, TableEncoder
from untie._learn import vectors
from untie._learn.vectors import LookUp


@pytest.fixture
def survey():
    return latent_classes(6000, 3, 7, 4, seed=3)[0]


def direct(lookup, codes):
    parts = [table[code] for table, code in zip(lookup.tables, codes, strict=True)]
    return np.sum(parts, axis=0) if lookup.summed else np.hstack(parts)


@pytest.mark.parametrize("summed", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_rows", [0, 1, 10, 5000, 20000])
def test_rows_are_looked_up(summed, dtype, n_rows, monkeypatch):
    monkeypatch.setattr(vectors, "PARALLEL_NUMBERS", 50_000)  # threads at the largest size
    rng = np.random.default_rng(0)
    sizes = (3, 2, 300, 1, 5)
    widths = [4] * 5 if summed else [3, 2, 7, 1, 5]
    lookup = LookUp(
        tuple(rng.random((s + 1, w)) for s, w in zip(sizes, widths, strict=True)), summed
    )
    codes = [rng.integers(0, s + 1, n_rows).astype(np.uint16) for s in sizes]
    X = lookup.rows(codes, dtype)
    assert X.dtype == dtype
    assert X.shape == (n_rows, lookup.n_columns)
    np.testing.assert_allclose(X, direct(lookup, codes), rtol=1e-6)
    np.testing.assert_allclose(lookup.sparse_rows(codes, dtype).toarray(), X, rtol=1e-6)


@pytest.mark.parametrize(
    "parameters", [{}, {"n_components": 3}, {"kernels": "F3", "output": "full"}]
)
def test_a_row_never_depends_on_its_batch(survey, parameters):
    encoder = encoder_of(3, **parameters).fit(survey)
    whole = encoder.transform(survey)
    np.testing.assert_array_equal(encoder.transform(survey.iloc[4990:5010]), whole[4990:5010])
    np.testing.assert_array_equal(encoder.transform(survey.iloc[[7]]), whole[[7]])


def test_compact_and_full_have_the_same_inner_products(survey):
    few = survey.iloc[:50]
    compact = UNTIE(3, solver="exact").fit(survey)
    full = UNTIE(3, solver="exact", output="full").fit(survey)
    short, long = compact.transform(few), full.transform(few)
    assert long.shape[1] == 28 * short.shape[1]
    np.testing.assert_allclose(short @ short.T, long @ long.T, atol=1e-9)
    np.testing.assert_allclose(compact.similarity(few), full.similarity(few), atol=1e-9)


@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_components_are_the_best_of_their_dimension(survey, n_components):
    X = centered(TableEncoder(3, preparer=None).fit_transform(survey))
    projected = TableEncoder(3, n_components=n_components, preparer=None).fit_transform(survey)
    singular = np.linalg.svd(X, compute_uv=False)
    kept = np.sum(centered(projected) ** 2)
    assert kept == pytest.approx(np.sum(singular[:n_components] ** 2))
    np.testing.assert_allclose(projected.mean(axis=0), 0, atol=1e-9)
    assert list(
        TableEncoder(3, n_components=1, preparer=None).fit(survey).get_feature_names_out()
    ) == ["tableencoder0"]


def test_components_beyond_the_rank_are_zero(melons):
    X = TableEncoder(2, n_components=9, preparer=None).fit_transform(melons)
    assert X.shape == (6, 9)
    assert np.isfinite(X).all()
    assert not X[:, 6:].any()


def test_more_components_than_values(melons):
    with pytest.raises(ValueError, match="n_components=10 is more than the table's 9 values"):
        TableEncoder(2, n_components=10, preparer=None).fit(melons)


def test_an_unknown_value_gets_the_mean_vector_of_its_column(melons):
    encoder = TableEncoder(2, preparer=None).fit(melons)
    X = encoder.transform(melons)
    row = melons.iloc[[0]].assign(Color="purple")
    color = [name.startswith("Color=") for name in encoder.get_feature_names_out()]
    unknown = encoder.transform(row)[0]
    np.testing.assert_allclose(unknown[color], X[:, color].mean(axis=0))
    np.testing.assert_array_equal(unknown[~np.array(color)], X[0, ~np.array(color)])


def test_the_mean_vector_of_an_unknown_value_uses_the_weights(melons):
    weights = [1, 2, 3, 4, 5, 6]
    encoder = TableEncoder(2, preparer=None).fit(melons, sample_weight=weights)
    color = [name.startswith("Color=") for name in encoder.get_feature_names_out()]
    X = encoder.transform(melons)[:, color]
    unknown = encoder.transform(melons.iloc[[0]].assign(Color="purple"))[0, color]
    np.testing.assert_allclose(unknown, np.average(X, axis=0, weights=weights))


def test_unknown_values_are_neutral_in_components(melons):
    encoder = TableEncoder(2, n_components=2, preparer=None).fit(melons)
    nothing = [["?", "?", "?"]]
    with pytest.warns(UserWarning, match="valid feature names"):
        X = encoder.transform(nothing)
    np.testing.assert_allclose(X, 0, atol=1e-12)


def test_sparse_output_equals_dense(melons):
    dense = TableEncoder(2, preparer=None).fit_transform(melons)
    sparse = TableEncoder(2, sparse_output=True, preparer=None).fit_transform(melons)
    np.testing.assert_allclose(sparse.toarray(), dense, atol=1e-12)


def test_value_rows_add_up_to_rows(melons):
    for parameters in ({}, {"n_components": 2}, {"output": "full"}):
        encoder = encoder_of(2, **parameters).fit(melons)
        frame = encoder.value_vectors().set_index(["column", "value"])
        expected = sum(
            frame.loc[[(column, value) for value in melons[column]]].to_numpy() for column in melons
        )
        np.testing.assert_allclose(encoder.transform(melons), expected, atol=1e-12)
