"""All outcomes as files: CSV, Markdown and images for each experiment, an index, and one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from untie_paper.output.files import write_whole
from untie_paper.output.markdown import index_markdown, table_markdown
from untie_paper.output.page import make_page
from untie_paper.output.sections import FigureView, PageSection, ShownTable, make_sections
from untie_paper.run.outcome import Outcome


def write_all(
    outcomes: Sequence[Outcome], provenance: Mapping[str, Any], folder: Path
) -> list[Path]:
    """Write everything that came out; the same outcomes give the same bytes.

    A table or figure that cannot be made is named, with its error, where it would stand. Each file
    is written whole or not at all, the pages last, so a page never speaks of files to come.

    Parameters
    ----------
    outcomes : sequence of Outcome
        In the order of reading.
    provenance : mapping
        What the run rests on (commit, versions, machine, time, effort); may be nested.
    folder : Path
        Made if it is not there. Files of the same names are replaced, others are left alone.

    Returns
    -------
    list of Path
        The files, with ``index.md`` and ``index.html`` at the end.

    Raises
    ------
    OSError
        If a file cannot be written; the message names it and says what to do.
    ValueError
        If two files would have the same name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_all([], {"commit": "1a2b"}, Path(folder))]
    ['index.md', 'index.html']
    """
    sections = make_sections(outcomes)
    files: dict[str, bytes] = {}
    for section in sections:
        _add(files, _files(section))
    _add(files, {"index.md": index_markdown(sections, provenance).encode()})
    _add(files, {"index.html": make_page(sections, provenance).encode()})
    for name, content in files.items():
        # An empty one was not made this time; an old one would be taken for this run's.
        if content:
            write_whole(folder / name, content)
        else:
            (folder / name).unlink(missing_ok=True)
    return [folder / name for name, content in files.items() if content]


def _files(section: PageSection) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for table in section.tables:
        _add(files, _table_files(f"{section.name}/{table.name}", table))
    for figure in section.figures:
        _add(files, _figure_files(f"{section.name}/{figure.name}", figure))
    return files


def _table_files(stem: str, view: ShownTable) -> dict[str, bytes]:
    return {
        f"{stem}.csv": view.csv,
        f"{stem}_published.csv": view.published_csv,
        f"{stem}.md": table_markdown(view).encode(),
    }


def _figure_files(stem: str, view: FigureView) -> dict[str, bytes]:
    return {
        f"{stem}.csv": view.csv,
        f"{stem}.png": view.picture.png,
        f"{stem}.svg": view.picture.svg,
    }


def _add(files: dict[str, bytes], more: Mapping[str, bytes]) -> None:
    twice = sorted(files.keys() & more.keys())
    if twice:
        raise ValueError(f"Two tables or figures would be written to {twice[0]!r}; rename one.")
    files.update(more)
