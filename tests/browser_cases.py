"""A browser without a window, for tests and measurements of pages."""

import os
import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_browser():
    """Return the path of a Chromium or Chrome, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def need_browser():
    """Return the path of a browser; without one, skip, or fail where CI is set."""
    path = find_browser()
    if path is None:
        say = "No Chromium or Chrome was found; install Debian's chromium to open the report."
        if os.environ.get("CI"):
            pytest.fail(say)
        pytest.skip(say)
    return path


@contextmanager
def running_browser(path):
    """Give a browser that playwright drives."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        # Chromium's own sandbox refuses to run as root, as tests in a container do.
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()
