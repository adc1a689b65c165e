"""Surprising combinations, against counts over explicit rows."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from tables import latent_classes, small_tables
from untie import UNTIE
from untie.datasets import load
from untie.explain import outliers, why_outlier


def slow_surprise(table, row, first, second):
    """Return the surprise of two cells from the other rows, by counting them."""
    n = len(table) - 1
    others = [r for i, r in enumerate(table.itertuples(index=False)) if i != row]
    a, b = table.iloc[row, first], table.iloc[row, second]
    n_a, n_b = (sum(r[p] == v for r in others) for p, v in ((first, a), (second, b)))
    both = sum(r[first] == a and r[second] == b for r in others)
    expected = n_a * n_b / max(n, 1)
    return max(math.log((expected + 1) / (both + 1)), 0.0)


def slow_score(table, row):
    m = table.shape[1]
    return sum(slow_surprise(table, row, j, k) for j in range(m) for k in range(j + 1, m))


@given(small_tables(min_rows=3))
@pytest.mark.filterwarnings("ignore::UserWarning")  # random tables may be degenerate
def test_scores_of_any_table(table):
    if table.shape[1] < 2:
        return
    encoder = UNTIE(solver="uniform").fit(table)
    found = outliers(encoder, table, n=100).set_index("position")
    assert len(found) == len(table)
    for row in range(len(table)):
        score = slow_score(table, row)
        assert found.score[row] == pytest.approx(score, abs=1e-9)
        parts = why_outlier(encoder, table.iloc[row])
        assert parts.part.sum() == pytest.approx(score, abs=1e-9)
        assert found.share[row] == pytest.approx((found.score > score - 1e-9).mean())


def test_each_part_is_half_of_the_pairs_it_is_in():
    table = latent_classes(60, 2, 4, 3, seed=1)[0]
    encoder = UNTIE(2).fit(table)
    parts = why_outlier(encoder, table.iloc[7]).set_index("column")
    for place, name in enumerate(table):
        terms = {k: slow_surprise(table, 7, place, k) for k in range(4) if k != place}
        assert parts.part[name] == pytest.approx(sum(terms.values()) / 2)
        best = max(terms, key=terms.get)
        assert terms[list(table).index(parts.with_column[name])] == pytest.approx(terms[best])


def planted(name="mushroom", n_rows=1500, n_planted=10):
    """Return rows, some of which have every cell of another row: the values stay as frequent."""
    rng = np.random.default_rng(0)
    table = load(name)[0].sample(n_rows, random_state=0).reset_index(drop=True)
    rows = rng.choice(n_rows, n_planted, replace=False)
    for column in table:
        table.loc[rows, column] = table[column].to_numpy()[rng.choice(n_rows, n_planted)]
    return table, set(rows)


def test_planted_combinations_are_found_and_rare_values_are_not():
    table, rows = planted()
    found = outliers(UNTIE().fit(table), table, n=10)
    assert len(rows & set(found.position)) >= 8
    # A value of its own in an otherwise typical row is no combination.
    typical = int(outliers(UNTIE().fit(table), table, n=len(table)).position.iloc[-1])
    table.loc[typical, table.columns[0]] = "never seen elsewhere"
    again = outliers(UNTIE().fit(table), table, n=100)
    assert typical not in set(again.position)


def test_values_that_never_meet_are_named():
    rows = [["sea", "fish", "x"], ["land", "cow", "y"]] * 30 + [["sea", "cow", "x"]]
    table = pd.DataFrame(rows, columns=["place", "animal", "kind"])
    encoder = UNTIE(2).fit(table)
    found = outliers(encoder, table, n=2)
    assert found.position[0] == 60
    assert "place=sea with animal=cow: 0 times, 15.0 expected" in found.reason[0]
    assert found.score[1] == 0
    assert found.reason[1] == ""
    why = why_outlier(encoder, table.iloc[60])
    assert why.column[0] == "animal"
    assert why["count"][0] == 0
    assert why.expected[0] == pytest.approx(15.0)


def test_weights_scaled_to_any_sum():
    table = latent_classes(80, 2, 4, 3, seed=3)[0]
    plain = outliers(UNTIE(2).fit(table), table, n=5)
    scaled = outliers(UNTIE(2).fit(table, sample_weight=np.full(80, 1e-3)), table, n=5)
    np.testing.assert_allclose(scaled.score, plain.score)


def test_new_rows_and_unknown_values():
    rows = [["sea", "fish"], ["land", "cow"]] * 30
    encoder = UNTIE(2).fit(rows)
    found = outliers(encoder, [["sea", "cow"], ["sea", "dragon"], ["land", "cow"]], n=3)
    assert found.position[0] == 0
    assert found.score[1:].tolist() == [0, 0]


def test_pairs_with_too_many_values_for_a_table(monkeypatch):
    table = latent_classes(100, 3, 4, 5, seed=0)[0]
    encoder = UNTIE(2).fit(table)
    expected = outliers(encoder, table, n=9)
    monkeypatch.setattr("untie.explain._unusual.TABLE_CELLS", 1)
    monkeypatch.setattr("untie.explain._unusual.BLOCK_ROWS", 7)
    pd.testing.assert_frame_equal(outliers(encoder, table, n=9), expected)


def test_frames_and_bad_input():
    frame = pl.DataFrame({"a": ["x", "y"] * 5, "b": ["u", "v"] * 5})
    assert isinstance(outliers(UNTIE(2).fit(frame), frame), pl.DataFrame)
    with pytest.raises(ValueError, match="needs two columns"):
        outliers(UNTIE(2).fit(frame.select("a")), frame.select("a"))
    with pytest.raises(ValueError, match="n must be a positive integer"):
        outliers(UNTIE(2).fit(frame), frame, n=-1)
