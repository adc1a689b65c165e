"""Counts -> coupling spaces: one vector for each value of an attribute.

A coupling is a function ``(counts, attribute) -> array of shape (n_values of the attribute,
n_dimensions)``. To add one, write it here and add a line to `COUPLINGS`; a user can pass
such a function directly.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from untie._count.counts import Counts
from untie._table.vocabulary import number_repeats
from untie._util.types import FloatArray

Coupling = Callable[[Counts, int], Any]
"""The vectors may be a sparse array; where the counts are, they should be."""


def intra(counts: Counts, attribute: int) -> FloatArray:
    """Return the relative frequency of each value (the paper's Eq. 1); one dimension.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    attribute : int
        The attribute whose values are described.
    """
    return counts.frequencies[counts.span(attribute), None] / counts.n


def inter(counts: Counts, attribute: int) -> Any:
    """Return p(value | b) for every value b of every other attribute (the paper's Eq. 4).

    A value b that never occurs says nothing about the others: its column is 0.
    """
    others = np.ones(sum(counts.sizes), dtype=bool)
    others[counts.span(attribute)] = False
    together = counts.matrix[counts.span(attribute)][:, np.flatnonzero(others)]
    frequencies = counts.frequencies[others]
    scales = np.where(frequencies > 0, frequencies, 1.0)
    if sparse.issparse(together):
        return together @ sparse.diags_array(1.0 / scales)
    return together / scales


def joint(counts: Counts, attribute: int) -> Any:
    """Return the intra- and the inter-attribute coupling, one after the other."""
    parts = [intra(counts, attribute), inter(counts, attribute)]
    return sparse.hstack(parts, format="csr") if sparse.issparse(parts[1]) else np.hstack(parts)


def matching(counts: Counts, attribute: int) -> FloatArray:
    """Return the values themselves: one dimension each, equal or not."""
    return np.eye(counts.sizes[attribute])


COUPLINGS: dict[str, Coupling] = {
    "intra": intra,
    "inter": inter,
    "joint": joint,
    "matching": matching,
}


PAPER_COUPLINGS = ("intra", "inter")
"""Those of the paper."""


def resolve_couplings(couplings: object) -> dict[str, Coupling]:
    """Turn the user's choice (a name, a function or a list of them) into named functions."""
    chosen = [couplings] if isinstance(couplings, str) or callable(couplings) else couplings
    if not isinstance(chosen, list | tuple) or not chosen:
        raise ValueError(
            f"couplings must name at least one of {sorted(COUPLINGS)}, got {couplings!r}."
        )
    names: list[str] = []
    for entry in chosen:
        if isinstance(entry, str) and entry in COUPLINGS:
            names.append(entry)
        elif callable(entry):
            names.append(getattr(entry, "__name__", repr(entry)))
        else:
            raise ValueError(
                f"couplings: {entry!r} is unknown; choose among {sorted(COUPLINGS)} or pass a "
                "function (counts, attribute) -> array of shape (n_values, n_dimensions)."
            )
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"couplings name the same space twice: {couplings!r}.")
    functions = [COUPLINGS[entry] if isinstance(entry, str) else entry for entry in chosen]
    return dict(zip(number_repeats(names), functions, strict=True))
