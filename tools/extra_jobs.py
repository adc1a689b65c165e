"""A small real job for each extra: what its user would do first, with nothing else installed.

    python tools/extra_jobs.py files

`tools/extras.py` runs each in an environment of its own. A job fails by an exception.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path

import numpy as np

import untie

NAMES = ["drink", "colour", "size"]
ROWS = [["wine", "red", "0.7"], ["beer", "brown", "0.5"], ["wine", "white", "0.7"]] * 10
ROWS += [["beer", "pale", "0.5"], ["beer", "pale", "0.3"]] * 5
COLUMNS = {name: [row[place] for row in ROWS] for place, name in enumerate(NAMES)}

LIGHT = {"untie-learn", "numpy", "scipy", "scikit-learn", "narwhals", "joblib", "threadpoolctl"}
LIGHT |= {"cloudpickle"}  # which newer releases of joblib bring
"""All that the package brings by itself."""


def vectors(table: object) -> np.ndarray:
    """Return what is learned of a table, and check that it tells the drinks apart."""
    found = np.asarray(untie.UNTIE(2).fit(table).transform(table))
    assert len(found) == len(ROWS)
    assert np.isfinite(found).all()
    assert not np.allclose(found[0], found[1])
    return found


def alone() -> None:
    installed = {d.name.lower() for d in distributions()} - {"pip", "setuptools"}
    assert installed <= LIGHT, installed
    vectors(ROWS)
    assert len(set(untie.UNTIEClusterer(2).fit_predict(ROWS))) == 2


def cli() -> None:
    command = Path(sys.executable).with_name("untie")
    write_csv()
    subprocess.run([command, "fit", "table.csv", "--output", "drinks.untie"], check=True)
    told = [command, "transform", "drinks.untie", "table.csv", "--output", "told.csv"]
    subprocess.run(told, check=True)
    subprocess.run([command, "cluster", "table.csv", "--output", "groups.csv"], check=True)
    for path in ("told.csv", "groups.csv"):
        assert len(Path(path).read_text().splitlines()) == len(ROWS) + 1


def pandas() -> None:
    import pandas as pd

    frame = pd.DataFrame(COLUMNS)
    vectors(frame)
    assert isinstance(untie.UNTIE(2).fit(frame).weights(), pd.DataFrame)


def polars() -> None:
    import polars as pl

    frame = pl.DataFrame(COLUMNS)
    vectors(frame)
    assert isinstance(untie.UNTIE(2).fit(frame).weights(), pl.DataFrame)


def pyarrow() -> None:
    import pyarrow as pa

    vectors(pa.table(COLUMNS))


def files() -> None:
    import pyarrow.parquet as pq

    write_csv()
    table = untie.scan("table.csv")
    untie.sink(untie.UNTIE(2).fit(table), table, "vectors.parquet")
    assert pq.read_table("vectors.parquet").num_rows == len(ROWS)


def excel() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in [NAMES, *ROWS]:
        book.active.append(row)
    book.save("table.xlsx")
    assert untie.UNTIE(2).fit(untie.scan("table.xlsx")).counts_.n == len(ROWS)


def dask() -> None:
    import dask.dataframe as dd
    import pandas as pd

    frame = dd.from_pandas(pd.DataFrame(COLUMNS), npartitions=2)
    found = untie.UNTIE(2).fit(frame).transform(frame)
    assert len(found.compute()) == len(ROWS)


def spark() -> None:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # the workers', too
    session = SparkSession.builder.master("local[1]").getOrCreate()
    frame = session.createDataFrame(ROWS, NAMES)
    assert untie.UNTIE(2).fit(frame).counts_.n == len(ROWS)
    session.stop()


def report() -> None:
    write_csv()
    command = Path(sys.executable).with_name("untie")
    subprocess.run([command, "report", "table.csv", "--output", "page.html"], check=True)
    assert "<html" in Path("page.html").read_text()


def deep() -> None:
    from untie.baselines import VAE

    assert len(VAE(max_epochs=2, random_state=0).fit_transform(ROWS)) == len(ROWS)


def onnx() -> None:
    model = untie.UNTIE(2).fit(ROWS).to_onnx()
    assert [given.name for given in model.graph.input] == ["x0", "x1", "x2"]


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
    "deep": deep,
    "onnx": onnx,
    "all": everything,
}
"""The job of each extra; of none, the package alone."""


def write_csv() -> None:
    lines = [",".join(row) for row in [NAMES, *ROWS]]
    Path("table.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    JOBS[sys.argv[1]]()
