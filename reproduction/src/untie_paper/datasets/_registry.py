"""All data sets of the paper by name; a new one is one line in `SOURCES`."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import untie.datasets
from untie_paper.datasets._columns import LABEL, Columns, DataHome, DataSource, to_frames
from untie_paper.datasets._external import External
from untie_paper.datasets._rules import Rule, three_of_nine


@dataclass(frozen=True)
class Bundled:
    """A table that comes with untie."""

    def read(self, name: str, data_home: DataHome) -> Columns:
        X, y = untie.datasets.load(name, frame="pandas")
        return X.to_dict("list") | {LABEL: y.tolist()}


SOURCES: dict[str, DataSource] = {
    "zoo": Bundled(),
    "dnapromoter": Bundled(),
    "hayesroth": Bundled(),
    "hepatitis": Bundled(),
    "audiology": External(7, "6d0c7f35c4e32e88", n_rows=200),
    "housevotes": Bundled(),
    "spect": Bundled(),
    "mofn3710": External(40680, "ee46108c2781a4c8", n_rows=300),
    "soybeanlarge": Bundled(),
    "primarytumor": Bundled(),
    "dermatology": Bundled(),
    "threeof9": Rule(three_of_nine),
    "wisconsin": Bundled(),
    "crx": Bundled(),
    "breastcancer": Bundled(),
    "mammographic": Bundled(),
    "tictactoe": Bundled(),
    "flare": Bundled(),
    "titanic": Bundled(),
    "dnanominal": Bundled(),
    "splice": Bundled(),
    "krvskp": Bundled(),
    "led24": External(
        40677,
        "9f38594907fabbf4",
        instead=" untie_paper.datasets.make_led24() draws another table of the same kind.",
    ),
    "mushroom": Bundled(),
    "connect4": External(
        40668,
        "bdb632ecad6d20e4",
        spelling={"0": "b", "1": "o", "2": "x"},
        label_spelling={"0": "draw", "1": "loss", "2": "win"},
    ),
    "lymphography": Bundled(),
}


def names() -> list[str]:
    """Return the names that `load` knows, in the order of the paper's data table.

    Returns
    -------
    list of str

    Examples
    --------
    >>> len(names()), names()[:3]
    (26, ['zoo', 'dnapromoter', 'hayesroth'])
    """
    return list(SOURCES)


def load(name: str, data_home: DataHome = None) -> tuple[Any, Any]:
    """Load a data set of the paper.

    Most come with untie. Four do not: audiology, connect4, led24 and mofn3710 are read from
    ``<name>.csv`` or ``<name>.csv.gz`` in `data_home`, or in the folder that the environment
    variable ``UNTIE_DATA`` names; where there is no such file, scikit-learn fetches them from
    OpenML and keeps them. A copy with other contents than the paper's data set is refused.

    Parameters
    ----------
    name : str
        One of `names`.
    data_home : path, optional
        The folder of the four files, instead of ``UNTIE_DATA``. What OpenML gives is cached
        there too; without it, scikit-learn's own folder is used.

    Returns
    -------
    X : DataFrame
        The columns, as strings. A missing value that the sources count as a value is "?".
    y : series
        The label, as strings.

    Raises
    ------
    ValueError
        If there is no such data set, or the copy found is not the paper's.
    FileNotFoundError
        If one of the four is neither in a folder nor to be fetched.

    See Also
    --------
    names : All names.

    Examples
    --------
    >>> X, y = load("zoo")
    >>> X.shape, y.nunique()
    ((101, 16), 7)
    """
    return to_frames(source(name).read(name, data_home))


def source(name: str) -> DataSource:
    """Return where a data set comes from."""
    if name not in SOURCES:
        close = get_close_matches(str(name).lower(), SOURCES, n=3)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "choose among"
        rest = "" if close else f" {names()}."
        raise ValueError(f"There is no data set {name!r}; {hint}{rest}")
    return SOURCES[name]
