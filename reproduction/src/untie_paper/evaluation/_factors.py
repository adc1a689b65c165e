"""How heterogeneous couplings are: the paper's indicators I_intra and I_inter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

from untie import Counts, count_table
from untie_paper.arrays import FloatArray
from untie_paper.baselines import inter, intra
from untie_paper.checks import check_one_of
from untie_paper.evaluation._contingency import values_by_label

AVERAGES = ("value", "column", "printed")


def intra_factor(X: Any, y: Any, average: str = "value") -> float:
    """Return I_intra: how much the values of the columns say about the class.

    For a value, the length of the vector of its class shares, scaled so that equal shares give
    0 and a single class gives 1; then the mean over values.

    With classes of unequal sizes, a value that is independent of the class does not have 0.

    Parameters
    ----------
    X : table of shape (n_objects, n_columns)
        The objects; a missing cell is a value of its own.
    y : array-like of shape (n_objects,)
        The class of each object; at least two classes.
    average : {"value", "column", "printed"}, default="value"
        The mean over all values; the mean over columns of the means over their values; or,
        as the paper prints it, the sum over all values divided by the number of columns,
        which can exceed 1.

    Returns
    -------
    float

    Examples
    --------
    >>> table = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
    >>> round(intra_factor(table, [0, 0, 1, 1]), 4)
    0.5
    """
    check_one_of("average", average, AVERAGES)
    tables = values_by_label(X, y, "y")
    n_classes = tables[0].shape[1]
    if n_classes < 2:
        raise ValueError("y has one class only; I_intra compares the classes of a value.")
    purities = [_purity_of_values(table, n_classes) for table in tables]
    if average == "column":
        return float(np.mean([values.mean() for values in purities]))
    together = np.concatenate(purities)
    return float(together.mean() if average == "value" else together.sum() / len(tables))


def _purity_of_values(table: FloatArray, n_classes: int) -> FloatArray:
    """Return one number per value from counts of shape (n_values, n_classes)."""
    shares = table / table.sum(axis=1, keepdims=True)
    length = np.sqrt((shares**2).sum(axis=1))
    return np.clip(1.0 - (1.0 - length) / (1.0 - 1.0 / np.sqrt(n_classes)), 0.0, 1.0)


def inter_factor(couplings: Sequence[Sequence[Any]]) -> float:
    """Return I_inter: how much the couplings of a method differ from each other.

    The mean over columns of `inter_factors`.

    Parameters
    ----------
    couplings : one list per column of square matrices
        The matrices that the method's couplings give for the column's values:
        `coupling_matrices` makes UNTIE's; a fitted `COS`, `DILCA` or `CDE` has a method of that
        name.

    Returns
    -------
    float

    Examples
    --------
    >>> same, other = [[0, 1], [1, 0]], [[0, 3], [3, 0]]
    >>> inter_factor([[same, other], [same, same]])
    0.5
    """
    return float(inter_factors(couplings).mean())


def inter_factors(couplings: Sequence[Sequence[Any]]) -> FloatArray:
    """Return for each column how much its couplings differ.

    The root of the mean squared difference over all ordered pairs of matrices and all their
    entries; 0 for one matrix or none.

    Parameters
    ----------
    couplings : one list per column of square matrices
        As in `inter_factor`.

    Returns
    -------
    array of shape (n_columns,)

    Examples
    --------
    >>> same, other = [[0, 1], [1, 0]], [[0, 3], [3, 0]]
    >>> inter_factors([[same, other], [same, same]])
    array([1., 0.])
    """
    if not len(couplings):
        raise ValueError("couplings is empty; pass one list of matrices per attribute.")
    return np.array([_difference(matrices, number) for number, matrices in enumerate(couplings)])


def _difference(matrices: Sequence[Any], attribute: int) -> float:
    arrays = [np.asarray(matrix, dtype=float) for matrix in matrices]
    shapes = sorted({array.shape for array in arrays})
    if len(shapes) > 1 or any(len(shape) != 2 or shape[0] != shape[1] for shape in shapes):
        raise ValueError(
            f"The coupling matrices of attribute {attribute} have the shapes {shapes}; they must "
            "be square and equal, with a row and a column for each value."
        )
    if len(arrays) < 2:
        return 0.0
    stack = np.stack(arrays)
    if not np.isfinite(stack).all():
        number, row, column = np.argwhere(~np.isfinite(stack))[0]
        raise ValueError(
            f"Coupling matrix {number} of attribute {attribute} has "
            f"{stack[number, row, column]} in row {row}, column {column}; all must be finite."
        )
    # The mean over ordered pairs is twice the variance: linear in the number of matrices.
    return float(np.sqrt(2.0 * ((stack - stack.mean(axis=0)) ** 2).mean()))


def coupling_matrices(X: Any) -> list[list[FloatArray]]:
    """Return UNTIE's two matrices per column, for `inter_factor`.

    They are the Euclidean distances of the values' intra- and of their inter-attribute
    couplings; values stand in the order of the vocabulary.

    Parameters
    ----------
    X : table or Counts
        The objects, or how often their values occur together.

    Returns
    -------
    list of pairs of arrays of shape (n_values, n_values)
        One pair per column.

    Examples
    --------
    >>> first, second = coupling_matrices([["a", "x"], ["b", "y"]])
    >>> first[1].round(4)
    array([[0.    , 1.4142],
           [1.4142, 0.    ]])
    """
    counts = X if isinstance(X, Counts) else count_table(X).counts
    return [
        [squareform(pdist(coupling(counts, attribute))) for coupling in (intra, inter)]
        for attribute in range(len(counts.sizes))
    ]
