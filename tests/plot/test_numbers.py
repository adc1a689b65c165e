"""Weights, loss, spectrum, choice of k and profiles: what is drawn is what was computed."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from plot_cases import new_axes, tick_texts, title
from tables import encoder_of, latent_classes
from untie import UNTIE, TableEncoder, choose_k, plot
from untie._learn.learning import LARGEST_NUMBER
from untie.explain import associations, cluster_profile, weight_shares
from untie.plot._style import GREY, short


@pytest.mark.parametrize("by", ["column", "coupling", "kernel"])
def test_bars_are_the_shares(zoo, by):
    ax = plot.weights(zoo[0], by, ax=new_axes())
    expected = weight_shares(zoo[0], by)
    assert tick_texts(ax, "y") == expected[by].tolist()
    np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], expected.share)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the largest is above


def test_small_bars_are_one(zoo):
    ax = plot.weights(zoo[0], ax=new_axes(), max_lines=5)
    expected = weight_shares(zoo[0]).share.to_numpy()
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(widths, [*expected[:4], expected[4:].sum()])
    assert tick_texts(ax, "y")[-1] == "12 others together"
    assert to_hex(ax.patches[-1].get_facecolor()) == GREY
    assert "the 4 largest of 16" in title(ax)


def test_the_heat_map_of_weights(zoo):
    ax = plot.weights(zoo[0], "column x coupling", ax=new_axes(), max_lines=6)
    table = ax.images[0].get_array()
    frame = weight_shares(zoo[0], "column x coupling").set_index(["column", "coupling"])
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


@pytest.mark.filterwarnings("ignore:.*took all its 120 steps.*")
@pytest.mark.parametrize(("solver", "n_lines"), [("exact", 1), ("lp", 1), ("adam", 2)])
def test_the_loss_is_the_curve(zoo, solver, n_lines):
    encoder = encoder_of(4, solver=solver, max_iter=120, random_state=0).fit(zoo[1])
    ax = plot.loss(encoder, ax=new_axes())
    assert len(ax.lines) == n_lines
    assert ax.lines[0].get_ydata().tolist() == encoder.loss_curve_
    assert ax.lines[0].get_xdata().tolist() == list(range(1, len(encoder.loss_curve_) + 1))
    if n_lines == 2:
        steps, means = ax.lines[1].get_data()
        assert steps[0] == 25
        assert means[0] == pytest.approx(np.mean(encoder.loss_curve_[:25]))
        assert means[-1] == pytest.approx(np.mean(encoder.loss_curve_[-25:]))


def eigenvalues(X):
    """Return those of the standardised one-hot columns: correspondence analysis from rows."""
    parts = []
    for column in X:
        hot = pd.get_dummies(X[column], dtype=float).to_numpy()
        parts.append((hot - hot.mean(axis=0)) / np.sqrt(hot.sum(axis=0)))
    return np.linalg.svd(np.hstack(parts), compute_uv=False) ** 2, sum(p.shape[1] for p in parts)


@pytest.mark.parametrize("n_clusters", ["auto", 9])
def test_the_spectrum_from_rows(zoo, n_clusters):
    X = zoo[1]
    expected, n_values = eigenvalues(X)
    edge = (1 + np.sqrt((n_values - X.shape[1]) / len(X))) ** 2
    k = TableEncoder(preparer=None).fit(X).n_clusters_
    ax = plot.spectrum(TableEncoder(n_clusters, preparer=None).fit(X), ax=new_axes())
    whole, filled, hollow, noise = ax.lines[:4]
    np.testing.assert_allclose(whole.get_ydata(), expected[:LARGEST_NUMBER], atol=1e-9)
    assert noise.get_ydata()[0] == pytest.approx(edge)
    assert len(filled.get_ydata()) == k - 1
    assert len(hollow.get_ydata()) == LARGEST_NUMBER - k + 1
    assert f"{k - 1} directions before the widest gap: {k} clusters" in title(ax)
    assert ("fitted with n_clusters=9" in title(ax)) == (n_clusters == 9)
    assert (whole.get_ydata()[: k - 1] > edge).all()


def test_a_spectrum_of_noise():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (400, 4)).astype(str))
    ax = plot.spectrum(TableEncoder(preparer=None).fit(X), ax=new_axes())
    assert title(ax).startswith("No direction stands out of the noise; 2 is")
    assert not len(ax.lines[1].get_ydata())


def test_weights_scaled_to_any_sum_leave_the_edge(zoo):
    X = zoo[1]
    scaled = TableEncoder(preparer=None).fit(X, sample_weight=np.full(len(X), 0.01))
    first, second = (plot.spectrum(e, ax=new_axes()).lines[3] for e in (zoo[0], scaled))
    assert first.get_ydata()[0] == pytest.approx(second.get_ydata()[0])


def test_the_choice_of_k(zoo):
    choice = choose_k(*zoo, range(2, 7), n_splits=3)
    above, below = plot.choice_of_k(choice, ax=new_axes(2))
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
    assert [bar.get_height() for bar in below.patches] == table.chosen_by.tolist()
    for axes in (above, below):
        assert axes.get_xticks().tolist() == [2, 3, 4, 5, 6]
        assert axes.lines[-1].get_xdata() == [choice.k, choice.k]
    assert title(above).replace("\n", " ") == choice.verdict.split(". ")[0]
    assert title(above).startswith(f"{choice.k} clusters")


@pytest.fixture(scope="module")
def clusters():
    return latent_classes(300, 4, 6, 4, seed=1)


def test_profiles_have_the_shares_and_lifts(clusters):
    X, labels = clusters
    profile = cluster_profile(X, labels).set_index(["cluster", "column", "value"])
    share = plot.cluster_profiles(X, labels, show="share", n=3, ax=new_axes())
    lift = plot.cluster_profiles(X, labels, n=3, ax=new_axes())
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
    ax = plot.cluster_profiles(X, labels, show="share", n=1, ax=new_axes())
    inside = {"up to 30": [0, 1], "21 to 40": [1, 2], "over 30": [2, 3], "21 to 30": [1]}
    texts = [text.removeprefix("age ") for text in tick_texts(ax, "y")]
    assert len(texts) > 1
    for row, text in enumerate(texts):
        for cluster in range(3):
            own = places[labels == cluster]
            found = ax.images[0].get_array()[row, cluster]
            assert found == pytest.approx(np.isin(own, inside[text]).mean())
    apart = plot.cluster_profiles(X, labels, n=1, ax=new_axes(), ordered=False)
    assert set(tick_texts(apart, "y")) <= {f"age {age}" for age in ages}


def test_clusters_are_named_with_their_shares(clusters):
    X, labels = clusters
    ax = plot.cluster_profiles(X, labels, ax=new_axes())
    shares = pd.Series(labels).value_counts(normalize=True).sort_index()
    assert tick_texts(ax, "x") == [f"{name} ({share:.0%})" for name, share in shares.items()]
    weights = np.where(np.asarray(labels) == labels[0], 3, 1)
    ax = plot.cluster_profiles(X, labels, ax=new_axes(), sample_weight=weights)
    shares = pd.Series(weights).groupby(np.asarray(labels)).sum() / weights.sum()
    assert tick_texts(ax, "x") == [f"{name} ({share:.0%})" for name, share in shares.items()]


def test_one_cluster_shows_its_most_frequent_values():
    X = pd.DataFrame({"a": list("uvvvww"), "b": list("xxxxxy")})
    ax = plot.cluster_profiles(X, [0] * 6, n=3, ax=new_axes())
    assert tick_texts(ax, "y") == ["b = x", "a = v", "a = w"]
    assert not ax.images[0].get_array().any()  # no value is more frequent than in all rows


def test_many_clusters_are_the_largest(clusters):
    X, _ = clusters
    labels = np.minimum(np.arange(len(X)) // 4, 60)
    ax = plot.cluster_profiles(X, labels, n=10, ax=new_axes())
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
