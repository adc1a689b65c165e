"""The command again and again in one process, until somebody stops it.

Called with a list of arguments as JSON, the number of runs, and the most bytes that a file may
have; 0 means no end and no limit.
"""

import contextlib
import json
import os
import resource
import sys

from untie.cli.app import app


def run(arguments):
    """Run the command once, and return its exit code and what it said."""
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        try:
            app(arguments, prog_name="untie")
        except SystemExit as stop:
            return stop.code or 0
    return 0


def main():
    arguments, n_runs, most = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    print(run(arguments), flush=True)  # all is imported now, and there is a whole file
    if most:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    n_done = 0
    while n_runs == 0 or n_done < n_runs:
        print(run(arguments), flush=True)
        n_done += 1


if __name__ == "__main__":
    main()
