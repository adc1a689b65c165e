"""Which cells a run needs: those of all its experiments, each once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from untie_paper.run.experiment import Effort, Experiment, Job
from untie_paper.run.keys import Key, job_key
from untie_paper.run.worker import one_line


@dataclass(frozen=True)
class PlannedCell:
    """A cell to be had from disk or computed; `alone` means with nothing beside it."""

    key: Key
    job: Job
    alone: bool


@dataclass(frozen=True)
class PlannedExperiment:
    """An experiment and its cells; `error` says why it could not name them."""

    experiment: Experiment
    jobs: list[Job] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    error: str = ""


@dataclass(frozen=True)
class Plan:
    """What to do.

    Attributes
    ----------
    experiments : list of PlannedExperiment
        In the order that was asked for.
    cells : list of PlannedCell
        Those that run side by side first, and in each part the longest first.
    """

    experiments: list[PlannedExperiment]
    cells: list[PlannedCell]


def make_plan(experiments: Sequence[Experiment], effort: Effort) -> Plan:
    """Return the cells of experiments; those that they share count once.

    Parameters
    ----------
    experiments : sequence of Experiment
        One that can't name its jobs fails alone.
    effort : Effort
        What they are asked for.
    """
    planned = [_ask(experiment, effort) for experiment in experiments]
    cells: dict[Key, PlannedCell] = {}
    for one in planned:
        for job, key in zip(one.jobs, one.keys, strict=True):
            # A cell that somebody wants to have timed is timed, whoever else wants it.
            alone = one.experiment.alone or (key in cells and cells[key].alone)
            cells[key] = PlannedCell(key, job, alone)
    return Plan(planned, sorted(cells.values(), key=lambda cell: (cell.alone, -cell.job.cost)))


def _ask(experiment: Experiment, effort: Effort) -> PlannedExperiment:
    try:
        jobs = experiment.jobs(effort)
        return PlannedExperiment(experiment, jobs, [job_key(job) for job in jobs])
    except Exception as error:
        return PlannedExperiment(experiment, error=f"Its cells can't be named: {one_line(error)}")
