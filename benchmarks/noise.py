"""How often clusters are found where there are none, and where there are some.

Tables without structure have independent columns: uniform or Zipf shares of 2 to 50 values, 5 to 50
columns, 500 to 1,000,000 rows; plain, with a column that is there twice, with a pair of dependent
columns, with weights, with missing cells. Tables with structure are drawn from classes, with one
difficulty each, at the same numbers of rows. `untie` sees neither the kind nor the classes. The
verdict is that of ``TableEncoder(n_clusters="auto")``, ``k_choice_.found_clusters``.

``--repeated`` asks the same of uniform noise whose rows are repeated or have weights that are no
numbers of rows.

``--edge`` asks instead how often the largest eigenvalue of tables without structure is above the
edge that ``n_clusters=None`` takes for that of noise, and which numbers of clusters it then reads.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from _timing import print_table
from untie import TableEncoder, count_table
from untie._learn.selection.spectrum_number import (
    choose_n_clusters,
    noise_edge,
    standardized_eigenvalues,
)

ROWS = (500, 2_000, 20_000, 200_000, 1_000_000)
COLUMNS = (5, 12, 50)
VALUES = (2, 5, 20, 50)
MOST_CELLS = 2e7
"""Larger tables are left out."""

MERGED = 10
"""Values with fewer rows are merged, as by ``min_frequency``, to see whether it helps."""

EDGE_POWERS = (0.0, 1.0, 1.5, 2.0)
EDGE_SHAPES = [(n, 12, v) for v in (5, 20, 50) for n in (500, 5_000)]
"""Powers of the shares (0 is uniform, 1 is Zipf's law), and rows, columns and values per column."""

Generator = np.random.Generator
Codes = NDArray[np.int64]


class Verdict(NamedTuple):
    """What was drawn, and what was said of it."""

    kind: str
    n_rows: int
    found: bool
    k: int
    true_k: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=3, help="tables of each kind and size")
    parser.add_argument("--most-rows", type=int, default=ROWS[-1])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="few tables of few rows")
    parser.add_argument("--repeated", action="store_true", help="repeated and weighted noise alone")
    parser.add_argument("--edge", action="store_true", help="the edge of noise alone, 100 draws")
    options = parser.parse_args()
    if options.edge:
        show_edges(5 if options.quick else 100, options.jobs)
        return
    if options.repeated:
        show_repeated(1 if options.quick else 4 * options.draws, options.jobs)
        return
    if options.quick:
        options.draws, options.most_rows = 1, 2_000
    tasks = [t for t in all_tasks(options.draws) if t[2] <= options.most_rows]
    # The largest first, so that no worker is left alone with them at the end.
    tasks.sort(key=lambda task: -task[2] * task[3])
    found = Parallel(options.jobs)(delayed(judge)(*task) for task in tasks)
    noise = [v for v in found if v.true_k == 0]
    planted = [v for v in found if v.true_k > 0]
    print("## No structure: share of tables in which clusters were found\n")
    show(noise, lambda v: v.found)
    print("## Planted clusters: share of tables in which clusters were found\n")
    show(planted, lambda v: v.found)
    print("## Planted clusters: share of tables with the right number\n")
    show(planted, lambda v: v.k == v.true_k)


def show(verdicts: list[Verdict], hit: Callable[[Verdict], bool]) -> None:
    """Print the share of hits by kind and number of rows, and the number of tables."""
    cells: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for verdict in verdicts:
        for key in ((verdict.kind, verdict.n_rows), ("all", verdict.n_rows)):
            cells[key].append(hit(verdict))
    sizes = sorted({n for _, n in cells})
    kinds = [*sorted({kind for kind, _ in cells} - {"all"}), "all"]
    rows = []
    for kind in kinds:
        own = [cells.get((kind, n), []) for n in sizes]
        every = [h for hits in own for h in hits]
        shares = [f"{np.mean(hits):.2f} of {len(hits)}" if hits else "" for hits in own]
        rows.append((kind, *shares, f"{sum(every)} of {len(every)}"))
    print_table(["kind", *(f"{n:,} rows" for n in sizes), "in all"], rows)


