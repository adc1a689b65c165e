"""What `tools/moved_functions.py` finds, and the commits that `git blame` passes over."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "tools/moved_functions.py"

if not SCRIPT.exists():  # an sdist has none
    pytest.skip("there are no tools", allow_module_level=True)

_spec = importlib.util.spec_from_file_location("moved_functions", SCRIPT)
moved = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(moved)

BEFORE = """
class A:
    def f(self, x):
        'Words.'
        return [x]

def twice(x):
    return x, x

def also_twice(x):
    return x, x
"""

MOVED = """
def twice(x):
    return (x, x)

def g(self, x):
    # A comment.
    return [x]

def other(x):
    return x, x
"""


def differing(before, after):
    return moved.only_in_one(moved.functions(before), moved.functions(after))


def test_a_function_may_move_be_renamed_and_get_other_words():
    assert differing(BEFORE, MOVED) == ([], [])


def test_another_body_and_a_lost_copy_are_found():
    after = MOVED.replace("[x]", "(x,)").replace("return x, x", "return x")
    assert differing(BEFORE, after) == (["A.f", "also_twice"], ["g", "other"])


def test_commits_that_blame_passes_over_are_named_in_full():
    lines = (ROOT / ".git-blame-ignore-revs").read_text().splitlines()
    commits = [line for line in lines if line and not line.startswith("#")]
    assert commits
    assert all(re.fullmatch("[0-9a-f]{40}", commit) for commit in commits)
