import numpy as np

from untie._util.arrays import distinct_vectors


def test_rounding_and_signs_of_zero_make_no_difference():
    vectors = np.array([[0.1 + 0.2, -0.0], [0.3, 0.0], [5.0, 1.0], [0.3, 1e-12], [5.0, 1.1]])
    first, places, times = distinct_vectors(vectors, 9)
    assert sorted(first.tolist()) == [0, 2, 4]
    np.testing.assert_array_equal(first[places], [0, 0, 2, 0, 4])
    assert times[places[0]] == 3


def test_vectors_of_nothing():
    first, places, times = distinct_vectors(np.zeros((3, 2)), 9)
    assert (first.tolist(), places.tolist(), times.tolist()) == ([0], [0, 0, 0], [3])
    assert len(distinct_vectors(np.zeros((3, 0)), 9)[0]) == 1
