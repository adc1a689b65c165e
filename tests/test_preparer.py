import math
from datetime import date, datetime, timedelta

import dask.dataframe as dd
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import untie
from lazy_sources import SOURCES
from untie import Note, Preparer, TableEncoder, load_model
from untie._prepare.note import Reason
from untie._table.column_codes import is_missing
from untie._table.frames import columns_of
from untie.explain import weight_shares, why_similar

N = 400


@pytest.fixture
def people():
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "passenger": np.arange(1, N + 1),
            "name": [f"Mr. {number % 2} {number}" for number in range(N)],
            "story": [f"the {n}th of many words that tell something" for n in range(N)],
            "age": rng.integers(0, 90, N).astype(float),
            "fare": rng.lognormal(2, 1, N),
            "grade": rng.integers(1, 4, N),
            "sex": rng.choice(["m", "f"], N),
            "born": [date(1950, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 20000, N)],
            "planet": "earth",
            "alive": rng.random(N) > 0.5,
            "town": rng.choice([f"town {n}" for n in range(150)], N),
            "nothing": [None] * N,
        }
    )
    frame.loc[::7, "age"] = np.nan
    frame.loc[::5, "sex"] = None
    return frame


def prepare(data, sample_weight=None, **parameters):
    return Preparer(**parameters).fit(data, sample_weight=sample_weight)


def decided(preparer):
    return preparer._preparation


def said(preparer):
    return {note.column: (note.action, note.reason) for note in preparer.notes_}


def test_every_column_is_accounted_for(people):
    preparer = prepare(people)
    notes = said(preparer)
    assert list(notes) == list(people.columns)
    assert notes["passenger"] == ("left out", "looks like an id")
    assert notes["name"] == ("left out", "looks like an id; names the rows")
    assert notes["story"] == ("left out", "looks like free text")
    assert notes["age"] == ("binned", "into 35 ranges")
    assert notes["fare"] == ("binned", "into 35 ranges")
    order = "its 3 numbers are categories; TableEncoder(ordered=['grade']) keeps their order"
    assert notes["grade"] == ("kept", order)
    assert notes["planet"] == ("left out", "every row is 'earth'")
    assert notes["alive"] == ("kept", "")
    assert notes["nothing"] == ("left out", "all cells are missing")
    action, reason = notes["town"]
    assert action == "grouped"
    assert reason.endswith("values are merged into 'other'")
    assert preparer.columns_ == ("age", "fare", "grade", "sex", "born", "alive", "town")


def test_cells_become_what_the_notes_say(people):
    people.index = range(1000, 1000 + N)
    preparer = prepare(people)
    result = preparer.transform(people)
    assert list(result.columns) == list(preparer.columns_)
    assert (result.index == people.index).all()
    assert (result["age"].isna() == people["age"].isna()).all()
    assert (result["sex"].isna() == people["sex"].isna()).all()
    assert result["grade"].equals(people["grade"])
    assert set(result["age"].dropna()) == set(preparer.ranges("age"))
    assert preparer.ranges("sex") is None
    sizes = result["fare"].value_counts()
    assert sizes.max() - sizes.min() <= 1  # no fare repeats
    frequent = people["town"].value_counts()
    kept = set(result["town"]) - {"other"}
    assert len(kept) == (frequent > frequent.iloc[99]).sum()
    assert frequent[list(kept)].min() > frequent[~frequent.index.isin(kept)].max()


def range_holds(label, number, is_whole):
    """Read a label as a person would."""
    words = label.split()
    if words[0] == "up":
        return number <= float(words[2])
    if words[0] == "over":
        return number > float(words[1])
    low = float(words[0])
    high = float(words[-1])
    return (low <= number if is_whole else low < number) and number <= high


@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=30, max_size=80, unique=True),
    st.integers(2, 9),
    st.sampled_from([1, 7, 1000]),
)
def test_labels_are_true_of_the_numbers_in_them(numbers, bins, divisor):
    cells = [number / divisor for number in numbers]
    is_whole = all(cell == int(cell) for cell in cells)
    frame = pd.DataFrame({"x": cells})
    preparer = prepare(frame, columns=["x"], bins=bins)
    beyond = [min(cells) - 1, max(cells) + 1]
    result = preparer.transform(pd.DataFrame({"x": [*cells, *beyond]}))["x"]
    for number, label in zip([*cells, *beyond], result, strict=True):
        assert range_holds(label, number, is_whole)
    assert len(preparer.ranges("x")) == len(set(preparer.ranges("x"))) <= bins
    assert set(preparer.ranges("x")) == set(result)  # none is empty
    ranks = [preparer.ranges("x").index(label) for label in result[: len(cells)]]
    assert [r for _, r in sorted(zip(cells, ranks, strict=True))] == sorted(ranks)


@pytest.mark.parametrize("zeros", ["first", "last"])
def test_a_number_that_is_nearly_always_the_same(zeros):
    rare = list(range(1, 40))
    cells = [0] * 2000 + (rare if zeros == "first" else [-number for number in rare])
    preparer = prepare(pd.DataFrame({"x": cells}))
    expected = ("0", "over 0") if zeros == "first" else ("up to -1", "over -1")
    assert preparer.ranges("x") == expected


def test_weights_move_the_ranges():
    frame = pd.DataFrame({"x": range(100), "y": ["a", "b"] * 50, "w": [0.0] * 50 + [2.0] * 50})
    preparer = prepare(frame, columns=["x", "y"], bins=2, sample_weight="w")
    assert preparer.ranges("x") == ("up to 74", "over 74")
    assert said(preparer)["w"] == ("left out", "holds the weights")
    assert list(preparer.transform(frame, keep=["w"]).columns) == ["x", "y", "w"]


