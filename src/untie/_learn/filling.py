"""Coded rows with blank cells -> how probable each value is for a blank cell.

Several predictors are blended, column by column, with the weights that make held-out cells
likeliest: the shares of values in all rows, in the clusters that the row may belong to by its other
cells, and among the rows that are nearest by them; and the values that go with each of these cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.random import RandomState

from untie._count.crosstab import cross_table
from untie._learn.clustering.probabilities import LIKELIHOOD, softmax_of_costs
from untie._learn.selection.cluster_gain import likelihood_costs
from untie._learn.spaces.value_space import KnownSpace
from untie._util.types import BoolArray, FloatArray, IntArray, LongArray

NEAREST = (5, 25)
"""The nearest rows are looked at in these numbers."""

MOST_NEAR = 4_000
"""The nearest rows are found among at most this many."""

N_FOLDS, MOST_HELD = 5, 1_000
"""Cells are held out in this many folds, of at most this many rows."""

BLOCK = 1024
"""The cells of this many rows are predicted at a time."""

OF_PAIR = 2.0
"""The rows that have a value are taken to have this many rows of the whole table as well."""

SHARPNESS = (1.0, 0.5, 0.25)
"""How far other cells are believed, which repeat each other: a predictor each."""

NEVER = 8.0
"""A value and another cell exclude each other if so many rows are expected to have both by chance,
and none has."""

STEPS = 60
"""The weights of the predictors take this many steps."""

OF_ALL = 10.0
"""The weights for a column are drawn toward those for all columns as by this many cells."""


@dataclass(frozen=True, eq=False)
class Distances:
    """Squared distances of rows to some that are asked for.

    Parameters
    ----------
    total : array of shape (n_near, n_asked)
        In all attributes.
    tables : mapping from attributes to arrays of shape (n_codes, n_asked)
        Of the codes of an attribute, in it alone.
    """

    total: FloatArray
    tables: Mapping[int, FloatArray]

    def take(self, which: IntArray, attribute: int) -> Distances:
        """Return the distances to some of the rows asked for, with the table of one attribute."""
        return Distances(self.total[:, which], {attribute: self.tables[attribute][:, which]})


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Rows whose known cells predict the blank ones of others, and of themselves.

    Parameters
    ----------
    codes : integer array of shape (n_rows, n_attributes)
        The rows; a code equal to the attribute's size is a blank cell.
    sizes : tuple of int
        Number of values of each attribute.
    members : integer array of shape (n_rows,) or None
        The cluster of each row, if there are clusters.
    votes : array of shape (n_attributes,)
        How much each attribute counts.
    targets : tuple of integer arrays of shape (n_codes,)
        For each attribute, the coarser code of each code, that of a blank cell included: what the
        other cells of a row are looked at in.
    space : KnownSpace
        The vectors of the values.
    """

    codes: LongArray
    sizes: tuple[int, ...]
    members: IntArray | None
    votes: FloatArray
    targets: tuple[IntArray, ...]
    space: KnownSpace

    def take(self, which: IntArray | BoolArray) -> KnownRows:
        """Return some of the rows."""
        members = None if self.members is None else self.members[which]
        return replace(self, codes=self.codes[which], members=members)

    def shares(self, attribute: int) -> FloatArray:
        """Return the share of each value of an attribute in the rows where it is known."""
        size = self.sizes[attribute]
        counts = np.bincount(self.codes[:, attribute], minlength=size + 1)[:size].astype(float)
        return np.asarray(counts / counts.sum())

    @cached_property
    def coarse(self) -> list[IntArray]:
        """The rows in coarser codes, one array per attribute."""
        pairs = zip(self.targets, self.codes.T, strict=True)
        return [target[column] for target, column in pairs]

    @cached_property
    def n_coarse(self) -> list[int]:
        """Number of coarser codes of each attribute, with that of a blank cell."""
        return [int(target[-1]) + 1 for target in self.targets]

    @cached_property
    def _costs(self) -> tuple[FloatArray, list[FloatArray]]:
        """What a cluster costs, and what each code of each attribute costs in it."""
        members = self.members
        assert members is not None
        k = int(members.max()) + 1
        tables = []
        for column, n, vote, target in zip(
            self.coarse, self.n_coarse, self.votes, self.targets, strict=True
        ):
            joint = cross_table(members, column, (k, n))[:, :-1]
            tables.append(likelihood_costs(joint, float(vote))[target])
        sizes = np.maximum(np.bincount(members, minlength=k), np.finfo(float).tiny)
        return -np.log(sizes / sizes.sum()), tables

    def by_clusters(self, asked: LongArray, attribute: int) -> FloatArray:
        """Return the shares of values in the clusters that rows may belong to by other cells."""
        members = self.members
        assert members is not None
        own, tables = self._costs
        total = np.tile(own, (len(asked), 1))
        for place, table in enumerate(tables):
            if place != attribute:
                total += table[asked[:, place]]
        size, k = self.sizes[attribute], len(own)
        joint = cross_table(members, self.codes[:, attribute], (k, size + 1))[:, :size]
        within = joint + self.shares(attribute)
        within /= within.sum(axis=1, keepdims=True)
        return softmax_of_costs(total, LIKELIHOOD) @ within

    def evidence(self, asked: LongArray, attribute: int) -> FloatArray:
        """Return what the other cells of rows say for each value, in nats.

        The sum, over the other columns, of the log of how many times more frequent the cell is
        where the value is, than in all rows.
        """
        total = np.zeros((len(asked), self.sizes[attribute]))
        for place, joint in self._joint(attribute):
            if not self.votes[place]:
                continue
            usual = joint.sum(axis=0) / joint.sum()
            within = joint + OF_PAIR * usual
            within /= joint.sum(axis=1, keepdims=True) + OF_PAIR
            ratio = np.divide(within, usual, out=np.ones_like(within), where=usual > 0)
            logs = np.zeros((joint.shape[1] + 1, len(joint)))
            logs[:-1] = self.votes[place] * np.log(ratio.T)
            total += logs[self.targets[place][asked[:, place]]]
        return total

    def _joint(self, attribute: int) -> Iterator[tuple[int, FloatArray]]:
        """Yield each other attribute, and how many rows have each of both values."""
        size, own = self.sizes[attribute], self.codes[:, attribute]
        known = own < size
        for place, (column, n) in enumerate(zip(self.coarse, self.n_coarse, strict=True)):
            there = known & (column < n - 1)
            if place != attribute and there.any():
                yield place, cross_table(own[there], column[there], (size, n - 1))

    def possible(self, asked: LongArray, attribute: int) -> FloatArray:
        """Return how possible each value is beside the other cells of rows.

        1, but where a value never occurs with one of the cells although `NEVER` rows or more are
        expected to have both: half a row's share of what is expected. The rows nearest to a row may
        all have such a value, if it is the others that lack theirs.

        Returns
        -------
        array of shape (n_asked, n_values)
        """
        result = np.ones((len(asked), self.sizes[attribute]))
        for place, joint in self._joint(attribute):
            expected = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / joint.sum()
            excluded = (joint == 0) & (expected >= NEVER)
            if excluded.any():
                left = np.ones((joint.shape[1] + 1, len(joint)))
                left[:-1] = np.where(excluded, 0.5 / np.maximum(expected, NEVER), 1.0).T
                result = np.minimum(result, left[self.targets[place][asked[:, place]]])
        return result

    def by_nearest(self, asked: LongArray, attribute: int, distances: Distances) -> FloatArray:
        """Return the shares of values among the nearest rows, for each of `NEAREST`.

        Parameters
        ----------
        asked : integer array of shape (n_asked, n_attributes)
            Rows.
        attribute : int
            What is predicted.
        distances : Distances
            Of the first of these rows to those asked for.

        Returns
        -------
        array of shape (n_numbers, n_asked, n_values)
        """
        size = self.sizes[attribute]
        total, table = distances.total, distances.tables[attribute]
        own = self.codes[: len(total), attribute]
        known = np.flatnonzero(own < size)
        shares = self.shares(attribute)
        result = np.tile(shares, (len(NEAREST), len(asked), 1))
        if not len(known):
            return result
        left = total[known] - table[own[known]]
        scale = float(total.max(initial=0.0)) or 1.0
        left = np.rint(left * (1e9 / scale))  # rows that differ by rounding are equally near
        hot = np.zeros((len(known), size))
        hot[np.arange(len(known)), own[known]] = 1.0
        for at, n in enumerate(NEAREST):
            last = min(n, len(known)) - 1
            limit = np.partition(left, last, axis=0)[last]
            near = (left <= limit).astype(float)
            counts = near.T @ hot + shares
            result[at] = counts / counts.sum(axis=1, keepdims=True)
        return result

    def distances(self, asked: LongArray) -> Distances:
        """Return squared distances of the first `MOST_NEAR` rows to some."""
        tables = self.space.distances_to_rows(list(asked.T))
        total = np.zeros((min(len(self.codes), MOST_NEAR), len(asked)))
        for table, column in zip(tables, self.codes[: len(total)].T, strict=True):
            total += table[column]
        return Distances(total, dict(enumerate(tables)))

    @property
    def n_predictors(self) -> int:
        """Number of predictors."""
        return 1 + (self.members is not None) + len(NEAREST) + len(SHARPNESS)

    def predictions(self, asked: LongArray, attribute: int, distances: Distances) -> FloatArray:
        """Return what each predictor says; shape (n_predictors, n_asked, n_values)."""
        shares = self.shares(attribute)
        found = [np.tile(shares, (len(asked), 1))[None]]
        if self.members is not None:
            found.append(self.by_clusters(asked, attribute)[None])
        found.append(self.by_nearest(asked, attribute, distances))
        evidence = self.evidence(asked, attribute)
        costs = -np.log(np.maximum(shares, np.finfo(float).tiny))
        found += [softmax_of_costs(costs - by * evidence, LIKELIHOOD)[None] for by in SHARPNESS]
        result = np.concatenate(found) * self.possible(asked, attribute)
        return np.asarray(result / result.sum(axis=2, keepdims=True))


