"""Files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

from untie._util.whole_files import whole_file


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that its path holds either what was there or all of the new content.

    Raises
    ------
    OSError
        If it cannot be written, with the reason and the remedy; what was there is kept.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "new" / "a.txt", b"whole")
    ...     (Path(folder) / "new" / "a.txt").read_text()
    'whole'
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as temporary:
            temporary.write_bytes(content)
    except OSError as error:
        raise OSError(
            error.errno,
            f"The file could not be written ({error.strerror or error}). Make room or name "
            "another folder, and run the command again: measured cells are kept",
            str(path),
        ) from error
