"""Tables and ways to call the command, for its tests."""

import csv
import os
import random
import signal
import subprocess
import sys

from typer.testing import CliRunner

from untie.cli.app import app

NOTES = (
    "customer_id: left out, looks like an id; names the rows\n"
    "age: binned into 15 ranges\n"
    "country: left out, every row is 'here'\n"
)


def ask(*arguments, stdin=None):
    """Run the command in this process; errors that are no exit are errors of the test."""
    answer = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert answer.exception is None or isinstance(answer.exception, SystemExit)
    return answer


def refused(*arguments, code=2, stdin=None):
    """Run the command, and return the one line that it refuses with."""
    answer = ask(*arguments, stdin=stdin)
    assert answer.exit_code == code, answer.output
    assert answer.stdout == ""
    assert "Traceback" not in answer.stderr
    return answer.stderr


def start(*arguments, **settings):
    """Run the command in a process of its own."""
    call = [sys.executable, "-m", "untie", *map(str, arguments)]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = os.environ | settings.pop("env", {})
    return subprocess.Popen(call, env=environment, **pipes | settings)


def hear_hangups():
    """Restore the default of SIGHUP in a process to be started; under nohup it is ignored."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def write_people(path, n=120, delimiter=","):
    """Write a table with two groups of people, an id, an age and a constant."""
    rng = random.Random(3)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["customer_id", "age", "colour", "size", "shape", "country", "group"])
        for number in range(n):
            group = number % 2
            cells = [("red", "big", "round"), ("blue", "small", "flat")][group]
            cells = [cell if rng.random() < 0.9 else "odd" for cell in cells]
            writer.writerow([f"c{number}", rng.randint(18, 90), *cells, "here", "ab"[group]])
    return path


def rows_of(text):
    """Read CSV."""
    return list(csv.DictReader(text.splitlines()))
