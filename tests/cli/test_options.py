"""Every option of every sub-command is used, and changes what it should."""

import pytest

from option_cases import (
    COLUMNS,
    DATES,
    DRIFT_NOTES,
    LEARNED,
    LEARNING,
    NAMED,
    NOTES,
    QUERY,
    TABLE,
    TEXT,
    Case,
    alike,
    as_in_python,
    is_json,
    keeps_totals,
    kept,
    kept_checks,
    lacks,
    learned_from,
    learning_checks,
    n_rows,
    near,
    other_than,
    rows_of_query,
    rows_with_clusters,
    said,
    shows,
    silent,
    solver_checks,
    unsaid,
    unusual,
    write_files,
    written,
)
from untie._persistence.formats import FORMAT
from untie.cli.app import COMMANDS, single_command

SHEET = {"--sheet": said("read the sheet 'rows' of 'Sheet', 'rows'")}
PLAIN = f"{TEXT} {COLUMNS} {DATES} {TABLE}"
ALL = f"{PLAIN} {LEARNING}"
WITH_NAMES = f"{ALL} --row-names extra"
FEW = "--columns colour,size"
FROM_QUERY = f"--sql {QUERY}"
FORMULAS = "formulas.csv --safe-csv"
SAFE = {"--safe-csv": shows(",'=S")}

