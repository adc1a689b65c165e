"""Clustering quality of the solvers and of tau on the bundled data sets.

For each data set: UNTIE with the paper's couplings and kernels, k-means on the vectors (25
restarts, lowest inertia, three seeds), macro F after the best one-to-one match of clusters to
classes. The number of clusters is the number of classes; labels are used for the score alone.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.cluster import KMeans
from sklearn.preprocessing import OneHotEncoder

from untie import UNTIE
from untie._learn import weights
from untie._learn.weights.search import alternate
from untie.datasets import load, names
from untie_paper.evaluation import clustering_f_score

QUICK = ["housevotes", "zoo", "hayesroth", "dnapromoter"]
TAUS = (0.1, 0.25, 0.5, 1, 2, 4, 8)
PLAIN_TAUS = (0.25, 1, 4)


def plain_entropy(problem: weights.Problem, settings: weights.Settings) -> weights.Solution:
    """Solve as `exact` does, with the plain entropy of the shares as the price.

    It was tried and not kept: its limit for large tau is equal energies, not equal weights.
    """

    def objective(omega: np.ndarray, prior: np.ndarray, unexplained: np.ndarray) -> float:
        share = prior * omega
        used = share[share > 0]
        # Shifted by its lowest value, so that losses are not negative.
        shift = settings.tau * np.log(np.count_nonzero(prior))
        return float(share @ unexplained + settings.tau * (used @ np.log(used)) + shift)

    def best_weights(unexplained: np.ndarray, prior: np.ndarray) -> np.ndarray:
        moving = prior > 0
        share = np.exp((unexplained[moving].min() - unexplained[moving]) / settings.tau)
        omega = np.zeros_like(prior)
        omega[moving] = share / share.sum() / prior[moving]
        return omega

    return alternate(problem, settings, objective, best_weights, noise=1e-14)


def score(vectors: np.ndarray, classes: np.ndarray, n_restarts: int, seeds: int) -> float:
    """Cluster the distinct rows with their multiplicities: the same objective, less work."""
    k = len(np.unique(classes))
    rows, inverse, times = np.unique(
        vectors.round(9), axis=0, return_inverse=True, return_counts=True
    )
    k_found = min(k, len(rows))
    scores = []
    for seed in range(seeds):
        model = KMeans(k_found, n_init=n_restarts, random_state=seed).fit(rows, sample_weight=times)
        scores.append(clustering_f_score(classes, model.labels_[inverse.ravel()]))
    return 100 * float(np.mean(scores))


def encoders(k: int) -> dict[str, list]:
    """Return the representations to compare; several encoders are seeds of one."""
    return {
        "one-hot": [OneHotEncoder(sparse_output=False)],
        "uniform": [UNTIE(k, solver="uniform")],
        **{f"exact, tau {tau:g}": [UNTIE(k, solver="exact", tau=tau)] for tau in TAUS},
        **{f"plain, tau {tau:g}": [UNTIE(k, solver="plain", tau=tau)] for tau in PLAIN_TAUS},
        "lp": [UNTIE(k, solver="lp")],
        "adam, as printed": [UNTIE.from_paper(k, random_state=seed) for seed in range(3)],
        "adagrad, as printed": [
            UNTIE.from_paper(k, solver="adagrad", random_state=seed) for seed in range(3)
        ],
    }


def one_set(name: str, n_restarts: int, seeds: int) -> dict[str, float]:
    warnings.simplefilter("ignore")
    weights.SOLVERS["plain"] = plain_entropy
    X, y = load(name)
    classes = pd.factorize(np.asarray(y))[0]
    result = {}
    for label, versions in encoders(y.nunique()).items():
        scores = [score(e.fit_transform(X), classes, n_restarts, seeds) for e in versions]
        result[label] = float(np.mean(scores))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="four small sets, one seed")
    quick = parser.parse_args().quick
    chosen = QUICK if quick else [n for n in names() if n != "lymphography"]
    restarts, seeds = (10, 1) if quick else (25, 3)
    rows = Parallel(2)(delayed(one_set)(name, restarts, seeds) for name in chosen)
    table = pd.DataFrame(rows, index=chosen)
    print(f"\n## Macro F of k-means, {len(chosen)} data sets, {restarts} restarts, {seeds} seeds\n")
    print("| data set | " + " | ".join(table.columns) + " |")
    print("|---" * (table.shape[1] + 1) + "|")
    for name, row in [*table.iterrows(), ("**mean**", table.mean())]:
        print(f"| {name} | " + " | ".join(f"{value:.1f}" for value in row) + " |")


if __name__ == "__main__":
    main()
