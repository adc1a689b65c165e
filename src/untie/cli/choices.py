"""What options can be, where they can be one of a few things."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class FailOn(StrEnum):
    """Which changes end ``untie drift`` with the exit code 1."""

    any = "any"
    columns = "columns"
    values = "values"
    couplings = "couplings"


class Purpose(StrEnum):
    """What vectors are for; the `purpose` of `TableEncoder`."""

    clusters = "clusters"
    neighbors = "neighbors"


class Solver(StrEnum):
    """How weights are found; the `solver` of `TableEncoder`."""

    auto = "auto"
    relevance = "relevance"
    discount = "discount"
    uniform = "uniform"
    exact = "exact"
    lp = "lp"
    adam = "adam"
    adagrad = "adagrad"


Solvers = Annotated[
    Solver | None,
    typer.Option(
        "--solver",
        help="How the weights are found; auto compares several representations and keeps one.",
        show_default="auto",
    ),
]
Purposes = Annotated[
    Purpose | None,
    typer.Option(
        "--purpose",
        help="What the vectors are for: to find groups with, or similar rows.",
        show_default="clusters, but neighbors to find them",
    ),
]
