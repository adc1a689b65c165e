"""What can be found wrong before anything is read, without the libraries that take a while."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

from untie.cli.guard import UserError

ENDINGS = (".csv", ".tsv", ".json", ".parquet", ".pq")


def check_file(path: str | os.PathLike[str] | None) -> None:
    """Refuse a file that is not there; patterns, addresses and standard input are for others."""
    if path is None:
        return
    text = os.fspath(path)
    if text == "-" or "://" in text or glob.has_magic(text) or os.path.exists(text):
        return
    if any(parent.is_file() for parent in Path(text).parents):  # what is in it, others know
        return
    raise UserError(f"There is no file {text!r}; check the path, from the folder {os.getcwd()!r}.")


def check_output(path: Path | None, endings: Sequence[str] | None = ENDINGS) -> None:
    """Find out before the work that a file can't be written."""
    if path is None:
        return
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    if endings is not None and plain.suffix.lower() not in endings:
        raise UserError(
            f"{str(path)!r} has none of the endings {', '.join(endings)}, by which the format is "
            "chosen; rename the file to write."
        )
    # Opens a temporary file beside it, which has no name and is gone whatever happens.
    try:
        if path.is_dir():
            raise IsADirectoryError(f"{str(path)!r} is a folder; name a file to write to.")
        TemporaryFile(dir=path.parent).close()
    except FileNotFoundError:
        raise UserError(f"The folder {str(path.parent)!r} does not exist; make it first.") from None
    except PermissionError:
        raise UserError(f"Can't write to {str(path.parent)!r}: permission denied.") from None
