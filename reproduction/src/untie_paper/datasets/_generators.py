"""Seeded tables: the LED display, and the paper's synthetic tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from untie_paper.checks import check_integer, check_share, draws_of
from untie_paper.datasets._columns import LABEL, to_frames

# For each digit, which segments are lit: top, upper left, upper right, middle, lower left,
# lower right, bottom.
_DIGITS = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"
_SEGMENTS = np.array([[int(bit) for bit in digit] for digit in _DIGITS.split()])
_N_IRRELEVANT = 17


def make_led24(
    n_rows: int = 3200,
    noise: float = 0.1,
    *,
    random_state: Any = 0,
) -> tuple[Any, Any]:
    """Draw digits of an LED display with faulty segments, and bits that say nothing.

    Each row is a digit, all equally likely: its 7 segments, each inverted with probability
    `noise`, then 17 bits that are 0 or 1 like a fair coin. ``load("led24")`` is one such table;
    this gives others, with the same columns.

    Parameters
    ----------
    n_rows : int, default=3200
        The number of rows. Time and memory grow with it.
    noise : float, default=0.1
        The probability that a segment is inverted, from 0 to 1; at 0.5 nothing is left of the
        digits.
    random_state : int, RandomState or None, default=0
        Seed; the same number gives the same table, and None is 0.

    Returns
    -------
    X : DataFrame of shape (n_rows, 24)
        The bits, as strings.
    y : series
        The digits, as strings.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, Classification and Regression Trees,
    Wadsworth, 1984: the LED display.

    Examples
    --------
    >>> X, y = make_led24(500, noise=0)
    >>> X.shape, y.nunique(), X.iloc[:, :7].drop_duplicates().shape
    ((500, 24), 10, (10, 7))
    """
    check_integer("n_rows", n_rows)
    check_share("noise", noise)
    random = draws_of(random_state)
    digits = random.randint(10, size=n_rows)
    segments = _SEGMENTS[digits] ^ (random.random_sample((n_rows, 7)) < noise)
    bits = np.hstack([segments, random.randint(2, size=(n_rows, _N_IRRELEVANT))])
    names = [f"attribute_{i + 1}" for i in range(7)]
    names += [f"irrelevant{i + 1}" for i in range(_N_IRRELEVANT)]
    return _as_frames(names, bits, digits)


def make_synthetic(
    n_rows: int = 1000,
    n_attributes: int = 10,
    n_values: int = 3,
    *,
    n_classes: int = 2,
    coupling: float = 0.5,
    random_state: Any = 0,
) -> tuple[Any, Any]:
    """Draw a table of given size: the synthetic tables of the paper's timings.

    The paper has three dials, `n_rows` (n_o), `n_attributes` (n_a) and `n_values` (n_mv), whose
    defaults are these, and turns one at a time: n_o from 1,000 to 100,000, n_a from 10 to 100, n_mv
    from 10 to 100. It says nothing of how cells are drawn, whether columns depend on each other,
    or of classes. Here every column has all `n_values` values; rows belong to classes of
    equal size, each class has a typical value in each column, and a cell has that value with
    probability `coupling` and else any value, all equally likely.

    Parameters
    ----------
    n_rows : int, default=1000
        The number of rows; at least `n_values` and at least `n_classes`.
    n_attributes : int, default=10
        The number of columns. Time and memory grow with the number of cells.
    n_values : int, default=3
        The number of values per column. Each occurs: one cell of each is set aside for it.
    n_classes : int, default=2
        The number of classes.
    coupling : float, default=0.5
        How much columns tell of the class and thereby of each other, from 0 (nothing) to 1.
    random_state : int, RandomState or None, default=0
        Seed; the same number gives the same table, and None is 0.

    Returns
    -------
    X : DataFrame of shape (n_rows, n_attributes)
        The cells, as strings.
    y : series
        The classes, as strings.

    Examples
    --------
    >>> X, y = make_synthetic(200, 5, n_values=8)
    >>> X.shape, X.nunique().tolist(), y.nunique()
    ((200, 5), [8, 8, 8, 8, 8], 2)
    """
    check_integer("n_attributes", n_attributes)
    check_integer("n_values", n_values)
    check_integer("n_classes", n_classes)
    check_integer("n_rows", n_rows, max(n_values, n_classes))
    check_share("coupling", coupling)
    random = draws_of(random_state)
    classes = random.permutation(np.arange(n_rows) % n_classes)
    typical = random.randint(n_values, size=(n_classes, n_attributes))
    codes = np.where(
        random.random_sample((n_rows, n_attributes)) < coupling,
        typical[classes],
        random.randint(n_values, size=(n_rows, n_attributes)),
    )
    for column in codes.T:
        column[random.choice(n_rows, n_values, replace=False)] = np.arange(n_values)
    return _as_frames([f"a{i + 1}" for i in range(n_attributes)], codes, classes)


def _as_frames(names: list[str], codes: NDArray[Any], label: NDArray[Any]) -> tuple[Any, Any]:
    columns = dict(zip(names, codes.T.astype(str).tolist(), strict=True))
    return to_frames(columns | {LABEL: label.astype(str).tolist()})
