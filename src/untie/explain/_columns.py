"""Questions about columns: associations, redundant columns, shared gaps, what weights favor."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from untie._count.counts import Counts
from untie._count.tally import select_counts
from untie._inputs import as_fitted
from untie._learn.columns.attributes import gap_blocks
from untie._learn.columns.explained_entropy import (
    blank_codes,
    explained_entropies,
    known_counts,
    pair_entropies,
)
from untie._learn.linalg.spectrum import energies
from untie._learn.spaces.kernel_spaces import KernelSpaces, identity_spaces
from untie._table import frames
from untie._table.orders import Orders
from untie._util.checks import check_one_of
from untie._util.types import BoolArray, FloatArray
from untie.encoder import TableEncoder


def associations(model: Any, *, directed: bool = False) -> Any:
    """Return a square, labeled frame of how much columns have in common, from 0 to 1.

    Each pair of columns is compared in the rows where both are known: that the same cells are
    missing is nothing in common, but an answer of `missing_together`. A column with a single value
    besides missing cells, as a box that is ticked or not, has its missing cells as a second one.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    directed : bool, default=False
        If False, the symmetric uncertainty: 1 if each column determines the other, 0 if they are
        independent. If True, the share of a column's entropy (at the head) that another (of the
        line) tells: a city tells its state, not the reverse. This takes a millisecond or so per
        pair of columns, the other next to nothing. From both, what chance alone gives is left out.

    Returns
    -------
    frame of shape (n_columns, n_columns)
        With the columns as index in pandas, and as a first column in other libraries.

    See Also
    --------
    families : The columns that say the same.
    untie.plot.associations : Draws them.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import associations
    >>> cities = [["Rome", "Italy"], ["Pisa", "Italy"], ["Nice", "France"], ["Lyon", "France"]]
    >>> encoder = TableEncoder(n_clusters=2).fit(cities * 25)
    >>> associations(encoder, directed=True).round(1)
         x0   x1
    x0  1.0  1.0
    x1  0.5  1.0
    """
    encoder = as_fitted(model).encoder
    attributes, names = encoder._model.attributes, encoder.vocabulary_.columns
    if not directed:
        return frames.square(encoder._library, names, attributes.uncertainty)
    every = encoder.counts_
    counts = known_counts(every, blank_codes(every, encoder.vocabulary_.missing))
    shares = explained_entropies(counts, pair_entropies(counts), least=0.0).shares
    return frames.square(encoder._library, names, shares)


def families(model: Any) -> Any:
    """Return the families of columns: copies of each other, and what follows from what.

    City tells State, and State tells Region: three columns, one fact. Such a chain has one vote
    together, in equal shares, so that it does not make the clusters alone. A column that tells two
    others which have nothing to do with each other, as a model tells maker and fuel, belongs to
    both chains; maker and fuel keep 2/3 of a vote each. Columns that merely depend on each other
    are no family: what they share is what clusters are made of.

    Columns are compared in the rows where both are known. Cells that are missing in one of the two
    count where they follow from the other, as no type of diabetes from no diabetes; cells that are
    missing in both do not. Columns with an order are compared
    in about five groups of neighboring values, so that a time follows from its hour: roughly.

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
    attributes, names = encoder._model.attributes, encoder.vocabulary_.columns
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
    return frames.make_frame(encoder._library, columns)


def missing_together(model: Any) -> Any:
    """Return the blocks of columns whose cells are missing together.

    In a form with parts that only some fill in, "missing" is one fact told by many columns, and may
    make the clusters alone. It has a vote for each column in the block. To let it count once, name
    the values of these columns in `categories`, with None in one of them only: in the others a
    missing cell is then unknown, which is neutral. Or make all but one of the columns passive
    (`column_weights` of 0).

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.

    Returns
    -------
    frame
        One row per column in a block: block (its number), column and share, that of the rows in
        which it is missing. Empty if there are none.

    See Also
    --------
    families : Columns that say the same where they are known.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import missing_together
    >>> rows = [["a", "x", "p"], ["b", "y", "q"], [None, None, "p"], ["a", "y", "q"]] * 10
    >>> missing_together(TableEncoder(n_clusters=2).fit(rows))
       block column  share
    0      0     x0   0.25
    1      0     x1   0.25
    """
    encoder = as_fitted(model).encoder
    vocabulary, counts = encoder.vocabulary_, encoder.counts_
    missing = vocabulary.missing
    found = [
        (number, place)
        for number, block in enumerate(gap_blocks(counts, missing))
        for place in block
    ]
    shares = []
    for _, place in found:
        code = missing[place]
        assert code is not None  # a column in a block has missing cells
        shares.append(float(counts.frequencies[counts.span(place)][code] / counts.n))
    columns = {
        "block": [number for number, _ in found],
        "column": [vocabulary.columns[place] for _, place in found],
        "share": shares,
    }
    return frames.make_frame(encoder._library, columns)


GROUPINGS = ("column", "coupling", "kernel", "column x coupling")


