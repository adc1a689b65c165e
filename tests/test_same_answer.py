"""The command, the report and Python give the same clusters for the same table and seed."""

import inspect

import dask.dataframe as dask
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from command_cases import ask
from untie import UNTIE, Preparer, TableClusterer, TableEncoder, count_table, load_model, scan, sink
from untie.cli.options import ColumnOptions
from untie.datasets import load


def mixed(n_rows=240):
    """Return an id, numbers, a date, text with missing cells, and a column that says little."""
    rng = np.random.default_rng(5)
    kind = rng.integers(0, 3, n_rows)
    return pd.DataFrame(
        {
            "person": [f"p{number}" for number in range(n_rows)],
            "age": 20 + 15 * kind + rng.integers(0, 20, n_rows),
            "income": (1000 * (1 + kind) + 400 * rng.random(n_rows)).round(2),
            "joined": [f"20{10 + k * 4 + i % 5}-0{1 + i % 9}-11" for i, k in enumerate(kind)],
            "plan": np.where(rng.random(n_rows) < 0.1, None, np.array(["a", "b", "c"])[kind]),
            "tone": rng.choice(["low", "mid", "high"], n_rows),
        }
    )


TABLES = {"mixed": mixed, "zoo": lambda: load("zoo")[0]}


@pytest.fixture(scope="module", params=TABLES)
def table(request):
    return TABLES[request.param]()


@pytest.fixture
def folder(table, tmp_path, monkeypatch):
    table.to_csv(tmp_path / "table.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def labels_of_the_command(*arguments):
    ask("cluster", "table.csv", "-q", "-o", "labels.csv", *arguments)
    return pd.read_csv("labels.csv", dtype=str)["cluster"].astype(int).to_numpy()


@pytest.mark.parametrize(("k", "seed"), [("auto", 0), (3, 7)])
def test_command_and_python(table, folder, k, seed):
    expected = TableClusterer(k, random_state=seed).fit(table).labels_
    number = [] if k == "auto" else ["--k", str(k)]
    found = labels_of_the_command("--seed", str(seed), *number)
    np.testing.assert_array_equal(found, expected)


def test_a_model_of_the_command_and_one_of_python(table, folder):
    labels_of_the_command("--k", "3", "--save", "made.untie")
    TableClusterer(3).fit(table).save("own.untie")
    ask("assign", "own.untie", "table.csv", "-o", "assigned.csv", "-q")
    assigned = pd.read_csv("assigned.csv", dtype=str)["cluster"].astype(int).to_numpy()
    own = load_model("own.untie")
    np.testing.assert_array_equal(assigned, own.labels_)
    np.testing.assert_array_equal(load_model("made.untie").predict(table), own.predict(table))


def test_report_and_python(table, folder):
    pytest.importorskip("jinja2")
    from untie import make_report

    expected = TableClusterer(3).fit(table)
    sizes = sorted(np.bincount(expected.labels_).tolist(), reverse=True)
    page = make_report(table, TableClusterer(3)).html
    ask("report", "table.csv", "--k", "3", "-o", "page.html", "-q")
    for text in (page, (folder / "page.html").read_text(encoding="utf-8")):
        assert all(f"{size:,}" in text for size in sizes)


def test_lazy_tables_and_files(table, folder):
    expected = TableClusterer(3).fit(table)
    found = TableClusterer(3).fit(scan(folder / "table.csv"))
    assert found.encoder_.vocabulary_.sizes == expected.encoder_.vocabulary_.sizes
    own = TableEncoder(3).fit(table)
    assert own.n_features_in_ == expected.n_features_in_ == table.shape[1]


def test_the_options_of_the_command_are_the_defaults():
    defaults, options = Preparer().get_params(), ColumnOptions()
    assert options.bins == defaults["bins"]
    assert options.max_categories == defaults["max_categories"]
    assert options.day_first == defaults["day_first"]
    for estimator in (TableClusterer, TableEncoder, UNTIE):
        assert inspect.signature(estimator).parameters["random_state"].default == 0


# The default prepares a table as a Preparer before it does.

WEIGHTS = np.arange(240) % 3 + 0.5

DEFAULTS = {
    "clusterer": (lambda: TableClusterer(3), lambda: TableClusterer(3, preparer=None)),
    "encoder": (lambda: TableEncoder(3), lambda: TableEncoder(3, preparer=None)),
    "encoder of one's own": (
        lambda: TableClusterer(3, encoder=TableEncoder(missing="neutral")),
        lambda: TableClusterer(3, encoder=TableEncoder(missing="neutral", preparer=None)),
    ),
    "method of the paper": (
        lambda: TableClusterer(3, encoder=UNTIE()),
        lambda: TableClusterer(3, encoder=UNTIE(), preparer=None),
    ),
}
FORMS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "array": lambda frame: frame.to_numpy(dtype=object),
    "rows": lambda frame: frame.to_numpy(dtype=object).tolist(),
    "lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "dask": lambda frame: dask.from_pandas(frame, npartitions=3),
}


