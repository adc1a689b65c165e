"""Couplings against the paper's worked examples and the definition over explicit rows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.distance import pdist

from oracle import coupling_vectors
from tables import small_tables
from untie_paper.baselines import Couplings

IN_ORDER_OF_APPEARANCE = [
    ["clear", "blurry"],
    ["white", "yellow", "green", "black"],
    ["straight", "curled", "slightly curled"],
]
half, third, sixth = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)
SHARES = [half, half, sixth, third, third, sixth, third, third, third]
INTER = [
    [1, 0, half, 1, half, 0, 1],
    [0, 1, half, 0, half, 1, 0],
    [third, 0, half, 0, 0],
    [0, Fraction(2, 3), half, half, 0],
    [third, third, 0, half, half],
    [third, 0, 0, 0, half],
    [third, third, 1, half, 0, 0],
    [0, Fraction(2, 3), 0, half, half, 0],
    [Fraction(2, 3), 0, 0, 0, half, 1],
]
SQUARED_DISTANCES = (
    "35/6 263/36 65/18 265/36 29/9 53/36 76/9 79/36 163/18 283/36 13/18 305/36 257/36 7/18 271/36"
)


def in_alphabetical_order():
    """Return the paper's vectors of the values, whose order here is that of the alphabet."""
    columns = IN_ORDER_OF_APPEARANCE
    places = iter(range(9))
    found = {value: next(places) for values in columns for value in values}
    vectors = []
    for column in columns:
        others = [value for values in columns if values is not column for value in values]
        order = [
            others.index(v) for values in columns if values is not column for v in sorted(values)
        ]
        for value in sorted(column):
            place = found[value]
            vectors.append([SHARES[place], *(INTER[place][other] for other in order)])
    return vectors


@pytest.fixture
def encoder(melons):
    return Couplings().fit(melons)


def test_values_have_the_papers_vectors(encoder):
    tables = encoder._tables
    vectors = [vector for table in tables for vector in table[:-1]]
    for vector, expected in zip(vectors, in_alphabetical_order(), strict=True):
        np.testing.assert_allclose(vector, np.array(expected, dtype=float))


def test_a_row_has_its_values_vectors_side_by_side(encoder, melons):
    vectors = in_alphabetical_order()  # clear, white, straight
    expected = [*vectors[1], *vectors[4], *vectors[8]]
    X = encoder.transform(melons)
    assert X.shape == (6, 21)
    np.testing.assert_allclose(X[0], np.array(expected, dtype=float))
    expected = [float(Fraction(text)) for text in SQUARED_DISTANCES.split()]
    np.testing.assert_allclose(pdist(X, "sqeuclidean"), expected)


def test_columns_are_named_after_what_they_measure(encoder, melons):
    X = encoder.set_output(transform="pandas").transform(melons)
    assert X["Color|share"].tolist() == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 6])
    assert X.loc[1, "Color|Texture=blurry"] == pytest.approx(2 / 3)
    assert X.loc[1, "Color|Root=straight"] == pytest.approx(1 / 2)
    assert len(set(X.columns)) == 21


@given(table=small_tables())
def test_vectors_equal_the_definition(table):
    rows = table.to_numpy().tolist()
    expected = [
        np.concatenate(
            [coupling_vectors(rows, j, row[j], ("intra", "inter")) for j in range(len(row))]
        )
        for row in rows
    ]
    np.testing.assert_allclose(Couplings().fit_transform(table), expected)


def test_a_full_design_has_equal_rows():
    table = [[f"{number >> bit & 1}" for bit in range(9)] for number in range(512)]
    X = Couplings().fit_transform(table)
    np.testing.assert_array_equal(X, np.broadcast_to(X[0], X.shape))


def test_an_unknown_value_has_the_mean_vector(encoder, melons):
    melons.loc[0, "Color"] = "blue"
    X = encoder.transform(melons)
    spans = [name.startswith("Color|") for name in encoder.get_feature_names_out()]
    weights = np.array([1, 2, 1, 2]) / 6  # black, green, white, yellow
    expected = weights @ encoder._tables[1][:-1]
    np.testing.assert_allclose(X[0, spans], expected)
