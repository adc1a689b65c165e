"""Likely values of missing cells: right more often than the mode, as often as they say."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables import latent_classes
from untie import Preparer, TableClusterer, TableEncoder
from untie.explain import likely_values


def with_gaps(n_rows=600, seed=0, share=0.1, n_columns=6):
    """Return rows of three classes with and without missing cells, and which are missing."""
    table, _ = latent_classes(n_rows, 3, n_columns, 4, seed, 0.75)
    hidden = np.random.default_rng(seed).random(table.shape) < share
    return table.mask(hidden, None), table, hidden


@pytest.fixture(scope="module")
def found():
    table, whole, hidden = with_gaps()
    clusterer = TableClusterer(3, preparer=None).fit(table)
    return likely_values(clusterer, table), whole, hidden


def test_there_is_one_line_for_each_missing_cell(found):
    lines, whole, hidden = found
    places = [whole.columns.get_loc(name) for name in lines.column]
    assert list(zip(lines.row, places, strict=True)) == list(zip(*np.nonzero(hidden), strict=True))
    assert lines.columns.tolist() == ["row", "column", "value", "probability"]
    assert lines.probability.between(0, 1).all()


def test_values_are_right_as_often_as_they_say_and_more_often_than_the_mode(found):
    lines, whole, _ = found
    truth = [whole.loc[row, name] for row, name in zip(lines.row, lines.column, strict=True)]
    right = lines.value == truth
    modes = whole.mode().iloc[0]
    of_mode = np.mean(
        [modes[name] == value for name, value in zip(lines.column, truth, strict=True)]
    )
    assert right.mean() > of_mode + 0.2
    assert right.mean() == pytest.approx(lines.probability.mean(), abs=0.05)
    sure = lines.probability > 0.7
    assert right[sure].mean() == pytest.approx(lines.probability[sure].mean(), abs=0.07)
    assert right[sure].mean() > right[~sure].mean() + 0.1


def test_independent_columns_get_the_mode():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({c: rng.choice(list("xxxyz"), 500) for c in "abcd"}).astype(object)
    table = table.mask(rng.random(table.shape) < 0.1, None)
    lines = likely_values(TableEncoder(2, preparer=None).fit(table), table)
    assert (lines.value == "x").mean() > 0.95
    assert lines.probability.mean() == pytest.approx(0.6, abs=0.06)


def test_a_column_that_follows_from_another_is_certain():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 12, 500)
    table = pd.DataFrame(
        {
            "city": [f"town {number}" for number in city],
            "land": [f"land {number % 3}" for number in city],
            "noise": rng.choice(list("xyz"), 500),
        },
        dtype=object,
    )
    table.loc[:30, "land"] = None
    lines = likely_values(TableEncoder(2, preparer=None).fit(table), table)
    assert lines.value.tolist() == [f"land {number % 3}" for number in city[:31]]
    assert lines.probability.min() > 0.85


def test_a_value_that_only_other_rows_have_is_not_likely():
    rng = np.random.default_rng(0)
    done = np.repeat(["no", "yes"], [100, 300])
    words = np.where(done == "no", "failed", rng.choice(["late", "early"], 400))
    known = np.where(done == "no", np.arange(400) % 10 > 0, np.arange(400) % 10 == 0)
    noise = {f"n{place}": rng.choice(list("xyz"), 400) for place in range(4)}
    table = pd.DataFrame({"done": done, "word": words, **noise})
    table["word"] = table["word"].where(known, None)
    lines = likely_values(TableClusterer(2, preparer=None).fit(table), table)
    assert set(lines.value[done[lines.row] == "yes"]) <= {"late", "early"}
    assert set(lines.value[done[lines.row] == "no"]) == {"failed"}


@given(seed=st.integers(0, 1000))
@settings(max_examples=max(1, settings().max_examples // 2))
def test_the_order_of_rows_and_columns_decides_nothing(seed):
    table, _, _ = with_gaps(60, seed=seed % 3, share=0.15, n_columns=4)
    table["c0"] = table["c0"].fillna("v0")
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(table)), rng.permutation(table.columns)
    other = table[columns].iloc[rows].reset_index(drop=True)
    first, second = (
        likely_values(TableEncoder(3, preparer=None).fit(X), X) for X in (table, other)
    )
    second["row"] = rows[second["row"]]
    order = ["row", "column"]
    first, second = (lines.sort_values(order, ignore_index=True) for lines in (first, second))
    assert second["column"].tolist() == first["column"].tolist()
    np.testing.assert_allclose(second["probability"], first["probability"], atol=1e-8)
    clear = first["probability"] > 0.5  # of equally likely values the first is taken
    assert second["value"][clear].tolist() == first["value"][clear].tolist()


def test_less_probable_values_are_left_out(found):
    table, _, _ = with_gaps()
    clusterer = TableClusterer(3, preparer=None).fit(table)
    lines = likely_values(clusterer, table, min_probability=0.7)
    expected = found[0][found[0].probability >= 0.7].reset_index(drop=True)
    pd.testing.assert_frame_equal(lines, expected)
    for wrong in (-0.1, 1.1, "0.5", np.nan):
        with pytest.raises(ValueError, match="min_probability must be from 0 to 1"):
            likely_values(clusterer, table, min_probability=wrong)


def test_what_has_no_likely_value_is_left_out():
    table, _, _ = with_gaps(200)
    table["nothing"] = None
    table["tick"] = np.where(np.arange(200) % 2, "yes", None)
    table["id"] = [f"p{row:05}" for row in range(200)]
    table.loc[[3, 90], :] = None
    with pytest.warns(UserWarning, match="2 rows are empty"):
        clusterer = TableClusterer(3).fit(table)
    lines = likely_values(clusterer, table)
    assert not {"nothing", "tick", "id"} & set(lines.column)
    assert not {3, 90} & set(lines.row)
    whole = table[["c0", "c1"]].fillna("v0")
    assert not len(likely_values(TableEncoder(2).fit(whole), whole))


def test_numbers_are_ranges_and_merged_values_are_never_the_answer():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 400)
    words = np.array([f"w{number}" for number in rng.integers(0, 60, 400)])
    table = pd.DataFrame(
        {
            "age": 20 + 40 * group + 10 * rng.random(400),
            "pet": np.where(group, "cat", "dog"),
            "home": np.where(rng.random(400) < 0.9, np.array(["farm", "flat"])[group], "boat"),
            "word": np.where(rng.random(400) < 0.2, "usual", words),
        }
    ).astype({"word": object})
    table.loc[:19, "age"] = np.nan
    table.loc[20:39, "word"] = None
    preparer = Preparer(max_categories=5, bins=4)
    clusterer = TableClusterer(2, preparer=preparer).fit(table)
    lines = likely_values(clusterer, table)
    ages = lines[lines.column == "age"]
    assert len(ages) == 20
    assert set(ages.value) <= set(clusterer.preparer_.ranges("age"))
    said = lines[lines.column == "word"]
    assert len(said) == 20
    assert set(said.value) <= set(words) | {"usual"}


def test_an_unknown_value_is_not_missing():
    table, _, _ = with_gaps(200)
    encoder = TableEncoder(3, preparer=None, handle_unknown="ignore").fit(table)
    new = table.head(50).copy()
    new.loc[5, "c0"], new.loc[6, "c0"] = "never seen", None
    lines = likely_values(encoder, new)
    rows = set(lines.row[lines.column == "c0"])
    assert 6 in rows
    assert 5 not in rows


def test_cells_may_be_missing_in_new_rows_alone():
    _, whole, _ = with_gaps(200)
    encoder = TableEncoder(
        3, preparer=None, handle_unknown="infrequent_if_exist", max_categories=3
    ).fit(whole)
    new = whole.head(60).copy()
    new.loc[6, "c0"] = None
    lines = likely_values(encoder, new)
    assert lines[["row", "column"]].to_numpy().tolist() == [[6, "c0"]]
    assert lines.value[0] in set(whole["c0"])
