"""What notebooks show of results: the right figures, and no name is ever HTML."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline

from untie import KChoice, Preparer, TableClusterer, load_model
from untie._util import notebook
from untie.explain import Drift, Verdict

EVIL = "</td></table><script>window.hacked = 1</script><img src=x onerror='hacked()'>"
DASH = "\N{EN DASH}"
TAGS = {"div", "strong", "p", "table", "caption", "thead", "tbody", "tr", "th", "td"}
TAGS |= {"details", "summary"}


class Page(HTMLParser):
    """The tags of a piece of HTML, its attributes and texts; it closes all that it opens."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.texts, self.open = [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(self.texts)


def read(html):
    """Return our part of a page, which has known tags and no attribute that could run or leak."""
    page = Page(html)
    assert set(page.tags) <= TAGS
    assert {name for name, _ in page.attributes} <= {"style", "scope"}
    assert "url(" not in html
    return page


def cells(html):
    """Return the cells of the first table, line by line."""
    body = re.search(r"<tbody>(.*?)</tbody>", html, re.DOTALL)[1]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>.*?</tr>", body)]


def a_choice(**changes):
    given = {
        "k": 3,
        "ks": (2, 3),
        "gain": np.array([0.5, 1.25]),
        "error": np.array([0.1, 0.1]),
        "stability": np.array([0.7, 0.95]),
        "n_splits": np.array([4, 6]),
        "silhouette": np.array([0.2, np.nan]),
        "columns": (EVIL, "b"),
        "tells": np.array([0.5, 0.4]),
        "tells_error": np.array([0.01, 0.01]),
        "without": 0.4,
        "without_error": 0.01,
        "without_columns": (EVIL,),
        "repeats": None,
        "n_sampled": 90,
    }
    return KChoice(**(given | changes))


def test_texts_are_escaped_whole_and_on_one_line():
    assert "<" not in notebook.shown(EVIL)
    assert '"' not in notebook.shown('" onclick="hacked()')
    assert notebook.shown("a\n b\u2028c") == "a b c"
    assert notebook.shown("\u202e\ud800\x1b") == 3 * "\N{REPLACEMENT CHARACTER}"
    assert len(notebook.shown("x" * 10_000)) == notebook.LONGEST
    assert len(notebook.cut("x" * 10_000)) == notebook.LONGEST_NAME
    assert "<" not in notebook.said(EVIL)


def test_tables_are_cut_and_say_so():
    html = notebook.table("numbers", {"n": range(notebook.MOST_LINES + 3)})
    assert len(cells(html)) == notebook.MOST_LINES
    assert "... and 3 more." in read(html).text
    assert notebook.table("nothing", {"n": []}) == notebook.folded("nothing", []) == ""


def test_a_choice_has_its_figures_and_the_chosen_number_stands_out():
    choice = a_choice()
    html = choice._repr_html_()
    page = read(html)
    assert f"{Verdict(3, False, choice).headline}." in page.texts
    assert [line[:4] for line in cells(html)] == [
        ["2", "0.5", "0.1", "0.7"],
        ["3", "1.25", "0.1", "0.95"],
    ]
    assert cells(html)[1][4] == DASH
    bold = re.findall(r'font-weight:bold">(.*?)</td>', html)
    assert bold == cells(html)[1]
    assert "window.hacked" in page.text  # the column is named, and as text


def test_a_verdict_has_its_sentences_and_clusters():
    stability = pd.DataFrame(
        {
            "cluster": [EVIL, 1, 2],
            "share": [0.5, 0.3, 0.2],
            "verdict": ["stable", "stable", "dissolves"],
            "stability": [0.9, 0.8, 0.3],
        }
    )
    verdict = Verdict(3, False, a_choice(), stability=stability, n_rows=500.0)
    html = verdict._repr_html_()
    page = read(html)
    for sentence in verdict.sentences:
        assert sentence in page.text
    assert [line[1:] for line in cells(html)] == [
        ["50%", "stable (0.90)"],
        ["30%", "stable (0.80)"],
        ["20%", "weak, dissolves (0.30)"],
    ]
    assert cells(Verdict(1, True, None)._repr_html_() + "<tbody></tbody>") == []


