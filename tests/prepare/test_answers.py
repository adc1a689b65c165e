"""Columns of cells that list several answers: recognized, split, weighed and read in new rows."""

import itertools
import json

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import untie
from lazy_sources import SOURCES
from untie import Preparer, TableClusterer, TableEncoder, explain, load_model
from untie.explain import cluster_names, cluster_profile, missing_together, outliers

USES = ("bus", "bike", "car", "tram")
SUBSETS = [some for n in range(1, 5) for some in itertools.combinations(USES, n)]


def trips(n_rows=120, separator=";"):
    """Return rows of two classes that use other things, and the class; a tenth gives no answer."""
    rng = np.random.default_rng(3)
    classes = rng.integers(0, 2, n_rows)
    shares = np.array([[0.85, 0.75, 0.1, 0.2], [0.15, 0.2, 0.9, 0.7]])
    cells = []
    for own in classes:
        picked = [use for use, share in zip(USES, shares[own], strict=True) if rng.random() < share]
        cells.append(separator.join(picked) if picked and rng.random() > 0.1 else None)
    cells = np.array(cells, dtype=object)
    colors = rng.choice(["red", "blue"], n_rows)
    frame = pd.DataFrame({"uses": cells, "color": colors, "size": [*"SML"] * (n_rows // 3)})
    return frame, classes


TRIPS, CLASSES = trips()
NAMES = {f"uses: {use}" for use in USES}


@pytest.fixture(scope="module")
def preparer():
    return Preparer().fit(TRIPS)


def slowly(cells, use):
    """Return a column of an answer from its definition."""
    return [
        None if pd.isna(cell) else "picked" if use in cell.split(";") else "not picked"
        for cell in cells
    ]


def test_answers_are_columns(preparer):
    note = preparer.notes_[0]
    said = "4 answers separated by ';', one column each, and one for whether there is any"
    assert (note.action, note.reason) == ("split", said)
    found = preparer.transform(TRIPS)
    assert list(found.columns) == list(preparer.columns_)
    assert set(preparer.columns_) == NAMES | {"uses: any answer", "color", "size"}
    for use in USES:
        own = found[f"uses: {use}"]
        own = [None if pd.isna(cell) else cell for cell in own]
        assert own == slowly(TRIPS["uses"], use)
    answered = ["not picked" if pd.isna(cell) else "picked" for cell in TRIPS["uses"]]
    assert found["uses: any answer"].tolist() == answered
    assert sorted(preparer.answers("uses")) == sorted(USES)
    assert preparer.answers("color") is None
    assert preparer.category("uses: bus", "car;bus") == "picked"


def test_answers_share_the_weight_of_a_column(preparer):
    weights = preparer.column_weights_
    assert set(weights) == NAMES | {"uses: any answer"}
    encoder = TableEncoder(2, column_weights={"uses": 3, "uses: bus": 0, "color": 2}).fit(TRIPS)
    own = dict(zip(encoder.vocabulary_.columns, encoder._model.factors, strict=True))
    expected = {name: 3 * weight for name, weight in weights.items()} | {"color": 2, "size": 1}
    assert own == pytest.approx(expected | {"uses: bus": 0})
    by_position = TableEncoder(2, column_weights={0: 3, "uses: bus": 0, 1: 2}).fit(TRIPS)
    assert np.array_equal(by_position._model.factors, encoder._model.factors)
    with pytest.raises(ValueError, match="column_weights names column 'uses' twice; keep one"):
        TableEncoder(2, column_weights={0: 3, "uses": 2}).fit(TRIPS)
    prepared = TableEncoder(2, preparer=None, column_weights=weights)
    prepared.set_params(missing="neutral").fit(preparer.transform(TRIPS))
    as_it_is = TableEncoder(2).fit(TRIPS)
    assert np.allclose(prepared.transform(preparer.transform(TRIPS)), as_it_is.transform(TRIPS))


def test_a_weight_counts_as_so_many_rows():
    times = np.random.default_rng(0).integers(1, 4, len(TRIPS))
    repeated = TRIPS.loc[np.repeat(np.arange(len(TRIPS)), times)]
    one, other = Preparer().fit(TRIPS, sample_weight=times), Preparer().fit(repeated)
    assert one.column_weights_ == other.column_weights_
    assert one.notes_ == other.notes_


def test_cells_without_answers_are_neutral_and_told_apart_once(preparer):
    encoder = TableEncoder(2).fit(TRIPS)
    for name, values in zip(encoder.vocabulary_.columns, encoder.vocabulary_.values, strict=True):
        assert None not in values, name
    assert len(missing_together(encoder)) == 0
    few = TRIPS.assign(uses=TRIPS["uses"].fillna("bus"))
    assert "uses: any answer" not in Preparer().fit(few).columns_


@pytest.mark.parametrize("engine", sorted(set(SOURCES) - {"batch reader"}))
def test_every_engine_gives_the_same(engine, tmp_path, preparer):
    table = pa.Table.from_pandas(TRIPS, preserve_index=False)
    found = Preparer().fit(SOURCES[engine](table, tmp_path))
    assert found.notes_ == preparer.notes_
    assert found.columns_ == preparer.columns_


def test_every_library_and_the_model(preparer, tmp_path):
    expected = preparer.transform(TRIPS).astype(object).where(lambda own: own.notna(), None)
    expected = expected.to_dict("list")
    frame = preparer.transform(pl.from_pandas(TRIPS))
    assert frame.to_dict(as_series=False) == expected
    assert preparer.transform(pa.Table.from_pandas(TRIPS)).to_pydict() == expected
    spread = preparer.transform(dd.from_pandas(TRIPS, npartitions=2)).compute().astype(object)
    assert spread.where(spread.notna(), None).to_dict("list") == expected
    TRIPS.to_csv(tmp_path / "t.csv", index=False)
    lazy = untie.scan(tmp_path / "t.csv")
    assert preparer.transform(lazy).collect().to_pydict() == expected
    clusterer = TableClusterer(2).fit(TRIPS)
    clusterer.save(tmp_path / "m.untie")
    again = load_model(tmp_path / "m.untie")
    assert np.array_equal(again.predict(TRIPS), clusterer.labels_)
    assert again.preparer_.column_weights_ == preparer.column_weights_
    assert again.preparer_.notes_ == preparer.notes_


@settings(max_examples=10)
@given(st.randoms(use_true_random=False))
def test_order_and_blanks_do_not_matter(preparer, rng):
    def written(cell):
        if pd.isna(cell):
            return None
        answers = cell.split(";")
        rng.shuffle(answers)
        return rng.choice([";", " ; ", ";;"]).join(answers)

    other = TRIPS.assign(uses=TRIPS["uses"].map(written))
    assert preparer.transform(other).equals(preparer.transform(TRIPS))
    order = rng.sample(range(len(TRIPS)), len(TRIPS))
    found = Preparer().fit(other.iloc[order, ::-1])
    assert found.column_weights_ == preparer.column_weights_
    assert {note.column: note for note in found.notes_} == {
        note.column: note for note in preparer.notes_
    }


def test_new_answers_are_ignored_and_reported(preparer):
    full = TRIPS.assign(uses=TRIPS["uses"].fillna("bus"))
    new = full[:3].assign(uses=["bus; ferry", "ferry", "car"])
    fitted = Preparer().fit(full)
    first = fitted.answers("uses")[0]
    labels = fitted.transform(new)
    assert labels.loc[1, f"uses: {first}"] == "ferry"
    others = labels.loc[1, [f"uses: {use}" for use in USES if use != first]]
    assert set(others) == {"not picked"}
    assert labels.loc[[0, 2], "uses: bus"].tolist() == ["picked", "not picked"]
    found = fitted.new_answers(new)
    assert found.to_numpy().tolist() == [[0, "uses", "ferry"], [1, "uses", "ferry"]]
    clusterer = TableClusterer(2).fit(full)
    noted = explain.assignments(clusterer, new)
    assert noted["unknown"].tolist() == [0, 1, 0]
    assert noted["note"][0] == "uses=ferry (new answer)"
    for how in ("error", "warn"):
        encoder = TableEncoder(2, handle_unknown=how).fit(full)
        said = "unknown value 'ferry' in column 'uses'"
        if how == "error":
            with pytest.raises(ValueError, match=said):
                encoder.transform(new[:1])
        else:
            with pytest.warns(UserWarning, match=said):
                encoder.transform(new[:1])


def test_rare_answers_share_a_column():
    rng = np.random.default_rng(0)
    shares = np.r_[[0.3] * 4, [0.02] * 300]
    cells = [
        ";".join(f"a{number}" for number in np.flatnonzero(rng.random(304) < shares))
        for _ in range(500)
    ]
    found = Preparer().fit(pd.DataFrame({"picks": cells, "x": ["a", "b"] * 250}))
    assert found.notes_[0].action != "split"
    said = found.notes_[0].reason
    assert "sets=['picks'] makes a column of each of the 29 most frequent" in said
    named = Preparer(sets=["p*"]).fit(pd.DataFrame({"picks": cells}))
    kept = named.answers("picks")
    assert len(kept) <= 29
    assert set(kept) >= {"a0", "a1", "a2", "a3"}
    other = named.transform(pd.DataFrame({"picks": ["a0;a1", "a0;nothing yet"]}))
    assert other["picks: other answers"].tolist() == ["not picked", "picked"]
    assert len(named.new_answers(pd.DataFrame({"picks": ["nothing yet"]}))) == 0
    assert "one for the" in named.notes_[0].reason


def test_ties_for_the_last_place_are_not_decided_by_names():
    pairs = itertools.combinations([f"a{number:02}" for number in range(31)], 2)
    cells = [";".join(pair) for pair in pairs]
    found = Preparer(sets=["x0"]).fit([[cell] for cell in [*cells, "b;c", *["b"] * 40]])
    assert found.answers("x0") == ("b",)


RNG = np.random.default_rng(1)
FIRST, LAST, CITIES = ("Ann", "Bo", "Cy", "Di"), ("Roe", "Doe", "Poe"), ("Rome", "Oslo", "Bonn")


def drawn(*parts, n=300):
    """Return cells that are made of one of each part."""
    return ["".join(str(RNG.choice(part)) for part in parts) for _ in range(n)]


NOT_LISTS = {
    "names": drawn(LAST, [", "], FIRST),
    "addresses": [f"{n} Main St, {city}, IL" for n, city in enumerate(drawn(CITIES))],
    "places": drawn(["Rome, Italy", "Oslo, Norway", "Bonn, Germany", "Genoa, Italy", "Bergen"]),
    "thousands": [f"{n:,}" for n in RNG.integers(500, 3_000_000, 300)],
    "decimals": [f"{n / 10:.1f}".replace(".", ",") for n in RNG.integers(0, 40, 300)],
    "dates": [f"{d:%b %d, %Y}" for d in pd.date_range("2020-01-01", periods=300)],
    "sentences": [f"I saw {some}, then nothing" for some in drawn(FIRST, LAST, CITIES)],
    "json": [json.dumps({"a": int(n), "b": 1}) for n in RNG.integers(0, 3, 300)],
    "lists": [str(list(some)) for some in SUBSETS * 20],
    "urls": [f"https://a.org/?x={n};https://b.org" if n else "https://b.org" for n in range(300)],
    "sequences": [",".join(RNG.choice(list("ACGT"), size=5)) for _ in range(300)],
    "labels": drawn(["yes, often", "yes, rarely", "no", "no, never"]),
    "fields": drawn(["a", "b", "c"], [";"], ["x", "y", "z"]),
    "optional fields": drawn(
        ["Elm Rd, ", "Oak St, ", "Low Ln, "], CITIES, ["", ", Apt 1", ", Apt 2"]
    ),
    "ranges": drawn(["$1,000-2,000", "$2,000-3,000", "under $1,000"]),
    "few": ["bus;car", "bus", "car"] * 100,
}


@pytest.mark.parametrize("cells", NOT_LISTS.values(), ids=list(NOT_LISTS))
def test_what_lists_no_answers_is_as_without(cells):
    frame = pd.DataFrame({"q": cells, "x": ["a", "b", "c"] * (len(cells) // 3)})
    found = Preparer().fit(frame)
    assert found.notes_ == Preparer(sets=()).fit(frame).notes_
    assert found.column_weights_ == {}


@pytest.mark.parametrize("separator", [";", "; ", "|", ",", ", ", "\n"])
def test_separators_that_are_found(separator):
    frame, _ = trips(separator=separator)
    said = repr(separator.strip(" "))
    assert f"4 answers separated by {said}, one column" in Preparer().fit(frame).notes_[0].reason


def test_separators_that_are_named(preparer):
    frame, _ = trips(separator=" / ")
    assert Preparer().fit(frame).notes_[0].action == "kept"
    found = Preparer(sets={"uses": "/"}).fit(frame)
    assert found.transform(frame).equals(preparer.transform(TRIPS))
    numbers = pd.DataFrame({"q": ["1;2", "2", "3;1", 1, 2.0] * 20})
    assert set(Preparer(sets=["q"]).fit(numbers).answers("q")) == {"1", "2", "3"}


def test_an_answer_of_all_rows_has_no_column():
    rows = [["a;b"], ["a"], ["a;c"], ["c;a;b"]] * 5
    found = Preparer(sets=["x0"]).fit(rows)
    assert set(found.columns_) == {"x0: b", "x0: c"}
    said = "2 answers separated by ';', one column each; 1 more answer in every row"
    assert found.notes_[0].reason == said


def test_columns_that_are_there_already():
    frame = TRIPS.assign(**{"uses: bus": "x"})
    assert "split" not in {note.action for note in Preparer().fit(frame).notes_}
    assert (
        "two columns would be called 'uses: bus'; rename" in Preparer().fit(frame).notes_[0].reason
    )
    with pytest.raises(ValueError, match="has a column 'uses: bus' already; rename it"):
        Preparer(sets=["uses"]).fit(frame)


def test_columns_of_answers_with_one_name_whichever_comes_first():
    other = TRIPS["uses"].str.replace("bus", "by: bus")
    frame = pd.DataFrame({"uses": other, "uses: by": TRIPS["uses"], "color": TRIPS["color"]})
    found, turned = Preparer().fit(frame), Preparer().fit(frame[frame.columns[::-1]])
    assert found.columns_ == turned.columns_[::-1]
    assert found.notes_ == turned.notes_[::-1]
    for note in found.notes_[:2]:
        assert note.action != "split"
        assert "two columns would be called 'uses: by: bus'; rename one" in note.reason
    with pytest.raises(
        ValueError, match=r"'uses: by: bus', as an answer of 'uses.*'; rename 'uses"
    ):
        Preparer(sets=["uses", "uses: by"]).fit(frame)


def test_mistakes():
    for sets, error, said in (
        ("uses", TypeError, r"sets must be 'auto' or a list of names, got 'uses': \['uses'\]"),
        (3, TypeError, "a list of names or a mapping from names to separators, got 3"),
        (["use"], ValueError, "no column 'use' in the table, which sets names"),
        ({"uses": ""}, ValueError, r"must be the text that separates its answers: \{'uses': ';'\}"),
        (
            ["color"],
            ValueError,
            r"none of its cells has one of .*Preparer\(sets=\{'color': ' / '\}\)",
        ),
        (
            {"uses": "/"},
            ValueError,
            r"'uses', .* none .* has '/'; they have ';'; name .*\(sets=\{'uses': ';'\}\)",
        ),
        ({"color": "/"}, ValueError, r"'color', .* none of its cells has '/'; name what separates"),
    ):
        with pytest.raises(error, match=said):
            Preparer(sets=sets).fit(TRIPS)
    with pytest.raises(ValueError, match="sets names the column 'uses', which is not to be used"):
        Preparer(sets=["uses"], drop=["uses"]).fit(TRIPS)
    with pytest.raises(ValueError, match="sets and categorical both name the column 'uses'"):
        Preparer(sets=["uses"], categorical=["uses"]).fit(TRIPS)
    with pytest.raises(ValueError, match=r"split, 4 answers .*categorical=\['uses'\]"):
        TableEncoder(2, ordered=["uses"]).fit(TRIPS)
    with pytest.raises(ValueError, match="'uses' was split into a column for each answer"):
        explain.alike_values(TableEncoder(2).fit(TRIPS), "uses")


def test_what_is_said_of_clusters():
    clusterer = TableClusterer(2).fit(TRIPS)
    names = cluster_names(clusterer, TRIPS, labels=CLASSES)["name"].tolist()
    assert "uses: bus picked" in names[0]
    assert "uses: car picked" in names[1]
    profile = cluster_profile(clusterer, TRIPS, labels=CLASSES)
    assert set(profile["value"]) == {"picked", "not picked", "red", "blue", *"SML"}
    assert len(outliers(clusterer, TRIPS))
    assert "uses: bus" in explain.drift(clusterer, TRIPS[:60]).columns["column"].tolist()


def test_names_of_an_array():
    preparer = Preparer().fit(TRIPS.to_numpy())
    assert preparer.get_feature_names_out(["q", "c", "s"])[0] == "q: " + preparer.answers("x0")[0]
