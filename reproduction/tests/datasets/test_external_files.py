"""The four sets that are not in the package, where their files are."""

import csv
import gzip
import shutil
from itertools import product

import pytest

from external_data import external_file
from fake_openml import URLOPEN, FakeOpenML
from untie_paper.datasets import load
from untie_paper.datasets._external import fingerprint
from untie_paper.datasets._registry import SOURCES


def as_columns(name, folder=None):
    X, y = load(name, data_home=folder)
    return X.to_dict("list") | {"class": y.tolist()}


def read(path):
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open(newline="") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def write(path, columns):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns.keys(), *zip(*columns.values(), strict=True)])


@pytest.mark.parametrize("name", ["audiology", "connect4", "led24", "mofn3710"])
def test_files_are_the_sets_of_the_paper(name):
    columns = read(external_file(name))
    assert fingerprint(columns) == SOURCES[name].fingerprint
    assert as_columns(name) == columns


@pytest.mark.parametrize("name", ["audiology", "led24", "mofn3710"])
def test_from_openml(name, monkeypatch, tmp_path):
    columns = read(external_file(name))
    server = FakeOpenML(SOURCES[name].openml_id, columns, target="target")
    monkeypatch.setattr(URLOPEN, server)
    assert as_columns(name, tmp_path) == columns
    assert server.asked


def test_mofn_with_its_test_part(tmp_path):
    columns = read(external_file("mofn3710"))
    strings = [list(bits) for bits in product("01", repeat=10)]
    rows = [[*bits, "1" if bits[2:9].count("1") >= 3 else "0"] for bits in strings]
    test = dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))
    for parts in ([columns, test], [test, columns]):
        both = {name: [cell for part in parts for cell in part[name]] for name in columns}
        write(tmp_path / "mofn3710.csv", both)
        assert as_columns("mofn3710", tmp_path) == columns


def test_connect4_as_codes(tmp_path):
    columns = read(external_file("connect4"))
    source = SOURCES["connect4"]
    code = {word: digit for digit, word in source.spelling.items()}
    label_code = {word: digit for digit, word in source.label_spelling.items()}
    coded = {
        name: [(label_code if name == "class" else code)[cell] for cell in cells]
        for name, cells in columns.items()
    }
    path = tmp_path / "connect4.csv"
    write(path, coded)
    assert as_columns("connect4", tmp_path) == columns

    # Codes that stand for other words: the players are exchanged.
    swap = {"1": "2", "2": "1"}
    coded |= {n: [swap.get(c, c) for c in coded[n]] for n in coded if n != "class"}
    write(path, coded)
    with pytest.raises(ValueError, match="but other cells"):
        load("connect4", data_home=tmp_path)


def test_one_file_under_the_name_of_another(tmp_path):
    shutil.copy(external_file("led24"), tmp_path / "audiology.csv")
    with pytest.raises(ValueError, match=r"3200 rows, 24 .* instead of 200 rows, 69"):
        load("audiology", data_home=tmp_path)
