"""What the baselines give for zoo stays what it was; only rounding may differ."""

import json
from pathlib import Path

import numpy as np
import pytest

from untie.datasets import load
from untie_paper.baselines import CDE, DISTANCES, ENCODERS

EXPECTED = json.loads(Path(__file__).with_name("golden.json").read_text())


@pytest.mark.parametrize("name", EXPECTED)
def test_the_same_as_before(name):
    X, _ = load("zoo")
    if name in DISTANCES:
        found = DISTANCES[name]().fit(X).pairwise(X)
    else:
        encoder = CDE(random_state=0) if name == "CDE" else ENCODERS[name]()
        rows = encoder.fit_transform(X)
        found = rows @ rows.T
    assert list(found.shape) == EXPECTED[name]["shape"]
    squares = found.ravel() ** 2
    sums = [squares.sum(), squares @ np.cos(np.arange(len(squares)))]
    assert sums == pytest.approx(EXPECTED[name]["sums"], rel=1e-6)
