"""Values that are alike, and the contexts that they share: the formula is in `_learn.contexts`."""

from typing import Any

import numpy as np

from untie._count.counts import Counts
from untie._inputs import as_fitted, labels_in_order, learned_order, order_of
from untie._learn.contexts import contexts_of, sure_alikeness
from untie._learn.spaces.value_space import likeness
from untie._table import frames
from untie._util.checks import check_integer
from untie._util.types import FloatArray, IntArray
from untie.encoder import TableEncoder

MOST_VALUES = 1_000
"""Of a column with more values only this many, the most frequent, are compared."""

NOTHING = 5e-4
"""Pairs with an alikeness nearer to 0 than this have nothing in common, and are not listed."""


Line = tuple[float, int, int, int, float]
"""What two values are alike at least, their attribute, their codes, and their alikeness."""


def alike_values(model: Any, column: Any = None, *, n: int = 20) -> Any:
    """Return the pairs of values of a column that surely occur in the most similar contexts.

    Values of a few rows may have the same company by chance, and come after those of which more is
    known. An `at_least` near 0 or below says that nothing is known of a pair, as of most typos; it
    does not say that the two differ. Pairs whose alikeness is 0 are not listed.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    column : str, optional
        The column; without it, all columns are looked through.
    n : int, default=20
        Maximum number of pairs; it hardly matters for the time, which grows with the square of the
        number of values per column. Of a column with more than 1,000 values the most frequent are
        compared.

    Returns
    -------
    frame
        One row per pair, those first that are surely the most alike: column, value, other_value
        (the lower one first in a column with an order), alikeness (from -1 to 1: the cosine of how
        the frequencies of all values of the other columns deviate beside the two, reduced by what
        is chance; 0 is nothing in common), at_least (the alikeness less two standard errors, which
        are large for values of a few rows: the order of the pairs), similarity (the cosine of their
        learned vectors; values that are kept apart have little, however alike their contexts are;
        of an order, 1 minus their squared distance as a share of the largest), weight and
        other_weight (of the rows that have them).

    See Also
    --------
    why_alike : What two values share.
    untie.plot.value_dendrogram : Draws the tree of a column's values.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import alike_values
    >>> rows = [["ale", "jug"], ["stout", "jug"], ["port", "glass"], ["sherry", "glass"]] * 20
    >>> encoder = TableEncoder(n_clusters=2).fit(rows)
    >>> alike_values(encoder, n=2)[["column", "value", "other_value", "alikeness"]].round(2)
         column value other_value  alikeness
    0        x0   ale       stout       0.96
    1        x0  port      sherry       0.96
    """
    fitted = as_fitted(model)
    encoder, n = fitted.encoder, check_integer("n", n)
    vocabulary = encoder.vocabulary_
    attributes = range(len(vocabulary.columns)) if column is None else [fitted.index_of(column)]
    lines: list[Line] = []
    for attribute in attributes:
        lines += _best_pairs(encoder.counts_, attribute, n)
    lines.sort(key=lambda line: (-round(line[0], 12), *line[1:4]))
    lines = [_in_order(encoder, line) for line in lines[:n]]
    texts = {attribute: vocabulary.labels(attribute) for _, attribute, *_ in lines}
    frequencies = encoder.counts_.frequencies
    offsets = encoder.counts_.offsets
    columns = {
        "column": [vocabulary.columns[attribute] for _, attribute, *_ in lines],
        "value": [texts[attribute][a] for _, attribute, a, *_ in lines],
        "other_value": [texts[attribute][b] for _, attribute, _, b, _ in lines],
        "alikeness": [alikeness for *_, alikeness in lines],
        "at_least": [at_least for at_least, *_ in lines],
        "similarity": _similarities(encoder, lines),
        "weight": [float(frequencies[offsets[place] + a]) for _, place, a, *_ in lines],
        "other_weight": [float(frequencies[offsets[place] + b]) for _, place, _, b, _ in lines],
    }
    return frames.make_frame(encoder._library, columns)


