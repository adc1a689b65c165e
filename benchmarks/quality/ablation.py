"""Every representation that was tried, alone and as a candidate of the choice.

Each is clustered on the paper's sets, other real tables, made ones and, where the variable
UNTIE_PEERS names their folder, the peers' tables (k-means on distinct rows, 5 to 30 starts, two
seeds), and scored by macro F and the adjusted Rand index. Then the yardstick in use chooses, table
by table, among sets of candidates; and other yardsticks, and other widths of near ties, which fall
to the first candidate, choose among the sets that are or were the default's.

The last column is the mean difference in F to the first representation alone, and its standard
error, over families of tables (`held_back.py`): some tables are in more than one ground.
Tables that are held back are left out unless asked for.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.random import RandomState
from numpy.typing import NDArray

from held_back import family_of, is_held_back
from representations import IDEAS, View, shortened
from scores import mean_rank
from tables import LabeledTable, made_tables, paper_tables, peer_tables, real_tables
from untie import count_table
from untie._learn.learning import SAME_GAIN
from untie._learn.selection.cluster_gain import description_gain, number_of_starts
from untie._util.k_means import best_labels
from untie._util.types import FloatArray
from untie_paper.evaluation import adjusted_rand_index, clustering_f_score
from yardsticks import Rows, half_prior_gain, pseudo_likelihood_gain

STARTS, SEEDS = 30, 2
GROUNDS = ("paper", "real", "made", "peers")

PAIR = ["couplings", "relevance"]
OLD = ["kernels 0.01, relevance", "kernels 0.1, values", "kernels"]
CHOICES = [
    PAIR,
    [*PAIR, "kernels"],
    [*PAIR, "values"],
    [*PAIR, "one-hot"],
    [*PAIR, "MCA axes above the noise"],
    [*PAIR, "factor coupling"],
    ["trees 0.5, values", "relevance"],
    ["trees 0.3, values", "relevance"],
    ["trees", "relevance"],
    ["trees 0.5, values", "trees 0.5, relevance"],
    ["CDE 0.5, values", "relevance"],
    ["relevance", "couplings"],
    OLD,
    list(IDEAS),
]
"""What the yardstick in use chooses from; the first has the near ties."""

IN_USE = "numbers k - 1, k, k + 1"
GAINS: dict[str, Callable[[Rows, NDArray[np.intp]], float]] = {
    "": lambda rows, labels: description_gain(
        rows.codes, rows.sizes, rows.times, labels, rows.votes
    ),
    ", Dirichlet(1/2)": half_prior_gain,
    ", pseudo-likelihood": pseudo_likelihood_gain,
}
YARDSTICKS = [f"{numbers}{gain}" for gain in GAINS for numbers in (IN_USE, "k alone")]
TIES = (0.0, SAME_GAIN, 0.1)

Key = tuple[str, str]
"""The ground and the name of a table; grounds share names."""

Results = dict[str, list[float]]
"""The scores ("F", "ARI") and the yardsticks of an idea on a table, for each seed."""

Found = dict[Key, dict[str, Results]]
"""By table and idea."""


def gather(grounds: Iterable[str], quick: bool) -> Iterator[LabeledTable]:
    """Yield the tables of some grounds."""
    if "paper" in grounds:
        yield from paper_tables(["hayesroth", "housevotes", "hepatitis"] if quick else None)
    if "made" in grounds:
        yield from made_tables(1 if quick else 2)
    if "real" in grounds and not quick:
        yield from real_tables()
    folder = os.environ.get("UNTIE_PEERS")
    if "peers" in grounds and folder and not quick:
        yield from peer_tables(Path(folder) / "tables")


def is_in(table: LabeledTable, part: str) -> bool:
    return part == "all" or is_held_back(table.name, table.kind) == (part == "held-back")


def cut(table: LabeledTable, most_rows: int) -> LabeledTable:
    """Draw some rows of a large table, the same ones every time."""
    if len(table.X) <= most_rows:
        return table
    drawn = np.sort(RandomState(0).permutation(len(table.X))[:most_rows])
    X = table.X.iloc[drawn].reset_index(drop=True)
    return LabeledTable(table.name, table.kind, X, pd.factorize(table.y[drawn])[0])


def evaluate(table: LabeledTable, ideas: Sequence[str], on_gpu: bool) -> dict[str, Results]:
    """Return the scores and every yardstick of each idea."""
    counted = count_table(table.X)
    counts = counted.counts
    codes = np.stack(
        [
            pd.Categorical(table.X[c], categories=v).codes
            for c, v in zip(table.X, counted.vocabulary.values, strict=True)
        ],
        axis=1,
    ).astype(np.intp)
    distinct, inverse, times = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    view = View(counts, table.n_classes)
    rows = Rows(distinct, counts.sizes, times.astype(float), view.votes)
    k_means = clusterer(on_gpu)
    found = {}
    for name in ideas:
        X = vectors(IDEAS[name](view), view, distinct)
        seeds = [judge(X, rows, inverse.ravel(), table.y, seed, k_means) for seed in range(SEEDS)]
        found[name] = {key: [seed[key] for seed in seeds] for key in seeds[0]}
    return found


def vectors(matrix: FloatArray, view: View, rows: NDArray[np.intp]) -> FloatArray:
    """Return the vectors of rows, but for a shift the same for all."""
    blocks = [block - block.mean(axis=0) for block in view.blocks(matrix)]
    matrix = shortened(np.vstack(blocks))
    return sum(matrix[s + c] for s, c in zip(view.counts.offsets[:-1], rows.T, strict=True))


def clusterer(on_gpu: bool) -> Callable[..., NDArray[np.intp]]:
    if on_gpu:
        from gpu_k_means import best_labels as on_a_gpu

        return on_a_gpu
    return best_labels


def judge(
    X: FloatArray,
    rows: Rows,
    inverse: NDArray[np.intp],
    y: NDArray[np.intp],
    seed: int,
    k_means: Callable[..., NDArray[np.intp]],
) -> dict[str, float]:
    """Cluster for k - 1, k and k + 1; return the scores for k, and every yardstick."""
    k = int(y.max()) + 1
    gains: dict[int, dict[str, float]] = {}
    result: dict[str, float] = {}
    for number in (number for number in (k - 1, k, k + 1) if 1 < number <= len(X)):
        n_starts = min(STARTS, number_of_starts(X, number))
        labels = k_means(X, rows.times, number, n_starts, RandomState(seed))
        if number == k:
            given = (y, labels[inverse])
            result = {
                "F": 100 * clustering_f_score(*given),
                "ARI": 100 * adjusted_rand_index(*given),
            }
        if len(np.unique(labels)) == number:
            gains[number] = {name: gain(rows, labels) for name, gain in GAINS.items()}
    numbers = [number for number in (k - 1, k, k, k + 1) if number in gains]
    for name in GAINS:
        possible = k in gains
        mean = float(np.mean([gains[n][name] for n in numbers])) if possible else -np.inf
        result[f"{IN_USE}{name}"] = mean
        result[f"k alone{name}"] = gains[k][name] if possible else -np.inf
    return result


def alone(found: Found, idea: str) -> pd.DataFrame:
    """Return both scores of an idea, a row for each table."""
    return pd.DataFrame(
        {key: {m: np.mean(ideas[idea][m]) for m in ("F", "ARI")} for key, ideas in found.items()}
    ).T


def chosen(found: Found, candidates: list[str], yardstick: str, tie: float) -> pd.DataFrame:
    """Return the scores of what a yardstick chooses, seed by seed."""
    scores = {}
    for key, ideas in found.items():
        picks = [
            first_of_best({c: ideas[c][yardstick][seed] for c in candidates}, tie)
            for seed in range(SEEDS)
        ]
        scores[key] = {
            measure: np.mean([ideas[pick][measure][seed] for seed, pick in enumerate(picks)])
            for measure in ("F", "ARI")
        }
    return pd.DataFrame(scores).T


def first_of_best(gains: Mapping[str, float], tie: float) -> str:
    """Return the first candidate whose gain is the highest, or nearly.

    Examples
    --------
    >>> first_of_best({"a": 1.0, "b": 1.05, "c": 0.5}, 0.1)
    'a'
    """
    highest = max(gains.values())
    return next(name for name, gain in gains.items() if gain >= highest - tie)


def best(found: Found, candidates: list[str]) -> pd.DataFrame:
    """Return the scores of the candidates that are best for the labels, by each score."""
    every = [alone(found, idea) for idea in candidates]
    return pd.concat(every, keys=range(len(every))).groupby(level=[1, 2], sort=False).max()


def line(labels: Sequence[str], scores: pd.DataFrame, first: pd.DataFrame) -> str:
    """Return a line of mean F / mean ARI by ground, with the mean rank on the paper's sets.

    Parameters
    ----------
    labels : sequence of str
        What the line begins with.
    scores : DataFrame
        A row for each table.
    first : DataFrame
        The scores that these are compared with at the end of the line.
    """
    cells = []
    for ground in GROUNDS:
        if ground in scores.index.get_level_values(0):
            means = scores.loc[ground].mean()
            cells.append(f"{means['F']:.1f} / {means['ARI']:.1f}")
            if ground == "paper":
                cells.append(f"{mean_rank(scores.loc[ground, 'F']):.2f}")
    means = scores.mean()
    cells.append(f"{means['F']:.1f} / {means['ARI']:.1f}")
    cells.append("{:+.1f} ± {:.1f}".format(*difference(scores["F"], first["F"])))
    return "| " + " | ".join([*labels, *cells]) + " |"


def difference(scores: pd.Series, others: pd.Series) -> tuple[float, float]:
    """Return the mean difference over families of tables, and its standard error."""
    by_family = (scores - others).groupby(lambda key: family_of(key[1])).mean()
    return float(by_family.mean()), float(by_family.sem())


def header(titles: Sequence[str], found: Found) -> str:
    """Return the head of a table of such lines, with the number of tables of each ground."""
    kinds = [kind for kind, _ in found]
    columns = []
    for ground in (ground for ground in GROUNDS if ground in kinds):
        columns.append(f"{ground} ({kinds.count(ground)})")
        if ground == "paper":
            columns.append("rank")
    cells = [*titles, *columns, f"all ({len(kinds)})", "F less the first's"]
    return "| " + " | ".join(cells) + " |\n" + "|---" * len(cells) + "|"


def report(found: Found, ideas: list[str]) -> None:
    first = alone(found, ideas[0])
    print(f"## Alone: mean F / mean ARI\n\n{header(['representation'], found)}")
    for idea in ideas:
        print(line([idea], alone(found, idea), first))
    print(f"\n## What the yardstick in use chooses\n\n{header(['candidates', 'choice'], found)}")
    for candidates in (c for c in CHOICES if set(c) <= set(ideas)):
        title = "; ".join(candidates) if len(candidates) < len(IDEAS) else "all of them"
        print(line([title, "by gain"], chosen(found, candidates, IN_USE, SAME_GAIN), first))
        print(line(["", "the best for the labels"], best(found, candidates), first))
    for candidates in (c for c in (PAIR, OLD) if set(c) <= set(ideas)):
        print(f"\n## Yardsticks: {'; '.join(candidates)}\n")
        print(header(["yardstick", "near ties"], found))
        for yardstick in YARDSTICKS:
            for tie in TIES:
                scores = chosen(found, candidates, yardstick, tie)
                print(line([yardstick if tie == TIES[0] else "", f"{tie:g}"], scores, first))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few small tables")
    parser.add_argument("--part", choices=["seen", "held-back", "all"], default="seen")
    parser.add_argument("--grounds", choices=GROUNDS, nargs="*", default=list(GROUNDS))
    parser.add_argument("--ideas", choices=list(IDEAS), nargs="*", default=list(IDEAS))
    parser.add_argument("--most-rows", type=int, default=3000, help="of a larger table, draw some")
    parser.add_argument("--gpu", action="store_true", help="k-means on a GPU (needs torch)")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    gathered = gather(options.grounds, options.quick)
    tables = [cut(table, options.most_rows) for table in gathered if is_in(table, options.part)]
    longest_first = sorted(tables, key=lambda table: -table.X.size * table.n_classes)
    results = Parallel(options.jobs, batch_size=1, verbose=5)(
        delayed(evaluate)(table, options.ideas, options.gpu) for table in longest_first
    )
    by_table = {(t.kind, t.name): r for t, r in zip(longest_first, results, strict=True)}
    report({(t.kind, t.name): by_table[t.kind, t.name] for t in tables}, options.ideas)


if __name__ == "__main__":
    main()
