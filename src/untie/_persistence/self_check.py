"""What a model answers to a few rows: written with it, and asked again when it is read.

The rows are made of what the model knows anyway: values of its vocabulary, borders of its ranges
and a few fixed texts. None is a row of the user's table, and a file says no more with them than
without.
"""

import math
import platform
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any

import narwhals
import numpy as np
import scipy
import sklearn
from sklearn.pipeline import Pipeline

from untie._persistence.schema import (
    Codec,
    Field,
    checked,
    each,
    mapping,
    maybe,
    numbers,
    of_type,
    record,
)
from untie._persistence.values import cells, to_plain
from untie._prepare.numbers import NUMBER, write
from untie._prepare.rules import Answer
from untie._table.names import listed
from untie._table.rows import encode
from untie._table.table import Table
from untie._table.vocabulary import Vocabulary, joins_rare_values
from untie._util.types import AnyArray, Codes, FloatArray, Value

N_ROWS = 20
"""So many rows are asked about; a file may have up to five times as many."""

ROUNDING = 1e-9
"""Numbers that differ by less than this share of the largest are the same."""

MOST_COLUMNS, MOST_COSTS = 2**17, 2**22
"""Wider vectors, and clusters with more costs of values, would take long and are not asked for."""

SHOWN = 5
"""At most this many columns are named."""

GRID = 24
"""Numbers are asked about at this many places from -3 to 3 standard deviations."""

TEXTS: tuple[Value, ...] = (
    *(None, "a", " a ", "A", "?", "n/a", "true", "7", "007", "7.0", "1,5", "1.234,5", "12 kg", 2.5),
    *("2024-02-29", "31/12/2024", "2024-02-29 17:30", "Feb 29 2024"),
)
"""Cells that every rule of a preparer is asked about."""


@dataclass(frozen=True, eq=False)
class CheckAnswer:
    """What an estimator answers to the rows of its check.

    Parameters
    ----------
    labels : integer array of shape (n_rows,) or None
        The clusters of the rows, of what has clusters.
    numbers : array of shape (n_rows, n_numbers) or None
        Numbers that depend on all that is learned, such as products of vectors.
    """

    labels: AnyArray | None = None
    numbers: FloatArray | None = None


@dataclass(frozen=True)
class Question:
    """How an estimator of some kind is asked.

    Parameters
    ----------
    widths : function of the estimator
        Returns how many codes each column has, the one for unknown values included.
    answer : function of the estimator and integer array of shape (n_rows, n_columns)
        Returns its answers to coded rows.
    noun : str
        What the numbers of its answers are of.
    """

    widths: Callable[[Any], list[int]]
    answer: Callable[[Any, AnyArray], CheckAnswer]
    noun: str = "vectors"


# Values -> codes -> vectors and clusters.


def _table_of(vocabulary: Vocabulary, rows: AnyArray) -> Table:
    """Return the cells that codes stand for; in the place of an unknown one, the last value."""
    columns = []
    for values, codes in zip(vocabulary.values, rows.T, strict=True):
        column = np.empty(len(codes), dtype=object)
        for place, code in enumerate(codes.tolist()):
            column[place] = values[min(code, len(values) - 1)]
        columns.append(column)
    return Table(vocabulary.columns, tuple(columns), len(rows), "", None)


def _coded(vocabulary: Vocabulary, rows: AnyArray) -> Codes:
    """Code rows as those of a new table are: by their cells, but for unknown ones."""
    found = encode(_table_of(vocabulary, rows), vocabulary).codes
    return [
        np.where(given == size, size, own).astype(own.dtype)
        for given, own, size in zip(rows.T, found, vocabulary.sizes, strict=True)
    ]


def _merged(one: Any, codes: Codes) -> Codes:
    """Return the codes of the values that an estimator has merged."""
    is_rare = joins_rare_values(one.handle_unknown)
    return one._grouping.apply_to_codes(codes, unknown_is_rare=is_rare)


def _codes(one: Any, rows: AnyArray) -> Codes:
    return _merged(one, _coded(one._grouping.raw, rows))


def _directions(n_columns: int) -> FloatArray:
    """Return three fixed vectors without zeros; shape (n_columns, 3)."""
    return (np.arange(1, n_columns + 1)[:, None] * [7, 31, 113] % 127 + 1) / 127


def _vectors(encoder: Any, rows: AnyArray) -> CheckAnswer:
    """Return the products of the rows' vectors with fixed ones; every coordinate counts."""
    lookup = encoder._model.lookup
    if lookup.n_columns > MOST_COLUMNS:
        return CheckAnswer()
    take = lookup.sparse_rows if lookup.is_sparse else lookup.rows
    vectors = take(_codes(encoder, rows), np.float64)
    return CheckAnswer(numbers=vectors @ _directions(lookup.n_columns))


