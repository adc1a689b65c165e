"""Every option of every sub-command: a call that uses it, and what it changes there.

A case is one call with many options. For each of them it has a check: a function that takes what
the call did and asserts what would be otherwise without the option.
"""

import csv
import json
import random
import warnings
from ast import literal_eval
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline, make_pipeline

from command_cases import ask, rows_of, start
from tables import encoder_of
from untie import Preparer, TableClusterer, explain, load_model, save_model


def write_messy(path, n=90):
    """Write a table in Latin-1 with # between cells: dates of two readings, gaps called void."""
    rng = random.Random(5)
    header = ["id", "age", "flight", "when", "colour", "size", "shape", "extra", "group", "often"]
    with open(path, "w", newline="", encoding="latin-1") as file:
        writer = csv.writer(file, delimiter="#")
        writer.writerow(header)
        for number in range(n):
            group = number % 2
            twisted = 1 - group if rng.random() < 0.1 else group
            writer.writerow(
                [
                    f"c{number}",
                    "void" if number % 9 == 0 else 20 + 40 * group + rng.randint(0, 15),
                    100 + rng.randint(0, 3) * 10 + (number % 30 if number % 3 == 0 else 0),
                    f"{rng.randint(1, 12):02}/{rng.randint(1, 12):02}/2024",
                    ["cramé", "bleu"][twisted],
                    "SML"[min(2, group + rng.randint(0, 1))],
                    ["round", "flat"][twisted],
                    rng.randint(0, 1000),
                    "ab"[group],
                    rng.randint(1, 3),
                ]
            )


def write_files(folder):
    """Write what the cases read: text, a workbook whose second sheet counts, Parquet, formulas."""
    write_messy(folder / "messy.txt")
    frame = pd.read_csv(folder / "messy.txt", sep="#", encoding="latin-1", dtype=str)
    few = frame[["colour", "size", "shape", "group"]]
    few.to_parquet(folder / "few.parquet")
    few[20:50].to_parquet(folder / "some.parquet")
    few.assign(shape="star").to_parquet(folder / "new.parquet")
    few.assign(formula="=" + few["size"]).to_csv(folder / "formulas.csv", index=False)
    sales = few[:20].assign(price=[n % 6 for n in range(20)])
    total = {"colour": "Total", "price": sales["price"].sum()}
    pd.concat([sales, pd.DataFrame([total])]).to_parquet(folder / "total.parquet", index=False)
    uses = ["bus;car", "car", "bus"]
    few[:60].assign(uses=uses * 20).to_parquet(folder / "uses.parquet")
    clusters = make_pipeline(
        Preparer(columns=["colour", "size", "shape"]), TableClusterer(2, preparer=None)
    )
    save_model(clusters.fit(few), folder / "base.untie")
    save_model(TableClusterer(2).fit(few), folder / "raw.untie")
    book = openpyxl.Workbook()
    book.active.append(["nothing"])
    sheet = book.create_sheet("rows")
    for cells in [list(few.columns), *few.to_numpy().tolist()]:
        sheet.append(cells)
    book.save(folder / "book.xlsx")


@dataclass(frozen=True)
class Done:
    """What a call did, in a folder."""

    folder: Path
    call: str
    out: str
    err: str
    code: int

    @property
    def rows(self):
        """The CSV on standard output."""
        return rows_of(self.out)

    def model(self, name):
        """Read a model that it wrote."""
        return load_model(self.folder / name)

    def json(self, name):
        """Read JSON that it wrote."""
        return json.loads((self.folder / name).read_text())


@dataclass(frozen=True)
class Case:
    """A call, and what each of its options changes.

    Parameters
    ----------
    call : str
        The command and its arguments, with spaces between.
    checks : dict of str to callables
        For each option that the case is about.
    code : int
        The exit code.
    process : bool
        Whether the call is a process of its own. A few are; the others save the second that
        Python takes to start.
    """

    call: str
    checks: dict[str, Callable[[Done], object]]
    code: int = 0
    process: bool = False

    @property
    def command(self):
        """The sub-command."""
        return self.call.split()[0]

    def run(self, folder):
        """Run it where the files of `write_files` are."""
        arguments = [text.replace("~", " ") for text in self.call.split()]
        if self.process:
            process = start(*arguments, cwd=folder)
            out, err = (text.decode() for text in process.communicate(timeout=120))
            code = process.returncode
        else:
            with chdir(folder):
                answer = ask(*arguments)
            out, err, code = answer.stdout, answer.stderr, answer.exit_code
        assert code == self.code, err
        return Done(folder, self.call, out, err, code)


