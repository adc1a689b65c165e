import pytest

from external_data import external_file
from untie_paper.datasets import describe, names

FIGURES = ["n_o", "n_a", "n_c", "n_av", "n_mv"]
EXTERNAL = ["audiology", "connect4", "led24", "mofn3710"]
HERE = [name for name in names() if name not in EXTERNAL]


@pytest.fixture
def offline(monkeypatch):
    def fetch_openml(**options):
        raise OSError("no connection")

    monkeypatch.delenv("UNTIE_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)


def test_all_that_are_here(offline):
    table = describe()
    assert table["name"].tolist() == names()
    printed = [f"printed_{figure}" for figure in FIGURES]
    assert table.columns.tolist() == ["name", *FIGURES, *printed, "agree", "note"]
    table = table.set_index("name")
    assert table.loc[HERE, "agree"].drop("lymphography").all()
    assert table.loc["lymphography", FIGURES].astype(float).round(2).tolist() == [
        148,
        18,
        4,
        3.28,
        8,
    ]
    assert table.loc["lymphography", [*printed, "agree"]].isna().all()
    assert table.loc["lymphography", "note"] == "not in the paper's data table"
    assert table.loc[EXTERNAL, [*FIGURES, "agree"]].isna().all(axis=None)
    assert table.loc["connect4", printed].tolist() == [67557, 42, 3, 3, 3]
    assert table.loc[EXTERNAL, "note"].str.contains("is not here. Put").all()
    assert (table.loc[HERE, "note"].drop("lymphography") == "").all()


def test_with_the_external_files():
    folders = {external_file(name).parent for name in EXTERNAL}
    table = describe(EXTERNAL, data_home=folders.pop())
    assert table["agree"].all()
    assert (table["note"] == "").all()


def test_a_wrong_file_is_a_note(offline, tmp_path):
    (tmp_path / "led24.csv").write_text("a,b\n")
    table = describe("led24", data_home=tmp_path)
    assert "led24.csv can't be read" in table["note"][0]
    assert table["agree"].isna().all()


@pytest.mark.parametrize("chosen", [["zoo", "led24", "lymphography"], ["led24"], ["lymphography"]])
def test_libraries_agree(offline, chosen):
    rows = describe(chosen).astype(object)
    rows = rows.where(rows.notna(), None).to_dict("records")
    polars = describe(chosen, frame="polars")
    arrow = describe(chosen, frame="pyarrow")
    assert polars.to_dicts() == rows == arrow.to_pylist()
    types = ["String", *["Int64", "Int64", "Int64", "Float64", "Int64"] * 2, "Boolean", "String"]
    assert [str(dtype) for dtype in polars.dtypes] == types
    arrow_types = {"String": "string", "Int64": "int64", "Float64": "double", "Boolean": "bool"}
    assert [str(t).removeprefix("large_") for t in arrow.schema.types] == [
        arrow_types[t] for t in types
    ]


def test_wrong_name_is_an_error_before_anything_is_read(monkeypatch):
    monkeypatch.setattr("untie_paper.datasets._summary.measure", None)
    with pytest.raises(ValueError, match="did you mean 'zoo'"):
        describe(["crx", "zooo"])


def test_nothing_to_describe():
    assert describe([]).shape == (0, 13)
