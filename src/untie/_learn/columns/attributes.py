"""Counts -> the weight of each column: relevance, redundancy, and the user's own factors.

City determines State, and State determines Region: three columns, one fact, one share of the
weight. All of it comes from entropies of pairs of columns, corrected for chance. A factor of 0
makes a column supplementary.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, depth_first_order, minimum_spanning_tree

from untie._count.counts import Counts
from untie._learn.columns.explained_entropy import (
    Entropies,
    ExplainedEntropies,
    blank_codes,
    entropy,
    explained_entropies,
    filled_counts,
    known_counts,
    known_shares,
    pair_entropies,
    uncertainty_of,
)
from untie._learn.spaces.order_space import CoarseView, coarse_view
from untie._table.names import check_names, expand_keys
from untie._table.orders import Orders
from untie._table.vocabulary import Vocabulary
from untie._util.arrays import ROUNDING
from untie._util.checks import is_number
from untie._util.messages import listed, message
from untie._util.types import BoolArray, FloatArray, IntArray

COPY = 0.7
"""From this symmetric uncertainty on, two attributes are copies of each other."""

PREDICTS = 0.8
"""From this share of its entropy on, one attribute follows from another. Hierarchies with 2 % of
wrong cells lie above; attributes of the paper's tables that merely depend on each other, below."""

EVIDENCE = 40.0
"""There must be at least this many bits to tell, over all rows, for an attribute to follow from
another: a few repeated values can agree by chance."""

NEARLY_CONSTANT = 0.95
"""An attribute with a larger share of one value follows from nothing: it says hardly anything, and
would tie together all that happen to tell it."""

MOSTLY, ALWAYS = 90, 99.5
"""A column is said to determine another if at least this percentage of the rows has the most
frequent value of the other that goes with its own; below, it does so partly. Columns that do so for
less than the second percentage are nearly the same."""

FEWEST_GAPS = 5
"""Fewer rows with both cells missing say nothing about why they are."""

ROOT, COPIES, FOLLOWS = "root", "copy", "follows"
"""What a column is among those that are redundant with it."""

Relation = BoolArray
"""Shape (n_attributes, n_attributes); [j, k] is what j has to do with k."""


@dataclass(frozen=True)
class Member:
    """An attribute among those that are redundant with it.

    Parameters
    ----------
    attribute : int
        Its number.
    role : str
        "root": follows from no other; "copy": another has the same content; "follows": is
        determined by one with more.
    source : int or None
        The attribute that it copies or follows from.
    share : float or None
        The share of its entropy that the source explains.
    """

    attribute: int
    role: str
    source: int | None = None
    share: float | None = None


def who_predicts(entropies: Entropies, explained: ExplainedEntropies) -> Relation:
    """Return which attributes follow from which: [j, k] is True if j determines k.

    Copies follow from each other.
    """
    found = (explained.shares >= PREDICTS) & (explained.evidence >= EVIDENCE)
    return found & (entropies.largest.T <= NEARLY_CONSTANT)


def shared_votes(copies: Relation, predicts: Relation) -> FloatArray:
    """Return the weight of each attribute, so that redundant attributes count once.

    An attribute's weight is 1 / (the number of redundant attributes, itself included): its copies,
    those that it determines and those that determine it. A chain such as City > State > Region has
    a weight of 1 together, in equal shares, and so have copies.

    A model determines both maker and fuel, which have nothing to do with each other: two facts, not
    one. So an attribute that is also redundant with c others, unrelated to k, counts as 1 / (1 + c)
    for k. Maker and fuel have 2/3 each, the model 1/3; and a person's number that determines ten
    unrelated facts costs each of them a tenth, not half, of its weight. The same holds upside down,
    where two unrelated attributes determine a third.

    Parameters
    ----------
    copies : boolean array of shape (n_attributes, n_attributes)
        Who is a copy of whom; symmetric, each attribute of itself.
    predicts : boolean array of shape (n_attributes, n_attributes)
        [j, k]: j determines k, and k does not determine j.

    Examples
    --------
    >>> chain = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> shared_votes(np.eye(3, dtype=bool), chain).round(2)
    array([0.33, 0.33, 0.33])
    >>> fork = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> shared_votes(np.eye(3, dtype=bool), fork).round(2)
    array([0.33, 0.67, 0.67])
    """
    voices = 1.0 / copies.sum(axis=1)
    same = predicts | predicts.T
    speaks = same * voices  # [j, i]: how much of i says the same as j
    elsewhere = speaks @ ~(same | copies)  # [j, k]: what j says that k has nothing to do with
    n_same = 1.0 + (speaks / (1.0 + elsewhere.T)).sum(axis=1)
    return voices / n_same


