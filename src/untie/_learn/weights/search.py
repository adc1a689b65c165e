"""Weights found by a search: the objective from counts, and the printed protocol.

"exact" and "lp" alternate between the best H for the weights and the best weights for H, and add
what makes the printed objective well-posed: a price for leaving equal weights, or bounds. "adam"
and "adagrad" take small batches of rows and a gradient step each.
"""

from collections.abc import Callable

import numpy as np
from numpy.random import RandomState

from untie._learn.linalg.eigen import leading
from untie._learn.linalg.spectrum import TINY, center, explained, reduced_gram, roots
from untie._learn.spaces.value_tables import Dense
from untie._learn.weights.weightings import Problem, Settings, Solution
from untie._table.rows import Rows
from untie._util.checks import draws_of
from untie._util.messages import warn_user
from untie._util.types import FloatArray, IntArray

Objective = Callable[[FloatArray, FloatArray, FloatArray], float]
"""(omega, energies as shares of their total, unexplained shares) -> loss."""

BestWeights = Callable[[FloatArray, FloatArray], FloatArray]
"""(unexplained shares, energies as shares of their total) -> omega."""


def alternate(
    problem: Problem,
    settings: Settings,
    objective: Objective,
    best_weights: BestWeights,
    noise: float,
) -> Solution:
    """Take the best H for omega and the best omega for H in turn, from omega = 1.

    Both steps minimize the same objective, so it never rises. A coordinate that is constant
    over the rows says nothing and has the weight 0.

    Parameters
    ----------
    problem, settings
        What to solve, and how long.
    objective : function
        The loss, a share of 1.
    best_weights : function
        The weights with the lowest loss for given costs.
    noise : float
        A loss or a gain below this is made of rounding; a step for it is not taken.
    """
    moves = problem.energies > TINY * problem.uncentered_energies
    energy = np.where(moves, problem.energies, 0.0)
    prior = energy / energy.sum()
    omega = np.where(energy > 0, 1.0, 0.0)
    before = omega
    losses: list[float] = []
    while True:
        unexplained = _unexplained_shares(problem, omega, energy)
        loss = objective(omega, prior, unexplained)
        n_steps = len(losses)
        gain = losses[-1] - loss if losses else np.inf
        if gain <= noise:  # at rest but for rounding: the last step is not taken
            return Solution(before, losses, n_steps)
        losses.append(loss)
        if gain <= settings.tol * loss or loss <= noise:
            return Solution(omega, losses, max(1, n_steps))
        if n_steps == settings.max_iter:
            return Solution(omega, losses, n_steps, converged=False)
        before, omega = omega, best_weights(unexplained, prior)


def _unexplained_shares(problem: Problem, omega: FloatArray, energy: FloatArray) -> FloatArray:
    """Return c_d / t_d: the share of each coordinate that the best H for `omega` leaves over.

    Centered, with ``n_clusters - 1`` eigenvectors: the mean, which k-means does not see, would
    otherwise take the first place. 1 for a coordinate that is constant over the rows.
    """
    factors = center(roots(problem.spaces, omega), problem.counts)
    space = leading(reduced_gram(problem.counts, factors), max(1, problem.n_clusters - 1))
    found = explained(problem.spaces, problem.counts, factors, space)
    moving = energy > 0
    shares = np.ones_like(energy)
    shares[moving] = 1.0 - found[moving] / energy[moving]
    return np.clip(shares, 0.0, 1.0)


