"""All experiments, in the order of the paper: one import and one line each."""

from __future__ import annotations

from untie_paper import (
    classification,
    clustering,
    complexity,
    convergence,
    couplings_density,
    data,
    framework,
    goodness,
    inconsistency,
    kernels,
    maps,
    outliers,
    readings,
    regression,
    retrieval,
    time_cost,
    users_first,
)
from untie_paper.run.experiment import Experiment

EXPERIMENTS: list[Experiment] = [
    framework.EXPERIMENT,
    data.EXPERIMENT,
    couplings_density.EXPERIMENT,
    inconsistency.EXPERIMENT,
    goodness.EXPERIMENT,
    maps.EXPERIMENT,
    clustering.EXPERIMENT,
    readings.EXPERIMENT,
    retrieval.EXPERIMENT,
    convergence.EXPERIMENT,
    time_cost.EXPERIMENT,
    complexity.EXPERIMENT,
    classification.EXPERIMENT,
    kernels.EXPERIMENT,
    users_first.EXPERIMENT,
    regression.EXPERIMENT,
    outliers.EXPERIMENT,
]
"""What ``untie paper all`` runs."""
