from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distance_oracle as slow
from tables import small_tables
from untie_paper.baselines import DILCA
from untie_paper.datasets import load

F = Fraction
COLOR = ["white", "yellow", "green", "black"]
COLOR_RR = [F(1, 12), F(1, 4), F(1, 6), F(1, 6), F(1, 4), F(1, 12)]
COLOR_ALL = [F(29, 180), F(31, 180), F(1, 10), F(13, 90), F(47, 180), F(13, 180)]
ROOT = ["straight", "curled", "slightly curled"]
ROOT_RR = [F(53, 216), F(49, 108), F(77, 216)]

ORACLE = [
    ({}, ["Root"], ["Root"], ["Color", "Texture"], F(2, 3), COLOR_RR, ROOT_RR),
    (
        {"norm": "n_attributes"},
        ["Root"],
        ["Root"],
        ["Color", "Texture"],
        F(2, 3),
        COLOR_RR,
        [F(53, 108), F(49, 54), F(77, 108)],
    ),
    (
        {"context": "M", "sigma": 0},
        ["Root", "Color"],
        ["Root", "Texture"],
        ["Color", "Texture"],
        F(5, 7),
        COLOR_ALL,
        ROOT_RR,
    ),
    (
        {"context": "M", "sigma": 0.5},
        ["Root", "Color"],
        ["Root", "Texture"],
        ["Color", "Texture"],
        F(5, 7),
        COLOR_ALL,
        ROOT_RR,
    ),
    (
        {"context": "M", "sigma": 1},
        ["Root"],
        ["Root"],
        ["Color"],
        F(2, 3),
        COLOR_RR,
        [F(5, 16), F(5, 8), F(5, 16)],
    ),
]


def upper(frame, order):
    matrix = frame.loc[order, order].to_numpy()
    return matrix[np.triu_indices(len(order), 1)]


@pytest.mark.parametrize("case", ORACLE, ids=lambda case: str(case[0]))
def test_oracle_values(melons, case):
    parameters, of_texture, of_color, of_root, texture, color, root = case
    dilca = DILCA(**parameters).fit(melons)
    assert dilca.context_of("Texture") == of_texture
    assert dilca.context_of("Color") == of_color
    assert dilca.context_of("Root") == of_root
    for column, order, expected in [
        ("Texture", ["clear", "blurry"], [texture]),
        ("Color", COLOR, color),
        ("Root", ROOT, root),
    ]:
        squared = upper(dilca.value_distance(column), order) ** 2
        np.testing.assert_allclose(squared, [float(f) for f in expected], rtol=1e-13)


def test_oracle_objects(melons):
    euclidean = {
        (0, 1): 0.866025, (0, 2): 0.997682, (0, 3): 0.838870, (0, 4): 1.077978, (0, 5): 0.787636,
        (1, 2): 0.495349, (1, 3): 1.134477, (1, 4): 0.641901, (1, 5): 1.170628, (2, 3): 1.090786,
        (2, 4): 0.408248, (2, 5): 1.128339, (3, 4): 1.011508, (3, 5): 0.288675, (4, 5): 1.051894,
    }  # fmt: skip
    distances = DILCA(rows="euclidean").fit(melons).pairwise(melons)
    for pair, expected in euclidean.items():
        assert distances[pair] == pytest.approx(expected, abs=5e-7)
    summed = {
        (0, 1): 1.105172, (0, 2): 1.805701, (0, 3): 1.452579, (0, 4): 2.017025, (0, 5): 1.360828,
        (1, 2): 0.700529, (3, 5): 0.288675,
    }  # fmt: skip
    distances = DILCA(norm="n_attributes").fit(melons).pairwise(melons)
    for pair, expected in summed.items():
        assert distances[pair] == pytest.approx(expected, abs=5e-7)


@given(
    small_tables(),
    st.sampled_from(["RR", "M"]),
    st.sampled_from([0, 0.5, 0.9, 1]),
    st.sampled_from(["published", "n_attributes"]),
)
def test_as_defined(table, context, sigma, norm):
    rows = [tuple(row) for row in table.to_numpy()]
    dilca = DILCA(context=context, sigma=sigma, norm=norm).fit(table)
    for column, name in enumerate(table.columns):
        assert dilca.contexts_[column] == slow.context(rows, column, context, sigma)
        found = dilca.value_distance(name)
        for x in found.index:
            for y in found.columns:
                expected = slow.dilca(rows, column, x, y, None, context, sigma, norm)
                assert found.loc[x, y] == pytest.approx(expected, abs=1e-7)
                assert found.loc[x, y] ** 2 == pytest.approx(expected**2, abs=1e-12)


@given(small_tables(max_columns=5))
def test_published_distances_are_between_0_and_1(table):
    for context in ("RR", "M"):
        distances = DILCA(context=context).fit(table).distances_
        assert all(d.min() >= 0 and d.max() <= 1 + 1e-12 for d in distances)


def test_equally_related_attributes_are_redundant():
    # b and c are copies: the first is kept, the second says nothing more
    rows = [["p", "x", "x"], ["p", "x", "x"], ["q", "y", "y"], ["q", "x", "x"]]
    dilca = DILCA().fit(rows)
    assert dilca.contexts_[0] == [1]
    assert DILCA(context="M", sigma=1).fit(rows).contexts_[0] == [1, 2]


@pytest.mark.parametrize(("empty", "expected"), [("hamming", 1.0), ("zero", 0.0)])
def test_empty_context(empty, expected):
    independent = [[a, b] for a in "pq" for b in "xyz"]
    dilca = DILCA(empty=empty).fit(independent)
    assert dilca.contexts_ == [[], []]
    assert dilca.distances_[0].tolist() == [[0, expected], [expected, 0]]
    one_column = DILCA(empty=empty, context="M").fit([["a"], ["b"]])
    assert one_column.distances_[0].tolist() == [[0, expected], [expected, 0]]


def test_constant_columns():
    dilca = DILCA().fit([["a", "c", "x"], ["b", "c", "y"]])
    assert dilca.contexts_ == [[2], [], [0]]
    assert dilca.distances_[1].tolist() == [[0]]
    assert dilca.distances_[0].tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"context": "rr"}, r"context must be one of \['RR', 'M'\], got 'rr'"),
        ({"norm": None}, "norm must be one of"),
        ({"empty": "one"}, "empty must be one of"),
        ({"rows": "max"}, "rows must be one of"),
        ({"sigma": 1.5}, "sigma must be a number from 0 to 1, got 1.5"),
        ({"sigma": "half"}, "sigma must be"),
        ({"sigma": float("nan")}, "sigma must be"),
    ],
)
def test_bad_parameters(melons, parameters, message):
    with pytest.raises(ValueError, match=message):
        DILCA(**parameters).fit(melons)


def test_on_data():
    table, _ = load("zoo")
    dilca = DILCA().fit(table)
    rows = [tuple(row) for row in table.to_numpy()]
    assert dilca.contexts_ == [slow.context(rows, column) for column in range(len(rows[0]))]
