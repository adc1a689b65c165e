"""The printed protocol under several readings."""

from dataclasses import asdict
from typing import Any

import pandas as pd
import pytest

from untie import UNTIE
from untie_paper.clustering_cell import cluster
from untie_paper.datasets import load
from untie_paper.evaluation import clustering_f_score, published
from untie_paper.output.grid import make_grid
from untie_paper.readings import (
    OF_20_PAIRS,
    OF_21_PAIRS,
    PaperReading,
    cluster_by_reading,
    jobs,
    readings,
)
from untie_paper.readings_report import draw, report
from untie_paper.readings_scores import ANSWERS, COMPARED, name_reading
from untie_paper.run.experiment import Effort, Results

PRINTED = published("clustering").set_index("dataset")["UNTIE"]


def made(**scores: list[float]) -> list[dict[str, Any]]:
    """Return cells of two readings; of each set the scores of seed 0 and 1 of the first."""
    rows = []
    for dataset, (first, second) in scores.items():
        for reading, shift in ((PaperReading(), 0.0), (PaperReading("joint"), 10.0)):
            for seed, score in enumerate((first, second)):
                cell = {"dataset": dataset, "seed": seed, "learned": True, "mean_omega": 0.5}
                rows.append(cell | asdict(reading) | {"f_score": score + shift})
    return rows


def test_the_first_reading_is_the_protocol_of_the_package() -> None:
    assert readings()[0] == PaperReading()
    given = PaperReading().encoder(3, seed=7).get_params()
    assert given == UNTIE.from_paper(3, random_state=7).get_params()
    ours = cluster_by_reading("zoo", seed=1, n_restarts=3, **asdict(PaperReading()))
    theirs = cluster("zoo", "UNTIE", seed=1, n_restarts=3)
    assert ours["f_score"] == pytest.approx(theirs["f_score"])
    assert ours["cost"] == pytest.approx(theirs["cost"])


def test_every_question_has_an_answer_of_its_own() -> None:
    found = readings()
    assert len(set(found)) == len(found)
    assert len({name_reading(asdict(reading)) for reading in found}) == len(found)
    for couplings in ("separate", "joint"):
        mine = [reading for reading in found if reading.couplings == couplings]
        for field, answers in ANSWERS.items():
            given = {getattr(reading, field) for reading in mine}
            assert given == {*answers, getattr(PaperReading(), field)}
        crossed = {(reading.kernels, reading.scale) for reading in mine}
        assert len(crossed) == 2 * 3 - 1  # a Gaussian kernel's cosine is itself


def test_the_cosine_of_a_gaussian_kernel_is_itself() -> None:
    cells = [
        cluster_by_reading("hayesroth", 0, 1, kernels="Gaussian", scale=scale, n_steps=20)
        for scale in ("cosine", "none")
    ]
    assert cells[0] == pytest.approx(cells[1])


def test_pairs_of_objects() -> None:
    assert OF_21_PAIRS * (OF_21_PAIRS - 1) // 2 >= 20 > (OF_21_PAIRS - 1) * (OF_21_PAIRS - 2) // 2
    assert OF_20_PAIRS == 2 * 20


@pytest.mark.parametrize(
    "answers",
    [
        {"couplings": "joint"},
        {"kernels": "Gaussian"},
        {"scale": "cosine"},
        {"scale": "none"},
        {"n_steps": 30},
        {"batch_size": OF_20_PAIRS},
        {"replacement": False},
        {"solver": "adagrad"},
        {"solver": "uniform"},
    ],
)
def test_every_answer_changes_the_vectors(answers: dict[str, Any]) -> None:
    first = cluster_by_reading("hayesroth", seed=0, n_restarts=1, n_steps=20)
    other = cluster_by_reading("hayesroth", 0, 1, **{"n_steps": 20} | answers)
    assert first["cost"] != pytest.approx(other["cost"], rel=1e-9)


def test_no_weights_are_learned_where_a_batch_is_explained() -> None:
    few = cluster_by_reading("zoo", 0, 1, batch_size=OF_21_PAIRS)  # seven classes
    assert not few["learned"]
    assert few["mean_omega"] == 1.0
    assert cluster_by_reading("zoo", 0, 1, n_steps=5)["mean_omega"] < 1.0


def test_a_constant_similarity_is_one_cluster() -> None:
    _, y = load("threeof9")
    cell = cluster_by_reading("threeof9", 0, 2, n_steps=5)
    assert cell["f_score"] == 100 * clustering_f_score(y, [0] * len(y))
    assert cell["f_score"] == pytest.approx(PRINTED["threeof9"], abs=0.005)


def test_jobs() -> None:
    names = [name_reading(asdict(reading)) for reading in readings()]
    assert len(names) == 24
    assert sum(name in COMPARED for _, name in names) == 6
    assert len(jobs(Effort())) == 25 * 5 * (24 + 2)
    assert len(jobs(Effort(quick=True))) == 5 * (2 + 2)


def test_cells_may_come_in_any_order() -> None:
    rows = made(zoo=[80.0, 81.0], crx=[60.0, 61.0], hayesroth=[40.0, 41.0])
    first, second = report(Results(rows)), report(Results(rows[::-1]))
    assert first.findings == second.findings
    for one, other in zip(first.tables, second.tables, strict=True):
        pd.testing.assert_frame_equal(one.measured, other.measured)


