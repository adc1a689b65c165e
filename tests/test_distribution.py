"""The distribution has one name, which is not the import's: `untie` on the index is another's."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import untie
from untie._util.about import DISTRIBUTION
from untie._util.messages import installing

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, HATCH = PYPROJECT["project"], PYPROJECT["tool"]["hatch"]
EXTRAS = PROJECT["optional-dependencies"]

WRITTEN = {".py", ".md", ".toml", ".yml", ".yaml", ".cff", ".html", ".j2", ".txt", ".ipynb", ""}
FOLDERS = ("src", "tests", "docs", "examples", "benchmarks", "reproduction", "tools", ".github")

MADE = {"__pycache__", "_build", "generated", "auto_gallery"}
"""Folders of what tools make of the others."""

STRANGERS = re.compile(
    rf"pip install (?:-\S+ )*['\"]?untie(?![-\w])|(?<![\w.-])untie\\?\[(?:{'|'.join(EXTRAS)})\b"
)
"""What would install, or names an extra of, somebody else's package."""


def texts():
    # A checkout, or what was unpacked of an sdist, which has fewer folders.
    inside = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    for path in [*ROOT.iterdir(), *inside]:
        if path.is_file() and path.suffix in WRITTEN and not MADE & set(path.parts):
            yield path


def test_the_project_is_called_as_messages_say():
    assert PROJECT["name"] == DISTRIBUTION
    assert installing("files") == f"pip install '{DISTRIBUTION}[files]'"


def test_extras_that_bring_extras_bring_their_own():
    brought = {r for extra in EXTRAS.values() for r in extra if r.startswith(("untie", "."))}
    assert {r.partition("[")[0] for r in brought} == {DISTRIBUTION}


@pytest.mark.parametrize(
    "text", ["pip install untie", "pip install --upgrade 'untie[pandas]'", "the extra untie[files]"]
)
def test_a_strangers_package_is_recognized(text):
    assert STRANGERS.search(text)
    assert not STRANGERS.search(text.replace("untie", DISTRIBUTION))


def test_nothing_tells_to_install_a_strangers_package():
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in texts()
        if path != Path(__file__)
        for line in path.read_text(errors="replace").splitlines()
        if STRANGERS.search(line)
    ]
    assert not found


def test_the_name_stands_in_one_place_of_the_source():
    package = ROOT / "src/untie"
    holding = [path for path in package.rglob("*.py") if DISTRIBUTION in path.read_text()]
    assert holding == [package / "_util/about.py"]


def test_what_the_sdist_names_is_there():
    sdist = HATCH["build"]["targets"]["sdist"]
    for pattern in [*sdist["include"], *sdist["exclude"]]:
        path = pattern.removeprefix("!").removeprefix("/").removesuffix("/*")
        assert (ROOT / path).exists(), pattern


def test_on_the_index_the_readme_leads_to_addresses():
    text = (ROOT / "README.md").read_text()
    for change in HATCH["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(change["pattern"], change["replacement"], text)
    targets = re.findall(r"\]\(([^)]+)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert len(targets) > 20
    home = re.escape(PROJECT["urls"]["Source"].removeprefix("https://github.com/"))
    where = rf"https://(github\.com/{home}/blob|raw\.githubusercontent\.com/{home})/v\$HFPR_VERSION"
    for target in targets:
        path = re.sub(rf"^{where}/", "", target)
        assert path != target, target
        assert (ROOT / path).is_file(), target


@pytest.mark.integration
def test_versions_agree():
    said = subprocess.run(
        [sys.executable, "-m", "untie", "--version"], capture_output=True, text=True, check=True
    )
    assert said.stdout == f"untie {untie.__version__}\n"
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|rc\d+)?", untie.__version__)
