"""How much groups depend on what should not matter: seeds, ranges of numbers, text for types.

On the real mixed tables of `quality/mixed_tables.py` ``TableClusterer(preparer=Preparer())``
chooses the number of groups. The tables below say, for each: the number for 20 seeds, and how many
of them have the commonest; the number for 3 to 8 ranges per column of numbers, and the mean
adjusted Rand index of these groupings with one another; and whether reading every cell as text
gives the same groups. Labels are not used.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score

from _timing import print_table
from untie import Preparer, TableClusterer

SEEDS, BINS = range(20), range(3, 9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three tables, five seeds")
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--pickle", help="tables by name, instead of those of the packages")
    options = parser.parse_args()
    tables = load(options.pickle)
    seeds = list(range(options.seeds))
    if options.quick:
        tables, seeds = dict(list(tables.items())[:3]), seeds[:5]
    ways: list[tuple[str, Any]] = [("seed", s) for s in seeds] + [("bins", b) for b in BINS]
    ways.append(("text", None))
    tasks = [(name, way) for name in tables for way in ways]
    found = Parallel(options.jobs)(delayed(groups)(tables[n], *way) for n, way in tasks)
    results = {(name, *way): labels for (name, way), labels in zip(tasks, found, strict=True)}
    show(list(tables), results, seeds)


def load(pickle: str | None) -> dict[str, pd.DataFrame]:
    """Return the tables without their classes, by name."""
    if pickle is not None:
        return {name: X for name, (X, _) in sorted(pd.read_pickle(pickle).items())}
    from quality.mixed_tables import mixed_tables

    return {table.name: table.X for table in mixed_tables()}


def groups(X: pd.DataFrame, what: str, value: Any) -> tuple[bool, np.ndarray]:
    """Return whether groups were found, and each row's."""
    warnings.simplefilter("ignore")
    preparer = Preparer(bins=value) if what == "bins" else Preparer()
    if what == "text":
        X = X.astype(object).where(X.notna(), None).map(lambda c: c if c is None else str(c))
    seed = value if what == "seed" else 0
    clusterer = TableClusterer(preparer=preparer, random_state=seed).fit(X)
    choice = clusterer.k_choice_
    return bool(choice is not None and choice.found_clusters), clusterer.labels_


def show(names: list[str], results: dict[Any, Any], seeds: list[int]) -> None:
    lines, steady, close, agree, same = [], 0, 0, 0, 0
    for name in names:
        of_seeds = [results[name, "seed", seed] for seed in seeds]
        ks = Counter(int(labels.max()) + 1 for _, labels in of_seeds)
        k, times = ks.most_common(1)[0]
        of_bins = [results[name, "bins", bins][1] for bins in BINS]
        numbers = [int(labels.max()) + 1 for labels in of_bins]
        rand = np.mean([adjusted_rand_score(a, b) for a, b in combinations(of_bins, 2)])
        as_text = adjusted_rand_score(of_seeds[0][1], results[name, "text", None][1])
        found = np.mean([was_found for was_found, _ in of_seeds])
        steady += times >= 0.9 * len(seeds)
        close += max(numbers) - min(numbers) <= 1
        agree += rand >= 0.8
        same += as_text == 1.0
        spread = " ".join(map(str, numbers))
        cells = (f"{k} ({times} of {len(seeds)})", f"{found:.2f}", spread, float(rand), as_text)
        lines.append((name, *cells))
    header = ["table", "k (seeds)", "found", "k for 3 to 8 ranges", "agreement", "as text"]
    print_table(header, lines)
    n = len(names)
    print(
        f"Of {n} tables: k is the same for 9 of 10 seeds on {steady}; k for 3 to 8 ranges differs"
    )
    print(f"by at most one on {close}; their groups agree by at least 0.8 on {agree}; text gives")
    print(f"the same groups on {same}.")


if __name__ == "__main__":
    main()