def find_families(
    copies: Relation, predicts: Relation, told: FloatArray, entropies: FloatArray
) -> list[list[Member]]:
    """Return the groups of attributes that are tied by copies and hierarchies.

    The members of a group are sorted by entropy, the largest first, but none comes before those
    that determine it; and groups by their first attribute. What unrelated roots determine together
    ties them into one group, but not their weights (`shared_votes`).

    Parameters
    ----------
    copies, predicts : boolean arrays of shape (n_attributes, n_attributes)
        As `shared_votes` takes them.
    told : array of shape (n_attributes, n_attributes)
        [j, k]: the share of k that j explains.
    entropies : array of shape (n_attributes,)
        How much each attribute says.
    """
    n_groups, groups = connected_components(copies | predicts, directed=False)
    families = []
    for group in range(n_groups):
        members = np.flatnonzero(groups == group)
        if len(members) > 1:
            ranked = members[np.argsort(-np.round(entropies[members], 9), kind="stable")]
            ranked = _sources_first(ranked, predicts)
            families.append(
                [_member(k, ranked[:at], copies, predicts, told) for at, k in enumerate(ranked)]
            )
    return sorted(families, key=lambda family: min(member.attribute for member in family))


def _sources_first(ranked: IntArray, predicts: Relation) -> IntArray:
    """Move attributes behind those that determine them, which rows with missing cells may rank."""
    left, result = ranked.tolist(), []
    while left:
        is_free = ~predicts[np.ix_(left, left)].any(axis=0)
        result.append(left.pop(int(is_free.argmax())))  # in a circle, the first of those left
    return np.array(result, dtype=np.intp)


def _member(
    k: int, before: IntArray, copies: Relation, predicts: Relation, told: FloatArray
) -> Member:
    """Return what k is to those of its group with more entropy."""
    for role, relation in ((COPIES, copies), (FOLLOWS, predicts)):
        sources = before[relation[before, k]]
        if len(sources):
            source = int(sources[-1])  # the nearest: it says least besides
            return Member(int(k), role, source, float(told[source, k]))
    return Member(int(k), ROOT)


def find_exact_copies(
    counts: Counts, factors: FloatArray | None = None, orders: Orders = ()
) -> IntArray:
    """Return, for each attribute, the first one with the same content; itself if there is none.

    Two attributes have the same content if each value of one always occurs with one value of the
    other, whatever their names. Constant ones are not compared.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    factors : array of shape (n_attributes,), optional
        Attributes with other factors are no copies of each other.
    orders : tuple of integer arrays or None, optional
        Nor are those whose values have other orders.

    Examples
    --------
    >>> from untie import count_table
    >>> counted = count_table([["a", "x", "u"], ["b", "y", "u"], ["b", "y", "v"]])
    >>> find_exact_copies(counted.counts).tolist()
    [0, 0, 2]
    """
    firsts = np.arange(len(counts.sizes))
    kinds = np.ones(len(firsts)) if factors is None else factors
    orders = orders or (None,) * len(firsts)
    by_frequencies: dict[tuple[float, bytes], list[int]] = {}
    for attribute, (frequencies, kind) in enumerate(zip(counts.parts, kinds, strict=True)):
        occurring = np.sort(frequencies[frequencies > 0])
        if len(occurring) < 2:
            continue
        shares = np.round(occurring / occurring.sum(), 9)
        alike = by_frequencies.setdefault((float(kind), shares.tobytes()), [])
        for first in alike:
            if _is_same(counts, first, attribute, orders):
                firsts[attribute] = first
                break
        else:
            alike.append(attribute)
    return firsts


