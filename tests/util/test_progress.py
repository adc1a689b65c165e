import re
import sys
import time

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

from untie import UNTIE, Preparer, UNTIEClusterer
from untie._util import progress
from untie.cli.spinner import bar, waiting

BATCHES = [pa.record_batch({"a": [1, 2]}), pa.record_batch({"a": [3]})]


def test_nothing_is_shown_without_a_terminal(capsys):
    assert list(progress.watch(BATCHES, 3, "counting")) == BATCHES
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal_after_a_moment(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(progress.watch(BATCHES, None, "counting")) == BATCHES
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    assert list(progress.watch(BATCHES, 3, "counting")) == BATCHES
    out, err = capsys.readouterr()
    assert out == ""
    assert "counting" in err
    with progress.hidden():
        assert list(progress.watch(BATCHES, 3, "counting")) == BATCHES
    assert capsys.readouterr() == ("", "")
    assert progress.PATIENCE == 0.0


def test_stages_are_told_if_they_are_to_be(capsys):
    with progress.stage("Counting", is_told=False):
        pass
    assert capsys.readouterr().err == ""
    with progress.stage("Counting", is_told=True):
        assert capsys.readouterr().err == "Counting ...\n"
    assert re.fullmatch(r"Counting: \d+\.\d s\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("estimator", "stages"),
    [
        (UNTIE(2), ["Counting the values", "Learning their vectors"]),
        (
            UNTIEClusterer(2, preparer=Preparer()),
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
    np.testing.assert_array_equal(told.transform(rows), quiet.transform(rows))


def test_a_bar_leaves_standard_output_alone(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    usual = sys.stdout
    for _ in progress.watch(BATCHES, 3, "counting"):
        assert sys.stdout is usual  # rows that are written there go into the user's file
    with waiting("counting", quiet=False):
        time.sleep(0.1)
        assert sys.stdout is usual
    for _ in bar(["one"], quiet=False):
        assert sys.stdout is usual
