"""Folders for temporary files belong to the process that made them."""

import os
import shutil
import stat
import subprocess
import sys

import pytest

from untie._util import scratch as scratch_module
from untie._util.scratch import Scratch

FAMILY = """
import multiprocessing, os, signal, sys, time
from concurrent.futures import ProcessPoolExecutor
from untie._util.scratch import Scratch

kept = []

def keep(_):
    kept.append(Scratch())
    return os.path.isdir(kept[-1].folder)

def hold(ready):
    keep(0)
    ready.set()
    time.sleep(60)

own = Scratch()
open(own.path("mine"), "w").close()
before = os.listdir(sys.argv[1])

child = os.fork()
if child == 0:
    keep(0)
    sys.exit(0)  # runs what is registered for the end of the process
os.waitpid(child, 0)
print("forked", os.listdir(sys.argv[1]) == before)

fork = multiprocessing.get_context("fork")
process = fork.Process(target=keep, args=(0,))
process.start()
process.join()
print("process", os.listdir(sys.argv[1]) == before)

with ProcessPoolExecutor(1, mp_context=fork) as pool:
    assert all(pool.map(keep, [0, 0]))
print("pool", os.listdir(sys.argv[1]) == before)

ready = fork.Event()
process = fork.Process(target=hold, args=(ready,))
process.start()
ready.wait()
process.kill()
process.join()
print("killed", len(os.listdir(sys.argv[1])))
"""


@pytest.mark.integration
def test_no_process_removes_or_leaves_what_is_another_ones(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FAMILY, tmp_path],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    said = ["forked True", "process True", "pool True", "killed 2"]
    assert done.stdout.splitlines() == said, done.stderr
    assert os.listdir(tmp_path) == []  # that of the killed child went with its parent


def test_only_folders_without_an_owner_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module.tempfile, "tempdir", str(tmp_path))
    held = Scratch()
    (tmp_path / "untie-own-notes").mkdir()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / f"untie-{scratch_module._FAMILY}-{ended.pid}-x").mkdir()
    scratch_module._remove_abandoned()
    assert sorted(os.listdir(tmp_path)) == sorted(
        [os.path.basename(os.path.dirname(held.folder)), "untie-own-notes"]
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_many_folders_are_in_one(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module.tempfile, "tempdir", str(tmp_path))
    many = [Scratch() for _ in range(50)]
    (root,) = tmp_path.iterdir()
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    assert len(os.listdir(root)) == len(many)


def test_a_root_that_was_cleared_away_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch_module.tempfile, "tempdir", str(tmp_path))
    shutil.rmtree(os.path.dirname(Scratch().folder))
    scratch = Scratch()
    assert os.path.isdir(scratch.folder)
