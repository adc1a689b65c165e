"""Latent classes against EM in plain loops, Bayes' rule and the model that made the table."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score

from tables import latent_classes, small_tables
from untie._count import packed_rows
from untie._count.tally import CountOptions, code_table
from untie._table.table import read_table
from untie.cluster import LatentClasses
from untie.cluster._class_model import climb, draw_start, make_sample
from untie.datasets import load


def sample_of(table, weights=None, categories="auto"):
    grouping, rows, _ = code_table(read_table(table), CountOptions(weights, categories))
    sizes = grouping.vocabulary.sizes
    return make_sample(rows.codes, sizes, rows.weights)


def slow_em(rows, weights, shares, profiles, smoothing, n_steps):
    """Take EM steps with loops over rows, classes, columns and values; nothing is a logarithm.

    `shares` are the classes' weights, `profiles` one dict per class and column. Returns them and
    the log-likelihood under them.
    """
    n_classes, n_columns = len(shares), len(rows[0])
    marginals = []
    total = sum(weights)
    for j in range(n_columns):
        marginal = dict.fromkeys(sorted({row[j] for row in rows}), 0.0)
        for row, w in zip(rows, weights, strict=True):
            marginal[row[j]] += w / total
        marginals.append(marginal)
    for _ in range(n_steps):
        posteriors = []
        for row in rows:
            joint = [
                shares[c] * math.prod(profiles[c][j][row[j]] for j in range(n_columns))
                for c in range(n_classes)
            ]
            posteriors.append([p / sum(joint) for p in joint])
        extra = smoothing / n_classes
        sizes = [0.0] * n_classes
        for w, p in zip(weights, posteriors, strict=True):
            sizes = [size + w * p[c] for c, size in enumerate(sizes)]
        shares = [(size + extra) / (sum(sizes) + smoothing) for size in sizes]
        profiles = [
            [
                {
                    v: (
                        sum(
                            w * p[c]
                            for r, w, p in zip(rows, weights, posteriors, strict=True)
                            if r[j] == v
                        )
                        + extra * marginals[j][v]
                    )
                    / (sizes[c] + extra)
                    for v in marginals[j]
                }
                for j in range(n_columns)
            ]
            for c in range(n_classes)
        ]
    likelihood = sum(
        w
        * math.log(
            sum(
                shares[c] * math.prod(profiles[c][j][row[j]] for j in range(n_columns))
                for c in range(n_classes)
            )
        )
        for row, w in zip(rows, weights, strict=True)
    )
    return shares, profiles, likelihood


@given(
    table=small_tables(min_rows=3),
    seed=st.integers(0, 99),
    n_classes=st.integers(1, 3),
    smoothing=st.sampled_from([0.1, 1.0, 5.0]),
    data=st.data(),
)
def test_em_equals_plain_loops_from_the_same_start(table, seed, n_classes, smoothing, data):
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(table), max_size=len(table)))
    sample = sample_of(table, weights)
    start = draw_start(sample, n_classes, smoothing, np.random.RandomState(seed))
    found = climb(sample, start, smoothing, 5, tol=-1.0)

    values = [(j, v) for j, name in enumerate(table) for v in sorted(set(table[name]))]
    profiles = [[{} for _ in table] for _ in range(n_classes)]
    for (j, v), logs in zip(values, start.log_profiles, strict=True):
        for c in range(n_classes):
            profiles[c][j][v] = math.exp(logs[c])
    rows = table.to_numpy().tolist()
    shares, profiles, likelihood = slow_em(
        rows, weights, np.exp(start.log_weights).tolist(), profiles, smoothing, 5
    )
    np.testing.assert_allclose(np.exp(found.model.log_weights), shares, rtol=1e-7)
    for (j, v), logs in zip(values, found.model.log_profiles, strict=True):
        np.testing.assert_allclose(np.exp(logs), [p[j][v] for p in profiles], rtol=1e-7)
    assert found.log_likelihood == pytest.approx(likelihood, rel=1e-9)
    assert not found.converged
    assert len(found.curve) == 5


@given(
    table=small_tables(min_rows=2),
    seed=st.integers(0, 99),
    n_classes=st.integers(1, 4),
    smoothing=st.sampled_from([0.0, 0.5, 3.0]),
)
def test_no_step_descends(table, seed, n_classes, smoothing):
    sample = sample_of(table)
    start = draw_start(sample, n_classes, smoothing, np.random.RandomState(seed))
    curve = climb(sample, start, smoothing, 60, tol=-1.0).curve
    assert np.isfinite(curve).all()
    assert np.diff(curve).min() >= -1e-12 * max(1.0, abs(curve[0]))


@given(table=small_tables(), data=st.data())
def test_distinct_rows_are_counted(table, data):
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(table), max_size=len(table)))
    sample = sample_of(table, weights)
    expected = pd.Series(weights).groupby([table[name] for name in table]).sum()
    np.testing.assert_array_equal(sample.weights, expected)
    np.testing.assert_array_equal(sample.one_hot.sum(axis=1), table.shape[1])


def test_distinct_rows_of_long_tables_are_counted(monkeypatch):
    table, _ = load("zoo")
    expected = sample_of(table)
    monkeypatch.setattr(packed_rows, "LARGEST_KEY", 100)  # 3^16 joint codes and more
    sample = sample_of(table)
    assert len(sample.weights) == len(table.drop_duplicates())
    np.testing.assert_array_equal(sample.weights, expected.weights)
    np.testing.assert_array_equal(sample.one_hot.toarray(), expected.one_hot.toarray())


def test_one_class_is_independence(melons):
    model = LatentClasses(1, smoothing=0).fit(melons)
    shares = [melons[name].value_counts(normalize=True) for name in melons]
    for column, share, name in zip(model.profiles_, shares, melons, strict=True):
        np.testing.assert_allclose(column[:, 0], share.sort_index(), err_msg=name)
    entropies = [-(share * np.log(share)).sum() for share in shares]
    assert model.score(melons) == pytest.approx(-sum(entropies))  # 3.121421 nats
    assert model.score(melons) == pytest.approx(-3.121421, abs=1e-6)
    assert model.log_likelihood_ == pytest.approx(6 * model.score(melons))
    assert model.converged_


@pytest.fixture(scope="module")
def hidden():
    return latent_classes(1500, 3, 8, 4, seed=0)


@pytest.fixture(scope="module")
def model(hidden):
    return LatentClasses(random_state=0).fit(hidden[0])


class TestModel:
    def test_the_classes_that_made_the_table_are_found(self, model, hidden):
        table, classes = hidden
        assert model.n_classes_ == 3
        assert min(model.bic_curve_, key=model.bic_curve_.get) == 3
        assert list(model.bic_curve_) == [1, 2, 3, 4, 5]
        assert adjusted_rand_score(classes, model.predict(table)) > 0.97
        assert model.weights_.tolist() == sorted(model.weights_, reverse=True)
        shares = np.bincount(classes) / len(classes)
        np.testing.assert_allclose(model.weights_, np.sort(shares)[::-1], atol=0.02)

    def test_probabilities_follow_bayes_rule(self, model, hidden):
        table = hidden[0].head(20)
        profiles = model.class_profiles().set_index(["column", "value"])
        for row, found, log in zip(
            table.itertuples(index=False),
            model.predict_proba(table),
            model.score_samples(table),
            strict=True,
        ):
            joint = model.weights_.copy()
            for name, value in zip(table, row, strict=True):
                joint *= profiles.loc[(name, value)].to_numpy()
            np.testing.assert_allclose(found, joint / joint.sum())
            assert log == pytest.approx(math.log(joint.sum()))

    def test_profiles_are_probabilities(self, model):
        for column in model.profiles_:
            np.testing.assert_allclose(column.sum(axis=0), 1.0)
        frame = model.class_profiles()
        assert frame.columns.tolist() == ["column", "value", "class0", "class1", "class2"]
        assert len(frame) == 32

    def test_criteria_count_the_free_probabilities(self, model, hidden):
        table = hidden[0]
        assert model.n_parameters_ == 2 + 3 * 8 * 3
        total = model.score_samples(table).sum()
        assert model.log_likelihood_ == pytest.approx(total)
        assert model.bic(table) == pytest.approx(-2 * total + 74 * math.log(1500))
        assert model.bic(table) == pytest.approx(model.bic_curve_[3])
        assert model.aic(table) == pytest.approx(-2 * total + 2 * 74)
        assert model.sabic(table) == pytest.approx(-2 * total + 74 * math.log(1502 / 24))

    def test_relative_entropy_is_that_of_the_definition(self, model, hidden):
        table = hidden[0].head(40)
        terms = [-p * math.log(p) for row in model.predict_proba(table) for p in row if p > 0]
        found = model.relative_entropy(table)
        assert found == pytest.approx(1 - sum(terms) / (40 * math.log(3)))
        assert 0.5 < found < 1.0

    def test_weights_count_in_all_scores(self, model, hidden):
        table = hidden[0].head(4)
        repeated = table.loc[table.index.repeat([0, 1, 2, 3])]
        for score in (model.score, model.bic, model.aic, model.sabic, model.relative_entropy):
            weighted = score(table, sample_weight=[0, 1, 2, 3])
            assert weighted == pytest.approx(score(repeated))

    def test_an_unknown_value_leaves_its_column_out(self, model, hidden):
        table = hidden[0].head(5).assign(c3="unheard of")
        profiles = model.class_profiles().set_index(["column", "value"])
        joint = np.tile(model.weights_, (5, 1))
        for name in table.columns.drop("c3"):
            joint *= profiles.loc[[(name, value) for value in table[name]]].to_numpy()
        np.testing.assert_allclose(model.transform(table), joint / joint.sum(axis=1)[:, None])
        nothing = table.map(lambda _: "unheard of")
        np.testing.assert_allclose(model.transform(nothing), np.tile(model.weights_, (5, 1)))
        np.testing.assert_allclose(model.score_samples(nothing), 0.0, atol=1e-12)

    def test_all_methods_agree(self, model, hidden):
        table = hidden[0]
        probabilities = model.predict_proba(table)
        np.testing.assert_array_equal(model.transform(table), probabilities)
        np.testing.assert_array_equal(model.predict(table), probabilities.argmax(axis=1))
        again = LatentClasses(random_state=0)
        np.testing.assert_array_equal(again.fit_predict(table), model.predict(table))
        np.testing.assert_array_equal(again.fit_transform(table), probabilities)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        assert model.get_feature_names_out().tolist() == [f"latentclasses{i}" for i in range(3)]

    def test_frames_are_of_the_users_library(self, hidden):
        table = pl.from_pandas(hidden[0].astype(str))
        frame = LatentClasses(2, random_state=0).fit(table).class_profiles()
        assert isinstance(frame, pl.DataFrame)


@pytest.mark.parametrize("seed", range(3))
def test_orders_and_names_change_nothing(hidden, seed):
    table = hidden[0]
    rng = np.random.default_rng(seed)
    exact = {"n_classes": 3, "tol": 1e-13, "random_state": 0}
    expected = LatentClasses(**exact).fit(table).predict_proba(table)
    names = dict(zip(["v0", "v1", "v2", "v3"], rng.permutation(list("abcd")), strict=True))
    order = rng.permutation(len(table))
    other = table.map(names.get)[rng.permutation(table.columns)].iloc[order]
    found = LatentClasses(**exact).fit(other).predict_proba(other)
    np.testing.assert_allclose(found, expected[order], atol=1e-5)


def test_weights_equal_repetition(hidden):
    table = hidden[0].head(60)
    weights = np.arange(60) % 4
    repeated = table.loc[table.index.repeat(weights)].sample(frac=1, random_state=0)
    first = LatentClasses(3, random_state=0).fit(table, sample_weight=weights)
    second = LatentClasses(3, random_state=0).fit(repeated)
    assert first.log_likelihood_ == pytest.approx(second.log_likelihood_)
    np.testing.assert_allclose(first.transform(table), second.transform(table), atol=1e-9)


def test_weights_may_be_a_column(hidden, model):
    X, weights = hidden[0], np.arange(len(hidden[0])) % 3 + 1.0
    named = X.assign(often=weights)
    for measure in (model.score, model.bic, model.aic, model.sabic, model.relative_entropy):
        assert measure(named, sample_weight="often") == measure(X, sample_weight=weights)
    one, other = (LatentClasses(3, random_state=0) for _ in range(2))
    labels = one.fit_predict(named, sample_weight="often")
    np.testing.assert_array_equal(labels, other.fit_predict(X, sample_weight=weights))


@pytest.fixture(scope="module")
def gaps(hidden):
    table = hidden[0].head(200)
    holes = np.random.default_rng(0).random(table.shape) < 0.2
    return table.astype(object).mask(holes, None)


@pytest.fixture(scope="module")
def neutral(gaps):
    exact = {"missing": "neutral", "smoothing": 0, "tol": 1e-12, "max_iter": 5000}
    return LatentClasses(3, **exact).fit(gaps)


class TestNeutralMissingCells:
    def test_a_missing_cell_is_summed_out(self, neutral, hidden):
        row = hidden[0].iloc[:1].astype(object)
        row.iloc[0, [1, 4]] = None
        values = neutral.vocabulary_.values
        completed = [row.assign(c1=a, c4=b) for a in values[1] for b in values[4]]
        total = np.exp(neutral.score_samples(pd.concat(completed))).sum()
        assert neutral.score_samples(row)[0] == pytest.approx(math.log(total))

    def test_profiles_are_shares_among_known_cells(self, neutral, gaps):
        """Where EM stops, each profile is the share that its own posteriors give."""
        posteriors = neutral.predict_proba(gaps)
        for place, name in enumerate(gaps):
            known = gaps[name].notna().to_numpy()
            for code, value in enumerate(neutral.vocabulary_.values[place]):
                has = (gaps[name] == value).to_numpy()
                shares = posteriors[has].sum(axis=0) / posteriors[known].sum(axis=0)
                np.testing.assert_allclose(neutral.profiles_[place][code], shares, atol=1e-4)

    def test_missing_is_no_value(self, neutral, gaps):
        assert all(None not in values for values in neutral.vocabulary_.values)
        assert neutral.n_parameters_ == 2 + 3 * 8 * 3
        assert None in LatentClasses(1).fit(gaps).vocabulary_.values[0]


class TestDegenerateTables:
    @given(
        table=small_tables(),
        smoothing=st.sampled_from([0.0, 1e-9, 1.0]),
        n_classes=st.sampled_from(["auto", 1, 2]),
    )
    def test_nothing_is_ever_nan(self, table, smoothing, n_classes):
        n_distinct = len(table.drop_duplicates())
        n_classes = n_classes if n_classes == "auto" else min(n_classes, n_distinct)
        model = LatentClasses(n_classes, smoothing=smoothing, n_init=2, tol=1e-4, random_state=0)
        model.fit(table)
        # Combinations that no class has: every value of every column with any other.
        mixed = table.apply(lambda cells: cells.to_numpy()[::-1] if cells.name != "c0" else cells)
        for rows in (table, mixed):
            X = model.transform(rows)
            assert np.isfinite(X).all()
            np.testing.assert_allclose(X.sum(axis=1), 1.0)
            assert np.isfinite(model.score_samples(rows)).all()

    def test_a_row_that_no_class_can_have_is_still_judged(self):
        table = [["a", "x"]] * 6 + [["b", "y"]] * 4
        model = LatentClasses(2, smoothing=0, random_state=0).fit(table)
        assert [column.round(9).tolist() for column in model.profiles_] == [[[1, 0], [0, 1]]] * 2
        X = model.transform([["a", "y"]])
        assert np.isfinite(X).all()
        assert X.sum() == pytest.approx(1.0)
        assert -2000 < model.score([["a", "y"]]) < -30

    def test_values_that_never_occur_are_unknown(self, melons):
        categories = [sorted(set(melons[name])) for name in melons]
        more = [[*categories[0], "muddy"], *categories[1:]]
        first, second = (
            LatentClasses(2, random_state=0, categories=c).fit(melons) for c in (categories, more)
        )
        np.testing.assert_allclose(second.transform(melons), first.transform(melons))
        muddy = melons.assign(Texture="muddy")
        np.testing.assert_allclose(second.transform(muddy), first.transform(muddy))
        assert first.n_parameters_ == second.n_parameters_
        np.testing.assert_array_equal(second.profiles_[0][-1], 0.0)

    def test_cells_outside_the_categories_are_left_out(self, melons):
        categories = [["none of these"], *(sorted(set(melons[n])) for n in ("Color", "Root"))]
        model = LatentClasses(2, random_state=0, categories=categories).fit(melons)
        alone = LatentClasses(2, random_state=0).fit(melons[["Color", "Root"]])
        expected = alone.transform(melons[["Color", "Root"]])
        np.testing.assert_allclose(model.transform(melons), expected)
        assert model.log_likelihood_ == pytest.approx(alone.log_likelihood_)

    def test_one_row(self):
        model = LatentClasses().fit([["a", "b"]])
        assert (model.n_classes_, model.n_iter_ >= 1) == (1, True)
        np.testing.assert_array_equal(model.transform([["a", "c"]]), [[1.0]])


class TestParameters:
    def test_more_classes_than_distinct_rows(self, melons):
        with pytest.raises(ValueError, match="n_classes=7, but the table has 6 distinct rows"):
            LatentClasses(7).fit(melons)

    def test_too_few_steps_give_a_warning(self, hidden):
        with pytest.warns(ConvergenceWarning, match="max_iter=2 steps .* raise max_iter or tol"):
            model = LatentClasses(3, max_iter=2, random_state=0).fit(hidden[0])
        assert (model.converged_, model.n_iter_) == (False, 2)

    def test_more_starts_are_better(self):
        table, _ = load("soybeanlarge")

        def reached(n_init, seed):
            model = LatentClasses(8, n_init=n_init, random_state=seed, tol=1e-4)
            return model.fit(table).objective_curve_[-1]

        one, ten = (np.array([reached(n, seed) for seed in range(4)]) for n in (1, 10))
        assert (ten >= one).all()
        assert ten.mean() > one.mean()

    def test_smoothing_draws_profiles_together(self, hidden):
        spreads = []
        for smoothing in (0, 100, 10_000):
            model = LatentClasses(3, smoothing=smoothing, random_state=0).fit(hidden[0])
            spreads.append(model.profiles_[0].std(axis=1).sum())
        assert spreads == sorted(spreads, reverse=True)

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"n_classes": 0}, "n_classes must be a positive integer or 'auto', got 0"),
            ({"n_classes": "many"}, "n_classes"),
            ({"n_init": 0}, "n_init must be a positive integer"),
            ({"max_iter": 1.5}, "max_iter"),
            ({"max_classes": None}, "max_classes"),
            ({"tol": -1}, "tol must be a number at least 0"),
            ({"smoothing": -0.1}, "smoothing must be a number at least 0"),
            ({"handle_unknown": "no"}, "handle_unknown"),
            ({"missing": "ignore"}, "missing must be one of"),
            ({"min_frequency": 0}, "min_frequency"),
            ({"random_state": "x"}, "seed"),
        ],
    )
    def test_wrong_ones_are_named(self, melons, parameters, message):
        model = LatentClasses(**parameters)
        with pytest.raises(ValueError, match=message):
            model.fit(melons)
        with pytest.raises(NotFittedError):
            model.transform(melons)

    @pytest.mark.parametrize("method", ["bic", "score", "class_profiles"])
    def test_methods_ask_for_a_fit(self, melons, method):
        arguments = () if method == "class_profiles" else (melons,)
        with pytest.raises(NotFittedError):
            getattr(LatentClasses(), method)(*arguments)

    @pytest.mark.parametrize("method", ["bic", "aic", "sabic", "score", "relative_entropy"])
    def test_no_rows_have_no_likelihood(self, melons, method):
        model = LatentClasses(1).fit(melons)
        with pytest.raises(ValueError, match="X has no rows"):
            getattr(model, method)(melons.head(0))
