"""Biplots: every point is where the model says."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from plot_cases import draw, new_axes, title
from untie import Preparer, TableEncoder, plot
from untie.datasets import load
from untie.decomposition import FAMD, MCA


@pytest.fixture(scope="module")
def animals():
    return load("zoo")[0]


@pytest.fixture(scope="module")
def mca(animals):
    return MCA(3).fit(animals)


def layers(axes):
    """Return the points of the rows, and those of all values; of a table without numbers."""
    rows, *values, tips = [np.asarray(layer.get_offsets()) for layer in axes.collections]
    assert not len(tips)
    return rows, np.vstack(values)


def as_set(points):
    return {tuple(point) for point in np.round(points, 9) + 0.0}


def test_rows_and_values_of_mca(mca, animals):
    axes = plot.biplot(mca, animals, axes=(2, 0), ax=new_axes())
    rows, values = layers(axes)
    assert as_set(rows) == as_set(mca.transform(animals)[:, [2, 0]])
    assert as_set(values) == as_set(mca.column_coordinates_[:, [2, 0]])
    share = mca.explained_inertia_[2]
    assert axes.get_xlabel() == f"mca2 ({share:.1%} of the inertia)"
    assert axes.texts[0].get_text().count("=") == 1
    draw(axes)


def test_the_values_that_contribute_most_are_drawn(mca, animals):
    axes = plot.biplot(mca, animals, max_values=3, ax=new_axes())
    inertia = mca.column_contributions_[:, :2] @ mca.eigenvalues_[:2]
    best = np.argsort(-inertia)[:3]
    assert as_set(layers(axes)[1]) == as_set(mca.column_coordinates_[best, :2])
    assert "the 3 of 36 values that contribute most" in title(axes)


def test_values_of_an_encoder_are_at_the_mean_of_their_rows(animals):
    encoder = TableEncoder(n_components=2, preparer=None).fit(animals)
    rows, values = layers(plot.biplot(encoder, animals, ax=new_axes()))
    X = encoder.transform(animals)
    X = X - X.mean(axis=0)
    assert rows.shape == (len(animals.drop_duplicates()), 2)
    means = [
        X[(animals[name] == value).to_numpy()].mean(axis=0)
        for name in animals
        for value in animals[name].unique()
    ]
    assert as_set(np.round(np.abs(values), 6)) == as_set(np.round(np.abs(means), 6))


def test_numbers_are_arrows():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"n": rng.normal(size=60), "w": rng.choice(list("abc"), 60)})
    famd = FAMD().fit(table)
    axes = plot.biplot(famd, table, ax=new_axes())
    assert "arrows: correlations of numbers with the axes" in title(axes)
    [tip] = [text.xy for text in axes.texts if text.arrow_patch is not None]
    expected = famd.column_coordinates_[0]
    np.testing.assert_allclose(tip / np.linalg.norm(tip), expected / np.linalg.norm(expected))
    assert "n" in [text.get_text() for text in axes.texts]


def test_a_pipeline_that_ends_in_one(animals):
    pipeline = make_pipeline(Preparer(), MCA()).fit(animals)
    rows = layers(plot.biplot(pipeline, animals, ax=new_axes()))[0]
    assert as_set(rows) == as_set(pipeline.transform(animals))


def test_many_rows_are_sampled(mca, animals):
    axes = plot.biplot(mca, animals, max_rows=7, ax=new_axes())
    assert len(layers(axes)[0]) == 7
    assert "7 of 59 distinct rows, drawn at random" in title(axes)
    assert title(axes).startswith("101 rows and their values")


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"axes": (0, 3)}, ValueError, "the model has 3; fit it with n_components=4"),
        ({"axes": (1, 1)}, ValueError, "two different numbers"),
        ({"axes": (-1, 0)}, ValueError, "two numbers from 0, got"),
        ({"axes": (0, 1, 2)}, ValueError, "two numbers from 0, got"),
        ({"axes": 1}, TypeError, "two numbers, such as"),
        ({"max_values": 0}, ValueError, "max_values must be"),
        ({"max_rows": 0}, ValueError, "max_rows must be"),
    ],
)
def test_what_cannot_be_drawn_is_refused(mca, animals, arguments, kind, message):
    with pytest.raises(kind, match=message):
        plot.biplot(mca, animals, **arguments)


def test_a_fit_is_needed(animals):
    with pytest.raises(NotFittedError):
        plot.biplot(MCA(), animals)