def test_report() -> None:
    zoo, crx = PRINTED["zoo"], PRINTED["crx"]
    plain = [{"dataset": "crx", "method": "One-hot", "seed": 0, "f_score": crx}]
    found = report(Results(made(zoo=[zoo, zoo + 1], crx=[crx - 10, crx - 10]) + plain))
    table, separate, joint, sets = (one.measured for one in found.tables)
    line = table.loc["separate", "as from_paper"]
    assert line["mean F"] == pytest.approx((zoo + 0.5 + crx - 10) / 2)
    assert line[["sets met by a seed", "sets met by all", "seeds that meet"]].tolist() == [1, 0, 1]
    assert line[["sets within 0.5", "sets within 2", "sets learned"]].tolist() == [1, 1, 2]
    assert line["mean difference"] == pytest.approx(5.25)
    assert table.loc["joint", "as from_paper"]["sets met by all"] == 1  # crx, ten points higher
    assert separate.loc["zoo"].tolist() == [zoo, zoo + 0.5]
    assert joint.loc["crx"].tolist() == [crx, crx]
    assert sets.loc["zoo", "first of them (seeds)"] == "separate, as from_paper (1)"
    assert sets.loc["crx", ["of the reading", "met without UNTIE"]].tolist() == [
        "joint, as from_paper",
        "One-hot",
    ]
    said = " ".join(found.findings)
    assert "2 readings on 2 data sets" in said
    assert "joint couplings +10.0 (mean over 1 pair)" in said
    assert "One-hot on 1 of 2 sets" in said
    assert "all together on 2 of 2" in said
    assert "None reaches it" not in said


def test_rank_is_among_the_printed_scores_of_the_others() -> None:
    printed = published("clustering").set_index("dataset").drop(columns="delta")
    cell = {"seed": 0, "learned": True, "mean_omega": 0.5, **asdict(PaperReading())}
    rows = [{"dataset": name, **cell, "f_score": score} for name, score in printed["UNTIE"].items()]
    table = report(Results(rows)).tables[0].measured
    assert table["rank in UNTIE's place"].tolist() == [pytest.approx(2.82)]
    assert table["sets met by all"].tolist() == [25]


def test_means_with_and_without_the_sets_off_the_protocol() -> None:
    rows = made(zoo=[80.0, 80.0], audiology=[40.0, 40.0])
    table = report(Results(rows)).tables[0]
    line = table.measured.loc["separate", "as from_paper"]
    assert line["mean F"] == 60.0
    assert line["mean F, off-protocol sets left out"] == 80.0
    assert "off the protocol of from_paper (audiology) 76.12" in table.note


def test_cells_without_learning_are_marked() -> None:
    rows = made(audiology=[30.0, 30.0], zoo=[70.0, 70.0], threeof9=[34.86, 34.86])
    for row in rows:
        row["learned"] = row["dataset"] != "audiology"
    _, separate, _, sets = report(Results(rows)).tables
    assert {row: note[:17] for (row, _), note in separate.footnotes.items()} == {
        "audiology": "No weight is lear",
        "threeof9": "S is constant, so",
    }
    assert set(sets.footnotes) == {("audiology", "printed"), ("threeof9", "printed")}
    for table in (separate, sets):
        make_grid(table)


def test_nearer_to_print_the_less_the_weights_move() -> None:
    score, rows = PRINTED["zoo"], []
    for steps, solver, omega in ((500, "adam", 0.7), (1000, "adam", 0.3), (3000, "adam", 0.1)):
        reading = PaperReading(n_steps=steps, solver=solver)
        cell = {"dataset": "zoo", "seed": 0, "learned": True, **asdict(reading)}
        rows.append(cell | {"mean_omega": omega, "f_score": score - 10 * (1 - omega)})
    still = asdict(PaperReading(solver="uniform"))
    cell = {"dataset": "zoo", "seed": 0, "learned": False, "mean_omega": 1.0, "f_score": score}
    said = " ".join(report(Results([*rows, cell | still])).findings)
    assert "the rank correlation of the mean omega (1 at the start)" in said
    assert "is -1.00: with separate, 3,000 steps it is 0.10 and the difference 9.0" in said
    assert "2 readings and 2 comparisons on 1 data set" in said


def test_every_file_has_a_name_of_its_own() -> None:
    found = report(Results(made(zoo=[80.0, 81.0])))
    names = [one.name for one in (*found.tables, *found.figures)]
    assert len(set(names)) == len(names)


def test_report_without_cells() -> None:
    assert report(Results([])).findings == ("No cell came out.",)


def test_figure() -> None:
    figure = report(Results(made(zoo=[80.0, 81.0]))).figures[0]
    assert isinstance(figure.data, pd.DataFrame)
    separate, joint = draw(figure.data).axes
    assert [axes.get_title() for axes in (separate, joint)] == [
        "separate couplings",
        "joint couplings",
    ]
    assert [label.get_text() for label in separate.get_yticklabels()] == ["as from_paper"]
    assert separate.lines[0].get_xdata().tolist() == [80.0, 81.0]
    assert joint.lines[0].get_xdata().tolist() == [90.0, 91.0]
    assert joint.lines[2].get_xdata() == [PRINTED["zoo"]] * 2
