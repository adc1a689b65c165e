"""All of scikit-learn's estimator checks, but for those that need continuous data."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from untie.cluster import KModes

NEED_NUMBERS = {
    "check_clustering": "demands that blobs of continuous numbers be found again, in which every "
    "value is unlike every other; the rest of it is test_labels below",
}

ESTIMATORS = [
    KModes(),
    KModes(2, init="random", distance="Rough"),
    KModes(3, distance="DILCA", mode="median"),
    KModes(3, distance="COS", min_frequency=2),
]


@pytest.mark.parametrize("kmodes", ESTIMATORS, ids=repr)
@pytest.mark.filterwarnings("ignore")  # the checks feed one-row and degenerate tables
def test_every_other_check_passes(kmodes):
    results = check_estimator(kmodes, on_fail=None, on_skip=None)
    assert len(results) > 45
    failed = {r["check_name"] for r in results if r["status"] != "passed"}
    assert failed == set(NEED_NUMBERS)


def test_labels():
    """What `check_clustering` demands of labels, on a table that has clusters to find."""
    rng = np.random.default_rng(7)
    classes = rng.integers(0, 3, 50)
    rows = (classes[:, None] + (rng.random((50, 6)) < 0.1)) % 3
    kmodes = KModes(3, random_state=0)
    labels = kmodes.fit(rows).labels_
    assert labels.shape == (50,)
    assert labels.dtype in (np.int32, np.int64)
    np.testing.assert_array_equal(kmodes.fit(rows.tolist()).labels_, labels)
    np.testing.assert_array_equal(kmodes.fit_predict(rows), labels)
    noisy = np.concatenate([rows, rng.integers(0, 3, (5, 6))])
    assert set(kmodes.fit_predict(noisy)) == {0, 1, 2}
