"""Families of columns -> a sentence about each, for people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from untie._count.counts import Counts
from untie._learn.attributes import Attributes
from untie._learn.families import COPIES, ROOT, Member, gap_blocks
from untie._table.vocabulary import Vocabulary
from untie._util.words import listed

MOST_NAMES = 6
"""At most this many columns are named in a row; the others are counted."""


def family_sentences(
    attributes: Attributes, names: Sequence[str], sizes: Sequence[int] | None = None
) -> list[str]:
    """Return a sentence for each family: who follows from whom, and how many votes they have.

    Parameters
    ----------
    attributes : Attributes
        Of the table, or of its coarse view.
    names : sequence of str
        What to call the columns.
    sizes : sequence of int, optional
        How many values the columns have in the table itself. Of a column that has fewer in the
        coarse view, what is said is said to be rough: an hour tells a time only so far.

    Examples
    --------
    >>> from untie import count_table
    >>> cities = [["Rome", "Italy"], ["Pisa", "Italy"], ["Nice", "France"], ["Lyon", "France"]]
    >>> attributes = Attributes(count_table(cities * 25).counts)
    >>> family_sentences(attributes, ["City", "Country"])
    ['Country follows from City; they have one vote together.']
    """
    found = attributes.counts.sizes
    pairs = zip(found, found if sizes is None else sizes, strict=True)
    rough = [n_coarse < n for n_coarse, n in pairs]
    return [_sentence(family, attributes, names, rough) for family in attributes.families]


def gap_sentences(counts: Counts, vocabulary: Vocabulary, names: Sequence[str]) -> list[str]:
    """Return a sentence for each block of columns whose cells are missing together."""
    missing = [positions.get(None) for positions in vocabulary.positions]
    blocks = gap_blocks(counts, missing)
    return [
        f"Cells of {_some([names[place] for place in block])} are missing together."
        for block in blocks
    ]


def _some(names: Sequence[str]) -> str:
    """Return names as a sentence has them, and of many the first.

    Examples
    --------
    >>> _some(["a", "b"]), _some(list("abcdefgh"))
    ('a and b', 'a, b, c, d, e, f and 2 others')
    """
    more = len(names) - MOST_NAMES
    return listed([*names[:MOST_NAMES], f"{more} others"] if more > 1 else names)


def _sentence(
    family: Sequence[Member], attributes: Attributes, names: Sequence[str], rough: Sequence[bool]
) -> str:
    """Return who copies whom, who follows from which root, and the votes."""
    sources = {member.attribute: member.source for member in family}
    clauses: dict[tuple[str, int, bool], list[str]] = {}
    for member in family:
        if member.role != ROOT:
            is_copy = member.role == COPIES
            source = member.source if is_copy else _root(member.attribute, sources)
            assert source is not None  # only roots have none
            is_rough = rough[member.attribute] or (is_copy and rough[source])
            clause = (member.role, source, is_rough)
            clauses.setdefault(clause, []).append(names[member.attribute])
    said = [
        _clause(role, _some(who), names[of], len(who), is_rough)
        for (role, of, is_rough), who in clauses.items()
    ]
    total = float(attributes.shares[[member.attribute for member in family]].sum())
    votes = "one vote" if np.isclose(total, 1.0) else f"{total:.1f} votes"
    return f"{'; '.join(said)}; they have {votes} together."


def _root(attribute: int, sources: dict[int, int | None]) -> int:
    while (source := sources[attribute]) is not None:
        attribute = source
    return attribute


def _clause(role: str, who: str, of: str, n: int, is_rough: bool) -> str:
    if role == COPIES:
        return f"{who} {'say' if n > 1 else 'says'} {'roughly ' * is_rough}the same as {of}"
    return f"{who} {'roughly ' * is_rough}{'follow' if n > 1 else 'follows'} from {of}"
