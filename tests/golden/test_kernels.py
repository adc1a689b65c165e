"""The same result on every CPU: fits under the instruction sets that this one can stand in for.

OpenBLAS has a kernel for each generation of CPUs and takes the one named in `OPENBLAS_CORETYPE`;
numpy leaves out what `NPY_DISABLE_CPU_FEATURES` names. Both round sums in another order then, as
another CPU would. What is discrete (labels, k, verdicts, choices, shapes, names) must be equal, and
numbers agree within `TOLERANCE`.
"""

import os
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from fits import GROUPS, all_fits, commands, decisions, engines

try:
    from numpy._core import _multiarray_umath as of_numpy
except ImportError:  # numpy 1
    from numpy.core import _multiarray_umath as of_numpy

TOLERANCE = 1e-9
"""Numbers of two CPUs differ by less, as a share of the largest in the array if that exceeds 1."""

FEATURES = {"Prescott": "SSE3", "Nehalem": "SSE42", "Haswell": "AVX2", "SkylakeX": "AVX512_SKX"}
"""What a CPU must be able to do to run a kernel of OpenBLAS; without it, the process would die."""

KERNELS = [name for name, needed in FEATURES.items() if of_numpy.__cpu_features__.get(needed)]

PLAIN = "numpy without AVX"
"""numpy's loops for the oldest CPU; the kernels of OpenBLAS are this CPU's own."""

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(
        len(KERNELS) < 3 or not any(i["internal_api"] == "openblas" for i in threadpool_info()),
        reason="needs an x86-64 CPU and a numpy with OpenBLAS, which has kernels to choose from",
    ),
    pytest.mark.filterwarnings("default", "ignore::sklearn.exceptions.ConvergenceWarning"),
]


def surroundings(name):
    """Return the variables that make numpy and OpenBLAS compute as on another CPU."""
    if name == PLAIN:
        has = of_numpy.__cpu_features__
        return {
            "NPY_DISABLE_CPU_FEATURES": " ".join(f for f in of_numpy.__cpu_dispatch__ if has[f])
        }
    threads = "2" if name == "Haswell" else "1"
    return {"OPENBLAS_CORETYPE": name, "OPENBLAS_NUM_THREADS": threads}


def fits_under(name, groups, folder):
    """Return the fits of a process that computes as another CPU does."""
    file = Path(folder) / "fits.pickle"
    subprocess.run(
        [sys.executable, "-W", "ignore", Path(__file__).with_name("fits.py"), "keep", file]
        + [group.__name__ for group in groups],
        check=True,
        env={**os.environ, **surroundings(name)},
    )
    return pickle.loads(file.read_bytes())


@cache
def fits_here(groups):
    return all_fits(groups)


def deviations(found, expected):
    """Return what differs, in words."""
    assert found.keys() == expected.keys()
    return [
        f"{name}, array {number}: {difference}"
        for name in expected
        for number, pair in enumerate(zip(found[name], expected[name], strict=True))
        if (difference := _difference(*pair))
    ]


def _difference(array, other):
    if array.shape != other.shape:
        return f"shape {array.shape}, not {other.shape}"
    if array.dtype.kind != "f":
        return "" if array.tolist() == other.tolist() else "other values"
    scale = max(1.0, float(np.abs(np.nan_to_num(other)).max(initial=0.0)))
    # Numbers of single precision have seven digits.
    tolerance = max(TOLERANCE, 4.0 * float(np.finfo(array.dtype).eps)) * scale
    if np.allclose(array, other, rtol=0.0, atol=tolerance, equal_nan=True):
        return ""
    return f"off by {np.nanmax(np.abs(array - other)) / scale:.1e}"


FAST = ("Prescott", "Haswell", PLAIN)
"""The oldest, one of two threads, and numpy's own; the others lie between, and are slow."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in FAST else pytest.mark.slow)
        for name in [*KERNELS, PLAIN]
    ],
)
def test_ties_are_broken_alike_on_every_cpu(name, tmp_path):
    assert deviations(fits_under(name, (decisions,), tmp_path), fits_here((decisions,))) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [*KERNELS, PLAIN])
def test_all_fits_are_the_same_on_every_cpu(name, tmp_path):
    groups = tuple(group for group in GROUPS if group not in (commands, engines))
    assert deviations(fits_under(name, groups, tmp_path), fits_here(groups)) == []
