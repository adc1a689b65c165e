"""The paper's theorems, checked by computation; the page on the method says which parts hold."""

from functools import reduce
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import costs, full_features, leading_vectors
from tables import latent_classes, small_tables
from untie import UNTIE
from untie._count.tally import tally_table
from untie._learn.spaces.couplings import inter, intra
from untie._table.table import read_table


@pytest.fixture
def survey():
    return latent_classes(300, 3, 6, 4, seed=5)[0]


def partitions(n_rows, n_clusters):
    """Yield every labeling that uses all clusters."""
    for labels in product(range(n_clusters), repeat=n_rows):
        if len(set(labels)) == n_clusters:
            yield np.array(labels)


def normalized_cuts(affinity, labels):
    """Return Definition 1 for each cluster against the rest."""
    cuts = []
    for cluster in np.unique(labels):
        inside = labels == cluster
        cuts.append(affinity[np.ix_(inside, ~inside)].sum() / affinity[inside].sum())
    return np.array(cuts)


def kernel_kmeans_objective(similarity, indicators):
    """Return Tr(S (I - HH'))."""
    return np.trace(similarity) - np.trace(indicators.T @ similarity @ indicators)


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_theorem_3_normalized_cut_is_the_objective_of_the_scaled_similarity(melons, n_clusters):
    affinity = UNTIE(2, solver="uniform").fit(melons).similarity(melons)
    assert affinity.min() >= 0  # the theorem asks for a graph
    degrees = affinity.sum(axis=1)
    scaled = affinity / np.sqrt(np.outer(degrees, degrees))
    for labels in partitions(6, n_clusters):
        member = (labels[:, None] == range(n_clusters)).astype(float)
        volumes = degrees @ member
        indicators = np.sqrt(degrees)[:, None] * member / np.sqrt(volumes)
        np.testing.assert_allclose(indicators.T @ indicators, np.eye(n_clusters), atol=1e-12)
        objective = kernel_kmeans_objective(scaled, indicators)
        cuts = normalized_cuts(affinity, labels).sum()
        assert objective == pytest.approx(np.trace(scaled) - n_clusters + cuts)


def test_theorem_3_holds_for_the_scaled_similarity_only(melons):
    """For S itself the objective is another function of the partition than the cut."""
    S = UNTIE(2, solver="uniform").fit(melons).similarity(melons)
    objectives, cuts = [], []
    for labels in partitions(6, 2):
        member = (labels[:, None] == range(2)).astype(float)
        objectives.append(kernel_kmeans_objective(S, member / np.sqrt(member.sum(axis=0))))
        cuts.append(normalized_cuts(S, labels).mean())
    differences = np.array(objectives) - np.trace(S) + 2 - 2 * np.array(cuts)
    assert np.ptp(differences) > 1


def test_theorem_2_the_similarity_is_the_papers_sum_of_kernels(survey):
    """S = sum over p of beta_p K'_p K'_p', from the alpha and beta that `weights` reports."""
    encoder = UNTIE(3, solver="exact", tau=0.3).fit(survey)
    X = full_features(survey.to_numpy().tolist())  # columns in the order of `weights`
    frame = encoder.weights()
    S = np.zeros((len(X), len(X)))
    for _, space in frame.groupby(["column", "coupling", "kernel"]):
        reconstructed = X[:, space.index] * space["alpha"].to_numpy()
        S += space["beta"].iloc[0] * reconstructed @ reconstructed.T
    np.testing.assert_allclose(encoder.similarity(survey), S, atol=1e-8)
    assert frame["beta"].min() >= 0
    assert np.linalg.eigvalsh(S).min() >= -1e-9


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_theorem_4_the_loss_falls_to_rest_though_the_eigenvectors_never_repeat(survey):
    """With a relaxed H there are not finitely many; a falling loss above 0 is what converges."""
    weights = [
        UNTIE(3, solver="exact", tau=0.3, max_iter=steps).fit(survey).omega_
        for steps in range(1, 6)
    ]
    # another omega, and so another H, at every step
    assert min(np.abs(after - before).max() for before, after in pairwise(weights)) > 0
    falls = -np.diff(UNTIE(3, solver="exact", tau=0.3, tol=1e-12).fit(survey).loss_curve_)
    assert (falls > 0).all()
    assert falls[-1] < 1e-6 * falls[0]


