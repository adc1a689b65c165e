import numpy as np
import pytest
from hypothesis import given

from oracle import coupling_vectors
from tables import small_tables
from untie import UNTIE, count_table
from untie._learn.spaces.couplings import COUPLINGS, resolve_couplings


@given(table=small_tables())
@pytest.mark.parametrize(
    ("name", "parts"), [("intra", ["intra"]), ("inter", ["inter"]), ("joint", ["intra", "inter"])]
)
def test_couplings_follow_their_definition(table, name, parts):
    counted = count_table(table)
    rows = table.to_numpy().tolist()
    for attribute, values in enumerate(counted.vocabulary.values):
        expected = [coupling_vectors(rows, attribute, value, parts) for value in values]
        np.testing.assert_allclose(COUPLINGS[name](counted.counts, attribute), expected)


def test_matching_keeps_every_value_apart(melons):
    counted = count_table(melons)
    np.testing.assert_array_equal(COUPLINGS["matching"](counted.counts, 1), np.eye(4))


def test_a_value_that_never_occurs_says_nothing(melons):
    categories = [["blurry", "clear", "never"], ["black", "green", "white", "yellow"]]
    counted = count_table(melons[["Texture", "Color"]], categories=categories)
    vectors = COUPLINGS["inter"](counted.counts, 1)
    np.testing.assert_array_equal(vectors[:, 2], 0)
    assert np.isfinite(vectors).all()


def test_matching_with_a_linear_kernel_is_one_hot_encoding(melons):
    from sklearn.preprocessing import OneHotEncoder

    from untie import Polynomial

    encoder = UNTIE(
        2, couplings="matching", kernels=[Polynomial(1)], normalization=None, solver="uniform"
    )
    expected = OneHotEncoder(sparse_output=False).fit_transform(melons)
    np.testing.assert_allclose(encoder.fit_transform(melons), expected, atol=1e-12)


def test_a_function_of_the_user_is_a_coupling(melons):
    def rarity(counts, attribute):
        return -np.log(counts.frequencies[counts.span(attribute), None] / counts.n)

    encoder = UNTIE(2, couplings=["inter", rarity]).fit(melons)
    assert set(encoder.weights()["coupling"]) == {"inter", "rarity"}


@pytest.mark.parametrize("wrong", ["color", [], None, ["intra", "intra"], [3]])
def test_wrong_couplings_are_named(wrong):
    with pytest.raises(ValueError, match="coupling"):
        resolve_couplings(wrong)


def test_a_coupling_of_the_wrong_shape_is_named(melons):
    def flat(counts, attribute):
        return counts.frequencies[counts.span(attribute)]

    with pytest.raises(ValueError, match="coupling 'flat' returned shape"):
        UNTIE(2, couplings=[flat]).fit(melons)


def test_a_coupling_with_infinite_numbers_is_named(melons):
    def broken(counts, attribute):
        return np.full((counts.sizes[attribute], 1), np.inf)

    with pytest.raises(ValueError, match="coupling 'broken' returned numbers"):
        UNTIE(2, couplings=[broken]).fit(melons)
