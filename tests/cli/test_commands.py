import json
import re
import subprocess
import sys
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

import untie
from command_cases import NOTES, ask, refused, rows_of, write_people
from tables import nested_classes
from untie.cli.app import app
from untie.cli.showing import print_table
from untie.comparison import METHODS
from untie.explain import neighbors, outliers, subclusters

COMMANDS = [
    "report",
    "cluster",
    "assign",
    "neighbors",
    "outliers",
    "fill",
    "values",
    "drift",
    "compare",
    "fit",
    "transform",
    "info",
    "upgrade",
    "export",
    "datasets",
]


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


@pytest.fixture
def frame(people):
    return pd.read_csv(people, dtype=str)


def test_help_lists_every_command_and_each_has_an_example():
    assert [command.name for command in app.registered_commands] == COMMANDS
    listed = ask("--help").stdout
    for name in COMMANDS:
        assert f" {name} " in listed
        assert f"untie {name}" in ask(name, "--help").stdout


def test_help_breaks_lines_where_the_terminal_ends():
    paragraphs = ask("cluster", "--help").stdout.split("\n")
    first = next(line for line in paragraphs if "The largest cluster is 0" in line)
    following = paragraphs[paragraphs.index(first) + 1]
    assert len(f"{first.rstrip()} {following.split()[0]}") > 79  # the next word had no room


@pytest.mark.integration
def test_the_command_has_one_name_however_it_is_started():
    told = subprocess.run([sys.executable, "-m", "untie", "fit", "--help"], capture_output=True)
    assert b"Usage: untie fit " in told.stdout


def test_version_and_nothing():
    assert ask("--version").stdout == f"untie {untie.__version__}\n"
    assert "Usage" in ask().output


def test_completion_is_offered():
    assert "--install-completion" in ask("--help").stdout


def test_export_writes_what_python_writes(people, tmp_path, frame):
    path, script, service = (tmp_path / name for name in ("p.untie", "p.sql", "p.onnx"))
    assert ask("cluster", people, "--save", path, "--k", 2, "--label", "group").exit_code == 0
    model = untie.load_model(path)
    parts = ["cluster", "probability"]
    given = {"source": "people", "keep": ["customer_id"], "lookup": "untie_p"}
    sql = model.to_sql("postgres", result=parts, **given)
    written = str(replace(sql, setup=(*sql.teardown, *sql.setup)))
    how = ("--to", "postgres", "--table", "people", "--keep", "customer_id")
    how = (*how, "--result", "cluster, probability")
    assert ask("export", path, *how).stdout == written
    assert ask("export", path, *how, "-o", script).exit_code == 0
    assert script.read_bytes().decode() == written
    assert ask("export", path, "--to", "onnx", "-o", service).exit_code == 0
    assert service.read_bytes() == model.to_onnx().SerializeToString()


def test_exported_scripts_run_again_and_beside_each_other(people, tmp_path, frame):
    ask("fit", people, "--k", 2, "--drop", "group", "-o", tmp_path / "one.untie", "-q")
    ask("fit", people, "--k", 2, "--drop", "colour", "-o", tmp_path / "other.untie", "-q")
    scripts = [
        ask("export", tmp_path / f"{name}.untie", "--to", "duckdb", "--table", "people").stdout
        for name in ("one", "other")
    ]
    with duckdb.connect() as database:
        database.register("people", frame)
        first, *_, last = (database.execute(scripts[n]).fetchall() for n in (0, 1, 0))
    assert first == last


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "duckdb"], "--table NAME"),
        (["--to", "onnx"], "--output model.onnx"),
        (["--to", "onnx", "--table", "people"], "--table means nothing with --to onnx"),
        (["--to", "duckdb", "--table", "t", "--result", "cluster"], "for models with clusters"),
        (["--to", "duckdb", "--table", "t", "-o", "t.onnx"], "none of the endings .sql"),
    ],
)
def test_export_refuses_what_it_cannot_write(arguments, message, melons, tmp_path):
    untie.TableEncoder(2).fit(melons).save(tmp_path / "m.untie")
    assert message in refused("export", tmp_path / "m.untie", *arguments)


def test_fit_keeps_the_ranges_and_transform_uses_them(people, tmp_path, frame):
    model = tmp_path / "people.untie"
    answer = ask("fit", people, "--output", model, "--label", "group", "--k", 2)
    assert answer.exit_code == 0
    assert answer.stdout == ""
    assert answer.stderr.startswith(NOTES)
    encoder = untie.load_model(model)
    own = untie.Preparer(drop=["group"]).fit(frame)
    assert encoder.preparer_.notes_ == own.notes_
    few = tmp_path / "few.csv"
    frame.head(3).drop(columns="group").to_csv(few, index=False)  # whose own ranges were others
    expected = encoder.transform(frame.head(3))
    for name in ("v.csv", "v.parquet"):
        answer = ask("transform", model, few, "--keep", "customer_id", "--output", tmp_path / name)
        assert answer.exit_code == 0, answer.output
        read = pd.read_csv if name.endswith("csv") else pd.read_parquet
        found = read(tmp_path / name)
        assert found.columns[0] == "customer_id"
        np.testing.assert_allclose(found.iloc[:, 1:].to_numpy(), expected)
    printed = pd.DataFrame(rows_of(ask("transform", model, few).stdout)).astype(float)
    np.testing.assert_allclose(printed.to_numpy(), expected)
    piped = ask("transform", model, "-", "--format", "json", stdin=few.read_bytes())
    records = pd.DataFrame(json.loads(piped.stdout))
    np.testing.assert_allclose(records.to_numpy(), expected)
    table = ask("transform", model, few, "--format", "table")
    assert "This is the beginning" in table.stderr
    assert f"age={min(own.ranges('age'))}" in table.stdout  # what the beginning has room for


