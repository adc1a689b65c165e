"""Surprising combinations, against counts over explicit rows."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from sklearn.pipeline import make_pipeline

from page_cases import mixed_kinds
from tables import latent_classes, small_tables
from untie import UNTIE, Preparer, TableClusterer, TableEncoder, make_report
from untie.datasets import load
from untie.explain import _scored_rows, outliers, why_outlier
from untie.explain._scored_rows import ScoreCounts


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
    encoder = TableEncoder(2, preparer=None).fit(table)
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
    found = outliers(TableEncoder(preparer=None).fit(table), table, n=10)
    assert len(rows & set(found.position)) >= 8
    # A value of its own in an otherwise typical row is no combination.
    typical = int(
        outliers(TableEncoder(preparer=None).fit(table), table, n=len(table)).position.iloc[-1]
    )
    table.loc[typical, table.columns[0]] = "never seen elsewhere"
    again = outliers(TableEncoder(preparer=None).fit(table), table, n=100)
    assert typical not in set(again.position)


@pytest.mark.parametrize("n_rows", [60, 400, 1500])
@pytest.mark.parametrize("shares", [[1] * 3, [9, 1], [32, 1], 1 / np.arange(1, 13) ** 2])
def test_no_row_of_independent_columns_is_unusual(n_rows, shares):
    rng = np.random.default_rng(0)
    p = np.array(shares) / np.sum(shares)
    for n_columns in (3, 10):
        table = rng.choice(list("abcdefghijkl"[: len(p)]), (n_rows, n_columns), p=p)
        encoder = UNTIE(solver="uniform").fit(table)
        assert not outliers(encoder, table).unusual.any()


def test_rows_between_clusters_are_not_unusual_where_many_are():
    flagged = 0
    for seed in range(8):
        table = latent_classes(600, 3, 8, 4, seed=seed, purity=0.6)[0]
        flagged += outliers(UNTIE(solver="uniform").fit(table), table).unusual.any()
    assert flagged <= 1


def test_planted_rows_are_unusual_and_others_are_not():
    table, rows = planted(n_planted=0)
    clean = TableEncoder(preparer=None).fit(table)
    assert not outliers(clean, table).unusual.any()
    table, rows = planted()
    found = outliers(TableEncoder(preparer=None).fit(table), table)
    unusual = set(found.position[found.unusual])
    assert unusual <= rows
    assert len(unusual) >= 4
    # Seen from the model of the other rows, too.
    found = outliers(clean, table.loc[sorted(rows)], share_of="model")
    assert found.unusual.sum() >= 4
    ordinary = table.drop(index=list(rows))[:10]
    assert not outliers(clean, ordinary, share_of="model").unusual.any()


def test_ordinary_new_rows_are_not_unusual_one_at_a_time():
    table = latent_classes(560, 3, 8, 4, seed=1, purity=0.7)[0].astype(str)
    encoder = TableEncoder(3, preparer=None).fit(table[:500])
    rows = [table.iloc[[row]] for row in range(500, 560)]
    assert not any(outliers(encoder, row, share_of="model").unusual.any() for row in rows)
    odd = load("mushroom")[0].sample(1500, random_state=0)
    clean = TableEncoder(preparer=None).fit(odd)
    rng = np.random.default_rng(0)
    mixed = pd.DataFrame({name: [rng.choice(odd[name])] for name in odd})
    assert outliers(clean, mixed, share_of="model").unusual.all()


def agreeing(n_odd, n_rows=1000):
    """Return two columns that agree but for the first rows, and one of noise."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, n_rows)
    second = np.where(np.arange(n_rows) < n_odd, (first + rng.integers(1, 4, n_rows)) % 4, first)
    return pd.DataFrame({"a": first, "b": second, "c": rng.integers(0, 3, n_rows)}).astype(str)


@pytest.mark.parametrize("n_odd", [3, 20, 40, 60, 95, 200])
def test_rows_that_stand_out_beside_ties_are_not_unusual_where_many_do(n_odd):
    table = agreeing(n_odd)
    found = outliers(UNTIE(2, solver="uniform").fit(table), table, n=1000)
    unusual = set(found.position[found.unusual])
    assert unusual == (set(range(n_odd)) if n_odd < 10 else set())


