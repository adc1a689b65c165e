from fractions import Fraction

import numpy as np
import pytest

import distance_oracle as slow
from untie_paper.baselines import Ahmad

COLOR = ["white", "yellow", "green", "black"]
ROOT = ["straight", "curled", "slightly curled"]


def test_oracle_values(melons):
    ahmad = Ahmad().fit(melons)
    color = ahmad.value_distance("Color").loc[COLOR, COLOR].to_numpy()
    expected = [[0, 3, 3, 2], [3, 0, 2, 4], [3, 2, 0, 2], [2, 4, 2, 0]]
    np.testing.assert_allclose(color, np.array(expected) / 4, rtol=1e-14)
    root = ahmad.value_distance("Root").loc[ROOT, ROOT].to_numpy()
    np.testing.assert_allclose(root, np.array([[0, 2, 3], [2, 0, 3], [3, 3, 0]]) / 4, rtol=1e-14)
    assert ahmad.value_distance("Texture").loc["clear", "blurry"] == pytest.approx(2 / 3, rel=1e-14)


def test_oracle_objects(melons):
    pairs = slow.read_pairs(
        "A1-A2 17/12, A1-A3 23/12, A1-A4 3/2, A1-A5 23/12, A1-A6 5/4, A2-A3 1/2, A2-A4 23/12, "
        "A2-A5 1, A2-A6 29/12, A3-A4 23/12, A3-A5 1/2, A3-A6 29/12, A4-A5 17/12, A4-A6 1/2, "
        "A5-A6 23/12"
    )
    distances = Ahmad().fit(melons).pairwise(melons)
    assert len(pairs) == 15
    for (first, second), expected in pairs.items():
        assert distances[first, second] == pytest.approx(float(expected), rel=1e-14)
        assert distances[second, first] == distances[first, second]
    assert (distances.diagonal() == 0).all()


@pytest.mark.parametrize(
    ("columns", "pair", "expected"),
    [
        (["Color", "Texture"], ("white", "yellow"), 1),
        (["Color", "Root"], ("white", "yellow"), Fraction(1, 2)),
        (["Color", "Texture"], ("yellow", "green"), Fraction(1, 2)),
        (["Color", "Root"], ("yellow", "green"), Fraction(1, 2)),
        (["Root", "Texture"], ("curled", "slightly curled"), 1),
        (["Root", "Color"], ("curled", "slightly curled"), Fraction(1, 2)),
        (["Texture", "Color"], ("clear", "blurry"), Fraction(2, 3)),
        (["Texture", "Root"], ("clear", "blurry"), Fraction(2, 3)),
    ],
)
def test_oracle_of_one_context(melons, columns, pair, expected):
    distance = Ahmad().fit(melons[columns]).value_distance(columns[0])
    assert distance.loc[pair] == pytest.approx(float(expected), rel=1e-14)


def test_documented_example_of_another_package():
    rows = [list(row) for row in ("122", "121", "212", "212", "111", "222", "212")]
    assert Ahmad().fit(rows).value_distance("x2").loc["1", "2"] == pytest.approx(0.45, rel=1e-14)


def test_one_column_is_hamming():
    assert Ahmad().fit([["a"], ["b"], ["c"]]).distances_[0].tolist() == (1 - np.eye(3)).tolist()
