import numpy as np
import pandas as pd
import pytest

from untie_paper.output.agreement import Agreement
from untie_paper.output.grid import GridCell, make_grid
from untie_paper.output.report import PaperTable


def table(measured, published=None, **settings):
    return PaperTable("t", "T", pd.DataFrame(measured), published, **settings)


def column(measured, published=None, **settings):
    beside = None if published is None else pd.DataFrame({"a": published})
    grid = make_grid(table({"a": measured}, beside, **settings))
    return [cells[0] for _, cells in grid.rows]


def test_cells_in_place(scores):
    grid = make_grid(scores)
    assert grid.corners == ["data set"]
    assert grid.headings == ["UNTIE", "CDE", "own"]
    assert grid.rows == [
        (["zoo"], [GridCell("75.04", "75.04"), GridCell("80.00", "80.00"), GridCell("1.00")]),
        (["crx"], [GridCell("60.30", "60.00"), GridCell("31.50", "30.00", "▲"), GridCell("2.00")]),
        (
            ["flare"],
            [GridCell("50.00", "58.90", "▼"), GridCell("\N{EN DASH}", "44.40"), GridCell("3.00")],
        ),
    ]


def test_counts_and_words(scores):
    grid = make_grid(scores)
    assert grid.agreement == Agreement(5, 2, 3, 4, unmeasured=4)
    assert grid.remarks == [
        "Of 5 measured figures published as well: 2 to the digit, 3 within 0.5, 4 within 2.",
        "Published figures that were not measured here: 4.",
        "Published but not part of this run: Rough.",
    ]


def test_order_of_published_rows_is_of_no_account(scores):
    turned = PaperTable("t", "T", scores.measured, scores.published.iloc[::-1, ::-1])
    assert make_grid(turned).rows == make_grid(scores).rows


@pytest.mark.parametrize(
    ("measured", "marked"),
    [(70.5, ""), (70.500001, "▲"), (69.5, ""), (69.49, "▼"), (0.1 + 0.2 + 70.2, "")],
)
def test_marks_begin_above_the_bound(measured, marked):
    assert column([measured], [70.0])[0].mark == marked


def test_bound_of_the_table():
    assert column([0.43], [0.41], close=0.01, digits=3)[0].mark == "▲"
    assert column([0.43], [0.41], close=0.02, digits=3)[0].mark == ""


@pytest.mark.parametrize(
    ("measured", "published", "digits", "exact"),
    [
        (70.01, 70.0, 2, 1),
        (70.02, 70.0, 2, 0),
        (70.04, 70.0, 1, 1),
        (70.06, 70.0, 1, 0),
        (101, 102, 0, 0),
        (0.4125, 0.412, 3, 1),
        (0.42, 0.412, 3, 0),
    ],
)
def test_to_the_digit(measured, published, digits, exact):
    shown = table({"a": [measured]}, pd.DataFrame({"a": [published]}), digits=digits)
    assert make_grid(shown).agreement.to_the_digit == exact


def test_no_tolerance():
    shown = table({"a": [3, 4]}, pd.DataFrame({"a": [3.0, 5.0]}), close=0)
    grid = make_grid(shown)
    assert grid.agreement == Agreement(2, 1, 1, 1)
    assert grid.remarks == ["Of 2 measured figures published as well: 1 to the digit."]
    assert [cells[0] for _, cells in grid.rows] == [GridCell("3", "3"), GridCell("4", "5", "▼")]


def test_each_count_includes_the_one_before():
    rng = np.random.default_rng(0)
    for digits, close in [(0, 0.5), (1, 0.0), (2, 0.001), (3, 5.0)]:
        measured = rng.normal(size=200).round(rng.integers(0, 4))
        published = pd.DataFrame({"a": rng.normal(size=200).round(2)})
        found = make_grid(table({"a": measured}, published, digits=digits, close=close)).agreement
        assert 200 == found.compared >= found.near >= found.close >= found.to_the_digit


