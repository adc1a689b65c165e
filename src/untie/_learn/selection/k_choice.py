"""The number of clusters, whether there are any, how sure that is, and how it is said."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from untie._learn.clustering.points import AXES, VECTORS
from untie._table.frames import columns_of, make_frame
from untie._util import notebook
from untie._util.arrays import ROUNDING
from untie._util.messages import listed
from untie._util.types import BoolArray, FloatArray, IntArray

SURE = 2.0
"""A gain is there if it is above 0 by this many standard errors, and above rounding: where halves
have too few rows for a number of clusters, both are 0 but for rounding."""

NAMED = 4
"""At most this many columns are named in a sentence."""

NEAR = 0.05
"""Of an agreement that is this near to `STABLE` it is said that a few rows may decide."""

STABLE = 0.8
"""Clusters are stable if those of all rows and those made from half of them agree at least this
much, on average (adjusted Rand index)."""

WEAK = ("doubtful", "dissolves")
"""What `cluster_stability` calls groups that do not come back."""

CONTINUUM = "continuum"
"""What `cluster_gaps` says where rows lie all the way from one group to the other."""

NO_FINDING = "not a finding"
"""What is said of groups that come back though there are none."""

FEWEST, SMALL_PART = 5, 0.05
FEW, TINY_PART = 20, 0.001
"""A cluster is no group if it has fewer rows than either number, and less than that part of all."""

UNUSUAL = "unusual rows rather than a group"
"""What is said of such a cluster."""

OF_EACH = (
    "The agreement of halves says whether there are groups. The stability of each group (0 to 1, "
    "from resampled rows) says only which of them to rely on."
)
"""Which of two measures of stability is to be trusted for what."""

FEW_ROWS = 50
"""Of groups found in fewer rows it is said that other rows may give other groups."""

LONGEST = 40
"""Names of columns are cut after this many characters."""


def is_above(gains: FloatArray, errors: FloatArray) -> BoolArray:
    """Tell which gains with standard errors are above 0 for certain."""
    return gains > SURE * errors + ROUNDING


class WithoutValues(NamedTuple):
    """Clusters that are nearly the rows in which some columns have no value.

    Parameters
    ----------
    clusters : tuple of int
        The clusters; together they agree with these rows by at least `STABLE` (adjusted Rand
        index).
    columns : tuple of str
        The columns, that of the highest agreement first.
    """

    clusters: tuple[int, ...]
    columns: tuple[str, ...]


def is_sure(gain: float, error: float) -> bool:
    """Tell whether a gain with a standard error is above 0 for certain."""
    return bool(gain > SURE * error + ROUNDING)


def is_few(n: float, n_rows: float) -> bool:
    """Tell whether a cluster of `n` of `n_rows` rows is some unusual rows rather than a group.

    Examples
    --------
    >>> is_few(2, 15_524), is_few(14, 15_524), is_few(4, 60), is_few(5, 4_000), is_few(900, 10**6)
    (True, True, False, False, False)
    """
    return any(
        n < most and n < part * n_rows for most, part in ((FEWEST, SMALL_PART), (FEW, TINY_PART))
    )


@dataclass(frozen=True, eq=False)
class KChoice:
    """How good each number of clusters is, the one chosen, and what its clusters rest on.

    Parameters
    ----------
    k : int
        The smallest number whose clusters are stable and predict hidden cells nearly as well as
        those of any number do; see `choose_k` for the rule, and for what is taken if there is none.
    ks : tuple of int
        The numbers tried.
    gain : array of shape (n_ks,)
        Gain on hidden cells: by how many nats per row clusters of half of the rows predict the
        cells of the other half better than the table's shares do, each cell being hidden from the
        choice of its row's cluster. Below 0 for clusters that follow noise, or one column.
    error : array of shape (n_ks,)
        Its standard error.
    stability : array of shape (n_ks,)
        Mean adjusted Rand index of the clusters of all rows and those made from half of them, over
        both halves of every split; 1 is the same, 0 is chance.
    n_splits : integer array of shape (n_ks,)
        On how many splits of the rows each number was judged. Numbers that could no longer be
        chosen were judged on fewer than the others.
    silhouette : array of shape (n_ks,)
        Mean silhouette of the distances of the learned vectors, from -1 to 1; not used for the
        choice.
    columns : tuple of str
        The table's columns.
    tells : array of shape (n_columns,)
        What the clusters of the chosen number tell of each column while it is hidden, in nats per
        row; copies, and columns that follow from it, are hidden with it.
    tells_error : array of shape (n_columns,)
        Its standard error.
    without : float
        The gain that is left of the chosen number without the column that matters most, and those
        that say the same.
    without_error : float
        Its standard error.
    without_columns : tuple of str
        These columns.
    repeats : str or None
        A column from whose values or ranges the clusters nearly follow, if there is one.
    n_sampled : int
        Number of distinct rows that were clustered.
    made_of : str
        What the clusters are made of: "vectors", the learned ones, or "axes", those of multiple
        correspondence analysis.
    tried : tuple of str
        Both of these, or one, in the order in which they were tried.
    library : str
        The library of `table`.

    See Also
    --------
    choose_k : Makes it, and says how.

    Examples
    --------
    >>> from untie import TableEncoder, choose_k
    >>> from untie.datasets import load
    >>> X, y = load("zoo")
    >>> choice = choose_k(TableEncoder().fit(X), X)
    >>> choice.k, choice.found_clusters
    (4, True)
    >>> round(choice.agreement, 2)
    0.96
    """

    k: int
    ks: tuple[int, ...]
    gain: FloatArray
    error: FloatArray
    stability: FloatArray
    n_splits: IntArray
    silhouette: FloatArray
    columns: tuple[str, ...]
    tells: FloatArray
    tells_error: FloatArray
    without: float
    without_error: float
    without_columns: tuple[str, ...]
    repeats: str | None
    n_sampled: int
    made_of: str = VECTORS
    tried: tuple[str, ...] = (VECTORS,)
    library: str = "pandas"

    @property
    def found_clusters(self) -> bool:
        """Whether there are clusters: structure in several columns, divided in a stable way."""
        return self.found_structure and self.is_stable

    @property
    def found_structure(self) -> bool:
        """Whether the clusters predict hidden cells of several columns, be they stable or not."""
        return self.has_gain and self.rests_on_several

    @property
    def is_stable(self) -> bool:
        """Whether clusters made from half of the rows are much the same, at least `STABLE`."""
        return self.agreement >= STABLE

    @property
    def agreement(self) -> float:
        """The stability of the clusters of the number chosen."""
        return float(self.stability[self.ks.index(self.k)])

    @property
    def has_gain(self) -> bool:
        """Whether the clusters predict hidden cells better than no clusters do."""
        at = self.ks.index(self.k)
        return is_sure(self.gain[at], self.error[at])

    @property
    def rests_on_several(self) -> bool:
        """Whether something is left without the columns that matter most."""
        return is_sure(self.without, self.without_error)

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The columns of which the clusters tell something, what is told most first."""
        told = np.flatnonzero(self.tells > SURE * self.tells_error)
        order = told[np.argsort(-np.round(self.tells[told], 9), kind="stable")]
        return tuple(self.columns[column] for column in order)

    @property
    def verdict(self) -> str:
        """The choice in a few sentences, for people: those of `Verdict`."""
        return str(self._verdict)

    @property
    def _verdict(self) -> "Verdict":
        return Verdict(self.k, len(self.ks) == 1, self)

    def table(self) -> Any:
        """Return the figures of every number of clusters.

        Returns
        -------
        frame
            One row per number: k, gain, error, stability, silhouette and n_splits.
        """
        return make_frame(self.library, self._figures)

    @property
    def _figures(self) -> dict[str, Any]:
        """The columns of the table."""
        return {
            "k": list(self.ks),
            "gain": self.gain,
            "error": self.error,
            "stability": self.stability,
            "silhouette": self.silhouette,
            "n_splits": self.n_splits,
        }

    def _repr_html_(self) -> str:
        """Show the choice in a notebook."""
        said = self._verdict
        figures = notebook.table(
            "Numbers of clusters that were tried; the chosen one is bold",
            self._figures,
            bold=self.ks.index(self.k),
        )
        return notebook.block(f"{said.headline}.", figures, notebook.folded("Why", said.sentences))


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
    stability, gaps : frame or None
        What `cluster_stability` and `cluster_gaps` give; None for lazy tables.
    ordered : tuple of str
        The columns with an order, whose values are ranges.
    passive : tuple of str
        The columns that were not to count.
    n_rows : float or None
        Number of rows that were learned from, with their weights, if it is known.
    follows : tuple of (str, str)
        The redundant columns, each with the column that it copies or follows from.
    related : tuple of (str, str, float) or None
        The other pairs of columns that have most in common, and how much: their symmetric
        uncertainty, from 0 to 1. None if it is not known.
    is_on_axes : bool
        Whether as many groups as were asked for are stable on axes, and only there.
    without_values : tuple of WithoutValues
        The groups that are nearly the rows in which some columns have no value, such as questions
        that were not asked; none for lazy tables.

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
    gaps: Any = None
    ordered: tuple[str, ...] = ()
    passive: tuple[str, ...] = ()
    n_rows: float | None = None
    follows: tuple[tuple[str, str], ...] = ()
    related: tuple[tuple[str, str, float], ...] | None = None
    is_on_axes: bool = False
    without_values: tuple[WithoutValues, ...] = ()

    @property
    def found(self) -> bool | None:
        """Whether the groups are there and stable; None where that is unknown."""
        return None if self.choice is None else self.choice.found_clusters

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
        words = {cluster: word for cluster, (word, _) in self._lines.items()}
        return tuple(name for name, word in words.items() if word in WEAK and name not in self.few)

    @cached_property
    def few(self) -> dict[Any, float]:
        """The clusters that are unusual rows rather than groups, and how many rows they have."""
        if self.stability is None or self.n_rows is None:
            return {}
        lines = columns_of(self.stability)
        sizes = (share * self.n_rows for share in lines["share"])
        pairs = zip(lines["cluster"], sizes, strict=True)
        few = {cluster: n for cluster, n in pairs if is_few(n, self.n_rows)}
        return few if len(few) < len(lines["cluster"]) else {}

    @cached_property
    def _lines(self) -> dict[Any, tuple[str, float | None]]:
        """What `cluster_stability` calls each cluster, and its number."""
        if self.stability is None:
            return {}
        lines = columns_of(self.stability)
        pairs = zip(lines["verdict"], lines["stability"], strict=True)
        return dict(zip(lines["cluster"], pairs, strict=True))

    @cached_property
    def _no_gaps(self) -> tuple[list[str], bool]:
        """The pairs of neighbors without a gap between them, and whether all are such."""
        if self.gaps is None:
            return [], False
        lines = columns_of(self.gaps)
        triples = list(zip(lines["cluster"], lines["other"], lines["verdict"], strict=True))
        pairs = [f"{one} and {other}" for one, other, word in triples if word == CONTINUUM]
        return pairs, len(pairs) == len(triples) > 0

    @property
    def headline(self) -> str:
        """One sentence, without its full stop."""
        if self.n_groups == 1:
            return f"One group: {'as asked for' if self.is_given else 'the rows do not differ'}"
        if self.choice is None:
            return f"{self.n_groups} groups, one for each distinct row"
        if self.choice.found_structure and not self.found:
            return f"Structure, but no stable groups: {self._unstable(self.choice)}"
        if not self.found:
            return f"No groups found: {self._instead()}"
        n_groups, few = self.n_groups - len(self.few), self._few()
        if n_groups == 1:
            return f"One group{few}"
        said = f"{n_groups} {'' if self.weak else 'stable '}groups of similar rows"
        said += " along a continuum" if self._no_gaps[1] else ""
        said += ", as asked for" if self.is_given and not few else ""
        if self.weak:
            n_weak = len(self.weak)
            which = "all" if n_weak == n_groups else str(n_weak)
            said += f", {which} of them weak"
        n, n_all = len(self.rests_on), len(set(self.choice.columns) - set(self.passive))
        if not n:
            return f"{said}, resting on many columns a little{few}"
        of = f"all {n_all}" if n == n_all else f"{n} of {n_all}"
        return f"{said}, resting on {of} columns{few}"

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
                self._made_of(),
                self._resting(),
                self._repeating(),
                self._lacking(),
                self._between(),
                f"{_agreement(self.choice)} (adjusted Rand index: 1 is the same, 0 is chance).",
                _luck(self.choice),
                self._of_each(),
                self._weak(),
            ]
        elif self.choice is not None and self.choice.found_structure:
            said = [
                "Groups made from half of the rows predict cells of the other half, but which "
                "groups these are depends on the rows.",
                f"{_agreement(self.choice)}; stable groups agree by {STABLE} or more.",
                _luck(self.choice),
                self._of_each(),
                self._made_of(),
                self._on_axes(),
                self._resting(),
                self._repeating(),
                self._lacking(),
            ]
        elif self.choice is not None:
            said = [
                self._why_none(self.choice),
                self._lacking(),
                self._on_axes(),
                self._related(),
            ]
        return tuple(sentence for sentence in (*said, self.caution) if sentence)

    def said_of(self, cluster: Any) -> str:
        """Return whether a cluster comes back when the rows are resampled, in a few words."""
        said = self.word_of(cluster)
        if not said or cluster in self.few:
            return said
        number = self._lines[cluster][1]
        if number is None or np.isnan(number):
            return said
        # Cut, not rounded: what is called doubtful below 0.75 is not said to have 0.75.
        return f"{said} ({np.floor(100 * number + 1e-9) / 100:.2f})"

    def word_of(self, cluster: Any) -> str:
        """Return the same without the number; groups of noise may come back, and are none."""
        if self.stability is None:
            return ""
        word = self._lines[cluster][0]
        if cluster in self.few:
            return UNUSUAL
        if word in WEAK:
            return f"weak, {word}"
        return NO_FINDING if self.found is False else word

    def __str__(self) -> str:
        return " ".join([f"{self.headline}.", *self.sentences])

    def _repr_html_(self) -> str:
        """Show the verdict in a notebook."""
        return notebook.block(
            f"{self.headline}.",
            *map(notebook.paragraph, self.sentences),
            notebook.table("Clusters, and whether they come back", self._each()),
        )

    def _each(self) -> dict[str, list[Any]]:
        """Return each cluster with its share of the rows and its steadiness, if that was tried."""
        if self.stability is None:
            return {}
        lines = columns_of(self.stability)
        clusters = list(lines["cluster"])
        return {
            "cluster": [str(cluster) for cluster in clusters],
            "share": [f"{share:.0%}" for share in lines["share"]],
            "stability": [self.said_of(cluster) for cluster in clusters],
        }

    def _instead(self) -> str:
        """Say what the groups are, if they are none."""
        assert self.choice is not None
        k, ks = self.n_groups, self.choice.ks
        number = f"{k} groups{', as asked for,' if self.is_given else ''}"
        if len(ks) > 1 and not self.choice.has_gain:
            number = f"no number of groups from {ks[0]} to {ks[-1]}"
            return f"{number} helps to predict the cells of other rows"
        if self.repeats is not None:
            return f"{number} would be little more than {self._values_of(self.repeats)}"
        if self.choice.has_gain:
            return f"{number} would rest on {_some(self.choice.without_columns)} alone"
        return f"{number} would not help to predict the cells of other rows"

    def _why_none(self, choice: KChoice) -> str:
        if choice.has_gain:
            return (
                f"They rest on one column or one pair of columns: without "
                f"{_some(choice.without_columns)}, they tell nothing of the others."
            )
        made = " of learned vectors or of correspondence axes" if AXES in choice.tried else ""
        return (
            f"Groups made{made} from half of the rows do not predict the other half better than no "
            "groups at all, with redundant columns hidden together."
        )

    def _why_this_number(self, choice: KChoice) -> str | None:
        if self.is_given or len(choice.ks) == 1:
            return None
        return (
            f"Of {_range(choice.ks)} groups, {choice.k} is the smallest number that is stable, "
            "rests on several columns and has nearly the highest product of gain and stability."
        )

    def _unstable(self, choice: KChoice) -> str:
        if self.is_given or len(choice.ks) == 1:
            which = "that were asked for" if self.is_given else "there may be"
            return f"the {choice.k} groups {which} agree by {choice.agreement:.2f} of {STABLE}"
        numbers = f"no division into {choice.ks[0]} to {choice.ks[-1]} groups"
        return f"{numbers} is stable and rests on several columns"

    def _resting(self) -> str | None:
        names = self.choice.rests_on if self.choice is not None else ()
        return f"The groups rest on {_some(names)}." if names else None

    def _related(self) -> str | None:
        if self.related is None:
            return None
        said = [f"{_cut(one)} follows from {_cut(other)}" for one, other in self.follows[:NAMED]]
        for one, other, share in self.related[: NAMED - len(said)]:
            said.append(
                f"{_cut(one)} and {_cut(other)} have something in common ({share:.2f} of 1)"
            )
        if not said:
            return "No two columns have much in common."
        return f"What structure there is lies between columns: {'; '.join(said)}."

    def _on_axes(self) -> str | None:
        if not self.is_on_axes:
            return None
        return (
            f"On the axes of multiple correspondence analysis, {self.n_groups} groups are stable: "
            "leave the number out, and such groups are looked for."
        )

    def _made_of(self) -> str | None:
        if self.choice is None or self.choice.made_of == VECTORS:
            return None
        return (
            "The learned vectors show no stable groups; these were found on the axes of multiple "
            "correspondence analysis."
        )

    def _between(self) -> str | None:
        pairs, are_all = self._no_gaps
        if are_all:
            return (
                "The groups divide a continuum: rows halfway between neighboring groups are about "
                "as frequent as those in the middle of a group."
            )
        more = f"; and {len(pairs) - NAMED} more pairs" if len(pairs) > NAMED else ""
        said = f"There is no gap between these groups: {'; '.join(pairs[:NAMED])}{more}."
        return said if pairs else None

    def _repeating(self) -> str | None:
        if self.repeats is None:
            return None
        # There may be far fewer groups than values, so they are not called the same.
        one = "range" if self.repeats in self.ordered else "value"
        return f"The group of a row nearly follows from its {one} of {_cut(self.repeats)} alone."

    def _lacking(self) -> str | None:
        """Say which groups are nearly the rows without a value in some columns."""
        if self.n_groups == 2 and len(self.without_values) == 1:
            columns = _some(self.without_values[0].columns)
            return f"The groups nearly follow whether a row has a value of {columns}."
        said = []
        for clusters, names in self.without_values:
            numbers = _some(list(map(str, clusters)))
            which = (
                f"Group {numbers} is" if len(clusters) == 1 else f"Groups {numbers} together are"
            )
            has = "has" if len(names) == 1 else "have"
            said.append(f"{which} nearly the rows in which {_some(names)} {has} no value.")
        return " ".join(said) or None

    def _values_of(self, column: str) -> str:
        return f"the {'ranges' if column in self.ordered else 'values'} of {_cut(column)}"

    def _of_each(self) -> str | None:
        return None if self.stability is None else OF_EACH

    def _few(self) -> str:
        """Say how many unusual rows there are; weights need not be whole."""
        n = round(sum(self.few.values()), 6)
        rows = "unusual row" if n == 1 else "unusual rows"
        return f", and {int(n) if n.is_integer() else 'some'} {rows}" if n else ""

    def _weak(self) -> str | None:
        if not self.weak:
            return None
        names = _some([str(cluster) for cluster in self.weak])
        if len(self.weak) == 1:
            return f"Group {names} is weak: it often changes when the rows are resampled."
        return f"Groups {names} are weak: they often change when the rows are resampled."


def _luck(choice: KChoice) -> str | None:
    if abs(choice.agreement - STABLE) > NEAR:
        return None
    return f"That is near the limit of {STABLE}: with a few rows more or less it may change sides."


def _agreement(choice: KChoice) -> str:
    return (
        f"{choice.k} groups made from half of the rows agree with those of all rows by "
        f"{max(choice.agreement, 0.0):.2f}"
    )


def _range(ks: Sequence[int]) -> str:
    """Return the numbers tried, in words.

    Examples
    --------
    >>> _range([2, 3, 4]), _range([2, 3, 4, 15])
    ('2 to 4', '2 to 4 and 15')
    """
    n_first = next((at for at, k in enumerate(ks) if k != ks[0] + at), len(ks))
    numbers = [f"{ks[0]} to {ks[n_first - 1]}" if n_first > 1 else str(ks[0])]
    return listed([*numbers, *map(str, ks[n_first:])])


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
