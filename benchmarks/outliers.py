"""Unusual rows: how they are scored, and how many of them are listed.

First, whether rows are listed that are not unusual, and whether those that are made so are: in
tables of independent columns, in classes with noise, and in the bundled tables. Rows are made
unusual by drawing all or a fifth of their cells anew, or, in classes, by giving half of their
columns the values of another class.

Then the ways to score rows: ROC AUC of finding rows that were made unusual.

Three kinds: all cells of a row drawn independently from their columns (odd combinations of
values as frequent as ever), a fifth of the cells drawn so, and a class made rare (5 % of
the rows, as in `untie_paper.outliers`). The ways: the sum of the surprises of pairs (what
`untie.explain.outliers` does), the same with negative terms kept, the sum of the values' rarities,
and the squared distance to the mean vector.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from _timing import parse_quick, print_table
from untie import UNTIE, TableEncoder
from untie.datasets import load
from untie.explain import outliers
from untie_paper.outliers import rare_classes, rare_values

DATASETS = (
    "soybeanlarge",
    "dermatology",
    "wisconsin",
    "crx",
    "mammographic",
    "mushroom",
    "tictactoe",
)
MOST_ROWS, SHARE = 1500, 0.05

Cases = Iterator[tuple[Any, NDArray[np.bool_]]]


def main() -> None:
    quick = parse_quick(__doc__)
    warnings.simplefilter("ignore")
    names = DATASETS[:2] if quick else DATASETS
    print("## Rows that are listed\n")
    n_tables = 4 if quick else 40
    head = ["tables", "rows", "columns", "tables with any", "rows listed", "planted", "found"]
    print_table(head, [line for kind in ORDINARY for line in listed_of_many(kind, n_tables)])
    head = ["data set", "rows", "listed", "made unusual", "found", "others listed"]
    print_table(head, [line for name in names for line in listed_of_one(name)])
    for kind, make in KINDS.items():
        print(f"## {kind}\n")
        table = [[name, *mean_scores(make(*load(name)))] for name in names]
        means = np.mean([row[1:] for row in table], axis=0).tolist()
        print_table(["data set", *SCORES], [*table, ["mean", *means]])


def independent(shares: Any) -> Callable[..., NDArray[np.str_]]:
    """Return a maker of tables whose columns have values of given shares, and no more."""
    p = np.array(shares, dtype=float) / np.sum(shares)

    def make(rng: np.random.Generator, n: int, m: int, odd: NDArray[np.intp]) -> NDArray[np.str_]:
        return rng.choice(len(p), (n, m), p=p).astype(str)

    return make


def in_classes(noise: float) -> Callable[..., NDArray[np.str_]]:
    """Return a maker of tables with 3 classes; odd rows are half of one and half of another."""

    def make(rng: np.random.Generator, n: int, m: int, odd: NDArray[np.intp]) -> NDArray[np.str_]:
        typical = np.stack([rng.permutation(4)[:3] for _ in range(m)])
        classes = np.repeat(rng.integers(0, 3, n)[:, None], m, axis=1)
        classes[odd, : m // 2] = (classes[odd, : m // 2] + 1) % 3
        codes = typical[np.arange(m), classes]
        return np.where(rng.random((n, m)) < noise, rng.integers(0, 4, (n, m)), codes).astype(str)

    return make


ORDINARY: dict[str, Callable[..., NDArray[np.str_]]] = {
    "independent, 3 values": independent([1, 1, 1]),
    "independent, 10% or 3% rare": independent([87, 10, 3]),
    "independent, 20 values": independent(1 / np.arange(1, 21)),
    "classes, 2% noise": in_classes(0.02),
    "classes, 10% noise": in_classes(0.1),
    "classes, 30% noise": in_classes(0.3),
}


def listed_of_many(kind: str, n_tables: int) -> Iterator[list[Any]]:
    """Yield how many rows of made tables are listed, of each size."""
    for n, m in ((100, 4), (100, 16), (1000, 4), (1000, 16)):
        sizes, hits = [], []
        odd = np.arange(n // 100)
        for seed in range(n_tables):
            rng = np.random.default_rng(seed)
            sizes.append(len(unusual(ORDINARY[kind](rng, n, m, odd[:0]))))
            if kind.startswith("classes"):
                hits.append(len(unusual(ORDINARY[kind](rng, n, m, odd)) & set(odd.tolist())))
        found = [len(odd), f"{np.mean(hits) / len(odd):.0%}"] if hits else ["", ""]
        yield [kind, n, m, f"{np.mean(np.array(sizes) > 0):.0%}", f"{np.mean(sizes):.1f}", *found]


def listed_of_one(name: str) -> Iterator[list[Any]]:
    """Yield how many rows of a bundled table are listed, and how many of those made unusual."""
    table = load(name)[0]
    table = table.sample(min(len(table), MOST_ROWS), random_state=0).reset_index(drop=True)
    before = unusual(table)
    for how, share in (("all cells", 1.0), ("a fifth", 0.2)):
        rng = np.random.default_rng(0)
        cells = table.to_numpy(dtype=object)
        is_odd = np.isin(np.arange(len(cells)), rng.permutation(len(cells))[: len(cells) // 100])
        drawn = np.stack([rng.permutation(column) for column in cells.T], axis=1)
        change = is_odd[:, None] & (rng.random(cells.shape) < share)
        found = unusual(type(table)(np.where(change, drawn, cells), columns=table.columns))
        odd = set(np.flatnonzero(is_odd).tolist())
        counts = [f"{len(odd)} ({how})", len(found & odd), len(found - odd)]
        yield [name, len(table), len(before), *counts]


def unusual(table: Any) -> set[int]:
    """Return the positions of all rows that are unusual; scores are of counts alone."""
    found = outliers(UNTIE(solver="uniform").fit(table), table, n=len(table))
    return set(found.position[found.unusual].tolist())


def mean_scores(cases: Cases) -> list[float]:
    """Return the mean AUC of each way over some tables."""
    found = [
        [
            roc_auc_score(is_odd, score(TableEncoder(preparer=None).fit(table), table))
            for score in SCORES.values()
        ]
        for table, is_odd in cases
    ]
    return np.mean(found, axis=0).tolist()


def redrawn(share_of_cells: float) -> Callable[[Any, Any], Cases]:
    """Return a maker of tables in which some rows have cells of other rows."""

    def make(table: Any, _: Any) -> Cases:
        rng = np.random.default_rng(0)
        kept = table.sample(min(len(table), MOST_ROWS), random_state=0)
        cells = kept.to_numpy(dtype=object)
        is_odd = rng.random(len(cells)) < SHARE
        drawn = np.stack([rng.permutation(column) for column in cells.T], axis=1)
        change = is_odd[:, None] & (rng.random(cells.shape) < share_of_cells)
        yield type(table)(np.where(change, drawn, cells), columns=table.columns), is_odd

    return make


def rare_class(table: Any, classes: Any) -> Cases:
    """Yield tables in which one class after the other is rare."""
    y = classes.to_numpy()
    for name, rows in rare_classes(y, 0, SHARE, MOST_ROWS):
        yield table.iloc[rows].reset_index(drop=True), y[rows].astype(str) == name


def surprises(encoder: TableEncoder, table: Any) -> NDArray[np.float64]:
    found = outliers(encoder, table, n=len(table))
    return found.sort_values("position").score.to_numpy()


def with_negative_terms(encoder: TableEncoder, table: Any) -> NDArray[np.float64]:
    counts, codes = encoder.counts_, encoder._codes(table)
    margins = [counts.frequencies[counts.span(j)][column] - 1 for j, column in enumerate(codes)]
    total = np.zeros(len(table))
    for j, k in combinations(range(len(codes)), 2):
        seen = counts.block(j, k)[codes[j], codes[k]] - 1
        total += np.log((margins[j] * margins[k] / (counts.n - 1) + 1) / (seen + 1))
    return total


def distance_to_the_mean(encoder: TableEncoder, table: Any) -> NDArray[np.float64]:
    vectors = encoder.transform(table)
    return np.square(vectors - vectors.mean(axis=0)).sum(axis=1)


SCORES: dict[str, Callable[[TableEncoder, Any], NDArray[np.float64]]] = {
    "surprises": surprises,
    "negative terms kept": with_negative_terms,
    "rarities": lambda _, table: rare_values(table),
    "distance to the mean": distance_to_the_mean,
}
KINDS = {
    "All cells redrawn": redrawn(1.0),
    "A fifth of the cells redrawn": redrawn(0.2),
    "A class made rare": rare_class,
}


if __name__ == "__main__":
    main()