def test_rows_that_nothing_is_learned_from_come_last_and_are_not_unusual():
    table = latent_classes(300, 2, 6, 3, seed=0)[0].astype(str).astype(object)
    filled = table.drop(index=[3, 50])
    table.iloc[[3, 50]] = None
    with pytest.warns(UserWarning, match="2 rows are empty"):
        clusterer = TableClusterer(2, random_state=0).fit(table)
    found = outliers(clusterer, table, n=300)
    assert set(found.position[298:]) == {3, 50}
    assert not found.unusual[298:].any()
    alone = outliers(clusterer, filled, n=298)
    columns = ["score", "share", "unusual", "reason"]
    pd.testing.assert_frame_equal(found[:298][columns], alone[columns])
    for share_of in ("data", "model"):
        assert not outliers(clusterer, table.iloc[[3, 50]], share_of=share_of).unusual.any()
    with pytest.warns(UserWarning, match="2 rows are empty"):
        report = make_report(table, TableClusterer(2, random_state=0))
    shown = report.to_dict()["sections"]["outliers"]["table"]
    assert shown is None or not {4, 51} & {row[0] for row in shown["rows"]}


def test_the_page_lists_unusual_rows_alone():
    table = planted(n_rows=600, n_planted=0)[0]
    section = make_report(table, TableClusterer(2)).to_dict()["sections"]["outliers"]
    assert section["table"] is None
    assert section["said"].startswith("No row has an unusual combination of values.")
    table.iloc[100] = "odd"
    rng = np.random.default_rng(0)
    table.iloc[200] = [rng.choice(table[name]) for name in table]
    section = make_report(table, TableClusterer(2)).to_dict()["sections"]["outliers"]
    rows = {row[0] for row in section["table"]["rows"]}
    assert 201 in rows
    assert len(rows) < 4


def test_the_page_lists_at_most_twenty_of_many():
    section = make_report(mixed_kinds(15), TableClusterer(2)).to_dict()["sections"]["outliers"]
    rows = {row[0] for row in section["table"]["rows"]}
    assert set(range(1, 16)) <= rows
    assert len(rows) < 18
    report = make_report(mixed_kinds(30, 1_000), TableClusterer(2))
    section = report.to_dict()["sections"]["outliers"]
    assert len(section["table"]["rows"]) == 20
    assert "These are the first 10 of 20" in report.html


def test_values_that_never_meet_are_named():
    rows = [["sea", "fish", "x"], ["land", "cow", "y"]] * 30 + [["sea", "cow", "x"]]
    table = pd.DataFrame(rows, columns=["place", "animal", "kind"])
    encoder = TableEncoder(2, preparer=None).fit(table)
    found = outliers(encoder, table, n=2)
    assert found.position[0] == 60
    assert "place=sea with animal=cow: in no other row, 15.0 expected" in found.reason[0]
    assert found.score[1] == 0
    assert found.reason[1] == ""
    why = why_outlier(encoder, table.iloc[60])
    assert set(why.column[:2]) == {"place", "animal"}  # kind is a copy of place
    assert why["count"][0] == 0
    assert why.expected[0] == pytest.approx(15.0)


def test_weights_scaled_to_any_sum():
    table = latent_classes(80, 2, 4, 3, seed=3)[0]
    plain = outliers(TableEncoder(2, preparer=None).fit(table), table, n=5)
    scaled = outliers(
        TableEncoder(2, preparer=None).fit(table, sample_weight=np.full(80, 1e-3)), table, n=5
    )
    np.testing.assert_allclose(scaled.score, plain.score)


def test_new_rows_and_unknown_values():
    rows = [["sea", "fish"], ["land", "cow"]] * 30
    encoder = TableEncoder(2, preparer=None).fit(rows)
    new = [["sea", "cow"], ["sea", "dragon"], ["land", "cow"]]
    found = outliers(encoder, new, n=3)
    assert found.position.tolist() == [1, 0, 2]
    never_seen, never_met = math.log(61 / 1), math.log((29 * 29 / 59 + 1) / 1)
    np.testing.assert_allclose(found.score, [never_seen, never_met, 0.0])
    assert found.reason[0] == "x1=dragon (unknown): never seen in 60 rows"
    why = why_outlier(encoder, new[1]).set_index("column")
    assert why.part["x1"] == pytest.approx(never_seen)
    assert why.part["x0"] == 0.0


