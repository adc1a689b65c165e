"""Estimators and pipelines of them <-> files."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from untie._learn.reach import Reach
from untie._persistence.container import read_file, refusing, write_file
from untie._persistence.models import K_CHOICE, LARGEST, LIBRARIES, MODEL, PREPARATION
from untie._persistence.schema import (
    Codec,
    Field,
    Fields,
    Place,
    a_text,
    a_truth,
    each,
    either,
    many,
    mapping,
    maybe,
    number,
    numbers,
    of_type,
    one_of,
    record,
    whole,
)
from untie._persistence.values import from_plain, to_plain
from untie._util.about import VERSION

KINDS: dict[str, type[Savable]] = {}
"""The estimators that a file can hold, by their names in it; each enters itself."""


class Savable:
    """Base of estimators that can be saved.

    A subclass names itself in files by `_kind`; `LEARNED` says what they hold of it.
    """

    _kind: ClassVar[str]

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
        write_model(path, self)

    def _check_parameters(self) -> Any:
        """Refuse parameters that `fit` would refuse."""
        raise NotImplementedError

    def _restore(self, learned: dict[str, Any]) -> None:
        """Take attributes that were saved; a subclass makes those that follow from them."""
        vars(self).update(learned)


def write_model(path: str | os.PathLike[str], model: Any) -> None:
    """Write a fitted estimator or a pipeline of them."""
    at = Place("", {})
    content = {"version": VERSION, **_any_model().write(model, at)}
    write_file(path, content, at.arrays)


def read_model(path: str | os.PathLike[str]) -> Any:
    """Undo `write_model`, or say what is wrong with the file."""
    content, arrays = read_file(path)
    with refusing(path):
        of_type(dict)(content, "the model")
        a_text.read(content.pop("version", None), Place("version", {}))
        model = _any_model().read(content, Place("", arrays))
        if arrays:
            raise ValueError(f"the array {next(iter(arrays))!r} is no part of a model")
        return model


# An estimator: its parameters, and what it has learned.


def estimator(*kinds: str, is_fitted: bool = True) -> Codec:
    """Return the codec of an estimator of one of these kinds; of any, if there are none."""
    return either(
        {kind: (KINDS[kind], _one(kind, is_fitted)) for kind in kinds or tuple(KINDS)}
    )


def _one(kind: str, is_fitted: bool) -> Codec:
    parts: Fields = {
        "parameters": Field(mapping(PARAMETER), lambda one: one.get_params(deep=False)),
        "output": Field(
            mapping(one_of("default", "pandas", "polars", None)),
            lambda one: getattr(one, "_sklearn_output_config", {}),
        ),
    }
    fitted = {"fitted": Field(LEARNED[kind], _checked_fitted)} if is_fitted else {}
    return record(partial(_restored, KINDS[kind]), {**parts, **fitted})


def _restored(
    cls: type[Savable], parameters: Any, output: Any, fitted: dict[str, Any] | None = None
) -> Any:
    one: Any = cls(**parameters)  # scikit-learn's methods come with the subclass
    one.set_output(**output)
    one._check_parameters()
    if fitted is not None:
        if fitted["feature_names_in_"] is None:
            del fitted["feature_names_in_"]
        one._restore(fitted)
    return one


def _checked_fitted(one: Any) -> Any:
    check_is_fitted(one)
    return one


def _write_parameter(value: Any, at: Place) -> Any:
    if isinstance(value, tuple(KINDS.values())):
        return {"estimator": estimator(is_fitted=False).write(clone(value), at)}
    try:
        return to_plain(value)
    except ValueError as error:
        raise ValueError(f"Parameter {at.name.rpartition('/')[2]}: {error}") from None


def _read_parameter(plain: Any, at: Place) -> Any:
    if isinstance(plain, dict) and list(plain) == ["estimator"]:
        return estimator(is_fitted=False).read(plain["estimator"], at)
    return from_plain(plain)


PARAMETER = Codec(_write_parameter, _read_parameter)
"""Parameters are checked by the estimator that takes them."""

_SEEN: Fields = {
    "n_features_in_": whole(1),
    "feature_names_in_": Field(
        maybe(many(a_text, distinct=True, make=partial(np.array, dtype=object))),
        lambda one: getattr(one, "feature_names_in_", None),
    ),
}

_LIBRARY = {"library_": one_of(*LIBRARIES)}


def _columns_are_seen(c: Any) -> bool:
    columns = c.model_.grouping.raw.columns
    if c.preparer_ is not None:
        return bool(c.preparer_.columns_ == columns)
    names = c.feature_names_in_
    return c.n_features_in_ == len(columns) and (names is None or tuple(names) == columns)


_ENCODER = record(
    dict,
    {
        **_LIBRARY,
        "model_": MODEL,
        "preparer_": lambda c: maybe(estimator("preparer")),
        **_SEEN,
    },
    {"'columns' are not those that were seen": _columns_are_seen},
)


def _reach(clusterer: Any) -> Codec:
    k, n_columns = len(clusterer.cluster_centers_), len(clusterer.encoder_.counts_.sizes)
    return record(
        Reach, {"farthest": numbers((k,), least=0), "usual": numbers((k, n_columns), least=0)}
    )


def _costs(clusterer: Any) -> Codec:
    k, sizes = len(clusterer.cluster_centers_), clusterer.encoder_.counts_.sizes
    return maybe(each([numbers((n + 1, k), "biuf", dtype=float) for n in sizes], make=list))


_CLUSTERER = record(
    dict,
    {
        "encoder_": lambda c: estimator("encoder", "untie"),
        "preparer_": lambda c: maybe(estimator("preparer")),
        "k_choice_": maybe(K_CHOICE),
        "inertia_": number(0),
        "n_iter_": whole(),
        "cluster_centers_": lambda c: numbers(
            (None, sum(c.encoder_.model_.vectors.widths)), least=-LARGEST, most=LARGEST
        ),
        "reach_": _reach,
        "_labels": lambda c: maybe(
            numbers((None,), "i", least=0, most=len(c.cluster_centers_) - 1)
        ),
        "_costs": _costs,
        **_SEEN,
    },
    {"there are no clusters": lambda c: len(c.cluster_centers_) > 0},
)

LEARNED = {
    "preparer": record(dict, {**_LIBRARY, "_preparation": PREPARATION, **_SEEN}),
    "encoder": _ENCODER,
    "untie": _ENCODER,
    "clusterer": _CLUSTERER,
}
"""What a file of each kind holds of what an estimator has learned."""


# A pipeline. What is unpickled from a folder of a stranger's choice is not for us to read: a file
# has no `memory`.

PIPELINE = record(
    lambda steps, verbose, transform_input: Pipeline(
        steps,
        verbose=verbose,
        **({} if transform_input is None else {"transform_input": transform_input}),
    ),
    {
        "steps": lambda c: many(each([a_text, estimator()]), least=1, make=list),
        "verbose": a_truth,
        "transform_input": Field(
            maybe(many(a_text, make=list)), lambda one: getattr(one, "transform_input", None)
        ),
    },
    {"two steps have one name": lambda c: len({name for name, _ in c.steps}) == len(c.steps)},
)


def _any_model() -> Codec:
    """Return the codec of all that a file can hold."""
    kinds = {kind: (cls, _one(kind, is_fitted=True)) for kind, cls in KINDS.items()}
    return either({**kinds, "pipeline": (Pipeline, PIPELINE)})
