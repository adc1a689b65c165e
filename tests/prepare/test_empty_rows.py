"""Rows without cells, and rows of totals or means, are named, and nothing is learned from them."""

import re
import warnings

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import untie
from cases import ANY_FRAMES, EMPTY_ROWS, TEXT_FRAMES, as_rows
from command_cases import ask, rows_of
from lazy_sources import SOURCES, as_arrow
from untie import Preparer, TableClusterer, TableEncoder, choose_k, explain, make_report
from untie._prepare import look as look_module

SAID = r"2 rows are empty: every cell is missing or blank \(row 0, row 39\)\."
FULL = {name: cells[1:-1] for name, cells in EMPTY_ROWS.items()}
NUMBERS = ["cluster_centers_", "inertia_"]


@pytest.fixture(scope="module")
def expected():
    """Return what is learned from the rows that have cells."""
    return TableClusterer(2).fit(pd.DataFrame(FULL))


def fitted(data, **more):
    """Learn from a table, whose rows without cells are named."""
    with pytest.warns(
        UserWarning,
        match=f"^{SAID} They get the weight 0, and their clusters",
    ):
        return TableClusterer(2, **more).fit(data)


@pytest.mark.parametrize("make", {**ANY_FRAMES, **TEXT_FRAMES, "rows": as_rows}.values())
def test_nothing_is_learned_from_them_in_any_frame(make, expected):
    found = fitted(make(EMPTY_ROWS))
    for name in NUMBERS:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name))
    assert found.labels_.shape == (40,)
    assert found.labels_[1:-1].tolist() == expected.labels_.tolist()


@pytest.mark.parametrize("make", [m for name, m in SOURCES.items() if name != "batch reader"])
def test_nothing_is_learned_from_them_in_any_lazy_table(make, expected, tmp_path):
    table = as_arrow(EMPTY_ROWS)
    found = fitted(make(table, tmp_path))
    for name in NUMBERS:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name))
    labels = found.predict(pd.DataFrame(FULL))
    assert labels.tolist() == expected.labels_.tolist()


def test_nothing_is_learned_from_them_on_the_workers_of_dask(expected):
    frame = dd.from_pandas(pd.DataFrame(EMPTY_ROWS), npartitions=3)
    np.testing.assert_allclose(fitted(frame).cluster_centers_, expected.cluster_centers_)


