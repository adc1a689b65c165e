"""Cells of time on tiny tables, series of one factor, and slopes."""

import json

import numpy as np
import pandas as pd
import pytest

from untie_paper import timing
from untie_paper.methods import PAPER
from untie_paper.stages import build_couplings

TINY = {**timing.DEFAULTS, "n_objects": 60, "n_attributes": 3, "n_steps": 5}


@pytest.mark.parametrize("method", timing.STAGED)
def test_stages_add_up(method):
    cell = timing.time_cell(method=method, repeats=1, **TINY)
    assert json.loads(json.dumps(cell)) == cell
    assert cell["total"] == pytest.approx(cell["coupling"] + cell["heterogeneity"])
    assert cell["per_step"] == pytest.approx(cell["heterogeneity"] / cell["n_evaluations"])
    if method == PAPER:
        assert cell["n_evaluations"] == 5


@pytest.mark.parametrize("method", ["UNTIE (default)", "CDE", "DILCA"])
def test_others_have_a_total(method):
    assert set(timing.time_cell(method=method, repeats=1, **TINY)) == {"total"}


def test_kernels_are_as_many_as_asked_for():
    for n, expected in ((0, 14), (1, 1), (30, 30)):
        encoder = timing.staged_encoder(timing.EXACT, n, 20, 5)
        problem = build_couplings(encoder, [["a", "x"], ["b", "y"], ["b", "x"]])
        assert problem.n_spaces == 2 * expected


def test_the_shortest_run_counts(monkeypatch):
    ticks = iter([3.0, 1.0, 2.0, 5.0, 4.0])
    monkeypatch.setattr(timing, "_seconds", lambda work: next(ticks))
    assert timing.best_time(print, 3) == 1.0
    monkeypatch.setattr(timing, "_seconds", lambda work: next(ticks))
    assert timing.best_time(print, 5) == 4.0  # 5.0 is too long to repeat five times
    assert next(ticks, None) is None


def test_short_work_is_repeated(monkeypatch):
    runs = []
    monkeypatch.setattr(timing, "_seconds", lambda work: runs.append(1) or 0.01)
    timing.best_time(print, 3)
    assert len(runs) >= timing.LEAST_SECONDS / 0.01
    runs.clear()
    timing.best_time(print, 1)
    assert len(runs) == 1


def test_a_series_changes_one_factor():
    rows = [
        {**timing.sizes_with(n_values=20), "method": PAPER, "total": 2.0},
        {**timing.sizes_with(n_values=10), "method": PAPER, "total": 1.0},
        {**timing.sizes_with(n_values=10, n_objects=50), "method": PAPER, "total": 9.0},
        {**timing.sizes_with(), "method": PAPER, "total": 0.5},
    ]
    series = timing.time_series(pd.DataFrame(rows), "n_values", [10, 20])
    assert list(series["total"]) == [1.0, 2.0]
    assert timing.time_series(pd.DataFrame(), "n_values", [10]).empty


def test_exponents():
    assert timing.growth_exponent([1, 2, 4], [3.0, 3.0, 3.0]) == pytest.approx(0.0)
    assert timing.growth_exponent([1, 2, 4], [3.0, np.nan, 48.0]) == pytest.approx(2.0)
    assert timing.growth_exponent([1, 2, 4], [3.0, 0.0, 48.0]) == pytest.approx(2.0)
    assert np.isnan(timing.growth_exponent([1], [3.0]))


def test_larger_tables_are_expected_to_take_longer():
    small, large = timing.sizes_with(n_values=10), timing.sizes_with(n_values=100)
    for method in ("UNTIE", timing.EXACT, "CDE"):
        assert timing.rough_cost(method, large, 5) > timing.rough_cost(method, small, 5)
