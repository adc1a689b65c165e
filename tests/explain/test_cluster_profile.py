"""Shares and p-values, against counting rows and scipy's Fisher test."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from tables import latent_classes, small_tables
from untie import UNTIE, TableEncoder
from untie.explain import cluster_profile
from untie.explain._cluster_profile import holm

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random tables may be degenerate


def profile_of(table, labels, sample_weight=None, ordered="auto"):
    """Return the profile by an encoder that leaves the table as it is."""
    if ordered == "auto":
        encoder = UNTIE(2, solver="uniform")
    else:
        encoder = TableEncoder(2, ordered=ordered, preparer=None)
    about = {"labels": labels, "sample_weight": sample_weight}
    return cluster_profile(encoder.fit(table), table, **about)


def slow_profile(table, labels):
    """Count every cell of every cluster, and test each 2 x 2 table by itself."""
    lines = []
    for cluster in sorted(set(labels)):
        inside = np.array(labels) == cluster
        for name in table:
            for value in sorted(set(table[name])):
                has = (table[name] == value).to_numpy()
                count = int((has & inside).sum())
                if not count:
                    continue
                square = [
                    [count, int((inside & ~has).sum())],
                    [int((has & ~inside).sum()), int((~has & ~inside).sum())],
                ]
                elsewhere = has[~inside].mean() if (~inside).any() else 0.0
                share = count / inside.sum()
                lift = share / has.mean()
                p = fisher_exact(square, alternative="greater").pvalue
                lines.append((cluster, name, value, share, elsewhere, lift, p, count))
    keys, shares = ["cluster", "column", "value"], ["share", "share_elsewhere", "lift"]
    return pd.DataFrame(lines, columns=[*keys, *shares, "p_value", "count"])


@given(small_tables(min_rows=2), st.data())
def test_against_counting(table, data):
    labels = data.draw(st.lists(st.integers(0, 2), min_size=len(table), max_size=len(table)))
    expected = slow_profile(table, labels)
    found = profile_of(table, labels)
    assert len(found) == len(expected)
    both = found.merge(expected, on=["cluster", "column", "value"], suffixes=("", "_slow"))
    assert len(both) == len(expected)
    for name in ("share", "share_elsewhere", "lift", "count"):
        np.testing.assert_allclose(both[name], both[name + "_slow"], atol=1e-12)
    np.testing.assert_allclose(both.p_value, holm(both.p_value_slow.to_numpy()), atol=1e-9)
    np.testing.assert_allclose(both.information, both.share * np.log2(both.lift), atol=1e-12)


def test_the_most_telling_values_come_first():
    table, classes = latent_classes(500, 3, 6, 4, seed=0)
    found = profile_of(table, classes)
    for _, part in found.groupby("cluster"):
        assert (np.diff(part.information) <= 1e-9).all()
        assert part.p_value.iloc[0] < 1e-6
    assert found.cluster.tolist() == sorted(found.cluster)


def test_labels_by_chance_are_seldom_significant():
    table, _ = latent_classes(300, 3, 6, 4, seed=0)
    rng = np.random.default_rng(0)
    lowest = [profile_of(table, rng.integers(0, 3, 300)).p_value.min() for _ in range(40)]
    assert np.mean(np.array(lowest) < 0.05) < 0.15  # Holm: at most 5 % in truth


def test_weights_of_equal_rows_are_the_rows():
    table, classes = latent_classes(60, 2, 4, 3, seed=1)
    weights = np.random.default_rng(0).integers(0, 4, 60)
    repeated = table.loc[table.index.repeat(weights)]
    expected = profile_of(repeated, np.repeat(classes, weights))
    pd.testing.assert_frame_equal(profile_of(table, classes, weights), expected)


def test_weights_of_a_survey_count_as_many_rows_as_they_are_worth():
    table, classes = latent_classes(200, 2, 3, 3, seed=1)
    plain = profile_of(table, classes)
    # Equal weights of any size are worth the rows that there are.
    scaled = profile_of(table, classes, np.full(200, 0.123))
    np.testing.assert_allclose(scaled.p_value, plain.p_value)
    np.testing.assert_allclose(scaled.share, plain.share)
    # A few rows with nearly all the weight are worth little.
    weights = np.where(np.arange(200) < 10, 1e3, 1e-3)
    assert profile_of(table, classes, weights).p_value.min() > 0.01


def test_any_labels_and_libraries():
    table, classes = latent_classes(50, 2, 3, 3, seed=2)
    names = np.array(["left", "right"])[classes]
    frame = pl.DataFrame(table.to_dict("list"))
    found = profile_of(frame, pl.Series(names))
    assert isinstance(found, pl.DataFrame)
    assert found["cluster"].unique().sort().to_list() == ["left", "right"]
    expected = profile_of(table, pd.Series(names, index=range(50, 0, -1)))
    assert found["share"].to_list() == expected.share.tolist()


def test_one_cluster_has_nothing_elsewhere():
    found = profile_of([["a"], ["b"], ["a"]], [7, 7, 7])
    assert found.share_elsewhere.tolist() == [0, 0]
    assert found.lift.tolist() == [1, 1]
    assert found.p_value.tolist() == [1, 1]


AGES = ("up to 20", "21 to 30", "31 to 40", "41 to 55", "over 55")


@st.composite
def people(draw):
    """Draw a table with a column of ranges, cells of it missing, and labels."""
    n = draw(st.integers(4, 25))
    ages = draw(st.lists(st.sampled_from((*AGES, None)), min_size=n, max_size=n))
    labels = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return pd.DataFrame({"age": pd.Series(ages, dtype=object)}), labels


def slow_runs(table, labels, cluster):
    """Try every run of the ages that occur: shares inside and elsewhere, and the better sum."""
    inside = np.array(labels) == cluster
    known = [age for age in AGES if (table.age == age).any()]
    for start in range(len(known)):
        for stop in range(start + 1, len(known) + 1):
            has = table.age.isin(known[start:stop]).to_numpy()
            yield has, has[inside].mean(), has[~inside].mean()


@given(people())
def test_a_column_with_an_order_has_one_run_for_each_cluster(drawn):
    table, labels = drawn
    found = profile_of(table, labels)
    known = [age for age in AGES if (table.age == age).any()]
    if len(set(labels)) == 1 or len(known) < 2:
        pd.testing.assert_frame_equal(found, profile_of(table, labels, ordered=False))
        return
    for cluster in set(labels):
        own = found[(found.cluster == cluster) & (found.value != "missing")]
        runs = list(slow_runs(table, labels, cluster))
        best = max(share - elsewhere for _, share, elsewhere in runs)
        if own.empty:
            held = [share for _, share, elsewhere in runs if share - elsewhere > best - 1e-9]
            assert min(held) == 0
            continue
        (line,) = own.itertuples()
        assert line.share - line.share_elsewhere == pytest.approx(best)
        assert any(
            (line.share, line.share_elsewhere) == pytest.approx((share, elsewhere))
            and line.lift == pytest.approx(share / has.mean())
            and line.count == (has & (np.array(labels) == cluster)).sum()
            for has, share, elsewhere in runs
        )
    missing = found[found.value == "missing"]
    expected = profile_of(table, labels, ordered=False)
    expected = expected[expected.value == "missing"]
    assert missing["count"].tolist() == expected["count"].tolist()


def test_runs_are_named_by_their_ends():
    ages = np.repeat(AGES, 20)
    table = pd.DataFrame({"age": [*ages, None, None]})
    labels = [*np.repeat([0, 1, 1, 2, 2], 20), 0, 2]
    found = profile_of(table, labels)
    first = found.groupby("cluster").head(1)
    assert first.value.tolist() == ["up to 20", "21 to 40", "over 40"]
    assert found.value.tolist().count("missing") == 2
    assert len(found) == 5
    whole = pd.DataFrame({"age": list(AGES) + [None] * 5})
    assert profile_of(whole, [0] * 5 + [1] * 5).value.tolist() == ["any range", "missing"]


def test_an_order_can_be_declared_named_or_refused():
    sizes = ["S"] * 9 + ["M"] * 9 + ["L"] * 9 + ["XL"] * 9
    labels = [0] * 18 + [1] * 18
    order = ["S", "M", "L", "XL"]
    plain = pd.DataFrame({"size": sizes})
    assert set(profile_of(plain, labels).value) == set(order)
    expected = profile_of(plain, labels, ordered={"size": order})
    assert expected.value.tolist() == ["S to M", "L to XL"]
    typed = plain.astype({"size": pd.CategoricalDtype(order, ordered=True)})
    pd.testing.assert_frame_equal(profile_of(typed, labels), expected)
    enum = pl.DataFrame({"size": sizes}, schema={"size": pl.Enum(order)})
    assert profile_of(enum, labels)["value"].to_list() == ["S to M", "L to XL"]
    assert set(profile_of(typed, labels, ordered=False).value) == set(order)


def test_runs_by_chance_are_seldom_significant():
    rng = np.random.default_rng(0)
    names = ["up to 0", *(f"{5 * i + 1} to {5 * i + 5}" for i in range(33)), "over 165"]
    lowest = []
    for _ in range(60):
        table = pd.DataFrame({name: rng.choice(names, 400) for name in "ab"})
        lowest.append(profile_of(table, rng.integers(0, 3, 400)).p_value.min())
    assert np.mean(np.array(lowest) < 0.05) < 0.1  # at most 5 % in truth, and Bonferroni gives less


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0], r"shape \(1,\), but the table has 3 rows"),
        ([0, None, 1], "labels of row 1 is missing"),
        ([[0], [1], [2]], r"shape \(3, 1\)"),
    ],
)
def test_bad_labels(labels, words):
    with pytest.raises(ValueError, match=words):
        profile_of([["a"], ["b"], ["a"]], labels)


def test_no_weight_at_all():
    with pytest.raises(ValueError, match="Every sample weight is zero"):
        profile_of([["a"], ["b"]], [0, 1], [0, 0])
