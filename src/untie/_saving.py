"""The part of an estimator that goes into a file and comes out of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from untie._learn.archive import State, check_plain, write_model

T = TypeVar("T")


class Savable:
    """Base of estimators that can be saved.

    A subclass names itself in files by `kind`, lists parameters that are estimators in `parts`,
    and gives and takes what it has learned in `_fitted_state` and `_restore`.
    """

    kind: ClassVar[str]
    parts: ClassVar[Mapping[str, type[Savable]]] = {}

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
        write_model(path, self.kind, self.to_state())

    def to_state(self) -> State:
        """Return what a file holds of the estimator, fitted or not; for `save`."""
        this: Any = self  # scikit-learn's methods come with the subclass
        parameters = this.get_params(deep=False)
        parts = {name: parameters.pop(name) for name in self.parts}
        output = getattr(self, "_sklearn_output_config", {})
        state = State({"parameters": check_plain(parameters, "Parameter"), "output": output})
        for name, part in parts.items():
            state = state.plus(name, None if part is None else clone(part).to_state())
        if not this.__sklearn_is_fitted__():
            return state.plus("fitted", None)
        names = getattr(self, "feature_names_in_", None)
        seen = {
            "n_features_in": this.n_features_in_,
            "feature_names_in": None if names is None else names.tolist(),
        }
        fitted = self._fitted_state()
        return state.plus("fitted", State({**fitted.content, **seen}, fitted.arrays))

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Undo `to_state`; for `load_model`, which has checked the state."""
        parts = {
            name: kind.from_state(state.part(name)) if state.has(name) else None
            for name, kind in cls.parts.items()
        }
        estimator: Any = cls(**state.content["parameters"], **parts)
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

    def _check_parameters(self) -> Any:
        """Refuse parameters that `fit` would refuse."""
        raise NotImplementedError

    def _fitted_state(self) -> State:
        raise NotImplementedError

    def _restore(self, state: State) -> None:
        raise NotImplementedError
