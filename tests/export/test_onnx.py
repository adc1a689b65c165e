"""ONNX models equal `transform`, run by onnxruntime."""

import json
import sys
import warnings

import numpy as np
import onnxruntime
import pandas as pd
import pytest

from export_cases import DATES, NEW_ROWS, NUMBERS, SETTINGS, TEXT, dense, fit, frame
from untie import TableEncoder, load_model
from untie.export import _onnx as onnx_model

TABLES = {**TEXT, **NUMBERS}
MISSING = "<missing>"


def session(model):
    return onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )


def run(model, rows, missing=MISSING):
    """Run a model over a frame; cells become what each input takes."""
    runtime = session(model)
    types = {"tensor(int64)": np.int64, "tensor(double)": np.float64, "tensor(bool)": np.bool_}
    feed = {}
    for entry in runtime.get_inputs():
        cells = rows[entry.name]
        if entry.type == "tensor(string)":
            cells = [missing if pd.isna(cell) else cell for cell in cells]
        feed[entry.name] = np.array(cells, dtype=types.get(entry.type, object))
    (vectors,) = runtime.run(None, feed)
    return vectors


@pytest.mark.parametrize("table", TABLES)
def test_values_of_every_type(table):
    encoder = fit(TABLES[table])
    rows = frame(TABLES[table])
    found = run(encoder.to_onnx(missing=MISSING), rows)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, encoder.transform(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize("settings", SETTINGS)
def test_settings(settings):
    rows = pd.concat([frame(TEXT["missing"]), NEW_ROWS], ignore_index=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        encoder = fit(TEXT["missing"], **SETTINGS[settings])
        expected = dense(encoder, rows)
    found = run(encoder.to_onnx(missing=MISSING), rows)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_types_of_inputs():
    encoder = fit(
        {
            "text": ["a", "b", "a", "b"],
            "integer": [1, 2, 3, 3],
            "float": [0.5, 1, 1, 1],
            "boolean": [True, False, False, True],
            "integer or missing": [1, None, 2, 2],
            "boolean or missing": [True, None, False, False],
        }
    )
    runtime = session(encoder.to_onnx())
    assert {entry.name: entry.type[7:-1] for entry in runtime.get_inputs()} == {
        "text": "string",
        "integer": "int64",
        "float": "double",
        "boolean": "bool",
        "integer or missing": "double",
        "boolean or missing": "double",
    }
    assert {tuple(entry.shape) for entry in runtime.get_inputs()} == {("rows",)}
    (output,) = runtime.get_outputs()
    n_columns = len(encoder.get_feature_names_out())
    assert (output.name, output.shape) == ("vectors", ["rows", n_columns])


def test_missing_numbers_are_nan():
    columns = {"A": [1, None, 2, 2], "B": [True, None, False, False]}
    encoder = fit(columns)
    rows = frame({"A": [1, None, 7, 2], "B": [None, True, False, None]})
    found = run(encoder.to_onnx(), rows)
    np.testing.assert_allclose(found, encoder.transform(rows), rtol=0, atol=1e-12)


def test_a_missing_cell_is_unknown_where_none_was_seen():
    encoder = fit({"A": ["x", "y", "y"], "B": [0.5, 1.5, 1.5]})
    rows = frame({"A": ["x", None], "B": [None, 0.5]})
    found = run(encoder.to_onnx(missing=""), rows, missing="")
    np.testing.assert_allclose(found, encoder.transform(rows), rtol=0, atol=1e-12)


def test_no_rows():
    encoder = fit(TEXT["plain"])
    assert run(encoder.to_onnx(), frame(TEXT["plain"])[:0]).shape == (0, 5)


def test_names_are_in_the_model():
    encoder = fit(TEXT["weird names"])
    runtime = session(encoder.to_onnx())
    names = json.loads(runtime.get_modelmeta().custom_metadata_map["feature_names"])
    assert names == encoder.get_feature_names_out().tolist()
    assert [entry.name for entry in runtime.get_outputs()] == ["vectors#2"]


def test_the_same_bytes(melons, tmp_path):
    encoder = TableEncoder(2, preparer=None).fit(melons)
    encoder.save(tmp_path / "model")
    texts = {
        model.to_onnx().SerializeToString()
        for model in (
            encoder,
            encoder,
            load_model(tmp_path / "model"),
            TableEncoder(2, preparer=None).fit(melons),
        )
    }
    assert len(texts) == 1


def test_unknown_values_can_not_be_errors(melons):
    encoder = TableEncoder(2, handle_unknown="error", preparer=None).fit(melons)
    with pytest.raises(ValueError, match=r"set_params\(handle_unknown='ignore'\)"):
        encoder.to_onnx()
    assert encoder.set_params(handle_unknown="ignore").to_onnx()


@pytest.mark.parametrize("table", DATES)
def test_dates_are_refused(table):
    with pytest.raises(ValueError, match=r"'A' holds datetime.*no dates.*into text"):
        fit(DATES[table]).to_onnx()


@pytest.mark.parametrize(
    ("columns", "missing", "message"),
    [
        ({"A": ["", "x"], "B": ["u", "v"]}, "", "missing='' is a value of column 'A'"),
        ({"A": ["x", "y"], "B": ["u", "v"]}, None, "missing must be a text"),
        ({"A": ["x", "y"], "": ["u", "v"]}, "", "'' can't be the name of an input"),
        ({"A": [1, "1"], "B": ["u", "v"]}, "", "of types int and str"),
        ({"A": [2**64, 1], "B": ["u", "v"]}, "", "more than 64 bits"),
        ({"A": [2**60, None], "B": ["u", "v"]}, "", "so large an integer"),
    ],
)
def test_bad_input(columns, missing, message):
    with pytest.raises(ValueError, match=message):
        fit(columns).to_onnx(missing=missing)


def test_models_that_are_too_large(melons, monkeypatch):
    monkeypatch.setattr(onnx_model, "MOST_BYTES", 200)
    with pytest.raises(ValueError, match=r"304 bytes, .* 200; fit with n_components"):
        TableEncoder(2, preparer=None).fit(melons).to_onnx()


def test_without_onnx(melons, monkeypatch):
    encoder = TableEncoder(2, preparer=None).fit(melons)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'untie-learn\[onnx\]'"):
        encoder.to_onnx()


def test_an_encoder_that_is_not_fitted():
    with pytest.raises(ValueError, match="not fitted"):
        TableEncoder(preparer=None).to_onnx()
