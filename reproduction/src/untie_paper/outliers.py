"""Outlier detection on representations: a use that the paper's introduction names.

In each data set every class that is large enough is made rare in turn: all rows of the other
classes stay, and rows of this class are drawn until they are 5 % of all. An encoder
learns from that table without labels, and a detector scores its rows: the distance to the 10th
nearest neighbour, the local outlier factor or an isolation forest (scikit-learn's, with its
defaults). The baseline adds up how rare a row's values are, -log p, and needs neither. ROC AUC (0.5
is chance) and average precision (0.05 is chance), averaged over classes and draws.

Of larger sets at most 1,500 rows of the other classes are drawn. UNTIE under the paper's protocol
is told the number of classes of the data set; our default is told nothing. CDE has one start of
each k-means over values.

A rare class is not always a strange one: its rows may lie where rows are dense (benign among
malignant), and no detector can know better. Such classes are not left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

from untie import TableEncoder
from untie_paper.arrays import FloatArray
from untie_paper.datasets import load
from untie_paper.evaluation import average_ranks
from untie_paper.fitted import quietly_fitted
from untie_paper.methods import DEFAULT, ENCODERS, PAPER
from untie_paper.output.report import PaperReport, PaperTable
from untie_paper.output.words import many, means_and_ranks
from untie_paper.run.experiment import Cell, Effort, Experiment, Job, Results

DATASETS = (
    "soybeanlarge",
    "dermatology",
    "wisconsin",
    "crx",
    "mammographic",
    "tictactoe",
    "splice",
    "mushroom",
)
BASELINE = "Rare values"
METHODS = (PAPER, DEFAULT, "CDE", "One-hot")
SHARE, MOST_ROWS, LEAST_ROWS, N_NEIGHBOURS = 0.05, 1500, 100, 10
"""Share of the rare class, most and fewest rows of the others, and which neighbour counts."""

MEASURES = {"auc": "ROC AUC", "ap": "average precision"}


def neighbour_distance(vectors: FloatArray, seed: int) -> FloatArray:
    """Return each row's distance to its 10th nearest neighbour, itself not counted."""
    search = NearestNeighbors(n_neighbors=N_NEIGHBOURS, algorithm="brute").fit(vectors)
    return np.asarray(search.kneighbors()[0][:, -1])


def local_outlier_factor(vectors: FloatArray, seed: int) -> FloatArray:
    """Return how much sparser a row's surroundings are than its neighbours'."""
    model = LocalOutlierFactor()
    with warnings.catch_warnings():
        # Many rows of a categorical table are equal, which it warns about.
        warnings.filterwarnings("ignore", message="Duplicate values")
        model.fit(vectors)
    return np.asarray(-model.negative_outlier_factor_)


def isolation(vectors: FloatArray, seed: int) -> FloatArray:
    """Return how easily random cuts set a row apart."""
    return np.asarray(-IsolationForest(random_state=seed).fit(vectors).score_samples(vectors))


DETECTORS: dict[str, Callable[[FloatArray, int], FloatArray]] = {
    "neighbour distance": neighbour_distance,
    "LOF": local_outlier_factor,
    "isolation forest": isolation,
}
"""Vectors and seed -> one score per row, the larger the stranger."""


def rare_values(table: Any) -> FloatArray:
    """Return the sum of -log p of each row's values.

    Examples
    --------
    >>> import pandas as pd
    >>> rare_values(pd.DataFrame({"x": ["a", "a", "a", "b"]})).round(3)
    array([0.288, 0.288, 0.288, 1.386])
    """
    total = np.zeros(len(table))
    for name in table:
        _, codes, counts = np.unique(
            table[name].to_numpy().astype(str), return_inverse=True, return_counts=True
        )
        total -= np.log(counts[codes] / len(table))
    return total


def rare_classes(
    y: NDArray[Any], seed: int, share: float, most_rows: int
) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Yield each class that can be made rare, and the rows that are then left, in order."""
    for number, name in enumerate(np.unique(y)):
        # One draw per class, whatever becomes of the classes before.
        rng = np.random.default_rng([seed, number])
        usual, rare = np.flatnonzero(y != name), np.flatnonzero(y == name)
        if len(usual) > most_rows:
            usual = rng.choice(usual, most_rows, replace=False)
        n_rare = round(len(usual) * share / (1 - share))
        if len(usual) >= LEAST_ROWS and len(rare) >= n_rare:
            drawn = rng.choice(rare, n_rare, replace=False)
            yield str(name), np.sort(np.concatenate([usual, drawn]))


def detect(dataset: str, method: str, seed: int, share: float, most_rows: int) -> Cell:
    """Return AUC and average precision of each detector, for each class made rare.

    Parameters
    ----------
    dataset, method : str
        Whose rows, and which encoder, or the baseline.
    seed : int
        Of the draws, the encoder and the forest.
    share : float
        Of the rare class among all rows.
    most_rows : int
        Of the other classes.
    """
    table, labels = load(dataset)
    y = labels.to_numpy()
    detectors = [BASELINE] if method == BASELINE else list(DETECTORS)
    result: dict[str, Any] = {"classes": []}
    found: dict[str, dict[str, list[float]]] = {d: {"auc": [], "ap": []} for d in detectors}
    for name, rows in rare_classes(y, seed, share, most_rows):
        result["classes"].append(name)
        is_rare = y[rows] == name
        for detector, score in scores(table.iloc[rows], method, len(np.unique(y)), seed).items():
            found[detector]["auc"].append(float(roc_auc_score(is_rare, score)))
            found[detector]["ap"].append(float(average_precision_score(is_rare, score)))
    return {**result, "scores": found}


def scores(table: Any, method: str, n_classes: int, seed: int) -> dict[str, FloatArray]:
    """Return the rows' scores by the name of the detector."""
    if method == BASELINE:
        return {BASELINE: rare_values(table)}
    encoder = (
        TableEncoder(preparer=None, random_state=seed)
        if method == DEFAULT
        else ENCODERS[method](n_classes, seed)
    )
    vectors = np.asarray(quietly_fitted(encoder, table).transform(table))
    return {name: detector(vectors, seed) for name, detector in DETECTORS.items()}


