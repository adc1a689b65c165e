import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import ANY_FRAMES
from evaluation import oracles
from tables import small_tables
from untie_paper.evaluation import category_utility, conditional_entropy, normalized_cut


@given(small_tables(), st.randoms(use_true_random=False))
def test_tables_by_their_definitions(table, random):
    clusters = [random.randrange(3) for _ in range(len(table))]
    rows = table.to_numpy().tolist()
    order = random.sample(range(len(rows)), len(rows))
    renamed = table.map(lambda value: f"{value} again").iloc[order, ::-1]
    for measure, oracle in [
        (category_utility, oracles.category_utility),
        (conditional_entropy, oracles.conditional_entropy),
    ]:
        expected = oracle(rows, clusters)
        assert measure(table, clusters) == pytest.approx(expected, abs=1e-12)
        moved = measure(renamed, [f"cluster {clusters[i]}" for i in order])
        assert moved == pytest.approx(expected, abs=1e-12)
        twice = measure(rows + rows, clusters + clusters)
        assert twice == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", ANY_FRAMES)
def test_any_table(melons, kind):
    table = ANY_FRAMES[kind](melons.to_dict("list"))
    clusters = [0, 1, 1, 0, 1, 0]
    rows = melons.to_numpy().tolist()
    assert category_utility(table, clusters) == pytest.approx(
        oracles.category_utility(rows, clusters)
    )
    assert conditional_entropy(table, clusters) == pytest.approx(
        oracles.conditional_entropy(rows, clusters)
    )


def test_extremes_of_tables():
    rows = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]]
    assert category_utility(rows, [0, 0, 0, 0]) == 0
    assert category_utility(rows, [0, 0, 1, 1]) == 0.5
    assert conditional_entropy(rows, [0, 0, 0, 0]) == 2
    assert conditional_entropy(rows, [0, 0, 1, 1]) == 0


@given(st.integers(0, 1000))
def test_normalized_cut_by_its_definition(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    half = rng.random((n, n)) * rng.integers(0, 2, (n, n))
    similarity, clusters = half + half.T, rng.integers(0, 3, n).tolist()
    found = normalized_cut(similarity, clusters)
    assert found == pytest.approx(oracles.normalized_cut(similarity, clusters), abs=1e-12)
    assert 0 <= found <= 1
    order = rng.permutation(n)
    moved = normalized_cut(similarity[np.ix_(order, order)], [f"c{clusters[i]}" for i in order])
    assert moved == pytest.approx(found, abs=1e-12)
    # The paper turns the mean cut into a trace: they add up to 1 where all are connected.
    sums = [similarity[np.array(clusters) == c].sum() for c in set(clusters)]
    if min(sums) > 0:
        inside = [
            similarity[np.ix_(np.array(clusters) == c, np.array(clusters) == c)].sum()
            for c in set(clusters)
        ]
        trace = np.mean([a / b for a, b in zip(inside, sums, strict=True)])
        assert found == pytest.approx(1 - trace, abs=1e-12)


def test_extremes_of_the_normalized_cut():
    apart = np.kron(np.eye(2), np.ones((2, 2)))
    assert normalized_cut(apart, [0, 0, 1, 1]) == 0
    assert normalized_cut(apart, [0, 0, 0, 0]) == 0
    assert normalized_cut(apart, [0, 1, 0, 1]) == 0.5
    assert normalized_cut(1 - np.eye(2), [0, 1]) == 1
    assert normalized_cut(np.zeros((2, 2)), [0, 1]) == 0


BAD = {
    "not square": (np.ones((2, 3)), [0, 1], "square matrix"),
    "negative": ([[1, -0.5], [-0.5, 1]], [0, 1], r"S\[0, 1\] is -0.5; .* not negative"),
    "asymmetric": ([[1, 0.5], [0.4, 1]], [0, 1], "symmetric"),
    "not finite": ([[1, np.nan], [0.4, 1]], [0, 1], r"S\[0, 1\] is nan"),
    "table": ([["red", "wine"], ["brown", "beer"]], [0, 1], "square matrix of similarities.*'red'"),
    "length": (np.eye(2), [0, 1, 1], "labels has 3 labels for 2 objects"),
    "missing": (np.eye(2), [0, None], "labels, row 1"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_of_the_normalized_cut(case):
    similarity, clusters, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        normalized_cut(similarity, clusters)


@pytest.mark.parametrize("measure", [category_utility, conditional_entropy])
def test_bad_labels_of_a_table(melons, measure):
    with pytest.raises(ValueError, match="labels has 2 labels for 6 objects"):
        measure(melons, [0, 1])
