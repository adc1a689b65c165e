"""The six sets of kernels."""

from typing import Any

import numpy as np

from untie import UNTIE
from untie_paper.datasets import load
from untie_paper.evaluation import clustering_f_score, published
from untie_paper.fitted import quietly_fitted
from untie_paper.kernels import GROUPS, KERNELS, cluster_with_kernels, jobs, report
from untie_paper.run.experiment import Effort, Results
from untie_paper.stages import KERNEL_SETS, build_couplings, row_vectors
from untie_paper.weighted_k_means import k_means


def made(scores: dict[str, float], solver: str = "adam") -> list[dict[str, Any]]:
    return [
        {"dataset": "dnapromoter", "kernels": name, "solver": solver, "seed": seed}
        | {"f_score": score + seed}
        for name, score in scores.items()
        for seed in (0, 1)
    ]


FLAT = dict.fromkeys(KERNELS, 90.0)


def test_groups_are_the_printed_ones() -> None:
    printed = published("kernels").groupby("group")["set"].unique()
    assert [tuple(names) for names in printed] == list(GROUPS.values())
    sizes = published("kernels")["set"].value_counts()
    assert {name: len(KERNEL_SETS[name]) for name in KERNELS} == sizes.to_dict()


def test_the_sets_are_those_of_untie() -> None:
    X, _ = load("hayesroth")
    for name in KERNELS:
        encoder = UNTIE(3, kernels=name, solver="uniform").fit(X)
        problem = build_couplings(encoder, X)
        expected = encoder.similarity(X)
        vectors = row_vectors(problem, encoder.omega_)
        np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-9)


def test_the_set_and_the_solver_count() -> None:
    X, y = load("hayesroth")
    encoder = quietly_fitted(UNTIE.from_paper(3, kernels="F3", random_state=2), X)
    labels = k_means(encoder.transform(X), 3, 2, 3).labels
    cell = cluster_with_kernels("hayesroth", "F3", "adam", seed=2, n_restarts=3)
    assert cell["f_score"] == 100 * clustering_f_score(y, labels)
    costs = {
        cluster_with_kernels("hayesroth", kernels, solver, 2, 3)["cost"]
        for kernels, solver in (("F3", "adam"), ("F4", "adam"), ("F3", "exact"))
    }
    assert len(costs) == 3


def test_jobs() -> None:
    assert len(jobs(Effort())) == 2 * 6 * 2 * 5
    assert len(jobs(Effort(quick=True))) == 6 * 2


def test_report_of_equal_scores() -> None:
    found = report(Results(made(FLAT)))
    (table,) = found.tables
    assert table.measured.to_numpy().ravel().tolist() == [90.5] * 6
    assert table.published.to_numpy().tolist() == [[95.28]]
    assert table.published.columns.tolist() == table.measured.columns.tolist()
    assert table.published.index[0] in table.measured.index
    assert found.findings == [
        "dnapromoter, printed protocol: the same F (within 0.5) in both sets of 3 of the 3 groups "
        "(the paper: of all); the group of both kinds is as good as any (Gaussian 90.5, "
        "polynomial 90.5, both 90.5; the paper: it is always the best)."
    ]


def test_report_of_unequal_scores() -> None:
    found = report(Results(made(FLAT | {"F2": 95.0})))
    assert "2 of the 3 groups" in found.findings[0]
    assert "is not the best (Gaussian 93.0," in found.findings[0]


def test_missing_cells() -> None:
    rows = [row for row in made(FLAT) if row["kernels"] != "F4"] + made(FLAT, "exact")
    found = report(Results(rows))
    assert len(found.findings) == 1
    assert "exact solver" in found.findings[0]
    assert found.tables[0].measured.isna().to_numpy().sum() == 1
    found.figures[0].draw(found.figures[0].data)
    assert report(Results([])).findings == ("No cell came out.",)


def test_figure_has_every_seed_and_draws_the_means() -> None:
    (figure,) = report(Results(made(FLAT | {"F5": 70.0}))).figures
    assert len(figure.data) == 12
    assert figure.data.groupby("kernels")["f_score"].mean()["F5"] == 70.5
    (axes,) = figure.draw(figure.data).axes
    assert figure.data["printed"].unique().tolist() == [95.28]
    points = {
        round(float(x), 2): float(y)
        for line in axes.lines
        if not line.get_label().startswith(("_", "printed ("))
        for x, y in zip(*line.get_data(), strict=True)
    }
    assert points[3.83] == 70.5
    assert sorted(points.values()) == [70.5, *[90.5] * 5]
