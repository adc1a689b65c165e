"""The data sets inside the package; ``data/ATTRIBUTION.md`` says where they are from."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from importlib.resources import files

from untie.datasets._columns import Columns, DataHome, parse

_DATA = files("untie.datasets") / "data"
_SUFFIX = ".csv.gz"


@dataclass(frozen=True)
class Bundled:
    """A compressed file of the package."""

    def read(self, name: str, data_home: DataHome) -> Columns:
        with (
            (_DATA / f"{name}{_SUFFIX}").open("rb") as file,
            gzip.open(file, "rt", encoding="utf-8", newline="") as text,
        ):
            return parse(text)


def bundled_names() -> list[str]:
    """Return the names of the data sets whose files come with the package.

    They need neither a data folder nor a connection; nor does threeof9, which is made by a rule.

    Returns
    -------
    list of str
        In alphabetical order.

    Examples
    --------
    >>> bundled_names()[:3]
    ['breastcancer', 'crx', 'dermatology']
    """
    return sorted(
        entry.name.removesuffix(_SUFFIX)
        for entry in _DATA.iterdir()
        if entry.name.endswith(_SUFFIX)
    )
