"""A folder for temporary files, and copies into it that can't fill the disk."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from typing import BinaryIO

DISK_SHARE = 0.5
"""A copy takes at most this share of what is free on the disk."""

MOST_RATIO, HARMLESS = 200, 2**28
"""What was packed may be this many times larger than its file; more, as long as it has no more
bytes than that. Tables are packed ten times smaller, or fifty; what is beyond was made to harm."""

_PIECE = 2**20


class Scratch:
    """A folder that is gone with the last who holds this object, at the latest with the process.

    Nobody else can read it, and its name can't be foretold, so that no link can be put in its way.

    Examples
    --------
    >>> scratch = Scratch()
    >>> oct(os.stat(scratch.folder).st_mode & 0o777)
    '0o700'
    >>> folder = scratch.folder
    >>> del scratch
    >>> os.path.exists(folder)
    False
    """

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="untie-")
        self._n_files = 0
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def stay_with(self, owner: object) -> None:
        """Let the folder be there as long as another object is."""
        weakref.finalize(owner, lambda scratch: None, self)

    def path(self, name: str) -> str:
        """Return where a file of this name can be written; none has been there before."""
        folder = os.path.join(self.folder, str(self._n_files))
        os.mkdir(folder)
        self._n_files += 1
        # Without what makes it another place, and no longer than systems allow.
        plain = os.path.basename(name).replace("\0", "")[-60:].lstrip(".")
        return os.path.join(folder, plain or "file")


def room_for(folder: str) -> int:
    """Return how many bytes a copy in a folder may take."""
    return int(DISK_SHARE * shutil.disk_usage(folder).free)


def most_unpacked(n_packed: int, folder: str) -> int:
    """Return how many bytes may come out of a packed file.

    Parameters
    ----------
    n_packed : int
        Its size in bytes.
    folder : str
        Where they are written.
    """
    return min(room_for(folder), max(HARMLESS, MOST_RATIO * n_packed))


def copy_at_most(source: BinaryIO, path: str, most: int, what: str) -> None:
    """Write what a stream has to a file, unless there is too much of it.

    Parameters
    ----------
    source : binary file
        What to read.
    path : str
        Where to write.
    most : int
        How many bytes there may be.
    what : str
        Where they come from, for messages.

    Raises
    ------
    ValueError
        When there are more; the file is removed.
    """
    n_bytes = 0
    try:
        with open(path, "wb") as target:
            while piece := source.read(_PIECE):
                n_bytes += len(piece)
                if n_bytes > most:
                    raise ValueError(too_large(what, most))
                target.write(piece)
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise


def too_large(what: str, most: int) -> str:
    """Return what is said of a file that is refused for its size."""
    return (
        f"{what} has more than {most:,} bytes when unpacked, which is more than the disk has room "
        "for or than a table of its size would have; unpack it yourself if you trust it."
    )