def test_of_new_rows_every_row_of_the_model_is_another():
    rows = [["sea", "fish"], ["land", "cow"]] * 30 + [["sea", "cow"]]
    encoder = TableEncoder(2, preparer=None).fit(rows)
    new = [["sea", "cow"], ["land", "fish"]]
    found = outliers(encoder, new, n=2, share_of="model").set_index("position")
    once, never = math.log((31 * 31 / 61 + 1) / 2), math.log((30 * 30 / 61 + 1) / 1)
    np.testing.assert_allclose(found.score[[0, 1]], [once, never])
    assert found.reason[0] == "x0=sea with x1=cow: in 1 row of the model, 15.8 expected"
    assert found.reason[1] == "x0=land with x1=fish: in no row of the model, 14.8 expected"
    assert found.share[0] == pytest.approx(
        1 / 61
    )  # the one of the model has met no other with both
    why = why_outlier(encoder, new[0], share_of="model")
    assert why.part.sum() == pytest.approx(once)
    assert why["count"].tolist() == [1, 1]


def test_numbers_beyond_all_that_were_seen_are_unusual():
    table = pd.DataFrame({"age": range(20, 70), "a": ["x", "y"] * 25, "b": ["u", "v"] * 25})
    preparer = Preparer()
    new = pd.DataFrame({"age": [69, 140, 30], "a": ["x", "x", "y"], "b": ["u", "u", "v"]})
    for settings in ({}, {"column_weights": {"age": 0}}):
        model = make_pipeline(preparer, TableEncoder(2, preparer=None, **settings)).fit(table)
        rows = model[0].transform(new)
        plain = outliers(model[-1], rows, share_of="model").set_index("position")
        found = outliers(model, new, share_of="model").set_index("position")
        added = 0.0 if settings else math.log(51 / 2)
        np.testing.assert_allclose((found.score - plain.score)[[0, 1, 2]], [0, added, 0])
        said = "age=140: outside 20 to 69, all that was seen in 50 rows"
        assert (said in found.reason[1]) is (not settings)
        parts = why_outlier(model, new.iloc[1], share_of="model")
        assert parts.part.sum() == pytest.approx(found.score[1])


def test_new_values_are_expected_of_columns_that_had_many_once():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.choice(["x", "y"], 90), "b": rng.choice(["u", "v"], 90)})
    table["once"] = [f"n{row}" for row in range(40)] + ["often"] * 50
    encoder = TableEncoder(2, preparer=None).fit(table)
    row = table.iloc[[60]]
    few = outliers(encoder, row.assign(a="new")).score[0]
    many = outliers(encoder, row.assign(once="new")).score[0]
    usual = outliers(encoder, row).score[0]
    assert few > math.log(91) - 1e-9
    assert many == pytest.approx(math.log(91 / 41), abs=usual + 1e-9)
    merged = TableEncoder(2, max_categories=3, preparer=None).fit(table)
    assert outliers(merged, row.assign(once="new")).score[0] <= math.log(91 / 41) + usual


def test_missing_cells_that_say_nothing_are_not_unknown():
    table = pd.DataFrame({"a": ["x", None, "y", "x"] * 10, "b": ["u", "v", "u", "v"] * 10})
    encoder = TableEncoder(2, missing="neutral", preparer=None).fit(table)
    new = pd.DataFrame({"a": [None, "z"], "b": ["u", "u"]})
    assert outliers(encoder, new).reason.tolist() == ["a=z (unknown): never seen in 40 rows", ""]


def test_passive_columns_surprise_nobody_by_new_values():
    table = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "v"] * 20, "c": ["s", "t"] * 20})
    encoder = TableEncoder(2, column_weights={"c": 0}, preparer=None).fit(table)
    assert outliers(encoder, table.head(1).assign(c="new")).score[0] == 0.0


def test_shares_are_those_of_the_model_where_that_is_asked_for():
    table = planted(n_rows=400)[0]
    encoder = TableEncoder(2, preparer=None).fit(table)
    scores = outliers(encoder, table, n=400).score
    new = table.head(20)
    found = outliers(encoder, new, n=20, share_of="model")
    expected = [(scores > score - 1e-9).mean() for score in found.score]
    np.testing.assert_allclose(found.share, expected)
    assert outliers(encoder, new, n=20).share.tolist() != pytest.approx(expected)
    with pytest.raises(ValueError, match="share_of must be"):
        outliers(encoder, new, share_of="all")
    with pytest.warns(UserWarning, match="keeps none of the rows"):
        outliers(UNTIE(2, solver="uniform").fit(table), new, share_of="model")


