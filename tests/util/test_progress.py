import itertools
import re
import sys
import time

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

from untie import Preparer, TableClusterer, TableEncoder
from untie._util import messages


def test_a_lazy_fit_shows_nothing_on_a_terminal(monkeypatch, capsys):
    """The library never writes there by itself; the command does, with rich."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ticking = itertools.count(step=100.0)  # every look at the clock is minutes later
    monkeypatch.setattr(time, "monotonic", lambda: next(ticking))
    table = pa.table({"a": ["x", "y"] * 20, "b": ["u", "u", "v", "v"] * 10})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(5))
    encoder = TableEncoder(2, preparer=None).fit(reader)
    encoder.transform(table.to_reader(5)).read_all()
    assert capsys.readouterr() == ("", "")


def test_stages_are_told_if_they_are_to_be(capsys):
    with messages.stage("Counting", is_told=False):
        pass
    assert capsys.readouterr().err == ""
    with messages.stage("Counting", is_told=True):
        assert capsys.readouterr().err == "Counting ...\n"
    assert re.fullmatch(r"Counting: \d+\.\d s\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("estimator", "stages"),
    [
        (TableEncoder(2, preparer=None), ["Counting the values", "Learning their vectors"]),
        (
            TableClusterer(2, preparer=Preparer()),
            [
                "Preparing the columns",
                "Counting the values",
                "Learning their vectors",
                "Finding the clusters",
            ],
        ),
    ],
    ids=["encoder", "clusterer"],
)
def test_fits_say_what_they_do_on_request_alone(capsys, estimator, stages):
    rows = [["sea", "fish"], ["land", "cow"], ["sea", "whale"]] * 10
    quiet = clone(estimator).fit(rows)
    assert capsys.readouterr() == ("", "")
    told = clone(estimator).set_params(verbose=True).fit(rows)
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(" ...")[0] for line in err.splitlines()[::2]] == stages
    assert len(err.splitlines()) == 2 * len(stages)
    assert "\r" not in err  # in a notebook and in a log, each step is a line
    np.testing.assert_array_equal(told.transform(rows), quiet.transform(rows))