def test_weights_of_the_other_rows_count(tmp_path):
    weights = np.arange(40) % 3 + 1.0
    frame = pd.DataFrame(EMPTY_ROWS)
    expected = TableClusterer(2).fit(pd.DataFrame(FULL), sample_weight=weights[1:-1])
    with pytest.warns(UserWarning, match=SAID):
        found = TableClusterer(2).fit(frame, sample_weight=weights)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)
    weighted = frame.assign(w=weights, weight=weights)
    weighted.to_parquet(tmp_path / "t.parquet")
    lazy = untie.scan(tmp_path / "t.parquet")
    expected = TableClusterer(2, preparer=Preparer(drop=["weight"])).fit(
        weighted[1:-1], sample_weight="w"
    )
    with pytest.warns(UserWarning, match=SAID):
        found = TableClusterer(2, preparer=Preparer(drop=["weight"])).fit(lazy, sample_weight="w")
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)
    zeros = np.r_[0.0, np.ones(38), 0.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # whoever has left them out need not be told
        TableClusterer(2).fit(frame, sample_weight=zeros)


def test_what_is_said_of_the_clusters_is_that_of_the_others(expected, tmp_path):
    frame, full = pd.DataFrame(EMPTY_ROWS), pd.DataFrame(FULL)
    found = fitted(frame)
    assert str(explain.verdict(found, frame)) == str(explain.verdict(expected, full))
    pd.testing.assert_frame_equal(
        explain.cluster_profile(found, frame), explain.cluster_profile(expected, full)
    )
    assert choose_k(found, frame).table().equals(choose_k(expected, full).table())
    frame.to_parquet(tmp_path / "t.parquet")
    lazy = untie.scan(tmp_path / "t.parquet")
    assert choose_k(fitted(lazy), lazy).k == choose_k(expected, full).k
    page = make_report(frame, found).to_markdown()
    assert "- Rows: 40\n- Rows that are learned from: 38\n" in page
    assert "sum of weights" not in page


@pytest.mark.filterwarnings("default:2 rows are empty")
def test_they_are_told_by_the_command(tmp_path):
    pd.DataFrame(EMPTY_ROWS).to_csv(tmp_path / "t.csv", index=False)
    answer = ask("cluster", tmp_path / "t.csv", "--k", 2)
    assert "2 rows are empty: every cell is missing or blank (row 1, row 40)." in answer.stderr
    assert len(rows_of(answer.stdout)) == 40
    table = ask("cluster", tmp_path / "t.csv", "--k", 2, "--format", "table").stdout
    assert "weight" not in table
    assert sum(map(int, re.findall(r"│ +\d │ +(\d+) │", table))) == 38


def test_rows_with_a_cell_and_rows_of_few_columns_are_learned_from():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = pd.DataFrame(EMPTY_ROWS).assign(person=[f"p{row}" for row in range(40)])
        assert TableEncoder(2).fit(frame).counts_.n_rows == 40
        few = pd.DataFrame(EMPTY_ROWS)[["drink", "meal"]]
        assert TableEncoder(2).fit(few).counts_.n_rows == 40
        bare = TableEncoder(2, preparer=None).fit(pd.DataFrame(EMPTY_ROWS))
        assert bare.counts_.n_rows == 40


def test_a_table_of_nothing_else_is_refused():
    frame = pd.DataFrame([[None] * 4] * 9, columns=list("abcd"), dtype=object)
    with pytest.raises(ValueError, match=r"No column is left .* all cells are missing"):
        TableClusterer().fit(frame)


def sales(last, n=30):
    """Return a table of sales, with something in the last row."""
    rows = {"region": ["north", "south", "east"] * (n // 3), "units": list(range(1, n + 1))}
    rows |= {"price": [9.5 + row % 7 for row in range(n)], "paid": ["yes", "no"] * (n // 2)}
    return pd.DataFrame({name: [*cells, last[name]] for name, cells in rows.items()})


TOTAL = {"region": "Total", "units": 465, "price": 11.0, "paid": None}
MEANS = {"region": "Average", "units": 15.5, "price": 12.33, "paid": None}

NAMES = {
    "Total": ("total", TOTAL),
    "GRAND TOTAL:": ("total", TOTAL),
    "sum": ("total", TOTAL),
    "All": ("total", TOTAL),
    "Average": ("mean", MEANS),
    "mean": ("mean", MEANS),
    "Median": ("median", {**MEANS, "price": 12.5}),
}


def first(frame):
    """Return a frame with its last row at the top."""
    return pd.concat([frame[-1:], frame[:-1]], ignore_index=True)


def said_of(word, position=30):
    kind, _ = NAMES[word]
    numbers = "'units'" if kind == "total" else "'units', 'price'"
    return (
        rf"^The table has a row of {kind}s: row {position} has {word!r} in 'region', and the "
        rf"{kind}s of all other rows in {numbers}\. It gets the weight 0, "
        r".* Preparer\(keep_totals=True\)"
    )


@pytest.mark.parametrize("place", ["last", "first"])
@pytest.mark.parametrize("word", NAMES)
def test_nothing_is_learned_from_a_row_of_totals(word, place, tmp_path):
    kind, row = NAMES[word]
    frame = sales({**row, "region": word})
    is_first = place == "first"
    frame, others = first(frame) if is_first else frame, frame[:-1]
    said = said_of(word, 0 if is_first else 30)
    expected = TableClusterer(2).fit(others)
    with pytest.warns(UserWarning, match=said):
        found = TableClusterer(2).fit(frame)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)
    labels = found.labels_[1:] if is_first else found.labels_[:-1]
    assert labels.tolist() == expected.labels_.tolist()
    assert found.preparer_.columns_ == expected.preparer_.columns_
    notes = {note.column: note.reason for note in found.preparer_.notes_}
    assert notes["region"] == f"nothing is learned from the row {word!r}, the {kind} of all others"
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=10)
    with pytest.warns(UserWarning, match=said):
        lazy = TableClusterer(2).fit(untie.scan(tmp_path / "t.parquet"))
    np.testing.assert_allclose(lazy.cluster_centers_, expected.cluster_centers_)


@pytest.mark.parametrize("make", [m for name, m in SOURCES.items() if name != "batch reader"])
def test_nothing_is_learned_from_totals_in_any_lazy_table(make, tmp_path):
    expected = TableClusterer(2).fit(sales(TOTAL)[:-1])
    table = as_arrow(sales(TOTAL).astype(object).where(sales(TOTAL).notna(), None).to_dict("list"))
    with pytest.warns(UserWarning, match=said_of("Total")):
        found = TableClusterer(2).fit(make(table, tmp_path))
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)


@pytest.mark.parametrize("make", {**ANY_FRAMES, "rows": as_rows}.values())
def test_nothing_is_learned_from_totals_in_any_frame(make):
    frame = sales(TOTAL).astype(object)
    frame = frame.where(frame.notna(), None)
    expected = TableClusterer(2).fit(frame[:-1])
    with pytest.warns(UserWarning, match=r"row of totals: row 30 has 'Total'"):
        found = TableClusterer(2).fit(make(frame.to_dict("list")))
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)
    assert found.labels_[:-1].tolist() == expected.labels_.tolist()


def test_nothing_is_learned_from_totals_on_the_workers_of_dask():
    expected = TableClusterer(2).fit(sales(TOTAL)[:-1])
    frame = dd.from_pandas(sales(TOTAL), npartitions=3)
    with pytest.warns(UserWarning, match=said_of("Total")):
        found = TableClusterer(2).fit(frame)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)


