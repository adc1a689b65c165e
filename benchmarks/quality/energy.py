"""What the default chose on the paper's tables, and whose the energy is: the values' or the trees'.

For each of the 25 sets: the way that was chosen, with the number of classes as the number of
clusters, and the shares of the values themselves (weighted one-hot encoding) and of the trees in
the variance of the vectors. The paper's objective has no part in any of it.
"""

from __future__ import annotations

import argparse
import warnings

from tables import PAPER, paper_tables
from untie import UNTIE
from untie.explain import weight_shares

QUICK = ["housevotes", "zoo", "hayesroth", "dnapromoter"]
NEARLY_ALL = 0.9
"""The values' share from which on vectors are weighted one-hot encoding and little else."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="four small sets")
    chosen_sets = QUICK if parser.parse_args().quick else PAPER
    warnings.simplefilter("ignore")
    print("\n| data set | chosen | % values themselves | % trees |\n|---|---|---|---|")
    of_values, ways = [], []
    for table in paper_tables(chosen_sets):
        encoder = UNTIE(table.n_classes).fit(table.X)
        frame = weight_shares(encoder, by="coupling")
        shares = dict(zip(frame["coupling"], frame["share"], strict=True))
        values, trees = shares.get("matching", 0.0), shares.get("tree", 0.0)
        ways.append(next(iter(encoder.gains_), "nothing to choose"))
        of_values.append(values)
        print(f"| {table.name} | {ways[-1]} | {100 * values:.0f} | {100 * trees:.0f} |", flush=True)
    most = sum(share >= NEARLY_ALL for share in of_values)
    print(f"\nOf {len(ways)} sets: " + ", ".join(f"{w} {ways.count(w)}" for w in sorted(set(ways))))
    print(f"At least {100 * NEARLY_ALL:.0f} % of the energy is the values' own on {most}.")


if __name__ == "__main__":
    main()
