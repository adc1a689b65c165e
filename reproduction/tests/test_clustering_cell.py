"""A cell of the clustering experiments."""

import json

import numpy as np
import pytest

from untie.cluster import KModes
from untie_paper.clustering_cell import LATENT, Clustering, cluster, judge, partition
from untie_paper.datasets import load
from untie_paper.evaluation import category_utility, clustering_f_score
from untie_paper.methods import DISTANCES, ENCODERS
from untie_paper.weighted_k_means import k_means


@pytest.mark.parametrize("method", ["UNTIE", "One-hot", "DILCA", LATENT])
def test_a_cell_is_numbers_and_repeats(method: str) -> None:
    cell = cluster("hayesroth", method, seed=1, n_restarts=2)
    assert json.loads(json.dumps(cell)) == cell
    assert 0 < cell["f_score"] < 100
    assert 0 <= cell["nmi"] < 100
    assert cell == cluster("hayesroth", method, seed=1, n_restarts=2)


def test_vectors_go_to_k_means() -> None:
    X, y = load("zoo")
    vectors = ENCODERS["Couplings"](7, 0).fit_transform(X)
    expected = k_means(vectors, 7, 3, 4)
    cell = cluster("zoo", "Couplings", seed=3, n_restarts=4)
    assert cell["f_score"] == 100 * clustering_f_score(y, expected.labels)
    assert cell["cost"] == expected.inertia


def test_distances_go_to_k_modes() -> None:
    X, y = load("zoo")
    model = KModes(7, distance=DISTANCES["COS"](), init="random", n_init=4, random_state=3).fit(X)
    cell = cluster("zoo", "COS", seed=3, n_restarts=4)
    assert cell["f_score"] == 100 * clustering_f_score(y, model.labels_)
    assert cell["cost"] == model.cost_


def test_more_starts_cost_less() -> None:
    costs = [cluster("zoo", "Hamming", 0, n)["cost"] for n in (1, 10)]
    assert costs[1] <= costs[0]


def test_latent_classes_are_the_most_probable() -> None:
    X, _ = load("hayesroth")
    found = partition(X, 3, LATENT, seed=0, n_restarts=2)
    assert set(found.labels) <= {0, 1, 2}
    assert found.cost > 0


def test_steps_of_deep_methods_are_limited() -> None:
    pytest.importorskip("torch")
    X, _ = load("hayesroth")
    few, many = (partition(X, 3, "VAE_WD", 0, 1, max_steps=n).cost for n in (3, 30))
    assert few != many
    assert few == partition(X, 3, "VAE_WD", 0, 1, max_steps=5).cost  # still one pass


def test_scores_of_the_classes_themselves_are_full() -> None:
    X, y = load("zoo")
    cell = judge(X, y, Clustering(np.asarray(y.astype("category").cat.codes), 7.0))
    scores = [cell[name] for name in ("f_score", "accuracy", "nmi", "ari")]
    assert scores == pytest.approx([100.0] * 4)
    assert cell["category_utility"] == category_utility(X, y)
    assert cell["cost"] == 7.0
