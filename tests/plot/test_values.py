"""Maps and trees of values, against means of explicit rows and distances taken one by one."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from sklearn.decomposition import PCA

from plot_cases import draw, new_axes, odd_table, tick_texts, title
from untie import TableEncoder, plot
from untie.explain import alike_values


@pytest.fixture(scope="module")
def drinks():
    kinds = [("ale", "jug", "pub"), ("stout", "jug", "pub"), ("port", "glass", "home")]
    rows = [*kinds * 9, ("sherry", "glass", "pub"), ("sherry", "glass", "home"), *kinds[:1] * 4]
    X = pd.DataFrame(rows, columns=["drink", "from", "at"]).astype(object)
    X.loc[3, "from"] = None
    return TableEncoder(2, preparer=None).fit(X), X


def points(axes):
    """Return where each label's mark is."""
    return {text.get_text(): np.array(text.xy) for text in axes.texts}


def means(encoder, X, columns):
    """Return the mean vector of the rows with each value, and how many they are."""
    vectors = np.asarray(encoder.transform(X))
    result, counts = {}, {}
    for column in columns:
        for value in X[column].unique():
            own = X[column].isna() if value is None else X[column] == value
            name = "missing" if value is None else value
            name = name if len(columns) == 1 else f"{column}={name}"
            result[name], counts[name] = vectors[own.to_numpy()].mean(axis=0), own.sum()
    return result, counts


@pytest.mark.parametrize("column", [None, "drink", "from"])
def test_values_stand_at_the_mean_of_their_rows(drinks, column):
    encoder, X = drinks
    expected, counts = means(encoder, X, list(X) if column is None else [column])
    model = PCA(2).fit(np.concatenate([[expected[name]] * counts[name] for name in expected]))
    ax = plot.map_values(encoder, column, ax=new_axes())
    found = points(ax)
    assert set(found) <= set(expected)
    assert len(found) == len(expected) or f"{len(expected) - len(found)} without a" in title(ax)
    flat = model.transform([expected[name] for name in found])
    signs = np.sign((np.array(list(found.values())) * flat).sum(axis=0))
    np.testing.assert_allclose(np.array(list(found.values())), flat * signs, atol=1e-6)
    assert f"({model.explained_variance_ratio_[0]:.0%} of" in ax.get_xlabel()
    marks = np.concatenate([np.asarray(part.get_offsets()) for part in ax.collections])
    assert len(marks) == len(expected)


def test_labels_lie_on_nothing(zoo):
    ax = plot.map_values(zoo[0])
    draw(ax)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 20
    inside = ax.get_window_extent()
    for box, other in itertools.combinations(boxes, 2):
        assert not box.overlaps(other)
    for box in boxes:
        assert inside.x0 <= box.x0 <= box.x1 <= inside.x1
        assert inside.y0 <= box.y0 <= box.y1 <= inside.y1


def test_the_most_frequent_of_many_values_are_drawn():
    X = odd_table()
    encoder = TableEncoder(4, preparer=None).fit(X)
    column = X.columns[0]
    n_values = X[column].nunique()
    counts = X[column].value_counts()
    for ax in (
        plot.map_values(encoder, column, ax=new_axes(), max_values=25),
        plot.value_dendrogram(encoder, column, ax=new_axes(), max_values=25),
    ):
        assert f"the 25 most frequent of {n_values}" in title(ax)
    assert len(ax.get_yticks()) == 25
    wanted = [v for v in counts.index if counts[v] > counts.iloc[25]]
    shown = plot.value_dendrogram(encoder, column, ax=new_axes(), max_values=len(wanted))
    assert len(shown.get_yticks()) == len(wanted)
    assert all(len(text) <= 28 and "\n" not in text for text in tick_texts(shown, "y"))


def heights(ax):
    """Return at which height each pair of leaves joins, read off the lines."""
    forks = []
    for segment in ax.collections[0].get_segments():
        (_, low), (height, _), _, (_, high) = segment
        forks.append((height, low, high))
    groups = {float(place): {place} for place in range(len(ax.get_yticks()))}
    names = tick_texts(ax, "y")
    joined = {}
    for height, low, high in sorted(forks):
        first, second = (groups.pop(min(groups, key=lambda y: abs(y - p))) for p in (low, high))
        for a, b in itertools.product(first, second):
            joined[frozenset((names[a], names[b]))] = height
        groups[(low + high) / 2] = first | second
    return joined


@pytest.mark.parametrize("method", ["average", "complete", "single"])
def test_the_tree_of_contexts(drinks, method):
    encoder, X = drinks
    ax = plot.value_dendrogram(encoder, "drink", linkage=method, ax=new_axes())
    pairs = alike_values(encoder, "drink", n=100)
    names = sorted(X["drink"].unique())
    assert sorted(tick_texts(ax, "y")) == names
    alike = {
        frozenset((a, b)): value
        for a, b, value in zip(pairs.value, pairs.other_value, pairs.alikeness, strict=True)
    }
    keys = [frozenset(pair) for pair in itertools.combinations(names, 2)]
    tree = linkage([max(0.0, 1 - alike[key]) for key in keys], method)
    expected = dict(zip(keys, cophenet(tree), strict=True))
    assert heights(ax) == pytest.approx(expected, abs=1e-9)


def test_the_tree_of_vectors(drinks):
    encoder, _ = drinks
    ax = plot.value_dendrogram(encoder, "drink", by="vectors", ax=new_axes())
    similar = encoder.value_similarity("drink")
    keys = [frozenset(pair) for pair in itertools.combinations(similar.index, 2)]
    distances = [
        np.sqrt(similar.loc[a, a] + similar.loc[b, b] - 2 * similar.loc[a, b])
        for a, b in itertools.combinations(similar.index, 2)
    ]
    expected = dict(zip(keys, cophenet(linkage(distances, "average")), strict=True))
    assert heights(ax) == pytest.approx(expected, abs=1e-9)
    assert ax.get_xlabel() == "distance of the learned vectors"


def test_alike_drinks_join_first(drinks):
    joined = heights(plot.value_dendrogram(drinks[0], "drink", ax=new_axes()))
    assert min(joined, key=joined.get) == {"ale", "stout"}


@pytest.mark.filterwarnings("ignore:.*kept apart by coordinates of their own.*")
def test_one_column_and_one_value():
    X = pd.DataFrame({"a": list("uuvw")})
    ax = plot.value_dendrogram(TableEncoder(preparer=None).fit(X), "a", ax=new_axes())
    assert sorted(tick_texts(ax, "y")) == ["u", "v", "w"]
    assert ax.get_xlabel() == "distance of the learned vectors"
    ax = plot.value_dendrogram(TableEncoder(preparer=None).fit(X[:2]), "a", ax=new_axes())
    assert tick_texts(ax, "y") == ["u"]


def test_values_that_never_occur_are_left_out():
    X = pd.DataFrame({"a": list("uuvw"), "b": list("xyxy")})
    encoder = TableEncoder(2, categories=[list("uvwz"), list("xy")]).fit(X)
    assert sorted(points(plot.map_values(encoder, "a", ax=new_axes()))) == ["u", "v", "w"]
    ax = plot.value_dendrogram(encoder, "a", ax=new_axes())
    assert sorted(tick_texts(ax, "y")) == ["u", "v", "w"]
