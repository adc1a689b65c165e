import pytest

from estimator_checks import assert_all_checks_pass, assert_no_check_vanishes
from untie import UNTIE, Preparer, TableEncoder

ENCODERS = [TableEncoder(preparer=None), Preparer()]
VARIATIONS = [
    UNTIE(solver="uniform", couplings="joint"),
    UNTIE(solver="lp", kernels="F3", dtype="float32"),
    UNTIE(couplings="matching", kernels="F3", min_frequency=2),
    Preparer(bins=2, max_categories=50),
]


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
def test_every_check_passes(encoder):
    assert_all_checks_pass(encoder)


@pytest.mark.slow
@pytest.mark.parametrize("encoder", VARIATIONS, ids=repr)
def test_every_check_passes_with_other_parameters(encoder):
    assert_all_checks_pass(encoder)


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
def test_no_tag_makes_checks_vanish(encoder):
    also = ["check_transformer_n_iter"] if isinstance(encoder, TableEncoder) else []
    assert_no_check_vanishes(encoder, also=also)
