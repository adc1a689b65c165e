"""Standard streams, and what is refused before any work: bad files, bad outputs."""

import glob
import io
import os
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TextIO

from untie._util.files import check_replaceable, no_file


class UserError(Exception):
    """Something that the user can set right; its text says how."""


def set_up_streams() -> None:
    """Make standard output buffered, and let nothing be lost but what has no place to go."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the process ends
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        # With PYTHONUNBUFFERED or python -u. A raw stream takes as much of a text as a full disk
        # or a slow reader lets it, and says how much, which TextIOWrapper does not ask.
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw), sys.stdout.encoding, line_buffering=sys.stdout.isatty()
        )
    if sys.platform == "win32":
        write_for_programs(sys.stdout)


def write_for_programs(stream: TextIO) -> None:
    """Let a stream that no person reads write UTF-8 and the line ends that it is given.

    On Windows it would have another encoding, which lacks most characters, and a line feed inside
    of a cell would become two characters.
    """
    if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
        stream.reconfigure(encoding="utf-8", newline="")


def visible(text: str) -> str:
    r"""Return text that can be shown on a terminal: what would steer it is written out.

    Cells and names come from files of others; escape sequences in them could change the title of
    a window, or hide what is said.

    Examples
    --------
    >>> visible("red\x1b[31m"), visible("two\nlines")
    ('red\\x1b[31m', 'two\nlines')
    """
    return "".join(
        char.encode("unicode_escape").decode()
        if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs")
        else char
        for char in text
    )


def tell(text: str) -> None:
    """Print a line where it does not mix with results."""
    print(visible(text), file=sys.stderr)


ENDINGS = (".csv", ".tsv", ".json", ".parquet", ".pq")

READ, WRITTEN = ("file", "new", "model", "like"), ("output", "save")
"""The arguments of commands that name files."""


def check_file(path: str | os.PathLike[str] | None) -> None:
    """Refuse a file that is not there; patterns, addresses and standard input are for others."""
    if path is None:
        return
    text = os.fspath(path)
    if text == "-" or "://" in text or glob.has_magic(text) or os.path.exists(text):
        return
    if any(parent.is_file() for parent in Path(text).parents):  # what is in it, others know
        return
    raise UserError(no_file(text))


def check_output(path: Path | None, endings: Sequence[str] | None = ENDINGS) -> None:
    """Find out before the work that a file can't be written; without endings, it is a model's."""
    if path is None:
        return
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    if endings is None and plain.suffix.lower() in ENDINGS:
        raise UserError(f"{str(path)!r} is no name for a model, but for a table; end it in .untie.")
    if endings is not None and plain.suffix.lower() not in endings:
        raise UserError(
            f"{str(path)!r} has none of the endings {', '.join(endings)}, by which the format is "
            "chosen; rename the file to write."
        )
    check_replaceable(path)
    # Opens a temporary file where it will be, which has no name and is gone whatever happens.
    folder = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
    try:
        TemporaryFile(dir=folder).close()
    except FileNotFoundError:
        raise UserError(f"The folder {str(folder)!r} does not exist; make it first.") from None
    except PermissionError:
        raise UserError(f"Can't write to {str(folder)!r}: permission denied.") from None


def check_apart(arguments: Mapping[str, Any]) -> None:
    """Refuse to write over a file that is read, and two results into one file."""
    written = [arguments[name] for name in WRITTEN if arguments.get(name) is not None]
    read = [os.fspath(arguments[name]) for name in READ if arguments.get(name) is not None]
    for path in written:
        here = os.path.realpath(path)
        for source in read:
            if any(_holds(place, here) for place in _places(source)):
                raise UserError(
                    f"{str(path)!r} is read by this command, which would then replace it; write to "
                    "another file."
                )
    if len({os.path.realpath(path) for path in written}) < len(written):
        raise UserError(f"Two results can't go into one file, {str(written[0])!r}; name another.")


def _places(source: str) -> list[str]:
    """Return the files and folders that something to read stands for."""
    if source == "-" or "://" in source:
        return []
    found = glob.glob(source, recursive=True) if glob.has_magic(source) else []
    # A file in an archive is named by a path that goes through it.
    archives = [str(parent) for parent in Path(source).parents if parent.is_file()]
    return [os.path.realpath(path) for path in (source, *found, *archives)]


def _holds(place: str, path: str) -> bool:
    """Tell whether a path is a place, or a table in the folder that it is."""
    is_table = path.lower().removesuffix(".gz").endswith(ENDINGS)
    return path == place or (is_table and path.startswith(os.path.join(place, "")))
