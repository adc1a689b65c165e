"""Quality on real data must not fall: macro F after the best match of clusters to classes."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from untie import UNTIE
from untie.baselines import OneHot
from untie.datasets import load
from untie.evaluation import clustering_f_score

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("name", "floor"),
    [
        ("housevotes", 0.87),
        ("wisconsin", 0.92),
        ("zoo", 0.66),
        ("dnapromoter", 0.90),
        ("mammographic", 0.76),
        ("tictactoe", 0.61),
    ],
)
@pytest.mark.parametrize("solver", ["exact", "uniform"])
def test_clusters_of_real_tables(name, floor, solver):
    X, y = load(name)
    k = y.nunique()
    vectors = UNTIE(k, solver=solver).fit_transform(X)
    labels = KMeans(k, n_init=25, random_state=0).fit_predict(vectors)
    assert clustering_f_score(y, labels) >= floor


FLOORS = {
    "zoo": 0.70,
    "hayesroth": 0.50,
    "dnapromoter": 0.84,
    "hepatitis": 0.64,
    "housevotes": 0.87,
    "spect": 0.52,
    "dermatology": 0.90,
    "wisconsin": 0.94,
    "crx": 0.80,
    "mammographic": 0.79,
    "tictactoe": 0.53,
    "flare": 0.50,
    "titanic": 0.29,
    "mushroom": 0.81,
}


def f_score(name, encoder):
    X, y = load(name)
    k = y.nunique()
    vectors = encoder(k).fit_transform(X)
    rows, inverse, times = np.unique(
        vectors.round(9), axis=0, return_inverse=True, return_counts=True
    )
    model = KMeans(k, n_init=50, random_state=0).fit(rows, sample_weight=times)
    return clustering_f_score(y, model.labels_[inverse.ravel()])


def test_the_default_keeps_its_scores():
    scores = {name: f_score(name, UNTIE) for name in FLOORS}
    assert {name: score for name, score in scores.items() if score < FLOORS[name]} == {}
    one_hot = [f_score(name, lambda k: OneHot()) for name in FLOORS]
    assert np.mean(list(scores.values())) > np.mean(one_hot) + 0.03
