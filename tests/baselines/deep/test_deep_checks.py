"""All of scikit-learn's estimator checks, none expected to fail, none skipped.

With few epochs: the checks fit some hundred times, and what they test doesn't depend on it.
"""

import pytest
from sklearn.utils.estimator_checks import check_estimator

from untie.baselines import DEEP, BiGAN

pytest.importorskip("torch")

ENCODERS = [method(max_epochs=2) for method in DEEP.values()]
ENCODERS.append(BiGAN(max_epochs=1, layer="hidden"))


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
@pytest.mark.filterwarnings("ignore")  # the checks feed one-row and degenerate tables
def test_every_check_passes(encoder):
    results = check_estimator(encoder, on_fail=None, on_skip=None)
    assert len(results) > 50
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] != "passed"}
    assert failed == {}