def _is_same(counts: Counts, first: int, second: int, orders: Orders) -> bool:
    values = [np.flatnonzero(counts.parts[attribute] > 0) for attribute in (first, second)]
    joint = counts.block(first, second)[np.ix_(*values)]
    partner = joint.argmax(axis=1)
    own = counts.parts[first][values[0]]
    if len(np.unique(partner)) < len(partner) or not np.allclose(
        joint[np.arange(len(partner)), partner], own, rtol=ROUNDING, atol=0.0
    ):
        return False
    one, other = orders[first], orders[second]
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(one[values[0]], other[values[1][partner]]))


def gap_blocks(counts: Counts, missing: Sequence[int | None]) -> list[list[int]]:
    """Return the groups of attributes whose cells are missing together.

    Two attributes are in a block if "is missing" of one is a copy of "is missing" of the other:
    their symmetric uncertainty, less chance, is at least `COPY`, and there are at least
    `FEWEST_GAPS` rows in which both are.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    missing : sequence of int or None, one per attribute
        The code of the missing value, if the attribute has one.

    Examples
    --------
    >>> from untie import count_table
    >>> counted = count_table([["a", "x"], ["b", "y"], [None, None]] * 10)
    >>> gap_blocks(counted.counts, [2, 2])
    [[0, 1]]
    """
    places = [
        (j, counts.span(j).start + code) for j, code in enumerate(missing) if code is not None
    ]
    if not places:
        return []
    attributes, rows = np.array(places).T
    both = counts.matrix[rows][:, rows]
    both = np.asarray(both.toarray() if counts.is_sparse else both, dtype=float)
    n = counts.n_draws
    both = both * (n / counts.n)
    n_groups, groups = connected_components(_same_gaps(both, n), directed=False)
    blocks = [attributes[groups == group].tolist() for group in range(n_groups)]
    return [block for block in blocks if len(block) > 1]


def _same_gaps(both: FloatArray, n: float) -> Relation:
    """Tell which gaps are copies, from the number of rows in which both cells are missing."""
    own = np.diag(both)
    first, second = own[:, None], own[None, :]
    cells = np.stack([both, first - both, second - both, n - first - second + both])
    margins = entropy(np.stack([own, n - own]) / n)
    shared = margins[:, None] + margins[None, :] - entropy(np.maximum(cells, 0.0) / n)
    shared -= 0.5 / (n * np.log(2.0))  # what independent gaps share on average
    whole = (margins[:, None] + margins[None, :]) / 2.0
    return (shared >= COPY * whole) & (whole > 0) & (both >= FEWEST_GAPS)


def hidden_together(related: Relation) -> list[tuple[IntArray, IntArray]]:
    """Return groups of attributes: those that are hidden at a time, and those predicted then.

    To predict an attribute, all that are related to it are hidden with it.
    """
    kinds, which = np.unique(related, axis=0, return_inverse=True)
    return [
        (np.flatnonzero(kind), np.flatnonzero(which.ravel() == number))
        for number, kind in enumerate(kinds)
    ]


MOST_SHARED = 2**26
"""Groups that share more attributes than this, over all pairs of groups, are not compared."""


class Turn(NamedTuple):
    """The attributes that are hidden at a time, as a change of those hidden at another.

    Parameters
    ----------
    before : int
        The number of the other turn, which comes earlier; -1 if nothing is hidden before.
    more, fewer : integer arrays
        The attributes that are hidden besides, and no longer.
    predicted : integer array
        The attributes that are predicted.
    is_last_after : tuple of int
        The turns that no later one is a change of.
    """

    before: int
    more: IntArray
    fewer: IntArray
    predicted: IntArray
    is_last_after: tuple[int, ...]


