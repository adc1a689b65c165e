"""How much was tried: each test notes it, and one line at the end of a run tells the sum."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

NOTE = "fuzz"

TABLES, FILES, KILLS, DISKS = (
    "odd tables",
    "bad model files",
    "kills while writing",
    "full disks",
)


def figure(reports: Iterable[Any]) -> str | None:
    """Return the line for the reports of tests, None if none of them noted anything.

    Reports of other processes come back with what was noted in them.
    """
    tried: Counter[str] = Counter()
    n_failed = 0
    for report in reports:
        notes = [note for name, note in report.user_properties if name == NOTE]
        for what, number in notes:
            tried[what] += number
        n_failed += bool(notes) and report.failed
    if not tried:
        return None
    parts = ", ".join(f"{tried[what]:,} {what}" for what in (TABLES, FILES, KILLS, DISKS))
    return f"fuzz: {parts}; {f'{n_failed} tests failed' if n_failed else 'nothing lost'}"
