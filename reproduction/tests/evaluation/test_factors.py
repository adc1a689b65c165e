import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import ANY_FRAMES
from evaluation import oracles
from oracle import coupling_vectors
from tables import small_tables
from untie import count_table
from untie_paper.evaluation import coupling_matrices, inter_factor, inter_factors, intra_factor

SWEETNESS = ["low", "low", "low", "low", "high", "high"]


@pytest.mark.parametrize(
    ("average", "expected"), [("value", 0.473465), ("column", 0.404641), ("printed", 1.420394)]
)
def test_oracle_of_intra(melons, average, expected):
    assert intra_factor(melons, SWEETNESS, average) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", ANY_FRAMES)
def test_any_table(melons, kind):
    table = ANY_FRAMES[kind](melons.to_dict("list"))
    assert intra_factor(table, SWEETNESS) == pytest.approx(0.473465, abs=1e-6)
    assert inter_factor(coupling_matrices(table)) == pytest.approx(0.807691, abs=1e-6)


def test_extremes_of_intra():
    rows = [["a"], ["a"], ["b"], ["b"]]
    assert intra_factor(rows, [0, 0, 1, 1]) == 1
    assert intra_factor(rows, [0, 1, 0, 1]) == pytest.approx(0, abs=1e-15)
    assert 0 <= intra_factor([["a"]] * 3, [0, 1, 2]) <= 1e-12


def test_a_missing_cell_is_a_value():
    assert intra_factor([["a"], [None], [None], ["a"]], [0, 1, 1, 0]) == 1


@given(small_tables(min_rows=2), st.randoms(use_true_random=False))
def test_intra_is_that_of_the_definition(table, random):
    classes = [0, 1] + [random.randrange(3) for _ in range(len(table) - 2)]
    rows = table.to_numpy().tolist()
    order = random.sample(range(len(rows)), len(rows))
    for average in ("value", "column", "printed"):
        expected = oracles.intra(rows, classes, average)
        assert intra_factor(table, classes, average) == pytest.approx(expected, abs=1e-9)
        moved = intra_factor(table.iloc[order], [f"c{classes[i]}" for i in order], average)
        assert moved == pytest.approx(expected, abs=1e-9)
        assert intra_factor(table[table.columns[::-1]], classes, average) == pytest.approx(
            expected, abs=1e-9
        )


@pytest.mark.parametrize(
    ("classes", "average", "message"),
    [
        ([1] * 6, "value", "one class only"),
        (SWEETNESS, "median", "average must be one of"),
        (SWEETNESS[:5], "value", "y has 5 labels for 6 objects"),
        ([None, *SWEETNESS[1:]], "value", "y, row 0"),
    ],
)
def test_bad_input_of_intra(melons, classes, average, message):
    with pytest.raises(ValueError, match=message):
        intra_factor(melons, classes, average)


def test_oracle_of_inter(melons):
    matrices = coupling_matrices(melons[["Texture", "Color", "Root"]])
    expected = [np.sqrt(5) / 2, 0.466167, 0.838870]
    assert inter_factors(matrices) == pytest.approx(expected, abs=1e-6)
    assert inter_factor(matrices) == pytest.approx(0.807691, abs=1e-6)
    # In the vocabulary's order: black, green, white, yellow.
    intra, inter = matrices[1]
    assert inter[2, [3, 1, 0]] == pytest.approx([0.897527, 0.927961, 0.707107], abs=1e-6)
    assert inter[3, [1, 0]] == pytest.approx([0.849837, 1.142609], abs=1e-6)
    assert inter[1, 0] == pytest.approx(0.600925, abs=1e-6)
    assert intra[2] == pytest.approx([0, 1 / 6, 0, 1 / 6])
    # curled, slightly curled, straight
    root = matrices[2][1]
    assert root[2, [0, 1]] == pytest.approx([1.213352, 1.649916], abs=1e-6)
    assert root[0, 1] == pytest.approx(1.462494, abs=1e-6)


@given(small_tables())
def test_coupling_matrices_are_distances_of_couplings(table):
    rows = table.to_numpy().tolist()
    for from_what in (table, count_table(table).counts):
        for column, matrices in enumerate(coupling_matrices(from_what)):
            values = sorted(set(table.iloc[:, column]))
            for name, matrix in zip(["intra", "inter"], matrices, strict=True):
                vectors = [coupling_vectors(rows, column, value, [name]) for value in values]
                expected = [[np.linalg.norm(x - y) for y in vectors] for x in vectors]
                assert matrix == pytest.approx(np.array(expected), abs=1e-12)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.integers(0, 1000))
def test_inter_is_that_of_the_definition(numbers, seed):
    rng = np.random.default_rng(seed)
    couplings = []
    for n_matrices in numbers:
        size = rng.integers(1, 4)
        couplings.append([rng.random((size, size)).tolist() for _ in range(n_matrices)])
    expected = [oracles.inter_of_attribute(matrices) for matrices in couplings]
    assert inter_factors(couplings) == pytest.approx(expected, abs=1e-12)
    assert inter_factor(couplings) == pytest.approx(np.mean(expected), abs=1e-12)


def test_one_coupling_does_not_differ():
    assert inter_factors([[np.ones((2, 2))], []]).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("couplings", "message"),
    [
        ([], "couplings is empty"),
        (
            [[np.eye(2)], [np.eye(2), np.eye(3)]],
            r"attribute 1 have the shapes \[\(2, 2\), \(3, 3\)",
        ),
        (
            [[np.eye(2), [[0, 1], [np.nan, 0]]]],
            "matrix 1 of attribute 0 has nan in row 1, column 0",
        ),
        ([[np.ones((2, 3))]], r"attribute 0 have the shapes \[\(2, 3\)\]"),
    ],
)
def test_bad_input_of_inter(couplings, message):
    with pytest.raises(ValueError, match=message):
        inter_factor(couplings)


def test_an_attribute_of_one_value():
    table = pd.DataFrame({"a": ["x", "x"], "b": ["y", "z"]})
    assert inter_factors(coupling_matrices(table))[0] == 0
