"""How much the clusters change with the seed alone.

``TableClusterer()`` is fitted to the labeled tables of `verdict.py` with ten seeds. The number of
clusters does not depend on the seed. Per table: the number, whether the clusters are stable, the
mean and the standard deviation over the seeds of the adjusted Rand index with the classes, and the
lowest adjusted Rand index between the clusters of two seeds. Only tables on which a seed changes
anything are printed; the summary counts all of them.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import combinations
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score

from _timing import print_table
from untie import TableClusterer
from verdict import Table, load

SEEDS = 10
LARGE = 0.02
"""Tables with a larger standard deviation are counted."""


class Spread(NamedTuple):
    """What ten seeds make of a table."""

    name: str
    k: int
    found: bool
    scores: tuple[float, ...]
    lowest: float

    @property
    def sd(self) -> float:
        """Standard deviation over the seeds of the agreement with the classes."""
        return float(np.std(self.scores))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="five small tables, three seeds")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--pickle", help="tables by kind and name, instead of the packages'")
    options = parser.parse_args()
    tables = sorted(load(options.pickle), key=lambda table: -table.X.size)
    tables, seeds = (tables[-5:], 3) if options.quick else (tables, SEEDS)
    pool = Parallel(options.jobs, batch_size=1)
    spreads = pool(delayed(spread)(table, seeds) for table in tables)
    moved = [one for one in spreads if one.lowest < 1]
    print_table(
        ["table", "k", "stable", "mean ARI", "sd", "lowest agreement"],
        [
            (
                one.name,
                one.k,
                "yes" if one.found else "no",
                f"{np.mean(one.scores):.3f}",
                f"{one.sd:.4f}",
                f"{one.lowest:.2f}",
            )
            for one in sorted(moved, key=lambda one: -one.sd)
        ],
    )
    for kind, chosen in (("stable", True), ("other", False)):
        part = [one for one in spreads if one.found is chosen]
        sds = [one.sd for one in part] or [0.0]
        print(
            f"{len(part)} {kind} tables: a seed changes {sum(one.lowest < 1 for one in part)}; "
            f"largest sd {max(sds):.4f}; above {LARGE}: {sum(sd > LARGE for sd in sds)}"
        )


def spread(table: Table, n_seeds: int) -> Spread:
    """Fit a table with some seeds."""
    warnings.simplefilter("ignore")  # constant columns, more clusters than distinct rows
    fits = [TableClusterer(random_state=seed).fit(table.X) for seed in range(n_seeds)]
    scores = tuple(float(adjusted_rand_score(table.y, fit.labels_)) for fit in fits)
    pairs = combinations((fit.labels_ for fit in fits), 2)
    choice = fits[0].k_choice_
    return Spread(
        table.name,
        fits[0].n_clusters_,
        choice is not None and choice.found_clusters,
        scores,
        min(float(adjusted_rand_score(a, b)) for a, b in pairs),
    )


if __name__ == "__main__":
    main()
