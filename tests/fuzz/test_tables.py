"""What must not change the default's result, on odd tables of every type, library and engine.

Each check is a function of what Hypothesis draws. A few examples of each are always the same and
run with all tests; thousands, new ones each time, run with `make test-slow`.
"""

import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from joblib import parallel_config

from fuzz.figures import NOTE, TABLES
from fuzz.tables import FRAMES, OBJECT_FRAMES, object_tables, typed_tables, weights_of
from same import assert_same_model
from untie import TableEncoder, load_model
from untie._table.column_codes import factorize
from untie._table.table import read_table
from untie._util import threads

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # odd tables are degenerate

FEW, MANY = 12, 400
"""Examples of each check: with all tests, and in `make test-slow`."""


def fitted(data, **fit):
    return TableEncoder(handle_unknown="error", preparer=None).fit(data, **fit)


def vectors(encoder, data):
    """Return the vectors of rows in whatever form a table has."""
    found = encoder.transform(data)
    if isinstance(found, pa.RecordBatchReader):
        return np.column_stack([column.to_numpy() for column in found.read_all().columns])
    return found


def assert_close(found, expected):
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, atol=1e-6 * scale)


def check_order_of_rows(data):
    table = data.draw(typed_tables())
    order = data.draw(st.permutations(range(len(table))))
    expected = fitted(table).similarity(table)[np.ix_(order, order)]
    shuffled = table.take(order)
    assert_close(fitted(shuffled).similarity(shuffled), expected)


def check_order_of_columns(data):
    table = data.draw(typed_tables())
    other = table.select(data.draw(st.permutations(table.column_names)))
    assert_close(fitted(other).similarity(other), fitted(table).similarity(table))


def check_names_of_values(data):
    table = data.draw(typed_tables(kinds=("text", "booleans", "instants", "constant")))
    encoder = fitted(table)
    renamed = {}
    columns = dict(zip(table.column_names, read_table(table).columns, strict=True))
    for name, values in zip(table.column_names, encoder.vocabulary_.values, strict=True):
        names = data.draw(st.permutations([f"name {chr(97 + n)}" for n in range(len(values))]))
        new = dict(zip(values, names, strict=True))
        codes, found = factorize(columns[name], name)
        renamed[name] = [new[found[code]] for code in codes.tolist()]
    other = pa.table(renamed)
    assert_close(fitted(other).similarity(other), encoder.similarity(table))


def check_chunks(data):
    table = data.draw(typed_tables(min_rows=2))
    cut = data.draw(st.integers(0, len(table)))
    parts = [part for part in (table.slice(cut), table.slice(0, cut)) if len(part)]
    grown = TableEncoder(preparer=None)
    for part in parts:
        grown.partial_fit(part)
    assert_same_model(grown, fitted(table))


def check_frames(data):
    table = data.draw(typed_tables())
    frame = FRAMES[data.draw(st.sampled_from(sorted(FRAMES)))]
    expected = fitted(table)
    encoder = fitted(frame(table))
    assert_same_model(encoder, expected)
    np.testing.assert_allclose(vectors(encoder, frame(table)), vectors(expected, table), atol=1e-9)


def check_engines(data):
    table = data.draw(typed_tables())
    encoder = fitted(table)
    expected = vectors(encoder, table)
    with tempfile.TemporaryDirectory() as folder:
        for number, part in enumerate((table.slice(0, 2), table.slice(2))):
            pq.write_table(part, Path(folder) / f"{number}.parquet")
        sources = {
            "arrow": lambda: ds.dataset(folder),
            "duckdb": lambda: duckdb.from_arrow(table),
            "polars": lambda: FRAMES["polars"](table).lazy(),
        }
        make = sources[data.draw(st.sampled_from(sorted(sources)))]
        assert_same_model(fitted(make()), encoder)
        np.testing.assert_array_equal(vectors(encoder, make()), expected)


