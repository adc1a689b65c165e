"""``missing="neutral"``: a missing cell says nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from tables import encoder_of
from untie import UNTIE, TableClusterer, TableEncoder, count_table, load_model

CELLS = st.lists(
    st.tuples(*[st.sampled_from(["a", "b", "c", None])] * 3), min_size=6, max_size=30
).filter(lambda rows: all(len(set(column) - {None}) > 1 for column in zip(*rows, strict=True)))


def with_gaps(n_rows: int = 300, share: float = 0.1) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 3, (n_rows, 5)).astype(str).astype(object)
    cells[:, 1] = np.where(rng.random(n_rows) < 0.8, cells[:, 0], cells[:, 1])
    cells[rng.random(cells.shape) < share] = None
    return pd.DataFrame(cells, columns=list("abcde"))


@given(CELLS)
def test_neutral_cells_are_not_counted(rows):
    encoder = UNTIE(2, solver="discount", missing="neutral").fit(rows)
    counts = encoder.counts_
    for left in range(3):
        for right in range(3):
            expected = np.zeros((counts.sizes[left], counts.sizes[right]))
            places = [encoder.vocabulary_.positions[column] for column in (left, right)]
            for row in rows:
                if row[left] is not None and row[right] is not None:
                    expected[places[0][row[left]], places[1][row[right]]] += 1
            np.testing.assert_array_equal(counts.block(left, right), expected)


def test_a_neutral_cell_stands_at_the_mean_of_its_column():
    frame = with_gaps()
    encoder = TableEncoder(3, missing="neutral", preparer=None).fit(frame)
    gap = pd.DataFrame([["0", None, "1", "2", "0"]], columns=frame.columns)
    new = pd.DataFrame([["0", "unseen", "1", "2", "0"]], columns=frame.columns)
    np.testing.assert_array_equal(encoder.transform(gap), encoder.transform(new))
    assert None not in encoder.vocabulary_.values[1]
    assert None in encoder.categories_[1]  # it was seen, and is no unknown value


def test_without_gaps_both_are_the_same():
    frame = with_gaps(share=0.0)
    first, second = (
        TableEncoder(3, missing=missing, preparer=None).fit(frame)
        for missing in ("value", "neutral")
    )
    np.testing.assert_array_equal(first.transform(frame), second.transform(frame))


def test_every_way_to_the_counts_gives_the_same(tmp_path):
    frame = with_gaps()
    encoder = TableEncoder(3, missing="neutral", preparer=None).fit(frame)
    expected = encoder.similarity(frame)
    encoder.save(tmp_path / "model.untie")
    others = [
        TableEncoder(3, missing="neutral", preparer=None).fit_counts(count_table(frame)),
        TableEncoder(3, missing="neutral", preparer=None).fit(pl.from_pandas(frame)),
        TableEncoder(3, missing="neutral", preparer=None).fit(pl.from_pandas(frame).lazy()),
        TableEncoder(3, missing="neutral", preparer=None)
        .partial_fit(frame[:100])
        .partial_fit(frame[100:]),
        load_model(tmp_path / "model.untie"),
    ]
    for other in others:
        np.testing.assert_allclose(other.similarity(frame), expected, atol=1e-9)


def test_missing_blocks_make_no_groups_when_neutral():
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 2, 400)
    keeps = rng.random((400, 8)) < 0.5
    cells = np.where(keeps, classes[:, None], rng.integers(0, 3, (400, 8))).astype(str)
    frame = pd.DataFrame(cells, columns=list("abcdefgh"), dtype=object)
    frame.loc[rng.random(400) < 0.5, list("abcd")] = None
    scores = {}
    for missing in ("value", "neutral"):
        clusterer = TableClusterer(
            2, encoder=TableEncoder(missing=missing, preparer=None), preparer=None
        ).fit(frame)
        scores[missing] = adjusted_rand_score(classes, clusterer.labels_)
    assert scores["value"] < 0.1  # the groups are the gaps
    assert scores["neutral"] > 0.745


def test_rare_values_and_gaps_are_apart():
    frame = with_gaps()
    encoder = TableEncoder(3, missing="neutral", max_categories=2, preparer=None).fit(frame)
    assert encoder.vocabulary_.sizes == (2,) * 5
    assert all(None not in values for values in encoder.infrequent_categories_)


def test_an_unknown_value_is_not_taken_for_another_where_gaps_are_rare():
    frame = pd.DataFrame({"a": ["x"] * 50 + ["y"] * 48 + [None] * 2, "b": list("uv") * 50})
    given = {"min_frequency": 5, "handle_unknown": "infrequent_if_exist"}
    encoder = encoder_of(2, missing="neutral", **given).fit(frame)
    new = pd.DataFrame({"a": ["new", None, "y"], "b": ["u"] * 3})
    unknown, gap, known = encoder.transform(new)
    np.testing.assert_array_equal(unknown, gap)
    assert np.abs(unknown - known).max() > 0.1


def test_gaps_take_no_place_among_the_categories():
    frame = pd.DataFrame({"a": ["x"] * 20 + ["y"] * 10 + ["z"] * 5 + [None] * 65})
    frame["b"] = list("uv") * 50
    encoder = TableEncoder(2, missing="neutral", max_categories=3, preparer=None).fit(frame)
    assert encoder.vocabulary_.values[0][:2] == ("x", "y")
    assert encoder.infrequent_categories_[0].tolist() == ["z"]


@pytest.mark.parametrize("solver", ["auto", "exact"])
def test_a_column_of_gaps_alone_is_a_constant(solver):
    frames = [with_gaps().assign(empty=cell) for cell in (None, "k")]
    found = [encoder_of(3, missing="neutral", solver=solver).fit(f).similarity(f) for f in frames]
    np.testing.assert_array_equal(*found)
    grown = encoder_of(3, missing="neutral", solver=solver).partial_fit(frames[0])
    assert grown.partial_fit(frames[1]).vocabulary_.values[-1] == ("k",)


def test_an_unknown_word_is_refused():
    with pytest.raises(ValueError, match="missing must be one of"):
        TableEncoder(missing="drop", preparer=None).fit(with_gaps())