TEXT = "messy.txt --delimiter # --encoding latin-1 --missing void"
COLUMNS = "--drop extra --categorical flight --bins 4 --max-categories 5"
DATES = "--month-first --date-parts weekday"
TABLE = "--label group --weight often"
LEARNING = "--column-weight colour=2 --passive shape --ordered size=S,M,L"
QUERY = "SELECT~colour,size,shape~FROM~'few.parquet'~WHERE~shape='flat'~OR~size='S'"


def said(text):
    """Return a check: standard error says something."""

    def check(done):
        assert text in done.err, done.err

    return check


def unsaid(text):
    """Return a check: standard error does not say something."""

    def check(done):
        assert text not in done.err, done.err

    return check


def shows(text):
    """Return a check: standard output has something."""

    def check(done):
        assert text in done.out, done.out

    return check


def lacks(text):
    """Return a check: standard output has something not."""

    def check(done):
        assert text not in done.out, done.out

    return check


def keeps_totals(done):
    """Check that a row of totals is named unless it is to count."""
    assert "a row of totals" not in done.err
    call = done.call.replace(" --keep-totals", "").replace(" kept-", " left-")
    assert "a row of totals: row 21 has 'Total'" in Case(call, {}).run(done.folder).err


def silent(done):
    """Check that nothing but the result was said."""
    assert done.err == ""


NOTES = {
    "--delimiter": said("id: left out, looks like an id"),
    "--encoding": unsaid("is not UTF-8"),
    "--missing": said("age: binned"),  # with the word void it would be text
    "--drop": unsaid("extra: binned"),
    "--categorical": unsaid("flight: binned"),
    "--bins": said("age: binned into 4 ranges"),
    "--max-categories": said("flight: grouped, the 23 rarest of its 27 values are merged"),
    "--day-first": said("read as dates, month first"),
    "--date-parts": said("also made into 'when (weekday)'"),
    "--weight": said("often: left out, holds the weights"),
}
"""What is said of the columns of the messy table, in all commands that prepare them."""

DRIFT_NOTES = {name: check for name, check in NOTES.items() if name != "--weight"}

NAMED = {"--row-names": said("extra: left out, names the rows")}


def kept(name, **expected):
    """Return a check: the encoder that was kept in a file has a parameter."""

    def check(done):
        model = done.model(name)
        encoder = model[-1] if isinstance(model, Pipeline) else model
        params = getattr(encoder, "encoder_", encoder).get_params()
        for key, value in expected.items():
            assert params[key] == value

    return check


def learned_from(name, *columns, without=()):
    """Return a check: the model was learned from columns, or without some."""

    def check(done):
        model = done.model(name)
        preparer = model[0] if isinstance(model, Pipeline) else model.preparer_
        found = list(preparer.columns_)
        assert found == list(columns) if columns else not set(without) & set(found)

    return check


def written(name, *texts, without=()):
    """Return a check: a file that was written has texts in it, and others not."""

    def check(done):
        content = (done.folder / name).read_text(encoding="utf-8")
        for text in texts:
            assert text in content
        for text in without:
            assert text not in content

    return check


def other_than(part, instead="", name=None):
    """Return a check: standard output, or a file, is another where a part of the call is."""

    def check(done):
        assert part in done.call
        call = done.call.replace(part, instead)
        if name is None:
            assert Case(call, {}).run(done.folder).out != done.out
            return
        Case(call.replace(name, f"other-{name}"), {}).run(done.folder)
        own, other = (done.folder / name).read_text(), (done.folder / f"other-{name}").read_text()
        assert own != other

    return check


