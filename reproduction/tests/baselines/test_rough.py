import numpy as np
import pytest

import distance_oracle as slow
from untie_paper.baselines import Rough


def test_oracle_values(melons):
    rough = Rough().fit(melons)
    diagonals = {
        "Texture": {"clear": 2 / 3, "blurry": 2 / 3},
        "Color": {"white": 0, "yellow": 1 / 2, "green": 1 / 2, "black": 0},
        "Root": {"straight": 1 / 2, "curled": 1 / 2, "slightly curled": 1 / 2},
    }
    for column, expected in diagonals.items():
        distance = rough.value_distance(column)
        for value, itself in expected.items():
            assert distance.loc[value, value] == pytest.approx(itself, abs=1e-15)
        off_diagonal = distance.to_numpy()[~np.eye(len(distance), dtype=bool)]
        assert (off_diagonal == 1).all()


def test_oracle_objects(melons):
    pairs = slow.read_pairs(
        "A1-A1 7/6, A2-A2 5/3, A3-A3 5/3, A4-A4 5/3, A5-A5 5/3, A6-A6 7/6, A1-A2 5/2, A1-A3 3, "
        "A1-A4 8/3, A1-A5 3, A1-A6 8/3, A2-A3 13/6, A2-A4 3, A2-A5 8/3, A2-A6 3, A3-A4 3, "
        "A3-A5 13/6, A3-A6 3, A4-A5 5/2, A4-A6 13/6, A5-A6 3"
    )
    distances = Rough().fit(melons).pairwise(melons)
    assert len(pairs) == 21
    for pair, expected in pairs.items():
        assert distances[pair] == pytest.approx(float(expected), rel=1e-14)


def test_weights_are_numbers_of_rows():
    rough = Rough().fit([["a"], ["b"]], sample_weight=[4, 0.5])
    assert rough.distances_[0].diagonal().tolist() == [0.75, 0]
