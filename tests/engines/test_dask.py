"""Dask frames give the model of the table in memory, whatever happens to the workers."""

import os
from contextlib import contextmanager
from itertools import pairwise

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from dask.distributed import Client, LocalCluster
from hypothesis import given, settings
from hypothesis import strategies as st

import untie
from cases import TEXT, TYPED
from dask_jobs import hide_untie, load
from odd_cells import INSTANTS, LOCAL
from same import assert_same_counts, assert_same_model
from tables import encoder_of, small_tables
from test_same_answer import mixed
from untie import UNTIE, TableClusterer, TableEncoder, count_table
from untie._count import tally
from untie._engines.dask import DaskSource
from untie._util.messages import need
from untie.explain import drift, outliers


def whole(frame):
    return [frame]


def with_empty_ones(frame):
    half = len(frame) // 2
    return [frame[:0], frame[:half], frame[:0], frame[half:], frame[:0]]


def row_by_row(frame):
    return [frame[row : row + 1] for row in range(min(len(frame), 7))] + [frame[7:]]


PARTITIONINGS = {make.__name__: make for make in (whole, with_empty_ones, row_by_row)}


def as_dask(frame, cut=with_empty_ones):
    """Return a Dask frame with these rows; their types stay as they are."""
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_delayed(
            [dask.delayed(part) for part in cut(frame)], meta=frame[:0], verify_meta=False
        )


def as_pandas(columns, dtype=None):
    return pd.DataFrame({name: pd.Series(cells, dtype=dtype) for name, cells in columns.items()})


TEXT_DTYPES = {
    "object": object,
    "string[pyarrow]": "string[pyarrow]",
    "arrow": pd.ArrowDtype(pa.string()),
    "category": "category",
}

CASES = [
    *(
        pytest.param(as_pandas(columns, dtype), id=f"{name}-{kind}")
        for name, columns in TEXT.items()
        for kind, dtype in TEXT_DTYPES.items()
    ),
    *(pytest.param(as_pandas(columns), id=name) for name, columns in TYPED.items()),
    pytest.param(
        as_pandas({"A": ["x", 1, None, 2.5, "x", True], "B": [1, "1", 1, "1", None, 1]}, object),
        id="types mixed in a column",
    ),
]


MISSING = as_pandas(TEXT["missing"])
LATE = as_pandas(TEXT["a value in the last rows alone"])


@pytest.mark.parametrize("cut", PARTITIONINGS.values(), ids=PARTITIONINGS)
@pytest.mark.parametrize("frame", CASES)
def test_counts_are_those_of_the_table(frame, cut):
    assert_same_counts(count_table(as_dask(frame, cut)), count_table(frame))


@pytest.mark.parametrize("cut", PARTITIONINGS.values(), ids=PARTITIONINGS)
@pytest.mark.parametrize("frame", [MISSING, LATE, as_pandas(TEXT["unicode"], "category")])
def test_the_model_is_that_of_the_table(frame, cut):
    encoder = TableEncoder(2, preparer=None).fit(as_dask(frame, cut))
    assert_same_model(encoder, TableEncoder(2, preparer=None).fit(frame))
    assert isinstance(encoder.value_vectors(), pd.DataFrame)


