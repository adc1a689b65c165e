"""K-modes with the paper's distances."""

from itertools import product

import numpy as np
import pytest

from untie.cluster import KModes
from untie_paper.baselines import COS, DILCA, DISTANCES, Ahmad
from untie_paper.datasets import load
from untie_paper.evaluation import clustering_f_score

ROWS = DILCA(norm="n_attributes")
WHITE, BLACK = ("clear", "white", "slightly curled"), ("clear", "black", "slightly curled")


@pytest.mark.parametrize(
    ("distance", "starts", "mode", "labels", "cost"),
    [
        (DILCA(), [1, 3], "frequency", "000101", 2.792793),
        (ROWS, [1, 3], "median", "000101", 3.203153),
        (DILCA(), [0, 2], "frequency", "011010", 2.485421),
        (DILCA(), [0, 2], "median", "011010", 2.274096),
        (ROWS, [0, 2], "frequency", "011010", 2.969605),
        (ROWS, [0, 2], "median", "011010", 2.758280),
    ],
)
def test_oracle(melons, distance, starts, mode, labels, cost):
    seen = [list(dict.fromkeys(melons[column])) for column in melons]
    init = melons.iloc[starts]
    kmodes = KModes(2, distance=distance, init=init, mode=mode, categories=seen).fit(melons)
    assert "".join(map(str, kmodes.labels_)) == labels
    assert kmodes.cost_ == pytest.approx(cost, rel=4e-7)
    if starts == [0, 2]:
        assert tuple(kmodes.cluster_centers_[0]) == (WHITE if mode == "frequency" else BLACK)


@pytest.mark.parametrize("name", DISTANCES)
def test_the_cost_is_that_of_the_distance(name, melons):
    kmodes = KModes(2, distance=DISTANCES[name](), random_state=0).fit(melons)
    distance = DISTANCES[name]().fit(melons)
    for found, expected in zip(kmodes.distances_, distance.distances_, strict=True):
        np.testing.assert_array_equal(found, expected)
    pairs = distance.pairwise(melons, kmodes.modes())
    assert kmodes.cost_ == pytest.approx(pairs.min(axis=1).sum())


@pytest.mark.parametrize("distance", [Ahmad(), COS(), DILCA(empty="zero")], ids=str)
def test_rows_that_no_distance_tells_apart(distance):
    # All nine-bit words: every two values occur together equally often, so all distances are 0.
    rows, classes = load("threeof9")
    assert sorted(map(tuple, rows.to_numpy().astype(str))) == list(product("01", repeat=9))
    scores = set()
    for seed in range(6):
        kmodes = KModes(2, distance=distance, init="random", n_init=1, random_state=seed).fit(rows)
        assert kmodes.cost_ == 0
        assert sorted(np.bincount(kmodes.labels_)) == [1, 511]
        in_smaller_class = (classes == classes[kmodes.labels_.argmax()]).sum() == 238
        scores.add((in_smaller_class, round(100 * clustering_f_score(classes, kmodes.labels_), 2)))
    assert len(scores) == 2  # the row that is moved is of either class
    assert (True, 35.32) in scores
    assert round(100 * clustering_f_score(classes, np.zeros(512, int)), 2) == 34.86
