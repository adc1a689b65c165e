"""Drift of tables that have changed in a known way, and of tables that have not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from sklearn.pipeline import make_pipeline

from tables import latent_classes, small_tables
from untie import UNTIE, Preparer, TableClusterer, TableEncoder, count_table
from untie._table.orders import end_texts
from untie.explain import Drift, drift


def fitted(table, **settings):
    """Return an encoder of a table, as it is, that knows its counts."""
    return UNTIE(2, solver="uniform").fit(table, **settings)


def usual(n_rows, seed):
    """Return a table: b depends on a, c on nothing."""
    rng = np.random.default_rng(seed)
    a = rng.choice(["x", "y", "z"], n_rows, p=[0.5, 0.3, 0.2])
    same = rng.random(n_rows) < 0.8
    b = np.where(same, a, rng.choice(["x", "y", "z"], n_rows))
    c = rng.choice(["u", "v"], n_rows)
    return pd.DataFrame({"a": a, "b": np.char.upper(b.astype(str)), "c": c})


@given(small_tables(min_rows=2, max_rows=20))
@pytest.mark.filterwarnings("ignore::UserWarning")  # random tables may be degenerate
def test_nothing_is_reported_of_a_table_and_itself(table):
    found = drift(fitted(table), table)
    assert not found.has_drifted
    assert found.verdict == "No drift found."
    assert len(found.new_values) == len(found.lost_values) == 0
    assert (found.columns.moved == 0).all()
    assert not found.frequencies.change.any()
    assert not found.columns.drifted.any()
    assert not found.couplings.drifted.any()
    assert np.abs(found.couplings.change).max() == 0 if len(found.couplings) else True


@pytest.mark.parametrize("n_rows", [200, 5_000])
def test_seldom_of_two_samples_of_one_source(n_rows):
    found = [
        drift(fitted(usual(n_rows, 2 * s)), usual(n_rows, 2 * s + 1)).has_drifted for s in range(25)
    ]
    assert np.mean(found) < 0.1


def test_a_broken_coupling_is_named_and_nothing_else():
    before, after = usual(3_000, 0), usual(3_000, 1)
    after["b"] = after.b.sample(frac=1, random_state=0).to_numpy()
    found = drift(fitted(before), after)
    assert found.drifted_couplings == (("a", "b"),)
    assert found.drifted_columns == found.appeared == found.disappeared == ()
    assert found.verdict == "Changed couplings: a with b."
    line = found.couplings.iloc[0]
    assert (line.column, line.other_column) == ("a", "b")
    assert line.dependence > 0.3
    assert line.new_dependence < 0.01
    assert line.change == pytest.approx(line.new_dependence - line.dependence)


def test_a_coupling_turned_round_is_found_though_as_strong():
    rng = np.random.default_rng(0)
    a = rng.choice(["x", "y"], 2_000)
    before = pd.DataFrame({"a": a, "b": a})
    after = pd.DataFrame({"a": a, "b": np.where(a == "x", "y", "x")})
    found = drift(fitted(before), after)
    assert found.drifted_couplings == (("a", "b"),)
    assert found.couplings.change[0] == pytest.approx(0, abs=0.01)


def test_shifted_frequencies_do_not_break_couplings():
    before, after = usual(5_000, 0), usual(20_000, 1)
    keep = (after.a != "x") | (np.random.default_rng(0).random(len(after)) < 0.3)
    found = drift(fitted(before), after[keep])
    assert set(found.drifted_columns) == {"a", "b"}
    assert found.drifted_couplings == ()
    line = found.frequencies.iloc[0]
    assert (line.column, line.value) == ("a", "x")
    assert line.share == pytest.approx((before.a == "x").mean())
    assert line.new_share == pytest.approx((after[keep].a == "x").mean())
    assert line.p_value < 1e-6


def test_small_changes_of_large_tables_are_not_reported():
    before, after = usual(200_000, 0), usual(200_000, 1)
    after.loc[:6_000, "c"] = "u"
    found = drift(fitted(before), after)
    c = found.columns.set_index("column").loc["c"]
    assert c.p_value < 0.01
    assert not c.drifted
    assert not found.has_drifted
    assert drift(fitted(before), after, min_effect=0.001).drifted_columns == ("c",)


def test_new_and_lost_values():
    before, after = usual(1_000, 0), usual(1_000, 1)
    after.loc[:30, "c"] = "new"
    after.loc[31, "a"] = "once"
    before.loc[:30, "b"] = "old"
    found = drift(fitted(before), after)
    assert found.appeared == ("c=new",)  # one row in a thousand may be chance
    assert found.disappeared == ("b=old",)
    assert found.new_values.value.tolist() == ["new", "once"]
    assert found.new_values["count"].tolist() == [31, 1]
    assert found.new_values.expected.tolist() == pytest.approx([31, 1])
    assert found.new_values.drifted.tolist() == [True, False]
    assert found.lost_values.value.tolist() == ["old"]
    assert "New values: c=new. Lost values: b=old." in found.verdict


def test_a_shifted_number_has_no_lost_ranges():
    rng = np.random.default_rng(0)
    before = pd.DataFrame({"pay": rng.normal(2_000, 500, 900), "job": rng.choice(list("ab"), 900)})
    before.loc[:20, "job"] = "c"
    after = before[before.job != "c"].assign(pay=lambda rows: rows.pay + 1_500)
    found = drift(TableEncoder(2).fit(before), after)
    assert found.drifted_columns == ("pay",)
    assert found.disappeared == ("job=c",)
    assert found.lost_values.value.tolist() == ["c"]
    line = found.columns.set_index("column").loc["pay"]
    assert line["median"] != line["new_median"]
    for table, label in ((before, line["median"]), (after, line["new_median"])):
        low, high = end_texts(label)
        assert float(low) <= table.pay.median() + 1
        assert high is None or table.pay.median() <= float(high) + 1
    shifted = f"Shifted frequencies: pay (median {line['median']} -> {line['new_median']})."
    assert found.verdict == f"Lost values: job=c. {shifted}"
    assert found.columns.set_index("column").loc["job", ["median", "new_median"]].isna().all()


def assert_same(found, expected):
    assert found.verdict == expected.verdict
    for name in ("columns", "frequencies", "new_values", "lost_values", "couplings"):
        frame = getattr(found, name)
        frame = frame.to_pandas() if isinstance(frame, pl.DataFrame) else frame
        pd.testing.assert_frame_equal(frame, getattr(expected, name), check_dtype=False)


def test_every_kind_of_input(tmp_path):
    before, after = usual(500, 0), usual(300, 1)
    after.loc[:30, "c"] = "new"
    expected = drift(fitted(before), after)
    assert isinstance(expected, Drift)
    assert_same(drift(TableEncoder(2).fit(before), after), expected)
    counted = TableEncoder(2, preparer=None).fit_counts(count_table(before))
    assert_same(drift(counted, after), expected)
    assert_same(drift(TableClusterer(2).fit(before), after), expected)
    assert_same(drift(fitted(before), after[["c", "a", "b"]]), expected)
    assert_same(drift(fitted(before), pl.from_pandas(after).lazy()), expected)
    polars = drift(fitted(before), pl.from_pandas(after))
    assert isinstance(polars.columns, pl.DataFrame)
    arrays = drift(fitted(before.to_numpy()), after.to_numpy())
    assert arrays.columns.moved.tolist() == expected.columns.moved.tolist()
    more = drift(fitted(before), after.assign(more="q"))
    assert more.ignored == ("more",)
    assert "Not looked at, as the reference lacks them: more." in more.verdict


def test_an_encoder_that_took_rare_values_together(monkeypatch):
    before, after = usual(1_000, 0), usual(1_000, 1)
    before.loc[:5, "a"] = ["q", "q", "r", "r", "s", "t"]
    after.loc[:5, "a"] = ["q", "r", "r", "s", "t", "t"]
    after.loc[6:50, "a"] = "new"
    monkeypatch.setattr("untie._count.tally.KEPT_VALUES", 1)
    encoder = TableEncoder(2, min_frequency=10, preparer=None).fit(before)
    assert encoder._model.ungrouped is None
    found = drift(encoder, after)
    assert found.appeared == ("a=new",)
    assert found.new_values.value.tolist() == ["new"]
    assert len(found.lost_values) == 0
    values = found.frequencies.set_index("value")
    assert values.share["infrequent"] == pytest.approx(0.006)
    assert values.new_share["infrequent"] == pytest.approx(0.006)


def test_weights_scaled_to_any_sum():
    before, after = latent_classes(300, 2, 3, 3, 0)[0], latent_classes(300, 3, 3, 3, 5)[0]
    weights = np.full(300, 1e-4)
    expected = drift(fitted(before), after)
    found = drift(fitted(before, sample_weight=weights), after, sample_weight=weights)
    assert found.drifted_columns == expected.drifted_columns
    np.testing.assert_allclose(found.columns.p_value, expected.columns.p_value)
    np.testing.assert_allclose(found.couplings.p_value, expected.couplings.p_value, rtol=1e-6)


@pytest.mark.parametrize(
    ("new", "error", "words"),
    [
        (pd.DataFrame({"a": ["x"]}), ValueError, "no columns 'b', 'c'"),
        ([["x", "y"]], ValueError, "has 2 columns, the reference 3"),
        (usual(9, 0).iloc[:0], ValueError, "0 sample"),
        ("table", TypeError, "table is required"),
    ],
    ids=["missing", "array", "no rows", "text"],
)
def test_bad_tables(new, error, words):
    with pytest.raises(error, match=words):
        drift(fitted(usual(9, 0)), new)


def test_bad_parameters():
    with pytest.raises(ValueError, match="alpha"):
        drift(fitted(usual(9, 0)), usual(9, 1), alpha=-1)
    with pytest.raises(ValueError, match="min_effect"):
        drift(fitted(usual(9, 0)), usual(9, 1), min_effect="large")


@pytest.mark.filterwarnings("ignore:The couplings tell no two values apart")
def test_columns_whose_names_are_numbers():
    rows = pd.DataFrame({3: ["a", "b"] * 50, 1: ["c", "c", "d", "d"] * 25})
    assert drift(fitted(rows), rows[[1, 3]]).verdict == "No drift found."
    assert drift(fitted(rows), rows.assign(**{"2": "x"})).ignored == ("2",)
    found = drift(fitted(rows), rows.replace({1: {"d": "e"}}))
    assert found.appeared == ("1=e",)


def test_couplings_of_ranges_are_those_of_neighbors_together():
    """Tens of ranges have too few rows each to tell whether a coupling has changed."""
    rng = np.random.default_rng(0)

    def draw(n, sign):
        age = rng.normal(size=n)
        pay = age + rng.normal(0, 1.5, n)
        job = np.where(sign * age + rng.normal(0, 1.5, n) < 0, "a", "b")
        return pd.DataFrame({"age": age, "pay": pay, "job": job})

    old, same, turned = draw(600, 1), draw(600, 1), draw(600, -1)
    preparer = Preparer().fit(old)
    assert len(preparer.ranges("age")) == 35
    rows = preparer.transform(old)
    assert not drift(fitted(rows), preparer.transform(same)).has_drifted
    found = drift(fitted(rows), preparer.transform(turned))
    assert set(found.drifted_couplings) == {("age", "job"), ("pay", "job")}
    assert not found.drifted_columns
    # The dependence is that of five ranges, not of chance in tens.
    lines = found.couplings.set_index(["column", "other_column"])
    assert 0.02 < lines.dependence["age", "job"] < 0.5


def test_a_pipeline_prepares_the_new_rows_and_tells_what_it_left_out():
    before = pd.DataFrame({"age": [20 + n % 50 for n in range(400)], "town": ["a", "b"] * 200})
    before["person"] = [f"p{row}" for row in range(400)]
    after = before.assign(age=before.age + 15, more="q", w=1.0)
    pipeline = make_pipeline(Preparer(), TableEncoder(2)).fit(before)
    expected = drift(pipeline[-1], pipeline[0].transform(after))
    for rows in (after, pl.from_pandas(after).lazy()):
        found = drift(pipeline, rows, sample_weight="w")
        assert found.drifted_columns == expected.drifted_columns == ("age",)
        assert found.ignored == ("more",)
        assert found.left_out == ("person (looks like an id; names the rows)",)
        assert found.verdict.endswith("Not compared: person (looks like an id; names the rows).")