@given(small_tables(), st.data())
@settings(max_examples=settings().max_examples // 2)
def test_any_cuts_give_the_same_counts(frame, data):
    places = sorted(data.draw(st.lists(st.integers(0, len(frame)), max_size=5)))
    edges = [0, *places, len(frame)]

    def cut(frame):
        return [frame[start:stop] for start, stop in pairwise(edges)]

    assert_same_counts(count_table(as_dask(frame, cut)), count_table(frame))


def test_frames_that_dask_made_itself(tmp_path):
    LATE.to_parquet(tmp_path / "1.parquet")
    MISSING[["A", "B"]].to_parquet(tmp_path / "2.parquet")
    expected = count_table(pd.concat([LATE, MISSING[["A", "B"]]]))
    assert_same_counts(count_table(dd.read_parquet(tmp_path)), expected)
    assert_same_counts(count_table(dd.from_pandas(LATE, npartitions=3)), count_table(LATE))


@pytest.mark.parametrize("cut", PARTITIONINGS.values(), ids=PARTITIONINGS)
def test_weights_from_a_column(cut):
    weights = [0, 1.5, 2, 0, 0.25, 4]
    weighted = MISSING.assign(w=weights)[["A", "w", "B", "C"]]
    found = count_table(as_dask(weighted, cut), sample_weight="w")
    assert_same_counts(found, count_table(MISSING, sample_weight=weights))
    model = TableEncoder(2, preparer=None).fit(as_dask(weighted, cut), sample_weight="w")
    assert_same_model(model, TableEncoder(2, preparer=None).fit(MISSING, sample_weight=weights))


def test_fractions_add_up_the_same_each_time():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"A": rng.choice(list("xyz"), 50), "w": rng.random(50)})
    found = [count_table(as_dask(frame, row_by_row), "w").counts.matrix for _ in range(3)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_allclose(found[0], count_table(frame, "w").counts.matrix, rtol=1e-12)


@pytest.mark.parametrize("kept", [1, 2_000])
@pytest.mark.parametrize("group", [{"min_frequency": 2}, {"max_categories": 4}], ids=str)
@pytest.mark.parametrize("weight", [None, "w"])
def test_rare_values_are_taken_together(weight, group, kept, monkeypatch):
    monkeypatch.setattr(tally, "KEPT_VALUES", kept)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: [f"v{c}" for c in rng.geometric(0.3, 60)] for name in "AB"})
    frame["w"] = rng.integers(0, 3, 60)
    data = frame if weight else frame[["A", "B"]]
    found = encoder_of(2, **group).fit(as_dask(data), sample_weight=weight)
    assert_same_model(found, encoder_of(2, **group).fit(data, sample_weight=weight))
    assert (found._model.ungrouped is None) == (kept == 1)


def test_rare_values_among_too_many_to_pair():
    codes = np.random.default_rng(0).permutation(30_000)
    frame = pd.DataFrame({"A": np.where(codes < 9_000, codes % 3, codes), "B": codes % 2})
    found = TableEncoder(2, max_categories=4, preparer=None).fit(as_dask(frame))
    assert_same_model(found, TableEncoder(2, max_categories=4, preparer=None).fit(frame))


def test_partial_fit_adds_up():
    encoder = TableEncoder(2, preparer=None).partial_fit(as_dask(MISSING[:2]))
    more = MISSING[2:].assign(id=range(4), w=1.0)[["w", "id", "C", "A", "B"]]
    encoder.partial_fit(as_dask(more), sample_weight="w")
    assert_same_model(encoder, TableEncoder(2, preparer=None).fit(MISSING))


def test_given_categories_keep_their_order():
    frame = pd.DataFrame({"A": ["x", "y", "z"], "B": ["u", "u", "v"]})
    categories = [["y", "x"], ["v", "u"]]
    found = count_table(as_dask(frame), categories=categories)
    assert_same_counts(found, count_table(frame, categories=categories))


@pytest.mark.parametrize(
    "options", [{}, {"n_components": 2}, {"output": "full"}, {"dtype": np.float32}], ids=str
)
@pytest.mark.parametrize("cut", PARTITIONINGS.values(), ids=PARTITIONINGS)
def test_transform(cut, options):
    encoder = encoder_of(2, **options).fit(MISSING)
    more = MISSING.assign(id=range(6))[["B", "id", "C", "A"]].set_index(pd.Index(list("fedcba")))
    found = encoder.transform(as_dask(more, cut))
    assert isinstance(found, dd.DataFrame)
    expected = pd.DataFrame(
        encoder.transform(MISSING), more.index, encoder.get_feature_names_out().tolist()
    )
    pd.testing.assert_frame_equal(found._meta, expected[:0])
    pd.testing.assert_frame_equal(found.compute(), expected)


def test_transform_is_lazy_and_keeps_the_model():
    opened = []

    def open_part(part):
        opened.append(part)
        return part

    source = dd.from_delayed([dask.delayed(open_part)(MISSING)], meta=MISSING[:0])
    encoder = TableEncoder(2, preparer=None).fit(MISSING)
    expected = encoder.transform(MISSING)
    found = encoder.transform(source)
    assert not opened
    encoder.partial_fit(MISSING[:3])
    np.testing.assert_array_equal(found.compute().to_numpy(), expected)
    assert len(opened) == 1


