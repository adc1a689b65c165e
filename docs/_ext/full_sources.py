"""Sources that say all that their pages say, as llms.txt hands them to readers without a browser.

A page of the reference is one line, which names a function; a page made of another file says only
which. Here the sources beside the site get the docstrings and the files themselves.
"""

import inspect
from pathlib import Path

FILLED = ("project/", "reference/command")
"""Where pages are that the build fills."""

texts = {}
"""What the sources of pages should say, by the name of the page."""


def note_source(app, docname, content):
    """Keep what a page was filled with."""
    if docname.startswith(FILLED):
        texts[docname] = content[0]


def note_docstring(app, what, name, obj, options, lines):
    """Keep a docstring as it was written, with the page that it stands on."""
    page = app.env.docname
    if page.startswith("reference/generated/"):
        try:
            call = f"{name}{inspect.signature(obj)}"
        except (TypeError, ValueError):  # plain data, and properties
            call = name
        texts[page] = "\n".join([texts.get(page, ""), f"{what} {call}", "", *lines]).strip() + "\n"


def write_sources(app, error):
    """Write what was kept over the sources that were copied."""
    for page, text in texts.items() if error is None else ():
        for path in Path(app.outdir, "_sources").glob(f"{page}.*.txt"):
            path.write_text(text, encoding="utf-8")


def setup(app):
    """Add the hooks: after the pages are filled, before numpydoc, before llms.txt is written."""
    app.connect("source-read", note_source, priority=900)
    app.connect("autodoc-process-docstring", note_docstring, priority=100)
    app.connect("build-finished", write_sources, priority=100)
    return {"parallel_read_safe": False}
