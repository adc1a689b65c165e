"""The methods that the paper compares with, and those that users try first.

Two families, one file a method: value distances, and encoders.
"""

from untie.baselines.hamming import Hamming
from untie.baselines.onehot import OneHot

DISTANCES = {"Hamming": Hamming}
"""Value distances by name; a new one is one file and one line."""

ENCODERS = {"OneHot": OneHot}
"""Encoders by name."""

__all__ = ["DISTANCES", "ENCODERS", "Hamming", "OneHot"]
