"""The line that tells how much was tried."""

from types import SimpleNamespace

from hypothesis import strategies as st

from fuzz.figures import FILES, NOTE, TABLES, figure
from fuzz.test_tables import run


def report(*notes, failed=False):
    return SimpleNamespace(user_properties=[(NOTE, note) for note in notes], failed=failed)


def test_the_sums_of_all_tests_are_told():
    line = figure([report([TABLES, 1_000]), report((TABLES, 25), (FILES, 7)), report()])
    assert line == (
        "fuzz: 1,025 odd tables, 7 bad model files, 0 kills while writing, 0 full disks; "
        "nothing lost"
    )


def test_what_failed_is_told():
    assert figure([report([TABLES, 3], failed=True)]).endswith("; 1 tests failed")


def test_a_run_without_such_tests_has_no_line():
    assert figure([report(), report(failed=True)]) is None


def test_the_tables_of_a_check_are_counted():
    noted = []

    def check(data):
        data.draw(st.integers())

    run(check, 5, True, lambda name, note: noted.append((name, note)))
    assert noted == [(NOTE, (TABLES, 5))]
