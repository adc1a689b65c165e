"""The parts of every kind of model file, and what each must be.

`load_model` checks a file against these before anything is made of it. What is saved is decided
in `_learn/fitted_parts.py` and in the estimators; a new part needs its line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from untie._learn.archive import State
from untie._learn.model_parts import K_CHOICE, LARGEST, LIBRARIES, MODEL
from untie._learn.schema import (
    Arrays,
    Check,
    Content,
    Numbers,
    Part,
    a_text,
    a_truth,
    entries,
    many,
    mapping,
    maybe,
    number,
    of_type,
    one_of,
    whole,
)
from untie._prepare.date_writing import ORDERS
from untie._prepare.note import BINNED, GROUPED, KEPT, LEFT_OUT
from untie._prepare.number_names import COMMA, POINT
from untie._prepare.numbers import NUMBER, PERIODS
from untie._prepare.rules import NUMBERS, OTHERS, PARTS, TEXT, Bin, Group, Keep
from untie._prepare.rules import Part as DatePart

PIPELINE = "pipeline"

_texts = many(a_text, distinct=True)
_output = entries({}, {"transform": one_of("default", "pandas", "polars", None)})
_seen: dict[str, Check] = {"n_features_in": whole(1), "feature_names_in": maybe(_texts)}
_parameters: dict[str, Check] = {"parameters": mapping(lambda value, name: None), "output": _output}
"""Parameters are checked by the estimator that takes them."""


def check_model(kind: str, state: State) -> None:
    """Refuse a state that is not one of a model, and say what is wrong with it."""
    if kind == PIPELINE:
        _pipeline(state.content).check(state.content, state.arrays)
    elif kind in FILES:
        FILES[kind].check(state.content, state.arrays)
    else:
        raise ValueError(f"it holds a {kind[:50]!r}, which this version does not know")


def step_name(name: str) -> str:
    """Return what a step of a pipeline is called in files, where a stroke has a meaning."""
    return f"step {name.replace('%', '%25').replace('/', '%2F')}"


# What prepares columns.

_reading: dict[str, Check] = {
    "missing": _texts,
    "numbers": many(a_text, 4),
    "dates": one_of(*ORDERS),
    "number_names": one_of(POINT, COMMA),
}
_RULES: dict[str, Check] = {
    Keep.name: entries({"rule": a_text, "kind": one_of(TEXT, NUMBERS, OTHERS)}, _reading),
    Bin.name: entries(
        {
            "rule": a_text,
            "edges": many(number(finite=False)),
            "names": many(a_text, least=1),
            "unit": one_of(NUMBER, *PERIODS),
        },
        {**_reading, "span": many(number(), 2), "infinite": many(number(finite=False))},
    ),
    Group.name: entries({"rule": a_text, "values": _texts, "other": a_text}, _reading),
    DatePart.name: entries({"rule": a_text, "part": one_of(*PARTS)}, _reading),
}


def _rule(value: Any, name: str) -> None:
    of_type(dict)(value, name)
    one_of(*_RULES)(value.get("rule"), name)
    _RULES[value["rule"]](value, name)
    edges = value.get("edges", [])
    if value["rule"] == Bin.name and len(value["names"]) != len(edges) + 1:
        raise ValueError(f"{name!r} has {len(edges)} borders for {len(value['names'])} ranges")
    if any(edge != edge for edge in edges) or any(low >= high for low, high in pairwise(edges)):
        raise ValueError(f"{name!r} has borders that do not ascend")
    if "numbers" in value and (len(value["numbers"][0]) != 1 or len(value["numbers"][1]) > 1):
        raise ValueError(f"{name!r} has marks of numbers that are none")


def _constant(value: Any, name: str) -> None:
    """Check what every row of a column had: its text, and the rule that makes it."""
    of_type(dict)(value, name)
    if "value" not in value:
        raise ValueError(f"{name!r} has no 'value'")
    maybe(a_text)(value["value"], name)
    _rule({key: entry for key, entry in value.items() if key != "value"}, name)


_facts = entries(
    {},
    {
        "few_numbers": whole(),
        "many_values": whole(),
        "read_as_missing": _texts,
        "not_missing": _texts,
        "is_constant": a_truth,
    },
)


def _note(value: Any, name: str) -> None:
    """Check a note: three texts, and what else it knows; files of earlier versions end there."""
    of_type(list)(value, name)
    many(a_text, 3)(value[:3], name)
    many(_facts)(value[3:], name)
    if len(value) > 4:
        raise ValueError(f"{name!r} has {len(value)} items, not 3 or 4")
    one_of(KEPT, BINNED, GROUPED, LEFT_OUT)(value[1], name)


def _preparation(value: Any, name: str) -> None:
    needed = {"columns": _texts, "rules": many(_rule), "notes": many(_note)}
    entries(needed, {"origins": mapping(a_text), "constants": mapping(_constant)})(value, name)
    if len(value["columns"]) != len(value["rules"]) or not value["columns"]:
        raise ValueError(f"{name!r} has not as many rules as columns")


PREPARER_FITTED = Part({"library": one_of(*LIBRARIES), "preparation": _preparation, **_seen})


# Every estimator.


def _estimator(kind: str, fitted: Part, **parts: Part | Mapping[str, Part]) -> Part:
    """Return the part that an estimator is: its parameters, those that are parts, what it knows.

    A part that may be of several kinds is given as a mapping from them.
    """
    needed = {"kind": one_of(kind), **_parameters}
    return Part(needed, {**parts, "fitted": fitted}, optional=tuple(parts))


def _unfitted(kind: str, **parts: Part | Mapping[str, Part]) -> Part:
    """Return the part that an estimator is that is a parameter."""
    needed = {"kind": one_of(kind), **_parameters, "fitted": one_of(None)}
    return Part(needed, parts, optional=tuple(parts))


_PREPARER = _unfitted("preparer")

PREPARER = _estimator("preparer", PREPARER_FITTED)


# An encoder.


ENCODER_FITTED = Part(
    {"library": one_of(*LIBRARIES), **_seen},
    parts={"model": MODEL, "preparer": PREPARER},
    optional=["preparer"],
    relations=[
        (
            "'columns' and 'feature_names_in' differ",
            lambda c: (
                c["preparer"] is not None
                or (
                    c["n_features_in"] == len(c["model"]["columns"])
                    and c["feature_names_in"] in (None, c["model"]["columns"])
                )
            ),
        ),
        (
            "'columns' are not those that the preparer makes",
            lambda c: (
                c["preparer"] is None
                or c["preparer"]["fitted"]["preparation"]["columns"] == c["model"]["columns"]
            ),
        ),
    ],
)

ENCODERS = {
    "encoder": _estimator("encoder", ENCODER_FITTED, preparer=_PREPARER),
    "untie": _estimator("untie", ENCODER_FITTED),
}
_ENCODERS = {"encoder": _unfitted("encoder", preparer=_PREPARER), "untie": _unfitted("untie")}


# A clusterer.


def _clusterer_arrays(content: Content, arrays: Arrays) -> dict[str, Numbers]:
    sizes = content["encoder"]["fitted"]["model"]["sizes"]
    vectors = [arrays[f"encoder/fitted/model/vectors_{place}"] for place in range(len(sizes))]
    k = len(np.atleast_1d(arrays.get("centers", ())))
    found = {
        "centers": Numbers(
            (None, sum(table.shape[1] for table in vectors)), least=-LARGEST, most=LARGEST
        ),
        "reach_farthest": Numbers((k,), least=0),
        "reach_usual": Numbers((k, len(sizes)), least=0),
    }
    if content["labelled"]:
        found["labels"] = Numbers((None,), "i", least=0, most=k - 1)
    if content["moved"]:
        found |= {f"costs_{n}": Numbers((size + 1, k), "biuf") for n, size in enumerate(sizes)}
    return found


CLUSTERER_FITTED = Part(
    {"inertia": number(0), "n_iter": whole(), "labelled": a_truth, "moved": a_truth, **_seen},
    parts={"k_choice": K_CHOICE, "encoder": ENCODERS, "preparer": PREPARER},
    optional=["k_choice", "preparer"],
    arrays=_clusterer_arrays,
    array_relations=[("there are no clusters", lambda c, a: len(a["centers"]) > 0)],
)

FILES: dict[str, Part] = {
    **ENCODERS,
    "preparer": PREPARER,
    "clusterer": _estimator("clusterer", CLUSTERER_FITTED, encoder=_ENCODERS, preparer=_PREPARER),
}
"""What a file of each kind has."""


# A pipeline, whose parts depend on its steps.


def _step(value: Any, name: str) -> None:
    many(a_text, 2)(value, name)
    one_of(*FILES)(value[1], name)


_steps = many(_step, least=1)
_of_pipeline = entries(
    {"memory": maybe(a_text), "verbose": a_truth}, {"transform_input": maybe(many(a_text))}
)


def _pipeline(content: Any) -> Part:
    of_type(dict)(content, "content")
    steps = content.get("steps")
    _steps(steps, "steps")
    parts = {step_name(name): FILES[kind] for name, kind in steps}
    return Part(
        {"parameters": _of_pipeline, "steps": _steps},
        parts,
        relations=[("two steps have one name", lambda c: len(parts) == len(steps))],
    )
