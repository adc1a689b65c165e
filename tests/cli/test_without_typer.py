import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


def test_one_line_says_what_to_install(monkeypatch):
    module, name = PROJECT["scripts"]["untie"].split(":")
    monkeypatch.setitem(sys.modules, "typer", None)
    # As if the command had never run here.
    for loaded in [loaded for loaded in sys.modules if loaded.startswith("untie.cli")]:
        monkeypatch.delitem(sys.modules, loaded)
    with pytest.raises(SystemExit) as stopped:
        getattr(import_module(module), name)()
    assert stopped.value.code == "untie: Commands need typer: pip install 'untie-learn[cli]'."
    assert any(re.match("typer>", needed) for needed in PROJECT["optional-dependencies"]["cli"])