def solve_exact(problem: Problem, settings: Settings) -> Solution:
    """Minimize the unexplained energy at a fixed total, with a price for leaving omega = 1.

    With t_d a coordinate's centered energy, c_d the part of it that H leaves over and
    p_d = omega_d t_d / sum t its share of the total, the objective over H and omega is ::

        sum_d p_d (c_d / t_d) + tau * sum_d p_d log(p_d / p0_d),    sum_d p_d = 1,

    where p0 are the shares under omega = 1. For fixed omega the best H are the leading
    eigenvectors; for fixed H the best omega_d is proportional to exp(-(c_d / t_d) / tau).
    """

    def objective(omega: FloatArray, prior: FloatArray, unexplained: FloatArray) -> float:
        used = prior * omega > 0
        share = (prior * omega)[used]
        return float(share @ unexplained[used] + settings.tau * (share @ np.log(omega[used])))

    def best_weights(unexplained: FloatArray, prior: FloatArray) -> FloatArray:
        moving = prior > 0
        gain = (unexplained[moving].min() - unexplained) / settings.tau
        omega = np.where(moving, np.exp(np.minimum(gain, 0.0)), 0.0)
        return omega / (prior @ omega)

    return alternate(problem, settings, objective, best_weights, noise=1e-14)


LARGEST_WEIGHT = 2.0
"""No coordinate may count for more than twice what it counts for under omega = 1."""

DECIMALS = 9
"""Costs that agree in this many decimals are equal; symmetric tables have many such."""


def solve_lp(problem: Problem, settings: Settings) -> Solution:
    """Alternate the best H with the linear program for omega.

    For a given H, sum_d omega_d c_d over omega >= 0 alone is smallest at omega = 0 (and wherever
    only coordinates that H explains fully have weight), and with a fixed total energy alone at the
    single cheapest coordinate. The program solved here is ::

        min sum_d omega_d c_d    subject to    sum_d omega_d t_d = sum_d t_d,
                                               0 <= omega_d <= 2,

    a fractional knapsack: the coordinates best explained by H, up to half of the energy, get
    the weight 2 and the rest 0.
    """

    def objective(omega: FloatArray, prior: FloatArray, unexplained: FloatArray) -> float:
        return float((prior * omega) @ unexplained)

    # Costs are rounded, and a step between vertices for less than that would be a coin toss.
    return alternate(problem, settings, objective, cheapest_weights, noise=10.0 ** (1 - DECIMALS))


def cheapest_weights(unexplained: FloatArray, energy: FloatArray) -> FloatArray:
    """Solve the program for one H; coordinates of equal cost are treated alike.

    Parameters
    ----------
    unexplained : array of shape (n_coordinates,)
        Cost of a unit of each coordinate's energy.
    energy : array of shape (n_coordinates,)
        Energies at omega = 1.
    """
    levels, members = np.unique(np.round(unexplained, DECIMALS), return_inverse=True)
    supply = LARGEST_WEIGHT * np.bincount(members, energy, minlength=len(levels))
    before = np.concatenate([[0.0], np.cumsum(supply)[:-1]])
    taken = np.clip(energy.sum() - before, 0.0, supply)
    fractions = np.divide(taken, supply, out=np.zeros_like(supply), where=supply > 0)
    return np.where(energy > 0, LARGEST_WEIGHT * fractions[members], 0.0)


WINDOW = 100
"""Losses are averaged over this many steps before they are compared; one batch's loss is noise."""

Step = Callable[[FloatArray, int], FloatArray]
"""(gradient, number of the step from 1) -> what to take away from omega."""


def descend(problem: Problem, settings: Settings, step: Step) -> Solution:
    """Minimize Tr(S (I - HH')) on batches of rows, as printed, with omega clipped at 0.

    Each batch's H are the leading `n_clusters` eigenvectors of its own S; that and the clipping are
    readings of what the paper leaves open. No gradient is negative, so no weight ever grows. The
    minimum, 0, is attained by omega = 0 and by every omega whose weighted columns span at most
    `n_clusters` dimensions; which of them a run comes near depends on its steps, their length and
    the rows drawn, so these are part of the method.
    """
    if problem.rows is None:
        raise ValueError("The stochastic solvers draw rows; they can't learn from counts alone.")
    omega = np.ones(problem.spaces.n_coordinates)
    if problem.n_clusters >= settings.batch_size:
        warn_user(
            f"n_clusters={problem.n_clusters} eigenvectors explain a batch of batch_size="
            f"{settings.batch_size} rows fully: there is no gradient, and omega stays 1. Raise "
            "batch_size to learn weights."
        )
        return Solution(omega, [0.0], n_iter=1)
    tables = _kernel_rows(problem)
    losses: list[float] = []
    draws = draws_of(settings.random_state)
    for number in range(1, settings.max_iter + 1):
        drawn = _draw(problem.rows, settings.batch_size, draws)
        pairs = zip(tables, problem.rows.codes, strict=True)
        features = np.concatenate([table[column[drawn]] for table, column in pairs], axis=1)
        loss, gradient = _loss_and_gradient(features, omega, problem.n_clusters)
        losses.append(loss)
        if _at_rest(losses, settings.tol):
            return Solution(omega, losses, number)
        omega = np.maximum(omega - step(gradient, number), 0.0)
    return Solution(omega, losses, settings.max_iter, converged=False)


