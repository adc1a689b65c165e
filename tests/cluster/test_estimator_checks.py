import pytest

from distances import ahmad, cos, rough
from estimator_checks import NEED_NUMBERS, assert_all_checks_pass, assert_labels_are_right
from untie.cluster import KModes, KPrototypes, LatentClasses

VARIATIONS = [
    KModes(2, init="random", distance=rough),
    KModes(3, distance=ahmad, mode="median"),
    KModes(3, distance=cos, min_frequency=2),
]


def test_every_other_check_passes():
    assert_all_checks_pass(KModes(), but=NEED_NUMBERS, more_than=45)


@pytest.mark.slow
@pytest.mark.parametrize("kmodes", VARIATIONS, ids=repr)
def test_every_other_check_passes_with_other_parameters(kmodes):
    assert_all_checks_pass(kmodes, but=NEED_NUMBERS, more_than=45)


def test_every_check_passes_with_numbers():
    assert_all_checks_pass(KPrototypes(), more_than=45)


def test_every_check_passes_with_classes():
    assert_all_checks_pass(LatentClasses(2, n_init=2, tol=1e-4), more_than=45)


@pytest.mark.slow
def test_every_check_passes_with_random_starts():
    assert_all_checks_pass(KPrototypes(3, init="random", gamma=2.0, n_init=2), more_than=45)


def test_labels():
    assert_labels_are_right(KModes(3, random_state=0))
