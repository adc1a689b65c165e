"""The solvers against independent solutions of what they promise to solve."""

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog

from oracle import centered, costs, full_features
from tables import latent_classes, small_tables
from untie import UNTIE, count_table
from untie._learn.spaces.couplings import resolve_couplings
from untie._learn.spaces.kernel_spaces import build_spaces
from untie._learn.spaces.kernels import ByDiagonal, resolve_kernels
from untie._learn.weights.search import (
    LARGEST_WEIGHT,
    SOLVERS,
    _draw,
    _loss_and_gradient,
    cheapest_weights,
)
from untie._learn.weights.weightings import Problem, Settings
from untie._table.rows import Rows

COUNT_SOLVERS = ["exact", "uniform", "lp", "relevance", "discount"]


def make_problem(table, n_clusters=2, kernels="paper"):
    counts = count_table(table).counts
    couplings = resolve_couplings(("intra", "inter"))
    spaces = build_spaces(counts, couplings, resolve_kernels(kernels), ByDiagonal())
    codes = [np.unique(table[column], return_inverse=True)[1] for column in table]
    return Problem(spaces, counts, n_clusters, Rows(codes))


def make_settings(tau=1.0, max_iter=1000, tol=1e-6, seed=0):
    return Settings(tau, 1e-3, 20, max_iter, tol, np.random.RandomState(seed))


@pytest.fixture
def survey():
    return latent_classes(200, 3, 6, 4, seed=3)[0]


def loss_by_hand(X, omega, n_vectors, tau, solver):
    """Return the objective at omega and its best H, over explicit rows."""
    energy, left = costs(X, omega, n_vectors)
    share, prior = omega * energy / energy.sum(), energy / energy.sum()
    used = share > 1e-15
    price = np.sum(share[used] * np.log(share[used] / prior[used])) if solver == "exact" else 0
    return omega @ left / energy.sum() + tau * price


def assert_each_step_lowers_the_loss(table, n_clusters, tau, solver):
    """Each step is taken on its own: the curve that a solver reports is not relied on."""
    problem = make_problem(table, n_clusters)
    X = centered(full_features(table.to_numpy().tolist()))
    before = loss_by_hand(X, np.ones(X.shape[1]), n_clusters - 1, tau, solver)
    for n_steps in (1, 2, 3, 4):
        solution = SOLVERS[solver](problem, make_settings(tau, n_steps, tol=0.0))
        loss = loss_by_hand(X, solution.omega, n_clusters - 1, tau, solver)
        assert loss <= before + 1e-8
        if len(solution.loss_curve) == n_steps + 1:
            assert solution.loss_curve[-1] == pytest.approx(loss, abs=1e-8)
        before = loss


@pytest.mark.parametrize("solver", ["exact", "lp"])
@pytest.mark.parametrize("tau", [0.05, 0.5, 4.0])
def test_each_step_lowers_the_loss(survey, solver, tau):
    assert_each_step_lowers_the_loss(survey, 3, tau, solver)


@given(table=small_tables(min_rows=3))
@pytest.mark.parametrize("solver", ["exact", "lp"])
def test_each_step_lowers_the_loss_on_any_table(table, solver):
    if full_features(table.to_numpy().tolist()).std(axis=0).max() > 1e-6:
        # a degenerate table never reaches a solver
        assert_each_step_lowers_the_loss(table, 2, 0.2, solver)


@pytest.mark.parametrize("solver", ["exact", "lp"])
def test_more_steps_are_more_than_one(survey, solver):
    problem = make_problem(survey, 3)
    one = SOLVERS[solver](problem, make_settings(0.2, max_iter=1))
    many = SOLVERS[solver](problem, make_settings(0.2))
    assert (one.n_iter, one.converged) == (1, False)
    assert many.n_iter > 1
    assert many.converged
    assert many.loss_curve[-1] < one.loss_curve[-1]


def test_exact_weights_are_the_best_for_their_own_eigenvectors(survey):
    tau = 0.5
    problem = make_problem(survey, 3)
    omega = SOLVERS["exact"](problem, make_settings(tau, tol=1e-15)).omega
    X = centered(full_features(survey.to_numpy().tolist()))
    energy, left = costs(X, omega, 2)
    moving = energy > 1e-9
    expected = np.exp(-(left[moving] / energy[moving]) / tau)
    expected *= energy.sum() / (expected @ energy[moving])
    np.testing.assert_allclose(omega[moving], expected, rtol=1e-5)
    assert omega @ energy == pytest.approx(energy.sum())


def test_exact_weights_of_weighted_rows(survey):
    """The same with weights that are not whole numbers, over explicit rows."""
    tau, weights = 0.5, np.random.default_rng(0).random(len(survey)) + 0.1
    rows = survey.to_numpy().tolist()
    encoder = UNTIE(3, solver="exact", tau=tau, tol=1e-13).fit(survey, sample_weight=weights)
    X = full_features(rows, weights=weights.tolist())
    X = centered(X, weights) * np.sqrt(weights)[:, None]
    energy, left = costs(X, encoder.omega_, 2)
    moving = energy > 1e-9
    expected = np.exp(-(left[moving] / energy[moving]) / tau)
    expected *= energy.sum() / (expected @ energy[moving])
    np.testing.assert_allclose(encoder.omega_[moving], expected, rtol=1e-5)


