"""A folder for temporary files, and copies into it that can't fill the disk."""

import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from multiprocessing.util import Finalize
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

DISK_SHARE = 0.5
"""A copy takes at most this share of what is free on the disk."""

MOST_RATIO, HARMLESS = 200, 2**28
"""A file may unpack to this many times its size, or to this many bytes if that is more. Tables
compress by a factor of ten, or fifty; a file beyond the limit was made to exhaust memory or disk.
"""

BEFORE_EXIT = -1
"""Scratch folders are removed after multiprocessing has joined the child processes."""

_PIECE = 2**20

_FAMILY = token_hex(8)
"""In the names of the folders of this process and of the processes forked from it."""


class Scratch:
    """A temporary folder, removed with the last reference to this object or with its process.

    Only the user can read it, and its name can't be predicted, so no link can be put in its place.
    It belongs to the process that made it: a forked child neither removes it nor leaves its own
    folders behind. All folders of a process are in one, its root, whose name has the number of the
    process. The roots of children that were killed are removed when a process that they were
    forked from ends.

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
        self.folder = _make_folder()
        self._n_files = 0
        # It ignores processes other than this one, and unlike atexit runs in the children of
        # multiprocessing, too.
        Finalize(self, _remove, (self.folder,), exitpriority=BEFORE_EXIT)

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

    def copy(self, source: Any, name: str, what: str, n_packed: int | None = None) -> str:
        """Write what a binary file has to a file, and return its path.

        Parameters
        ----------
        source : binary file
            What to read.
        name : str
            What the copy is called.
        what, n_packed
            See `limit_of`.

        Raises
        ------
        ValueError
            When there are more bytes than the limit; the copy is removed.
        """
        path, n_bytes = self.path(name), 0
        most, refusal = limit_of(self.folder, what, n_packed)
        try:
            with open(path, "wb") as target:
                while piece := source.read(_PIECE):
                    n_bytes += len(piece)
                    if n_bytes > most:
                        raise ValueError(refusal)
                    target.write(piece)
        except BaseException:
            with suppress(OSError):
                os.unlink(path)
            raise
        return path


_roots: dict[tuple[int, str], str] = {}
"""The root of each process, by its id, in each folder for temporary files that it has used."""


def _make_folder() -> str:
    """Return a new folder in the root of this process."""
    place = os.getpid(), tempfile.gettempdir()
    if not os.path.isdir(_roots.get(place, "")):  # the system may clear the temporary files
        name = f"untie-{_FAMILY}-{os.getpid()}-{token_hex(8)}"
        _roots[place] = os.path.join(tempfile.gettempdir(), name)
        # First, as it may be interrupted as soon as the folder is there.
        Finalize(None, _remove, (_roots[place],), exitpriority=BEFORE_EXIT - 1)
        os.mkdir(_roots[place], 0o700)
    return tempfile.mkdtemp(dir=_roots[place])


def _remove(folder: str | Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned() -> None:
    """Remove the folders of processes forked from this one that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"untie-{_FAMILY}-*"):
        try:
            os.kill(int(folder.name.split("-")[2]), 0)  # which only asks whether there is one
        except ProcessLookupError:
            _remove(folder)
        except (OSError, ValueError, OverflowError):  # another user's by now, or none of ours
            pass


if hasattr(os, "fork"):  # not on Windows, where this signal would end processes
    Finalize(None, _remove_abandoned, exitpriority=BEFORE_EXIT - 2)


def most_bytes(n_packed: int) -> int:
    """Return how many bytes may come out of a packed file of this size."""
    return max(HARMLESS, MOST_RATIO * n_packed)


def limit_of(folder: str, what: str, n_packed: int | None = None) -> tuple[int, str]:
    """Return how many bytes may be written to a folder, and what is said where there are more.

    Parameters
    ----------
    folder : str
        Where to write.
    what : str
        Where the bytes come from, for messages.
    n_packed : int, optional
        Size in bytes of the packed file that they come out of.
    """
    room = int(DISK_SHARE * shutil.disk_usage(folder).free)
    if n_packed is not None and most_bytes(n_packed) <= room:
        return most_bytes(n_packed), too_large(what, n_packed)
    return room, (
        f"{what} has more than {room:,} bytes, which is half of what is free on the disk of "
        f"temporary files ({tempfile.gettempdir()!r}); make room, or name another with TMPDIR."
    )


def check_size(source: BinaryIO, n_packed: int, what: str) -> None:
    """Read a packed file to its end, and refuse it if it unpacks to too many bytes.

    What its header or trailer says of the size is not believed.
    """
    left = most_bytes(n_packed)
    while piece := source.read(_PIECE):
        left -= len(piece)
        if left < 0:
            raise ValueError(too_large(what, n_packed))


def too_large(what: str, n_packed: int) -> str:
    """Return what is said of a packed file that is refused for what comes out of it."""
    return (
        f"{what} unpacks to more than {most_bytes(n_packed):,} bytes, and the file has "
        f"{n_packed:,}; no table is packed that tightly. Unpack it yourself if you trust it."
    )
