import pytest

from estimator_checks import assert_all_checks_pass, assert_no_check_vanishes
from untie.decomposition import FAMD, MCA


@pytest.mark.parametrize("estimator", [MCA(), FAMD()], ids=repr)
def test_every_check_passes(estimator):
    assert_all_checks_pass(estimator)
    assert_no_check_vanishes(estimator)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [MCA(None, missing="neutral"), FAMD(None)], ids=repr)
def test_every_check_passes_with_other_parameters(estimator):
    assert_all_checks_pass(estimator)