SAVED = {
    "pipeline": lambda: make_pipeline(
        untie.Preparer(drop=["group"]), untie.TableEncoder(2, preparer=None)
    ),
    "clusterer": lambda: untie.TableClusterer(2, preparer=untie.Preparer(drop=["group"])),
    "both": lambda: make_pipeline(
        untie.Preparer(drop=["group"]), untie.TableClusterer(2, preparer=None)
    ),
}


@pytest.mark.parametrize("make", SAVED.values(), ids=SAVED)
def test_models_saved_by_python_are_read(people, tmp_path, frame, make):
    path = tmp_path / "python.untie"
    untie.save_model(make().fit(frame), path)
    preparer = untie.Preparer(drop=["group"]).fit(frame)
    rows = preparer.transform(frame)
    encoder = untie.TableEncoder(2, preparer=None).fit(rows)
    found = pd.DataFrame(rows_of(ask("transform", path, people).stdout)).astype(float)
    np.testing.assert_allclose(found.to_numpy(), encoder.transform(rows))
    piped = rows_of(ask("transform", path, "-", stdin=people.read_bytes()).stdout)
    np.testing.assert_allclose(pd.DataFrame(piped).astype(float), found)
    lines = rows_of(ask("outliers", people, "-n", 3, "--all", "--model", path).stdout)
    found = outliers(encoder, rows, n=3, share_of="model")["position"]
    assert [int(line["row"]) for line in lines] == (found + 1).tolist()
    lines = rows_of(ask("neighbors", people, "--row", 7, "-n", 3, "--model", path).stdout)
    expected = neighbors(encoder, rows, 6, n=3)["position"] + 1
    assert [int(line["row"]) for line in lines] == expected.tolist()
    by_value = ask("neighbors", people, "--where", "age=30", "--model", path)
    assert by_value.exit_code == 0, by_value.output
    lines = rows_of(ask("values", people, "--column", "colour", "--model", path).stdout)
    assert {line["column"] for line in lines} == {"colour"}
    said = refused("values", people, "--column", "country", "--model", path)
    assert "'country' was left out, every row is 'here'" in said


def test_models_without_an_encoder_are_refused(people, tmp_path, frame):
    untie.Preparer().fit(frame).save(tmp_path / "p.untie")
    said = refused("transform", tmp_path / "p.untie", people)
    assert "p.untie' holds a Preparer without an encoder" in said


def test_models_without_a_preparation_still_work(people, tmp_path, frame):
    columns = ["colour", "size"]
    encoder = untie.TableEncoder(2, preparer=None).fit(frame[columns])
    encoder.save(tmp_path / "plain.untie")
    answer = ask("transform", tmp_path / "plain.untie", people)
    found = pd.DataFrame(rows_of(answer.stdout)).astype(float).to_numpy()
    np.testing.assert_allclose(found, encoder.transform(frame[columns]))
    answer = ask("outliers", people, "--all", "--model", tmp_path / "plain.untie", "-n", 2)
    assert len(rows_of(answer.stdout)) == 2
    piped = ask("transform", tmp_path / "plain.untie", "-", stdin=people.read_bytes())
    np.testing.assert_allclose(pd.DataFrame(rows_of(piped.stdout)).astype(float), found)
    answer = ask("neighbors", people, "--where", "size=big", "--model", tmp_path / "plain.untie")
    assert "size=big" in rows_of(answer.stdout)[0]["alike in"]
    assert "no column 'shape'" in refused(
        "values", people, "--column", "shape", "--model", tmp_path / "plain.untie"
    )


def test_what_is_loaded_is_what_was_saved(people, tmp_path, frame):
    model = tmp_path / "m.untie"
    ask("fit", people, "-o", model, "-q")
    printed = pd.DataFrame(rows_of(ask("transform", model, people).stdout)).astype(float)
    found = untie.load_model(model).transform(frame)
    np.testing.assert_allclose(found, printed.to_numpy())
    assert len(np.unique(found, axis=0)) > 2


def test_fit_and_transform_with_weights(people, tmp_path, frame):
    frame["w"] = np.arange(len(frame)) % 3
    frame.to_csv(tmp_path / "weighted.csv", index=False)
    repeated = frame.loc[frame.index.repeat(frame["w"])]
    ask("fit", tmp_path / "weighted.csv", "--weight", "w", "-o", tmp_path / "w.untie", "--k", 2)
    encoder = untie.load_model(tmp_path / "w.untie")
    rows = encoder.preparer_.transform(repeated)
    other = untie.TableEncoder(2, random_state=0, preparer=None).fit(rows)
    np.testing.assert_allclose(encoder.omega_, other.omega_)
    assert encoder.counts_.n == frame["w"].sum()


def test_quiet_says_nothing(people, tmp_path):
    answer = ask("fit", people, "-o", tmp_path / "m.untie", "--quiet")
    assert answer.output == ""
    assert (tmp_path / "m.untie").exists()


