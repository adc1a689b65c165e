"""The page of ratios by commit, drawn from their file by the command that draws it anywhere."""

import subprocess
import sys

FOLDER = "evidence/history"


def draw(app):
    """Write the page and its pictures among the sources."""
    script = app.srcdir.parent / "benchmarks" / "history.py"
    subprocess.run([sys.executable, script, "draw", app.srcdir / FOLDER], check=True)


def setup(app):
    """Add the hook."""
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True}
