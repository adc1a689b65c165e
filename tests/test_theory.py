"""The paper's theorems, checked by computation; docs/method.md says which parts hold."""

from itertools import pairwise, product

import numpy as np
import pytest

from oracle import full_features
from tables import latent_classes
from untie import UNTIE


@pytest.fixture
def survey():
    return latent_classes(300, 3, 6, 4, seed=5)[0]


def partitions(n_rows, n_clusters):
    """Yield every labelling that uses all clusters."""
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


def test_theorem_4_as_printed_ends_at_weights_of_zero(survey):
    with pytest.warns(UserWarning, match="drove every weight to 0"):
        encoder = UNTIE.from_paper(3, learning_rate=0.5, random_state=0).fit(survey)
    assert encoder.loss_curve_[-1] == 0
