"""MCA from counts against the singular values of the one-hot table itself."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from tables import latent_classes, small_tables
from untie import count_table
from untie._learn import eigen
from untie_paper.baselines import MCA
from untie_paper.baselines._inertia import standardised_residuals
from untie_paper.datasets import load


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
    eigenvalues, rows, columns = oracle(hidden)
    encoder = MCA(4)
    X = encoder.fit_transform(hidden)
    np.testing.assert_allclose(encoder.eigenvalues_, eigenvalues[:4])
    np.testing.assert_allclose(encoder.explained_inertia_, eigenvalues[:4] / eigenvalues.sum())
    np.testing.assert_allclose(np.abs(X), np.abs(rows[:, :4]), atol=1e-9)
    np.testing.assert_allclose(X.var(axis=0), eigenvalues[:4])
    values = encoder.column_coordinates()
    assert values[["column", "value"]].iloc[5].tolist() == ["c1", "v1"]
    np.testing.assert_allclose(np.abs(values.filter(like="mca")), np.abs(columns[:, :4]), atol=1e-9)


def test_a_value_stands_at_the_mean_of_its_rows(hidden):
    encoder = MCA(3)
    X = encoder.fit_transform(hidden)
    values = encoder.column_coordinates().set_index(["column", "value"])
    for value in ("v0", "v3"):
        mean = X[hidden["c2"] == value].mean(axis=0)
        expected = mean / np.sqrt(encoder.eigenvalues_)
        np.testing.assert_allclose(values.loc[("c2", value)], expected)


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


class TestCorrections:
    def test_benzecri(self, hidden):
        eigenvalues = oracle(hidden)[0]
        m = hidden.shape[1]
        corrected = [(m / (m - 1) * (e - 1 / m)) ** 2 for e in eigenvalues if e > 1 / m]
        encoder = MCA(3, correction="benzecri").fit(hidden)
        np.testing.assert_allclose(encoder.eigenvalues_, corrected[:3])
        expected = np.array(corrected[:3]) / sum(corrected)
        np.testing.assert_allclose(encoder.explained_inertia_, expected)

    def test_greenacre(self, hidden):
        inertias = []
        for first in hidden:
            for second in hidden:
                if first != second:
                    P = pd.crosstab(hidden[first], hidden[second]).to_numpy() / len(hidden)
                    expected = np.outer(P.sum(axis=1), P.sum(axis=0))
                    inertias.append(np.sum((P - expected) ** 2 / expected))
        encoder = MCA(3, correction="greenacre").fit(hidden)
        assert encoder.total_inertia_ == pytest.approx(np.mean(inertias))
        plain = MCA(3, correction="benzecri").fit(hidden)
        np.testing.assert_allclose(encoder.eigenvalues_, plain.eigenvalues_)

    @pytest.mark.parametrize("correction", ["benzecri", "greenacre"])
    def test_coordinates_stay_as_they_are(self, hidden, correction):
        expected = MCA(3).fit(hidden)
        encoder = MCA(3, correction=correction).fit(hidden)
        np.testing.assert_array_equal(encoder.transform(hidden), expected.transform(hidden))
        pd.testing.assert_frame_equal(encoder.column_coordinates(), expected.column_coordinates())
        # Independent columns have nothing left to explain: a full design.
        full = [[f"{number >> bit & 1}" for bit in range(4)] for number in range(16)]
        nothing = MCA(2, correction=correction).fit(full)
        np.testing.assert_allclose(nothing.eigenvalues_, 0.0, atol=1e-12)
        assert np.isfinite(nothing.explained_inertia_).all()

    @pytest.mark.parametrize("correction", ["benzecri", "greenacre"])
    def test_a_single_column_can_not_be_corrected(self, correction):
        with pytest.raises(ValueError, match="single column; set correction=None"):
            MCA(correction=correction).fit([["a"], ["b"]])


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

    @given(table=small_tables(min_rows=3, max_columns=3), data=st.data())
    def test_cells_outside_the_categories_stand_at_the_mean(self, table, data):
        some = [st.sampled_from(sorted(set(table[name]))) for name in table]
        categories = [data.draw(st.lists(values, min_size=1, unique=True)) for values in some]
        Z = indicator(table, categories=categories)
        eigenvalues, rows, _ = by_singular_values(Z, table.shape[1])
        encoder = MCA(None, categories=categories)
        X = encoder.fit_transform(table)
        n_axes = int(np.count_nonzero(eigenvalues > 1e-9))
        np.testing.assert_allclose(encoder.eigenvalues_[:n_axes], eigenvalues[:n_axes], atol=1e-9)
        np.testing.assert_allclose(pdist(X), pdist(rows), atol=1e-7)

    def test_values_that_never_occur_change_nothing(self, melons):
        categories = [["clear", "blurry", "muddy"], sorted(set(melons["Color"])), None]
        categories[2] = [*sorted(set(melons["Root"])), "spiral"]
        encoder = MCA(3, categories=categories)
        np.testing.assert_allclose(
            encoder.fit_transform(melons), MCA(3).fit_transform(melons), atol=1e-9
        )
        assert not encoder.value_vectors().iloc[-1, 2:].astype(float).round(12).any()


def test_many_values_take_the_iterative_solver(monkeypatch):
    table, _ = load("splice")
    expected = MCA(3).fit(table)
    monkeypatch.setattr(eigen, "FULL_SOLVER_SIZE", 50)
    encoder = MCA(3).fit(table)
    np.testing.assert_allclose(encoder.eigenvalues_, expected.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(encoder.transform(table), expected.transform(table), atol=1e-6)


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
        ({"correction": "bonferroni"}, r"correction must be one of \['benzecri', 'greenacre'\]"),
    ],
)
def test_wrong_parameters_are_named(melons, parameters, message):
    encoder = MCA(**parameters)
    with pytest.raises(ValueError, match=message):
        encoder.fit(melons)
    assert not hasattr(encoder, "eigenvalues_")
