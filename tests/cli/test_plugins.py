import os
import subprocess
import sys

import pytest

from untie import __version__

NOT_INSTALLED = """
import importlib.metadata, sys
importlib.metadata.entry_points = lambda **which: importlib.metadata.EntryPoints(())
sys.modules["untie_paper"] = None
from untie.cli.app import main
main()
"""
"""The command where no plugin is installed."""


def told(*call, folder=None):
    """Return how a process ended, what it printed and what it complained of."""
    paths = [str(folder)] * (folder is not None) + [os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    answer = subprocess.run(
        [sys.executable, *call], capture_output=True, text=True, env=environment
    )
    return answer.returncode, answer.stdout, answer.stderr


@pytest.mark.parametrize("arguments", [(), ("all", "--quick"), ("--help",)])
def test_a_command_that_is_not_installed_names_the_remedy(arguments):
    assert told("-c", NOT_INSTALLED, "paper", *arguments) == (
        2,
        "",
        "untie: the command 'paper' is not installed; install it with: "
        "pip install untie-paper (or ./reproduction, in a clone of the repository)\n",
    )


def test_without_plugins_there_is_help_that_does_not_list_them():
    code, out, err = told("-c", NOT_INSTALLED, "--help")
    assert (code, err) == (0, "")
    assert " report " in out
    assert " paper " not in out


@pytest.fixture
def plugins(tmp_path):
    """Return a folder with a distribution that has a command that works and one that does not."""
    (tmp_path / "fine_plugin.py").write_text(
        "import sys\nprint('loaded', file=sys.stderr)\nEXAMPLES = 'untie fine'\n"
        "def run(name: str) -> None:\n    '''Greet.'''\n    print(f'Hello, {name}.')\n"
    )
    (tmp_path / "broken_plugin.py").write_text("import no_such_library\n")
    about = tmp_path / "some_plugins-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: some-plugins\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[untie.commands]\nfine = fine_plugin\nbroken = broken_plugin\nfit = broken_plugin\n"
    )
    return tmp_path


def test_a_plugin_is_a_command(plugins):
    assert told("-m", "untie", "fine", "Eve", folder=plugins) == (0, "Hello, Eve.\n", "loaded\n")


def test_a_plugin_that_fails_to_load_says_why_and_breaks_nothing_else(plugins):
    assert told("-m", "untie", "broken", "--any", "thing", folder=plugins) == (
        2,
        "",
        "untie: the command 'broken' cannot be loaded (ModuleNotFoundError: No module named "
        "'no_such_library'); install it with: pip install --force-reinstall some-plugins\n",
    )
    code, out, _ = told("-m", "untie", "--help", folder=plugins)
    assert code == 0
    assert " fine       Greet." in out
    assert " broken     Cannot be loaded; run it to see why." in out
    assert out.count(" fit  ") == 1


def test_plugins_are_not_loaded_for_other_commands(plugins):
    expected = (0, f"untie {__version__}\n", "")
    assert told("-m", "untie", "--version", folder=plugins) == expected
    code, out, err = told("-m", "untie", "fit", "--help", folder=plugins)
    assert (code, err) == (0, "")
    assert "Usage: untie fit " in out
