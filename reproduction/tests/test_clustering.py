"""The experiment of clustering: its cells, and its report on results with known answers."""

from typing import Any

import pytest

from untie_paper.clustering import DEEP_SEEDS, MAX_STEPS, QUICK_STEPS, cells, jobs
from untie_paper.clustering_report import report
from untie_paper.clustering_scores import by_set_and_method, printed_scores
from untie_paper.data import SETS
from untie_paper.evaluation import published
from untie_paper.methods import CDE_TEN, COLUMNS, DEEP, DEFAULT, PAPER
from untie_paper.off_protocol import LEFT_OUT, sets_off
from untie_paper.output.grid import make_grid
from untie_paper.run.experiment import QUICK, Effort, Results

EXTRAS = {"nmi": 50.0, "ari": 40.0, "accuracy": 60.0}


def as_printed(shift: float = 0.0, n_seeds: int = 2) -> list[dict[str, Any]]:
    """Return cells with the printed scores; seeds lie one point to both sides of them."""
    rows = []
    for name, line in printed_scores().iterrows():
        scores = line.to_dict() | {DEFAULT: line["UNTIE"] + 1, "One-hot": line["CDE"] - 1}
        scores[CDE_TEN] = line["CDE"] + 3
        rows += [
            {"dataset": name, "method": method, "seed": seed, **EXTRAS}
            | {"f_score": score + shift + (2 * seed - 1) * (n_seeds > 1)}
            for method, score in scores.items()
            for seed in range(n_seeds)
        ]
    return rows


def finding(found: Any, beginning: str) -> str:
    return next(text for text in found.findings if text.startswith(beginning))


def tables_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {table.name: table for table in report(Results(rows)).tables}


def test_a_job_for_each_set_method_and_seed() -> None:
    found = jobs(Effort())
    assert len(found) == 25 * (11 * 5 + 2 * DEEP_SEEDS)
    assert len({tuple(sorted(job.arguments.items())) for job in found}) == len(found)
    assert all(job.cost > 0 for job in found)
    steps = {job.arguments.get("max_steps") for job in found if job.arguments["method"] in DEEP}
    assert steps == {MAX_STEPS}


def test_quick_jobs_are_few() -> None:
    found = jobs(Effort(quick=True))
    assert len(found) == len(QUICK) * 13
    assert {job.arguments["n_restarts"] for job in found} == {3}
    assert {job.arguments.get("max_steps", QUICK_STEPS) for job in found} == {QUICK_STEPS}


def test_a_quick_job_runs() -> None:
    (job,) = [j for j in cells(Effort(quick=True), ["Rough"]) if j.arguments["dataset"] == "zoo"]
    assert job.function(**job.arguments)["f_score"] > 37


def test_printed_scores_agree_with_themselves() -> None:
    found = report(Results(as_printed()))
    table = found.tables[0]
    assert table.measured.columns.tolist() == [*COLUMNS, "Delta"]
    assert table.measured.index.tolist() == SETS
    printed = published("clustering").set_index("dataset").rename(columns={"delta": "Delta"})
    assert (table.measured[printed.columns] - printed).abs().to_numpy().max() < 0.006
    assert "of the 25 scores 25 agree within 0.5" in found.findings[0]
    assert "above the printed score of UNTIE by more than 0.5 on 25 data sets" in finding(
        found, "The default"
    )
    assert "Of 225 cells of the other printed methods 225 agree" in finding(found, "Of ")
    assert "within 2 and on average 0.0 apart; with ten: 0 within 0.5" in finding(found, "CDE")
    assert "mean rank over 25 data sets is 2.82 (place 1), by the printed scores 2.82" in finding(
        found, "Among"
    )
    assert "Delta is above 0 on 10 of 25 data sets, by the printed scores on 10" in finding(
        found, "Delta"
    )


def test_findings_change_with_the_figures() -> None:
    found = report(Results(as_printed(shift=-1.0)))
    assert "of the 25 scores 0 agree within 0.5 and 25 within 2" in found.findings[0]


def test_ranks_stand_beside_the_printed_ones() -> None:
    table = tables_of(as_printed())["clustering_ranks"]
    column = "rank among printed"
    expected = published("clustering_ranks").set_index("method")["average_rank"]
    assert table.published[column].round(2).to_dict() == expected.to_dict()
    assert table.measured.loc[expected.index, column].tolist() == pytest.approx(expected.tolist())
    # One point more than UNTIE ranks at least as high in its place.
    assert table.measured.loc[DEFAULT, column] < 2.82
    assert table.measured["rank among all"].sum() == pytest.approx(13 * 14 / 2)


