"""Data sets that a rule gives completely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from untie_paper.datasets._columns import LABEL, Columns, DataHome


@dataclass(frozen=True)
class Rule:
    """A data set that a function makes."""

    make: Callable[[], Columns]

    def read(self, name: str, data_home: DataHome) -> Columns:
        return self.make()


def three_of_nine() -> Columns:
    """Return all strings of 9 bits, in counting order; class 1 has three adjacent ones."""
    rows = ["".join(bits) for bits in product("01", repeat=9)]
    columns = {f"F{i + 1}": [row[i] for row in rows] for i in range(9)}
    return columns | {LABEL: ["1" if "111" in row else "0" for row in rows]}
