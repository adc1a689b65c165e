"""What the default chose on the paper's tables, and whose the energy is: the values' or the trees'.

For each of the 25 sets: the way that was chosen, with the number of classes as the number of
clusters, and the shares of the values themselves (weighted one-hot encoding) and of the trees in
the variance of the vectors. A branch with a single value, and any column of two values, is weighted
one-hot encoding as well; so the last column has how much of the variance is, at least, in whatever
space. The paper's objective has no part in any of it.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tables import PAPER, paper_tables
from untie import TableEncoder
from untie.explain import weight_shares

QUICK = ["housevotes", "zoo", "hayesroth", "dnapromoter"]
NEARLY_ALL = 0.9
"""The values' share from which on vectors are weighted one-hot encoding and little else."""


def one_hot_share(encoder: Any) -> float:
    """Return a lower bound of the share of weighted one-hot encoding in the vectors' variance.

    The similarities of a column's values, M, are D + (M - D) with D diagonal. As long as M - D has
    no negative eigenvalue, D is a weighted one-hot encoding inside them; what a diagonal entry has
    beyond the sum of the others in its row may always be taken. Two values are always one-hot.
    """
    whole = one_hot = 0.0
    counts = encoder.counts_
    for attribute, column in enumerate(encoder.vocabulary_.columns):
        similarities = np.asarray(encoder.value_similarity(column), dtype=float)
        shares = counts.frequencies[counts.span(attribute)] / counts.n
        variance = centered_variance(similarities, shares)
        spare = 2 * np.diag(similarities) - np.abs(similarities).sum(axis=1)
        alone = centered_variance(np.diag(np.maximum(spare, 0.0)), shares)
        whole += variance
        one_hot += variance if np.count_nonzero(shares) <= 2 else min(alone, variance)
    return one_hot / whole if whole > 0 else 0.0


def centered_variance(similarities: NDArray[Any], shares: NDArray[Any]) -> float:
    """Return the variance of vectors with these inner products, which occur in these shares."""
    return float(shares @ np.diag(similarities) - shares @ similarities @ shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="four small sets")
    chosen_sets = QUICK if parser.parse_args().quick else PAPER
    warnings.simplefilter("ignore")
    print("\n| data set | chosen | % values themselves | % trees | % one-hot, at least |")
    print("|---|---|---|---|---|")
    of_values, of_one_hot, ways = [], [], []
    for table in paper_tables(chosen_sets):
        encoder = TableEncoder(table.n_classes, preparer=None).fit(table.X)
        frame = weight_shares(encoder, by="coupling")
        shares = dict(zip(frame["coupling"], frame["share"], strict=True))
        values, trees = shares.get("matching", 0.0), shares.get("tree", 0.0)
        ways.append(next(iter(encoder.gains_), "nothing to choose"))
        of_values.append(values)
        of_one_hot.append(one_hot_share(encoder))
        figures = [f"{100 * share:.0f}" for share in (values, trees, of_one_hot[-1])]
        print(f"| {table.name} | {ways[-1]} | {' | '.join(figures)} |", flush=True)
    most, more = (
        sum(share >= NEARLY_ALL for share in shares) for shares in (of_values, of_one_hot)
    )
    print(f"\nOf {len(ways)} sets: " + ", ".join(f"{w} {ways.count(w)}" for w in sorted(set(ways))))
    print(f"At least {100 * NEARLY_ALL:.0f} % of the energy is the values' own on {most}.")
    print(f"At least as much is weighted one-hot encoding on {more}; of the others, the least has")
    rest = [share for share in of_one_hot if share < NEARLY_ALL]
    print(
        f"{100 * min(rest, default=1):.0f} %, in the median {100 * np.median(rest or [1]):.0f} %."
    )


if __name__ == "__main__":
    main()
