"""Tables with a hierarchy of places: how a family's vote is shared, and what full votes do.

Six columns follow four classes. City > State > Region follow nothing, or the classes at one of
their levels. k-means with 10 restarts, macro F after one-to-one matching, mean over seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from k_means import k_means_labels
from untie import TableEncoder
from untie._learn.columns.attributes import Relation, shared_votes
from untie._util.types import FloatArray
from untie_paper.evaluation import clustering_f_score

SEEDS, RESTARTS = 6, 10
N_ROWS, N_CLASSES, N_COLUMNS, PURITY = 800, 4, 6, 0.45
CITIES, STATES, REGIONS = 48, 12, 3
STATE_OF, REGION_OF = np.arange(CITIES) % STATES, np.arange(STATES) % REGIONS


def draw(level: str, seed: int) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """Draw rows whose places follow the classes at a level, and their classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, N_CLASSES, N_ROWS)
    table = {}
    for column in range(N_COLUMNS):
        typical = rng.permutation(N_CLASSES)[y]
        table[f"c{column}"] = _mostly(rng, typical, N_CLASSES, PURITY)
    city = rng.integers(0, CITIES, N_ROWS)
    if level == "Region":
        region = _mostly(rng, np.minimum(y, REGIONS - 1), REGIONS, 0.6)
        city = _one_of(rng, REGION_OF[STATE_OF], region)
    elif level == "State":
        of_classes = rng.permutation(STATES).reshape(N_CLASSES, -1)
        typical = of_classes[y, rng.integers(0, of_classes.shape[1], N_ROWS)]
        city = _one_of(rng, STATE_OF, _mostly(rng, typical, STATES, 0.6))
    elif level == "City":
        of_classes = rng.permutation(CITIES).reshape(N_CLASSES, -1)
        typical = of_classes[y, rng.integers(0, of_classes.shape[1], N_ROWS)]
        city = _mostly(rng, typical, CITIES, 0.7)
    table |= {"City": city, "State": STATE_OF[city], "Region": REGION_OF[STATE_OF[city]]}
    return pd.DataFrame(table).astype(str), y


def _mostly(
    rng: np.random.Generator, typical: NDArray[np.intp], n_values: int, purity: float
) -> NDArray[np.intp]:
    return np.where(rng.random(N_ROWS) < purity, typical, rng.integers(0, n_values, N_ROWS))


def _one_of(
    rng: np.random.Generator, of_cities: NDArray[np.intp], wanted: NDArray[np.intp]
) -> NDArray[np.intp]:
    return np.array([rng.choice(np.flatnonzero(of_cities == place)) for place in wanted])


def _all_to(chosen: Callable[[Relation], NDArray[np.bool_]]) -> Callable[..., FloatArray]:
    def votes(copies: Relation, tells: Relation) -> FloatArray:
        tied = (tells | tells.T).any(axis=1)
        return np.where(tied, chosen(tells).astype(float), shared_votes(copies, tells))

    return votes


WAYS: dict[str, Callable[..., FloatArray]] = {
    "full votes": lambda copies, tells: 1.0 / copies.sum(axis=1),
    "equal shares": shared_votes,
    "all to the root": _all_to(lambda tells: tells.any(axis=1) & ~tells.any(axis=0)),
    "all to the middle": _all_to(lambda tells: tells.any(axis=1) & tells.any(axis=0)),
    "all to the last": _all_to(lambda tells: ~tells.any(axis=1) & tells.any(axis=0)),
}


def score(level: str, way: str, seed: int) -> float:
    X, y = draw(level, seed)
    with patch("untie._learn.columns.attributes.shared_votes", WAYS[way]):
        vectors = TableEncoder(N_CLASSES, random_state=seed, preparer=None).fit_transform(X)
    return 100 * clustering_f_score(y, k_means_labels(vectors, N_CLASSES, seed, RESTARTS))


def main() -> None:
    print("| classes show in | " + " | ".join(WAYS) + " |")
    print("|---" * (len(WAYS) + 1) + "|")
    lines = []
    for level in ("no place", "Region", "State", "City"):
        lines.append([np.mean([score(level, way, s) for s in range(SEEDS)]) for way in WAYS])
        print(f"| {level} | " + " | ".join(f"{value:.1f}" for value in lines[-1]) + " |")
    print("| **mean** | " + " | ".join(f"{v:.1f}" for v in np.mean(lines, axis=0)) + " |")


if __name__ == "__main__":
    main()
