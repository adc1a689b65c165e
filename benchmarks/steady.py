"""How much the answer changes when the table changes in a way that should not matter.

``TableClusterer()`` chooses the number of clusters of real tables, and again after each change: of
the seed, of a row or a few cells, of a column that says nothing new. For each change, the first
table says in how many tables the number changes, in how many the clusters do (they agree by less
than 0.9, adjusted Rand index, over the rows that both have), and in how many the verdict does
(stable clusters or not). The last two columns are the same for the tables in which stable clusters
were found. ``--given`` adds the same with the number of clusters given. Labels are not used.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from _timing import print_table
from untie import TableClusterer

ALIKE = 0.9
"""Clusters that agree less than this have changed."""

MOST_ROWS = 5_000
"""Of larger tables, this many rows are drawn."""

Rows = NDArray[np.intp]
Change = Callable[[pd.DataFrame, np.random.Generator], tuple[pd.DataFrame, Rows]]
"""Returns a table, and which row of the table before each of its rows was."""


class Answer(NamedTuple):
    """What was said of a table."""

    k: int
    found: bool
    labels: NDArray[np.intp]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="four small tables")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--draws", type=int, default=1, help="times that each change is drawn")
    parser.add_argument("--given", action="store_true", help="also with the number given")
    parser.add_argument("--pickle", help="tables by name, instead of those of the packages")
    parser.add_argument("--each", action="store_true", help="a line for each table as well")
    options = parser.parse_args()
    tables = dict(load(options.pickle))
    if options.quick:
        small = sorted(tables, key=lambda name: tables[name].size)[-4 - len(tables) // 2 :][:4]
        tables = {name: tables[name] for name in small}
    tasks = [(n, c, d) for n in tables for c in (None, *CHANGES) for d in range(options.draws)]
    tasks = [task for task in tasks if task[1] is not None or task[2] == 0]
    tasks.sort(key=lambda task: -tables[task[0]].size)
    pool = Parallel(options.jobs, batch_size=1)
    found = pool(delayed(answer)(tables[n], c, d) for n, c, d in tasks)
    show("number chosen", dict(zip(tasks, found, strict=True)), options.each)
    if options.given:
        ks = {task[0]: result.k for task, result in zip(tasks, found, strict=True) if not task[1]}
        found = pool(delayed(answer)(tables[n], c, d, ks[n]) for n, c, d in tasks)
        show("number given", dict(zip(tasks, found, strict=True)), options.each)


def load(pickle: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield tables without their classes, by name."""
    for name, X in _tables(pickle):
        if len(X) > MOST_ROWS:
            X = X.sample(MOST_ROWS, random_state=0)
        yield name, X.reset_index(drop=True)


