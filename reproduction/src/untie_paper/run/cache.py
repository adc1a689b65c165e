"""Cells on disk: one small readable file each, written whole or not at all."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from untie_paper.output.files import write_whole
from untie_paper.run.keys import Key
from untie_paper.run.versions import OPTIONAL, installed

_ABANDONED = 3600.0
"""Seconds after which an unfinished file belongs to no run that still lives."""


@dataclass(frozen=True)
class StoredCell:
    """What a job returned, and how.

    Attributes
    ----------
    result : dict
        What the function returned.
    seconds : float
        How long it took.
    when : str
        When it was stored.
    commit : str or None
        Of the checkout that computed it.
    versions : dict
        Of Python and the libraries that it used.
    """

    result: dict[str, Any]
    seconds: float
    when: str
    commit: str | None
    versions: dict[str, str | None]


@dataclass(frozen=True)
class CellCache:
    """A folder of cells; any number of runs may use it at a time.

    Parameters
    ----------
    folder : Path
        Made when the first cell is stored.
    notice : callable
        Is told, in one line, of files that can't be read.
    """

    folder: Path
    notice: Callable[[str], None]

    def read(self, key: Key) -> StoredCell | None:
        """Return a cell, or None where it must be computed."""
        path = self._path(key)
        try:
            cell = _parse(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            self.notice(f"{path.name} is no whole cell and is computed again ({error!r}).")
            return None
        used = {library: cell.versions.get(library) for library in OPTIONAL}
        outdated = any(used[library] not in (None, installed(library)) for library in used)
        return None if outdated else cell

    def write(self, key: Key, cell: StoredCell) -> None:
        """Store a cell; a kill at any moment leaves the old file or the new one."""
        content = {
            "function": f"{key.module}.{key.function}",
            "arguments": json.loads(key.arguments),
            "fingerprint": key.fingerprint,
            **asdict(cell),
        }
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        write_whole(self._path(key), text.encode())

    def sweep(self) -> None:
        """Remove what killed runs left unfinished."""
        for path in self.folder.rglob(".*.json-*"):  # as `whole_file` names them
            try:
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()
            except FileNotFoundError:  # another run was faster
                continue

    def _path(self, key: Key) -> Path:
        return self.folder / key.module.rpartition(".")[2] / f"{key.digest}.json"


def _parse(text: str) -> StoredCell:
    content = json.loads(text)
    if not isinstance(content["result"], dict) or not isinstance(content["versions"], dict):
        raise TypeError("result and versions must be objects")
    names = ("result", "when", "commit", "versions")
    return StoredCell(seconds=float(content["seconds"]), **{name: content[name] for name in names})
