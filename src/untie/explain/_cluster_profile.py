"""What makes a cluster: the values that are frequent in it and rare elsewhere."""

from typing import Any

import numpy as np
from scipy.stats import hypergeom

from untie._count.crosstab import Entries
from untie._inputs import as_fitted, read_clusters
from untie._table import frames
from untie._util.types import AnyArray, FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    """Correct p-values by Holm's method: the chance of one false finding among all.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.02]))
    array([0.03, 0.04, 0.04])
    """
    order = np.argsort(p_values, kind="stable")
    n_left = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.maximum.accumulate(np.minimum(p_values[order] * n_left, 1.0))
    return corrected


def cluster_profile(model: Any, data: Any, *, labels: Any = None, sample_weight: Any = None) -> Any:
    """Return how much more frequent each value is in a cluster than elsewhere.

    The columns are those that the model has learned from, prepared as it prepares them. A column
    with an order, such as the ranges that `Preparer` makes of numbers, has one line per
    cluster: the run of neighbouring values whose share in the cluster is the most above that
    elsewhere, such as "up to 25", "26 to 40" or "over 40". Missing cells have a line of their own.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory.
    labels : array of shape (n_rows,) or str, optional
        The cluster of each row, or the column that has it; by default the clusters of the model.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at. Whole
        numbers are taken for numbers of equal rows; others are weights of a survey, for which the
        test counts (sum w)^2 / sum w^2 rows: as many as have the same accuracy unweighted, rounded.

    Returns
    -------
    frame
        One row per cluster and value that occurs in it, or run of values, for each cluster the most
        telling first:

        - cluster, column, value;
        - share of the cluster's rows that have the value, share_elsewhere of the other rows;
        - lift: share divided by the share in the whole table;
        - information: share x log2(lift), bits; the rows are sorted by it, as a value
          tells much of a cluster only if it is frequent there and rare elsewhere;
        - p_value: the chance of a count at least as high if labels and values were independent (the
          hypergeometric distribution: Fisher's exact test, one-sided), corrected by Holm's method
          for all rows, and by Bonferroni's for all runs of a column with an order, and so valid
          for all of them at once. It takes the clusters as given; clusters that were made of these
          very columns differ in them by construction, so it says which differences are no noise,
          not that the clusters exist;
        - count: weight of the cluster's rows that have the value.

    See Also
    --------
    cluster_names : A name of a few words for each cluster.
    untie.plot.cluster_profiles : Draws the most telling values.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import cluster_profile
    >>> rows = [["red", "wine"]] * 4 + [["white", "wine"]] * 2 + [["brown", "beer"]] * 4
    >>> profile = cluster_profile(TableEncoder(2).fit(rows), rows, labels=[1] * 6 + [0] * 4)
    >>> profile[["cluster", "value", "share", "share_elsewhere", "lift", "count"]].round(2)
       cluster  value  share  share_elsewhere  lift  count
    0        0  brown   1.00              0.0  2.50    4.0
    1        0   beer   1.00              0.0  2.50    4.0
    2        1   wine   1.00              0.0  1.67    6.0
    3        1    red   0.67              0.0  1.67    4.0
    4        1  white   0.33              0.0  1.67    2.0
    """
    fitted = as_fitted(model)
    table = read_clusters(fitted.clustered(data, labels, sample_weight), fitted.ordered)
    scale = _rows_per_weight(table.weights)
    parts = [_column(entries, table.sizes, scale) for entries in table.entries]
    cluster, entry = (
        np.concatenate([part[name] for part in parts]) for name in ("cluster", "entry")
    )
    attribute = np.repeat(np.arange(len(parts)), [len(part["cluster"]) for part in parts])
    numbers = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("share", "share_elsewhere", "lift", "information", "p_value", "count")
    }
    numbers["p_value"] = holm(numbers["p_value"])
    order = np.lexsort((entry, attribute, -np.round(numbers["information"], 12), cluster))
    columns = {
        "cluster": [table.names[place] for place in cluster[order]],
        "column": [table.columns[place] for place in attribute[order]],
        "value": [table.entries[attribute[line]].names[entry[line]] for line in order],
        **{name: array[order] for name, array in numbers.items()},
    }
    return frames.make_frame(table.library, columns)


def _column(entries: Entries, sizes: FloatArray, rows_per_weight: float) -> dict[str, AnyArray]:
    """Return the lines of one column: what is said of which cluster, and how often it is there."""
    cluster, entry = np.nonzero(entries.own)
    inside, of_entry, n = sizes[cluster], entries.counts.sum(axis=0)[entry], sizes.sum()
    count = entries.counts[cluster, entry]
    rest = n - inside
    elsewhere = np.divide(of_entry - count, rest, out=np.zeros_like(rest), where=rest > 0)
    lift = (count / inside) / (of_entry / n)
    # A run was chosen from many by what is to be tested, so its chance counts as often.
    chance = _chance(*(np.rint(w * rows_per_weight) for w in (count, inside, of_entry, n)))
    return {
        "cluster": cluster,
        "entry": entry,
        "share": count / inside,
        "share_elsewhere": np.maximum(elsewhere, 0.0),
        "lift": lift,
        "information": count / inside * np.log2(lift),
        "p_value": np.minimum(chance * entries.n_tried[entry], 1.0),
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
