"""Files that tests may use where the environment variable UNTIE_DATA names their folder."""

import os
from pathlib import Path

import pytest


def external_file(name):
    """Return the path of a data file, or skip the test."""
    folder = os.environ.get("UNTIE_DATA")
    if not folder:
        pytest.skip("UNTIE_DATA names no folder with the external data sets")
    for suffix in (".csv", ".csv.gz"):
        path = Path(folder) / f"{name}{suffix}"
        if path.is_file():
            return path
    pytest.skip(f"the folder of UNTIE_DATA has no file of {name}")
    return None