def test_dates_are_named_by_the_coarsest_period_that_tells_them_apart():
    start = date(2000, 1, 1)
    for step, labels in [
        (timedelta(days=366), "until 2008"),
        (timedelta(days=31), "until 2000-09"),
        (timedelta(days=1), "until 2000-01-09"),
    ]:
        cells = [start + n * step for n in range(60)]
        for column in (cells, [cell.isoformat() for cell in cells]):
            preparer = prepare(pd.DataFrame({"x": column}))
            assert preparer.ranges("x")[0] == labels
            assert len(preparer.ranges("x")) == 7  # of 60 rows, eight or nine each
    seconds = [datetime(2000, 1, 1) + timedelta(seconds=n) for n in range(60)]
    assert prepare(pd.DataFrame({"x": seconds})).ranges("x")[0] == "until 2000-01-01 00:00:08"


def test_dirty_numbers_are_binned_and_the_dirt_stays():
    cells = [*map(str, range(100)), "unknown", "n/a", None] * 3
    preparer = prepare(pd.DataFrame({"age": cells}), bins=5)
    assert (
        said(preparer)["age"][1]
        == "into 5 ranges; not numbers, kept as values of their own: 'unknown'; if that means "
        "missing, name it with all that do: missing=['unknown']; read as "
        "missing: 'n/a' (3 rows)"
    )
    rows = pd.DataFrame({"age": ["12", 13.0, "unknown", "dead", None, "n/a"]})
    result = preparer.transform(rows)
    assert result["age"].tolist()[:4] == ["up to 19", "up to 19", "unknown", "dead"]
    assert result["age"].isna().tolist() == [False] * 4 + [True] * 2


def test_values_that_often_mean_missing_are_pointed_out():
    frame = pd.DataFrame({"x": ["a", "?", "b", "NA", "-", "none", None] * 3})
    reason = "read as missing: '-' (3 rows), '?' (3 rows), 'NA' (3 rows)"
    kept = "'none' counted as a value, not as missing"
    preparer = prepare(frame)
    assert said(preparer)["x"] == ("kept", f"{kept}; {reason}")
    assert preparer.transform(frame)["x"].isna().sum() == 12
    named = prepare(frame, missing=["?", "none"])
    kept = "'-', 'NA' counted as a value, not as missing"
    reason = "read as missing: '?' (3 rows), 'none' (3 rows)"
    assert said(named)["x"] == ("kept", f"{kept}; {reason}")
    off = prepare(frame, missing=[])
    assert said(off)["x"] == ("kept", "")
    assert off.transform(frame)["x"].isna().sum() == 3


