"""scikit-learn's estimator checks: all that the installed version has, none skipped."""

import warnings

import numpy as np
import sklearn
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator
from sklearn.utils.fixes import parse_version

NEED_NUMBERS = {
    "check_clustering": "demands that blobs of continuous numbers be found again, in which every "
    "value is unlike every other; the rest of it is assert_labels_are_right below",
}
"""The checks that clusterers of categories fail, and why; transformers fail none."""

WANTED = {
    "check_transformer_general",
    "check_sample_weight_equivalence_on_dense_data",
    "check_estimators_pickle",
    "check_methods_subset_invariance",
    "check_dtype_object",
    "check_estimators_empty_data_messages",
    "check_n_features_in",
    "check_fit2d_1sample",
}
"""Checks of a transformer that a wrong tag would make vanish."""

if parse_version(sklearn.__version__) >= parse_version("1.9"):
    WANTED.add("check_array_api_input")  # before, only where the tag asked for it


def assert_all_checks_pass(estimator, but=(), more_than=50):
    """Run every check; exactly those named in `but`, with reasons, fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks feed one-row and degenerate tables
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(results) > more_than
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] != "passed"}
    assert failed.keys() == set(but), failed


def assert_no_check_vanishes(transformer, also=()):
    names = {check.func.__name__ for _, check in estimator_checks_generator(transformer)}
    assert {*WANTED, *also} - names == set()


def assert_labels_are_right(clusterer):
    """Demand what `check_clustering` does of labels, on a table with three clusters to find."""
    rng = np.random.default_rng(7)
    classes = rng.integers(0, 3, 50)
    rows = (classes[:, None] + (rng.random((50, 6)) < 0.1)) % 3
    labels = clusterer.fit(rows).labels_
    assert labels.shape == (50,)
    assert labels.dtype in (np.int32, np.int64)
    np.testing.assert_array_equal(clusterer.fit(rows.tolist()).labels_, labels)
    np.testing.assert_array_equal(clusterer.fit_predict(rows), labels)
    noisy = np.concatenate([rows, rng.integers(0, 3, (5, 6))])
    assert set(clusterer.fit_predict(noisy)) == {0, 1, 2}