def printed_loss(features, omega, n_clusters):
    """Return the printed objective at its best H, brute force: rows in full, no counts."""
    similarity = (features * omega) @ features.T
    return kernel_kmeans_objective(similarity, leading_vectors(similarity, n_clusters))


def test_the_printed_objective_is_0_away_from_omega_0(melons):
    """Texture has two values, so whatever its columns weigh, two eigenvectors explain them."""
    encoder = UNTIE(2, solver="uniform", output="full").fit(melons)
    X = encoder.transform(melons)
    omega = np.where(encoder.weights()["column"] == "Texture", 5.0, 0.0)
    assert np.sum(X**2 @ omega) == pytest.approx(655.05, abs=0.01)  # the trace of S
    assert printed_loss(X, omega, 2) == pytest.approx(0.0, abs=1e-9)
    assert printed_loss(X, np.ones_like(omega), 2) == pytest.approx(14.221306, abs=1e-6)


@given(small_tables(min_rows=6), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_the_printed_objective_is_what_the_eigenvectors_leave_over(table, n_clusters, seed):
    """It is 0 for every weighting of columns that span n_clusters dimensions, and only for them."""
    X = full_features(table.to_numpy().tolist())
    random = np.random.default_rng(seed)
    omega = random.uniform(0.1, 5.0, X.shape[1])
    few = random.permutation(X.shape[1])[:n_clusters]  # so many columns span no more
    low_rank = np.zeros_like(omega)
    low_rank[few] = omega[few]
    scale = np.sum(X**2 @ omega)
    assert printed_loss(X, low_rank, n_clusters) == pytest.approx(0.0, abs=1e-10 * scale)
    rest = np.sort(np.linalg.svd(X * np.sqrt(omega), compute_uv=False))[::-1][n_clusters:]
    assert printed_loss(X, omega, n_clusters) == pytest.approx(np.sum(rest**2), abs=1e-10 * scale)


def test_for_fixed_eigenvectors_no_weight_has_a_negative_cost(survey):
    """So a smaller weight is never dearer, and omega = 0 is among the minima."""
    X = full_features(survey.to_numpy().tolist())
    _, unexplained = costs(X, np.ones(X.shape[1]), 3)
    S = X @ X.T
    eigenvectors = np.linalg.eigh(S)[1][:, -3:]
    left_over = np.eye(len(S)) - eigenvectors @ eigenvectors.T
    by_definition = np.einsum("id,ij,jd->d", X, left_over, X, optimize=True)
    np.testing.assert_allclose(by_definition, unexplained, atol=1e-8)
    assert by_definition.min() > -1e-8
    assert (unexplained > 0.01).mean() > 0.5  # and for most it is positive


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_long_run_of_the_printed_protocol_ends_in_a_low_rank_selection(survey):
    """At the printed rate: hardly any loss, but weights that are not 0, others for other draws."""
    X = full_features(survey.to_numpy().tolist())
    first = printed_loss(X, np.ones(X.shape[1]), 3)
    alive = []
    for seed in (0, 1):
        omega = UNTIE.from_paper(3, max_iter=10_000, random_state=seed).fit(survey).omega_
        spectrum = np.linalg.eigvalsh((X * omega) @ X.T)
        assert printed_loss(X, omega, 3) < 1e-4 * first
        assert omega.max() > 0.05
        assert (omega > 0).sum() > 10
        # What is alive has as many dimensions as there are eigenvectors: no more is free of loss.
        assert (spectrum > 1e-3 * spectrum.sum()).sum() == 3
        alive.append(set(np.flatnonzero(omega)))
    assert alive[0] != alive[1]


def test_equation_8_as_printed_scales_rows_and_equations_11_and_21_columns(survey):
    """The package follows the latter, in which a weight belongs to a coordinate of x."""
    encoder = UNTIE(3, solver="exact", tau=0.3).fit(survey)
    X = full_features(survey.to_numpy().tolist())
    frame = encoder.weights()
    by_rows, by_columns = np.zeros((2, len(X), len(X)))
    for (column, _, _), space in frame.groupby(["column", "coupling", "kernel"]):
        kernel_rows, alpha = X[:, space.index], space.set_index("value")["alpha"]
        own = survey[column].map(alpha).to_numpy(dtype=float)  # that of the row's value
        by_rows += space["beta"].iloc[0] * np.outer(own, own) * (kernel_rows @ kernel_rows.T)
        by_columns += space["beta"].iloc[0] * (kernel_rows * alpha.to_numpy() ** 2) @ kernel_rows.T
    S = encoder.similarity(survey)
    np.testing.assert_allclose(S, by_columns, atol=1e-8)
    assert np.abs(S - by_rows).max() > 0.01 * S.max()


def decompose(tensor):
    """Return shares and probability vectors with tensor = sum of shares x outer products.

    A component for each cell of all attributes but the last: these are certain in it, and the last
    has its conditional probabilities.
    """
    shares, parts = [], []
    for cell in np.ndindex(tensor.shape[:-1]):
        share = tensor[cell].sum()
        if share > 0:
            points = [np.eye(n)[v] for n, v in zip(tensor.shape, cell, strict=False)]
            shares.append(share)
            parts.append([*points, tensor[cell] / share])
    return np.array(shares), parts


def composed(shares, parts):
    """Return the tensor of a mixture of independent attributes."""
    outer = [reduce(np.multiply.outer, vectors) for vectors in parts]
    return np.tensordot(shares, outer, axes=1)


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.integers(0, 2**32 - 1))
def test_theorem_1_every_distribution_is_a_mixture_of_independent_attributes(sizes, seed):
    random = np.random.default_rng(seed)
    tensor = random.random(sizes) * random.integers(0, 2, sizes)
    tensor.flat[0] += 1e-3  # at least one cell
    tensor /= tensor.sum()
    shares, parts = decompose(tensor)
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1.0)
    for vectors in parts:
        assert all(vector.min() >= 0 for vector in vectors)
        np.testing.assert_allclose([vector.sum() for vector in vectors], 1.0)
    np.testing.assert_allclose(composed(shares, parts), tensor, atol=1e-12)


