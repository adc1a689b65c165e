"""The command again and again in a process, until somebody stops it.

A server loads the libraries once and forks for every request, a line of JSON: the arguments, the
number of runs, the most bytes that a file may have (0 means no end and no limit), the folder, and
the pipes for standard output and error. It answers with the number of the process, and, when that
has ended, with its status.
"""

import contextlib
import json
import os
import resource
import sys
from importlib import import_module

from untie.cli.app import app

LIBRARIES = [
    "duckdb",
    "matplotlib.pyplot",
    "pandas",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "sklearn.cluster",
    "untie.report",
    *(f"untie.cli.{name}" for name in ("cluster", "drift", "neighbors", "report", "streaming")),
]
"""What the commands import; nothing of it starts threads, which would not survive a fork."""


def run(arguments):
    """Run the command once, and return its exit code and what it said."""
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        try:
            app(arguments, prog_name="untie")
        except SystemExit as stop:
            return stop.code or 0
    return 0


def loop(call, n_runs, most, folder, out, err):
    """Run the command until it was run often enough, or for ever."""
    os.chdir(folder)
    for number, path in enumerate((os.devnull, out, err)):
        os.dup2(os.open(path, os.O_WRONLY if number else os.O_RDONLY), number)
    print(run(call), flush=True)  # all is imported now, and there is a whole file
    if most:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    n_done = 0
    while n_runs == 0 or n_done < n_runs:
        print(run(call), flush=True)
        n_done += 1


def main():
    """Fork for every request, one after another."""
    for name in LIBRARIES:
        import_module(name)
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            try:
                loop(**json.loads(line))
            finally:
                os._exit(0)
        print(process, flush=True)
        print(os.waitpid(process, 0)[1], flush=True)


if __name__ == "__main__":
    main()
