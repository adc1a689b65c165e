"""Degenerate tables and warnings: a useful representation, never a crash or NaN."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from tables import encoder_of, fit_known, latent_classes
from untie import UNTIE, TableEncoder
from untie._learn.linalg import spectrum

SOLVERS = ["exact", "uniform", "lp", "adam", "adagrad"]


def fit_degenerate(rows, match, **parameters):
    with pytest.warns(UserWarning, match=match):
        encoder = UNTIE(**{"n_clusters": 2, "solver": "exact", **parameters}).fit(rows)
    X = encoder.transform(rows)
    assert np.isfinite(X).all()
    return encoder, X


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_independent_attributes_are_told_apart(solver):
    rows = list(product("ab", repeat=5))
    encoder, X = fit_degenerate(rows, "tell no two values apart", solver=solver)
    assert len(np.unique(X.round(9), axis=0)) == 32
    assert set(encoder.weights()["coupling"]) == {"matching"}


def test_a_table_with_one_column_keeps_its_values_apart():
    rows = [["a"], ["b"], ["c"], ["c"]]
    _, X = fit_degenerate(rows, "Only one column has more than one value")
    assert len(np.unique(X.round(9), axis=0)) == 3


def test_one_column_beside_constant_ones():
    rows = [["k", "a", 1], ["k", "b", 1], ["k", "c", 1]]
    _, X = fit_degenerate(rows, "Only one column has more than one value")
    assert len(np.unique(X.round(9), axis=0)) == 3


@pytest.mark.parametrize("encoder", [UNTIE(2), TableEncoder(2, preparer=None)], ids=repr)
def test_ids_alone_are_refused(encoder):
    ids = pd.DataFrame({"id": [f"p{i}" for i in range(90)], "key": [f"k{i}" for i in range(90)]})
    with pytest.raises(ValueError, match=r"'id', 'key' look like ids, .*in which values repeat"):
        encoder.fit(ids)


def test_one_column_with_its_frequencies_alone_if_asked():
    X = UNTIE(2, couplings="intra").fit_transform([["a"], ["b"], ["b"]])
    assert np.isfinite(X).all()
    assert (X[0] != X[1]).any()


@pytest.mark.parametrize(
    "rows", [[["a", "b"]], [["a", "b"]] * 5, [[None, None]] * 3, [["a", None]] * 4]
)
def test_rows_that_are_all_alike(rows):
    _, X = fit_degenerate(rows, "single value", n_clusters=1)
    assert (X[0] == X).all()


def test_an_attribute_with_one_value_changes_nothing(melons):
    parameters = {"couplings": "intra", "solver": "uniform"}
    melons = melons[["Color", "Root"]].iloc[:5]
    plain = UNTIE(2, **parameters).fit(melons).similarity(melons)
    wider = melons.assign(Planet="earth")
    S = UNTIE(2, **parameters).fit(wider).similarity(wider)
    np.testing.assert_allclose(np.ptp(S - plain), 0, atol=1e-9)


def test_a_column_that_says_nothing_is_named():
    rows = [[a, a.upper(), c] for a in "xy" for c in "pqr"]
    with pytest.warns(UserWarning, match="no two values of column 'x2' apart.*'matching'"):
        encoder = UNTIE(2, solver="exact").fit(rows)
    assert np.ptp(encoder.transform(rows)[:, -3:]) < 1e-9
    kept = UNTIE(2, couplings=("intra", "inter", "matching")).fit_transform(rows)
    assert len(np.unique(kept.round(9), axis=0)) == 6


def test_two_identical_attributes_have_identical_vectors(melons):
    encoder = UNTIE(2, solver="relevance").fit(melons.assign(Again=melons["Color"]))
    np.testing.assert_allclose(
        encoder.value_similarity("Color"), encoder.value_similarity("Again"), atol=1e-9
    )


@pytest.mark.parametrize("solver", ["exact", "lp", "uniform"])
def test_more_clusters_than_the_rank_of_the_similarities(solver):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (100_000, 2))
    encoder = encoder_of(4, solver=solver).fit(rows)
    assert np.isfinite(encoder.transform(rows[:10])).all()
    assert np.isfinite(encoder.loss_curve_).all()


def test_more_clusters_than_rows(melons):
    with pytest.raises(ValueError, match=r"n_clusters=7 is more than the table's rows \(6\)"):
        TableEncoder(7, preparer=None).fit(melons)


def test_values_that_occur_once_are_alike_where_their_rows_are():
    rows = [[f"a{i}", f"b{i % 2}", f"c{i % 3}"] for i in range(30)]
    S = UNTIE(2, solver="exact").fit(rows).value_similarity("x0")
    assert S.loc["a0", "a6"] == pytest.approx(S.loc["a0", "a0"])  # both with b0 and c0
    assert S.loc["a0", "a1"] < 0.99 * S.loc["a0", "a0"]


@pytest.mark.parametrize("solver", ["exact", "lp"])
@pytest.mark.parametrize("extra", [1e-2, 1e-3, 1e-4])
def test_a_nearly_independent_table_does_not_depend_on_order(solver, extra):
    rows = [[a, b] for a in "xyz" for b in "pqr"]
    weights = np.array([1.0] * 8 + [1 + extra])
    order = [4, 8, 0, 6, 2, 7, 1, 3, 5]
    names = dict(zip("xyzpqr", "bcaenm", strict=True))
    shuffled = [[names[value] for value in rows[i]] for i in order]
    first = encoder_of(5, solver=solver, tau=0.1).fit(rows, sample_weight=weights)
    second = encoder_of(5, solver=solver, tau=0.1).fit(shuffled, sample_weight=weights[order])
    assert np.isfinite(first.loss_curve_).all()
    S = first.similarity(rows)[np.ix_(order, order)]
    np.testing.assert_allclose(second.similarity(shuffled), S, rtol=1e-4)


def test_a_declared_value_that_never_occurs(melons):
    categories = [
        ["blurry", "clear", "never"],
        ["black", "green", "white", "yellow"],
        ["curled", "slightly curled", "straight"],
    ]
    encoder = fit_known(TableEncoder(2, preparer=None), melons, categories)
    assert np.isfinite(encoder.value_vectors().iloc[:, 2:].to_numpy()).all()


def test_stopping_early_gives_a_warning():
    table, _ = latent_classes(200, 3, 6, 4, seed=3)
    with pytest.warns(ConvergenceWarning, match=r"solver='exact' stopped after 1 steps"):
        UNTIE(3, solver="exact", tau=0.1, max_iter=1).fit(table)
    with pytest.warns(ConvergenceWarning, match=r"solver='adam' took all its 30 steps"):
        UNTIE.from_paper(3, max_iter=30, random_state=0).fit(table)


def test_a_solver_that_loses_all_weight_falls_back(melons):
    with (
        pytest.warns(UserWarning, match="drove every weight to 0"),
        pytest.warns(ConvergenceWarning),
    ):
        encoder = UNTIE.from_paper(2, learning_rate=1.0, max_iter=10, random_state=0).fit(melons)
    np.testing.assert_array_equal(encoder.omega_, 1.0)


def test_batches_smaller_than_the_number_of_clusters_teach_nothing():
    table, _ = latent_classes(200, 3, 6, 4, seed=3)
    with pytest.warns(UserWarning, match=r"n_clusters=20 .* omega stays 1"):
        encoder = UNTIE.from_paper(20, random_state=0).fit(table)
    np.testing.assert_array_equal(encoder.omega_, 1.0)


def test_the_paper_s_stopping_rule_can_be_met(melons):
    encoder = UNTIE.from_paper(2, learning_rate=1.0, random_state=0)
    with pytest.warns(UserWarning, match="drove every weight to 0"):
        encoder.fit(melons)
    assert encoder.n_iter_ < 1000


def test_from_paper_is_the_printed_protocol():
    parameters = UNTIE.from_paper(3).get_params()
    expected = {
        "n_clusters": 3,
        "couplings": ("intra", "inter"),
        "kernels": "paper",
        "normalization": "diagonal",
        "solver": "adam",
        "learning_rate": 1e-3,
        "batch_size": 20,
        "max_iter": 1000,
    }
    assert {name: parameters[name] for name in expected} == expected


def test_auto_finds_the_latent_classes():
    table, _ = latent_classes(1000, 4, 12, 4, seed=1)
    assert TableEncoder(preparer=None).fit(table).n_clusters_ == 4


def test_a_frame_of_one_row_and_auto(melons):
    with pytest.warns(UserWarning, match="single value"):
        encoder = TableEncoder(preparer=None).fit(melons.iloc[:1])
    assert encoder.n_clusters_ == 1
    assert isinstance(encoder.value_similarity("Color"), pd.DataFrame)


@pytest.mark.parametrize(("solver", "n_times"), [("auto", 2), ("relevance", 1), ("uniform", 1)])
def test_the_vectors_of_given_weights_are_computed_once(solver, n_times, monkeypatch):
    asked = []

    def counting(spaces, omega):
        asked.append(omega)
        return spectrum.roots(spaces, omega)

    monkeypatch.setattr("untie._learn.learning.roots", counting)
    encoder_of(3, solver=solver).fit(latent_classes(200, 3, 5, 4, seed=0)[0])
    assert len(asked) == n_times  # one for each of the two that "auto" chooses from
