"""Families, associations and gaps as frames, and the sentences about them."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest

from untie import UNTIE, Preparer, TableClusterer, TableEncoder, load_model
from untie._inputs import redundant_said
from untie._learn.columns.attributes import TableCounts, family_sentences, gap_sentences
from untie.explain import associations, families, missing_together


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 48, 600)
    gone = rng.random(600) < 0.3
    columns = {"other": rng.integers(0, 4, 600), "region": city % 3, "city": city}
    columns |= {"state": city % 12, "twin": (city % 12 + 1) % 12}
    frame = pd.DataFrame(columns).astype(str).astype(object)
    for name in ("asked", "answered"):
        cells = rng.choice(["yes", "no"], 600).astype(object)
        cells[gone] = None
        frame[name] = cells
    return frame


@pytest.fixture(scope="module")
def encoder(table):
    return UNTIE(3, solver="relevance").fit(table)


def test_one_row_per_column_in_a_family(encoder):
    found = families(encoder)
    assert list(found) == ["family", "column", "role", "follows_from", "how_much", "vote"]
    lines = found.astype(object).where(found.notna(), None).to_numpy().tolist()
    assert [line[:4] for line in lines] == [
        [0, "city", "root", None],
        [0, "state", "follows", "city"],
        [0, "twin", "copy", "state"],
        [0, "region", "follows", "twin"],
    ]
    np.testing.assert_allclose([line[4] for line in lines[1:]], 1)
    np.testing.assert_allclose(found["vote"], [1 / 3, 1 / 6, 1 / 6, 1 / 3])
    np.testing.assert_allclose(encoder._model.attributes.votes.sum(), 4)


def test_votes_have_the_factors_of_the_user(table):
    encoder = TableEncoder(3, preparer=None, column_weights={"city": 3, "twin": 0}).fit(table)
    found = families(encoder)
    assert found["column"].tolist() == ["city", "state", "region"]
    np.testing.assert_allclose(found["vote"], [1, 1 / 3, 1 / 3])
    (sentence,) = family_sentences(encoder._model.attributes, table.columns)
    assert sentence == "state and region follow from city; they have one vote together."


def test_no_families():
    rows = pd.DataFrame({"a": list("xyxx") * 10, "b": list("uuuv") * 10})
    found = families(UNTIE(2, solver="uniform").fit(rows))
    assert len(found) == 0
    assert list(found)[:2] == ["family", "column"]
    assert len(missing_together(UNTIE(2, solver="uniform").fit(rows))) == 0


def test_library_and_loaded_models(table, encoder, tmp_path):
    of_polars = UNTIE(3, solver="relevance").fit(pl.from_pandas(table))
    for question in (families, missing_together, associations):
        assert isinstance(question(of_polars), pl.DataFrame)
    encoder.save(tmp_path / "model")
    pd.testing.assert_frame_equal(families(load_model(tmp_path / "model")), families(encoder))


def entropy(values):
    n = len(values)
    return -sum(k / n * math.log2(k / n) for k in Counter(values).values())


def test_symmetric_associations(table, encoder):
    found = associations(encoder)
    assert found.index.tolist() == found.columns.tolist() == table.columns.tolist()
    for first in table:
        for second in table:
            known = table[table[first].notna() & table[second].notna()]
            one, other = known[first].tolist(), known[second].tolist()
            both = entropy(one) + entropy(other)
            shared = both - entropy(list(zip(one, other, strict=True)))
            n_free = (len(set(one)) - 1) * (len(set(other)) - 1)
            shared -= n_free / (2 * len(known)) / math.log(2)
            expected = 1 if first == second else max(0.0, 2 * shared / both)
            assert found.loc[first, second] == pytest.approx(expected, abs=1e-9)


def test_directed_associations(table, encoder):
    found = associations(encoder, directed=True)
    assert found.loc["city", "region"] == pytest.approx(1)
    assert found.loc["region", "city"] < 0.4
    # What a shuffled column tells is nothing, but by chance.
    rng = np.random.default_rng(1)
    city, state = table["city"].to_numpy(), table["state"].tolist()

    def left_open(groups):
        parts = pd.Series(state).groupby(groups)
        return sum(len(part) * entropy(part.tolist()) for _, part in parts) / len(state)

    by_chance = np.mean([left_open(rng.permutation(city)) for _ in range(40)])
    other = table["other"].to_numpy()
    assert found.loc["city", "other"] == pytest.approx(0, abs=0.03)
    expected = 1 - left_open(other) / np.mean(
        [left_open(rng.permutation(other)) for _ in range(40)]
    )
    assert found.loc["other", "state"] == pytest.approx(max(expected, 0), abs=0.005)
    expected = 1 - left_open(table["region"].to_numpy()) / by_chance
    assert expected < found.loc["city", "state"]


def test_gaps(table, encoder):
    found = missing_together(encoder)
    assert found["block"].tolist() == [0, 0]
    assert found["column"].tolist() == ["asked", "answered"]
    np.testing.assert_allclose(found["share"], table["asked"].isna().mean())
    said = gap_sentences(encoder.counts_, encoder.vocabulary_, table.columns)
    assert said == ["Cells of asked and answered are missing together."]


def test_sentences(encoder, table):
    (sentence,) = family_sentences(encoder._model.attributes, table.columns)
    assert sentence == (
        "state and region follow from city; twin says the same as state; they have one vote "
        "together."
    )
    rng = np.random.default_rng(0)
    model = rng.integers(0, 40, 2000)
    cars = pd.DataFrame({"model": model, "maker": model % 8, "fuel": model // 8 % 5}).astype(str)
    attributes = UNTIE(2, solver="uniform").fit(cars)._model.attributes
    assert family_sentences(attributes, cars.columns) == [
        "maker and fuel follow from model; they have 1.7 votes together."
    ]


@pytest.mark.parametrize(
    ("sign", "expected"),
    [
        ("at ", "time roughly follows from hour"),
        ("", "hour says roughly the same as time"),
    ],
)
def test_what_holds_of_the_compared_ranges_alone_is_rough(sign, expected):
    """An hour tells the ranges of a time only so far, but the few that are compared."""
    rng = np.random.default_rng(0)
    minute = rng.integers(0, 24 * 60, 4000)
    hour = [f"{sign}{number // 60}" for number in minute]
    table = pd.DataFrame({"time": minute, "hour": hour, "other": rng.choice(list("abc"), 4000)})
    encoder = TableEncoder(2, preparer=None).fit(Preparer(columns=list(table)).fit_transform(table))
    attributes, vocabulary = encoder._model.attributes, encoder.vocabulary_
    table = TableCounts.of(encoder.counts_, vocabulary.missing)
    (sentence,) = family_sentences(attributes, vocabulary.columns, table)
    assert sentence == f"{expected}; they have one vote together."


def blank(cells, gone):
    return np.where(gone, None, np.array(cells, dtype=object))


@pytest.fixture(scope="module")
def survey():
    """Columns that share blanks, answers, or both."""
    rng = np.random.default_rng(0)
    n = 900
    skipped, answer = rng.random(n) < 0.7, rng.choice(list("abcd"), n)
    ill = rng.choice(["no", "yes"], n, p=[0.7, 0.3])
    few = np.arange(n) >= 6
    return pd.DataFrame(
        {
            "spontaneous": blank(rng.choice(["yes", "no"], n), skipped),
            "induced": blank(rng.choice(["yes", "no"], n), skipped),
            "answer": blank(answer, rng.random(n) < 0.3),
            "again": blank(answer, rng.random(n) < 0.3),
            "ill": ill,
            "kind": blank(rng.choice(["mild", "severe"], n), ill == "no"),
            "rare": blank(["p", "q"] * (n // 2), few),
            "scarce": blank([("r", "s")[(i + (i % 9 == 0)) % 2] for i in range(n)], few),
            "box": blank(["x"] * n, rng.random(n) < 0.5),
        }
    )


@pytest.fixture(scope="module")
def answered(survey):
    return TableEncoder(3, preparer=None).fit(survey)


def pairs_in(found):
    return {
        (one, other)
        for one, other in zip(found["follows_from"], found["column"], strict=True)
        if isinstance(one, str)
    }


def test_shared_blanks_are_no_shared_answers(survey, answered):
    together = missing_together(answered).groupby("block")["column"].agg(set).tolist()
    assert {"spontaneous", "induced"} in together
    assert {"rare", "scarce"} in together
    assert pairs_in(families(answered)) == {("answer", "again"), ("kind", "ill")}
    found = associations(answered)
    assert found.loc["spontaneous", "induced"] < 0.05
    assert associations(answered, directed=True).loc["spontaneous", "induced"] < 0.05
    assert found.loc["answer", "again"] > 0.95
    votes = dict(zip(survey, answered._model.attributes.votes, strict=True))
    assert votes["spontaneous"] == votes["induced"] == votes["rare"] == votes["box"] == 1
    assert votes["answer"] == votes["again"] == votes["ill"] == votes["kind"] == 0.5


def test_what_is_said_of_columns_with_blanks(survey, answered):
    assert family_sentences(answered._model.attributes, survey.columns) == [
        "again says the same as answer; they have one vote together.",
        "ill follows from kind, missing cells included; they have one vote together.",
    ]


def test_blanks_of_saved_and_growing_models(survey, answered, tmp_path):
    answered.save(tmp_path / "model")
    growing = TableEncoder(3, preparer=None)
    for start in (0, 450):
        growing.partial_fit(survey[start : start + 450])
    for other in (load_model(tmp_path / "model"), growing):
        pd.testing.assert_frame_equal(families(other), families(answered))
        pd.testing.assert_frame_equal(associations(other), associations(answered))


def test_ticked_boxes_are_copies(survey):
    ticked = survey[["answer", "box"]].assign(tick=blank(["t"] * 900, survey["box"].isna()))
    encoder = TableEncoder(2, preparer=None).fit(ticked)
    assert pairs_in(families(encoder)) == {("box", "tick")}
    assert associations(encoder).loc["box", "tick"] > 0.99


def test_part_of_a_column_follows():
    """Most states have an airport; some have a second one."""
    rng = np.random.default_rng(0)
    airport = rng.choice(36, 3000, p=[1 / 32] * 28 + [1 / 64] * 8)
    state = np.where(airport < 28, airport, airport - 28)
    table = pd.DataFrame({"airport": airport, "state": state, "c": rng.integers(0, 3, 3000)})
    table = table.astype(str)
    attributes = TableEncoder(2, preparer=None).fit(table)._model.attributes
    (sentence,) = family_sentences(attributes, table.columns)
    share = table.groupby("state")["airport"].agg(lambda cells: cells.value_counts().iloc[0]).sum()
    assert sentence == (
        f"state follows from airport, and airport partly from state ({share // 30}% of rows); "
        "they have one vote together."
    )


def test_percentages_are_of_rows_and_the_finer_of_two_copies_determines_the_other():
    """Years of school determine the degree; the degree gives the years in some of the rows."""
    rng = np.random.default_rng(0)
    years = rng.choice(np.arange(8, 21), 3000)
    degree = np.array(["school", "college", "more"])[np.digitize(years, [13, 17])]
    table = pd.DataFrame({"years": years, "degree": degree, "c": rng.integers(0, 3, 3000)})
    clusterer = TableClusterer(2).fit(table.astype({"c": str}))
    said = redundant_said(clusterer.encoder_, clusterer.encoder_.vocabulary_.columns)
    assert any(line.startswith("degree ") and "follows from years" in line for line in said)
    few = pd.DataFrame({"a": list("xyz"), "b": list("pqr"), "c": list("112")})
    encoder = TableEncoder(2).fit(few)
    assert redundant_said(encoder, few.columns)[0].startswith("b says the same as a")
