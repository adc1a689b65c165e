import importlib
import json
import os
import sys
from io import StringIO

import pytest
from rich.console import Console

from runner_jobs import begun, cell, cells, experiment, most_at_a_time, odd_result, threads, workers
from untie_paper.run import source
from untie_paper.run.experiment import Effort, Experiment, Job
from untie_paper.run.progress import Display
from untie_paper.run.runner import run_experiments

pytestmark = pytest.mark.integration


@pytest.fixture
def record(tmp_path):
    return tmp_path / "record.txt"


@pytest.fixture
def run(tmp_path):
    """Return a function: experiments -> run, in one folder."""

    def go(*experiments, n_jobs=1, fresh=False):
        display = Display(Console(file=StringIO()))
        with display:
            folder, effort = tmp_path / "out", Effort(quick=True)
            return run_experiments(
                experiments, folder, display, effort=effort, n_jobs=n_jobs, fresh=fresh
            )

    return go


def counts(run):
    found = run.provenance["cells"]
    return found["computed"], found["from_cache"], found["failed"]


def logs(tmp_path):
    return "".join(path.read_text() for path in (tmp_path / "out").glob("logs/*"))


def test_cells_shared_by_experiments_run_once(run, record):
    first = experiment("first", cells(range(4), record))
    second = experiment("second", cells(range(2, 6), record))
    result = run(first, second, n_jobs=2)
    assert sorted(begun(record)) == [0, 1, 2, 3, 4, 5]
    assert counts(result) == (6, 0, 0)
    findings = [outcome.report.findings[0] for outcome in result.outcomes]
    assert findings == ["4 cells came out: [0, 2, 4, 6]", "4 cells came out: [4, 6, 8, 10]"]
    assert [outcome.n_cells for outcome in result.outcomes] == [4, 4]
    assert [outcome.title for outcome in result.outcomes] == ["Trial first", "Trial second"]


def test_a_second_run_calls_nothing_and_gives_the_same(run, record):
    seen = []
    trial = experiment("trial", cells(range(3), record), report=lambda r: seen.append(r))
    run(trial)
    again = run(trial)
    assert len(begun(record)) == 3
    assert counts(again) == (0, 3, 0)
    assert seen[0].rows == seen[1].rows
    assert seen[0].rows[1]["double"] == 2
    assert seen[0].rows[1]["seconds"] >= 0
    assert seen[0].effort.quick


def test_fresh_computes_again(run, record):
    trial = experiment("trial", cells(range(3), record))
    run(trial)
    assert counts(run(trial, fresh=True)) == (3, 0, 0)
    assert len(begun(record)) == 6


def test_whatever_goes_wrong_fails_its_cell_only(run, record, tmp_path):
    deeds = ["", "fail", "leave", "crash", "exit", ""]
    jobs = [
        Job(cell, {"number": n, "record": str(record), "does": deed}, cost=10.0 - n)
        for n, deed in enumerate(deeds)
    ]
    missing = Job(cell, {"wrong": 1}, cost=0.1)
    result = run(experiment("trial", [*jobs, missing]), n_jobs=2)
    (outcome,) = result.outcomes
    assert outcome.report.findings == ["2 cells came out: [0, 10]"]
    errors = {failure.get("does"): failure["error"] for failure in outcome.failures}
    assert errors.pop(None).startswith("TypeError: cell() got an unexpected keyword")
    assert errors == {
        "fail": "ValueError: no luck with 'zoo.csv', see https://example.org/d/1",
        "leave": "WorkerDied: the process ended with exit code 7",
        "crash": "WorkerDied: the process was ended by SIGSEGV",
        "exit": "SystemExit: enough",
    }
    assert counts(result) == (2, 0, 5)
    log = logs(tmp_path)
    assert 'in fail\n    raise ValueError("no luck' in log
    assert "Segmentation fault" in log
    # Those that failed are tried again, the others not.
    run(experiment("trial", [*jobs, missing]))
    assert sorted(begun(record)) == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]


def test_a_worker_that_has_grown_by_much_is_replaced_without_a_word(run, record):
    pytest.importorskip("psutil")
    jobs = [
        Job(cell, {"number": n, "record": str(record), "does": deed}, cost=9.0 - n)
        for n, deed in enumerate(["", "hoard", "", ""])
    ]
    result = run(experiment("trial", jobs))
    assert counts(result) == (4, 0, 0)
    assert begun(record) == [0, 1, 2, 3]
    assert len(workers(record)) == 2


def test_what_jobs_say_goes_to_the_log(run, tmp_path, capfd):
    run(experiment("trial", cells([1], does="speak")))
    assert "spoken" not in "".join(capfd.readouterr())
    assert "spoken on stdout" in logs(tmp_path)
    assert "spoken as a warning" in logs(tmp_path)


