"""Check the built site: dead links, anything fetched from outside, and traces of the machine.

It must also be there what is read without a browser, or found without a network: llms.txt, the
index of the search, and for every page a title and a sentence for those who link to it.

Run ``python docs/check_site.py docs/_build/html``; `make docs` does.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""What a browser fetches by itself, by tag and attribute."""

TRACES = re.compile(r"\b0x[0-9a-f]{8,}|ipykernel_\d+|/tmp/tmp\w+|\w+\.py:\d+: \w+Warning")
"""Addresses in memory, files and folders of a build, and warnings that nobody wanted to show."""

NEEDED = ("llms.txt", "llms-full.txt", "searchindex.js", "objects.inv")
NO_PAGES = {"genindex.html", "search.html", "_downloads"}
"""What has no words of its own, and what is only to be downloaded."""

SHARED = ("og:title", "og:description", "og:url", "og:image")
"""What pages that link to one show of it."""


class Page(HTMLParser):
    """The links of a page, what it fetches, and the places that it can be entered at."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.fetched: set[str] = set()
        self.places: set[str] = set()
        self.shared: set[str] = set()
        self.unsaid: set[str] = set()
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down what a tag refers to."""
        found = {name: value for name, value in attrs if value}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag == "meta" and found.get("content"):
            self.shared.add(found.get("property", ""))
        if tag == "img" and dict(attrs).get("alt") in (None, found.get("src")):
            self.unsaid.add(found.get("src", ""))
        if tag == "a" and "href" in found:
            self.links.add(found["href"])
        if tag in FETCHED and FETCHED[tag] in found and found.get("rel") != "canonical":
            self.fetched.add(found[FETCHED[tag]])


@cache
def read(path: Path) -> Page:
    """Return a page, read once."""
    return Page(path)


def faults(path: Path) -> list[str]:
    """Return what is wrong with a page."""
    page = read(path)
    outside = [f"fetches {url}" for url in page.fetched if urlsplit(url).netloc]
    inside = [*page.links, *page.fetched]
    dead = [f"leads nowhere: {url}" for url in inside if not _exists(url, path)]
    traces = [f"shows {trace}" for trace in TRACES.findall(page.text)]
    unsaid = [f"does not say what is on {picture}" for picture in page.unsaid]
    return outside + dead + traces + unsaid


def sharing_faults(path: Path) -> list[str]:
    """Return what a page does not tell those who link to it."""
    return [f"has no {name}" for name in SHARED if name not in read(path).shared]


def style_faults(path: Path) -> list[str]:
    """Return what a style sheet fetches from outside."""
    found = re.findall(r"url\(\s*[\"']?([^)\"']+)", path.read_text(encoding="utf-8"))
    return [f"fetches {url}" for url in found if urlsplit(url).netloc]


def _exists(url: str, path: Path) -> bool:
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return False
    is_place = bool(parts.fragment) and target.suffix == ".html"
    return not is_place or unquote(parts.fragment) in read(target).places


def main(folder: Path) -> int:
    """Print every fault; 1 if there are any."""
    # The theme leaves a template among its files, which is no page.
    pages = sorted(path for path in folder.rglob("*.html") if "_static" not in path.parts)
    found = [f"{path}: {fault}" for path in pages for fault in sorted(set(faults(path)))]
    found += [f"{folder / name}: is not there" for name in NEEDED if not (folder / name).exists()]
    written = [path for path in pages if not {path.name, *path.parts} & NO_PAGES]
    found += [f"{path}: {fault}" for path in written for fault in sharing_faults(path)]
    for path in folder.rglob("*.css"):
        found += [f"{path}: {fault}" for fault in style_faults(path)]
    print("\n".join(found) or f"{len(pages)} pages, no dead links, nothing fetched from outside.")
    return int(bool(found) or not pages)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
