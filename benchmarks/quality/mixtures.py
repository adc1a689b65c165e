"""Latent class analysis as the benchmarks run it: our own and that of the package StepMix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from stepmix.stepmix import StepMix

from untie.cluster import LatentClasses

STARTS = 10
"""Maximum number of starts of a mixture, which take much longer than those of k-means."""

MANY_ROWS, FEW_STARTS = 5_000, 3
"""StepMix has fewer starts on tables with more distinct rows than this, for time."""

TOLERANCE = 1e-6
"""Gain in log-likelihood per row below which StepMix stops: the tolerance of `LatentClasses`."""


def latent_classes_labels(X: pd.DataFrame, k: int, seed: int, n_starts: int) -> NDArray[Any]:
    """Cluster a categorical table by `untie.cluster.LatentClasses`."""
    return LatentClasses(k, n_init=min(n_starts, STARTS), random_state=seed).fit_predict(X)


def step_mix_labels(X: pd.DataFrame, k: int, seed: int, n_starts: int) -> NDArray[Any]:
    """Cluster a table by StepMix: numbers are normal within a class, other columns categorical.

    Missing cells are left out of the likelihood. Equal rows are fitted once, with their number as
    the weight. Categorical columns are passed in groups of a similar number of values, as StepMix
    pads each group to its largest; the model is the same.
    """
    groups: dict[str, list[NDArray[Any]]] = {}
    for name in X:
        column = X[name]
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            cells = column.to_numpy(float)
            cells = (cells - np.nanmean(cells)) / (np.nanstd(cells) or 1.0)
            kind = "continuous_nan" if np.isnan(cells).any() else "continuous"
        else:
            codes, values = pd.factorize(column)
            cells = np.where(codes < 0, np.nan, codes.astype(float))
            missing = "_nan" if (codes < 0).any() else ""
            kind = f"categorical{missing} {np.ceil(np.log2(max(len(values), 2))):g}"
        groups.setdefault(kind, []).append(cells)
    measurement = {
        kind: {"model": kind.split()[0], "n_columns": len(columns)}
        for kind, columns in groups.items()
    }
    table = np.stack([cells for columns in groups.values() for cells in columns], axis=1)
    rows, inverse, times = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    model = StepMix(
        min(k, len(rows)),
        measurement=measurement,
        n_init=min(n_starts, FEW_STARTS if len(rows) > MANY_ROWS else STARTS),
        abs_tol=TOLERANCE,
        random_state=seed,
        progress_bar=0,
    )
    return model.fit(rows, sample_weight=times).predict(rows)[inverse.ravel()]