def _clusters(clusterer: Any, rows: AnyArray) -> CheckAnswer:
    """Return the clusters of coded rows; how cells are coded, its encoder is asked."""
    encoder = clusterer.encoder_
    if len(clusterer.cluster_centers_) * sum(encoder.counts_.sizes) > MOST_COSTS:
        return CheckAnswer()
    return CheckAnswer(labels=clusterer._label(_merged(encoder, list(rows.T))))


def _nearest_modes(kmodes: Any, rows: AnyArray) -> CheckAnswer:
    if len(kmodes._model.modes) * sum(kmodes.vocabulary_.sizes) > MOST_COSTS:
        return CheckAnswer()
    labels, distances = kmodes._model.nearest(_codes(kmodes, rows))
    return CheckAnswer(labels, distances[:, None])


def _nearest_prototypes(kprototypes: Any, rows: AnyArray) -> CheckAnswer:
    """Return the nearest prototypes of coded values and of numbers on a grid, some missing."""
    vocabulary = kprototypes.vocabulary_
    n = len(vocabulary.columns)
    if len(kprototypes._model.prototypes) * (sum(vocabulary.sizes) + len(rows.T)) > MOST_COSTS:
        return CheckAnswer()
    numbers = np.where(rows[:, n:] == GRID, np.nan, rows[:, n:] / (GRID / 6) - 3)
    codes = _coded(vocabulary, rows[:, :n])
    labels, distances = kprototypes._model.nearest(codes, numbers)
    return CheckAnswer(labels, distances[:, None])


def _classes(classes: Any, rows: AnyArray) -> CheckAnswer:
    """Return numbers alone: classes may be equally probable, but for rounding."""
    probabilities, logs = classes._model.posterior(_codes(classes, rows))
    return CheckAnswer(numbers=np.column_stack([logs, probabilities.max(axis=1)]))


def _raw_widths(one: Any) -> list[int]:
    return [size + 1 for size in one._grouping.raw.sizes]


def _mixed_widths(kprototypes: Any) -> list[int]:
    sizes = [size + 1 for size in kprototypes.vocabulary_.sizes]
    return sizes + [GRID + 1] * len(kprototypes.means_)


QUESTIONS = {
    "encoder": Question(_raw_widths, _vectors),
    "untie": Question(_raw_widths, _vectors),
    "clusterer": Question(lambda one: _raw_widths(one.encoder_), _clusters),
    "kmodes": Question(_raw_widths, _nearest_modes, "distances"),
    "kprototypes": Question(_mixed_widths, _nearest_prototypes, "distances"),
    "latent_classes": Question(_raw_widths, _classes, "probabilities"),
}
"""How estimators with vectors or clusters are asked."""


def _draw(widths: list[int]) -> AnyArray:
    """Draw codes, each of a column equally often; shape (n_rows, n_columns)."""
    drawn = np.random.RandomState(0).random_sample((N_ROWS, len(widths)))
    return (drawn * widths).astype(np.uint32)


# Cells -> categories.


def _some_cells(rule: Any) -> tuple[Value, ...]:
    """Return distinct cells that a rule of a preparer is asked about."""
    listing = getattr(rule, "listing", None)
    reading = rule.reading if listing is None else listing.reading
    found: list[Value] = [*TEXTS, *reading.missing, *getattr(rule, "values", ())[:N_ROWS]]
    if isinstance(rule, Answer):
        own = () if rule.answer is None else (rule.answer,)
        known = list(dict.fromkeys([*own, *rule.known[:N_ROWS]]))
        found += [*known, rule.listing.separator.join(known[:2])]
    edges = getattr(rule, "edges", ())
    between = [(low + high) / 2 for low, high in pairwise(edges)]
    spread = np.linspace(0, len(between) - 1, min(N_ROWS, len(between))).astype(int).tolist()
    for number in (*edges[:1], *(between[place] for place in spread), *edges[-1:]):
        with suppress(ValueError, OverflowError):  # of dates before year 1
            text = write(number, rule.unit)
            found += [text, *([float(number)] if rule.unit == NUMBER else [])]
    return tuple(value for value in dict.fromkeys(found) if value == value)


def _categories(rule: Any, values: Any) -> list[Any]:
    """Return what a rule makes of cells, as a file has it."""
    return [to_plain(value) for value in rule.labels(list(values))]


# What a file holds.


def _coded_check(one: Any) -> Codec:
    """Return the codec of the rows and the answers of an estimator with vectors or clusters."""
    widths = QUESTIONS[one._kind].widths(one)
    return record(
        lambda rows, labels, numbers: (rows, CheckAnswer(labels, numbers)),
        {
            "there are other values than those of the model": lambda c: bool(
                (c.rows < np.array(widths)).all()
            ),
            "there are too many rows": lambda c: len(c.rows) <= 5 * N_ROWS,
        },
        rows=Field(numbers((None, len(widths)), "iu", least=0), itemgetter(0)),
        labels=Field(lambda c: maybe(numbers((len(c.rows),), "iu")), lambda pair: pair[1].labels),
        numbers=Field(lambda c: maybe(numbers((len(c.rows), None))), lambda pair: pair[1].numbers),
    )


