"""What the pages of the site promise is so: first sentences, names, options, versions, errors."""

import ast
import inspect
import re
import shlex
import sys
import tomllib
from functools import cache
from importlib import import_module

import pytest

import untie
from site_files import DOCS, ROOT, script
from untie._prepare.unprepared import UnpreparedWarning
from untie.cli.app import COMMANDS, single_command
from untie.cluster import KModes
from untie.datasets import load

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MADE = {"_build", "generated", "auto_gallery", "reproduction", "history"}
"""Folders of pages that a program writes."""

FILES = {f"{page}.md": ROOT / file for page, file in script("_ext/root_files.py").INCLUDED.items()}
"""Pages that are made of files beside the folder."""

PAGES = sorted(
    FILES.get(path.relative_to(DOCS).as_posix(), path)
    for path in DOCS.rglob("*.md")
    if not MADE & set(path.relative_to(DOCS).parts)
)
FENCE = re.compile(r"^(`{3,}|:{3,})(.*?)\n(.*?)^\1\s*$", re.M | re.S)


def page_id(path):
    return path.relative_to(ROOT).as_posix()


def body(path):
    """Return a page without what stands before its heading."""
    return re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.S)


def blocks(path, *languages):
    """Return the contents of the blocks of some languages."""
    found = FENCE.findall(body(path))
    return [text for _, kind, text in found if kind.strip().split(" ")[0] in languages]


def cells(path):
    """Return the code cells, each with its tags."""
    for text in blocks(path, "{code-cell}"):
        tags = re.match(r":tags: \[(.*)\]\n", text)
        yield text[tags.end() :] if tags else text, tags[1] if tags else ""


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_a_page_begins_with_a_sentence_that_says_what_it_is_for(path):
    _, _, rest = body(path).partition("\n\n")
    assert body(path).lstrip().startswith("# ")
    first = re.sub(FENCE, lambda m: "" if "remove-cell" in m[3] else m[0], rest).lstrip()
    paragraph = first.partition("\n\n")[0].strip()
    assert re.match(r"[A-Z0-9`*\"\[a-z]", paragraph), paragraph[:60]
    assert not paragraph.startswith(("```", "- ", "1. ")), paragraph[:60]
    assert paragraph.rstrip("*")[-1] in ".:?!", paragraph[-60:]


@pytest.mark.parametrize("folder", ["tutorials", "how_to", "evidence", "how_it_works", "project"])
def test_an_index_tells_what_every_page_is_about(folder):
    text = (DOCS / folder / "index.md").read_text(encoding="utf-8")
    listed = re.search(r"```\{toctree\}\n(?::.*\n)*\n(.*?)```", text, re.S)[1].split()
    told = re.findall(r"\]\(([\w/]+)\.md\)", text)
    assert sorted(told) == sorted(listed)


# The calls of other libraries, and ours beside them.

COMING_FROM = sorted((DOCS / "which").glob("from_*.md"))


@cache
def fitted():
    """Return what the tables call our objects."""
    animals, _ = load("zoo")
    km = KModes(4, random_state=0).fit(animals)
    clusterer = untie.TableClusterer(4, random_state=0, preparer=None).fit(animals)
    encoder = untie.TableEncoder(4, n_components=3, preparer=None).fit(animals)
    names = {"km": km, "clusterer": clusterer, "encoder": encoder, "untie": untie}
    packages = ("untie.cluster", "untie")
    for package in map(import_module, packages):
        names |= {name: getattr(package, name) for name in package.__all__}
    return names


def thing(node):
    """Return what an expression names, None if it is not ours or not known before a call."""
    if isinstance(node, ast.Name):
        return fitted().get(node.id)
    if isinstance(node, ast.Attribute):
        owner = thing(node.value)
        return None if owner is None else getattr(owner, node.attr)
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "fit":
        return thing(node.func.value)  # an estimator's fit returns it
    made = thing(node.func)
    return made if inspect.isclass(made) else None


def ours(path):
    """Return the code of the last column of a page's tables that is Python."""
    lines = re.findall(r"^\|.*\|$", body(path), re.M)
    for line in lines:
        cell = re.split(r"(?<!\\)\|", line)[-2]
        for code in re.findall(r"`([^`]+)`", cell):
            try:
                yield code, ast.parse(code.replace("...", "None"))
            except SyntaxError:
                continue


