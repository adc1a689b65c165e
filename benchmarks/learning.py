"""Time of learning alone, and how it grows.

Counts are learned from, not rows, so the number of rows should not matter; the time should
grow with the numbers of attributes, of their values and of kernels. For each table the time
is split into building the coupling and kernel spaces and learning the weights with each
solver. Solvers take the same number of steps everywhere: two for "exact" and "lp", one for
"uniform", 100 for "adam", which draws batches of 20 from 1,000 rows. Competitors run in turns,
in one thread; the best round's processor time counts. A slope is the exponent of a power law
through the last two lines.

The paper's complexity (`COMPLEXITY`) has n_v values in all, n_mv the most of an attribute, n_a
attributes, n_b rows per batch, n_i steps and n_omega weights. Its first two terms are the
couplings, the others the batch solver. Learning from counts takes one eigenproblem of size n_v
per step instead, at most O(n_v^3) whatever the number of rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from _timing import best_times, parse_quick, print_table, print_verdict, slope
from untie import UNTIE, CountedTable, Counts, Vocabulary
from untie._count.counts import count
from untie._count.tally import tally_table
from untie._learn.learning import KernelRecipe
from untie._learn.linalg.spectrum import roots
from untie._learn.parameters import kernel_recipe
from untie._learn.spaces.kernel_spaces import build_spaces
from untie._learn.weights.search import SOLVERS
from untie._learn.weights.weightings import WEIGHTINGS, Problem, solution_at
from untie._table.table import read_table
from untie._util.types import Codes, smallest_unsigned

COMPLEXITY = "O(n_v + n_mv^2 n_a^2 + n_b^3 n_i + n_b n_omega n_i)"
CHUNK = 10**6
N_CLASSES = 3
STEPS = {"exact": 1, "lp": 1, "uniform": 1, "adam": 100}
"""`max_iter`: the alternating solvers evaluate once before their first step."""

PARTS = ["building", *STEPS]
STATED = {
    "attributes": {"building": 2.0, "adam": 1.0},
    "values": {"building": 2.0, "adam": 1.0},
    "kernels": {"building": 0.0, "adam": 1.0},
}
"""Exponents that the paper's formula has; it says nothing about the other solvers."""


def main() -> None:
    quick = parse_quick(__doc__)
    warnings.simplefilter("ignore")  # solvers are stopped on purpose
    numbers = [10, 20, 30] if quick else [10, 20, 50, 100]
    print(f"The paper states {COMPLEXITY}.\n")
    with threadpool_limits(1):
        verdicts = growth_with_rows([10**3, 10**5] if quick else [10**3, 10**5, 10**7])
        growth("attributes", numbers, [((3,) * n, "paper") for n in numbers])
        growth("values", numbers, [((n,) * 10, "paper") for n in numbers])
        growth("kernels", [3, 7, 14], [((10,) * 20, name) for name in ("F4", "F1", "paper")])
    print("## Targets\n")
    for verdict in verdicts:
        print_verdict(*verdict)


def draw_codes(n_rows: int, sizes: Sequence[int], seed: int = 0) -> Codes:
    """Draw rows of latent classes that share a law across seeds."""
    law = np.random.default_rng(0)
    rng = np.random.default_rng(seed)
    latent = rng.integers(0, N_CLASSES, n_rows)
    codes = []
    for size in sizes:
        favorite = law.integers(0, size, N_CLASSES)
        drawn = rng.integers(0, size, n_rows)
        cells = np.where(rng.random(n_rows) < 0.3, favorite[latent], drawn)
        codes.append(cells.astype(smallest_unsigned(size)))
    return codes


