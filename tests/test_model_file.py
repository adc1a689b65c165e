import json
import os
import pickle
import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline

from fuzz.model_faults import seal
from saved_models import MODELS as SMALL
from tables import encoder_of, fit_known, latent_classes
from untie import (
    UNTIE,
    Gaussian,
    Polynomial,
    Preparer,
    TableClusterer,
    TableEncoder,
    load_model,
    save_model,
)
from untie._persistence.container import read_file, write_file
from untie._persistence.formats import FORMAT
from untie._util.about import VERSION
from untie.datasets import load


@pytest.fixture
def path(tmp_path):
    return tmp_path / "melons.untie"


@pytest.fixture
def saved(melons, path):
    encoder = TableEncoder(2, preparer=None).fit(melons)
    encoder.save(path)
    return encoder


def assert_same(loaded, encoder, table):
    assert loaded.vocabulary_ == encoder.vocabulary_
    assert loaded.loss_curve_ == encoder.loss_curve_
    assert loaded.n_clusters_ == encoder.n_clusters_
    assert loaded.n_iter_ == encoder.n_iter_
    np.testing.assert_array_equal(loaded.omega_, encoder.omega_)
    np.testing.assert_array_equal(loaded.counts_.matrix, encoder.counts_.matrix)
    first, second = loaded.transform(table), encoder.transform(table)
    if hasattr(first, "toarray"):
        first, second = first.toarray(), second.toarray()
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(loaded.similarity(table), encoder.similarity(table))
    np.testing.assert_array_equal(loaded.get_feature_names_out(), encoder.get_feature_names_out())
    pd.testing.assert_frame_equal(loaded.weights(), encoder.weights())
    pd.testing.assert_frame_equal(loaded.value_vectors(), encoder.value_vectors())


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"output": "full"},
        {"n_components": 3, "dtype": np.float32},
        {"kernels": [Gaussian(0.5), Polynomial(2)], "normalization": None},
        {"min_frequency": 2, "handle_unknown": "infrequent_if_exist"},
        {"couplings": "joint", "solver": "lp"},
        {"sparse_output": True, "column_weights": {"Color": 0}},
    ],
)
def test_a_loaded_model_is_the_saved_one(melons, path, parameters):
    encoder = encoder_of(2, **parameters).fit(melons)
    encoder.save(path)
    loaded = load_model(path)
    assert_same(loaded, encoder, melons)
    assert loaded.get_params() == encoder.get_params()


def test_a_loaded_model_grows_like_the_saved_one(melons, path):
    TableEncoder(2, preparer=None).fit(melons[:3]).save(path)
    grown = load_model(path).partial_fit(melons[3:])
    np.testing.assert_array_equal(
        grown.transform(melons), TableEncoder(2, preparer=None).fit(melons).transform(melons)
    )


def test_a_growing_model_with_grouped_values_is_saved_with_all_of_them(melons, path):
    TableEncoder(2, min_frequency=2, preparer=None).partial_fit(melons[:3]).save(path)
    grown = load_model(path).partial_fit(melons[3:])
    whole = TableEncoder(2, min_frequency=2, preparer=None).fit(melons)
    np.testing.assert_array_equal(grown.transform(melons), whole.transform(melons))


def test_values_of_many_types(path):
    values = [
        "text",
        "'",
        1,
        2.5,
        float("inf"),
        None,
        b"bytes",
        date(2026, 1, 2),
        time(3, 4),
        datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        timedelta(days=1, microseconds=3),
        Decimal("1.10"),
        ("a", 1, None),
        10**30,
    ]
    table = pd.DataFrame({"mixed": values * 2, "other": ["x", "y"] * len(values)}, dtype=object)
    encoder = TableEncoder(2, preparer=None).fit(table)
    encoder.save(path)
    loaded = load_model(path)
    assert loaded.vocabulary_ == encoder.vocabulary_
    np.testing.assert_array_equal(loaded.transform(table), encoder.transform(table))


