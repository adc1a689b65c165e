"""The work of tests is measured, and too much of it fails a run that asks for the budget."""

from types import SimpleNamespace

import pytest

from budget import MOST, NOTE, TOTAL, Budget, Ledger, measure_unit


def ledger(**works):
    made = Ledger()
    for name, work in works.items():
        made.add(f"test_a.py::{name}", "call", {name: 1}, work)
    return made


def test_a_test_may_take_as_much_as_its_kind_does():
    assert ledger(plain=MOST["plain"], integration=MOST["integration"]).excesses() == []
    (line,) = ledger(plain=MOST["plain"] + 1).excesses()
    assert line.startswith("test_a.py::plain takes")
    (line,) = ledger(integration=MOST["integration"] + 1).excesses()
    assert "(integration)" in line
    assert ledger(slow=10 * TOTAL).excesses() == []


def test_fixtures_count_for_all_tests_but_for_none_of_them():
    made = ledger(plain=1)
    made.add("test_a.py::plain", "setup", {}, MOST["plain"])
    assert made.excesses() == []
    made.add("test_a.py::plain", "teardown", {}, TOTAL)
    (line,) = made.excesses()
    assert line.startswith("all tests take")


@pytest.mark.parametrize(
    ("is_enforced", "work", "expected"),
    [(True, TOTAL + 1, 1), (False, TOTAL + 1, 0), (True, 1, 0)],
)
def test_a_run_over_the_limits_fails_where_the_budget_is_asked_for(is_enforced, work, expected):
    budget = Budget(is_enforced)
    report = SimpleNamespace(
        nodeid="test_a.py::test", when="setup", keywords={}, user_properties=[(NOTE, work)]
    )
    budget.pytest_runtest_logreport(report)
    session = SimpleNamespace(exitstatus=pytest.ExitCode.OK)
    budget.pytest_sessionfinish(session, session.exitstatus)
    assert session.exitstatus == expected


def test_every_phase_of_this_very_run_is_noted(request):
    (budget,) = [p for p in request.config.pluginmanager.get_plugins() if isinstance(p, Budget)]
    assert budget.unit > 0
    assert measure_unit() > 0
