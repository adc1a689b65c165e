import pytest

from estimator_checks import NEED_NUMBERS, assert_all_checks_pass, assert_labels_are_right
from untie import UNTIE, UNTIEClusterer

ESTIMATORS = [
    UNTIEClusterer(),
    UNTIEClusterer(3, n_init=3),
    UNTIEClusterer(2, encoder=UNTIE(solver="uniform"), random_state=1),
]


@pytest.mark.parametrize("clusterer", ESTIMATORS, ids=repr)
def test_every_other_check_passes(clusterer):
    assert_all_checks_pass(clusterer, but=NEED_NUMBERS)


def test_labels():
    assert_labels_are_right(UNTIEClusterer(3, random_state=0))
