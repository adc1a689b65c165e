"""`untie fill`: cells that have a value stay, and a new file is written."""

import numpy as np
import pandas as pd
import pytest

from command_cases import ask, refused


@pytest.fixture(scope="module")
def frame():
    """Return three groups with a number, a date, an id, a tick, an empty column and gaps."""
    rng = np.random.default_rng(0)
    n = 200
    group = rng.integers(3, size=n)
    drawn = np.where(rng.random((3, n)) < 0.9, group, rng.integers(3, size=(3, n)))
    frame = pd.DataFrame(
        {
            "id": [f"c{row:04}" for row in range(n)],
            "town": np.array(["Rome", "Bonn", "Oslo"])[drawn[0]],
            "job": np.array(["cook", "nurse", "clerk"])[drawn[1]],
            "pet": np.array(["cat", "dog", "?"])[drawn[2]],
            "age": (20 + 20 * group + rng.integers(0, 15, n)).astype(float),
            "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "tick": np.where(rng.random(n) < 0.5, "yes", None),
            "nothing": pd.Series([None] * n, dtype=object),
        }
    )
    for name in ("town", "job", "age", "joined"):
        frame.loc[rng.random(n) < 0.1, name] = None
    return frame


@pytest.fixture(scope="module")
def people(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("fill") / "people.parquet"
    frame.to_parquet(path)
    frame.to_csv(path.with_suffix(".csv"), index=False)
    return path


def as_text(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_only_missing_cells_of_categories_are_filled(people, tmp_path):
    path = people.with_suffix(".csv")
    answer = ask("fill", path, "-o", tmp_path / "filled.csv")
    before, after = as_text(path), as_text(tmp_path / "filled.csv")
    changed = before != after
    assert set(before.to_numpy()[changed]) == {"", "?"}
    assert changed.any()[lambda any_: any_].index.tolist() == ["town", "job", "pet"]
    assert not after["town"].eq("").any()
    assert answer.stdout == ""
    n = int(changed.to_numpy().sum())
    assert f"Filled {n} of {n} missing cells; about " in answer.stderr
    assert "stay missing, unless --numbers is given: age, joined" in answer.stderr
    assert "tick: not filled, as it has one value, and a missing cell may be" in answer.stderr
    assert "Not filled, as they are not learned from: nothing" in answer.stderr


def test_numbers_on_demand_and_types_stay(people, frame, tmp_path):
    ask("fill", people, "--numbers", "-o", tmp_path / "filled.parquet")
    after = pd.read_parquet(tmp_path / "filled.parquet")
    assert after.dtypes.equals(pd.read_parquet(people).dtypes)
    known = frame["age"].notna()
    assert after["age"][known].equals(frame["age"][known])
    assert after[["age", "joined"]].notna().all().all()
    assert set(after["age"]) == set(frame["age"].dropna())  # no number that nobody has
    near = frame.assign(age=after["age"])[~known].groupby("job")["age"].mean()
    assert near["cook"] < near["nurse"] < near["clerk"]


def test_improbable_cells_stay_missing(people, tmp_path):
    path = people.with_suffix(".csv")
    answer = ask("fill", path, "--min-probability", 0.9, "-o", tmp_path / "filled.csv")
    before, after = as_text(path), as_text(tmp_path / "filled.csv")
    blank = before[["town", "job", "pet"]].isin(["", "?"])
    left = int((before == after)[blank.columns].to_numpy()[blank.to_numpy()].sum())
    assert 0 < left < blank.to_numpy().sum()
    assert f"{left} cells stay missing: no value has a probability of 0.9" in answer.stderr


def test_a_model_fills_another_file(people, frame, tmp_path):
    ask("cluster", people, "--k", 3, "--save", tmp_path / "m.untie", "-o", tmp_path / "c.csv")
    frame.head(60).assign(more="x").to_parquet(tmp_path / "new.parquet")
    ask("fill", tmp_path / "new.parquet", "--model", tmp_path / "m.untie", "-o", tmp_path / "f.csv")
    after = pd.read_csv(tmp_path / "f.csv")
    assert after.columns.tolist() == [*frame.columns, "more"]
    assert after["town"].notna().all()
    known = frame["town"].head(60).notna()
    assert (after["town"][known] == frame["town"].head(60)[known]).all()


def test_the_file_itself_is_never_written_over(people):
    before = people.read_bytes()
    said = refused("fill", people, "-o", people)
    assert "is read by this command, which would then replace it" in said
    assert people.read_bytes() == before
    said = refused("fill", people, "--min-probability", 2, "-o", "new.csv")
    assert "--min-probability" in said


def test_people_see_how_many_cells_there_are(people, tmp_path):
    answer = ask("fill", people, "--format", "table")
    assert "probability" in answer.stdout
    assert "town" in answer.stdout
    assert "Would fill " in answer.stderr
    pd.DataFrame({"a": list("xyz") * 9, "b": list("xxy") * 9}).to_csv(
        tmp_path / "t.csv", index=False
    )
    answer = ask("fill", tmp_path / "t.csv", "-o", tmp_path / "f.csv")
    assert "No cell is missing in the columns that can be filled." in answer.stderr
    assert (tmp_path / "f.csv").read_text() == (tmp_path / "t.csv").read_text()


def test_columns_with_few_known_cells_are_named(tmp_path):
    path = tmp_path / "t.csv"
    season = ["winter", "spring"] * 60
    note = [f"in {s}" if place < 30 else None for place, s in enumerate(season)]
    pd.DataFrame({"note": note, "season": season, "half": season}).to_csv(path, index=False)
    answer = ask("fill", path, "-o", tmp_path / "f.csv")
    said = "Columns with few known cells, which --drop leaves as they are: note (30 of 120)"
    assert said in answer.stderr


def test_what_stands_for_a_missing_cell_is_as_the_columns_were_prepared(tmp_path):
    path, filled = tmp_path / "t.csv", tmp_path / "f.csv"
    cause = ["n/a", "pollen"] * 80 + [None] * 40
    season = ["winter", "spring"] * 100
    frame = pd.DataFrame({"cause": cause, "season": season, "month": [f"in {s}" for s in season]})
    frame.to_csv(path, index=False)
    answer = ask("fill", path, "--missing", "none", "-o", filled)
    assert "Filled 40 of 40 missing cells" in answer.stderr
    assert "stay" not in answer.stderr
    assert as_text(filled)["cause"].tolist() == ["n/a", "pollen"] * 100


def test_a_column_that_was_split_is_said_not_to_be_filled(frame, tmp_path):
    path = tmp_path / "t.csv"
    uses = ["car;bus", "bike", "bus", "car", "bike;bus;car", None, "bike;car"]
    drawn = np.random.default_rng(0).choice(np.array(uses, dtype=object), len(frame))
    frame[["town", "job", "pet"]].assign(uses=drawn).to_csv(path, index=False)
    said = ask("fill", path, "-o", tmp_path / "f.csv").stderr
    assert "uses: not filled, as its cells list several answers\n" in said
    assert "not learned from" not in said
    before, after = as_text(path), as_text(tmp_path / "f.csv")
    assert (before["uses"] == after["uses"]).all()


def test_a_model_fills_a_single_row_from_the_rows_it_was_fitted_on(people, frame, tmp_path):
    path, model = tmp_path / "new.csv", tmp_path / "m.untie"
    ask("fit", people.with_suffix(".csv"), "-o", model)
    pd.DataFrame([{**dict.fromkeys(frame.columns), "town": "Bonn", "pet": "dog"}]).to_csv(
        path, index=False
    )
    said = ask("fill", path, "--model", model, "--numbers", "-o", tmp_path / "f.csv").stderr
    after = as_text(tmp_path / "f.csv").iloc[0]
    assert (after["town"], after["job"], after["pet"]) == ("Bonn", "nurse", "dog")
    assert "Filled 1 of 1 missing cell" in said
    assert "2 cells stay missing: no row of the file has the value that is likely" in said
