"""The number of clusters by several rules, beside the number of classes.

On tables drawn from latent classes the number is known. On the bundled data sets the number of
classes is no truth: classes may split into groups that differ in the columns, or not differ in
them at all. So the adjusted Rand index of the clusters and the classes is shown, too. No rule
sees a class.

The rules: the highest gain on hidden cells, silhouette or stability, what `untie.choose_k` chooses
(the smallest number that does about as well as the best by the gain), and the encoder's own number,
from the spectrum of the counts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from _timing import parse_quick, print_table
from untie import KChoice, TableClusterer, TableEncoder, choose_k
from untie.datasets import bundled_names, load

KS = range(2, 13)
RULES = ("gain", "silhouette", "stability")
CHOICE, ENCODER = "choose_k", "encoder"


def main() -> None:
    quick = parse_quick(__doc__)
    warnings.simplefilter("ignore")
    print("## Tables of latent classes: share of right numbers\n")
    compare_made(quick)
    print("## Bundled data sets: number chosen (adjusted Rand index with the classes)\n")
    compare_bundled(["zoo", "wisconsin", "crx"] if quick else bundled_names())


def compare_made(quick: bool) -> None:
    """Print how often each rule finds the number of latent classes."""
    right: dict[str, list[bool]] = {rule: [] for rule in (*RULES, CHOICE, ENCODER)}
    found_none = []
    for n_classes, table in made_tables(quick):
        chosen, choice = choices(TableEncoder(preparer=None).fit(table), table)
        if n_classes == 1:
            found_none.append(not choice.found_clusters)
            continue
        for rule, k in chosen.items():
            right[rule].append(k == n_classes)
    rows = [(rule, float(np.mean(hits)), len(hits)) for rule, hits in right.items()]
    print_table(["rule", "right", "tables"], rows)
    print(f"Tables without classes: {len(found_none)}; said to have none: {sum(found_none)}\n")


def made_tables(quick: bool) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield tables with 1 to 8 classes; a cell has its class's value with chance `purity`."""
    for n_classes in (1, 2, 3, 4, 5, 6, 8):
        for n_rows, n_columns, purity in ((2000, 12, 0.5), (2000, 12, 0.8), (300, 8, 0.7)):
            for seed in range(1 if quick else 3):
                rng = np.random.default_rng([seed, n_classes, n_rows])
                classes = rng.integers(0, n_classes, n_rows)
                typical = rng.integers(0, 5, (n_classes, n_columns))
                noise = rng.integers(0, 5, (n_rows, n_columns))
                keeps = rng.random(noise.shape) < purity
                yield n_classes, np.where(keeps, typical[classes], noise)


def compare_bundled(names: list[str]) -> None:
    """Print what each rule chooses, and how well the clusters match the classes."""
    rows, scores = [], []
    for name in names:
        X, y = load(name)
        encoder = TableEncoder(preparer=None).fit(X)
        chosen, choice = choices(encoder, X)
        index = {k: rand_index(X, y, k) for k in {*chosen.values(), y.nunique()}}
        scores.append([*(index[k] for k in chosen.values()), index[y.nunique()]])
        cells = [f"{k} ({index[k]:.2f})" for k in chosen.values()]
        classes = f"{y.nunique()} ({index[y.nunique()]:.2f})"
        rows.append([name, *cells, classes, f"{choice.how_sure:.1f}"])
    means = [f"({mean:.3f})" for mean in np.mean(scores, axis=0)]
    rows.append(["mean", *means, ""])
    print_table(["data set", *RULES, CHOICE, ENCODER, "classes", "how sure"], rows)


def choices(encoder: TableEncoder, table: Any) -> tuple[dict[str, int], KChoice]:
    """Return the number that each rule chooses."""
    choice = choose_k(encoder, table, KS)
    chosen = {rule: choice.ks[int(np.argmax(getattr(choice, rule)))] for rule in RULES}
    return {**chosen, CHOICE: choice.k, ENCODER: encoder.n_clusters_}, choice


def rand_index(table: Any, classes: Any, k: int) -> float:
    """Return the adjusted Rand index of k clusters and the classes."""
    labels = TableClusterer(k, encoder=TableEncoder(preparer=None), preparer=None).fit_predict(
        table
    )
    return float(adjusted_rand_score(classes, labels))


if __name__ == "__main__":
    main()
