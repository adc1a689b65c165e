"""Install every extra alone in an empty environment, and use it on a terminal: `make extras`.

    python tools/extras.py                # all, two at a time
    python tools/extras.py files excel    # some
    python tools/extras.py --wheel dist   # of a wheel that was built before

All take from the same cache of pip, so that a library is fetched once. Jobs run on a
pseudo-terminal, as progress is shown on a terminal alone. Without Java, `spark` is left out, and
the last lines say so.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
JOBS = ROOT / "tools/extra_jobs.py"
COMMANDS = {"cli", "report", "all"}
"""The extras that bring the command."""

PROGRESS = "looking at the columns ..."
"""What the command shows on a terminal while it works."""


class FailedError(Exception):
    """A command failed; its text is what the command printed."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("extras", nargs="*", help="some of them; all if not given")
    parser.add_argument("--wheel", type=Path, help="a folder with the wheel; else it is built")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    options = parser.parse_args()
    wanted = options.extras or every_extra()
    left_out = [] if shutil.which("java") else [extra for extra in wanted if extra == "spark"]
    with tempfile.TemporaryDirectory() as folder:
        wheel = find_wheel(options.wheel) if options.wheel else build(Path(folder))
        with ThreadPoolExecutor(options.jobs) as pool:
            trying = partial(try_extra, wheel)
            failed = [e for e in pool.map(trying, (e for e in wanted if e not in left_out)) if e]
    for extra in left_out:
        print(f"{extra}: left out, as there is no Java.")
    if failed:
        sys.exit(f"{len(failed)} of {len(wanted)} failed: {', '.join(failed)}")
    print(f"{len(wanted) - len(left_out)} of {len(wanted)} were tried, and work.")


def every_extra() -> list[str]:
    """Return the package alone, which is "", and the extras of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return ["", *project["optional-dependencies"]]


def build(folder: Path) -> Path:
    """Build the wheel from the clone."""
    run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT], folder)
    return find_wheel(folder)


def find_wheel(folder: Path) -> Path:
    """Return the one wheel in a folder."""
    (wheel,) = folder.resolve().glob("*.whl")
    return wheel


def try_extra(wheel: Path, extra: str) -> str:
    """Install an extra, do its job and print how it went; return its name if it failed."""
    shown = extra or "(none)"
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        python = folder / "env/bin/python"
        try:
            venv.create(folder / "env", with_pip=True)
            install(python, [f"{wheel}[{extra}]" if extra else str(wheel)], folder)
            said = run_on_terminal([python, JOBS, extra], folder)
            if extra in COMMANDS and PROGRESS not in said:
                raise FailedError(f"The command showed no progress: {PROGRESS!r} is not in\n{said}")
        except FailedError as failure:
            print(f"FAILED {shown}\n{failure}", flush=True)
            return shown
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    print(f"ok     {shown:8} {time.monotonic() - start:4.0f} s {size:6,.0f} MB", flush=True)
    return ""


def install(python: Path, what: Sequence[str], folder: Path) -> None:
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what], folder)


def run(call: Sequence[object], folder: Path) -> None:
    """Run a command where nothing of the clone is found."""
    done = subprocess.run(
        [str(part) for part in call],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise FailedError(done.stdout)


def run_on_terminal(call: Sequence[object], folder: Path) -> str:
    """Run a command like `run`, with a terminal for its three streams; return what it showed."""
    ours, theirs = pty.openpty()
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    terminal = environment() | {"TERM": "xterm"}
    process = subprocess.Popen([str(part) for part in call], cwd=folder, env=terminal, **streams)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # with which Linux reports that the other end is closed
        while piece := os.read(ours, 2**16):
            shown += piece
    os.close(ours)
    text = shown.decode(errors="replace")
    if process.wait():
        raise FailedError(text)
    return text


def environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


if __name__ == "__main__":
    main()
