"""Importing brings in nothing that is not needed yet, whatever is installed."""

import subprocess
import sys

import pytest

EXTRAS = {"pandas", "polars", "pyarrow", "duckdb", "dask", "distributed", "pyspark", "typer"}
EXTRAS |= {"rich", "jinja2", "matplotlib", "onnx", "torch", "openpyxl", "fsspec"}


def packages(line):
    """Return the packages that a line imports in a fresh process, besides Python's own."""
    script = f"import sys; {line}; print(*(name.split('.')[0] for name in sys.modules))"
    call = [sys.executable, "-c", script]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    # What is there without the line is brought by the environment: hooks of editable installs.
    known = {name.split(".")[0] for name in BARE.split()}
    return set(done.stdout.split()) - sys.stdlib_module_names - known


BARE = subprocess.run(
    [sys.executable, "-c", "import sys; print(*sys.modules)"],
    capture_output=True,
    text=True,
    check=True,
).stdout


@pytest.mark.integration
def test_the_package_alone_imports_itself_alone():
    assert packages("import untie; untie.__version__") == {"untie"}


@pytest.mark.integration
def test_the_encoder_imports_no_extra_that_scikit_learn_does_not():
    found = packages(
        "from untie import TableEncoder; TableEncoder(2).fit([['a', 'x'], ['b', 'y']] * 5)"
    )
    assert {"untie", "numpy", "sklearn"} <= found
    assert found & EXTRAS <= packages("from sklearn.cluster import KMeans")
