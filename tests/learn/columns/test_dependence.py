import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import normalized_mutual_info_score

import distance_oracle as slow
from tables import small_tables
from untie import count_table
from untie._learn.columns import explained_entropy
from untie._learn.columns.explained_entropy import symmetric_uncertainty


def rows_of(table):
    return [tuple(row) for row in table.to_numpy()]


def test_oracle_values(melons):
    counts = count_table(melons).counts
    entropies = [slow.entropy(rows_of(melons), [column]) for column in range(3)]
    np.testing.assert_allclose(entropies, [1, 1.9182958341, 1.5849625007], rtol=1e-10)
    uncertainty = symmetric_uncertainty(counts)
    texture_color, texture_root, color_root = 0.4568876526, 0.5158037430, 0.5242524223
    expected = [
        [1, texture_color, texture_root],
        [texture_color, 1, color_root],
        [texture_root, color_root, 1],
    ]
    np.testing.assert_allclose(uncertainty, expected, atol=1e-10)
    others = (uncertainty.sum(axis=1) - 1) / 2
    np.testing.assert_allclose(others, [0.4863457, 0.4905700, 0.5200281], atol=1e-7)


@given(small_tables())
def test_as_defined(table):
    rows = rows_of(table)
    counts = count_table(table).counts
    columns = range(len(rows[0]))
    related = [[slow.symmetric_uncertainty(rows, j, k) for k in columns] for j in columns]
    np.testing.assert_allclose(symmetric_uncertainty(counts), related, atol=1e-12)


@given(small_tables(min_rows=2))
def test_is_normalized_mutual_information(table):
    uncertainty = symmetric_uncertainty(count_table(table).counts)
    columns = [table[name].to_numpy() for name in table.columns]
    for j, first in enumerate(columns):
        for k, second in enumerate(columns):
            if len(set(first)) + len(set(second)) > 2:  # scikit-learn calls two constants equal
                expected = normalized_mutual_info_score(first, second)
                assert uncertainty[j, k] == pytest.approx(expected, abs=1e-12)


def test_extremes_are_exact():
    table = [["a", "x", "c", "q"], ["a", "y", "c", "q"], ["b", "x", "c", "p"], ["b", "y", "c", "p"]]
    uncertainty = symmetric_uncertainty(count_table(table).counts)
    assert uncertainty[0].tolist() == [1, 0, 0, 1]
    assert uncertainty[2].tolist() == [0, 0, 0, 0]  # two constants: 0, not 0/0


def test_a_pair_is_judged_by_rows_in_which_both_are_known():
    table = [["a", "x"], ["b", "y"], ["a", "?"], ["a", "?"], ["?", "x"]]
    categories = [["a", "b"], ["x", "y"]]
    uncertainty = symmetric_uncertainty(count_table(table, categories=categories).counts)
    assert uncertainty[0, 1] == uncertainty[1, 0] == 1
    never = count_table([["a", "?"], ["b", "?"]], categories=categories).counts
    assert symmetric_uncertainty(never)[0, 1] == 0


@given(small_tables())
def test_weights_repeat_rows(table):
    weights = np.arange(len(table)) % 3 + 1
    weighted = count_table(table, weights).counts
    repeated = count_table(table.loc[table.index.repeat(weights)]).counts
    np.testing.assert_array_equal(symmetric_uncertainty(weighted), symmetric_uncertainty(repeated))


def test_the_entropies_of_counts_are_computed_once(monkeypatch):
    counts = count_table([["a", "x"], ["b", "y"], ["b", "x"]]).counts
    first = explained_entropy.pair_entropies(counts)
    monkeypatch.setattr(explained_entropy, "_pair_entropies", None)
    assert explained_entropy.pair_entropies(counts) is first
