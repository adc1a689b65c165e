import pandas as pd
import pytest

from external_data import external_file
from untie.datasets import names as bundled_names
from untie_paper.datasets import load, names
from untie_paper.datasets._registry import SOURCES

EXTERNAL = ["audiology", "connect4", "led24", "mofn3710"]
# As the sources have them; all other sets have none.
MISSING_CELLS = {
    "hepatitis": 45,
    "audiology": 291,
    "soybeanlarge": 712,
    "primarytumor": 225,
    "crx": 42,
    "breastcancer": 16,
}


def test_names():
    assert len(names()) == len(set(names())) == 26
    assert sorted([*bundled_names(), *EXTERNAL, "threeof9"]) == sorted(names())
    assert len(bundled_names()) == 21


@pytest.mark.parametrize("name", [name for name in names() if name != "connect4"])  # slow
def test_strings_with_the_label_apart(name):
    if name in EXTERNAL:
        external_file(name)
    X, y = load(name)
    assert len(X) == len(y)
    assert y.name == "class"
    assert "class" not in X
    assert X.columns.is_unique
    cells = X.to_numpy().ravel()
    assert all(type(cell) is str and cell == cell.strip() != "" for cell in cells)
    assert all(type(label) is str and label not in ("", "?") for label in y)
    assert (cells == "?").sum() == MISSING_CELLS.get(name, 0)


@pytest.mark.parametrize(
    ("wrong", "right"), [("zoos", "zoo"), ("Mushroom", "mushroom"), ("connect-4", "connect4")]
)
def test_close_names_are_suggested(wrong, right):
    with pytest.raises(ValueError, match=f"no data set '{wrong}'; did you mean '{right}'"):
        load(wrong)


def test_other_names_list_all():
    with pytest.raises(ValueError, match=r"no data set 'xyzzy'; choose among \['zoo'"):
        load("xyzzy")


def test_a_new_set_is_one_line(monkeypatch):
    class Made:
        def read(self, name, data_home):
            return {"a": ["x", "y"], "class": [name, str(data_home)]}

    monkeypatch.setitem(SOURCES, "made", Made())
    X, y = load("made", data_home="here")
    assert X.equals(pd.DataFrame({"a": ["x", "y"]}))
    assert list(y) == ["made", "here"]
