"""K-prototypes against plain loops, k-means, k-modes and its own definition."""

from decimal import Decimal
from math import isnan, nan, sqrt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from untie.cluster import KModes, KPrototypes

WORDS = ["a", "b", "c", None]
NUMBERS = [0.0, 0.5, 1.0, 3.25, -2.0, 17.0, nan]


@st.composite
def mixed_tables(draw, min_rows=5, max_rows=12, numbers=NUMBERS):
    """Draw a frame of one to three columns of words and one to three of numbers."""
    n = draw(st.integers(min_rows, max_rows))
    columns = {}
    for number in range(draw(st.integers(1, 3))):
        columns[f"c{number}"] = draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n))
    for number in range(draw(st.integers(1, 3))):
        cells = draw(st.lists(st.sampled_from(numbers), min_size=n, max_size=n))
        columns[f"x{number}"] = np.array(cells, dtype=float)
    return pd.DataFrame({name: columns[name] for name in draw(st.permutations(sorted(columns)))})


def made_of_classes(n_rows, purity=0.8, seed=0):
    """Return a frame of two columns of words and two of numbers, and its three classes."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, n_rows)
    words = np.where(
        rng.random((n_rows, 2)) < purity, classes[:, None], rng.integers(0, 3, (n_rows, 2))
    )
    frame = pd.DataFrame(np.array(["low", "mid", "top"])[words], columns=["c0", "c1"])
    frame["x0"] = 3.0 * classes + rng.normal(size=n_rows)
    frame["x1"] = 500.0 - 80.0 * classes + 30.0 * rng.normal(size=n_rows)
    return frame, classes


def is_number(cell):
    return isinstance(cell, float)


def in_order(words):
    """Return distinct words in the order of the vocabulary, which decides between equal ones."""
    return sorted(set(words), key=lambda word: (word is None, word))


def rows_of(table):
    """Return plain rows: words, None and floats."""
    columns = [
        [float(x) for x in table[name]]
        if table[name].dtype == float
        else [None if word is None or word != word else word for word in table[name]]
        for name in table
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def slow_kprototypes(rows, starts, gamma):
    """Cluster in plain loops over rows, columns and clusters, straight from the definition.

    Rows are lists of words (or None) and floats (NaN is missing). Returns labels, prototypes in
    the units of the table and the cost. An empty cluster is an AssertionError.
    """
    n_columns = len(rows[0])
    numeric = [any(is_number(row[j]) for row in rows) for j in range(n_columns)]
    scales = []
    for j in range(n_columns):
        known = [row[j] for row in rows if numeric[j] and not isnan(row[j])]
        mean = sum(known) / len(known) if known else 0.0
        spread = sqrt(sum((x - mean) ** 2 for x in known) / len(known)) if known else 0.0
        scales.append((mean, spread if len(set(known)) > 1 else 1.0))

    def distance(row, prototype):
        total = 0.0
        for j in range(n_columns):
            if not numeric[j]:
                total += gamma * (row[j] != prototype[j])
            elif not isnan(row[j]):
                total += ((row[j] - prototype[j]) / scales[j][1]) ** 2
        return total

    def nearest(row):
        distances = [distance(row, prototype) for prototype in prototypes]
        return next(c for c, d in enumerate(distances) if d <= min(distances) + 1e-9)

    words = [[] if numeric[j] else in_order(row[j] for row in rows) for j in range(n_columns)]
    prototypes = [
        [scales[j][0] if numeric[j] and isnan(x) else x for j, x in enumerate(row)]
        for row in starts
    ]
    labels = None
    for _ in range(100):
        found = [nearest(row) for row in rows]
        assert set(found) == set(range(len(starts)))
        if found == labels:
            break
        labels = found
        prototypes = []
        for cluster in range(len(starts)):
            members = [row for row, label in zip(rows, labels, strict=True) if label == cluster]
            prototype = []
            for j in range(n_columns):
                cells = [row[j] for row in members]
                if numeric[j]:
                    known = [x for x in cells if not isnan(x)]
                    prototype.append(sum(known) / len(known) if known else scales[j][0])
                else:
                    prototype.append(max(words[j], key=cells.count))
            prototypes.append(prototype)
    cost = sum(distance(row, prototypes[label]) for row, label in zip(rows, labels, strict=True))
    return labels, prototypes, cost


@given(mixed_tables(), st.integers(2, 3), st.sampled_from([0.1, 0.5, 3.0]))
def test_as_in_plain_loops(table, n_clusters, gamma):
    rows = rows_of(table)
    starts = table.drop_duplicates().iloc[:n_clusters]
    assume(len(table.drop_duplicates()) > n_clusters)
    try:
        labels, prototypes, cost = slow_kprototypes(rows, rows_of(starts), gamma)
    except AssertionError:  # an empty cluster, which is filled at random
        assume(False)
    model = KPrototypes(n_clusters, gamma=gamma, init=starts).fit(table)
    assert model.labels_.tolist() == labels
    assert model.cost_ == pytest.approx(cost, abs=1e-9)
    for found, expected in zip(model.cluster_centers_, prototypes, strict=True):
        for cell, wanted in zip(found, expected, strict=True):
            assert cell == (pytest.approx(wanted, abs=1e-9) if is_number(wanted) else wanted)


def test_by_hand():
    # The numbers 1, 2, 3, 6 have the mean 3 and the standard deviation sqrt(3.5).
    table = [["a", 1.0], ["a", 2.0], ["b", 3.0], ["b", 6.0]]
    model = KPrototypes(2, gamma=0.25, init=[["a", 1.0], ["b", 6.0]]).fit(table)
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert model.cluster_centers_.tolist() == [["a", 2.0], ["b", 6.0]]
    assert (model.means_.tolist(), model.scales_.tolist()) == ([3.0], [sqrt(3.5)])
    assert model.cost_ == pytest.approx(0.25 + 2 / 3.5)
    assert (model.categorical_, model.numeric_) == (("x0",), ("x1",))


def test_numbers_alone_are_k_means():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 4)) * [1.0, 10.0, 1e-3, 1e4] + [0.0, 5.0, 1.0, -1e6]
    model = KPrototypes(5, init=rows[:5]).fit(rows)
    standard = StandardScaler().fit_transform(rows)
    expected = KMeans(5, init=standard[:5], n_init=1, tol=0.0).fit(standard)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.cost_ == pytest.approx(expected.inertia_)


def test_words_alone_are_k_modes():
    table, _ = made_of_classes(200)
    words = table[["c0", "c1"]]
    start = words.drop_duplicates().iloc[:3]
    model = KPrototypes(3, init=start, gamma=0.25).fit(words)
    expected = KModes(3, init=start).fit(words)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.cluster_centers_, expected.cluster_centers_)
    assert model.cost_ == 0.25 * expected.cost_


@given(mixed_tables(min_rows=6), st.randoms(use_true_random=False))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_order_of_rows_does_not_matter(table, random):
    assume(len(table.drop_duplicates()) > 3)
    order = random.sample(range(len(table)), len(table))
    first, second = (KPrototypes(3, n_init=3).fit(rows) for rows in (table, table.iloc[order]))
    np.testing.assert_array_equal(first.labels_[order], second.labels_)
    assert first.cost_ == second.cost_


@given(mixed_tables(min_rows=6), st.randoms(use_true_random=False))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_neither_order_nor_names_of_columns_matter(table, random):
    order = random.sample(list(table), len(table.columns))
    start = table.drop_duplicates().iloc[:2]
    assume(len(start) == 2)
    first = KPrototypes(2, init=start).fit(table)
    second = KPrototypes(2, init=start[order]).fit(table[order])
    np.testing.assert_array_equal(first.labels_, second.labels_)
    third = KPrototypes(2).fit(table)
    fourth = KPrototypes(2).fit(table.rename(columns="column {}".format))
    np.testing.assert_array_equal(third.labels_, fourth.labels_)


@pytest.mark.parametrize("init", ["k-means++", "random", "given"])
@given(table=mixed_tables())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_repeat_rows(init, table):
    weights = np.arange(len(table)) % 3 + 1
    model = KPrototypes(2, init=table.iloc[:2] if init == "given" else init, n_init=2)
    weighted = clone(model).fit(table, sample_weight=weights)
    repeated = clone(model).fit(table.loc[table.index.repeat(weights)])
    np.testing.assert_array_equal(np.repeat(weighted.labels_, weights), repeated.labels_)
    np.testing.assert_array_equal(weighted.cluster_centers_, repeated.cluster_centers_)
    assert weighted.cost_ == repeated.cost_


@given(mixed_tables(min_rows=6))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_units_of_numbers_do_not_matter(table):
    start = table.drop_duplicates().iloc[:2]
    assume(len(start) == 2)
    other = table.copy()
    for name in [name for name in table if name.startswith("x")]:
        other[name] = 4.0 * table[name] + 32.0
    first = KPrototypes(2, init=start).fit(table)
    second = KPrototypes(2, init=other.loc[start.index]).fit(other)
    np.testing.assert_array_equal(first.labels_, second.labels_)
    assert first.cost_ == pytest.approx(second.cost_, abs=1e-9)


@pytest.mark.parametrize("n_missing", [0, 60])
def test_it_is_what_it_is_defined_as(n_missing):
    table, classes = made_of_classes(400)
    rng = np.random.default_rng(1)
    for name in table:
        table.loc[rng.choice(400, n_missing, replace=False), name] = None
    model = KPrototypes(3).fit(table)
    assert adjusted_rand_score(classes, model.labels_) > 0.7
    centers = pd.DataFrame(model.cluster_centers_, columns=table.columns)
    distances = np.zeros((400, 3))
    for name in ("c0", "c1"):
        words = table[name].astype(object).where(table[name].notna(), None).to_numpy()
        distances += 0.5 * (words[:, None] != centers[name].to_numpy())
    for name in ("x0", "x1"):
        numbers = table[name].to_numpy(float)
        centered = numbers[:, None] - centers[name].to_numpy(float)
        distances += np.nan_to_num((centered / np.nanstd(numbers)) ** 2)
        for cluster in range(3):
            mean = np.nanmean(numbers[model.labels_ == cluster])
            assert centers[name][cluster] == pytest.approx(mean)
    np.testing.assert_array_equal(distances.argmin(axis=1), model.labels_)
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    assert model.cost_ == pytest.approx(distances.min(axis=1).sum())
    assert model.inertia_ == model.cost_ == pytest.approx(-model.score(table))


def test_of_any_library_the_same():
    table, _ = made_of_classes(60)
    table.loc[3, "x0"], table.loc[5, "c1"] = None, None
    expected = KPrototypes(3).fit(table)
    arrow = pa.Table.from_pandas(table)
    tables = {
        "objects": table.astype(object),
        "nullable": table.convert_dtypes(),
        "arrow dtypes": table.convert_dtypes(dtype_backend="pyarrow"),
        "polars": pl.from_pandas(table),
        "pyarrow": arrow,
        "array": table.to_numpy(),
        "rows": table.to_numpy().tolist(),
        "structured": table.to_records(index=False),
    }
    for name, same in tables.items():
        model = KPrototypes(3).fit(same)
        np.testing.assert_array_equal(model.labels_, expected.labels_, err_msg=name)
        np.testing.assert_array_equal(model.cluster_centers_, expected.cluster_centers_)
        np.testing.assert_array_equal(model.predict(same), expected.labels_)
    assert isinstance(KPrototypes(3).fit(arrow).prototypes(), pa.Table)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, 2, 1, 3], "numeric"),
        ([1.5, None, 2, 3], "numeric"),
        ([Decimal(1), Decimal("2.5"), Decimal(1), None], "numeric"),
        ([True, False, True, True], "categorical"),
        (["1", "2", "1", "3"], "categorical"),
        ([1, "2", 1, "3"], "categorical"),
        ([None, None, None, None], "categorical"),
        (pd.to_datetime(["2024-01-01"] * 4), "categorical"),
        (pd.Categorical([1, 2, 1, 2]), "categorical"),
    ],
    ids=str,
)
def test_the_type_of_a_column_decides(cells, kind):
    frame = pd.DataFrame({"word": ["a", "b", "a", "c"], "cells": cells})
    model = KPrototypes(2).fit(frame)
    assert "cells" in getattr(model, f"{kind}_")


def test_the_user_decides():
    table, _ = made_of_classes(50)
    table["code"] = np.arange(50) % 4
    assert KPrototypes(2).fit(table).numeric_ == ("x0", "x1", "code")
    for named in (["code"], [4]):
        model = KPrototypes(2, categorical=named).fit(table)
        assert model.categorical_ == ("c0", "c1", "code")
        assert set(model.cluster_centers_[:, 4]) <= {0, 1, 2, 3}
    objects = table.astype(object)
    assert KPrototypes(2, numeric=["x1"]).fit(objects).numeric_ == ("x0", "x1", "code")


def test_gamma_weighs_the_categories():
    table = pd.DataFrame({"word": ["a", "b"] * 10, "number": np.repeat([0.0, 1.0], 10)})
    by_word, by_number = (
        KPrototypes(2, gamma=100.0).fit(table),
        KPrototypes(2, gamma=0.01).fit(table),
    )
    assert adjusted_rand_score(table["word"], by_word.labels_) == 1.0
    assert adjusted_rand_score(table["number"], by_number.labels_) == 1.0


def test_a_constant_number_changes_nothing():
    table, _ = made_of_classes(80)
    more = table.assign(constant=0.1, missing=nan)
    first, second = KPrototypes(3).fit(table), KPrototypes(3).fit(more)
    np.testing.assert_array_equal(first.labels_, second.labels_)
    assert first.cost_ == pytest.approx(second.cost_)
    assert second.cluster_centers_[:, 4].tolist() == [0.1] * 3
    assert second.scales_[2:].tolist() == [1.0, 1.0]


def test_unknown_values_are_neutral():
    table = pd.DataFrame({"word": ["a", "a", "b", "b"], "number": [0.0, 1.0, 9.0, 10.0]})
    model = KPrototypes(2).fit(table)
    rows = pd.DataFrame({"word": ["?", "?", None], "number": [0.5, 9.0, nan]})
    found = model.predict(rows)
    assert found[:2].tolist() == model.labels_[[0, 2]].tolist()
    assert found[2] == 0  # as near to one as to the other
    assert model.predict(rows.iloc[:0]).shape == (0,)


def test_rows_without_weight_are_as_if_absent_but_have_a_label():
    table = pd.DataFrame({"word": list("aabbc"), "number": [0.0, 1.0, 9.0, 10.0, 1e6]})
    model = KPrototypes(2).fit(table, sample_weight=[1, 1, 1, 1, 0])
    assert model.labels_[4] == model.labels_[3] != model.labels_[0]
    assert model.means_.tolist() == [5.0]
    assert "c" not in model.vocabulary_.values[0]


def test_fewer_distinct_rows_than_clusters():
    table = [["b", 1.0], ["a", nan], ["b", 1.0], ["a", 2.0]]
    with pytest.warns(ConvergenceWarning, match="3 distinct rows but 5 clusters"):
        model = KPrototypes(5).fit(table)
    assert model.labels_.tolist() == [0, 1, 0, 2]
    assert model.cost_ == 0


def test_every_cluster_has_rows():
    table, _ = made_of_classes(60)
    for seed in range(5):
        model = KPrototypes(12, init="random", n_init=1, random_state=seed).fit(table)
        assert set(model.labels_) == set(range(12))
    # Rows that differ in what is missing alone are at no distance.
    table = pd.DataFrame({"x0": [1.0, 1.0, nan], "x1": [2.0, nan, 2.0]})
    assert sorted(np.bincount(KPrototypes(2).fit(table).labels_)) == [1, 2]


def test_more_runs_never_cost_more():
    table, _ = made_of_classes(300, purity=0.3)
    for init in ("k-means++", "random"):
        costs = [KPrototypes(8, init=init, n_init=n).fit(table).cost_ for n in (1, 5, 20)]
        assert costs == sorted(costs, reverse=True)


def test_max_iter():
    table, _ = made_of_classes(300, purity=0.3)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 assignments; raise it"):
        assert KPrototypes(4, max_iter=1).fit(table).n_iter_ == 1


def test_a_search_goes_by_the_score():
    table, _ = made_of_classes(90)
    search = GridSearchCV(KPrototypes(n_init=2), {"n_clusters": [1, 3]}, cv=2)
    assert search.fit(table).best_params_ == {"n_clusters": 3}


FRAME = pd.DataFrame({"word": ["a", "b", "a"], "number": [1.0, 2.0, 3.0]})


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_clusters": 0}, ValueError, "n_clusters must be a positive integer, got 0"),
        ({"n_init": 0.5}, ValueError, "n_init must be a positive integer, got 0.5"),
        ({"gamma": -1}, ValueError, "gamma must be a number above 0, got -1"),
        ({"gamma": "auto"}, ValueError, "gamma must be a number above 0, got 'auto'"),
        ({"init": "cao"}, ValueError, r"init must be one of \['k-means\+\+', 'random'\]"),
        ({"init": [["a", 1.0]]}, ValueError, r"pass a table of shape \(2, 2\)"),
        ({"init": [["?", 1.0], ["a", 2.0]]}, ValueError, "init has the value '?' in column 'word'"),
        (
            {"init": [["a", "x"], ["b", 2.0]]},
            ValueError,
            "Column 'number' is numeric, but holds 'x'",
        ),
        ({"numeric": "word"}, TypeError, r"numeric must be a list of columns, got 'word'"),
        ({"numeric": ["word"]}, ValueError, "Column 'word' is numeric, but holds 'a'"),
        (
            {"numeric": ["wrod"]},
            ValueError,
            "no column 'wrod' in the table, which numeric names; did",
        ),
        ({"categorical": [2]}, ValueError, "categorical has the position 2, but the table has 2"),
        (
            {"numeric": ["number"], "categorical": [1]},
            ValueError,
            "numeric and categorical both name the column 'number'",
        ),
    ],
    ids=str,
)
def test_bad_parameters(parameters, error, message):
    with pytest.raises(error, match=message.replace("'?'", r"'\?'")):
        KPrototypes(**{"n_clusters": 2, **parameters}).fit(FRAME)


def test_bad_cells():
    with pytest.raises(ValueError, match="Column 'number', row 1: inf is infinite or beyond 1e"):
        KPrototypes(2).fit(FRAME.assign(number=[1.0, np.inf, 2.0]))
    model = KPrototypes(2).fit(FRAME)
    with pytest.raises(ValueError, match=r"Column 'number' is numeric, but holds 'x'\. Convert"):
        model.predict(FRAME.assign(number="x"))
    many = pd.DataFrame({"word": [f"w{number % 11_000}" for number in range(22_000)]})
    with pytest.raises(ValueError, match="Column 'word' has 11,000 distinct values"):
        KPrototypes(2).fit(many)


def test_a_failed_fit_changes_nothing():
    model = KPrototypes(2).fit(FRAME)
    labels = model.predict(FRAME)
    with pytest.raises(ValueError, match="init"):
        model.set_params(init="?").fit(FRAME[["word"]])
    np.testing.assert_array_equal(model.predict(FRAME), labels)


def test_not_fitted():
    for use in ("predict", "score"):
        with pytest.raises(NotFittedError):
            getattr(KPrototypes(), use)(FRAME)
    with pytest.raises(NotFittedError):
        KPrototypes().prototypes()
