"""The page in a browser: nothing is asked of a network, and it can be read anywhere."""

import pytest

from page_cases import EVIL, TITLE, data_of, drinks, many_columns, mixed_kinds, n_printed
from untie import TableClusterer
from untie.report import make_report

pytestmark = pytest.mark.integration


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


@pytest.mark.parametrize("size", [(1400, 900), (768, 1024), (375, 812)])
def test_the_page_fits_every_screen(browser, path, size):
    width, height = size
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for scheme, expected in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 28)")):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        color = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert color == expected
    page.close()


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
    report = make_report(drinks(60), TableClusterer(2))
    outer = tmp_path / "notebook.html"
    outer.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{report._repr_html_()}")
    page = browser.new_page()
    page.goto(outer.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("#map-legend button").first.click()
    assert "rows are selected." in frame.locator("#map-status").inner_text()
    page.close()


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
    for gone in ("#map-canvas", "#map-color", "#pair-first", "button.csv >> nth=0"):
        assert not page.locator(gone).is_visible()
    assert page.locator("main noscript p").is_visible()
    context.close()


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


def test_the_first_screen_of_a_phone_has_the_groups(browser, people_path):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(people_path[0].as_uri())
    lead, last = (page.locator(part).last.bounding_box() for part in (".lead", ".groups li"))
    assert lead["y"] < last["y"]
    assert last["y"] + last["height"] <= 844
    page.close()


def test_bars_of_groups_start_at_one_place(browser, wide_path):
    for width in (1400, 390):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(wide_path.as_uri())
        starts = page.locator(".groups .bar").evaluate_all(
            "(bars) => bars.map((bar) => bar.getBoundingClientRect().left)"
        )
        assert len(starts) == 6
        assert len(set(starts)) == 1
        page.close()


def test_a_small_table_is_printed_on_less_than_eight_pages(browser, people_path, path, tmp_path):
    many = tmp_path / "many.html"
    make_report(many_columns(22), TableClusterer(3), title="interviews").save(many)
    for source in (people_path[0], path, many):
        page = browser.new_page()
        page.goto(source.as_uri())
        assert 2 <= n_printed(page, tmp_path / "page.pdf") < 8
        page.close()


def test_print_leaves_out_what_only_a_screen_can_do(tab):
    tab.emulate_media(media="print")
    for gone in ("#map .on-screen", "#map-keys"):
        assert not tab.locator(gone).is_visible()


def test_print_has_ten_unusual_rows(browser, tmp_path):
    make_report(mixed_kinds(), TableClusterer(2)).save(tmp_path / "page.html")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.emulate_media(media="print")
    assert page.locator("#outliers tbody tr >> nth=9").is_visible()
    assert not page.locator("#outliers tbody tr >> nth=10").is_visible()
    n_rows = page.locator("#outliers tbody tr").count()
    said = page.locator("#outliers .printed").inner_text()
    assert said.startswith(f"These are the first 10 of {n_rows}")
    page.close()
