"""Quality on real data must not fall: macro F after the best match of clusters to classes."""

import pytest
from sklearn.cluster import KMeans

from untie import UNTIE
from untie.datasets import load
from untie.evaluation import clustering_f_score


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
