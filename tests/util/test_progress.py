import sys

import pyarrow as pa

from untie._util import progress

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
