"""What has changed between two tables: values, their frequencies, and how columns depend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from untie._engines.registry import open_table
from untie._inputs import as_fitted
from untie._util.checks import check_number
from untie.explain._drift_inputs import count_both
from untie.explain._drift_judge import Judge

N_NAMED = 5
"""A list in the verdict has at most this many names."""


@dataclass(frozen=True, eq=False)
class Drift:
    """What has changed from a reference to a new table.

    Parameters
    ----------
    columns : frame
        One row per column: column, moved (the share of the rows that would have to have another
        value for the frequencies to be as before: total variation), p_value, drifted.
    frequencies : frame
        One row per value: column, value, share, new_share, change, p_value, drifted.
    new_values, lost_values : frames
        Values that only one of the tables has: column, value, count and share in that table,
        expected (the rows that the other would have with the same share: few may be missing by
        chance), p_value, drifted (by the p_value alone: a new value matters however few have it).
    couplings : frame
        One row per pair of columns: column, other_column, dependence and new_dependence
        (symmetric uncertainty from 0 to 1, less chance), change, moved (the share of the new rows
        that would have to have another combination for the columns to depend on each other as
        before, their own frequencies left as they are), p_value, drifted.
    n, n_new : float
        Weight of the rows of either table.
    alpha, min_effect : float
        `drifted` is a p_value below alpha and a share moved (of a value: a change) of at
        least min_effect.
    drifted_columns : tuple of str
        The columns whose frequencies have drifted, the most first.
    drifted_couplings : tuple of pairs of str
        The pairs of columns whose dependence has drifted, the most first.
    appeared, disappeared : tuple of str
        The new and lost values that are no accident, as ``column=value``, the most frequent first.
    ignored : tuple of str
        Columns that only the new table has; they are not looked at.
    left_out : tuple of str
        Columns that the model does not learn from, and why; they are not compared. To compare them,
        name them in ``Preparer(columns=...)``, which leaves none of these out.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import drift
    >>> rows = [["sea", "fish", "a"], ["land", "cow", "a"], ["sea", "fish", "b"]] * 100
    >>> found = drift(TableEncoder(2).fit(rows), [["sea", "whale", "b"]] * 12 + rows)
    >>> found.has_drifted, found.drifted_columns, found.appeared
    (True, (), ('x1=whale',))
    >>> found.new_values[["column", "value", "count"]]
      column  value  count
    0     x1  whale   12.0
    """

    columns: Any
    frequencies: Any
    new_values: Any
    lost_values: Any
    couplings: Any
    n: float
    n_new: float
    alpha: float
    min_effect: float
    drifted_columns: tuple[str, ...]
    drifted_couplings: tuple[tuple[str, str], ...]
    appeared: tuple[str, ...]
    disappeared: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def has_drifted(self) -> bool:
        """Whether anything has changed that is no accident and not small."""
        values = self.appeared or self.disappeared
        return bool(values or self.drifted_columns or self.drifted_couplings)

    @property
    def verdict(self) -> str:
        """What has changed, in a few sentences."""
        pairs = [f"{first} with {second}" for first, second in self.drifted_couplings]
        changes = {
            "New values": self.appeared,
            "Lost values": self.disappeared,
            "Shifted frequencies": self.drifted_columns,
            "Changed couplings": pairs,
            "Not looked at, as the reference lacks them": self.ignored,
        }
        said = [f"{what}: {_listed(names)}." for what, names in changes.items() if names]
        if self.left_out:  # all of them: nothing else says so
            said.append(f"Not compared: {', '.join(self.left_out)}.")
        return " ".join(said if self.has_drifted else ["No drift found.", *said])


def drift(
    model: Any,
    data: Any,
    *,
    alpha: float = 0.01,
    min_effect: float = 0.05,
    sample_weight: Any = None,
) -> Drift:
    """Compare a new table with the one that a model was fitted on.

    Of two samples of the same source all frequencies differ a little, and of a million rows nearly
    all differences are significant. So a column or a pair of columns counts as drifted if the
    difference is both no accident and large: the p-value, corrected by Holm's method for all
    columns (values, pairs), is below `alpha`, and at least the share `min_effect` of the rows has
    moved.

    Frequencies are tested by Pearson's chi-square, single values by Fisher's exact test. Couplings
    are tested for equal odds ratios, whatever the frequencies: a column whose values became more
    frequent does not break its couplings. The tests take weights as numbers of rows; weights that
    sum to less than the rows are scaled up to them.

    Parameters
    ----------
    model : TableEncoder, UNTIE, TableClusterer or Pipeline
        Fitted; a pipeline ends in one of the three.
        What is usual: it keeps the counts of the rows that it was fitted on.
    data : table of shape (n_rows, n_columns)
        New rows, in memory or lazy, with the columns seen in `fit`; named ones in any order.
    alpha : float, default=0.01
        Largest p-value of a change, from 0.001 to 0.05; a smaller one gives fewer false alarms.
    min_effect : float, default=0.05
        Smallest share of rows that must have moved, from 0 (all that is significant) to 0.2.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each new row counts, or the column that says so, which is then not looked at; lazy
        tables take a name only.

    Returns
    -------
    Drift
        `verdict`, `has_drifted`, and the frames `columns`, `frequencies`, `new_values`,
        `lost_values` and `couplings`.

    See Also
    --------
    assignments : New rows to the clusters of a model, and which of them fit none.
    unknown_values : Values that a model has not seen.

    Examples
    --------
    >>> from untie import TableEncoder
    >>> from untie.explain import drift
    >>> rows = [["sea", "fish", "a"], ["land", "cow", "a"], ["sea", "fish", "b"]] * 100
    >>> encoder = TableEncoder(2).fit(rows)
    >>> drift(encoder, rows).verdict
    'No drift found.'
    >>> drift(encoder, [["sea", "whale", "b"]] * 12 + rows).verdict
    'New values: x1=whale.'
    """
    fitted = as_fitted(model)
    rows, weights = fitted.new_rows(data, sample_weight)
    found = changes_between(
        fitted.encoder, rows, alpha=alpha, min_effect=min_effect, sample_weight=weights
    )
    source = open_table(data)
    ignored = found.ignored
    if fitted.steps and source.has_names:  # which have taken the others out
        known = (*fitted.names, *([sample_weight] if isinstance(sample_weight, str) else []))
        ignored = tuple(name for name in source.columns if name not in known)
    return replace(found, ignored=ignored, left_out=fitted.left_out)


def changes_between(
    reference: Any, new: Any, *, alpha: float, min_effect: float, sample_weight: Any = None
) -> Drift:
    """Compare two tables, both prepared; a fitted encoder may stand for the first."""
    check_number("alpha", alpha, zero=True)
    check_number("min_effect", min_effect, zero=True)
    before, after, backend, ignored = count_both(reference, new, sample_weight)
    judge = Judge(before, after, backend, alpha, min_effect)
    columns, drifted_columns = judge.columns()
    couplings, drifted_couplings = judge.couplings()
    new_values, appeared = judge.only_in(after.counts, before.counts)
    lost_values, disappeared = judge.only_in(before.counts, after.counts)
    return Drift(
        columns,
        judge.frequencies(),
        new_values,
        lost_values,
        couplings,
        before.counts.n,
        after.counts.n,
        alpha,
        min_effect,
        drifted_columns,
        drifted_couplings,
        appeared,
        disappeared,
        ignored,
    )


def _listed(names: Any) -> str:
    more = len(names) - N_NAMED
    return ", ".join(names[:N_NAMED]) + (f" and {more} more" if more > 0 else "")