def test_codes_with_leading_zeros_are_no_numbers():
    preparer = prepare(pd.DataFrame({"zip": [f"{n:05}" for n in range(30)] * 4}))
    assert said(preparer)["zip"] == ("kept", "")


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("id", np.random.default_rng(0).permutation(10**6)[:100], "left out"),
        ("customer_id", np.random.default_rng(0).permutation(10**6)[:100], "left out"),
        ("income", np.random.default_rng(0).permutation(10**6)[:100], "binned"),
        ("weight", np.random.default_rng(0).random(500), "binned"),
        ("order", 10**6 + np.random.default_rng(0).permutation(9 * 10**6)[:300], "left out"),
        ("order", 10**4 + np.random.default_rng(0).integers(1, 10, 300).cumsum(), "left out"),
        ("order", 10 * np.random.default_rng(0).permutation(100), "left out"),
        ("caller", np.random.default_rng(0).integers(2 * 10**9, 10**10, 100), "left out"),
        ("grid", np.random.default_rng(0).permutation(10**6)[:100], "binned"),
        ("animal", [f"animal {n}" for n in range(12)], "left out"),
        ("few", ["a", "b", "c", "d"], "kept"),
    ],
)
def test_ids_are_told_from_measurements(name, cells, expected):
    frame = pd.DataFrame({name: cells, "other": ["u", "v"] * (len(cells) // 2)})
    assert said(prepare(frame))[name][0] == expected


RNG = np.random.default_rng(3)
TRIPS = 1200


@pytest.mark.parametrize(
    ("name", "cells", "action"),
    [
        ("id", 1 + np.arange(TRIPS) % 300, "left out"),  # counts the rows of each year
        ("customer_id", RNG.integers(1, 500, TRIPS), "left out"),
        ("customerID", [f"c{n}" for n in RNG.integers(0, 500, TRIPS)], "left out"),
        ("id_customer", RNG.integers(1, 500, TRIPS).astype(float), "left out"),
        ("station_id", RNG.choice([17, 120, 211, 303, 405, 509, 610, 733], TRIPS), "kept"),
        ("station_id", RNG.integers(100, 150, TRIPS), "kept"),
        ("party_id", RNG.choice(["left", "right"], TRIPS), "kept"),
        ("partyid", RNG.integers(1, 500, TRIPS), "binned"),
        ("grid", RNG.integers(1, 500, TRIPS), "binned"),
        ("paid", RNG.integers(1, 500, TRIPS), "binned"),
        ("id_score", RNG.normal(size=TRIPS), "binned"),
        ("id_change", RNG.integers(-500, 500, TRIPS), "binned"),
    ],
)
def test_a_name_that_says_id(name, cells, action):
    note = prepare(pd.DataFrame({name: cells, "other": ["u", "v"] * (TRIPS // 2)})).notes_[0]
    assert note.action == action
    assert (Reason.ID in note.reasons) == (action == "left out")
    asked = prepare(pd.DataFrame({name: cells}), categorical=[name])
    assert asked.columns_ == (name,)


@pytest.mark.parametrize("n", [5, 12, 20, 21, 35, 50, 51, 400])
@pytest.mark.parametrize("first", [0, 1])
def test_row_counters_in_tables_of_any_size(n, first):
    counter = np.random.default_rng(n).permutation(n) + first
    frame = pd.DataFrame({"x": counter, "text": counter.astype(str), "k": ["a", "b", "c"][n % 3]})
    frame["k"] = np.resize(["a", "b", "b"], n)
    notes = said(prepare(frame, row_names=None))
    assert notes["x"] == notes["text"] == ("left out", "looks like an id")
    frame["x"] += 1950 - first  # years
    if n <= 50:
        assert said(prepare(frame))["x"][0] != "left out"


def test_sparse_amounts_are_no_ids():
    rng = np.random.default_rng(0)
    for n_known in (60, 200, 500):
        for amounts in (
            rng.lognormal(16, 1.2, n_known).round(),
            rng.integers(10**6, 10**7, n_known),
            1000 + rng.integers(1, 10, n_known).cumsum(),
        ):
            cells = np.full(1500, np.nan)
            cells[rng.permutation(1500)[:n_known]] = amounts
            frame = pd.DataFrame({"US DVD Sales": cells, "order_id": cells})
            frame["other"] = ["u", "v"] * 750
            notes = said(prepare(frame))
            assert notes["US DVD Sales"][0] == "binned"
            assert notes["order_id"] == ("left out", "looks like an id")


@pytest.mark.parametrize(
    ("name", "cells", "action"),
    [
        ("zip", RNG.choice([2134, 10115, 20095, 98101], TRIPS), "kept"),
        ("ZIP Code", RNG.integers(98100, 98190, TRIPS), "kept"),
        ("zip_code", RNG.integers(98100, 98190, TRIPS).astype(float), "kept"),
        ("zip_code", RNG.integers(98100, 98190, TRIPS).astype(str), "kept"),
        ("homeZip", RNG.integers(98100, 98190, TRIPS), "kept"),
        ("Postcode", RNG.integers(10000, 10090, TRIPS), "kept"),
        ("phone", 5550000 + RNG.integers(0, 90, TRIPS), "kept"),
        ("country_code", RNG.integers(1, 90, TRIPS), "kept"),
        ("area", [f"{n:04}" for n in RNG.integers(996, 1086, TRIPS)], "kept"),
        ("branch", [f"{n:04}" for n in 7 + 200 * RNG.integers(0, 45, TRIPS)], "kept"),
        ("zipf", RNG.integers(98100, 98190, TRIPS), "binned"),
        ("phone_minutes", RNG.integers(100, 190, TRIPS), "binned"),
        ("lines_of_code", RNG.integers(100, 190, TRIPS), "binned"),
        ("code_length", RNG.integers(100, 190, TRIPS), "binned"),
        ("zip", RNG.normal(size=TRIPS), "binned"),
        ("income", RNG.integers(10000, 10090, TRIPS), "binned"),
    ],
)
def test_codes_are_categories(name, cells, action):
    frame = pd.DataFrame({name: cells, "other": ["u", "v"] * (TRIPS // 2)})
    preparer = prepare(frame)
    assert preparer.notes_[0].action == action
    if action == "kept":
        assert preparer.transform(frame)[name].nunique() == len(set(cells))
        are_many = len(set(cells)) > 20 and name != "branch"  # which has no numbers
        assert (Reason.CODES in preparer.notes_[0].reasons) == are_many


def test_many_codes_are_merged(tmp_path):
    rng = np.random.default_rng(0)
    codes = 98100 + (rng.pareto(1, 3000) * 9).astype(int) % 300
    frame = pd.DataFrame({"zip_code": codes, "other": ["u", "v"] * 1500})
    preparer = prepare(frame)
    assert preparer.notes_[0].action == "grouped"
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert prepare(untie.scan(tmp_path / "t.csv")).notes_ == preparer.notes_


MEASURED = {
    "sales": lambda rng, n: rng.lognormal(9, 1, n),
    "population": lambda rng, n: rng.lognormal(10, 1.5, n),
    "area": lambda rng, n: rng.lognormal(12, 1, n),
    "distance": lambda rng, n: rng.uniform(0, 1e5, n),
    "steps": lambda rng, n: rng.uniform(1_000, 9_999, n),
    "mass": lambda rng, n: rng.normal(7e4, 1.2e4, n),
    "seconds": lambda rng, n: rng.uniform(1.6e9, 1.63e9, n),
}


@pytest.mark.parametrize("name", MEASURED)
@pytest.mark.parametrize("n_rows", [60, 200, 440])
def test_no_unit_makes_a_measurement_an_id(name, n_rows):
    cells = MEASURED[name](np.random.default_rng(n_rows), n_rows).round()
    units = {"1": cells, "1000": cells * 1000, "2.54": cells * 2.54, "7": cells * 7 + 3}
    notes = said(prepare(pd.DataFrame(units)))
    assert {note[0] for note in notes.values()} == {"binned"}


def test_columns_that_are_asked_for_are_never_left_out(people):
    names = ["passenger", "name", "story", "planet"]
    preparer = prepare(people, columns=names)
    assert preparer.columns_ == tuple(names)
    assert said(preparer)["age"] == ("left out", "as asked")
    assert preparer.transform(people)["name"].nunique() == 100


def test_columns_can_be_dropped(people):
    preparer = prepare(people, drop=["age", "town"])
    assert said(preparer)["town"] == ("left out", "as asked")
    assert "age" not in preparer.columns_


def test_a_column_with_too_many_values_is_left_out():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": [f"v{n}" for n in rng.integers(0, 3000, 3000)], "y": ["a", "b"] * 1500}
    )
    action, reason = said(prepare(frame, max_categories=50))["x"]
    assert action == "left out"
    assert reason.endswith("values, hardly any of them frequent")


@pytest.mark.parametrize("weighted", [False, True])
def test_names_do_not_decide_which_values_are_merged(weighted):
    # Two values are frequent, and four of equal frequency would have one place.
    cells = pd.Series(["a"] * 9 + ["b"] * 8 + ["c", "d", "e", "f"] * 3)
    # 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1.
    of_rare = [0.1, 0.3, 0.1, 0.3] + [0.2] * 4 + [0.3, 0.1, 0.3, 0.1]
    weights = np.append(np.ones(17), of_rare) if weighted else None
    found = []
    for names in ("abcdef", "fedcba"):
        column = cells.map(dict(zip("abcdef", names, strict=True)))
        preparer = Preparer(max_categories=4).fit(column.to_frame("x"), sample_weight=weights)
        found.append(pd.factorize(preparer.transform(column.to_frame("x"))["x"])[0].tolist())
    assert found[0] == found[1] == [0] * 9 + [1] * 8 + [2] * 12


def test_names_decide_where_all_values_are_equally_frequent():
    frame = pd.DataFrame({"x": [f"v{n % 6}" for n in range(30)]})
    result = prepare(frame, max_categories=4).transform(frame)["x"]
    assert set(result) == {"v0", "v1", "v2", "other"}


def test_other_is_another_word_where_it_is_a_value():
    frame = pd.DataFrame({"x": ["other"] * 9 + [f"v{n % 9}" for n in range(30)]})
    result = prepare(frame, max_categories=4).transform(frame)["x"]
    assert "other (2)" in set(result)
    assert (result == "other").sum() == 9


@pytest.mark.parametrize("library", ["polars", "pyarrow", *SOURCES, "dask"])
def test_all_libraries_agree(people, library, tmp_path):
    expected = prepare(people)
    cells = expected.transform(people).astype(object).where(lambda f: f.notna(), None)
    data = table = pa.Table.from_pandas(people, preserve_index=False)
    if library == "polars":
        data = pl.from_arrow(table)
    elif library == "dask":
        data = dd.from_pandas(people, npartitions=3)
    elif library in SOURCES:
        data = SOURCES[library](table, tmp_path)
    if library == "batch reader":
        with pytest.raises(ValueError, match="can be read only once"):
            prepare(data)
        return
    preparer = prepare(data)
    assert decided(preparer) == decided(expected)
    result = preparer.transform(data)
    if library == "dask":
        result = pa.Table.from_pandas(result.compute(), preserve_index=False)
    elif library in SOURCES:
        result = result.collect()
    elif library == "polars":
        assert isinstance(result, pl.DataFrame)
        result = result.to_arrow()
    assert result.to_pylist() == cells.to_dict("records")


def test_a_lazy_result_reads_only_what_is_asked(people, tmp_path):
    people.to_parquet(tmp_path / "people.parquet")
    lazy = untie.scan(tmp_path / "people.parquet")
    prepared = prepare(lazy).transform(lazy, keep=["name"])
    part = prepared.select(["name", "age"]).collect()
    assert part.column_names == ["name", "age"]
    assert part["age"].to_pylist() == prepared.collect()["age"].to_pylist()
    assert (
        untie.TableEncoder(2, preparer=None).fit(prepared.select(["sex", "age"])).n_features_in_
        == 2
    )


def test_an_array_gets_names():
    rows = [["a", n] for n in range(50)] + [["b", n] for n in range(50)]
    preparer = prepare(rows, bins=5)
    assert preparer.columns_ == ("x0", "x1")
    assert preparer.transform(rows)["x1"][0] == "up to 9"


def test_names_that_are_no_text():
    frame = pd.DataFrame({0: ["a", "b"] * 30, 1: range(60)})
    assert list(prepare(frame, columns=["0", "1"]).transform(frame).columns) == ["0", "1"]


def test_nested_cells_are_left_out_or_refused():
    frame = pl.DataFrame({"x": [[1], [2]], "y": ["a", "b"]})
    action, reason = said(prepare(frame))["x"]
    assert action == "left out"
    assert reason.startswith("its cells are lists or objects, not single values; join the")
    assert "array_to_string(COLUMN, ';')" in reason
    with pytest.raises(ValueError, match=r"Leave the column 'x' out.*map\(';'.join\)"):
        prepare(frame, columns=["x"])


def test_types_may_differ_between_files():
    codes = prepare(pd.DataFrame({"code": ["7", "7B", "8"] * 5}))
    assert codes.transform(pl.DataFrame({"code": [7, 8, None]}))["code"].to_list() == [
        "7",
        "8",
        None,
    ]
    assert codes.transform(pd.DataFrame({"code": [7.0, 8.0]}))["code"].tolist() == ["7", "8"]
    numbers = prepare(pd.DataFrame({"code": [7, 8] * 5}))
    result = numbers.transform(pl.DataFrame({"code": ["7", "8", "x", None]}))["code"].to_list()
    assert result == [7, 8, np.inf, None]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([True, False, None], ["True", "False", None]),
        (["true", "FALSE ", "maybe"], ["True", "False", "maybe"]),
        ([1, 0, 2], ["True", "False", "2"]),
        ([1.0, 0.0, None], ["True", "False", None]),
    ],
)
def test_booleans_may_be_text_or_numbers_in_other_files(make, cells, expected):
    preparer = prepare(make({"smoker": [True, False, None] * 5}))
    prepared = nw.from_native(preparer.transform(make({"smoker": cells})))["smoker"]
    assert [None if cell != cell else cell for cell in prepared.to_list()] == expected


def test_a_preparer_survives_in_a_file(people, tmp_path):
    preparer = prepare(people, columns=("sex", "born", "fare", "town"), bins=4)
    preparer.set_output(transform="polars").save(tmp_path / "p.untie")
    again = load_model(tmp_path / "p.untie")
    assert isinstance(again, Preparer)
    assert again.get_params() == preparer.get_params()
    assert decided(again) == decided(preparer)
    assert (again.feature_names_in_ == people.columns).all()
    assert again.transform(people).equals(preparer.transform(people))
    assert again.decisions().equals(preparer.decisions())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["Age"]}, "no column 'Age' in the table, which columns names; did you mean"),
        ({"drop": ["xyz"]}, "no column 'xyz' in the table, which drop names; its columns are"),
        ({"sample_weight": "w"}, "no column 'w'"),
        ({"sample_weight": "sex"}, "Column 'sex' can't hold the weights"),
        ({"bins": 1}, "bins must be"),
        ({"bins": 2.5}, "bins must be"),
        ({"max_categories": True}, "max_categories must be"),
        ({"columns": []}, "No column is left"),
    ],
)
def test_mistakes_are_named(people, options, message):
    with pytest.raises(ValueError, match=message):
        prepare(people, **options)


@pytest.mark.parametrize(
    ("frame", "remedy"),
    [
        (pd.DataFrame({"id": range(300), "k": "c"}), r"name them: Preparer\(columns=\['id'\]\)\.$"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), "1 sample; .*, so pass more rows\\.$"),
        (pd.DataFrame({"a": ["x"] * 9, "b": ["y"] * 9}), "all alike .*; pass rows that differ\\.$"),
    ],
    ids=["ids", "one row", "equal rows"],
)
def test_a_remedy_is_named_where_it_helps(frame, remedy):
    with pytest.raises(ValueError, match=f"No column is left to learn from .*{remedy}") as error:
        prepare(frame)
    assert ("all the same" in str(error.value)) == ("columns=" in str(error.value))


def test_cells_among_dates_are_not_called_numbers():
    days = [*map(str, pd.date_range("2024-01-01", periods=60).date), "never", "soon"]
    note = said(prepare(pd.DataFrame({"day": days * 2})))["day"][1]
    assert "not dates, kept as values of their own: 'never', 'soon'; if they mean missing, " in note
    assert "missing=['never', 'soon']" in note


def test_one_name_is_no_list(people):
    with pytest.raises(TypeError, match="columns must be a list"):
        prepare(people, columns="age")


def test_new_rows_need_the_columns(people):
    with pytest.raises(ValueError, match="no columns 'age', 'fare'"):
        prepare(people).transform(people[["sex"]])


def test_no_rows_can_be_prepared_but_not_learned_from(people):
    assert len(prepare(people).transform(people[:0])) == 0
    with pytest.raises(ValueError, match="minimum of 1"):
        prepare(people[:0])


def test_notes_read_as_sentences():
    assert str(Note("a", "kept")) == "a: kept"
    assert str(Note("a", "binned", {Reason.RANGES: {"n": 2}})) == "a: binned into 2 ranges"


FRAMES = {
    "pandas": lambda t: t,
    "polars": lambda t: pl.from_arrow(pa.Table.from_pandas(t, preserve_index=False)),
    "pyarrow": lambda t: pa.Table.from_pandas(t, preserve_index=False),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_decisions_are_a_frame_of_the_tables_library(people, make):
    preparer = prepare(make(people))
    found = preparer.decisions()
    assert type(found) is type(make(people))
    lines = columns_of(found)
    expected = [(note.column, note.action, note.reason) for note in preparer.notes_]
    assert list(zip(*lines.values(), strict=True)) == expected
    assert list(lines) == ["column", "action", "reason"]
    assert set(lines["action"]) == {"kept", "binned", "grouped", "left out"}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_output_can_be_of_another_library(people, make, library):
    expected = prepare(people).transform(people)
    preparer = clone(Preparer().set_output(transform=library)).fit(make(people))
    found = preparer.transform(make(people))
    assert type(found).__module__.startswith(library)
    for name, cells in columns_of(found).items():
        missing = pd.isna(expected[name])
        assert [is_missing(cell) for cell in cells] == missing.tolist()
        assert [cell for cell in cells if not is_missing(cell)] == expected[name][~missing].tolist()
    with config_context(transform_output=library):
        assert type(prepare(make(people)).transform(make(people))) is type(found)
    default = preparer.set_output(transform="default").transform(make(people))
    assert type(default) is type(make(people))
    assert type(preparer.set_output().transform(make(people))) is type(default)


def test_outputs_that_can_not_be(people):
    with pytest.raises(ValueError, match="transform must be one of"):
        Preparer().set_output(transform="csv")
    lazy = pl.from_pandas(people[["age", "sex"]]).lazy()
    preparer = prepare(lazy).set_output(transform="pandas")
    with pytest.raises(ValueError, match="stays one, and is no pandas frame"):
        preparer.transform(lazy)


def test_names_of_what_comes_out(people):
    preparer = prepare(people.assign(w=1.0), sample_weight="w", columns=["age", "sex"])
    assert preparer.get_feature_names_out().tolist() == ["age", "sex"]
    assert preparer.get_feature_names_out(people.columns).tolist() == ["age", "sex"]
    assert preparer.n_features_in_ == people.shape[1]
    with pytest.raises(ValueError, match="input_features is not equal"):
        preparer.get_feature_names_out(["a"] * people.shape[1])
    rows = [["a", "z", n] for n in range(50)] + [["b", "z", n] for n in range(50)]
    array = prepare(rows)
    assert array.get_feature_names_out().tolist() == ["x0", "x2"]
    assert array.get_feature_names_out(["a", "b", "c"]).tolist() == ["a", "c"]
    with pytest.raises(ValueError, match="2 features, but Preparer is expecting 3"):
        array.transform([row[:2] for row in rows])


def test_weights_are_a_column_or_an_array(people):
    weights = np.random.default_rng(0).integers(0, 4, N).astype(float)
    array = prepare(people, sample_weight=weights)
    named = prepare(people.assign(w=weights), sample_weight="w")
    assert decided(array).rules == decided(named).rules
    assert said(array) | {"w": ("left out", "holds the weights")} == said(named)
    kept = people[weights > 0]
    present = prepare(kept, sample_weight=weights[weights > 0])
    assert decided(present) == decided(array)  # a row of weight 0 is as if absent
    repeated = prepare(people[["age", "fare"]].loc[people.index.repeat(weights)])
    assert repeated.ranges("age") == array.ranges("age")
    assert repeated.ranges("fare") == array.ranges("fare")


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (np.zeros(N), ValueError, "Every sample weight is zero"),
        (np.ones(3), ValueError, "sample_weight has shape"),
        (-np.ones(N), ValueError, "negative"),
    ],
)
def test_bad_weights(people, weights, error, message):
    with pytest.raises(error, match=message):
        prepare(people, sample_weight=weights)


def test_lazy_tables_take_a_name_of_weights_only(people):
    lazy = pl.from_pandas(people[["age", "sex"]]).lazy()
    with pytest.raises(TypeError, match="must be the name of one of its columns"):
        prepare(lazy, sample_weight=np.ones(N))


def test_what_a_value_becomes(people):
    preparer = prepare(people)
    assert preparer.category("age", 0) == preparer.ranges("age")[0]
    assert preparer.category("age", "10000") == preparer.ranges("age")[-1]
    assert preparer.category("town", "nowhere") == "other"
    assert preparer.category("sex", "m") == "m"
    with pytest.raises(ValueError, match="no column 'planet' in the prepared table"):
        preparer.category("planet", "earth")


def test_what_is_not_fitted_says_so(people, tmp_path):
    for call in (
        lambda p: p.transform(people),
        lambda p: p.decisions(),
        lambda p: p.get_feature_names_out(),
        lambda p: p.save(tmp_path / "p.untie"),
    ):
        with pytest.raises(NotFittedError):
            call(Preparer())


def test_a_failed_fit_changes_nothing(people):
    preparer = prepare(people)
    before = decided(preparer)
    with pytest.raises(ValueError, match="No column is left"):
        preparer.fit(people[["planet"]])
    assert decided(preparer) == before
    assert preparer.n_features_in_ == people.shape[1]


@pytest.mark.parametrize("library", [*FRAMES, "scan", "dask"])
def test_pipelines_learn_from_tables_as_they_come(people, library, tmp_path):
    people = people.drop(columns="nothing")
    rows = Preparer().fit_transform(people)
    expected = untie.TableEncoder(2, preparer=None).fit(rows)
    if library == "scan":
        people.to_parquet(tmp_path / "people.parquet")
        table = untie.scan(tmp_path / "people.parquet")
    elif library == "dask":
        table = dd.from_pandas(people, npartitions=3)
    else:
        table = FRAMES[library](people)
    pipeline = make_pipeline(Preparer(), untie.TableEncoder(2, preparer=None)).fit(table)
    names = expected.get_feature_names_out().tolist()
    assert pipeline.get_feature_names_out().tolist() == names
    found = pipeline.transform(table)
    if library == "scan":
        found = found.read_pandas().to_numpy()
    elif library == "dask":
        found = found.compute().to_numpy()
    np.testing.assert_array_equal(found, expected.transform(rows))


def test_pipelines_have_outputs_and_parameters(people):
    table = people.drop(columns="nothing")
    pipeline = make_pipeline(Preparer(), untie.TableEncoder(2, preparer=None)).set_output(
        transform="polars"
    )
    assert isinstance(pipeline.fit_transform(table), pl.DataFrame)
    pipeline.set_params(preparer__bins=3)
    assert len(pipeline.fit(table)[0].ranges("age")) == 3


def test_weights_in_a_pipeline(people):
    table = people.drop(columns="nothing")
    weights = np.random.default_rng(1).integers(0, 3, N).astype(float)
    pipeline = make_pipeline(Preparer(), untie.TableEncoder(2, preparer=None))
    pipeline.fit(table, preparer__sample_weight=weights, tableencoder__sample_weight=weights)
    rows = Preparer().fit_transform(table.assign(w=weights), sample_weight="w")
    expected = untie.TableEncoder(2, preparer=None).fit(rows, sample_weight=weights)
    np.testing.assert_array_equal(pipeline.transform(table), expected.transform(rows))
    clusterer = untie.TableClusterer(2, preparer=Preparer()).fit(table, sample_weight=weights)
    named = untie.TableClusterer(2, preparer=Preparer())
    named.fit(table.assign(w=weights), sample_weight="w")
    np.testing.assert_array_equal(clusterer.labels_, named.labels_)


def test_a_clusterer_prepares_in_the_tables_own_library(people):
    table = pl.from_pandas(people[["age", "sex", "grade"]])
    preparer = Preparer().set_output(transform="pandas")
    clusterer = untie.TableClusterer(2, preparer=preparer).fit(table)
    assert isinstance(clusterer._prepared(table), pl.DataFrame)
    assert not hasattr(preparer, "notes_")
    shares = weight_shares(clusterer)
    assert isinstance(shares, pl.DataFrame)
    alike = why_similar(clusterer, table[[0]], table[[1]])
    assert set(alike["column"]) == {"age", "sex", "grade"}


CELLS = st.one_of(
    st.none(), st.integers(-5, 200), st.sampled_from(["a", "b", "7", "007", "n/a"]), st.floats(0, 9)
)


@given(
    st.lists(st.tuples(CELLS, st.integers(0, 40), st.integers(0, 3)), min_size=25, max_size=60),
    st.randoms(use_true_random=False),
)
def test_neither_the_order_of_rows_nor_chunks_matter(rows, rng):
    order = list(range(len(rows)))
    rng.shuffle(order)
    array = np.empty((len(rows), 3), dtype=object)
    array[:] = rows
    parameters = {"columns": ["x0", "x1", "x2"], "bins": 3, "max_categories": 6}
    whole = prepare(array, **parameters)
    shuffled = prepare(array[order], **parameters)
    assert decided(whole) == decided(shuffled)
    cells = whole.transform(array)
    assert cells.iloc[order].reset_index(drop=True).equals(shuffled.transform(array[order]))
    half = len(rows) // 2
    parts = [whole.transform(part) for part in (array[:half], array[half:])]
    assert pd.concat(parts, ignore_index=True).astype(object).equals(cells.astype(object))
    table = pa.table({f"x{column}": list(map(str, array[:, column])) for column in range(3)})
    chunks = ds.dataset([table.slice(0, half), table.slice(half)])
    assert decided(prepare(chunks, **parameters)) == decided(prepare(table, **parameters))


NUMBERS_AS = {
    "array": lambda cells: np.array(cells),
    "list": lambda cells: cells,
    "objects": lambda cells: np.array(cells, dtype=object),
}
FRAMES_AS = {
    "integers": lambda frame: frame,
    "objects": lambda frame: frame.astype(object),
    "categories": lambda frame: frame.astype("category"),
    "floats": lambda frame: frame.astype(float),
    "text": lambda frame: frame.astype(str),
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
}


@pytest.mark.parametrize("ways", [NUMBERS_AS, FRAMES_AS], ids=["arrays", "frames"])
def test_numbers_that_are_kept_are_the_same_in_every_form(ways):
    cells = [[n % 5, n % 3] for n in range(40)]
    table = cells if ways is NUMBERS_AS else pd.DataFrame(cells, columns=["a", "b"])
    for fitted_on in ways:
        if fitted_on == "text":  # where they are text to the encoder, too
            continue
        pipeline = make_pipeline(Preparer(), TableEncoder(2, preparer=None)).fit(
            ways[fitted_on](table)
        )
        expected = pipeline.transform(ways[fitted_on](table))
        for form, make in ways.items():
            np.testing.assert_allclose(pipeline.transform(make(table)), expected, err_msg=form)


def test_a_lazy_table_has_the_types_that_it_says(tmp_path):
    table = pd.DataFrame({"k": [n % 5 for n in range(40)], "c": ["x", "y"] * 20})
    table.to_csv(tmp_path / "table.csv", index=False)
    preparer = Preparer().fit(table)
    lazy = preparer.transform(untie.scan(tmp_path / "table.csv", types="text"))
    found = {batch.schema.field("k").type for batch in lazy.pieces()}
    assert found == {lazy.schema.field("k").type}


def test_a_column_that_is_used_may_be_kept_on_every_engine():
    table = pd.DataFrame({"k": [n % 5 for n in range(40)], "c": ["x", "y"] * 20})
    preparer = Preparer().fit(table)
    found = preparer.transform(dd.from_pandas(table, npartitions=2), keep=["c"]).compute()
    assert list(found.columns) == list(preparer.transform(table, keep=["c"]).columns)


def test_numbers_that_are_names_stay_as_they_are(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "flight": rng.integers(100, 160, 400),
            "delay": rng.normal(size=400),
            "day": pd.date_range("2024-01-01", periods=40).repeat(10),
            "ticket": np.arange(400),
        }
    )
    usual = Preparer().fit(table)
    assert [note.action for note in usual.notes_] == ["binned", "binned", "binned", "left out"]
    named = Preparer(categorical=["flight", "day", "ticket"]).fit(table)
    assert [note.action for note in named.notes_] == ["kept", "binned", "kept", "grouped"]
    found = named.transform(table)
    assert found["flight"].tolist() == table["flight"].tolist()
    assert found["ticket"].nunique() == 100
    named.save(tmp_path / "p.untie")
    again = load_model(tmp_path / "p.untie")
    assert again.categorical == ["flight", "day", "ticket"]
    pd.testing.assert_frame_equal(again.transform(table), found)


