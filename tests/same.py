"""One truth, many engines: what must be equal."""

import numpy as np


def assert_same_counts(found, expected):
    """Check what `count_table` gives."""
    assert found.vocabulary == expected.vocabulary
    np.testing.assert_array_equal(found.counts.matrix, expected.counts.matrix)
    assert (found.counts.n, found.counts.n_rows) == (expected.counts.n, expected.counts.n_rows)
    np.testing.assert_array_equal(found.sample.numbers, expected.sample.numbers)
    np.testing.assert_array_equal(found.sample.codes, expected.sample.codes)
    np.testing.assert_array_equal(found.sample.weights, expected.sample.weights)


def assert_same_model(found, expected):
    """Check fitted encoders."""
    assert found.vocabulary_ == expected.vocabulary_
    assert found.gains_ == expected.gains_
    assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    np.testing.assert_array_equal(found.counts_.matrix, expected.counts_.matrix)
    tables = zip(found._model.lookup.tables, expected._model.lookup.tables, strict=True)
    for own, other in tables:
        np.testing.assert_allclose(own, other, atol=1e-10)