def test_tests_stand_beside_the_printed_ones() -> None:
    table = tables_of(as_printed())["clustering_tests"]
    assert table.measured.loc["Friedman's chi2"].iloc[0] == pytest.approx(83.21, abs=0.005)
    assert table.published.shape[1] == 2
    fewer = [row for row in as_printed() if row["dataset"] != "zoo"]
    assert tables_of(fewer)["clustering_tests"].published.columns.tolist() == [
        "from the printed scores"
    ]


def test_spread_is_that_of_the_seeds() -> None:
    table = tables_of(as_printed())["clustering_spread"]
    assert table.measured.index[-2:].tolist() == ["mean", f"mean, {LEFT_OUT}"]
    assert (table.measured.round(9) == 1.0).all(axis=None)


def test_agreement_counts() -> None:
    rows = as_printed(n_seeds=1)
    next(r for r in rows if (r["dataset"], r["method"]) == ("zoo", "CDE"))["f_score"] += 1.5
    table = tables_of(rows)["clustering_agreement"].measured
    assert table.loc["CDE"].tolist() == pytest.approx([25, 24, 24, 25, 24, 1.5 / 25])
    assert table.loc["COS", "both decimals"] == 25


def test_agreement_of_single_seeds() -> None:
    table = tables_of(as_printed(shift=1.0))["clustering_agreement"].measured
    assert table.loc["CDE", "within 0.5"] == 0
    assert table.loc["CDE", "a seed within 0.5"] == 25


def test_other_measures_are_means() -> None:
    table = tables_of(as_printed())["clustering_measures"].measured
    paper = printed_scores()["CDE"]
    assert table.loc["CDE"].tolist() == pytest.approx(
        [paper.mean(), 60.0, 50.0, 40.0, paper.drop(sets_off(SETS)).mean(), 60.0, 50.0, 40.0],
        abs=0.01,
    )


def test_diagrams_hold_the_ranks() -> None:
    printed, same_methods, measured = report(Results(as_printed())).figures
    assert printed.data["mean_rank"].iloc[0] == 2.82
    assert len(printed.data) == 10
    assert same_methods.data["method"].tolist() == printed.data["method"].tolist()
    assert same_methods.data["mean_rank"].tolist() == pytest.approx(printed.data["mean_rank"])
    assert len(measured.data) == 13
    assert measured.data["control"].unique().tolist() == ["UNTIE"]


@pytest.mark.parametrize("gone", [DEEP, ("UNTIE",), tuple(COLUMNS[1:])])
def test_methods_may_be_missing(gone: tuple[str, ...]) -> None:
    found = report(Results([row for row in as_printed() if row["method"] not in gone]))
    assert not set(gone) & set(found.tables[0].measured.columns)
    assert "Delta" not in found.tables[0].measured
    ranked = any(table.name == "clustering_ranks" for table in found.tables)
    assert ranked == (gone == DEEP)


def test_cells_may_be_missing() -> None:
    rows = [r for r in as_printed() if (r["dataset"], r["method"]) != ("zoo", "CDE")]
    found = report(Results(rows))
    assert found.tables[0].measured.loc["zoo"].isna().sum() == 2  # CDE and Delta
    assert "over 24 data sets" in finding(found, "Among")


def test_one_set_has_no_ranks() -> None:
    found = report(Results([row for row in as_printed() if row["dataset"] == "zoo"]))
    assert len(found.figures) == 1
    assert len(found.findings) == 4


def test_report_of_nothing() -> None:
    assert report(Results([])).findings == ("No cell came out.",)


def test_rows_and_columns_keep_their_order_whatever_comes_first() -> None:
    frame = Results(as_printed()[::-1]).frame()
    table = by_set_and_method(frame)
    assert table.index.tolist() == SETS
    assert table.columns.tolist() == COLUMNS


def test_fewer_seeds_are_said() -> None:
    rows = as_printed()
    again = [{**row, "seed": 9} for row in rows if row["method"] not in DEEP]
    note = tables_of(rows + again)["clustering"].note
    assert "mean over 3 seeds (BiGAN_WD 2, VAE_WD 2) of encoder" in note
    assert "mean over 1 seed of encoder" in tables_of(as_printed(n_seeds=1))["clustering"].note


OFF = ["audiology", "primarytumor", "threeof9"]


