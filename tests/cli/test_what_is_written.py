"""What is read is never written over; what is written can be read again."""

import csv
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_cases import ask, refused, rows_of, write_people


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


@pytest.fixture
def model(people, tmp_path):
    path = tmp_path / "people.untie"
    assert ask("fit", people, "-q", "--k", 2, "-o", path).exit_code == 0
    return path


def test_what_is_read_is_not_written_over(people, model, tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to(people)
    before = people.read_bytes(), model.read_bytes()
    pattern, folder = tmp_path / "*.csv", tmp_path
    for call in (
        ["fit", people, "-o", people],
        ["fit", people, "-o", link],
        ["fit", link, "-o", people],
        ["cluster", pattern, "-o", people],
        ["cluster", folder, "-o", folder / "new.csv"],
        ["cluster", people, "--save", people],
        ["transform", model, people, "-o", people],
        ["transform", model, people, "-o", model],
        ["report", people, "-o", people],
    ):
        assert "is read by this command" in refused(*call)
    assert (people.read_bytes(), model.read_bytes()) == before


def test_a_model_has_no_name_of_a_table(people, tmp_path):
    precious = write_people(tmp_path / "precious.csv")
    before = precious.read_bytes()
    for call in (["fit", people, "-o", precious], ["cluster", people, "--save", precious]):
        assert "is no name for a model, but for a table; end it in .untie" in refused(*call)
    assert precious.read_bytes() == before


def test_two_results_are_two_files(people, tmp_path):
    path = tmp_path / "same.tsv"
    told = refused("cluster", people, "-o", path, "--save", path)
    assert "Two results can't go into one file" in told
    assert not path.exists()


def test_a_model_takes_no_place_of_a_device(people):
    assert "is a device or a pipe; name a file" in refused("fit", people, "-o", os.devnull)


def test_rows_keep_their_types(tmp_path):
    n = 60
    table = pa.table(
        {
            "time": pa.array([1_700_000_000_000_000_001 + i for i in range(n)], pa.timestamp("ns")),
            "small": pa.array([i % 5 for i in range(n)], pa.int8()),
            "large": pa.array([2**63 + i % 5 for i in range(n)], pa.uint64()),
            "map": pa.array([[("k", i % 3)] for i in range(n)], pa.map_(pa.string(), pa.int64())),
            "colour": ["red" if i % 2 else "blue" for i in range(n)],
            "taste": ["dry" if i % 2 else "sweet" for i in range(n)],
        }
    )
    source, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(table, source)
    options = ["--k", 2, "-q", "--columns", "colour,taste"]
    for lazily in ([], ["--lazy"]):
        assert ask("cluster", source, *options, *lazily, "-o", output).exit_code == 0
        found = pq.read_table(output)
        assert found.drop_columns(["cluster"]).equals(table)
        assert found.schema.types[:-1] == table.schema.types
    text = ask("cluster", source, *options, "--format", "csv").stdout
    assert rows_of(text)[1]["time"] == "2023-11-14 22:13:20.000000002"
    told = refused("cluster", source, *options, "--lazy", "-o", tmp_path / "out.csv")
    assert "Column 'map' holds cells of the type map<string, int64" in told
    assert "Write Parquet, or leave the column out." in told
    told = refused("cluster", source, *options, "--lazy", "-o", tmp_path / "out.json")
    assert "has none of the endings" in told


@pytest.mark.parametrize("output", ["out.csv", "out.tsv"])
@pytest.mark.parametrize("lazily", [[], ["--lazy"]])
def test_cells_with_ends_of_lines_come_back(tmp_path, output, lazily):
    odd = ["a\rb", "a\nb", "a\r\nb", 'a"b', "a,b", "a\tb"]
    source = tmp_path / "in.csv"
    with open(source, "w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["text", "colour", "size"])
        writer.writerows([odd[i % 6], "red" if i % 2 else "blue", "SML"[i % 3]] for i in range(60))
    again = tmp_path / output
    options = ["--k", 2, "-q", "--columns", "text,colour,size"]
    assert ask("cluster", source, *options, *lazily, "-o", again).exit_code == 0
    twice = ask("cluster", again, *options, "--format", "json")
    assert [row["text"] for row in json.loads(twice.stdout)] == odd * 10


def test_formulas_are_text_if_that_is_asked_for(tmp_path):
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    cells = ["=1+1", "+x", "-5", "@sum", "plain", "-5 %"]
    with open(source, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["=name", "colour"])
        writer.writerows([cells[i % 6], "red" if i % 2 else "blue"] for i in range(60))
    options = ["--k", 2, "-q", "--columns", "=name,colour"]
    plain = rows_of(ask("cluster", source, *options, "--format", "csv").stdout)
    assert [row["=name"] for row in plain[:6]] == cells
    safe = ["'=1+1", "'+x", "-5", "'@sum", "plain", "'-5 %"]
    options.append("--safe-csv")
    printed = rows_of(ask("cluster", source, *options, "--format", "csv").stdout)
    assert [row["'=name"] for row in printed[:6]] == safe
    assert ask("cluster", source, *options, "--lazy", "-o", output).exit_code == 0
    with open(output, newline="") as file:
        assert [row["'=name"] for row in list(csv.DictReader(file))[:6]] == safe


def test_a_name_is_no_missing_cell(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("NA,b\n" + "x,NA\ny,z\n" * 20)
    rows = rows_of(ask("cluster", path, "--missing", "NA", "--k", 2, "--format", "csv").stdout)
    assert list(rows[0]) == ["NA", "b", "cluster"]
    assert (rows[0]["NA"], rows[0]["b"]) == ("x", "")


def test_long_integers_of_json_stay_apart(tmp_path):
    path = tmp_path / "in.json"
    numbers = [10**20 + i for i in range(8)]
    path.write_text(
        json.dumps([{"id": numbers[i % 8], "x": i + 0.5, "g": "ab"[i % 2]} for i in range(80)])
    )
    options = ["--columns", "id,g", "--k", 2, "-q", "--format", "csv"]
    rows = rows_of(ask("cluster", path, *options).stdout)
    assert [row["id"] for row in rows[:8]] == [str(number) for number in numbers]
    assert rows[0]["x"] == "0.5"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('a,b\nx,y\nx,"y\nx,y\n', 'line 3: a quote (") that is opened there is never closed'),
        ("a,b\nx," + "y" * 140_000 + "\nx,y,z\n", "line 2: a cell has more than 131,072 char"),
        ('a,b\nx,"y"z\nx,y,z\n', "line 2: ',' expected after '\"'; correct the line"),
    ],
)
def test_what_is_wrong_with_quotes_and_cells(tmp_path, text, told):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    said = refused("cluster", path)
    assert told in said
    assert said.count("\n") == 1


def test_names_with_line_feeds_as_excel_writes_them(tmp_path):
    path = tmp_path / "excel.csv"
    path.write_bytes(b'"a\nline",b\r\n' + b'x,"y\nz"\r\nu,v\r\n' * 20)
    rows = json.loads(ask("cluster", path, "--k", 2, "-q", "--format", "json").stdout)
    assert len(rows) == 40
    assert (rows[0]["a\nline"], rows[0]["b"]) == ("x", "y\nz")


def test_a_table_without_columns(tmp_path):
    path = tmp_path / "none.parquet"
    pq.write_table(pa.table({}), path)
    assert "has no columns" in refused("cluster", path)


def test_an_encoding_that_is_none_of_text(people):
    assert "There is no encoding 'hex'; often it is utf-8" in refused(
        "cluster", people, "--encoding", "hex"
    )


def test_escape_sequences_do_not_reach_the_terminal(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("colour\x1b[2J,taste\n" + "\x1b[31mred,dry\nblue,sweet\n" * 30)
    answer = ask("cluster", path, "--k", 2, "--format", "table")
    assert "\\x1b[31mred" in answer.stdout
    assert "\x1b" not in answer.stdout + answer.stderr
    assert "\x1b" not in refused("cluster", path, "--drop", "colour\x1b")


@pytest.mark.parametrize(
    "call",
    [
        ["values"],
        ["outliers", "--all"],
        ["neighbors", "--row", 3],
        ["neighbors", "--row", 3, "--why"],
    ],
)
def test_figures_have_no_digits_that_are_noise(people, call):
    rows = rows_of(ask(call[0], people, *call[1:], "-q").stdout)
    figures = [cell for row in rows for cell in row.values() if cell.count(".") == 1]
    figures = [cell for cell in figures if cell.replace(".", "").lstrip("-").isdigit()]
    assert figures
    assert max(len(cell.replace(".", "").lstrip("-0")) for cell in figures) <= 10
    assert not [row for row in rows for cell in row.values() if "e-1" in cell]


def test_vectors_and_cells_of_the_user_keep_their_digits(model, people, tmp_path):
    vectors = rows_of(ask("transform", model, people, "-q").stdout)
    digits = [len(cell.lstrip("-0.")) for row in vectors for cell in row.values()]
    assert max(digits) > 10
    table = pa.table({"x": [0.1234567890123, 1234567.890123] * 20, "y": ["a", "b"] * 20})
    pq.write_table(table, tmp_path / "t.parquet")
    call = ("values", tmp_path / "t.parquet", "--columns", "x,y", "--categorical", "x", "-q")
    found = rows_of(ask(*call, "--column", "x").stdout)
    assert {found[0]["value"], found[0]["other_value"]} == {"0.1234567890123", "1234567.890123"}
