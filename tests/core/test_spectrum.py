import numpy as np
import pytest
from hypothesis import given

from oracle import centred, costs, full_features
from tables import latent_classes, small_tables
from untie import count_table
from untie.core import spectrum
from untie.core.couplings import resolve_couplings
from untie.core.kernels import by_diagonal, resolve_kernels
from untie.core.spaces import build_spaces


def paper_spaces(counts):
    couplings, kernels = resolve_couplings(("intra", "inter")), resolve_kernels("paper")
    return build_spaces(counts, couplings, kernels, by_diagonal)


def learned(table, omega=None, n_vectors=2, is_centred=True):
    counts = count_table(table).counts
    spaces = paper_spaces(counts)
    omega = np.ones(spaces.n_coordinates) if omega is None else omega
    factors = spectrum.roots(spaces, omega)
    space = spectrum.leading(spectrum.reduced_gram(counts, factors, is_centred), n_vectors)
    energy = spectrum.energies(spaces, counts, is_centred)
    found = spectrum.explained(spaces, counts, factors, space, is_centred)
    return factors, space, energy, found


@given(table=small_tables())
@pytest.mark.parametrize("is_centred", [True, False])
def test_costs_equal_brute_force_over_explicit_rows(table, is_centred):
    X = full_features(table.to_numpy().tolist())
    X = centred(X) if is_centred else X
    omega = np.random.default_rng(0).random(X.shape[1])
    _, space, energy, found = learned(table, omega, 2, is_centred)
    expected_energy, left = costs(X, omega, 2)
    np.testing.assert_allclose(energy, expected_energy, atol=1e-9)
    # Equal eigenvalues leave H open, but never the weighted sum of what it leaves over.
    assert omega @ (energy - found) == pytest.approx(omega @ left, abs=1e-8)
    if (space.shares == 1).all() and len(space.values) == 2:
        np.testing.assert_allclose(energy - found, left, atol=1e-6)


@given(table=small_tables())
def test_roots_keep_all_inner_products(table):
    X = full_features(table.to_numpy().tolist())
    omega = np.random.default_rng(1).random(X.shape[1])
    factors = learned(table, omega)[0]
    codes = [np.unique(table[c], return_inverse=True)[1] for c in table]
    short = np.hstack([factor[code] for factor, code in zip(factors, codes, strict=True)])
    np.testing.assert_allclose(short @ short.T, (X * omega) @ X.T, atol=1e-9)


def test_roots_are_symmetric(melons):
    for factor in learned(melons)[0]:
        np.testing.assert_allclose(factor, factor.T, atol=1e-12)


def test_equal_eigenvalues_share_the_last_place():
    gram = np.diag([5.0, 2.0, 2.0, 2.0, 1.0])
    space = spectrum.leading(gram, 2)
    np.testing.assert_allclose(space.shares, [1, 1 / 3, 1 / 3, 1 / 3])


def test_more_equal_eigenvalues_than_were_looked_at(monkeypatch):
    gram = np.diag([5.0] + [2.0] * 30 + [1.0] * 29)
    monkeypatch.setattr(spectrum, "FULL_SOLVER_SIZE", 10)
    space = spectrum.leading(gram, 3)
    np.testing.assert_allclose(space.shares, [1] + [2 / 30] * 30)


def test_fewer_vectors_where_the_rank_is_lower():
    space = spectrum.leading(np.diag([3.0, 0.0, 0.0]), 2)
    np.testing.assert_allclose(space.values, [3.0])
    assert spectrum.leading(np.zeros((3, 3)), 2).vectors.shape == (3, 0)


def test_eigenvalues_that_are_rounding_noise_are_left_out():
    space = spectrum.leading(np.diag([1.0, 2e-12, -1e-12, -2e-12]), 3)
    np.testing.assert_allclose(space.values, [1.0])


def test_lanczos_agrees_with_the_full_solver(monkeypatch):
    table, _ = latent_classes(300, 3, 8, 6, seed=0)
    counts = count_table(table).counts
    spaces = paper_spaces(counts)
    factors = spectrum.roots(spaces, np.ones(spaces.n_coordinates))
    gram = spectrum.reduced_gram(counts, factors)
    full = spectrum.leading(gram, 2)
    monkeypatch.setattr(spectrum, "FULL_SOLVER_SIZE", 10)
    partial = spectrum.leading(gram, 2)
    np.testing.assert_allclose(partial.values, full.values, rtol=1e-10)
    np.testing.assert_allclose(np.abs(partial.vectors.T @ full.vectors), np.eye(2), atol=1e-8)


@pytest.mark.parametrize("is_centred", [True, False])
def test_the_operator_multiplies_by_the_matrix(is_centred, monkeypatch):
    table, _ = latent_classes(300, 3, 8, 6, seed=0)
    counts = count_table(table).counts
    factors = [np.diag(np.arange(1.0, size + 1)) for size in counts.sizes]
    dense = spectrum.reduced_gram(counts, factors, is_centred)
    monkeypatch.setattr(spectrum, "FULL_SOLVER_SIZE", 10)
    operator = spectrum.reduced_gram(counts, factors, is_centred)
    vectors = np.random.default_rng(0).random((len(dense), 3))
    np.testing.assert_allclose(operator @ vectors, dense @ vectors, atol=1e-8)
    np.testing.assert_allclose(operator @ vectors[:, 0], dense @ vectors[:, 0], atol=1e-8)
    np.testing.assert_allclose(  # so many that the full solver takes over
        spectrum.eigenvalues(operator, 30), np.linalg.eigvalsh(dense)[::-1][:30], atol=1e-6
    )
    np.testing.assert_allclose(
        spectrum.eigenvalues(operator, 3), np.linalg.eigvalsh(dense)[::-1][:3], rtol=1e-10
    )


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
def test_the_spectrum_tells_the_number_of_latent_classes(n_classes):
    table, _ = latent_classes(2000, n_classes, 12, 4, seed=n_classes, purity=0.75)
    assert spectrum.choose_n_clusters(count_table(table).counts, 20) == n_classes


def test_the_number_of_clusters_does_not_depend_on_the_scale_of_weights():
    table, _ = latent_classes(500, 3, 12, 4, seed=0)
    whole = count_table(table)
    scaled = count_table(table, sample_weight=np.full(500, 1 / 500))
    assert spectrum.choose_n_clusters(scaled.counts, 20) == 3
    assert spectrum.choose_n_clusters(whole.counts, 20) == 3


def test_without_structure_two_clusters_are_chosen():
    rng = np.random.default_rng(0)
    counts = count_table(rng.integers(0, 4, (1000, 15))).counts
    assert spectrum.choose_n_clusters(counts, 20) == 2
    assert spectrum.choose_n_clusters(counts, 1) == 1