CASES = [
    Case(
        f"fit {WITH_NAMES} --k 3 --components 2 --seed 7 --output fit.untie",
        NOTES
        | NAMED
        | kept_checks("fit.untie")
        | {
            "--output": said("28 values, for 3 clusters: fit.untie"),
            "--k": kept("fit.untie", n_clusters=3),
            "--components": kept("fit.untie", n_components=2),
            "--label": learned_from("fit.untie", without=["group"]),
        },
        process=True,
    ),
    Case(
        f"fit --sql {QUERY} {FEW} -q --output few.untie",
        {
            "--sql": learned_from("few.untie", "colour", "size"),
            "--columns": learned_from("few.untie", "colour", "size"),
            "--quiet": silent,
        },
    ),
    Case("fit book.xlsx --sheet rows --k 2 --output sheet.untie", SHEET),
    Case(
        f"fit {PLAIN} --k 3 --solver uniform --output paper.untie",
        {"--solver": kept("paper.untie", solver="uniform")},
    ),
    Case(
        f"cluster {WITH_NAMES} --k 3 --seed 7 --save c.untie --format json",
        NOTES
        | NAMED
        | kept_checks("c.untie")
        | {
            "--k": kept("c.untie", n_clusters=3),
            "--save": said("The clusters are in c.untie"),
            "--label": said("With group: F "),
            "--format": is_json,
        },
    ),
    Case(
        f"cluster --sql {QUERY} {FEW} --k 2 -q --save p.untie --output c.csv",
        {
            "--sql": rows_of_query("c.csv"),
            "--columns": learned_from("p.untie", "colour", "size"),
            "--output": written("c.csv", "colour,size,shape,cluster"),
            "--quiet": silent,
        },
        process=True,
    ),
    Case("cluster book.xlsx --sheet rows --model base.untie", {**SHEET, "--model": shows(",note")}),
    Case(f"cluster {FORMULAS} --k 2", SAFE),
    Case("cluster few.parquet --k 2 --no-subclusters", {"--no-subclusters": lacks("subcluster")}),
    Case(
        f"cluster {PLAIN} --k 3 --solver uniform --save paper.untie",
        {"--solver": kept("paper.untie", solver="uniform")},
    ),
    Case(
        "cluster few.parquet --lazy",
        {"--lazy": said("--lazy needs --output FILE")},
        code=2,
    ),
    Case(
        "cluster few.parquet --lazy --k 2 --output lazy.parquet",
        {"--lazy": rows_with_clusters("lazy.parquet")},
    ),
    Case(
        f"report {WITH_NAMES} --k 3 --seed 7 --title Messy --format json --output r.json",
        NOTES
        | NAMED
        | {
            "--k": written("r.json", "groups of similar rows, as asked for", "n_clusters=3"),
            "--seed": written("r.json", "random_state=7"),
            "--title": written("r.json", '"title": "Messy"'),
            "--format": lambda done: done.json("r.json"),
            "--output": said("The report is in r.json"),
            "--label": written("r.json", "label='group'"),
            "--column-weight": written("r.json", "column_weights={'colour': 2.0, 'shape': 0.0}"),
            "--passive": written("r.json", "column_weights={'colour': 2.0, 'shape': 0.0}"),
            "--ordered": written("r.json", "ordered={'size': ['S', 'M', 'L']}"),
        },
    ),
    Case(
        f"report --sql {QUERY} {FEW} --k 2 -q --output r.md",
        {
            "--sql": written("r.md", "--sql 'SELECT colour,size,shape"),
            "--columns": written("r.md", "columns=['colour', 'size']", without=["round"]),
            "--quiet": silent,
        },
    ),
    Case("report book.xlsx --sheet rows --k 2 --output sheet.md", SHEET),
    Case(
        f"report {FEW} few.parquet --k 2 --solver uniform --output paper.md",
        {"--solver": written("paper.md", "UNTIE(solver='uniform')")},
    ),
    Case(
        f"assign base.untie {TEXT} --format json",
        {
            "--delimiter": shows('"when": '),
            "--encoding": shows('"cramé"'),
            "--missing": lacks('"void"'),
            "--format": is_json,
        },
    ),
    Case(
        f"assign base.untie --sql {QUERY} -q --output a.csv",
        {
            "--sql": rows_of_query("a.csv"),
            "--output": written(
                "a.csv", "colour,size,shape,cluster,probability,distance,unknown,note"
            ),
            "--quiet": silent,
        },
    ),
    Case("assign base.untie book.xlsx --sheet rows", SHEET),
    Case(f"assign base.untie {FORMULAS}", SAFE),
    Case(
        f"transform base.untie {TEXT} --keep age,colour --format json",
        {
            "--delimiter": shows('"size=S": '),
            "--encoding": shows('"cramé"'),
            "--missing": lacks('"void"'),
            "--keep": shows('"age": '),
            "--format": is_json,
        },
    ),
    Case(
        f"transform base.untie --sql {QUERY} -q --output t.csv",
        {
            "--sql": rows_of_query("t.csv"),
            "--output": written("t.csv", "colour=bleu"),
            "--quiet": silent,
        },
    ),
    Case("transform base.untie book.xlsx --sheet rows", SHEET),
    Case(f"transform base.untie {FORMULAS} --keep group,formula", SAFE),
    Case(
        f"neighbors {WITH_NAMES} --row 3 --n 4",
        NOTES
        | NAMED
        | learning_checks(near, "distance")
        | {"--row": n_rows(4), "--n": n_rows(4), "--label": lacks("group")},
    ),
    Case(
        f"neighbors {PLAIN} --row 3 --n 4 --solver adam --seed 7", solver_checks(near, "distance")
    ),
    Case(
        f"neighbors --sql {QUERY} {FEW} --where colour=bleu --n 3 --why --format json -q",
        {
            "--sql": shows('"colour"'),
            "--columns": lacks('"shape"'),
            "--where": shows('"bleu"'),
            "--why": shows('"column": '),
            "--format": is_json,
            "--quiet": silent,
        },
    ),
    Case(
        "neighbors few.parquet --row 1 --distinct --keep shape --output n.csv",
        {
            "--distinct": written("n.csv", "row,shape", without=["\n3,"]),
            "--keep": written("n.csv", "shape"),
            "--output": written("n.csv", "distance"),
        },
    ),
    Case(
        "neighbors few.parquet --like few.parquet --n 1",
        {"--like": shows("like,rank,row,similarity,distance\n1,1,1,")},
    ),
    Case(f"neighbors {FORMULAS} --row 1 --keep formula", SAFE),
    Case(
        "neighbors book.xlsx --sheet rows --row 1 --model base.untie",
        {**SHEET, "--model": lacks("group")},
    ),
    Case(
        f"outliers {WITH_NAMES} --n 4 --all --keep id --seed 7",
        NOTES
        | NAMED
        | {
            "--n": n_rows(4),
            "--all": shows(",unusual,"),
            "--keep": shows("row,extra,id,"),
            "--label": lacks("group"),
            "--passive": as_in_python(unusual, "score", LEARNED, column_weights=None),
            # Scores are of counts: of the columns that count at all, all count the same.
            "--column-weight": as_in_python(unusual, "score", LEARNED),
            "--ordered": as_in_python(unusual, "score", LEARNED),
            "--seed": as_in_python(unusual, "score", LEARNED),
        },
    ),
    Case(
        f"outliers --sql {QUERY} {FEW} -q --format json",
        {
            "--sql": other_than(FROM_QUERY, "few.parquet"),
            "--columns": lacks("shape="),
            "--format": is_json,
            "--quiet": silent,
        },
    ),
    Case(
        "outliers new.parquet --model base.untie --output o.csv",
        {
            "--model": said("shape: a value that the model does not know: 'star' (90 rows)"),
            "--output": written("o.csv", "shape=star"),
        },
    ),
    Case("outliers book.xlsx --sheet rows", SHEET),
    Case(f"outliers {FORMULAS} --keep formula", SAFE),
    Case(
        f"fill messy.txt --delimiter # --encoding latin-1 --missing void,M {COLUMNS} --month-first "
        "--numbers --min-probability 0.99 --format json",
        {name: check for name, check in DRIFT_NOTES.items() if name != "--date-parts"}
        | {
            "--numbers": said("Filled 10 of 10 missing numbers and dates with the median"),
            "--min-probability": said("has a probability of 0.99 or more"),
            "--format": is_json,
        },
    ),
    Case(
        f"fill --sql {QUERY} {FEW} -q --output filled.csv",
        {
            "--sql": rows_of_query("filled.csv"),
            "--columns": rows_of_query("filled.csv"),
            "--output": written("filled.csv", "colour,size,shape\n"),
            "--quiet": silent,
        },
    ),
    Case("fill new.parquet --model base.untie", {"--model": unsaid("shape: left out")}),
    Case("fill book.xlsx --sheet rows", SHEET),
    Case(f"fill {FORMULAS}", SAFE),
    Case(
        f"values {ALL} --column size",
        NOTES
        | {
            "--column": n_rows(3),
            "--ordered": as_in_python(alike, "similarity", LEARNED, ordered="auto"),
            # How much columns count is no matter of which values of one are alike.
            "--column-weight": as_in_python(alike, "similarity", LEARNED),
            "--passive": as_in_python(alike, "similarity", LEARNED),
        },
    ),
    Case(
        f"values {PLAIN} --column size --solver adam --seed 7", solver_checks(alike, "similarity")
    ),
    Case(f"values {FORMULAS} --column formula", SAFE),
    Case("values few.parquet --n 2 --label group", {"--n": n_rows(2), "--label": lacks("group")}),
    Case(
        f"values --sql {QUERY} {FEW} --column size --why S,M -q --output v.json",
        {
            "--sql": other_than(FROM_QUERY, "few.parquet", "v.json"),
            "--columns": written("v.json", '"colour"', without=['"shape"']),
            "--why": written("v.json", "beside S", "beside M"),
            "--output": written("v.json", "beside S"),
            "--quiet": silent,
        },
    ),
    Case(
        "values book.xlsx --sheet rows --model base.untie --format json",
        {**SHEET, "--model": lacks('"group"'), "--format": is_json},
    ),
    Case(
        f"drift messy.txt {TEXT} {COLUMNS} {DATES} --all --format json",
        DRIFT_NOTES | {"--all": shows('"drifted": '), "--format": is_json},
    ),
    Case(
        f"drift few.parquet new.parquet {FEW},shape --fail-on values -q --output d.csv",
        {
            "--columns": written("d.csv", "shape", without=["group"]),
            "--fail-on": written("d.csv", "new value,shape,star"),
            "--output": written("d.csv", "what,column,value"),
            "--quiet": silent,
        },
        code=1,
        process=True,
    ),
    Case(
        "drift few.parquet some.parquet --alpha 0.9 --min-effect 0.1",
        {
            "--alpha": other_than("--alpha 0.9"),
            "--min-effect": other_than("--min-effect 0.1", "--min-effect 0.3"),
        },
    ),
    Case(f"drift formulas.csv {FORMULAS} --all", SAFE),
    Case("drift new.parquet --model base.untie", {"--model": shows("shape,star")}),
    Case("drift book.xlsx book.xlsx --sheet rows", SHEET),
    Case(
        f"compare {PLAIN} --k 3 --seed 7 --format json",
        NOTES
        | {
            "--k": said("3 clusters of 90 rows"),
            "--label": shows('"f_score"'),
            "--format": is_json,
            "--seed": other_than("--seed 7"),
        },
    ),
    Case(
        f"compare --sql {QUERY} {FEW} --k 2 -q --output compare.csv",
        {
            "--sql": other_than(FROM_QUERY, "few.parquet", "compare.csv"),
            "--columns": other_than(FEW, name="compare.csv"),
            "--output": written("compare.csv", "gain"),
            "--quiet": silent,
        },
    ),
    Case("compare book.xlsx --sheet rows --k 2", SHEET),
    *(
        Case(call, {"--keep-totals": keeps_totals})
        for call in (
            "fit total.parquet --keep-totals --k 2 --output kept-model.untie",
            "cluster total.parquet --keep-totals --k 2",
            "report total.parquet --keep-totals --k 2 --output kept-totals.md",
            "neighbors total.parquet --keep-totals --row 1",
            "outliers total.parquet --keep-totals",
            "fill total.parquet --keep-totals",
            "values total.parquet --keep-totals --column size",
            "drift total.parquet total.parquet --keep-totals",
            "compare total.parquet --keep-totals --k 2",
        )
    ),
    Case("info base.untie --format json", {"--format": is_json}),
    Case(
        "upgrade base.untie --output newest.untie",
        {"--output": said(f"newest.untie: format {FORMAT}, from format {FORMAT}")},
    ),
    Case("upgrade base.untie --quiet", {"--quiet": silent}),
    *(
        Case(call, {"--sets": said("uses: split, 2 answers separated by ';', one column each")})
        for call in (
            "fit uses.parquet --sets uses --k 2 --output uses.untie",
            "cluster uses.parquet --sets uses --k 2",
            "report uses.parquet --sets uses --k 2 --output uses.md",
            "neighbors uses.parquet --sets uses --row 1",
            "outliers uses.parquet --sets uses",
            "values uses.parquet --sets uses --column size",
            "drift uses.parquet uses.parquet --sets uses",
            "compare uses.parquet --sets uses --k 2",
            "fill uses.parquet --sets uses --output filled.csv",
        )
    ),
    # What they change in text files is tested in test_messy.py; here that they arrive.
    *(
        Case(f"{call} {option}", {option.split()[0]: said(f"has no use for {option}")}, code=2)
        for option in ("--skip-rows 3", "--header none")
        for call in (
            "fit few.parquet --output no.untie",
            "cluster few.parquet",
            "report few.parquet --output no.md",
            "assign base.untie few.parquet",
            "transform base.untie few.parquet",
            "neighbors few.parquet --row 1",
            "outliers few.parquet",
            "values few.parquet --column size",
            "drift few.parquet some.parquet",
            "compare few.parquet --k 2",
            "fill few.parquet --output no.csv",
        )
    ),
    Case(
        "export raw.untie --to duckdb --table few --keep colour --result cluster,probability",
        {
            "--to": other_than("--to duckdb", "--to spark"),
            "--table": shows('FROM "few" AS'),
            "--keep": shows('."colour"'),
            "--result": shows('AS "probability"'),
        },
    ),
    Case(
        "export raw.untie --to duckdb --table few --lookup own --output raw.sql",
        {
            "--lookup": written("raw.sql", "own_values"),
            "--output": written("raw.sql", "CREATE TABLE", 'AS "cluster"'),
        },
    ),
    Case(
        "export raw.untie --to onnx --as-text colour --output raw.onnx",
        {"--as-text": said("--as-text must list columns of numbers that are binned")},
        code=2,
    ),
    Case("datasets --format json", {"--format": is_json}),
    Case("datasets zoo --output zoo.csv", {"--output": written("zoo.csv", "class")}),
]


def options_of(command):
    """Return the options of a sub-command, each by its first name."""
    params = single_command(command, *COMMANDS[command]).params
    return {param.opts[0]: param for param in params if param.param_type_name == "option"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_case(command):
    options = options_of(command)
    cases = [case for case in CASES if case.command == command]
    assert {name for case in cases for name in case.checks} == set(options)
    for case in cases:
        for name in case.checks:  # what is checked is given
            names = {*options[name].opts, *options[name].secondary_opts}
            assert names & set(case.call.split()), (case.call, name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    write_files(folder)
    return folder


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # adam is stopped
@pytest.mark.filterwarnings("default:The table has a row of totals")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.call.split(" --")[0])
def test_options_change_what_they_should(case, folder):
    done = case.run(folder)
    for check in case.checks.values():
        check(done)
