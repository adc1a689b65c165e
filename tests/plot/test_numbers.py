"""Weights, choice of k and profiles: what is drawn is what was computed."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from plot_cases import new_axes, tick_texts, title
from tables import latent_classes
from untie import UNTIE, TableEncoder, choose_k, plot
from untie.explain import associations, cluster_profile, weight_shares
from untie.plot._style import GRAY, short


@pytest.mark.parametrize("by", ["column", "coupling", "kernel"])
def test_bars_are_the_shares(zoo, by):
    ax = plot.weights(zoo[0], by=by, ax=new_axes())
    expected = weight_shares(zoo[0], by=by)
    assert tick_texts(ax, "y") == expected[by].tolist()
    np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], expected.share)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the largest is above


def test_small_bars_are_one(zoo):
    ax = plot.weights(zoo[0], ax=new_axes(), max_lines=5)
    expected = weight_shares(zoo[0]).share.to_numpy()
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(widths, [*expected[:4], expected[4:].sum()])
    assert tick_texts(ax, "y")[-1] == "12 others together"
    assert to_hex(ax.patches[-1].get_facecolor()) == GRAY
    assert "the 4 largest of 16" in title(ax)


def test_the_heat_map_of_weights(zoo):
    ax = plot.weights(zoo[0], by="column x coupling", ax=new_axes(), max_lines=6)
    table = ax.images[0].get_array()
    frame = weight_shares(zoo[0], by="column x coupling").set_index(["column", "coupling"])
    attributes, couplings = tick_texts(ax, "y"), tick_texts(ax, "x")
    assert attributes == weight_shares(zoo[0]).column[:6].tolist()
    assert set(couplings) == {"matching", "tree"}
    for row, attribute in enumerate(attributes):
        for column, coupling in enumerate(couplings):
            assert table[row, column] == frame.share[attribute, coupling]
    assert "the 6 largest of 16 attributes" in title(ax)


def test_the_map_of_associations():
    rng = np.random.default_rng(0)
    city, other = rng.integers(0, 48, 500), rng.integers(0, 5, 500)
    columns = {"other": other, "city": city, "alike": other // 2, "noise": rng.integers(0, 3, 500)}
    table = pd.DataFrame({**columns, "region": city % 3, "state": city % 12}).astype(str)
    encoder = UNTIE(2, solver="uniform").fit(table)
    ax = plot.associations(encoder, ax=new_axes())
    names, expected = tick_texts(ax, "y"), associations(encoder)
    assert names == tick_texts(ax, "x")
    np.testing.assert_array_equal(ax.images[0].get_array(), expected.loc[names, names])
    frames = {frozenset(names[int(f.get_x() + 0.5) :][: int(f.get_width())]) for f in ax.patches}
    assert frames == {frozenset({"city", "state", "region"}), frozenset({"other", "alike"})}
    assert [float(text.get_text()) for text in ax.texts][:2] == pytest.approx(
        expected.loc[names[0], names[:2]].tolist(), abs=0.005
    )
    few = plot.associations(encoder, ax=new_axes(), max_columns=3)
    assert len(tick_texts(few, "x")) == 3
    assert "noise" not in tick_texts(few, "x")
    assert "the 3 of 6 columns with most in common" in title(few)


def test_the_choice_of_k(zoo):
    choice = choose_k(*zoo, range(2, 7), n_splits=3)
    above, below = plot.choice_of_k(zoo[0], choice=choice, ax=new_axes(2))
    table = choice.table()
    drawn = {line.get_label(): line for axes in (above, below) for line in axes.lines}
    (bars,) = above.containers
    line, _, (errors,) = bars.lines
    assert bars.get_label() == "gain, standard error"
    assert line.get_ydata().tolist() == table.gain.tolist()
    ends = [segment[:, 1].tolist() for segment in errors.get_segments()]
    np.testing.assert_allclose(
        ends, np.stack([table.gain - table.error, table.gain + table.error]).T
    )
    assert drawn["stability (adjusted Rand index)"].get_ydata().tolist() == table.stability.tolist()
    assert drawn["silhouette"].get_ydata().tolist() == table.silhouette.tolist()
    for axes in (above, below):
        assert axes.get_xticks().tolist() == [2, 3, 4, 5, 6]
        assert axes.lines[-1].get_xdata() == [choice.k, choice.k]
    assert title(above).replace("\n", " ") == choice.verdict.split(". ")[0]
    assert title(above).startswith(f"{choice.k} stable groups")


@pytest.fixture(scope="module")
def clusters():
    X, labels = latent_classes(300, 4, 6, 4, seed=1)
    return X, labels, TableEncoder(4).fit(X)


def test_profiles_have_the_shares_and_lifts(clusters):
    X, labels, encoder = clusters
    profile = cluster_profile(encoder, X, labels=labels)
    profile = profile.set_index(["cluster", "column", "value"])
    about = {"labels": labels, "n": 3}
    share = plot.cluster_profiles(encoder, X, show="share", ax=new_axes(), **about)
    lift = plot.cluster_profiles(encoder, X, ax=new_axes(), **about)
    assert tick_texts(share, "y") == tick_texts(lift, "y")
    names = sorted(set(labels))
    for row, text in enumerate(tick_texts(share, "y")):
        attribute, value = text.split(" = ")
        for column, cluster in enumerate(names):
            key = (cluster, attribute, value)
            own = np.asarray(labels) == cluster
            explicit = (X[attribute].astype(str) == value)[own].mean()
            expected = profile.lift.get(key, 0.0)
            assert share.images[0].get_array()[row, column] == pytest.approx(explicit)
            assert lift.images[0].get_array()[row, column] == pytest.approx(
                np.clip(np.log2(max(expected, 1e-9)), -3, 3)
            )
    top = {
        line
        for cluster in names
        for line in profile.loc[cluster].sort_values("information", kind="stable").index[-3:]
    }
    assert {tuple(text.split(" = ")) for text in tick_texts(share, "y")} == top


def test_runs_of_an_order_have_the_shares_of_every_cluster():
    ages = ["up to 20", "21 to 30", "31 to 40", "over 40"]
    rng = np.random.default_rng(0)
    labels = np.arange(300) % 3
    places = np.clip(labels + rng.integers(0, 2, 300), 0, 3)
    X = pd.DataFrame({"age": np.array(ages)[places], "b": rng.choice(list("xy"), 300)})
    about = {"labels": labels, "n": 1}
    ax = plot.cluster_profiles(TableEncoder(3).fit(X), X, show="share", ax=new_axes(), **about)
    inside = {"up to 30": [0, 1], "21 to 40": [1, 2], "over 30": [2, 3], "21 to 30": [1]}
    texts = [text.removeprefix("age ") for text in tick_texts(ax, "y")]
    assert len(texts) > 1
    for row, text in enumerate(texts):
        for cluster in range(3):
            own = places[labels == cluster]
            found = ax.images[0].get_array()[row, cluster]
            assert found == pytest.approx(np.isin(own, inside[text]).mean())
    apart = TableEncoder(3, ordered=False).fit(X)
    apart = plot.cluster_profiles(apart, X, ax=new_axes(), **about)
    assert set(tick_texts(apart, "y")) <= {f"age {age}" for age in ages}


def test_clusters_are_named_with_their_shares(clusters):
    X, labels, encoder = clusters
    ax = plot.cluster_profiles(encoder, X, labels=labels, ax=new_axes())
    shares = pd.Series(labels).value_counts(normalize=True).sort_index()
    assert tick_texts(ax, "x") == [f"{name} ({share:.0%})" for name, share in shares.items()]
    weights = np.where(np.asarray(labels) == labels[0], 3, 1)
    about = {"labels": labels, "sample_weight": weights}
    ax = plot.cluster_profiles(encoder, X, ax=new_axes(), **about)
    shares = pd.Series(weights).groupby(np.asarray(labels)).sum() / weights.sum()
    assert tick_texts(ax, "x") == [f"{name} ({share:.0%})" for name, share in shares.items()]


def test_one_cluster_shows_its_most_frequent_values():
    X = pd.DataFrame({"a": list("uvvvww"), "b": list("xxxxxy")})
    ax = plot.cluster_profiles(TableEncoder(2).fit(X), X, labels=[0] * 6, n=3, ax=new_axes())
    assert tick_texts(ax, "y") == ["b = x", "a = v", "a = w"]
    assert not ax.images[0].get_array().any()  # no value is more frequent than in all rows


def test_many_clusters_are_the_largest(clusters):
    X, _, encoder = clusters
    labels = np.minimum(np.arange(len(X)) // 4, 60)
    ax = plot.cluster_profiles(encoder, X, labels=labels, n=10, ax=new_axes())
    assert len(tick_texts(ax, "x")) == 16
    assert len(tick_texts(ax, "y")) <= 60
    assert "the 16 largest of 61 clusters" in title(ax)
    assert "the 3 most telling values of each" in title(ax)
    assert tick_texts(ax, "x")[-1].startswith("60 ")


def test_short_labels():
    assert short("a  b\nc") == "a b c"
    for length in range(3, 40):
        assert len(short("x" * 60, length)) == length
        assert short("y" * length, length) == "y" * length
    assert short("begin" + "x" * 50 + "end").endswith("end")