def blend_weights(rows: KnownRows, attributes: Sequence[int], rng: RandomState) -> list[FloatArray]:
    """Return how much each predictor counts for each of some attributes, by held-out cells.

    Parameters
    ----------
    rows : KnownRows
        In an order that does not depend on that of the table.
    attributes : sequence of int
        What is to be predicted; each is known in some rows.
    rng : RandomState
        Where the folds are drawn from.
    """
    drawn = rng.permutation(len(rows.codes))
    folds = np.full(len(drawn), -1)
    held = drawn[:MOST_HELD]
    folds[held] = np.arange(len(held)) % N_FOLDS
    told: list[list[FloatArray]] = [[] for _ in attributes]
    for fold in range(N_FOLDS):
        train = rows.take(folds != fold)
        if not len(train.codes):
            continue
        for block in _blocks(np.flatnonzero(folds == fold)):
            asked = rows.codes[block]
            distances = train.distances(asked)
            for at, attribute in enumerate(attributes):
                size = rows.sizes[attribute]
                known = np.flatnonzero(asked[:, attribute] < size)
                if not len(known) or (train.codes[:, attribute] == size).all():
                    continue
                found = _predicted(train, asked, known, attribute, distances)
                told[at].append(found[:, np.arange(len(known)), asked[known, attribute]])
    nothing: FloatArray = np.empty((rows.n_predictors, 0))
    cells = [np.hstack([nothing, *parts]) for parts in told]
    # What is known of no column is predicted by the shares of values in all rows.
    first = np.eye(1, rows.n_predictors)[0]
    of_all = _best_blend(np.hstack(cells), first)
    return [_best_blend(own, OF_ALL * of_all) for own in cells]


