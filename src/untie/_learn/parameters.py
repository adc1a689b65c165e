"""The encoders' parameters: validation, and what they mean for the pipe."""

from dataclasses import fields
from numbers import Integral
from typing import Any

import numpy as np

from untie._learn.columns.attributes import check_column_weights
from untie._learn.learning import ChoiceRecipe, KernelRecipe
from untie._learn.spaces.couplings import resolve_couplings
from untie._learn.spaces.kernels import resolve_kernels, resolve_normalization
from untie._learn.weights.search import SOLVERS
from untie._learn.weights.weightings import WEIGHTINGS, Settings
from untie._table.orders import check_ordered
from untie._table.vocabulary import HANDLE_UNKNOWN
from untie._util.checks import check_integer, check_number, check_one_of, is_number

AUTO = "auto"

VALUE = "value"
MISSING = (VALUE, "neutral")
"""What a missing cell is: a value like others, or one that says nothing."""


def choice_recipe(encoder: Any) -> ChoiceRecipe:
    """Return what a `TableEncoder` learns with, or name the first parameter that can't be."""
    _check_shared(encoder)
    check_min_frequency(encoder.min_frequency, encoder.max_categories)
    check_ordered(encoder.ordered)
    if encoder.n_components is not None:
        check_integer("n_components", encoder.n_components, 1, "a positive integer or None")
    if not isinstance(encoder.sparse_output, bool | np.bool_):
        raise ValueError(f"sparse_output must be True or False, got {encoder.sparse_output!r}.")
    _check_dtype(encoder.dtype)
    return ChoiceRecipe(
        *_number(encoder),
        encoder.ordered,
        check_column_weights(encoder.column_weights),
        encoder.random_state,
    )


def kernel_recipe(encoder: Any) -> KernelRecipe:
    """Return what a `UNTIE` learns with, or name the first parameter that can't be."""
    _check_shared(encoder)
    check_one_of("solver", encoder.solver, (*SOLVERS, *WEIGHTINGS))
    check_number("tau", encoder.tau)
    check_number("learning_rate", encoder.learning_rate)
    check_integer("batch_size", encoder.batch_size, 2)
    check_integer("max_iter", encoder.max_iter)
    check_number("tol", encoder.tol, zero=True)
    check_min_frequency(encoder.min_frequency, None)
    check_one_of("output", encoder.output, ("compact", "full"))
    return KernelRecipe(
        *_number(encoder),
        resolve_couplings(encoder.couplings),
        resolve_kernels(encoder.kernels),
        resolve_normalization(encoder.normalization),
        encoder.solver,
        Settings(**{field.name: getattr(encoder, field.name) for field in fields(Settings)}),
    )


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


def _check_shared(encoder: Any) -> None:
    if encoder.n_clusters is not None and not _is_auto(encoder.n_clusters):
        check_integer("n_clusters", encoder.n_clusters, 1, "a positive integer, 'auto' or None")
    check_handle_unknown(encoder.handle_unknown)
    check_one_of("missing", encoder.missing, MISSING)


def _number(encoder: Any) -> tuple[int | None, bool]:
    """Return the number of clusters, if one is given, and whether it is to be chosen."""
    number, is_auto = encoder.n_clusters, _is_auto(encoder.n_clusters)
    return (None if number is None or is_auto else int(number)), is_auto


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO


def _check_dtype(dtype: Any) -> None:
    try:
        known = np.dtype(dtype) in (np.dtype(np.float32), np.dtype(np.float64))
    except TypeError:
        known = False
    if not known:
        raise ValueError(f"dtype must be float32 or float64, got {dtype!r}.")
