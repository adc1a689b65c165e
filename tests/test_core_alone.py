"""The package with numpy, scipy, scikit-learn and narwhals, and nothing that extras bring."""

import json
import math
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

import core_jobs
import untie
from command_cases import ask, write_people
from untie import TableClusterer, TableEncoder
from untie._persistence.values import from_plain

JOBS = Path(core_jobs.__file__)
QUERY = "SELECT 1 AS a"

SQUARE = ["value_similarity", "associations"]
"""Tables whose rows have names: the index in pandas, a first column elsewhere."""


@pytest.fixture(scope="module")
def expected():
    """Return the answers of this process, which has pandas."""
    return json.loads(core_jobs.described())[1]


def answers(*libraries):
    """Return the answers of a process that has only these libraries for frames."""
    call = [sys.executable, JOBS, *libraries]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def remove(monkeypatch, *libraries):
    """Let libraries not be installed."""
    for name in [name for name in sys.modules if name.split(".")[0] in libraries]:
        monkeypatch.delitem(sys.modules, name)
    absent = core_jobs.Absent({*core_jobs.FRAMES, *core_jobs.OTHERS} - {*libraries})
    monkeypatch.setattr(sys, "meta_path", [absent, *sys.meta_path])


@pytest.fixture
def no_frames(monkeypatch):
    """Let neither pandas nor polars be installed."""
    remove(monkeypatch, "pandas", "polars")


def same(first, second):
    """Tell whether two answers are equal; a missing number is None or NaN."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same, first, second))
    pair = [math.nan if cell is None else cell for cell in (first, second)]
    return pair[0] == pair[1] or pair == pytest.approx(pair[::-1], rel=1e-9, nan_ok=True)


@pytest.mark.integration
@pytest.mark.parametrize("library", ["numpy", "polars", "pyarrow"])
def test_every_answer_is_that_of_pandas(library, expected):
    kinds, found = answers(*([] if library == "numpy" else [library]))
    for name in SQUARE:
        assert list(found[name].pop("value")) == list(found[name])
    assert [name for name in expected if not same(found[name], expected[name])] == []
    assert kinds["value_vectors"] == kinds["load"] == kinds["choose_k"] == library
    assert set(kinds.values()) <= {library, "numpy", "builtins"}


ROWS = [["a", "x"], ["b", "y"], ["b", "x"]] * 5
FRAME = pl.DataFrame(ROWS, schema=["first", "second"], orient="row")

REMEDIES = [
    ("jinja2", lambda: untie.make_report(ROWS), "Reports need jinja2: {report}."),
    (
        "matplotlib",
        lambda: untie.plot.weights(TableEncoder(2, preparer=None).fit(ROWS)),
        "Plots need matplotlib: {report}.",
    ),
    ("duckdb", lambda: untie.scan(sql=QUERY), "Files and lazy tables need duckdb: {files}."),
    ("pyarrow", lambda: untie.scan(sql=QUERY), "Files and lazy tables need pyarrow: {files}."),
    (
        "pyarrow",
        lambda: TableEncoder(2, preparer=None).fit(duckdb.sql(QUERY)),
        "Files and lazy tables need pyarrow: {files}.",
    ),
    (
        "pyarrow",
        lambda: TableClusterer(2, preparer=None).fit(FRAME.lazy()),
        "Lazy frames of polars need pyarrow: {pyarrow}.",
    ),
    (
        "pandas",
        lambda: untie.datasets.load("zoo", frame="pandas"),
        "frame='pandas' needs pandas: {pandas}; or pass frame='numpy'.",
    ),
    (
        "pandas",
        lambda: untie.Preparer().set_output(transform="pandas").fit_transform(ROWS),
        "Pandas frames need pandas: {pandas}.",
    ),
    (
        "pandas",
        lambda: from_plain({"Period": ["2024-01", "M"]}),
        "Some values of this file need pandas: {pandas}.",
    ),
]


@pytest.mark.parametrize(("absent", "call", "message"), REMEDIES)
def test_what_needs_a_library_names_the_extra(monkeypatch, absent, call, message):
    names = ("files", "pandas", "pyarrow", "report")
    extras = {name: f"pip install 'untie-learn[{name}]'" for name in names}
    remove(monkeypatch, absent)
    with pytest.raises(ImportError) as error:
        call()
    assert str(error.value) == message.format(**extras)


def test_an_array_is_set_out_in_polars_without_pandas(monkeypatch):
    remove(monkeypatch, "pandas")
    preparer = untie.Preparer().fit(ROWS)
    assert isinstance(preparer.transform(ROWS), np.ndarray)
    frame = preparer.set_output(transform="polars").transform(ROWS)
    assert frame.equals(pl.DataFrame(ROWS, schema=["x0", "x1"], orient="row"))


def test_lazy_clusters_need_no_pandas(no_frames):
    table = untie.scan(sql="SELECT i % 3 AS a, i % 3 AS b, i % 2 AS c FROM range(60) AS t(i)")
    clusterer = TableClusterer(3, random_state=0, preparer=None).fit(table)
    assert clusterer.feature_names_in_.tolist() == ["a", "b", "c"]
    assert len(clusterer.predict(table).read_all()) == 60
    assert clusterer.encoder_.value_vectors().num_rows == 8


COMMANDS = [
    "datasets",
    "datasets zoo",
    "fit people.csv --output people.untie",
    "cluster people.csv --k 2",
    "cluster people.csv --k 2 --lazy --output out.csv",
    "neighbors people.csv --row 3",
    "outliers people.csv",
    "values people.csv --column colour",
    "drift people.csv people.csv",
    "compare people.csv --k 2",
    "report people.csv --output page.html",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_needs_no_pandas(no_frames, monkeypatch, tmp_path, command):
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path / "people.csv")
    answer = ask(*command.split())
    assert answer.exit_code == 0, answer.output