def test_names_of_columns_that_can_not_be_categorical():
    table = pd.DataFrame({"flight": range(60), "day": ["mon", "tue"] * 30})
    with pytest.raises(ValueError, match=r"no column 'fligt' .*which categorical names"):
        Preparer(categorical=["fligt"]).fit(table)
    with pytest.raises(TypeError, match=r"categorical must be a list of names, got 'flight'"):
        Preparer(categorical="flight").fit(table)
    for other in ({"drop": ["flight"]}, {"columns": ["day"]}):
        with pytest.raises(ValueError, match="categorical names the column 'flight', which is not"):
            Preparer(categorical=["flight"], **other).fit(table)


def test_patterns_name_columns():
    rng = np.random.default_rng(0)
    names = ["A1", "A2", "B1", "A*", "x(1)", "x(2)"]
    table = pd.DataFrame({name: rng.integers(0, 40, 300) for name in names})

    def used(**options):
        return Preparer(**options).fit(table).columns_

    assert used(columns=["B?", "x(*"]) == ("B1", "x(1)", "x(2)")
    assert used(columns=["A*"]) == ("A*",)  # the name of a column is no pattern
    assert used(columns=["?1", "A1"]) == ("A1", "B1")
    assert used(drop=["*1*"]) == ("A2", "A*", "x(2)")
    actions = {n.column: n.action for n in Preparer(categorical=["x*", "A?"]).fit(table).notes_}
    assert [actions[name] for name in names] == [*["kept"] * 2, "binned", *["kept"] * 3]
    with pytest.raises(ValueError, match=r"no column 'C\*' in the table, which drop names"):
        used(drop=["C*"])
    preparer = Preparer(drop=["*1*"])
    assert clone(preparer.fit(table)).drop == ["*1*"]


