import dataclasses

import pytest
from rich.console import Console

from untie_paper.output.report import PaperReport
from untie_paper.output.sections import facts, make_sections
from untie_paper.output.summary import QUICK, lead, summary_rows
from untie_paper.run.experiment import Effort
from untie_paper.run.progress import Display
from untie_paper.run.runner import run_experiments


def test_counts_over_tables(outcome, scores):
    second = dataclasses.replace(scores, name="again")
    report = dataclasses.replace(outcome.report, tables=[scores, second])
    sections = make_sections([dataclasses.replace(outcome, report=report)])
    assert summary_rows(sections)[1] == [["12", "0", "10", "4", "6"]]
    assert lead(sections, {}) == (
        "1 experiment with 12 cells; none failed. Of 10 measured figures published as well: 4 to "
        "the digit, 6 close."
    )
    assert "cells, those that several share counted in each;" in lead(sections * 2, {})


def test_failures_and_problems_are_said(hostile):
    sections = make_sections([hostile])
    assert sections[0].failures[0][0].startswith("dataset=zoo, method=<script>")
    text = lead(sections, {})
    assert "3 cells; 1 of them failed." in text
    assert "could not be made: 1." in text


def test_figure_whose_data_cannot_be_written(outcome, curve):
    report = PaperReport([], figures=[dataclasses.replace(curve, data={"x": [1], "y": [2]})])
    view = make_sections([dataclasses.replace(outcome, report=report)])[0].figures[0]
    assert view.picture.png
    assert view.csv == b""
    assert view.problem.startswith("AttributeError")


@pytest.mark.parametrize("name", ["", "../up", "a/b", "a b", ".hidden", "a.b", "a\n"])
def test_names_that_are_no_files(outcome, curve, name):
    with pytest.raises(ValueError, match="cannot name a file"):
        make_sections([dataclasses.replace(outcome, name=name)])
    report = PaperReport([], figures=[dataclasses.replace(curve, name=name)])
    with pytest.raises(ValueError, match="figures of 'clustering' cannot name a file"):
        make_sections([dataclasses.replace(outcome, report=report)])


def test_names_that_are_there_twice(outcome, scores, curve):
    with pytest.raises(ValueError, match="'clustering' is there twice"):
        make_sections([outcome, dataclasses.replace(outcome, name="Clustering")])
    report = PaperReport([], [scores], [dataclasses.replace(curve, name="Scores")])
    with pytest.raises(ValueError, match="'scores' is there twice"):
        make_sections([dataclasses.replace(outcome, report=report)])


def test_quick_run_is_called_one(outcome, tmp_path):
    sections = make_sections([outcome])
    for quick in (True, False):
        display = Display(Console(quiet=True))
        run = run_experiments([], tmp_path, display, effort=Effort(quick=quick), n_jobs=1)
        assert lead(sections, run.provenance).startswith(QUICK) == quick
    assert QUICK not in lead(sections, {})


def test_facts(provenance):
    assert list(facts(provenance))[:5] == [
        ("commit", "1a2b3c"),
        ("settings, effort", "full"),
        ("settings, seeds", "0, 1"),
        ("versions, numpy", "2.0"),
        ("versions, torch", "\N{EN DASH}"),
    ]
