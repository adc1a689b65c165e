"""The house keeps its floors: nothing imports upward, nothing goes in circles."""

import ast
import importlib
import pkgutil
import re
import sys
from pathlib import Path

import pytest

import untie
from untie.model_file import CLASSES

FLOORS = (
    "_util",
    "_table",
    "_count",
    "_learn",
    "_engines",
    "_prepare",
    "export",
    "_persistence",
    "_base",
    "datasets",
    "cluster",
    "decomposition",
    "preparer",
    "_encoder_base",
    "encoder",
    "untie_method",
    "clusterer",
    "model_file",
    "_inputs",
    "vector_file",
    "k_choice",
    "explain",
    "comparison",
    "plot",
    "report",
    "cli",
)
"""From the cellar to the roof: a floor may import those before it."""

ROOT = Path(untie.__file__).parent
ROOF = ("", "__main__")
"""`untie/__init__.py` has the public names and `__main__.py` the command; no floor imports them."""


def modules():
    names = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        names[".".join(part for part in parts if part != "__init__")] = path
    return names


MODULES = modules()
TREES = {name: ast.parse(path.read_text()) for name, path in MODULES.items()}


def imports(name):
    """Return the modules that a module imports, in functions and for types as well."""
    found = set()
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports relatively"
            if node.module and node.module.split(".")[0] == "untie":
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    found.add(inner if inner[6:] in MODULES else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "untie"}
    return {module.partition(".")[2] for module in found}


IMPORTS = {name: imports(name) for name in MODULES}


def floor(name):
    return name.split(".")[0]


def test_every_module_is_on_a_floor():
    assert {floor(name) for name in MODULES} - set(ROOF) == set(FLOORS)


@pytest.mark.parametrize("name", sorted(set(MODULES) - set(ROOF)))
def test_nothing_imports_upward(name):
    above = FLOORS[FLOORS.index(floor(name)) + 1 :]
    upward = {
        other
        for other in IMPORTS[name]
        if floor(other) in above or (other in ROOF and floor(name) != "cli")
    }
    assert not upward


EVERYWHERE = {"numpy", "scipy", "sklearn", "narwhals", "threadpoolctl"}
"""Libraries that are always installed; every floor may import them."""

LIBRARIES = {
    "_util": {"joblib"},
    "_table": {"pandas", "polars", "pyarrow"},
    "_persistence": {"pandas"},
    "_engines": {
        *("pandas", "polars", "pyarrow", "duckdb", "dask", "cloudpickle", "pyspark"),
        *("fsspec", "openpyxl"),
    },
    "_prepare": {"pyarrow"},
    "export": {"onnx"},
    "plot": {"matplotlib", "umap"},
    "report": {"jinja2", "markupsafe"},
    "cli": {"typer", "rich", "jinja2", "pandas", "polars", "pyarrow"},
    "__main__": {"typer"},
}
"""What else a floor may import, by statement or by name; in functions, as it may be missing."""

BY_NAME = {"need", "import_module"}
"""Functions that import the module that their first argument names."""


def libraries_of(name):
    """Return the libraries of others that a module imports."""
    found = set()
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.ImportFrom):
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, "id", getattr(node.func, "attr", None))
            found |= {node.args[0].value} if called in BY_NAME else set()
    roots = {module.partition(".")[0] for module in found}
    return roots - sys.stdlib_module_names - {"untie"}


def test_no_floor_imports_the_libraries_of_others():
    foreign = {
        name: found
        for name in MODULES
        if (found := libraries_of(name) - EVERYWHERE - LIBRARIES.get(floor(name), set()))
    }
    assert not foreign
    assert set(LIBRARIES) <= {floor(name) for name in MODULES}


def test_nothing_goes_in_circles():
    # A package and a module inside are one step apart: importing the module runs the package.
    open_modules, done = [], set()

    def visit(name):
        assert name not in open_modules, " -> ".join([*open_modules, name])
        if name in done:
            return
        open_modules.append(name)
        for other in sorted(IMPORTS[name] - {name}):
            visit(other)
        open_modules.pop()
        done.add(name)

    for name in MODULES:
        visit(name)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_no_module_has_the_name_of_a_function_in_it(name):
    functions = {node.name for node in TREES[name].body if isinstance(node, ast.FunctionDef)}
    assert name.rpartition(".")[2] not in functions


