import json

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from untie_paper import retrieval
from untie_paper.baselines import VAE
from untie_paper.datasets import load
from untie_paper.methods import DEEP, DEFAULT, PAPER
from untie_paper.off_protocol import LEFT_OUT
from untie_paper.output.grid import make_grid
from untie_paper.retrieval import EXPERIMENT, chance, drawn_rows, jobs, retrieve
from untie_paper.retrieval_report import DRAWN, EVERYWHERE, METHODS, report, tidy
from untie_paper.run.experiment import Effort, Results


def row(dataset, method, precision, seed=0):
    return {
        "dataset": dataset,
        "method": method,
        "seed": seed,
        "precision": precision,
        "chance": 0.25,
    }


def level(height):
    return [height] * 100


def test_hamming_and_one_hot_rank_alike_and_are_right():
    one_hot = retrieve("zoo", "One-hot", 0, most_k=20, most_rows=1000)
    hamming = retrieve("zoo", "Hamming", 0, most_k=20, most_rows=1000)
    np.testing.assert_allclose(one_hot["precision"], hamming["precision"])
    assert json.loads(json.dumps(one_hot)) == one_hot
    table, labels = load("zoo")
    codes = np.column_stack([np.unique(table[name], return_inverse=True)[1] for name in table])
    distances = cdist(codes, codes, "hamming").round(9)
    np.fill_diagonal(distances, np.inf)
    same = np.equal.outer(labels.to_numpy(), labels.to_numpy())
    at_one = [same[i][distances[i] == distances[i].min()].mean() for i in range(len(codes))]
    assert one_hot["precision"][0] == pytest.approx(np.mean(at_one))


def test_k_ends_with_the_number_of_other_objects():
    assert len(retrieve("zoo", "One-hot", 0, most_k=500, most_rows=1000)["precision"]) == 100


def test_neural_encoders_are_capped(monkeypatch):
    made = []

    def make(k, seed):
        made.append(VAE(random_state=seed))
        return made[-1]

    pytest.importorskip("torch")
    monkeypatch.setitem(retrieval.ENCODERS, "VAE_WD", make)
    retrieve("zoo", "VAE_WD", 0, most_k=3, most_rows=1000, max_steps=4)
    assert made[0].n_iter_ == 2  # 101 rows are two batches


def test_large_sets_are_sampled_always_alike():
    cell = retrieve("zoo", "One-hot", 0, most_k=5, most_rows=30)
    assert cell == retrieve("zoo", "One-hot", 0, most_k=5, most_rows=30)
    rows = drawn_rows(101, 30)
    assert len(set(rows.tolist())) == 30
    assert (np.diff(rows) > 0).all()
    assert cell["chance"] == chance(load("zoo")[1].to_numpy()[rows])


def test_jobs_cover_the_figure_and_all_sets():
    arguments = [job.arguments for job in jobs(Effort())]
    assert len({a["dataset"] for a in arguments}) == 25
    for name in DRAWN:
        assert {a["method"] for a in arguments if a["dataset"] == name} == set(METHODS)
    deep = [a for a in arguments if a["method"] in DEEP]
    assert len(deep) == len(DRAWN) * len(DEEP)
    seeds = [a["seed"] for a in arguments if (a["dataset"], a["method"]) == ("splice", PAPER)]
    assert seeds == [0, 1, 2, 3, 4]
    quick = jobs(Effort(quick=True))
    assert not {job.arguments["method"] for job in quick} & set(DEEP)


def test_curves_are_means_over_seeds():
    rows = [row("splice", PAPER, [0.4, 0.2], 0), row("splice", PAPER, [0.6, 0.4], 1)]
    frame = tidy(Results(rows)).set_index(["method", "k"])["precision"]
    assert frame[PAPER].tolist() == pytest.approx([0.5, 0.3])
    assert frame["chance"].tolist() == [0.25, 0.25]


def test_the_claim_is_counted_over_the_papers_methods_alone():
    rows = [row("splice", PAPER, [*[0.9] * 70, *[0.1] * 30])]
    rows += [row("splice", "CDE", level(0.5)), row("splice", "One-hot", level(0.95))]
    outcome = report(Results(rows))
    assert (
        "has the highest precision at 70 of 100 k (the paper says at all of them)"
        in outcome.findings[0]
    )
    assert "One-hot 0.950" in outcome.findings[0]
    best = report(Results([row("splice", PAPER, level(0.9)), row("splice", "CDE", level(0.5))]))
    assert "100 of 100 k (as the paper says)" in best.findings[0]


def test_the_figures_data_and_drawing():
    rows = [row(name, method, level(0.5)) for name in DRAWN[::-1] for method in METHODS]
    figure = report(Results(rows)).figures[0]
    assert len(figure.data) == len(DRAWN) * (len(METHODS) + 1) * 100
    drawn = figure.draw(figure.data)
    assert [axes.get_title() for axes in drawn.axes] == list(DRAWN)
    assert all(len(axes.lines) == len(METHODS) + 1 for axes in drawn.axes)


def test_all_sets_at_ten_with_a_missing_cell():
    heights = dict(zip(EVERYWHERE, (0.4, 0.3, 0.2, 0.1), strict=True))
    rows = [row(n, m, level(h)) for n in ("zoo", "splice") for m, h in heights.items()]
    rows.append(row("crx", PAPER, level(0.9)))
    outcome = report(Results(rows))
    measured = outcome.tables[-1].measured
    assert measured.index.tolist() == ["zoo", "crx", "splice", "mean", "mean rank"]
    assert measured.loc["mean", PAPER] == pytest.approx(0.4)  # crx is incomplete
    assert measured.loc["mean rank", list(EVERYWHERE)].tolist() == [1, 2, 3, 4]
    assert f"over 2 sets: {PAPER} 0.400 (rank 1.00), {DEFAULT} 0.300" in outcome.findings[-1]


def test_without_drawn_sets_there_is_no_figure():
    outcome = EXPERIMENT.report(Results([row("zoo", PAPER, level(0.5))]))
    assert not outcome.figures
    assert outcome.tables[0].measured.loc["zoo", PAPER] == 0.5
    assert retrieval.EXPERIMENT.report(Results([])).findings == ["No cell came out."]


def test_sets_off_the_protocol_are_marked_and_left_out_of_a_mean():
    heights = {"zoo": 0.9, "crx": 0.7, "threeof9": 0.2}
    rows = [
        row(name, method, level(height))
        for name, height in heights.items()
        for method in EVERYWHERE
    ]
    outcome = report(Results(rows))
    table = outcome.tables[-1]
    make_grid(table)
    assert set(table.footnotes) == {(name, PAPER) for name in ("threeof9", "mean", "mean rank")}
    assert table.measured.loc["mean", PAPER] == pytest.approx(0.6)
    assert table.measured.loc[f"mean, {LEFT_OUT}", PAPER] == pytest.approx(0.8)
    assert outcome.findings[-1].startswith(
        "Without threeof9, where the printed protocol cannot be followed: UNTIE 0.800 (rank 2.50)"
    )
    fewer = report(Results([one for one in rows if one["dataset"] != "threeof9"]))
    assert not fewer.tables[-1].footnotes
    assert fewer.findings[-1].startswith("Mean precision@10 over 2 sets")
