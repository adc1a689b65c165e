"""Pages that several tests open, and the browser that opens them."""

import numpy as np
import pandas as pd
import pytest

from browser_cases import need_browser, running_browser
from page_cases import TITLE, drinks, many_columns, people
from untie import TableClusterer
from untie.report import _learned, _map, _study, make_report


@pytest.fixture
def quick(monkeypatch):
    """Leave out of pages what takes long and is tested elsewhere: t-SNE and other methods."""
    monkeypatch.setattr(_map, "FEWEST_FOR_TSNE", 10**9)
    monkeypatch.setattr(_learned, "COMPARED_VALUES", 0)


@pytest.fixture(scope="module")
def browser():
    with running_browser(need_browser()) as found:
        yield found


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "page.html"
    make_report(drinks(), TableClusterer(3), title=TITLE).save(path)
    return path


@pytest.fixture(scope="session")
def people_path(tmp_path_factory):
    """Return a page of a table with a label and more rows than its map shows, and the table."""
    frame = people()
    path = tmp_path_factory.mktemp("people") / "page.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_study, "MAP_ROWS", 400)
        make_report(frame, TableClusterer(3), label="left", title="people").save(path)
    return path, frame


@pytest.fixture(scope="session")
def wide_path(tmp_path_factory):
    """Return a page of 44 columns and 6 groups."""
    path = tmp_path_factory.mktemp("wide") / "page.html"
    make_report(many_columns(44, n_groups=6), TableClusterer(6), title="interviews").save(path)
    return path


@pytest.fixture(scope="session")
def noise_path(tmp_path_factory):
    """Return a page of a table without groups."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice(list("xyz"), 150) for name in "abcd"})
    path = tmp_path_factory.mktemp("noise") / "page.html"
    make_report(frame, title="noise").save(path)
    return path


@pytest.fixture
def tab(browser, path):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    problems, requests = [], []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    yield page
    assert problems == []
    assert [url for url in requests if not url.startswith(("blob:", "data:"))] == [path.as_uri()]
    assert page.evaluate("window.hacked") is None
    page.close()
