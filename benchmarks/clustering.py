"""`TableClusterer()`, which chooses k, next to one-hot encoding and k-means with k given.

Tables of text with 10 columns of 5 values. A row has the value of its class with probability 0.6,
and any value else; scikit-learn is given the number of classes. Both run in turns with all cores,
and the best round of each counts. Measure on an idle machine: scikit-learn's threads wait for each
other, so other work slows it down more, and the ratios look better than they are.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from _timing import best_times, parse_quick, print_table, print_verdict
from untie import TableClusterer

N_CLASSES, N_COLUMNS, N_VALUES, PURITY = 4, 10, 5, 0.6

LIMITS = {10_000: 6.0, 100_000: 1.0}
"""How many times as long as scikit-learn it may take, by the number of rows."""


def main() -> None:
    quick = parse_quick(__doc__)
    rows, ratios = [], {}
    for n_rows in list(LIMITS)[: 1 if quick else None]:
        table = make_table(n_rows)
        names = ("untie", "scikit-learn")
        work = (partial(TableClusterer().fit, table), partial(one_hot_k_means, table))
        competitors = dict(zip(names, work, strict=True))
        walls = best_times(competitors, 3 if quick else 5)
        processors = best_times(competitors, 3 if quick else 5, clock=time.process_time)
        ratios[n_rows] = walls["untie"] / walls["scikit-learn"]
        for name in names:
            both = walls[name] / walls["scikit-learn"], processors[name] / processors[names[1]]
            rows.append([f"{n_rows:,}", name, walls[name], both[0], processors[name], both[1]])
    print("## Clusters with k chosen, next to one-hot encoding and k-means with k given\n")
    print_table(["rows", "", "seconds", "ratio", "processor (s)", "ratio "], rows)
    for n_rows, ratio in ratios.items():
        print_verdict(f"{n_rows:,} rows, times scikit-learn", ratio, LIMITS[n_rows])


def make_table(n_rows: int) -> pd.DataFrame:
    """Return rows of latent classes."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, N_CLASSES, n_rows)
    typical = rng.integers(0, N_VALUES, (N_CLASSES, N_COLUMNS))
    any_value = rng.integers(0, N_VALUES, (n_rows, N_COLUMNS))
    codes = np.where(rng.random(any_value.shape) < PURITY, typical[classes], any_value)
    names = np.array([f"v{value}" for value in range(N_VALUES)])
    return pd.DataFrame(names[codes], columns=[f"c{number}" for number in range(N_COLUMNS)])


def one_hot_k_means(table: pd.DataFrame) -> Any:
    """Cluster a table as one would with scikit-learn."""
    return make_pipeline(OneHotEncoder(), KMeans(N_CLASSES, n_init=10, random_state=0)).fit(table)


if __name__ == "__main__":
    main()
