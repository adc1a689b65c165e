import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import oracles
from untie import TableEncoder
from untie.baselines import Hamming
from untie.evaluation import _blocks as blocks_module
from untie.evaluation import goodness_curve

SWEETNESS = ["low", "low", "low", "low", "high", "high"]
MARGINS = [1 / 6, 1 / 18, -1 / 9, -1 / 4, -1 / 3, -7 / 18]


@pytest.fixture
def hamming(melons):
    return Hamming().fit(melons)


def test_oracle_values(melons, hamming):
    similarity = 1 - hamming.pairwise(melons) / 3
    curve = goodness_curve(similarity, SWEETNESS, similarity="precomputed", scale=False)
    assert curve.margins == pytest.approx(MARGINS, abs=1e-12)
    shares = [0, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6]
    assert curve.gamma(shares) == pytest.approx(MARGINS[::-1], abs=1e-12)
    assert [curve.gamma(share) for share in shares] == curve.gamma(shares).tolist()
    assert curve.n_left_out == 0


def test_a_distance_is_a_similarity_with_its_sign(melons, hamming):
    curve = goodness_curve(melons, SWEETNESS, distance=hamming, scale=False)
    assert curve.margins == pytest.approx(3 * np.array(MARGINS), abs=1e-12)
    # Mismatches of pairs range from 1 to 3, so that scaling halves them.
    scaled = goodness_curve(melons, SWEETNESS, distance=hamming)
    assert scaled.margins == pytest.approx(1.5 * np.array(MARGINS), abs=1e-12)


def test_two_ways_to_read_the_curve():
    distances = np.array([[0, 1, 4], [1, 0, 3], [4, 3, 0]])
    curve = goodness_curve(distances, ["a", "a", "b"], distance="precomputed", scale=False)
    assert curve.margins.tolist() == [3, 2]
    assert curve.n_left_out == 1
    assert [curve.epsilon(gamma) for gamma in (1, 2, 2.5, 3, 3.5)] == [0, 0, 0.5, 0.5, 1]
    assert [curve.gamma(epsilon) for epsilon in (0, 0.4, 0.5, 0.9)] == [2, 2, 3, 3]
    epsilon, gamma = curve.points()
    assert epsilon.tolist() == [0.5, 0]
    assert gamma.tolist() == [3, 2]


@given(st.integers(0, 1000))
def test_margins_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    classes = [0, 0, 1, *rng.integers(0, 3, n - 3).tolist()]
    similarity = rng.normal(size=(n, n))
    for scale in (True, False):
        curve = goodness_curve(similarity, classes, similarity="precomputed", scale=scale)
        expected = oracles.margins(similarity, classes, scale)
        assert curve.margins == pytest.approx(expected, abs=1e-9)
    n_measured = len(curve.margins)
    for gamma in (-0.5, 0.0, 0.5):
        assert curve.epsilon(gamma) == sum(m < gamma for m in curve.margins) / n_measured
    for epsilon in np.linspace(0, 0.99, 7):
        gamma = curve.gamma(epsilon)
        assert curve.epsilon(gamma) <= epsilon + 1e-9
        assert curve.epsilon(np.nextafter(gamma, np.inf)) > epsilon - 1e-9


@given(st.integers(0, 100), st.floats(0.1, 10), st.floats(-5, 5))
def test_a_scaled_curve_knows_neither_unit_nor_origin(seed, stretch, shift):
    rng = np.random.default_rng(seed)
    similarity, classes = rng.normal(size=(7, 7)), [0, 0, 0, 1, 1, 2, 2]
    first = goodness_curve(similarity, classes, similarity="precomputed")
    second = goodness_curve(stretch * similarity + shift, classes, similarity="precomputed")
    assert second.margins == pytest.approx(first.margins, abs=1e-9)
    assert np.abs(first.margins).max() <= 1


def test_an_encoder_is_a_similarity(melons):
    encoder = TableEncoder(n_clusters=2, preparer=None).fit(melons)
    curve = goodness_curve(melons, SWEETNESS, similarity=encoder, scale=False)
    expected = oracles.margins(encoder.similarity(melons), SWEETNESS, False)
    assert curve.margins == pytest.approx(expected, abs=1e-9)


def test_vectors_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    vectors, classes = rng.normal(size=(30, 3)), rng.integers(0, 3, 30)
    distances = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
    monkeypatch.setattr(blocks_module, "BLOCK_NUMBERS", 100)
    curve = goodness_curve(vectors, classes)
    assert curve.margins == pytest.approx(oracles.margins(-distances, classes, True), abs=1e-7)


def test_equal_similarities_have_no_margin():
    curve = goodness_curve(np.ones((4, 4)), [0, 0, 1, 1], similarity="precomputed")
    assert curve.margins.tolist() == [0, 0, 0, 0]


BAD = {
    "one class": ({"y": [0, 0, 0]}, "all are of one class"),
    "all alone": ({"y": [0, 1, 2]}, "each is alone"),
    "both": ({"distance": "euclidean", "similarity": "precomputed"}, "not both"),
    "unknown": ({"similarity": "cosine"}, "similarity must be 'precomputed'"),
    "missing": ({"y": [0, 0, None]}, "y, row 2"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    changes, message = BAD[case]
    arguments = {"y": [0, 0, 1]} | changes
    with pytest.raises(ValueError, match=message):
        goodness_curve([[0.0], [1.0], [2.0]], arguments.pop("y"), **arguments)


@pytest.mark.parametrize("epsilon", [-0.1, 1.0, [0.5, 2.0], float("nan")])
def test_bad_epsilon(epsilon):
    curve = goodness_curve([[0.0], [1.0], [2.0]], [0, 0, 1])
    with pytest.raises(ValueError, match="at least 0 and below 1"):
        curve.gamma(epsilon)


@pytest.mark.parametrize("gamma", [float("nan"), [0.0, float("nan")]])
def test_bad_gamma(gamma):
    curve = goodness_curve([[0.0], [1.0], [2.0]], [0, 0, 1])
    with pytest.raises(ValueError, match="gamma must be a number"):
        curve.epsilon(gamma)
