"""Files and folders that appear whole or not at all; names of files like one that is missing."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from shutil import rmtree
from uuid import uuid4

NEW_FILE = 0o666
"""What a new file may be used for, less what the user's mask takes away."""


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary file in the same folder; it takes the place of `path` at the end.

    When anything goes wrong before, the temporary file is removed and the old file stands. The new
    file has the mode and the owner of the old one from the beginning, so that nobody reads a
    private file while it is written; a link goes on pointing to the file, which is replaced.

    Parameters
    ----------
    path : path
        The file to write, in a folder that exists.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(os.path.join(folder, "a.txt")) as temporary:
    ...         _ = temporary.write_text("all of it", encoding="utf-8")
    ...     os.listdir(folder)
    ['a.txt']
    """
    target = Path(os.path.realpath(path))
    check_replaceable(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"The folder {str(target.parent)!r} does not exist; make it first.")
    temporary = target.with_name(f".{target.name}-{uuid4().hex}")
    try:
        _make_like(temporary, target)
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def whole_folder(path: str | os.PathLike[str], is_own: Callable[[str], bool]) -> Iterator[Path]:
    """Give a temporary folder beside `path`, whose place it takes at the end.

    When anything goes wrong before, the temporary folder is removed and the old one stands.

    Parameters
    ----------
    path : path
        The folder to make. What is there already is replaced, if it is a folder of such files.
    is_own : callable
        Takes the name of a file and tells whether it may be replaced.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with whole_folder(os.path.join(place, "parts"), str.isdigit) as temporary:
    ...         _ = (temporary / "1").write_text("one of them")
    ...     os.listdir(place), os.listdir(os.path.join(place, "parts"))
    (['parts'], ['1'])
    """
    target = Path(os.path.realpath(path))
    check_replaceable_folder(target, is_own)
    temporary, old = (target.with_name(f".{target.name}-{uuid4().hex}") for _ in range(2))
    try:
        temporary.mkdir()
        yield temporary
        for file in temporary.iterdir():
            with open(file, "rb+") as opened:
                os.fsync(opened.fileno())
        check_replaceable_folder(target, is_own)
        if target.is_dir():
            os.rename(target, old)
        try:
            os.rename(temporary, target)
        except BaseException:
            if old.is_dir():
                os.rename(old, target)
            raise
    finally:
        for folder in (temporary, old):
            rmtree(folder, ignore_errors=True)


def check_replaceable_folder(path: Path, is_own: Callable[[str], bool]) -> None:
    """Refuse to put a folder in the place of a file, or of a folder with other files."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"The folder {str(path.parent)!r} does not exist; make it first.")
    if Path.cwd().resolve().is_relative_to(path):
        raise FileExistsError(
            f"The folder {str(path)!r} is the one that the program runs in, or holds it; name a "
            "new folder."
        )
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(
            f"{str(path)!r} is no folder; name another, or a file with an ending such as .parquet."
        )
    others = (
        [file.name for file in path.iterdir() if not is_own(file.name)] if path.exists() else []
    )
    if others:
        raise FileExistsError(
            f"The folder {str(path)!r} has other files, such as {min(others)!r}; name a new folder."
        )


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Refuse to put a file in the place of something that is none, such as a folder or a device."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"{os.fspath(path)!r} is a folder; name a file to write to.")
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{os.fspath(path)!r} is a device or a pipe; name a file to write to.")


def _make_like(path: Path, old: Path) -> None:
    """Make an empty file with the mode and, where that is allowed, the owner of another."""
    try:
        known = os.stat(old)
    except FileNotFoundError:
        known = None
    mode = NEW_FILE if known is None else stat.S_IMODE(known.st_mode)
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    try:
        if known is not None and sys.platform != "win32":  # which has neither owners nor modes
            with suppress(PermissionError):
                os.fchown(descriptor, known.st_uid, known.st_gid)
            os.fchmod(descriptor, mode)  # the mask took some of it; a new owner takes more
    finally:
        os.close(descriptor)


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
    close = close or [other for other in by_name if name and other.startswith(f"{name.lower()}.")]
    return os.path.join(folder, by_name[close[0]]) if close else None
