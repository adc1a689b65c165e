from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from evaluation.oracles import precision
from untie_paper.baselines import COS, Ahmad, Hamming, OneHot, Rough
from untie_paper.evaluation import _blocks as blocks_module
from untie_paper.evaluation import precision_at_k
from untie_paper.evaluation._retrieval import expected_precision

SWEETNESS = ["low", "low", "low", "low", "high", "high"]

# Distances A1-A2, A1-A3, ..., A5-A6 of the toy table, and the precision at 1, 2 and 3.
ORACLES = {
    "Hamming": ("2 3 2 3 2 1 3 2 3 3 1 3 2 1 3", "13/36 13/36 7/18"),
    "Ahmad": (
        "17/12 23/12 3/2 23/12 5/4 1/2 23/12 1 29/12 23/12 1/2 29/12 17/12 1/2 23/12",
        "1/4 1/4 4/9",
    ),
    "COS": (
        "113/72 149/72 15/8 149/72 7/4 1/2 61/36 1 97/36 61/36 1/2 97/36 43/36 3/4 35/18",
        "5/12 1/4 4/9",
    ),
    "Rough": (
        "5/2 3 8/3 3 8/3 13/6 3 8/3 3 3 13/6 3 5/2 13/6 3",
        "5/12 3/8 7/18",
    ),
}


def numbers(text):
    return [float(Fraction(word)) for word in text.split()]


def square(upper, diagonal=0.0):
    matrix = np.diag(np.full(6, diagonal))
    matrix[np.triu_indices(6, 1)] = upper
    return np.maximum(matrix, matrix.T)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks_module, "BLOCK_NUMBERS", 17)


@pytest.mark.parametrize("measure", ORACLES)
def test_oracle_values(measure):
    distances, expected = map(numbers, ORACLES[measure])
    # A distance to itself may be positive (as Rough's is), and is not used.
    matrix = square(distances, diagonal=1.5)
    found = precision_at_k(matrix, SWEETNESS, [1, 2, 3], distance="precomputed")
    assert found == pytest.approx(expected, abs=1e-12)
    assert np.diag(matrix).tolist() == [1.5] * 6


def test_oracle_of_dilca_whose_distances_are_roots():
    color, root, texture = np.zeros((4, 4)), np.zeros((3, 3)), np.zeros((2, 2))
    color[np.triu_indices(4, 1)] = np.sqrt(numbers("1/12 1/4 1/6 1/6 1/4 1/12"))
    root[np.triu_indices(3, 1)] = np.sqrt(numbers("53/216 49/108 77/216"))
    texture[0, 1] = np.sqrt(2 / 3)
    tables = [table + table.T for table in (texture, color, root)]
    rows = np.array([[0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 2, 2], [1, 2, 1], [0, 3, 2]])
    matrix = sum(t[c][:, c] for t, c in zip(tables, rows.T, strict=True))
    found = precision_at_k(matrix, SWEETNESS, [1, 2, 3], distance="precomputed")
    assert found == pytest.approx(numbers("1/6 1/3 4/9"), abs=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t,
        pl.from_pandas,
        lambda t: pa.Table.from_pandas(t),
        lambda t: t.to_numpy(),
        lambda t: t.to_numpy().tolist(),
        lambda t: pa.RecordBatch.from_pandas(t),
    ],
    ids=["pandas", "polars", "pyarrow", "array", "rows", "batch"],
)
@pytest.mark.usefixtures("small_blocks")
def test_a_fitted_distance_on_any_table(melons, make):
    table = make(melons)
    found = precision_at_k(table, SWEETNESS, [1, 2, 3], distance=Hamming().fit(table))
    assert found == pytest.approx(numbers("13/36 13/36 7/18"), abs=1e-12)


@pytest.mark.parametrize("method", [Ahmad, COS, Hamming, Rough])
def test_oracle_of_fitted_distances(melons, method):
    expected = numbers(ORACLES[method.__name__][1])
    found = precision_at_k(melons, SWEETNESS, [1, 2, 3], distance=method().fit(melons))
    assert found == pytest.approx(expected, abs=1e-12)