def test_columns_and_drop(people, tmp_path):
    ask("fit", people, "-o", tmp_path / "m.untie", "--columns", "size,shape", "--columns", "age")
    assert untie.load_model(tmp_path / "m.untie").preparer_.columns_ == ("age", "size", "shape")
    ask("fit", people, "-o", tmp_path / "m.untie", "--drop", "size,shape", "--bins", "2")
    preparer = untie.load_model(tmp_path / "m.untie").preparer_
    assert preparer.columns_ == ("age", "colour", "group")
    assert len(preparer.ranges("age")) == 2


def test_cluster_prints_groups_for_people(people):
    answer = ask("cluster", people, "--label", "group", "--k", 2, "--format", "table")
    assert answer.exit_code == 0
    assert "2 stable groups of similar rows, as asked for, resting on" in answer.stdout
    assert "stable (" in answer.stdout
    assert "colour=red" in answer.stdout
    assert "elsewhere" in answer.stdout
    assert "With group: F 0.9" in answer.stderr or "With group: F 1.0" in answer.stderr


def test_cluster_gives_every_row_its_cluster(people, tmp_path, frame):
    answer = ask("cluster", people, "--label", "group", "--k", 2)
    piped = pd.DataFrame(rows_of(answer.stdout))
    assert piped[frame.columns.tolist()].equals(frame)
    assert adjusted_rand_score(frame["group"], piped["cluster"]) > 0.98
    sizes = piped["cluster"].value_counts()
    assert sizes["0"] >= sizes["1"]
    for name in ("out.csv", "out.tsv", "out.json", "out.parquet", "out.csv.gz"):
        path = tmp_path / name
        assert ask("cluster", people, "--label", "group", "--k", 2, "-o", path).stdout == ""
        if name == "out.tsv":
            found = pd.read_csv(path, sep="\t")
        else:
            kind = name.split(".")[1]
            found = getattr(pd, f"read_{kind}")(path)
        assert found["cluster"].astype(str).tolist() == piped["cluster"].tolist()


def test_cluster_chooses_k_and_says_why(people):
    answer = ask("cluster", people, "--drop", "age,group")
    assert answer.stderr.startswith("customer_id: left out")
    said, carried = answer.stderr.splitlines()[-2:]
    assert carried == "3 of 3 columns carry the clusters: shape, size and colour."
    assert said.startswith(
        "2 stable groups of similar rows, resting on all 3 columns. Of 2 to 8 groups, 2 is the"
    )
    assert "0 of them" not in said


def test_cluster_shows_smaller_clusters_within(tmp_path):
    nested_classes(0)[0].to_csv(tmp_path / "nested.csv", index=False)
    out = ask("cluster", tmp_path / "nested.csv", "--k", 2, "--format", "table").stdout
    found = out[out.index("Smaller clusters within them, found by the same rule") :]
    assert re.findall(r"^│ (\w+) +│ \d+% +│ stable \(\d.\d\d\) │ c1", found, re.M) == ["1a", "1b"]


def test_smaller_clusters_are_a_column_where_clusters_divide(tmp_path, people):
    table = nested_classes(0)[0]
    table.assign(subcluster=table["c0"]).to_csv(tmp_path / "nested.csv", index=False)
    call = ("cluster", tmp_path / "nested.csv", "--k", 2, "-q", "-o", tmp_path / "out.csv")
    assert ask(*call, "--drop", "subcluster", "--save", tmp_path / "m.untie").exit_code == 0
    found = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert found.columns[-3:].tolist() == ["subcluster", "cluster", "subcluster#2"]
    expected = subclusters(untie.load_model(tmp_path / "m.untie"), table.assign(subcluster=""))
    assert found["subcluster#2"].tolist() == expected.labels.tolist()
    assert set(found["subcluster#2"]) == {"0", "1a", "1b"}
    ask(*call, "--no-subclusters")
    assert pd.read_csv(tmp_path / "out.csv").columns[-1] == "cluster"
    whole = ask(*call[:4], "--no-subclusters", "--format", "table").stdout
    assert "Smaller clusters" not in whole
    (first, *_) = ask("cluster", people, "--k", 2, "-q").stdout.splitlines()
    assert first.endswith(",cluster")  # neither of the two divides
    said = refused("cluster", people, "--model", tmp_path / "m.untie", "--no-subclusters")
    assert "--no-subclusters are for new clusters" in said


def test_cluster_lazily_writes_the_same(people, tmp_path):
    options = ("--drop", "group", "--k", 2, "-o")
    ask("cluster", people, *options, tmp_path / "a.csv")
    ask("cluster", people, *options, tmp_path / "b.csv", "--lazy")
    first, second = (pd.read_csv(tmp_path / name) for name in ("a.csv", "b.csv"))
    assert list(first.columns) == list(second.columns)
    assert adjusted_rand_score(first["cluster"], second["cluster"]) == 1
    assert first.drop(columns="cluster").equals(second.drop(columns="cluster"))
    assert "--lazy needs --output" in refused("cluster", people, "--lazy")


def test_a_column_that_was_left_out_is_said_to_be(people):
    found = refused("values", people, "--column", "customer_id", "-q")
    assert (
        "'customer_id' was left out, looks like an id; names the rows; to have it, name it" in found
    )
    found = refused("values", people, "--column", "size", "--drop", "size", "-q")
    assert "'size' was left out, as asked." in found


