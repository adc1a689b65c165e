"""Quality on real data must not fall: macro F after the best match of clusters to classes."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.metrics import f1_score

from untie import UNTIE
from untie.datasets import load


def clustering_f(labels, classes):
    codes = pd.factorize(np.asarray(classes))[0]
    table = pd.crosstab(labels, codes).to_numpy()
    clusters, matched = linear_sum_assignment(-table)
    match = dict(zip(clusters, matched, strict=True))
    return f1_score(codes, [match[label] for label in labels], average="macro")


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
    assert clustering_f(labels, y) >= floor