def vectors_of(estimator, X):
    """Return the vectors of rows in memory, or their distances to the means."""
    return np.asarray(estimator.transform(X), dtype=float)


@pytest.mark.parametrize("name", DEFAULTS)
def test_it_is_a_preparer_before(name):
    table = mixed()
    default, plain = (make() for make in DEFAULTS[name])
    preparer = Preparer().fit(table)
    found, expected = default.fit(table), plain.fit(preparer.transform(table))
    np.testing.assert_array_equal(
        vectors_of(found, table), vectors_of(expected, preparer.transform(table))
    )
    assert found.n_features_in_ == 6
    assert found.preparer_.columns_ == preparer.columns_
    without = table.drop(columns="person")  # which was left out
    np.testing.assert_array_equal(vectors_of(found, without), vectors_of(found, table))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["clusterer", "encoder"])
def test_any_kind_of_table(name, form):
    table = mixed()
    expected = DEFAULTS[name][0]().fit(table, sample_weight=WEIGHTS)
    with_weights = FORMS[form](table.assign(w=WEIGHTS))
    named = form not in ("array", "rows")
    given = {"sample_weight": "w" if named else WEIGHTS}
    data = with_weights if named else FORMS[form](table)
    found = DEFAULTS[name][0]().fit(data, **given)
    rows = table if named else FORMS[form](table)
    np.testing.assert_allclose(vectors_of(found, rows), vectors_of(expected, table), atol=1e-9)
    assert found.n_features_in_ == 6


def test_lazy_rows_are_prepared_as_they_are_read(tmp_path):
    table = mixed()
    encoder, clusterer = TableEncoder(3, n_components=2).fit(table), TableClusterer(3).fit(table)
    lazy = FORMS["lazy"](table[::-1])
    read = encoder.transform(lazy).read_all()
    found = np.column_stack([column.to_numpy() for column in read.columns])
    np.testing.assert_allclose(found, encoder.transform(table[::-1]), atol=1e-12)
    labels = clusterer.predict(lazy).read_all()["cluster"].to_numpy()
    np.testing.assert_array_equal(labels, clusterer.labels_[::-1])
    parts = clusterer.predict(FORMS["dask"](table)).compute()
    np.testing.assert_array_equal(parts, clusterer.labels_)
    sink(encoder, lazy, tmp_path / "vectors.parquet", keep=["person", "age"])
    assert scan(tmp_path / "vectors.parquet").columns[:3] == ["person", "age", "tableencoder0"]


@pytest.mark.parametrize("name", DEFAULTS)
def test_saved_and_loaded(name, tmp_path):
    table = mixed()
    estimator = DEFAULTS[name][0]().fit(table)
    estimator.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    np.testing.assert_array_equal(vectors_of(loaded, table), vectors_of(estimator, table))
    assert loaded.preparer_.columns_ == estimator.preparer_.columns_
    assert repr(loaded) == repr(estimator)


