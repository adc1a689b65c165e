"""The printed protocol under several readings of what the paper leaves open.

The paper does not define the scale of its kernels, what its batches are, or whether the two
couplings of an attribute have a space each or one together, and it names two optimisers. A reading
answers each of these. No reading is chosen by its scores; the table says what each agrees with.
3,000 steps, AdaGrad and equal weights, which the paper's settings exclude, are for comparison.

Readings that differ in the representation (couplings, kernels, scale) are crossed; each other
question is asked of separate and of joint couplings, the rest as in `UNTIE.from_paper`. Vectors are
those of the weights, whatever they are: where S is constant nothing else is put in its place.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from untie import UNTIE
from untie_paper import clustering
from untie_paper.clustering_cell import Clustering, judge
from untie_paper.data import SETS
from untie_paper.datasets import load, printed_figures
from untie_paper.readings_report import report
from untie_paper.readings_scores import NOT_UNTIE
from untie_paper.run.experiment import Cell, Effort, Experiment, Job
from untie_paper.stages import build_couplings, learn_weights, row_vectors
from untie_paper.weighted_k_means import k_means

COUPLINGS = {"separate": ("intra", "inter"), "joint": ("joint",)}
KERNELS = {"all": "paper", "Gaussian": "F2"}
SCALES = {"diagonal": "diagonal", "cosine": "cosine", "none": None}
"""What the answers mean as parameters of `UNTIE`."""

OF_21_PAIRS, OF_20_PAIRS = 7, 40
"""Objects in a batch if 20 is a number of pairs of objects: the fewest objects that have 20 pairs
among themselves, and the objects of 20 pairs that share none."""


@dataclass(frozen=True)
class PaperReading:
    """An answer to every question that the paper leaves open; the defaults are `from_paper`."""

    couplings: str = "separate"
    kernels: str = "all"
    scale: str = "diagonal"
    solver: str = "adam"
    n_steps: int = 1000
    batch_size: int = 20
    replacement: bool = True

    def encoder(self, n_clusters: int, seed: int) -> UNTIE:
        """Return the encoder that reads the paper so, but for how it draws rows."""
        return UNTIE.from_paper(
            n_clusters,
            couplings=COUPLINGS[self.couplings],
            kernels=KERNELS[self.kernels],
            normalization=SCALES[self.scale],
            solver=self.solver,
            max_iter=self.n_steps,
            batch_size=self.batch_size,
            random_state=seed,
        )


def readings() -> list[PaperReading]:
    """Return all readings, separate couplings first; the first is `from_paper`."""
    return [reading for couplings in COUPLINGS for reading in _with(couplings)]


def _with(couplings: str) -> list[PaperReading]:
    plain = PaperReading(couplings)
    crossed = [
        replace(plain, kernels=kernels, scale=scale)
        for kernels in KERNELS
        for scale in SCALES
        # A Gaussian kernel of a value with itself is 1, so the cosine leaves it as it is.
        if (kernels, scale) != ("Gaussian", "none")
    ]
    return [
        *crossed,
        replace(plain, n_steps=500),
        replace(plain, n_steps=3000),
        replace(plain, batch_size=OF_21_PAIRS),
        replace(plain, batch_size=OF_20_PAIRS),
        replace(plain, replacement=False),
        replace(plain, solver="adagrad"),
        replace(plain, solver="uniform"),
    ]


def cluster_by_reading(dataset: str, seed: int, n_restarts: int, **answers: Any) -> Cell:
    """Cluster a data set by the printed protocol under a reading of it; scores are times 100.

    Parameters
    ----------
    dataset : str
        A name of `untie_paper.datasets`.
    seed : int
        For the batches and the starts of k-means.
    n_restarts : int
        Number of starts.
    **answers
        The fields of a `PaperReading`.

    Examples
    --------
    >>> cell = cluster_by_reading("zoo", seed=0, n_restarts=2, n_steps=10)
    >>> cell["learned"], 0.9 < cell["mean_omega"] < 1.0
    (True, True)
    """
    reading = PaperReading(**answers)
    X, y = load(dataset)
    k = y.nunique()
    encoder = reading.encoder(k, seed)
    problem = build_couplings(encoder, X)
    learns = reading.solver != "uniform" and k < reading.batch_size
    if learns:
        omega = learn_weights(encoder, problem, reading.replacement).omega
    else:  # n_c eigenvectors explain a batch of n_c rows fully, so omega stays as it begins
        equal = encoder.set_params(solver="uniform")
        omega = learn_weights(equal, problem).omega
    vectors = row_vectors(problem, omega)
    found = judge(X, y, Clustering(*k_means(vectors, k, seed, n_restarts)))
    return {**found, "learned": learns, "mean_omega": float(omega.mean())}


def jobs(effort: Effort) -> list[Job]:
    """Return a job for each data set, reading and seed, and those of two plain encodings."""
    asked = [PaperReading(), PaperReading("joint")] if effort.quick else readings()
    found = clustering.cells(effort, list(NOT_UNTIE))
    for dataset in effort.datasets(SETS):
        for reading in asked:
            for seed in range(effort.n_seeds):
                arguments = {"dataset": dataset, "seed": seed, "n_restarts": effort.n_restarts}
                cost = _seconds(dataset, reading)
                found.append(Job(cluster_by_reading, arguments | asdict(reading), cost))
    return found


def _seconds(dataset: str, reading: PaperReading) -> float:
    n_rows = printed_figures()[dataset].n_o or 0
    steps = 0 if reading.solver == "uniform" else reading.n_steps
    return 0.1 + 5e-4 * steps + 1e-4 * n_rows


EXPERIMENT = Experiment(
    "readings",
    "The printed protocol under several readings",
    jobs,
    report,
    group="readings",
)
