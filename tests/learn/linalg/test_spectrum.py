import numpy as np
import pytest
from hypothesis import given

from oracle import centered, costs, full_features
from tables import encoder_of, fit_known, latent_classes, small_tables
from untie import UNTIE, TableEncoder, count_table
from untie._learn.linalg import eigen, spectrum
from untie._learn.spaces.couplings import resolve_couplings
from untie._learn.spaces.kernel_spaces import build_spaces
from untie._learn.spaces.kernels import ByDiagonal, resolve_kernels
from untie._learn.spaces.value_tables import Dense


def paper_spaces(counts):
    couplings, kernels = resolve_couplings(("intra", "inter")), resolve_kernels("paper")
    return build_spaces(counts, couplings, kernels, ByDiagonal())


@given(table=small_tables())
def test_costs_equal_brute_force_over_explicit_rows(table):
    counts = count_table(table).counts
    spaces = paper_spaces(counts)
    X = centered(full_features(table.to_numpy().tolist()))
    omega = np.random.default_rng(0).random(X.shape[1])
    factors = spectrum.center(spectrum.roots(spaces, omega), counts)
    space = eigen.leading(spectrum.reduced_gram(counts, factors), 2)
    energy = spectrum.energies(spaces, counts)
    found = spectrum.explained(spaces, counts, factors, space)
    expected_energy, left = costs(X, omega, 2)
    np.testing.assert_allclose(energy, expected_energy, atol=1e-9)
    # Equal eigenvalues leave H open, but never the weighted sum of what it leaves over.
    assert omega @ (energy - found) == pytest.approx(omega @ left, abs=1e-8)
    if (space.shares == 1).all() and len(space.values) == 2:
        np.testing.assert_allclose(energy - found, left, atol=1e-6)


@given(table=small_tables())
def test_uncentered_energies_and_eigenvalues_equal_brute_force(table):
    counts = count_table(table).counts
    spaces = paper_spaces(counts)
    X = full_features(table.to_numpy().tolist())
    omega = np.random.default_rng(0).random(X.shape[1])
    energy = spectrum.energies(spaces, counts, centered=False)
    np.testing.assert_allclose(energy, np.sum(X**2, axis=0), atol=1e-9)
    gram = spectrum.reduced_gram(counts, spectrum.roots(spaces, omega))
    expected = np.linalg.eigvalsh((X * omega) @ X.T)[::-1]
    found = eigen.eigenvalues(gram, len(X))
    np.testing.assert_allclose(found, expected[: len(found)], atol=1e-8)


@given(table=small_tables())
def test_roots_keep_all_inner_products(table):
    X = full_features(table.to_numpy().tolist())
    omega = np.random.default_rng(1).random(X.shape[1])
    factors = spectrum.roots(paper_spaces(count_table(table).counts), omega)
    codes = [np.unique(table[c], return_inverse=True)[1] for c in table]
    short = np.hstack([factor.array[code] for factor, code in zip(factors, codes, strict=True)])
    np.testing.assert_allclose(short @ short.T, (X * omega) @ X.T, atol=1e-9)


def test_roots_are_symmetric(melons):
    spaces = paper_spaces(count_table(melons).counts)
    for factor in spectrum.roots(spaces, np.ones(spaces.n_coordinates)):
        np.testing.assert_allclose(factor.array, factor.array.T, atol=1e-12)


def test_an_unknown_cell_stands_at_its_columns_mean():
    """What is learned is the shape of the rows that `transform` returns."""
    table, _ = latent_classes(400, 3, 5, 4, seed=1)
    categories = [["v0", "v1", "v2"]] * 5  # "v3" is unknown
    X = centered(fit_known(TableEncoder(3, preparer=None), table, categories).transform(table))
    singular = np.linalg.svd(X, compute_uv=False)
    for n_components in (1, 2):
        encoder = TableEncoder(3, preparer=None, n_components=n_components)
        projected = fit_known(encoder, table, categories).transform(table)
        assert np.sum(projected**2) == pytest.approx(np.sum(singular[:n_components] ** 2))


def test_exact_weights_fit_the_rows_where_cells_are_unknown():
    table, _ = latent_classes(400, 3, 5, 4, seed=1)
    categories, tau = [["v0", "v1", "v2"]] * 5, 0.3
    encoder = UNTIE(3, tau=tau, tol=1e-13, output="full")
    fit_known(encoder, table, categories)
    plain = fit_known(UNTIE(3, solver="uniform", output="full"), table, categories).transform(table)
    energy, left = costs(centered(plain), encoder.omega_, 2)
    moving = energy > 1e-9
    expected = np.exp(-(left[moving] / energy[moving]) / tau)
    expected *= energy.sum() / (expected @ energy[moving])
    np.testing.assert_allclose(encoder.omega_[moving], expected, rtol=1e-4)


def test_centering_loses_no_digits():
    """A nearly independent table: what varies is tiny beside what does not."""
    counts = count_table([[a, b] for a in "xyz" for b in "pqr"], [1.0] * 8 + [1 + 1e-4]).counts
    spaces = paper_spaces(counts)
    factors = spectrum.center(spectrum.roots(spaces, np.ones(spaces.n_coordinates)), counts)
    space = eigen.leading(spectrum.reduced_gram(counts, factors), 4)
    energy = spectrum.energies(spaces, counts)
    moving = energy > 1e-12 * spectrum.energies(spaces, counts, centered=False)
    shares = spectrum.explained(spaces, counts, factors, space)[moving] / energy[moving]
    np.testing.assert_allclose(shares, 1.0, atol=1e-6)  # four directions are all there are


def test_the_operator_multiplies_by_the_matrix(monkeypatch):
    table, _ = latent_classes(300, 3, 8, 6, seed=0)
    counts = count_table(table).counts
    rng = np.random.default_rng(0)
    factors = [Dense(rng.random((size, size))) for size in counts.sizes]
    dense = spectrum.reduced_gram(counts, factors)
    monkeypatch.setattr(spectrum, "OPERATOR_SIZE", 10)
    operator = spectrum.reduced_gram(counts, factors)
    vectors = rng.random((len(dense), 3))
    np.testing.assert_allclose(operator @ vectors, dense @ vectors, rtol=1e-10)
    np.testing.assert_allclose(operator @ vectors[:, 0], dense @ vectors[:, 0], rtol=1e-10)


@pytest.mark.parametrize("parameters", [{}, {"n_components": 2}, {"solver": "uniform"}])
def test_learning_with_operators_equals_learning_with_matrices(parameters, monkeypatch):
    table, _ = latent_classes(300, 3, 8, 6, seed=0)
    expected = encoder_of(**parameters).fit_transform(table)
    monkeypatch.setattr(spectrum, "OPERATOR_SIZE", 10)
    monkeypatch.setattr(eigen, "FULL_SOLVER_SIZE", 10)
    np.testing.assert_allclose(encoder_of(**parameters).fit_transform(table), expected, atol=1e-7)
