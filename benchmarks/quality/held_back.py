"""Which tables are held back while a default is chosen: a third, by a rule that knows no result.

The tables of `word_tables.py` are held back as a whole.

Tables that hold the same rows, or nearly, are one family and are held back together, whatever they
are called: a default that was chosen on one of them has seen the others.
"""

from __future__ import annotations

from hashlib import sha256

SAME = {
    "votes": ["housevotes", "house-votes"],
    "promoters": ["dnapromoter", "dna-promoter"],
    "hayesroth": ["hayesroth", "hayes-roth"],
    "wisconsin": ["wisconsin", "breastcancer", "breast-cancer-wisconsin"],
    "credit": ["crx", "australian", "credit-approval", "creditau"],
    "mammographic": ["mammographic", "mammographic-mass"],
    "tictactoe": ["tictactoe", "tic-tac-toe"],
    "flare": ["flare", "solar-flare"],
    "splice": ["splice", "dnanominal"],
    "chess": ["krvskp", "chess"],
    "led": ["led24", "led7digit"],
    "tumor": ["primarytumor", "primary-tumor"],
    "soybean": ["soybeanlarge", "soybean-small"],
    "heart": ["heart", "cleveland", "heart-disease"],
    "breast": ["breast", "breastlj"],
    "balance": ["balance", "balance-scale"],
    "teaching": ["tae", "assistant-evaluation", "lecturer-evaluation", "photo-evaluation"],
}
"""Names of the same data, by the name of their family; a made table's family is its kind."""

FAMILY = {name: family for family, names in SAME.items() for name in names}


WHOLE_KINDS = ["words"]
"""Kinds of tables that are held back as a whole."""


def is_held_back(name: str, kind: str = "") -> bool:
    """Tell whether a table was not looked at before the default was settled.

    Examples
    --------
    >>> [is_held_back(name) for name in ("crx", "credit-approval", "zoo", "copies0")]
    [False, False, True, True]
    >>> is_held_back("bridges", "words")
    True
    """
    if kind in WHOLE_KINDS:
        return True
    return sha256(family_of(name).encode()).digest()[0] % 3 == 0


def family_of(name: str) -> str:
    """Return what tables that hold the same rows, or are drawn in the same way, have in common."""
    return FAMILY.get(name, name.rstrip("0123456789") or name)