def _kernel_rows(problem: Problem) -> list[FloatArray]:
    """Return each attribute's kernel rows, and their mean for an unknown cell."""
    pairs = zip(problem.spaces.columns, problem.counts.parts, strict=True)
    return [Dense(table.toarray()).with_mean(own) for table, own in pairs]


def _draw(rows: Rows, n: int, draws: RandomState) -> IntArray:
    """Draw rows in proportion to their weights; a row of weight 2 is drawn like two rows."""
    uniform = draws.random_sample(n)
    n_rows = len(rows.codes[0])
    if rows.weights is None:
        return (uniform * n_rows).astype(np.intp)
    cumulated = np.cumsum(rows.weights)
    drawn = np.searchsorted(cumulated, uniform * cumulated[-1], side="right")
    return np.minimum(drawn, n_rows - 1)


def _loss_and_gradient(
    features: FloatArray, omega: FloatArray, n_clusters: int
) -> tuple[float, FloatArray]:
    similarity = (features * omega) @ features.T
    _, vectors = np.linalg.eigh(similarity)
    indicators = vectors[:, max(0, len(similarity) - n_clusters) :]
    left_over = features - indicators @ (indicators.T @ features)
    # The left-over part is a projection, so its squares are never below 0.
    gradient = np.square(left_over).sum(axis=0)
    return float(omega @ gradient), gradient


def _at_rest(losses: list[float], tol: float) -> bool:
    if len(losses) < 2 * WINDOW or len(losses) % WINDOW:
        return False
    before, now = np.mean(losses[-2 * WINDOW : -WINDOW]), np.mean(losses[-WINDOW:])
    return bool(abs(before - now) <= tol * before)


DECAY, SQUARE_DECAY, ADAM_FLOOR = 0.9, 0.999, 1e-8
"""The usual constants of Adam."""


def solve_adam(problem: Problem, settings: Settings) -> Solution:
    """Minimize the printed objective with Adam."""
    mean, square = np.zeros((2, problem.spaces.n_coordinates))

    def step(gradient: FloatArray, number: int) -> FloatArray:
        mean[:] = DECAY * mean + (1 - DECAY) * gradient
        square[:] = SQUARE_DECAY * square + (1 - SQUARE_DECAY) * np.square(gradient)
        unbiased = mean / (1 - DECAY**number)
        scale = np.sqrt(square / (1 - SQUARE_DECAY**number)) + ADAM_FLOOR
        return settings.learning_rate * unbiased / scale

    return descend(problem, settings, step)


ADAGRAD_FLOOR = 1e-8
"""Keeps the first step finite where the gradient is 0."""


def solve_adagrad(problem: Problem, settings: Settings) -> Solution:
    """Minimize the printed objective with AdaGrad."""
    squares = np.zeros(problem.spaces.n_coordinates)

    def step(gradient: FloatArray, number: int) -> FloatArray:
        squares[:] += np.square(gradient)
        return settings.learning_rate * gradient / (np.sqrt(squares) + ADAGRAD_FLOOR)

    return descend(problem, settings, step)


SOLVERS = {"exact": solve_exact, "adam": solve_adam, "adagrad": solve_adagrad, "lp": solve_lp}
"""By name, as the parameter `solver` has them, beside `WEIGHTINGS`."""

ROW_SOLVERS = ("adam", "adagrad")
"""Solvers that draw rows; the others need the counts alone."""