BLANKS = {
    "pandas": lambda table: table,
    "categories": lambda table: table.astype("category"),
    "polars": pl.from_pandas,
    "pyarrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
}


@pytest.mark.parametrize("make", BLANKS.values(), ids=BLANKS)
def test_blanks_around_words_make_no_other_word(make, tmp_path):
    cells = ["No", "No ", " No", "Yes", "no", "  ", None, "don't  know"] * 20
    table = pd.DataFrame({"answer": cells, "other": ["a ", "b"] * 80})
    preparer = prepare(make(table))
    assert said(preparer)["answer"] == (
        "kept",
        "values that differ in case or blanks alone stay apart: 'No', 'no'; read without the "
        "blanks around ' No', 'No '; read as missing: '  ' (20 rows)",
    )
    assert said(preparer)["other"] == ("kept", "")  # no word is the same
    result = nw.from_native(preparer.transform(make(table)))
    found = {cell for cell in result["answer"].to_list() if cell is not None and cell == cell}
    assert found == {"No", "Yes", "no", "don't  know"}
    assert set(result["other"].to_list()) == {"a ", "b"}
    assert preparer.category("answer", "Yes  ") == "Yes"
    preparer.save(tmp_path / "p.untie")
    assert decided(load_model(tmp_path / "p.untie")) == decided(preparer)