def why_alike(model: Any, column: Any, value: Any, other: Any, *, n: int = 20) -> Any:
    """Return the contexts that two values of a column share, and those that tell them apart.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    column : str
        The column.
    value, other : values of the column, or their labels
        What is compared.
    n : int, default=20
        Number of contexts, the largest contributions of either sign.

    Returns
    -------
    frame
        One row per value of another column: column, value, share beside the first value,
        other_share beside the second, usual_share in the whole table, and contribution: above 0
        where both have more of it than usual, or both less. All contributions add up to the
        alikeness that `alike_values` gives. The largest come first, the most negative last.

    See Also
    --------
    alike_values : The most alike pairs.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import why_alike
    >>> rows = [["ale", "jug"], ["stout", "jug"], ["port", "glass"], ["sherry", "glass"]] * 20
    >>> encoder = TableEncoder(n_clusters=2).fit(rows)
    >>> why_alike(encoder, "x0", "ale", "stout").round(2)
         column  value  share  other_share  usual_share  contribution
    0        x1  glass    0.0          0.0          0.5          0.48
    1        x1    jug    1.0          1.0          0.5          0.48
    """
    fitted = as_fitted(model)
    encoder, n = fitted.encoder, check_integer("n", n)
    attribute = fitted.index_of(column)
    codes = [_code(encoder, attribute, entry) for entry in (value, other)]
    contexts = contexts_of(encoder.counts_, attribute, np.array(codes))
    scaled = contexts.scaled
    contributions = scaled[0] * scaled[1]
    kept = np.argsort(-np.abs(np.round(contributions, 12)), kind="stable")[:n]
    kept = kept[np.argsort(-np.round(contributions[kept], 12), kind="stable")]
    names = [
        (encoder.vocabulary_.columns[place], label)
        for place in range(len(encoder.vocabulary_.columns))
        if place != attribute
        for label in encoder.vocabulary_.labels(place)
    ]
    columns = {
        "column": [names[place][0] for place in kept],
        "value": [names[place][1] for place in kept],
        "share": contexts.shares[0, kept],
        "other_share": contexts.shares[1, kept],
        "usual_share": contexts.usual[kept],
        "contribution": contributions[kept],
    }
    return frames.make_frame(encoder._library, columns)


def _best_pairs(counts: Counts, attribute: int, n: int) -> list[Line]:
    """Return the pairs of an attribute that are surely the most alike."""
    codes = _frequent(counts, attribute)
    if len(codes) < 2:
        return []
    first, second = np.triu_indices(len(codes), 1)
    both = sure_alikeness(counts, attribute, codes)
    alikeness, at_least = (found[first, second] for found in both)
    best = np.argsort(-np.round(at_least, 12), kind="stable")
    best = best[np.abs(alikeness[best]) >= NOTHING][:n]
    pairs = codes[first[best]].tolist(), codes[second[best]].tolist()
    figures = zip(at_least[best].tolist(), *pairs, alikeness[best].tolist(), strict=True)
    return [(lowest, attribute, a, b, likely) for lowest, a, b, likely in figures]


def _frequent(counts: Counts, attribute: int) -> IntArray:
    """Return the most frequent values of an attribute that are compared, in their order."""
    frequencies = counts.frequencies[counts.span(attribute)]
    codes = np.argsort(-frequencies, kind="stable")[:MOST_VALUES]
    return np.sort(codes[frequencies[codes] > 0])


def _in_order(encoder: TableEncoder, line: Line) -> Line:
    """Return a pair of values with the lower one first, if the column has an order."""
    at_least, attribute, first, second, alikeness = line
    positions = order_of(encoder, attribute)
    if positions is None or not 0 <= positions[second] < positions[first]:
        return line
    return at_least, attribute, second, first, alikeness


def _code(encoder: TableEncoder, attribute: int, value: Any) -> int:
    """Return the code of a value, given as it is or by its label."""
    vocabulary = encoder.vocabulary_
    if value in vocabulary.positions[attribute]:
        return vocabulary.positions[attribute][value]
    labels = vocabulary.labels(attribute)
    if value in labels:
        return labels.index(value)
    labels = labels_in_order(encoder, attribute)
    shown = ", ".join(labels[:10]) + (", ..." if len(labels) > 10 else "")
    raise ValueError(
        f"Column {vocabulary.columns[attribute]!r} has no value {value!r}; its values are {shown}."
    )


def _similarities(encoder: TableEncoder, lines: list[Line]) -> list[float]:
    """Return how alike the learned vectors of pairs are; of an order, by all of its values."""
    space, counts = encoder._model.space, encoder.counts_
    of_orders: dict[int, tuple[list[int], FloatArray]] = {}
    for attribute in {attribute for _, attribute, *_ in lines}:
        if learned_order(encoder, attribute) is not None:
            codes = _frequent(counts, attribute)
            found = likeness(space.vectors(attribute, codes), has_order=True)
            of_orders[attribute] = codes.tolist(), found
    result = []
    for _, attribute, first, second, _ in lines:
        if attribute in of_orders:
            codes_, found = of_orders[attribute]
            result.append(float(found[codes_.index(first), codes_.index(second)]))
        else:
            vectors = space.vectors(attribute, [first, second])
            result.append(float(likeness(vectors, has_order=False)[0, 1]))
    return result