def test_given_categories_and_array_input(path):
    rows = np.array([["a", "x"], ["b", "y"], ["a", "y"]], dtype=object)
    encoder = TableEncoder(2, preparer=None)
    fit_known(encoder, rows, [["a", "b", None], ["x", "y"]])
    encoder.save(path)
    loaded = load_model(path)
    assert not hasattr(loaded, "feature_names_in_")
    np.testing.assert_array_equal(loaded.transform(rows), encoder.transform(rows))


def test_a_function_can_not_be_saved(melons, path):
    def rarity(counts, attribute):
        return counts.frequencies[counts.span(attribute), None]

    encoder = UNTIE(2, couplings=["inter", rarity]).fit(melons)
    with pytest.raises(ValueError, match=r"Parameter couplings: rarity of type function .*joblib"):
        encoder.save(path)
    assert not path.exists()


def test_a_value_that_can_not_be_saved_is_named(path):
    rows = pd.DataFrame({"x": [frozenset("ab"), frozenset("c")], "y": ["a", "b"]})
    with pytest.raises(ValueError, match=r"Column 'x': frozenset"):
        TableEncoder(2, preparer=None).fit(rows).save(path)


def test_bins_and_periods_of_pandas_are_saved(path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": pd.qcut(rng.random(50), 4),
            "month": pd.period_range("2026-01", periods=5, freq="M").repeat(10),
            "day": pd.cut(pd.date_range("2026-01-01", periods=50), 3),
        }
    )
    encoder = TableEncoder(2, preparer=None).fit(table)
    encoder.save(path)
    loaded = load_model(path)
    assert loaded.vocabulary_ == encoder.vocabulary_
    np.testing.assert_array_equal(loaded.transform(table), encoder.transform(table))


def test_the_kind_of_output_is_saved(melons, path):
    TableEncoder(2, preparer=None).set_output(transform="polars").fit(melons).save(path)
    assert type(load_model(path).transform(melons)).__module__.startswith("polars")


def test_places_that_can_not_be_saved_to(melons, tmp_path):
    encoder = TableEncoder(2, preparer=None).fit(melons)
    with pytest.raises(FileNotFoundError, match=r"folder .*nowhere.* does not exist"):
        encoder.save(tmp_path / "nowhere" / "model.untie")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        encoder.save(tmp_path)


@pytest.mark.parametrize("position", [0, 13, 40, 90, 200, -1])
def test_an_altered_file_is_refused(saved, path, position):
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"is damaged|is not a model|newer untie"):
        load_model(path)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_a_truncated_file_is_refused(saved, path, share):
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match=r"is damaged|is not a model"):
        load_model(path)


def test_a_file_of_a_newer_format_is_refused(saved, path):
    head, content = f"UNTIE {FORMAT} {VERSION} ".encode(), path.read_bytes()
    assert content.startswith(head)
    path.write_bytes(f"UNTIE {FORMAT + 2} 9.8.7 ".encode() + content.removeprefix(head))
    said = (
        rf"melons.untie' was saved by a newer untie: version 9\.8\.7, in format {FORMAT + 2}\. "
        rf"This is version {re.escape(VERSION)}, .* up to {FORMAT}\. .*pip install --upgrade"
    )
    with pytest.raises(ValueError, match=said):
        load_model(path)


@pytest.mark.parametrize(
    "content", [b"", b"hello\n", pickle.dumps({}), b"PK\x03\x04", b"\xff" * 99]
)
def test_another_file_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a model saved by untie"):
        load_model(path)


def test_a_missing_file_is_an_ordinary_error(path):
    with pytest.raises(FileNotFoundError):
        load_model(path)


