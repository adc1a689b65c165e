"""How well the probabilities of clusters are calibrated, and those of other mixture models.

Synthetic tables of known classes are cut in halves. A model with as many clusters as there are
classes is fitted on one half, and its clusters are matched to the classes there, one to one. Of the
rows of the other half, a row is right if its most probable cluster is that of its class. Where
probabilities are calibrated, 80% of the rows with a probability of 80% are right. The expected
calibration error (ECE) is the mean difference of the two, in percentage points, over ten bins of
probabilities, each with the weight of its rows. All figures are means over the seeds.

- TableClusterer: as it is; "by distance" keeps the clusters of k-means, as `fit` does where moving
  rows to their likeliest clusters gains nothing.
- LatentClasses: numbers in six ranges of equally many rows.
- StepMix: the same ranges, ten starts.
- Gaussian mixture: of scikit-learn, with diagonal covariances, ten starts, on standardized numbers
  beside one-hot values.

Where a model does not find the classes, no model's probabilities are right about them: compare the
shares of right rows first.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from importlib import import_module
from unittest.mock import patch

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from _timing import print_table
from untie import TableClusterer
from untie.cluster import LatentClasses

SEEDS, ROWS, BINS, RANGES = 10, 2000, 10, 6

Floats = NDArray[np.float64]
Labels = NDArray[np.integer]
Model = Callable[[pd.DataFrame, pd.DataFrame, int, int], tuple[Floats, Floats]]
"""Takes two halves, the number of clusters and a seed; returns the probabilities of both."""


def classes(
    seed: int,
    k: int = 3,
    columns: int = 8,
    purity: float = 0.6,
    shares: tuple[float, ...] | None = None,
    copies: int = 0,
    kept: float = 0.98,
    numbers: int = 0,
    missing: float = 0.0,
    rows: int = ROWS,
) -> tuple[pd.DataFrame, Labels]:
    """Return rows whose cells depend on a hidden class, and the class.

    Parameters
    ----------
    seed : int
        Of all that is drawn.
    k, columns : int
        Number of classes, and of columns of four values.
    purity : float
        The share of the cells that have the typical value of their class; the others are random.
    shares : tuple of float, optional
        The sizes of the classes; equal by default.
    copies : int
        How many columns occur a second time, with other words.
    kept : float
        The share of their cells that are copied; the others are random.
    numbers : int
        How many columns of normal numbers there are; the means of the classes are 1.2 standard
        deviations apart.
    missing : float
        The share of cells that are missing, by chance.
    rows : int
        Number of rows.
    """
    rng = np.random.default_rng(seed)
    truth = rng.choice(k, rows, p=shares)
    typical = np.stack([rng.permutation(np.arange(k) % 4) for _ in range(columns)], axis=1)
    is_typical = rng.random((rows, columns)) < purity
    codes = np.where(is_typical, typical[truth], rng.integers(0, 4, (rows, columns)))
    words = codes.astype(str).astype(object)
    table = {f"c{place}": "v" + words[:, place] for place in range(columns)}
    for place in range(copies):
        other = np.where(rng.random(rows) < kept, codes[:, place], rng.integers(0, 4, rows))
        table[f"copy{place}"] = "w" + other.astype(str).astype(object)
    for place in range(numbers):
        means = 1.2 * rng.permutation(k)
        table[f"number{place}"] = rng.normal(means[truth], 1.0).round(3)
    frame = pd.DataFrame(table)
    return frame.mask(rng.random(frame.shape) < missing), truth


CASES: dict[str, dict[str, object]] = {
    "3 classes, 8 columns": {},
    "the same, far apart (purity 0.8)": {"purity": 0.8},
    "the same, overlapping (0.45)": {"purity": 0.45},
    "the same, hardly distinct (0.3)": {"purity": 0.3},
    "4 columns (0.8)": {"columns": 4, "purity": 0.8},
    "40 columns (0.3)": {"columns": 40, "purity": 0.3},
    "6 classes, 12 columns": {"k": 6, "columns": 12},
    "sizes 70%, 20%, 10%": {"shares": (0.7, 0.2, 0.1)},
    "4 columns occur twice (98% equal)": {"copies": 4},
    "4 columns occur twice (85% equal)": {"copies": 4, "kept": 0.8},
    "4 columns and 4 of numbers": {"columns": 4, "purity": 0.5, "numbers": 4},
    "20% of the cells missing": {"missing": 0.2},
    "150 rows to learn from": {"rows": 300},
}


def clusterer(learned: pd.DataFrame, new: pd.DataFrame, k: int, seed: int) -> tuple[Floats, Floats]:
    model = TableClusterer(k, random_state=seed).fit(learned)
    return model.predict_proba(learned), model.predict_proba(new)


def by_distance(
    learned: pd.DataFrame, new: pd.DataFrame, k: int, seed: int
) -> tuple[Floats, Floats]:
    with patch("untie.clusterer.MOST_REASSIGNMENTS", 0):
        return clusterer(learned, new, k, seed)


def latent_classes(
    learned: pd.DataFrame, new: pd.DataFrame, k: int, seed: int
) -> tuple[Floats, Floats]:
    learned, new = in_ranges(learned, new)
    model = LatentClasses(k, random_state=seed).fit(learned)
    return model.predict_proba(learned), model.predict_proba(new)


def stepmix(learned: pd.DataFrame, new: pd.DataFrame, k: int, seed: int) -> tuple[Floats, Floats]:
    cells = pd.concat(in_ranges(learned, new)).apply(lambda c: pd.factorize(c)[0].astype(float))
    cells = cells.mask(cells < 0)
    options = {"n_init": 10, "random_state": seed, "verbose": 0, "progress_bar": 0}
    kind = "categorical_nan" if cells.isna().to_numpy().any() else "categorical"
    model = import_module("stepmix").StepMix(k, measurement=kind, **options)
    model.fit(cells[: len(learned)])
    return model.predict_proba(cells[: len(learned)]), model.predict_proba(cells[len(learned) :])


def gaussian_mixture(
    learned: pd.DataFrame, new: pd.DataFrame, k: int, seed: int
) -> tuple[Floats, Floats]:
    numbers = learned.select_dtypes("number").columns
    one_hot = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    one_hot.fit(learned.drop(columns=numbers))
    parts = [[one_hot.transform(rows.drop(columns=numbers))] for rows in (learned, new)]
    if len(numbers):
        scaler = StandardScaler().fit(learned[numbers])
        for part, rows in zip(parts, (learned, new), strict=True):
            part.append(np.nan_to_num(scaler.transform(rows[numbers])))
    first, second = (np.hstack(part) for part in parts)
    model = GaussianMixture(k, covariance_type="diag", n_init=10, random_state=seed, reg_covar=1e-2)
    model.fit(first)
    return model.predict_proba(first), model.predict_proba(second)


def in_ranges(learned: pd.DataFrame, new: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cut numbers into ranges of equally many rows."""
    learned, new = learned.copy(), new.copy()
    for name in learned.select_dtypes("number"):
        borders = np.nanquantile(learned[name], np.arange(1, RANGES) / RANGES)
        for rows in (learned, new):
            places = pd.Series(np.searchsorted(borders, rows[name]), rows.index).astype(str)
            rows[name] = places.astype(object).where(rows[name].notna())
    return learned, new


