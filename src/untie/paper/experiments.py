"""All experiments, in the order of the paper: one import and one line each."""

from __future__ import annotations

from untie.paper import classification, goodness, outliers, regression, retrieval
from untie.paper.run.experiment import Experiment

EXPERIMENTS: list[Experiment] = [
    goodness.EXPERIMENT,
    retrieval.EXPERIMENT,
    classification.EXPERIMENT,
    regression.EXPERIMENT,
    outliers.EXPERIMENT,
]
"""What ``untie paper all`` runs."""
