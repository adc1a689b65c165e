import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation import oracles
from untie_paper.evaluation import average_ranks, bonferroni_dunn, friedman, nemenyi


@st.composite
def score_tables(draw, min_methods=2):
    n_sets, n_methods = draw(st.integers(2, 8)), draw(st.integers(min_methods, 6))
    row = st.lists(st.integers(0, 6), min_size=n_methods, max_size=n_methods)
    return np.array(draw(st.lists(row, min_size=n_sets, max_size=n_sets))) / 4


@given(score_tables())
def test_ranks_by_their_definition(scores):
    expected = np.mean([oracles.ranks(row.tolist()) for row in scores], axis=0)
    assert average_ranks(scores) == pytest.approx(expected)
    assert average_ranks(-scores, higher_is_better=False) == pytest.approx(expected)
    assert average_ranks(pd.DataFrame(scores)) == pytest.approx(expected)
    columns = {f"c{j}": column for j, column in enumerate(scores.T)}
    assert average_ranks(pl.DataFrame(columns)) == pytest.approx(expected)


@given(score_tables(min_methods=3))
def test_friedman_against_scipy(scores):
    test = friedman(scores)
    assert (test.n_sets, test.n_methods) == scores.shape
    if all(len(set(row)) == 1 for row in scores.tolist()):
        assert (test.chi2, test.p_value, test.f, test.f_p_value) == (0, 1, 0, 1)
        return
    expected = stats.friedmanchisquare(*scores.T)
    assert test.chi2 == pytest.approx(expected.statistic, abs=1e-9)
    assert test.p_value == pytest.approx(expected.pvalue, abs=1e-9)


@given(score_tables())
def test_without_tie_correction_it_is_the_plain_formula(scores):
    n, k = scores.shape
    mean_ranks = average_ranks(scores)
    chi2 = 12 * n / (k * (k + 1)) * (np.sum(mean_ranks**2) - k * (k + 1) ** 2 / 4)
    test = friedman(scores, tie_correction=False)
    assert test.chi2 == pytest.approx(chi2, abs=1e-9)
    assert test.chi2 <= friedman(scores).chi2 + 1e-9
    if chi2 < n * (k - 1) - 1e-6:
        f = (n - 1) * chi2 / (n * (k - 1) - chi2)
        assert test.f == pytest.approx(f, abs=1e-6)
        assert test.f_p_value == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)), abs=1e-6)


@given(score_tables(), st.randoms(use_true_random=False))
def test_order_does_not_matter(scores, random):
    n, k = scores.shape
    moved = scores[random.sample(range(n), n)][:, random.sample(range(k), k)]
    assert friedman(moved).chi2 == pytest.approx(friedman(scores).chi2, abs=1e-9)


def test_complete_agreement():
    test = friedman(np.tile([3, 2, 1], (5, 1)))
    assert test.average_ranks.tolist() == [1, 2, 3]
    assert test.chi2 == pytest.approx(10)
    assert (test.f, test.f_p_value) == (np.inf, 0)


@pytest.mark.parametrize(
    ("alpha", "quantile", "difference"), [(0.1, 2.5392, 2.1744), (0.05, 2.7729, 2.3746)]
)
def test_oracle_of_the_critical_difference(alpha, quantile, difference):
    found = bonferroni_dunn(10, 25, alpha)
    assert found == pytest.approx(difference, abs=1e-4)
    assert found / np.sqrt(110 / 150) == pytest.approx(quantile, abs=1e-4)


PRINTED_QUANTILES = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.1: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}
"""For 2 to 10 methods: Demsar, Journal of Machine Learning Research 7, 2006, table 5 (a)."""


@pytest.mark.parametrize("alpha", PRINTED_QUANTILES)
def test_printed_quantiles_of_nemenyi(alpha):
    found = [nemenyi(k, 7, alpha) / np.sqrt(k * (k + 1) / 42) for k in range(2, 11)]
    # Some are cut and some are rounded in print.
    assert found == pytest.approx(PRINTED_QUANTILES[alpha], abs=1.5e-3)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("n_methods", [2, 3, 12, 30])
def test_nemenyi_is_a_quantile_of_the_range_of_normal_deviates(n_methods, alpha):
    difference = nemenyi(n_methods, 25, alpha)
    spread = difference / np.sqrt(n_methods * (n_methods + 1) / (12 * 25))
    assert oracles.probability_of_range(spread, n_methods) == pytest.approx(1 - alpha, abs=1e-6)


def test_who_has_a_control_needs_a_smaller_difference():
    assert nemenyi(2, 9) == pytest.approx(bonferroni_dunn(2, 9), abs=1e-6)
    for n_methods in (3, 6, 12):
        assert bonferroni_dunn(n_methods, 9) < nemenyi(n_methods, 9)


BAD_SCORES = {
    "text": (pd.DataFrame({"set": ["zoo", "crx"], "a": [1, 2]}), r"columns \['set'\]"),
    "missing": ([[1, 2], [np.nan, 3]], "no number in row 1, column 0"),
    "one set": ([[1, 2]], "1 rows .* 2 columns"),
    "one method": ([[1], [2]], "2 rows .* 1 columns"),
    "list": ([1, 2], r"shape \(2,\)"),
    "ragged": ([[1, 2], [1]], "scores must be numbers, a row per data set"),
    "words": ([["a", "b"], ["c", "d"]], "scores must be numbers, .*'a'"),
    "empty": (np.empty((0, 3)), r"shape \(0, 3\)"),
}


@pytest.mark.parametrize("case", BAD_SCORES)
def test_bad_scores(case):
    scores, message = BAD_SCORES[case]
    with pytest.raises(ValueError, match=message):
        friedman(scores)


@pytest.mark.parametrize("difference", [bonferroni_dunn, nemenyi])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [((1, 5, 0.1), "two methods"), ((3, 0, 0.1), "a data set"), ((3, 5, 0.0), "alpha")],
)
def test_bad_sizes(difference, arguments, message):
    with pytest.raises(ValueError, match=message):
        difference(*arguments)
