"""MCA from counts against correspondence analysis of the one-hot table itself."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from sklearn.exceptions import NotFittedError

from tables import latent_classes, small_tables
from untie.datasets import load
from untie.decomposition import MCA


def indicator(table):
    """Return the one-hot table, row by row, and the column and value of each of its columns."""
    names = [(name, value) for name in table for value in sorted(set(table[name]))]
    cells = [[float(table[name].iloc[i] == v) for name, v in names] for i in range(len(table))]
    return np.array(cells), names


def by_singular_values(table, weights=None):
    """Correspondence analysis of the one-hot table, from its definition: all axes.

    Returns the eigenvalues, the principal coordinates of rows and values, and the distances of
    both from their centers.
    """
    Z = indicator(table)[0]
    weights = np.ones(len(Z)) if weights is None else np.asarray(weights, dtype=float)
    P = Z * weights[:, None] / (table.shape[1] * weights.sum())
    rows, columns = P.sum(axis=1), P.sum(axis=0)
    S = (P - np.outer(rows, columns)) / np.sqrt(np.outer(rows, columns))
    left, lengths, right = np.linalg.svd(S, full_matrices=False)
    F = left * lengths / np.sqrt(rows)[:, None]
    G = right.T * lengths / np.sqrt(columns)[:, None]
    return lengths**2, F, G, rows, columns


@given(table=small_tables(min_rows=2), data=st.data())
def test_all_axes_equal_the_singular_values(table, data):
    n_rows = len(table)
    weights = data.draw(st.lists(st.integers(1, 3), min_size=n_rows, max_size=n_rows))
    eigenvalues, rows, *_ = by_singular_values(table, weights)
    mca = MCA(None)
    X = mca.fit_transform(table, sample_weight=weights)
    n_axes = int(np.count_nonzero(eigenvalues > 1e-9))
    assert X.shape[1] == max(1, n_axes)
    np.testing.assert_allclose(mca.eigenvalues_[:n_axes], eigenvalues[:n_axes], atol=1e-9)
    # All axes together: distances do not depend on the choice among equal eigenvalues.
    np.testing.assert_allclose(pdist(X), pdist(rows), atol=1e-7)
    n_values = int(table.nunique().sum())
    assert mca.total_inertia_ == pytest.approx(n_values / table.shape[1] - 1, abs=1e-9)
    assert mca.explained_inertia_.sum() == pytest.approx(float(n_axes > 0))


@pytest.fixture(scope="module")
def hidden():
    return latent_classes(400, 4, 6, 4, seed=0)[0]


@pytest.fixture(scope="module")
def mca(hidden):
    return MCA(4).fit(hidden)


class TestAxes:
    def test_rows_and_values_equal_the_oracles_up_to_signs(self, mca, hidden):
        eigenvalues, rows, values, *_ = by_singular_values(hidden)
        X = mca.transform(hidden)
        np.testing.assert_allclose(mca.eigenvalues_, eigenvalues[:4])
        np.testing.assert_allclose(mca.explained_inertia_, eigenvalues[:4] / eigenvalues.sum())
        np.testing.assert_allclose(np.abs(X), np.abs(rows[:, :4]), atol=1e-9)
        found = mca.column_coordinates_
        np.testing.assert_allclose(np.abs(found), np.abs(values[:, :4]), atol=1e-9)
        np.testing.assert_allclose(X.var(axis=0), eigenvalues[:4])

    def test_contributions_and_cosines_equal_their_definitions(self, mca, hidden):
        eigenvalues, F, G, r, c = by_singular_values(hidden)
        of_axes, first = eigenvalues[:4], slice(0, 4)
        np.testing.assert_allclose(
            mca.row_contributions(hidden), (r[:, None] * F**2)[:, first] / of_axes, atol=1e-12
        )
        np.testing.assert_allclose(
            mca.column_contributions_, (c[:, None] * G**2)[:, first] / of_axes, atol=1e-12
        )
        for found, points in ((mca.row_cos2(hidden), F), (mca.column_cos2_, G)):
            expected = points**2 / (points**2).sum(axis=1, keepdims=True)
            np.testing.assert_allclose(found, expected[:, first], atol=1e-9)

    def test_a_value_is_at_the_mean_of_its_rows(self, mca, hidden):
        means = pd.DataFrame(mca.transform(hidden)).groupby(hidden["c2"]).mean()
        expected = means / np.sqrt(mca.eigenvalues_)
        found = mca.summary().query("column == 'c2'").set_index("value")
        np.testing.assert_allclose(found[["mca0", "mca1", "mca2", "mca3"]], expected)

    def test_eta2_is_the_correlation_ratio(self, mca, hidden):
        X = mca.transform(hidden)
        for place, name in enumerate(hidden):
            means = pd.DataFrame(X).groupby(hidden[name]).transform("mean")
            np.testing.assert_allclose(mca.eta2_[place], means.var(ddof=0) / X.var(axis=0))

    def test_eta2_with_missing_cells_is_that_of_all_rows(self, hidden):
        table = hidden.assign(c1=hidden["c1"].where(np.arange(len(hidden)) % 2 == 0, None))
        model = MCA(3, missing="neutral").fit(table)
        X = model.transform(table)
        for place, name in enumerate(table):
            means = pd.DataFrame(X).groupby(table[name]).transform("mean")
            known = np.square(means - means.mean()).sum()  # around the mean of the known cells
            expected = known / len(X) / X.var(axis=0)
            np.testing.assert_allclose(model.eta2_[place], expected)

    def test_signs_are_those_of_the_third_moment(self, mca):
        moments = mca.counts_.frequencies @ mca.column_coordinates_**3
        assert (moments > 0).all()

    @pytest.mark.parametrize("seed", range(3))
    def test_neither_names_nor_any_order_matter(self, hidden, seed):
        rng = np.random.default_rng(seed)
        expected = MCA(3).fit_transform(hidden)
        names = dict(zip(["v0", "v1", "v2", "v3"], rng.permutation(list("abcd")), strict=True))
        order = rng.permutation(len(hidden))
        other = hidden.map(names.get)[rng.permutation(hidden.columns)].iloc[order]
        np.testing.assert_allclose(MCA(3).fit_transform(other), expected[order], atol=1e-8)

    def test_weights_are_repetition(self, hidden):
        weights = np.arange(len(hidden)) % 3
        repeated = hidden.loc[hidden.index.repeat(weights)]
        first, second = MCA(3).fit(hidden, sample_weight=weights), MCA(3).fit(repeated)
        for name in ("column_coordinates_", "column_contributions_", "column_cos2_", "eta2_"):
            np.testing.assert_allclose(getattr(first, name), getattr(second, name), atol=1e-9)
        shares = first.row_contributions(hidden, sample_weight=weights)
        np.testing.assert_allclose(shares.sum(axis=0), 1.0)
        np.testing.assert_array_equal(shares[weights == 0], 0.0)


WINES = [
    "fruity, 3, no coffee, red fruit, plain, 3, no wood, no fruit, no butter, no wood",
    "not, 2, coffee, no red fruit, roasted, 2, wood, no fruit, butter, wood",
    "not, 1, coffee, no red fruit, roasted, 1, wood, no fruit, butter, wood",
    "not, 1, coffee, no red fruit, roasted, 1, wood, fruit, butter, wood",
    "fruity, 3, no coffee, red fruit, plain, 3, no wood, fruit, no butter, no wood",
    "fruity, 2, no coffee, red fruit, plain, 2, no wood, fruit, no butter, no wood",
]
"""Six wines as three experts describe them, of H. Abdi and D. Valentin, Multiple Correspondence
Analysis, in N. Salkind, Encyclopedia of Measurement and Statistics, 2007."""


class TestPublishedNumbers:
    """The numbers that Abdi and Valentin print, to their last digit."""

    @pytest.fixture(scope="class")
    @staticmethod
    def wines():
        return MCA(4).fit([row.split(", ") for row in WINES])

    def test_as_they_are(self, wines):
        np.testing.assert_allclose(wines.eigenvalues_, [0.8532, 0.2, 0.1151, 0.0317], atol=5e-5)
        assert wines.total_inertia_ == pytest.approx(1.2)
        np.testing.assert_allclose(wines.explained_inertia_[:2], [0.7110, 0.1667], atol=5e-5)

    def test_their_rows_have_the_corrected_variance(self, wines):
        corrected = wines.eigenvalues_summary("benzecri")["eigenvalue"].to_numpy()
        X = wines.transform([row.split(", ") for row in WINES])
        X *= np.sqrt(corrected / wines.eigenvalues_)
        np.testing.assert_allclose(np.abs(X[:, 0]), [0.86, 0.71, 0.92, 0.86, 0.92, 0.71], atol=0.01)
        np.testing.assert_allclose(np.abs(X[:, 1]), [0.08, 0.16, 0.08, 0.08, 0.08, 0.16], atol=0.01)

    @pytest.mark.parametrize(
        ("correction", "shares"),
        [("benzecri", [0.9823, 0.0173, 0.0004, 0]), ("greenacre", [0.9519, 0.0168, 0.0004, 0])],
    )
    def test_corrected(self, wines, correction, shares):
        found = wines.eigenvalues_summary(correction)
        np.testing.assert_allclose(found["eigenvalue"], [0.7004, 0.0123, 0.0003, 0], atol=5e-5)
        np.testing.assert_allclose(found["explained_inertia"], shares, atol=5e-5)
        np.testing.assert_allclose(found["cumulative"], np.cumsum(shares), atol=2e-4)

    def test_corrections_know_the_axes_that_are_not_asked_for(self, wines):
        short = MCA(1).fit([row.split(", ") for row in WINES])
        for correction in ("benzecri", "greenacre"):
            first = short.eigenvalues_summary(correction)["explained_inertia"][0]
            assert first == pytest.approx(
                wines.eigenvalues_summary(correction)["explained_inertia"][0]
            )

    def test_greenacres_total_is_the_mean_inertia_of_pairs(self, wines):
        """Of all tables of two different columns, from their definition."""
        table = pd.DataFrame([row.split(", ") for row in WINES])
        one_hot = [pd.get_dummies(table[name]).to_numpy(float) for name in table]
        inertias = []
        for a, first in enumerate(one_hot):
            for b, second in enumerate(one_hot):
                P = first.T @ second / len(table)
                expected = np.outer(P.sum(axis=1), P.sum(axis=0))
                inertias += [((P - expected) ** 2 / expected).sum()] if a != b else []
        found = wines.eigenvalues_summary("greenacre")
        total = found["eigenvalue"][0] / found["explained_inertia"][0]
        assert total == pytest.approx(np.mean(inertias))


def test_the_toy_table(melons):
    mca = MCA()
    X = mca.fit_transform(melons)
    # Numbers of prince 0.23, an independent program; an axis' sign is free.
    np.testing.assert_allclose(mca.eigenvalues_, [0.8216237, 0.59720842], atol=1e-8)
    np.testing.assert_allclose(np.abs(X[0]), [0.480873, 1.463471], atol=1e-6)
    assert mca.get_feature_names_out().tolist() == ["mca0", "mca1"]


class TestSupplementaryColumns:
    def test_the_columns_themselves_are_where_they_are(self, mca, hidden):
        placed = mca.supplementary_columns(hidden, hidden)
        summary = mca.summary()
        pd.testing.assert_frame_equal(placed, summary[list(placed.columns)])

    def test_numbers_are_correlations(self, mca, hidden):
        X, rng = mca.transform(hidden), np.random.default_rng(0)
        ages = rng.normal(size=len(hidden)) + X[:, 1]
        weights = rng.integers(0, 3, len(hidden))
        frame = mca.supplementary_columns(hidden, pd.DataFrame({"age": ages}), weights)
        assert frame[["column", "value"]].to_numpy().tolist() == [["age", None]]
        places = np.repeat(np.arange(len(hidden)), weights)
        expected = [np.corrcoef(ages[places], X[places, axis])[0, 1] for axis in range(4)]
        np.testing.assert_allclose(frame.iloc[0, 2:].to_numpy(float), expected)

    def test_other_rows_are_refused(self, mca, hidden):
        with pytest.raises(ValueError, match="columns has 3 rows, but X has 400"):
            mca.supplementary_columns(hidden, hidden.head(3))


class TestMissingCells:
    @pytest.fixture(scope="class")
    @staticmethod
    def gaps():
        table = latent_classes(200, 3, 5, 3, seed=1)[0].astype(object)
        return table.mask(np.random.default_rng(0).random(table.shape) < 0.1, None)

    def test_they_are_a_value(self, gaps):
        spelled = gaps.fillna("zz")  # sorts last, as missing does
        np.testing.assert_array_equal(MCA().fit_transform(gaps), MCA().fit_transform(spelled))

    def test_neutral_ones_are_the_mean(self, gaps):
        """Every one-hot column is centered on its known cells; a missing one is then 0."""
        mca = MCA(3, missing="neutral").fit(gaps)
        columns = []
        for name in gaps:
            for value in sorted(set(gaps[name].dropna())):
                cells = gaps[name].eq(value).where(gaps[name].notna()).astype(float)
                columns.append(((cells - cells.mean()) / np.sqrt(5 * cells.mean())).fillna(0.0))
        S = np.array(columns).T
        values, vectors = np.linalg.eigh(S.T @ S / len(S))
        np.testing.assert_allclose(mca.eigenvalues_, values[::-1][:3])
        expected = np.abs(S @ vectors[:, ::-1][:, :3])
        np.testing.assert_allclose(np.abs(mca.transform(gaps)), expected, atol=1e-9)
        means = np.nan_to_num(pd.DataFrame(mca.transform(gaps)).groupby(gaps["c0"]).mean())
        np.testing.assert_allclose(mca.column_coordinates_[:3] * np.sqrt(mca.eigenvalues_), means)
        cos2 = MCA(None, missing="neutral").fit(gaps).row_cos2(gaps)
        np.testing.assert_allclose(cos2.sum(axis=1), 1.0)


class TestUnusualTables:
    @pytest.mark.parametrize("n_components", [1, 2, 7])
    @pytest.mark.parametrize("rows", [[["a"]], [["a", "x"]] * 3])
    def test_a_constant_table_has_no_inertia(self, rows, n_components):
        mca = MCA(n_components)
        X = mca.fit_transform(rows)
        np.testing.assert_array_equal(X, np.zeros((len(rows), n_components)))
        np.testing.assert_array_equal(mca.explained_inertia_, np.zeros(n_components))
        np.testing.assert_array_equal(mca.row_cos2(rows), X)
        np.testing.assert_array_equal(mca.row_contributions(rows), X)

    def test_a_constant_column_adds_no_axis(self, melons):
        X = MCA(2).fit_transform(melons)
        other = MCA(2).fit_transform(melons.assign(same="s"))
        np.testing.assert_allclose(other, X * np.sqrt(3 / 4), atol=1e-12)

    def test_a_single_column_has_equal_axes(self):
        mca = MCA(None).fit([["a"], ["a"], ["b"], ["c"]])
        np.testing.assert_allclose(mca.eigenvalues_, [1.0, 1.0])
        with pytest.raises(ValueError, match="two columns or more, but it has one"):
            mca.eigenvalues_summary("greenacre")

    def test_axes_beyond_the_rank_are_zero(self, melons):
        X, short = MCA(9).fit_transform(melons), MCA(None).fit_transform(melons)
        assert X.shape == (6, 9)
        assert short.shape[1] == 5
        np.testing.assert_allclose(X[:, :5], short)
        np.testing.assert_array_equal(X[:, 5:], 0.0)

    def test_an_unknown_value_adds_nothing(self, mca, hidden):
        row = hidden.head(1)
        without = mca.transform(row.assign(c0="unheard of"))
        code = mca.vocabulary_.values[0].index(row["c0"].iloc[0])
        added = mca.column_coordinates_[code] / (6 * np.sqrt(mca.eigenvalues_))
        np.testing.assert_allclose(without + added, mca.transform(row), atol=1e-12)
        nowhere = mca.transform(row.map(lambda _: "unheard of"))
        np.testing.assert_allclose(nowhere, 0.0, atol=1e-12)

    def test_values_that_never_occur_change_nothing(self, melons):
        categories = [[*sorted(set(melons[name])), "never"] for name in melons]
        mca = MCA(categories=categories).fit(melons)
        np.testing.assert_allclose(mca.transform(melons), MCA().fit_transform(melons), atol=1e-12)
        ends = np.cumsum(mca.vocabulary_.sizes) - 1
        np.testing.assert_array_equal(mca.column_coordinates_[ends], 0.0)
        assert np.isfinite(mca.column_cos2_).all()


def test_frames_are_of_the_users_library():
    table = pl.from_pandas(load("zoo")[0].astype(str))
    mca = MCA().fit(table)
    for frame in (mca.summary(), mca.eigenvalues_summary()):
        assert isinstance(frame, pl.DataFrame)
    assert mca.summary().columns[:5] == ["column", "value", "mca0", "mca0_ctr", "mca0_cos2"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be a positive integer or None, got 0"),
        ({"n_components": 1.5}, "n_components"),
        ({"missing": "drop"}, "missing must be one of"),
        ({"handle_unknown": "no"}, "handle_unknown"),
        ({"min_frequency": 0}, "min_frequency"),
    ],
)
def test_wrong_parameters_are_named(melons, parameters, message):
    mca = MCA(**parameters)
    with pytest.raises(ValueError, match=message):
        mca.fit(melons)
    with pytest.raises(NotFittedError):
        mca.transform(melons)


def test_very_many_values_are_refused_before_memory_is_spent():
    ids = np.arange(15_000).astype(str)
    with pytest.raises(ValueError, match=r"30,000 distinct values .* max_categories"):
        MCA().fit(pd.DataFrame({"a": ids, "b": ids}))


def test_a_wrong_correction_is_named(mca):
    with pytest.raises(ValueError, match="correction must be one of"):
        mca.eigenvalues_summary("greenacer")