def _predicted(
    train: KnownRows, asked: LongArray, which: IntArray, attribute: int, distances: Distances
) -> FloatArray:
    """Return the predictions for cells of some rows, whatever is in these cells."""
    return train.predictions(asked[which], attribute, distances.take(which, attribute))


def _best_blend(told: FloatArray, before: FloatArray) -> FloatArray:
    """Return the weights that make cells likeliest, by EM.

    Parameters
    ----------
    told : array of shape (n_predictors, n_cells)
        The probability of what is in held-out cells.
    before : array of shape (n_predictors,)
        How many cells each predictor is taken to have predicted alone before.
    """
    told = np.maximum(told, np.finfo(float).tiny)
    weights = np.full(len(before), 1.0 / len(before))
    for _ in range(STEPS):
        parts = weights[:, None] * told
        weights = (parts / parts.sum(axis=0)).sum(axis=1) + before
        weights /= weights.sum()
    return weights


def blank_probabilities(
    rows: KnownRows, asked: LongArray, attributes: Sequence[int], weights: Sequence[FloatArray]
) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """Yield (attribute, rows, probabilities of its values) for the blank cells of some rows.

    Parameters
    ----------
    rows : KnownRows
        What is known.
    asked : integer array of shape (n_asked, n_attributes)
        The rows with blank cells, in the codes of `rows`.
    attributes : sequence of int
        Whose cells are predicted.
    weights : sequence of arrays
        What `blend_weights` returns.
    """
    for block in _blocks(np.arange(len(asked))):
        some = asked[block]
        distances = rows.distances(some)
        for attribute, weight in zip(attributes, weights, strict=True):
            blank = np.flatnonzero(some[:, attribute] == rows.sizes[attribute])
            if len(blank):
                found = _predicted(rows, some, blank, attribute, distances)
                yield attribute, block[blank], np.tensordot(weight, found, axes=1)


def _blocks(places: IntArray) -> Iterator[IntArray]:
    for start in range(0, len(places), BLOCK):
        yield places[start : start + BLOCK]
