import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_cases import hear_hangups, start, write_people

resource = pytest.importorskip("resource", reason="Windows has no limits of processes")

pytestmark = pytest.mark.integration

SLOW = Path(__file__).parents[1] / "slow_command.py"
ENOUGH = 60

SIGNALS = {
    "ctrl-c": (signal.SIGINT, 130),
    "terminated": (signal.SIGTERM, 143),
    "terminal closed": (signal.SIGHUP, 129),
}


def signals(*fast):
    """Return a mark that tries some signals in every run, and the others in slow ones."""
    cases = [
        pytest.param(*pair, id=name, marks=[] if name in fast else pytest.mark.slow)
        for name, pair in SIGNALS.items()
    ]
    return pytest.mark.parametrize(("number", "code"), cases)


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


@pytest.fixture
def scratch(tmp_path):
    """Return a folder for temporary files, and the setting that names it."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def finish(process, stdin=None):
    out, err = process.communicate(stdin, timeout=ENOUGH)
    return out.decode(), err.decode()


def test_a_pipe_of_three_commands(tmp_path, scratch):
    place = {"TMPDIR": str(scratch)}
    first = start("datasets", "zoo", env=place)
    second = start("cluster", "-", "--label", "class", "--k", 7, stdin=first.stdout, env=place)
    first.stdout.close()
    third = start(
        "outliers", "-", "--all", "-n", 3, "--drop", "class", stdin=second.stdout, env=place
    )
    second.stdout.close()
    out, err = finish(third)
    assert third.returncode == 0, err
    assert len(out.splitlines()) == 4
    for process in (first, second):
        assert process.wait(ENOUGH) == 0
        process.stderr.close()
    assert "Traceback" not in err
    assert list(scratch.iterdir()) == []  # the copy of standard input is gone


def test_a_reader_that_has_enough_is_no_error():
    process = start("datasets", "mushroom")
    process.stdout.close()  # as head does when it has its lines
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(ENOUGH) == 141
    assert err == ""


def test_a_full_disk_under_standard_output():
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "wb") as full:
        process = start("datasets", "zoo", stdout=full)
        _, err = process.communicate(timeout=ENOUGH)
    assert process.returncode == 1
    assert err.decode().startswith("untie: No space left on device")
    assert "Standard output has a part of it" in err.decode()  # it is no whole file
    assert err.decode().count("\n") == 1


# Every kind of file is tried in tests/fuzz/test_writes.py, in processes that are forked.
@pytest.mark.parametrize("name", ["out.csv", pytest.param("out.parquet", marks=pytest.mark.slow)])
def test_a_file_that_grows_too_large_leaves_the_old_one(people, tmp_path, name):
    output = tmp_path / name
    output.write_text("old")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    process = start("cluster", people, "--k", 2, "-q", "-o", output, preexec_fn=limit)
    _, err = finish(process)
    assert process.returncode == 1, err
    assert "File too large" in err
    assert err.count("\n") == 1
    assert output.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == sorted([name, "people.csv"])


@signals("ctrl-c", "terminal closed")
def test_stopped_while_rows_come_in(tmp_path, scratch, number, code):
    process = start(
        "fit",
        "-",
        "-o",
        tmp_path / "m.untie",
        stdin=subprocess.PIPE,
        env={"TMPDIR": str(scratch)},
        preexec_fn=hear_hangups,
    )
    process.stdin.write(b"a,b\n" + b"x,y\n" * 100_000)
    process.stdin.flush()
    wait_until(lambda: any(scratch.iterdir()))  # it reads; nothing ends the rows
    process.send_signal(number)
    _, err = process.communicate(timeout=ENOUGH)
    assert process.returncode == code
    assert err.decode() == "untie: stopped; no half-written file was left.\n"
    assert list(scratch.iterdir()) == []
    assert os.listdir(tmp_path) == ["scratch"]


@signals("terminated")
def test_stopped_in_the_middle_of_writing_leaves_the_old_file(people, tmp_path, number, code):
    output = tmp_path / "out.csv"
    output.write_text("old")
    process = subprocess.Popen(
        [sys.executable, SLOW, "cluster", people, "--k", "2", "--lazy", "-q", "-o", output],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_hangups,
    )
    wait_until(lambda: len(os.listdir(tmp_path)) == 3)  # a half-written file beside the old one
    process.send_signal(number)
    out, err = finish(process)
    assert process.returncode == code
    assert err == "untie: stopped; no half-written file was left.\n"
    assert out == ""
    assert output.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "people.csv"]


def test_stopped_in_the_middle_of_a_query_leaves_nothing(tmp_path, scratch):
    query = "SELECT count(*) AS n, 'x' AS a FROM range(100_000_000_000) r(i) WHERE hash(i) = 3"
    process = start(
        *("fit", "--sql", query, "-o", tmp_path / "m.untie"), env={"TMPDIR": str(scratch)}
    )
    wait_until(lambda: any(scratch.iterdir()))  # where the query may spill
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=ENOUGH)
    assert process.returncode == 143, err
    assert list(scratch.iterdir()) == []
    assert os.listdir(tmp_path) == ["scratch"]


def test_stopped_while_a_pipe_has_no_writer(tmp_path, scratch):
    os.mkfifo(tmp_path / "t.csv")
    process = start(*("cluster", tmp_path / "t.csv", "--k", 2), env={"TMPDIR": str(scratch)})
    wait_until(lambda: any(scratch.iterdir()))  # it waits for rows
    process.send_signal(signal.SIGINT)
    _, err = finish(process)
    assert process.returncode == 130
    assert err == "untie: stopped; no half-written file was left.\n"
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGTERM, id="terminated", marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, id="nohup"),
    ],
)
def test_what_was_started_with_a_signal_ignored_keeps_it_so(people, tmp_path, number):
    process = start(
        *("cluster", people, "--k", 2, "-q", "-o", tmp_path / "out.csv"),
        preexec_fn=lambda: signal.signal(number, signal.SIG_IGN),
    )
    process.send_signal(number)
    _, err = finish(process)
    assert process.returncode == 0, err


def test_runs_at_the_same_time_do_not_disturb_each_other(people, tmp_path, scratch):
    output = tmp_path / "out.csv"
    probe = tmp_path / ".out.csv-probe"  # a name that was once tried
    probe.write_text("a user's own")
    call = ("cluster", people, "--k", 2, "-q", "-o", output)
    processes = [start(*call, env={"TMPDIR": str(scratch)}) for _ in range(2)]
    for process in processes:
        _, err = finish(process)
        assert process.returncode == 0, err
    assert probe.read_text() == "a user's own"
    assert len(output.read_text().splitlines()) == 121
    assert sorted(os.listdir(tmp_path)) == [probe.name, "out.csv", "people.csv", "scratch"]
    assert list(scratch.iterdir()) == []


def test_bad_input_in_a_process_of_its_own(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_bytes(b"a,b\nx,\x00\n")
    process = start("cluster", path)
    out, err = finish(process)
    assert process.returncode == 2
    assert out == ""
    assert "NUL" in err
    assert err.count("\n") == 1


def wait_until(condition):
    for _ in range(100 * ENOUGH):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")