def check_cells_of_any_type(data):
    columns = data.draw(object_tables())
    frames = {name: make(columns) for name, make in OBJECT_FRAMES.items()}
    expected, *others = (fitted(frame) for frame in frames.values())
    for other in others:
        assert other.vocabulary_.values == expected.vocabulary_.values
        np.testing.assert_array_equal(other.counts_.matrix, expected.counts_.matrix)
    rows = expected.transform(frames["rows"])
    for encoder, frame in zip(others, list(frames.values())[1:], strict=True):
        np.testing.assert_allclose(encoder.transform(frame), rows, atol=1e-9)


def check_threads(data):
    table = data.draw(typed_tables())
    expected = fitted(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "PARALLEL_CELLS", 0)
        for n_jobs in (1, 2):
            with parallel_config(n_jobs=n_jobs):
                assert_same_model(fitted(table), expected)


def check_weights(data):
    table = data.draw(typed_tables())
    weights = data.draw(weights_of(len(table)))
    repeated = table.take(np.repeat(np.arange(len(table)), weights))
    expected = fitted(repeated)
    encoder = fitted(table, sample_weight=weights)
    assert encoder.vocabulary_ == expected.vocabulary_
    assert_close(encoder.similarity(repeated), expected.similarity(repeated))


def check_files(data):
    columns = data.draw(object_tables())
    rows = OBJECT_FRAMES["rows"](columns)
    plain = [
        [None if isinstance(cell, frozenset) else cell for cell in row] for row in rows
    ]  # sets can't be saved, and say so
    encoder = fitted(plain)
    with tempfile.TemporaryDirectory() as folder:
        encoder.save(Path(folder) / "model")
        loaded = load_model(Path(folder) / "model")
    assert loaded.vocabulary_ == encoder.vocabulary_
    np.testing.assert_array_equal(loaded.transform(plain), encoder.transform(plain))


def check_vectors(data):
    table = data.draw(typed_tables())
    encoder = TableEncoder(data.draw(st.sampled_from([None, 1, "auto"])), preparer=None).fit(table)
    found = encoder.transform(table)
    assert np.isfinite(found).all()
    S = encoder.similarity(table)
    np.testing.assert_allclose(S, found @ found.T, atol=1e-9 * max(1.0, np.abs(S).max()))
    assert np.linalg.eigvalsh(S).min() >= -1e-9 * max(1.0, np.trace(S))


def check_unknown_values(data):
    table = data.draw(typed_tables(kinds=("text", "constant")))
    encoder = TableEncoder(preparer=None).fit(table)
    unknown = pa.table({name: ["never seen"] for name in table.column_names})
    names = table.column_names
    place = data.draw(st.sampled_from(range(len(names))))
    row = table.slice(0, 1).to_pydict() | {names[place]: ["never seen"]}
    counts, lookup = encoder.counts_, encoder._model.lookup
    for attribute, of_column in enumerate(lookup.tables):
        shares = counts.frequencies[counts.span(attribute)] / counts.n
        np.testing.assert_allclose(of_column[-1], shares @ of_column[:-1], atol=1e-9)
    assert np.isfinite(encoder.transform(pa.table(row))).all()
    assert np.isfinite(encoder.transform(unknown)).all()


CHECKS = {
    name.removeprefix("check_").replace("_", " "): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}


def run(check, n_examples, derandomize, note):
    # The check is slow where it starts the engines' threads, and large where it draws tables.
    lenient = [HealthCheck.too_slow, HealthCheck.data_too_large]
    chosen = settings(
        max_examples=n_examples,
        derandomize=derandomize,
        database=None,
        suppress_health_check=lenient,
    )
    n_tried = 0

    def counted(data):
        nonlocal n_tried
        n_tried += 1
        check(data)

    try:
        chosen(given(st.data())(counted))()
    finally:
        note(NOTE, (TABLES, n_tried))


@pytest.mark.parametrize("name", CHECKS)
def test_a_few_odd_tables(name, record_property):
    run(CHECKS[name], FEW, True, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_thousands_of_odd_tables(name, record_property):
    run(CHECKS[name], MANY, False, record_property)
