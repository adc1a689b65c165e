"""Run experiments: cells from disk or from workers, then a report of each."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from untie_paper.output.report import PaperReport
from untie_paper.run.cache import CellCache, StoredCell
from untie_paper.run.experiment import Effort, Experiment, Results
from untie_paper.run.keys import Key
from untie_paper.run.origins import commit, now, provenance, versions
from untie_paper.run.outcome import Outcome
from untie_paper.run.plan import Plan, PlannedCell, PlannedExperiment, make_plan
from untie_paper.run.pool import run_tasks
from untie_paper.run.progress import Display, RunTally
from untie_paper.run.versions import NUMERIC
from untie_paper.run.worker import Finished, Task, one_line


@dataclass(frozen=True)
class Run:
    """What a run gave: an outcome for each experiment, and where the figures come from."""

    outcomes: list[Outcome]
    provenance: dict[str, Any]


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """The user stopped a run; `str` says how far it came."""


def run_experiments(
    experiments: Sequence[Experiment],
    folder: Path,
    display: Display,
    *,
    effort: Effort,
    n_jobs: int,
    fresh: bool = False,
) -> Run:
    """Run experiments and return what came of each.

    Parameters
    ----------
    experiments : sequence of Experiment
        In the order of the outcomes.
    folder : Path
        Its ``cells`` holds what earlier runs have computed, its ``logs`` what failed and why.
    display : Display
        Shows how far it is.
    effort : Effort
        What the experiments are asked for.
    n_jobs : int
        How many cells are computed at a time.
    fresh : bool, default=False
        Compute cells that are on disk again.

    Raises
    ------
    Stopped
        At Ctrl-C. What was computed is on disk.
    OSError
        If results can't be stored.
    """
    start, code = now(), commit()
    plan = make_plan(experiments, effort)
    cache = CellCache(folder / "cells", display.say)
    cache.sweep()
    desk = _Desk(cache, code)
    if not fresh:
        desk.look_up(plan)
    missing = [cell for cell in plan.cells if cell.key not in desk.cells]
    tally = _tally(plan, missing, n_jobs)
    with _Log(folder / "logs") as log:
        try:
            for alone, part in groupby(missing, key=lambda cell: cell.alone):
                _compute(list(part), desk, tally, display, 1 if alone else n_jobs, log.path)
        except KeyboardInterrupt:
            raise Stopped(str(tally)) from None
        outcomes = [_outcome(one, desk, effort, log) for one in plan.experiments]
    settings = {
        "experiments": [experiment.name for experiment in experiments],
        "effort": "quick" if effort.quick else "full",
        "restarts": effort.n_restarts,
        "seeds": list(range(effort.n_seeds)),
        "jobs": n_jobs,
        "fresh": fresh,
    }
    counts = {
        "computed": tally.n_computed,
        "from_cache": tally.n_cached,
        "failed": tally.n_failed,
        "seconds": round(sum(cell.seconds for cell in desk.cells.values()), 1),
    }
    commits = [cell.commit for cell in desk.cells.values()]
    return Run(outcomes, provenance(settings, start, code, counts, commits))


class _Desk:
    """The cells and failures of a run, by key; cells go to disk as they come."""

    def __init__(self, cache: CellCache, commit: str | None) -> None:
        self._cache, self._commit = cache, commit
        found = versions()
        self._versions = {name: found[name] for name in ("python", *NUMERIC)}
        self.cells: dict[Key, StoredCell] = {}
        self.errors: dict[Key, str] = {}

    def look_up(self, plan: Plan) -> None:
        for planned in plan.cells:
            cell = self._cache.read(planned.key)
            if cell is not None:
                self.cells[planned.key] = cell

    def take(self, key: Key, finished: Finished) -> None:
        if finished.error:
            self.errors[key] = finished.error
            return
        used = self._versions | finished.versions
        cell = StoredCell(finished.result, finished.seconds, now(), self._commit, used)
        self._cache.write(key, cell)
        self.cells[key] = cell


class _Log:
    """A file of this run alone; it vanishes if nothing was written."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{now().replace(':', '')}-{os.getpid()}.txt"

    def __enter__(self) -> _Log:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        return self

    def __exit__(self, *_: object) -> None:
        if self.path.stat().st_size == 0:
            self.path.unlink()
            if not any(self.path.parent.iterdir()):
                self.path.parent.rmdir()

    def write_traceback(self, heading: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{heading}\n{traceback.format_exc()}\n")


def _tally(plan: Plan, missing: list[PlannedCell], n_workers: int) -> RunTally:
    return RunTally(
        n_cells=len(plan.cells),
        n_cached=len(plan.cells) - len(missing),
        n_workers=n_workers,
        together=sum(cell.job.cost for cell in missing if not cell.alone),
        alone=sum(cell.job.cost for cell in missing if cell.alone),
    )


def _compute(
    cells: list[PlannedCell],
    desk: _Desk,
    tally: RunTally,
    display: Display,
    n_workers: int,
    log: Path,
) -> None:
    tasks = [Task(c.key.module, c.key.function, dict(c.job.arguments)) for c in cells]
    display.show(tally)
    with closing(run_tasks(tasks, n_workers, log)) as events:  # type: ignore[type-var]  # typed as an iterator
        for finished in events:
            if finished is not None:
                cell = cells[finished.task]
                desk.take(cell.key, finished)
                failed = bool(finished.error)
                tally.add(cell.job.cost, finished.seconds, alone=cell.alone, failed=failed)
            display.show(tally)


def _outcome(planned: PlannedExperiment, desk: _Desk, effort: Effort, log: _Log) -> Outcome:
    """Return an experiment's report; one that can't be made is a failure like a cell's."""
    experiment = planned.experiment
    results = _results(planned, desk, effort)
    failures = list(results.failures)
    report = PaperReport(findings=())
    if planned.error:
        failures.append({"error": planned.error})
    else:
        try:
            report = experiment.report(results)
        except Exception as error:
            log.write_traceback(f"The report of {experiment.name}")
            failures.append({"error": f"Its report can't be made: {one_line(error)}"})
    n_cells = len(planned.keys)
    names = experiment.name, experiment.title, experiment.group
    return Outcome(*names, report, n_cells, failures)


def _results(planned: PlannedExperiment, desk: _Desk, effort: Effort) -> Results:
    rows: list[dict[str, Any]] = []
    failures: list[dict[str, Any]] = []
    for job, key in zip(planned.jobs, planned.keys, strict=True):
        if key in desk.cells:
            cell = desk.cells[key]
            # A job that measures its own seconds knows better.
            rows.append({**job.arguments, "seconds": cell.seconds, **cell.result})
        else:
            failures.append({**job.arguments, "error": desk.errors[key]})
    return Results(rows, failures, effort)
