"""The page in a browser: nothing is asked of a network, and everything on it works."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest

from browser_cases import need_browser, running_browser
from untie import UNTIE, Preparer, UNTIEClusterer
from untie.explain import why_similar
from untie.report import make_report
from untie.report._table import percent, points

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


def overflowing(page, selector):
    """Return the boxes whose tables are wider than they are."""
    return page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)]
        .filter((box) => box.offsetParent && box.scrollWidth > box.clientWidth)
        .map((box) => [box.getAttribute('aria-label'), box.scrollWidth, box.clientWidth])""",
        selector,
    )


@pytest.fixture(scope="module")
def people_path(tmp_path_factory):
    """Return a page of a table with long names, numbers, a label and more rows than on the map."""
    rng = np.random.default_rng(0)
    n = 2600
    group = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    drawn = np.where(rng.random((5, n)) < 0.85, group, rng.integers(3, size=(5, n)))
    frame = pd.DataFrame(
        {
            "highest_qualification": np.array(["No Qualification", "Degree", "Other"])[drawn[0]],
            "town": np.array(["Rome", "Bonn", "Oslo"])[drawn[1]],
            "married": np.array(["yes", "no", "no"])[drawn[2]],
            "gross_income": (1000 * (drawn[3] + 1) + rng.integers(0, 900, n)).astype(float),
            "amount_on_weekends": (10 * drawn[4] + rng.integers(0, 9, n)).astype(float),
            "left": np.where(rng.random(n) < 0.8, group, 0).astype(str),
        }
    )
    path = tmp_path_factory.mktemp("people") / "page.html"
    make_report(frame, n_clusters=3, label="left", title="people").save(path)
    return path, frame


