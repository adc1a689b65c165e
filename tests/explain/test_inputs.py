"""One calling convention: every question takes the same models, rows, labels and weights."""

import inspect
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import untie
from command_cases import ask
from untie import Preparer, TableClusterer, TableEncoder, choose_k, explain, load_model, plot
from untie._table.frames import columns_of

pytest.importorskip("matplotlib").use("Agg")


def people(n_rows=240):
    """Return a table with numbers, an id, categories and a column of weights."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, n_rows)
    return pd.DataFrame(
        {
            "person": [f"p{row:04}" for row in range(n_rows)],
            "age": np.where(kind, rng.normal(65, 6, n_rows), rng.normal(25, 6, n_rows)).round(),
            "job": np.where(rng.random(n_rows) < 0.9, np.array(["cook", "nurse"])[kind], "clerk"),
            "home": np.where(rng.random(n_rows) < 0.9, np.array(["farm", "flat"])[kind], "boat"),
            "pet": rng.choice(["cat", "dog"], n_rows),
        }
    )


QUESTIONS = {
    "alike_values": lambda m, X, **more: explain.alike_values(m, "job"),
    "why_alike": lambda m, X, **more: explain.why_alike(m, "job", "cook", "nurse"),
    "associations": lambda m, X, **more: explain.associations(m),
    "families": lambda m, X, **more: explain.families(m),
    "missing_together": lambda m, X, **more: explain.missing_together(m),
    "weight_shares": lambda m, X, **more: explain.weight_shares(m),
    "unknown_values": lambda m, X, **more: explain.unknown_values(m, X),
    "outliers": lambda m, X, **more: explain.outliers(m, X),
    "why_outlier": lambda m, X, **more: explain.why_outlier(m, X[:1]),
    "likely_values": lambda m, X, **more: explain.likely_values(m, X),
    "neighbors": lambda m, X, **more: explain.neighbors(m, X, X[:2]),
    "why_similar": lambda m, X, **more: explain.why_similar(m, X[:1], X[1:2]),
    "drift": lambda m, X, **more: explain.drift(m, X).columns,
    "choose_k": lambda m, X, **more: choose_k(m, X, [2], n_splits=2).table(),
    "assignments": lambda m, X, **more: explain.assignments(m, X),
    "verdict": lambda m, X, **more: explain.verdict(m, X).stability,
    "cluster_profile": explain.cluster_profile,
    "cluster_names": explain.cluster_names,
    "cluster_stability": explain.cluster_stability,
    "cluster_gaps": explain.cluster_gaps,
    "important_columns": explain.important_columns,
    "subclusters": lambda m, X, **more: explain.subclusters(m, X, **more).table,
    "prototypes": explain.prototypes,
    "border_cases": explain.border_cases,
}
PLOTS = {
    "biplot": lambda m, X, **more: plot.biplot(m, X),
    "map_rows": lambda m, X, **more: plot.map_rows(m, X, method="pca", **more),
    "map_values": lambda m, X, **more: plot.map_values(m, "job"),
    "value_dendrogram": lambda m, X, **more: plot.value_dendrogram(m, "job"),
    "weights": lambda m, X, **more: plot.weights(m),
    "associations": lambda m, X, **more: plot.associations(m),
    "cluster_profiles": plot.cluster_profiles,
    "choice_of_k": lambda m, X, **more: plot.choice_of_k(m),
}
EVERY = {**QUESTIONS, **{f"plot.{name}": question for name, question in PLOTS.items()}}
OF_CLUSTERS = ("assignments", "subclusters", "verdict")
OF_LABELS = (
    *("cluster_profile", "cluster_names", "cluster_stability", "cluster_gaps"),
    *("prototypes", "border_cases", "important_columns"),
)
OF_ROWS = {
    name: question
    for name, question in EVERY.items()
    if name in (*OF_CLUSTERS, *OF_LABELS, "unknown_values", "outliers", "why_outlier", "neighbors")
    or name
    in (
        "likely_values",
        "why_similar",
        "drift",
        "choose_k",
        "plot.biplot",
        "plot.map_rows",
        "plot.cluster_profiles",
    )
}
WITH_LABELS = (*OF_LABELS, "plot.map_rows", "plot.cluster_profiles")


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(scope="module")
def encoder(table):
    return make_pipeline(Preparer(), TableEncoder("auto")).fit(table)


@pytest.fixture(scope="module")
def clusterer(table):
    return TableClusterer(preparer=Preparer()).fit(table)


@pytest.fixture(scope="module")
def pipeline(table):
    return make_pipeline(Preparer(), TableClusterer()).fit(table)


@pytest.fixture(scope="module")
def prepared(table):
    """Return prepared rows, and a clusterer that takes them as they are."""
    rows = Preparer().fit_transform(table)
    return TableClusterer().fit(rows), rows


@pytest.fixture(autouse=True)
def close_figures():
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def test_every_question_is_tried():
    made = {name for name in explain.__all__ if name not in ("Drift", "Subclusters", "Verdict")}
    assert {*QUESTIONS} == made | {"choose_k"}
    assert {*PLOTS} == {*plot.__all__}


ABOUT_ROWS = ("why_similar", "why_outlier")


@pytest.mark.parametrize("module", [explain, plot])
def test_names_and_order_of_the_parameters(module):
    """First the model, then raw rows, then what it is about; all else is named."""
    asked = ("row", "other", "rows", "column", "value", "data", "ks")
    for name in module.__all__:
        if name in ("Drift", "Subclusters", "Verdict"):
            continue
        parameters = inspect.signature(getattr(module, name)).parameters
        assert next(iter(parameters)) == "model"
        for key, parameter in list(parameters.items())[1:]:
            is_named = parameter.kind is inspect.Parameter.KEYWORD_ONLY
            # Of single rows the table is needed only where they are named by position.
            is_asked = key in asked and not (key == "data" and name in ABOUT_ROWS)
            assert is_named is not is_asked, (name, key)
        assert name in ABOUT_ROWS or "data" not in parameters or list(parameters)[1] == "data"


@pytest.mark.parametrize("name", EVERY)
def test_all_models_take_rows_as_they_come(name, table, encoder, clusterer, pipeline):
    question = EVERY[name]
    assert question(clusterer, table) is not None
    assert question(pipeline, table) is not None
    if name in OF_CLUSTERS:
        with pytest.raises(TypeError, match=r"TableClusterer, or a Pipeline .* makes no clusters"):
            question(encoder, table)
    elif name in WITH_LABELS and name != "plot.map_rows":
        with pytest.raises(ValueError, match="labels is required, as TableEncoder makes no clust"):
            question(encoder, table)
        assert question(encoder, table, labels=clusterer.labels_) is not None
    else:
        assert question(encoder, table) is not None


@pytest.mark.parametrize("name", QUESTIONS)
def test_raw_rows_are_prepared_as_the_model_prepares_them(name, table, clusterer, prepared):
    found = columns_of(QUESTIONS[name](clusterer, table))
    if "position" in found:  # prepared rows have no names
        names = found.pop("name")
        assert found["position"] == [table.person.tolist().index(name) for name in names]
    assert found == columns_of(QUESTIONS[name](*prepared))


@pytest.mark.parametrize("kind", [tuple, list])
def test_as_many_rows_as_columns_are_rows(kind):
    table = np.array([list("abab" * 10)] * 3).T
    encoder = TableEncoder(2, preparer=None).fit(table)
    rows = [kind("aba"), kind("bab"), kind("aaa")]
    assert explain.neighbors(encoder, table, rows, n=2).row.tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("name", WITH_LABELS)
def test_labels_are_an_array_or_the_name_of_a_column(name, table, clusterer):
    labels = np.array(["x", "y"])[np.arange(len(table)) % 2]
    named = table.assign(kind=labels)
    found = EVERY[name](clusterer, table, labels=labels)
    by_name = EVERY[name](clusterer, named, labels="kind")
    if name in QUESTIONS:
        pd.testing.assert_frame_equal(found, by_name)
        clusters = {*found.get("cluster", ["x", "y"]), *found.get("other", [])}
        assert clusters == {"x", "y"}  # columns are important to all of them
    with pytest.raises(ValueError, match=r"labels has shape \(2,\), but the table has 240 rows"):
        EVERY[name](clusterer, table, labels=[0, 1])
    with pytest.raises(ValueError, match=r"no column 'kinds' in the table, which labels names"):
        EVERY[name](clusterer, named, labels="kinds")


WEIGHED = {
    **{name: getattr(explain, name) for name in OF_LABELS},
    "verdict": lambda m, X, **more: explain.verdict(m, X, **more).stability,
    "drift": lambda m, X, **more: explain.drift(m, X, **more).columns,
    "choose_k": lambda m, X, **more: choose_k(m, X, [2, 3], n_splits=2, **more).table(),
}


@pytest.mark.parametrize("name", WEIGHED)
def test_weights_are_an_array_or_the_name_of_a_column(name, table, clusterer):
    weights = np.arange(len(table)) % 3 + 0.5
    found = WEIGHED[name](clusterer, table, sample_weight=weights)
    named = table.assign(w=weights)
    pd.testing.assert_frame_equal(found, WEIGHED[name](clusterer, named, sample_weight="w"))
    with pytest.raises(ValueError, match=r"shape \(2,\), but the table has 240 rows"):
        WEIGHED[name](clusterer, table, sample_weight=[1, 2])
    with pytest.raises(ValueError, match=r"no column 'v' in the table"):
        WEIGHED[name](clusterer, named, sample_weight="v")
    for column in ("job", "age"):
        with pytest.raises(ValueError, match=f"'{column}' can't hold the weights, .*; name anoth"):
            WEIGHED[name](clusterer, table, sample_weight=column)


MODELS = {
    "no estimator": (lambda X: X, TypeError, "is required, got DataFrame; fit one to the table"),
    "other estimator": (
        lambda X: KMeans(2),
        TypeError,
        r"got KMeans; to ask about its clusters, pass them as labels: model=TableEncoder\(\)",
    ),
    "class": (lambda X: TableClusterer, TypeError, "got the class TableClusterer"),
    "pipeline": (
        lambda X: make_pipeline(Preparer(), TableEncoder(2), KMeans(2)).fit(X),
        TypeError,
        r"ends in KMeans; pass the steps before it, .* model=pipeline\[:-1\], "
        r"labels=pipeline\[-1\]\.labels_\.",
    ),
    "preparer": (lambda X: Preparer().fit(X), TypeError, "is required, got Preparer"),
    "not fitted": (lambda X: TableClusterer(), NotFittedError, "not fitted yet. Call 'fit'"),
    "pipeline that is not fitted": (
        lambda X: make_pipeline(Preparer(), TableEncoder()),
        NotFittedError,
        r"This Pipeline is not fitted yet, as its Preparer is not; .*: pipeline\.fit\(table\)",
    ),
}


@pytest.fixture(scope="module")
def models(table):
    return {case: make(table) for case, (make, _, _) in MODELS.items()}


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("case", MODELS)
def test_what_no_question_can_be_asked_of(case, name, table, models):
    _, kind, words = MODELS[case]
    with pytest.raises(kind, match=words):
        EVERY[name](models[case], table)


ROWS = {
    "other columns": (lambda X: X.rename(columns={"job": "work"}), ValueError, "'?job'?"),
    "no rows": (lambda X: X[:0], ValueError, "The table has no rows: .*Look at the filter|One row"),
    "duplicate names": (
        lambda X: pd.concat([X, X[["job"]]], axis=1),
        ValueError,
        "'job'",
    ),
    "no table": (lambda X: "people.csv", TypeError, "table is required"),
}


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.parametrize("case", ROWS)
@pytest.mark.parametrize("is_prepared", [False, True], ids=["raw", "prepared"])
def test_rows_that_are_not_those_of_the_model(case, name, is_prepared, table, clusterer, prepared):
    make, kind, words = ROWS[case]
    model = clusterer
    if is_prepared:
        model, table = prepared
    with pytest.raises(kind, match=words):
        OF_ROWS[name](model, make(table))


OF_COLUMNS = {
    "alike_values": lambda m, X: explain.alike_values(m, "person"),
    "why_alike": lambda m, X: explain.why_alike(m, "person", "p0001", "p0002"),
    "neighbors": lambda m, X: explain.neighbors(m, X, 0, columns=["job", "person"]),
    "map_values": lambda m, X: plot.map_values(m, "person"),
    "value_dendrogram": lambda m, X: plot.value_dendrogram(m, "person"),
}


@pytest.mark.parametrize("name", OF_COLUMNS)
def test_a_column_that_was_left_out_is_refused_with_the_reason(name, table, clusterer, pipeline):
    words = r"'person' was left out, looks like an id; .* 'age', 'job', .*Preparer\(columns="
    for model in (clusterer, pipeline):
        with pytest.raises(ValueError, match=words):
            OF_COLUMNS[name](model, table)
    with pytest.raises(ValueError, match=words):
        TableEncoder().fit(table).value_similarity("person")


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("name", [n for n in OF_ROWS if n not in ("why_outlier", "why_similar")])
def test_columns_of_an_array_are_those_at_their_positions(name, table, clusterer):
    found, expected = (OF_ROWS[name](clusterer, rows) for rows in (table.to_numpy(), table))
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame({"id": [f"p{row}" for row in range(100)]}), "no column is left"),
        (pd.DataFrame({"same": ["x"] * 100}), "no column is left"),
        (pd.DataFrame({"job": ["cook", "nurse"] * 50}), "only 'job' is learned from.*pass more"),
    ],
    ids=["ids", "constant", "one column"],
)
def test_tables_without_a_column_to_use_are_refused_when_fitted(frame, words):
    with pytest.raises(ValueError, match=f"(?i){words}"):
        TableClusterer(preparer=Preparer()).fit(frame)


ONE_COLUMN = {
    "outliers": "needs two columns",
    "why_outlier": "needs two columns",
    "alike_values": "needs a second column",
    "why_alike": "needs a second column",
}


@pytest.fixture(scope="module")
def lone():
    frame = pd.DataFrame({"job": ["cook", "nurse", "clerk", "cook"] * 30})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it depends on nothing
        return TableEncoder("auto").fit(frame), frame


@pytest.mark.parametrize("name", [n for n in EVERY if n not in (*OF_CLUSTERS, *WITH_LABELS)])
def test_one_column_has_an_answer_or_one_clear_error(name, lone):
    if words := ONE_COLUMN.get(name):
        with pytest.raises(ValueError, match=words):
            EVERY[name](*lone)
    else:
        assert EVERY[name](*lone) is not None


def test_steps_of_other_libraries_may_come_first(table):
    lower = FunctionTransformer(lambda X: X.assign(job=X.job.str.upper()))
    pipeline = make_pipeline(lower, "passthrough", Preparer(), TableClusterer(2)).fit(table)
    found = explain.cluster_profile(pipeline, table)
    assert {"COOK", "NURSE"} <= set(found.value)
    assert set(explain.assignments(pipeline, table).cluster) == {0, 1}


def test_rows_of_any_form_and_library(table, clusterer):
    expected = explain.why_outlier(clusterer, table[7:8])
    first = table.iloc[7]
    needed = {name: cell for name, cell in first.items() if name != "person"}
    for row in (first, first.to_dict(), first.tolist(), needed):
        pd.testing.assert_frame_equal(explain.why_outlier(clusterer, row), expected)
    with pytest.raises(ValueError, match=r"no cell for \['age'\]"):
        explain.why_outlier(clusterer, {"job": "cook", "home": "farm", "pet": "cat"})
    frame = pl.from_pandas(table)
    model = TableClusterer(preparer=Preparer()).fit(frame)
    assert isinstance(explain.cluster_profile(model, frame), pl.DataFrame)
    assert isinstance(explain.why_outlier(model, first.to_dict()), pl.DataFrame)
    rows = table.drop(columns="person").to_numpy()
    model = TableClusterer(preparer=Preparer()).fit(rows)
    found = explain.why_outlier(model, rows[7].tolist())
    assert set(found.column) == {"x0", "x1", "x2", "x3"}


@pytest.fixture(scope="module")
def of_command(tmp_path_factory, table):
    """Return a model that the command has saved; it was fitted on a pyarrow table."""
    folder = tmp_path_factory.mktemp("command")
    table.to_csv(folder / "people.csv", index=False)
    saved = ("--save", folder / "m.untie", "-o", folder / "out.csv")
    assert ask("cluster", folder / "people.csv", "-q", *saved).exit_code == 0
    return load_model(folder / "m.untie")


FRAMES = {
    "pandas": (lambda table: table, pd.DataFrame),
    "polars": (pl.from_pandas, pl.DataFrame),
    "pyarrow": (pa.Table.from_pandas, pa.Table),
}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("name", [name for name in OF_ROWS if name in QUESTIONS])
def test_answers_come_in_the_library_of_the_rows(name, library, table, of_command):
    make, frame = FRAMES[library]
    assert type(QUESTIONS[name](of_command, make(table))) is frame


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_answers_without_a_frame_come_in_the_library_that_was_fitted_on(table, of_command):
    row = table.iloc[7].to_dict()
    assert type(explain.why_outlier(of_command, row)) is pa.Table
    assert type(explain.why_outlier(of_command, 7, data=table)) is pd.DataFrame
    assert type(explain.why_outlier(of_command, table[7:8])) is pd.DataFrame
    assert type(explain.why_similar(of_command, row, table[7:8])) is pd.DataFrame
    assert type(explain.neighbors(of_command, pl.from_pandas(table).lazy(), [1])) is pl.DataFrame
    assert type(explain.unknown_values(of_command, table.to_numpy().tolist())) is pa.Table
    (batch, *_) = pa.Table.from_pandas(table).to_batches()
    fitted_on_pandas = TableClusterer(2).fit(table)
    assert type(explain.unknown_values(fitted_on_pandas, batch)) is pa.Table
    assert type(explain.families(of_command)) is pa.Table


def test_every_frame_of_an_answer_is_of_the_library_of_the_rows(table, of_command):
    said = explain.verdict(of_command, table)
    assert {type(said.choice.table()), type(said.gaps)} == {pd.DataFrame}
    changes = explain.drift(of_command, table)
    frames = (changes.frequencies, changes.new_values, changes.lost_values, changes.couplings)
    assert {type(frame) for frame in frames} == {pd.DataFrame}
    assert type(of_command.preparer_.outside(table)) is pd.DataFrame
    assert type(of_command.preparer_.outside(table.to_numpy())) is pa.Table
    # The model stays as it was.
    assert type(of_command.encoder_.value_vectors()) is pa.Table
    assert type(of_command.k_choice_.table()) is pa.Table


NAMED_ROWS = {
    "outliers": lambda m, X: explain.outliers(m, X, n=3),
    "neighbors": lambda m, X: explain.neighbors(m, X, [4, 2], n=3),
    "prototypes": explain.prototypes,
    "border_cases": explain.border_cases,
}


@pytest.mark.parametrize("name", NAMED_ROWS)
def test_rows_have_the_names_of_an_id_that_is_left_out(name, table, tmp_path):
    clusterer = TableClusterer(2).fit(table)
    found = columns_of(NAMED_ROWS[name](clusterer, table))
    assert found["name"] == [table.person[position] for position in found["position"]]
    assert columns_of(NAMED_ROWS[name](clusterer, pl.from_pandas(table))) == found
    assert "name" not in columns_of(NAMED_ROWS[name](clusterer, table.drop(columns="person")))
    unnamed = TableClusterer(2, preparer=Preparer(row_names=None)).fit(table)
    assert "name" not in columns_of(NAMED_ROWS[name](unnamed, table))
    array = table.to_numpy(dtype=object)
    assert (
        columns_of(NAMED_ROWS[name](TableClusterer(2).fit(array), array))["name"] == found["name"]
    )
    if name == "neighbors":
        table.to_parquet(tmp_path / "t.parquet")
        lazy = untie.scan(tmp_path / "t.parquet")
        assert columns_of(NAMED_ROWS[name](clusterer, lazy)) == found


def test_the_remedy_for_a_pipeline_that_ends_in_other_clusters_works(table):
    pipeline = make_pipeline(Preparer(), TableEncoder(2, preparer=None), KMeans(2)).fit(table)
    labels = pipeline[-1].labels_
    profile = explain.cluster_profile(pipeline[:-1], table, labels=labels)
    assert set(profile.cluster) == {0, 1}


FORMS = {
    "position": lambda table: 7,
    "numpy's position": lambda table: np.int64(7),
    "series": lambda table: table.iloc[7],
    "dict": lambda table: table.iloc[7].to_dict(),
    "cells": lambda table: table.iloc[7].tolist(),
    "tuple": lambda table: tuple(table.iloc[7]),
    "table": lambda table: table.iloc[[7]],
    "polars": lambda table: pl.from_pandas(table)[7],
}


@pytest.mark.parametrize("form", FORMS)
def test_questions_about_rows_take_the_same_rows(form, table, clusterer, tmp_path):
    row = FORMS[form](table)
    expected = explain.why_similar(clusterer, table[7:8], table[9:10])
    found = explain.why_similar(clusterer, row, 9, data=table)
    pd.testing.assert_frame_equal(found, expected)
    near = explain.neighbors(clusterer, table, row, n=5)
    by_table = explain.neighbors(clusterer, table, table[7:8], n=6)
    is_other = by_table.position != 7
    known = by_table[is_other] if "position" in form else by_table
    assert near.distance.tolist() == known.distance.tolist()[:5]
    why = explain.why_outlier(clusterer, row, data=table)
    pd.testing.assert_frame_equal(why, explain.why_outlier(clusterer, table[7:8]))
    table.to_parquet(tmp_path / "t.parquet")
    lazy = untie.scan(tmp_path / "t.parquet")
    found = explain.why_similar(clusterer, row, 9, data=lazy)
    assert columns_of(found) == columns_of(expected)


def test_positions_need_the_table(table, clusterer):
    with pytest.raises(TypeError, match=r"7 is the position of a row, .* data=table, or pass the"):
        explain.why_similar(clusterer, 7, 9)
    with pytest.raises(ValueError, match="There is no row 999; the table has 240 rows, the last"):
        explain.why_similar(clusterer, 7, 999, data=table)
