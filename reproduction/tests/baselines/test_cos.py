from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import distance_oracle as slow
from tables import small_tables
from untie_paper.baselines import COS, Ahmad

PAIRS = """
Texture clear clear 3/5 1 3/5 0
Texture blurry blurry 3/5 1 3/5 0
Texture clear blurry 3/5 1/3 1/5 4/9
Color white white 1/3 1 1/3 0
Color black black 1/3 1 1/3 0
Color yellow yellow 1/2 1 1/2 0
Color green green 1/2 1 1/2 0
Color white yellow 2/5 1/4 1/10 9/8
Color white green 2/5 1/4 1/10 9/8
Color white black 1/3 1/2 1/6 1
Color yellow green 1/2 1/2 1/4 1/2
Color yellow black 2/5 0 0 3/2
Color green black 2/5 1/2 1/5 3/4
Root straight straight 1/2 1 1/2 0
Root curled curled 1/2 1 1/2 0
Root slightly slightly 1/2 1 1/2 0
Root straight curled 1/2 1/2 1/4 1/2
Root straight slightly 1/2 1/4 1/8 3/4
Root curled slightly 1/2 1/4 1/8 3/4
"""

SIMILARITY = slow.read_pairs(
    "A1-A1 43/30, A2-A2 8/5, A3-A3 8/5, A4-A4 8/5, A5-A5 8/5, A6-A6 43/30, "
    "A1-A2 4/5, A1-A3 11/20, A1-A4 33/40, A1-A5 11/20, A1-A6 107/120, A2-A3 27/20, A2-A4 23/40, "
    "A2-A5 11/10, A2-A6 13/40, A3-A4 23/40, A3-A5 27/20, A3-A6 13/40, A4-A5 33/40, A4-A6 13/10, "
    "A5-A6 21/40"
)

DISTANCE = slow.read_pairs(
    "A1-A2 113/72, A1-A3 149/72, A1-A4 15/8, A1-A5 149/72, A1-A6 7/4, A2-A3 1/2, A2-A4 61/36, "
    "A2-A5 1, A2-A6 97/36, A3-A4 61/36, A3-A5 1/2, A3-A6 97/36, A4-A5 43/36, A4-A6 3/4, "
    "A5-A6 35/18"
)


@pytest.mark.parametrize("line", PAIRS.strip().splitlines())
def test_oracle_values(melons, line):
    column, x, y, *numbers = line.replace("slightly", "slightly_curled").split()
    x, y = x.replace("_", " "), y.replace("_", " ")
    intra, inter, similarity, distance = map(Fraction, numbers)
    cos = COS().fit(melons)
    assert cos.value_distance(column).loc[x, y] == pytest.approx(float(distance), abs=1e-15)
    assert cos.value_similarity(column).loc[x, y] == pytest.approx(float(similarity), abs=1e-15)
    ahmad = Ahmad().fit(melons).value_distance(column).loc[x, y]
    assert 1 - ahmad == pytest.approx(float(inter), abs=1e-15)
    rows = [tuple(row) for row in melons.to_numpy()]
    number = list(melons.columns).index(column)
    assert slow.cos_parts(rows, number, x, y) == (intra, inter)
    assert similarity == intra * inter


def test_oracle_objects(melons):
    cos = COS().fit(melons)
    similarity, distance = cos.similarity(melons), cos.pairwise(melons)
    assert (len(SIMILARITY), len(DISTANCE)) == (21, 15)
    for pair, expected in SIMILARITY.items():
        assert similarity[pair] == pytest.approx(float(expected), rel=1e-14)
    for pair, expected in DISTANCE.items():
        assert distance[pair] == pytest.approx(float(expected), rel=1e-14)
    assert not distance.diagonal().any()


@given(small_tables(max_rows=8, max_columns=3, max_values=3))
def test_similarities_as_defined(table):
    rows = [tuple(row) for row in table.to_numpy()]
    cos = COS().fit(table)
    for column, name in enumerate(table.columns):
        found = cos.value_similarity(name)
        for x in found.index:
            for y in found.columns:
                intra, inter = slow.cos_parts(rows, column, x, y)
                assert found.loc[x, y] == pytest.approx(float(intra * inter), abs=1e-12)


@given(small_tables())
def test_inter_is_one_minus_ahmad(table):
    cos, ahmad = COS().fit(table), Ahmad().fit(table)
    for attribute, distances in enumerate(cos.distances_):
        frequencies = cos.counts_.frequencies[cos.counts_.span(attribute)]
        rarity = 1 / frequencies[:, None] + 1 / frequencies  # 1/intra - 1
        np.testing.assert_allclose(distances, rarity * ahmad.distances_[attribute], rtol=1e-12)


def test_one_column():
    cos = COS().fit([["a"], ["a"], ["b"]])
    np.testing.assert_allclose(cos.distances_[0], [[0, 1.5], [1.5, 0]])
    np.testing.assert_allclose(cos.similarities_[0], [[0.5, 0], [0, 1 / 3]])


def test_weights_are_numbers_of_rows(melons):
    once, twice = COS().fit(melons), COS().fit(melons, sample_weight=[2] * 6)
    for first, second in zip(once.distances_, twice.distances_, strict=True):
        np.testing.assert_allclose(second, first / 2, rtol=1e-14)


def test_unknown_values_have_the_mean_similarity(melons):
    cos = COS().fit(melons)
    row = [["?", "?", "?"]]
    frame = melons.iloc[:1].copy()
    frame.iloc[0] = row[0]
    np.testing.assert_allclose(
        cos.similarity(frame, melons)[0], cos.similarity(melons).mean(axis=0), rtol=1e-12
    )