def is_json(done):
    """Check that standard output is an array of JSON."""
    assert isinstance(json.loads(done.out), list)


def n_rows(n):
    """Return a check: so many rows came out as CSV."""

    def check(done):
        assert len(done.rows) == n

    return check


def n_query_rows(folder):
    """Return how many rows the query gives."""
    few = pd.read_parquet(folder / "few.parquet")
    return int(((few["shape"] == "flat") | (few["size"] == "S")).sum())


def rows_of_query(name=None):
    """Return a check: as many rows came out, in a file or not, as the query gives."""

    def check(done):
        text = done.out if name is None else (done.folder / name).read_text()
        assert len(rows_of(text)) == n_query_rows(done.folder)

    return check


def rows_with_clusters(name):
    """Return a check: all rows of few.parquet came out, as they are and with two clusters."""

    def check(done):
        found = pd.read_parquet(done.folder / name)
        given = pd.read_parquet(done.folder / "few.parquet")
        pd.testing.assert_frame_equal(found[list(given.columns)], given)
        assert set(found["cluster"]) == {0, 1}

    return check


LEARNED = {
    "column_weights": {"colour": 2.0, "shape": 0.0},
    "ordered": {"size": ["S", "M", "L"]},
}
"""The settings that the options of `LEARNING` stand for."""

ADAM = {"solver": "adam", "random_state": 7}
"""The settings of a solver that draws at random."""


@cache
def learned_in_python(folder, settings):
    """Return prepared rows and an encoder with settings, written as a dictionary."""
    data = pd.read_csv(folder / "messy.txt", sep="#", encoding="latin-1", dtype=str)
    preparer = Preparer(
        drop=["extra", "group"],
        categorical=["flight"],
        bins=4,
        max_categories=5,
        day_first=False,
        date_parts=["weekday"],
        missing=["void"],
    ).fit(data, sample_weight="often")
    rows = preparer.transform(data)
    encoder = encoder_of(**literal_eval(settings))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of adam, which says so to all
        return rows, encoder.fit(rows, sample_weight=data["often"].astype(float))


def as_in_python(find, name, settings, **without):
    """Return a check: numbers are those of Python.

    They are others where a setting is not so, if one is named.
    """

    def check(done):
        found = np.array([float(row[name]) for row in done.rows])
        same, other = (
            find(*learned_in_python(done.folder, repr(given)))
            for given in (settings, settings | without)
        )
        np.testing.assert_allclose(found, same)
        assert not without or not np.allclose(found, other)

    return check


def near(rows, encoder):
    """Return the distances of the neighbors of the third row."""
    return explain.neighbors(encoder, rows, 2, n=4)["distance"].to_numpy()


def alike(rows, encoder):
    """Return the similarities of the values of size."""
    return explain.alike_values(encoder, "size", n=20)["similarity"].to_numpy()


def unusual(rows, encoder):
    """Return the scores of the most unusual rows."""
    return explain.outliers(encoder, rows, n=4)["score"].to_numpy()


def learning_checks(find, name):
    """Return the checks of how much columns count, where distances of rows come out."""
    return {
        "--column-weight": as_in_python(find, name, LEARNED, column_weights={"shape": 0.0}),
        "--passive": as_in_python(find, name, LEARNED, column_weights={"colour": 2.0}),
        "--ordered": as_in_python(find, name, LEARNED, ordered="auto"),
    }


def solver_checks(find, name):
    """Return the checks of a solver that draws at random, where numbers of it come out."""
    return {
        "--solver": as_in_python(find, name, ADAM, solver="uniform"),
        "--seed": as_in_python(find, name, ADAM, random_state=0),
    }


def kept_checks(name):
    """Return the checks of what is learned, where a model is kept."""
    return {
        "--seed": kept(name, random_state=7),
        "--column-weight": kept(name, column_weights={"colour": 2.0, "shape": 0.0}),
        "--passive": kept(name, column_weights={"colour": 2.0, "shape": 0.0}),
        "--ordered": kept(name, ordered={"size": ["S", "M", "L"]}),
    }
