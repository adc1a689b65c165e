import json
import os
import pickle
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from untie import UNTIE, Gaussian, Polynomial, load_model
from untie._learn import archive


@pytest.fixture
def path(tmp_path):
    return tmp_path / "melons.untie"


@pytest.fixture
def saved(melons, path):
    encoder = UNTIE(2).fit(melons)
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
    if encoder.sparse_output:
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
        {"couplings": "joint", "solver": "lp", "sparse_output": True},
    ],
)
def test_a_loaded_model_is_the_saved_one(melons, path, parameters):
    encoder = UNTIE(2, **parameters).fit(melons)
    encoder.save(path)
    loaded = load_model(path)
    assert_same(loaded, encoder, melons)
    assert loaded.get_params() == encoder.get_params()


def test_a_loaded_model_grows_like_the_saved_one(melons, path):
    UNTIE(2).fit(melons[:3]).save(path)
    grown = load_model(path).partial_fit(melons[3:])
    np.testing.assert_array_equal(grown.transform(melons), UNTIE(2).fit(melons).transform(melons))


def test_a_growing_model_with_grouped_values_is_saved_with_all_of_them(melons, path):
    UNTIE(2, min_frequency=2).partial_fit(melons[:3]).save(path)
    grown = load_model(path).partial_fit(melons[3:])
    whole = UNTIE(2, min_frequency=2).fit(melons)
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
    encoder = UNTIE(2).fit(table)
    encoder.save(path)
    loaded = load_model(path)
    assert loaded.vocabulary_ == encoder.vocabulary_
    np.testing.assert_array_equal(loaded.transform(table), encoder.transform(table))


def test_given_categories_and_array_input(path):
    rows = np.array([["a", "x"], ["b", "y"], ["a", "y"]], dtype=object)
    encoder = UNTIE(2, categories=[["a", "b", None], ["x", "y"]]).fit(rows)
    encoder.save(path)
    loaded = load_model(path)
    assert not hasattr(loaded, "feature_names_in_")
    np.testing.assert_array_equal(loaded.transform(rows), encoder.transform(rows))


def test_a_function_can_not_be_saved(melons, path):
    def rarity(counts, attribute):
        return counts.frequencies[counts.span(attribute), None]

    encoder = UNTIE(2, couplings=["inter", rarity]).fit(melons)
    with pytest.raises(ValueError, match=r"Parameter couplings: .*rarity.*joblib"):
        encoder.save(path)
    assert not path.exists()


def test_a_value_that_can_not_be_saved_is_named(path):
    rows = pd.DataFrame({"x": [frozenset("ab"), frozenset("c")], "y": ["a", "b"]})
    with pytest.raises(ValueError, match=r"Column 'x': frozenset"):
        UNTIE(2).fit(rows).save(path)


def test_bins_and_periods_of_pandas_are_saved(path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": pd.qcut(rng.random(50), 4),
            "month": pd.period_range("2026-01", periods=5, freq="M").repeat(10),
            "day": pd.cut(pd.date_range("2026-01-01", periods=50), 3),
        }
    )
    encoder = UNTIE(2).fit(table)
    encoder.save(path)
    loaded = load_model(path)
    assert loaded.vocabulary_ == encoder.vocabulary_
    np.testing.assert_array_equal(loaded.transform(table), encoder.transform(table))


def test_the_kind_of_output_is_saved(melons, path):
    UNTIE(2).set_output(transform="polars").fit(melons).save(path)
    assert type(load_model(path).transform(melons)).__module__.startswith("polars")


def test_places_that_can_not_be_saved_to(melons, tmp_path):
    encoder = UNTIE(2).fit(melons)
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


def test_a_file_of_a_newer_version_is_refused(saved, path):
    content = path.read_bytes().replace(b"UNTIE 1 ", b"UNTIE 2 ", 1)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"newer untie .*format 2.*upgrade"):
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
        UNTIE(3).fit(melons).save(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_saving_needs_a_fitted_encoder(path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        UNTIE().save(path)


def test_the_text_in_a_file_is_plain_json(saved, path):
    kind, state = archive.read_model(path)
    assert kind == "encoder"
    assert json.dumps(archive.to_plain(state.content))
    model = state.part("fitted").part("model")
    assert model.content["columns"] == ["Texture", "Color", "Root"]


def test_pickle_and_joblib_work_too(saved, melons, tmp_path):
    assert_same(pickle.loads(pickle.dumps(saved)), saved, melons)
    joblib.dump(saved, tmp_path / "model.joblib")
    assert_same(joblib.load(tmp_path / "model.joblib"), saved, melons)


def test_a_loaded_model_can_be_cloned_and_fitted_again(saved, melons, path):
    again = clone(load_model(path)).fit(melons)
    np.testing.assert_array_equal(again.transform(melons), saved.transform(melons))
