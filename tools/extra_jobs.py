"""Real work for each extra: what its user would do first, with nothing else installed.

    python tools/extra_jobs.py files

`tools/extras.py` runs each in an environment of its own and on a terminal. Every job begins with
the answers of `tests/core_jobs.py`, which need no extra. A job fails by an exception.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import untie

CORE_JOBS = Path(__file__).resolve().parents[1] / "tests"

NAMES = ["drink", "colour", "size"]
ROWS = [["wine", "red", "bottle"], ["beer", "brown", "pint"], ["wine", "white", "bottle"]] * 10
ROWS += [["beer", "pale", "pint"], ["beer", "pale", "can"]] * 5
COLUMNS = {name: [row[place] for row in ROWS] for place, name in enumerate(NAMES)}

LIGHT = {"untie-learn", "numpy", "scipy", "scikit-learn", "narwhals", "joblib", "threadpoolctl"}
LIGHT |= {"cloudpickle"}  # which newer releases of joblib bring
"""All that the package brings by itself."""

PAUSE = 1.2
"""Rows come after this many seconds, more than anything waits before it shows progress."""

IMPATIENT = (
    "import untie.cli.showing as spinner; spinner.PATIENCE = 0.0; "
    "from untie.cli.app import main; main()"
)
"""Runs the command so that it shows progress at once."""


def vectors(table: object) -> np.ndarray:
    """Return what is learned of a table, and check that it distinguishes the drinks."""
    found = np.asarray(untie.TableEncoder(2).fit(table).transform(table))
    assert len(found) == len(ROWS)
    assert np.isfinite(found).all()
    assert not np.allclose(found[0], found[1])
    return found


def slowly(batches: Any) -> Iterator[Any]:
    """Yield record batches, a pause before each."""
    for batch in batches:
        time.sleep(PAUSE)
        yield batch


def lazily(table: Any) -> None:
    """Learn from a lazy table in several passes and from a slow one in one; write and read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    clusterer = untie.TableClusterer(2, random_state=0).fit(table)
    assert len(clusterer.predict(table).read_all()) == len(ROWS)
    assert len(clusterer.encoder_.value_vectors()) == 9
    rows = pa.table(COLUMNS)
    batches = slowly(rows.to_batches(max_chunksize=25))
    encoder = untie.TableEncoder(2, preparer=None).fit(
        pa.RecordBatchReader.from_batches(rows.schema, batches)
    )
    assert encoder.counts_.n == len(ROWS)
    untie.sink(encoder, table, "vectors.parquet", keep=["drink"])
    written = pq.read_table("vectors.parquet")
    assert written["drink"].to_pylist() == COLUMNS["drink"]
    found = np.column_stack([written[name] for name in encoder.get_feature_names_out()])
    assert np.allclose(found, encoder.transform(rows))


def alone() -> None:
    installed = {d.name.lower() for d in distributions()} - {"pip", "setuptools"}
    assert installed <= LIGHT, installed
    vectors(ROWS)


def command(*arguments: str, is_impatient: bool = True) -> None:
    own = Path(sys.executable).with_name("untie")
    call = [sys.executable, "-c", IMPATIENT] if is_impatient else [own]
    subprocess.run([*call, *arguments], check=True)


def cli() -> None:
    write_csv()
    command("--help", is_impatient=False)
    command("fit", "table.csv", "--output", "drinks.untie")
    command("transform", "drinks.untie", "table.csv", "--output", "vectors.csv")
    command("cluster", "table.csv", "--save", "groups.untie", "--output", "groups.csv")
    command("cluster", "table.csv", "--k", "2", "--lazy", "--output", "lazy.csv")
    command("assign", "groups.untie", "table.csv", "--output", "assigned.csv")
    command("neighbors", "table.csv", "--row", "3")
    command("outliers", "table.csv")
    command("values", "table.csv")
    command("drift", "table.csv", "table.csv")
    command("compare", "table.csv", "--k", "2")
    command("datasets")
    command("datasets", "zoo", "--output", "zoo.csv")
    for path in ("vectors.csv", "groups.csv", "lazy.csv", "assigned.csv"):
        assert len(Path(path).read_text(encoding="utf-8").splitlines()) == len(ROWS) + 1
    assert len(Path("zoo.csv").read_text(encoding="utf-8").splitlines()) == 102