def test_a_run_without_trouble_leaves_no_log(run, tmp_path):
    run(experiment("trial", cells([1])))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["cells"]


def test_experiments_that_measure_time_run_last_and_alone(run, record):
    timed = experiment("timed", cells(range(4), record, seconds=0.02), alone=True)
    other = experiment("other", cells(range(2, 8), record, seconds=0.02))
    run(timed, other, n_jobs=3)
    order = begun(record)
    # Cells 2 and 3 are shared: they are timed, whoever else wants them.
    assert set(order[:4]) == {4, 5, 6, 7}
    assert set(order[4:]) == {0, 1, 2, 3}
    record.write_text("".join(record.read_text().splitlines(keepends=True)[8:]))
    assert most_at_a_time(record) == 1


def test_long_cells_begin_first(run, record):
    costs = [1.0, 5.0, 3.0]
    jobs = [
        Job(cell, {"number": n, "record": str(record)}, cost=cost) for n, cost in enumerate(costs)
    ]
    run(experiment("trial", jobs))
    assert begun(record) == [1, 2, 0]


def test_results_are_the_same_from_workers_and_from_disk(run):
    seen = []
    jobs = [Job(odd_result, {"kind": kind}) for kind in ("numpy", "tuple", "object", "number")]
    trial = experiment("trial", jobs, report=lambda results: seen.append(results))
    run(trial)
    run(trial)
    rows = [[dict(row, seconds=0) for row in results.rows] for results in seen]
    assert repr(rows[0]) == repr(rows[1])
    assert rows[0][0] == {"kind": "numpy", "seconds": 0, "number": 1.5, "list": [0, 1, 2]}
    assert rows[0][1]["pair"] == [1, 2]
    assert [failure["error"] for failure in seen[0].failures] == [
        "TypeError: object can't be stored as JSON; return numbers and text",
        "TypeError: a job must return a mapping, not int",
    ]


def test_workers_compute_on_one_thread(run, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    before = dict(os.environ)
    seen = []
    run(experiment("trial", [Job(threads, {})], report=lambda results: seen.append(results)))
    assert set(seen[0].rows[0]["threads"]) == {1}
    assert dict(os.environ) == before


def test_a_damaged_cell_is_computed_again(run, record, tmp_path):
    trial = experiment("trial", cells(range(3), record))
    run(trial)
    files = sorted((tmp_path / "out" / "cells").rglob("*.json"))
    damaged = json.loads(files[0].read_text())["arguments"]["number"]
    files[0].write_bytes(files[0].read_bytes()[:50])
    assert counts(run(trial)) == (1, 2, 0)
    assert sorted(begun(record)) == sorted([0, 1, 2, damaged])
    assert counts(run(trial)) == (0, 3, 0)


def test_changed_code_is_computed_again(run, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    seen = []

    def value_with(constant, comment):
        text = f"SHIFT = {constant}  # {comment}\ndef job(x):\n    return {{'y': x + SHIFT}}\n"
        (tmp_path / "changing.py").write_text(text)
        sys.modules.pop("changing", None)
        importlib.invalidate_caches()
        source._definitions.cache_clear()
        jobs = [Job(importlib.import_module("changing").job, {"x": 1})]
        result = run(experiment("trial", jobs, report=lambda results: seen.append(results)))
        return seen[-1].rows[0]["y"], counts(result)[0]

    assert value_with(1, "one") == (2, 1)
    assert value_with(1, "still one") == (2, 0)
    assert value_with(2, "two") == (3, 1)
    assert value_with(1, "one again") == (2, 0)


def test_an_experiment_that_cannot_name_its_cells_or_report_fails_alone(run, record, tmp_path):
    def broken(_):
        raise KeyError("no such column")

    def ask(effort):
        return [Job(lambda: {}, {})]

    unnamed = Experiment("unnamed", "Unnamed", ask, broken, "beyond")
    unreported = experiment("unreported", cells([1], record), report=broken)
    fine = experiment("fine", cells([1, 2], record))
    result = run(unnamed, unreported, fine)
    errors = [[failure["error"] for failure in outcome.failures] for outcome in result.outcomes]
    assert errors[0][0].startswith("Its cells can't be named: TypeError: A job's function must")
    assert errors[1] == ["Its report can't be made: KeyError: 'no such column'"]
    assert errors[2] == []
    assert result.outcomes[2].report.findings == ["2 cells came out: [2, 4]"]
    assert "The report of unreported\nTraceback" in logs(tmp_path)


def test_provenance_says_what_was_asked_for(run):
    settings = run(experiment("trial", cells([1])), n_jobs=2).provenance["settings"]
    assert settings == {
        "experiments": ["trial"],
        "effort": "quick",
        "restarts": 3,
        "seeds": [0],
        "jobs": 2,
        "fresh": False,
    }
