"""The page for those who listen, or see little: axe-core finds nothing serious."""

import os

import pytest

from page_cases import many_columns, open_folds
from untie import TableClusterer
from untie.report import make_report

pytestmark = pytest.mark.integration


def axe():
    """Return axe-core's runner; without it, skip, or fail where CI is set."""
    if os.environ.get("CI"):
        import axe_playwright_python.sync_playwright as found
    else:
        found = pytest.importorskip("axe_playwright_python.sync_playwright")
    return found.Axe()


@pytest.fixture(scope="module")
def six_path(tmp_path_factory):
    """Return a page of 6 groups, each of which has its own color, with few columns."""
    path = tmp_path_factory.mktemp("six") / "page.html"
    make_report(many_columns(6, n_groups=6), TableClusterer(6), title="interview").save(path)
    return path


def assert_nothing_serious(browser, path, scheme, **options):
    runner = axe()
    options = {"resultTypes": ["violations"], **options}  # the nodes that pass are many
    for width in (1400, 390):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.goto(path.as_uri())
        open_folds(page)
        found = runner.run(page, options=options).response
        assert len(found["passes"]) > 15  # it has looked
        bad = [
            (violation["id"], [node["target"] for node in violation["nodes"][:3]])
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        assert bad == []
        page.close()


@pytest.mark.parametrize(
    ("which", "scheme"),
    # Six groups have all colors that three have.
    [("label", "dark"), ("no groups", "light"), ("six groups", "light"), ("six groups", "dark")],
)
def test_axe_finds_nothing_serious(browser, people_path, noise_path, six_path, which, scheme):
    source = {"label": people_path[0], "no groups": noise_path, "six groups": six_path}[which]
    assert_nothing_serious(browser, source, scheme)


def test_axe_finds_nothing_serious_in_a_wide_table(browser, wide_path):
    """Its colors are those of the other pages; axe compares each with all that lies below it."""
    without = {"color-contrast": {"enabled": False}}
    assert_nothing_serious(browser, wide_path, "light", rules=without)