def in_turns(groups: Sequence[tuple[IntArray, IntArray]], n_attributes: int) -> list[Turn]:
    """Return groups of hidden attributes in an order in which little changes from turn to turn.

    Sums over what is hidden then need few steps: related attributes are hidden again and again.

    Parameters
    ----------
    groups : sequence of pairs of integer arrays
        See `hidden_together`.
    n_attributes : int
        Number of attributes.

    Examples
    --------
    >>> every, none = np.arange(5), np.arange(0)
    >>> for turn in in_turns([(every[:4], every[:2]), (every[:3], every[2:3])], 5):
    ...     turn.before, turn.more.tolist(), turn.fewer.tolist(), turn.is_last_after
    (-1, [0, 1, 2], [], ())
    (0, [3], [], (0, 1))
    >>> [turn.predicted.tolist() for turn in in_turns([(none, every[:1]), (every[:1], none)], 5)]
    [[0], []]
    """
    n = len(groups)
    sizes = np.array([len(hidden) for hidden, _ in groups])
    at = np.repeat(np.arange(n), sizes), np.concatenate([hidden for hidden, _ in groups])
    ends = [np.arange(n), np.full(n, n), sizes.astype(float)]  # all at once, beginning with none
    if (np.bincount(at[1]).astype(float) ** 2).sum() <= MOST_SHARED:
        are_hidden = sparse.csr_array((np.ones(len(at[0])), at), shape=(n, n_attributes))
        shared = sparse.coo_array(sparse.triu(are_hidden @ are_hidden.T, 1))
        apart = sizes[shared.row] + sizes[shared.col] - 2.0 * shared.data
        ends = [
            np.concatenate(pair) for pair in zip(ends, (shared.row, shared.col, apart), strict=True)
        ]
    # One is added to every length, as those of 0 would be no edges: a group may hide nothing.
    first, second = (end.astype(np.int32) for end in ends[:2])  # as scipy 1.13 needs them
    graph = sparse.csr_array((ends[2] + 1.0, (first, second)), shape=(n + 1, n + 1))
    order, parents = depth_first_order(minimum_spanning_tree(graph), n, directed=False)
    places = {group: number - 1 for number, group in enumerate(order.tolist())}
    before = [places[parents[group]] for group in order[1:].tolist()]
    last = {earlier: number for number, earlier in enumerate(before) if earlier >= 0}
    turns = []
    for number, group in enumerate(order[1:].tolist()):
        hidden, predicted = groups[group]
        known = groups[order[before[number] + 1]][0] if before[number] >= 0 else hidden[:0]
        done = [earlier for earlier in {before[number], number} if earlier >= 0]
        over = tuple(sorted(earlier for earlier in done if last.get(earlier, number) == number))
        more, fewer = np.setdiff1d(hidden, known), np.setdiff1d(known, hidden)
        turns.append(Turn(before[number], more, fewer, predicted, over))
    return turns


NO_RELEVANCE = 1e-3
"""This is added to every relevance, so that an attribute unlike all others counts a little."""


@dataclass(frozen=True, eq=False)
class RelatedPairs:
    """What pairs of attributes say of each other, by the rows that are counted.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values; of some pairs perhaps fewer rows than there are.
    """

    counts: Counts

    @cached_property
    def entropies(self) -> Entropies:
        """The entropies of all pairs."""
        return pair_entropies(self.counts)

    @cached_property
    def explained(self) -> ExplainedEntropies:
        """How much each attribute predicts of each other one."""
        return explained_entropies(self.counts, self.entropies)

    @cached_property
    def uncertainty(self) -> FloatArray:
        """The symmetric uncertainty of pairs, 1 on the diagonal."""
        found = uncertainty_of(self.entropies, self.counts)
        np.fill_diagonal(found, 1.0)
        return found

    @cached_property
    def explains(self) -> Relation:
        """[j, k]: j determines k."""
        return who_predicts(self.entropies, self.explained)

    @cached_property
    def alike(self) -> Relation:
        """The pairs with much in common in all rows, or in rows with enough to tell."""
        shares = known_shares(self.entropies, self.counts)
        least = np.minimum(self.entropies.margins, self.entropies.margins.T)
        is_evident = (shares == 1.0) | (least * shares * self.counts.n_draws >= EVIDENCE)
        return (self.uncertainty >= COPY) & is_evident

    @cached_property
    def copies(self) -> Relation:
        """The pairs with much in common of which neither predicts the other better."""
        return self.alike & (self.explains == self.explains.T)

    @property
    def related(self) -> Relation:
        """The pairs that say the same, in part or in whole."""
        return self.alike | self.explains | self.explains.T

    def mostly_gives(self, j: int, k: int) -> bool:
        """Tell whether j has most of the entropy of k, and gives its value in most rows."""
        return bool(self.explained.shares[j, k] >= COPY and given_rows(self.counts, j, k) >= MOSTLY)