def test_cells_off_the_protocol_are_marked() -> None:
    tables = tables_of(as_printed())
    notes = tables["clustering"].footnotes
    assert set(notes) == {(name, column) for name in OFF for column in (PAPER, "Delta")}
    assert "one-hot vectors" in notes["threeof9", PAPER]
    assert "rows in a batch" in notes["audiology", PAPER]
    assert notes["audiology", PAPER] == notes["primarytumor", PAPER]
    assert set(tables["clustering_spread"].footnotes) == {(n, PAPER) for n in [*OFF, "mean"]}
    for name in ("clustering_ranks", "clustering_measures", "clustering_agreement"):
        assert set(tables[name].footnotes) == {
            (PAPER, column) for column in tables[name].measured if LEFT_OUT not in column
        }
        assert set(tables[name].footnotes.values()) <= {
            f"Not the printed protocol on audiology, primarytumor and threeof9, which {what} "
            "includes."
            for what in ("the mean", "the row")
        }
    assert all("rows in a batch" not in table.measured.to_csv() for table in tables.values())
    for table in tables.values():
        make_grid(table)


def off_by(shift: float) -> list[dict[str, Any]]:
    """Return the printed scores but for UNTIE's on the sets off the protocol."""
    rows = as_printed()
    for row in rows:
        if row["dataset"] in OFF and row["method"] == PAPER:
            row["f_score"] += shift
    return rows


def test_means_are_given_with_and_without_them() -> None:
    found = report(Results(off_by(10.0)))
    paper = printed_scores()[PAPER]
    kept = paper.drop(OFF).mean()
    assert f"mean F of {paper.mean() + 30 / 25:.1f} on 25 data sets" in found.findings[0]
    assert "of the 25 scores 22 agree within 0.5 and 22 within 2." in found.findings[0]
    assert (
        "On audiology, primarytumor and threeof9 the protocol cannot be followed (marked in the "
        f"tables); without them a mean F of {kept:.1f} on 22 data sets, printed {kept:.1f}; of the "
        "22 scores 22 agree within 0.5 and 22 within 2." in found.findings[0]
    )
    assert (
        "a single cluster scores 34.86, the printed score is 34.86, and the one-hot vectors that "
        "stand in have 44.86" in finding(found, "On threeof9")
    )
    tables = {table.name: table for table in found.tables}
    ranks = tables["clustering_ranks"]
    assert ranks.measured.loc[PAPER, f"mean F, {LEFT_OUT}"] == pytest.approx(kept, abs=0.01)
    column = f"rank among printed, {LEFT_OUT}"
    assert ranks.measured.loc[PAPER, column] == pytest.approx(ranks.published.loc[PAPER, column])
    assert ranks.measured.loc[PAPER, "mean F"] > ranks.published.loc[PAPER, "mean F"] + 1
    assert f"it is {ranks.measured.loc[PAPER, column]:.2f}, by the printed" in finding(
        found, "Among"
    )
    line = tables["clustering_agreement"].measured.loc[f"{PAPER}, {LEFT_OUT}"]
    assert line["cells"] == line["within 0.5"] == 22
    assert tables["clustering_agreement"].measured.loc[PAPER, "within 0.5"] == 22
    tests = tables["clustering_tests"].measured[f"measured, printed columns, {LEFT_OUT}"]
    assert tests["data sets"] == 22


@pytest.mark.parametrize("names", [["zoo", "crx"], ["zoo", "threeof9"], ["threeof9"]])
def test_few_sets_have_what_they_can_have(names: list[str]) -> None:
    rows = [row for row in as_printed() if row["dataset"] in names]
    found = report(Results(rows))
    off = [name for name in names if name in OFF]
    assert ("cannot be followed" in found.findings[0]) == (0 < len(off) < len(names))
    assert " without it a mean F of" in found.findings[0] or names != ["zoo", "threeof9"]
    for table in found.tables:
        make_grid(table)
        left_out = [
            label for label in [*table.measured, *table.measured.index] if LEFT_OUT in label
        ]
        assert off or not left_out
        assert off or not table.footnotes


def test_ten_starts_stand_beside_the_printed_column_of_cde() -> None:
    table = tables_of(as_printed())["clustering_agreement"].measured
    assert table.loc["CDE", "within 0.5"] == 25
    assert table.loc[CDE_TEN, "mean difference"] == pytest.approx(3.0)
    scores = tables_of(as_printed())["clustering"]
    assert CDE_TEN in scores.measured
    assert CDE_TEN not in scores.published
