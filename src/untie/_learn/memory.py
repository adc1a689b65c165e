"""How much memory learning takes besides the counts, and from where on a column is large."""

from collections.abc import Sequence

from untie._count.memory import SAMPLE_ROWS, refuse_large

LARGE = 500
"""Attributes with more values than this (large ones) have kernels by landmarks, others by all."""

MOST_LANDMARKS = 256
"""A coupling of a large attribute has at most this many landmarks."""

MOST_AXES = 32
"""A kernel space of a large attribute has at most this many axes."""

SEARCH_ARRAYS = 12
"""A search for eigenvectors works with this many arrays of (values x vectors asked for)."""


def bytes_of_spaces(sizes: Sequence[int], n_spaces: int) -> int:
    """Return about how many bytes kernel spaces take.

    Per kernel space, two arrays of (values of an attribute)^2 numbers for a small attribute, and
    the axes of a large one. Where there are large ones, the vectors of sampled rows, twice, and
    those that the spectrum is searched with.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    n_spaces : int
        Number of kernel spaces per attribute.

    Examples
    --------
    >>> round(bytes_of_spaces([100_000] + [10] * 9, n_spaces=29) / 2**30, 1)
    2.1
    """
    sizes = [int(size) for size in sizes]
    small = sum(size**2 for size in sizes if size <= LARGE)
    large = [size for size in sizes if size > LARGE]
    axes = sum(size * MOST_AXES * n_spaces for size in large)
    numbers = 2 * n_spaces * small + axes
    if n_spaces and large:
        numbers += 4 * max(large) * MOST_LANDMARKS
        numbers += 2 * SAMPLE_ROWS * sum(min(size, SAMPLE_ROWS) for size in sizes)
        numbers += SEARCH_ARRAYS * sum(sizes) * 2 * MOST_AXES
    return 8 * numbers


def check_vectors(sizes: Sequence[int], n_components: int) -> None:
    """Refuse components whose search would not fit in memory."""
    needed = 8 * SEARCH_ARRAYS * sum(int(size) for size in sizes) * n_components * 5 // 4
    refuse_large(needed, sizes, f"the search for n_components={n_components}")
