import pytest

from untie._util import files
from untie._util.files import near_file, no_file


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("custmers.csv", "customers.csv"),
        ("customers", "customers.csv"),
        ("CUSTOMERS.CSV", "customers.csv"),
        ("orders.parqet", "Orders.parquet"),
        ("zzz", None),
        ("archive", None),  # a folder is no file
    ],
)
def test_the_nearest_name_of_the_folder_is_found(tmp_path, name, near):
    for file in ("customers.csv", "Orders.parquet"):
        (tmp_path / file).touch()
    (tmp_path / "archive1").mkdir()
    found = near_file(str(tmp_path / name))
    assert found == (None if near is None else str(tmp_path / near))


def test_what_is_said_names_the_folder_and_the_file_that_may_be_meant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    where = f"There is no file 'peple.csv'; check the path, from the folder {str(tmp_path)!r}."
    assert no_file("peple.csv") == where
    (tmp_path / "people.csv").touch()
    assert no_file("peple.csv") == f"{where} Did you mean 'people.csv'?"


def test_a_folder_that_is_not_there_has_no_names(tmp_path):
    assert near_file(str(tmp_path / "none" / "a.csv")) is None


def test_not_all_names_of_a_huge_folder_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_FILES", 0)
    (tmp_path / "people.csv").touch()
    assert near_file(str(tmp_path / "peple.csv")) is None