def given_rows(counts: Counts, j: int, k: int) -> float:
    """Return the percentage of rows with the most frequent value of k that goes with their j.

    Examples
    --------
    >>> from untie import count_table
    >>> cities = [["Rome", "Italy"], ["Pisa", "Italy"], ["Nice", "France"], ["Lyon", "France"]]
    >>> counts = count_table(cities).counts
    >>> given_rows(counts, 0, 1), given_rows(counts, 1, 0)
    (100.0, 50.0)
    """
    joint = counts.block(j, k)
    return 100.0 * float(joint.max(axis=1).sum() / joint.sum())


@dataclass(frozen=True, eq=False)
class Attributes:
    """How much each attribute of a table should count.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    factors : array of shape (n_attributes,), optional
        What the user multiplies the weights by, none negative. An attribute of 0 is supplementary:
        it has no weight, and the others are as if it were not there.
    known_votes : array of shape (n_attributes,), optional
        The weights, where they were found already.
    missing : tuple of int or None, optional
        The code of each attribute's missing value, if it has one. What attributes have in common
        is asked of the rows in which both are known, and what follows from what also of those in
        which one is. Shared blanks are no shared answers.

    Examples
    --------
    >>> from untie import count_table
    >>> table = [["a", "a", "x"], ["a", "a", "y"], ["b", "b", "x"], ["b", "b", "y"]] * 20
    >>> Attributes(count_table(table).counts).votes
    array([0.5, 0.5, 1. ])
    """

    counts: Counts
    factors: FloatArray | None = None
    known_votes: FloatArray | None = None
    missing: tuple[int | None, ...] = ()

    @cached_property
    def votes(self) -> FloatArray:
        """How much each attribute counts; shape (n_attributes,).

        However many copies of an attribute a table has, they have a weight of 1 together, and so
        has a hierarchy, such as City > State > Region; see `shared_votes`. Attributes that merely
        depend on each other keep their own: what they share is what clusters are made of.
        """
        if self.known_votes is not None:
            return self.known_votes
        return self.shares if self.factors is None else self.shares * self.factors

    @cached_property
    def shares(self) -> FloatArray:
        """The weights before the user's factors."""
        return shared_votes(self.copies, self.predicts)

    @cached_property
    def related(self) -> BoolArray:
        """Which attributes say the same, in part or in whole; each does as itself.

        So do those that only share their blanks: what is missing of one tells what is missing of
        the other, which nothing is learned from where it is predicted.
        """
        return self._relation(lambda pairs: pairs.related, [*self._views, self._with_blanks])

    @cached_property
    def relevance(self) -> FloatArray:
        """How much each attribute has in common with others, copies left out.

        The sum over the others of u (1 - u)^2, u being the symmetric uncertainty: it rises with
        dependence, and falls to 0 again where one attribute repeats the other.
        """
        shared = self.uncertainty * (1.0 - self.uncertainty) ** 2
        return (shared * self._together).sum(axis=1)

    @cached_property
    def families(self) -> list[list[Member]]:
        """The groups of attributes that are tied by copies and hierarchies."""
        entropies = np.diag(self.answers.entropies.margins)
        return find_families(self.copies, self.predicts, self.told, entropies)

    @cached_property
    def copies(self) -> Relation:
        """Who is a copy of whom: they have much in common, and neither predicts the other better.

        Attributes that tell each other are copies, too. Where they have many values, the
        uncertainty may not show it: what it leaves out as chance is then too much. So are exact
        copies of which the rows are too few to tell.
        """
        both = self._explains & self._explains.T
        firsts = find_exact_copies(self.counts)
        exact = (firsts[:, None] == firsts) & self._together
        found = self._relation(lambda pairs: pairs.copies, self._views) | both | exact
        return found | np.eye(len(found), dtype=bool)

    @cached_property
    def predicts(self) -> Relation:
        """[j, k]: k follows from j, but not j from k."""
        return self._explains & ~self.copies

    @cached_property
    def _explains(self) -> Relation:
        return self._relation(lambda pairs: pairs.explains, self._views)

    def _relation(
        self, of: Callable[[RelatedPairs], Relation], views: Sequence[RelatedPairs]
    ) -> Relation:
        """Return who is related to whom in any of some views, supplementary attributes left out."""
        found: Relation = np.any([of(pairs) for pairs in views], axis=0)
        return found & self._together

    @cached_property
    def told(self) -> FloatArray:
        """[j, k]: the share of k's entropy that j explains; with blanks where they are needed."""
        told = self.answers.explained.shares
        if self._views[-1] is self.answers:
            return told
        return np.where(self._by_answers, told, self._views[-1].explained.shares)

    def pairs_of(self, j: int, k: int) -> RelatedPairs:
        """Return the pairs in which the two say the same: those of answers if they do there."""
        return self.answers if self._by_answers[j, k] else self._views[-1]

    @cached_property
    def _by_answers(self) -> Relation:
        return self.answers.related

    @cached_property
    def answers(self) -> RelatedPairs:
        """RelatedPairs of attributes, where both are known."""
        return RelatedPairs(known_counts(self.counts, self._blanks))

    @cached_property
    def _views(self) -> list[RelatedPairs]:
        """How attributes can say the same: where both are known, or where at least one is.

        What is missing may follow from an answer: who has no diabetes has no type of it.
        """
        if self.answers.counts is self.counts:
            return [self.answers]
        return [self.answers, RelatedPairs(filled_counts(self.counts, self._blanks))]

    @property
    def _with_blanks(self) -> RelatedPairs:
        """RelatedPairs of attributes in all rows, missing being a value."""
        return self.answers if self.answers.counts is self.counts else RelatedPairs(self.counts)

    @cached_property
    def _blanks(self) -> list[int | None]:
        return blank_codes(self.counts, self.missing or [None] * len(self.counts.sizes))

    @cached_property
    def _together(self) -> Relation:
        """The pairs of attributes of which none is supplementary."""
        heard = np.ones(len(self.counts.sizes)) if self.factors is None else self.factors
        return np.logical_and.outer(heard > 0, heard > 0)

    @property
    def uncertainty(self) -> FloatArray:
        """The symmetric uncertainty of pairs where both are known, 1 on the diagonal."""
        return self.answers.uncertainty


