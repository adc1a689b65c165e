"""What every plot does: it returns its axes, draws where it is told to, and leaves nothing."""

import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes

from plot_cases import draw, lay_out, n_open, new_axes, odd_table
from untie import TableClusterer, TableEncoder, choose_k, plot

N_AXES = {"choice_of_k": 2}


def plots(encoder, data, column):
    """Return a call of every plot, which takes `ax` alone."""
    labels = np.arange(len(data)) % 3
    calls = {
        "map_rows": lambda ax: plot.map_rows(encoder, data, labels=labels, method="pca", ax=ax),
        "map_rows tsne": lambda ax: plot.map_rows(encoder, data, ax=ax, max_rows=80),
        "map_rows column": lambda ax: plot.map_rows(
            encoder, data, labels=column, method="pca", ax=ax
        ),
        "biplot": lambda ax: plot.biplot(encoder, data, max_rows=80, ax=ax),
        "map_values": lambda ax: plot.map_values(encoder, ax=ax),
        "map_values column": lambda ax: plot.map_values(encoder, column, ax=ax),
        "value_dendrogram": lambda ax: plot.value_dendrogram(encoder, column, ax=ax),
        "value_dendrogram vectors": lambda ax: plot.value_dendrogram(
            encoder, column, by="vectors", ax=ax
        ),
        "associations": lambda ax: plot.associations(encoder, ax=ax),
        "associations few": lambda ax: plot.associations(encoder, ax=ax, max_columns=2),
        "cluster_profiles": lambda ax: plot.cluster_profiles(encoder, data, labels=labels, ax=ax),
        "cluster_profiles share": lambda ax: plot.cluster_profiles(
            encoder, data, labels=labels, show="share", ax=ax
        ),
        "cluster_profiles one": lambda ax: plot.cluster_profiles(
            encoder, data, labels=0 * labels, ax=ax
        ),
    }
    for by in ("column", "coupling", "kernel", "column x coupling"):
        calls[f"weights {by}"] = lambda ax, by=by: plot.weights(encoder, by=by, ax=ax)
    return calls


def zoo_plots(encoder, data):
    choice = choose_k(encoder, data, range(2, 6), n_splits=2)
    return {
        **plots(encoder, data, "legs"),
        "choice_of_k": lambda ax: plot.choice_of_k(encoder, choice=choice, ax=ax),
    }


@pytest.fixture(scope="module")
def calls(zoo):
    return zoo_plots(*zoo)


def test_every_plot_is_tried(calls):
    assert {name.split()[0] for name in calls} == set(plot.__all__)


def test_without_axes_there_is_one_new_figure(calls):
    for name, call in calls.items():
        before = n_open()
        axes = np.ravel(call(None))
        assert len(axes) == N_AXES.get(name, 1), name
        assert n_open() == before + 1, name
        for one in axes:
            assert isinstance(one, Axes), name
            assert one.figure is pyplot.figure(pyplot.get_fignums()[-1]), name
            assert one.has_data() or one.texts, name
        draw(axes[0])
        pyplot.close(axes[0].figure)


def test_given_axes_are_drawn_on_and_pyplot_is_left_alone(calls):
    other, current = pyplot.subplots()
    settings = dict(matplotlib.rcParams)
    for name, call in calls.items():
        given = new_axes(N_AXES.get(name, 1))
        result = call(given)
        assert np.ravel(result).tolist() == np.ravel(given).tolist(), name
        for one in np.ravel(given):
            assert one.has_data() or one.texts, name
        draw(np.ravel(given)[0])
        assert pyplot.get_fignums() == [other.number], name
        assert pyplot.gca() is current, name
    assert not current.has_data()
    assert dict(matplotlib.rcParams) == settings


