"""Which columns say what others say already, and how they share their votes."""

from __future__ import annotations

from typing import Any

from untie._inputs import as_fitted
from untie._table import frames


def families(model: Any) -> Any:
    """Return the families of columns: copies of each other, and what follows from what.

    City tells State, and State tells Region: three columns, one fact. Such a chain has one vote
    together, in equal shares, so that it does not make the clusters alone. A column that tells two
    others which have nothing to do with each other, as a model tells maker and fuel, belongs to
    both chains; maker and fuel keep 2/3 of a vote each. Columns that merely depend on each other
    are no family: what they share is what clusters are made of. Columns with an order are compared
    in about five groups of neighbouring values, so that a time follows from its hour: roughly.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.

    Returns
    -------
    frame
        One row per column that is in a family, those that say most first: family (its number),
        column, role ("root", "copy" or "follows"), follows_from (the nearest column that it copies
        or follows from), how_much (the share of its entropy that this one tells, chance left out)
        and vote. Empty if there are none. Passive columns (`column_weights` of 0) are left out.

    See Also
    --------
    associations : How much all pairs of columns have in common.
    missing_together : Columns whose cells are missing in the same rows.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import families
    >>> cities = [["Rome", "Italy"], ["Pisa", "Italy"], ["Nice", "France"], ["Lyon", "France"]]
    >>> found = families(TableEncoder(n_clusters=2).fit(cities * 25))
    >>> found[["family", "column", "role", "how_much", "vote"]]
       family column     role  how_much  vote
    0       0     x0     root       NaN   0.5
    1       0     x1  follows       1.0   0.5
    """
    encoder = as_fitted(model).encoder
    attributes, names = encoder.model_.attributes, encoder.vocabulary_.columns
    members = [
        (number, member) for number, family in enumerate(attributes.families) for member in family
    ]
    columns = {
        "family": [number for number, _ in members],
        "column": [names[member.attribute] for _, member in members],
        "role": [member.role for _, member in members],
        "follows_from": [
            None if member.source is None else names[member.source] for _, member in members
        ],
        "how_much": [member.share for _, member in members],
        "vote": [float(attributes.votes[member.attribute]) for _, member in members],
    }
    return frames.make_frame(encoder.library_, columns)
