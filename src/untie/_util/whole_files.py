"""Files that appear as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def whole_file(path: str | os.PathLike[str], make_folders: bool = False) -> Iterator[Path]:
    """Give a temporary path in the same folder; it takes the place of `path` at the end.

    When anything goes wrong before, the temporary file is removed and the old file stands.

    Parameters
    ----------
    path : path
        The file to write.
    make_folders : bool, default=False
        Whether to make the folder that it stands in, if there is none; it is an error otherwise.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(os.path.join(folder, "a.txt")) as temporary:
    ...         _ = temporary.write_text("all of it")
    ...     os.listdir(folder)
    ['a.txt']
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{str(target)!r} is a folder; name a file to write to.")
    if make_folders:
        target.parent.mkdir(parents=True, exist_ok=True)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"The folder {str(target.parent)!r} does not exist; make it first.")
    temporary = target.with_name(f".{target.name}-{uuid4().hex}")
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