def test_one_hot_vectors_rank_as_hamming_does(melons):
    vectors = OneHot().fit_transform(melons)
    assert precision_at_k(vectors, SWEETNESS, 3) == pytest.approx(7 / 18, abs=1e-12)
    assert isinstance(precision_at_k(vectors, SWEETNESS, 3), float)


@st.composite
def objects(draw):
    n = draw(st.integers(2, 6))
    cells = st.lists(st.integers(0, 2), min_size=2, max_size=2)
    rows = draw(st.lists(cells, min_size=n, max_size=n))
    classes = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return np.array(rows, dtype=float), classes


@given(objects())
def test_every_order_of_ties_counts_the_same(drawn):
    rows, classes = drawn
    ks = list(range(1, len(rows)))
    distances = cdist(rows, rows, "sqeuclidean")
    expected = [precision(distances, classes, k) for k in ks]
    assert precision_at_k(rows, classes, ks) == pytest.approx(expected, abs=1e-12)
    given_matrix = precision_at_k(distances, classes, ks, distance="precomputed")
    assert given_matrix == pytest.approx(expected, abs=1e-12)
    assert precision_at_k(rows, classes, ks, distance=cdist) == pytest.approx(expected, abs=1e-12)


@given(objects(), st.randoms(use_true_random=False))
def test_the_order_of_objects_and_the_names_of_classes_do_not_matter(drawn, random):
    rows, classes = drawn
    order = random.sample(range(len(rows)), len(rows))
    ks = [1, len(rows) - 1]
    moved = precision_at_k(rows[order], [f"class {classes[i]}" for i in order], ks)
    assert moved == pytest.approx(precision_at_k(rows, classes, ks), abs=1e-12)


