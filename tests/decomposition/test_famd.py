"""FAMD against principal components of the columns written out, and against MCA."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import latent_classes
from untie.decomposition import FAMD, MCA


def written_out(table, weights):
    """Return every standard column by loops: the definition of Pages (2004)."""
    total, columns = sum(weights), []
    for name in table:
        cells = table[name].tolist()
        if isinstance(cells[0], float):
            mean = sum(w * c for w, c in zip(weights, cells, strict=True)) / total
            squares = sum(w * (c - mean) ** 2 for w, c in zip(weights, cells, strict=True))
            scale = (squares / total) ** 0.5 or 1.0
            columns.append([(c - mean) / scale for c in cells])
    for name in table:
        cells = table[name].tolist()
        for value in sorted(set(cells)) if isinstance(cells[0], str) else ():
            share = sum(w for w, c in zip(weights, cells, strict=True) if c == value) / total
            columns.append([((c == value) - share) / share**0.5 for c in cells])
    return np.array(columns).T


def mixed(n_rows, seed):
    """Return two columns of numbers among three of categories, which depend on each other."""
    table, classes = latent_classes(n_rows, 3, 3, 3, seed=seed)
    rng = np.random.default_rng(seed)
    table.insert(1, "x", classes + rng.normal(size=n_rows))
    table["y"] = 100.0 - 5.0 * classes + rng.normal(size=n_rows)
    return table


@pytest.fixture(scope="module")
def table():
    return mixed(150, 0)


@pytest.fixture(scope="module")
def weights():
    return 1 + np.arange(150) % 3


@pytest.fixture(scope="module")
def famd(table, weights):
    return FAMD(3).fit(table, sample_weight=weights)


@pytest.fixture(scope="module")
def oracle(table, weights):
    """Return standard columns, eigenvalues and unit vectors, of all axes."""
    S = written_out(table, weights.tolist())
    values, vectors = np.linalg.eigh(S.T @ (S * weights[:, None]) / weights.sum())
    return S, values[::-1], vectors[:, ::-1]


class TestAxes:
    def test_rows_equal_principal_components(self, famd, table, oracle):
        S, values, vectors = oracle
        np.testing.assert_allclose(famd.eigenvalues_, values[:3])
        assert famd.total_inertia_ == pytest.approx(2 + 3 * 2)
        expected = np.abs(S @ vectors[:, :3])
        np.testing.assert_allclose(np.abs(famd.transform(table)), expected, atol=1e-9)

    def test_contributions_are_squared_loadings(self, famd, table, weights, oracle):
        S, values, vectors = oracle
        np.testing.assert_allclose(famd.column_contributions_, vectors[:, :3] ** 2, atol=1e-9)
        found = famd.row_contributions(table, sample_weight=weights)
        expected = weights[:, None] * (S @ vectors[:, :3]) ** 2 / values[:3] / weights.sum()
        np.testing.assert_allclose(found, expected, atol=1e-12)

    def test_cosines_of_rows(self, famd, table, oracle):
        S, _, vectors = oracle
        expected = (S @ vectors[:, :3]) ** 2 / (S**2).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(famd.row_cos2(table), expected, atol=1e-9)

    def test_numbers_are_correlations_and_values_the_means_of_their_rows(
        self, famd, table, weights
    ):
        rows = np.repeat(np.arange(150), weights)
        X, repeated = famd.transform(table)[rows], table.iloc[rows]
        for place, name in enumerate(["x", "y"]):
            expected = [np.corrcoef(repeated[name], axis)[0, 1] for axis in X.T]
            np.testing.assert_allclose(famd.column_coordinates_[place], expected)
            np.testing.assert_allclose(famd.column_cos2_[place], np.square(expected))
        means = pd.DataFrame(X).groupby(repeated["c0"].to_numpy()).mean()
        np.testing.assert_allclose(famd.column_coordinates_[2:5], means)

    def test_cosines_of_values_are_those_of_the_means_in_all_axes(self, table, oracle, weights):
        S = oracle[0]
        famd = FAMD(None).fit(table, sample_weight=weights)
        np.testing.assert_allclose(famd.column_cos2_.sum(axis=1), 1.0)
        means = famd.column_coordinates_[2:]
        np.testing.assert_allclose(
            famd.column_cos2_[2:], means**2 / (means**2).sum(axis=1, keepdims=True), atol=1e-9
        )
        mean = np.average(S, axis=0, weights=weights * (table["c0"] == "v0"))
        assert (means[0] ** 2).sum() == pytest.approx((mean**2).sum())

    def test_eta2_is_in_the_order_of_the_table(self, famd, table, weights):
        rows = np.repeat(np.arange(150), weights)
        X, repeated = famd.transform(table)[rows], table.iloc[rows]
        for place, name in enumerate(table):
            cells = repeated[name].to_numpy()
            if name in ("x", "y"):
                expected = np.square([np.corrcoef(cells, axis)[0, 1] for axis in X.T])
            else:
                means = pd.DataFrame(X).groupby(cells).transform("mean").to_numpy()
                expected = means.var(axis=0) / X.var(axis=0)
            np.testing.assert_allclose(famd.eta2_[place], expected)

    def test_eta2_with_missing_cells_is_that_of_all_rows(self, table):
        gaps = table.assign(c0=table["c0"].where(np.arange(len(table)) % 3 > 0, None))
        model = FAMD(3, missing="neutral").fit(gaps)
        X = model.transform(gaps)
        means = pd.DataFrame(X).groupby(gaps["c0"]).transform("mean")
        known = np.square(means - means.mean()).sum()  # around the mean of the known cells
        place = list(gaps).index("c0")
        np.testing.assert_allclose(model.eta2_[place], known / len(X) / X.var(axis=0))

    def test_supplementary_columns_are_placed_as_the_own_ones(self, famd, table, weights):
        placed = famd.supplementary_columns(table, table, weights)
        assert placed["column"].tolist()[:3] == ["x", "y", "c0"]
        np.testing.assert_allclose(placed.iloc[:, 2:].to_numpy(float), famd.column_coordinates_)


@given(seed=st.integers(0, 99), n_rows=st.integers(1, 12))
def test_small_tables_equal_their_definition(seed, n_rows):
    table = mixed(n_rows, seed)
    famd = FAMD(None).fit(table)
    S = written_out(table, [1] * n_rows)
    values = np.linalg.eigvalsh(S.T @ S / n_rows)[::-1]
    n_axes = int(np.count_nonzero(values > 1e-9))
    assert len(famd.eigenvalues_) == max(1, n_axes)
    np.testing.assert_allclose(famd.eigenvalues_[:n_axes], values[:n_axes], atol=1e-9)
    distances = (famd.transform(table) ** 2).sum(axis=1)
    np.testing.assert_allclose(distances, (S**2).sum(axis=1), atol=1e-8)


def test_without_numbers_it_is_mca(table):
    words = table[["c0", "c1", "c2"]]
    famd, mca = FAMD(2).fit(words), MCA(2).fit(words)
    np.testing.assert_allclose(famd.eigenvalues_, 3 * mca.eigenvalues_)
    np.testing.assert_allclose(famd.transform(words), np.sqrt(3) * mca.transform(words), atol=1e-9)


def test_without_words_it_is_principal_component_analysis(table):
    numbers = table[["x", "y"]]
    famd = FAMD(2).fit(numbers)
    correlation = numbers.corr().iloc[0, 1]
    expected = [1 + abs(correlation), 1 - abs(correlation)]
    np.testing.assert_allclose(famd.eigenvalues_, expected)
    assert famd.summary()["value"].isna().all()
    assert famd.categorical_ == ()


def test_a_missing_number_is_the_mean(table):
    gaps = table.copy()
    gaps.loc[:20, "x"] = np.nan
    filled = gaps.assign(x=gaps["x"].fillna(gaps["x"].mean()))
    famd = FAMD().fit(gaps)
    np.testing.assert_allclose(famd.means_, [gaps["x"].mean(), gaps["y"].mean()])
    np.testing.assert_allclose(famd.transform(gaps), famd.transform(filled), atol=1e-12)
    placed = famd.supplementary_columns(gaps, gaps)
    np.testing.assert_allclose(placed.iloc[:, 2:].to_numpy(float), famd.column_coordinates_)


def test_neither_names_nor_any_order_matter(table):
    rng = np.random.default_rng(0)
    order, columns = rng.permutation(150), rng.permutation(table.columns)
    names = {"v0": "z", "v1": "b", "v2": "m"}
    other = table.map(lambda cell: names.get(cell, cell))[columns].iloc[order]
    found = FAMD(3).fit_transform(other.rename(columns=str.upper))
    np.testing.assert_allclose(found, FAMD(3).fit_transform(table)[order], atol=1e-8)


def test_codes_are_categories_if_named(table):
    coded = table.assign(c0=table["c0"].str[1:].astype(int))
    famd = FAMD(categorical=["c0"]).fit(coded)
    assert (famd.numeric_, famd.categorical_) == (("x", "y"), ("c0", "c1", "c2"))
    np.testing.assert_allclose(famd.transform(coded), FAMD().fit_transform(table), atol=1e-9)
    with pytest.raises(ValueError, match="Column 'c0' is numeric, but holds 'v"):
        FAMD(numeric=["c0"]).fit(table)


def test_tables_of_other_libraries_give_the_same(table):
    expected = FAMD().fit(table)
    frame = pl.from_pandas(table)
    for other in (frame, frame.to_arrow()):
        famd = FAMD().fit(other)
        assert famd.numeric_ == ("x", "y")
        np.testing.assert_array_equal(famd.transform(other), expected.transform(table))
        assert isinstance(famd.summary(), type(other))
