"""The page -> the paragraphs of its sections, for Markdown and JSON to say the same."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "br", "wbr", "img", "hr", "input"})
"""Elements that have no end."""

ELSEWHERE = frozenset({"article", "details", "noscript", "table", "svg", "script", "style"})
"""Paragraphs in these belong to a card or a fold, which are written with what they hold."""

SCREEN = frozenset({"needs-script", "on-screen", "printed"})
"""What is of use on a screen, or on paper, alone."""


def paragraphs(page: str) -> dict[str, list[str]]:
    """Return the paragraphs of each section by its name, in their order.

    Examples
    --------
    >>> paragraphs('<section id="a"><p>One <em>two</em>.</p><details><p>no</p></details></section>')
    {'a': ['One two.']}
    """
    reader = _Reader()
    reader.feed(page)
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {}
        self._open: list[tuple[str, bool]] = []  # each element, and whether it is passed over
        self._section: str | None = None
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        own = dict(attrs)
        if tag == "section":
            self._section = own.get("id") or ""
            self.found[self._section] = []
        classes = set((own.get("class") or "").split())
        hidden = tag in ELSEWHERE or bool(classes & SCREEN) or self._is_hidden()
        self._open.append((tag, hidden))
        if tag == "p" and self._section is not None and not hidden:
            self._text = []

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass
        if tag == "p" and self._text is not None and self._section is not None:
            said = " ".join("".join(self._text).split())
            self.found[self._section] += [said] if said else []
            self._text = None
        if tag == "section":
            self._section = None

    def handle_data(self, data: str) -> None:
        if self._text is not None and not self._is_hidden():
            self._text.append(data)

    def _is_hidden(self) -> bool:
        return bool(self._open) and self._open[-1][1]