def show_repeated(draws: int, jobs: int) -> None:
    """Print in how many tables of repeated or weighted noise clusters were found."""
    tasks = [(kind, seed) for kind in REPEATED for seed in range(draws)]
    found = Parallel(jobs)(delayed(judge_repeated)(*task) for task in tasks)
    rows = []
    for kind in REPEATED:
        ks = [v.k for v in found if v.kind == kind and v.found]
        rows.append((kind, f"{len(ks)} of {draws}", ", ".join(map(str, ks))))
    rows.append(("all", f"{sum(v.found for v in found)} of {len(found)}", ""))
    print("## Repeated and weighted noise: tables in which clusters were found\n")
    print_table(["kind", "found", "numbers of clusters"], rows)


def judge_repeated(kind: str, seed: int) -> Verdict:
    """Draw noise, repeat it or give it weights, and ask whether it has clusters."""
    warnings.simplefilter("ignore")
    table, weights = REPEATED[kind](np.random.default_rng([seed, 7]))
    choice = (
        TableEncoder("auto", random_state=0, preparer=None)
        .fit(table, sample_weight=weights)
        .k_choice_
    )
    return Verdict(kind, len(table), choice.found_clusters, choice.k, 0)


def show_edges(draws: int, jobs: int) -> None:
    """Print how often noise is above its edge, by shares and shape, and what is read of it."""
    print("## No structure: largest eigenvalue above the edge of noise, and clusters read\n")
    rows = []
    for power in EDGE_POWERS:
        for shape in EDGE_SHAPES:
            tasks = (delayed(edge_and_k)(power, *shape, seed) for seed in range(draws))
            found = Parallel(jobs)(tasks)
            ratios, ks, merged = (np.array(column) for column in zip(*found, strict=True))
            shares = (np.mean(hits) for hits in (ratios > 1, ks > 2, merged > 1))
            above, more, still = (f"{share:.2f}" for share in shares)
            rows.append((power, *shape, above, f"{ratios.max():.2f}", more, ks.max(), still))
    headings = ["power", "rows", "columns", "values", "above", "highest", "k > 2", "most k"]
    print_table([*headings, f"above, under {MERGED} rows merged"], rows)


def edge_and_k(power: float, n: int, m: int, v: int, seed: int) -> tuple[float, int, float]:
    """Return the largest eigenvalue by the edge, k, and the first with rare values merged."""
    rng = np.random.default_rng([seed, n, m, v])
    shares = 1.0 / np.arange(1, v + 1) ** power
    table = rng.choice(v, (n, m), p=shares / shares.sum())
    often = np.array([np.bincount(column, minlength=v) >= MERGED for column in table.T])
    merged = np.where(often[np.arange(m), table], table, v)
    counts = [count_table(codes).counts for codes in (table, merged)]
    ratios = [float(standardized_eigenvalues(c, 1)[0]) / noise_edge(c) for c in counts]
    return ratios[0], choose_n_clusters(counts[0], 20), ratios[1]


def all_tasks(draws: int) -> Iterator[tuple[str, str, int, int, int, int]]:
    """Yield (family, kind, rows, columns, values, seed)."""
    for n in ROWS:
        for m in COLUMNS:
            for v in VALUES:
                for kind in NOISE:
                    if n * m <= MOST_CELLS:
                        yield from (("noise", kind, n, m, v, seed) for seed in range(draws))
        for kind in PLANTED:
            yield from (("planted", kind, n, 12, 4, seed) for seed in range(4 * draws))


