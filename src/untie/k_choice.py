"""The number of clusters of a table, and how sure it is."""

from collections.abc import Iterable, Sequence
from typing import Any

from untie._base import sample_source
from untie._encoder_base import EncoderBase
from untie._engines.registry import open_table
from untie._inputs import as_fitted
from untie._learn.selection.choose_k import N_SPLITS, choose_number
from untie._learn.selection.k_choice import KChoice
from untie._table.table import read_table
from untie._util.checks import draws_of


def choose_k(
    model: Any,
    data: Any,
    ks: Iterable[int] | None = None,
    *,
    n_splits: int = N_SPLITS,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> KChoice:
    """Choose the number of clusters of a table, and tell whether there are any.

    For each number, k-means makes clusters of the learned vectors of half of the rows. Each row of
    the other half joins the cluster that is nearest in all columns but one, and the cluster's
    shares of values predict the cell of that column; the gain is by how many nats per row (1 nat is
    1.44 bits) better than the table's own shares. Columns that say the same, such as copies, are
    hidden together; both halves are predicted in turn, in several splits. Clusters that follow
    noise have a negative gain, whatever the number of rows, as no row is predicted by clusters that
    it had a part in; so have clusters that repeat one column.

    The clusters of a number are stable if those of all rows and those made from half of them agree
    by an adjusted Rand index of at least 0.8, on average. The worth of a number is its gain times
    its stability to the power of 6. Of the stable numbers, the smallest is taken whose worth is at
    least 92% of the highest. If no number is stable, the most stable one whose gain is sure is
    taken; if no gain is sure, the number with the highest.

    No more splits are made than the choice needs. After 6 and after 12 splits, the splits so far
    are resampled 200 times. If the same number is chosen in 98% of the resamples, the choice is
    made; otherwise, the numbers that are hardly ever chosen drop out.

    If the vectors show no stable clusters, the same is asked of others: k-means on the axes of
    multiple correspondence analysis, one fewer than clusters, and rows join the cluster in which
    their cells are likeliest. They are taken if they are stable, or if only they show structure.
    Not for `UNTIE`, which is what the paper makes of its own vectors, nor for a single number.

    There is structure (`found_structure`) if the gain is above 0 by two standard errors, and is so
    without the column that matters most: clusters that rest on one column, or on one pair of
    columns that depend on each other, do not count. There are clusters (`found_clusters`) if they
    are stable besides. ``benchmarks/noise.py`` and ``benchmarks/verdict.py`` measure how often that
    is right.

    This is the rule of ``n_clusters="auto"``, in `TableEncoder`, `TableClusterer`, the report and
    the command alike. It looks at the clusters that a representation makes; the number that
    `TableEncoder` reads off the spectrum when none is named only serves to find a representation.

    At most 2,000 distinct rows are clustered, the same for every order of the rows and columns, so
    the time hardly depends on the table's size.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
    data : table of shape (n_rows, n_columns)
        Rows as they were passed to `fit`, in memory or lazy; a lazy table is read once.
    ks : iterable of int, default=None
        The numbers to try, each at least 2, typically up to 10 or 20; each is clustered at most
        ``2 * n_splits + 1`` times. None is 2 to 10, and also 15, 20 and 30 as long as the largest
        number before is the best of the stable ones, or of all if none are. Numbers that are not
        below that of the distinct rows are left out. With a single number, the verdict is about its
        clusters.
    n_splits : int, default=24
        Maximum number of splits into halves, typically 12 to 50. More splits make close choices
        steadier, and take more time only there.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at; lazy
        tables take a name only.
    random_state : int, RandomState or None, default=0
        Seed of the splits and of the starts of k-means; None is 0.

    Returns
    -------
    KChoice
        `k`, `found_clusters`, `found_structure`, `rests_on`, `verdict`, and `table()` with the
        figures of every number; `made_of` says what the clusters are made of.

    Raises
    ------
    ValueError
        When there are too few distinct rows for any of the numbers.

    See Also
    --------
    TableClusterer : Chooses the number and makes the clusters.
    untie.explain.subclusters : Asks the same of the rows of each cluster.
    KChoice : What is returned.

    Examples
    --------
    >>> from untie import TableEncoder, choose_k
    >>> from untie.datasets import load
    >>> X, y = load("zoo")
    >>> choice = choose_k(TableEncoder().fit(X), X)
    >>> choice.k
    4
    >>> choice.table().columns.tolist()
    ['k', 'gain', 'error', 'stability', 'silhouette', 'n_splits']
    """
    fitted = as_fitted(model, data)
    rows, weights = fitted.counted(data, sample_weight)
    methods = fitted.encoder._recipe().methods
    return choose_by(methods, fitted.encoder, rows, weights, ks, n_splits, random_state)


def choose_by(
    methods: Sequence[str],
    encoder: EncoderBase,
    rows: Any,
    weights: Any,
    ks: Iterable[int] | None,
    n_splits: int,
    random_state: Any,
) -> KChoice:
    """Choose among clusters made by some methods from prepared rows."""
    source, rng = open_table(rows), draws_of(random_state)
    sample = sample_source(encoder, source, weights)
    n_rows = None if source.is_lazy else read_table(rows).n_rows
    model, columns = encoder._model, encoder.vocabulary_.columns
    given = (model.vectors, model.coarse, model.attributes, sample, columns)
    more = (encoder._library, n_rows, model.sampled_votes)
    return choose_number(*given, ks, n_splits, rng, methods, *more)
