"""Clusters of synthetic surveys with questions of several answers: as sets, and as categories.

Three classes (50%, 30% and 20% of 800 rows) differ in how often each answer of two questions of 10
and 6 answers is picked, and in two columns of five values, of which 40% are drawn at random. Two
more columns are noise. A tenth of the rows gives no answer to a question. Scores are adjusted Rand
indices with the classes for three clusters, means over the seeds:

- sets: `Preparer()`, a column for each answer; together they weigh as much as their combinations.
- equal: the same, where each answer weighs as much as a column.
- shared: the same, where all answers of a question weigh as much as one column together.
- category: `Preparer(sets=())`, each combination of answers is a category.
- dropped: without the two questions.

"noise" has one question of 25 answers that all classes give alike; in "eager", some rows pick more
of all answers than others.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from _timing import print_table
from untie import Preparer, TableClusterer, TableEncoder

N_ROWS, SHARES = 800, (0.5, 0.3, 0.2)

SURVEYS: dict[str, dict[str, float | tuple[int, ...]]] = {
    "two questions": {},
    "eager": {"eager": 1.0},
    "weak": {"strength": 0.5},
    "no other columns": {"n_telling": 0, "n_noise": 0},
    "30 answers": {"answers": (30,), "strength": 0.7},
    "noise": {"answers": (25,), "strength": 0.0},
}


def survey(
    seed: int,
    answers: tuple[int, ...] = (10, 6),
    strength: float = 1.0,
    eager: float = 0.0,
    n_telling: int = 2,
    n_noise: int = 2,
) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """Return the rows of a survey and their classes."""
    rng = np.random.default_rng(seed)
    classes = rng.choice(3, N_ROWS, p=SHARES)
    tendency = eager * rng.normal(size=(N_ROWS, 1))
    columns: dict[str, list[str | None] | NDArray[np.str_]] = {}
    for question, n in enumerate(answers):
        logits = rng.normal(-0.8, 0.6, n) + strength * rng.normal(size=(3, n))[classes] + tendency
        picked = rng.random((N_ROWS, n)) < 1 / (1 + np.exp(-logits))
        is_missing = rng.random(N_ROWS) < 0.1
        columns[f"question {question}"] = [
            None if absent or not row.any() else ";".join(f"a{j}" for j in np.flatnonzero(row))
            for row, absent in zip(picked, is_missing, strict=True)
        ]
    for column in range(n_telling):
        drawn = rng.integers(0, 5, N_ROWS)
        codes = np.where(rng.random(N_ROWS) < 0.4, drawn, classes)
        columns[f"telling {column}"] = np.array(list("abcde"))[codes]
    for column in range(n_noise):
        columns[f"noise {column}"] = rng.choice(list("pqrst"), N_ROWS)
    return pd.DataFrame(columns), classes


def scores(table: pd.DataFrame, classes: NDArray[np.intp]) -> dict[str, float]:
    """Return the adjusted Rand index of each treatment of the questions; nan where it has none."""
    questions = [name for name in table if name.startswith("question")]
    weights = Preparer().fit(table).column_weights_

    def of(preparer: Preparer, factors: Mapping[str, float] | None = None) -> float:
        clusterer = TableClusterer(
            3, encoder=TableEncoder(column_weights=factors), preparer=preparer
        )
        try:
            return adjusted_rand_score(classes, clusterer.fit_predict(table))
        except ValueError:  # no two columns are left
            return np.nan

    n_answers = {q: sum(name.startswith(f"{q}: ") for name in weights) for q in questions}
    return {
        "sets": of(Preparer()),
        "equal": of(Preparer(), {name: 1 / weight for name, weight in weights.items()}),
        "shared": of(
            Preparer(),
            {name: 1 / weights[name] / n_answers[name.partition(":")[0]] for name in weights},
        ),
        "category": of(Preparer(sets=())),
        "dropped": of(Preparer(drop=questions)),
    }


def main() -> None:
    """Print the means over the seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    n_seeds = parser.parse_args().seeds
    rows = []
    for name, options in SURVEYS.items():
        found = pd.DataFrame([scores(*survey(seed, **options)) for seed in range(n_seeds)])
        rows.append([name, *found.mean().round(2)])
    print_table(["survey", *found.columns], rows)


if __name__ == "__main__":
    main()
