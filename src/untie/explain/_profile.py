"""What makes a cluster: the values that are frequent in it and rare elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from untie._inputs import Partition, check_labels, check_row_weights
from untie._table import frames
from untie._table.rows import learn_vocabulary
from untie._table.table import read_table
from untie._util.types import FloatArray
from untie.explain._corrected import holm


def cluster_profile(data: Any, labels: Any, sample_weight: Any = None) -> Any:
    """Return how much more frequent each value is in a cluster than elsewhere.

    Parameters
    ----------
    data : table of shape (n_rows, n_columns)
        In memory. Any columns: those that the clusters were made of, or others.
    labels : array of shape (n_rows,)
        The cluster of each row.
    sample_weight : array of shape (n_rows,), optional
        How often each row counts. Whole numbers are taken for numbers of equal rows; others are
        weights of a survey, for which the test counts (sum w)^2 / sum w^2 rows: as many as have the
        same accuracy unweighted, rounded.

    Returns
    -------
    frame
        One row per cluster and value that occurs in it, for each cluster the most telling first:

        - cluster, column, value;
        - share of the cluster's rows that have the value, share_elsewhere of the other rows;
        - lift: share divided by the share in the whole table;
        - information: share x log2(lift), bits; the rows are sorted by it, as a value
          tells much of a cluster only if it is frequent there and rare elsewhere;
        - p_value: the chance of a count at least as high if labels and values were independent (the
          hypergeometric distribution: Fisher's exact test, one-sided), corrected by Holm's method
          for all rows and so valid for all of them at once. It takes the clusters as
          given; clusters that were made of these very columns differ in them by construction, so
          it says which differences are no noise, not that the clusters exist;
        - count: weight of the cluster's rows that have the value.

    See Also
    --------
    untie.plot.cluster_profiles : Draws the most telling values.

    Examples
    --------
    >>> from untie.explain import cluster_profile
    >>> rows = [["red", "wine"]] * 4 + [["white", "wine"]] * 2 + [["brown", "beer"]] * 4
    >>> profile = cluster_profile(rows, [1] * 6 + [0] * 4)
    >>> profile[["cluster", "value", "share", "share_elsewhere", "lift", "count"]].round(2)
       cluster  value  share  share_elsewhere  lift  count
    0        0  brown   1.00              0.0  2.50    4.0
    1        0   beer   1.00              0.0  2.50    4.0
    2        1   wine   1.00              0.0  1.67    6.0
    3        1    red   0.67              0.0  1.67    4.0
    4        1  white   0.33              0.0  1.67    2.0
    """
    table = read_table(data)
    clusters = check_labels(labels, table.n_rows)
    weights = check_row_weights(sample_weight, table.n_rows)
    if not weights.any():
        raise ValueError("Every sample weight is zero; at least one row must count.")
    vocabulary, encoded = learn_vocabulary(table)
    parts = [
        _column(codes, size, clusters, weights)
        for codes, size in zip(encoded.codes, vocabulary.sizes, strict=True)
    ]
    cluster, attribute, value = np.concatenate(
        [
            np.stack([part["cluster"], np.full(len(part["cluster"]), place), part["value"]])
            for place, part in enumerate(parts)
        ],
        axis=1,
    ).astype(np.intp)
    numbers = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("share", "share_elsewhere", "lift", "information", "p_value", "count")
    }
    numbers["p_value"] = holm(numbers["p_value"])
    order = np.lexsort((value, attribute, -np.round(numbers["information"], 12), cluster))
    texts = [vocabulary.labels(place) for place in range(len(parts))]
    columns = {
        "cluster": [clusters.names[place] for place in cluster[order]],
        "column": [vocabulary.columns[place] for place in attribute[order]],
        "value": [texts[a][v] for a, v in zip(attribute[order], value[order], strict=True)],
        **{name: array[order] for name, array in numbers.items()},
    }
    return frames.make_frame(table.backend, columns)


def _column(
    codes: NDArray[Any], size: int, clusters: Partition, weights: FloatArray
) -> dict[str, NDArray[Any]]:
    """Return the lines of one attribute: what occurs in which cluster, and how often."""
    n_cells = len(clusters) * size
    cells = clusters.members * size + codes
    counts = np.bincount(cells, weights, minlength=n_cells).reshape(len(clusters), size)
    cluster, value = np.nonzero(counts)
    inside, of_value, n = counts.sum(axis=1)[cluster], counts.sum(axis=0)[value], counts.sum()
    count = counts[cluster, value]
    rest = n - inside
    elsewhere = np.divide(of_value - count, rest, out=np.zeros_like(rest), where=rest > 0)
    lift = (count / inside) / (of_value / n)
    scale = _rows_per_weight(weights)
    return {
        "cluster": cluster,
        "value": value,
        "share": count / inside,
        "share_elsewhere": np.maximum(elsewhere, 0.0),
        "lift": lift,
        "information": count / inside * np.log2(lift),
        "p_value": _chance(*(np.rint(w * scale) for w in (count, inside, of_value, n))),
        "count": count,
    }


def _rows_per_weight(weights: FloatArray) -> float:
    """Return how many rows the test counts for a weight of 1."""
    if (weights == np.rint(weights)).all():
        return 1.0
    return float(weights.sum() / np.square(weights).sum())


def _chance(
    count: FloatArray, inside: FloatArray, of_value: FloatArray, n: FloatArray
) -> FloatArray:
    """Return the chance of at least `count` rows with the value among those of the cluster."""
    # Rounded weights may be out of step by one row.
    n = np.maximum(n, np.maximum(inside, of_value))
    least = np.maximum(inside + of_value - n, 0.0)
    count = np.clip(count, least, np.minimum(inside, of_value))
    chance = hypergeom.sf(count - 1, n, of_value, inside)
    return np.clip(np.asarray(chance), 0.0, 1.0)