PAPER = ROOT.parents[1] / "reproduction/src/untie_paper"
"""The other distribution of the repository, which an sdist lacks."""


def test_no_class_has_the_name_of_another():
    """Not even in another package: who reads a name must not ask which one is meant."""
    trees = {**TREES, **{str(path): ast.parse(path.read_text()) for path in PAPER.rglob("*.py")}}
    found = {}
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(name)
    assert {name: where for name, where in found.items() if len(where) > 1} == {}


def test_no_module_is_hidden_by_a_name():
    for found in pkgutil.walk_packages(untie.__path__, "untie."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        package, _, leaf = found.name.rpartition(".")
        assert getattr(sys.modules[package], leaf) is module, found.name


ALLOWED_PRIVATE = {
    "_replace",  # named tuples have no other name for it
    "_asdict",
    "_fields",
    "_getframe",  # sys has no other name for it
    "_meta",  # Dask's empty frame; its documentation tells to use it
    "_set_output",
}

SHARED_BY_ESTIMATORS = {
    "_codes",
    "_columns_read",
    "_fit_codes",
    "_grouping",
    "_library",
    "_model",
    "_named",
    "_fit_rows",
    "_form",
    "_kind",
    "_label",
    "_of_prepared",
    "_preparation",
    "_prepared",
    "_probabilities",
    "_recipe",
    "_used",
    "_vector_task",
}
"""What estimators have for the rest of the package. A name with an underscore is one that users do
not see; the rule below keeps everything else to the module that defines it."""


def test_what_estimators_share_is_theirs():
    own = {name for cls in CLASSES for name in dir(cls)}
    own |= {
        name
        for cls in CLASSES
        for base in cls.__mro__
        for name in vars(base).get("__annotations__", ())
    }
    assert own >= SHARED_BY_ESTIMATORS


@pytest.mark.parametrize("name", sorted(MODULES))
def test_nothing_reaches_into_the_private_names_of_others(name):
    own = {
        node.name
        for node in ast.walk(TREES[name])
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    } | {
        node.attr
        for node in ast.walk(TREES[name])
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("self", "cls")
    }
    reached = {
        node.attr
        for node in ast.walk(TREES[name])
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    }
    assert reached - own <= ALLOWED_PRIVATE | SHARED_BY_ESTIMATORS


@pytest.mark.parametrize("name", sorted(MODULES))
def test_private_parts_of_a_package_stay_in_it(name):
    """A public package's modules with an underscore, and every name with one, are its own."""
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("untie."):
            package, *inner = node.module.split(".")[1:]
            if package != floor(name) and not package.startswith("_"):
                assert not any(part.startswith("_") for part in inner), node.module
            for alias in node.names:
                is_module = f"{node.module}.{alias.name}"[6:] in MODULES
                assert is_module or not alias.name.startswith("_"), alias.name


@pytest.mark.parametrize("package", ["", "cluster", "decomposition", "explain", "plot", "datasets"])
def test_dir_shows_what_a_user_may_call_and_nothing_else(package):
    module = importlib.import_module(f"untie.{package}".rstrip("."))
    assert sorted(module.__all__) == [name for name in dir(module) if not name.startswith("__")]


def test_the_picture_names_what_is_there():
    """Every file and folder that ARCHITECTURE.md names exists, and every floor is named."""
    repository = ROOT.parent.parent
    text = (repository / "ARCHITECTURE.md").read_text()
    named = re.findall(r"`([\w/]+(?:\.py|/))`", text)
    assert len(named) > 40
    if not (repository / "reproduction").exists():  # an sdist has none
        named = [path for path in named if not path.startswith("reproduction/")]
    missing = [
        path for path in named if not ((ROOT / path).exists() or (repository / path).exists())
    ]
    assert missing == []
    assert [floor for floor in FLOORS if not re.search(rf"\b{floor}\b", text)] == []