@pytest.mark.integration
def test_sub_figures_and_dark_styles(calls):
    with pyplot.style.context("dark_background"):
        for name, call in calls.items():
            figure = pyplot.figure(layout="constrained").subfigures(1, 2)[0]
            axes = figure.subplots(N_AXES.get(name, 1))
            call(axes)
            draw(np.ravel(axes)[0])
            pyplot.close("all")


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore:.*kept apart by coordinates of their own.*")
@pytest.mark.filterwarnings("ignore::untie._prepare.unprepared.UnpreparedWarning")
@pytest.mark.parametrize(
    ("data", "column"),
    [
        (odd_table(300, 160), "a rather long name that costs $5 or $6"),
        (odd_table()[["_b"]], "_b"),
        (pd.DataFrame({"a": ["x"] * 6}), "a"),
        (pd.DataFrame({"a": ["x"] * 6, "b": list("uvuvuv")}), "b"),
        (pd.DataFrame({"a": [None] * 5 + ["x"], "b": list("uvwxyz")}), "a"),
        (pl.from_pandas(odd_table(40, 8)), "c"),
        (odd_table(1600, 1200), "a rather long name that costs $5 or $6"),
    ],
    ids=[
        "odd",
        "one column",
        "constant",
        "two rows",
        "all distinct",
        "polars",
        "very many values",
    ],
)
def test_odd_tables(data, column):
    encoder = TableEncoder(preparer=None).fit(data)
    for call in plots(encoder, data, column).values():
        lay_out(call(None))
        pyplot.close("all")


def test_arrays_have_columns_too():
    rows = odd_table(50, 8).to_numpy()
    encoder = TableEncoder(preparer=None).fit(rows)
    for call in plots(encoder, rows, "x1").values():
        lay_out(call(new_axes()))


WRONG = {
    "axes": (lambda e, X: plot.weights(e, ax=[1]), TypeError, "ax must be a matplotlib Axes"),
    "two axes": (
        lambda e, X: plot.choice_of_k(e, ax=new_axes()),
        TypeError,
        r"two matplotlib Axes, got 1; make them by pyplot.subplots\(2\)",
    ),
    "no axes": (lambda e, X: plot.choice_of_k(e, ax=[1, 2]), TypeError, "got int"),
    "choice": (lambda e, X: plot.choice_of_k(e, choice=4), TypeError, "a KChoice, got int"),
    "no choice": (
        lambda e, X: plot.choice_of_k(TableClusterer(2).fit(X)),
        ValueError,
        "n_clusters='auto', or pass choice=",
    ),
    "method": (lambda e, X: plot.map_rows(e, X, method="mds"), ValueError, "method must be one"),
    "column": (lambda e, X: plot.map_values(e, "wings"), ValueError, "no column 'wings'"),
    "colour": (
        lambda e, X: plot.map_rows(e, X, labels="wings"),
        ValueError,
        "'wings' in the table, which labels names",
    ),
    "labels": (
        lambda e, X: plot.map_rows(e, X, labels=[1, 2]),
        ValueError,
        r"labels has shape \(2,\), but the table has 101 rows",
    ),
    "few rows": (lambda e, X: plot.map_rows(e, X, max_rows=0), ValueError, "max_rows must be"),
    "no rows": (lambda e, X: plot.map_rows(e, X[:0]), ValueError, "no rows"),
    "few values": (lambda e, X: plot.map_values(e, max_values=0), ValueError, "max_values must be"),
    "tree": (
        lambda e, X: plot.value_dendrogram(e, "legs", by="names"),
        ValueError,
        r"by must be one of \['contexts', 'vectors'\]",
    ),
    "linkage": (
        lambda e, X: plot.value_dendrogram(e, "legs", linkage="ward"),
        ValueError,
        "linkage must be one of",
    ),
    "by": (lambda e, X: plot.weights(e, by="value"), ValueError, "by must be one of"),
    "lines": (lambda e, X: plot.weights(e, max_lines=1.5), ValueError, "max_lines must be"),
    "show": (lambda e, X: plot.cluster_profiles(e, X, show="p"), ValueError, "show must be"),
    "profile": (
        lambda e, X: plot.cluster_profiles(e, X, labels=[0]),
        ValueError,
        r"shape \(1,\)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_and_leaves_no_figure(name, zoo):
    call, kind, message = WRONG[name]
    with pytest.raises(kind, match=message):
        call(*zoo)
    assert n_open() == 0


def test_without_matplotlib_the_extra_is_named(zoo, monkeypatch):
    encoder, X = zoo
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    remedy = r"need matplotlib: pip install 'untie-learn\[report\]'"
    for name, call in plots(encoder, X, "legs").items():
        with pytest.raises(ImportError, match=remedy):
            call(None)
        assert name


@pytest.mark.integration
def test_matplotlib_is_imported_only_to_draw():
    code = "import sys, untie.plot; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
