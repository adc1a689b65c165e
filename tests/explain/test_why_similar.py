"""Contributions of attributes, against similarities and vectors of whole rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import encoder_of, small_tables
from untie import UNTIE, Preparer, TableEncoder
from untie.explain import neighbors, why_similar


@pytest.fixture(params=["auto", "uniform", "exact"])
def encoder(request, melons):
    return encoder_of(2, solver=request.param).fit(melons)


def test_contributions_add_up_to_the_similarity_of_all_pairs(encoder, melons):
    similarity = encoder.similarity(melons)
    vectors = encoder.transform(melons)
    for i in range(len(melons)):
        for j in range(len(melons)):
            parts = why_similar(encoder, melons.iloc[[i]], melons.iloc[[j]])
            assert parts.contribution.sum() == pytest.approx(similarity[i, j], abs=1e-9)
            squared = np.square(vectors[i] - vectors[j]).sum()
            assert parts.distance.sum() == pytest.approx(squared, abs=1e-9)
            assert parts.share.sum() == pytest.approx(1.0)


def test_each_contribution_is_that_of_the_two_values(encoder, melons):
    parts = why_similar(encoder, melons.iloc[[0]], melons.iloc[[2]]).set_index("column")
    for name in melons:
        expected = encoder.value_similarity(name).loc[melons[name][0], melons[name][2]]
        assert parts.contribution[name] == pytest.approx(expected, abs=1e-9)
        assert (parts.value[name], parts.other_value[name]) == (melons[name][0], melons[name][2])


@given(small_tables(min_rows=4), st.data())
@pytest.mark.filterwarnings("ignore::UserWarning")  # random tables may be degenerate
def test_any_two_rows_of_any_table(table, data):
    encoder = UNTIE(solver="uniform").fit(table)
    i, j = (data.draw(st.integers(0, len(table) - 1)) for _ in range(2))
    parts = why_similar(encoder, table.iloc[i], table.iloc[j])
    expected = encoder.similarity(table.iloc[[i]], table.iloc[[j]])[0, 0]
    assert parts.contribution.sum() == pytest.approx(expected, abs=1e-8)
    assert (np.diff(parts.contribution) <= 1e-9).all()


@pytest.mark.parametrize(
    "form",
    [
        lambda frame: frame.iloc[[1]],
        lambda frame: frame.iloc[1],
        lambda frame: frame.iloc[1].to_dict(),
        lambda frame: frame.iloc[1].tolist(),
        lambda frame: {"more": 1, **frame.iloc[1].to_dict()},
    ],
    ids=["frame", "series", "dict", "list", "dict with more"],
)
def test_forms_of_a_row(encoder, melons, form):
    expected = why_similar(encoder, melons.iloc[[1]], melons.iloc[[2]])
    pd.testing.assert_frame_equal(
        why_similar(encoder, form(melons), form(melons.iloc[1:])), expected
    )


def test_arrays_and_other_libraries(melons):
    array = melons.to_numpy()
    encoder = TableEncoder(2, preparer=None).fit(array)
    parts = why_similar(encoder, list(array[0]), array[1:2])
    assert set(parts.column) == {"x0", "x1", "x2"}
    frame = pl.DataFrame(melons.to_dict("list"))
    encoder = TableEncoder(2, preparer=None).fit(frame)
    parts = why_similar(encoder, frame[0], frame.row(1, named=True))
    assert isinstance(parts, pl.DataFrame)
    assert parts["contribution"].sum() == pytest.approx(encoder.similarity(frame)[0, 1])


def test_rare_and_unknown_values_are_said_to_be_so():
    rows = pd.DataFrame({"a": ["x"] * 5 + ["y"] * 5 + ["q", "r"], "b": ["u", "v"] * 6})
    encoder = TableEncoder(2, min_frequency=2, preparer=None).fit(rows)
    parts = why_similar(encoder, {"a": "q", "b": "u"}, {"a": "new", "b": None})
    parts = parts.set_index("column")
    assert parts.value["a"] == "q (rare)"
    assert parts.other_value["a"] == "new (unknown)"
    assert parts.other_value["b"] == "missing (unknown)"
    same = why_similar(encoder, {"a": "q", "b": "u"}, {"a": "r", "b": "u"})
    assert same.distance.sum() == 0


@pytest.mark.parametrize(
    ("row", "error", "words"),
    [
        ({"Texture": "clear"}, ValueError, r"no cell for \['Color', 'Root'\]"),
        (pd.DataFrame({"Texture": ["a", "b"]}), ValueError, "table of 2"),
        ("clear", TypeError, "table is required"),
    ],
)
def test_bad_rows(melons, row, error, words):
    encoder = TableEncoder(2, preparer=None).fit(melons)
    with pytest.raises(error, match=words):
        why_similar(encoder, row, melons.iloc[[0]])


def test_bad_encoders(melons):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        why_similar(TableEncoder(2), melons.iloc[[0]], melons.iloc[[1]])


@pytest.mark.parametrize("cell", [92.0, "92"])
def test_rows_that_are_not_prepared_are_refused(cell):
    frame = pd.DataFrame({"age": [n % 60 + 20 for n in range(240)], "town": ["a", "b"] * 120})
    rows = Preparer().fit(frame).transform(frame)
    encoder = TableEncoder(2, preparer=None).fit(rows)
    message = "Column 'age' has '?92.*learned from ranges such as .*pass a pipeline"
    with pytest.raises(ValueError, match=message):
        why_similar(encoder, {"age": cell, "town": "a"}, rows.head(1))
    why_similar(encoder, rows.head(1), rows.tail(1))


def test_a_missing_cell_says_nothing():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.choice(list("xyz"), 200), "b": rng.choice(list("uvw"), 200)})
    rows = rows.astype(object)
    rows.loc[rng.random(200) < 0.5, "b"] = None
    encoder = TableEncoder(2, preparer=None).fit(rows)
    both = why_similar(encoder, ["x", None], ["x", None]).set_index("column")
    one = why_similar(encoder, ["x", None], ["x", "u"]).set_index("column")
    assert both.share.to_dict() == one.share.to_dict() == {"a": 1.0, "b": 0.0}
    assert both.distance["b"] > 0
    # Of all pairs of known cells the mean is the same: near and far are equally likely.
    known = rows.b[rows.b.notna()].tolist()
    pairs = [
        why_similar(encoder, ["x", left], ["x", right]).set_index("column").loc["b"]
        for left in "uvw"
        for right in "uvw"
    ]
    shares = [known.count(left) * known.count(right) for left in "uvw" for right in "uvw"]
    distances = [pair.distance for pair in pairs]
    assert both.distance["b"] == pytest.approx(np.average(distances, weights=shares))
    contributions = [pair.contribution for pair in pairs]
    assert np.average(contributions, weights=shares) == pytest.approx(0, abs=1e-9)
    found = neighbors(encoder, rows, pd.DataFrame({"a": ["x"], "b": [None]}), n=200)
    equal = found[((rows.a == "x") & rows.b.isna()).to_numpy()[found.position]]
    np.testing.assert_allclose(equal.similarity, both.contribution.sum())
    np.testing.assert_allclose(equal.distance, np.sqrt(both.distance.sum()))
