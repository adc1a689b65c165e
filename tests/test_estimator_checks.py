"""All of scikit-learn's estimator checks, none expected to fail, none skipped."""

import pytest
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

from untie import UNTIE, Preparer

ENCODERS = [
    UNTIE(),
    UNTIE(solver="uniform", couplings="joint"),
    UNTIE(solver="lp", kernels="F3", dtype="float32"),
    UNTIE(couplings="matching", kernels="F3", min_frequency=2),
    Preparer(),
    Preparer(bins=2, max_categories=50),
]


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
@pytest.mark.filterwarnings("ignore")  # the checks feed one-row and degenerate tables
def test_every_check_passes(encoder):
    results = check_estimator(encoder, on_fail=None, on_skip=None)
    assert len(results) > 50
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] != "passed"}
    assert failed == {}


@pytest.mark.parametrize("encoder", [UNTIE(), Preparer()], ids=repr)
def test_no_tag_makes_checks_vanish(encoder):
    names = {check.func.__name__ for _, check in estimator_checks_generator(encoder)}
    wanted = {
        "check_transformer_general",
        "check_sample_weight_equivalence_on_dense_data",
        "check_estimators_pickle",
        "check_methods_subset_invariance",
        "check_dtype_object",
        "check_estimators_empty_data_messages",
        "check_n_features_in",
        "check_transformer_n_iter",
        "check_fit2d_1sample",
        "check_array_api_input",
    }
    assert wanted <= names