@dataclass(frozen=True, eq=False)
class ColumnView:
    """The columns of a table as every number of clusters sees them, found once.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    orders : tuple of integer arrays or None, optional
        Where the values of attributes with an order are in it; empty if no attribute has one.
    factors : array of shape (n_attributes,), optional
        What the user multiplies the weights by; see `Attributes`.
    known_votes : array of shape (n_attributes,), optional
        The weights, where they were found already.
    missing : tuple of int or None, optional
        The code of each attribute's missing value, if it has one.
    """

    counts: Counts
    orders: Orders = ()
    factors: FloatArray | None = None
    known_votes: FloatArray | None = None
    missing: tuple[int | None, ...] = ()

    @cached_property
    def coarse(self) -> CoarseView:
        """The table with neighboring values of columns with an order merged."""
        return coarse_view(self.counts, self.orders) if self.orders else CoarseView(self.counts)

    @cached_property
    def attributes(self) -> Attributes:
        """How much each attribute counts."""
        missing = self.missing
        if self.coarse.targets is not None:
            missing = tuple(
                None if code is None else int(target[code])
                for code, target in zip(missing, self.coarse.targets, strict=False)
            )
        return Attributes(self.coarse.counts, self.factors, self.known_votes, missing)


ColumnWeights = Mapping[Any, float]
"""Factors by the names or positions of columns."""


def check_column_weights(weights: Any) -> ColumnWeights:
    """Refuse what is no mapping from columns to factors; None is an empty one."""
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise ValueError(
            f"column_weights must be a mapping from columns to numbers, such as {{'age': 2, 'zip': "
            f"0}}, got {type(weights).__name__}."
        )
    for column, factor in weights.items():
        if not is_number(factor) or not np.isfinite(factor) or factor < 0:
            raise ValueError(
                f"column_weights of column {column!r} is {factor!r}; it must be a finite number of "
                "at least 0: 1 is as without, 2 counts twice, 0 is not learned from."
            )
    return dict(weights)