def test_blanks_are_read_the_same_on_lazy_tables(tmp_path):
    rng = np.random.default_rng(0)
    cells = rng.choice([f"w{n}" for n in range(150)] + ["w7 ", " w8"], 4000)
    table = pa.table({"word": cells, "other": ["a", "b"] * 2000})
    expected = prepare(table)
    assert Reason.BLANKS in expected.notes_[0].reasons
    for source in SOURCES:
        if source != "batch reader":
            (tmp_path / source).mkdir()
            assert decided(prepare(SOURCES[source](table, tmp_path / source))) == decided(expected)


def test_ordered_types_keep_their_order_without_blanks():
    cells = pd.Categorical(["low", "low ", "high"] * 10, ["low", "low ", "high"], ordered=True)
    frame = pd.DataFrame({"x": cells, "y": ["a", "b", "b"] * 10})
    found = prepare(frame).transform(frame)["x"]
    assert found.cat.ordered
    assert list(found.cat.categories) == ["low", "high"]


def test_days_without_a_time_are_named_as_days():
    days = pd.Series(pd.date_range("2024-01-30", periods=24)).sample(
        160, replace=True, random_state=0
    )
    frame = pd.DataFrame({"x": days.dt.strftime("%Y-%m-%d")})
    assert not any(":" in name for name in Preparer(bins=20).fit(frame).ranges("x"))


