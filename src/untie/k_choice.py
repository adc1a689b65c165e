"""The number of clusters of a table, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.utils.validation import check_is_fitted

from untie._engines.registry import open_table
from untie._learn.k_choice import KChoice, choose_number
from untie._row_tasks import sample_source
from untie._util.seeds import draws_of
from untie.encoder import UNTIE


def choose_k(
    encoder: UNTIE,
    data: Any,
    ks: Iterable[int] = range(2, 11),
    *,
    n_resamples: int = 10,
    sample_weight: Any = None,
    random_state: Any = None,
) -> KChoice:
    """Choose the number of clusters of a table, and tell how sure the choice is.

    For each number, k-means makes clusters of the learned vectors of all rows, and of resampled
    ones. The score is how well the clusters of a resample describe the table (description gain: the
    classification likelihood of the latent class model, which charges for every share that it
    learns) times how well they agree with those of all rows (adjusted Rand index), on average over
    the resamples. The smallest number is taken whose score is within one standard error of the
    highest. The gain alone goes on splitting where it is flat, and stability alone favours the
    coarsest split; ``benchmarks/choose_k.py`` compares them.

    This is the rule of ``n_clusters="auto"``, in `UNTIE`, `UNTIEClusterer`, the report and the
    command alike. It looks at the clusters that a representation makes; the number that `UNTIE`
    reads off the spectrum when none is named only serves to find a representation.

    At most 2,000 distinct rows are clustered, the same for every order of the rows, so
    the time hardly depends on the table's size.

    Parameters
    ----------
    encoder : UNTIE
        Fitted.
    data : table of shape (n_rows, n_columns)
        In memory or lazy; a lazy one is read once.
    ks : iterable of int, default=range(2, 11)
        The numbers to try, each at least 2, typically up to 10 or 20; each is clustered
        ``n_resamples + 1`` times. Numbers that are not below that of the distinct rows are left
        out.
    n_resamples : int, default=10
        Number of resamples, typically 10 to 50; time grows in proportion, and `how_sure` gets
        finer. Each draws as many rows as there are, at most 1,000.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so; lazy tables take a name only.
    random_state : int, RandomState or None, default=None
        For the resamples and the starts of k-means. None is the seed 0.

    Returns
    -------
    KChoice
        `k`, `how_sure`, `verdict`, and `table()` with the figures of every number.

    Raises
    ------
    ValueError
        When there are too few distinct rows for any of the numbers.

    See Also
    --------
    UNTIEClusterer : Chooses the number and makes the clusters.
    KChoice : What is returned.

    Examples
    --------
    >>> from untie import UNTIE, choose_k
    >>> from untie.datasets import load
    >>> X, y = load("zoo")
    >>> choice = choose_k(UNTIE().fit(X), X)
    >>> choice.k
    4
    >>> choice.table().columns.tolist()
    ['k', 'gain', 'silhouette', 'stability', 'score', 'chosen_by']
    """
    check_is_fitted(encoder)
    sample = sample_source(encoder, open_table(data), sample_weight)
    rng = draws_of(random_state)
    vectors, attributes = encoder.model_.vectors, encoder.model_.attributes
    return choose_number(vectors, sample, attributes, ks, n_resamples, rng, encoder.library_)
