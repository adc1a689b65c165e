import pytest

from estimator_checks import NEED_NUMBERS, assert_all_checks_pass, assert_labels_are_right
from untie import UNTIE, TableClusterer

VARIATIONS = [
    TableClusterer(3, n_init=3, preparer=None),
    TableClusterer(2, encoder=UNTIE(solver="uniform"), random_state=1, preparer=None),
]


def test_every_other_check_passes():
    assert_all_checks_pass(TableClusterer(preparer=None), but=NEED_NUMBERS)


@pytest.mark.slow
@pytest.mark.parametrize("clusterer", VARIATIONS, ids=repr)
def test_every_other_check_passes_with_other_parameters(clusterer):
    assert_all_checks_pass(clusterer, but=NEED_NUMBERS)


def test_labels():
    assert_labels_are_right(TableClusterer(3, random_state=0, preparer=None))
