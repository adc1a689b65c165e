"""Levels of equal size, ranks within them, and what is said of UNTIE's."""

import numpy as np
import pandas as pd
import pytest

from untie_paper import clustering, couplings_density
from untie_paper import inconsistency as experiment
from untie_paper.data import SETS
from untie_paper.evaluation import published
from untie_paper.output.grid import make_grid
from untie_paper.run.experiment import Effort, Results


def indicator_rows(values):
    rows = [{"dataset": d, "value": v, "column": v, "printed": v} for d, v in values.items()]
    return rows + [
        {"dataset": d, "method": "UNTIE", "inter": -v, "inter_share": v} for d, v in values.items()
    ]


def cluster_row(dataset, method, score, seed=0):
    return {"dataset": dataset, "method": method, "seed": seed, "f_score": score}


@pytest.fixture
def indicators():
    return indicator_rows({name: number / 25 for number, name in enumerate(SETS)})


def test_cells_are_shared_with_the_experiments_they_belong_to():
    effort = Effort(quick=True)
    keys = [(job.function, str(job.arguments)) for job in experiment.jobs(effort)]
    for other in (clustering, couplings_density):
        assert {(job.function, str(job.arguments)) for job in other.jobs(effort)} <= set(keys)


def test_each_level_has_a_fifth_of_the_sets():
    values = np.random.default_rng(0).permutation(25)
    found = experiment.levels(pd.Series(values, SETS))
    assert found.value_counts().to_dict() == dict.fromkeys(range(1, 6), 5)
    assert set(found[found == 1].index) == {SETS[i] for i in np.argsort(values)[:5]}
    assert list(experiment.levels(pd.Series([3.0, 1.0, 2.0]))) == [1, 2, 4]


def test_ranks_of_the_printed_scores_have_the_printed_means():
    paper = published("clustering").set_index("dataset").drop(columns="delta")
    ranks = experiment.ranks_of_sets(paper, list(paper))
    printed = published("clustering_ranks").set_index("method")["average_rank"]
    assert ranks.mean()["UNTIE"] == pytest.approx(printed["UNTIE"], abs=0.005)
    assert (ranks.mean() - printed).abs().max() < 0.05


def test_the_default_is_ranked_in_unties_place():
    scores = pd.DataFrame(
        {
            "UNTIE": [50.0],
            "CDE": [60.0],
            "COS": [40.0],
            "UNTIE (default)": [70.0],
            "One-hot": [90.0],
        }
    )
    printed = experiment.ranks_of_sets(scores, ["UNTIE", "CDE", "COS"])
    assert printed.iloc[0].to_dict() == {"UNTIE": 2, "CDE": 1, "COS": 3}
    replaced = experiment.ranks_of_sets(scores, ["UNTIE (default)", "CDE", "COS"])
    assert replaced.iloc[0].to_dict() == {"UNTIE (default)": 1, "CDE": 2, "COS": 3}


def test_the_others_are_ranked_against_the_default_where_it_is_compared(indicators):
    """CDE is first beside UNTIE and second beside the default, which is the best then."""
    scores = {"UNTIE": 50.0, "CDE": 60.0, "Couplings": 40.0, "UNTIE (default)": 70.0}
    cells = [cluster_row(name, method, f) for name in SETS for method, f in scores.items()]
    said = experiment.report(Results([*indicators, *cells])).findings
    assert "UNTIE has the best mean rank at no level and is ahead of Couplings at levels" in said[1]
    assert "UNTIE (default) has the best mean rank at levels 1, 2, 3, 4 and 5" in said[2]


def test_mean_ranks_by_level(indicators):
    """The sets have their levels in the paper's order: the first five are level 1 by I_intra."""
    data = experiment.ranks_by_level(Results(indicators))
    paper = published("clustering").set_index("dataset").drop(columns="delta")
    by_hand = paper.iloc[:5].rank(axis=1, ascending=False)["CDE"].mean()
    of_cde = data[(data["method"] == "CDE") & (data["scores"] == experiment.PRINTED)]
    intra, inter = (of_cde[of_cde["indicator"] == name] for name in experiment.INDICATORS)
    assert intra["rank"].iloc[0] == pytest.approx(by_hand)
    assert list(intra["n_sets"]) == [5] * 5
    # I_inter orders the sets the other way round.
    np.testing.assert_allclose(intra["rank"], inter["rank"].to_numpy()[::-1])