def test_a_file_holds_no_pickle(saved, path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("unpickled")

    monkeypatch.setattr(pickle, "load", refuse)
    monkeypatch.setattr(pickle, "loads", refuse)
    assert load_model(path).n_clusters_ == 2


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_save_leaves_the_old_file(saved, melons, path, monkeypatch, step):
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="disk full"):
        TableEncoder(3, preparer=None).fit(melons).save(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_saving_needs_a_fitted_encoder(path):
    with pytest.raises(NotFittedError):
        TableEncoder(preparer=None).save(path)


def test_the_text_in_a_file_is_plain_json(saved, path):
    content = read_file(path).content
    assert content["type"] == "encoder"
    values = content["fitted"]["model"]["grouping"]["raw"]
    assert values["columns"] == ["Texture", "Color", "Root"]
    assert json.loads(json.dumps(values["values"])) == values["values"]


def test_pickle_and_joblib_work_too(saved, melons, tmp_path):
    assert_same(pickle.loads(pickle.dumps(saved)), saved, melons)
    joblib.dump(saved, tmp_path / "model.joblib")
    assert_same(joblib.load(tmp_path / "model.joblib"), saved, melons)


def test_a_loaded_model_can_be_cloned_and_fitted_again(saved, melons, path):
    again = clone(load_model(path)).fit(melons)
    np.testing.assert_array_equal(again.transform(melons), saved.transform(melons))


def people(n=200):
    """Return a table that must be prepared: an id, numbers, missing cells, too many towns."""
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 2, n)
    table = pd.DataFrame(
        {
            "id": [f"p{number}" for number in range(n)],
            "age": np.where(kind, rng.normal(60, 9, n), rng.normal(30, 9, n)).round(1),
            "pet": np.where(rng.random(n) < 0.9, np.array(["cat", "dog"])[kind], "fish"),
            "home": np.where(rng.random(n) < 0.9, np.array(["farm", "flat"])[kind], "boat"),
            "town": [f"t{number % 7}" for number in range(n)],
        }
    )
    table.loc[::9, "pet"] = None
    return table


FRAMES = {"pandas": lambda t: t, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    "last",
    [TableEncoder(2, preparer=None), TableClusterer(2, random_state=0, preparer=None)],
    ids=["enc", "clu"],
)
def test_a_pipeline_comes_back_as_it_was(path, make, last):
    table = make(people())
    pipeline = make_pipeline(Preparer(bins=3, max_categories=5, drop=["id"]), clone(last))
    pipeline.fit(table)
    save_model(pipeline, path)
    loaded = load_model(path)
    assert isinstance(loaded, Pipeline)
    assert list(loaded.named_steps) == list(pipeline.named_steps)
    assert [type(step) for step in loaded] == [type(step) for step in pipeline]
    assert repr(loaded) == repr(pipeline)
    assert loaded.n_features_in_ == pipeline.n_features_in_ == 5
    assert loaded.feature_names_in_.tolist() == pipeline.feature_names_in_.tolist()
    assert loaded[0].notes_ == pipeline[0].notes_
    np.testing.assert_array_equal(loaded.transform(table), pipeline.transform(table))
    assert len(np.unique(loaded.transform(table), axis=0)) > 20  # the preparation is not lost
    np.testing.assert_array_equal(loaded.get_feature_names_out(), pipeline.get_feature_names_out())
    if isinstance(last, TableClusterer):
        np.testing.assert_array_equal(loaded.predict(table), pipeline.predict(table))
    else:
        assert type(loaded[-1].weights()) is type(table)
    again = clone(loaded).fit(table)
    np.testing.assert_array_equal(again.transform(table), pipeline.transform(table))


def test_steps_keep_their_names_and_outputs(path):
    steps = [("bins", Preparer()), ("vectors", TableEncoder(2, dtype="float32", preparer=None))]
    pipeline = Pipeline(steps, verbose=False).set_output(transform="pandas").fit(people())
    save_model(pipeline, path)
    loaded = load_model(path)
    assert list(loaded.named_steps) == ["bins", "vectors"]
    assert loaded.named_steps["vectors"].dtype == "float32"
    pd.testing.assert_frame_equal(loaded.transform(people()), pipeline.transform(people()))


