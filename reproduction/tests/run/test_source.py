import importlib
import sys
from pathlib import Path

import pytest

import untie_paper
from untie_paper.run import source

MODULE = '''
"""What it is for."""
import math
from untie_paper.helping import help_out, unused

LIMIT = 3
TABLE = {"a": 1}
OTHER = 5

def job(number):
    """Say what it does."""
    return {"value": inner(number) + TABLE["a"] + help_out(number)}

def inner(number):
    return min(number, LIMIT)  # at most

def report(results):
    return OTHER

TABLE["b"] = 2
'''
HELPER = """
FACTOR = 2

def help_out(number):
    from untie_paper import deeper
    return number * FACTOR + deeper.deep()

def unused():
    return 1
"""
DEEPER = "def deep():\n    return 0\n"


@pytest.fixture
def fingerprint(tmp_path, monkeypatch):
    """Return a function: sources -> fingerprint of the job in them."""
    monkeypatch.setattr(untie_paper, "__path__", [*untie_paper.__path__, str(tmp_path)])
    monkeypatch.syspath_prepend(tmp_path)

    def measure(module=MODULE, helper=HELPER, deeper=DEEPER):
        names = {"some_jobs": module, "helping": helper, "deeper": deeper}
        for name, text in names.items():
            (tmp_path / f"{name}.py").write_text(text)
        for name in ("some_jobs", "untie_paper.helping", "untie_paper.deeper"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        source._definitions.cache_clear()
        return source.function_fingerprint(importlib.import_module("some_jobs").job)

    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # sources change within a second
    yield measure
    source._definitions.cache_clear()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ('{"a": 1}', '{"a": 7}'),
        ("min(number", "max(number"),
        ('TABLE["b"] = 2', 'TABLE["a"] = 2'),
        ('{"value": inner', '{"values": inner'),
    ],
)
def test_what_the_job_reaches_in_its_module_counts(fingerprint, old, new):
    assert old in MODULE
    assert fingerprint() != fingerprint(MODULE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("OTHER = 5", "OTHER = 6"),
        ("return OTHER", "return None"),
        ("# at most", "# no more than"),
        ("Say what it does", "Say it otherwise"),
        ("What it is for", "Something else"),
        ("import help_out, unused", "import help_out"),
        ("import math", "import math, json"),
    ],
)
def test_reports_comments_and_docstrings_do_not_count(fingerprint, old, new):
    assert old in MODULE
    assert fingerprint() == fingerprint(MODULE.replace(old, new))


def test_it_follows_the_evaluation_into_other_modules(fingerprint):
    before = fingerprint()
    assert before != fingerprint(helper=HELPER.replace("FACTOR = 2", "FACTOR = 3"))
    assert before != fingerprint(deeper=DEEPER.replace("return 0", "return 1"))
    assert before == fingerprint(helper=HELPER.replace("return 1", "return 2"))


def test_methods_and_k_means_of_the_evaluation_are_followed(fingerprint):
    text = "from untie_paper.methods import ENCODERS\ndef job(number):\n    return ENCODERS\n"
    fingerprint(text)
    reached = {}
    source._reach("some_jobs", "job", "some_jobs", reached)
    assert {("untie_paper.methods", "ENCODERS"), ("untie_paper.methods", "PAPER")} <= set(reached)


def test_a_module_without_a_file_is_refused():
    with pytest.raises(TypeError, match="'no_such_module' has no source file"):
        source._definitions("no_such_module")


def test_the_package_counts_outside_the_evaluation(tmp_path, monkeypatch):
    assert not Path(untie_paper.__file__).is_relative_to(source.PACKAGE)
    monkeypatch.setattr(source, "PACKAGE", tmp_path)
    files = {
        "core/a.py": "def f():\n    return 1\n",
        "datasets/zoo.csv.gz": "data",
        "cli/x.py": "A = 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def after(name, text):
        (tmp_path / name).write_text(text)
        changed = source.package_fingerprint.__wrapped__()
        (tmp_path / name).write_text(files.get(name, ""))
        return changed

    before = source.package_fingerprint.__wrapped__()
    assert before == after("core/a.py", '# why\ndef f():\n    """Say."""\n    return 1\n')
    assert before == after("cli/x.py", "A = 2\n")
    assert before != after("core/a.py", "def f():\n    return 2\n")
    assert before != after("datasets/zoo.csv.gz", "date")
    assert before != after("core/b.py", "")