def judge(family: str, kind: str, n: int, m: int, v: int, seed: int) -> Verdict:
    """Draw a table and ask whether it has clusters."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng([seed, n, m, v, len(kind)])
    weights: Any = None
    true_k = 0
    if family == "noise":
        table, weights = NOISE[kind](rng, n, m, v)
    else:
        table, true_k = PLANTED[kind](rng, n)
    choice = (
        TableEncoder("auto", random_state=0, preparer=None)
        .fit(table, sample_weight=weights)
        .k_choice_
    )
    if choice is None:  # two distinct rows
        return Verdict(kind, n, False, 0, true_k)
    return Verdict(kind, n, choice.found_clusters, choice.k, true_k)


Noise = tuple[Any, Any]


def _uniform(rng: Generator, n: int, m: int, v: int) -> Noise:
    return rng.integers(0, v, (n, m), dtype=np.int8), None


def _zipf(rng: Generator, n: int, m: int, v: int) -> Noise:
    shares = 1.0 / np.arange(1, v + 1)
    return rng.choice(v, (n, m), p=shares / shares.sum()).astype(np.int8), None


def _copies(rng: Generator, n: int, m: int, v: int) -> Noise:
    codes, _ = _uniform(rng, n, m, v)
    codes[:, 1] = codes[:, 0]
    return codes, None


def _pair(rng: Generator, n: int, m: int, v: int) -> Noise:
    """Two columns agree in 70 % of the rows; a pair is no cluster."""
    codes, _ = _uniform(rng, n, m, v)
    codes[:, 1] = np.where(rng.random(n) < 0.7, codes[:, 0], codes[:, 1])
    return codes, None


def _weighted(rng: Generator, n: int, m: int, v: int) -> Noise:
    return _zipf(rng, n, m, v)[0], rng.gamma(2.0, 0.5, n)


def _gaps(rng: Generator, n: int, m: int, v: int) -> Noise:
    """One cell in ten is missing."""
    codes, _ = _uniform(rng, n, m, v)
    cells = codes.astype(float)
    cells[rng.random((n, m)) < 0.1] = np.nan
    return cells, None


NOISE: dict[str, Callable[[Generator, int, int, int], Noise]] = {
    "uniform": _uniform,
    "Zipf": _zipf,
    "copies": _copies,
    "dependent pair": _pair,
    "weights": _weighted,
    "gaps": _gaps,
}


def _distinct(rng: Generator, n: int) -> Codes:
    """Draw distinct rows of 6 columns of 3 values."""
    every = np.indices((3,) * 6).reshape(6, -1).T
    return rng.permutation(every)[:n]


def _few(rng: Generator) -> Codes:
    return _distinct(rng, int(rng.integers(40, 100)))


def _with(
    weigh: Callable[[Generator, int], Any], n: int, m: int = 6, v: int = 3
) -> Callable[[Generator], Noise]:
    """Return what draws uniform rows, and their weights."""
    return lambda rng: (rng.integers(0, v, (n, m)), weigh(rng, n))


def _whole(rng: Generator, n: int) -> Any:
    return rng.integers(200, 5_001, n)


def _gamma(rng: Generator, n: int) -> Any:
    return rng.gamma(2.0, 0.5, n)


def _two_decimals(rng: Generator, n: int) -> Any:
    return np.round(_gamma(rng, n) + 0.05, 2)


def _of_strata(rng: Generator, n: int) -> Any:
    weights = rng.choice([0.61, 0.87, 1.13, 1.72, 2.35], n) * rng.choice([0.9, 1.07], n)
    return weights / weights.mean()


def _long_tail(rng: Generator, n: int) -> Any:
    return np.ceil(rng.lognormal(0.7, 1.0, n))


def _few_weighted(rng: Generator) -> Noise:
    rows = _few(rng)
    return rows, _whole(rng, len(rows))


REPEATED: dict[str, Callable[[Generator], Noise]] = {
    "40 to 99 rows, each 3 times": lambda rng: (np.repeat(_few(rng), 3, axis=0), None),
    "200 rows, each twice": lambda rng: (np.repeat(_distinct(rng, 200), 2, axis=0), None),
    "60 rows 3 times, one once": lambda rng: (_distinct(rng, 61), np.append(np.full(60, 3), 1)),
    "100 rows, drawn with replacement": lambda rng: (
        _distinct(rng, 100)[rng.integers(0, 100, 100)],
        None,
    ),
    "40 to 99 rows, 200 to 5,000": _few_weighted,
    "300 rows, 200 to 5,000": _with(_whole, 300),
    "150 rows, 2 to 9, one 1": lambda rng: (
        _distinct(rng, 150),
        np.append(rng.integers(2, 10, 149), 1),
    ),
    "150 rows, 1 to 9": _with(lambda rng, n: rng.integers(1, 10, n), 150),
    "80 rows, 1 to 3": _with(lambda rng, n: rng.integers(1, 4, n), 80),
    "200 rows, 1 to 3": _with(lambda rng, n: rng.integers(1, 4, n), 200),
    "150 rows, long tail": _with(_long_tail, 150),
    "60 rows, long tail": _with(_long_tail, 60),
    "150 rows, fractions": _with(_gamma, 150),
    "150 rows, of strata": _with(_of_strata, 150),
    "150 rows, two decimals": _with(_two_decimals, 150),
    "60 rows, two decimals": _with(_two_decimals, 60),
    "81 cells, 1,000 rows, 200 to 5,000": _with(_whole, 1_000, 4),
    "81 cells, 1,000 rows, fractions": _with(_gamma, 1_000, 4),
    "81 cells, 100 rows, 200 to 5,000": _with(_whole, 100, 4),
    "32 cells, 60 rows, 200 to 5,000": _with(_whole, 60, 5, 2),
}

Planted = tuple[Codes, int]


def _draw(
    rng: Generator,
    n: int,
    m: int,
    k: int,
    v: int,
    purity: float,
    shares: list[float] | None = None,
) -> Planted:
    """Draw rows whose cells have their class's typical value, or any."""
    classes = rng.choice(k, n, p=shares)
    typical = np.stack([rng.permutation(max(v, k))[:k] % v for _ in range(m)], axis=1)
    noise = rng.integers(0, v, (n, m))
    return np.where(rng.random((n, m)) < purity, typical[classes], noise), k


