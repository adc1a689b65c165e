"""The kernel spaces of one attribute, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from untie._learn.tall import Columns
from untie._util.types import FloatArray


@dataclass(frozen=True, eq=False)
class Block:
    """The columns of an attribute's kernel matrices, or their leading axes if there are very many.

    Parameters
    ----------
    table : Dense or Tall
        The columns of all spaces, one space after another.
    widths : tuple of int
        Number of columns of each space.
    errors : array of shape (n_spaces,) or None
        For each space of axes, how much of the kernel is missing; None for whole matrices.
    """

    table: Columns
    widths: tuple[int, ...]
    errors: FloatArray | None = None

    def beside(self, other: Block) -> Block:
        """Return the spaces of both blocks, which are of the same attribute."""
        tables: Any = (self.table, other.table)  # so both are of the same class
        errors = None
        if self.errors is not None and other.errors is not None:
            errors = np.concatenate([self.errors, other.errors])
        return Block(tables[0].beside(tables[1]), self.widths + other.widths, errors)