def count_rows(n_rows: int, sizes: tuple[int, ...]) -> Counts:
    """Count rows, one chunk at a time."""
    total = count(draw_codes(min(n_rows, CHUNK), sizes), sizes)
    for chunk in range(1, n_rows // CHUNK):
        total += count(draw_codes(CHUNK, sizes, chunk), sizes)
    return total


def growth_with_rows(numbers: list[int]) -> list[tuple[Any, ...]]:
    """Print the time of `fit_counts` by the number of rows that were counted."""
    print("## `fit_counts`, by the number of rows counted (ms)\n")
    rows, verdicts = [], []
    for sizes in [(3,) * 10, (10,) * 20]:
        vocabulary = _vocabulary(sizes)
        counts = {n: count_rows(n, sizes) for n in numbers}
        work: dict[Any, Callable[[], object]] = {
            (solver, n): partial(_fit_counts, solver, counts[n], vocabulary)
            for solver in ("exact", "lp", "uniform")
            for n in numbers
        }
        times: dict[Any, float] = best_times(work, repeats=30, clock=time.process_time)
        for solver in ("exact", "lp", "uniform"):
            ratio = times[solver, numbers[-1]] / times[solver, numbers[0]]
            shape = f"{len(sizes)} x {sizes[0]}"
            rows.append([shape, solver, *(1e3 * times[solver, n] for n in numbers), ratio])
            name = f"learning, {numbers[-1]:,} rows / {numbers[0]:,} rows, {shape}, {solver}"
            verdicts.append((name, max(ratio, 1 / ratio), 1.1))
    header = ["attributes x values", "solver", *(f"{n:,} rows" for n in numbers), "last / first"]
    print_table(header, rows)
    return verdicts


def growth(what: str, numbers: list[int], tables: list[tuple[tuple[int, ...], str]]) -> None:
    """Print the time of each part of learning for tables of growing size, and slopes."""
    sizes = tables[0][0]
    fixed = {
        "attributes": f"{sizes[0]} values each",
        "values": f"{len(sizes)} attributes",
        "kernels": f"{len(sizes)} attributes of {sizes[0]} values",
    }
    print(f"## Learning, by the number of {what}: {fixed[what]} (ms)\n")
    measured = [_time_parts(sizes, kernels) for sizes, kernels in tables]
    rows: list[list[object]] = [
        [n, *(1e3 * times[part] for part in PARTS), 1e3 * times["whole"], times["steps"]]
        for n, times in zip(numbers, measured, strict=True)
    ]
    slopes = [slope(numbers, [times[part] for times in measured]) for part in [*PARTS, "whole"]]
    rows.append(["measured slope", *(f"{found:.2f}" for found in slopes), ""])
    stated = [f"{STATED[what][part]:.2f}" if part in STATED[what] else "" for part in PARTS]
    rows.append(["the paper's slope", *stated, "", ""])
    header = [what, "couplings + kernels", "exact (2 steps)", "lp (2)", "uniform (1)"]
    print_table([*header, "adam (100)", "fit_counts exact", "its steps"], rows)


def _time_parts(sizes: tuple[int, ...], kernels: str) -> dict[str, Any]:
    counted = tally_table(read_table(np.stack(draw_codes(1000, sizes), axis=1)))
    counts, vocabulary = counted.counts, counted.grouping.vocabulary
    spaces = _build(counts, _recipe("uniform", kernels))
    problem = Problem(spaces, counts, N_CLASSES, counted.rows)
    whole = UNTIE(N_CLASSES, kernels=kernels)
    work = {"building": partial(_build, counts, _recipe("uniform", kernels))}
    for solver in STEPS:
        work[solver] = partial(_solve, solver, problem, kernels)
    work["whole"] = partial(whole.fit_counts, CountedTable(vocabulary, counts))
    times: dict[str, Any] = best_times(work, clock=time.process_time)
    return {**times, "steps": whole.n_iter_}


def _vocabulary(sizes: tuple[int, ...]) -> Vocabulary:
    values = tuple(tuple(f"v{i:03d}" for i in range(size)) for size in sizes)
    return Vocabulary(tuple(f"c{i}" for i in range(len(sizes))), values)


def _recipe(solver: str, kernels: str) -> KernelRecipe:
    encoder = UNTIE(
        N_CLASSES, kernels=kernels, solver=solver, max_iter=STEPS[solver], tol=0.0, random_state=0
    )
    return kernel_recipe(encoder)


def _build(counts: Counts, recipe: KernelRecipe) -> Any:
    return build_spaces(counts, recipe.couplings, recipe.kernels, recipe.normalize)


def _solve(solver: str, problem: Problem, kernels: str) -> object:
    if solver in WEIGHTINGS:
        omega = WEIGHTINGS[solver](problem)
        return solution_at(problem, omega, roots(problem.spaces, omega))
    return SOLVERS[solver](problem, _recipe(solver, kernels).settings)


def _fit_counts(solver: str, counts: Counts, vocabulary: Vocabulary) -> object:
    encoder = UNTIE(N_CLASSES, solver=solver, max_iter=STEPS[solver], tol=0.0)
    return encoder.fit_counts(CountedTable(vocabulary, counts))


if __name__ == "__main__":
    main()
