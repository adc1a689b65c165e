"""One core or several: the same model, to the last bit."""

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from joblib import Parallel, delayed, parallel_config

import untie
from cases import TEXT
from lazy_sources import SOURCES, as_arrow
from tables import encoder_of
from untie import UNTIE, TableEncoder, count_table
from untie._count import chunked, counting, row_sample
from untie._engines import arrow, parquet
from untie._engines.arrow import ArrowSource
from untie._learn import vectors
from untie._util import threads


@pytest.fixture(autouse=True)
def small_work(monkeypatch):
    """Make every piece of work so small that even these tables are cut into many."""
    monkeypatch.setattr(threads, "PARALLEL_CELLS", 0)
    monkeypatch.setattr(vectors, "PARALLEL_NUMBERS", 0)
    monkeypatch.setattr(vectors, "BLOCK_ROWS", 64)
    monkeypatch.setattr(counting, "BLOCK_CELLS", 1)  # blocks of 256 rows
    monkeypatch.setattr(counting, "FEWEST_ROWS", 1)
    monkeypatch.setattr(row_sample, "BLOCK_ROWS", 64)
    monkeypatch.setattr(row_sample, "FIRST_ROWS", 8)
    monkeypatch.setattr(chunked, "GATHERED_BYTES", 2_000)
    monkeypatch.setattr(parquet, "MOST_ROWS", 50)
    monkeypatch.setattr(arrow, "PIECE_BYTES", 20_000)


@pytest.fixture
def threads_used(monkeypatch):
    """Collect the threads that pieces of work ran in."""
    used = set()
    plain = threads.map_ahead

    def watching(function, *arguments):
        def watched(item):
            used.add(threading.current_thread())
            return function(item)

        return plain(watched, *arguments)

    for module in (counting, arrow):
        monkeypatch.setattr(module, "map_ahead", watching)
    return used


def assert_identical(found, expected):
    assert found.vocabulary == expected.vocabulary
    np.testing.assert_array_equal(found.counts.matrix, expected.counts.matrix)
    assert (found.counts.n, found.counts.n_rows) == (expected.counts.n, expected.counts.n_rows)
    for part in ("numbers", "codes", "weights"):
        np.testing.assert_array_equal(getattr(found.sample, part), getattr(expected.sample, part))


def on_cores(n_jobs, function, *arguments, **options):
    with parallel_config(n_jobs=n_jobs):
        return function(*arguments, **options)


def noisy_table(n_rows=900, seed=0):
    rng = np.random.default_rng(seed)
    sizes = (2, 3, 40, 5, 300, 7, 2)
    cells = {
        f"c{column}": [f"v{code}" for code in rng.integers(0, size, n_rows)]
        for column, size in enumerate(sizes)
    }
    return as_arrow(cells).append_column("w", pa.array(rng.random(n_rows)))


@pytest.mark.parametrize("source", ["parquet files", "query", "batch reader"])
@pytest.mark.parametrize("case", TEXT)
def test_every_table(case, source, tmp_path):
    table = as_arrow(TEXT[case], pa.string())
    expected = on_cores(1, count_table, SOURCES[source](table, tmp_path))
    for n_jobs in (2, 3):
        assert_identical(on_cores(n_jobs, count_table, SOURCES[source](table, tmp_path)), expected)
        assert_identical(on_cores(n_jobs, count_table, table), expected)


@pytest.mark.parametrize("strategy", counting.STRATEGIES)
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_weights_with_fractions_to_the_last_bit(n_jobs, strategy, monkeypatch, threads_used):
    monkeypatch.setattr(counting, "fastest_strategy", lambda *_: strategy)
    table = noisy_table()
    expected = on_cores(1, count_table, table, sample_weight="w")
    assert threads_used == {threading.main_thread()}
    assert_identical(on_cores(n_jobs, count_table, table, sample_weight="w"), expected)
    assert threads_used > {threading.main_thread()}


@pytest.mark.parametrize("sample_rows", [10, 2_000])
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_files_with_weights_to_the_last_bit(n_jobs, sample_rows, tmp_path, monkeypatch):
    monkeypatch.setattr(row_sample, "SAMPLE_ROWS", sample_rows)
    table = noisy_table()
    for number in range(3):
        pq.write_table(table.slice(300 * number, 300), tmp_path / f"{number}.parquet")
    scan = untie.scan(tmp_path / "*.parquet")
    expected = on_cores(1, count_table, scan, sample_weight="w")
    assert_identical(on_cores(n_jobs, count_table, scan, sample_weight="w"), expected)
    in_memory = count_table(table, sample_weight="w")
    # Fractions are added in another order: several blocks of rows, each counted for itself.
    np.testing.assert_allclose(expected.counts.matrix, in_memory.counts.matrix, rtol=1e-12)
    np.testing.assert_array_equal(expected.sample.numbers, in_memory.sample.numbers)


