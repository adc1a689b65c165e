"""Measures straight from their definitions, in slow loops over objects."""

import itertools
import math
from collections import Counter
from fractions import Fraction


def best_macro_f(classes, clusters):
    """Try every one-to-one matching: most matched objects, then the highest macro F."""
    names, found = sorted(set(classes)), sorted(set(clusters))
    slots = found + [None] * len(names)
    best = (-1, -1)
    for chosen in set(itertools.permutations(slots, len(names))):
        matched, total = 0, Fraction(0)
        for name, cluster in zip(names, chosen, strict=True):
            hits = list(zip(classes, clusters, strict=True)).count((name, cluster))
            size = classes.count(name) + clusters.count(cluster)
            matched += hits
            total += Fraction(2 * hits, size)
        best = max(best, (matched, total / len(names)))
    return float(Fraction(best[0], len(classes))), float(best[1])


def pair_counts(classes, clusters):
    """Return pairs together in both, in clusters alone, in classes alone and in neither."""
    counts = Counter(
        (classes[i] == classes[j], clusters[i] == clusters[j])
        for i, j in itertools.combinations(range(len(classes)), 2)
    )
    return tuple(counts[key] for key in [(True, True), (False, True), (True, False), (False,) * 2])


def precision(distances, classes, k):
    """Return the mean expected precision, by trying every order of ties."""
    total = Fraction(0)
    n = len(classes)
    for query in range(n):
        others = [i for i in range(n) if i != query]
        orders = [
            order
            for order in itertools.permutations(others)
            if all(distances[query][a] <= distances[query][b] for a, b in itertools.pairwise(order))
        ]
        hits = sum(classes[i] == classes[query] for order in orders for i in order[:k])
        total += Fraction(hits, k * len(orders))
    return float(total / n)


def margins(similarity, classes, scale):
    """Return the margins of the objects that are not alone, largest first."""
    n = len(classes)
    pairs = [similarity[i][j] for i in range(n) for j in range(n) if i != j]
    low, high = min(pairs), max(pairs)

    def value(i, j):
        if not scale:
            return similarity[i][j]
        return (similarity[i][j] - low) / (high - low) if high > low else 0.0

    result = []
    for i in range(n):
        same = [value(i, j) for j in range(n) if j != i and classes[j] == classes[i]]
        other = [value(i, j) for j in range(n) if classes[j] != classes[i]]
        if same:
            result.append(sum(same) / len(same) - sum(other) / len(other))
    return sorted(result, reverse=True)


def intra(rows, classes, average):
    n_classes = len(set(classes))
    by_attribute = []
    for column in zip(*rows, strict=True):
        numbers = []
        for value in sorted(set(column)):
            of_value = [c for v, c in zip(column, classes, strict=True) if v == value]
            shares = [n / len(of_value) for n in Counter(of_value).values()]
            x = math.sqrt(sum(share**2 for share in shares))
            numbers.append(1 - (1 - x) / (1 - math.sqrt(n_classes * (1 / n_classes) ** 2)))
        by_attribute.append(numbers)
    if average == "column":
        return sum(sum(n) / len(n) for n in by_attribute) / len(by_attribute)
    n_terms = sum(map(len, by_attribute)) if average == "value" else len(by_attribute)
    return sum(map(sum, by_attribute)) / n_terms


def inter_of_attribute(matrices):
    n_matrices, size = len(matrices), len(matrices[0])
    total = 0.0
    for first in matrices:
        for second in matrices:
            squares = [(first[a][b] - second[a][b]) ** 2 for a in range(size) for b in range(size)]
            total += sum(squares) / size**2
    return math.sqrt(total / n_matrices**2)


def category_utility(rows, clusters):
    n, names = len(rows), sorted(set(clusters))
    total = 0.0
    for name in names:
        members = [row for row, cluster in zip(rows, clusters, strict=True) if cluster == name]
        for j in range(len(rows[0])):
            for value in {row[j] for row in rows}:
                inside = sum(row[j] == value for row in members) / len(members)
                overall = sum(row[j] == value for row in rows) / n
                total += len(members) / n * (inside**2 - overall**2)
    return total / len(names)


def conditional_entropy(rows, clusters):
    total = 0.0
    for cluster in set(clusters):
        members = [row for row, c in zip(rows, clusters, strict=True) if c == cluster]
        for j in range(len(rows[0])):
            for times in Counter(row[j] for row in members).values():
                share = times / len(members)
                total -= len(members) / len(rows) * share * math.log2(share)
    return total


def normalized_cut(similarity, clusters):
    names = sorted(set(clusters))
    total = 0.0
    everyone = range(len(clusters))
    for name in names:
        inside = [i for i in everyone if clusters[i] == name]
        outside = [i for i in everyone if clusters[i] != name]
        cut = sum(similarity[i][j] for i in inside for j in outside)
        connected = sum(similarity[i][j] for i in inside for j in everyone)
        total += cut / connected if connected else 0.0
    return total / len(names)


def ranks(scores):
    """Return the rank of each of a row's scores: one more than better ones, ties shared."""
    return [sum(b > a for b in scores) + (sum(b == a for b in scores) + 1) / 2 for a in scores]


def probability_of_range(spread, n):
    """Return how likely n standard normal deviates are at most so far apart.

    Any of them may be the largest; the others lie at most `spread` below. By the trapezoidal rule.
    """
    step = 1 / 256
    places = [step * i for i in range(-9 * 256, 9 * 256 + 1)]
    return step * sum(
        n * _density(x) * (_distribution(x) - _distribution(x - spread)) ** (n - 1) for x in places
    )


def _density(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _distribution(x):
    return math.erfc(-x / math.sqrt(2)) / 2
