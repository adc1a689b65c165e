import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn import metrics

from evaluation.oracles import best_macro_f, pair_counts
from untie_paper.evaluation import (
    adjusted_rand_index,
    best_match_f_score,
    clustering_accuracy,
    clustering_f_score,
    clustering_scores,
    normalized_mutual_information,
    pairwise_f_score,
    purity,
)

SWEETNESS = ["low", "low", "low", "low", "high", "high"]
FOUND = [0, 0, 0, 1, 0, 1]
FUNCTIONS = {
    "f_score": clustering_f_score,
    "accuracy": clustering_accuracy,
    "pairwise_f_score": pairwise_f_score,
    "best_match_f_score": best_match_f_score,
    "purity": purity,
    "nmi": normalized_mutual_information,
    "ari": adjusted_rand_index,
}


@st.composite
def label_pairs(draw, max_objects=10, max_labels=4):
    n = draw(st.integers(1, max_objects))
    labels = st.lists(st.integers(0, max_labels - 1), min_size=n, max_size=n)
    return draw(labels), draw(labels)


def from_table(table):
    """Return classes and clusters with the given numbers of shared objects."""
    pairs = [(c, k) for c, row in enumerate(table) for k, n in enumerate(row) for _ in range(n)]
    return [c for c, _ in pairs], [k for _, k in pairs]


def test_oracle_values():
    scores = clustering_scores(SWEETNESS, FOUND)
    assert scores == pytest.approx(
        {
            "f_score": 0.625,
            "accuracy": 2 / 3,
            "pairwise_f_score": 3 / 7,
            "pairwise_precision": 3 / 7,
            "pairwise_recall": 3 / 7,
            "best_match_f_score": 2 / 3,
            "purity": 2 / 3,
            "nmi": 0.048035,
            "ari": -1 / 14,
            "rand": 7 / 15,
        },
        abs=1e-6,
    )


@pytest.mark.parametrize(
    ("labels", "expected"), [("000101", 0.625), ("000111", 0.828571), ("000000", 0.4)]
)
def test_oracle_of_k_modes_on_the_toy_table(labels, expected):
    assert clustering_f_score(SWEETNESS, list(labels)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("n_alone", "expected"), [(0, 34.86), (1, 35.32)])
def test_all_objects_in_one_cluster(n_alone, expected):
    # ThreeOf9: 274 of 512 objects are of one class; the printed scores of UNTIE and of COS.
    classes, clusters = from_table([[274, 0], [238 - n_alone, n_alone]])
    assert round(100 * clustering_f_score(classes, clusters), 2) == expected


@given(label_pairs(max_labels=3))
@example(([0] * 5 + [1] * 7, [0] * 2 + [1] * 3 + [0] * 3 + [1] * 4))
def test_matching_is_the_best_of_all(pair):
    accuracy, f_score = best_macro_f(*pair)
    assert clustering_accuracy(*pair) == pytest.approx(accuracy, abs=1e-12)
    assert clustering_f_score(*pair) == pytest.approx(f_score, abs=1e-12)


def test_the_highest_f_decides_between_equal_matchings():
    # Both matchings get 6 objects right, with a macro F of 0.4857 and of 0.5.
    classes, clusters = from_table([[2, 3], [3, 4]])
    assert clustering_f_score(classes, clusters) == pytest.approx(0.5, abs=1e-12)
    mirrored = [1 - c for c in clusters]
    assert clustering_f_score(classes, mirrored) == pytest.approx(0.5, abs=1e-12)


def test_more_objects_count_more_than_a_higher_f():
    # Eight right with a macro F of 0.348, not seven with 0.464.
    classes, clusters = from_table([[0, 4], [3, 8]])
    assert clustering_accuracy(classes, clusters) == 8 / 15
    assert clustering_f_score(classes, clusters) == pytest.approx(8 / 23)


@given(label_pairs(max_objects=30, max_labels=6), st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(pair, random):
    classes, clusters = pair
    names = random.sample("abcdefgh", 6)
    numbers = random.sample(range(100), 6)
    order = random.sample(range(len(classes)), len(classes))
    other = clustering_scores(
        [names[classes[i]] for i in order], [numbers[clusters[i]] for i in order]
    )
    assert other == pytest.approx(clustering_scores(classes, clusters), abs=1e-9)


@given(label_pairs(max_objects=30, max_labels=6))
def test_scores_are_in_range_and_perfect_for_equal_partitions(pair):
    scores = clustering_scores(*pair)
    assert all(0 <= score <= 1 for name, score in scores.items() if name != "ari")
    assert -1 <= scores["ari"] <= 1
    assert all(score == pytest.approx(1) for score in clustering_scores(pair[0], pair[0]).values())


@given(label_pairs(max_objects=15))
def test_against_other_implementations(pair):
    scores = clustering_scores(*pair)
    together, clusters_alone, classes_alone, _ = pair_counts(*pair)
    whole = 2 * together + clusters_alone + classes_alone
    assert scores["pairwise_f_score"] == (2 * together / whole if whole else 1.0)
    assert scores["nmi"] == pytest.approx(metrics.normalized_mutual_info_score(*pair), abs=1e-12)
    table = metrics.cluster.contingency_matrix(*pair)
    assert scores["purity"] == pytest.approx(table.max(axis=0).sum() / len(pair[0]))
    sizes = table.sum(axis=1)
    f_table = 2 * table / (sizes[:, None] + table.sum(axis=0))
    assert scores["best_match_f_score"] == pytest.approx(np.average(f_table.max(1), weights=sizes))
    for name, function in FUNCTIONS.items():
        assert function(*pair) == scores[name]


def test_as_many_labels_as_objects_take_little_memory():
    n = 20_000  # a dense table would take 3.2 GB
    rng, numbers = np.random.default_rng(0), np.arange(n)
    scores = clustering_scores(numbers, rng.permutation(n))
    assert all(score == pytest.approx(1.0) for score in scores.values())
    assert clustering_accuracy(numbers % 7, numbers) == 7 / n
    assert 0 < clustering_f_score(rng.integers(0, n, n), rng.integers(0, n, n)) < 1


@pytest.mark.parametrize("seed", range(20))
def test_the_sparse_matching_is_that_of_the_dense_table(seed):
    rng = np.random.default_rng(seed)
    classes, clusters = (rng.integers(0, size, 500) for size in rng.integers(1, 30, 2))
    table = metrics.cluster.contingency_matrix(classes, clusters)
    matched = table[linear_sum_assignment(table, maximize=True)].sum()
    assert clustering_accuracy(classes, clusters) == matched / 500


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="labels has 2 labels for 3 objects"):
        clustering_f_score([1, 2, 3], [1, 2])