def pandas() -> None:
    import pandas as pd

    frame = pd.DataFrame(COLUMNS)
    vectors(frame)
    assert isinstance(untie.TableEncoder(2).fit(frame).weights(), pd.DataFrame)
    assert isinstance(untie.datasets.load("zoo")[0], pd.DataFrame)


def polars() -> None:
    import polars as pl

    frame = pl.DataFrame(COLUMNS)
    vectors(frame)
    assert isinstance(untie.TableEncoder(2).fit(frame).weights(), pl.DataFrame)
    if find_spec("pyarrow") is not None:
        lazily(frame.lazy())
        return
    assert isinstance(untie.TableEncoder(2).fit(ROWS).weights(), pl.DataFrame)
    message = ""
    try:
        untie.TableEncoder(2).fit(frame.lazy())
    except ImportError as error:
        message = str(error)
    assert "untie-learn[pyarrow]" in message, message


def pyarrow() -> None:
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    table = pa.table(COLUMNS)
    vectors(table)
    pq.write_table(table, "table.parquet")
    lazily(ds.dataset("table.parquet"))
    lazily(untie.scan("table.parquet"))


def files() -> None:
    write_csv()
    lazily(untie.scan("table.csv"))
    lazily(untie.scan(sql="SELECT * FROM 'table.csv'"))


def excel() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in [NAMES, *ROWS]:
        book.active.append(row)
    book.save("table.xlsx")
    lazily(untie.scan("table.xlsx"))


def dask() -> None:
    import dask.dataframe as dd
    import pandas as pd

    def part(start: int) -> pd.DataFrame:
        time.sleep(PAUSE)
        return pd.DataFrame(COLUMNS)[start : start + 20]

    frame = dd.from_map(part, [0, 20], meta=pd.DataFrame(COLUMNS)[:0])
    encoder = untie.TableEncoder(2).fit(frame)
    found = encoder.transform(frame).compute()
    assert np.allclose(found, encoder.transform(pd.DataFrame(COLUMNS)))
    assert len(untie.TableClusterer(2).fit(frame).predict(frame).compute()) == len(ROWS)
    found.to_parquet("vectors.parquet")
    assert len(pd.read_parquet("vectors.parquet")) == len(ROWS)


def spark() -> None:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # the workers', too
    session = SparkSession.builder.master("local[1]").getOrCreate()
    frame = session.createDataFrame(ROWS, NAMES)
    encoder = untie.TableEncoder(2, preparer=None).fit(frame)
    assert encoder.counts_.n == len(ROWS)
    encoder.transform(frame).write.parquet("vectors.parquet")
    assert session.read.parquet("vectors.parquet").count() == len(ROWS)
    session.stop()


def report() -> None:
    write_csv()
    command("report", "table.csv", "--output", "page.html")
    assert "<html" in Path("page.html").read_text(encoding="utf-8")
    untie.make_report(ROWS).save("rows.html")
    assert "<html" in Path("rows.html").read_text(encoding="utf-8")
    untie.plot.weights(untie.TableEncoder(2).fit(ROWS)).figure.savefig("weights.png")


def onnx() -> None:
    import onnx as library
    from onnx.reference import ReferenceEvaluator

    encoder = untie.TableEncoder(2).fit(ROWS)
    library.save(encoder.to_onnx(), "drinks.onnx")
    columns = enumerate(COLUMNS.values())
    inputs = {f"x{place}": np.array(cells, dtype=object) for place, cells in columns}
    (found,) = ReferenceEvaluator("drinks.onnx").run(None, inputs)
    assert np.allclose(found, encoder.transform(ROWS), atol=1e-5)


def everything() -> None:
    for job in (cli, pandas, polars, pyarrow, files, excel, report, onnx):
        job()


JOBS: dict[str, Callable[[], None]] = {
    "": alone,
    "cli": cli,
    "pandas": pandas,
    "polars": polars,
    "pyarrow": pyarrow,
    "files": files,
    "excel": excel,
    "dask": dask,
    "spark": spark,
    "report": report,
    "onnx": onnx,
    "all": everything,
}
"""The job of each extra; of none, the package alone."""


def write_csv() -> None:
    lines = [",".join(row) for row in [NAMES, *ROWS]]
    Path("table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    assert all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)), "no terminal"
    sys.path.append(str(CORE_JOBS))
    import core_jobs

    core_jobs.described()
    JOBS[sys.argv[1]]()
