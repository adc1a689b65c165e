"""The page in a browser: nothing is asked of a network, and everything on it works."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from browser_cases import need_browser, running_browser
from untie import UNTIE, Preparer, UNTIEClusterer
from untie.explain import why_similar
from untie.report import make_report

pytestmark = pytest.mark.integration

EVIL = "</script><script>window.hacked = 1</script>"
IMAGE = '<img src=x onerror="window.hacked = 1">'
TITLE = f"<b>{EVIL}"


def drinks(n=300):
    """Return three groups of rows, with HTML in names and values."""
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=n)
    cells = {
        "colour": ["red", "brown", IMAGE],
        f"{EVIL} kind": ["wine", "beer", EVIL],
        "glass": ["thin", "jug", '=1+"1", 2'],
        "place": ["bar", "pub", "café ☃"],
        "strength": ["low", "middle", "high"],
    }
    frame = {
        name: [values[own] if rng.random() < 0.85 else values[rng.integers(3)] for own in group]
        for name, values in cells.items()
    }
    return pd.DataFrame(frame | {"sip": rng.normal(size=n).round(3) + group})


@pytest.fixture(scope="module")
def browser():
    with running_browser(need_browser()) as found:
        yield found


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "page.html"
    make_report(drinks(), n_clusters=3, title=TITLE).save(path)
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


def data_of(tab):
    return json.loads(tab.locator("#untie-data").text_content())


def spot(tab, row):
    """Return where a row is on the screen."""
    tab.locator("#map-canvas").scroll_into_view_if_needed()
    x, y = tab.evaluate("(row) => onScreen(row)", row)
    box = tab.locator("#map-canvas").bounding_box()
    return box["x"] + x, box["y"] + y


def downloaded(tab, button):
    with tab.expect_download() as event:
        button.click()
    text = event.value.path().read_text(encoding="utf-8-sig")
    return event.value.suggested_filename, list(csv.reader(io.StringIO(text)))


def disarmed(cell):
    """Return a cell as it is downloaded: no spreadsheet takes it for a formula."""
    return f"'{cell}" if cell.startswith("=") else cell


def pixels(tab):
    return tab.evaluate("document.getElementById('map-canvas').toDataURL()")


def lone_row(tab):
    """Return a row that has no other near it, so that pointing at it finds it."""
    places = np.array(tab.evaluate("data.rows.map((_, row) => onScreen(row))"))
    apart = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(len(places))
    return int(apart.min(axis=1).argmax())


def test_everything_is_shown_and_nothing_is_run(tab):
    assert tab.title() == f"Report: {TITLE}"
    assert tab.locator("h1").text_content() == TITLE
    assert EVIL in tab.locator("#t-columns").text_content()
    headings = tab.locator("main h2").all_text_contents()
    assert len(headings) == 12
    assert tab.locator("main img, main script").count() == 0


def test_injected_scripts_and_requests_are_forbidden(browser, path):
    page = browser.new_page()
    page.goto(path.as_uri())
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.evaluate(
        """() => {
        const script = document.createElement('script');
        script.textContent = 'window.hacked = 1';
        document.body.append(script);
        document.body.insertAdjacentHTML('beforeend', '<b onclick="window.hacked=1" id="b">x</b>');
        document.getElementById('b').click();
        return fetch('https://example.org/').catch(() => null);
        }"""
    )
    assert page.evaluate("window.hacked") is None
    assert sum("Content Security Policy" in text for text in said) >= 2
    page.close()


def test_hover_shows_the_cells_of_the_row(tab):
    data = data_of(tab)
    row = lone_row(tab)
    assert not tab.locator("#map-tip").is_visible()
    tab.mouse.move(*spot(tab, row))
    text = tab.locator("#map-tip").inner_text()
    assert f"Row {data['rows'][row]}, cluster {data['clusters'][row]}" in text
    for column in data["columns"]:
        assert column["name"] in text
        assert column["labels"][column["codes"][row]] in text
    tab.mouse.move(5, 5)
    assert not tab.locator("#map-tip").is_visible()


def test_colours_change_with_the_column(tab):
    data = data_of(tab)
    before = pixels(tab)
    for number, column in enumerate(data["columns"]):
        tab.locator("#map-colour").select_option(str(number))
        named = tab.locator("#map-legend button span:nth-of-type(1)").all_text_contents()
        counts = tab.locator("#map-legend button span:nth-of-type(2)").all_text_contents()
        codes = np.array(column["codes"])
        if column["ordered"]:  # tens of ranges, some neighbours of which have a colour together
            assert len(column["runs"]) < 9 < len(column["labels"])
            codes = np.array(column["run_of"])[codes]
        assert named == column.get("runs", column["labels"])
        assert list(map(int, counts)) == np.bincount(codes).tolist()
        after = pixels(tab)
        assert after != before
        before = after
    tab.locator("#map-layout").select_option("PCA")
    assert pixels(tab) != before


def test_lasso_lists_the_rows_inside(tab):
    data = data_of(tab)
    tab.locator("#map-canvas").scroll_into_view_if_needed()
    box = tab.locator("#map-canvas").bounding_box()
    left, top, right, bottom = (
        box["x"] + 2,
        box["y"] + 2,
        box["x"] + box["width"] / 2,
        box["y"] + 540,
    )
    tab.mouse.move(left, top)
    tab.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom)):
        tab.mouse.move(x, y, steps=4)
    tab.mouse.up()
    places = tab.evaluate("data.rows.map((_, row) => onScreen(row))")
    inside = [row for row, (x, y) in enumerate(places) if 2 < x < box["width"] / 2 and 2 < y < 540]
    assert 0 < len(inside) < len(places)
    assert tab.locator("#map-status").inner_text() == f"{len(inside)} rows are selected."
    name, lines = downloaded(tab, tab.locator("#map-selected button.csv"))
    assert name == "selected-rows.csv"
    assert lines[0] == ["row", "cluster", *(column["name"] for column in data["columns"])]
    assert [int(line[0]) for line in lines[1:]] == [data["rows"][row] for row in inside]
    cells = [
        [column["labels"][column["codes"][row]] for column in data["columns"]] for row in inside
    ]
    # A formula is disarmed; all else comes out as it is.
    assert [line[2:] for line in lines[1:]] == [list(map(disarmed, line)) for line in cells]
    listed = tab.locator("#map-selected tbody tr").count()
    assert listed == min(200, len(inside))


def test_legend_selects_without_a_mouse(tab):
    data = data_of(tab)
    tab.locator("#map-legend button").first.focus()
    tab.keyboard.press("Enter")
    n = data["clusters"].count(0)
    assert tab.locator("#map-status").inner_text() == f"{n} rows are selected."
    assert tab.locator("#map-legend button").first.get_attribute("aria-pressed") == "true"
    tab.keyboard.press("Enter")
    assert tab.locator("#map-status").inner_text() == "No row is selected."
    assert not tab.locator("#map-selected").is_visible()


def test_a_click_shows_the_nearest_rows_and_why(tab):
    data = data_of(tab)
    row = lone_row(tab)
    tab.mouse.click(*spot(tab, row))
    found = data["neighbors"][data["kinds"][row]]
    numbers = [data["rows"][data["first"][entry[0]]] for entry in found]
    shown = tab.locator("#map-row .scroll").first.locator("tbody th").all_text_contents()
    assert list(map(int, shown)) == numbers
    tab.locator("#map-row button", has_text="Why").nth(1).click()
    name, lines = downloaded(tab, tab.locator("#map-why button.csv"))
    assert name == "why.csv"
    assert lines[0][2] == f"row {numbers[1]}"
    frame = drinks()
    clusterer = UNTIEClusterer(
        3, encoder=UNTIE(3, random_state=0), preparer=Preparer(), random_state=0
    ).fit(frame)
    rows = clusterer.prepared(frame)
    pair = [rows.iloc[[place]] for place in (data["rows"][row], numbers[1])]
    expected = why_similar(clusterer.encoder_, *pair).set_index("column")
    assert len(lines) - 1 == len(expected)
    for column, mine, theirs, adds, sets in lines[1:]:
        line = expected.loc[column]
        assert [mine.removeprefix("'"), theirs.removeprefix("'")] == [line.value, line.other_value]
        assert float(adds) == pytest.approx(line.contribution, rel=1e-3, abs=1e-9)
        assert float(sets) == pytest.approx(line.distance, rel=1e-3, abs=1e-9)
    name, lines = downloaded(tab, tab.locator("#map-row button.csv").first)
    assert name == "nearest.csv"
    assert [int(line[0]) for line in lines[1:]] == numbers
    assert [float(line[3]) for line in lines[1:]] == [entry[1] for entry in found]
    tab.locator("#map-row summary").click()
    name, lines = downloaded(tab, tab.locator("#map-row details button.csv"))
    column = data["columns"][2]
    assert [name, lines[3]] == [
        "row.csv",
        [column["name"], disarmed(column["labels"][column["codes"][row]])],
    ]
    first = tab.locator("#map-row tbody th button").first
    first.click()
    assert tab.locator("#map-row h3").inner_text().startswith(f"Row {numbers[0]},")


def test_keys_walk_over_the_map(tab):
    tab.locator("#map-canvas").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowRight"):
        tab.keyboard.press(key)
    assert tab.locator("#map-tip").is_visible()
    said = tab.locator("#map-status").inner_text()
    assert said.startswith("Row ")
    tab.keyboard.press("Enter")
    assert tab.locator("#map-row h3").inner_text() == said.split(":")[0]
    tab.keyboard.press("Escape")
    assert not tab.locator("#map-row").is_visible()


def test_every_table_can_be_downloaded(browser, path):
    page = browser.new_page()
    names = []
    n_tables = 1
    while len(names) < n_tables:
        if len(names) % 8 == 0:  # a browser without a window refuses more than ten at once
            page.goto(path.as_uri())
            page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            n_tables = page.locator("main table").count()
            assert page.locator("main button.csv[data-table]").count() == n_tables > 15
        button = page.locator("main button.csv").nth(len(names))
        name, lines = downloaded(page, button)
        assert name == button.get_attribute("data-file")
        cells = page.locator(f"#{button.get_attribute('data-table')}").evaluate(
            "(t) => [...t.rows].map((r) => [...r.cells].map((c) => c.dataset.v ?? c.textContent))"
        )
        assert lines == [[disarmed(cell.strip()) for cell in line] for line in cells]
        names.append(name)
    assert len(set(names)) == n_tables
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1400, 900), (768, 1024), (375, 812)])
def test_the_page_fits_every_screen(browser, path, scheme, size):
    width, height = size
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colour == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[scheme]
    page.close()


def test_a_finger_scrolls_and_taps_and_draws_if_asked(browser, path):
    context = browser.new_context(viewport={"width": 375, "height": 812}, has_touch=True)
    page = context.new_page()
    page.goto(path.as_uri())
    row = lone_row(page)
    page.touchscreen.tap(*spot(page, row))
    assert page.locator("#map-row").is_visible()
    canvas = page.locator("#map-canvas")
    assert canvas.evaluate("(c) => getComputedStyle(c).touchAction") != "none"
    page.locator("#map-lasso").tap()
    assert canvas.evaluate("(c) => getComputedStyle(c).touchAction") == "none"
    context.close()


def test_print_opens_all_but_what_goes_deep(tab):
    tab.emulate_media(media="print")
    tab.locator("details.deep").nth(1).evaluate("(element) => { element.open = true; }")
    tab.locator("#data details").evaluate("(element) => { element.open = false; }")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("details:not(.deep):not([open])").count() == 0
    assert not tab.locator("details.deep").nth(0).is_visible()
    assert tab.locator("details.deep").nth(1).is_visible()
    assert not tab.locator("nav").is_visible()
    assert not tab.locator("button.csv").first.is_visible()
    tab.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert tab.locator("details:not([open])").count() > 0


def test_names_for_those_who_listen(tab):
    """Every control, table and picture says what it is."""
    unnamed = tab.evaluate(
        """() => [...document.querySelectorAll('button, select, svg, canvas, table, [role=region]')]
        .filter((e) => !e.closest('[aria-hidden]'))
        .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length))
        .map((e) => e.outerHTML)"""
    )
    assert unnamed == []
    assert tab.evaluate("[...document.querySelectorAll('table')].every((t) => t.caption)")
    heads = tab.evaluate("[...document.querySelectorAll('th')].every((h) => h.scope)")
    assert heads
    levels = tab.evaluate(
        "[...document.querySelectorAll('h1,h2,h3')].map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    for selector in ("header", "nav", "main", "footer"):
        assert tab.locator(selector).count() == 1


def test_a_notebook_shows_the_page(browser, path, tmp_path):
    report = make_report(drinks(60), n_clusters=2)
    outer = tmp_path / "notebook.html"
    outer.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{report._repr_html_()}")
    page = browser.new_page()
    page.goto(outer.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("#map-legend button").first.click()
    assert "rows are selected." in frame.locator("#map-status").inner_text()
    page.close()


def test_values_that_look_the_same_when_cut_stay_two(browser, tmp_path):
    """One is chosen in the legend, not both, and rows that differ in them are said to differ."""
    path = tmp_path / "page.html"
    long = "x" * 100
    frame = pd.DataFrame({"a": [f"{long}1", f"{long}2", "y"] * 20, "b": ["u", "u", "v"] * 20})
    make_report(frame, n_clusters=2).save(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.select_option("#map-colour", label="a")
    buttons = page.locator("#map-legend button")
    assert buttons.count() == 3
    buttons.nth(0).click()
    pressed = [buttons.nth(place).get_attribute("aria-pressed") for place in range(3)]
    assert pressed == ["true", "false", "false"]
    page.evaluate("showRow(0)")
    assert page.evaluate("data.neighbors[data.kinds[0]].map((n) => data.first[n[0]])")[0] == 1
    line = page.evaluate("neighborLine(0, data.neighbors[data.kinds[0]][0])")
    assert line[4].startswith("a: xxx")
    page.close()


def test_columns_that_add_nothing_are_no_reason(tab):
    first, second = (column["name"] for column in data_of(tab)["columns"][:2])
    said = "(flat) => neighborLine(0, [1, 1, 1, flat])[1]"
    assert tab.evaluate(said, [0, 0, 1, 1, 0.5, 0]) == f"alike in {second}"
    assert tab.evaluate(said, [0, 0.2, 1, 1, 0.5, 0]) == f"alike in {second}, {first}"
    assert tab.evaluate(said, [0, 0, 1, 1, 0, 1]) == ""


def test_one_row_is_no_rows(tab):
    tab.evaluate("select([0], '', null)")
    assert tab.locator("#map-status").inner_text() == "1 row is selected."
    assert tab.locator("#map-selected caption").inner_text() == "1 selected row"
    assert tab.locator("#map-legend [aria-pressed=true]").count() == 0
