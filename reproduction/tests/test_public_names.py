"""The evaluation imports only public names of the package."""

import ast
from pathlib import Path

import pytest

import untie_paper

ROOT = Path(untie_paper.__file__).parent
PATHS = {path.relative_to(ROOT).as_posix(): path for path in ROOT.rglob("*.py")}


def private(name):
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("name", sorted(PATHS))
def test_only_public_names_of_untie(name):
    tree = ast.parse(PATHS[name].read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "untie":
            parts = [*node.module.split("."), *(alias.name for alias in node.names)]
            assert not any(map(private, parts)), ast.unparse(node)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "untie":
                    assert not any(map(private, alias.name.split("."))), ast.unparse(node)
        elif isinstance(node, ast.Attribute) and private(node.attr):
            reached = ast.unparse(node)
            assert not reached.startswith("untie."), reached
