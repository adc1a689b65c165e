"""What builds and checks the site, on pages made for it; `make docs` builds all of it."""

import re

import pytest

from site_files import DOCS, ROOT, script

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


def test_pictures_say_what_is_on_them(tmp_path):
    (tmp_path / "a1b2.png").touch()
    (fault,) = site(tmp_path, a='<img src="a1b2.png" alt="a1b2.png">')
    assert fault == "does not say what is on a1b2.png"
    assert site(tmp_path, b='<img src="a1b2.png">') == [fault]
    assert not site(
        tmp_path, c='<img src="a1b2.png" alt="A map of rows."><img src="a1b2.png" alt="">'
    )


@pytest.mark.parametrize(
    "tag",
    [
        '<script src="https://example.org/x"></script>',
        '<link rel="stylesheet" href="//example.org/x">',
        '<img src="https://example.org/x" alt="x">',
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


@pytest.mark.parametrize(
    "trace",
    [
        "<function rarity at 0x7fb02e1768e0>",
        "/tmp/ipykernel_1425/1.py:2:",
        "/tmp/tmpa1b2_c",
        "/a/plot_1.py:17: UserWarning: x",
    ],
)
def test_traces_of_the_machine_are_found(tmp_path, trace):
    (fault,) = site(tmp_path, a=f"<pre>{trace}</pre>")
    assert fault.startswith("shows ")
    assert not site(tmp_path, b="<code>{'integer': '0x...'}</code> 0xff /tmp/orders.csv")


TOLD = "".join(f'<meta property="{name}" content="words">' for name in check_site.SHARED)


def test_pages_tell_what_they_are_to_those_who_link_to_them(tmp_path):
    pages = {"a": TOLD, "b": TOLD.replace('"og:url"', '"og:type"'), "c": "<h1>c</h1>"}
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text)
    assert check_site.sharing_faults(tmp_path / "a.html") == []
    assert check_site.sharing_faults(tmp_path / "b.html") == ["has no og:url"]
    assert len(check_site.sharing_faults(tmp_path / "c.html")) == 4


def test_an_empty_site_fails_and_so_does_one_without_what_is_needed(tmp_path, capsys):
    assert check_site.main(tmp_path) == 1
    (tmp_path / "a.html").write_text(TOLD)
    assert check_site.main(tmp_path) == 1
    assert "llms.txt: is not there" in capsys.readouterr().out
    for name in check_site.NEEDED:
        (tmp_path / name).touch()
    assert check_site.main(tmp_path) == 0
    assert "1 pages" in capsys.readouterr().out
    (tmp_path / "b.html").write_text("<h1>b</h1>")
    assert check_site.main(tmp_path) == 1


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


@pytest.mark.parametrize("file", root_files.PAGES)
def test_files_beside_the_folder_link_to_files_and_pages_that_are_there(file):
    links = re.findall(r"\]\((/[^)#]+)", root_files.site_links((ROOT / file).read_text(), ".."))
    for link in links:
        assert (DOCS / link.removeprefix("/")).resolve().is_file(), link
        # What lies beside the folder can be downloaded, but documents must be pages.
        assert not (link.startswith("/../") and link.endswith(".md")), link


def test_pages_that_a_program_wrote_are_in_no_table_of_contents():
    written = root_files.written_page("evidence/reproduction/index", '<a id="data"></a>\n\n# Data')
    assert written == "---\norphan: true\n---\n(data)=\n\n# Data"
