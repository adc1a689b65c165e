"""Check the built site: links that lead nowhere, and anything fetched from outside.

    python docs/check_site.py docs/_build/html
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""What a browser fetches by itself, by tag and attribute."""


class Page(HTMLParser):
    """The links of a page, what it fetches, and the places that it can be entered at."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.fetched: set[str] = set()
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down what a tag refers to."""
        found = {name: value for name, value in attrs if value}
        self.places |= {found[name] for name in ("id", "name") if name in found}
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
    return outside + [f"leads nowhere: {url}" for url in inside if not _exists(url, path)]


def _exists(url: str, path: Path) -> bool:
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return False
    return not parts.fragment or target.suffix != ".html" or _can_enter(target, parts.fragment)


def _can_enter(target: Path, fragment: str) -> bool:
    return unquote(fragment) in read(target).places


def main(folder: Path) -> int:
    """Print every fault; 1 if there are any."""
    pages = sorted(folder.rglob("*.html"))
    found = [f"{path}: {fault}" for path in pages for fault in sorted(set(faults(path)))]
    print("\n".join(found) or f"{len(pages)} pages, no dead links, nothing fetched from outside.")
    return int(bool(found) or not pages)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
