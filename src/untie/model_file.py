"""Estimators and pipelines of them -> one file, and back."""

import os
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from untie._persistence.models import Loaded, read_model, upgrade_file, write_model
from untie._util.files import no_file
from untie.cluster import KModes, KPrototypes, LatentClasses
from untie.clusterer import TableClusterer
from untie.encoder import TableEncoder
from untie.preparer import Preparer
from untie.untie_method import UNTIE

CLASSES = (
    *(Preparer, TableEncoder, UNTIE, TableClusterer),
    *(KModes, KPrototypes, LatentClasses),
)
"""The classes that a file can hold."""


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator, or a pipeline of them, to one file without pickle.

    The file is replaced as a whole or not at all.

    Parameters
    ----------
    model : estimator of untie, or Pipeline
        Fitted: a Preparer, TableEncoder, TableClusterer, UNTIE, KModes, KPrototypes or
        LatentClasses. The steps of a pipeline are of these classes.
    path : path
        The file to write; its folder must exist. A model with many values is large: the counts of
        their pairs are part of it.

    Raises
    ------
    TypeError
        When the model, or a step of the pipeline, is of another class.
    ValueError
        When a parameter can't be written without pickle, such as a function.

    See Also
    --------
    load_model : Reads it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from sklearn.pipeline import make_pipeline
    >>> from untie import UNTIE, Preparer, load_model, save_model
    >>> rows = [["red", n] for n in range(30)] + [["blue", n + 20] for n in range(30)]
    >>> pipeline = make_pipeline(Preparer(bins=3), UNTIE(2)).fit(rows)
    >>> path = Path(mkdtemp()) / "model.untie"
    >>> save_model(pipeline, path)
    >>> bool((load_model(path).transform(rows) == pipeline.transform(rows)).all())
    True
    """
    if isinstance(model, Pipeline):
        check_is_fitted(model)
        for name, step in model.steps:
            _check_class(step, f"The step {name!r} of the pipeline")
    else:
        _check_class(model, "The model")
    write_model(path, model)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read what `save_model`, or the method `save` of an estimator, wrote.

    Files of every released version can be read. A file has about twenty rows, made of the values
    that the model knows, and what the model answered to them where it was saved. They are asked
    again, and a warning says by how much the answers differ here, if they do.

    A file is data: no code in it is run, and all of it is checked before it is used. It may unpack
    to 256 MiB, or to 200 times its size. Who wrote it decides what the vectors are, nevertheless:
    the checksum tells of damage, and is no signature.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    estimator or Pipeline
        What was saved.

    Raises
    ------
    FileNotFoundError
        When there is no such file; the message has the name in that folder that is most like it.
    ValueError
        When the file is not a model, is damaged, holds what no model has, or is of a newer format.

    Warns
    -----
    UserWarning
        When the model answers otherwise than where it was saved. The warning names the versions
        that are different.

    See Also
    --------
    save_model : Writes it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from untie import TableEncoder, load_model
    >>> path = Path(mkdtemp()) / "colors.untie"
    >>> TableEncoder(2).fit([["red", "no"], ["blue", "no"], ["red", "yes"]]).save(path)
    >>> load_model(path)
    TableEncoder(n_clusters=2)
    """
    found = read_saved(path)
    found.warn(path)
    return found.model


def read_saved(path: str | os.PathLike[str]) -> Loaded:
    """Read a model and what its file says of itself."""
    _check_there(path)
    return read_model(path)


def upgrade_model(path: str | os.PathLike[str], output: str | os.PathLike[str]) -> Loaded:
    """Write a model's file anew in the present format; read it whole before."""
    _check_there(path)
    return upgrade_file(path, output)


def _check_there(path: str | os.PathLike[str]) -> None:
    if not os.path.exists(path):
        raise FileNotFoundError(no_file(os.fspath(path)))
    if os.path.isdir(path):
        raise IsADirectoryError(f"{os.fspath(path)!r} is a folder; name a model's file in it.")


def _check_class(model: Any, what: str) -> None:
    if not isinstance(model, CLASSES):
        known = ", ".join(c.__name__ for c in CLASSES)
        raise TypeError(
            f"{what} is a {type(model).__name__}; a model file holds {known} and pipelines of "
            "them. Use joblib.dump for it."
        )
