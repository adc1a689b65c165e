"""With few epochs: the checks fit some hundred times, and what they test doesn't depend on it."""

import pytest

from estimator_checks import assert_all_checks_pass
from untie_paper.baselines import DEEP, BiGAN

pytest.importorskip("torch")

ENCODERS = [method(max_epochs=2) for method in DEEP.values()]


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
def test_every_check_passes(encoder):
    assert_all_checks_pass(encoder)


@pytest.mark.slow
def test_every_check_passes_with_other_parameters():
    assert_all_checks_pass(BiGAN(max_epochs=1, layer="hidden"))
