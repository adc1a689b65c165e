"""MCA from counts against the singular values of the one-hot table itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from tables import latent_classes, small_tables
from untie import count_table
from untie_paper.baselines import MCA
from untie_paper.baselines._inertia import standardised_residuals


def indicator(table, weights=None, categories=None):
    """Return the one-hot table, row by row; an unknown cell has the shares of the others."""
    weights = [1] * len(table) if weights is None else weights
    columns = []
    for j, name in enumerate(table.columns):
        cells = table[name].tolist()
        values = sorted(set(cells)) if categories is None else categories[j]
        known = [w for cell, w in zip(cells, weights, strict=True) if cell in values]
        for value in values:
            share = sum(w for c, w in zip(cells, weights, strict=True) if c == value) / sum(known)
            columns.append([float(c == value) if c in values else share for c in cells])
    return np.array(columns).T


def by_singular_values(Z, n_columns, weights=None):
    """Correspondence analysis of a table, from its definition: all axes.

    Returns the eigenvalues and the principal coordinates of rows and columns.
    """
    weights = np.ones(len(Z)) if weights is None else np.asarray(weights, dtype=float)
    P = Z * weights[:, None] / (n_columns * weights.sum())
    rows, columns = P.sum(axis=1), P.sum(axis=0)
    S = (P - np.outer(rows, columns)) / np.sqrt(np.outer(rows, columns))
    left, lengths, right = np.linalg.svd(S, full_matrices=False)
    F = left * lengths / np.sqrt(rows)[:, None]
    G = right.T * lengths / np.sqrt(columns)[:, None]
    return lengths**2, F, G


def oracle(table, weights=None):
    return by_singular_values(indicator(table, weights), table.shape[1], weights)


@given(table=small_tables(min_rows=2), data=st.data())
def test_all_axes_equal_the_singular_values(table, data):
    n_rows = len(table)
    weights = data.draw(st.lists(st.integers(1, 3), min_size=n_rows, max_size=n_rows))
    eigenvalues, rows, _ = oracle(table, weights)
    encoder = MCA(None)
    X = encoder.fit_transform(table, sample_weight=weights)
    n_axes = int(np.count_nonzero(eigenvalues > 1e-9))
    assert X.shape[1] == max(1, n_axes)
    np.testing.assert_allclose(encoder.eigenvalues_[:n_axes], eigenvalues[:n_axes], atol=1e-9)
    # All axes together: distances do not depend on the choice among equal eigenvalues.
    np.testing.assert_allclose(pdist(X), pdist(rows), atol=1e-7)
    n_values = int(table.nunique().sum())
    assert encoder.total_inertia_ == pytest.approx(n_values / table.shape[1] - 1, abs=1e-9)
    assert encoder.explained_inertia_.sum() == pytest.approx(float(n_axes > 0))


@pytest.fixture
def hidden():
    return latent_classes(400, 4, 6, 4, seed=0)[0]


def test_each_axis_equals_the_oracles_up_to_its_sign(hidden):
    eigenvalues, rows, _ = oracle(hidden)
    encoder = MCA(4)
    X = encoder.fit_transform(hidden)
    np.testing.assert_allclose(encoder.eigenvalues_, eigenvalues[:4])
    np.testing.assert_allclose(encoder.explained_inertia_, eigenvalues[:4] / eigenvalues.sum())
    np.testing.assert_allclose(np.abs(X), np.abs(rows[:, :4]), atol=1e-9)
    np.testing.assert_allclose(X.var(axis=0), eigenvalues[:4])


def test_the_toy_table(melons):
    encoder = MCA()
    X = encoder.fit_transform(melons)
    # Numbers of prince 0.23, an independent program; an axis' sign is free.
    np.testing.assert_allclose(encoder.eigenvalues_, [0.8216237, 0.59720842], atol=1e-8)
    np.testing.assert_allclose(np.abs(X[0]), [0.480873, 1.463471], atol=1e-6)
    assert encoder.get_feature_names_out().tolist() == ["mca0", "mca1"]
    third_moments = np.array([encoder.value_vectors()["mca1"] ** 3]) * [3, 3, 1, 2, 1, 2, 2, 2, 2]
    assert third_moments.sum() > 0


@pytest.mark.parametrize("seed", range(3))
def test_signs_depend_neither_on_names_nor_on_any_order(hidden, seed):
    rng = np.random.default_rng(seed)
    expected = MCA(3).fit_transform(hidden)
    names = dict(zip(["v0", "v1", "v2", "v3"], rng.permutation(list("abcd")), strict=True))
    order = rng.permutation(len(hidden))
    other = hidden.map(names.get)[rng.permutation(hidden.columns)].iloc[order]
    np.testing.assert_allclose(MCA(3).fit_transform(other), expected[order], atol=1e-8)


class TestUnusualTables:
    @pytest.mark.parametrize("n_components", [1, 2, 7])
    @pytest.mark.parametrize("rows", [[["a"]], [["a", "x"]] * 3])
    def test_a_constant_table_has_no_inertia(self, rows, n_components):
        encoder = MCA(n_components)
        X = encoder.fit_transform(rows)
        np.testing.assert_array_equal(X, np.zeros((len(rows), n_components)))
        np.testing.assert_array_equal(encoder.explained_inertia_, np.zeros(n_components))

    def test_a_constant_column_adds_no_axis(self, melons):
        X = MCA(2).fit_transform(melons)
        other = MCA(2).fit_transform(melons.assign(same="s"))
        np.testing.assert_allclose(other, X * np.sqrt(3 / 4), atol=1e-12)

    def test_a_single_column_has_equal_axes(self):
        encoder = MCA(None).fit([["a"], ["a"], ["b"], ["c"]])
        np.testing.assert_allclose(encoder.eigenvalues_, [1.0, 1.0])

    def test_axes_beyond_the_rank_are_zero(self, melons):
        X, short = MCA(9).fit_transform(melons), MCA(None).fit_transform(melons)
        assert X.shape == (6, 9)
        assert short.shape[1] == 5
        np.testing.assert_allclose(X[:, :5], short)
        np.testing.assert_array_equal(X[:, 5:], 0.0)

    def test_an_unknown_value_contributes_nothing(self, hidden):
        encoder = MCA(3).fit(hidden)
        one = hidden.head(1).assign(c0="unheard of")
        vectors = encoder.value_vectors().set_index(["column", "value"])
        others = [vectors.loc[(name, value)] for name, value in one.iloc[0].items() if name != "c0"]
        np.testing.assert_allclose(encoder.transform(one)[0], sum(others), atol=1e-12)
        nowhere = encoder.transform(hidden.head(1).map(lambda _: "unheard of"))
        np.testing.assert_allclose(nowhere, 0.0, atol=1e-12)


def test_residuals_equal_the_definition(melons):
    residuals = standardised_residuals(count_table(melons).counts)
    Z = indicator(melons)
    p = Z.mean(axis=0)
    for a in range(9):
        for b in range(9):
            expected = (np.mean(Z[:, a] * Z[:, b]) - p[a] * p[b]) / (3 * np.sqrt(p[a] * p[b]))
            assert residuals[a, b] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be a positive integer or None, got 0"),
        ({"n_components": 1.5}, "n_components"),
    ],
)
def test_wrong_parameters_are_named(melons, parameters, message):
    encoder = MCA(**parameters)
    with pytest.raises(ValueError, match=message):
        encoder.fit(melons)
    assert not hasattr(encoder, "eigenvalues_")
