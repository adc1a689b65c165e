"""Rare values -> one value: what ``min_frequency`` and ``max_categories`` ask for.

The rules are those of scikit-learn's OneHotEncoder, with the sums of the sample weights
in the place of the numbers of rows.
"""

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

import numpy as np

from untie._count.counts import Counts
from untie._count.row_sample import RowSample
from untie._table.vocabulary import INFREQUENT, Vocabulary
from untie._util.arrays import leading_digits
from untie._util.types import BoolArray, Codes, FloatArray, IntArray, Value, smallest_unsigned

SURE_DIGITS = 9
"""Digits of a sum of fractional weights that are the same in whatever order millions are added."""

SMALLEST = 1e-290


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which values of a raw vocabulary are merged.

    Parameters
    ----------
    raw : Vocabulary
        All values.
    rare : tuple of boolean arrays of shape (n_values of the attribute,)
        True for the values that are merged; never for a missing cell that is no value.
    missing_is_value : bool
        Whether a missing cell is a value like others. Otherwise it is as good as unknown: it is
        not counted, and stands at the mean of its column.
    neutral_in : frozenset of str
        Columns in which it is no value in any case: those in which it says what another one does.
    """

    raw: Vocabulary
    rare: tuple[BoolArray, ...]
    missing_is_value: bool = True
    neutral_in: frozenset[str] = frozenset()

    @cached_property
    def is_trivial(self) -> bool:
        """Whether every value stands for itself."""
        return not any(left_out.any() for left_out in (*self.rare, *self.neutral))

    @cached_property
    def neutral(self) -> tuple[BoolArray, ...]:
        """True for the values that are as good as unknown: missing cells, if they are no value.

        A column of which nothing else was seen keeps them, as a constant says nothing either.
        """
        return tuple(
            np.array([value is None for value in values], dtype=bool)
            & ((not self.missing_is_value or name in self.neutral_in) and len(values) > 1)
            for name, values in zip(self.raw.columns, self.raw.values, strict=True)
        )

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The values that the model sees: frequent ones, then the group if there is one."""
        values = []
        for old, rare, neutral in zip(self.raw.values, self.rare, self.neutral, strict=True):
            out = (rare | neutral).tolist()
            kept: list[Value] = [v for v, is_out in zip(old, out, strict=True) if not is_out]
            values.append(tuple(kept + [INFREQUENT] * bool(rare.any())))
        return Vocabulary(self.raw.columns, tuple(values))

    @cached_property
    def targets(self) -> tuple[IntArray, ...]:
        """For each attribute, the model's code of each raw code."""
        targets = []
        sizes = self.vocabulary.sizes
        for rare, neutral, size in zip(self.rare, self.neutral, sizes, strict=True):
            is_kept = ~(rare | neutral)
            codes = np.cumsum(is_kept) - 1
            codes[rare] = np.count_nonzero(is_kept)
            codes[neutral] = size  # the code of unknown values
            targets.append(codes.astype(np.intp))
        return tuple(targets)

    def apply_to_codes(self, codes: Codes, unknown_is_rare: bool = False) -> Codes:
        """Translate raw codes; an unknown cell joins the group if asked and there is one."""
        if self.is_trivial:
            return codes
        result = []
        for column, target, rare, size in zip(
            codes, self.targets, self.rare, self.vocabulary.sizes, strict=True
        ):
            unknown = size - 1 if unknown_is_rare and rare.any() else size
            result.append(np.append(target, unknown).astype(smallest_unsigned(size))[column])
        return result

    def apply_to_counts(self, counts: Counts) -> Counts:
        """Add up the rows and columns of the values that are merged."""
        if self.is_trivial:
            return counts
        return counts.relabel(self.targets, self.vocabulary.sizes)

    def apply_to_sample(self, sample: RowSample) -> RowSample:
        """Translate sampled rows; some may be equal."""
        return sample if self.is_trivial else sample.relabel(self.targets, self.vocabulary.sizes)

    def infrequent_values(self) -> list[list[Value]]:
        """Return, for each attribute, the values in the group."""
        return [
            [value for value, is_rare in zip(values, rare.tolist(), strict=True) if is_rare]
            for values, rare in zip(self.raw.values, self.rare, strict=True)
        ]


def group_rare(
    vocabulary: Vocabulary,
    frequencies: list[FloatArray],
    n: float,
    min_frequency: float | None,
    max_categories: int | None,
    missing_is_value: bool = True,
    neutral_in: frozenset[str] = frozenset(),
) -> Grouping:
    """Decide which values are rare.

    Parameters
    ----------
    vocabulary : Vocabulary
        All values.
    frequencies : list of arrays of shape (n_values of the attribute,)
        Weight of the rows with each value.
    n : float
        Weight of all rows.
    min_frequency : int, float or None
        A value with less weight is rare: an int is a weight, a float a share of `n`.
    max_categories : int or None
        At most this many values per attribute, the group included.
    missing_is_value : bool
        Whether a missing cell is a value like others.
    neutral_in : frozenset of str
        Columns in which it is none in any case.
    """
    threshold = 0.0
    if min_frequency is not None:
        is_weight = isinstance(min_frequency, Integral)
        threshold = min_frequency if is_weight else min_frequency * n
    [threshold] = _settled(np.array([threshold], dtype=float))
    rare = tuple(np.zeros(len(weights), dtype=bool) for weights in frequencies)
    grouping = Grouping(vocabulary, rare, missing_is_value, neutral_in)
    for merged, weights, neutral in zip(rare, frequencies, grouping.neutral, strict=True):
        merged[~neutral] = _rare_values(weights[~neutral], threshold, max_categories)
    return Grouping(vocabulary, rare, missing_is_value, neutral_in)


def _settled(weights: FloatArray) -> FloatArray:
    """Return sums of weights without their last digits, which the order of adding decides.

    Ten times 0.1 is 1 or 0.9999999999999999, as rows come in chunks or at once. Whole numbers are
    as they were, and so are those that no power of ten makes large.
    """
    rounded = np.where(
        weights < 10.0**SURE_DIGITS, leading_digits(weights, SURE_DIGITS), np.round(weights)
    )
    return np.where(weights < SMALLEST, weights, rounded)


def _rare_values(
    frequencies: FloatArray, threshold: float, max_categories: int | None
) -> BoolArray:
    frequencies = _settled(frequencies)
    rare = frequencies < threshold
    # As OneHotEncoder counts: the group has a place even when no value is below the threshold.
    if max_categories is not None and max_categories < np.count_nonzero(~rare) + 1:
        rarest_first = np.argsort(frequencies, kind="stable")
        rare[rarest_first[: len(rarest_first) - (max_categories - 1)]] = True
    return rare
