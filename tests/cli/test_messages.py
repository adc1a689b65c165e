"""Messages of the library name options where the command gives them."""

import pytest

from command_cases import ask, refused, write_people
from untie._util.messages import Parameter, message
from untie.cli.options import in_options


@pytest.fixture
def people(tmp_path):
    return write_people(tmp_path / "people.csv")


def test_more_clusters_than_rows_speak_of_k(tmp_path):
    few = write_people(tmp_path / "few.csv", 8)
    said = refused("cluster", few, "--k", 20)
    assert "--k 20 is more than the table's rows (8); ask for fewer, or leave --k out." in said
    assert "None" not in said
    assert "n_clusters" not in said


def test_a_value_that_no_row_has_is_named(people):
    said = refused("cluster", people, "--ordered", "size=small,bigg,odd")
    assert "--ordered size lacks values that the column has: ['big']" in said
    assert "No row has 'bigg', which it names; did you mean 'big'?" in said


def test_words_are_ordered_by_naming_them(people):
    said = refused("cluster", people, "--ordered", "size")
    assert "name its values in order: --ordered size=VALUE,VALUE." in said


def test_weights_that_are_words_are_named(people):
    said = refused("cluster", people, "--weight", "size")
    assert "Column 'size' can't hold the weights: --weight must hold one number per row" in said
    assert "'big' is none." in said
    assert "sample_weight" not in said


def test_columns_that_were_left_out_are_named_to_use_them(tmp_path):
    path = tmp_path / "ids.csv"
    lines = [f"id{number},c,place {number}\n" for number in range(50)]
    path.write_text("my id,k,where\n" + "".join(lines))
    said = refused("cluster", path)
    assert "To learn from some all the same, name them: --columns 'my id,where'." in said
    assert ask("cluster", path, "--columns", "my id,where", "--k", 2).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--passive", "age,colour,size,shape,group"), "untie: Every column is supplementary, so"),
        (("--categorical", "age", "--drop", "age"), "take it out of --categorical, or name it in"),
    ],
)
def test_other_parameters_are_options_too(people, arguments, message):
    assert message in refused("cluster", people, *arguments)


def test_notes_name_the_option(tmp_path):
    path = tmp_path / "ages.csv"
    lines = [f"{number},{'ab'[number % 2]}" for number in range(100)]
    path.write_text("\n".join(["age,kind", *lines, *["not asked,a"] * 4]))
    said = ask("cluster", path, "--k", 2).stderr
    remedy = "name it with all that do: --missing 'not asked'\n"
    assert f"if that means missing, {remedy}" in said
    assert "no numbers" not in ask("cluster", path, "--k", 2, "--missing", "not asked").stderr


def test_names_of_columns_stay_as_they_are():
    said = message("There is no column {0}, which {columns} names.", "'n_clusters=3 {bins}'")
    assert in_options(said) == "There is no column 'n_clusters=3 {bins}', which --columns names."
    assert in_options("n_clusters=3") == "n_clusters=3"


def test_what_is_no_option_keeps_its_name_in_python():
    assert in_options(message("Raise {0}.", Parameter("n_init", 3))) == "Raise n_init=3."