def test_names_that_options_give_are_looked_up(people):
    for option in ("--columns", "--drop", "--label", "--weight", "--categorical", "--passive"):
        found = refused("cluster", people, option, "colors")
        assert f"no column 'colors' in the table, which {option} names; did you mean 'col" in found


@pytest.fixture
def shops(tmp_path):
    rng = np.random.default_rng(0)
    city = rng.integers(0, 40, 400)
    columns = {"region": city % 3, "city": city, "state": city % 12}
    for name in ("age", "size", "kind"):
        columns[name] = np.where(rng.random(400) < 0.8, city % 2, rng.integers(0, 3, 400))
    path = tmp_path / "shops.csv"
    pd.DataFrame(columns).map("v{}".format).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("command", ["cluster", "fit"])
def test_families_are_told(shops, tmp_path, command):
    output = ["-o", tmp_path / "model.untie"] if command == "fit" else []
    said = "state and region follow from city; they have one vote together."
    assert said in ask(command, shops, "--k", 2, *output).stderr
    assert said not in ask(command, shops, "--k", 2, "-q", *output).stderr
    without = ask(command, shops, "--k", 2, "--passive", "city,state", *output)
    assert "follow" not in without.stderr


def test_weights_of_columns(shops, tmp_path):
    path = tmp_path / "model.untie"
    weights = ["--column-weight", "age=2.5", "--passive", "region", "--passive", "state"]
    assert ask("fit", shops, "--k", 2, "-o", path, *weights).exit_code == 0
    encoder = untie.load_model(path)
    assert encoder.column_weights == {"age": 2.5, "region": 0, "state": 0}
    assert ask("outliers", shops, *weights).exit_code == 0
    labels = [
        [row["cluster"] for row in rows_of(ask("cluster", shops, "--k", 3, *options).stdout)]
        for options in (["--passive", "city,state,region"], ["--drop", "city,state,region"])
    ]
    assert labels[0] == labels[1]


def test_weights_of_columns_that_can_not_be(shops, people, tmp_path):
    for given, message in {
        "age": "is NAME=FACTOR",
        "age=much": "'much' is no number",
        "age=-1": "'-1' is no number",
        "age=nan": "'nan' is no number",
        "ages=2": "no column 'ages' in the table, which --column-weight names; did you mean",
    }.items():
        assert message in refused("cluster", shops, "--column-weight", given)
    assert "which --passive names" in refused("cluster", shops, "--passive", "ages")
    both = ["--passive", "age", "--column-weight", "age=2"]
    assert "keep one of them" in refused("cluster", shops, *both)
    assert "looks like an id" in refused("cluster", people, "--column-weight", "customer_id=2")
    assert ask("cluster", people, "--passive", "customer_id").exit_code == 0  # left out anyway
    ask("fit", shops, "--k", 2, "-o", tmp_path / "m.untie")
    found = refused("outliers", shops, "--model", tmp_path / "m.untie", "--passive", "age")
    assert "the model has its own" in found


def test_more_values_than_usual_can_be_told_apart(tmp_path):
    path = tmp_path / "towns.csv"
    towns = [f"town {number},{'ab'[number % 2]}" for number in range(110)] * 3
    path.write_text("\n".join(["town,side", *towns]) + "\n")
    call = ("values", path, "--column", "town")
    answer = ask(*call)
    assert "--max-categories" in answer.stderr
    assert "No two values have anything in common." in answer.stderr  # three rows each
    last = ("--why", "town 1,town 99")
    assert "takes two values of 'town'" in refused(*call, *last)
    answer = ask(*call, *last, "--max-categories", 110)
    assert "beside town 99" in answer.stdout
    assert "--max-categories" not in answer.stderr


def test_a_column_called_cluster_stays(people, tmp_path, frame):
    frame.rename(columns={"group": "cluster"}).to_csv(tmp_path / "c.csv", index=False)
    found = rows_of(ask("cluster", tmp_path / "c.csv", "--k", 2).stdout)
    assert found[0]["cluster"] == "a"
    assert found[0]["cluster#2"] in "01"


def test_neighbors_of_a_row_are_those_of_the_library(people, tmp_path, frame):
    encoder = untie.TableEncoder().fit(frame.drop(columns="group"))
    encoder.save(tmp_path / "m.untie")
    expected = neighbors(encoder, frame, 6, n=4)
    found = pd.DataFrame(
        rows_of(ask("neighbors", people, "--row", 7, "-n", 4, "--drop", "group").stdout)
    )
    assert found["row"].astype(int).tolist() == (expected["position"] + 1).tolist()
    assert found["customer_id"].tolist() == expected["name"].tolist()
    np.testing.assert_allclose(found["distance"].astype(float), expected["distance"])
    with_model = ask("neighbors", people, "--row", 7, "-n", 4, "--model", tmp_path / "m.untie")
    assert pd.DataFrame(rows_of(with_model.stdout)).equals(found)
    long = ask("neighbors", people, "--row", 7, "-n", 4, "--drop", "group", "--why")
    parts = pd.DataFrame(rows_of(long.stdout)).astype({"contribution": float})
    parts = parts.astype({"squared_distance": float})
    total = parts.groupby("row", sort=False)[["contribution", "squared_distance"]].sum()
    np.testing.assert_allclose(total["contribution"], expected["similarity"])
    np.testing.assert_allclose(total["squared_distance"], expected["distance"] ** 2, atol=1e-12)


