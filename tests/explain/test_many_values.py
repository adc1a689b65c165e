"""Every question about a table with a column of very many values, whose vectors are sparse."""

import numpy as np
import pandas as pd
import pytest

from untie import TableClusterer, TableEncoder, choose_k, explain

N_ROWS = 2500


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, N_ROWS)
    towns = np.where(rng.random(N_ROWS) < 0.8, group, rng.integers(0, 3, N_ROWS))
    columns = {"town": [f"t{town + 3 * rng.integers(0, 230)}" for town in towns]}
    for number in range(4):
        kept = rng.random(N_ROWS) < 0.7
        columns[f"c{number}"] = np.where(kept, group, rng.integers(0, 3, N_ROWS)).astype(str)
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def encoder(table):
    found = TableEncoder(3, random_state=0, preparer=None).fit(table)
    assert found._model.vectors.is_sparse
    return found


@pytest.fixture(scope="module")
def vectors(encoder, table):
    return np.asarray(encoder.transform(table))


@pytest.fixture(scope="module")
def labels(table):
    return np.arange(len(table)) % 3


def test_contributions_add_up(encoder, table, vectors):
    for first, second in [(0, 1), (5, 5), (7, 900)]:
        parts = explain.why_similar(encoder, table.iloc[[first]], table.iloc[[second]])
        similarity = encoder.similarity(table.iloc[[first]], table.iloc[[second]])[0, 0]
        assert parts.contribution.sum() == pytest.approx(similarity, rel=1e-12)
        distance = np.square(vectors[first] - vectors[second]).sum()
        assert parts.distance.sum() == pytest.approx(distance, abs=1e-9)


def test_neighbors(encoder, table, vectors):
    found = explain.neighbors(encoder, table, 3, n=15)
    distances = np.linalg.norm(vectors - vectors[3], axis=1)
    distances[3] = np.inf
    expected = np.argsort(np.round(distances, 9), kind="stable")[:15]
    np.testing.assert_allclose(found.distance, distances[expected], atol=1e-6)
    np.testing.assert_allclose(found.similarity, vectors[found.position] @ vectors[3])


def test_prototypes_and_border_cases(encoder, table, vectors, labels):
    means = np.array([vectors[labels == cluster].mean(axis=0) for cluster in range(3)])
    distances = np.linalg.norm(vectors[:, None] - means, axis=2)
    found = explain.prototypes(encoder, table, labels=labels, n=1)
    nearest = [distances[labels == cluster, cluster].min() for cluster in range(3)]
    np.testing.assert_allclose(found.distance, nearest)
    border = explain.border_cases(encoder, table, labels=labels, n=1)
    for line in border.itertuples():
        own, other = distances[line.position, [line.cluster, line.other]]
        assert line.margin == pytest.approx((other - own) / max(own, other))


def test_shares_of_attributes(encoder, table, vectors):
    names = encoder.get_feature_names_out()
    variance = vectors.var(axis=0)
    found = explain.weight_shares(encoder).set_index("column").share
    for column in table:
        own = [name.startswith((f"{column}=", f"{column}|")) for name in names]
        assert found[column] == pytest.approx(variance[own].sum() / variance.sum())


def test_alike_values_are_explained(encoder):
    best = explain.alike_values(encoder, "town", n=5).iloc[0]
    parts = explain.why_alike(encoder, "town", best.value, best.other_value, n=100)
    assert parts.contribution.sum() == pytest.approx(best.alikeness)
    groups = {int(value[1:]) % 3 for value in (best.value, best.other_value)}
    assert len(groups) == 1  # towns of one group are the most alike


def test_outliers_add_up(encoder, table):
    found = explain.outliers(encoder, table, n=3)
    for line in found.itertuples():
        parts = explain.why_outlier(encoder, table.iloc[[line.position]])
        assert parts.part.sum() == pytest.approx(line.score)


def test_profile_and_stability(encoder, table, labels):
    profile = explain.cluster_profile(encoder, table, labels=labels)
    assert len(profile[profile.column == "town"]) > 1000
    assert (profile.p_value == 1).mean() > 0.9  # the labels are those of no group
    stability = explain.cluster_stability(encoder, table, labels=labels, n_resamples=3)
    assert stability.cluster.tolist() == [0, 1, 2]
    assert (stability.verdict == "dissolves").all()


def test_clusters(encoder, table):
    assert choose_k(encoder, table, range(2, 6), n_splits=4).k == 3
    clusterer = TableClusterer(3, random_state=0, preparer=None).fit(table)
    np.testing.assert_array_equal(clusterer.predict(table), clusterer.labels_)
    own = clusterer.transform(table)[np.arange(len(table)), clusterer.labels_]
    assert np.square(own).sum() == pytest.approx(clusterer.inertia_)


def test_drift(encoder, table):
    assert not explain.drift(encoder, table).has_drifted
    half = N_ROWS // 2
    assert not explain.drift(TableEncoder(3).fit(table[:half]), table[half:]).has_drifted
    turned = table.assign(c0=table.c0.map({"0": "1", "1": "2", "2": "0"}))
    pairs = explain.drift(encoder, turned).drifted_couplings
    assert {pair for pair in pairs if "c0" not in pair} == set()
    assert ("c0", "c1") in pairs
