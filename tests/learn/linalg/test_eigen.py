import numpy as np
import pytest

from untie._learn.linalg import eigen


def random_matrix(values, seed=0):
    rng = np.random.default_rng(seed)
    vectors = np.linalg.qr(rng.standard_normal((len(values), len(values))))[0]
    return (vectors * values) @ vectors.T


@pytest.mark.parametrize("full_solver_size", [1500, 10])
def test_leading_vectors(full_solver_size, monkeypatch):
    monkeypatch.setattr(eigen, "FULL_SOLVER_SIZE", full_solver_size)
    values = np.linspace(9, 0, 60)
    gram = random_matrix(values)
    space = eigen.leading(gram, 3)
    np.testing.assert_allclose(space.values, values[:3], rtol=1e-10)
    np.testing.assert_allclose(gram @ space.vectors, space.vectors * space.values, atol=1e-7)
    np.testing.assert_array_equal(space.shares, 1)


def test_equal_eigenvalues_share_the_last_place():
    space = eigen.leading(np.diag([5.0, 2.0, 2.0, 2.0, 1.0]), 2)
    np.testing.assert_allclose(space.shares, [1, 1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("full_solver_size", [1500, 10])
@pytest.mark.parametrize("n_equal", [2, 3, 6, 20])
def test_no_equal_eigenvalue_is_missed(n_equal, full_solver_size, monkeypatch):
    monkeypatch.setattr(eigen, "FULL_SOLVER_SIZE", full_solver_size)
    values = np.concatenate([[10.0], [5.0] * n_equal, np.linspace(3, 0, 79 - n_equal)])
    for seed in range(20):
        gram = random_matrix(values, seed)
        space = eigen.leading(gram, 2)
        np.testing.assert_allclose(space.shares, [1] + [1 / n_equal] * n_equal)
        projector = space.vectors @ space.vectors.T
        np.testing.assert_allclose(projector @ gram, gram @ projector, atol=1e-6)


def test_fewer_vectors_where_the_rank_is_lower():
    space = eigen.leading(np.diag([3.0, 0.0, 0.0]), 2)
    np.testing.assert_allclose(space.values, [3.0])
    assert eigen.leading(np.zeros((3, 3)), 2).vectors.shape == (3, 0)


def test_eigenvalues_that_are_rounding_noise_are_left_out():
    space = eigen.leading(np.diag([1.0, 2e-12, -1e-12, -2e-12]), 3)
    np.testing.assert_allclose(space.values, [1.0])


@pytest.mark.parametrize("n_above", [0, 1, 7])
def test_eigenvalues_above_a_limit_are_all_there(n_above):
    """Noise below, and above it eigenvalues of which some are equal."""
    draws = np.random.default_rng(n_above)
    size = eigen.FULL_SOLVER_SIZE + 100
    above = np.array([9.0, 9.0, 9.0, 7.0, 3.0, 3.0, 2.5])[:n_above]
    values = np.append(above, draws.random(size - n_above))
    turn = np.linalg.qr(draws.standard_normal((size, size)))[0]
    gram = (turn * values) @ turn.T
    np.testing.assert_allclose(eigen.eigenvalues_above(gram, 1.5, 20), above, rtol=1e-10)
    np.testing.assert_allclose(eigen.eigenvalues_above(gram, 1.5, 2), above[:2], rtol=1e-10)


@pytest.mark.parametrize("n_equal", [7, 8, 12, 20])
def test_more_equal_eigenvalues_than_a_block_sees(n_equal, monkeypatch):
    monkeypatch.setattr(eigen, "FULL_SOLVER_SIZE", 10)
    values = np.concatenate([[10.0], [5.0] * n_equal, np.linspace(3, 0, 159 - n_equal)])
    gram = random_matrix(values)
    np.testing.assert_allclose(eigen.eigenvalues(gram, 25), values[:25], rtol=1e-9)
    np.testing.assert_allclose(eigen.eigenvalues_above(gram, 4.0, 30), values[: n_equal + 1])
    np.testing.assert_allclose(eigen.leading(gram, 24).values, values[:24], rtol=1e-9)


def test_no_eigenvalue_above_nothing(monkeypatch):
    monkeypatch.setattr(eigen, "FULL_SOLVER_SIZE", 10)
    assert (eigen.eigenvalues(np.zeros((80, 80)), 3) == 0).all()
    assert eigen.leading(np.zeros((80, 80)), 3).vectors.shape == (80, 0)
    assert eigen.eigenvalues_above(np.zeros((80, 80)), 0.5, 3).shape == (0,)


@pytest.mark.parametrize("seed", range(3))
def test_an_equal_eigenvalue_that_is_known_less_well_is_no_gap(seed, monkeypatch):
    """The tenth is found to 7 digits when the ninth has 10; it is as large and shares its place."""
    monkeypatch.setattr(eigen, "FULL_SOLVER_SIZE", 10)
    values = np.concatenate([np.ones(20), np.random.default_rng(seed).random(70) * 0.9])
    space = eigen.leading(random_matrix(values, seed), 9)
    np.testing.assert_allclose(space.shares, [9 / 20] * 20)


def test_a_search_without_end_is_left_to_the_full_solver(monkeypatch):
    monkeypatch.setattr(eigen, "FULL_SOLVER_SIZE", 10)
    monkeypatch.setattr(eigen, "MOST_PRODUCTS", 0)
    values = np.linspace(2.0, 1.0, 100)
    gram = random_matrix(values)
    np.testing.assert_allclose(eigen.leading(gram, 5).values, values[:5])
    np.testing.assert_allclose(eigen.eigenvalues(gram, 5), values[:5])
    np.testing.assert_allclose(eigen.eigenvalues_above(gram, 1.95, 20), values[values > 1.95])
    np.testing.assert_allclose(eigen.leading(gram, 20).values, values[:20])


def test_equal_axes_lie_as_the_points_say():
    rng = np.random.default_rng(0)
    points = np.linalg.qr(rng.standard_normal((40, 5)))[0] * [3.0, 2.0, 2.0, 2.0, 1.0]
    lengths = np.array([3.0, 2.0, 2.0, 2.0, 1.0])
    expected = points @ eigen.settling(points, lengths)
    np.testing.assert_allclose(expected @ expected.T, points @ points.T, atol=1e-12)
    for _ in range(5):
        turned = points * rng.choice([-1.0, 1.0], 5)
        turned[:, 1:4] = turned[:, 1:4] @ np.linalg.qr(rng.standard_normal((3, 3)))[0]
        np.testing.assert_allclose(turned @ eigen.settling(turned, lengths), expected, atol=1e-12)


def test_the_first_axes_are_those_of_all():
    points = np.linalg.qr(np.random.default_rng(0).standard_normal((40, 6)))[0]
    lengths = np.array([3.0, 2.0, 2.0, 2.0, 1.0, 1.0])
    every = eigen.settling(points, lengths)
    for n_wanted in range(7):
        found = eigen.settling(points, lengths, n_wanted=n_wanted)
        np.testing.assert_allclose(found, every[:, :n_wanted], atol=1e-12)


def test_a_solver_that_loses_equal_eigenvalues(monkeypatch):
    """LAPACK's `dsyevr` does on some CPUs, when asked for some of hundreds of equal ones."""
    solve = eigen.eigh

    def lossy(matrix, subset_by_index=None, **options):
        values, vectors = solve(matrix, subset_by_index=subset_by_index, **options)
        return (values, vectors) if subset_by_index is None else (values[4:], vectors[:, 4:])

    monkeypatch.setattr(eigen, "eigh", lossy)
    gram = random_matrix(np.concatenate([[9.0, 7.0], np.full(30, 4.0), np.ones(8)]))
    assert len(eigen.leading_axes(gram, 10).values) == 32
    np.testing.assert_allclose(eigen.eigenvalues(gram, 10), [9.0, 7.0] + [4.0] * 8)
    space = eigen.leading(gram, 3)
    np.testing.assert_allclose(space.shares, [1, 1] + [1 / 30] * 30)


def test_axes_as_long_as_the_last_come_with_it():
    gram = np.diag([9.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 1.0])
    assert len(eigen.leading_axes(gram, 2).values) == 8
    assert len(eigen.leading_axes(gram, 1).values) == 1
    assert len(eigen.leading_axes(gram, 9).values) == 9