def test_nothing_is_learned_from_totals_among_categoricals():
    frame = sales(TOTAL).astype({"region": "category", "paid": "category"})
    expected = TableClusterer(2).fit(sales(TOTAL)[:-1])
    with pytest.warns(UserWarning, match=said_of("Total")):
        found = TableClusterer(2).fit(frame)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)


def test_totals_count_where_one_wants_them_to():
    frame = sales(TOTAL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = TableEncoder(2, preparer=Preparer(keep_totals=True)).fit(frame)
        assert found.counts_.n_rows == 31
        assert "Total" in found.vocabulary_.values[0]
        bare = TableEncoder(2, preparer=None).fit(frame.astype(str))
        assert bare.counts_.n_rows == 31
    with pytest.raises(TypeError, match="keep_totals must be True or False, got 'no'"):
        Preparer(keep_totals="no").fit(frame)


def test_a_preparer_by_itself_looks_away_from_totals_but_keeps_the_row():
    rows = {"region": ["north", "south"] * 60, "units": list(range(5, 245, 2))}
    others = pd.DataFrame(rows)
    frame = pd.concat([others, pd.DataFrame({"region": ["Total"], "units": [others.units.sum()]})])
    with pytest.warns(UserWarning, match="'units'. The ranges are made without it, but it stays"):
        preparer = Preparer(columns=["region", "units"]).fit(frame)
    plain = Preparer(columns=["region", "units"]).fit(others)
    assert preparer.ranges("units") == plain.ranges("units")
    assert len(preparer.transform(frame)) == 121
    assert preparer.outside(frame).value.tolist() == [str(others.units.sum())]


@pytest.mark.filterwarnings("default:The table has a row of")
def test_the_command_leaves_totals_out(tmp_path):
    sales(TOTAL).to_csv(tmp_path / "t.csv", index=False)
    answer = ask("cluster", tmp_path / "t.csv", "--k", 2)
    assert "a row of totals: row 31 has 'Total' in 'region'" in answer.stderr
    assert "count it like any other row: --keep-totals" in answer.stderr
    assert len(rows_of(answer.stdout)) == 31
    kept = ask("cluster", tmp_path / "t.csv", "--k", 2, "--keep-totals")
    assert "totals" not in kept.stderr


def test_what_is_said_of_clusters_leaves_totals_out(tmp_path):
    frame = sales(TOTAL)
    expected = TableClusterer(2).fit(frame[:-1])
    with pytest.warns(UserWarning, match=said_of("Total")):
        found = TableClusterer(2).fit(frame)
    found.save(tmp_path / "m.untie")
    for model in (found, untie.load_model(tmp_path / "m.untie")):
        assert str(explain.verdict(model, frame)) == str(explain.verdict(expected, frame[:-1]))
        pd.testing.assert_frame_equal(
            explain.cluster_profile(model, frame), explain.cluster_profile(expected, frame[:-1])
        )
        assert model.preparer_.notes_ == found.preparer_.notes_


def test_weights_of_the_rows_beside_totals_count():
    weights = np.arange(31) % 3 + 1.0
    expected = TableClusterer(2).fit(sales(TOTAL)[:-1], sample_weight=weights[:-1])
    with pytest.warns(UserWarning, match=said_of("Total")):
        found = TableClusterer(2).fit(sales(TOTAL), sample_weight=weights)
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_)


def test_totals_among_sampled_columns(monkeypatch):
    monkeypatch.setattr(look_module, "EXACT_VALUES", 40)
    monkeypatch.setattr(look_module, "SAMPLE_ROWS", (2000, 2000))
    rng = np.random.default_rng(0)
    rows = {"size": rng.normal(size=900).round(6), "n": rng.integers(1, 30, 900)}
    others = pd.DataFrame({"name": rng.choice(["a", "b"], 900), **rows})
    total = pd.DataFrame({"name": ["Total"], "size": [1e6], "n": [others.n.sum()]})
    frame = pd.concat([others, total], ignore_index=True)
    with pytest.warns(UserWarning, match="totals of all other rows in 'n'"):
        found = TableEncoder(2).fit(frame)
    plain = TableEncoder(2).fit(others)
    assert [found.preparer_.ranges(x) for x in ("size", "n")] == [
        plain.preparer_.ranges(x) for x in ("size", "n")
    ]