def test_a_preparer_of_ones_own_is_cloned():
    preparer = Preparer(bins=4)
    for estimator in (
        TableEncoder(3, preparer=preparer),
        TableClusterer(3, preparer=preparer),
        TableClusterer(3, encoder=TableEncoder(preparer=preparer)),
    ):
        estimator.fit(mixed())
        assert len(estimator.preparer_.ranges("age")) == 4
    assert not hasattr(preparer, "notes_")


def test_weights_of_columns_are_about_the_users_table():
    table = mixed()
    array = table.to_numpy(dtype=object)
    for weights in ({1: 0, 0: 0}, {"x1": 0}):  # column 0 is left out, and does no harm
        for estimator in (
            TableEncoder(3, column_weights=weights),
            TableClusterer(3, encoder=TableEncoder(column_weights=weights)),
        ):
            encoder = getattr(estimator.fit(array), "encoder_", estimator)
            assert encoder._model.passive.tolist() == [True, False, False, False, False]
    assert "age=23 to 24" in TableEncoder(3).fit(table).get_feature_names_out()
    given = TableEncoder(3).fit(array).get_feature_names_out(list("abcdef"))
    assert "b=23 to 24" in given


REFUSED = {
    "partial_fit": (
        lambda table: TableEncoder(3).partial_fit(table),
        ValueError,
        r"partial_fit learns from rows as they are.*set preparer=None",
    ),
    "partial_fit of a prepared fit": (
        lambda table: TableEncoder(3).fit(table).set_params(preparer=None).partial_fit(table),
        ValueError,
        "can't continue a fit on a table that was prepared",
    ),
    "fit_counts": (
        lambda table: TableEncoder(3).fit_counts(count_table(table)),
        ValueError,
        r"fit_counts learns from rows as they are.*set preparer=None",
    ),
    "one reading": (
        lambda table: TableEncoder(3).fit(FORMS["pyarrow"](table).to_reader()),
        ValueError,
        r"can be read only once.*preparer=None",
    ),
    "no preparer": (
        lambda table: TableEncoder(3, preparer=3).fit(table),
        TypeError,
        "preparer must be 'auto', None or a Preparer, got 3",
    ),
    "two preparers": (
        lambda table: TableClusterer(
            3, encoder=TableEncoder(preparer=Preparer()), preparer=Preparer()
        ).fit(table),
        ValueError,
        "keep one of them",
    ),
    "weight of a column that was left out": (
        lambda table: TableEncoder(3, column_weights={"person": 2}).fit(table),
        ValueError,
        r"column_weights names a column that is not learned from \(person: left out",
    ),
    "order of a column that was left out": (
        lambda table: TableEncoder(3, ordered=["person"]).fit(table),
        ValueError,
        "ordered names a column that is not learned from",
    ),
    "weight of a column that is not there": (
        lambda table: TableEncoder(3, column_weights={"nope": 1}).fit(table[["person", "age"]]),
        ValueError,
        "'nope' in the table, which column_weights names; its columns are 'person', 'age'[.]$",
    ),
    "one column twice": (
        lambda table: TableEncoder(3, column_weights={"age": 2, 1: 3}).fit(table),
        ValueError,
        "names column 'age' twice",
    ),
    "ids alone": (
        lambda table: TableClusterer(3).fit(table[["person"]]),
        ValueError,
        r"No column is left to learn from \(person: left out, looks like an id\)",
    ),
    "rows without a column": (
        lambda table: TableClusterer(3).fit(table).predict(table.drop(columns="age")),
        ValueError,
        "There is no column 'age' of the model",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_can_not_be_prepared_is_refused(case):
    call, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        call(mixed())


def test_orders_of_rows_and_columns_change_nothing():
    table = mixed()
    expected = TableClusterer(3).fit(table).labels_
    order = np.random.default_rng(1).permutation(len(table))
    shuffled = table.iloc[order, ::-1]
    np.testing.assert_array_equal(TableClusterer(3).fit(shuffled).labels_, expected[order])
