"""The page for those who listen, or see little: axe-core finds nothing serious."""

import os

import pytest

from page_cases import open_folds

pytestmark = pytest.mark.integration


def axe():
    """Return axe-core's runner; without it, skip, or fail where CI is set."""
    if os.environ.get("CI"):
        import axe_playwright_python.sync_playwright as found
    else:
        found = pytest.importorskip("axe_playwright_python.sync_playwright")
    return found.Axe()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("which", ["label", "no groups", "wide"])
def test_axe_finds_nothing_serious(browser, people_path, noise_path, wide_path, which, scheme):
    runner = axe()
    source = {"label": people_path[0], "no groups": noise_path, "wide": wide_path}[which]
    for width in (1400, 390):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.goto(source.as_uri())
        open_folds(page)
        found = runner.run(page).response
        assert len(found["passes"]) > 15  # it has looked
        bad = [
            (violation["id"], [node["target"] for node in violation["nodes"][:3]])
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        assert bad == []
        page.close()
