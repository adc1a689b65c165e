"""Standard streams as the command needs them: what goes wrong with them is told, never lost."""

from __future__ import annotations

import errno
import io
import os
import sys
import unicodedata
from typing import Any, NoReturn

KEPT = "\n\t"
"""Control characters that text on a terminal may have."""


TURNS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
"""Kinds of characters that turn the direction of those that follow, or end that."""


class UserError(Exception):
    """Something that the user can set right; its text says how."""


def set_up_streams() -> None:
    """Make standard output buffered, and put something in the place of streams that are closed."""
    # A file that is opened next would get a free number below 3, and what C libraries print.
    while (spare := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(spare)
    if sys.stderr is None:  # print would take standard output in its place
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open until the process ends
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        # With PYTHONUNBUFFERED or python -u. A raw stream takes as much of a text as a full disk
        # or a slow reader lets it, and says how much, which TextIOWrapper does not ask.
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw),
            encoding=sys.stdout.encoding,
            errors=sys.stdout.errors,
            line_buffering=sys.stdout.isatty(),
        )


class ClosedOutput(io.TextIOBase):
    """Stands for standard output where there is none; whoever writes to it is told."""

    encoding = "utf-8"

    def writable(self) -> bool:
        """Tell that one may try."""
        return True

    def write(self, text: Any, /) -> NoReturn:
        """Refuse."""
        raise OSError(errno.EBADF, "Standard output is closed; name a file with --output")


def visible(text: str) -> str:
    r"""Return text that can be shown on a terminal: what would steer it is written out.

    Cells and names come from files of others; escape sequences in them could change the title of
    a window, or hide what is said.

    Examples
    --------
    >>> visible("red\x1b[31m"), visible("two\nlines")
    ('red\\x1b[31m', 'two\nlines')
    """
    if text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode() if _steers(char) else char for char in text
    )


def _steers(char: str) -> bool:
    """Tell whether a character is none that is seen: control, surrogate, or a turn of direction."""
    if char in KEPT:
        return False
    return unicodedata.category(char) in ("Cc", "Cs") or unicodedata.bidirectional(char) in TURNS


def tell(text: str) -> None:
    """Print a line where it does not mix with results."""
    print(visible(text), file=sys.stderr)