def column_factors(weights: ColumnWeights, columns: Sequence[str]) -> FloatArray:
    """Return the factor of each column of a table, 1 where none is given.

    Examples
    --------
    >>> column_factors({"age": 2, 2: 0}, ["age", "sex", "zip"])
    array([2., 1., 0.])
    """
    factors = np.ones(len(columns))
    named: dict[str, Any] = {}
    for key, factor in expand_keys(weights, columns).items():
        name = _name(key, columns)
        if name in named:
            raise ValueError(
                f"column_weights names column {name!r} twice, as {named[name]!r} and {key!r}; keep "
                "one of them."
            )
        named[name] = key
        factors[columns.index(name)] = factor
    if not factors.any():
        raise ValueError(
            message(
                "Every column is supplementary, so there is nothing to learn from; give at least "
                "one a weight above 0 in {column_weights}."
            )
        )
    return factors


def _name(key: Any, columns: Sequence[str]) -> str:
    """Return the column that a name or a position means; a name comes first."""
    is_position = isinstance(key, Integral) and not isinstance(key, bool)
    if str(key) not in columns and is_position and 0 <= key < len(columns):
        return columns[int(key)]
    check_names([str(key)], columns, "the table", message(", which {column_weights} names"))
    return str(key)


MOST_NAMES = 6
"""At most this many columns are named in a row; the others are counted."""


class TableCounts(NamedTuple):
    """Counts of the values that a table has, where those of its attributes are coarser.

    Parameters
    ----------
    all : Counts
        Of all cells.
    known : Counts
        Of cells that are not blank.
    """

    all: Counts
    known: Counts

    @classmethod
    def of(cls, counts: Counts, missing: Sequence[int | None]) -> Self:
        """Leave out blank cells, given the code of each attribute's missing value."""
        return cls(counts, known_counts(counts, blank_codes(counts, missing)))


def family_sentences(
    attributes: Attributes, names: Sequence[str], table: TableCounts | None = None
) -> list[str]:
    """Return a sentence for each group of redundant columns: what follows from what, their weight.

    Parameters
    ----------
    attributes : Attributes
        Of the table, or of its coarse view.
    names : sequence of str
        What to call the columns.
    table : TableCounts, optional
        The counts of the table itself, which percentages of rows are of. What holds in the coarse
        view alone is said to be rough: an hour predicts a time only so far.

    Examples
    --------
    >>> from untie import count_table
    >>> cities = [["Rome", "Italy"], ["Pisa", "Italy"], ["Nice", "France"], ["Lyon", "France"]]
    >>> attributes = Attributes(count_table(cities * 25).counts)
    >>> family_sentences(attributes, ["City", "Country"])
    ['Country follows from City; they have one vote together.']
    """
    return [_sentence(family, attributes, names, table) for family in attributes.families]


def followers(attributes: Attributes, table: TableCounts | None = None) -> list[tuple[int, int]]:
    """Return the attributes that follow from others, at least roughly, each with that other one.

    Of two copies it is the one that follows from the other more.
    """
    found = []
    for member in (member for family in attributes.families for member in family):
        if member.source is not None:
            tie = _tie(attributes, member.source, member, table)
            pair = member.attribute, member.source
            grade, pair = (tie.back, pair[::-1]) if tie.back < tie.there else (tie.there, pair)
            if grade.word != PARTLY:
                found.append(pair)
    return found


def gap_sentences(counts: Counts, vocabulary: Vocabulary, names: Sequence[str]) -> list[str]:
    """Return a sentence for each block of columns whose cells are missing together."""
    blocks = gap_blocks(counts, vocabulary.missing)
    return [
        f"Cells of {_some([names[place] for place in block])} are missing together."
        for block in blocks
    ]


def _some(names: Sequence[str]) -> str:
    """Return names as a sentence has them, and of many the first.

    Examples
    --------
    >>> _some(["a", "b"]), _some(list("abcdefgh"))
    ('a and b', 'a, b, c, d, e, f and 2 others')
    """
    more = len(names) - MOST_NAMES
    return listed([*names[:MOST_NAMES], f"{more} others"] if more > 1 else names)


FULLY, ROUGHLY, PARTLY = "", "roughly ", "partly "
"""How far a column follows from another one; ROUGHLY: its ranges do."""


