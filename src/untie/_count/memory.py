"""How much memory counting takes, known before it is spent."""

from collections.abc import Sequence

import numpy as np

MEMORY_LIMIT = 4 * 2**30
"""Tables whose learning would take more bytes are refused before memory is spent."""

DENSE_VALUES = 4096
"""The counts of pairs are a dense array for at most this many values (128 MiB), and for more where
that takes no more memory than a sparse array of all pairs that can occur; see `are_dense`."""

FULL_VALUES = 16_384
"""For more values than this, the counts of pairs are never a dense array."""

SPARSE_BYTES = 12
"""A sparse array holds, for each number, this many bytes: itself and the place of its column."""

SAMPLE_ROWS = 2_000
"""A sample has at most this many distinct rows."""

WIDE_SHARE = 0.01
"""A table is too wide, and not one column too rich, if no column has more of its values."""


def bytes_of_counts(sizes: Sequence[int], n_rows: int | None = None) -> int:
    """Return about how many bytes three arrays of the counts of pairs take.

    They have (all values)^2 numbers for up to `DENSE_VALUES` values; for more, one for each pair
    that can occur at all.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    n_rows : int, optional
        Number of rows, if known: no more pairs of two attributes can occur.

    Examples
    --------
    >>> round(bytes_of_counts([100_000] + [10] * 9, n_rows=10**6) / 2**30, 1)
    0.6
    """
    sizes = [int(size) for size in sizes]
    is_dense = are_dense(sizes, n_rows)
    return 3 * (8 * sum(sizes) ** 2 if is_dense else SPARSE_BYTES * _n_pairs(sizes, n_rows))


def are_dense(sizes: Sequence[int], n_rows: int | None = None) -> bool:
    """Tell whether the counts of pairs of a table are a dense array.

    Many columns of few values fill it: a sparse array would be larger, and many times slower.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    n_rows : int, optional
        Number of rows, if known: no more pairs of two attributes can occur.

    Examples
    --------
    >>> are_dense([3] * 2_000, 10_000), are_dense([3_000] * 2, 10_000)
    (True, False)
    """
    n_values = int(sum(sizes))
    if n_values <= DENSE_VALUES:
        return True
    is_full = n_values <= FULL_VALUES
    return is_full and 8 * n_values**2 <= SPARSE_BYTES * _n_pairs(sizes, n_rows)


def _n_pairs(sizes: Sequence[int], n_rows: int | None) -> int:
    """Return the most pairs of values that can occur, a pair in both orders."""
    of_columns, times = np.unique(np.asarray(sizes, dtype=float), return_counts=True)
    cells = np.outer(of_columns, of_columns)
    possible = cells if n_rows is None else np.minimum(cells, n_rows)
    # Two columns of one size, but no column with itself.
    pairs = np.outer(times, times) - np.diag(times)
    return int(sum(sizes) + (pairs * possible).sum())


def check_memory(
    sizes: Sequence[int],
    names: Sequence[str] | None = None,
    n_more: int = 0,
    n_rows: int | None = None,
) -> None:
    """Refuse a table whose counts, and `n_more` bytes, would need more than `MEMORY_LIMIT`."""
    needed = bytes_of_counts(sizes, n_rows) + n_more
    refuse_large(needed, sizes, "learning from their pairs", names)


def check_pairs_of_rows(n_left: int, n_right: int) -> None:
    """Refuse an array with a number for each pair of rows if it takes more than `MEMORY_LIMIT`."""
    needed = 8 * n_left * n_right
    if needed > MEMORY_LIMIT:
        raise ValueError(
            f"All pairs of {n_left:,} and {n_right:,} rows would take {needed / 2**30:,.1f} GiB "
            f"(limit {MEMORY_LIMIT / 2**30:.0f}). Pass fewer rows at a time, such as the first "
            f"{max(1, MEMORY_LIMIT // (16 * n_right)):,} with all the others as the second "
            "argument, or look for nearest neighbors among the vectors that transform gives."
        )


def refuse_large(
    needed: int, sizes: Sequence[int], what: str, names: Sequence[str] | None = None
) -> None:
    """Refuse what needs more than `MEMORY_LIMIT` bytes for the values of a table."""
    if needed <= MEMORY_LIMIT:
        return
    raise ValueError(
        f"The table has {sum(sizes):,} distinct values in {len(sizes):,} columns; {what} would "
        f"take {needed / 2**30:,.1f} GiB (limit {MEMORY_LIMIT / 2**30:.0f}). "
        + _remedy(needed, sizes, names)
    )


def _remedy(needed: int, sizes: Sequence[int], names: Sequence[str] | None) -> str:
    """Say how a table that needs too much memory can be made smaller."""
    largest = max(range(len(sizes)), key=lambda attribute: sizes[attribute])
    if sizes[largest] <= WIDE_SHARE * sum(sizes):
        affordable = int(len(sizes) * np.sqrt(MEMORY_LIMIT / needed))
        return (
            f"No column has more than {sizes[largest]:,} values: there are too many columns. "
            f"Learn from at most {affordable:,} of them; leave out columns that hardly vary and "
            "copies of others, or merge rare values with max_categories or min_frequency."
        )
    column = repr(names[largest]) if names else f"number {largest}"
    return (
        f"Column {column} alone has {sizes[largest]:,}. Set max_categories (or min_frequency) and "
        "call fit, which groups rare values before it counts pairs (partial_fit and count_table "
        "keep every value); bin the column if it holds numbers, or drop it if it is an identifier."
    )
