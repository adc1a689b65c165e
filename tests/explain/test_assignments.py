"""New rows to clusters, against distances of explicit vectors."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tables import latent_classes
from untie import Preparer, TableClusterer, TableEncoder, load_model
from untie.explain import assignments, unknown_values


@pytest.fixture(scope="module")
def table():
    return latent_classes(600, 3, 6, 4, seed=2)[0]


@pytest.fixture(scope="module")
def clusterer(table):
    return TableClusterer(3).fit(table)


def test_the_reach_is_that_of_nearly_all_rows_of_a_cluster(table, clusterer):
    distances = clusterer.transform(table)
    own = distances[np.arange(len(table)), clusterer.labels_]
    for cluster, farthest in enumerate(clusterer.cluster_radius_.farthest):
        members = own[clusterer.labels_ == cluster]
        assert len(members) >= 100
        assert (members <= farthest + 1e-9).mean() >= 0.99
        assert (members <= farthest - 1e-9).mean() < 0.99
        np.testing.assert_allclose(
            clusterer.cluster_radius_.usual[cluster].sum(), (members**2).mean(), rtol=1e-9
        )


def test_rows_of_the_table_are_seldom_unlike_it(table, clusterer):
    found = assignments(clusterer, table)
    assert found.cluster.tolist() == clusterer.labels_.tolist()
    own = clusterer.transform(table)[np.arange(len(table)), clusterer.labels_]
    np.testing.assert_allclose(found.distance, own, atol=1e-9)
    assert found.unlike.mean() <= 0.01
    assert found.unknown.sum() == 0
    too_far = (clusterer.transform(table) > clusterer.cluster_radius_.farthest * (1 + 1e-9)).all(
        axis=1
    )
    assert found.unlike.tolist() == too_far.tolist()


def test_an_unknown_value_is_as_far_as_the_farthest(table, clusterer):
    column = table.columns[2]
    new = table.head(1).assign(**{column: "never seen"})
    found = assignments(clusterer, new)
    values = table[column].unique()
    others = pd.concat([table.head(1).assign(**{column: value}) for value in values])
    cluster = found.cluster[0]
    farthest = clusterer.transform(others)[:, cluster].max()
    assert found.distance[0] == pytest.approx(farthest)
    assert found.unknown[0] == 1
    assert f"{column}=never seen (unknown)" in found.note[0]


def test_rows_of_new_values_alone_are_like_none(table, clusterer):
    new = pd.DataFrame([["?"] * table.shape[1]], columns=table.columns)
    found = assignments(clusterer, new)
    assert found.unlike[0]
    assert found.unknown[0] == table.shape[1]
    assert found.note[0].startswith("unlike any cluster: ")
    assert found.note[0].count("?") == 3


def test_the_cells_that_make_a_row_unlike_are_those_of_another_cluster():
    rng = np.random.default_rng(0)
    rows = [[place] * 8 for place in rng.choice(["a", "b"], 400)]
    table = pd.DataFrame(rows, columns=[f"c{n}" for n in range(8)])
    clusterer = TableClusterer(2).fit(table)
    mixed = pd.DataFrame([["a"] * 6 + ["b"] * 2], columns=table.columns)
    found = assignments(clusterer, mixed)
    assert found.unlike[0]
    assert found.note[0] == "unlike any cluster: c6=b, c7=b"


def test_small_clusters_reach_as_far_as_all_rows_do():
    rng = np.random.default_rng(0)
    large = rng.choice(["x", "y"], (300, 6), p=[0.9, 0.1])
    table = pd.DataFrame(np.vstack([large, np.full((20, 6), "z")])).add_prefix("c")
    clusterer = TableClusterer(2).fit(table)
    assert np.bincount(clusterer.labels_).tolist() == [300, 20]
    distances = clusterer.transform(table)
    own = np.sort(distances[np.arange(320), clusterer.labels_])
    of_all = own[int(np.ceil(0.99 * 320)) - 1]
    assert clusterer.cluster_radius_.farthest[1] == pytest.approx(
        of_all
    )  # its own rows are all equal


def test_weights_count_as_rows(table):
    doubled = TableClusterer(3).fit(pd.concat([table, table]))
    weighted = TableClusterer(3).fit(table, sample_weight=np.full(len(table), 2.0))
    np.testing.assert_allclose(doubled.cluster_radius_.farthest, weighted.cluster_radius_.farthest)
    np.testing.assert_allclose(doubled.cluster_radius_.usual, weighted.cluster_radius_.usual)


def test_a_model_file_keeps_it(table, clusterer, tmp_path):
    clusterer.save(tmp_path / "c.untie")
    new = table.head(5).assign(**{table.columns[0]: "new"})
    again = assignments(load_model(tmp_path / "c.untie"), new)
    pd.testing.assert_frame_equal(again, assignments(clusterer, new))


def test_rows_are_prepared_first():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"n": rng.normal(size=300), "w": rng.choice(["a", "b"], 300)})
    clusterer = TableClusterer(2, preparer=Preparer(bins=5)).fit(table)
    found = assignments(clusterer, pd.DataFrame({"n": [99.0, 0.0], "w": ["a", "c"]}))
    assert found.unknown.tolist() == [0, 1]
    assert "w=c (unknown)" in found.note[1]


def test_missing_cells_that_say_nothing_are_not_unknown():
    table = pd.DataFrame({"a": ["x", None, "y", "x"] * 30, "b": ["u", "v", "u", "v"] * 30})
    clusterer = TableClusterer(2, encoder=TableEncoder(missing="neutral")).fit(table)
    found = assignments(clusterer, pd.DataFrame({"a": [None, "z"], "b": ["u", "u"]}))
    assert found.unknown.tolist() == [0, 1]


def test_other_libraries(table):
    frame = pl.from_pandas(table)
    clusterer = TableClusterer(3).fit(frame)
    assert isinstance(assignments(clusterer, frame), pl.DataFrame)


def test_what_is_no_clusterer(table):
    with pytest.raises(TypeError, match=r"TableClusterer, or a Pipeline .* got TableEncoder"):
        assignments(TableEncoder(2).fit(table), table)
    with pytest.raises(ValueError, match="not fitted"):
        assignments(TableClusterer(2), table)


def test_unknown_values_are_counted():
    table = pd.DataFrame({"a": ["x", "y"] * 10, "b": ["u", "v"] * 10, "c": ["s", "t"] * 10})
    encoder = TableEncoder(2, column_weights={"c": 0}).fit(table)
    new = pd.DataFrame({"a": ["z", "x", "z", None], "b": ["u"] * 4, "c": ["new"] * 4})
    found = unknown_values(encoder, new)
    assert found.to_dict("list") == {
        "column": ["a", "a"],
        "value": ["z", "missing"],
        "count": [2, 1],
    }
    assert len(unknown_values(encoder, table)) == 0
    with pytest.raises(ValueError, match="There is no column 'b' of the model"):
        unknown_values(encoder, new.drop(columns="b"))


def test_rows_of_which_nothing_is_known_are_unlike_any():
    rows = [["sea", "fish"], ["land", "cow"], [None, "cow"], ["sea", None]] * 40
    clusterer = TableClusterer(2).fit(rows)
    found = assignments(clusterer, [[None, None], [None, "robot"], [None, "cow"], ["sea", None]])
    assert found.unlike.tolist() == [True, True, False, False]
    assert found.nothing_known.tolist() == [True, True, False, False]
    assert found.note[0] == "unlike any cluster: nothing is known of the row"
    assert found.note[1] == "unlike any cluster: x1=robot (unknown); nothing is known of the row"
    assert found.note.tolist()[2:] == ["", ""]


def test_numbers_outside_what_the_preparer_has_seen_are_noted(tmp_path):
    frame = pd.DataFrame({"age": [20 + n % 50 for n in range(200)], "town": ["a", "b"] * 100})
    clusterer = TableClusterer(2, preparer=Preparer()).fit(frame)
    clusterer.save(tmp_path / "ages.untie")
    new = pd.DataFrame({"age": [20, 69, 70, -1, None], "town": ["a"] * 5})
    for one in (clusterer, load_model(tmp_path / "ages.untie")):
        notes = assignments(one, new).note
        assert notes.str.contains("outside").tolist() == [False, False, True, True, False]
        assert notes[2].endswith("age=70 (outside 20 to 69)")
        assert notes[3].endswith("age=-1 (outside 20 to 69)")


def test_the_probability_is_that_of_the_cluster():
    table, _ = latent_classes(200, 3, 5, 3, seed=0, purity=0.6)
    clusterer = TableClusterer(3, preparer=None).fit(table)
    found, probabilities = assignments(clusterer, table), clusterer.predict_proba(table)
    assert list(found)[:2] == ["cluster", "probability"]
    np.testing.assert_array_equal(found.probability, probabilities.max(axis=1))
    np.testing.assert_array_equal(found.cluster, probabilities.argmax(axis=1))
