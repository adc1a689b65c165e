"""What a file holds of what estimators learn: one description writes, checks and reads it.

A new part of an object is a new line here. Parts have the names of the attributes they come from.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from operator import attrgetter, itemgetter
from types import SimpleNamespace
from typing import Any

import numpy as np

from untie._count.counts import CountedTable, Counts
from untie._count.grouping import Grouping
from untie._count.row_sample import RowSample
from untie._learn.fitted import Fitted
from untie._learn.k_choice import KChoice
from untie._learn.solvers import Solution
from untie._learn.vectors import LookUp
from untie._persistence.schema import (
    Codec,
    Field,
    a_text,
    a_truth,
    checked,
    each,
    either,
    joined,
    many,
    mapping,
    maybe,
    number,
    numbers,
    of_type,
    one_of,
    record,
    whole,
)
from untie._persistence.values import cells
from untie._prepare.date_writing import ORDERS, DateWriting
from untie._prepare.note import BINNED, GROUPED, KEPT, LEFT_OUT, Note, Reason
from untie._prepare.number_names import COMMA, POINT, NumberNames
from untie._prepare.number_writing import NumberWriting
from untie._prepare.numbers import NUMBER, PERIODS
from untie._prepare.preparation import Constant, Preparation
from untie._prepare.readings import Reading
from untie._prepare.rules import NUMBERS, OTHERS, PARTS, TEXT, Bin, Group, Keep, Part
from untie._table.vocabulary import Vocabulary

LIBRARIES = (
    *("pandas", "polars", "pyarrow", "modin", "cudf"),
    *("dask", "duckdb", "ibis", "pyspark", "pyspark[connect]", "sqlframe"),
)
"""The libraries that a table may be of."""

ROUNDING = 1 + 1e-6
"""Sums of weights may differ by so much, by the order in which they were added up."""

LARGEST = 1e150
"""No vector has numbers beyond; their squares, and sums of them, are finite."""

_texts = many(a_text, distinct=True)


# How the number of clusters was chosen.

K_CHOICE = record(
    KChoice,
    {
        "k": whole(1),
        "how_sure": number(0, 1),
        "ks": many(whole(1), least=1),
        **dict.fromkeys(
            ("gain", "error", "stability", "silhouette"),
            lambda c: numbers((len(c.ks),), finite=False),
        ),
        "chosen": numbers((None,), "iu"),
        "columns": many(a_text),
        **dict.fromkeys(
            ("tells", "tells_error"), lambda c: numbers((len(c.columns),), finite=False)
        ),
        "without": number(finite=False),
        "without_error": number(finite=False),
        "without_columns": many(a_text),
        "repeats": maybe(a_text),
        "n_sampled": whole(),
        "library": one_of(*LIBRARIES),
    },
    {"'k' is not among 'ks'": lambda c: c.k in c.ks},
)


# What an encoder learns.


def _counts(sizes: tuple[int, ...]) -> Codec:
    n_values = sum(sizes)

    def fit(c: Any) -> bool:
        columns = np.split(c.matrix.diagonal(), np.cumsum(sizes)[:-1])
        return all(own.sum() <= c.n * ROUNDING for own in columns)

    def matrix(c: Any) -> Codec:
        most = c.n * ROUNDING
        return numbers((n_values, n_values), "iuf", least=0, most=most, may_be_sparse=True)

    return record(
        partial(Counts, sizes),
        {"n": number(0), "n_rows": whole(), "matrix": matrix},
        {"a column has more rows than there are": fit},
    )


def _sample(n_columns: int) -> Codec:
    return record(
        RowSample,
        {
            "numbers": numbers((None,), "u"),
            "codes": lambda c: numbers((len(c.numbers), n_columns), "iu", least=0),
            "weights": lambda c: numbers((len(c.numbers),), "iuf", least=0),
        },
        {"rows are out of order": lambda c: bool((c.numbers[1:] > c.numbers[:-1]).all())},
    )


def _ungrouped(model: Any) -> Codec:
    """Return the codec of the counts of all values seen; a file holds no counts twice."""
    raw, of_model = model.grouping.raw, model.counts

    def make(counts: Counts | None, sample: RowSample | None) -> CountedTable:
        found = of_model if counts is None else counts
        if sample is not None:
            sample.check(raw.sizes, found.frequencies)
        return CountedTable(raw, found, sample)

    def are_of_the_table(c: Any) -> bool:
        if c.counts is None:
            return bool(raw.sizes == of_model.sizes)
        return (c.counts.n, c.counts.n_rows) == (of_model.n, of_model.n_rows)

    return record(
        make,
        {
            "counts": Field(
                maybe(_counts(raw.sizes)),
                lambda table: None if table.counts is of_model else table.counts,
            ),
            "sample": maybe(_sample(len(raw.columns))),
        },
        {"the counts are of another table": are_of_the_table},
    )


def _tables(sizes: tuple[int, ...]) -> Codec:
    """Return the codec of a vector for each value of each column, and one for unknown ones."""
    most = LARGEST
    return each([numbers((n + 1, None), least=-most, most=most, may_be_sparse=True) for n in sizes])


def _has_no_gaps(places: Any) -> bool:
    found = np.unique(places)
    return bool((found[found >= 0] == np.arange((found >= 0).sum())).all())


def _have_named_columns(model: Any) -> bool:
    """Tell whether vectors have the columns that they have names for."""
    has_own = any(not isinstance(table, np.ndarray) for table in model.vectors)
    for size, table, factor, error in zip(
        model.counts.sizes, model.vectors, model.factors.tolist(), model.errors, strict=True
    ):
        own = size if factor and (has_own or error is None) else 0
        if table.shape[1] < own or (table.shape[1] > own and error is None):
            return False
    return True


def _lookup_has_named_columns(model: Any) -> bool:
    """Tell whether what `transform` returns has the columns that it has names for."""
    if model.lookup is None:
        return True
    if model.lookup.summed:
        return len(set(model.lookup.widths)) == 1
    return bool(model.lookup.widths == [sum(widths) for widths in model.widths])


def _make_fitted(**parts: Any) -> Fitted:
    c = SimpleNamespace(**parts)
    if c.ungrouped is not None:
        known = c.ungrouped.counts.with_draws(c.ungrouped.sample)
        is_same = c.ungrouped.counts is c.counts
        c.counts = known if is_same else replace(c.counts, draws=known.draws)
        c.ungrouped = replace(c.ungrouped, counts=known)
    c.vectors = LookUp(c.vectors)
    c.lookup = c.vectors if c.lookup is None else c.lookup
    c.errors = {place: error for place, error in enumerate(c.errors) if error is not None}
    return Fitted(**vars(c))


VOCABULARY = record(
    Vocabulary,
    {
        "columns": many(a_text, least=1, distinct=True),
        "values": lambda c: each([cells(column) for column in c.columns]),
    },
)

GROUPING = record(
    Grouping,
    {
        "raw": VOCABULARY,
        "rare": lambda c: joined(c.raw.sizes, "b"),
        "missing_is_value": a_truth,
    },
    {
        "a missing cell that is no value is merged": lambda c: (
            not any(map(np.any, map(np.logical_and, c.rare, Grouping(**vars(c)).neutral)))
        )
    },
)

MODEL = record(
    _make_fitted,
    {
        "grouping": GROUPING,
        "counts": lambda c: _counts(c.grouping.vocabulary.sizes),
        "ungrouped": lambda c: maybe(_ungrouped(c)),
        "labels": many(each([a_text, a_text])),
        "widths": lambda c: each([each([whole()] * len(c.labels))] * len(c.counts.sizes)),
        "solution": lambda c: record(
            Solution,
            {
                "omega": numbers((sum(map(sum, c.widths)),), least=0),
                "loss_curve": many(number(finite=False), make=list),
                "n_iter": whole(),
                "converged": a_truth,
            },
        ),
        "n_clusters": whole(1),
        "gains": mapping(number()),
        "factors": lambda c: numbers((len(c.counts.sizes),), least=0),
        "errors": Field(
            lambda c: each([maybe(numbers((len(c.labels),)))] * len(c.counts.sizes)),
            lambda fitted: [fitted.errors.get(n) for n in range(len(fitted.counts.sizes))],
        ),
        "orders": Field(
            lambda c: each(
                [maybe(numbers((n,), "i", least=-1, most=n - 1)) for n in c.counts.sizes]
            ),
            lambda fitted: fitted.orders or (None,) * len(fitted.counts.sizes),
        ),
        "vectors": Field(lambda c: _tables(c.counts.sizes), attrgetter("vectors.tables")),
        "lookup": Field(
            lambda c: maybe(record(LookUp, {"tables": _tables(c.counts.sizes), "summed": a_truth})),
            lambda fitted: None if fitted.lookup is fitted.vectors else fitted.lookup,
        ),
        "k_choice": maybe(K_CHOICE),
    },
    {
        "vectors are not as long as their names are many": _have_named_columns,
        "the vectors of transform are not as long as their names are many": (
            _lookup_has_named_columns
        ),
        "the places of an order have gaps": lambda c: all(
            _has_no_gaps(places) for places in c.orders if places is not None
        ),
    },
)


# What prepares columns.

READING = record(
    Reading,
    {
        "missing": _texts,
        "writing": maybe(
            either(
                {
                    "numbers": (
                        NumberWriting,
                        record(
                            NumberWriting,
                            dict.fromkeys(("decimal", "thousands", "before", "after"), a_text),
                            {
                                "marks of numbers that are none": lambda c: (
                                    len(c.decimal) == 1 and len(c.thousands) <= 1
                                )
                            },
                        ),
                    ),
                    "dates": (DateWriting, record(DateWriting, {"order": one_of(*ORDERS)})),
                    "names": (NumberNames, record(NumberNames, {"decimal": one_of(POINT, COMMA)})),
                }
            )
        ),
    },
)

RULE = either(
    {
        "keep": (
            Keep,
            record(Keep, {"kind": one_of(TEXT, NUMBERS, OTHERS), "reading": READING}),
        ),
        "bin": (
            Bin,
            record(
                Bin,
                {
                    "edges": many(number(finite=False)),
                    "names": many(a_text, least=1),
                    "unit": one_of(NUMBER, *PERIODS),
                    "reading": READING,
                    "span": maybe(each([number(), number()])),
                    "infinite": many(number(finite=False)),
                    "has_others": a_truth,
                },
                {
                    "there are not as many borders as ranges": lambda c: (
                        len(c.names) == len(c.edges) + 1
                    ),
                    "borders do not ascend": lambda c: (
                        all(edge == edge for edge in c.edges)
                        and all(low < high for low, high in pairwise(c.edges))
                    ),
                },
            ),
        ),
        "group": (
            Group,
            record(Group, {"values": _texts, "other": a_text, "reading": READING}),
        ),
        "part": (Part, record(Part, {"part": one_of(*PARTS), "reading": READING})),
    }
)

CONSTANT = record(Constant, {"value": maybe(a_text), "rule": RULE})

_ARGUMENTS = {
    **dict.fromkeys(("why", "value", "other", "kind", "how", "example"), a_text),
    **dict.fromkeys(("n", "n_merged"), whole()),
    "values": many(checked(of_type(str, bool, int)), make=list),
    "spellings": many(many(a_text, make=list), make=list),
    "counts": mapping(whole()),
    "is_sample": a_truth,
    "columns": many(a_text, make=list),
}

_REASONS = {
    reason.name: record(
        dict, {name: Field(_ARGUMENTS[name], itemgetter(name)) for name in reason.arguments}
    )
    for reason in Reason
}

NOTE = record(
    lambda column, action, reasons: Note(
        column, action, {Reason[name]: arguments for name, arguments in reasons.items()}
    ),
    {
        "column": a_text,
        "action": one_of(KEPT, BINNED, GROUPED, LEFT_OUT),
        "reasons": Field(
            mapping(_REASONS), lambda note: {one.name: own for one, own in note.reasons.items()}
        ),
    },
)

PREPARATION = record(
    Preparation,
    {
        "columns": many(a_text, least=1, distinct=True),
        "rules": lambda c: each([RULE] * len(c.columns)),
        "notes": many(NOTE),
        "origins": mapping(a_text),
        "constants": mapping(CONSTANT),
    },
)
