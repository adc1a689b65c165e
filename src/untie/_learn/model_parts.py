"""What a file holds of a fitted encoder, and what each part must be.

What is saved is decided in `fitted_parts.py`; a new part needs its line here.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from untie._learn.archive import PANDAS_VALUES
from untie._learn.fitted_parts import NONE, OWN, SAME
from untie._learn.schema import (
    Arrays,
    Content,
    Numbers,
    Part,
    a_text,
    a_truth,
    many,
    mapping,
    maybe,
    number,
    of_type,
    one_of,
    values_of,
    whole,
)

LIBRARIES = (
    *("pandas", "polars", "pyarrow", "modin", "cudf"),
    *("dask", "duckdb", "ibis", "pyspark", "pyspark[connect]", "sqlframe"),
)
"""The libraries that a table may be of."""

ROUNDING = 1 + 1e-6
"""Sums of weights may differ by so much, by the order in which they were added up."""

LARGEST = 1e150
"""No vector has numbers beyond; their squares, and sums of them, are finite."""

CELLS = (
    *(type(None), bool, int, float, str, bytes),
    *(date, datetime, time, timedelta, Decimal),
)
"""The types of values, besides those of pandas."""


def _values(value: Any, name: str) -> None:
    of_type(list)(value, name)
    kinds = set(CELLS)
    if any(type(item).__name__ in PANDAS_VALUES for item in value):
        import pandas

        kinds |= {getattr(pandas, known) for known in PANDAS_VALUES}
    values_of(kinds)(value, name)


# How the number of clusters was chosen.


def _choice_arrays(content: Content, _: Arrays) -> dict[str, Numbers]:
    n_ks, n_columns = (len(content["ks"]),), (len(content["columns"]),)
    figures = ("gain", "error", "stability", "silhouette")
    return {
        **{name: Numbers(n_ks, finite=False) for name in figures},
        "chosen": Numbers((None,), "iu"),
        "tells": Numbers(n_columns, finite=False),
        "tells_error": Numbers(n_columns, finite=False),
    }


K_CHOICE = Part(
    {
        "k": whole(1),
        "how_sure": number(0, 1),
        "ks": many(whole(1), least=1, kind=tuple),
        "columns": many(a_text, kind=tuple),
        "without": number(finite=False),
        "without_error": number(finite=False),
        "without_columns": many(a_text, kind=tuple),
        "repeats": maybe(a_text),
        "n_sampled": whole(),
        "library": one_of(*LIBRARIES),
    },
    relations=[("'k' is not among 'ks'", lambda c: c["k"] in c["ks"])],
    arrays=_choice_arrays,
)


# An encoder.


def _lengths_fit(content: Content) -> bool:
    n = len(content["columns"])
    lists = (content["values"], content["sizes"], content["widths"])
    n_spaces = len(content["labels"])
    return all(len(entry) == n for entry in lists) and all(
        len(widths) == n_spaces for widths in content["widths"]
    )


def _are_columns(name: str) -> Callable[[Content], bool]:
    return lambda content: all(place < len(content["columns"]) for place in content[name])


def _sizes_fit(content: Content, arrays: Arrays) -> bool:
    """Tell whether there are as many values as are left of all seen."""
    rare, start = arrays["rare"], 0
    for values, size in zip(content["values"], content["sizes"], strict=True):
        own = rare[start : start + len(values)]
        is_neutral = not content["missing_is_value"] and len(values) > 1
        gaps = [place for place, value in enumerate(values) if value is None] if is_neutral else []
        n_merged = int(own.sum())
        if own[gaps].any() or size != len(values) - n_merged - len(gaps) + (n_merged > 0):
            return False
        start += len(values)
    return True


def _encoder_arrays(content: Content, _: Arrays) -> dict[str, Numbers]:
    sizes, widths = content["sizes"], content["widths"]
    n_values, n_seen = sum(sizes), sum(map(len, content["values"]))
    found = {
        "factors": Numbers((len(sizes),), least=0),
        "rare": Numbers((n_seen,), "b"),
        "omega": Numbers((sum(map(sum, widths)),), least=0),
        "counts": _counts(n_values, content["n"]),
        **{f"error_{place}": Numbers((len(content["labels"]),)) for place in content["errors"]},
        **{
            f"order_{place}": Numbers((sizes[place],), "i", least=-1, most=sizes[place] - 1)
            for place in content["ordered"]
        },
    }
    for name in ("vectors", "lookup")[: 1 + (content["lookup"] == OWN)]:
        for place, size in enumerate(sizes):
            found[f"{name}_{place}"] = Numbers(
                (size + 1, None), least=-LARGEST, most=LARGEST, may_be_sparse=True
            )
    if content["ungrouped"] == OWN:
        found["ungrouped"] = _counts(n_seen, content["n"])
    if content["sampled"]:
        found |= {
            "sample_numbers": Numbers((None,), "u"),
            "sample_codes": Numbers((None, len(sizes)), "iu", least=0),
            "sample_weights": Numbers((None,), "iuf", least=0),
        }
    return found


def _counts(n_values: int, n: float) -> Numbers:
    return Numbers((n_values, n_values), "iuf", least=0, most=n * ROUNDING, may_be_sparse=True)


def _counts_fit(content: Content, arrays: Arrays) -> bool:
    """Tell whether the values of no column have more rows than there are."""
    seen = [len(values) for values in content["values"]]
    for name, sizes in (("counts", content["sizes"]), ("ungrouped", seen)):
        if name in arrays:
            frequencies = arrays[name].diagonal()
            columns = np.split(frequencies, np.cumsum(sizes)[:-1])
            if any(own.sum() > content["n"] * ROUNDING for own in columns):
                return False
    return True


def _vectors_fit(content: Content, arrays: Arrays) -> bool:
    """Tell whether vectors have the columns that they have names for."""
    sizes, shared = content["sizes"], content["errors"]
    tables = [arrays[f"vectors_{place}"] for place in range(len(sizes))]
    has_own = any(not isinstance(table, np.ndarray) for table in tables)
    for place, (size, table, factor) in enumerate(
        zip(sizes, tables, arrays["factors"].tolist(), strict=True)
    ):
        own = size if factor and (has_own or place not in shared) else 0
        width = table.shape[1]
        if width < own or (width > own and place not in shared):
            return False
    return True


def _lookup_fits(content: Content, arrays: Arrays) -> bool:
    """Tell whether what `transform` gives has the columns that it has names for."""
    if content["lookup"] == SAME:
        return True
    found = [arrays[f"lookup_{place}"].shape[1] for place in range(len(content["sizes"]))]
    if content["summed"]:
        return len(set(found)) == 1
    return found == [sum(widths) for widths in content["widths"]]


def _orders_fit(content: Content, arrays: Arrays) -> bool:
    """Tell whether the places in every order are 0, 1, 2, ... without a gap."""
    found = (np.unique(arrays[f"order_{place}"]) for place in content["ordered"])
    return all((places[places >= 0] == np.arange((places >= 0).sum())).all() for places in found)


def _sample_fits(content: Content, arrays: Arrays) -> bool:
    """Tell whether sampled rows are in their order, and have values that there are."""
    if not content["sampled"]:
        return True
    numbers, codes = arrays["sample_numbers"], arrays["sample_codes"]
    most = [len(values) for values in content["values"]]  # one past the last is unknown
    return (
        len(numbers) == len(codes) == len(arrays["sample_weights"])
        and bool((numbers[1:] > numbers[:-1]).all())
        and bool((codes <= np.array(most)).all())
    )


MODEL = Part(
    {
        "columns": many(a_text, least=1, distinct=True),
        "missing_is_value": a_truth,
        "values": many(_values),
        "labels": many(many(a_text, 2, kind=tuple)),
        "widths": many(many(whole(), kind=tuple)),
        "n_clusters": whole(1),
        "loss_curve": many(number(finite=False)),
        "n_iter": whole(),
        "converged": a_truth,
        "sizes": many(whole()),
        "n": number(0),
        "n_rows": whole(),
        "gains": mapping(number()),
        "errors": many(whole(), distinct=True),
        "summed": a_truth,
        "lookup": one_of(SAME, OWN),
        "ungrouped": one_of(NONE, SAME, OWN),
        "sampled": a_truth,
        "ordered": many(whole(), distinct=True),
    },
    parts={"k_choice": K_CHOICE},
    optional=["k_choice"],
    relations=[
        ("'columns', 'values', 'sizes' and 'widths' differ in length", _lengths_fit),
        ("'errors' name columns that are not there", _are_columns("errors")),
        ("'ordered' names columns that are not there", _are_columns("ordered")),
        (
            "'ungrouped' has not the values of 'sizes'",
            lambda c: c["ungrouped"] != SAME or [len(v) for v in c["values"]] == c["sizes"],
        ),
        ("'sampled' needs 'ungrouped'", lambda c: not c["sampled"] or c["ungrouped"] != NONE),
        ("'summed' needs a 'lookup'", lambda c: not c["summed"] or c["lookup"] == OWN),
    ],
    arrays=_encoder_arrays,
    array_relations=[
        ("the values that are not merged are not as many as 'sizes' say", _sizes_fit),
        ("a column has more rows than there are", _counts_fit),
        ("vectors are not as long as their names are many", _vectors_fit),
        ("the vectors of transform are not as long as their names are many", _lookup_fits),
        ("the places of an order have gaps", _orders_fit),
        ("the sample's rows are out of order, or beyond the values", _sample_fits),
    ],
)
