"""Clusters within clusters, where there are some."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tables import latent_classes, nested_classes
from untie import TableClusterer
from untie.explain import cluster_profile, cluster_stability, subclusters


@pytest.mark.parametrize("seed", range(2))
def test_a_cluster_that_divides(seed):
    table, outer, inner = nested_classes(seed)
    clusterer = TableClusterer(2, preparer=None).fit(table)
    found = subclusters(clusterer, table)
    divided = str(pd.crosstab(outer, clusterer.labels_).loc[0].idxmax())
    assert found.table.subcluster.tolist() == [f"{divided}a", f"{divided}b"]
    assert (found.table.stability > 0.85).all()
    np.testing.assert_allclose(
        found.table.share, [np.mean(found.labels == name) for name in found.table.subcluster]
    )
    is_first = pd.Series(found.labels).str.endswith("a")[outer == 0]
    assert max(np.mean(is_first == (inner[outer == 0] == side)) for side in (0, 1)) > 0.9
    # Nested by construction: a smaller cluster is in one cluster.
    assert {name[0] for name in found.labels} == {"0", "1"}
    assert [name[0] for name in found.labels] == [str(label) for label in clusterer.labels_]
    profile = cluster_profile(clusterer, table, labels=found.labels)
    assert set(profile.cluster) == set(found.labels)


def test_classes_do_not_divide():
    table, _ = latent_classes(900, 3, 12, 4, seed=1, purity=0.7)
    clusterer = TableClusterer(preparer=None).fit(table)
    found = subclusters(clusterer, table)
    assert len(found.table) == 0
    assert set(found.choices) == {0, 1, 2}
    assert found.labels.tolist() == clusterer.labels_.astype(str).tolist()


def test_a_smaller_cluster_of_a_few_rows_is_no_group(monkeypatch):
    table, _, _ = nested_classes(0)
    clusterer = TableClusterer(2, preparer=None).fit(table)
    assert set(subclusters(clusterer, table).table.verdict) == {"stable"}
    monkeypatch.setattr("untie._learn.selection.k_choice.FEWEST", 280)
    monkeypatch.setattr("untie._learn.selection.k_choice.SMALL_PART", 0.6)
    words = subclusters(clusterer, table).table.set_index("subcluster").verdict
    assert words.to_dict() == {"1a": "stable", "1b": "unusual rows rather than a group"}


def test_few_rows_are_not_asked():
    table, _ = latent_classes(150, 2, 8, 4, seed=0)
    assert subclusters(TableClusterer(2).fit(table), table).choices == {}


def test_weights_are_repetitions_and_rows_of_weight_0_have_labels():
    table, _, _ = nested_classes(0)
    clusterer = TableClusterer(2, preparer=None).fit(table)
    weights = np.random.default_rng(0).integers(0, 3, len(table))
    weighted = subclusters(clusterer, table, sample_weight=weights)
    again = np.repeat(np.arange(len(table)), weights)
    repeated = subclusters(clusterer, table.iloc[again])
    assert weighted.labels[again].tolist() == repeated.labels.tolist()
    assert set(weighted.labels) == set(repeated.labels) == {"0", "1a", "1b"}
    pd.testing.assert_frame_equal(weighted.table, repeated.table)


def test_new_rows_and_other_tables():
    table, _, _ = nested_classes(0)
    clusterer = TableClusterer(2).fit(table)
    found = subclusters(clusterer, table)
    assert found.predict(table).tolist() == found.labels.tolist()
    assert found.predict(table.head(7)).tolist() == found.labels[:7].tolist()
    places = np.random.default_rng(0).permutation(len(table))
    other = subclusters(clusterer, table.iloc[places])
    assert other.labels.tolist() == found.labels[places].tolist()
    frame = pl.from_pandas(table)
    found = subclusters(TableClusterer(2, preparer=None).fit(frame), frame)
    assert isinstance(found.table, pl.DataFrame)


def said_to_be(*words):
    """Return a `cluster_stability` that says these words of the clusters."""

    def stability(model, rows, **given):
        found = cluster_stability(model, rows, **given)
        return found.assign(verdict=words)

    return stability


def test_a_cluster_does_not_divide_into_weak_ones_alone(monkeypatch):
    table, _, _ = nested_classes(0)
    clusterer = TableClusterer(2, preparer=None).fit(table)
    weak = said_to_be("dissolves", "doubtful")
    monkeypatch.setattr("untie.explain._subclusters.cluster_stability", weak)
    found = subclusters(clusterer, table)
    assert any(choice.found_clusters for choice in found.choices.values())
    assert len(found.table) == 0
    assert found.smaller == {}
    assert found.labels.tolist() == clusterer.labels_.astype(str).tolist()
    assert found.predict(table).tolist() == found.labels.tolist()
    half = said_to_be("stable", "dissolves")
    monkeypatch.setattr("untie.explain._subclusters.cluster_stability", half)
    found = subclusters(clusterer, table)
    assert found.table.verdict.tolist() == ["stable", "dissolves"]
    assert set(found.smaller) == {1}
    assert set(found.labels) == {"0", "1a", "1b"}
