"""Ways to score unusual rows: ROC AUC of finding rows that were made unusual.

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
from untie import TableEncoder
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
    for kind, make in KINDS.items():
        print(f"## {kind}\n")
        table = [[name, *mean_scores(make(*load(name)))] for name in names]
        means = np.mean([row[1:] for row in table], axis=0).tolist()
        print_table(["data set", *SCORES], [*table, ["mean", *means]])


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
