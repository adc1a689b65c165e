"""``untie paper``: the paper's tables and figures from the data, beside the published ones."""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from untie_paper.run.experiment import Experiment
    from untie_paper.run.outcome import Outcome
    from untie_paper.run.runner import Run

_ALL, _LIST = "all", "list"
EXAMPLES = """[bold]Examples[/bold]

[cyan]untie paper[/cyan]  what there is

[cyan]untie paper all --quick[/cyan]  everything on small data sets, in two minutes

[cyan]untie paper clustering kernels[/cyan]  some of it, at full effort

[cyan]untie paper all --jobs 8 --output results[/cyan]  everything, eight cells at a time

A run that was stopped goes on where it stood when the same command is given again."""


def run(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Experiments, groups of them, or all. Without one, what there is.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small data sets and few restarts; two minutes.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Cells computed at a time.", show_default="all cores"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the results and of computed cells.",
            show_default="untie-paper, or untie-paper-quick",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute cells again that are there already.")
    ] = False,
) -> None:
    """Regenerate the paper's tables and figures from the data, beside the published ones.

    Results are stored cell by cell as they come, so nothing is computed twice.
    """
    if not names or names == [_LIST]:
        _list_experiments()
        return
    _check_libraries()
    chosen = _choose(names)
    # A quick look must not replace the pages of a run that took an hour.
    folder = output or Path("untie-paper-quick" if quick else "untie-paper")
    _check_folder(folder)
    # Only here, as untie --help reads this file for its first sentence.
    import joblib
    from rich.console import Console

    from untie_paper.run.experiment import Effort
    from untie_paper.run.progress import Display
    from untie_paper.run.runner import Stopped, run_experiments

    effort = Effort(quick=quick)
    n_jobs = jobs or joblib.cpu_count()
    try:
        with Display(Console(stderr=True)) as display:
            run = run_experiments(
                chosen, folder, display, effort=effort, n_jobs=n_jobs, fresh=fresh
            )
        _finish(run, folder)
    except Stopped as stopped:
        _stop(f"Stopped: {stopped}. The same command goes on from there.", 130)
    except KeyboardInterrupt:
        _stop("Stopped. The same command goes on from where it stood.", 130)
    except OSError as error:
        _stop(f"{error.strerror or error}: {error.filename or folder}", 1)


def _list_experiments() -> None:
    experiments = _experiments()
    for group in dict.fromkeys(experiment.group for experiment in experiments):
        typer.echo(f"{group}:")
        for experiment in experiments:
            if experiment.group == group:
                typer.echo(f"  {experiment.name:24} {experiment.title}")
    typer.echo("Run one by its name, a group, or all: untie paper all --quick")


def _experiments() -> list[Experiment]:
    # Only here, because experiments load much that --help does not need.
    from untie_paper.experiments import EXPERIMENTS

    return EXPERIMENTS


def _check_libraries() -> None:
    missing = [name for name in ("pandas", "matplotlib", "jinja2") if find_spec(name) is None]
    if missing:
        needed = " and ".join(missing)
        _stop(f"untie paper needs {needed}; install it with: pip install untie-paper", 2)


def _choose(names: Sequence[str]) -> list[Experiment]:
    """Return the experiments that are asked for by name, group or together, in their order."""
    experiments = _experiments()
    known = {_ALL, _LIST}.union(*({one.name, one.group} for one in experiments))
    for name in names:
        if name not in known or name == _LIST:
            close = get_close_matches(name, sorted(known - {_LIST}), n=3, cutoff=0.5)
            advice = f"Did you mean {' or '.join(close)}? " if close else ""
            _stop(f"No experiment is called {name!r}. {advice}See: untie paper list", 2)
    asked = set(names)
    return [one for one in experiments if asked & {_ALL, one.name, one.group}]


def _check_folder(folder: Path) -> None:
    """Find out now, rather than after the first cell, that nothing can be stored."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".untie-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        _stop(f"Can't write to {folder} ({error.strerror}); name another folder: --output DIR", 2)


def _finish(run: Run, folder: Path) -> None:
    """Write what came out and say what did not."""
    from untie_paper.output.files import write_whole
    from untie_paper.output.write import write_all

    paths = write_all(run.outcomes, run.provenance, folder)
    record = json.dumps(run.provenance, indent=1, ensure_ascii=False) + "\n"
    write_whole(folder / "provenance.json", record.encode())
    for outcome in run.outcomes:
        typer.echo(f"\n{outcome.title}")
        for finding in outcome.report.findings:
            typer.echo(f"  {finding}")
    page = next((path for path in paths if path.suffix == ".html"), folder)
    cells = run.provenance["cells"]
    typer.echo(
        f"\n{cells['computed']} cells computed, {cells['from_cache']} from the cache, "
        f"{cells['failed']} failed. The page: {page}"
    )
    failures = _failure_lines(run.outcomes)
    if failures:
        typer.echo("\n".join(["Failed:", *failures]), err=True)
        typer.echo(f"More in {folder / 'logs'}. Failed cells are tried again next time.", err=True)
        raise typer.Exit(1)


def _failure_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line for each different error, with the cells that it struck."""
    struck = defaultdict(list)
    for outcome in outcomes:
        for failure in outcome.failures:
            arguments = [f"{name}={failure[name]}" for name in failure if name != "error"]
            struck[failure["error"]].append(f"{outcome.name}({', '.join(arguments)})")
    return [f"  {cells[0]}{_and_more(cells)}: {error}" for error, cells in struck.items()]


def _and_more(cells: list[str]) -> str:
    return f" and {len(cells) - 1} more" if len(cells) > 1 else ""


def _stop(message: str, code: int) -> NoReturn:
    print(message, file=sys.stderr)
    raise typer.Exit(code)