def test_neighbors_without_copies_and_with_keys(people, frame):
    cells = frame[["colour", "size", "shape"]]
    row = next(i for i in range(120) if tuple(cells.loc[i]) == ("blue", "small", "flat"))
    call = ("neighbors", people, "--columns", "colour,size,shape", "--row", row + 1, "-n", 5)
    found = rows_of(ask(*call, "--keep", "customer_id,age").stdout)
    assert all(float(line["distance"]) < 1e-6 for line in found)
    found = rows_of(ask(*call, "--keep", "customer_id,age", "--distinct").stdout)
    assert [line["customer_id"] for line in found] == [f"c{int(line['row']) - 1}" for line in found]
    rows = [tuple(cells.loc[int(line["row"]) - 1]) for line in found]
    assert len(set(rows)) == 5
    assert ("blue", "small", "flat") not in rows
    distances = [float(line["distance"]) for line in found]
    assert distances == sorted(distances)
    assert distances[0] > 1e-6
    for line, kind in zip(found, rows, strict=True):
        assert int(line["row"]) - 1 == next(i for i in range(120) if tuple(cells.loc[i]) == kind)
    assert "which --keep names" in refused(*call, "--keep", "id")


@pytest.mark.filterwarnings("default:Every column has a single value")
def test_a_table_of_equal_rows_has_no_distinct_neighbors(people):
    said = refused("neighbors", people, "--columns", "country", "--row", 1, "--distinct")
    assert said.splitlines()[-1] == "untie: All rows of the table are equal to that one."
    assert "untie: note: Every column has a single value" in said


def test_neighbors_of_values(people, frame):
    call = ("neighbors", people, "--drop", "group", "-n", 3)
    found = rows_of(ask(*call, "--where", "colour=blue", "--where", "age=30").stdout)
    low, high = 18, 90
    for line in found:
        row = frame.loc[int(line["row"]) - 1]
        assert row["colour"] == "blue"
        assert low <= int(row["age"]) <= high
        assert "colour=blue" in line["alike in"]
        assert "(any)" not in line["differs in"]
    ages = {line["alike in"].partition("age=")[2].split(" 2")[0] for line in found}
    assert len(ages) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Say what to look for"),
        (["--row", "1", "--where", "a=b"], "Say what to look for"),
        (["--row", "121"], "no row 121; the table has 120 rows, the last of which is row 120."),
        (["--where", "customer_id=c3", "--where", "size=big"], "customer_id=... names a row, so"),
        (["--where", "customer_id=c300"], "no row 'c300' in the column 'customer_id'; did you"),
        (["--where", "blue"], "--where takes NAME=VALUE"),
        (["--where", "color=blue"], "no column 'color' in the table; did you mean 'colour'"),
        (["--where", "colour=blu"], "no value 'blu' in the column 'colour'; did you mean 'blue'"),
        (["--row", "1", "--drop", "colr"], "no column 'colr'"),
        (["--row", "1", "--label", "colr"], "which --label names"),
        (["--row", "1", "--weight", "colour"], "can't hold the weights"),
        (["--row", "1", "--model", "no.untie"], "There is no file 'no.untie'; check the path"),
        (["--row", "1", "--output", "x.doc"], "has none of the endings"),
        (["--row", "1", "--output", "no/x.csv"], "The folder 'no' does not exist"),
    ],
)
def test_mistakes_of_neighbors(people, options, message):
    said = refused("neighbors", people, *options)
    assert message in said.splitlines()[-1]


def test_outliers_are_those_of_the_library(people, tmp_path, frame):
    ask("fit", people, "-o", tmp_path / "m.untie", "--drop", "group")
    encoder = untie.load_model(tmp_path / "m.untie")
    expected = outliers(encoder, frame, n=5)
    call = ("outliers", people, "-n", 5, "--all", "--drop", "group")
    found = json.loads(ask(*call, "--format", "json").stdout)
    assert [line["row"] for line in found] == (expected["position"] + 1).tolist()
    assert [line["customer_id"] for line in found] == expected["name"].tolist()
    assert [line["reason"] for line in found] == expected["reason"].tolist()
    assert [line["unusual"] for line in found] == expected["unusual"].tolist()
    with_key = ask(*call, "--keep", "customer_id").stdout
    keys = [line["customer_id"] for line in rows_of(with_key)]
    assert keys == [f"c{line['row'] - 1}" for line in found]


def test_values_that_are_alike(tmp_path):
    rows = [("ale", "jug"), ("stout", "jug"), ("port", "glass"), ("sherry, dry", "glass")] * 20
    path = tmp_path / "drinks.csv"
    pd.DataFrame(rows, columns=["drink", "vessel"]).to_csv(path, index=False)
    found = rows_of(ask("values", path, "-n", 2).stdout)
    assert {(line["value"], line["other_value"]) for line in found} == {
        ("ale", "stout"),
        ("port", "sherry, dry"),
    }
    why = rows_of(ask("values", path, "--column", "drink", "--why", "port,sherry, dry").stdout)
    assert why[0]["column"] == "vessel"
    assert float(why[0]["beside sherry, dry"]) in (0, 1)
    assert "--why needs the column" in refused("values", path, "--why", "a,b")
    assert "takes two values" in refused("values", path, "--column", "drink", "--why", "ale,beer")
    assert "no column 'food'" in refused("values", path, "--column", "food")


