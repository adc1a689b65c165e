"""All of scikit-learn's estimator checks, but for those that need continuous data."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from untie import UNTIE, UNTIEClusterer

NEED_NUMBERS = {
    "check_clustering": "demands that blobs of continuous numbers be found again, in which every "
    "value is unlike every other; the rest of it is test_labels below",
}

ESTIMATORS = [
    UNTIEClusterer(),
    UNTIEClusterer(3, n_init=3),
    UNTIEClusterer(2, encoder=UNTIE(solver="uniform"), random_state=1),
]


@pytest.mark.parametrize("clusterer", ESTIMATORS, ids=repr)
@pytest.mark.filterwarnings("ignore")  # the checks feed one-row and degenerate tables
def test_every_other_check_passes(clusterer):
    results = check_estimator(clusterer, on_fail=None, on_skip=None)
    assert len(results) > 50
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] != "passed"}
    assert failed.keys() == NEED_NUMBERS.keys(), failed


def test_labels():
    """What `check_clustering` demands of labels, on a table that has clusters to find."""
    rng = np.random.default_rng(7)
    classes = rng.integers(0, 3, 50)
    rows = (classes[:, None] + (rng.random((50, 6)) < 0.1)) % 3
    clusterer = UNTIEClusterer(3, random_state=0)
    labels = clusterer.fit(rows).labels_
    assert labels.shape == (50,)
    assert labels.dtype in (np.int32, np.int64)
    np.testing.assert_array_equal(clusterer.fit(rows.tolist()).labels_, labels)
    np.testing.assert_array_equal(clusterer.fit_predict(rows), labels)
    noisy = np.concatenate([rows, rng.integers(0, 3, (5, 6))])
    assert set(clusterer.fit_predict(noisy)) == {0, 1, 2}
