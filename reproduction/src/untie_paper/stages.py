"""UNTIE's two stages, one at a time: coupling spaces are built, then heterogeneity is learned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from untie import UNTIE
from untie._count.tally import tally_table
from untie._learn.eigen import eigenvalues
from untie._learn.parameters import kernel_recipe
from untie._learn.solvers import SOLVERS, Problem, Solution
from untie._learn.spaces import build_spaces
from untie._learn.spectrum import centre, energies, reduced_gram, roots
from untie._table.table import read_table
from untie_paper.arrays import FloatArray


def build_couplings(encoder: UNTIE, table: Any) -> Problem:
    """Count a table and build its coupling and kernel spaces: the first stage.

    Parameters
    ----------
    encoder : UNTIE
        With a number of clusters and a solver; it is not fitted.
    table : frame
        The attributes.

    Examples
    --------
    >>> problem = build_couplings(UNTIE.from_paper(2), [["a", "x"], ["b", "y"], ["b", "x"]])
    >>> problem.spaces.n_coordinates  # 4 values x 2 couplings x 14 kernels
    112
    """
    recipe = kernel_recipe(encoder)
    if recipe.n_clusters is None:
        raise ValueError("The stages need a number of clusters.")
    counted = tally_table(read_table(table))
    spaces = build_spaces(counted.counts, recipe.couplings, recipe.kernels, recipe.normalize)
    return Problem(spaces, counted.counts, recipe.n_clusters, counted.rows)


def learn_weights(encoder: UNTIE, problem: Problem, replacement: bool = True) -> Solution:
    """Learn the heterogeneity, that is omega: the second stage.

    Parameters
    ----------
    encoder : UNTIE
        With a solver; it is not fitted.
    problem : Problem
        As `build_couplings` gives it.
    replacement : bool, default=True
        False: a solver that draws batches takes every row once before any comes again.

    Examples
    --------
    >>> encoder = UNTIE(2, solver="uniform")
    >>> problem = build_couplings(encoder, [["a", "x"], ["b", "y"], ["b", "x"]])
    >>> learn_weights(encoder, problem).omega.mean()
    np.float64(1.0)
    """
    recipe = kernel_recipe(encoder)
    return SOLVERS[recipe.solver](problem, replace(recipe.settings, replacement=replacement))


def row_vectors(problem: Problem, omega: FloatArray) -> FloatArray:
    """Return the vectors of all rows at given weights, with nothing in the place of a constant S.

    Examples
    --------
    >>> import numpy as np
    >>> problem = build_couplings(UNTIE.from_paper(2), [["a", "x"], ["b", "y"], ["b", "x"]])
    >>> row_vectors(problem, np.ones(112)).shape  # a column for each value
    (3, 4)
    """
    if problem.rows is None:
        raise ValueError("The problem has no rows.")
    vectors = [np.asarray(table.toarray()) for table in roots(problem.spaces, omega)]
    codes = problem.rows.codes
    return np.hstack([table[column] for table, column in zip(vectors, codes, strict=True)])


def unexplained_share(problem: Problem, omega: FloatArray, centred: bool = False) -> float:
    """Return Tr(S (I - HH')) / Tr(S) over all rows with the best H: the objective without scale.

    0 where all weights are 0.

    Parameters
    ----------
    problem : Problem
        As `build_couplings` gives it.
    omega : array of shape (n_coordinates,)
        The weights.
    centred : bool, default=False
        False: as printed, with as many eigenvectors as clusters. True: of the rows less their
        mean, which clusters do not see, with one eigenvector fewer; this the exact solver weighs
        against leaving equal weights.

    Examples
    --------
    >>> import numpy as np
    >>> problem = build_couplings(UNTIE.from_paper(2), [["a", "x"], ["b", "y"], ["b", "x"]])
    >>> share = unexplained_share(problem, np.ones(112))
    >>> bool(np.isclose(share, unexplained_share(problem, np.full(112, 0.01))))
    True
    """
    counts = problem.counts
    total = float(energies(problem.spaces, counts, centred) @ omega)
    if total <= 0:
        return 0.0
    vectors = roots(problem.spaces, omega)
    factors = centre(vectors, counts) if centred else vectors
    n_vectors = max(1, problem.n_clusters - centred)
    explained = float(eigenvalues(reduced_gram(counts, factors), n_vectors).sum())
    return max(0.0, 1.0 - explained / total)