def noisy_copies(seed, n=60):
    """Return rotated vectors with many copies and many ties, which rounding splits."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 2, (n, 8)).astype(float)
    rotation = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    return cells, cells @ rotation, rng.integers(0, 3, n)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shift", [0.0, 1e3])
@pytest.mark.parametrize("stretch", [1e-170, 1.0, 1e170])
def test_rounding_does_not_split_ties(seed, shift, stretch):
    cells, rotated, classes = noisy_copies(seed)
    ks = [1, 2, 5, 20, 59]
    mismatches = (cells[:, None] != cells[None]).sum(axis=2)
    expected = precision_at_k(mismatches, classes, ks, distance="precomputed")
    found = precision_at_k((rotated + shift) * stretch, classes, ks)
    assert found == pytest.approx(expected, abs=1e-12)


def test_near_objects_are_told_apart_though_another_is_far_away():
    # The fast formula rounds by more than these distances; the ranks must not suffer.
    near = np.array([[0.0], [1e-6], [3e-6], [3.5e-6]])
    vectors = np.vstack([near, [[1e7]]])
    assert precision_at_k(vectors, ["a", "a", "b", "b", "c"], 1) == pytest.approx(4 / 5)


def test_tolerance_says_what_a_tie_is():
    vectors = np.array([[0.0], [1.0], [-1.001]])
    classes = ["a", "a", "b"]
    assert precision_at_k(vectors, classes, 1) == pytest.approx(2 / 3)
    assert precision_at_k(vectors, classes, 1, tie_tolerance=0.01) == pytest.approx(1.5 / 3)
    assert precision_at_k(vectors, classes, 1, tie_tolerance=0) == pytest.approx(2 / 3)


def test_rows_are_queries_where_a_distance_is_asymmetric():
    matrix = [[0, 1, 2], [1, 0, 2], [1, 2, 0]]
    assert precision_at_k(matrix, ["a", "a", "b"], 1, distance="precomputed") == 2 / 3
    assert precision_at_k(matrix, ["a", "b", "a"], 1, distance="precomputed") == 1 / 3


@pytest.mark.usefixtures("small_blocks")
def test_blocks_give_what_one_block_gives(monkeypatch):
    _, vectors, classes = noisy_copies(0)
    ks = [1, 7, 40]
    in_blocks = precision_at_k(vectors, classes, ks)
    monkeypatch.setattr(blocks_module, "BLOCK_NUMBERS", 10**6)
    assert precision_at_k(vectors, classes, ks) == pytest.approx(in_blocks, abs=1e-12)


def test_many_objects_against_a_full_sort():
    rng = np.random.default_rng(1)
    vectors, classes = rng.normal(size=(2500, 3)), rng.integers(0, 4, 2500)
    vectors[:, 0] += classes
    order = np.argsort(cdist(vectors, vectors), axis=1)[:, 1:]
    hits = (classes[order] == classes[:, None]).cumsum(axis=1)
    ks = np.array([1, 10, 300, 2499])
    expected = (hits[:, ks - 1] / ks).mean(axis=0)
    assert precision_at_k(vectors, classes, ks) == pytest.approx(expected, abs=1e-12)


def test_a_block_is_bounded_whatever_the_number_of_objects(monkeypatch):
    monkeypatch.setattr(blocks_module, "BLOCK_NUMBERS", 5000)
    shapes = []

    def distance(A, B):
        shapes.append((len(A), len(B)))
        return cdist(A, B)

    precision_at_k(np.random.default_rng(0).random((400, 2)), np.arange(400) % 2, distance=distance)
    assert max(rows * columns for rows, columns in shapes) <= 5000
    assert sum(rows for rows, _ in shapes) == 400


def test_a_view_that_a_function_returns_is_left_as_it_was():
    matrix = square(np.arange(1.0, 16.0))
    before = matrix.copy()
    precision_at_k(np.zeros((6, 1)), SWEETNESS, 1, distance=lambda A, B: matrix)
    assert (matrix == before).all()


def test_all_objects_alike():
    assert precision_at_k(np.ones((5, 2)), [0, 0, 0, 1, 1], [1, 4]) == pytest.approx([0.4, 0.4])


def test_one_query_from_its_definition():
    distances = np.array([3.0, 1.0, 2.0, 2.0, 2.0])
    is_hit = np.array([True, False, True, True, False])
    found = expected_precision(distances, is_hit, np.array([5, 1, 2, 3, 4]), 0.0)
    assert found == pytest.approx([3 / 5, 0, 1 / 3, 4 / 9, 2 / 4])


BAD = {
    "k too large": ({"k": 3}, "k must be from 1 to 2"),
    "k zero": ({"k": [1, 0]}, "k must be from 1 to 2"),
    "k empty": ({"k": []}, "whole number"),
    "k not whole": ({"k": 1.5}, "whole number"),
    "unknown name": ({"distance": "cosine"}, "'euclidean' or 'precomputed'.*got 'cosine'"),
    "no distance": ({"distance": 3}, "got 3"),
    "not square": ({"distance": "precomputed"}, r"square matrix, got shape \(3, 1\)"),
    "wrong shape": ({"distance": lambda A, B: np.zeros((1, 1))}, r"has shape \(1, 1\)"),
    "not finite": ({"distance": lambda A, B: np.full((3, 3), np.nan)}, "objects 0 and 0 is nan"),
    "labels": ({"y": [1, 2]}, "y has 2 labels for 3 objects"),
    "missing label": ({"y": [1, 2, None]}, "y, row 2"),
    "missing number": ({"X": [[1.0], [np.nan], [2.0]]}, "X has nan in row 1, column 0"),
    "no number": ({"X": [[1.0], [None], [2.0]]}, "X has nan in row 1, column 0"),
    "text": ({"X": [["red"], ["blue"], ["red"]]}, "text 'red' in row 0.*pass distance="),
    "digits as text": ({"X": [["1"], ["0"], ["2"]]}, "text '1' in row 0, column 0"),
    "frame of digits": ({"X": pd.DataFrame({"a": list("102")})}, "text '1' in row 0, column 0"),
    "class": ({"distance": Hamming}, "a fitted object with the method pairwise"),
    "tolerance": ({"tie_tolerance": -1.0}, "tie_tolerance"),
    "one object": ({"X": [[1.0]], "y": [0]}, "minimum of 2"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    changes, message = BAD[case]
    arguments = {"X": [[1.0], [2.0], [4.0]], "y": [0, 0, 1], "k": 1} | changes
    with pytest.raises(ValueError, match=message):
        precision_at_k(arguments.pop("X"), arguments.pop("y"), **arguments)


def test_vectors_may_be_a_frame():
    frame = pd.DataFrame({"a": [0.0, 0.1, 1.0], "b": [0.0, 0.0, 0.0]})
    assert precision_at_k(frame, pd.Series(["x", "x", "y"]), 1) == pytest.approx(2 / 3)