def _noisy(rng: Generator, n: int) -> Planted:
    codes, k = _draw(rng, n, 6, 3, 4, 0.6)
    return np.hstack([codes, rng.integers(0, 4, (n, 20))]), k


def _copied(rng: Generator, n: int) -> Planted:
    codes, k = _draw(rng, n, 8, 4, 3, 0.6)
    noise = rng.integers(0, 3, (n, 1))
    copies = np.where(rng.random((n, 5)) < 0.95, noise, rng.integers(0, 3, (n, 5)))
    return np.hstack([codes, copies]), k


def _rare(rng: Generator, n: int) -> Planted:
    codes, k = _draw(rng, n, 8, 3, 3, 0.55)
    return np.hstack([codes, np.minimum(rng.zipf(1.5, (n, 4)), 60)]), k


def _sizes(rng: Generator, n: int) -> Planted:
    classes = rng.integers(0, 3, n)
    columns = []
    for v in (2, 2, 2, 3, 3, 5, 8, 12, 20):
        typical = rng.permutation(max(v, 3))[:3] % v
        columns.append(np.where(rng.random(n) < 0.5, typical[classes], rng.integers(0, v, n)))
    return np.stack(columns, axis=1), 3


PLANTED: dict[str, Callable[[Generator, int], Planted]] = {
    "clean": lambda rng, n: _draw(rng, n, 10, 3, 4, 0.5),
    "noise columns": _noisy,
    "noise copied": _copied,
    "rare values": _rare,
    "unbalanced": lambda rng, n: _draw(rng, n, 10, 3, 4, 0.55, [0.8, 0.15, 0.05]),
    "skewed": lambda rng, n: _draw(rng, n, 10, 4, 4, 0.55, [0.4, 0.3, 0.2, 0.1]),
    "many classes": lambda rng, n: _draw(rng, n, 12, 8, 5, 0.5),
    "mixed sizes": _sizes,
}


if __name__ == "__main__":
    main()
