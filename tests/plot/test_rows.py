"""The map of rows, against principal components of explicit vectors."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_info, threadpool_limits

from plot_cases import draw, new_axes, title
from tables import latent_classes
from untie import TableClusterer, TableEncoder, plot
from untie.plot._maps import principal


def offsets(axes):
    """Return all points that were drawn."""
    return np.concatenate([np.asarray(part.get_offsets()) for part in axes.collections])


def sorted_points(points):
    points = np.round(np.asarray(points, dtype=float), 6) + 0.0
    return points[np.lexsort(points.T)]


def same_up_to_signs(found, expected):
    """Tell whether two sets of points are equal but for the signs of their axes."""
    return any(
        np.allclose(sorted_points(found), sorted_points(expected * np.array(signs)), atol=1e-5)
        for signs in [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    )


def test_points_are_the_principal_components_of_all_rows(zoo):
    encoder, X = zoo
    model = PCA(2).fit(encoder.transform(X))
    expected = model.transform(encoder.transform(X.drop_duplicates()))
    ax = plot.map_rows(encoder, X, method="pca", ax=new_axes())
    assert same_up_to_signs(offsets(ax), expected)
    first, second = model.explained_variance_ratio_
    assert ax.get_xlabel() == f"component 1 ({first:.0%} of the variance)"
    assert ax.get_ylabel() == f"component 2 ({second:.0%})"


def test_components_of_weighted_points():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(12, 4)) * [3, 2, 1, 0.5]
    weights = rng.integers(1, 5, 12)
    model = PCA(3).fit(np.repeat(points, weights, axis=0))
    found, shares = principal(points @ points.T, weights.astype(float), 3)
    np.testing.assert_allclose(np.abs(found), np.abs(model.transform(points)), atol=1e-9)
    np.testing.assert_allclose(shares, model.explained_variance_ratio_, atol=1e-9)


def test_a_point_is_as_large_as_it_has_rows():
    X = pd.DataFrame({"a": list("uuuuvvw"), "b": list("xxxxyyz")})
    ax = plot.map_rows(TableEncoder(2, preparer=None).fit(X), X, ax=new_axes())
    sizes = np.sort(ax.collections[0].get_sizes())
    np.testing.assert_allclose(sizes / sizes[0], np.sqrt([1, 2, 4]))
    assert title(ax) == "7 rows by principal components\nlarge points: several equal rows"


def test_the_order_of_rows_does_not_matter(zoo):
    encoder, X = zoo
    shuffled = X.sample(frac=1.0, random_state=0)
    for method in ("pca", "tsne"):
        first = plot.map_rows(encoder, X, method=method, ax=new_axes(), max_rows=30)
        second = plot.map_rows(encoder, shuffled, method=method, ax=new_axes(), max_rows=30)
        np.testing.assert_array_equal(offsets(first), offsets(second))


def test_large_tables_are_sampled_and_say_so():
    X, _ = latent_classes(500, 3, 6, 5, seed=0)
    n_distinct = len(X.drop_duplicates())
    encoder = TableEncoder(3, preparer=None).fit(X)
    ax = plot.map_rows(encoder, X, method="pca", ax=new_axes(), max_rows=50)
    assert len(offsets(ax)) == 50
    assert f"50 of {n_distinct} distinct rows, drawn at random" in title(ax)
    whole = plot.map_rows(encoder, X, method="pca", ax=new_axes(), max_rows=n_distinct)
    assert len(offsets(whole)) == n_distinct
    assert "random" not in title(whole)
    other = plot.map_rows(encoder, X, method="pca", ax=new_axes(), max_rows=50, random_state=1)
    assert sorted_points(offsets(ax)).tolist() != sorted_points(offsets(other)).tolist()


def test_t_sne_keeps_groups_together():
    rows = [[g + str(i % 2), g + str(i // 2 % 2), g + str(i // 4)] for g in "ab" for i in range(8)]
    X = pd.DataFrame(rows, columns=["a", "b", "c"])
    # More columns that only the group decides, so that groups are far apart.
    X = X.assign(**{f"g{number}": [row[0][0] for row in rows] for number in range(6)})
    labels = [row[0][0] for row in rows]
    ax = plot.map_rows(TableEncoder(2).fit(X), X, labels=labels, ax=new_axes())
    first, second = (np.asarray(part.get_offsets()) for part in ax.collections)
    between = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert between > np.linalg.norm(first - first.mean(axis=0), axis=1).max()
    assert between > np.linalg.norm(second - second.mean(axis=0), axis=1).max()
    assert not ax.get_xticks().size


def test_t_sne_has_one_thread_so_that_maps_are_the_same_everywhere(zoo, monkeypatch):
    used = []
    real = TSNE.fit_transform

    def counted(model, points):
        used.extend(pool["num_threads"] for pool in threadpool_info())
        return real(model, points)

    monkeypatch.setattr(TSNE, "fit_transform", counted)
    with threadpool_limits(2):
        plot.map_rows(*zoo, ax=new_axes(), max_rows=20)
    assert set(used) == {1}


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_colors_are_labels_with_their_numbers_of_rows(zoo):
    encoder, X = zoo
    ax = plot.map_rows(encoder, X, labels="legs", method="pca", ax=new_axes())
    counts = X["legs"].value_counts()
    assert legend(ax) == [f"{value} ({counts[value]})" for value in sorted(counts.index)]
    assert ax.get_legend().get_title().get_text() == "legs"
    distinct = X.drop_duplicates()
    for part, value in zip(ax.collections, sorted(counts.index), strict=True):
        assert len(part.get_offsets()) == (distinct["legs"] == value).sum()
    looks = {(to_hex(part.get_facecolor()[0]), len(part.get_paths()[0])) for part in ax.collections}
    assert len(looks) == len(counts)


def test_names_of_labels_and_missing_ones():
    X = pd.DataFrame({"a": list("uvwxyz"), "b": list("uuvvww")})
    labels = pd.Series(["_p", None, "$q$", "_p", "_p", float("nan")], name="kind")
    ax = plot.map_rows(TableEncoder(2).fit(X), X, labels=labels, method="pca", ax=new_axes())
    assert legend(ax) == ["$q$ (1)", "_p (3)", "missing (2)"]
    assert ax.get_legend().get_title().get_text() == "kind"
    draw(ax)


def test_many_labels_are_taken_together():
    X = pd.DataFrame(
        {"a": [f"v{i:02d}" for i in range(20)] * 2 + ["v00"], "b": list("xyz") * 13 + ["x", "y"]}
    )
    ax = plot.map_rows(TableEncoder(2).fit(X), X, labels="a", method="pca", ax=new_axes())
    assert len(legend(ax)) == 12
    assert legend(ax)[0] == "v00 (3)"
    assert legend(ax)[-1] == "9 others (18)"
    assert len(offsets(ax)) == len(X.drop_duplicates())


def test_a_point_has_the_label_of_most_of_its_rows():
    X = pd.DataFrame({"a": list("uuuvv"), "b": list("xxxyy")})
    ax = plot.map_rows(TableEncoder(2).fit(X), X, labels=list("ppqqq"), method="pca", ax=new_axes())
    sizes = [part.get_sizes().tolist() for part in ax.collections]
    assert [len(entry) for entry in sizes] == [1, 1]
    assert sizes[0][0] / sizes[1][0] == pytest.approx(np.sqrt(3 / 2))


def test_the_clusters_of_a_clusterer_are_its_colors(zoo):
    X = zoo[1]
    clusterer = TableClusterer(3).fit(X)
    ax = plot.map_rows(clusterer, X, method="pca", ax=new_axes())
    sizes = np.bincount(clusterer.labels_)
    assert legend(ax) == [f"{number} ({size})" for number, size in enumerate(sizes)]
    assert ax.get_legend().get_title().get_text() == "cluster"
    with_classes = X.assign(kind=["x", "y"] * 50 + ["x"])
    other = plot.map_rows(clusterer, with_classes, labels="kind", method="pca", ax=new_axes())
    assert legend(other) == ["x (51)", "y (50)"]


def test_umap_is_used_if_it_is_there(zoo, monkeypatch):
    encoder, X = zoo
    asked = {}

    class FakeUMAP:
        def __init__(self, **parameters):
            asked.update(parameters)

        def fit_transform(self, vectors):
            return vectors[:, :2] * 7

    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=FakeUMAP))
    ax = plot.map_rows(encoder, X, method="umap", ax=new_axes())
    expected = plot.map_rows(encoder, X, method="pca", ax=new_axes())
    np.testing.assert_allclose(offsets(ax), 7 * offsets(expected), rtol=1e-5)
    assert asked["n_neighbors"] == 15
    assert "UMAP" in title(ax)


def test_umap_is_named_if_it_is_not_there(zoo, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(ImportError, match="pip install umap-learn"):
        plot.map_rows(*zoo, method="umap")