def test_whole_numbers_have_no_decimals():
    assert column([101, 67557], [101.0, 67557.5]) == [
        GridCell("101", "101"),
        GridCell("67557", "67557.50"),
    ]
    assert column(pd.array([5, None], dtype="Int64")) == [GridCell("5"), GridCell("\N{EN DASH}")]


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, pd.NaT])
def test_gaps_are_dashes_and_nothing_is_marked(gap):
    frame = pd.DataFrame({"a": pd.Series([gap, 2.0], dtype=object)})
    both = PaperTable("t", "T", frame, pd.DataFrame({"a": pd.Series([1.0, gap], dtype=object)}))
    assert [cells[0] for _, cells in make_grid(both).rows] == [
        GridCell("\N{EN DASH}", "1.00"),
        GridCell("2.00"),
    ]


def test_words_are_compared_as_words():
    assert column(["UCI", "own", "x"], ["UCI", "KEEL", None]) == [
        GridCell("UCI", "UCI"),
        GridCell("own", "KEEL", "≠"),
        GridCell("x"),
    ]
    words = table({"a": ["UCI", "own"]}, pd.DataFrame({"a": ["UCI", "KEEL"]}))
    assert make_grid(words).agreement == Agreement(texts=2, same_texts=1)


def test_words_and_numbers_are_not_compared():
    assert column(["70.0 ± 1.2"], [70.0]) == [GridCell("70.0 ± 1.2", "70.00")]
    assert column([True, np.inf], [1.0, 2.0]) == [GridCell("yes", "1.00"), GridCell("inf", "2.00")]


def test_zero_has_no_sign():
    assert column([-0.001, -0.01]) == [GridCell("0.00"), GridCell("-0.01")]


def test_numbers_stand_right():
    frame = {
        "n": [1.0, None],
        "sd": ["1.0 ± 2", "3.0 ± 4"],
        "word": ["a", "3"],
        "gap": [None, None],
    }
    assert make_grid(table(frame)).right == [True, True, False, True]


def test_several_levels_of_labels():
    rows = pd.MultiIndex.from_tuples([("zoo", 1), ("zoo", 2)], names=["data set", "seed"])
    columns = pd.MultiIndex.from_tuples([("SVM", "mean"), ("SVM", "sd")])
    frame = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], index=rows, columns=columns)
    grid = make_grid(PaperTable("t", "T", frame, frame + 1))
    assert grid.corners == ["data set", "seed"]
    assert grid.headings == ["SVM / mean", "SVM / sd"]
    assert grid.rows[1] == (
        ["zoo", "2"],
        [GridCell("3.00", "4.00", "▼"), GridCell("4.00", "5.00", "▼")],
    )


@pytest.mark.parametrize("axis", [0, 1])
def test_labels_that_are_there_twice(scores, axis):
    twice = pd.concat([scores.measured, scores.measured], axis=axis)
    with pytest.raises(ValueError, match=r"'scores' has the label '(zoo|UNTIE)' twice"):
        make_grid(PaperTable("scores", "T", twice, scores.published))
    assert len(make_grid(PaperTable("scores", "T", twice)).rows) == (6 if axis == 0 else 3)


def test_empty_table():
    grid = make_grid(table({}, pd.DataFrame({"a": [1.0]})))
    assert grid.rows == []
    assert grid.agreement == Agreement(unmeasured=1)


def test_footnotes_have_signs_in_the_order_of_reading():
    notes = {("y", "b"): "Second.", ("x", "b"): "First.", ("y", "a"): "First."}
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=["x", "y"])
    grid = make_grid(PaperTable("t", "T", frame, footnotes=notes))
    assert grid.footnotes == [("†", "First."), ("‡", "Second.")]
    assert [[cell.sign for cell in cells] for _, cells in grid.rows] == [["", "†"], ["†", "‡"]]
    assert [cell.measured for cell in grid.rows[0][1]] == ["1.00", "3.00"]
    assert grid.right == [True, True]


def test_many_footnotes_have_a_sign_each():
    notes = {(number, "a"): f"Note {number}." for number in range(9)}
    grid = make_grid(table({"a": [1.0] * 9}, footnotes=notes))
    signs = [sign for sign, _ in grid.footnotes]
    assert signs[3:6] == ["¶", "††", "‡‡"]
    assert len(set(signs)) == 9


@pytest.mark.parametrize("cell", [("zoo", "Rough"), ("nowhere", "UNTIE")])
def test_a_footnote_on_no_cell_is_refused(scores, cell):
    noted = PaperTable("t", "T", scores.measured, scores.published, footnotes={cell: "Odd."})
    with pytest.raises(ValueError, match="a footnote on the cell"):
        make_grid(noted)
