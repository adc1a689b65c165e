"""Every public name stands in the reference, and shows how it is used."""

import inspect
import pkgutil
import re
import tomllib
import warnings
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.base import clone

import untie
from site_files import script
from untie._util.about import DOCUMENTATION

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
PACKAGES = [
    "untie",
    *(
        f"untie.{module.name}"
        for module in pkgutil.iter_modules(untie.__path__)
        if not module.name.startswith("_")
        and module.name != "cli"
        and hasattr(import_module(f"untie.{module.name}"), "__all__")
    ),
]
PUBLIC = [
    (package, name)
    for package in PACKAGES
    for name in import_module(package).__all__
    if not inspect.ismodule(getattr(import_module(package), name))
]


def listed():
    """Return what the pages of the reference list, each name with its package."""
    found = set()
    for page in REFERENCE.glob("*.md"):
        package = None
        for line in re.findall(r"\.\. currentmodule:: \S+|^ {3}\w+$", page.read_text(), re.M):
            if "currentmodule" in line:
                package = line.split()[-1]
            elif package.partition(".")[0] == "untie":  # the paper's are its own
                found.add((package, line.strip()))
    return found


def examples_of(package, name):
    """Return the docstring that should show a name: its own, or its package's for plain data."""
    thing = getattr(import_module(package), name)
    if callable(thing):
        return inspect.getdoc(thing) or ""
    lines = (import_module(package).__doc__ or "").splitlines()
    return "\n".join(line for line in lines if name in line)


def test_the_reference_lists_every_public_name_and_no_other():
    # Some names are public in two places, and one place is enough.
    things = {id(getattr(import_module(p), n)) for p, n in listed()}
    missing = [(p, n) for p, n in PUBLIC if id(getattr(import_module(p), n)) not in things]
    assert not missing
    assert not listed() - set(PUBLIC)


ESTIMATORS = (
    untie.TableEncoder(),
    untie.UNTIE(),
    untie.TableClusterer(),
    untie.Preparer(),
    untie.cluster.KModes(2),
    untie.cluster.KPrototypes(2),
    untie.cluster.LatentClasses(2),
    untie.decomposition.MCA(),
    untie.decomposition.FAMD(),
)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_the_link_of_an_estimators_box_leads_to_its_page(estimator):
    name = type(estimator).__name__
    (package,) = {package for package, listed_name in listed() if listed_name == name}
    page = f"reference/generated/{package}.{name}.html"
    assert estimator._get_doc_link() == DOCUMENTATION + page
    pyproject = (REFERENCE.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert tomllib.loads(pyproject)["project"]["urls"]["Documentation"] == DOCUMENTATION


def test_a_class_of_a_user_has_no_page_of_ours():
    class Own(untie.TableEncoder):
        pass

    assert Own()._get_doc_link() == ""


OF_SCIKIT_LEARN = {
    *("fit_transform", "fit_predict", "get_params", "set_params", "set_output"),
    *("get_metadata_routing", "get_feature_names_out"),
}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_tab_completion_shows_what_the_reference_documents(estimator):
    """Methods that the reference shows, parameters, and what scikit-learn adds."""
    members = script("_ext/own_members.py")
    name = type(estimator)
    homes = (untie.cluster, untie.decomposition, untie)
    module = next(home.__name__ for home in homes if name.__name__ in home.__all__)
    own = {
        *members.own_methods(module, name.__name__),
        *members.own_properties(module, name.__name__),
    }
    requests = {shown for shown in dir(estimator) if re.fullmatch(r"set_\w+_request", shown)}
    documented = {*own, *estimator.get_params(), *OF_SCIKIT_LEARN, *requests}
    assert {shown for shown in dir(estimator) if not shown.startswith("_")} <= documented
    assert all(inspect.getdoc(getattr(name, method)) for method in own)
    assert not own & {"codes", "fit_rows", "fit_codes", "from_state", "kind", "parts", "prepared"}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_what_fit_adds_is_documented_or_private(estimator):
    rows = [["red", "no", 1], ["blue", "no", 2], ["red", "yes", 3], ["blue", "yes", 4]] * 9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows
        fitted = clone(estimator).fit(rows)
    text = inspect.getdoc(type(estimator))
    learned = {name for name in dir(fitted) if name.endswith("_") and not name.startswith("_")}
    assert {name for name in learned if not re.search(rf"\b{name}\b", text)} == set()


@pytest.mark.parametrize(("package", "name"), PUBLIC, ids=lambda part: part)
def test_every_public_name_has_an_example(package, name):
    assert re.search(r"^\s*>>> ", examples_of(package, name), re.M), f"{package}.{name}"
