"""No change that means nothing changes the clusters of a real table without a known cause.

The tables are those of `benchmarks/invariance.py`, with those of the folders that UNTIE_DATA and
UNTIE_PEERS name.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MOST_CELLS = 40_000

if not BENCHMARKS.exists():  # an sdist has none
    pytest.skip("there are no benchmarks", allow_module_level=True)


@pytest.fixture(scope="module")
def invariance():
    name = "benchmark_invariance"
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / "invariance.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        patch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        yield module


def unexplained(invariance, name, frame, changes):
    _, outcomes = invariance.compare(name, frame, changes, seed=0)
    return [(name, o.change) for o in outcomes if o.differs and o.cause == invariance.UNKNOWN]


@pytest.mark.slow
def test_names_and_orders_of_real_tables(invariance):
    found = []
    for name, frame in invariance.all_tables([], packages=False):
        if frame.size <= MOST_CELLS:
            found += unexplained(invariance, name, frame, ["names", "columns", "rows"])
    assert not found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes"])
def test_units_of_real_tables(invariance, name):
    frame = getattr(datasets, f"load_{name}")(as_frame=True).data
    _, outcomes = invariance.compare(name, frame, ["x2.54", "x1000", "+7", "log"], seed=0)
    assert outcomes
    assert not [o.change for o in outcomes if o.differs]


def test_causes(invariance):
    def found(**changes):
        usual = {"k": 2, "is_found": True, "labels": (0, 0, 1), "inertia": 1.0, "columns": ()}
        return invariance.Found(**{**usual, "n_distinct": 3, **changes})

    def cause(before, after):
        outcome = invariance.Outcome("table", "names", before, after)
        assert outcome.differs
        return outcome.cause

    other = {"labels": (0, 1, 0)}
    assert not invariance.Outcome("table", "names", found(), found(labels=(1, 1, 0))).differs
    assert cause(found(), found(**other)) == "symmetry"
    assert cause(found(), found(**other, inertia=1.1)) == "unknown"
    assert cause(found(), found(k=3, labels=(0, 1, 2))) == "unknown"
    assert cause(found(), found(is_found=False)) == "unknown"
    assert cause(found(), found(**other, columns=((True, (2, 1)),))) == "meaning"
    assert cause(found(n_distinct=2001), found(**other, n_distinct=2001)) == "sample"


def test_changes_keep_what_a_table_says(invariance):
    frame = pd.DataFrame(
        {"a": ["x", "y", None, "x"], "b": [1.0, 2.0, 0.5, 4.0], "c": [0, -1, 2, 3]}
    )
    rng = np.random.default_rng(0)
    made = {name: change(frame, rng) for name, change in invariance.CHANGES.items()}
    assert (pd.factorize(made["values"]["a"])[0] == pd.factorize(frame["a"])[0]).all()
    assert sorted(made["rows"].index) == [0, 1, 2, 3]
    assert not set(made["columns"].columns) & set(frame.columns)
    assert made["x2.54"]["c"].tolist() == [0.0, -2.54, 5.08, 7.62]
    assert made["log"]["c"].equals(frame["c"])
    assert not made["log"]["b"].equals(frame["b"])
    assert invariance.CHANGES["log"](frame[["a", "c"]], rng) is None