@pytest.mark.parametrize("width", [1400, 768, 390])
def test_tables_fit_their_boxes(browser, people_path, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(people_path[0].as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert overflowing(page, "main .scroll:has(table[role=table])") == []
    assert page.locator("main .scroll:has(table[role=table])").count() > 12
    if width == 1400:  # on a phone, heat maps scroll in their boxes
        assert overflowing(page, "main .scroll") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("width", [1400, 390])
def test_every_column_of_a_card_is_in_sight(browser, people_path, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(people_path[0].as_uri())
    box = page.locator("#t-cluster-0-values")
    assert box.locator("thead th").all_text_contents() == [
        *("column", "value", "share", "elsewhere"),
        *("lift", "p", "count"),
    ]
    inside = box.evaluate(
        """(table) => { const box = table.closest('.scroll').getBoundingClientRect();
        return [...table.querySelectorAll('th, td')].every((cell) => {
        const own = cell.getBoundingClientRect();
        return own.width > 20 && own.left >= box.left - 1 && own.right <= box.right + 1
          && cell.scrollWidth <= cell.clientWidth + 1; }); }"""
    )
    assert inside
    page.close()


def test_bars_start_at_one_place(browser, people_path):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(people_path[0].as_uri())
    starts = page.evaluate(
        """() => [...document.querySelectorAll('.card .fit table')].map((table) =>
        [2, 3].map((column) => new Set([...table.tBodies[0].rows].map((row) =>
          Math.round(row.cells[column].querySelector('.bar').getBoundingClientRect().left))).size))"""
    )
    assert starts == [[1, 1]] * 3
    lengths = page.evaluate(
        """() => [...document.querySelectorAll('.card .fit tbody tr')].map((row) => {
        const bar = row.cells[2].querySelector('.bar');
        return [bar.firstChild.offsetWidth / bar.offsetWidth, Number(row.cells[2].dataset.v)]; })"""
    )
    for length, share in lengths:
        assert length == pytest.approx(share, abs=0.03)
    page.close()


def test_heads_of_heat_maps_stay_below_the_caption(browser, people_path):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(people_path[0].as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    gaps = page.evaluate(
        """() => [...document.querySelectorAll('table.heat')].flatMap((table) => {
        const caption = table.caption.getBoundingClientRect().bottom;
        return [...table.querySelectorAll('thead span')].map((span) =>
          span.getBoundingClientRect().top - caption); })"""
    )
    assert len(gaps) > 20
    assert min(gaps) >= 0
    hidden = page.evaluate(
        """() => [...document.querySelectorAll('.scroll:has(> table.heat)')]
        .filter((box) => box.scrollHeight > box.clientHeight + 1).length"""
    )
    assert hidden == 0  # every row is there, without scrolling
    page.close()


def test_legends_count_all_rows_where_the_map_is_a_sample(browser, people_path):
    path, frame = people_path
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(path.as_uri())
    data = data_of(page)
    assert len(data["rows"]) == 2000
    said = page.locator("#map-counts").inner_text()
    assert said == "The numbers count all 2,600 rows; the map shows 2,000 of them."
    counts = page.locator("#map-legend button span:nth-of-type(2)")
    assert sum(int(text.replace(",", "")) for text in counts.all_text_contents()) == len(frame)
    page.select_option("#map-colour", label="town")
    names = page.locator("#map-legend button span:nth-of-type(1)").all_text_contents()
    found = [int(text.replace(",", "")) for text in counts.all_text_contents()]
    assert dict(zip(names, found, strict=True)) == frame.town.value_counts().to_dict()
    page.select_option("#map-colour", label="left (not learned from)")
    names = page.locator("#map-legend button span:nth-of-type(1)").all_text_contents()
    found = [int(text.replace(",", "")) for text in counts.all_text_contents()]
    assert dict(zip(names, found, strict=True)) == frame.left.value_counts().to_dict()
    page.select_option("#map-colour", label="gross_income")
    found = [int(text.replace(",", "")) for text in counts.all_text_contents()]
    assert sum(found) == len(frame)
    page.close()


def test_where_all_rows_are_on_the_map_nothing_is_said_of_it(tab):
    assert not tab.locator("#map-counts").is_visible()


def test_any_two_clusters_are_compared(tab):
    data = data_of(tab)["pair"]
    before = tab.locator("#t-side-by-side").inner_text()
    tab.locator("#pair-first").select_option("2")
    tab.locator("#pair-second").select_option("0")
    assert tab.locator("#t-side-by-side").inner_text() != before
    heads = tab.locator("#t-side-by-side thead th").all_text_contents()
    assert heads == ["column", "value", "cluster 2", "cluster 0", "difference"]
    lines = [
        (column, value, counts[2] / data["sizes"][2], counts[0] / data["sizes"][0])
        for column, value, counts in data["lines"]
    ]
    lines = [line for line in lines if abs(line[2] - line[3]) > 0.005]
    lines.sort(key=lambda line: -abs(line[2] - line[3]))
    cells = [row.all_text_contents() for row in rows_of(tab, "#t-side-by-side")]
    assert cells == [
        [column, value, percent(one), percent(other), points(one - other)]
        for column, value, one, other in lines[:15]
    ]
    said = tab.locator("#pair-said").inner_text()
    assert said.startswith(f"Cluster 2 ({data['names'][2]}) beside cluster 0")
    name, rows = downloaded(tab, tab.locator("#pair-table button.csv"))
    assert name == "side-by-side.csv"
    assert float(rows[1][4]) == pytest.approx(lines[0][2] - lines[0][3])
    tab.locator("#pair-second").select_option("2")
    assert "they do not differ" in tab.locator("#pair-said").inner_text()
    tab.locator("#pair-first").select_option(str(data["clusters"].index(data["first"])))
    tab.locator("#pair-second").select_option(str(data["clusters"].index(data["second"])))
    assert tab.locator("#t-side-by-side").inner_text() == before


def rows_of(page, table):
    body = page.locator(f"{table} tbody tr")
    return [body.nth(place).locator("th, td") for place in range(body.count())]


def test_a_row_and_a_selection_have_places_of_their_own(tab):
    boxes = tab.locator(".place")
    assert boxes.locator(".empty").evaluate_all("(all) => all.map((p) => p.offsetHeight > 0)") == [
        True,
        True,
    ]
    tab.mouse.click(*spot(tab, lone_row(tab)))
    tab.locator("#map-legend button").first.click()
    assert tab.locator("#map-row").is_visible()
    assert tab.locator("#map-selected").is_visible()
    first, second = (boxes.nth(place).bounding_box() for place in range(2))
    assert first["y"] == second["y"]
    assert first["x"] + first["width"] <= second["x"]
    assert not boxes.locator(".empty").first.is_visible()
    tab.locator("#map-legend button").first.click()
    assert tab.locator("#map-row").is_visible()
    assert boxes.locator(".empty").nth(1).is_visible()


def test_the_first_screen_has_the_groups_beside_the_map(tab):
    data = data_of(tab)
    names = tab.locator(".groups strong").all_text_contents()
    assert names == [f"{number}: {name}" for number, name in data["names"].items()]
    last = tab.locator(".groups li").last.bounding_box()
    canvas = tab.locator("#map-canvas").bounding_box()
    assert last["y"] + last["height"] <= 900
    assert last["x"] + last["width"] <= canvas["x"]
    assert canvas["y"] + canvas["height"] / 2 <= 900
    tab.locator(".groups a").nth(1).click()
    assert tab.url.endswith("#cluster-1")


def test_without_scripts_all_but_the_map_can_be_read(browser, people_path):
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 1400, "height": 900}
    )
    page = context.new_page()
    page.goto(people_path[0].as_uri())
    assert page.locator(".groups li").count() == 3
    assert page.locator(".groups li").first.is_visible()
    assert page.locator("#t-side-by-side tbody tr").count() > 5
    assert page.locator("#t-shares").is_visible()
    for gone in ("#map-canvas", "#map-colour", "#pair-first", "button.csv >> nth=0"):
        assert not page.locator(gone).is_visible()
    assert page.locator("main noscript p").is_visible()
    context.close()


def test_a_small_table_is_printed_on_less_than_eight_pages(browser, people_path, path, tmp_path):
    for number, source in enumerate((people_path[0], path)):
        page = browser.new_page()
        page.goto(source.as_uri())
        page.pdf(path=tmp_path / f"{number}.pdf", format="A4", print_background=True)
        text = (tmp_path / f"{number}.pdf").read_bytes()
        assert 2 <= len(re.findall(rb"/Type /Page\b", text)) < 8
        page.close()
