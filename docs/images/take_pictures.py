"""Take the pictures of a report that the README and the site show: one light, one dark.

Needs the extras `report` and `test`, a Chromium that is installed already, and Pillow, which
matplotlib brings. Run it in this folder: ``python take_pictures.py [path of chromium]``.
"""

import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from untie import make_report
from untie.datasets import load

SIZE = {"width": 1100, "height": 880}
COLORS = 128
"""So many colors keep a picture below 100 kB."""


def take(browser: Browser, page: Path, scheme: str) -> None:
    """Write the first screen of a page, in light or dark colors."""
    tab = browser.new_page(viewport=SIZE, color_scheme=scheme)
    tab.goto(page.as_uri())
    tab.wait_for_timeout(1000)  # the map is drawn by a script
    picture = Image.open(BytesIO(tab.screenshot())).convert("RGB").quantize(COLORS)
    picture.save(Path(__file__).parent / f"report-{scheme}.png", optimize=True)


def main(chromium: str = "/usr/bin/chromium") -> None:
    """Make the report of the votes and take both pictures."""
    votes, party = load("housevotes")
    report = make_report(votes.assign(**{"class": party}), label="class", title="votes.csv")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "votes.html"
        report.save(page)
        browser = playwright.chromium.launch(executable_path=chromium)
        for scheme in ("light", "dark"):
            take(browser, page, scheme)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
