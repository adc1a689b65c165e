"""What is said about values that are written oddly."""

import numpy as np
import pandas as pd
import pytest

from untie import Preparer
from untie._prepare import deciding
from untie._prepare.note import KEPT, Note


def odd_values(values):
    return Note("x", KEPT, deciding.odd_values(values)).reason


def odd_writing(texts, rows):
    return Note("x", KEPT, deciding.odd_writing(texts, rows)).reason


def test_spellings_of_one_value():
    found = odd_values(["red", "Red ", "RED", "blue", "light  Blue", "light blue", 3, None, True])
    assert found.endswith("'light  Blue', 'light blue'; 'RED', 'Red ', 'red'")
    assert odd_values(["red", "blue", "re d"]) == ""


def test_placeholders_are_not_spellings_of_one_value():
    assert odd_values(["N/A", "n/a", "red"]) == "'N/A', 'n/a' counted as a value, not as missing"


def test_many_spellings_are_counted():
    found = odd_values([text for number in range(7) for text in (f"v{number}", f"V{number}")])
    assert found.endswith("'V0', 'v0'; 'V1', 'v1'; and 5 more")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["25/06/2023", "2023-06-25", "1.2.2024"], "dates"),
        (["25/06/2023 10:30", "26/06/2023T11:30"], "dates"),
        (["11.7 kg", "9000g", "3 kg"], "'11.7 kg'"),
        (["$35.85", "$1,235.85"], "'$35.85'"),
        (["12%", "3.5 %", "4 "], "'12%'"),
        (["1,200", "30"], "'1,200'"),
        (["007", "012"], None),
        (["10.0.0.1", "10.0.0.2"], None),
        (["City 7", "City 8"], None),
        (["v7", "v8"], None),
        (["12:30", "13:00"], None),
        ([f"7{letter}" for letter in "abcdefgh"], None),
        (["red", "7 kg", None, 3.5], None),
    ],
)
def test_numbers_and_dates_that_are_not_written_as_such(texts, words):
    found = odd_writing(texts, np.ones(len(texts)))
    assert (words in found) if words else found == ""


def test_a_few_other_cells_do_not_matter():
    texts = ["1 kg", "2 kg", "unknown"]
    assert odd_writing(texts, np.array([50.0, 45.0, 5.0]))
    assert not odd_writing(texts, np.array([45.0, 40.0, 15.0]))
    assert not odd_writing([], np.empty(0))


def test_notes_say_so():
    rng = np.random.default_rng(0)
    columns = {
        "weight": [f"{number} kg" for number in rng.integers(0, 40, 300)],
        "mixed": [f"{number} {'kg' if number % 9 else 'g'}" for number in rng.integers(0, 40, 300)],
        "code": [f"{number},{number % 7}{'' if number % 9 else ' kg'}" for number in range(300)],
        "price": [f"${number}" for number in rng.permutation(300)],
        "day": [
            f"{number % 28 + 1}/{number % 12 + 1}/2024" for number in rng.integers(0, 3000, 300)
        ],
        "other": [
            f"{number % 12 + 1}/{number % 11 + 1}/2024" for number in rng.integers(0, 3000, 300)
        ],
        "broken": [
            f"{number % 60 + 1}/{number % 12 + 1}/2024" for number in rng.integers(0, 3000, 300)
        ],
        "few": [f"{number} kg" for number in rng.integers(0, 5, 300)],
        "color": rng.choice(["red", "Red"], 300).tolist(),
    }
    notes = {
        note.column: note for note in Preparer(max_categories=50).fit(pd.DataFrame(columns)).notes_
    }
    assert notes["weight"].action == notes["price"].action == notes["day"].action == "binned"
    assert "read as numbers in 'kg', such as '39 kg'" in notes["weight"].reason
    assert "read as numbers in '$', such as '$299'" in notes["price"].reason
    assert "read as dates, day first, such as '28/12/2024'" in notes["day"].reason
    assert notes["mixed"].action == "kept"
    assert "as plain numbers, in one unit, they would be binned" in notes["mixed"].reason
    assert notes["code"].reason.startswith("looks like an id; looks like numbers")
    assert "merged into 'other'; looks like dates, and nothing tells" in notes["other"].reason
    assert "merged into 'other'; looks like dates; all written as" in notes["broken"].reason
    assert notes["few"].reason == ""  # so few numbers would stay values anyway
    assert "'Red', 'red'" in notes["color"].reason


def test_many_values_that_hardly_repeat_are_left_out():
    cabins = [f"c{number}" for number in range(120)] + [f"c{number}" for number in range(30)]
    frame = pd.DataFrame({"cabin": cabins + [None] * 500, "sex": ["m", "f"] * 325})
    note = Preparer().fit(frame).notes_[0]
    assert (note.action, note.reason) == ("left out", "has 120 values, hardly any of them frequent")
    frame["cabin"] = [f"c{number % 120}" for number in range(650)]
    assert Preparer().fit(frame).notes_[0].action == "grouped"
    assert Preparer(columns=["cabin", "sex"]).fit(frame).columns_ == ("cabin", "sex")