def test_compare_scores_every_method(people, tmp_path):
    answer = ask("compare", people, "--label", "group")
    lines = rows_of(answer.stdout)
    assert [line["method"] for line in lines] == list(METHODS)  # people have an age
    assert all(0 <= float(line["f_score"]) <= 1 for line in lines)
    assert "2 clusters of 120 rows" in answer.stderr
    answer = ask("compare", people, "--drop", "group", "--k", 3, "-o", tmp_path / "c.json")
    assert answer.stdout == ""
    assert "f_score" not in json.loads((tmp_path / "c.json").read_text())[0]


def test_datasets_are_listed_and_written(tmp_path):
    listed = {line["name"]: line for line in rows_of(ask("datasets").stdout)}
    assert listed["zoo"] == {"name": "zoo", "rows": "101", "columns": "16", "classes": "7"}
    assert set(listed) >= set(untie.datasets.names())
    ask("datasets", "zoo", "--output", tmp_path / "zoo.csv")
    X, y = untie.datasets.load("zoo")
    written = pd.read_csv(tmp_path / "zoo.csv", dtype=str)
    assert written["class"].tolist() == y.tolist()
    assert written.drop(columns="class").to_numpy().tolist() == X.to_numpy().tolist()
    assert "did you mean 'zoo'" in refused("datasets", "zo")


def test_markup_in_cells_is_text(tmp_path):
    rows = [("[bold]x[/bold]", "[/]"), ("<b>", "y")] * 20
    path = tmp_path / "t.csv"
    pd.DataFrame(rows, columns=["a[red]", "b"]).to_csv(path, index=False)
    answer = ask("cluster", path, "--k", 2, "--format", "table")
    assert answer.exit_code == 0, answer.output
    assert "a[red]=[bold]x[/bold]" in answer.stdout


def test_placeholders_are_pointed_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "x,?\ny,1\n" * 9)
    answer = ask("fit", path, "-o", tmp_path / "m.untie")
    assert "b: kept, '?' counted as a value, not as missing" in answer.stderr
    assert "--missing '?,NA'" in answer.stderr
    answer = ask("fit", path, "-o", tmp_path / "m.untie", "--missing", "?")
    assert "--missing" not in answer.stderr


def test_many_notes_are_counted(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"c{number}" for number in range(50)]
    numbers = list(map(str, range(50)))
    lines = [[*names, "x"], [*numbers, "a"], [*numbers, "b"]]
    path.write_text("\n".join(map(",".join, lines)))
    answer = ask("fit", path, "-o", tmp_path / "m.untie")
    assert "... and 20 more columns" in answer.stderr


