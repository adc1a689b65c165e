"""The tables of the page in a browser: they fit their boxes, compare, and are downloaded."""

import pytest

from page_cases import data_of, disarmed, downloaded, open_folds, overflowing, rows_of
from untie.report._table import percent, points

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("width", [1400, 768, 390])
@pytest.mark.parametrize("which", ["people", "wide"])
def test_tables_and_heat_maps_fit_their_boxes(browser, people_path, wide_path, which, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto({"people": people_path[0], "wide": wide_path}[which].as_uri())
    open_folds(page)
    assert page.locator("main .scroll").count() > 20
    assert overflowing(page, "main .scroll") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_on_a_phone_every_cell_of_a_heat_map_has_the_key_of_its_column(browser, people_path):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(people_path[0].as_uri())
    open_folds(page)
    keys = page.evaluate(
        """() => [...document.querySelectorAll('#t-shares tbody tr')].map((row) =>
        [...row.cells].slice(1).map((cell) => getComputedStyle(cell, '::before').content))"""
    )
    assert len(keys) > 5
    assert all(line == ['"0"', '"1"', '"2"', '"all"'] for line in keys)
    assert page.locator("#t-shares thead").bounding_box()["width"] > 300  # the keys, with names
    wide = page.evaluate(
        """() => [...document.querySelectorAll('.heat td')].filter((cell) => cell.offsetParent)
        .filter((cell) => cell.offsetWidth < 40 || cell.scrollWidth > cell.clientWidth).length"""
    )
    assert wide == 0
    assert page.locator("#t-values-0 thead").bounding_box()["width"] <= 1  # rows have the keys
    numbered = page.locator("#t-values-0 tbody th").first
    assert numbered.evaluate("(th) => getComputedStyle(th, '::before').content") == '"1. "'
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
