"""Coded rows -> counts of all pairs of values: dense by the fastest of three strategies, or sparse.

Every strategy reads the rows once, in blocks, so its working memory does not grow with them.
Columns with few values are packed: the joint code of a pack holds the values of all its columns,
and one histogram of joint codes counts them together.
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, combinations_with_replacement, pairwise
from threading import local

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._count.counting_costs import COSTS
from untie._count.packed_rows import joint_code
from untie._util.threads import in_threads, map_ahead, one_thread, pays
from untie._util.types import AnyArray, Codes, FloatArray

PACKED_CELLS = 256
"""Attributes are packed into one joint code while it has at most this many cells."""

TILE = 256
"""A matrix is mirrored by squares of this many values, which fit in the processor's cache."""

Block = tuple["Pack", "Pack", AnyArray]
"""The counts of the values of one pack with those of another. Of a pack with itself: those of two
different attributes once, and the diagonal; alone, in one dimension, if it has one attribute."""


class Pack:
    """Attributes that are counted as one.

    Parameters
    ----------
    members : sequence of int
        The attributes.
    sizes, widths : sequence of int
        Number of values of every attribute of the table, and of codes: one more where there are
        unknown cells.

    Attributes
    ----------
    values : array of shape (n_values of the members,)
        Where their values stand among all values of the table.
    span : slice or None
        The same of a single member, as numbers are added to a slice in a tenth of the time.
    n_cells : int
        Number of combinations of the members' codes.
    """

    def __init__(self, members: Sequence[int], sizes: Sequence[int], widths: Sequence[int]) -> None:
        self._members = members
        self._widths = [widths[attribute] for attribute in members]
        self._sizes = [sizes[attribute] for attribute in members]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        self.values = np.concatenate([np.arange(starts[a], starts[a + 1]) for a in members])
        first = members[0]
        self.span = slice(starts[first], starts[first + 1]) if len(members) == 1 else None
        self.n_cells = math.prod(self._widths)

    def joint_code(self, codes: Codes, rows: slice) -> AnyArray:
        """Return the joint codes of some rows."""
        return joint_code([codes[attribute][rows] for attribute in self._members], self._widths)

    def add_up(self, histogram: AnyArray) -> AnyArray:
        """Turn rows for combinations into rows for values."""
        if len(self._members) == 1:
            return histogram[: self._sizes[0]]
        shaped = histogram.reshape(*self._widths, -1)
        axes = range(len(self._members))
        parts = [
            shaped.sum(axis=tuple(axis for axis in axes if axis != own))[: self._sizes[own]]
            for own in axes
        ]
        return np.concatenate(parts)

    def own_pairs(self, marginal: AnyArray) -> Block:
        """Return the counts of the members' values with each other."""
        diagonal = self.add_up(marginal[:, None])[:, 0]
        if len(self._members) == 1:
            return self, self, diagonal
        block = np.diag(diagonal)
        starts = np.concatenate([[0], np.cumsum(self._sizes)])
        spans = [slice(*bounds) for bounds in pairwise(starts)]
        shaped = marginal.reshape(self._widths)
        for first, second in combinations(range(len(spans)), 2):
            others = tuple(axis for axis in range(shaped.ndim) if axis not in (first, second))
            counts = shaped.sum(axis=others)[: self._sizes[first], : self._sizes[second]]
            block[spans[first], spans[second]] = counts
        return self, self, block


class PairCounter(local):
    """Counts pairs of codes of many rows, in memory that each thread uses again and again.

    Fresh memory for every histogram costs nearly as much as counting, and `numpy.bincount` keeps
    other threads waiting while it turns the codes into longer integers. A sparse row with an entry
    for each pair adds up what stands in the same place, and does not.

    Parameters
    ----------
    n_rows : int
        At most this many rows are counted at a time.
    """

    def __init__(self, n_rows: int) -> None:
        self._pairs = np.empty(n_rows, np.int32)
        self._ones = np.ones(n_rows, np.int32)

    def count(self, joint: tuple[AnyArray, AnyArray], shape: tuple[int, int]) -> NDArray[np.int32]:
        """Return how often each code of one kind (rows) meets each of the other."""
        n_rows, n_cells = len(joint[0]), math.prod(shape)
        pairs = self._pairs[:n_rows]
        np.copyto(pairs, joint[0])
        pairs *= np.int32(shape[1])
        pairs += joint[1]
        ends = np.array([0, n_rows], np.int32)
        row = sparse.csr_array((self._ones[:n_rows], pairs, ends), shape=(1, n_cells))
        return row.toarray().reshape(shape)