MODELS: dict[str, Model] = {
    "TableClusterer": clusterer,
    "by distance": by_distance,
    "LatentClasses": latent_classes,
    "StepMix": stepmix,
    "Gaussian mixture": gaussian_mixture,
}


def matched(labels: Labels, truth: Labels, k: int) -> Labels:
    """Return the class of each cluster, one to one."""
    table = np.zeros((k, k))
    np.add.at(table, (labels, truth), 1)
    return linear_sum_assignment(-table)[1]


def calibration_error(probabilities: Floats, is_right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over bins of equal width.

    Examples
    --------
    >>> probabilities, is_right = np.array([0.5, 0.5, 0.75, 0.75]), np.array([1, 0, 1, 1]) > 0
    >>> calibration_error(probabilities, is_right)
    0.125
    """
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, probabilities - is_right, minlength=BINS)
    return float(np.abs(gaps).sum() / len(bins))


def measured(case: str, name: str, seed: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the probability of each new row's cluster, and whether that is its class."""
    table, truth = classes(seed, **CASES[case])  # type: ignore[arg-type]  # of several types
    half, k = len(table) // 2, int(truth.max()) + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learned, new = MODELS[name](table[:half], table[half:], k, seed)
    class_of = matched(learned.argmax(axis=1), truth[:half], k)
    return new.max(axis=1), class_of[new.argmax(axis=1)] == truth[half:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    jobs = [(case, name, seed) for case in CASES for name in MODELS for seed in range(args.seeds)]
    found = dict(zip(jobs, Parallel(args.jobs)(delayed(measured)(*j) for j in jobs), strict=True))

    print("Right rows / expected calibration error, in percent\n")
    lines = []
    for case in CASES:
        cells = []
        for name in MODELS:
            own = [found[case, name, seed] for seed in range(args.seeds)]
            right = np.mean([is_right.mean() for _, is_right in own])
            error = np.mean([calibration_error(*one) for one in own])
            cells.append(f"{100 * right:.1f} / {100 * error:.1f}")
        lines.append([case, *cells])
    print_table(["table", *MODELS], lines)

    print("Reliability, over all tables: right rows of those with a probability in the range\n")
    lines = []
    for low, high in ((0.0, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.99), (0.99, 1.01)):
        cells = []
        for name in MODELS:
            own = [found[job] for job in jobs if job[1] == name]
            probabilities, is_right = (np.concatenate(part) for part in zip(*own, strict=True))
            some = (probabilities >= low) & (probabilities < high)
            cells.append(f"{probabilities[some].mean():.1%}: {is_right[some].mean():.1%}")
        lines.append([f"{low:.0%} to {min(high, 1.0):.0%}", *cells])
    print_table(["probability", *(f"{name}: mean, right" for name in MODELS)], lines)


if __name__ == "__main__":
    main()