def test_a_large_tau_gives_equal_weights(survey):
    problem = make_problem(survey, 3)
    omega = SOLVERS["exact"](problem, make_settings(1e6)).omega
    np.testing.assert_allclose(omega[omega > 0], 1.0, atol=1e-4)


def test_a_small_tau_sharpens_the_weights(survey):
    spread = [
        np.ptp(SOLVERS["exact"](make_problem(survey, 3), make_settings(tau)).omega)
        for tau in (4.0, 0.5, 0.1)
    ]
    assert spread[0] < spread[1] < spread[2]


def test_lp_weights_solve_the_program(survey):
    rng = np.random.default_rng(0)
    energy, unexplained = rng.random(60), rng.random(60)
    energy[:5] = 0
    unexplained[10:20] = unexplained[10]  # ties
    omega = cheapest_weights(unexplained, energy)
    best = linprog(
        energy * unexplained,
        A_eq=energy[None],
        b_eq=[energy.sum()],
        bounds=[(0, LARGEST_WEIGHT)] * 60,
    )
    assert omega @ energy == pytest.approx(energy.sum())
    assert omega.max() <= LARGEST_WEIGHT + 1e-12
    assert (omega * energy) @ unexplained == pytest.approx(best.fun)


def test_lp_comes_to_rest_in_few_steps(survey):
    solution = SOLVERS["lp"](make_problem(survey, 3), make_settings(tol=0.0, max_iter=100))
    assert solution.converged
    assert len(solution.loss_curve) < 50


def test_gradient_equals_finite_differences():
    rng = np.random.default_rng(0)
    features, omega = rng.random((8, 5)), rng.random(5) + 0.5
    loss, gradient = _loss_and_gradient(features, omega, 2)
    for coordinate in range(5):
        moved = omega.copy()
        moved[coordinate] += 1e-6
        # The best H moves with omega, but to first order that does not change the loss.
        slope = (_loss_and_gradient(features, moved, 2)[0] - loss) / 1e-6
        assert slope == pytest.approx(gradient[coordinate], abs=1e-4)


def adam_by_hand(features_of, n_coordinates, draws, n_clusters, rate):
    omega, mean, square = np.ones(n_coordinates), 0.0, 0.0
    for step, rows in enumerate(draws, start=1):
        X = features_of(rows)
        _, gradient = costs(X, omega, n_clusters)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        unbiased, scale = mean / (1 - 0.9**step), np.sqrt(square / (1 - 0.999**step))
        omega = np.maximum(0, omega - rate * unbiased / (scale + 1e-8))
    return omega


def test_adam_step_by_step(survey):
    problem, n_steps = make_problem(survey, 3), 25
    solution = SOLVERS["adam"](problem, make_settings(max_iter=n_steps))
    rng = np.random.RandomState(0)
    draws = [(rng.random_sample(20) * 200).astype(int) for _ in range(n_steps)]
    X = full_features(survey.to_numpy().tolist())
    expected = adam_by_hand(lambda rows: X[rows], X.shape[1], draws, 3, 1e-3)
    np.testing.assert_allclose(solution.omega, expected, atol=1e-6)
    assert len(solution.loss_curve) == n_steps


def test_adagrad_step_by_step(survey):
    problem = make_problem(survey, 3)
    solution = SOLVERS["adagrad"](problem, make_settings(max_iter=10))
    rng = np.random.RandomState(0)
    X = full_features(survey.to_numpy().tolist())
    omega, squares = np.ones(X.shape[1]), 0.0
    for _ in range(10):
        _, gradient = costs(X[(rng.random_sample(20) * 200).astype(int)], omega, 3)
        squares = squares + gradient**2
        omega = np.maximum(0, omega - 1e-3 * gradient / (np.sqrt(squares) + 1e-8))
    np.testing.assert_allclose(solution.omega, omega, atol=1e-6)


def test_rows_are_drawn_in_proportion_to_their_weights(survey):
    problem = make_problem(survey)
    weights = np.zeros(200)
    weights[[3, 7]] = 1.0, 3.0
    weighted = Rows(problem.rows.codes, weights)
    draws = np.random.RandomState(0)
    rows = np.concatenate([_draw(weighted, 20, draws) for _ in range(500)])
    assert set(rows) == {3, 7}
    assert np.mean(rows == 7) == pytest.approx(0.75, abs=0.02)


@pytest.mark.parametrize("solver", ["adam", "adagrad"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_equal_repetition_for_the_solvers_that_draw(survey, solver):
    weights = np.arange(200) % 3
    repeated = survey.loc[survey.index.repeat(weights)]
    settings = {"n_clusters": 3, "solver": solver, "max_iter": 50, "random_state": 0}
    weighted = UNTIE(**settings).fit(survey, sample_weight=weights)
    np.testing.assert_allclose(weighted.omega_, UNTIE(**settings).fit(repeated).omega_, atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_same_seed_same_weights(survey):
    first, second, other = (
        UNTIE.from_paper(3, random_state=seed, max_iter=50).fit(survey).omega_ for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_uniform_weights_are_one_and_their_loss_is_the_printed_one(survey):
    encoder = UNTIE(3, solver="uniform").fit(survey)
    np.testing.assert_array_equal(encoder.omega_, 1.0)
    _, left = costs(full_features(survey.to_numpy().tolist()), encoder.omega_, 3)
    assert encoder.loss_curve_ == [pytest.approx(left.sum())]
    assert encoder.n_iter_ == 1
