"""What moves on a terminal while somebody waits, and only there."""

import os
import subprocess
import sys

import pyarrow as pa
import pytest

from command_cases import write_people
from untie._engines.arrow import ArrowSource
from untie.cli import showing

pty = pytest.importorskip("pty", reason="Windows has no such terminals")

pytestmark = pytest.mark.integration

IMPATIENT = (
    "import untie.cli.showing as spinner; spinner.PATIENCE = 0.0; "
    "from untie.cli.app import main; main()"
)


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


def on_a_terminal(*arguments):
    """Run the command with a terminal for its remarks, at once impatient; return them."""
    ours, theirs = pty.openpty()
    call = [sys.executable, "-c", IMPATIENT, *map(str, arguments)]
    process = subprocess.Popen(
        call, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux says so that the other end is closed
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    assert process.wait(60) == 0, said
    return said.decode()


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        ("cluster", ["reading ...", "clustering ...", "judging the clusters ..."]),
        ("fit", ["opening the table ...", "learning ..."]),
    ],
)
def test_a_terminal_sees_what_is_done(people, tmp_path, command, steps):
    option = "--save" if command == "cluster" else "--output"
    said = on_a_terminal(command, people, "--k", 2, option, tmp_path / "m.untie")
    for step in steps:
        assert step in said
    assert "0:00:0" in said  # for how long
    if command == "fit":
        quiet = on_a_terminal(command, people, "--k", 2, option, tmp_path / "m.untie", "-q")
        assert quiet == ""


def test_a_pipe_sees_nothing_of_it(people, tmp_path):
    call = [sys.executable, "-c", IMPATIENT, "cluster", people, "--k", "2", "--drop", "group"]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert "..." not in done.stderr
    assert "\x1b" not in done.stderr


def test_rows_are_counted_as_they_are_read(people, tmp_path):
    output = tmp_path / "out.csv"
    said = on_a_terminal("cluster", people, "--k", 2, "--lazy", "--output", output)
    assert "clustering ..." in said
    assert "writing the rows ... 120 rows" in said
    assert len(output.read_text().splitlines()) == 121


class AtOnce:
    """A timer that does not wait."""

    def __init__(self, _, function):
        self.start = function

    def cancel(self):
        pass

    join = cancel


@pytest.mark.parametrize(("n_rows", "text"), [(None, "3 rows"), (3, "3 of 3 rows")])
def test_rows_are_counted_where_something_waits(monkeypatch, capsys, n_rows, text):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(showing.threading, "Timer", AtOnce)
    monkeypatch.setenv("TERM", "xterm")
    batches = [pa.record_batch({"a": [1, 2]}), pa.record_batch({"a": [3]})]
    table = ArrowSource(batches[0].schema, lambda _: batches, "the table", n_rows)
    counted = showing.counting_rows(table)
    assert list(counted.batches()) == batches
    assert capsys.readouterr() == ("", "")
    usual = sys.stdout
    with showing.waiting("counting", quiet=False):
        for _ in counted.batches():
            assert sys.stdout is usual  # rows that are written there go into the user's file
    out, err = capsys.readouterr()
    assert out == ""
    assert f"counting ... {text}" in err


def test_a_bar_leaves_standard_output_alone(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    usual = sys.stdout
    for _ in showing.bar(["one"], quiet=False):
        assert sys.stdout is usual


def test_errors_get_through():
    with pytest.raises(ZeroDivisionError), showing.waiting("dividing", quiet=False):
        _ = 1 / 0
