"""The stages one by one give what `fit` gives, and the share is that of explicit rows."""

import numpy as np
import pytest

from untie import UNTIE
from untie.datasets import load
from untie_paper.fitted import quietly_fitted
from untie_paper.stages import build_couplings, learn_weights, unexplained_share


@pytest.mark.parametrize(
    "encoder", [UNTIE.from_paper(3, random_state=1, max_iter=50), UNTIE(3, solver="exact")]
)
def test_stages_are_fit(encoder):
    X, _ = load("hayesroth")
    solution = learn_weights(encoder, build_couplings(encoder, X))
    fitted = quietly_fitted(encoder, X)
    np.testing.assert_array_equal(solution.omega, fitted.omega_)
    assert solution.loss_curve == fitted.loss_curve_


def test_share_is_that_of_the_similarities_of_all_rows():
    X, _ = load("hayesroth")
    encoder = UNTIE(3, solver="exact", tau=0.5)
    problem = build_couplings(encoder, X)
    omega = learn_weights(encoder, problem).omega
    values = np.linalg.eigvalsh(encoder.fit(X).similarity(X))
    expected = values[:-3].sum() / values.sum()
    assert unexplained_share(problem, omega) == pytest.approx(expected, rel=1e-9)


def test_centred_share_is_what_the_exact_solver_starts_from():
    X, _ = load("hayesroth")
    encoder = UNTIE(3, solver="exact")
    problem = build_couplings(encoder, X)
    ones = np.ones(problem.spaces.n_coordinates)
    first = learn_weights(encoder, problem).loss_curve[0]
    assert unexplained_share(problem, ones, centred=True) == pytest.approx(first, rel=1e-9)


def test_share_of_no_weights_is_zero():
    problem = build_couplings(UNTIE.from_paper(2), load("hayesroth")[0])
    assert unexplained_share(problem, np.zeros(problem.spaces.n_coordinates)) == 0.0


def test_what_is_left_open_is_refused():
    with pytest.raises(ValueError, match="number of clusters"):
        build_couplings(UNTIE(), [["a"], ["b"]])
