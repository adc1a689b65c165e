"""Prototypes and border cases, against the distances of all rows to explicit means."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tables import latent_classes
from untie import UNTIE, TableClusterer, TableEncoder
from untie.explain import border_cases, prototypes


@pytest.fixture(scope="module")
def case():
    table, classes = latent_classes(150, 3, 5, 3, seed=0, purity=0.6)
    return UNTIE(3, solver="uniform").fit(table), table, classes


def slow_distances(encoder, table, labels, weights=None):
    """Return the distance of every row to the mean of every cluster."""
    vectors = np.asarray(encoder.transform(table))
    weights = np.ones(len(table)) if weights is None else weights
    names = sorted(set(labels))
    means = [
        np.average(vectors[labels == name], axis=0, weights=weights[labels == name])
        for name in names
    ]
    return np.stack([np.linalg.norm(vectors - mean, axis=1) for mean in means], axis=1)


def test_prototypes_are_the_rows_nearest_to_the_mean(case):
    encoder, table, classes = case
    found = prototypes(encoder, table, labels=classes, n=4)
    distances = slow_distances(encoder, table, classes)
    for cluster, part in found.groupby("cluster"):
        own = np.where(classes == cluster, distances[:, cluster], np.inf)
        nearest = np.unique(np.round(own, 7))[:4]
        np.testing.assert_allclose(part.distance, nearest[: len(part)], atol=1e-6)
        assert part["rank"].tolist() == [1, 2, 3, 4]
        assert (classes[part.position] == cluster).all()
        assert not table.iloc[part.position].duplicated().any()
        for position, weight in zip(part.position, part.weight, strict=True):
            equal = (table == table.iloc[position]).all(axis=1) & (classes == cluster)
            assert weight == equal.sum()
            assert position == np.flatnonzero(equal)[0]


def test_border_cases_have_the_smallest_margins(case):
    encoder, table, classes = case
    found = border_cases(encoder, table, labels=classes, n=3)
    distances = slow_distances(encoder, table, classes)
    for cluster, part in found.groupby("cluster"):
        margins = {}
        for row in np.flatnonzero(classes == cluster):
            a = distances[row, cluster]
            others = [(distances[row, c], c) for c in range(3) if c != cluster]
            b, other = min(others)
            margins[tuple(table.iloc[row])] = ((b - a) / max(a, b), other)
        smallest = sorted(m for m, _ in margins.values())[:3]
        np.testing.assert_allclose(part.margin, smallest, atol=1e-7)
        for line in part.itertuples():
            assert line.other == margins[tuple(table.iloc[line.position])][1]


def test_weights_move_the_means(case):
    encoder, table, classes = case
    weights = np.random.default_rng(0).random(150) * 5
    weights[:40] = 0
    found = prototypes(encoder, table, labels=classes, n=1, sample_weight=weights)
    distances = slow_distances(encoder, table, classes, weights)
    for line in found.itertuples():
        own = np.where(
            (classes == line.cluster) & (weights > 0), distances[:, line.cluster], np.inf
        )
        assert line.distance == pytest.approx(own.min(), abs=1e-7)
    rows = border_cases(encoder, table, labels=classes, n=5, sample_weight=weights)
    assert len(rows) == 15


def test_fewer_rows_than_asked_for():
    rows = [["a", "x"]] * 3 + [["b", "y"]]
    encoder = TableEncoder(2).fit(rows)
    assert len(prototypes(encoder, rows, labels=[0, 0, 0, 1], n=5)) == 2
    assert border_cases(encoder, rows, labels=[0, 0, 0, 1]).margin.tolist() == pytest.approx([1, 1])


def test_a_row_in_the_wrong_cluster_has_a_negative_margin():
    rows = [["a", "a", "a"]] * 9 + [["b", "b", "b"]] * 9
    encoder = TableEncoder(2).fit(rows)
    labels = [0] * 9 + [1] * 8 + [0]
    found = border_cases(encoder, rows, labels=labels, n=1).set_index("cluster")
    assert found.position[0] == 17
    assert found.margin[0] < 0


def test_frames_and_bad_input(case):
    encoder, table, classes = case
    frame = pl.DataFrame(table.to_dict("list"))
    other = UNTIE(3, solver="uniform").fit(frame)
    expected = prototypes(encoder, table, labels=classes)
    pd.testing.assert_frame_equal(prototypes(other, frame, labels=classes).to_pandas(), expected)
    with pytest.raises(ValueError, match="needs two clusters"):
        border_cases(encoder, table, labels=np.zeros(150))
    with pytest.raises(ValueError, match="cluster 2 has the weight 0"):
        prototypes(encoder, table, labels=classes, sample_weight=classes != 2)
    with pytest.raises(ValueError, match="n must be a positive integer"):
        prototypes(encoder, table, labels=classes, n=0)


def test_border_cases_of_a_clusterer_have_the_lowest_probabilities(case):
    _, table, _ = case
    clusterer = TableClusterer(3, preparer=None).fit(table)
    found = border_cases(clusterer, table, n=3)
    probabilities, labels = clusterer.predict_proba(table), clusterer.labels_
    kinds = ~table.duplicated().to_numpy()
    for cluster, part in found.groupby("cluster"):
        own = np.sort(probabilities[kinds & (labels == cluster), cluster])
        np.testing.assert_allclose(part.probability, own[:3])
        for line in part.itertuples():
            others = np.delete(probabilities[line.position], cluster)
            assert line.other_probability == pytest.approx(others.max())
            assert probabilities[line.position, line.other] == line.other_probability
            assert labels[line.position] == cluster
    given = border_cases(clusterer, table, labels=labels)
    assert list(given) == ["cluster", "rank", "position", "other", "margin"]