def test_drift_has_what_has_drifted_and_nothing_else():
    columns = pd.DataFrame(
        {
            "column": [EVIL, "same", "size"],
            "moved": [0.5, 0.01, 0.2],
            "p_value": [1e-9, 0.7, 1e-5],
            "drifted": [True, False, True],
            "median": [None, None, "1 to 2"],
            "new_median": [None, None, "3 to 4"],
        }
    )
    values = pd.DataFrame(
        {
            "column": ["kind", "kind", "size"],
            "value": [EVIL, "rare", "12345.678"],
            "count": [40.0, 1.0, 30.0],
            "share": [0.4, 0.01, 0.3],
            "p_value": [1e-12, 0.5, 1e-9],
            "drifted": [True, False, True],
        }
    )
    names = ("column", "other_column", "dependence", "new_dependence", "moved", "p_value")
    none = pd.DataFrame({name: [] for name in (*names, "drifted")})
    frames = (columns, None, values, values[:0], none)
    drifted = ((EVIL, "size"), (), (f"kind={EVIL}",), ())
    found = Drift(*frames, 1000.0, 100.0, 0.01, 0.05, *drifted)
    html = found._repr_html_()
    page = read(html)
    assert "Drift found." in page.texts
    assert found.verdict in page.text
    assert "size (median 1 to 2 -> 3 to 4)" in page.text
    assert [line[1:4] for line in cells(html)] == [["0.5", DASH, DASH], ["0.2", "1 to 2", "3 to 4"]]
    assert "rare" not in page.text
    assert "12345.678" in page.texts
    assert page.tags.count("table") == 2
    quiet = Drift(columns[:0], None, values[:0], values[:0], none, 9.0, 9.0, 0.01, 0.05, *[()] * 4)
    assert read(quiet._repr_html_()).text.startswith("No drift found. ")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    group = rng.choice(2, 150, p=[0.7, 0.3])
    drawn = np.where(rng.random((3, 150)) < 0.9, group, rng.integers(2, size=(3, 150)))
    columns = {f"{EVIL} {place}": np.array([EVIL, "b"])[own] for place, own in enumerate(drawn)}
    return pd.DataFrame(columns).assign(noise=rng.choice(list("xyz"), 150))


@pytest.fixture(scope="module")
def fitted(table):
    return TableClusterer().fit(table)


def ours(estimator):
    """Return what stands below scikit-learn's box."""
    forms = (estimator._repr_mimebundle_()["text/html"], estimator._repr_html_())
    one, other = (whole[whole.rindex('<div style="border') :] for whole in forms)
    assert one == other
    return one


def test_a_fitted_clusterer_shows_its_clusters_below_its_parameters(fitted, table):
    html = ours(fitted)
    page = read(html)
    assert Verdict(2, False, fitted.k_choice_).headline in page.text
    assert f"agree with these by {fitted.k_choice_.agreement:.2f}" in page.text
    lines = cells(html)
    assert [int(line[1]) for line in lines] == np.bincount(fitted.labels_).tolist()
    assert len(lines) == 2
    whole = fitted._repr_html_()
    assert "TableClusterer" in whole.removesuffix(html)
    assert "<script>window" not in whole
    assert "<img" not in whole


def test_typical_values_have_the_shares_of_the_rows(table, fitted):
    plain = table.set_axis(["one", "two", "three", "noise"], axis=1).replace(EVIL, "a")
    found = cells(ours(TableClusterer(2).fit(plain)))
    labels = fitted.labels_
    for number, line in enumerate(found):
        said = re.findall(r"(\w+): (\w) \((\d+)%\)", line[3])
        assert len(said) == 3
        for column, value, share in said:
            expected = (plain[column][labels == number] == value).mean()
            assert int(share) == round(100 * expected)


def test_before_fit_and_where_text_is_asked_for_there_are_no_clusters(fitted):
    new = TableClusterer(preparer=Preparer(drop=[EVIL]))
    assert "Clusters, the largest first" not in new._repr_html_()
    assert "<img" not in new._repr_html_()
    assert "text/html" in make_pipeline(Preparer(), fitted)._repr_mimebundle_()
    with config_context(display="text"):
        assert list(fitted._repr_mimebundle_()) == ["text/plain"]
        assert not hasattr(fitted, "_repr_html_")


def test_what_keeps_no_counts_says_so_by_showing_none(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    html = ours(load_model(tmp_path / "model"))
    assert "stable groups" in read(html).text
    assert "<table" not in html
    assert fitted._without_labels()._contents is None  # nor is sent to workers