@pytest.mark.parametrize("group", [{}, {"max_categories": 4}, {"min_frequency": 0.1}])
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_the_model_and_its_vectors(n_jobs, group, tmp_path, threads_used, monkeypatch):
    monkeypatch.setattr("untie._count.tally.KEPT_VALUES", 1)
    table = noisy_table().drop_columns("w")
    source = SOURCES["parquet files"](table, tmp_path)
    one = on_cores(1, encoder_of(2, **group).fit, source)
    several = on_cores(n_jobs, encoder_of(2, **group).fit, source)
    assert several.vocabulary_ == one.vocabulary_
    assert several.gains_ == one.gains_
    for own, other in zip(several._model.lookup.tables, one._model.lookup.tables, strict=True):
        np.testing.assert_array_equal(own, other)
    expected = on_cores(1, one.transform, table)
    np.testing.assert_array_equal(on_cores(n_jobs, one.transform, table), expected)
    threads_used.clear()
    read = on_cores(n_jobs, lambda: one.transform(source).read_all())
    assert threads_used
    assert threading.main_thread() not in threads_used
    np.testing.assert_array_equal(np.stack([c.to_numpy() for c in read.columns], 1), expected)


@pytest.mark.integration
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_sink_writes_the_same_file(suffix, tmp_path):
    table = noisy_table().drop_columns("w")
    encoder = UNTIE(2, solver="uniform").fit(table)
    source = SOURCES["parquet files"](table, tmp_path)
    for n_jobs in (1, 3):
        on_cores(
            n_jobs, untie.sink, encoder, source, tmp_path / f"on {n_jobs}.{suffix}", keep=["c1"]
        )
    assert (tmp_path / f"on 1.{suffix}").read_bytes() == (tmp_path / f"on 3.{suffix}").read_bytes()


def test_unknown_values_are_named_in_the_order_of_the_rows(tmp_path):
    cells = [f"v{i}" for i in range(60)]
    source = SOURCES["parquet file"](as_arrow({"A": cells, "B": cells}), tmp_path)
    encoder = TableEncoder(2, preparer=None, handle_unknown="error")
    encoder.fit(as_arrow({"A": ["v0", "w", "w"], "B": ["v0", "v0", "w"]}))
    with pytest.raises(ValueError, match="'v1'"):
        on_cores(3, lambda: encoder.transform(source).read_all())


def test_an_error_in_a_thread_is_the_error_of_one_core(tmp_path):
    table = pa.table({"A": ["x"] * 20 + ["y"], "B": [["nested"]] * 21})
    for n_jobs in (1, 3):
        with pytest.raises(TypeError, match=r"Column 'B', row 0: .* holds a list"):
            on_cores(
                n_jobs, TableEncoder(2, preparer=None).fit, SOURCES["parquet file"](table, tmp_path)
            )


def test_a_source_that_fails_leaves_no_thread_and_no_file(tmp_path):
    table = noisy_table().drop_columns("w")
    encoder = UNTIE(2, solver="uniform").fit(table)

    def read(columns):
        yield from table.select(columns).to_batches(max_chunksize=100)[:5]
        raise KeyboardInterrupt

    source = ArrowSource(table.schema, read, "rows that end early")
    before = threading.active_count()
    for work in (
        lambda: TableEncoder(2, preparer=None).fit(source),
        lambda: untie.sink(encoder, source, tmp_path / "out.parquet"),
    ):
        with pytest.raises(KeyboardInterrupt):
            on_cores(3, work)
        assert threading.active_count() == before
    assert list(tmp_path.iterdir()) == []


def test_a_reader_may_be_left_half_read():
    table = noisy_table().drop_columns("w")
    encoder = UNTIE(2, solver="uniform").fit(table)
    before = threading.active_count()
    with parallel_config(n_jobs=2):
        reader = encoder.transform(SOURCES["batch reader"](table, None))
        assert reader.read_next_batch().num_rows > 0
        del reader
    assert threading.active_count() == before


def fit_and_count_threads(table):
    TableEncoder(2, preparer=None).fit(table)
    return threads.n_threads()


def test_workers_of_others_use_one_core_each():
    table = noisy_table().drop_columns("w")
    jobs = Parallel(n_jobs=2, backend="threading")(
        delayed(fit_and_count_threads)(table) for _ in range(2)
    )
    assert jobs == [1, 1]


@pytest.mark.integration
def test_a_script_without_a_main_guard(tmp_path):
    table = noisy_table(20_000).drop_columns("w")
    pq.write_table(table, tmp_path / "table.parquet")
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import joblib, untie
            joblib.parallel_config(n_jobs=2)
            encoder = untie.TableEncoder(2).fit(untie.scan({str(tmp_path / "table.parquet")!r}))
            print(encoder.counts_.n_rows)
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=os.environ, timeout=120
    )
    assert (done.stdout, done.stderr, done.returncode) == ("20000\n", "", 0)