def jobs(effort: Effort) -> list[Job]:
    """Return a cell for each data set, method and draw; one draw if quick, else three."""
    return [
        Job(
            detect,
            {
                "dataset": name,
                "method": method,
                "seed": seed,
                "share": SHARE,
                "most_rows": MOST_ROWS,
            },
            cost=1.0 if method == BASELINE else 10.0,
        )
        for name in effort.datasets(list(DATASETS))
        for method in (*METHODS, BASELINE)
        for seed in range(1 if effort.quick else 3)
    ]


def report(results: Results) -> PaperReport:
    """Return means over all sets, a table of AUC for each detector, and who is best."""
    frame = tidy(results)
    if frame.empty:
        return PaperReport(["No cell came out."])
    tables = {detector: detector_table(frame, detector) for detector in DETECTORS}
    found = [finding(detector, table.measured) for detector, table in tables.items()]
    return PaperReport(found, [mean_table(frame), *tables.values()])


def tidy(results: Results) -> Any:
    """Return one row per data set, class, draw, method and detector."""
    import pandas as pd

    lines = [
        {
            "dataset": row["dataset"],
            "class": name,
            "seed": row["seed"],
            "method": row["method"],
            "detector": detector,
            "auc": score["auc"][number],
            "ap": score["ap"][number],
        }
        for row in results.rows
        for detector, score in row["scores"].items()
        for number, name in enumerate(row["classes"])
    ]
    return pd.DataFrame(lines)


def wide(frame: Any, detector: str, measure: str) -> Any:
    """Return one row per data set and one column per method, the mean over classes and draws."""
    chosen = frame[frame["detector"].isin([detector, BASELINE])]
    table = chosen.pivot_table(index="dataset", columns="method", values=measure)
    sets = [name for name in DATASETS if name in table.index]
    return table.reindex(index=sets, columns=[*METHODS, BASELINE])


def mean_table(frame: Any) -> PaperTable:
    """Return the means over the data sets of all detectors and both measures."""
    import pandas as pd

    lines = {
        f"{detector}: {title}": wide(frame, detector, measure).dropna().mean()
        for measure, title in MEASURES.items()
        for detector in DETECTORS
    }
    measured = pd.DataFrame.from_dict(lines, orient="index")
    measured.index.name = "detector"
    return PaperTable(
        name="outliers_means",
        title="Outlier detection: means over the data sets (beyond the paper)",
        measured=measured,
        digits=3,
        note=f"Chance is 0.5 for ROC AUC and {SHARE} for average precision. {BASELINE} has no "
        "detector and is repeated. CDE has one start of each k-means over values.",
    )


def detector_table(frame: Any, detector: str) -> PaperTable:
    """Return the AUC of each data set, with means and ranks over the complete ones."""
    measured = wide(frame, detector, "auc")
    counts = frame.groupby("dataset")["class"].nunique()
    listed = ", ".join(f"{name} {counts[name]}" for name in measured.index)
    complete = measured.dropna()
    if len(complete):
        measured.loc["mean"] = complete.mean()
        measured.loc["mean rank"] = average_ranks(complete.round(6))
    measured.index.name = "data set"
    return PaperTable(
        name=f"outliers_{detector.lower().replace(' ', '_')}",
        title=f"Outlier detection by {detector}: ROC AUC (beyond the paper)",
        measured=measured,
        digits=3,
        note=f"Mean over the classes made rare ({SHARE:.0%} of the rows) and the draws. Classes: "
        f"{listed}.",
    )


def finding(detector: str, measured: Any) -> str:
    """Return the order of the means."""
    if "mean" not in measured.index:
        return f"{detector}: no data set has all methods."
    rows = measured.drop(index=["mean", "mean rank"]).dropna()
    listed = means_and_ranks(measured.loc["mean"], measured.loc["mean rank"])
    ahead = {method: int((rows[method] > rows[BASELINE]).sum()) for method in (PAPER, DEFAULT)}
    return (
        f"{detector}: mean ROC AUC over {many(len(rows), 'data set')}: {listed}. Above the plain "
        f"sum of rarities on {many(ahead[PAPER], 'set')} (paper's protocol) and {ahead[DEFAULT]} "
        "(our default)."
    )


EXPERIMENT = Experiment(
    name="outliers",
    title="Outlier detection on the representations (beyond the paper)",
    jobs=jobs,
    report=report,
    group="beyond",
)
