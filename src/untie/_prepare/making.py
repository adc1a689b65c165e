"""A table -> what is done to each of its columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from untie._engines.registry import open_table
from untie._prepare.deciding import Options, decide
from untie._prepare.look import look_at
from untie._prepare.note import LEFT_OUT, Note
from untie._prepare.preparation import Preparation
from untie._prepare.rules import Rule
from untie._table.names import check_names


def prepare(
    data: Any,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    bins: int = 5,
    max_values: int = 100,
    weight: str | None = None,
) -> Preparation:
    """Find out how any table becomes one of categories.

    Numbers and dates with more than 20 distinct values are binned into ranges that hold about
    the same number of rows. Ids, free text and constants are left out. Where a column has very many
    values, the rare ones are taken together. Numbers and dates that are written as text count as
    such when nine of ten rows are. What was done to each column stands in `Preparation.notes`.

    Parameters
    ----------
    data : table
        A pandas, polars or pyarrow table, an array or a list of rows; or a lazy table, such as
        :func:`untie.scan` gives, or a Dask frame, which are read once, chunk by chunk. Columns with
        more than 65,536 distinct values are judged by a sample of 131,072 rows at the most.
    columns : sequence of str, optional
        The only columns to use; none of them is left out, whatever it looks like.
    drop : sequence of str
        Columns to leave out.
    bins : int, default=5
        Number of ranges.
    max_values : int, default=100
        Largest number of values of a column, that of the rare ones together included.
    weight : str, optional
        A column that says how often each row counts. It is left out, and the ranges hold about
        the same weight.

    Returns
    -------
    Preparation

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({
    ...     "person": [f"p{number}" for number in range(60)],
    ...     "age": [18 + number % 45 for number in range(60)],
    ...     "city": ["Bonn", "Rome", "Rome"] * 20,
    ... })
    >>> preparation = prepare(people, bins=3)
    >>> for note in preparation.notes:
    ...     print(note)
    person: left out, looks like an id
    age: binned into 3 ranges
    city: kept
    >>> preparation.apply(people).head(2)
            age  city
    0  up to 27  Bonn
    1  up to 27  Rome
    """
    options = _check_options(bins, max_values)
    names = _names_of(data)
    chosen, dropped = _choose(names, columns, drop, weight)
    notes = {name: Note(name, LEFT_OUT, reason) for name, reason in dropped.items()}
    rules: dict[str, Rule] = {}
    for name, seen in zip(chosen, look_at(data, chosen, weight), strict=True):
        rule, notes[name] = decide(name, seen, options, columns is not None)
        if rule is not None:
            rules[name] = rule
    if not rules:
        said = "; ".join(str(notes[name]) for name in list(names)[:8])
        raise ValueError(
            f"No column is left to learn from ({said}). Name the columns to use all the same."
        )
    return Preparation(tuple(rules), tuple(rules.values()), tuple(notes[name] for name in names))


def _check_options(bins: Any, max_values: Any) -> Options:
    for name, number in (("bins", bins), ("max_values", max_values)):
        if not isinstance(number, Integral) or isinstance(number, bool) or number < 2:
            raise ValueError(f"{name} must be a whole number of at least 2, got {number!r}.")
    return Options(int(bins), int(max_values))


def _names_of(data: Any) -> tuple[str, ...]:
    source = open_table(data)
    source.check_streams()
    if source.is_one_shot:
        raise ValueError(
            f"{source.origin} can be read only once, and to prepare it takes one reading; pass "
            "what it was made from (a dataset, a query, untie.scan of files)."
        )
    return tuple(source.columns)


def _choose(
    names: Sequence[str], columns: Sequence[str] | None, drop: Sequence[str], weight: str | None
) -> tuple[list[str], dict[str, str]]:
    """Return the columns to look at, and why the others are not."""
    for argument, given in (("columns", columns), ("drop", drop)):
        if isinstance(given, str | os.PathLike):
            raise TypeError(f"{argument} must be a list of names, got {given!r}: [{given!r}].")
        check_names(given or (), names, "the table", f", which {argument} names")
    check_names([] if weight is None else [weight], names, "the table", ", which weight names")
    dropped = {}
    unwanted, wanted = set(drop), None if columns is None else set(columns)
    for name in names:
        if name == weight:
            dropped[name] = "holds the weights"
        elif name in unwanted or (wanted is not None and name not in wanted):
            dropped[name] = "as asked"
    return [name for name in names if name not in dropped], dropped