def test_infinities_that_were_seen_are_not_outside(tmp_path):
    numbers = [float(n) for n in range(50)] + [math.inf, math.inf]
    table = pd.DataFrame({"x": numbers})
    preparer = Preparer(columns=["x"]).fit(table)
    preparer.save(tmp_path / "p.untie")
    for one in (preparer, load_model(tmp_path / "p.untie")):
        assert not len(one.outside(table))
        found = one.outside(pd.DataFrame({"x": [math.inf, -math.inf, 90.0, 7.0, math.nan]}))
        assert found.row.tolist() == [1, 2]
        assert found.lowest.tolist() == ["0", "0"]
        assert found.highest.tolist() == ["49", "49"]


def test_what_notes_know_is_in_fields_and_kept_in_files(tmp_path):
    n = 300
    table = pd.DataFrame(
        {
            "grade": [1 + row % 5 for row in range(n)],
            "rooms": [1 + row % 5 for row in range(n)],
            "colour": ["?", "red", "blue"] * (n // 3),
            "answer": ["NA", "yes"] * (n // 2),
            "town": [f"t{row % 30}" for row in range(n)],
            "here": ["here"] * n,
            "gap": [None] * n,
            "odd, its 7 values": ["its 9 values", "read as missing", "every row is"] * (n // 3),
        }
    )
    preparer = Preparer(max_categories=20).fit(table)
    preparer.save(tmp_path / "p.untie")
    loaded = load_model(tmp_path / "p.untie")
    assert loaded.notes_ == preparer.notes_
    notes = {note.column: note for note in loaded.notes_}
    assert notes["rooms"].argument(Reason.FEW_NUMBERS, "n") == 5
    assert notes["rooms"].reason == (
        "its 5 numbers are categories; TableEncoder(ordered=['rooms']) keeps their order"
    )
    assert notes["grade"].reasons == {Reason.SCALE: {"n": 5}}
    assert notes["grade"].reason == "its 5 numbers have an order"
    assert notes["colour"].argument(Reason.READ_AS_MISSING, "counts") == {"?": 100}
    assert notes["answer"].argument(Reason.NOT_MISSING, "values") == ["NA"]
    assert notes["town"].argument(Reason.MERGED, "n") == 30
    assert notes["here"].reasons == {Reason.CONSTANT: {"value": "here"}}
    assert notes["gap"].reasons == {Reason.ALL_MISSING: {}}
    assert notes["odd, its 7 values"] == Note("odd, its 7 values", "kept")


def named(n=40, **columns):
    """Return rows with two columns to learn from, and others."""
    sides = {"side": ["left", "right"] * (n // 2), "hue": ["red", "blue", "red", "red"] * (n // 4)}
    return pd.DataFrame({**sides, **{name: cells[:n] for name, cells in columns.items()}})


WORDS = [f"word {number}" for number in range(1000)]
KEYS = [f"k{number:05}" for number in range(1000)]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"key": KEYS, "name": WORDS}, "name"),
        ({"number": list(range(1000)), "code": KEYS}, "code"),
        ({"code": KEYS, "user_id": KEYS}, "user_id"),
        ({"id": list(range(1, 1001))}, "id"),
        ({"Unnamed: 0": list(range(1000))}, None),
        ({"film_title": WORDS, "id": KEYS}, "film_title"),
        ({"lastName": WORDS, "email": KEYS}, "lastName"),
        ({"name": [*WORDS[:39], None]}, None),
        ({"name": [*WORDS[:39], " "]}, None),
        ({"name": [f"{'a long story ' * 9}{number}" for number in range(1000)]}, None),
        ({}, None),
    ],
)
def test_an_id_or_a_name_that_is_left_out_names_the_rows(columns, expected):
    preparer = prepare(named(**columns))
    assert preparer.row_names_ == expected
    assert preparer.columns_ == ("side", "hue")
    notes = [note.column for note in preparer.notes_ if "names the rows" in note.reason]
    assert notes == ([] if expected is None else [expected])


def test_an_id_that_repeats_names_no_rows():
    frame = named(400, customer_id=[f"c{number // 2}" for number in range(400)])
    assert said(prepare(frame))["customer_id"] == ("left out", "looks like an id")
    assert prepare(frame).row_names_ is None


def test_the_column_that_names_the_rows_is_chosen(tmp_path):
    frame = named(name=WORDS, key=KEYS)
    assert prepare(frame, row_names="key").row_names_ == "key"
    assert said(prepare(frame, row_names="side"))["side"] == ("left out", "names the rows")
    assert prepare(frame, row_names=None).row_names_ is None
    assert prepare(frame, drop=["name"]).row_names_ == "key"
    assert prepare(frame, drop=["name"], row_names="name").row_names_ == "name"
    untie.save_model(prepare(frame, row_names="key"), tmp_path / "p.untie")
    assert untie.load_model(tmp_path / "p.untie").row_names_ == "key"
    assert prepare(frame.to_numpy()).row_names_ == "x2"
    with pytest.raises(ValueError, match=r"no column 'nam' in the table, which row_names names"):
        prepare(frame, row_names="nam")
    with pytest.raises(ValueError, match="row_names and columns both name the column 'side', but"):
        prepare(frame, columns=["side", "hue"], row_names="side")
    with pytest.raises(TypeError, match=r"row_names must be 'auto', None or the name of a column"):
        prepare(frame, row_names=["name"])