class _Grade(NamedTuple):
    """How far a column follows from another one: in order, the more the smaller.

    Parameters
    ----------
    rank : int
        0 to 2, in the order of the words.
    percent : int
        The percentage of rows for which the other one gives this one's value.
    """

    rank: int
    percent: int = 100

    @property
    def word(self) -> str:
        return (FULLY, ROUGHLY, PARTLY)[self.rank]

    @property
    def rows(self) -> str:
        """The percentage in parentheses, where the column follows partly."""
        return f" ({self.percent}% of rows)" if self.word == PARTLY else ""


@dataclass(frozen=True)
class _Tie:
    """How a column that is redundant with another one depends on it.

    Parameters
    ----------
    source : int
        The other column.
    is_copy : bool
        Whether the other one depends on this one as well.
    there, back : _Grade
        How far this one follows from the other, and the other from this one.
    is_exact : bool
        Whether hardly any rows of copies differ.
    with_blanks : bool
        Whether this is so only if missing cells are values.
    """

    source: int
    is_copy: bool
    there: _Grade
    back: _Grade
    is_exact: bool
    with_blanks: bool

    def clause(self, who: str, n: int, of: str) -> str:
        """Return what is said of some columns, `who`, that depend on the column `of`."""
        s = "s" * (n == 1)
        there, back = self.there, self.back
        if not self.is_copy:
            said = f"{who} {there.word}follow{s} from {of}{there.rows}"
        elif there.word == back.word == PARTLY:
            both = f"({there.percent}% and {back.percent}% of rows)"
            said = f"{who} and {of} partly follow from each other {both}"
        elif there.word == back.word:
            how = there.word or ("" if self.is_exact else "nearly ")
            said = f"{who} say{s} {how}the same as {of}"
        elif there < back:
            said = f"{who} {there.word}follow{s} from {of}, and {of} {back.word}from {who}"
            said += back.rows
        else:
            said = f"{of} {back.word}follows from {who}, and {who} {there.word}from {of}"
            said += there.rows
        return f"{said}, missing cells included" if self.with_blanks else said


def _tie(attributes: Attributes, source: int, member: Member, table: TableCounts | None) -> _Tie:
    attribute, is_copy = member.attribute, member.role == COPIES
    pairs = attributes.pairs_of(source, attribute)
    with_blanks = pairs is not attributes.answers
    counts = pairs.counts
    if table is not None:
        counts = table.all if with_blanks else table.known
    there, back = given_rows(counts, source, attribute), given_rows(counts, attribute, source)
    return _Tie(
        source,
        is_copy,
        _grade(there, pairs.mostly_gives(source, attribute)),
        _grade(back, pairs.mostly_gives(attribute, source)) if is_copy else _Grade(2, 0),
        min(there, back) >= ALWAYS,
        with_blanks,
    )


def _grade(percent: float, mostly: bool) -> _Grade:
    """Return how far a column follows: what is so in all rows is, however few they are."""
    if percent >= ALWAYS or (percent >= MOSTLY and mostly):
        return _Grade(0)
    return _Grade(1) if mostly else _Grade(2, int(percent))


def _sentence(
    family: Sequence[Member],
    attributes: Attributes,
    names: Sequence[str],
    table: TableCounts | None,
) -> str:
    """Return who copies whom, who follows from which root, and the weight."""
    sources = {member.attribute: member.source for member in family}
    ties: dict[_Tie, list[str]] = {}
    for member in family:
        if member.source is not None:
            source = member.source
            root = _root(source, sources)
            if member.role == FOLLOWS and attributes.predicts[root, member.attribute]:
                source = root
            tie = _tie(attributes, source, member, table)
            ties.setdefault(tie, []).append(names[member.attribute])
    said = [tie.clause(_some(who), len(who), names[tie.source]) for tie, who in ties.items()]
    members = np.array([member.attribute for member in family])
    factors = attributes.factors
    heard = members if factors is None else members[factors[members] > 0]
    total = f"{attributes.shares[heard].sum():.1f}"
    votes = "one vote" if total == "1.0" else f"{total} votes"
    return f"{'; '.join(said)}; they have {votes} together."


def _root(attribute: int, sources: dict[int, int | None]) -> int:
    while (source := sources[attribute]) is not None:
        attribute = source
    return attribute
