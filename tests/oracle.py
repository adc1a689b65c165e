"""The method straight from its definition: explicit rows, slow loops, no counts.

Nothing here is shared with the package, so that a slip there can't hide here.
"""

import numpy as np


def coupling_vectors(rows, column, value, names, weights=None):
    """Describe one value; `names` are "intra" and/or "inter", concatenated."""
    weights = weights or [1] * len(rows)

    def weight_of(condition):
        return sum(w for row, w in zip(rows, weights, strict=True) if condition(row))

    vector = []
    if "intra" in names:
        vector.append(weight_of(lambda row: row[column] == value) / sum(weights))
    if "inter" in names:
        for other in range(len(rows[0])):
            if other == column:
                continue
            for b in sorted({row[other] for row in rows}):
                with_b = weight_of(lambda row, k=other, b=b: row[k] == b)
                both = weight_of(lambda row, k=other, b=b: row[k] == b and row[column] == value)
                vector.append(both / with_b)
    return np.array(vector)


def paper_kernels():
    """Return the eleven Gaussian and three polynomial kernels of the paper."""
    kernels = [lambda x, y, w=2.0**e: np.exp(-w * np.sum((x - y) ** 2)) for e in range(-5, 6)]
    return kernels + [lambda x, y, q=q: np.dot(x, y) ** q for q in (1, 2, 3)]


def full_features(rows, couplings=(("intra",), ("inter",)), kernels=None, weights=None):
    """Return X with omega = 1, coordinates ordered by column, coupling, kernel, value."""
    kernels = kernels or paper_kernels()
    features = []
    for column in range(len(rows[0])):
        values = sorted({row[column] for row in rows})
        where = [values.index(row[column]) for row in rows]
        for names in couplings:
            vectors = [coupling_vectors(rows, column, v, names, weights) for v in values]
            for kernel in kernels:
                matrix = np.array([[kernel(x, y) for y in vectors] for x in vectors])
                norm = np.sqrt(np.sum(np.diag(matrix) ** 2))
                features.append((matrix / norm if norm > 0 else matrix)[where])
    return np.hstack(features)


def centered(features, weights=None):
    return features - np.average(features, axis=0, weights=weights)


def leading_vectors(similarity, n_vectors):
    """Return H: the orthonormal eigenvectors with the largest eigenvalues."""
    return np.linalg.eigh(similarity)[1][:, ::-1][:, :n_vectors]


def costs(features, omega, n_vectors):
    """Return the energy and the unexplained part of every coordinate, for the best H."""
    H = leading_vectors((features * omega) @ features.T, n_vectors)
    left = features - H @ (H.T @ features)
    return np.sum(features**2, axis=0), np.sum(left**2, axis=0)
