"""Data sets that are not in the package: from a folder of the user's, or from OpenML."""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from untie_paper.datasets import _openml as openml
from untie_paper.datasets._columns import LABEL, Columns, DataHome, parse
from untie_paper.datasets._figures import agree, in_words, measure, printed_figures

VARIABLE = "UNTIE_DATA"
_SUFFIXES = (".csv", ".csv.gz")


@dataclass(frozen=True)
class External:
    """A data set that the user has as a file, or that OpenML has.

    Parameters
    ----------
    openml_id : int
        Its number at OpenML.
    fingerprint : str
        What `fingerprint` gives for the data set of the paper.
    n_rows : int, optional
        The rows of the training part, where copies have a test part before or after it.
    spelling : mapping, optional
        The names of the values of attributes, for copies that have codes instead.
    label_spelling : mapping, optional
        The names of the classes, likewise.
    instead : str, default=""
        What a user who can't get it may do.
    """

    openml_id: int
    fingerprint: str
    n_rows: int | None = None
    spelling: Mapping[str, str] = field(default_factory=dict)
    label_spelling: Mapping[str, str] = field(default_factory=dict)
    instead: str = ""

    def read(self, name: str, data_home: DataHome) -> Columns:
        folder = _folder(data_home)
        path = _find(name, folder)
        if path is not None:
            columns, origin = _read_file(path), str(path)
        else:
            columns, origin = self._fetch(name, folder, data_home), f"OpenML's {self._page}"
        columns = self._training_part(self._spell(columns))
        self._verify(name, columns, origin)
        return columns

    @property
    def _page(self) -> str:
        return f"https://www.openml.org/d/{self.openml_id}"

    def _fetch(self, name: str, folder: Path | None, data_home: DataHome) -> Columns:
        try:
            return openml.fetch(self.openml_id, data_home)
        except openml.FAILURES as error:
            searched = "no folder was named" if folder is None else f"{folder} has no such file"
            raise FileNotFoundError(
                f"The data set {name!r} is not here. Put {name}.csv or {name}.csv.gz (a header, "
                f"the label in the column {LABEL!r}) in a folder and name the folder with "
                f"data_home= or the environment variable {VARIABLE} ({searched}); or let "
                f"scikit-learn fetch it from OpenML ({self._page}), which needs a connection and "
                f"pandas, and failed ({type(error).__name__}: {error}).{self.instead}"
            ) from error

    def _spell(self, columns: Columns) -> Columns:
        """Name values that are coded; copies that have the names stay as they are."""
        codes = dict.fromkeys(columns, self.spelling) | {LABEL: self.label_spelling}
        return {
            name: [codes[name].get(cell, cell) for cell in cells] if codes[name] else cells
            for name, cells in columns.items()
        }

    def _training_part(self, columns: Columns) -> Columns:
        """Return the first or last rows, whichever are the training part."""
        if self.n_rows is None or len(columns[LABEL]) <= self.n_rows:
            return columns
        first, last = slice(self.n_rows), slice(-self.n_rows, None)
        parts = [{n: cells[rows] for n, cells in columns.items()} for rows in (first, last)]
        return next((part for part in parts if fingerprint(part) == self.fingerprint), columns)

    def _verify(self, name: str, columns: Columns, origin: str) -> None:
        """Refuse whatever is not the data set of the paper, rather than give other results."""
        if fingerprint(columns) == self.fingerprint:
            return
        measured, printed = measure(columns), printed_figures()[name]
        found = (
            "the same numbers of rows, columns and values, but other cells"
            if agree(measured, printed)
            else f"{in_words(measured)}, instead of {in_words(printed)}"
        )
        raise ValueError(
            f"{origin} is not the data set {name!r} of the paper: it has {found}. Put the right "
            f"file in a folder and name the folder with data_home= or {VARIABLE}.{self.instead}"
        )


def fingerprint(columns: Columns) -> str:
    """Return a short text that tells data sets apart by how often each value occurs.

    Neither the order of rows and columns nor the names of attributes matter.
    """
    counts = {name: sorted(Counter(cells).items()) for name, cells in columns.items()}
    content = repr((counts.pop(LABEL), sorted(counts.values())))
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _folder(data_home: DataHome) -> Path | None:
    folder = data_home or os.environ.get(VARIABLE)
    return Path(folder).expanduser() if folder else None


def _find(name: str, folder: Path | None) -> Path | None:
    if folder is None:
        return None
    paths = [folder / f"{name}{suffix}" for suffix in _SUFFIXES]
    return next((path for path in paths if path.is_file()), None)


def _read_file(path: Path) -> Columns:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as text:
            return parse(text)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        problem = f"it is not a whole gzip file ({error})"
    except UnicodeDecodeError as error:
        problem = f"it is not text in UTF-8 ({error})"
    except (ValueError, csv.Error) as error:
        problem = str(error)
    raise ValueError(
        f"The data file {path} can't be read: {problem}. It must be a table of comma-separated "
        f"cells with a header and the label in the column {LABEL!r}. Replace the file, or delete "
        f"it to have the data set fetched from OpenML."
    )
