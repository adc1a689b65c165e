"""Clusters of a Spark frame on executors of their own, one of which is killed in the middle."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import export_cases

pytestmark = [
    pytest.mark.slow,
    pytest.mark.integration,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java 17: `make java`"),
]

TESTS = str(Path(export_cases.__file__).parent)

# A context of its own: that of the other tests has no executors but this process.
JOB = """
import os, signal, sys, warnings
from pathlib import Path

warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from test_same_answer import mixed
from untie import TableClusterer

folder = Path(sys.argv[1])
spark = (
    SparkSession.builder.master("local-cluster[2,1,512]")
    .config("spark.executor.memory", "512m")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.python.daemon.module", "spark_daemon")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.codegen.wholeStage", "false")
    .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
    .getOrCreate()
)
table = pa.Table.from_pandas(mixed(), preserve_index=False)
edges = [0, 0, 1, 120, 121, 240, 240]
parts = [table[start:stop] for start, stop in zip(edges, edges[1:])]


def kill_executor():
    # The process above the daemon of the Python workers; its number is the fourth word there.
    stat = Path(f"/proc/{os.getppid()}/stat").read_text()
    os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)


def read(batches):
    for batch in batches:
        for number in batch.column(0).to_pylist():
            if number == 4:
                n_before = len(list(folder.glob("read*")))
                (folder / f"read{n_before}").touch()
                if n_before == 3:
                    kill_executor()
            yield from parts[number].to_batches()


schema = spark.createDataFrame(table).schema
frame = spark.range(0, len(parts), 1, len(parts)).mapInArrow(read, schema)
found, expected = TableClusterer(3).fit(frame), TableClusterer(3).fit(table)
assert found.preparer_._preparation == expected.preparer_._preparation
rows = found.predict(frame).select("person", "cluster").toArrow().to_pydict()
labels = dict(zip(rows["person"], rows["cluster"]))
assert [labels[person] for person in table["person"].to_pylist()] == expected.labels_.tolist()
spark.stop()
print("the same, after", len(list(folder.glob("read*"))), "reads")
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the executor in /proc")
def test_an_executor_that_is_killed_in_the_middle_of_fit(tmp_path):
    path = os.pathsep.join([TESTS, *sys.path])
    run = subprocess.run(
        [sys.executable, "-c", JOB, str(tmp_path)],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=540,
    )
    assert not run.returncode, run.stderr
    assert run.stdout.startswith("the same, after ")
    assert (tmp_path / "read4").exists()  # which was read again
