"""The encoder's parameters: validation, and what they mean for the pipe."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from untie._learn.column_weights import check_column_weights
from untie._learn.couplings import resolve_couplings
from untie._learn.kernels import resolve_kernels, resolve_normalization
from untie._learn.learning import Recipe
from untie._learn.purposes import PURPOSES
from untie._learn.solvers import SOLVERS, Settings
from untie._table.orders import check_ordered
from untie._table.unknown import HANDLE_UNKNOWN
from untie._util.checks import check_integer, check_number, check_one_of, is_number

AUTO = "auto"

VALUE = "value"
MISSING = (VALUE, "neutral")
"""What a missing cell is: a value like others, or one that says nothing."""

PAPER_COUPLINGS = ("intra", "inter")
"""The couplings where the user chooses none."""

PAPER_KERNELS = "paper"
"""The kernels where the user chooses none."""

NAMED_SOLVER = "exact"
"""The solver where the user chooses couplings or kernels and no solver."""


def check_parameters(encoder: Any) -> Recipe:
    """Return what the pipe learns with, or name the first parameter that can't be."""
    if encoder.n_clusters is not None and not _is_auto(encoder.n_clusters):
        check_integer("n_clusters", encoder.n_clusters, 1, "a positive integer, 'auto' or None")
    check_one_of("solver", encoder.solver, (AUTO, *SOLVERS))
    check_one_of("purpose", encoder.purpose, tuple(PURPOSES))
    check_number("tau", encoder.tau)
    check_number("learning_rate", encoder.learning_rate)
    check_integer("batch_size", encoder.batch_size, 2)
    check_integer("max_iter", encoder.max_iter)
    check_number("tol", encoder.tol, zero=True)
    check_handle_unknown(encoder.handle_unknown)
    check_min_frequency(encoder.min_frequency, encoder.max_categories)
    check_ordered(encoder.ordered)
    check_one_of("missing", encoder.missing, MISSING)
    _check_output(encoder)
    return _recipe(encoder)


def check_handle_unknown(value: Any) -> None:
    """Validate the one parameter that `transform` uses as well."""
    check_one_of("handle_unknown", value, HANDLE_UNKNOWN)


def check_min_frequency(min_frequency: Any, max_categories: Any) -> None:
    """Validate the two parameters that merge rare values."""
    if isinstance(min_frequency, Integral):
        check_integer("min_frequency", min_frequency, 1, "at least 1, or a share between 0 and 1")
    elif min_frequency is not None and not (is_number(min_frequency) and 0 < min_frequency < 1):
        raise ValueError(
            "min_frequency must be an integer of at least 1 or a share between 0 and 1, got "
            f"{min_frequency!r}."
        )
    if max_categories is not None:
        check_integer("max_categories", max_categories, 1, "a positive integer or None")


def _recipe(encoder: Any) -> Recipe:
    """Return the recipe; where all is left open, it leaves the weights to a choice."""
    left_open = (encoder.solver, encoder.couplings, encoder.kernels)
    chooses = all(map(_is_auto, left_open))
    return Recipe(
        resolve_couplings(PAPER_COUPLINGS if _is_auto(encoder.couplings) else encoder.couplings),
        resolve_kernels(PAPER_KERNELS if _is_auto(encoder.kernels) else encoder.kernels),
        resolve_normalization(encoder.normalization),
        NAMED_SOLVER if _is_auto(encoder.solver) else encoder.solver,
        int(encoder.n_clusters) if isinstance(encoder.n_clusters, Integral) else None,
        Settings(
            encoder.tau,
            encoder.learning_rate,
            encoder.batch_size,
            encoder.max_iter,
            encoder.tol,
            encoder.random_state,
        ),
        chooses,
        _is_auto(encoder.n_clusters),
        encoder.ordered,
        check_column_weights(encoder.column_weights),
        encoder.purpose,
    )


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO


def _check_output(encoder: Any) -> None:
    check_one_of("output", encoder.output, ("compact", "full"))
    if encoder.n_components is not None:
        check_integer("n_components", encoder.n_components, 1, "a positive integer or None")
        if encoder.output == "full":
            raise ValueError("n_components shortens the compact output; drop output='full'.")
    if not isinstance(encoder.sparse_output, bool | np.bool_):
        raise ValueError(f"sparse_output must be True or False, got {encoder.sparse_output!r}.")
    try:
        known = np.dtype(encoder.dtype) in (np.dtype(np.float32), np.dtype(np.float64))
    except TypeError:
        known = False
    if not known:
        raise ValueError(f"dtype must be float32 or float64, got {encoder.dtype!r}.")