def count_one(pack: Pack, joint: AnyArray, weights: FloatArray | None) -> list[Block]:
    """Count the pairs within a pack."""
    return [pack.own_pairs(np.bincount(joint, weights, minlength=pack.n_cells))]


def count_two(
    left: Pack,
    right: Pack,
    joint: tuple[AnyArray, AnyArray],
    weights: FloatArray | None,
    own: Sequence[Pack],
    counter: PairCounter | None = None,
) -> list[Block]:
    """Count the pairs between two packs, and those within the packs named in `own`.

    Many rows without weights are faster with a counter.
    """
    shape = (left.n_cells, right.n_cells)
    histogram: AnyArray
    if counter is None:
        pair = joint_code(joint, shape)
        histogram = np.bincount(pair, weights, minlength=math.prod(shape)).reshape(shape)
    else:
        histogram = counter.count(joint, shape)
    blocks = [(left, right, right.add_up(left.add_up(histogram).T).T)]
    if left in own:
        blocks.append(left.own_pairs(histogram.sum(axis=1)))
    if right in own:
        blocks.append(right.own_pairs(histogram.sum(axis=0)))
    return blocks


def add_block(matrix: FloatArray, block: Block) -> None:
    """Add counts to a matrix of all values with all values, in place."""
    left, right, counts = block
    if counts.ndim == 1:
        matrix[left.values, left.values] += counts
    elif left.span is not None and right.span is not None:
        matrix[left.span, right.span] += counts
    else:
        matrix[np.ix_(left.values, right.values)] += counts


def mirror(matrix: FloatArray) -> FloatArray:
    """Make a matrix in which each pair stands once symmetric, in place.

    Tile by tile, as a large matrix read across its lines misses the processor's cache each time.
    """
    diagonal = matrix.diagonal().copy()
    tiles = [slice(start, start + TILE) for start in range(0, len(matrix), TILE)]
    for above, below in combinations_with_replacement(tiles, 2):
        both = matrix[above, below] + matrix[below, above].T
        matrix[above, below] = both
        matrix[below, above] = both.T
    np.fill_diagonal(matrix, diagonal)
    return matrix


def fill_packs(widths: Sequence[int], limit: int | None = None) -> list[list[int]]:
    """Put attributes, the widest first, into as few packs of at most `limit` cells as is easy.

    Examples
    --------
    >>> fill_packs([3, 3, 100, 3, 300, 2], limit=100)
    [[4], [2], [0, 1, 3, 5]]
    """
    limit = PACKED_CELLS if limit is None else limit
    smallest = min(widths)
    packs: list[list[int]] = []
    cells: list[int] = []
    has_room: list[int] = []
    for attribute in sorted(range(len(widths)), key=lambda attribute: -widths[attribute]):
        width = widths[attribute]
        place = next((pack for pack in has_room if cells[pack] * width <= limit), len(packs))
        if place == len(packs):
            packs.append([])
            cells.append(1)
            has_room.append(place)
        packs[place].append(attribute)
        cells[place] *= width
        if cells[place] * smallest > limit:
            has_room.remove(place)
    return packs


BLOCK_CELLS = 2**21
"""A working block has about this many numbers."""

HISTOGRAM_ROW_CELLS = 2
"""A histogram's block has at most ``BLOCK_CELLS / 2`` rows."""

MANY_TASKS = 8
"""Where a block has fewer histograms than this, its rows are cut into this many parts, so that all
threads have work. The number does not depend on the threads, so that sums do not either."""

