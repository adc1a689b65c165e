"""Options that stand for parameters of the library."""

import pandas as pd
import pytest
from sklearn.pipeline import Pipeline

import untie
from command_cases import ask, refused, rows_of, write_people
from untie._learn.weights.search import SOLVERS
from untie._learn.weights.weightings import WEIGHTINGS
from untie.cli.options import Solver


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


def encoder_of(path):
    model = untie.load_model(path)
    return model[-1] if isinstance(model, Pipeline) else model


def test_the_names_are_those_of_the_library():
    assert set(map(str, Solver)) == {*SOLVERS, *WEIGHTINGS}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # adam is stopped
@pytest.mark.parametrize("solver", ["exact", "uniform", "adam"])
def test_fit_takes_a_solver(people, tmp_path, solver):
    path = tmp_path / "m.untie"
    answer = ask("fit", people, "--k", 2, "--solver", solver, "-o", path, "-q")
    assert answer.exit_code == 0, answer.output
    assert isinstance(encoder_of(path), untie.UNTIE)
    assert encoder_of(path).solver == solver


def test_cluster_takes_a_solver(people, tmp_path):
    path = tmp_path / "m.untie"
    call = ("cluster", people, "--k", 2, "--solver", "relevance", "--save", path, "-q")
    assert ask(*call).exit_code == 0
    assert encoder_of(path).encoder_.solver == "relevance"


@pytest.mark.parametrize("given", [["--ordered", "age"], ["--passive", "size"]])
def test_the_papers_method_has_no_more_options(people, given):
    line = refused("cluster", people, "--solver", "exact", *given)
    assert "--solver is for the paper's method, which takes no --" in line


def test_the_papers_method_takes_weights(people, tmp_path):
    frame = pd.read_csv(people, dtype=str)
    frame["often"] = [1, 2, 3] * 40
    frame.to_csv(tmp_path / "often.csv", index=False)
    path = tmp_path / "m.untie"
    call = ("fit", tmp_path / "often.csv", "--k", 2, "--solver", "exact", "--weight", "often")
    assert ask(*call, "-o", path).exit_code == 0
    encoder = encoder_of(path)
    assert encoder.counts_.n == frame["often"].sum()
    assert "often" not in encoder.vocabulary_.columns


def test_neighbors_and_values_take_them(people, tmp_path):
    call = ("neighbors", people, "--row", 3, "-q")
    usual = rows_of(ask(*call).stdout)
    assert rows_of(ask(*call, "--solver", "uniform").stdout) != usual
    call = ("values", people, "-q")
    usual = rows_of(ask(*call).stdout)
    assert rows_of(ask(*call, "--solver", "uniform").stdout) != usual
    ask("fit", people, "--k", 2, "-o", tmp_path / "m.untie", "-q")
    line = refused("values", people, "--model", tmp_path / "m.untie", "--solver", "exact")
    assert "--solver is for learning; the model has its own." in line


def test_numbers_that_are_names(people, tmp_path):
    answer = ask("fit", people, "--k", 2, "--categorical", "age", "-o", tmp_path / "m.untie")
    assert "age: binned" not in answer.stderr
    model = untie.load_model(tmp_path / "m.untie")
    ages = set(pd.read_csv(people, dtype=str)["age"])
    assert set(encoder_of(tmp_path / "m.untie").vocabulary_.values[0]) == ages
    assert model.preparer_.get_params()["categorical"] == ["age"]
    line = refused("cluster", people, "--categorical", "age", "--drop", "age")
    assert "--categorical names the column 'age', which is not to be used" in line


def test_ids_that_are_asked_for_are_learned_from_without_a_warning(people, tmp_path):
    call = ("fit", people, "--k", 2, "--categorical", "customer_id", "-o", tmp_path / "m.untie")
    answer = ask(*call)
    assert answer.exit_code == 0
    assert "customer_id: left out" not in answer.stderr
    assert "Preparer" not in answer.stderr
    assert "customer_id" in encoder_of(tmp_path / "m.untie").vocabulary_.columns


def test_the_page_says_which_numbers_are_names(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ask("report", people, "--k", 2, "--categorical", "age", "-o", "p.html").exit_code == 0
    page = (tmp_path / "p.html").read_text()
    assert "--categorical age" in page
    assert "categorical=[&#39;age&#39;]" in page


def test_a_weight_that_is_a_factor_is_pointed_at_the_right_option(people):
    line = refused("cluster", people, "--weight", "age=2")
    assert "no column 'age=2' in the table, which --weight names" in line
    assert "to make a column count more: --column-weight age=2" in line


def test_the_other_name_of_column_weights(people, tmp_path):
    for option in ("--column-weight", "--weight-column"):
        path = tmp_path / f"{option[2:]}.untie"
        assert ask("fit", people, "--k", 2, option, "age=2", "-o", path, "-q").exit_code == 0
        assert encoder_of(path).column_weights == {"age": 2.0}


def test_a_solver_that_is_none_is_refused(people, tmp_path):
    assert "nonsense" in refused("fit", people, "--solver", "nonsense", "-o", tmp_path / "n.untie")
