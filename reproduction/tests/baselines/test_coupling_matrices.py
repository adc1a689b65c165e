"""What the methods' couplings are made of, and the paper's I_inter of them."""

import numpy as np
import pytest
from hypothesis import given

from tables import small_tables
from untie_paper.baselines import CDE, COS, DILCA, Ahmad
from untie_paper.evaluation import inter_factor


@given(table=small_tables(min_rows=2))
def test_the_mean_of_cos_over_attributes_is_one_less_ahmad(table):
    ahmad = Ahmad().fit(table)
    found = COS().fit(table).coupling_matrices()
    for attribute, (_, *inter) in enumerate(found):
        if inter:
            expected = 1.0 - ahmad.distances_[attribute]
            np.testing.assert_allclose(np.mean(inter, axis=0), expected, atol=1e-12)


def test_cos_on_the_melons(melons):
    matrices = COS().fit(melons).coupling_matrices()
    order = ["black", "green", "white", "yellow"]
    white, yellow = order.index("white"), order.index("yellow")
    # Texture, then Root; the intra-attribute similarity comes first.
    values = [matrix[white, yellow] for matrix in matrices[1]]
    assert values == pytest.approx([2 / 5, 0.0, 1 / 2])


def test_the_contexts_of_dilca_make_its_distances(melons):
    dilca = DILCA().fit(melons)
    for attribute, matrices in enumerate(dilca.coupling_matrices()):
        sizes = np.array([dilca.counts_.sizes[k] for k in dilca.contexts_[attribute]])
        squares = np.tensordot(sizes, np.square(matrices), axes=1) / sizes.sum()
        np.testing.assert_allclose(np.sqrt(squares), dilca.distances_[attribute])


def test_the_clusterings_of_cde_make_its_distances(melons):
    cde = CDE(random_state=0).fit(melons)
    vectors = cde.value_vectors().drop(columns=["column", "value"]).to_numpy()
    for attribute, matrices in enumerate(cde.coupling_matrices()):
        rows = vectors[cde.counts_.span(attribute)]
        distances = np.linalg.norm(rows[:, None] - rows, axis=2)
        np.testing.assert_allclose(np.sqrt(np.square(matrices).sum(axis=0)), distances, atol=1e-9)


@pytest.mark.parametrize("method", [COS(), DILCA(), CDE(random_state=0)])
def test_they_differ_from_each_other(melons, method):
    assert inter_factor(method.fit(melons).coupling_matrices()) > 0
