"""Named columns and row weights -> integer codes with weights."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import narwhals.stable.v2 as nw
import numpy as np

from untie._table.column_codes import factorize, is_missing
from untie._table.names import check_names
from untie._table.table import NO_WEIGHT, NoRowsError, Table, read_table
from untie._table.vocabulary import Vocabulary, sort_values
from untie._util.messages import Row, message, message_of
from untie._util.threads import in_threads, pays
from untie._util.types import AnyArray, BoolArray, Codes, FloatArray, Value, smallest_unsigned

LARGEST = 1e100
"""Weights beyond have sums and products that no number holds."""

FIRST_CELLS = 100
"""So many cells are compared before a whole column is."""

SMALLEST = 1e-300
"""Weights that are all below have quotients that no number holds."""


def split_weights(
    data: Any, sample_weight: Any, argument: str = "sample_weight"
) -> tuple[Any, Any]:
    """Take the column of weights, or what `argument` is, out of a frame if it is a name."""
    if not isinstance(sample_weight, str):
        return data, sample_weight
    frame = nw.from_native(data, eager_only=True, pass_through=True)
    names = getattr(getattr(data, "dtype", None), "names", None)
    if names is not None:  # of a structured array
        check_names([sample_weight], names, "the table", f", which {argument} names")
        return data[[name for name in names if name != sample_weight]], data[sample_weight]
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            f"{argument}={sample_weight!r} names a column, but {type(data).__name__} has no "
            "names; pass one value per row."
        )
    check_names([sample_weight], frame.columns, "the table", f", which {argument} names")
    return frame.drop(sample_weight).to_native(), frame[sample_weight].to_numpy()


def cells_of(table: Table, name: str) -> list[Any]:
    """Return the cells of a column."""
    return list_of(table.columns[table.names.index(name)])


def list_of(cells: Any) -> list[Any]:
    """Return the cells of a series or an array of any library."""
    if isinstance(cells, nw.Series):
        return cells.to_list()
    return cells.to_pylist() if hasattr(cells, "to_pylist") else list(cells)


def taken_from(table: Table, cells: Any) -> Any:
    """Return the name of the column that cells were taken from, or else what was passed.

    It is the column that has these cells, that of their name first: a series of pyarrow, for one,
    has no name.
    """
    if isinstance(cells, str) or np.ndim(np.asarray(cells, dtype=object)) != 1:
        return cells
    given, own_name = _comparable(cells), getattr(cells, "name", None)
    columns = dict(zip(table.names, table.columns, strict=True)) if table.has_names else {}
    for name in sorted(columns, key=lambda name: name != own_name):
        first = _comparable(columns[name][:FIRST_CELLS])
        is_equal = all(isinstance(cell, Hashable) for cell in first)
        is_equal = is_equal and first == given[:FIRST_CELLS]
        if is_equal and _comparable(columns[name]) == given:
            return name
    return cells


def _comparable(cells: Any) -> list[Any]:
    return [None if is_missing(cell) else cell for cell in list_of(cells)]


def check_weights(sample_weight: Any, n_rows: int) -> tuple[FloatArray | None, BoolArray | None]:
    """Return the positive weights and, unless all are, which rows they belong to.

    A row of weight 0 is as if absent.
    """
    if sample_weight is None:
        return None, None
    weights = read_weights(sample_weight, n_rows)
    if not weights.any():
        raise NoRowsError(NO_WEIGHT)
    return positive_weights(weights)


def read_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return one finite weight per row, none negative; all may be 0."""
    if getattr(getattr(sample_weight, "dtype", None), "kind", "") in ("M", "m"):
        raise _refused(" must hold one number per row, not dates or times.")
    try:
        weights = np.asarray(sample_weight, dtype=float)
    except (TypeError, ValueError) as error:
        odd = _no_number(sample_weight)
        said = error if odd is None else f"{odd} is none"
        raise _refused(" must hold one number per row: {0}.", said) from error
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        table = f"the table has {n_rows} rows"
        raise _refused(f" has shape {weights.shape}, but {table}; pass one weight per row.")
    if not n_rows:
        return weights
    odd_row = int(np.isfinite(weights).argmin())
    if not np.isfinite(weights[odd_row]):
        raise _refused(" of {0} is {1}; it must be finite.", Row(odd_row), weights[odd_row])
    if weights.min() < 0:
        row = int((weights < 0).argmax())
        raise _refused(" of {0} is negative: {1}.", Row(row), weights[row])
    row = int(weights.argmax())
    by_one = "all weights by the same number."
    if 0 < weights[row] < SMALLEST:
        said = f"the largest, is {weights[row]:g}, below {SMALLEST:g}"
        raise _refused(" of {0}, {1}; multiply {2}", Row(row), said, by_one)
    if weights[row] > LARGEST:
        said = f"is {weights[row]:g}, beyond {LARGEST:g}; divide {by_one}"
        raise _refused(" of {0} {1}", Row(row), said)
    return weights


