"""The rule for k: its parts by hand, and whether it tells clusters from noise."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import RandomState

from tables import latent_classes
from untie import TableEncoder, choose_k
from untie._count.counts import fill_their_cells
from untie._count.row_sample import RowSample
from untie._learn.clustering.points import of_vectors
from untie._learn.selection.choose_k import (
    Gains,
    JudgedRows,
    _error,
    _Figures,
    _repeated,
    _Trial,
    _weight_of_draw,
)
from untie._learn.selection.k_choice import KChoice
from untie._learn.spaces.value_space import ValueSpace


def judged(weights, draws=None, codes=None, related=None):
    """Return rows of which only the weights matter, unless codes are given."""
    weights = np.asarray(weights, dtype=float)
    codes = np.zeros((len(weights), 1), dtype=int) if codes is None else np.asarray(codes)
    sizes = tuple(int(column.max()) + 1 for column in codes.T)
    space = ValueSpace([np.eye(size + 1) for size in sizes])
    n = len(sizes)
    related = np.eye(n, dtype=bool) if related is None else related
    draws = weights if draws is None else np.asarray(draws, dtype=float)
    return JudgedRows(space, codes, codes, sizes, weights, draws, np.ones(n), related)


@given(
    st.lists(
        st.tuples(st.floats(-1, 3), st.floats(0, 1), st.booleans(), st.booleans()),
        min_size=1,
        max_size=8,
    )
)
def test_the_number_preferred_is_that_of_the_rule(lines):
    """The rule again, number by number."""
    gains, stability, sure, _ = (np.array(part) for part in zip(*lines, strict=True))
    gains = np.where(sure, np.abs(gains), gains)
    left = np.array([line[3] for line in lines]) | (np.arange(len(lines)) == 0)
    found = _Figures(gains, stability, sure, np.zeros(len(lines))).preferred(left)
    numbers = np.flatnonzero(left).tolist()
    stable = [k for k in numbers if sure[k] and stability[k] >= 0.8]
    unstable = [k for k in numbers if sure[k] and stability[k] < 0.8]
    if stable:
        worth = gains * stability**6
        best = max(worth[k] for k in stable)
        assert found == min(k for k in stable if worth[k] >= 0.92 * best)
    elif unstable:
        assert stability[found] == max(stability[k] for k in unstable)
    else:
        assert gains[found] == max(gains[k] for k in numbers)
    assert left[found]


@pytest.mark.parametrize(
    ("gains", "stability", "more"),
    [
        ([1, 2, 3], [0.9, 0.9, 0.9], True),
        ([1, 3, 2], [0.9, 0.9, 0.9], False),
        ([1, 3, 2], [0.9, 0.7, 0.9], True),
        ([1, 2, 3], [0.9, 0.9, 0.7], False),
        ([1, 2, 3], [0.7, 0.7, 0.7], True),
        ([1, 3, 2], [0.7, 0.7, 0.7], False),
    ],
)
def test_more_numbers_are_tried_where_the_largest_is_the_best_stable_one(gains, stability, more):
    figures = _Figures(np.array(gains), np.array(stability), np.ones(3, dtype=bool), np.zeros(3))
    assert figures.may_have_more is more


def test_numbers_beyond_ten_are_found():
    table, _ = latent_classes(900, 15, 20, 6, seed=0, purity=0.9)
    choice = choose_k(TableEncoder(preparer=None).fit(table), table)
    assert choice.ks == (*range(2, 11), 15, 20)  # 30 would come if 20 were the best
    assert choice.k == 15
    assert choice.found_clusters


@given(st.lists(st.tuples(st.floats(-5, 5), st.integers(1, 6)), min_size=2, max_size=12))
def test_the_error_is_that_of_rows_written_out(rows):
    gains, weights = (np.array(part, dtype=float) for part in zip(*rows, strict=True))
    single = np.repeat(gains, weights.astype(int))
    expected = single.std() / np.sqrt(len(single))
    assert _error(gains * weights, judged(weights)) == pytest.approx(expected, abs=1e-9)
    # Equal rows that were drawn together are one draw: only their sums are independent.
    sums = weights * (gains - single.mean())
    together = _error(gains * weights, judged(weights, np.ones(len(weights))))
    assert together == pytest.approx(np.sqrt(np.square(sums).sum()) / weights.sum(), abs=1e-9)


def some_rows(n_rows, n_columns=6, n_values=3, seed=0):
    """Return distinct rows of noise."""
    every = np.indices((n_values,) * n_columns).reshape(n_columns, -1).T
    return np.random.default_rng(seed).permutation(every)[:n_rows]


@pytest.mark.parametrize(
    ("codes", "weights", "n_rows", "unit"),
    [
        (some_rows(90), np.ones(90), 90, 1),
        (some_rows(90), np.full(90, 7.0), 90, 7),
        (some_rows(90), np.full(90, 1 / 3), 90, 1 / 3),
        (some_rows(90), np.full(90, 3.0), 270, 3),
        (some_rows(150), np.arange(150) % 3 + 1.0, 300, 1),  # a third occurs once
        (some_rows(150), np.arange(150) % 8 + 2.0, 150, None),  # no row is rare
        (some_rows(90), np.arange(90) + 200.0, 90, None),
        (some_rows(90), np.sqrt(np.arange(90) + 1.0), 900, None),
        (some_rows(24, 5, 2), np.arange(24) + 20.0, 24, 1),  # a table of counts
        (some_rows(24, 5, 2), 2 * np.arange(24) + 20.0, 24, 2),
        (some_rows(24, 5, 2), np.arange(24) / 100 + 1, 24, 0.01),
        (some_rows(24, 5, 2), np.full(24, 100.0) + np.arange(24), 24 * 100, 1),
        # Weights of rows that recur are those of a survey.
        (some_rows(24, 5, 2), np.full(24, 7000.0) + np.arange(24), 240, 7011.5 / 10),
        (some_rows(24, 5, 2), np.sqrt(np.arange(24) + 1.0), 240, None),
        (some_rows(4, 2, 2), np.array([2.0, 4.0, 6.0, 8.0]), 4, 1),  # too few to have a unit
    ],
)
def test_the_weight_of_a_draw(codes, weights, n_rows, unit):
    attributes = SimpleNamespace(related=np.eye(codes.shape[1], dtype=bool))
    sample = RowSample(np.arange(len(codes), dtype=np.uint64), codes, weights)
    if unit is None and len(codes) == 24:
        unit = weights.sum() / n_rows
    found = _weight_of_draw(sample, attributes, n_rows)
    assert found == (None if unit is None else pytest.approx(unit))


def test_columns_that_say_the_same_do_not_make_a_table_of_counts_sparse():
    rows = some_rows(24, 5, 2)
    copied = np.hstack([rows, rows, rows])
    assert fill_their_cells(rows)
    assert not fill_their_cells(copied)
    assert fill_their_cells(copied, np.tile(np.eye(5, dtype=bool), (3, 3)))


def of_noise(n_rows, make_weights, repeats=1):
    def made(rng):
        codes = np.repeat(some_rows(n_rows, seed=int(rng.integers(100))), repeats, axis=0)
        return table_of(codes), make_weights(rng, len(codes))

    return made


REPEATED_NOISE = {
    "each row three times": of_noise(60, lambda rng, n: None, 3),
    "each three times but one": of_noise(60, lambda rng, n: np.append(np.full(n - 1, 3), 1)),
    "200 to 5,000": of_noise(80, lambda rng, n: rng.integers(200, 5_000, n)),
    "2 to 9 and one 1": of_noise(150, lambda rng, n: np.append(rng.integers(2, 10, n - 1), 1)),
    "1 to 3": of_noise(80, lambda rng, n: rng.integers(1, 4, n)),
    "many 1s, a few large": of_noise(60, lambda rng, n: np.ceil(rng.lognormal(0.7, 1, n))),
    "mean 1": of_noise(150, lambda rng, n: (w := rng.choice([0.6, 0.9, 1.7], n)) / w.mean()),
    "a few patterns, 2 to 9": of_noise(15, lambda rng, n: rng.integers(2, 10, n)),
    "two decimals": of_noise(60, lambda rng, n: np.round(rng.gamma(2, 0.5, n) + 0.05, 2)),
}


@pytest.mark.parametrize("kind", REPEATED_NOISE)
def test_repetition_and_weights_make_no_clusters(kind):
    for seed in range(2):
        table, weights = REPEATED_NOISE[kind](np.random.default_rng(seed))
        assert not choice_of(table, weights, ks=(2, 5, 10)).found_clusters


def test_a_constant_weight_and_a_table_twice_change_nothing():
    table, _ = latent_classes(100, 3, 5, 3, seed=0)
    assert table.duplicated().any()
    expected = choice_of(table)
    assert expected.found_clusters
    others = [choice_of(table, np.full(100, c)) for c in (0.01, 2, 1e6)]
    for found in [*others, choice_of(pd.concat([table] * 3))]:
        assert found.k == expected.k
        np.testing.assert_allclose(found.gain, expected.gain)
        np.testing.assert_allclose(found.error, expected.error)
        assert found.found_clusters


@pytest.mark.parametrize("factor", [1, 2, 0.01])
def test_a_table_of_counts_is_read_as_its_rows(factor):
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 2, (2_000, 1))
    codes = np.where(rng.random((2_000, 5)) < 0.7, classes, rng.integers(0, 2, (2_000, 5)))
    table = table_of(codes)
    expected = choice_of(table, ks=(2, 3, 4))
    assert expected.found_clusters
    counted = table.value_counts().reset_index()
    assert len(counted) < 33
    rows = counted.drop(columns="count")
    found = choice_of(rows, counted["count"] * factor, ks=(2, 3, 4))
    assert found.found_clusters
    assert found.k == expected.k
    np.testing.assert_allclose(found.gain, expected.gain)


def test_survey_weights_of_few_rows_do_not_make_noise_clusters():
    found = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        table = table_of(rng.integers(0, 4, (90, 8)))
        weights = rng.uniform(500, 1500, 90)
        encoder = TableEncoder(3, preparer=None).fit(table, sample_weight=weights)
        choice = choose_k(encoder, table, (2, 3), n_splits=4, sample_weight=weights)
        found += choice.found_clusters
    assert found == 0


def test_columns_that_say_the_same_are_tried_once():
    related = np.eye(5, dtype=bool)
    related[:3, :3] = True
    trial = _Trial(
        judged(np.ones(2), codes=np.zeros((2, 5), int), related=related),
        of_vectors(np.zeros((2, 1))),
        0,
        RandomState(0),
    )
    told = Gains(np.zeros(2), np.array([0.9, 0.8, 0.7, 0.1, 0.6]), np.zeros(5))
    tried = trial._mattering(told)
    assert [np.flatnonzero(hidden).tolist() for hidden in tried] == [[0, 1, 2], [4], [3]]


def test_clear_clusters_of_few_patterns_are_found():
    """Nine of 27 rows that can occur do, and only one of them occurs once."""
    counts = {"rbo": 45, "csf": 40, "rb-": 8, "c-f": 8, "-bo": 6, "cs-": 5, "-sf": 4, "r-o": 3}
    rows = [list(row) for row, count in {**counts, "--o": 1}.items() for _ in range(count)]
    choice = choice_of(pd.DataFrame(rows, columns=["color", "size", "shape"]), ks=(2, 3, 4))
    assert choice.found_clusters
    assert choice.k == 2


def test_a_handful_of_patterns_are_clusters_unless_all_are_equally_frequent():
    patterns = np.random.default_rng(1).integers(0, 4, (4, 6))
    counts = np.array([40, 31, 27, 22])
    choice = choice_of(table_of(np.repeat(patterns, counts, axis=0)), ks=(2, 3))
    assert choice.found_clusters
    choice = choice_of(table_of(np.repeat(patterns, 30, axis=0)), ks=(2, 3))
    assert not choice.found_clusters


def test_a_partition_that_repeats_a_column():
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, 6, 300), rng.integers(0, 3, 300), np.arange(300)], axis=1)
    trial = _Trial(judged(np.ones(300), codes=codes), of_vectors(codes), 0, RandomState(0))
    columns = ("six", "three", "id")
    assert _repeated(trial, codes[:, 1], columns) == "three"
    assert _repeated(trial, codes[:, 0] % 2, columns) == "six"  # some values each
    assert _repeated(trial, rng.integers(0, 3, 300), columns) is None  # "id" would tell any


def table_of(codes):
    names = [f"c{column}" for column in range(codes.shape[1])]
    return pd.DataFrame(codes, columns=names).map("v{}".format).astype(object)


def uniform(rng, n_rows):
    return rng.integers(0, 4, (n_rows, 6))


def zipf(rng, n_rows):
    shares = 1 / np.arange(1, 7)
    return rng.choice(6, (n_rows, 6), p=shares / shares.sum())


def with_a_pair(agreement, make=uniform):
    """Add a column that agrees with the first in this share of the rows, and by chance."""

    def made(rng, n_rows):
        codes = make(rng, n_rows)
        agrees = rng.random(n_rows) < agreement
        other = np.where(agrees, codes[:, 0], rng.permutation(codes[:, 0]))
        return np.column_stack([codes, other])

    return made


NOISE = {
    "uniform": uniform,
    "Zipf": zipf,
    "a copy": with_a_pair(1.0),
    "a copy of Zipf": with_a_pair(1.0, zipf),
    "70 %": with_a_pair(0.7),
    "85 %": with_a_pair(0.85),
    "85 % of Zipf": with_a_pair(0.85, zipf),
}
WEIGHTS = {
    "whole": lambda rng, n_rows: rng.integers(0, 4, n_rows),
    "of a survey": lambda rng, n_rows: rng.uniform(100, 1000, n_rows),
    "shares": lambda rng, n_rows: rng.dirichlet(np.ones(n_rows)),
}


def choice_of(table, weights=None, ks=(2, 4, 6), n_splits=3):
    encoder = TableEncoder(preparer=None).fit(table, sample_weight=weights)
    return choose_k(encoder, table, ks, n_splits=n_splits, sample_weight=weights)


@pytest.mark.parametrize(
    ("noise", "n_rows"),
    [*((noise, 500) for noise in NOISE), ("a copy of Zipf", 20_000), ("85 %", 20_000)],
)
def test_no_clusters_are_found_where_there_are_none(noise, n_rows):
    table = table_of(NOISE[noise](np.random.default_rng(1), n_rows))
    choice = choice_of(table)
    assert not choice.found_clusters
    assert choice.verdict.startswith("No groups found")


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("noise", ["uniform", "a copy", "70 %"])
def test_weights_make_no_clusters(noise, weights):
    rng = np.random.default_rng(2)
    table = table_of(NOISE[noise](rng, 500))
    assert not choice_of(table, WEIGHTS[weights](rng, 500)).found_clusters


@pytest.mark.parametrize("noise", ["uniform", "a copy", "70 %"])
def test_missing_cells_and_repeated_rows_make_no_clusters(noise):
    rng = np.random.default_rng(3)
    table = table_of(NOISE[noise](rng, 400))
    holes = table.mask(rng.random(table.shape) < 0.15, None)
    assert not choice_of(holes).found_clusters
    assert not choice_of(pd.concat([table] * 5)).found_clusters


def test_numbers_make_no_clusters():
    """Independent columns with an order, and a pair of which one is mostly the other."""
    rng = np.random.default_rng(4)
    numbers = pd.DataFrame(rng.integers(0, 30, (500, 4)), columns=list("abcd"))
    numbers["e"] = np.where(rng.random(500) < 0.7, numbers["a"], rng.integers(0, 30, 500))
    encoder = TableEncoder(ordered=list("abcde"), preparer=None).fit(numbers)
    assert not choose_k(encoder, numbers, (2, 4, 6), n_splits=3).found_clusters


PLANTED = {
    "3 of 10 columns": (500, 3, 10, 4, 0.5),
    "2 of 6 columns": (400, 2, 6, 3, 0.7),
    "5 of 12 columns": (800, 5, 12, 5, 0.6),
    "3 in a sample": (20_000, 3, 10, 5, 0.6),
    "3 in a sample with heavy rows": (50_000, 3, 8, 5, 0.8),
    "2 among few distinct rows": (5_000, 2, 5, 2, 0.7),
}


@pytest.mark.parametrize("name", PLANTED)
def test_clusters_are_found_where_they_are(name):
    n_rows, k, n_columns, n_values, purity = PLANTED[name]
    rng = np.random.default_rng(5)
    classes = rng.integers(0, k, n_rows)
    # Each class has its own typical value in every column, if there are enough.
    typical = np.stack(
        [rng.permutation(max(k, n_values))[:k] % n_values for _ in range(n_columns)], axis=1
    )
    any_value = rng.integers(0, n_values, (n_rows, n_columns))
    codes = np.where(rng.random((n_rows, n_columns)) < purity, typical[classes], any_value)
    choice = choice_of(table_of(codes), ks=(2, 3, 4, 5, 6))
    assert choice.found_clusters
    assert choice.k == k
    assert len(choice.rests_on) == n_columns


def test_clusters_of_numbers_and_categories():
    rng = np.random.default_rng(6)
    group = rng.integers(0, 3, 400)
    centers = np.array([[0, 10, 20], [20, 0, 10], [10, 20, 0]])
    numbers = np.round(rng.normal(centers[:, group], 4)).T
    table = pd.DataFrame(numbers, columns=["a", "b", "c"])
    pet = np.where(rng.random(400) < 0.6, group, rng.integers(0, 3, 400))
    table["pet"] = np.array(["cat", "dog", "none"])[pet]
    encoder = TableEncoder(ordered=["a", "b", "c"], preparer=None).fit(table)
    choice = choose_k(encoder, table, (2, 3, 4, 5), n_splits=3)
    assert choice.found_clusters
    assert choice.k == 3
    assert set(choice.rests_on) == set(table)


def test_noise_beside_clusters_is_not_what_they_rest_on():
    table, _ = latent_classes(500, 3, 6, 4, seed=0, purity=0.7)
    rng = np.random.default_rng(9)
    for column in "xyz":
        table[column] = rng.choice(list("pqrs"), 500)
    choice = choice_of(table, ks=(2, 3, 4))
    assert choice.k == 3
    assert set(choice.rests_on) == {f"c{column}" for column in range(6)}
    assert len(choice.without_columns) == 1
    assert choice.without < choice.gain[1]


def test_one_column_that_splits_the_rows_is_named():
    """One column is mostly another, and nothing else depends on anything."""
    table = table_of(with_a_pair(0.8)(np.random.default_rng(0), 500))
    choice = choice_of(table, ks=[4])
    assert choice.has_gain
    assert not choice.found_clusters
    assert choice.repeats in ("c0", "c6")
    said = f"would be little more than the values of {choice.repeats}"
    assert said in choice.verdict


def test_one_column_alone():
    table = pd.DataFrame({"a": ["x", "y", "z", "u"] * 20})
    choice = choice_of(table, ks=(2, 3))
    assert not choice.found_clusters
    assert choice.without == 0
    assert choice.without_columns == ("a",)


@pytest.mark.parametrize("n_rows", [3, 4, 5, 8])
def test_tables_of_a_few_rows(n_rows):
    """A half may have no rows at all, or fewer than clusters."""
    rows = [[f"a{row}", f"b{row}"] for row in range(n_rows)]
    for seed in range(5):
        choice = choose_k(TableEncoder(2, preparer=None).fit(rows), rows, random_state=seed)
        assert choice.ks == tuple(range(2, n_rows))
        assert np.isfinite(choice.gain).all()
        assert not choice.found_clusters


@pytest.mark.parametrize("n_rows", [8, 12, 14, 20])
@pytest.mark.parametrize("seed", range(2))
def test_noise_of_a_few_rows_has_no_clusters(n_rows, seed):
    """Halves with fewer rows than clusters have a gain of 0 but for rounding, and no error."""
    table = table_of(np.random.default_rng(seed).integers(0, 3, (n_rows, 5)))
    assert not choice_of(table, ks=range(2, 11), n_splits=8).found_clusters


def test_weights_of_any_size_give_the_same():
    table, _ = latent_classes(300, 3, 6, 4, seed=0)
    encoder = TableEncoder(preparer=None).fit(table)
    weights = np.random.default_rng(1).uniform(1, 2, 300)
    expected = choose_k(encoder, table, (2, 3, 4), sample_weight=weights)
    assert expected.k == 3
    assert expected.found_clusters
    for scale in (1e-9, 17.3, 1e20):
        found = choose_k(encoder, table, (2, 3, 4), sample_weight=weights * scale)
        np.testing.assert_allclose(found.gain, expected.gain)
        np.testing.assert_allclose(found.error, expected.error)
        assert found.found_clusters


def test_values_unknown_to_the_encoder_are_not_foretold():
    table, _ = latent_classes(300, 3, 6, 4, seed=0)
    encoder = TableEncoder(preparer=None).fit(table)
    strange = table.assign(c0="never seen")
    choice = choose_k(encoder, strange, (2, 3))
    assert choice.tells[0] == 0
    assert choice.tells_error[0] == 0
    assert "c0" not in choice.rests_on
    assert choice.k == 3


def test_the_evidence_is_of_the_chosen_number():
    table, _ = latent_classes(300, 3, 6, 4, seed=0, purity=0.7)
    choice = choice_of(table, ks=(2, 3, 4))
    alone = choice_of(table, ks=[choice.k])
    np.testing.assert_allclose(alone.tells, choice.tells)
    assert alone.without == pytest.approx(choice.without)


def a_choice(**changes):
    table, _ = latent_classes(200, 2, 4, 3, seed=0)
    return replace(choice_of(table, ks=(2, 3)), **changes)


def test_words_for_clusters_that_no_column_alone_is_sure_of():
    choice = a_choice(tells=np.zeros(4))
    assert choice.rests_on == ()
    assert ", resting on many columns a little." in choice.verdict


def test_clusters_are_found_where_there_is_structure_and_it_is_stable():
    choice = a_choice()
    assert isinstance(choice, KChoice)
    assert choice.found_structure
    assert choice.found_clusters
    unsteady = replace(choice, stability=np.full(2, 0.79))
    assert unsteady.found_structure
    assert not unsteady.found_clusters
    assert unsteady.verdict.startswith("Structure, but no stable groups: no division into")
