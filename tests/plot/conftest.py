"""What all tests of plots start and end with."""

import matplotlib

matplotlib.use("Agg")

import pytest
from matplotlib import pyplot

from untie import TableEncoder
from untie.datasets import load


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="session")
def zoo():
    X, _ = load("zoo")
    return TableEncoder(preparer=None).fit(X), X
