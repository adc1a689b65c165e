"""Values that are alike, and the contexts that they share.

Two values of a column are alike if the same values of the other columns are more frequent, or
rarer, beside both of them than in the whole table. With p(b | a) the share of the value b of
another column in the rows with a, and p(b) its share in all rows, the value a is described by the
deviations (p(b | a) - p(b)) / sqrt(p(b)) over all b, as in correspondence analysis; two values are
as alike as the cosine of their deviations. Those of a rare value are mostly chance, which gives
them a squared length of (v - 1) (n - n_a) / (n_a (n - 1)) on average for another column of v
values, if a is in n_a of n rows. The cosine is taken down by what chance makes up of both, so that
values of which nothing is known are not alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from untie._count.counts import Counts
from untie._learn.value_space import ValueSpace
from untie._table import frames
from untie._util.checks import check_integer
from untie._util.types import FloatArray
from untie.encoder import UNTIE
from untie.explain._inputs import check_encoder

MOST_VALUES = 1_000
"""Of a column with more values only the most frequent are compared."""


def alike_values(encoder: UNTIE, column: Any = None, n: int = 20) -> Any:
    """Return the pairs of values of a column that occur in the most similar contexts.

    Parameters
    ----------
    encoder : UNTIE
        Fitted.
    column : str, optional
        The column; without it, all columns are looked through.
    n : int, default=20
        Number of pairs. Of a column with more than 1,000 values the most frequent are compared.

    Returns
    -------
    frame
        attribute, value, other_value, the most alike first; alikeness (from -1 to 1: the
        cosine of how the frequencies of all values of the other columns deviate beside the
        two, taken down by what is chance; 0 is nothing in common), similarity (the cosine of their
        learned vectors; values that are kept apart have little, however alike their contexts are),
        weight and other_weight (of the rows that have them).

    Examples
    --------
    >>> from untie import UNTIE
    >>> from untie.explain import alike_values
    >>> rows = [["ale", "jug"], ["stout", "jug"], ["port", "glass"], ["sherry", "glass"]] * 20
    >>> encoder = UNTIE(n_clusters=2).fit(rows)
    >>> alike_values(encoder, n=2)[["attribute", "value", "other_value", "alikeness"]].round(2)
      attribute value other_value  alikeness
    0        x0   ale       stout       0.96
    1        x0  port      sherry       0.96
    """
    check_encoder(encoder)
    n = check_integer("n", n)
    vocabulary = encoder.vocabulary_
    attributes = range(len(vocabulary.columns)) if column is None else [vocabulary.index_of(column)]
    lines: list[tuple[float, int, int, int]] = []
    for attribute in attributes:
        lines += _best_pairs(encoder.counts_, attribute, n)
    lines.sort(key=lambda line: (-round(line[0], 12), *line[1:]))
    lines = lines[:n]
    space = ValueSpace(encoder.model_.vectors.tables)
    texts = {attribute: vocabulary.labels(attribute) for _, attribute, *_ in lines}
    frequencies = encoder.counts_.frequencies
    offsets = encoder.counts_.offsets
    columns = {
        "attribute": [vocabulary.columns[attribute] for _, attribute, *_ in lines],
        "value": [texts[attribute][a] for _, attribute, a, _ in lines],
        "other_value": [texts[attribute][b] for _, attribute, _, b in lines],
        "alikeness": [alikeness for alikeness, *_ in lines],
        "similarity": [_cosine(space.vectors(place, [a, b])) for _, place, a, b in lines],
        "weight": [float(frequencies[offsets[place] + a]) for _, place, a, _ in lines],
        "other_weight": [float(frequencies[offsets[place] + b]) for _, place, _, b in lines],
    }
    return frames.make_frame(encoder.library_, columns)


def why_alike(encoder: UNTIE, column: Any, value: Any, other: Any, n: int = 20) -> Any:
    """Return the contexts that two values of a column share, and those that tell them apart.

    Parameters
    ----------
    encoder : UNTIE
        Fitted.
    column : str
        The column.
    value, other : values of the column, or their labels
        What is compared.
    n : int, default=20
        Number of contexts, the largest contributions of either sign.

    Returns
    -------
    frame
        One line a value of another column: attribute, value, share beside the first value,
        other_share beside the second, usual_share in the whole table, and contribution: above 0
        where both have more of it than usual, or both less. All contributions add up to the
        alikeness that `alike_values` gives. The largest come first, the most negative last.

    Examples
    --------
    >>> from untie import UNTIE
    >>> from untie.explain import why_alike
    >>> rows = [["ale", "jug"], ["stout", "jug"], ["port", "glass"], ["sherry", "glass"]] * 20
    >>> encoder = UNTIE(n_clusters=2).fit(rows)
    >>> why_alike(encoder, "x0", "ale", "stout").round(2)
      attribute  value  share  other_share  usual_share  contribution
    0        x1  glass    0.0          0.0          0.5          0.48
    1        x1    jug    1.0          1.0          0.5          0.48
    """
    check_encoder(encoder)
    n = check_integer("n", n)
    attribute = encoder.vocabulary_.index_of(column)
    codes = [_code(encoder, attribute, entry) for entry in (value, other)]
    contexts = _contexts(encoder.counts_, attribute, np.array(codes))
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
        "attribute": [names[place][0] for place in kept],
        "value": [names[place][1] for place in kept],
        "share": contexts.shares[0, kept],
        "other_share": contexts.shares[1, kept],
        "usual_share": contexts.usual[kept],
        "contribution": contributions[kept],
    }
    return frames.make_frame(encoder.library_, columns)


def alikeness(encoder: UNTIE, attribute: int, codes: NDArray[np.intp]) -> FloatArray:
    """Return the alikeness of every two of some values of an attribute; see `alike_values`."""
    scaled = _contexts(encoder.counts_, attribute, codes).scaled
    return scaled @ scaled.T


@dataclass(frozen=True, eq=False)
class _Contexts:
    """What occurs beside some values of an attribute.

    Parameters
    ----------
    shares : array of shape (n_chosen, n_contexts)
        Share of each value of the other attributes in the rows with each value.
    usual : array of shape (n_contexts,)
        Their shares in all rows.
    noise : array of shape (n_chosen,)
        Squared length of the deviations that chance gives on average.
    """

    shares: FloatArray
    usual: FloatArray
    noise: FloatArray

    @property
    def scaled(self) -> FloatArray:
        """Deviations whose inner products are the alikeness; shape (n_chosen, n_contexts)."""
        deviations = (self.shares - self.usual) / np.sqrt(np.where(self.usual > 0, self.usual, 1.0))
        squares = np.square(deviations).sum(axis=1)
        # sqrt(1 - noise / squares) of the unit vector is what is more than chance.
        known = np.sqrt(np.maximum(squares - self.noise, 0.0))
        factors = np.divide(known, squares, out=np.zeros_like(known), where=squares > 1e-15)
        return deviations * factors[:, None]


def _contexts(counts: Counts, attribute: int, codes: NDArray[np.intp]) -> _Contexts:
    """Return what occurs beside some values; pairs with unknown values are left out."""
    shares, usual = [], []
    noise = np.zeros(len(codes))
    scale = max(counts.n, counts.n_rows) / counts.n
    for other in range(len(counts.sizes)):
        if other == attribute:
            continue
        block: Any = counts.block(attribute, other)[codes]
        beside = np.asarray(block.toarray() if sparse.issparse(block) else block, dtype=float)
        totals = beside.sum(axis=1, keepdims=True)
        all_rows = counts.frequencies[counts.span(other)]
        share = all_rows / max(all_rows.sum(), np.finfo(float).tiny)
        # Beside a value that meets only unknown ones, all is as usual.
        part = np.divide(beside, totals, out=np.tile(share, (len(codes), 1)), where=totals > 0)
        shares.append(part)
        usual.append(share)
        noise += _noise(
            int(np.count_nonzero(all_rows)), totals[:, 0] * scale, all_rows.sum() * scale
        )
    if not usual:
        raise ValueError("A context needs a second column; the encoder was fitted on one.")
    return _Contexts(np.hstack(shares), np.concatenate(usual), noise)


def alikeness_of(counts: Counts, attribute: int, codes: NDArray[np.intp]) -> FloatArray:
    """Return how alike some values of an attribute are; shape (n_chosen, n_chosen)."""
    scaled = _contexts(counts, attribute, codes).scaled
    return np.asarray(scaled @ scaled.T, dtype=float)


def _noise(n_values: int, n_beside: FloatArray, n: float) -> FloatArray:
    """Return the mean squared length of the deviations in rows drawn from all by chance."""
    result = np.zeros(len(n_beside))
    some = n_beside > 0
    drawn = n_beside[some]
    result[some] = max(n_values - 1, 0) * np.maximum(n - drawn, 0.0) / (drawn * max(n - 1.0, 1.0))
    return result


def _best_pairs(counts: Counts, attribute: int, n: int) -> list[tuple[float, int, int, int]]:
    """Return the most alike pairs of an attribute: alikeness, attribute, value, other value."""
    frequencies = counts.frequencies[counts.span(attribute)]
    codes = np.argsort(-frequencies, kind="stable")[:MOST_VALUES]
    codes = np.sort(codes[frequencies[codes] > 0])
    if len(codes) < 2:
        return []
    first, second = np.triu_indices(len(codes), 1)
    alikeness = alikeness_of(counts, attribute, codes)[first, second]
    best = np.argsort(-np.round(alikeness, 12), kind="stable")[:n]
    return [
        (float(alikeness[pair]), attribute, int(codes[first[pair]]), int(codes[second[pair]]))
        for pair in best
    ]


def _code(encoder: UNTIE, attribute: int, value: Any) -> int:
    """Return the code of a value, given as it is or by its label."""
    vocabulary = encoder.vocabulary_
    if value in vocabulary.positions[attribute]:
        return vocabulary.positions[attribute][value]
    labels = vocabulary.labels(attribute)
    if value in labels:
        return labels.index(value)
    shown = ", ".join(labels[:10]) + (", ..." if len(labels) > 10 else "")
    raise ValueError(
        f"Column {vocabulary.columns[attribute]!r} has no value {value!r}; its values are {shown}."
    )


def _cosine(vectors: FloatArray) -> float:
    lengths = np.linalg.norm(vectors, axis=1)
    return float(vectors[0] @ vectors[1] / lengths.prod()) if lengths.all() else 0.0