def test_columns_with_the_same_note_are_named_in_one_line(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{n}": rng.normal(size=100) for n in range(7)})
    frame = frame.assign(same="s", town=rng.choice(["a", "b"], 100))
    frame.to_csv(tmp_path / "t.csv", index=False)
    lines = ask("fit", tmp_path / "t.csv", "-o", tmp_path / "m.untie").stderr.splitlines()
    assert lines[:2] == [
        "c0, c1, c2, c3, c4 and 2 more: binned into 11 ranges",
        "same: left out, every row is 's'",
    ]
    assert untie.load_model(tmp_path / "m.untie").preparer_.notes_[6].column == "c6"


def test_nothing_to_learn_from(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n1,2\n")
    assert "No column is left to learn from" in refused("fit", path, "-o", tmp_path / "m.untie")
    assert "Say where to keep the model" in refused("fit", path)


def test_library_warnings_are_notes(tmp_path, monkeypatch, people):
    import warnings

    def save(*arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn("mind the gap", UserWarning, stacklevel=1)

    monkeypatch.setattr("untie.model_file.save_model", save)
    answer = ask("fit", people, "-o", tmp_path / "m.untie", "-q")
    assert answer.stderr == "untie: note: mind the gap\n"
    assert answer.exit_code == 0


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (OSError(28, "No space left on device"), 1, "No space left on device. Nothing was left"),
        (MemoryError("3 GiB"), 1, "there is not enough memory (3 GiB)"),
        (KeyError("x"), 1, "failed, which should not happen: KeyError: 'x'. UNTIE_DEBUG=1"),
        (KeyboardInterrupt(), 130, "stopped; no half-written file"),
        (ValueError("Column 'x' is odd."), 2, "Column 'x' is odd."),
    ],
)
def test_errors_get_a_code_and_a_line(people, tmp_path, monkeypatch, error, code, said):
    def fail(*arguments):
        raise error

    monkeypatch.setattr("untie.model_file.save_model", fail)
    line = refused("fit", people, "-o", tmp_path / "m.untie", "-q", code=code)
    assert line.startswith(f"untie: {said}")
    assert line.count("\n") == 1
    monkeypatch.setenv("UNTIE_DEBUG", "1")
    answer = ask("fit", people, "-o", tmp_path / "m.untie", "-q")
    assert "Traceback" in answer.stderr
    assert answer.exit_code == code


def test_report_writes_a_page_and_says_what_it_found(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = ask("report", people, "--label", "group", "--k", 2)
    assert answer.exit_code == 0, answer.output
    assert answer.stdout == ""
    assert answer.stderr.startswith(NOTES)
    assert (
        "There are 120 rows in people.csv. 2 stable groups of similar rows, as asked"
        in answer.stderr
    )
    assert answer.stderr.endswith("The report is in people-report.html; open it in a browser.\n")
    page = (tmp_path / "people-report.html").read_text()
    assert "<title>Report: people.csv</title>" in page
    assert "customer_id" in page
    assert "adjusted Rand index</th>" in page
    again = ask("report", people, "--label", "group", "--k", 2)  # or a file of another ending
    replaced = "The report is in people-report.html, in place of a file of that name; open it in"
    assert replaced in again.stderr
    quiet = ask("report", people, "-q", "--k", 2, "-o", tmp_path / "other.html", "--title", "<b>")
    assert quiet.output == ""
    assert "<h1>&lt;b&gt;</h1>" in (tmp_path / "other.html").read_text()


def test_report_writes_no_packed_page(people, tmp_path):
    said = refused("report", people, "--output", tmp_path / "page.html.gz")
    assert "is not compressed" in said
    assert not list(tmp_path.glob("*.gz"))


def test_report_reads_pipes_queries_and_weights(people, tmp_path, monkeypatch, frame):
    monkeypatch.chdir(tmp_path)
    piped = ask("report", "-", "--k", 2, "--missing", "odd", stdin=people.read_bytes())
    assert piped.exit_code == 0, piped.output
    page = (tmp_path / "report.html").read_text()
    assert "untie report data.csv --k 2 --missing odd" in page
    query = f"SELECT * FROM '{people}' WHERE colour <> 'odd'"
    assert ask("report", "--sql", query, "--k", 2, "-o", "q.html").exit_code == 0
    page = (tmp_path / "q.html").read_text()
    assert f"There are {(frame.colour != 'odd').sum()} rows in the table." in page
    assert "<code>untie report --k 2 --sql " in page
    frame.assign(w=2).to_csv(tmp_path / "w.csv", index=False)
    assert ask("report", "w.csv", "--weight", "w", "--k", 2).exit_code == 0
    assert "Weight of the rows</dt><dd>240</dd>" in (tmp_path / "w-report.html").read_text()


def test_report_refuses_before_the_work(people, tmp_path):
    assert "none of the endings .html" in refused("report", people, "-o", tmp_path / "page.pdf")
    assert "does not exist" in refused("report", people, "-o", tmp_path / "no" / "page.html")
    assert "'nothing'" in refused("report", people, "--label", "nothing", "-o", tmp_path / "p.html")
    assert list(tmp_path.glob("*.html")) == []


@pytest.fixture
def pupils(tmp_path):
    rng = np.random.default_rng(0)
    grade = rng.integers(1, 7, 200)
    columns = {
        "grade": grade,
        "missed": np.clip(grade + rng.integers(-1, 2, 200), 0, 9),
        "school": rng.choice(["north", "south", "west"], 200),
        "club": rng.choice(["chess", "choir"], 200),
    }
    path = tmp_path / "pupils.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def test_columns_that_the_user_calls_ordered(pupils, tmp_path):
    path = tmp_path / "model.untie"
    for given in (["--ordered", "grade", "--ordered", "missed"], ["--ordered", "grade,missed"]):
        assert ask("fit", pupils, "--k", 2, "-o", path, *given).exit_code == 0
        encoder = untie.load_model(path)
        assert encoder.ordered == {"grade": None, "missed": None}
        assert encoder._model.orders[0].tolist() == list(range(6))
    assert ask("fit", pupils, "--k", 2, "-o", path).exit_code == 0
    assert untie.load_model(path).ordered == "auto"
    labels = {
        options: [r["cluster"] for r in rows_of(ask("cluster", pupils, "--k", 3, *options).stdout)]
        for options in ((), ("--ordered", "grade,missed"))
    }
    assert labels[()] != labels["--ordered", "grade,missed"]
    assert ask("outliers", pupils, "--ordered", "grade").exit_code == 0


def test_columns_that_can_not_be_ordered(pupils, tmp_path):
    assert "did you mean 'grade'" in refused("cluster", pupils, "--ordered", "grades")
    found = refused("cluster", pupils, "--k", 2, "--ordered", "school")
    assert "is to be ordered, but 'north' is no number, date or range" in found
    assert "(grade: left out, as asked); take it out of --ordered" in refused(
        "cluster", pupils, "--drop", "grade", "--ordered", "grade"
    )
    ask("fit", pupils, "--k", 2, "-o", tmp_path / "m.untie")
    model = ["--model", tmp_path / "m.untie"]
    both = refused("cluster", pupils, "--ordered", "grade", "--passive", "grade")
    assert "--passive and --ordered both name 'grade'; keep one of them." in both
    assert "--ordered is for learning" in refused("outliers", pupils, *model, "--ordered", "grade")


def test_words_have_the_order_that_is_named(tmp_path):
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, 200)
    rows = pd.DataFrame(
        {
            "size": np.array(["S", "M", "L"])[level],
            "a": np.where(rng.random(200) < 0.7, level, rng.integers(0, 3, 200)).astype(str),
            "b": np.where(rng.random(200) < 0.7, level, rng.integers(0, 3, 200)).astype(str),
        }
    )
    rows.to_csv(tmp_path / "rows.csv", index=False)
    path = tmp_path / "model.untie"
    assert ask("fit", tmp_path / "rows.csv", "--ordered", "size=S,M,L", "-o", path).exit_code == 0
    orders = untie.load_model(path)._model.orders
    assert orders[0].tolist() == [2, 1, 0]  # L, M, S
    found = refused("fit", tmp_path / "rows.csv", "--ordered", "size=S,M", "-o", path)
    assert "lacks values that the column has: ['L']" in found


def test_gaps_of_binned_columns_are_told(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 4)).round(3), columns=list("abcd"))
    frame["word"] = rng.choice(list("xyz"), 200)
    frame.loc[rng.random(200) < 0.2, ["b", "c"]] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    found = ask("cluster", tmp_path / "gaps.csv", "--k", 2, "--format", "table")
    assert found.exit_code == 0, found.output
    assert "Cells of b and c are missing together" in found.output


