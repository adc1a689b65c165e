from io import StringIO

import pytest
from rich.console import Console

from untie_paper.run import progress
from untie_paper.run.progress import Display, RunTally


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_remaining_time_is_believed_costs_at_first(clock):
    tally = RunTally(6, 0, n_workers=2, together=40.0, alone=5.0, clock=clock)
    assert tally.remaining() == 25.0
    clock.now = 10.0
    assert tally.remaining() == 15.0
    clock.now = 100.0
    assert tally.remaining() == 0.0


def test_remaining_time_learns_from_what_is_done(clock):
    tally = RunTally(6, 0, n_workers=2, together=40.0, alone=5.0, clock=clock)
    clock.now = 18.0
    tally.add(8.0, 18.0, alone=False, failed=False)  # (18 + 2) / (8 + 2): twice the stated cost
    assert tally.remaining() == pytest.approx(2 * (32 / 2 + 5))
    tally.add(5.0, 10.0, alone=True, failed=False)
    assert tally.alone == 0.0
    assert tally.remaining() == pytest.approx(2 * 32 / 2)


def test_failed_cells_say_nothing_of_the_pace(clock):
    tally = RunTally(3, 1, n_workers=1, together=20.0, alone=0.0, clock=clock)
    tally.add(10.0, 99.0, alone=False, failed=True)
    assert tally.remaining() == 10.0
    assert str(tally) == "2 of 3 cells, 1 from the cache, 1 failed"


def test_lines_come_now_and_then_where_there_is_no_terminal(clock, monkeypatch):
    monkeypatch.setattr(progress.time, "monotonic", clock)
    file = StringIO()
    tally = RunTally(3, 0, n_workers=1, together=30.0, alone=0.0, clock=clock)
    with Display(Console(file=file, width=20)) as display:
        display.show(tally)
        clock.now = 5.0
        display.show(tally)
        clock.now = 12.0
        tally.add(10.0, 12.0, alone=False, failed=True)
        display.show(tally)
    assert file.getvalue().splitlines() == [
        "0 of 3 cells, about 30 s left",
        "1 of 3 cells, 1 failed, about 20 s left",
    ]


def test_a_terminal_gets_a_bar_with_counts_and_remaining_time(clock):
    file = StringIO()
    console = Console(file=file, force_terminal=True, width=120)
    with Display(console) as display:
        tally = RunTally(3, 1, n_workers=1, together=600.0, alone=0.0, clock=clock)
        display.show(tally)
        display.say("a line that stays")
        display._bar.refresh()
    assert "1 of 3 cells, 1 from the cache, about 10 min left" in file.getvalue()
    assert "a line that stays" in file.getvalue()
