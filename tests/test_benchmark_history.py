"""Ratios that benchmarks print are read, kept by commit and drawn."""

import importlib.util
import json
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks/history.py"

if not SCRIPT.exists():  # an sdist has none
    pytest.skip("there are no benchmarks", allow_module_level=True)

_spec = importlib.util.spec_from_file_location("benchmark_history", SCRIPT)
history = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(history)

PRINTED = """## A table
- PASS: small: default / (one-hot + SVD): 0.512 (<= 1)
- MISS: files: one core / two: 1.50 (>= 1.6)
- PASS: large: GiB of fit: 0.145 (<= 4)
- MISS: 1,000 values: fit / OneHotEncoder's fit: 1,234 (<= 20)

| constants   | tables     | number | median | share above 1.2 | worst | at              |
| in the code | all tables | 40     | 1.00   | 0.0750          | 1.57  | 10,000 x 30 x 2 |
| in the code | above 5 ms | 14     | 1.00   | 0.0714          | 1.28  | 10,000 x 30 x 2 |
"""


def record(commit, day, **values):
    ratios = {name: {"value": v, "sign": "<=", "limit": 1.0} for name, v in values.items()}
    return {"commit": commit, "committed": f"2026-01-0{day}T00:00:00+00:00", "ratios": ratios}


def test_ratios_are_read_and_other_verdicts_are_not():
    assert dict(history.read(PRINTED)) == {
        "small: default / (one-hot + SVD)": {"value": 0.512, "sign": "<=", "limit": 1.0},
        "files: one core / two": {"value": 1.5, "sign": ">=", "limit": 1.6},
        "1,000 values: fit / OneHotEncoder's fit": {"value": 1234.0, "sign": "<=", "limit": 20.0},
        history.REGRET_NAME: {"value": 1.28, "sign": "<=", "limit": history.REGRET_LIMIT},
    }


def test_what_is_kept_is_told_from_what_is_not():
    assert [history.is_kept(ratio) for _, ratio in history.read(PRINTED)] == [
        True,
        False,
        False,
        True,
    ]


def test_a_commit_has_one_record_and_they_stand_in_the_order_of_commits(tmp_path):
    store = tmp_path / "history.json"
    for one in (record("b", 2, x=2.0), record("a", 1, x=1.0), record("b", 2, x=3.0)):
        history.keep(one, store)
    assert [(r["commit"], r["ratios"]["x"]["value"]) for r in history.load(store)] == [
        ("a", 1.0),
        ("b", 3.0),
    ]


@pytest.mark.parametrize(
    ("changed", "load", "reason"),
    [
        ("", 0.4, ""),
        (" M src/untie/encoder.py", 0.4, "there are changes that are not committed."),
        ("", 4.04, "before the start 4.0 processes wanted each core"),
    ],
)
def test_only_commits_measured_on_a_quiet_machine_are_kept(changed, load, reason):
    told = history.why_not_keep(changed, load)
    assert told.startswith(reason)
    assert bool(told) == bool(reason)


def test_the_page_shows_every_ratio_of_the_newest_record(tmp_path):
    store, folder = tmp_path / "history.json", tmp_path / "pages"
    history.keep(record("aaaaaaaaaaaa", 1, old=1.0, both=2.0), store)
    history.keep(record("bbbbbbbbbbbb", 2, both=0.5, new=4.0), store)
    history.draw(folder, store)
    page = (folder / "benchmark_history.md").read_text()
    assert {path.name for path in folder.glob("*.svg")} == {"both.svg", "new.svg"}
    assert "measured at 2 commits, the newest `bbbbbbbbbbbb` of 2026-01-02." in page
    assert "| both | 0.5 | at most 1 | yes |" in page
    assert "| new | 4 | at most 1 | no |" in page
    assert "![both, at 2 commits; newest 0.5](both.svg)" in page
    assert "![new, at 1 commit; newest 4](new.svg)" in page
    drawn = (folder / "both.svg").read_text()
    assert "aaaaaaa" in drawn
    assert "bbbbbbb" in drawn


def test_many_commits_are_drawn_and_some_are_named(tmp_path):
    store = tmp_path / "history.json"
    commits = [f"c{number:06d}" for number in range(60)]
    ratio = {"value": 1.0, "sign": "<=", "limit": 1.0}
    records = [
        {"commit": c, "committed": f"2026-01-01T00:{n:02d}:00Z", "ratios": {"x": ratio}}
        for n, c in enumerate(commits)
    ]
    store.write_text(json.dumps(records))
    history.draw(tmp_path, store)
    assert "at 60 commits" in (tmp_path / "benchmark_history.md").read_text()
    drawn = (tmp_path / "x.svg").read_text()
    named = [commit for commit in commits if f">{commit}<" in drawn]
    assert len(named) <= history.MOST_NAMES
    assert named[-1] == commits[-1]


def test_without_a_record_it_says_what_to_do(tmp_path):
    with pytest.raises(SystemExit, match="make bench-quick"):
        history.draw(tmp_path, tmp_path / "none.json")


def test_the_records_in_the_repository_can_be_read():
    records = history.load()
    assert records
    assert all(r["ratios"] for r in records)


@pytest.mark.integration
def test_imports_are_timed_as_pip_installs_them_whatever_the_environment_says(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPT.parent)
    importing = importlib.import_module("importing")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    importing.seconds_of("import sys; assert not sys.dont_write_bytecode")
    # Waiting takes no processor time.
    assert importing.seconds_of("import time; time.sleep(0.5)") < 0.5
