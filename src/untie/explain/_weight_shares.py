"""What the learned weights favour."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from untie._count.counts import Counts
from untie._count.tally import select_counts
from untie._inputs import as_fitted
from untie._learn.linalg.spectrum import energies
from untie._learn.spaces.kernel_spaces import KernelSpaces, identity_spaces
from untie._table import frames
from untie._table.orders import Orders
from untie._util.checks import check_one_of
from untie._util.types import BoolArray, FloatArray
from untie.encoder import TableEncoder

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
    heard = np.flatnonzero(~encoder._model.passive)
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