def _refused(why: str, *given: Any) -> ValueError:
    return ValueError(message("{sample_weight}{why}", why=message(why, *given)))


def _no_number(cells: Any) -> str | None:
    """Return the first weight that is not a number, in quotes; None if none is found."""
    for cell in cells if isinstance(cells, Sequence | np.ndarray) else ():
        try:
            float(np.nan if cell is None else cell)
        except (TypeError, ValueError):
            return repr(str(cell))
    return None


def read_piece(
    frame: Any, weight: Any, where: str
) -> tuple[Table, FloatArray | None, BoolArray | None]:
    """Read some rows of a table, and their weights.

    Parameters
    ----------
    frame : frame or array
        The rows.
    weight : str, array of shape (n_rows,) or None
        The column with the weights, or the weights.
    where : str
        Where the rows stand, for messages.

    Returns
    -------
    table : Table
        The other columns.
    weights, keep
        As `positive_weights` gives them; None without weights.
    """
    features, cells = split_weights(frame, weight)
    table = read_table(features, min_rows=0)
    if weight is None:
        return table, None, None
    return table, *positive_weights(column_weights(cells, table.n_rows, weight, where))


def column_weights(cells: Any, n_rows: int, weight: Any, where: str) -> FloatArray:
    """Return the weights of some rows; an error names the column, if they come from one."""
    try:
        return read_weights(cells, n_rows)
    except ValueError as error:
        if not isinstance(weight, str):
            raise
        said = message("{0}: {1}", f"Column {weight!r}{where}", message_of(error))
        raise ValueError(said) from None


def positive_weights(weights: FloatArray) -> tuple[FloatArray, BoolArray | None]:
    """Return the positive ones and, unless all are, which rows they belong to."""
    if weights.all():
        return weights, None
    keep = weights > 0
    return weights[keep], keep


def are_rows(weights: FloatArray) -> bool:
    """Return whether the rows that count at all count once, so that weights add up to rows."""
    return bool(np.isin(weights, (0.0, 1.0)).all())


T = TypeVar("T")

Keep = BoolArray | None
"""The rows to use, of shape (n_rows,); the others are as if absent. None is all of them."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Coded rows of a table, with their weights.

    Parameters
    ----------
    codes : list of integer arrays of shape (n_rows,)
        One array per column: positions among the values of a vocabulary, or among `found`.
    weights : array of shape (n_rows,) or None
        How often each row counts.
    unknown : list of lists
        The values of each column that the vocabulary does not have.
    n_left_out : int
        Number of rows of weight 0, which are as if absent.
    found : list of lists or None
        For a piece of a table that is coded by its own values: the values of each column, and
        perhaps some that no cell has.
    """

    codes: Codes
    weights: FloatArray | None = None
    unknown: list[list[Value]] = field(default_factory=list)
    n_left_out: int = 0
    found: list[list[Value]] | None = None

    def __len__(self) -> int:
        return len(self.codes[0])

    @property
    def complete(self) -> bool:
        """Whether every cell of the table has its code here."""
        return not self.n_left_out and not any(self.unknown)

    @property
    def nbytes(self) -> int:
        """Bytes that the codes and weights take."""
        weights = 0 if self.weights is None else self.weights.nbytes
        return weights + sum(column.nbytes for column in self.codes)


