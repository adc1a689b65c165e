"""Clustering of categorical tables."""

from untie.cluster.kmodes import KModes

__all__ = ["KModes"]