def test_theorem_1_bounds_no_number_of_components_and_has_many_solutions():
    """Two equal columns of v values need v components, however many clusters there are."""
    same = np.eye(5) / 5
    shares, parts = decompose(same)
    assert len(shares) == 5 == np.linalg.matrix_rank(same)  # a mixture of k has at most rank k
    independent = np.full((2, 2), 0.25)
    halves = [[np.array([1.0, 0.0]), np.full(2, 0.5)], [np.array([0.0, 1.0]), np.full(2, 0.5)]]
    turned = [vectors[::-1] for vectors in halves]
    for parts in (halves, turned, [[np.full(2, 0.5)] * 2] * 2):
        np.testing.assert_allclose(composed(np.full(2, 0.5), parts), independent)


def test_theorem_1_couplings_do_not_tell_the_distribution():
    """Eqs. 1 and 4 know pairs of attributes; the third moment of three is free."""
    signs = np.array([1, -1, -1, 1, -1, 1, 1, -1])  # the parity of the cell
    cells = np.array(list(product("ab", repeat=3)))
    counts = np.array([20, 9, 11, 8, 7, 12, 10, 23])
    tables = [pd.DataFrame(np.repeat(cells, counts + 4 * sign * signs, axis=0)) for sign in (1, -1)]
    one, other = (tally_table(read_table(table)).counts for table in tables)
    assert sorted(map(tuple, tables[0].to_numpy())) != sorted(map(tuple, tables[1].to_numpy()))
    for attribute in range(3):
        for coupling in (intra, inter):
            np.testing.assert_array_equal(coupling(one, attribute), coupling(other, attribute))
    first, second = (UNTIE(2, solver="exact", tau=0.3).fit(table) for table in tables)
    np.testing.assert_array_equal(first.omega_, second.omega_)
    np.testing.assert_array_equal(first.similarity(cells), second.similarity(cells))
