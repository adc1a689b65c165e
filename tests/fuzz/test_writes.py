"""Every command that writes is killed and runs out of disk: the old file or the whole new one."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_cases import ask, write_people
from fuzz.figures import DISKS, KILLS, NOTE

pytestmark = pytest.mark.integration

LOOP = Path(__file__).with_name("write_loop.py")
ENOUGH = 120

COMMANDS = {
    "fit": (["fit", "FILE", "--k", "2", "-q", "-o"], "out.untie"),
    "cluster": (["cluster", "FILE", "--k", "2", "-q", "-o"], "out.parquet"),
    "cluster --lazy": (["cluster", "FILE", "--k", "2", "-q", "--lazy", "-o"], "out.csv"),
    "cluster --save": (["cluster", "FILE", "--k", "2", "-q", "--save"], "out.untie"),
    "assign": (["assign", "GROUPS", "FILE", "-q", "-o"], "out.csv"),
    "transform csv": (["transform", "MODEL", "FILE", "-q", "-o"], "out.csv"),
    "transform parquet": (["transform", "MODEL", "FILE", "-q", "-o"], "out.parquet"),
    "transform gz": (["transform", "MODEL", "FILE", "-q", "-o"], "out.csv.gz"),
    "upgrade": (["upgrade", "MODEL", "-q", "-o"], "out.untie"),
    "outliers": (["outliers", "FILE", "--all", "-q", "-o"], "out.csv"),
    "values": (["values", "FILE", "-q", "-o"], "out.json"),
    "neighbors": (["neighbors", "FILE", "--row", "1", "-q", "-o"], "out.tsv"),
    "drift": (["drift", "FILE", "FILE", "--all", "-q", "-o"], "out.csv"),
    "compare": (["compare", "FILE", "--k", "2", "-q", "-o"], "out.csv"),
    "datasets": (["datasets", "zoo", "-o"], "out.csv"),
    "report": (["report", "FILE", "--k", "2", "-q", "-o"], "out.html"),
}
"""The arguments of each, with the file to write as the last, and its name."""


WAYS = ("cluster", "cluster --lazy", "transform gz", "values", "datasets", "report", "fit")
"""One command for each kind of file; the others write theirs in the same way, and are slow."""

EACH = [pytest.param(n, marks=[] if n in WAYS else pytest.mark.slow) for n in COMMANDS]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    people = write_people(folder / "people.csv")
    model, groups = folder / "model.untie", folder / "groups.untie"
    assert ask("fit", people, "--k", 2, "-q", "-o", model).exit_code == 0
    assert ask("cluster", people, "--k", 2, "-q", "--save", groups).exit_code == 0
    return {"FILE": str(people), "MODEL": str(model), "GROUPS": str(groups)}


@pytest.fixture(scope="module")
def server():
    """Return a process that has the libraries loaded, and forks."""
    with subprocess.Popen(
        [sys.executable, str(LOOP)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.stdin.close()


class Writer:
    """A process that writes the same file again and again."""

    def __init__(self, server, folder):
        self.server = server
        self.pipes = {"out": folder / "out", "err": folder / "err"}  # a file would be full, too
        for pipe in self.pipes.values():
            os.mkfifo(pipe)

    def begin(self, name, inputs, folder, n_runs=0, most=0):
        """Start it, wait for the first whole file and return that."""
        arguments, file = COMMANDS[name]
        output = folder / file
        call = [inputs.get(argument, argument) for argument in arguments] + [str(output)]
        request = {"call": call, "n_runs": n_runs, "most": most, "folder": str(folder)}
        request |= {name: str(pipe) for name, pipe in self.pipes.items()}
        print(json.dumps(request), file=self.server.stdin, flush=True)
        self.process = int(self.server.stdout.readline())
        self.out, self.err = (open(pipe) for pipe in self.pipes.values())  # noqa: SIM115
        assert self.out.readline() == "0\n", self.err.read()
        return output

    def end(self):
        """Wait for its end, and return its status and what it said since."""
        with self.out, self.err:
            return int(self.server.stdout.readline()), self.out.read(), self.err.read()


@pytest.fixture
def writer(server, tmp_path_factory):
    return Writer(server, tmp_path_factory.mktemp("pipes"))


def kill(writer, name, inputs, folder, delay):
    """Kill a process at some time, and return what the file held before and after."""
    output = writer.begin(name, inputs, folder)
    whole = output.read_bytes()
    time.sleep(delay)
    os.kill(writer.process, signal.SIGKILL)
    assert writer.end()[0] == signal.SIGKILL
    return whole, output.read_bytes()


def same(name, one, other):
    """Tell whether two files are the same, but for the time of day that a page names."""
    return one == other or (name == "report" and one[-100:] == other[-100:])


@pytest.mark.parametrize("name", EACH)
def test_killed_at_any_time_the_file_is_whole(name, writer, inputs, tmp_path, record_property):
    record_property(NOTE, (KILLS, 1))
    rng = random.Random(name)
    before, after = kill(writer, name, inputs, tmp_path, rng.uniform(0, 0.3))
    assert same(name, before, after)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_often_the_file_is_whole(name, writer, inputs, tmp_path, record_property):
    rng = random.Random(f"often {name}")
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        record_property(NOTE, (KILLS, 1))
        before, after = kill(writer, name, inputs, folder, rng.uniform(0, 1))
        assert same(name, before, after)


@pytest.mark.parametrize("name", EACH)
def test_a_full_disk_leaves_the_old_file(name, writer, inputs, tmp_path, record_property):
    record_property(NOTE, (DISKS, 1))
    output = writer.begin(name, inputs, tmp_path, n_runs=1, most=64)
    whole = output.read_bytes()
    status, out, err = writer.end()
    assert (status, out) == (0, "1\n"), err
    assert "File too large" in err
    assert "Traceback" not in err
    assert output.read_bytes() == whole
    assert os.listdir(tmp_path) == [output.name]
