"""Tables and settings that every export is tried with."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from tables import encoder_of

WEIRD = [
    "it's",
    'say "x"',
    "back\\slash",
    "\\",
    "\\'",
    "'; DROP TABLE src; --",
    "line\nbreak\r\n\ttab",
    "semi;colon",
    "漢字 😀 é e\u0301",
    "",
    " ",
    "NULL",
    "${env:HOME}",
    "{0} %s :name ? @x $1",
    "\\u0041",
    "`tick`",
    "\u2028",
    "--",
    "/* */",
]

TEXT = {
    "plain": {
        "Texture": ["clear", "blurry", "blurry", "clear", "blurry", "clear"],
        "Root": ["straight", "straight", "curled", "slight", "curled", "slight"],
    },
    "missing": {
        "A": ["x", None, "y", "x", None, "y"],
        "B": [None, "u", "u", "v", "v", None],
        "C": ["p", "q", "p", "q", "q", "q"],
    },
    "nothing but missing": {
        "A": [None] * 4,
        "B": ["u", "v", "v", "u"],
        "C": ["p", "p", "p", "q"],
    },
    "weird values": {"A": [*WEIRD, None], "B": ["u", "v"] * (len(WEIRD) // 2) + ["u", "u"]},
    "weird names": {
        "a b": ["x", "y", "y"],
        'quote"': ["u", "u", "v"],
        "it's; --": ["p", "q", "q"],
        "größe `": ["1", "1", "2"],
        "select": ["k", "l", "k"],
        "back\\": ["x", "y", "y"],
        "vectors": ["x", "y", "x"],
    },
    "ranges": {
        "A": ["up to 5", "6 to 9", "over 9", None, "6 to 9", "over 9"],
        "B": ["u", "v", "v", "u", "u", "v"],
    },
    "capitals": {"A": ["x", "X", "é", "É", "x"], "B": ["u", "v", "u", "u", "v"]},
}

NUMBERS = {
    "integers": {"A": [3, 1, 1, 20, 3, 1], "B": [0, 0, 2**62, 2**62 + 1, -1, 0]},
    "booleans": {"A": [True, False, True, True], "B": [False, False, True, False]},
    "floats": {
        "A": [0.5, 0.1, -0.0, 1e300, 0.1 + 0.2, float("inf")],
        "B": [1.0, 1e-320, 2.0, 2.0, -float("inf"), 3.0],
    },
    "floats with missing": {"A": [0.5, np.nan, 0.5, -2.5], "B": [1.0, 1.0, np.nan, 2.0]},
}

BERLIN = ZoneInfo("Europe/Berlin")
PARIS = timezone(timedelta(hours=1))

DATES = {
    "dates": {
        "A": [date(2020, 2, 29), date(1, 1, 1), None, date(2020, 2, 29)],
        "B": ["x", "y", "x", "x"],
    },
    "times": {
        "A": [datetime(2020, 1, 1), datetime(2020, 1, 1, 12, 30, 1, 5), None, datetime(1969, 1, 1)],
        "B": ["x", "y", "x", "x"],
    },
    "the hour that comes twice": {
        "A": [datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=fold) for fold in (0, 1, 1, 0)],
        "B": ["x", "y", "x", "x"],
    },
    "times with zones": {
        "A": [
            datetime(2020, 1, 1, tzinfo=UTC),
            datetime(2020, 1, 1, 1, tzinfo=PARIS),
            datetime(2021, 1, 1, tzinfo=PARIS),
            None,
        ],
        "B": ["x", "y", "x", "x"],
    },
}

SETTINGS = {
    "default": {},
    "exact": {"solver": "exact"},
    "ordered": {"ordered": {"A": ["y", "x"]}},
    "ordered components": {"ordered": {"A": ["y", "x"]}, "n_components": 2},
    "ordered single": {"ordered": {"A": ["y", "x"]}, "dtype": np.float32},
    "full": {"output": "full", "solver": "uniform"},
    "components": {"n_components": 3},
    "single": {"dtype": np.float32},
    "single components": {"dtype": np.float32, "n_components": 2},
    "sparse": {"sparse_output": True},
    "rare": {"min_frequency": 2},
    "rare unknown": {"max_categories": 2, "handle_unknown": "infrequent_if_exist"},
    "all rare": {"max_categories": 1, "handle_unknown": "infrequent_if_exist"},
    "warn": {"max_categories": 2, "handle_unknown": "warn"},
    "passive": {"column_weights": {"B": 0}},
    "passive components": {"column_weights": {"A": 0}, "n_components": 2},
}

NEW_ROWS = pd.DataFrame(
    {
        "A": ["x", "new", None, "X", "", "' OR 1=1 --"],
        "B": ["u", "v", None, "new", "u", "w"],
        "C": ["p", None, "new", "q", "r", "p"],
    },
    dtype=object,
)
"""Rows with values that are missing or that the table "missing" does not have."""


def fit(columns, **settings):
    """Fit on a dict of columns."""
    return encoder_of(2, **{"solver": "uniform", **settings}).fit(frame(columns))


def frame(columns):
    """Return a frame that keeps each cell as it is."""
    return pd.DataFrame({n: pd.Series(c, dtype=object) for n, c in columns.items()})


def dense(encoder, rows):
    """Return `transform` as an array."""
    found = encoder.transform(rows)
    return found.toarray() if encoder.sparse_output else found
