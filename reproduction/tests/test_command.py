import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

import untie_paper.command as command
from runner_jobs import begun, workers
from untie.cli.app import app
from untie_paper import experiments

SCRIPT = Path(__file__).parent / "runner_command.py"
N_SLOW = 12


@pytest.fixture
def record(tmp_path):
    return tmp_path / "record.txt"


@pytest.fixture
def start(tmp_path, record):
    """Return a function: arguments -> process that runs the command in a group of its own."""
    processes = []

    def go(*arguments, **environment):
        process = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(record), "paper", *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        processes.append(process)
        return process

    yield go
    for process in processes:
        process.kill()
        process.communicate()


def stored(folder):
    """Return the numbers of the cells on disk; reading them proves that they are whole."""
    paths = (folder / "untie-paper" / "cells").rglob("[!.]*.json")
    found = [json.loads(path.read_text()) for path in paths]
    fingerprints = {cell["fingerprint"] for cell in found}
    assert len(fingerprints) <= 1, "the package was edited while this test ran; run it again"
    return {cell["arguments"]["number"] for cell in found}


def unfinished(folder):
    return [path.name for path in folder.rglob(".*")]


def wait_until(condition):
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")


def alive(pid):
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.integration
def test_a_run_that_is_interrupted_and_killed_loses_and_repeats_nothing(start, record, tmp_path):
    interrupted = start("slow", "--jobs", "2")
    wait_until(lambda: len(stored(tmp_path)) >= 3)
    os.killpg(interrupted.pid, signal.SIGINT)  # as a terminal does
    out, err = interrupted.communicate()
    assert interrupted.returncode == 130
    assert "The same command goes on from there." in err
    assert "Traceback" not in out + err
    assert unfinished(tmp_path) == []
    first = stored(tmp_path)
    n_first = len(begun(record))
    assert 3 <= len(first) < N_SLOW
    assert f"Stopped: {len(first)} of {N_SLOW} cells" in err

    killed = start("slow", "--jobs", "2")
    wait_until(lambda: len(stored(tmp_path)) >= len(first) + 3)
    killed.kill()
    killed.wait()
    wait_until(lambda: not any(alive(pid) for pid in workers(record)))  # nobody works on
    second = stored(tmp_path)
    in_second = begun(record)[n_first:]
    assert not first & set(in_second)
    assert first < second

    last = start("slow", "--jobs", "2")
    out, err = last.communicate()
    assert last.returncode == 0
    assert f"{N_SLOW} cells came out: {[2 * n for n in range(N_SLOW)]}" in out
    assert stored(tmp_path) == set(range(N_SLOW))
    in_last = begun(record)[n_first + len(in_second) :]
    assert sorted(in_last) == sorted(set(range(N_SLOW)) - second)
    # Only what was at work when a run ended was begun twice.
    assert len(begun(record)) <= N_SLOW + 2 * 2
    assert f"{len(in_last)} cells computed, {len(second)} from the cache, 0 failed" in out
    provenance = json.loads((tmp_path / "untie-paper" / "provenance.json").read_text())
    assert provenance["cells"]["from_cache"] == len(second)
    assert str(tmp_path) not in json.dumps(provenance)


def children(pid):
    """Return the workers that a process has started."""
    found = set()
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in thread.read_text().split():
            with suppress(OSError):  # others come and go
                if "popen_loky" in Path(f"/proc/{child}/cmdline").read_text(encoding="utf-8"):
                    found.add(int(child))
    return found


@pytest.mark.integration
@pytest.mark.parametrize("delay", [0.0, 0.2])
def test_an_interrupt_while_workers_start_leaves_none(start, delay):
    process = start("slow", "--jobs", "2")
    wait_until(lambda: children(process.pid))
    time.sleep(delay)
    started = children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in out + err
    wait_until(lambda: not any(alive(pid) for pid in started))


@pytest.mark.integration
def test_a_quick_run_has_a_folder_of_its_own(start, tmp_path):
    process = start("slow", "--quick", "--jobs", "2")
    assert process.wait() == 0
    assert (tmp_path / "untie-paper-quick" / "index.html").exists()
    assert not (tmp_path / "untie-paper").exists()


