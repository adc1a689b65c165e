"""Pages for tests in a browser, and what is done with them."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd

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


def people(n=1600):
    """Return long names, numbers and a label."""
    rng = np.random.default_rng(0)
    group = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    drawn = np.where(rng.random((5, n)) < 0.85, group, rng.integers(3, size=(5, n)))
    return pd.DataFrame(
        {
            "highest_qualification": np.array(["No Qualification", "Degree", "Other"])[drawn[0]],
            "town": np.array(["Rome", "Bonn", "Oslo"])[drawn[1]],
            "married": np.array(["yes", "no", "no"])[drawn[2]],
            "gross_income": (1000 * (drawn[3] + 1) + rng.integers(0, 900, n)).astype(float),
            "amount_on_weekends": (10 * drawn[4] + rng.integers(0, 9, n)).astype(float),
            "left": np.where(rng.random(n) < 0.8, group, 0).astype(str),
        }
    )


def mixed_kinds(n_mixed=15, n=400):
    """Return rows of two kinds, of which the first few have half of the columns of each."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, n)
    codes = np.where(rng.random((n, 8)) < 0.97, kind[:, None], rng.integers(0, 2, (n, 8)))
    codes[:n_mixed, ::2], codes[:n_mixed, 1::2] = 1 - kind[:n_mixed, None], kind[:n_mixed, None]
    return pd.DataFrame(codes, columns=[f"c{place}" for place in range(8)]).map("v{}".format)


def many_columns(n_columns, n=240, n_groups=3):
    """Return a table of so many columns, with long names, numbers and missing cells."""
    rng = np.random.default_rng(0)
    group = rng.integers(n_groups, size=n)
    columns = {}
    for place in range(n_columns):
        own = np.where(rng.random(n) < 0.8, group, rng.integers(n_groups, size=n))
        name = f"question_{place:02}_of_the_long_interview"
        if place % 3:
            kinds = [f"Never_or_hardly_ever_{place}", "sometimes", "quite often", "daily", "x", "y"]
            columns[name] = pd.Series(kinds)[own].where(rng.random(n) > 0.05, other=None).tolist()
        else:
            columns[name] = (10 * own + rng.integers(0, 9, n)).astype(float)
    return pd.DataFrame(columns)


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


def rows_of(page, table):
    body = page.locator(f"{table} tbody tr")
    return [body.nth(place).locator("th, td") for place in range(body.count())]


def overflowing(page, selector):
    """Return the boxes whose tables are wider than they are."""
    return page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)]
        .filter((box) => box.offsetParent && box.scrollWidth > box.clientWidth)
        .map((box) => [box.getAttribute('aria-label'), box.scrollWidth, box.clientWidth])""",
        selector,
    )


def open_folds(page):
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")


def n_printed(page, path):
    """Print a page and return the number of its sheets."""
    page.pdf(path=path, format="A4", print_background=True)
    return len(re.findall(rb"/Type /Page\b", path.read_bytes()))
