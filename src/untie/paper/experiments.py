"""All experiments, in the order of the paper: one import and one line each."""

from __future__ import annotations

from untie.paper.run.experiment import Experiment

EXPERIMENTS: list[Experiment] = []
"""What ``untie paper all`` runs."""