def learn_vocabulary(
    table: Table,
    keep: Keep = None,
    categories: Sequence[Sequence[Value]] | None = None,
    weights: FloatArray | None = None,
) -> tuple[Vocabulary, Rows]:
    """Find the values of each column, and code the rows.

    Parameters
    ----------
    table : Table
        The rows.
    keep : boolean array of shape (n_rows,), optional
        The rows to use; the others are as if absent.
    categories : sequence of sequences, optional
        The values of each column, in this order, instead of those that occur.
    weights : array of shape (n_used,), optional
        How often each row that is used counts.
    """

    def one_column(column: int) -> tuple[AnyArray, list[Value], tuple[Value, ...]]:
        codes, found = _found(table, keep, column)
        if categories is None:
            values = sort_values(used_values(codes, found))
        else:
            values = tuple(categories[column])
        positions = {value: code for code, value in enumerate(values)}
        return *translate(codes, found, positions), values

    results = map_columns(one_column, table)
    vocabulary = Vocabulary(table.names, tuple(values for *_, values in results))
    unknown = [unknown for _, unknown, _ in results]
    return vocabulary, Rows([codes for codes, *_ in results], weights, unknown, _n_left_out(keep))


def encode(
    table: Table, vocabulary: Vocabulary, keep: Keep = None, weights: FloatArray | None = None
) -> Rows:
    """Code the rows of a table with a vocabulary that is already known."""

    def one_column(column: int) -> tuple[AnyArray, list[Value]]:
        return translate(*_found(table, keep, column), vocabulary.positions[column])

    results = map_columns(one_column, table)
    unknown = [unknown for _, unknown in results]
    return Rows([codes for codes, _ in results], weights, unknown, _n_left_out(keep))


def encode_apart(table: Table, keep: Keep = None, weights: FloatArray | None = None) -> Rows:
    """Code the rows of a piece of a table by its own values, in whatever order they are found."""

    def one_column(column: int) -> tuple[AnyArray, list[Value]]:
        codes, found = _found(table, keep, column)
        return codes.astype(smallest_unsigned(len(found)), copy=False), found

    results = map_columns(one_column, table)
    found = [found for _, found in results]
    return Rows([codes for codes, _ in results], weights, [], _n_left_out(keep), found)


def _found(table: Table, keep: Keep, column: int) -> tuple[AnyArray, list[Value]]:
    codes, found = factorize(table.columns[column], table.names[column])
    return (codes if keep is None else codes[keep]), found


def _n_left_out(keep: Keep) -> int:
    return 0 if keep is None else len(keep) - int(np.count_nonzero(keep))


def translate(
    codes: AnyArray,
    found: list[Value],
    positions: dict[Value, int],
) -> tuple[AnyArray, list[Value]]:
    """Turn positions in `found` into the vocabulary's codes; list what it does not have."""
    size = len(positions)
    target = [positions.get(value, size) for value in found]
    # A frame may declare categories that no cell has: these are not unknown values.
    unknown = [v for v in used_values(codes, found) if v not in positions] if size in target else []
    return np.array(target, dtype=smallest_unsigned(size)).take(codes), unknown


def used_values(codes: AnyArray, found: list[Value]) -> list[Value]:
    """Return the values that some cell has."""
    is_used = np.bincount(codes, minlength=len(found)) > 0
    return [value for value, used in zip(found, is_used, strict=True) if used]


def map_columns(function: Callable[[int], T], table: Table) -> list[T]:
    """Call a function with each column's number, in threads where that pays."""
    columns = range(len(table.names))
    # The libraries' hash tables release the interpreter lock.
    return in_threads(function, columns, pays(table.n_rows * len(columns)))