def test_a_name_of_totals_among_numbers_leaves_their_order():
    rng = np.random.default_rng(0)
    others = pd.DataFrame({"year": np.arange(1900, 2000), "n": rng.integers(1, 50, 100)})
    others["kind"] = rng.choice(list("ab"), 100)
    last = {"year": ["Total"], "n": [others.n.sum()], "kind": [None]}
    frame = pd.concat([others.astype(object), pd.DataFrame(last)], ignore_index=True)
    with pytest.warns(UserWarning, match="row 100 has 'Total' in 'year'"):
        found = TableEncoder(2, preparer=Preparer(columns=["year", "n", "kind"])).fit(frame)
    assert found.counts_.frequencies.sum() == 300
    assert [order is not None for order in found._model.orders] == [True, True, False]


@pytest.mark.parametrize(
    "last",
    [
        {**TOTAL, "region": "west"},
        {**TOTAL, "units": 464},
        {"region": "All", "units": 12, "price": 11.0, "paid": "no"},
        {**TOTAL, "units": None},
        {**MEANS, "region": "Total"},
        {**TOTAL, "region": "Average"},
        {**MEANS, "units": 16.5},
        {**MEANS, "price": 12.4},  # would be rounded to 12.3
        {**MEANS, "price": 12.5},  # the median
        {**MEANS, "region": "Mean Street"},
        {"region": "Average", "units": None, "price": 12.0, "paid": "no"},  # may be luck
    ],
)
@pytest.mark.parametrize("place", ["last", "first"])
def test_other_rows_at_the_ends_count(last, place):
    frame = sales(last) if place == "last" else first(sales(last))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert TableEncoder(2).fit(frame).counts_.n_rows == 31


def test_a_word_that_several_rows_have_is_no_name_of_totals():
    frame = sales(TOTAL)
    frame.loc[3, "region"] = "Total"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert TableEncoder(2).fit(frame).counts_.n_rows == 31


def test_a_count_of_rows_may_go_on_beside_means():
    frame = sales(MEANS).assign(number=range(1, 32))
    with pytest.warns(UserWarning, match=r"row of means: .* in 'units', 'price'\. It"):
        TableEncoder(2).fit(frame)


OIL = [412, 287, 191, 150, 120, 85, 60, 200]
SPILLS = [0, 1, 0, 0, 0, 1, 0, 2]


@pytest.mark.parametrize(
    "numbers",
    [
        {"revenue": OIL, "spills": SPILLS},
        {"spills": SPILLS},  # a 2 is the sum of two ones by luck
        {"revenue": OIL, "staff": OIL[::-1], "tons": [3, 9, 8, 7, 1, 9, 3, 40]},
    ],
)
def test_a_company_called_total_is_no_total(numbers):
    names = ["Shell", "BP", "Eni", "Repsol", "OMV", "Galp", "Orlen", "Total"]
    frame = pd.DataFrame({"company": names, **numbers, "listed": ["yes", "no"] * 4})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        preparer = Preparer(columns=["company", *numbers]).fit(frame)
    assert preparer._preparation.summary_rows == []


def test_totals_beside_rates_and_years_are_totals():
    frame = sales(TOTAL).assign(year=[*range(2000, 2030), 2024], rate=[0.5] * 30 + [0.5])
    with pytest.warns(UserWarning, match=r"totals of all other rows in 'units'"):
        TableEncoder(2).fit(frame.assign(units=frame.units * 1000))


@pytest.mark.parametrize("name", ["Total (2023)", "Grand total 2023", "Total 2023:", "Sum (all)"])
def test_a_year_may_follow_the_name_of_totals(name):
    with pytest.warns(UserWarning, match="has a row of totals: row 30"):
        TableEncoder(2).fit(sales({**TOTAL, "region": name}))


@pytest.mark.parametrize("place", ["last", "first"])
@pytest.mark.parametrize("order", [(TOTAL, MEANS), (MEANS, TOTAL)])
def test_totals_and_means_may_be_at_the_same_end(order, place, tmp_path):
    one, other = order
    frame = pd.concat([sales(one), pd.DataFrame([other])], ignore_index=True)
    if place == "first":
        frame = pd.concat([frame[-2:], frame[:-2]], ignore_index=True)
    expected = TableEncoder(2).fit(sales(one)[:-1])
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=31)
    for table in (frame, untie.scan(tmp_path / "t.parquet")):
        with pytest.warns(UserWarning, match="has a row of") as said:
            found = TableEncoder(2).fit(table)
        texts = " ".join(str(found.message) for found in said)
        assert "row of totals" in texts
        assert "row of means" in texts
        assert found.counts_.n_rows == expected.counts_.n_rows == 30
