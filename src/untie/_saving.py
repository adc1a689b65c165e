"""The part of an estimator that goes into a file and comes out of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from untie._learn.archive import State, check_plain, write_model

KINDS: dict[str, type[Savable]] = {}
"""The classes that a file can hold, by their names in it."""


class Savable:
    """Base of estimators that can be saved.

    A subclass names itself in files by `_kind`, lists parameters that may be estimators in
    `_parts`, with the kinds that each may be, and gives and takes what it has learned in
    `_fitted_state` and `_restore`.
    """

    _kind: ClassVar[str]
    _parts: ClassVar[Mapping[str, Sequence[str]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "_kind" in vars(cls):
            KINDS[cls._kind] = cls

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the estimator to one file, without pickle; `load_model` reads it.

        The file is replaced as a whole or not at all.

        Parameters
        ----------
        path : path
            The file to write; its folder must exist.

        Raises
        ------
        ValueError
            When a parameter can't be written without pickle, such as a function.

        See Also
        --------
        load_model : Reads it.
        save_model : Writes pipelines, too.
        """
        check_is_fitted(self)
        write_model(path, self._kind, self._to_state())

    def _to_state(self) -> State:
        """Return what a file holds of the estimator, fitted or not; for `save`."""
        this: Any = self  # scikit-learn's methods come with the subclass
        parameters = this.get_params(deep=False)
        parts = {name: parameters[name] for name in self._parts}
        parts = {name: part for name, part in parts.items() if isinstance(part, Savable)}
        plain = {name: value for name, value in parameters.items() if name not in parts}
        output = getattr(self, "_sklearn_output_config", {})
        content = {"kind": self._kind, "parameters": check_plain(plain, "Parameter")}
        state = State({**content, "output": output})
        for name in self._parts:
            state = state.plus(name, clone(parts[name])._to_state() if name in parts else None)
        if not this.__sklearn_is_fitted__():
            return state.plus("fitted", None)
        names = getattr(self, "feature_names_in_", None)
        seen = {
            "n_features_in": this.n_features_in_,
            "feature_names_in": None if names is None else names.tolist(),
        }
        fitted = self._fitted_state()
        return state.plus("fitted", State({**fitted.content, **seen}, fitted.arrays))

    def _check_parameters(self) -> Any:
        """Refuse parameters that `fit` would refuse."""
        raise NotImplementedError

    def _fitted_state(self) -> State:
        raise NotImplementedError

    def _restore(self, state: State) -> None:
        raise NotImplementedError


def estimator_of(state: State) -> Any:
    """Undo `_to_state`; the state was checked."""
    cls = KINDS[state.content["kind"]]
    parts = {n: estimator_of(state.part(n)) for n in cls._parts if state.has(n)}
    estimator: Any = cls(**{**state.content["parameters"], **parts})
    estimator.set_output(**state.content["output"])
    estimator._check_parameters()
    if state.has("fitted"):
        fitted = state.part("fitted")
        estimator.n_features_in_ = fitted.content["n_features_in"]
        names = fitted.content["feature_names_in"]
        if names is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator._restore(fitted)
    return estimator
