"""What builds and checks the site, on pages made for it; `make docs` builds all of it."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def script(path):
    spec = spec_from_file_location(Path(path).stem, DOCS / path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_site = script("check_site.py")
root_files = script("_ext/root_files.py")


def site(folder, **pages):
    """Write pages, and return what is wrong with the first."""
    paths = [folder / f"{name}.html" for name in pages]
    for path, text in zip(paths, pages.values(), strict=True):
        path.write_text(text)
    return sorted(check_site.faults(paths[0]))


def test_links_that_hold(tmp_path):
    (tmp_path / "site.css").touch()
    page = (
        '<link rel="stylesheet" href="site.css?v=1"><a href="b.html#here">b</a><a href="#">up</a>'
    )
    assert not site(tmp_path, a=page, b='<h1 id="here">b</h1><a href="https://example.org">o</a>')


@pytest.mark.parametrize("link", ["c.html", "b.html#there", "#there"])
def test_links_that_lead_nowhere(tmp_path, link):
    found = site(tmp_path, a=f'<a href="{link}">b</a>', b="<h1>b</h1>")
    assert found == [f"leads nowhere: {link}"]


@pytest.mark.parametrize(
    "tag",
    [
        '<script src="https://example.org/x"></script>',
        '<link rel="stylesheet" href="//example.org/x">',
        '<img src="https://example.org/x">',
    ],
)
def test_nothing_is_fetched_from_outside(tmp_path, tag):
    (fault,) = site(tmp_path, a=tag)
    assert fault.startswith("fetches ")


def test_what_styles_import_counts_as_fetched(tmp_path):
    (tmp_path / "own.css").write_text("@import url(own2.css);")
    (tmp_path / "theirs.css").write_text('@font-face { src: url("https://example.org/x.woff") }')
    assert check_site.style_faults(tmp_path / "own.css") == []
    assert check_site.style_faults(tmp_path / "theirs.css") == [
        "fetches https://example.org/x.woff"
    ]


def test_an_empty_site_fails(tmp_path, capsys):
    assert check_site.main(tmp_path) == 1
    (tmp_path / "a.html").write_text("<h1>a</h1>")
    assert check_site.main(tmp_path) == 0
    assert "1 pages" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("link", "folder", "leads_to"),
    [
        ("CONTRIBUTING.md", "..", "/project/contributing.md"),
        ("docs/faq.md#why", "..", "/faq.md#why"),
        ("../../SECURITY.md", "how_to", "/project/security.md"),
        ("method.md", "how_it_works", "/how_it_works/method.md"),
        ("../../examples/spark.py", "how_to", "/../examples/spark.py"),
        ("https://example.org", "how_to", "https://example.org"),
        ("#above", "how_to", "#above"),
    ],
)
def test_links_to_files_lead_to_their_pages(link, folder, leads_to):
    assert root_files.site_links(f"[it]({link})", folder) == f"[it]({leads_to})"


def test_every_page_made_of_a_file_has_both():
    for page, file in root_files.INCLUDED.items():
        assert (DOCS / f"{page}.md").exists()
        assert (DOCS.parent / file).exists()


def test_pages_that_a_program_wrote_are_in_no_table_of_contents():
    written = root_files.written_page("evidence/reproduction/index", '<a id="data"></a>\n\n# Data')
    assert written == "---\norphan: true\n---\n(data)=\n\n# Data"
