"""Names of values and columns, the order of columns and rows, and units of numbers decide nothing.

Tables with more than 2,000 distinct rows are sampled, and there other names are another draw; the
order of columns and rows decides nothing there, either.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from tables import latent_classes, small_tables
from untie import Preparer, TableClusterer, TableEncoder, choose_k, count_table
from untie._count import row_sample
from untie.datasets import load, names

SAME = {"rtol": 0, "atol": 1e-8}
LARGE = ("dnanominal", "krvskp", "mushroom", "splice")
VECTORS_ONLY = ("dermatology", "dnapromoter", "lymphography", "primarytumor", "spect", "tictactoe")
"""Data sets whose clusters take long: their vectors and gains are compared in every run."""


def disguise(table, rng):
    """Return the table with other names and in another order, and where its rows stood.

    A missing cell is not a name, and stays missing: columns are compared where both are known.
    """
    numbers = rng.permutation(len(table.columns))
    renamed = {}
    for place in rng.permutation(len(table.columns)):
        cells = table.iloc[:, place].astype(object)
        kinds = cells.dropna().unique()
        words = [f"{chr(97 + number % 26)}{number}" for number in rng.permutation(len(kinds))]
        to_words = dict(zip(kinds, words, strict=True))
        renamed[f"column {numbers[place]}"] = [to_words.get(cell) for cell in cells]
    rows = rng.permutation(len(table))
    return pd.DataFrame(renamed, dtype=object).iloc[rows].reset_index(drop=True), rows


def is_rigid(table):
    """Tell whether every row differs from all others by what it has in common with them.

    If not, exchanging some rows, values and columns may make the table into itself, and labels may
    be exchanged in the same way.
    """
    cells = table.astype(object).where(table.notna(), "a cell without a value")
    colors = {tuple(row): times for row, times in cells.value_counts().items()}
    for _ in range(4):
        members = {}
        for row, color in colors.items():
            for place, value in enumerate(row):
                members.setdefault((place, value), []).append(color)
        kinds = {value: hash(tuple(sorted(found))) for value, found in members.items()}
        colors = {
            row: hash((color, tuple(sorted(kinds[value] for value in enumerate(row)))))
            for row, color in colors.items()
        }
    return len(set(colors.values())) == len(colors)


def assert_same_encoders(first, second, table, other, rows):
    assert first.n_clusters_ == second.n_clusters_
    assert list(first.gains_) == list(second.gains_)
    np.testing.assert_allclose(list(second.gains_.values()), list(first.gains_.values()), **SAME)
    expected = first.similarity(table)[np.ix_(rows, rows)]
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(second.similarity(other), expected, rtol=0, atol=1e-9 * scale)


def assert_same_clusters(first, second, table, other, rows):
    assert first.n_clusters_ == second.n_clusters_
    assert first.n_iter_ == second.n_iter_
    assert_same_encoders(first.encoder_, second.encoder_, table, other, rows)
    assert second.inertia_ == pytest.approx(first.inertia_, rel=1e-9, abs=1e-9)
    np.testing.assert_array_equal(np.bincount(second.labels_), np.bincount(first.labels_))
    if is_rigid(table):
        np.testing.assert_array_equal(second.labels_, first.labels_[rows])
    if first.k_choice_ is not None:
        np.testing.assert_allclose(second.k_choice_.gain, first.k_choice_.gain, **SAME)


def data_sets(fast):
    """Return the data sets that are not large as parameters: others than the fast are slow."""
    small = [name for name in names() if name not in LARGE]
    assert set(fast) <= set(small)
    return [pytest.param(name, marks=[] if name in fast else pytest.mark.slow) for name in small]


@pytest.mark.parametrize("n_clusters", ["auto", pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", data_sets(set(names()) - {*LARGE, *VECTORS_ONLY}))
def test_clusters_of_a_data_set_in_disguise(name, n_clusters):
    table, _ = load(name)
    assert len(table.drop_duplicates()) <= row_sample.SAMPLE_ROWS
    other, rows = disguise(table, np.random.default_rng(0))
    # Of ranges ("30-59"), the names are the order; in disguise they are no ranges.
    encoder = TableEncoder(n_clusters, ordered=False, preparer=None)
    first, second = (
        TableClusterer(n_clusters, encoder=encoder, random_state=0, preparer=None).fit(X)
        for X in (table, other)
    )
    assert_same_clusters(first, second, table, other, rows)


@pytest.mark.parametrize(("name", "seed"), [("spect", 13), ("zoo", 0), ("hayesroth", 13)])
def test_clusters_of_weighted_rows_in_disguise(name, seed):
    table, _ = load(name)
    rng = np.random.default_rng(seed)
    weights = rng.random(len(table)) + 0.1  # their sums are rounded in every order in another way
    other, rows = disguise(table, rng)
    first = TableClusterer(random_state=seed, preparer=None).fit(table, sample_weight=weights)
    second = TableClusterer(random_state=seed, preparer=None).fit(
        other, sample_weight=weights[rows]
    )
    assert first.n_clusters_ == second.n_clusters_
    np.testing.assert_array_equal(second.labels_, first.labels_[rows])


@pytest.mark.parametrize("name", data_sets(VECTORS_ONLY))
def test_vectors_of_a_data_set_in_disguise(name):
    table, _ = load(name)
    other, rows = disguise(table, np.random.default_rng(1))
    first, second = (TableEncoder(ordered=False, preparer=None).fit(X) for X in (table, other))
    assert_same_encoders(first, second, table, other, rows)
    gains = [choose_k(e, X, range(2, 5)).gain for e, X in ((first, table), (second, other))]
    np.testing.assert_allclose(*gains, **SAME)


def test_most_data_sets_are_rigid():
    found = set(names()) - set(LARGE)
    assert {name for name in found if not is_rigid(load(name)[0])} <= {"hayesroth", "tictactoe"}


@given(
    table=small_tables(min_rows=4, max_rows=25, min_columns=2, max_columns=5),
    seed=st.integers(0, 2**16),
    n_clusters=st.sampled_from([2, 3, "auto"]),
)
@pytest.mark.filterwarnings("ignore::UserWarning")  # random tables are degenerate
def test_clusters_of_a_random_table_in_disguise(table, seed, n_clusters):
    other, rows = disguise(table, np.random.default_rng(seed))
    first, second = (TableClusterer(n_clusters, preparer=None).fit(X) for X in (table, other))
    assert_same_clusters(first, second, table, other, rows)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
def test_moves_in_disguise(seed, weighted):
    table, _ = latent_classes(500, 3, 10, 4, seed, 0.55, [0.8, 0.15, 0.05])
    rng = np.random.default_rng(seed)
    weights = rng.random(len(table)) + 0.1 if weighted else np.ones(len(table))
    other, rows = disguise(table, rng)
    first = TableClusterer(3, preparer=None).fit(table, sample_weight=weights)
    second = TableClusterer(3, preparer=None).fit(other, sample_weight=weights[rows])
    assert first._costs is not None
    assert first.n_iter_ == second.n_iter_
    np.testing.assert_array_equal(second.labels_, first.labels_[rows])


@pytest.mark.parametrize("name", LARGE)
def test_columns_of_a_large_table_in_another_order(name):
    table, _ = load(name)
    assert len(table.drop_duplicates()) > row_sample.SAMPLE_ROWS
    order = np.random.default_rng(0).permutation(table.shape[1])
    first, second = (TableClusterer(3, preparer=None).fit(X) for X in (table, table.iloc[:, order]))
    assert list(first.encoder_.gains_) == list(second.encoder_.gains_)
    np.testing.assert_array_equal(second.labels_, first.labels_)


@pytest.mark.parametrize("n_clusters", [3, "auto"])
def test_prepared_columns_in_another_order(n_clusters):
    rng = np.random.default_rng(0)
    table, classes = latent_classes(300, 3, 5, 4, seed=0)
    table = table.assign(
        age=20 + 10 * classes + rng.integers(0, 15, 300), person=[f"p{i}" for i in range(300)]
    )
    rows = np.arange(300)
    for _ in range(3):
        other = table.iloc[:, rng.permutation(table.shape[1])]
        first, second = (
            TableClusterer(n_clusters, preparer=Preparer()).fit(X) for X in (table, other)
        )
        prepared = [model._prepared(X) for model, X in ((first, table), (second, other))]
        assert_same_clusters(first, second, *prepared, rows)


def test_ranges_that_differ_by_their_order_alone():
    # Every age has the same jobs, so that only its place among the ages tells it from others.
    ages = ["up to 20", "21 to 30", "31 to 40", "41 to 50", "51 to 60", "over 60"]
    table = pd.DataFrame([[age, job] for age in ages for job in "aaabbc"], columns=["age", "job"])
    ages_of = []
    for jobs in ("abc", "cab", "bca", "acb", "cba"):
        other = table.assign(job=table["job"].map(dict(zip("abc", jobs, strict=True))))
        found = TableClusterer(3, random_state=0, preparer=None).fit(other)
        ages_of.append(found.labels_.tolist())
    mirrored = np.array(ages_of[0]).reshape(6, 6)[::-1].ravel()
    same = [adjusted_rand_score(ages_of[0], labels) for labels in ages_of[1:]]
    turned = [adjusted_rand_score(mirrored, labels) for labels in ages_of[1:]]
    assert np.minimum(1 - np.array(same), 1 - np.array(turned)).max() < 1e-9


def test_units_of_numbers():
    rng = np.random.default_rng(0)
    table, classes = latent_classes(200, 3, 4, 3, seed=0)
    numbers = {
        "weight": np.round(50 + 10 * classes + rng.normal(0, 8, 200), 1),
        "children": rng.poisson(1 + classes),
    }
    first = TableClusterer(3, preparer=Preparer()).fit(table.assign(**numbers))
    for change in (lambda x: x * 2.54, lambda x: x * 1000, lambda x: x + 7, np.log1p):
        changed = {name: change(cells) for name, cells in numbers.items()}
        second = TableClusterer(3, preparer=Preparer()).fit(table.assign(**changed))
        np.testing.assert_array_equal(second.labels_, first.labels_)


def test_vectors_of_many_dimensions_in_disguise(monkeypatch):
    monkeypatch.setattr("untie._learn.clustering.lloyd.MOST_DIMENSIONS", 12)
    monkeypatch.setattr("untie._learn.clustering.lloyd.PRINCIPAL", 6)
    table, _ = latent_classes(200, 4, 8, 6, seed=3, purity=0.6)
    other, rows = disguise(table, np.random.default_rng(0))
    first, second = (TableClusterer(preparer=None).fit(X) for X in (table, other))
    assert_same_clusters(first, second, table, other, rows)


def test_chunks_in_disguise():
    table, _ = latent_classes(300, 3, 6, 4, seed=1)
    other, _ = disguise(table, np.random.default_rng(4))
    whole = TableEncoder(n_clusters="auto", preparer=None).fit(table)
    grown = (
        TableEncoder(n_clusters="auto", preparer=None)
        .partial_fit(other[:70])
        .partial_fit(other[70:])
    )
    added = TableEncoder(n_clusters="auto", preparer=None).fit_counts(
        count_table(other[70:]) + count_table(other[:70])
    )
    for model in (grown, added):
        assert model.n_clusters_ == whole.n_clusters_
        assert list(model.gains_) == list(whole.gains_)
        np.testing.assert_allclose(list(model.gains_.values()), list(whole.gains_.values()), **SAME)