FEWEST_ROWS = 2**15
"""None of these parts has fewer rows than this."""

MANY_ROWS = 2**15
"""From this many rows on, a `PairCounter` is faster."""

PARALLEL_VALUES = 2_000
"""With more values than this, one block of rows is counted at a time, to save memory."""

GROUP_CELLS = 2**14
"""A thread counts so many small histograms in turn that they have about this many cells."""

Task = tuple[int, int, slice]
"""Two packs by their numbers, and the rows in which they are counted."""


def count_pairs(codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None) -> FloatArray:
    """Count all pairs of values with the strategy that is expected to be fastest.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per attribute; a code equal to the attribute's size is not counted.
    sizes : tuple of int
        Number of values of each attribute.
    weights : array of shape (n_rows,) or None
        How often each row counts.

    Returns
    -------
    array of shape (n_values, n_values)
    """
    return STRATEGIES[fastest_strategy(len(codes[0]), sizes)](codes, sizes, weights)


def fastest_strategy(n_rows: int, sizes: Sequence[int]) -> str:
    """Return the name of the strategy with the lowest expected time.

    The times depend on the shape of the table alone, so the choice is the same on every
    machine and in every run.
    """
    costs = expected_work(n_rows, sizes)
    return min(costs, key=lambda name: float(np.dot(costs[name], COSTS[name])))


def expected_work(n_rows: int, sizes: Sequence[int]) -> dict[str, tuple[float, ...]]:
    """Return the amounts of each strategy's kinds of work; `COSTS` turns them into time."""
    n_values, n_attributes = sum(sizes), len(sizes)
    area = n_values**2
    packs = fill_packs(sizes)
    widths = [math.prod(sizes[a] for a in pack) for pack in packs]
    n_pairs = max(1.0, len(packs) * (len(packs) - 1) / 2)
    # Small arrays are added up for each two packs, and within a pack for each two attributes.
    n_calls = 8 * n_pairs + n_attributes * len(packs) + sum(math.comb(len(p), 2) for p in packs)
    cells = (sum(widths) ** 2 - sum(w**2 for w in widths)) / 2
    n_blocks = 1 + n_rows * _histogram_row_cells(len(widths)) // BLOCK_CELLS
    n_dense = 1 + n_rows * n_values // BLOCK_CELLS
    n_known, n_met = n_rows * n_attributes, n_rows * n_attributes**2
    return {
        "histogram": (n_blocks * n_calls, n_rows * n_pairs, n_blocks * cells, area),
        "product": (n_dense * n_attributes, n_known, n_rows * area, n_dense * area),
        "sparse": (1, n_known, n_met, min(n_met, area), area),
    }


def by_histogram(codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None) -> FloatArray:
    """Count joint codes of packs of attributes, two packs at a time, then add up.

    Ten attributes of three values make two packs of 243 cells, so one histogram replaces
    forty-five.
    """
    n_rows = len(codes[0])
    worth = pays(n_rows * len(codes))
    widths = in_threads(lambda a: _width(codes[a], sizes[a]), range(len(sizes)), worth)
    packs = [Pack(members, sizes, widths) for members in fill_packs(widths)]
    matrix = np.zeros((sum(sizes), sum(sizes)))
    row_cells = _histogram_row_cells(len(packs))
    is_long = n_rows >= MANY_ROWS and weights is None
    counter = PairCounter(min(n_rows, _block_rows(row_cells))) if is_long else None

    def count_task(task: Task) -> list[Block]:
        left, right, rows = task
        part = None if weights_of is None else weights_of[rows]
        if left == right:
            return count_one(packs[left], codes_of[left][rows], part)
        # A pack's own pairs can be read off any histogram that it is in: it is the first one here.
        own = [packs[right]] if left == 0 else []
        if (left, right) == (0, 1):
            own.append(packs[left])
        joint = codes_of[left][rows], codes_of[right][rows]
        return count_two(packs[left], packs[right], joint, part, own, counter)

    def count_group(group: list[Task]) -> list[Block]:
        return [block for task in group for block in count_task(task)]

    for rows in _blocks(n_rows, row_cells):
        codes_of = in_threads(partial(Pack.joint_code, codes=codes, rows=rows), packs, worth)
        weights_of = None if weights is None else weights[rows]
        groups = _groups(packs, rows)
        for blocks in map_ahead(count_group, groups, worth and sum(sizes) <= PARALLEL_VALUES):
            for block in blocks:
                add_block(matrix, block)
    return mirror(matrix)