CLUSTERERS = {
    "plain": TableClusterer(2, preparer=None),
    "chosen": TableClusterer(random_state=1, preparer=None),
    "prepared": TableClusterer(3, preparer=Preparer(bins=4), n_init=3),
    "encoder": TableClusterer(
        2, encoder=UNTIE(2, solver="uniform", kernels=[Gaussian(0.5)]), preparer=None
    ),
}


@pytest.mark.parametrize("clusterer", CLUSTERERS.values(), ids=CLUSTERERS)
def test_a_clusterer_comes_back_as_it_was(path, clusterer):
    table = people() if clusterer.preparer else people()[["pet", "home", "town"]]
    clusterer = clone(clusterer).fit(table)
    clusterer.save(path)
    loaded = load_model(path)
    assert isinstance(loaded, TableClusterer)
    assert repr(loaded) == repr(clusterer)
    assert (loaded.inertia_, loaded.n_iter_) == (clusterer.inertia_, clusterer.n_iter_)
    assert loaded.labels_.dtype == clusterer.labels_.dtype
    for name in ("labels_", "cluster_centers_", "feature_names_in_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(clusterer, name))
    np.testing.assert_array_equal(loaded.predict(table), clusterer.labels_)
    np.testing.assert_array_equal(loaded.transform(table), clusterer.transform(table))
    assert loaded._prepared(table).equals(clusterer._prepared(table))
    assert (loaded.k_choice_ is None) == (clusterer.n_clusters != "auto")
    if clusterer.k_choice_ is not None:
        assert loaded.k_choice_.verdict == clusterer.k_choice_.verdict
        pd.testing.assert_frame_equal(loaded.k_choice_.table(), clusterer.k_choice_.table())
    again = clone(loaded).fit(table)
    np.testing.assert_array_equal(again.transform(table), clusterer.transform(table))


def large_and_small():
    return latent_classes(600, 3, 10, 4, 0, 0.55, [0.8, 0.15, 0.05])[0]


@pytest.fixture
def moved(path):
    """Save a clusterer whose rows are not all with the nearest mean."""
    table = large_and_small()
    clusterer = TableClusterer(3, preparer=None).fit(table)
    assert (clusterer.transform(table).argmin(axis=1) != clusterer.labels_).any()
    clusterer.save(path)
    return clusterer, table


def test_moved_rows_stay_where_they_are(path, moved):
    clusterer, table = moved
    loaded = load_model(path)
    np.testing.assert_array_equal(loaded.labels_, clusterer.labels_)
    np.testing.assert_array_equal(loaded.predict(table), clusterer.labels_)
    np.testing.assert_array_equal(loaded.transform(table), clusterer.transform(table))
    loaded.save(path)
    np.testing.assert_array_equal(load_model(path).predict(table), clusterer.labels_)


COSTS = {
    "none": (None, "'fitted/costs/1' is missing"),
    "another shape": (np.zeros((5, 2)), "has the shape"),
    "one dimension": (np.zeros(5), "has the shape"),
    "no numbers": (np.full((5, 3), "x"), "not numbers"),
    "complex": (np.zeros((5, 3), complex), "not numbers"),
    "not a number": (np.full((5, 3), np.nan), "not finite"),
    "infinite": (np.full((5, 3), np.inf), "not finite"),
    "sparse": (sparse.csr_array(np.eye(5)[:, :3]), "is sparse"),
}


@pytest.mark.parametrize(("new", "words"), COSTS.values(), ids=COSTS)
def test_costs_that_are_none_are_refused(path, moved, new, words):
    def change(_, arrays):
        assert arrays["fitted/costs/1"].shape == (5, 3)
        replace(arrays, "fitted/costs/1", {} if new is None else {"fitted/costs/1": new})

    rewrite(path, change)
    with pytest.raises(ValueError, match=words):
        load_model(path)


def test_costs_of_another_type_are_taken_as_numbers(path, moved):
    _, table = moved
    rewrite(path, lambda _, a: a.update({"fitted/costs/1": np.ones((5, 3), bool)}))
    with pytest.warns(UserWarning, match="of 20 rows are in another cluster"):
        loaded = load_model(path)
    assert loaded.predict(table).shape == (len(table),)


def test_a_clusterer_of_a_lazy_table_has_no_labels_to_save(path):
    lazy = pl.from_pandas(people()[["pet", "home", "town"]]).lazy()
    clusterer = TableClusterer(2, preparer=None).fit(lazy)
    clusterer.save(path)
    loaded = load_model(path)
    found, expected = loaded.predict(lazy).read_all(), clusterer.predict(lazy).read_all()
    assert found.equals(expected)
    with pytest.raises(AttributeError, match="call predict, which streams"):
        loaded.labels_  # noqa: B018


def test_what_is_no_model_is_refused(path):
    table = people()[["pet", "home"]]
    with pytest.raises(TypeError, match=r"The model is a KMeans; .*joblib"):
        save_model(KMeans(2), path)
    with pytest.raises(TypeError, match="The step 'kmeans' of the pipeline is a KMeans"):
        save_model(
            make_pipeline(TableEncoder(2, preparer=None), KMeans(2, n_init=1)).fit(table), path
        )
    with pytest.raises(NotFittedError):
        save_model(make_pipeline(Preparer(), TableEncoder(2, preparer=None)), path)
    with pytest.raises(ValueError, match="Parameter random_state"):
        TableClusterer(2, random_state=np.random.RandomState(0), preparer=None).fit(table).save(
            path
        )
    assert not path.exists()


def rewrite(path, change):
    """Write a model anew, with its checksum, after a change to its content or arrays."""
    saved = read_file(path)
    change(saved.content, saved.arrays)
    write_file(path, saved.content, saved.arrays)


@pytest.mark.parametrize(
    ("make", "n_clusters"), [(people, "auto"), (large_and_small, 3)], ids=["chosen", "moved"]
)
def test_every_part_of_a_file_is_needed(path, make, n_clusters):
    pipeline = make_pipeline(
        Preparer(bins=3), TableClusterer(n_clusters, random_state=0, preparer=None)
    )
    save_model(pipeline.fit(make()), path)
    whole = path.read_bytes()
    content, arrays = read_file(path).content, read_file(path).arrays
    places = list(entries(content))
    assert len(places) > 50
    assert any(name.endswith("costs/0") for name in arrays) == (n_clusters == 3)
    for keys in places:
        path.write_bytes(whole)
        rewrite(path, lambda content, _, keys=keys: remove(content, keys))
        with pytest.raises(ValueError, match=r"melons.untie' holds no whole model"):
            load_model(path)
    for name in arrays:
        for damaged in ({}, {name: np.array("x")}):
            path.write_bytes(whole)
            rewrite(path, lambda _, arrays, new=damaged, n=name: replace(arrays, n, new))
            with pytest.raises(ValueError, match=r"melons.untie' holds no whole model"):
                load_model(path)


OPEN = {"versions", "parameters", "gains", "output", "origins", "reasons"}
"""Dictionaries in which any key may be absent."""


def entries(content, keys=()):
    is_dict = isinstance(content, dict)
    for key, value in content.items() if is_dict else enumerate(content):
        if is_dict:
            yield (*keys, key)
        if isinstance(value, dict | list) and key not in OPEN:
            yield from entries(value, (*keys, key))


def replace(arrays, name, new):
    del arrays[name]
    arrays.update(new)


def remove(content, keys):
    for key in keys[:-1]:
        content = content[key]
    del content[keys[-1]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda c, a: c["fitted"]["model"]["counts"].update(n_rows="many"),
            "model/counts/n_rows' is a str, not a int",
        ),
        (lambda c, a: c["parameters"].update(depth=3), "depth"),
        (lambda c, a: c.update(fitted=[]), "'fitted' is a list"),
        (lambda c, a: a.update({"fitted/model/solution/omega": np.ones(2)}), "has the shape"),
        (lambda c, a: a.update({"fitted/model/vectors/0": np.ones((2, 2))}), "has the shape"),
        (lambda c, a: c["fitted"]["model"]["grouping"]["raw"]["values"].pop(), "has 2 items"),
        (lambda c, a: c.update(type="sorcerer"), "a 'sorcerer', which this version does not know"),
        (lambda c, a: c["fitted"].update(wand=1), "'fitted/wand' is no part of a model"),
        (lambda c, a: a.update(wand=np.ones(2)), "the array 'wand' is no part of a model"),
        (lambda c, a: c["fitted"]["model"].update(factors=[1.0]), "not an array"),
    ],
)
def test_parts_of_the_wrong_kind_are_refused(saved, path, change, words):
    rewrite(path, change)
    with pytest.raises(ValueError, match=words) as caught:
        load_model(path)
    assert str(path) in str(caught.value)