def _tables(pickle: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
    if pickle is not None:
        yield from ((str(name), X) for name, (X, _) in sorted(pd.read_pickle(pickle).items()))
        return
    from quality.mixed_tables import mixed_tables
    from quality.tables import paper_tables
    from quality.word_tables import word_tables

    for kind in (paper_tables, mixed_tables, word_tables):
        yield from ((f"{kind.__name__}: {table.name}", table.X) for table in kind())


def answer(X: pd.DataFrame, change: str | None, draw: int, k: int | None = None) -> Answer:
    """Return what is said of a table after a change, for the rows of the table before."""
    warnings.simplefilter("ignore")
    rows = np.arange(len(X))
    if change is not None:
        X, rows = CHANGES[change](X, np.random.default_rng(draw))
    seed = draw + 1 if change == "another seed" else 0
    clusterer = TableClusterer("auto" if k is None else k, random_state=seed).fit(X)
    labels = np.full(rows.max() + 1, -1)
    labels[rows] = clusterer.labels_
    choice = clusterer.k_choice_
    found = choice is not None and choice.found_clusters
    return Answer(clusterer.n_clusters_, found, labels)


def _all(X: pd.DataFrame) -> Rows:
    return np.arange(len(X))


def _same(X: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, Rows]:
    return X, _all(X)


def _without(share: float) -> Change:
    def change(X: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, Rows]:
        n_dropped = max(1, round(share * len(X)))
        kept = np.sort(rng.permutation(len(X))[n_dropped:])
        return X.iloc[kept].reset_index(drop=True), kept

    return change


def _with_gaps(X: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, Rows]:
    return X.mask(rng.random(X.shape) < 0.01), _all(X)


def _with_copies(n_copies: int) -> Change:
    def change(X: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, Rows]:
        column = X.iloc[:, rng.integers(X.shape[1])]
        return X.assign(**{f"copy {n}": column for n in range(n_copies)}), _all(X)

    return change


def _with_noise(X: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, Rows]:
    return X.assign(noise=rng.choice(["u", "v", "w"], len(X))), _all(X)


def _with_constant(X: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, Rows]:
    return X.assign(constant="the same"), _all(X)


def _renamed(X: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, Rows]:
    """Add a letter to the words of columns that have nothing but words."""
    words = [c for c in X if X[c].map(lambda v: isinstance(v, str) and v.isalpha()).all()]
    return X.assign(**{c: X[c] + "x" for c in words}), _all(X)


def _split_value(X: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, Rows]:
    column = X.columns[rng.integers(X.shape[1])]
    cells = X[column].astype(object)
    value = cells.value_counts().index[0]
    halves = (cells == value) & (rng.random(len(X)) < 0.5)
    return X.assign(**{column: cells.mask(halves, f"{value}, too")}), _all(X)


def _twice(X: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, Rows]:
    return pd.concat([X, X], ignore_index=True), np.concatenate([_all(X), _all(X)])


CHANGES: dict[str, Change] = {
    "another seed": _same,
    "one row dropped": _without(0.0),
    "1% of rows dropped": _without(0.01),
    "1% of cells missing": _with_gaps,
    "a copy of a column": _with_copies(1),
    "three copies": _with_copies(3),
    "a constant column": _with_constant,
    "texts renamed": _renamed,
    "a noise column": _with_noise,
    "a value split at random": _split_value,
    "the table twice": _twice,
}


def show(title: str, answers: dict[tuple[str, str | None, int], Answer], each: bool) -> None:
    lines, of_tables = [], []
    before = {name: found for (name, change, _), found in answers.items() if change is None}
    n_stable = sum(found.found for found in before.values())
    for change in CHANGES:
        after = [(name, found) for (name, other, _), found in answers.items() if other == change]
        differs = np.array([_differs(before[name], found) for name, found in after])
        stable = np.array([before[name].found for name, _ in after])
        shares = [f"{share:.0%}" for share in differs.mean(axis=0)]
        if n_stable:
            shares += [f"{share:.0%}" for share in differs[stable][:, :2].mean(axis=0)]
        lines.append([change, *shares])
        pairs = zip(after, differs.tolist(), strict=True)
        of_tables += [[name, change, *map(int, of_table)] for (name, _), of_table in pairs]
    head = [f"{title}, {len(before)} tables", "k", "clusters", "verdict"]
    print_table([*head, *([f"k ({n_stable} stable)", "clusters"] if n_stable else [])], lines)
    if each:
        changed = [line for line in of_tables if any(line[2:])]
        print_table(["table", "change", "k", "clusters", "verdict"], changed)


def _differs(before: Answer, after: Answer) -> tuple[bool, bool, bool]:
    """Return whether the number, the clusters and the verdict changed."""
    n = min(len(before.labels), len(after.labels))
    known = np.flatnonzero((before.labels[:n] >= 0) & (after.labels[:n] >= 0))
    agreement = adjusted_rand_score(before.labels[known], after.labels[known])
    return before.k != after.k, agreement < ALIKE, before.found != after.found


if __name__ == "__main__":
    main()