def weight_shares(model: Any, *, by: str = "column") -> Any:
    """Return each column's, coupling's or kernel's share of what tells rows apart.

    The squared distance of two rows is a sum over the columns, their couplings and kernels.
    A share is that of the mean over all pairs of rows that were learned from (equally, of the
    variance of the rows' vectors): it reflects both the weights and how much the values vary.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    by : {"column", "coupling", "kernel", "column x coupling"}, default="column"
        What has a share. The coupling "matching" is that of the values themselves, without any
        coupling; "tree" is that of the default's trees of values, whose "kernels" are "together"
        (by what values occur with) and "often" (by how often they occur). By "column" it costs
        next to nothing; the others build the kernels or trees once more.

    Returns
    -------
    frame
        `by` (for "column x coupling": column and coupling) and share, the largest first; the
        shares add up to 1, unless all rows are equal.

    See Also
    --------
    untie.plot.weights : Draws them.

    Examples
    --------
    >>> from untie import UNTIE
    >>> from untie.explain import weight_shares
    >>> rows = [["red", "wine", "no"], ["red", "wine", "yes"], ["brown", "beer", "no"]] * 5
    >>> encoder = UNTIE(n_clusters=2, solver="uniform", kernels="paper").fit(rows)
    >>> weight_shares(encoder).round(2)
         column  share
    0        x0   0.34
    1        x1   0.34
    2        x2   0.32
    >>> weight_shares(encoder, by="coupling").round(2)
      coupling  share
    0    inter   0.71
    1    intra   0.29
    """
    return several_shares(model, [by])[0]


def several_shares(model: Any, groupings: Sequence[str]) -> list[Any]:
    """Return what `weight_shares` does by each of some groupings, and build kernels once."""
    encoder = as_fitted(model).encoder
    for by in groupings:
        check_one_of("by", by, GROUPINGS)
    needed = set(groupings) != {"column"}
    variances = _of_spaces(encoder) if needed else None
    return [_shares(encoder, by, variances) for by in groupings]


def _shares(encoder: TableEncoder, by: str, variances: FloatArray | None) -> Any:
    if by == "column" or variances is None:
        keys, found = {by: list(encoder.vocabulary_.columns)}, _of_attributes(encoder)
    elif by in ("coupling", "kernel"):
        names, table = _summed(encoder, by, variances)
        keys, found = {by: names}, table.sum(axis=0)
    else:
        names, table = _summed(encoder, "coupling", variances)
        columns = encoder.vocabulary_.columns
        # A column without an order has no share of orders, not one of 0.
        places, which = np.nonzero(_has_space(encoder, names))
        keys = {"column": [columns[place] for place in places]}
        keys["coupling"] = [names[place] for place in which]
        found = table[places, which]
    total = found.sum()
    shares = found / total if total > 0 else found
    order = np.argsort(-np.round(shares, 12), kind="stable")
    sorted_keys = {name: [entries[place] for place in order] for name, entries in keys.items()}
    return frames.make_frame(encoder._library, {**sorted_keys, "share": shares[order]})


def _of_attributes(encoder: TableEncoder) -> FloatArray:
    """Return the variance of each attribute's vectors over the rows."""
    counts = encoder.counts_
    space = encoder._model.space
    result = []
    for attribute in range(len(space)):
        frequencies = counts.frequencies[counts.span(attribute)]
        distances = space.squared_distances(attribute, space.vectors(attribute, [-1]))[:-1, 0]
        result.append(float(frequencies @ distances))
    return np.array(result)


def _summed(encoder: TableEncoder, by: str, variances: FloatArray) -> tuple[list[str], FloatArray]:
    """Return the couplings or kernels, and the variance of each in each attribute.

    Returns
    -------
    names, array of shape (n_attributes, n_names)
    """
    keys = [label[GROUPINGS.index(by) - 1] for label in encoder._model.labels]
    names = list(dict.fromkeys(keys))
    result = np.zeros((len(encoder.vocabulary_.columns), len(names)))
    for key, found in zip(keys, variances.T, strict=True):
        result[:, names.index(key)] += found
    return names, result


def _has_space(encoder: TableEncoder, couplings: list[str]) -> BoolArray:
    """Tell which attributes have coordinates of which couplings; (n_attributes, n_couplings)."""
    own = [coupling for coupling, _ in encoder._model.labels]
    held = [
        {coupling for coupling, width in zip(own, widths, strict=True) if width}
        for widths in encoder._model.widths
    ]
    return np.array([[coupling in found for coupling in couplings] for found in held])


def _of_spaces(encoder: TableEncoder) -> FloatArray:
    """Return the variance of each kernel space's coordinates; (n_attributes, n_spaces)."""
    heard = np.flatnonzero(~encoder._model.unlearned)
    counts = select_counts(encoder.counts_, heard)
    orders = encoder._model.orders
    spaces = _spaces(encoder, counts, tuple(orders[place] for place in heard) if orders else ())
    weighted = energies(spaces, counts) * encoder.omega_
    result = np.zeros((len(encoder.counts_.sizes), len(spaces.labels)))
    result[heard] = [
        [float(space.sum()) for space in np.split(part, np.cumsum(widths)[:-1])]
        for part, widths in zip(spaces.split(weighted), spaces.widths, strict=True)
    ]
    return result


def _spaces(encoder: TableEncoder, counts: Counts, orders: Orders) -> KernelSpaces:
    """Build the kernel spaces again that the encoder was fitted with; models do not keep them."""
    recipe = encoder._recipe()
    spaces = identity_spaces(counts)  # also what a degenerate table is learned with
    if spaces.labels != encoder._model.labels:
        spaces = recipe.spaces(counts, orders)
    if spaces.labels != encoder._model.labels:
        raise ValueError(
            "The encoder's couplings or kernels were changed since it was fitted; fit it again."
        )
    return spaces
