"""What is not imported before it is needed."""

import subprocess
import sys
from importlib import import_module

import pytest

import untie
from command_cases import start
from untie.cli.options import BINS, MAX_CATEGORIES

HEAVY = ("pandas", "sklearn", "scipy", "numpy", "matplotlib", "pyarrow", "duckdb", "narwhals")


def imported(*arguments):
    """Return the libraries that the command imports, and its exit code."""
    script = (
        "import sys\n"
        f"sys.argv = ['untie', *{list(map(str, arguments))!r}]\n"
        "from untie.__main__ import main\n"
        "code = 0\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as stopped:\n"
        "    code = stopped.code\n"
        f"found = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "print('FOUND', code, *found)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    last = done.stdout.splitlines()[-1].split()
    assert last[0] == "FOUND", done.stderr
    return last[2:], int(last[1])


@pytest.mark.integration
def test_help_and_version_do_not_wait_for_libraries():
    assert imported("--version") == ([], 0)
    assert imported("--help") == ([], 0)


@pytest.mark.integration
@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "absent.csv"),
        ("cluster", "absent.csv"),
        ("fit", "absent.csv", "-o", "m.untie"),
        ("outliers", "absent.csv"),
        ("fill", "absent.csv"),
        ("values", "absent.csv"),
        ("neighbors", "absent.csv", "--row", 1),
        ("compare", "absent.csv"),
        ("assign", "absent.untie", "new.csv"),
        ("transform", "absent.untie", "new.csv"),
        ("export", "absent.untie", "--to", "duckdb", "--table", "t"),
        ("drift", "absent.csv", "new.csv"),
        ("info", "absent.untie"),
        ("upgrade", "absent.untie"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_file_that_is_not_there_is_told_at_once(arguments):
    assert imported(*arguments) == ([], 2)


def test_numbers_of_the_preparer_are_repeated_where_it_is_not_imported():
    preparer = untie.Preparer()
    assert (preparer.bins, preparer.max_categories) == (BINS, MAX_CATEGORIES)


@pytest.mark.integration
def test_a_mistake_in_an_option_has_the_code_2():
    process = start("cluster", "--nonsense")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert out == b""
    assert b"--nonsense" in err


def test_every_public_name_is_there():
    for name in untie.__all__:
        assert getattr(untie, name) is not None
    assert untie.UNTIE is import_module("untie.untie_method").UNTIE
    assert untie.encoder is import_module("untie.encoder")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = untie.nonsense
