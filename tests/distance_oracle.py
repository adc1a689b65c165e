"""Value distances and k-modes straight from their definitions, in fractions and plain loops.

Nothing here is shared with the package. Rows are tuples, weights whole numbers.
"""

from fractions import Fraction
from itertools import combinations
from math import log2, sqrt


def values_of(rows, column):
    """Return the values of a column in order."""
    return sorted({row[column] for row in rows})


def probability(rows, of, given, weights=None):
    """Return the share of the weight with cell `of` in that with cell `given`: (column, values)."""
    weights = weights or [1] * len(rows)
    total = both = 0
    for row, weight in zip(rows, weights, strict=True):
        if row[given[0]] in given[1]:
            total += weight
            both += weight * (row[of[0]] in of[1])
    return Fraction(both, total)


def ahmad(rows, column, x, y, weights=None):
    """Return the mean, over the other columns, of the maximum over all sets of values."""
    others = [other for other in range(len(rows[0])) if other != column]
    if not others:
        return Fraction(x != y)
    total = Fraction(0)
    for other in others:
        values = values_of(rows, other)
        sets = [set(c) for size in range(len(values) + 1) for c in combinations(values, size)]
        total += max(
            probability(rows, (other, chosen), (column, {x}), weights)
            + probability(rows, (other, set(values) - chosen), (column, {y}), weights)
            - 1
            for chosen in sets
        )
    return total / len(others)


def frequency(rows, column, x, weights=None):
    """Return the weight of the rows with a value."""
    weights = weights or [1] * len(rows)
    return sum(w for row, w in zip(rows, weights, strict=True) if row[column] == x)


def cos_parts(rows, column, x, y, weights=None):
    """Return the intra- and the inter-attribute similarity."""
    a, b = (frequency(rows, column, value, weights) for value in (x, y))
    intra = Fraction(a * b, a + b + a * b)
    others = [other for other in range(len(rows[0])) if other != column]
    if not others:
        return intra, Fraction(x == y)
    inter = Fraction(0)
    for other in others:
        for w in values_of(rows, other):
            shares = [probability(rows, (other, {w}), (column, {v}), weights) for v in (x, y)]
            if min(shares) > 0:
                inter += min(shares)
    return intra, inter / len(others)


def cos_distance(rows, column, x, y, weights=None):
    """Return (1/intra - 1)(1 - inter)."""
    intra, inter = cos_parts(rows, column, x, y, weights)
    return (1 / intra - 1) * (1 - inter)


def rough(rows, column, x, y, weights=None):
    """Return 1, or 1 - 1/frequency for equal values."""
    return Fraction(1) if x != y else 1 - Fraction(1, frequency(rows, column, x, weights))


def hamming(rows, column, x, y, weights=None):
    """Return whether two values differ."""
    return Fraction(x != y)


def entropy(rows, columns, weights=None):
    """Return the joint entropy of columns, in bits."""
    weights = weights or [1] * len(rows)
    cells = {}
    for row, weight in zip(rows, weights, strict=True):
        key = tuple(row[column] for column in columns)
        cells[key] = cells.get(key, 0) + weight
    n = sum(weights)
    return -sum(c / n * log2(c / n) for c in cells.values())


def symmetric_uncertainty(rows, first, second, weights=None):
    """Return 2 (H(Y) - H(Y|X)) / (H(Y) + H(X)), from joint entropies."""
    alone = entropy(rows, [first], weights), entropy(rows, [second], weights)
    given = entropy(rows, [first, second], weights) - alone[1]
    return 2 * (alone[0] - given) / sum(alone) if sum(alone) > 0 else 0.0


def context(rows, column, how="RR", sigma=0.5, weights=None):
    """Return DILCA's context of a column, as a list in the order of choice."""

    def related(first, second):
        return round(symmetric_uncertainty(rows, first, second, weights), 12)

    others = [other for other in range(len(rows[0])) if other != column]
    others.sort(key=lambda other: (-related(column, other), other))
    if how == "M":
        mean = sum(related(column, other) for other in others) / max(1, len(others))
        return [other for other in others if related(column, other) >= round(sigma * mean, 12)]
    kept = []
    for other in others:
        relevance = related(column, other)
        if relevance > 0 and all(related(better, other) < relevance for better in kept):
            kept.append(other)
    return kept


def dilca_squared(rows, column, x, y, chosen, norm="published", weights=None):
    """Return the squared distance of two values for a given, not empty context."""
    cells = [(other, w) for other in chosen for w in values_of(rows, other)]
    total = sum(
        (
            probability(rows, (column, {x}), (other, {w}), weights)
            - probability(rows, (column, {y}), (other, {w}), weights)
        )
        ** 2
        for other, w in cells
    )
    return total / (len(cells) if norm == "published" else len(rows[0]))


def dilca(rows, column, x, y, weights=None, how="RR", sigma=0.5, norm="published"):
    """Return DILCA's distance, Hamming's where the context is empty."""
    chosen = context(rows, column, how, sigma, weights)
    if not chosen:
        return float(x != y)
    return sqrt(dilca_squared(rows, column, x, y, chosen, norm, weights))


def row_distance(distance, first, second):
    """Return the sum over the columns; `distance` takes (column, x, y)."""
    return sum(
        distance(column, x, y) for column, (x, y) in enumerate(zip(first, second, strict=True))
    )


def kmodes(rows, modes, distance, orders, median=False, max_iter=100):
    """Cluster from given modes, one row and one cell at a time; no cluster may become empty.

    `distance` takes (column, x, y) and gives exact numbers; `orders` are the columns' values.
    Returns labels, modes and cost.
    """
    labels = None
    for _ in range(max_iter):
        new = [
            min(range(len(modes)), key=lambda k, r=r: row_distance(distance, r, modes[k]))
            for r in rows
        ]
        if new == labels:
            break
        labels = new
        modes = [
            tuple(
                _mode(
                    [r[j] for r, label in zip(rows, labels, strict=True) if label == k],
                    orders[j],
                    j,
                    distance,
                    median,
                )
                for j in range(len(rows[0]))
            )
            for k in range(len(modes))
        ]
    cost = sum(row_distance(distance, r, modes[k]) for r, k in zip(rows, labels, strict=True))
    return labels, modes, cost


def _mode(cells, order, column, distance, median):
    assert cells, "an empty cluster"
    if median:
        sums = {v: sum(distance(column, cell, v) for cell in cells) for v in order}
        return min(order, key=lambda v: (sums[v], -cells.count(v), order.index(v)))
    return min(order, key=lambda v: (-cells.count(v), order.index(v)))


def read_pairs(text):
    """Read "A1-A2 17/12, A1-A3 2" into {(0, 1): Fraction(17, 12), (0, 2): Fraction(2)}."""
    pairs = {}
    for entry in text.split(","):
        names, value = entry.split()
        first, second = (int(name[1:]) - 1 for name in names.split("-"))
        pairs[first, second] = Fraction(value)
    return pairs
