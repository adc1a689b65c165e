"""Files whose names are like one that is not there."""

from __future__ import annotations

import os
from difflib import get_close_matches
from itertools import islice

MOST_FILES = 10_000
"""At most this many names of a folder are looked at."""


def no_file(path: str) -> str:
    """Return that there is no such file, from where it was looked for, and which may be meant."""
    near = near_file(path)
    hint = f" Did you mean {near!r}?" if near else ""
    return f"There is no file {path!r}; check the path, from the folder {os.getcwd()!r}.{hint}"


def near_file(path: str) -> str | None:
    """Return the path of the file in the same folder whose name is most like the one given."""
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or os.curdir) as entries:
            names = [entry.name for entry in islice(entries, MOST_FILES) if entry.is_file()]
    except OSError:  # there is no such folder, or it can't be looked into
        return None
    by_name = {other.lower(): other for other in sorted(names)}
    close = get_close_matches(name.lower(), by_name, n=1)
    return os.path.join(folder, by_name[close[0]]) if close else None
