"""Encoders by name, fitted: what classification, retrieval and the other uses begin with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from untie_paper.arrays import FloatArray
from untie_paper.methods import ENCODERS


def fit_encoder(method: str, table: Any, n_clusters: int, seed: int) -> Any:
    """Return the encoder of that name, fitted to a table without its labels.

    Parameters
    ----------
    method : str
        A key of `ENCODERS`.
    table : frame
        The attributes.
    n_clusters : int
        What the methods that need it are told; the number of classes, as in the paper.
    seed : int
        For the methods that draw random numbers.

    Examples
    --------
    >>> fit_encoder("One-hot", [["a"], ["b"]], 2, seed=0).transform([["b"]])
    array([[0., 1.]])
    """
    return quietly_fitted(ENCODERS[method](n_clusters, seed), table)


def quietly_fitted(encoder: Any, table: Any) -> Any:
    """Return the encoder, fitted, with no word on what the printed protocol does on every table.

    It takes all of its steps, and on some sets it cannot be followed: see `off_protocol`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for known in (".*explain a batch", "The couplings tell no two values apart"):
            warnings.filterwarnings("ignore", message=known, category=UserWarning)
        return encoder.fit(table)


def common_scale(train: FloatArray, n_attributes: int) -> float:
    """Return the factor that makes the total variance of vectors their number of attributes.

    The scale of a representation is a convention (the printed objective of UNTIE even shrinks
    it with every step), but penalties, such as those of logistic regression, depend on it.

    Parameters
    ----------
    train : array of shape (n_rows, n_dimensions)
        The vectors whose variance counts.
    n_attributes : int
        The total variance to reach.

    Examples
    --------
    >>> common_scale(np.array([[-2.0], [2.0]]), n_attributes=1)
    0.5
    """
    variance = float(np.var(train, axis=0).sum())
    return float(np.sqrt(n_attributes / variance)) if variance > 0 else 1.0
