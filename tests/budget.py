"""How much work tests may do, in units that are about the same on every machine.

Seconds are not: machines differ, and other programs slow one down. So the CPU time of a test, with
that of the processes it started and waited for, is divided by the CPU time of a fixed computation
that the same process repeats every few seconds; a unit is about 20 milliseconds. The limits leave
room for noise: a test above one does several times what the slowest of its kind did when the
limits were set, and the total is almost twice what it was.
"""

import os
import time
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import pytest

NOTE = "work"
"""The name of what a test did among the properties of its report."""

MOST = {"plain": 1_000, "integration": 2_000}
"""Units that a test may take in its call; those marked `slow` may take any number."""

TOTAL = 50_000
"""Units that all tests without those marked `slow` may take, with their fixtures."""

EVERY = 20
"""Seconds after which the unit is measured again, as processors change their pace."""


def reference():
    """Do a bit of what the library does: loops, dictionaries, text, small matrices, sorting."""
    rng = np.random.default_rng(0)
    matrix = rng.random((60, 60))
    for _ in range(50):
        counts: dict[str, int] = {}
        for number in range(2_000):
            name = f"value {number % 97}"
            counts[name] = counts.get(name, 0) + 1
        np.linalg.eigvalsh(matrix + matrix.T)
        np.unique(rng.integers(0, 50, 5_000))


def measure_unit():
    """Return the CPU time of the reference, in seconds: the median of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        reference()
        times.append(time.process_time() - start)
    return sorted(times)[1]


def cpu_time():
    """Return the CPU seconds of this process and of the children that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


@dataclass
class Ledger:
    """What each test did, and what is over the limits."""

    calls: dict[str, float] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    files: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, test, phase, keywords, work):
        """Note a phase of a test."""
        if "slow" in keywords:
            return
        self.files[test.partition("::")[0]] += work
        if phase == "call":
            self.calls[test] = work
            self.kinds[test] = "integration" if "integration" in keywords else "plain"

    @property
    def total(self):
        """Units of all tests."""
        return sum(self.files.values())

    def slowest(self, n=10):
        """Return the tests with the most work, and how much."""
        return sorted(self.calls.items(), key=lambda entry: -entry[1])[:n]

    def excesses(self):
        """Return a line for whatever is over a limit."""
        lines = [
            f"{test} takes {work:.0f} units, but a test of its kind ({self.kinds[test]}) may take "
            f"{MOST[self.kinds[test]]}: shorten it, or mark it `slow`"
            for test, work in self.slowest(len(self.calls))
            if work > MOST[self.kinds[test]]
        ]
        if self.total > TOTAL:
            lines.append(
                f"all tests take {self.total:,.0f} units, but may take {TOTAL:,}: shorten some of "
                "the files above"
            )
        return lines


class Budget:
    """A plugin of pytest that keeps the ledger and, where asked, fails a run over the limits."""

    def __init__(self, is_enforced):
        self.is_enforced = is_enforced
        self.ledger = Ledger()
        self.unit = 0.0
        self.measured = -np.inf
        self.before = 0.0

    def pytest_runtest_logstart(self):
        """Start the account of a test, and measure the unit now and then."""
        if time.monotonic() - self.measured > EVERY:
            self.unit = measure_unit()
            self.measured = time.monotonic()
        self.before = cpu_time()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        """Note what a phase of a test did; reports of other processes bring it along."""
        report = yield
        now = cpu_time()
        report.user_properties.append((NOTE, (now - self.before) / self.unit))
        self.before = now
        return report

    def pytest_runtest_logreport(self, report):
        """Put it into the ledger."""
        for name, work in report.user_properties:
            if name == NOTE:
                self.ledger.add(report.nodeid, report.when, report.keywords, work)

    def pytest_sessionfinish(self, session, exitstatus):
        """Fail a run that is over the limits."""
        if self.is_enforced and self.ledger.excesses() and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        """Say what took most, and what is over the limits."""
        if not self.is_enforced:
            return
        terminalreporter.section(f"work: {self.ledger.total:,.0f} of {TOTAL:,} units")
        for file, work in sorted(self.ledger.files.items(), key=lambda entry: -entry[1])[:10]:
            terminalreporter.write_line(f"{work:7,.0f}  {file}")
        for test, work in self.ledger.slowest():
            terminalreporter.write_line(f"{work:7,.0f}  {test}")
        for line in self.ledger.excesses():
            terminalreporter.write_line(f"OVER BUDGET: {line}", red=True)
