"""What users try first."""

from typing import Any

import pytest

from untie_paper import clustering
from untie_paper.methods import DEFAULT
from untie_paper.run.experiment import Effort, Results
from untie_paper.users_first import TITLES, jobs, report

SCORES = {
    "zoo": {DEFAULT: 80.0, "One-hot": 70.0, "MCA": 60.0, "Latent classes": 75.0, "Hamming": 50.0},
    "crx": {DEFAULT: 85.0, "One-hot": 52.0, "MCA": 37.0, "Latent classes": 52.2, "Hamming": 85.2},
}


def rows() -> list[dict[str, Any]]:
    """Return cells; the better the score, the better the unsupervised figures of zoo only."""
    return [
        {"dataset": name, "method": method, "seed": 0, "f_score": score, "nmi": score}
        | {"category_utility": score / 1e4 * (1 if name == "zoo" else -1)}
        | {"conditional_entropy": 1 - score / 1e4}
        for name, scores in SCORES.items()
        for method, score in scores.items()
    ]


def test_cells_are_shared_with_the_table_of_clustering() -> None:
    def keys(found: list[Any]) -> set[Any]:
        return {(job.function, tuple(sorted(job.arguments.items()))) for job in found}

    both = keys(jobs(Effort())) & keys(clustering.jobs(Effort()))
    assert len(both) == 3 * 25 * 5
    assert len(jobs(Effort())) == 5 * 25 * 5


def test_report_compares() -> None:
    found = report(Results(rows()))
    assert found.findings[0] == (
        "UNTIE's default has +21.5 points of F on average against k-means on one-hot: better by "
        "more than 0.5 on 2 of 2 data sets, worse by more on 0."
    )
    assert (
        "against k-modes: better by more than 0.5 on 1 of 2 data sets, worse by more on 0."
        in (found.findings[3])
    )
    assert found.findings[4].startswith("Mean ranks by F: UNTIE (default) 1.50, k-means on one-hot")
    scores, summary = found.tables
    assert scores.measured.loc["crx", "k-modes"] == 85.2
    assert list(scores.measured) == list(TITLES.values())
    ranks = summary.measured.loc["UNTIE (default)"]
    assert ranks["mean F"] == 82.5
    assert ranks["rank by category utility"] == pytest.approx((1 + 4) / 2)
    assert ranks["rank by conditional entropy"] == pytest.approx((1 + 2) / 2)


def test_report_of_part_of_it() -> None:
    found = report(Results([row for row in rows() if row["method"] != DEFAULT]))
    assert len(found.findings) == 1
    found.figures[0].draw(found.figures[0].data)
    found = report(Results([row for row in rows() if row["dataset"] == "zoo"]))
    assert len(found.tables) == 1
    assert report(Results([])).findings == ("No cell came out.",)


def test_figure() -> None:
    (figure,) = report(Results(rows())).figures
    assert len(figure.data) == 10
    (axes,) = figure.draw(figure.data).axes
    drawn = {line.get_label(): line.get_xdata().tolist() for line in axes.lines}
    assert drawn["UNTIE (default)"] == [80.0, 85.0]
    assert drawn["k-means on MCA"] == [60.0, 37.0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["zoo", "crx"]