def _histogram_row_cells(n_packs: int) -> int:
    return max(HISTOGRAM_ROW_CELLS, n_packs // 4)  # the joint codes of a block wait in memory


def _groups(packs: Sequence[Pack], rows: slice) -> list[list[Task]]:
    """Return two packs at a time, and some of the rows where there are few packs.

    One thread does a group in turn: handing over a small task would take longer.
    """
    n_rows = rows.stop - rows.start
    pairs = list(combinations(range(len(packs)), 2)) or [(0, 0)]
    most_cells = math.prod(sorted(pack.n_cells for pack in packs)[-2:])
    step = max(1, n_rows)
    if len(pairs) < MANY_TASKS:
        step = max(-(-n_rows // MANY_TASKS), FEWEST_ROWS, most_cells)
    parts = [slice(start, start + step) for start in range(0, n_rows, step)]
    tasks = [(*pair, part) for pair in pairs for part in parts]
    at_once = max(1, GROUP_CELLS // most_cells)
    return [tasks[start : start + at_once] for start in range(0, len(tasks), at_once)]


def _width(column: AnyArray, size: int) -> int:
    """Return the number of codes; a column without unknown cells needs no place for them."""
    return size + 1 if len(column) and column.max() >= size else size


def by_product(codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None) -> FloatArray:
    """Multiply blocks of the one-hot matrix with themselves."""
    n_values = sum(sizes)
    # Sums of ones stay exact in single precision within a block; weights need double.
    dtype = np.float32 if weights is None else np.float64
    matrix = np.zeros((n_values, n_values))

    def multiply(rows: slice) -> AnyArray:
        one_hot = sparse_one_hot([column[rows] for column in codes], sizes)
        block = one_hot.astype(dtype).toarray()
        weighted = block if weights is None else block * weights[rows, None]
        return weighted.T @ block

    blocks = _blocks(len(codes[0]), n_values)
    worth = pays(len(codes[0]) * len(sizes)) and n_values <= PARALLEL_VALUES
    # One thread per product: BLAS's own would add up weights in an order of their own.
    with one_thread():
        for product in map_ahead(multiply, blocks, worth):
            matrix += product
    # A product of two arrays need not be symmetric to the last bit, as that of one is.
    return matrix if weights is None else mirror(np.triu(matrix))


def by_sparse(codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None) -> FloatArray:
    """Multiply blocks of the sparse one-hot matrix with themselves."""
    n_values = sum(sizes)
    matrix = np.zeros((n_values, n_values))

    def multiply(rows: slice) -> sparse.coo_array:
        block = sparse_one_hot([column[rows] for column in codes], sizes)
        weighted = block if weights is None else sparse.diags_array(weights[rows]) @ block
        return (weighted.T @ block).tocoo()

    blocks = _blocks(len(codes[0]), len(sizes))
    worth = pays(len(codes[0]) * len(sizes)) and n_values <= PARALLEL_VALUES
    for product in map_ahead(multiply, blocks, worth):
        matrix[product.row, product.col] += product.data
    return matrix


STRATEGIES = {"histogram": by_histogram, "product": by_product, "sparse": by_sparse}


def sparse_one_hot(codes: Codes, sizes: Sequence[int]) -> sparse.csr_array:
    """Return the one-hot matrix of coded rows; an unknown cell has no entry."""
    n_rows, n_attributes = len(codes[0]), len(codes)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    columns = np.empty((n_rows, n_attributes), dtype=np.int64)
    for attribute, column in enumerate(codes):
        columns[:, attribute] = column + offsets[attribute]
    known = np.stack([column < size for column, size in zip(codes, sizes, strict=True)], axis=1)
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    data = np.ones(int(starts[-1]))
    return sparse.csr_array((data, columns[known], starts), shape=(n_rows, int(offsets[-1])))


def _blocks(n_rows: int, row_cells: int) -> Iterator[slice]:
    step = _block_rows(row_cells)
    for start in range(0, n_rows, step):
        yield slice(start, min(n_rows, start + step))


def _block_rows(row_cells: int) -> int:
    return max(256, BLOCK_CELLS // max(1, row_cells))


HISTOGRAM_CELLS, CELLS_PER_ROW = 2**22, 2
"""Pairs of two attributes are counted in an array while it has at most `HISTOGRAM_CELLS` cells, or
`CELLS_PER_ROW` per row; otherwise they are sorted."""


def count_sparse(
    codes: Codes, sizes: tuple[int, ...], weights: FloatArray | None
) -> sparse.csr_array:
    """Count all pairs of values, two attributes at a time.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per attribute; a code equal to the attribute's size is not counted.
    sizes : tuple of int
        Number of values of each attribute.
    weights : array of shape (n_rows,) or None
        How often each row counts.

    Returns
    -------
    sparse array of shape (n_values, n_values)

    Examples
    --------
    >>> count_sparse([np.array([0, 1, 1]), np.array([0, 0, 1])], (2, 2), None).toarray()
    array([[1., 0., 1., 0.],
           [0., 2., 1., 1.],
           [1., 1., 2., 0.],
           [0., 1., 0., 1.]])
    """
    n_attributes = len(sizes)
    pairs = [(first, second) for second in range(n_attributes) for first in range(second)]

    def count_pair(pair: tuple[int, int]) -> sparse.csr_array:
        first, second = pair
        return _block(codes[first], codes[second], (sizes[first], sizes[second]), weights)

    blocks: list[list[sparse.csr_array]] = [[] for _ in range(n_attributes)]
    found = map_ahead(count_pair, pairs, pays(len(codes[0]) * n_attributes))
    for (first, second), block in zip(pairs, found, strict=True):
        blocks[first].append(block)
        blocks[second].append(block.T.tocsr())
    for attribute, (column, size) in enumerate(zip(codes, sizes, strict=True)):
        totals = count_column(column, size, weights)
        blocks[attribute].insert(attribute, sparse.diags_array(totals, format="csr"))
    # Attribute by attribute, and what was joined is freed: the whole is large.
    rows = [sparse.hstack(blocks.pop(0), format="csr") for _ in range(n_attributes)]
    return sparse.vstack(rows, format="csr")


def count_column(codes: NDArray[np.integer], size: int, weights: FloatArray | None) -> FloatArray:
    """Count the values of one attribute; a code equal to their number is not counted."""
    return np.bincount(codes, weights, minlength=size + 1)[:size].astype(float)


def _block(
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    shape: tuple[int, int],
    weights: FloatArray | None,
) -> sparse.csr_array:
    wide = shape[1] + 1  # a place for unknown values
    joint = first.astype(np.int64) * wide + second
    n_cells = (shape[0] + 1) * wide
    if n_cells <= max(HISTOGRAM_CELLS, CELLS_PER_ROW * len(joint)):
        totals = np.bincount(joint, weights, minlength=n_cells)
        found = np.flatnonzero(totals)
        totals = totals[found].astype(float)
    elif weights is None:
        found, totals = np.unique(joint, return_counts=True)
    else:
        found, places = np.unique(joint, return_inverse=True)
        totals = np.bincount(places, weights)
    rows, columns = np.divmod(found, wide)
    known = (rows < shape[0]) & (columns < shape[1])
    rows, columns, totals = rows[known], columns[known], totals[known].astype(float)
    # The pairs are sorted, so what CSR needs is there but for the rows' starts.
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    index = (totals, columns.astype(np.int32), starts.astype(np.int32))
    return sparse.csr_array(index, shape=shape)