def first_answer(content):
    return next(rule for rule in content["rules"] if rule["type"] == "answer")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c["origins"].pop("uses: bus"), "parts of dates, and no others, have an origin"),
        (lambda c: c["origins"].pop("born (month)"), "parts of dates, and no others, have an"),
        (lambda c: c["origins"].update(home="uses"), "and no others, have an origin"),
        (lambda c: c["origins"].update({"uses: bus": "wand"}), "one that nothing is said of"),
        (lambda c: c["column_weights"].update(wand=0), "and no others, have a weight"),
        (lambda c: c["column_weights"].update({"uses: bus": 0}), "have a weight above 0"),
        (lambda c: c["column_weights"].update({"uses: bus": 1e308}), "not a number from 0 to 1"),
        (lambda c: first_answer(c).update(known=[]), "known' has 0 items, not 1"),
        (lambda c: first_answer(c).update(answer="wand"), "the answer is not among those known"),
    ],
)
def test_what_contradicts_itself_about_answers_is_refused(path, change, words):
    preparer, table = SMALL["preparer"]()
    save_model(preparer.fit(table), path)
    rewrite(path, lambda content, _: change(content["fitted"]["preparation"]))
    with pytest.raises(ValueError, match=words):
        load_model(path)


@pytest.mark.parametrize("payload", [b"", b"PK\x03\x04", b"not a zip"])
def test_a_checksum_does_not_make_a_model(path, payload):
    path.write_bytes(seal(payload))
    with pytest.raises(ValueError, match=r"melons.untie' holds no whole model"):
        load_model(path)


