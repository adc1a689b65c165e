"""Counts -> the weight of each column: relevance, redundancy, and the user's own factors.

City determines State, and State determines Region: three columns, one fact, one share of the
weight. All of it comes from entropies of pairs of columns, corrected for chance. A factor of 0
makes a column supplementary.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from untie._count.counts import Counts
from untie._learn.columns.explained_entropy import (
    Entropies,
    ExplainedEntropies,
    entropy,
    explained_entropies,
    pair_entropies,
    uncertainty_of,
)
from untie._learn.spaces.order_space import CoarseView, coarse_view
from untie._table.orders import Orders
from untie._table.table import check_names
from untie._table.vocabulary import Vocabulary
from untie._util.arrays import ROUNDING
from untie._util.checks import is_number
from untie._util.messages import listed, message
from untie._util.patterns import expand_keys
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


def who_predicts(counts: Counts, explained: ExplainedEntropies) -> Relation:
    """Return which attributes follow from which: [j, k] is True if j determines k.

    Copies follow from each other.
    """
    steady = [own.max() > NEARLY_CONSTANT * own.sum() for own in counts.parts]
    found = (explained.shares >= PREDICTS) & (explained.evidence >= EVIDENCE)
    return found & ~np.array(steady)


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

    The members of a group are sorted by entropy, the largest first, and groups by their first
    attribute. What unrelated roots determine together ties them into one group, but not their
    weights (`shared_votes`).

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
            families.append(
                [_member(k, ranked[:at], copies, predicts, told) for at, k in enumerate(ranked)]
            )
    return sorted(families, key=lambda family: min(member.attribute for member in family))


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


def find_exact_copies(counts: Counts, orders: Callable[[], Orders]) -> IntArray:
    """Return, for each attribute, the first one with the same content; itself if there is none.

    Two attributes have the same content if each value of one always occurs with one value of the
    other, whatever their names, and the orders of their values are the same. Constant ones are not
    compared.

    Parameters
    ----------
    counts : Counts
        Counts of all pairs of values.
    orders : callable
        Returns the orders of the attributes' values. It is called only where there are copies.

    Examples
    --------
    >>> from untie import count_table
    >>> counted = count_table([["a", "x", "u"], ["b", "y", "u"], ["b", "y", "v"]])
    >>> find_exact_copies(counted.counts, lambda: (None, None, None)).tolist()
    [0, 0, 2]
    """
    firsts = np.arange(len(counts.sizes))
    by_frequencies: dict[bytes, list[int]] = {}
    for attribute, frequencies in enumerate(counts.parts):
        occurring = np.sort(frequencies[frequencies > 0])
        if len(occurring) < 2:
            continue
        alike = by_frequencies.setdefault(np.round(occurring, 9).tobytes(), [])
        for first in alike:
            if _is_same(counts, first, attribute, orders):
                firsts[attribute] = first
                break
        else:
            alike.append(attribute)
    return firsts


def _is_same(counts: Counts, first: int, second: int, orders: Callable[[], Orders]) -> bool:
    values = [np.flatnonzero(counts.parts[attribute] > 0) for attribute in (first, second)]
    joint = counts.block(first, second)[np.ix_(*values)]
    partner = joint.argmax(axis=1)
    own = counts.parts[first][values[0]]
    if len(np.unique(partner)) < len(partner) or not np.allclose(
        joint[np.arange(len(partner)), partner], own, rtol=ROUNDING, atol=0.0
    ):
        return False
    one, other = (orders()[attribute] for attribute in (first, second))
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


NO_RELEVANCE = 1e-3
"""This is added to every relevance, so that an attribute unlike all others counts a little."""


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

    Examples
    --------
    >>> from untie import count_table
    >>> table = [["a", "a", "x"], ["a", "a", "y"], ["b", "b", "x"], ["b", "b", "y"]] * 20
    >>> Attributes(count_table(table).counts).votes
    array([0.5, 0.5, 1. ])
    """

    counts: Counts
    factors: FloatArray | None = None

    @cached_property
    def votes(self) -> FloatArray:
        """How much each attribute counts; shape (n_attributes,).

        However many copies of an attribute a table has, they have a weight of 1 together, and so
        has a hierarchy, such as City > State > Region; see `shared_votes`. Attributes that merely
        depend on each other keep their own: what they share is what clusters are made of.
        """
        return self.shares if self.factors is None else self.shares * self.factors

    @cached_property
    def shares(self) -> FloatArray:
        """The weights before the user's factors."""
        return shared_votes(self.copies, self.predicts)

    @cached_property
    def related(self) -> BoolArray:
        """Which attributes say the same, in part or in whole; each does as itself."""
        alike = (self.uncertainty >= COPY) & self._together
        return self.copies | self.predicts | self.predicts.T | alike

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
        """The groups of attributes that are tied by copies and hierarchies.

        Exact copies of an attribute, which are not learned from, are among them.
        """
        if self.factors is not None and not self.factors.all():
            firsts = find_exact_copies(self.counts, lambda: (None,) * len(self.counts.sizes))
            heard = self.factors[firsts] > 0
            if heard.sum() > np.count_nonzero(self.factors):
                return Attributes(self.counts, heard.astype(np.float64)).families
        entropies = np.diag(self._entropies.margins)
        return find_families(self.copies, self.predicts, self.explained.shares, entropies)

    @cached_property
    def copies(self) -> Relation:
        """Who is a copy of whom: they have much in common, and neither predicts the other better.

        Attributes that tell each other are copies, too. Where they have many values, the
        uncertainty may not show it: what it leaves out as chance is then too much.
        """
        both = self._explains & self._explains.T
        alike = (self.uncertainty >= COPY) & (self._explains == self._explains.T)
        found = (both | alike) & self._together
        return found | np.eye(len(found), dtype=bool)

    @cached_property
    def predicts(self) -> Relation:
        """[j, k]: k follows from j, but not j from k."""
        return self._explains & ~self._explains.T

    @cached_property
    def _explains(self) -> Relation:
        return who_predicts(self.counts, self.explained) & self._together

    @cached_property
    def _together(self) -> Relation:
        """The pairs of attributes of which none is supplementary."""
        heard = np.ones(len(self.counts.sizes)) if self.factors is None else self.factors
        return np.logical_and.outer(heard > 0, heard > 0)

    @cached_property
    def explained(self) -> ExplainedEntropies:
        """How much each attribute predicts of each other one."""
        return explained_entropies(self.counts, self._entropies)

    @cached_property
    def uncertainty(self) -> FloatArray:
        """The symmetric uncertainty of pairs, 1 on the diagonal."""
        found = uncertainty_of(self._entropies, self.counts)
        np.fill_diagonal(found, 1.0)
        return found

    @cached_property
    def _entropies(self) -> Entropies:
        return pair_entropies(self.counts)


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
    """

    counts: Counts
    orders: Orders = ()
    factors: FloatArray | None = None

    @cached_property
    def coarse(self) -> CoarseView:
        """The table with neighboring values of columns with an order merged."""
        return coarse_view(self.counts, self.orders) if self.orders else CoarseView(self.counts)

    @cached_property
    def attributes(self) -> Attributes:
        """How much each attribute counts."""
        return Attributes(self.coarse.counts, self.factors)


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


def family_sentences(
    attributes: Attributes, names: Sequence[str], sizes: Sequence[int] | None = None
) -> list[str]:
    """Return a sentence for each group of redundant columns: what follows from what, their weight.

    Parameters
    ----------
    attributes : Attributes
        Of the table, or of its coarse view.
    names : sequence of str
        What to call the columns.
    sizes : sequence of int, optional
        How many values the columns have in the table itself. Of a column that has fewer in the
        coarse view, what is said is said to be rough: an hour predicts a time only so far.

    Examples
    --------
    >>> from untie import count_table
    >>> cities = [["Rome", "Italy"], ["Pisa", "Italy"], ["Nice", "France"], ["Lyon", "France"]]
    >>> attributes = Attributes(count_table(cities * 25).counts)
    >>> family_sentences(attributes, ["City", "Country"])
    ['Country follows from City; they have one vote together.']
    """
    found = attributes.counts.sizes
    pairs = zip(found, found if sizes is None else sizes, strict=True)
    rough = [n_coarse < n for n_coarse, n in pairs]
    return [_sentence(family, attributes, names, rough) for family in attributes.families]


def gap_sentences(counts: Counts, vocabulary: Vocabulary, names: Sequence[str]) -> list[str]:
    """Return a sentence for each block of columns whose cells are missing together."""
    missing = [positions.get(None) for positions in vocabulary.positions]
    blocks = gap_blocks(counts, missing)
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


def _sentence(
    family: Sequence[Member], attributes: Attributes, names: Sequence[str], rough: Sequence[bool]
) -> str:
    """Return who copies whom, who follows from which root, and the weight."""
    sources = {member.attribute: member.source for member in family}
    clauses: dict[tuple[str, int, bool], list[str]] = {}
    for member in family:
        if member.role != ROOT:
            is_copy = member.role == COPIES
            source = member.source if is_copy else _root(member.attribute, sources)
            assert source is not None  # only roots have none
            is_rough = rough[member.attribute] or (is_copy and rough[source])
            clause = (member.role, source, is_rough)
            clauses.setdefault(clause, []).append(names[member.attribute])
    said = [
        _clause(role, _some(who), names[of], len(who), is_rough)
        for (role, of, is_rough), who in clauses.items()
    ]
    total = float(attributes.shares[[member.attribute for member in family]].sum())
    votes = "one vote" if np.isclose(total, 1.0) else f"{total:.1f} votes"
    return f"{'; '.join(said)}; they have {votes} together."


def _root(attribute: int, sources: dict[int, int | None]) -> int:
    while (source := sources[attribute]) is not None:
        attribute = source
    return attribute


def _clause(role: str, who: str, of: str, n: int, is_rough: bool) -> str:
    if role == COPIES:
        return f"{who} {'say' if n > 1 else 'says'} {'roughly ' * is_rough}the same as {of}"
    return f"{who} {'roughly ' * is_rough}{'follow' if n > 1 else 'follows'} from {of}"
