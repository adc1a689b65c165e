"""``untie paper``, a command of another distribution."""

import subprocess
import sys

import pytest

NOT_INSTALLED = """
import sys
import untie.cli.app as app
sys.modules["untie_paper"] = sys.modules["untie_paper.command"] = None
app.find_spec = lambda name: None
app.main()
"""
"""The command where the other distribution is not installed."""


def told(*call):
    """Return how a process ended, what it printed and what it complained of."""
    answer = subprocess.run([sys.executable, *call], capture_output=True, text=True)
    return answer.returncode, answer.stdout, answer.stderr


@pytest.mark.parametrize("arguments", [(), ("all", "--quick"), ("--help",)])
def test_where_it_is_not_installed_the_remedy_is_named(arguments):
    code, out, err = told("-c", NOT_INSTALLED, "paper", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("untie: the command 'paper' needs the distribution untie-paper (")
    assert err.endswith(
        "); install it with: pip install untie-paper (or ./reproduction, in a clone of the "
        "repository)\n"
    )


def test_where_it_is_not_installed_the_help_does_not_list_it():
    code, out, err = told("-c", NOT_INSTALLED, "--help")
    assert (code, err) == (0, "")
    assert " report " in out
    assert " paper " not in out


def test_it_is_a_command():
    pytest.importorskip("untie_paper")
    code, out, _ = told("-m", "untie", "paper", "list")
    assert code == 0
    assert "untie paper all --quick" in out
    assert " paper " in told("-m", "untie", "--help")[1]