def test_how_k_was_chosen_is_saved(tmp_path):
    X, _ = load("zoo")
    for model in (TableEncoder("auto", preparer=None), TableClusterer(preparer=None)):
        model.fit(X).save(tmp_path / "zoo.untie")
        loaded = load_model(tmp_path / "zoo.untie")
        assert loaded.k_choice_.verdict == model.k_choice_.verdict
        pd.testing.assert_frame_equal(loaded.k_choice_.table(), model.k_choice_.table())


@pytest.mark.parametrize("dtype", [np.float32, "float32", np.dtype("float32"), float])
def test_every_way_to_name_a_dtype_is_saved(dtype, tmp_path, melons):
    encoder = TableEncoder(2, dtype=dtype, preparer=None).fit(melons)
    encoder.save(tmp_path / "melons.untie")
    found = load_model(tmp_path / "melons.untie").transform(melons)
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found, encoder.transform(melons))


def test_a_file_that_is_not_there_is_said_to_be_absent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TableEncoder(2).fit([["a", "x"], ["b", "y"], ["a", "y"]]).save("colors.untie")
    for name in ("color.untie", "colors"):
        said = rf"There is no file '{name}'; check the path, .* Did you mean 'colors\.untie'\?"
        with pytest.raises(FileNotFoundError, match=said):
            load_model(name)
    with pytest.raises(FileNotFoundError, match=r"There is no file 'x'; .*\.$"):
        load_model("x")
    with pytest.raises(IsADirectoryError, match="is a folder; name a model's file in it"):
        load_model(tmp_path)