def test_numbers_as_categories_and_the_way_to_their_order_are_said(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": rng.integers(1, 6, 90), "hour": rng.integers(0, 4, 90)})
    frame.assign(town=rng.choice(["a", "b"], 90)).to_csv(tmp_path / "t.csv", index=False)
    said = ask("outliers", tmp_path / "t.csv", "-n", 1).stderr
    numbers = "income: 5 numbers, hour: 4 numbers, kept as categories"
    assert f"{numbers}; --ordered income,hour keeps their order\n" in said
    said = ask("outliers", tmp_path / "t.csv", "-n", 1, "--ordered", "income").stderr
    assert "hour: 4 numbers, kept as categories; --ordered hour keeps their order\n" in said
    assert "income" not in said
    asked = ask("outliers", tmp_path / "t.csv", "-n", 1, "--categorical", "income,hour").stderr
    assert "numbers" not in asked


def test_patterns_name_columns_in_the_command(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"A{n}": rng.integers(1, 6, 90) for n in range(5)})
    frame = frame.assign(B1=rng.integers(0, 4, 90), B2=rng.integers(0, 4, 90), age=range(20, 110))
    frame.assign(town=rng.choice(["a", "b"], 90)).to_csv(tmp_path / "t.csv", index=False)

    def said(*options):
        return ask("outliers", tmp_path / "t.csv", "-n", 1, *options).stderr

    scale = "numbers that have an order; --categorical NAMES takes it away\n"
    assert f"A0, A1, A2, A3, A4: {scale}" in said()
    assert "--ordered B1,B2 keeps their order" in said()
    assert "keeps their order" not in said("--ordered", "B*")
    assert scale not in said("--categorical", "A*")
    assert f"A0, A2, A3, A4: {scale}" in said("--drop", "A1,B?")
    assert f"A0, A1, A2, A3, A4: {scale}" in said("--columns", "A*,town", "--column-weight", "A?=2")
    assert "There is no column 'C*'" in said("--drop", "C*")
    assert "--passive and --ordered both name 'B1'" in said("--ordered", "B*", "--passive", "B1")


def test_the_advice_on_categories_is_by_the_table(tmp_path):
    rows = pd.DataFrame({"code": [f"c{n % 130}" for n in range(600)], "town": ["a", "b"] * 300})
    rows.to_csv(tmp_path / "t.csv", index=False)
    advice = "Tell more values apart with --max-categories, such as --max-categories"
    assert f"{advice} 130\n" in ask("outliers", tmp_path / "t.csv", "-n", 1).stderr
    call = ("outliers", tmp_path / "t.csv", "-n", 1, "--max-categories", 130)
    assert advice not in ask(*call).stderr


def test_with_where_the_columns_that_it_names_count_alone(people, frame):
    call = ("neighbors", people, "--where", "colour=blue", "--where", "size=small", "-n", 30)
    found = rows_of(ask(*call).stdout)
    assert len(found) == 30
    for line in found:
        row = frame.loc[int(line["row"]) - 1]
        assert (row["colour"], row["size"]) == ("blue", "small")
        assert float(line["distance"]) == 0
        assert line["differs in"] == ""
    columns = {line["column"] for line in rows_of(ask(*call, "--why").stdout)}
    assert columns == {"colour", "size"}


def test_a_number_is_found_however_it_is_written(tmp_path):
    rows = pd.DataFrame({"income": ["7500.0", "15000.0", "1.0"] * 30, "town": ["a", "b", "a"] * 30})
    rows.to_csv(tmp_path / "t.csv", index=False)
    for text in ("7500", "7500.0"):
        found = rows_of(ask("neighbors", tmp_path / "t.csv", "--where", f"income={text}").stdout)
        assert found[0]["alike in"] == "income=7500 100%"


def test_rows_are_counted_and_small_shares_are_not_written_out(people, capsys):
    found = rows_of(ask("values", people, "--column", "colour").stdout)
    assert "weight" not in found[0]
    assert all(line["rows"].isdecimal() and line["other_rows"].isdecimal() for line in found)
    print_table({"p_value": [0.0, 0.2], "share": [3.7e-05, 0.0], "gain": [3.7e-05, 1.0]})
    shown = capsys.readouterr().out
    assert shown.count("<0.001") == 2
    assert "3.7e-05" in shown