@pytest.mark.parametrize("path", COMING_FROM, ids=page_id)
def test_calls_beside_those_of_other_libraries_are_there(path):
    checked = 0
    for code, tree in ours(path):
        for node in ast.walk(tree):
            called = thing(node.func if isinstance(node, ast.Call) else node)
            if called is None or not isinstance(node, ast.Call):
                continue
            known = inspect.signature(called).parameters
            wrong = [word.arg for word in node.keywords if word.arg and word.arg not in known]
            assert not wrong, f"{code}: {wrong}"
            checked += 1
    assert checked >= 3


# The command.

SHELL = ("sh", "console", "text")
INLINE = re.compile(rf"`(untie (?:{'|'.join(COMMANDS)})(?: [^`]*)?)`")


@cache
def options(name):
    command = single_command(name, *COMMANDS[name])
    return {option for p in command.params for option in (*p.opts, *p.secondary_opts)}


def commands(path):
    """Return the calls of the command that a page shows."""
    text = "\n".join(blocks(path, *SHELL)).replace("\\\n", " ")
    in_blocks = [line.strip().removeprefix("$ ") for line in text.splitlines()]
    for line in in_blocks + INLINE.findall(body(path)):
        for call in re.split(r"&&|\|(?= untie)", line):
            if call.strip().startswith("untie "):
                yield shlex.split(call, comments=True)


WITH_COMMANDS = [path for path in [*PAGES, ROOT / "README.md"] if any(commands(path))]


@pytest.mark.parametrize("path", WITH_COMMANDS, ids=lambda path: path.name)
def test_commands_on_pages_are_known_with_their_options(path):
    for _, name, *words in commands(path):
        if name in ("paper", "--version", "COMMAND"):
            continue
        assert name in COMMANDS
        given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert given <= options(name) | {"--help"}, (name, given - options(name))


# Versions and extras.

NAMED = ("numpy", "scipy", "scikit-learn", "narwhals", "pandas", "polars", "pyarrow", "DuckDB")


def test_the_oldest_versions_on_the_page_are_those_that_are_asked_for():
    page = body(DOCS / "start/install.md")
    extras = PROJECT["optional-dependencies"]  # Spark needs a newer pyarrow
    wanted = [one for name, extra in extras.items() if name != "spark" for one in extra]
    oldest = dict(
        re.findall(r"^([\w-]+)>=([\d.]+)$", "\n".join(PROJECT["dependencies"] + wanted), re.M)
    )
    told = re.findall(rf"({'|'.join(NAMED)})\s+(\d+(?:\.\d+)*)", page)
    assert {name for name, _ in told} == set(NAMED)
    assert {name.lower(): version for name, version in told}.items() <= oldest.items()


def test_the_page_has_every_extra():
    rows = re.findall(r"^\| (`.*?) \|", body(DOCS / "start/install.md"), re.M)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(PROJECT["optional-dependencies"])


# Evidence.

EVIDENCE = sorted(set((DOCS / "evidence").glob("*.md")) - {DOCS / "evidence/index.md"})


@pytest.mark.parametrize("path", EVIDENCE, ids=page_id)
def test_a_page_of_evidence_names_its_command_and_its_commit(path):
    text = body(path)
    scripts = set(re.findall(r"benchmarks/[\w/]+\.py", text))
    assert scripts
    if (ROOT / "benchmarks").exists():  # an sdist has none
        assert all((ROOT / script).is_file() for script in scripts)
    assert re.search(r"(?:python benchmarks/|make bench)", text), "the command as it is typed"
    assert re.search(r"commit `[0-9a-f]{7,}`", text, re.I)


# Errors.


def test_every_error_on_the_page_is_raised_and_every_warning_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "onnx", sys.modules.get("onnx"))  # the page hides it
    names: dict[str, object] = {}
    raised = 0
    for code, tags in cells(DOCS / "reference/errors.md"):
        if "raises-exception" in tags:
            with pytest.raises((ValueError, TypeError, ImportError, OSError)):
                exec(code, names)
            raised += 1
        elif "37 * n" in code:
            with pytest.warns(UnpreparedWarning, match="income"):
                exec(code, names)
        elif "animal {cell}" in code:
            with pytest.warns(UserWarning, match="Nothing is known of 3 of 3 rows"):
                exec(code, names)
        elif "votes.csv" in code:
            with pytest.warns(UserWarning, match="looks like a row"):
                exec(code, names)
        elif "remove-cell" not in tags:
            exec(code, names)
    assert raised > 15
