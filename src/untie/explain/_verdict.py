"""Whether there are groups of similar rows, how sure that is, and what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from untie._engines.registry import open_table
from untie._inputs import as_fitted, learned_order
from untie._learn.choose_k import TooFewRowsError
from untie._learn.k_choice import NAMED, KChoice
from untie._table.frames import columns_of
from untie._util.words import listed
from untie.clusterer import TableClusterer
from untie.encoder import TableEncoder
from untie.explain._stability import cluster_stability
from untie.k_choice import choose_k

CLEAR = 0.7
"""Share of the splits in which a number must be the best for it to be sure."""

WEAK = ("doubtful", "dissolves")
"""What `cluster_stability` calls groups that do not come back."""

NO_FINDING = "not a finding"
"""What is said of groups that come back though there are none."""

FEW_ROWS = 50
"""Of groups found in fewer rows it is said that other rows may give other groups."""

LONGEST = 40
"""Names of columns are cut after this many characters."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What is to be thought of clusters, in words; the words of the report and the command.

    Parameters
    ----------
    n_groups : int
        Number of clusters.
    is_given : bool
        Whether the number was asked for, and not chosen.
    choice : KChoice or None
        The evidence: of all numbers tried, or of the one asked for. None if there is none: for a
        single cluster, and where every distinct row is one.
    stability : frame or None
        What `cluster_stability` gives; None for lazy tables.
    ordered : tuple of str
        The columns with an order, whose values are ranges.
    passive : tuple of str
        The columns that were not to count.
    n_rows : float or None
        Number of rows that were learned from, with their weights, if it is known.

    See Also
    --------
    verdict : Makes it.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> from untie.datasets import load
    >>> from untie.explain import verdict
    >>> X, y = load("zoo")
    >>> said = verdict(TableClusterer(3).fit(X), X)
    >>> said.n_groups, said.is_given, said.found
    (3, True, True)
    """

    n_groups: int
    is_given: bool
    choice: KChoice | None
    stability: Any = None
    ordered: tuple[str, ...] = ()
    passive: tuple[str, ...] = ()
    n_rows: float | None = None

    @property
    def found(self) -> bool | None:
        """Whether the groups are really there; None where that can't be told."""
        return None if self.choice is None else self.choice.found_clusters

    @property
    def how_sure(self) -> float | None:
        """Share of the splits in which the number is the best; None for a number asked for."""
        if self.choice is None or self.is_given or len(self.choice.ks) == 1:
            return None
        return self.choice.how_sure

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The columns that the groups rest on, the most important first; none if not found."""
        return self.choice.rests_on if self.choice is not None and self.found else ()

    @property
    def repeats(self) -> str | None:
        """A column from whose values or ranges the groups nearly follow, if there is one."""
        return None if self.choice is None else self.choice.repeats

    @property
    def weak(self) -> tuple[Any, ...]:
        """The groups that do not come back when the rows are resampled, if that was tried."""
        if self.stability is None:
            return ()
        lines = columns_of(self.stability)
        pairs = zip(lines["cluster"], lines["verdict"], strict=True)
        return tuple(cluster for cluster, word in pairs if word in WEAK)

    @property
    def headline(self) -> str:
        """One sentence, without its full stop."""
        if self.n_groups == 1:
            return f"One group: {'as asked for' if self.is_given else 'the rows do not differ'}"
        if self.choice is None:
            return f"{self.n_groups} groups, one for each distinct row"
        if not self.found:
            return f"No groups found: {self._instead()}"
        said = f"{self.n_groups} groups of similar rows"
        said += ", as asked for" if self.is_given else ""
        if self.weak:
            n_weak = len(self.weak)
            which = "all" if n_weak == self.n_groups else str(n_weak)
            said += f", {which} of them weak"
        n, n_all = len(self.rests_on), len(set(self.choice.columns) - set(self.passive))
        if not n:
            return f"{said}, resting on many columns a little"
        of = f"all {n_all}" if n == n_all else f"{n} of {n_all}"
        return f"{said}, resting on {of} columns"

    @property
    def caution(self) -> str | None:
        """What is to be kept in mind before anything is read into the groups, if there is."""
        said = []
        if self.found is False:
            said.append(
                f"Take the {self.n_groups} groups that are shown as a way to look at the rows, not "
                "as a finding."
            )
        if self.choice is not None and len(self.choice.ks) == 1 and not self.is_given:
            said.append(f"There are too few distinct rows to try more than {self.n_groups} groups.")
        if self.found and self.n_rows is not None and self.n_rows < FEW_ROWS:
            said.append(f"These are only {self.n_rows:g} rows; others may give other groups.")
        return " ".join(said) or None

    @property
    def sentences(self) -> tuple[str, ...]:
        """A few more sentences: how sure it is, and why."""
        said: list[str | None] = []
        if self.choice is not None and self.found:
            said = [
                self._why_this_number(self.choice),
                f"The groups rest on {_some(self.rests_on)}." if self.rests_on else None,
                self._repeating(),
                "Groups made from half of the rows agree with those of all rows by "
                f"{_agreement(self.choice):.2f} (adjusted Rand index: 1 is the same, 0 is chance).",
                self._weak(),
            ]
        elif self.choice is not None:
            said = [self._why_none(self.choice)]
        return tuple(sentence for sentence in (*said, self.caution) if sentence)

    def said_of(self, cluster: Any) -> str:
        """Return whether a cluster comes back when the rows are resampled, in a few words."""
        said = self.word_of(cluster)
        if not said:
            return ""
        lines = columns_of(self.stability)
        number = lines["stability"][lines["cluster"].index(cluster)]
        if number is None or np.isnan(number):
            return said
        # Cut, not rounded: what is called doubtful below 0.75 is not said to have 0.75.
        return f"{said} ({np.floor(100 * number + 1e-9) / 100:.2f})"

    def word_of(self, cluster: Any) -> str:
        """Return the same without the number; groups of noise may come back, and are none."""
        if self.stability is None:
            return ""
        lines = columns_of(self.stability)
        word = str(lines["verdict"][lines["cluster"].index(cluster)])
        if word in WEAK:
            return f"weak, {word}"
        return NO_FINDING if self.found is False else word

    def __str__(self) -> str:
        return " ".join([f"{self.headline}.", *self.sentences])

    def _instead(self) -> str:
        """Say what the groups are, if they are none."""
        assert self.choice is not None
        k, ks = self.n_groups, self.choice.ks
        number = f"{k} groups{', as asked for,' if self.is_given else ''}"
        if self._lone_column is not None:
            name = _cut(self._lone_column)
            return f"groups need several columns, and {name} is the only one that counts"
        if len(ks) > 1 and not self.choice.has_gain:
            number = f"no number of groups from {ks[0]} to {ks[-1]}"
            return f"{number} tells anything that holds for other rows"
        if self.repeats is not None:
            return f"{number} would be little more than {self._values_of(self.repeats)}"
        if self.choice.has_gain:
            return f"{number} would rest on {_some(self.choice.without_columns)} alone"
        return f"{number} would tell nothing that holds for other rows"

    @property
    def _lone_column(self) -> str | None:
        """The column that counts, if it is the only one."""
        assert self.choice is not None
        counted = [name for name in self.choice.columns if name not in self.passive]
        return counted[0] if len(counted) == 1 else None

    def _why_none(self, choice: KChoice) -> str:
        if self._lone_column is not None:
            return "Rows are alike by what goes together in several columns; learn from more."
        if choice.has_gain:
            return (
                f"They rest on one column or one pair of columns: without "
                f"{_some(choice.without_columns)}, they tell nothing of the others."
            )
        return "Groups made from half of the rows predict the other half no better than none do."

    def _why_this_number(self, choice: KChoice) -> str | None:
        if self.how_sure is None:
            return None
        if not choice.is_best:
            return (
                f"Of the numbers of groups that rest on several columns, {choice.k} is the "
                "smallest that does about as well as the best."
            )
        only = "in" if choice.how_sure >= CLEAR else "though only in"
        where = f"{choice.how_sure:.0%} of the splits into halves"
        return f"{choice.k} is the best number, {only} {where}."

    def _repeating(self) -> str | None:
        if self.repeats is None:
            return None
        # There may be far fewer groups than values, so they are not called the same.
        one = "range" if self.repeats in self.ordered else "value"
        return f"The group of a row nearly follows from its {one} of {_cut(self.repeats)} alone."

    def _values_of(self, column: str) -> str:
        return f"the {'ranges' if column in self.ordered else 'values'} of {_cut(column)}"

    def _weak(self) -> str | None:
        if not self.weak:
            return None
        names = _some([str(cluster) for cluster in self.weak])
        if len(self.weak) == 1:
            return f"Group {names} is weak: it often changes when the rows are resampled."
        return f"Groups {names} are weak: they often change when the rows are resampled."


def verdict(model: Any, data: Any, *, sample_weight: Any = None, random_state: Any = 0) -> Verdict:
    """Tell whether the clusters of a table are really there, and how sure that is.

    The evidence is that of :func:`untie.choose_k`, for the number that was chosen or asked for; and
    that of `cluster_stability`, for each cluster.

    Parameters
    ----------
    model : TableClusterer or Pipeline
        Fitted; a pipeline ends in a TableClusterer.
    data : table of shape (n_rows, n_columns)
        The rows that were passed to `fit`. Of a lazy table, only the number of clusters is judged
        and not each of them; it is read once more if the number was asked for, else not at all.
    sample_weight : array of shape (n_rows,) or str, optional
        How often each row counts, or the column that says so, which is then not looked at; lazy
        tables take a name only.
    random_state : int, RandomState or None, default=0
        Seed of all that is drawn; None is 0.

    Returns
    -------
    Verdict
        `headline` is one sentence, `sentences` are a few more, and ``str()`` is all of them;
        `found`, `how_sure`, `rests_on`, `repeats` and `weak` are what they say.

    See Also
    --------
    cluster_stability : How well each cluster comes back.
    cluster_profile : What makes each cluster.

    Examples
    --------
    >>> from untie import TableClusterer
    >>> from untie.datasets import load
    >>> from untie.explain import verdict
    >>> X, y = load("zoo")
    >>> said = verdict(TableClusterer(3).fit(X), X)
    >>> said.found, said.weak
    (True, ())
    >>> said.headline
    '3 groups of similar rows, as asked for, resting on ... of 16 columns'
    """
    fitted = as_fitted(model)
    clusterer, encoder = fitted.clusters, fitted.encoder
    rows, weights = fitted.rows(data, sample_weight)
    given = {"sample_weight": weights, "random_state": random_state}
    stability = None
    if clusterer.n_clusters_ > 1 and not open_table(rows).is_lazy:
        stability = cluster_stability(clusterer, rows, **given)
    names = encoder.vocabulary_.columns
    has_order = [learned_order(encoder, place) is not None for place in range(len(names))]
    return Verdict(
        clusterer.n_clusters_,
        clusterer.n_clusters != "auto",
        _evidence(clusterer, encoder, rows, given),
        stability,
        tuple(compress(names, has_order)),
        tuple(compress(names, encoder.model_.passive)),
        encoder.model_.counts.n_draws,
    )


def _evidence(
    clusterer: TableClusterer, encoder: TableEncoder, rows: Any, given: dict[str, Any]
) -> KChoice | None:
    """Return how good the number of clusters is, if there are rows enough to tell."""
    if clusterer.k_choice_ is not None or clusterer.n_clusters_ == 1:
        return clusterer.k_choice_
    try:
        return choose_k(encoder, rows, [clusterer.n_clusters_], **given)
    except TooFewRowsError:
        return None


def _agreement(choice: KChoice) -> float:
    return max(float(choice.stability[choice.ks.index(choice.k)]), 0.0)


def _some(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are.

    Examples
    --------
    >>> _some("ab"), _some("abcdefg")
    ('a and b', 'a, b, c, d and 3 more')
    """
    more = len(names) - NAMED
    shown = [_cut(name) for name in (names[:NAMED] if more > 1 else names)]
    return listed([*shown, f"{more} more"] if more > 1 else shown)


def _cut(name: str) -> str:
    if not name.strip():
        return repr(name)
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