def _cells_check(preparer: Any) -> Codec:
    """Return the codec of cells and their categories, for each different rule of a preparer."""
    n_rules = len(_distinct_rules(preparer))
    return record(
        lambda asked, expected: (asked, expected),
        asked=Field(each([cells("of a check")] * n_rules), itemgetter(0)),
        expected=Field(
            lambda c: each([checked(_a_list_of(len(known))) for known in c.asked]), itemgetter(1)
        ),
    )


def _distinct_rules(preparer: Any) -> list[Any]:
    return list(dict.fromkeys(preparer._preparation.rules))


def _a_list_of(n: int) -> Callable[[Any, str], None]:
    def check(value: Any, name: str) -> None:
        of_type(list)(value, name)
        if len(value) != n:
            raise ValueError(f"{name!r} has {len(value)} items, not {n}")

    return check


def parts_of(model: Any) -> Iterator[Any]:
    """Yield the fitted estimators that a model is made of, itself the last."""
    if isinstance(model, Pipeline):
        for _, step in model.steps:
            yield from parts_of(step)
        return
    for name in ("preparer_", "encoder_"):
        inner = getattr(model, name, None)
        if inner is not None:
            yield from parts_of(inner)
    yield model


def check_codec(model: Any) -> Codec:
    """Return the codec of the checks of all parts of a fitted model."""
    return each(
        [
            _coded_check(one) if one._kind in QUESTIONS else _cells_check(one)
            for one in parts_of(model)
        ]
    )


def make_checks(model: Any) -> list[Any]:
    """Ask every part of a fitted model, and return what a file keeps of it."""
    return [_ask(one) for one in parts_of(model)]


def _ask(one: Any) -> Any:
    question = QUESTIONS.get(one._kind)
    if question is not None:
        rows = _draw(question.widths(one))
        return rows, question.answer(one, rows)
    rules = _distinct_rules(one)
    known = [_some_cells(rule) for rule in rules]
    return known, [_categories(rule, some) for rule, some in zip(rules, known, strict=True)]


def deviations(model: Any, checks: Any) -> list[str]:
    """Return in what a model that was read answers otherwise than the one that was saved."""
    found: list[str] = []
    for one, (asked, expected) in zip(parts_of(model), checks, strict=True):
        question = QUESTIONS.get(one._kind)
        if question is None:
            found += _odd_columns(one, asked, expected)
        else:
            with np.errstate(all="ignore"):  # numbers of a stranger may be of any size
                found += _odd_answers(expected, question.answer(one, asked), question.noun)
    return found


def _odd_columns(preparer: Any, asked: Any, expected: Any) -> list[str]:
    triples = zip(_distinct_rules(preparer), asked, expected, strict=True)
    odd = {rule for rule, known, before in triples if _categories(rule, known) != before}
    made = preparer._preparation
    names = [name for name, rule in zip(made.columns, made.rules, strict=True) if rule in odd]
    return [f"cells of {listed(names, SHOWN)} become other categories"] if names else []


def _odd_answers(before: CheckAnswer, now: CheckAnswer, noun: str) -> list[str]:
    said = []
    if before.labels is not None and now.labels is not None:
        n_other = int(np.count_nonzero(before.labels != now.labels))
        if n_other:
            said.append(f"{n_other} of {len(now.labels)} rows are in another cluster")
    if before.numbers is not None and now.numbers is not None:
        share = _share_of_change(before.numbers, now.numbers)
        if not math.isfinite(share):
            said.append(f"{noun} can't be compared")
        elif share > ROUNDING:
            said.append(f"{noun} differ by up to {share:.1e} of the largest")
    return said


def _share_of_change(before: FloatArray, now: FloatArray) -> float:
    """Return by which share of the largest number any differs; not finite if none can be told."""
    if before.shape != now.shape:
        return math.inf
    change = float(np.abs(before - now).max(initial=0.0))
    largest = float(np.abs(before).max(initial=0.0))
    return 0.0 if change == 0 else change / largest if largest else math.inf


# The versions that a model was saved with.

_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{1,40}")


def _check_version(value: Any, name: str) -> None:
    of_type(str)(value, name)
    if not _VERSION.fullmatch(value):
        raise ValueError(f"{name!r} is {value[:50]!r}, not a version")


VERSIONS = mapping(checked(_check_version))
"""The codec of the versions of Python and of the libraries."""


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that answers may depend on."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "narwhals": narwhals.__version__,
    }