def test_pairs_with_too_many_values_for_a_table(monkeypatch):
    table = latent_classes(100, 3, 4, 5, seed=0)[0]
    encoder = TableEncoder(2, preparer=None).fit(table)
    expected = outliers(encoder, table, n=9)
    monkeypatch.setattr("untie.explain._outliers.TABLE_CELLS", 1)
    monkeypatch.setattr("untie.explain._outliers.BLOCK_ROWS", 7)
    pd.testing.assert_frame_equal(outliers(encoder, table, n=9), expected)


def test_frames_and_bad_input():
    frame = pl.DataFrame({"a": ["x", "y"] * 5, "b": ["u", "v"] * 5})
    assert isinstance(outliers(TableEncoder(2, preparer=None).fit(frame), frame), pl.DataFrame)
    with pytest.raises(ValueError, match="needs two columns"):
        outliers(TableEncoder(2, preparer=None).fit(frame.select("a")), frame.select("a"))
    with pytest.raises(ValueError, match="n must be a positive integer"):
        outliers(TableEncoder(2, preparer=None).fit(frame), frame, n=-1)


def with_two_strangers():
    """Return two groups and two rows that are alike and unlike all others, and a clusterer."""
    table = latent_classes(400, 2, 6, 3, seed=0)[0].astype(str)
    table.iloc[[70, 200]] = "9"
    return table, TableClusterer(3, random_state=0).fit(table)


def test_rows_of_clusters_of_a_few_come_first_and_it_is_said_why():
    table, clusterer = with_two_strangers()
    assert sorted(np.bincount(clusterer.labels_))[0] == 2
    cluster = clusterer.labels_[70]
    found = outliers(clusterer, table, n=5)
    assert set(found.position[:2]) == {70, 200}
    said = f"one of 2 rows in cluster {cluster}, unlike all others"
    assert found.reason[:2].str.startswith(said).all()
    assert not found.reason[2:].str.contains(said).any()
    rest = outliers(clusterer.encoder_, table, n=5)
    assert not rest.reason.str.contains("in cluster").any()  # it knows no clusters
    report = make_report(table, TableClusterer(3, random_state=0))
    section = report.to_dict()["sections"]["outliers"]
    assert "too small to be groups come first" in section["said"]
    rows = section["table"]["rows"]
    assert {rows[0][0], rows[1][0]} == {71, 201}  # counted from 1
    assert rows[0][-1].startswith(said)
    assert "unusual rows rather than a group" in report.html


def test_rows_of_clusters_of_a_few_are_on_the_page_even_if_rows_are_drawn(monkeypatch):
    monkeypatch.setattr("untie.report._learned.PAIRS_LOOKED_UP", 0)
    table = latent_classes(1100, 2, 10, 3, seed=0)[0].astype(str)
    table.iloc[[70, 200]] = "9"
    section = make_report(table, TableClusterer(3)).to_dict()["sections"]["outliers"]
    assert "1,000 of 1,100 rows were looked at" in section["said"]
    assert {row[0] for row in section["table"]["rows"][:2]} == {71, 201}


def test_scores_of_many_rows_are_rounded_alike_whatever_the_order(monkeypatch):
    monkeypatch.setattr(_scored_rows, "MOST_SCORES", 50)
    scores = np.random.default_rng(0).exponential(size=600)
    parts = [ScoreCounts.of(part) for part in np.split(scores, [0, 1, 130, 400])]
    first = parts[0] + parts[1] + parts[2] + parts[3] + parts[4]
    second = parts[4] + (parts[3] + ((parts[1] + parts[0]) + parts[2]))
    np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(first.sizes, second.sizes)
    assert 25 < len(first.values) <= 50
    assert first.n_rows == 600
    step = 2.0**-first.bits
    for score in (0.5, 2.0):
        at_least = first.sizes[first.values >= first.place(np.array([score]))].sum()
        assert (scores >= score).sum() <= at_least <= (scores >= score - step).sum()
