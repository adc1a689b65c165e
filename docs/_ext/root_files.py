"""Pages made of files that lie beside `docs`, and of pages that a program wrote.

Files such as CHANGELOG.md are read where they lie in the repository, and say what they say only
there. A page of the site stands for each: its file under `docs` says no more than which.
"""

import os
import re
from pathlib import PurePosixPath

PAGES = {
    "ARCHITECTURE.md": "project/architecture",
    "CHANGELOG.md": "project/changelog",
    "CODE_OF_CONDUCT.md": "project/code_of_conduct",
    "CONTRIBUTING.md": "project/contributing",
    "SECURITY.md": "project/security",
}
"""The page of each file at the root that has one."""

INCLUDED = {page: file for file, page in PAGES.items()}

_LINK = re.compile(r"\]\((?!\w+:|#|/)([^)\s#]+)(#[^)\s]*)?\)")
_PAGE = re.compile(r"\bdocs/([\w/]+)\.md\b")
_ANCHOR = re.compile(r'^<a id="([\w-]+)"></a>$', re.MULTILINE)


def read_source(app, docname, content):
    """Fill a page with its file, and let links to such files lead to their pages."""
    if docname in INCLUDED:
        path = app.srcdir.parent / INCLUDED[docname]
        app.env.note_dependency(str(path))
        content[0] = site_links(path.read_text(encoding="utf-8"), "..")
    else:
        content[0] = site_links(content[0], PurePosixPath(docname).parent)
    if docname.startswith("evidence/reproduction/"):
        content[0] = written_page(docname, content[0])


def site_links(text, folder):
    """Return text whose links to files with a page, from a folder of `docs`, lead to the page."""

    def lead(match):
        target = os.path.normpath(PurePosixPath("docs", folder, match[1]))
        if target in PAGES:
            return f"](/{PAGES[target]}.md{match[2] or ''})"
        if target.startswith("docs/"):
            return f"](/{target.removeprefix('docs/')}{match[2] or ''})"
        return f"](/../{target}{match[2] or ''})"

    return _LINK.sub(lead, text)


def link_docstring(app, what, name, obj, options, lines):
    """Let docstrings that name a page of `docs` link to it."""
    lines[:] = [_PAGE.sub(r":doc:`/\1`", line) for line in lines]


def written_page(docname, text):
    """Return a page that `untie paper` wrote: anchors as targets, and in no table of contents."""
    text = _ANCHOR.sub(r"(\1)=", text)
    return text if docname.endswith("/README") else f"---\norphan: true\n---\n{text}"


def setup(app):
    """Add the hooks; docstrings after llms.txt has taken them as they are."""
    app.connect("source-read", read_source)
    app.connect("autodoc-process-docstring", link_docstring, priority=200)
    return {"parallel_read_safe": True}
