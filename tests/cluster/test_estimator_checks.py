import pytest

from estimator_checks import NEED_NUMBERS, assert_all_checks_pass, assert_labels_are_right
from untie.cluster import KModes

ESTIMATORS = [
    KModes(),
    KModes(2, init="random", distance="Rough"),
    KModes(3, distance="DILCA", mode="median"),
    KModes(3, distance="COS", min_frequency=2),
]


@pytest.mark.parametrize("kmodes", ESTIMATORS, ids=repr)
def test_every_other_check_passes(kmodes):
    assert_all_checks_pass(kmodes, but=NEED_NUMBERS, more_than=45)


def test_labels():
    assert_labels_are_right(KModes(3, random_state=0))
