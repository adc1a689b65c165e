"""The package with numpy, scipy, scikit-learn and narwhals, and nothing that extras bring."""

import subprocess
import sys
import textwrap

import pytest

EXTRAS = ["pandas", "polars", "pyarrow", "duckdb", "dask", "pyspark", "typer", "rich", "jinja2"]
EXTRAS += ["matplotlib", "onnx", "torch", "openpyxl", "fsspec"]


@pytest.mark.integration
def test_lists_and_arrays_need_no_extra():
    script = f"""
        import sys

        class Absent:
            def find_spec(self, name, *_):
                if name.split(".")[0] in {EXTRAS}:
                    raise ModuleNotFoundError(name)

        sys.meta_path.insert(0, Absent())

        import numpy as np
        import untie

        rows = [["a", "x", 1], ["b", "y", 2], ["b", "y", 1], ["a", "x", 2]] * 5
        encoder = untie.UNTIE(2).fit(rows)
        assert np.array_equal(encoder.transform(np.array(rows, object)), encoder.transform(rows))
        assert len(set(untie.UNTIEClusterer(2, random_state=0).fit_predict(rows))) == 2
        for call in (encoder.weights, lambda: untie.make_report(rows)):
            try:
                call()
            except ImportError as error:
                print(error)
        """
    call = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    missing = "This returns a pandas frame; install pandas to use it (pip install pandas)."
    assert done.stdout.splitlines() == [missing] * 2