@pytest.mark.integration
def test_runs_on_one_folder_finish_and_list_their_failed_cells(start, tmp_path):
    arguments = ["all", "--quick", "--output", "deep/er", "--jobs", "2"]
    for process in [start(*arguments), start(*arguments)]:
        out, err = process.communicate()
        assert process.returncode == 1
        assert "Trial slow\n  12 cells came out" in out
        assert "Trial broken\n  2 cells came out: [80, 82]" in out
        assert "1 failed. The page: deep/er/index.html" in out
        assert "Failed:\n  broken(number=50, does=fail): ValueError: no luck with 'zoo.csv'" in err
        assert "Traceback" not in out + err
    assert (tmp_path / "deep" / "er" / "index.html").exists()
    assert unfinished(tmp_path) == []


@pytest.mark.integration
def test_a_full_disk_gives_one_line(start, tmp_path):
    process = start("broken", "--jobs", "1", LARGEST_FILE="300")
    out, err = process.communicate()
    assert process.returncode == 1
    assert "Traceback" not in out + err
    assert "File too large" in err.splitlines()[-1]
    assert stored(tmp_path) == set()
    assert unfinished(tmp_path) == []


@pytest.mark.integration
def test_the_command_as_it_is_installed_lists_the_experiments(tmp_path):
    call = [sys.executable, "-m", "untie", "paper", "list"]
    answer = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert all(f"  {one.name} " in answer.stdout for one in experiments.EXPERIMENTS)
    assert "untie paper all --quick" in answer.stdout
    assert list(tmp_path.iterdir()) == []


def ask(*arguments):
    answer = CliRunner().invoke(app, ["paper", *arguments])
    assert answer.exception is None or isinstance(answer.exception, SystemExit)
    return answer


def test_no_name_lists_too():
    assert ask().output == ask("list").output
    assert ask().exit_code == 0


def test_help_lists_it_and_has_examples():
    assert " paper  " in CliRunner().invoke(app, ["--help"]).output
    answer = ask("--help")
    assert "untie paper all --quick" in answer.output
    assert answer.exit_code == 0


@pytest.fixture
def trials(monkeypatch):
    from runner_jobs import experiment

    found = [
        experiment("clustering", [], group="clustering"),
        experiment("ranks", [], group="clustering"),
        experiment("maps", [], group="figures"),
    ]
    monkeypatch.setattr(experiments, "EXPERIMENTS", found)


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["all"], ["clustering", "ranks", "maps"]),
        (["clustering"], ["clustering", "ranks"]),
        (["ranks"], ["ranks"]),
        (["maps", "ranks", "maps"], ["ranks", "maps"]),
    ],
)
@pytest.mark.usefixtures("trials")
def test_experiments_are_chosen_by_name_and_group(names, chosen):
    assert [one.name for one in command._choose(names)] == chosen


@pytest.mark.usefixtures("trials")
def test_unknown_names_get_close_ones(tmp_path):
    answer = ask("clusterin", "--output", str(tmp_path / "new"))
    assert answer.exit_code == 2
    assert "No experiment is called 'clusterin'. Did you mean clustering?" in answer.output
    assert not (tmp_path / "new").exists()
    assert ask("maps", "list").exit_code == 2
    assert ask("xyz").output == "No experiment is called 'xyz'. See: untie paper list\n"


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_bad_numbers_of_jobs_are_refused(jobs):
    answer = ask("all", "--jobs", jobs)
    assert answer.exit_code == 2
    assert "--jobs" in answer.output


@pytest.mark.usefixtures("trials")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").touch()
    answer = ask("all", "--output", str(tmp_path / "file" / "folder"))
    assert answer.exit_code == 2
    assert answer.output.startswith("Can't write to ")
    assert "--output DIR" in answer.output
    assert answer.output.count("\n") == 1


@pytest.mark.usefixtures("trials")
def test_without_a_library_one_line_names_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "pandas" else name)
    answer = ask("all", "--output", str(tmp_path / "new"))
    assert answer.exit_code == 2
    assert answer.output == ("untie paper needs pandas; install it with: pip install untie-paper\n")
    assert not (tmp_path / "new").exists()


def test_equal_errors_are_said_once():
    from untie_paper.output.report import PaperReport
    from untie_paper.run.outcome import Outcome

    failures = [{"dataset": "car", "error": "E: a"}, {"dataset": "nursery", "error": "E: a"}]
    more = [{"dataset": "car", "seed": 1, "error": "E: b"}]
    outcomes = [
        Outcome("one", "One", "beyond", PaperReport(()), 2, failures),
        Outcome("two", "Two", "beyond", PaperReport(()), 1, more),
    ]
    assert command._failure_lines(outcomes) == [
        "  one(dataset=car) and 1 more: E: a",
        "  two(dataset=car, seed=1): E: b",
    ]
