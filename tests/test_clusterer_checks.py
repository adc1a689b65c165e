import pytest

from estimator_checks import NEED_NUMBERS, assert_all_checks_pass, assert_labels_are_right
from untie import UNTIE, TableClusterer

VARIATIONS = [
    TableClusterer(preparer=None),
    TableClusterer(2, encoder=UNTIE(solver="uniform"), random_state=1, preparer=None),
]


@pytest.mark.parametrize(
    ("n_clusters", "preparer"),
    # Some sixty fits each, of which the choice of a number takes most: it is slow.
    [(3, "auto"), (3, None), pytest.param("auto", "auto", marks=pytest.mark.slow)],
)
def test_every_other_check_passes(n_clusters, preparer):
    but = NEED_NUMBERS if preparer is None else ()
    assert_all_checks_pass(TableClusterer(n_clusters, preparer=preparer), but=but)


@pytest.mark.slow
@pytest.mark.parametrize("clusterer", VARIATIONS, ids=repr)
def test_every_other_check_passes_with_other_parameters(clusterer):
    assert_all_checks_pass(clusterer, but=NEED_NUMBERS)


def test_labels():
    assert_labels_are_right(TableClusterer(3, random_state=0, preparer=None))
