"""Distances of values as functions of counts, for k-modes; `distance_oracle` has the slow ones."""

import numpy as np
from scipy.spatial.distance import pdist, squareform


def frequencies(counts):
    return [counts.frequencies[counts.span(column)] for column in range(len(counts.sizes))]


def ahmad(counts):
    """Return how differently values occur with those of the other columns."""
    found = []
    columns = range(len(counts.sizes))
    for column in columns:
        others = [counts.block(column, other) for other in columns if other != column]
        if not others:
            found.append(1.0 - np.eye(counts.sizes[column]))
            continue
        shares = np.hstack([block / block.sum(axis=1, keepdims=True) for block in others])
        found.append(squareform(pdist(shares, "cityblock")) / (2 * len(others)))
    return found


def cos(counts):
    inverse = [1.0 / own for own in frequencies(counts)]
    return [np.add.outer(i, i) * table for i, table in zip(inverse, ahmad(counts), strict=True)]


def rough(counts):
    return [1.0 - np.diag(1.0 / own) for own in frequencies(counts)]


DISTANCES = {"Hamming": None, "Ahmad": ahmad, "COS": cos, "Rough": rough}