def test_measured_ranks_use_the_sets_that_are_complete(indicators):
    cells = []
    for name in ("zoo", "crx", "flare"):
        cells += [cluster_row(name, "UNTIE", 80.0, seed) for seed in (0, 1)]
        cells += [cluster_row(name, "CDE", 70.0)]
    cells.append(cluster_row("splice", "CDE", 99.0))  # UNTIE's failed
    data = experiment.ranks_by_level(Results([*indicators, *cells]))
    measured = data[(data["scores"] == experiment.MEASURED) & (data["indicator"] == "I_intra")]
    assert list(measured["n_sets"].groupby(measured["level"]).first()) == [1, 1, 1]
    assert set(measured.loc[measured["method"] == "UNTIE", "rank"]) == {1.0}


def test_findings_name_the_levels(indicators):
    table = pd.DataFrame(
        {"level 1": [2.0, 1.0, 1.5], "level 2": [1.0, 2.0, 2.5]}, ["UNTIE", "Couplings", "COS"]
    )
    assert experiment.levels_ahead(table, "UNTIE") == ["2"]
    assert experiment.levels_ahead(table * 0 + 1, "UNTIE") == []
    said = experiment.report(Results(indicators)).findings
    assert [text.split(":")[0] for text in said] == [
        "By I_intra, printed scores",
        "By I_inter, printed scores",
    ]


def test_report_with_and_without_measured_scores(indicators):
    alone = experiment.report(Results(indicators))
    cells = [cluster_row(name, m, 50.0) for name in SETS for m in ("UNTIE", "CDE")]
    both = experiment.report(Results([*indicators, *cells]))
    assert both.tables[0].measured.loc[(experiment.MEASURED, "CDE"), "level 3"] == 1.5
    for report, n_lines in ((alone, 10), (both, 12)):
        assert report.tables[0].measured.shape == (n_lines, 5)
        assert report.tables[0].published is None  # the paper only draws them
    assert [figure.name for figure in both.figures] == list(experiment.FIGURES.values())
    for report, n_panels in ((alone, 1), (both, 2)):
        drawn = report.figures[0].draw(report.figures[0].data)
        assert len(drawn.axes) == n_panels
    assert drawn.axes[1].lines[0].get_ydata().tolist() == [1.5] * 5


def test_other_readings_are_listed(indicators):
    table = experiment.report(Results(indicators)).tables[-1].measured
    assert list(table.index)[:3] == [f"I_intra ({t})" for t in couplings_density.READINGS.values()]
    assert "UNTIE best at levels" in table.columns


def test_nothing_at_all():
    report = experiment.report(Results([]))
    assert not report.findings
    assert not report.figures


def test_no_two_files_have_the_same_name(indicators):
    report = experiment.report(Results(indicators))
    names = [part.name for part in (*report.tables, *report.figures)]
    assert len(names) == len(set(names)) == 5


def test_levels_with_sets_off_the_protocol_are_marked(indicators):
    paper = published("clustering").set_index("dataset").drop(columns="delta")
    cells = [
        cluster_row(name, method, score)
        for name, line in paper.iterrows()
        for method, score in line.items()
    ]
    found = experiment.report(Results([*indicators, *cells]))
    place = {name: SETS.index(name) // 5 + 1 for name in ("audiology", "primarytumor", "threeof9")}
    intra, inter = found.tables[:2]
    ours = (experiment.MEASURED, "UNTIE")
    assert set(intra.footnotes) == {(ours, f"level {level}") for level in place.values()}
    # The other indicator of the fixture runs the other way.
    assert set(inter.footnotes) == {(ours, f"level {6 - level}") for level in place.values()}
    assert "on audiology, which" in intra.footnotes[ours, f"level {place['audiology']}"]
    for table in found.tables:
        make_grid(table)
    few = [row for row in [*indicators, *cells] if row["dataset"] in ("zoo", "crx", "hayesroth")]
    assert not any(table.footnotes for table in experiment.report(Results(few)).tables)
    assert not any(table.footnotes for table in experiment.report(Results(indicators)).tables)
