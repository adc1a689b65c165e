"""The map of the page in a browser: rows are pointed at, selected and explained."""

import numpy as np
import pandas as pd
import pytest

from page_cases import data_of, disarmed, downloaded, drinks, lone_row, pixels, spot
from untie import Preparer, TableClusterer, TableEncoder
from untie.explain import why_similar
from untie.report import make_report

pytestmark = pytest.mark.integration


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


def test_colors_change_with_the_column(tab):
    data = data_of(tab)
    before = pixels(tab)
    for number, column in enumerate(data["columns"]):
        tab.locator("#map-color").select_option(str(number))
        named = tab.locator("#map-legend button span:nth-of-type(1)").all_text_contents()
        counts = tab.locator("#map-legend button span:nth-of-type(2)").all_text_contents()
        codes = np.array(column["codes"])
        if column["ordered"]:  # tens of ranges, some neighbors of which have a color together
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
    clusterer = TableClusterer(
        3,
        encoder=TableEncoder(3, random_state=0, preparer=None),
        preparer=Preparer(),
        random_state=0,
    ).fit(frame)
    pair = [frame.iloc[[place]] for place in (data["rows"][row] - 1, numbers[1] - 1)]
    expected = why_similar(clusterer, *pair).set_index("column")
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


def test_values_that_look_the_same_when_cut_stay_two(browser, tmp_path):
    """One is chosen in the legend, not both, and rows that differ in them are said to differ."""
    path = tmp_path / "page.html"
    long = "x" * 100
    frame = pd.DataFrame({"a": [f"{long}1", f"{long}2", "y"] * 20, "b": ["u", "u", "v"] * 20})
    make_report(frame, TableClusterer(2)).save(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.select_option("#map-color", label="a")
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


def test_legends_count_all_rows_where_the_map_is_a_sample(browser, people_path):
    path, frame = people_path
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(path.as_uri())
    data = data_of(page)
    assert len(data["rows"]) == 400
    said = page.locator("#map-counts").inner_text()
    assert said == "The numbers count all 1,600 rows; the map shows 400 of them."
    counts = page.locator("#map-legend button span:nth-of-type(2)")
    assert sum(int(text.replace(",", "")) for text in counts.all_text_contents()) == len(frame)
    page.select_option("#map-color", label="town")
    names = page.locator("#map-legend button span:nth-of-type(1)").all_text_contents()
    found = [int(text.replace(",", "")) for text in counts.all_text_contents()]
    assert dict(zip(names, found, strict=True)) == frame.town.value_counts().to_dict()
    page.select_option("#map-color", label="left (not learned from)")
    names = page.locator("#map-legend button span:nth-of-type(1)").all_text_contents()
    found = [int(text.replace(",", "")) for text in counts.all_text_contents()]
    assert dict(zip(names, found, strict=True)) == frame.left.value_counts().to_dict()
    page.select_option("#map-color", label="gross_income")
    found = [int(text.replace(",", "")) for text in counts.all_text_contents()]
    assert sum(found) == len(frame)
    page.close()


def test_where_all_rows_are_on_the_map_nothing_is_said_of_it(tab):
    assert not tab.locator("#map-counts").is_visible()


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


def test_rows_are_called_by_their_names(browser, tmp_path):
    names = [f"<img src=x onerror=alert(1)> {row}" for row in range(300)]
    make_report(drinks().assign(name=names), TableClusterer(3)).save(tmp_path / "page.html")
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    data = data_of(page)
    row = lone_row(page)
    called = f"{names[data['rows'][row] - 1]}, row {data['rows'][row]}"
    page.mouse.move(*spot(page, row))
    assert f"{called}, cluster" in page.locator("#map-tip").inner_text()
    page.mouse.click(*spot(page, row))
    assert page.locator("#map-row h3").inner_text().startswith(called)
    name, lines = downloaded(page, page.locator("#map-row button.csv").first)
    assert (name, lines[0][:3]) == ("nearest.csv", ["row", "name", "why"])
    assert all(line[1] == names[int(line[0]) - 1] for line in lines[1:])
    page.close()