def test_fit_transform_keeps_divisions():
    source = dd.from_pandas(MISSING.assign(w=1.0), npartitions=2)
    found = TableEncoder(2, preparer=None).fit_transform(source, sample_weight="w")
    assert found.divisions == source.divisions
    np.testing.assert_allclose(
        found.compute(), TableEncoder(2, preparer=None).fit_transform(MISSING), atol=1e-10
    )


def test_names_that_are_numbers():
    frame = pd.DataFrame([["x", "u"], ["y", "u"], ["y", "v"]])
    found = TableEncoder(2, preparer=None).fit(as_dask(frame))
    expected = TableEncoder(2, preparer=None).fit_transform(frame)
    np.testing.assert_allclose(found.transform(as_dask(frame)).compute(), expected, atol=1e-10)


EMPTY = pd.DataFrame({"A": pd.Series([], dtype=object), "w": pd.Series([], dtype=float)})

BAD = {
    "no rows": (EMPTY, None, ValueError, "0 sample.* the Dask frame has 0 rows"),
    "weights of 0": (
        pd.DataFrame({"A": ["x"], "w": [0]}),
        "w",
        ValueError,
        "0 sample.*has 1 rows, and 'w' is 0 in all of them",
    ),
    "negative weight": (
        pd.DataFrame({"A": ["x", "y"], "w": [1, -1]}),
        "w",
        ValueError,
        "Column 'w', partition 3: .*row 0 is negative",
    ),
    "missing weight": (pd.DataFrame({"A": ["x"], "w": [None]}), "w", ValueError, "Column 'w'"),
    "no column of weights": (EMPTY, "v", ValueError, "no column 'v' .* sample_weight names"),
    "array of weights": (EMPTY, [1.0], TypeError, "name of one of its columns, got list"),
    "no columns": (EMPTY[["w"]], "w", ValueError, "0 feature"),
    "nested": (pd.DataFrame({"A": [["x"]]}), None, TypeError, "Column 'A', row 0: .* holds a list"),
    "names twice as text": (pd.DataFrame([[1, 2]], columns=["1", 1]), None, ValueError, "'1'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables(case):
    frame, weight, error, message = BAD[case]
    with pytest.raises(error, match=message):
        TableEncoder(2, preparer=None).fit(as_dask(frame), sample_weight=weight)


def test_bad_calls(tmp_path):
    source = as_dask(MISSING)
    with pytest.raises(ValueError, match="'adam' draws rows"):
        UNTIE(2, solver="adam").fit(source)
    encoder = TableEncoder(2, preparer=None).fit(MISSING)
    with pytest.raises(ValueError, match=r"no columns 'A', 'C' of the encoder in the Dask frame;"):
        encoder.transform(source[["B"]])
    with pytest.raises(ValueError, match="set sparse_output=False"):
        TableEncoder(2, sparse_output=True, preparer=None).fit(source).transform(source)
    with pytest.raises(ValueError, match="Dask frames, not as polars frames"):
        TableEncoder(2, preparer=None).set_output(transform="polars").fit(source).transform(source)
    with pytest.raises(TypeError, match=r"is lazy; call \.compute\(\)"):
        encoder.similarity(source)
    with pytest.raises(TypeError, match=r"encoder\.transform\(frame\)\.to_parquet"):
        untie.sink(encoder, source, tmp_path / "vectors.parquet")
    strict = TableEncoder(2, handle_unknown="error", preparer=None).fit(MISSING)
    unknown = strict.transform(as_dask(MISSING.assign(A="new")))
    with pytest.raises(ValueError, match="unknown value 'new' in column 'A'"):
        unknown.compute()


def test_a_missing_library_names_the_extra():
    with pytest.raises(ImportError, match=r"need not_there: pip install 'untie-learn\[dask\]'"):
        need("not_there.part", "dask")


def test_a_source_that_grows_between_two_passes_is_refused(monkeypatch):
    monkeypatch.setattr(tally, "KEPT_VALUES", 1)
    lengths = iter([6, 5])
    part = dask.delayed(lambda: MISSING[: next(lengths)])()
    with pytest.raises(ValueError, match=r"the Dask frame changed .*: 6 rows .* 5 in the second"):
        TableEncoder(2, min_frequency=2, preparer=None).fit(
            dd.from_delayed([part], meta=MISSING[:0])
        )


@contextmanager
def two_workers(folder):
    with (
        # Workers that are gone are an error, not a wait.
        dask.config.set({"distributed.scheduler.no-workers-timeout": "60s"}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            local_directory=str(folder),
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.integration
def test_a_worker_killed_in_the_middle_of_fit(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: [f"v{c}" for c in rng.geometric(0.4, 400)] for name in "ABC"})
    frame["w"] = rng.integers(0, 4, 400) / 4
    parts = [frame[start : start + 40] for start in range(0, 400, 40)]
    loaded = [dask.delayed(load)(part, n, tmp_path) for n, part in enumerate(parts)]
    source = dd.from_delayed(loaded, meta=frame[:0])
    with two_workers(tmp_path) as client:
        workers = client.run(os.getpid).values()
        found = TableClusterer(2).fit(source, sample_weight="w")
        labels = found.predict(source).compute()
    assert int((tmp_path / "killed").read_text()) in workers
    expected = TableClusterer(2).fit(frame, sample_weight="w")
    assert_same_model(found.encoder_, expected.encoder_)
    np.testing.assert_array_equal(labels, expected.labels_)


@pytest.fixture(scope="module")
def people():
    return mixed()


@pytest.fixture(scope="module")
def in_memory(people):
    return TableClusterer(3).fit(people)


@pytest.mark.parametrize("cut", PARTITIONINGS.values(), ids=PARTITIONINGS)
def test_the_whole_chain_is_that_of_the_table(cut, people, in_memory):
    found = TableClusterer(3).fit(as_dask(people, cut))
    assert found.preparer_._preparation == in_memory.preparer_._preparation
    np.testing.assert_array_equal(found.predict(as_dask(people, cut)), in_memory.labels_)
    new = people.assign(tone=["loud"] * 60 + people.tone.tolist()[60:])
    expected, changed = drift(in_memory, new), drift(found, as_dask(new, cut))
    assert changed.verdict == expected.verdict != "No drift found."
    pd.testing.assert_frame_equal(outliers(found, as_dask(new, cut)), outliers(in_memory, new))


def test_the_order_of_partitions_does_not_matter(people, in_memory):
    turned = as_dask(people, lambda frame: row_by_row(frame)[::-1])
    labels = TableClusterer(3).fit(turned).predict(turned).compute()
    np.testing.assert_array_equal(labels.sort_index(), in_memory.labels_)


def test_rows_of_a_dask_frame_stay_with_the_workers(people, in_memory, monkeypatch):
    monkeypatch.setattr(DaskSource, "pieces", None)
    reads = []

    def read(part):
        reads.append(len(part))
        return part

    parts = [dask.delayed(read)(part) for part in with_empty_ones(people)]
    source = dd.from_delayed(parts, meta=people[:0], verify_meta=False)
    TableClusterer(3).fit(source)
    assert 6 <= len(reads) / len(parts) <= 12
    del reads[:]
    outliers(in_memory, source)
    drift(in_memory, source)
    assert len(reads) == 3 * len(parts)


@pytest.mark.integration
def test_workers_without_the_package_say_so(tmp_path):
    source = as_dask(MISSING)
    encoder = TableEncoder(2, preparer=None).fit(MISSING)
    with two_workers(tmp_path) as client:
        client.run(hide_untie)
        with pytest.raises(ModuleNotFoundError, match="untie"):
            TableEncoder(2, preparer=None).fit(source)
        with pytest.raises(ModuleNotFoundError, match="untie"):
            encoder.transform(source).compute()


def test_the_hour_that_comes_twice():
    frame = pd.DataFrame({"at": pd.Series(LOCAL * 2), "b": list("uvw") * 4})
    counted = count_table(dd.from_pandas(frame, npartitions=3, sort=False))
    assert counted.vocabulary.values[0] == tuple(INSTANTS)
    assert_same_counts(counted, count_table(frame))
